//! Metadata and tensor list of one file.

use crate::bytes::{Bytes, Value};
use crate::error::{HeaderError, MOST_HEADER_BYTES};
use crate::types::{block, quantization};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MAGIC: &[u8; 4] = b"GGUF";
/// The most metadata fields.
const MOST_FIELDS: u64 = 1 << 16;
/// The most tensors of a file.
const MOST_TENSORS: u64 = 1 << 18;
/// The most dimensions of a tensor, as in ggml.
const MOST_DIMENSIONS: u32 = 4;
/// The most characters that are kept of a name.
const LONGEST_NAME: usize = 200;

/// The ids of the tokenizer's special tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialTokens {
    /// Beginning of a text.
    pub bos: Option<u64>,
    /// End of a text.
    pub eos: Option<u64>,
    /// End of a turn.
    pub eot: Option<u64>,
    /// Unknown.
    pub unknown: Option<u64>,
}

/// The position of a file in a split model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// From 0.
    pub part: u64,
    /// Number of files.
    pub parts: u64,
}

/// The header of one file. Later parts of a split model have tensors and few other fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// 2 or 3.
    pub version: u32,
    /// `general.name`.
    pub name: Option<String>,
    /// `general.architecture`, such as `llama`; absent in later parts.
    pub architecture: Option<String>,
    /// The quantization named by `general.file_type`, such as `Q4_K_M`.
    pub quantization: Option<String>,
    /// Number of weights in this file.
    pub parameters: u64,
    /// The context length of the training, in tokens.
    pub context_length: Option<u64>,
    /// Layers.
    pub layers: Option<u64>,
    /// Bytes of keys and values of one token over all layers, as 16-bit numbers.
    pub cache_bytes_per_token: Option<u64>,
    /// Entries of the vocabulary.
    pub vocabulary: Option<u64>,
    /// The chat template, in Jinja.
    pub chat_template: Option<String>,
    /// Special tokens.
    pub special: SpecialTokens,
    /// The position in a split model.
    pub split: Option<Split>,
    /// Bytes of the file.
    pub size: u64,
}

/// Reads a header from the beginning of a file of `size` bytes.
///
/// # Errors
/// [`HeaderError::Incomplete`] if `beginning` is too short: call it again with more. Anything else
/// is final and names the field.
pub fn read(beginning: &[u8], size: u64) -> Result<Header, HeaderError> {
    match parse(beginning, size) {
        Err(HeaderError::Incomplete { needed }) if needed > MOST_HEADER_BYTES => {
            Err(HeaderError::TooLong)
        }
        other => other,
    }
}

fn parse(beginning: &[u8], size: u64) -> Result<Header, HeaderError> {
    let mut bytes = Bytes::new(beginning, size);
    let magic = bytes.u32().map_err(|error| match error {
        HeaderError::CutOff { .. } => HeaderError::Magic,
        other => other,
    })?;
    if magic.to_le_bytes() != *MAGIC {
        return Err(HeaderError::Magic);
    }
    let version = bytes.u32()?;
    if !matches!(version, 2 | 3) {
        return Err(HeaderError::Version(version));
    }
    "number of tensors".clone_into(&mut bytes.field);
    let tensors = bytes.count(MOST_TENSORS)?;
    "number of fields".clone_into(&mut bytes.field);
    let fields = bytes.count(MOST_FIELDS)?;
    let mut metadata = BTreeMap::new();
    for _ in 0..fields {
        "a field's name".clone_into(&mut bytes.field);
        let key = bytes.key()?;
        bytes.field = shortened(key.clone());
        let value = bytes.value()?;
        if value != Value::Other {
            metadata.insert(key, value);
        }
    }
    let list = tensor_list(&mut bytes, tensors)?;
    let header = Metadata(metadata).header(version, list.parameters, size);
    check_size(&list, bytes.position(), header.1, size)?;
    Ok(header.0)
}

/// What the list of tensors says.
#[derive(Default)]
struct Tensors {
    /// Number of weights.
    parameters: u64,
    /// The end of the last tensor, in bytes from the beginning of the data; `None` if a type is
    /// unknown.
    end: Option<u64>,
}

