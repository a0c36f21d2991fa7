//! Headers of whole, cut off, damaged and split files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

use gguf::tiny::{self, Fields, Tensor};
use gguf::{Header, HeaderError, Model, ModelError, read};
use proptest::prelude::*;

fn header_of(bytes: &[u8]) -> Result<Header, HeaderError> {
    read(bytes, bytes.len() as u64)
}

#[test]
fn the_tiny_model_is_described() {
    let bytes = tiny::model();
    assert!(bytes.len() < 600_000, "{} bytes", bytes.len());
    let header = header_of(&bytes).unwrap();
    assert_eq!(header.name.as_deref(), Some(tiny::NAME));
    assert_eq!(header.quantization.as_deref(), Some("F32"));
    assert_eq!(header.context_length, Some(u64::from(tiny::CONTEXT)));
    assert_eq!(header.chat_template.as_deref(), Some(tiny::TEMPLATE));
    assert_eq!((header.special.bos, header.special.eos), (Some(1), Some(2)));
    let weights: usize = tiny::tensors().iter().map(|tensor| tensor.values.len()).sum();
    assert_eq!(header.parameters, weights as u64);
    // Two layers, keys and values of 64 numbers of two bytes.
    assert_eq!(header.cache_bytes_per_token, Some(2 * 2 * 64 * 2));
    let (model, order) = Model::of(&[header]).unwrap();
    assert_eq!((model.architecture.as_str(), order), ("llama", vec![0]));
    assert_eq!(model.check(gguf::MOST_MEMORY_BYTES), Ok(()));
}

