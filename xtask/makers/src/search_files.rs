//! Generates the site's API Search files with the engine's code. `cargo xtask` runs it
//! (`xtask/src/search.rs`).

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use apis::search;
use clap::Parser;
use dataset::Turn;
use retrieval::{Encoder, Index, quantize};

#[derive(Debug, Parser)]
enum Task {
    /// Quantize the published ONNX file.
    Model {
        /// The ONNX file to read.
        onnx: PathBuf,
        /// The ONNX file to write.
        out: PathBuf,
    },
    /// Embed the search text of every API, and rank the users' words of the built-in dialogues.
    Vectors {
        /// The quantized ONNX file to read.
        model: PathBuf,
        /// The vocabulary, one word piece a line.
        vocab: PathBuf,
        /// The index to write.
        out: PathBuf,
    },
}

fn main() -> Result<()> {
    match Task::parse() {
        Task::Model { onnx, out } => write(&out, &quantize(&read(&onnx)?)?),
        Task::Vectors { model, vocab, out } => {
            let encoder = Encoder::load(&read(&model)?, &read_text(&vocab)?)?;
            let texts = search::texts();
            let texts = texts.iter().map(|(suite, name, text)| (*suite, *name, text.as_str()));
            let mut index = Index::build(&encoder, texts)?.rounded();
            // The keyword baseline searches with the user's words.
            let pack = dataset::builtin()?;
            let said = pack.dialogues.iter().chain(&pack.hard).flat_map(|dialogue| {
                let suite = dialogue.ability.suite().as_str();
                dialogue.turns.iter().filter_map(move |turn| match turn {
                    Turn::User { text } => Some((suite, text.as_str())),
                    _ => None,
                })
            });
            index.remember(&encoder, said.collect::<BTreeSet<_>>())?;
            write(&out, &index.to_bytes())
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("can't read {}", file.display()))
}

fn read_text(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(file, bytes).with_context(|| format!("can't write {}", file.display()))
}