fn tensor_list(bytes: &mut Bytes<'_>, tensors: u64) -> Result<Tensors, HeaderError> {
    let mut list = Tensors { parameters: 0, end: Some(0) };
    for _ in 0..tensors {
        "a tensor's name".clone_into(&mut bytes.field);
        bytes.field = shortened(bytes.key()?);
        let dimensions = bytes.u32()?;
        if dimensions > MOST_DIMENSIONS {
            return Err(HeaderError::TooMany {
                field: bytes.field.clone(),
                count: u64::from(dimensions),
                most: u64::from(MOST_DIMENSIONS),
            });
        }
        let mut elements = 1_u64;
        for _ in 0..dimensions {
            elements = elements.saturating_mul(bytes.u64()?);
        }
        let tensor_type = bytes.u32()?;
        let offset = bytes.u64()?;
        list.parameters = list.parameters.saturating_add(elements);
        let length =
            block(tensor_type).map(|(many, size)| elements.div_ceil(many).saturating_mul(size));
        list.end = list.end.zip(length).map(|(end, length)| end.max(offset.saturating_add(length)));
    }
    Ok(list)
}

/// Rejects a file that ends before its last tensor.
fn check_size(list: &Tensors, at: u64, alignment: u64, actual: u64) -> Result<(), HeaderError> {
    let Some(end) = list.end.filter(|end| *end > 0) else { return Ok(()) };
    let start = at.checked_next_multiple_of(alignment.max(1)).unwrap_or(u64::MAX);
    let expected = start.saturating_add(end);
    if expected > actual { Err(HeaderError::Short { expected, actual }) } else { Ok(()) }
}

/// The metadata by field name.
struct Metadata(BTreeMap<String, Value>);

impl Metadata {
    fn number(&self, key: &str) -> Option<u64> {
        match self.0.get(key)? {
            Value::Number(number) => Some(*number),
            // Some architectures give a number for each layer.
            Value::Array(_, largest) => *largest,
            _ => None,
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        match self.0.get(key)? {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The header, and the alignment of the data.
    fn header(&self, version: u32, parameters: u64, size: u64) -> (Header, u64) {
        let architecture = self.text("general.architecture").map(shortened);
        let of_architecture = |key: &str| {
            let architecture = architecture.as_deref()?;
            self.number(&format!("{architecture}.{key}"))
        };
        let token = |name: &str| self.number(&format!("tokenizer.ggml.{name}_token_id"));
        let vocabulary = match self.0.get("tokenizer.ggml.tokens") {
            Some(Value::Array(count, _)) => Some(*count),
            _ => None,
        };
        let split = self
            .number("split.count")
            .filter(|parts| *parts > 1)
            .map(|parts| Split { part: self.number("split.no").unwrap_or_default(), parts });
        let header = Header {
            version,
            name: self.text("general.name").map(shortened).filter(|name| !name.trim().is_empty()),
            quantization: self
                .number("general.file_type")
                .and_then(quantization)
                .map(str::to_owned),
            parameters,
            context_length: of_architecture("context_length"),
            layers: of_architecture("block_count"),
            cache_bytes_per_token: cache(of_architecture),
            vocabulary,
            chat_template: self.text("tokenizer.chat_template").filter(|text| !text.is_empty()),
            special: SpecialTokens {
                bos: token("bos"),
                eos: token("eos"),
                eot: token("eot"),
                unknown: token("unknown"),
            },
            split,
            size,
            architecture,
        };
        (header, self.number("general.alignment").unwrap_or(32))
    }
}

/// Bytes of keys and values of one token: 16-bit numbers, over all layers.
fn cache(number: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let heads = number("attention.head_count");
    let per_head = heads.filter(|heads| *heads > 0);
    let per_head = per_head.and_then(|heads| Some(number("embedding_length")? / heads));
    let key = number("attention.key_length").or(per_head)?;
    let value = number("attention.value_length").or(per_head)?;
    let heads = number("attention.head_count_kv").or(heads)?;
    let numbers =
        number("block_count")?.checked_mul(heads)?.checked_mul(key.checked_add(value)?)?;
    numbers.checked_mul(2)
}

fn shortened(mut name: String) -> String {
    if let Some((at, _)) = name.char_indices().nth(LONGEST_NAME) {
        name.truncate(at);
    }
    name
}
