//! Why a header can't be read.

use thiserror::Error;

/// The longest header that is read, in bytes. The largest vocabularies need 16 MB.
pub const MOST_HEADER_BYTES: u64 = 96 << 20;

/// Why a header can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// More of the file is needed: at least its first `needed` bytes.
    #[error("the header goes on beyond the first {needed} bytes")]
    Incomplete {
        /// Bytes from the beginning of the file.
        needed: u64,
    },
    /// The file does not start with `GGUF`.
    #[error(
        "this is not a GGUF file: it does not start with the letters GGUF. Choose a file whose name ends in .gguf"
    )]
    Magic,
    /// The version is not supported.
    #[error("version: expected GGUF 2 or 3, got {0}; convert the model with a current llama.cpp")]
    Version(u32),
    /// The file ends inside the header.
    #[error("{field}: the file ends here; it is incomplete, so download it again")]
    CutOff {
        /// The field that is cut off.
        field: String,
    },
    /// The file ends before the last tensor.
    #[error(
        "tensors: the file should have {expected} bytes but has {actual}; it is incomplete, so download it again"
    )]
    Short {
        /// Bytes that the tensors need.
        expected: u64,
        /// Bytes of the file.
        actual: u64,
    },
    /// A count or length is out of range.
    #[error("{field}: expected a count of at most {most}, got {count}; the file is damaged")]
    TooMany {
        /// The field.
        field: String,
        /// The count found.
        count: u64,
        /// The limit.
        most: u64,
    },
    /// A value has an unknown type.
    #[error("{field}: unknown value type {kind}; the file is damaged")]
    Type {
        /// The field.
        field: String,
        /// The type found.
        kind: u32,
    },
    /// The header is too long.
    #[error("the header has more than {MOST_HEADER_BYTES} bytes; the file is damaged")]
    TooLong,
    /// A field that every model has is missing.
    #[error("{0}: this field is missing; the file holds no language model")]
    Missing(&'static str),
}
