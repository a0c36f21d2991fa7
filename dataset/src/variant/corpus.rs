//! What a variant's values are found in: the pack's files as JSON.

use crate::error::PackError;
use crate::pack::values;
use serde_json::Value;
use std::collections::BTreeSet;

/// The tables that state facts about the world. Who is named there is no person of the pack.
const FACTS: [&str; 8] =
    ["Dictionary", "Flight", "History", "Place", "SearchEngine", "Symptom", "Translation", "Wiki"];

/// The pack's files, parsed.
#[derive(Debug)]
pub(super) struct Corpus {
    /// Path and JSON values: one, or one per line.
    pub(super) files: Vec<(String, Vec<Value>)>,
}

/// A string of the corpus, with what says what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    /// The file's table; empty for a dialogue.
    pub(super) table: &'a str,
    /// Nesting below the file's top: keys and values of a table's top level have 1.
    pub(super) depth: usize,
    /// The field; for an item of a list, that of the list; empty for a key.
    pub(super) field: &'a str,
    /// The string.
    pub(super) text: &'a str,
}

impl Found<'_> {
    /// Whether it is the key of a row.
    pub(super) fn is_row(&self) -> bool {
        !self.table.is_empty() && self.depth == 1 && self.field.is_empty()
    }

    /// Whether a table of facts has it.
    pub(super) fn is_fact(&self) -> bool {
        FACTS.contains(&self.table)
    }
}

impl Corpus {
    /// # Errors
    /// The first file that is not JSON.
    pub(super) fn read(files: &[(&str, &str)]) -> Result<Self, PackError> {
        let read = |(path, text): &(&str, &str)| Ok(((*path).to_owned(), values(path, text)?));
        Ok(Corpus { files: files.iter().map(read).collect::<Result<_, PackError>>()? })
    }

    /// Calls `see` with every string of databases and dialogues, keys included.
    pub(super) fn each<'a>(&'a self, see: &mut dyn FnMut(Found<'a>)) {
        for (path, values) in &self.files {
            let table = path.strip_prefix("databases/").and_then(|it| it.strip_suffix(".json"));
            if path == "manifest.json" {
                continue;
            }
            let top = Found { table: table.unwrap_or_default(), depth: 0, field: "", text: "" };
            values.iter().for_each(|value| visit(value, top, see));
        }
    }

    /// A table of the databases.
    pub(super) fn table(&self, name: &str) -> Option<&Value> {
        let path = format!("databases/{name}.json");
        self.files.iter().find(|(it, _)| *it == path)?.1.first()
    }

    /// The words that stand somewhere in small letters, alone between blanks or punctuation.
    pub(super) fn ordinary(&self) -> BTreeSet<&str> {
        let mut ordinary = BTreeSet::new();
        self.each(&mut |found| {
            let words = found.text.split_whitespace().map(bare);
            ordinary.extend(
                words.filter(|word| !word.is_empty() && word.chars().all(char::is_lowercase)),
            );
        });
        ordinary
    }
}

/// A word without the punctuation around it.
pub(super) fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

fn visit<'a>(value: &'a Value, at: Found<'a>, see: &mut dyn FnMut(Found<'a>)) {
    match value {
        Value::String(text) => see(Found { text, ..at }),
        Value::Array(items) => items.iter().for_each(|item| visit(item, at, see)),
        Value::Object(fields) => {
            let depth = at.depth + 1;
            // The holder of a bank account has a field that devices and scenes have too.
            let holder = fields.contains_key("account");
            for (key, value) in fields {
                see(Found { depth, field: "", text: key, ..at });
                let field = if holder && key == "name" { "holder" } else { key };
                visit(value, Found { depth, field, ..at }, see);
            }
        }
        _ => {}
    }
}
