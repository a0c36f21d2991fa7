//! Compressed records: gzip, recognized by its first bytes.

use crate::{Record, RecordError};
use dataset::encoding::Utf8Reader;
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, BufRead, BufReader, Read, Write};

/// The first bytes of a gzip file (RFC 1952).
const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Bytes decompressed at a time.
const CHUNK: usize = 1 << 16;

/// Decompresses gzip; passes any other input through. Decodes byte order marks and UTF-16. A reader's
/// limits then count the bytes of the text.
///
/// # Errors
/// When the input can't be read.
pub fn unpacked<'a>(mut input: impl BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    Ok(match input.fill_buf()?.starts_with(&MAGIC) {
        true => {
            let unpacked = Utf8Reader::new(MultiGzDecoder::new(input));
            Box::new(BufReader::with_capacity(CHUNK, unpacked))
        }
        false => Box::new(BufReader::with_capacity(CHUNK, Utf8Reader::new(input))),
    })
}

/// Compresses what `fill` writes. The same bytes give the same file on every platform: it holds no time
/// and no name.
///
/// # Errors
/// The error of `fill`, or when the output can't be written.
pub fn packed<W: Write, E: From<io::Error>>(
    out: W,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<W, E> {
    let mut encoder = GzEncoder::new(out, Compression::best());
    fill(&mut encoder)?;
    Ok(encoder.finish()?)
}

impl Record {
    /// The record's file, compressed.
    ///
    /// # Errors
    /// When one of the record's numbers is not finite.
    pub fn to_gzip(&self) -> Result<Vec<u8>, RecordError> {
        packed(Vec::new(), |out| self.write(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    const VERSION_1: &str = include_str!("../tests/data/record_v1.json");

    fn read(bytes: &[u8], limits: &Limits) -> Result<Record, RecordError> {
        let input = unpacked(bytes).map_err(|error| RecordError::Io(error.to_string()))?;
        Record::read_whole(input, limits)
    }

    #[test]
    fn a_compressed_record_reads_as_the_plain_one() {
        let record = Record::from_json(VERSION_1).unwrap();
        let packed = record.to_gzip().unwrap();
        assert_eq!(packed, record.to_gzip().unwrap());
        let mut text = String::new();
        unpacked(&packed[..]).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, record.to_json().unwrap());
        assert!(packed.len() * 3 < VERSION_1.len(), "{} bytes", packed.len());
        assert_eq!(read(&packed, &Limits::PAGE).unwrap(), record);
        assert_eq!(read(VERSION_1.as_bytes(), &Limits::PAGE).unwrap(), record);
    }

    #[test]
    fn a_record_is_read_in_the_encodings_of_other_programs() {
        let record = Record::from_json(VERSION_1).unwrap();
        let marked = format!("\u{feff}{VERSION_1}");
        let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [marked.as_bytes(), &wide] {
            assert_eq!(read(bytes, &Limits::PAGE).unwrap(), record);
        }
    }

    #[test]
    fn limits_count_decompressed_bytes_and_damage_is_an_error() {
        let packed = Record::from_json(VERSION_1).unwrap().to_gzip().unwrap();
        let small = Limits { bytes: packed.len() as u64 + 1, ..Limits::PAGE };
        assert!(matches!(read(&packed, &small), Err(RecordError::TooLarge { .. })));
        assert!(read(&packed[..packed.len() / 2], &Limits::PAGE).is_err());
        assert!(matches!(read(&[], &Limits::PAGE), Err(RecordError::Shape(_))));
    }
}
