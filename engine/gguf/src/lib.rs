//! The header of a GGUF file: what a model is, before it is loaded.
//!
//! Must not know endpoints, requests or the browser. Reads versions 2 and 3, little-endian, as in
//! <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>. The file is untrusted: counts and
//! lengths are limited, and nothing panics.
//!
//! | file | contents |
//! |---|---|
//! | `architectures` | what the engine runs |
//! | `bytes` | the primitives of the format, bounded |
//! | `error` | why a header can't be read |
//! | `header` | metadata and tensor list of one file |
//! | `types` | names of quantizations, sizes of tensor types |
//! | `model` | a model of one or more files: split parts, memory, what can't be loaded |
//! | `tiny` | a model of random weights, for tests |

mod architectures;
mod bytes;
mod error;
mod header;
mod model;
#[cfg(feature = "tiny")]
pub mod tiny;
mod types;

pub use architectures::architectures;
pub use error::{HeaderError, MOST_HEADER_BYTES};
pub use header::{Header, SpecialTokens, Split, read};
pub use model::{MOST_FILE_BYTES, MOST_MEMORY_BYTES, Model, ModelError};