#[test]
fn a_beginning_tells_how_much_is_needed() {
    let bytes = tiny::model();
    let mut length = 4;
    let mut rounds = 0;
    let header = loop {
        match read(&bytes[..length], bytes.len() as u64) {
            Ok(header) => break header,
            Err(HeaderError::Incomplete { needed }) => {
                assert!(needed > length as u64);
                length = usize::try_from(needed).unwrap();
                rounds += 1;
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert!(rounds > 100 && length < bytes.len() / 10, "{rounds} rounds, {length} bytes");
    assert_eq!(header, header_of(&bytes).unwrap());
}

#[test]
fn a_cut_off_file_is_named_as_such() {
    let bytes = tiny::model();
    let short = header_of(&bytes[..bytes.len() - 64]).unwrap_err();
    assert!(matches!(short, HeaderError::Short { .. }), "{short}");
    let key = b"llama.context_length";
    let at = bytes.windows(key.len()).position(|it| it == key).unwrap();
    let inside = header_of(&bytes[..at + key.len() + 6]).unwrap_err();
    assert_eq!(inside, HeaderError::CutOff { field: "llama.context_length".to_owned() });
    assert_eq!(header_of(b"GG").unwrap_err(), HeaderError::Magic);
    assert_eq!(header_of(b"<!doctype html>").unwrap_err(), HeaderError::Magic);
}

#[test]
fn damage_names_the_field() {
    let bytes = tiny::model();
    let mut old = bytes.clone();
    old[4] = 1;
    assert_eq!(header_of(&old).unwrap_err(), HeaderError::Version(1));
    let mut fields = Fields::default();
    fields.text("general.architecture", "llama");
    let mut many = tiny::write(&fields, &[]);
    many[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = header_of(&many).unwrap_err();
    assert!(matches!(&error, HeaderError::TooMany { field, .. } if field == "number of fields"));
    let mut long = tiny::write(&fields, &[]);
    // The length of the architecture's text follows the key and the type.
    let at = 24 + 8 + "general.architecture".len() + 4;
    long[at..at + 8].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    let error = header_of(&long).unwrap_err().to_string();
    assert!(error.starts_with("general.architecture: expected a count"), "{error}");
    long[at - 4] = 99;
    let error = header_of(&long).unwrap_err().to_string();
    assert!(error.contains("general.architecture: unknown value type 99"), "{error}");
}

#[test]
fn a_header_is_not_read_without_end() {
    let bytes = tiny::model();
    let mut fields = Fields::default();
    fields.text("x", "y");
    let mut endless = tiny::write(&fields, &[]);
    // A text of 16 MB for each of 65,536 fields.
    endless[16..24].copy_from_slice(&(1_u64 << 16).to_le_bytes());
    let at = 24 + 8 + 1 + 4;
    endless[at..at + 8].copy_from_slice(&(16_u64 << 20).to_le_bytes());
    let text = vec![b'y'; 16 << 20];
    let field = endless[24..at + 8].to_vec();
    endless.truncate(24);
    for _ in 0..7 {
        endless.extend(&field);
        endless.extend(&text);
    }
    let error = read(&endless[..(90 << 20)], 1 << 40).unwrap_err();
    assert_eq!(error, HeaderError::TooLong);
    assert!(header_of(&bytes).is_ok());
}

fn part(part: u32, parts: u32) -> Header {
    let mut fields = Fields::default();
    if part == 0 {
        fields = tiny::fields("llama", None);
    }
    fields.number("split.no", part);
    fields.number("split.count", parts);
    let tensor = Tensor { name: format!("t{part}"), shape: vec![8], values: vec![0.0; 8] };
    header_of(&tiny::write(&fields, &[tensor])).unwrap()
}

#[test]
fn parts_are_joined_in_their_order() {
    let headers = [part(2, 3), part(0, 3), part(1, 3)];
    let (model, order) = Model::of(&headers).unwrap();
    assert_eq!((order, model.parameters), (vec![1, 2, 0], 24));
    assert_eq!(model.size(), headers.iter().map(|header| header.size).sum::<u64>());
    let missing = Model::of(&headers[..2]).unwrap_err();
    assert_eq!(missing, ModelError::Parts { expected: 3, actual: 2 });
    let double = Model::of(&[part(0, 2), part(0, 2)]).unwrap_err();
    assert_eq!(double, ModelError::Parts { expected: 2, actual: 2 });
    let whole = header_of(&tiny::model()).unwrap();
    assert_eq!(Model::of(&[whole.clone(), whole]).unwrap_err(), ModelError::Several(2));
    assert_eq!(Model::of(&[]).unwrap_err(), ModelError::None);
    assert_eq!(Model::of(&[part(1, 1)]).unwrap_err(), ModelError::NoArchitecture);
}

#[test]
fn what_cannot_be_loaded_is_said_before() {
    let (known, _) = Model::of(&[header_of(&tiny::model()).unwrap()]).unwrap();
    let strange = Model { architecture: "clip".to_owned(), ..known.clone() };
    assert!(matches!(strange.check(u64::MAX), Err(ModelError::Architecture(_))));
    for spelling in ["gpt-oss", "ernie4_5", "qwen3moe", "gemma3"] {
        let model = Model { architecture: spelling.to_owned(), ..known.clone() };
        assert_eq!(model.check(u64::MAX), Ok(()), "{spelling}");
    }
    let large = Model { sizes: vec![3 << 30], ..known.clone() };
    assert!(matches!(large.check(u64::MAX), Err(ModelError::FileSize { .. })));
    assert!(matches!(known.check(100 << 20), Err(ModelError::Memory { .. })));
}

#[test]
fn the_context_fits_training_and_memory() {
    let (model, _) = Model::of(&[header_of(&tiny::model()).unwrap()]).unwrap();
    assert_eq!(model.context(4096, u64::MAX), 4096);
    assert_eq!(model.context(1 << 20, u64::MAX), u64::from(tiny::CONTEXT));
    let memory = model.memory(0) + 512 * 1000;
    assert_eq!(model.context(4096, memory), 768, "a multiple of 256 below 1,000");
    assert!(model.memory(model.context(4096, memory)) <= memory);
}

proptest! {
    #[test]
    fn anything_is_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend(&bytes);
        let _ = header_of(&file);
        let _ = header_of(&bytes);
    }

    #[test]
    fn a_changed_byte_never_panics(at in 0_usize..6000, byte: u8, size in 0_u64..1_000_000) {
        let mut bytes = tiny::model();
        bytes[at] = byte;
        let _ = header_of(&bytes);
        let _ = read(&bytes[..at], size.max(at as u64));
    }
}
