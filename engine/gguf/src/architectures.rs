//! The architectures that the pinned engine runs as language models, without punctuation: llama.cpp
//! b11364, in wllama 3.8.1. `cargo test -p xtask` compares them with the engine's program.

/// Every architecture.
pub fn architectures() -> impl Iterator<Item = &'static str> {
    include_str!("architectures.txt").lines()
}

/// Whether the engine knows an architecture; files spell `gpt-oss` and `ernie4_5`.
pub(crate) fn is_known(architecture: &str) -> bool {
    let plain: String = architecture.chars().filter(|it| it.is_ascii_alphanumeric()).collect();
    architectures().any(|it| it == plain)
}
