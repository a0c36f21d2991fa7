//! Checks the catalogues against the source: no missing or unused entries, equal placeholders.

use super::Catalogue;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The texts of the source with their files: every literal of `t!` and `english!`.
fn texts_of_source() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    list(&root, &mut files);
    let mut texts = BTreeMap::new();
    for file in files.iter().filter(|file| !file.starts_with(root.join("texts"))) {
        let source = fs::read_to_string(file).expect("a source file is text");
        let calls = ["t!(", "english!("].into_iter().flat_map(|call| {
            let ends = source.match_indices(call).map(move |(at, _)| (at, at + call.len()));
            ends.filter(|(at, _)| {
                let before = source[..*at].chars().next_back();
                !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
            })
        });
        for (_, end) in calls {
            let after = source[end..].trim_start();
            let after = after.strip_prefix("texts,").unwrap_or(after).trim_start();
            let text = literal(after)
                .unwrap_or_else(|| panic!("{}: t! takes a literal: {:.60}", file.display(), after));
            texts.insert(text, file.display().to_string());
        }
    }
    texts
}

fn list(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("the source folder is readable") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
        }
    }
}

/// The string literal at the start of Rust source.
fn literal(source: &str) -> Option<String> {
    let mut chars = source.strip_prefix('"')?.chars().peekable();
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => match chars.next()? {
                'n' => text.push('\n'),
                '\n' => while chars.next_if(|it| it.is_whitespace()).is_some() {},
                'u' => {
                    let code: String = chars.by_ref().skip(1).take_while(|it| *it != '}').collect();
                    text.push(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)?);
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
}

/// The names in braces, with repetitions.
fn placeholders(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = text
        .split('{')
        .skip(1)
        .filter_map(|after| after.split_once('}').map(|(name, _)| name))
        .collect();
    names.sort_unstable();
    names
}

fn catalogue(name: &str) -> Catalogue {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/texts").join(name);
    serde_json::from_str(&fs::read_to_string(file).expect("a catalogue")).expect("a flat object")
}

#[test]
fn the_chinese_catalogue_is_complete() {
    let chinese = catalogue("zh-Hans.json");
    let source = texts_of_source();
    assert!(source.len() > 500, "only {} texts were found in the source", source.len());
    let elsewhere: BTreeSet<&str> = super::elsewhere::texts().into_iter().collect();
    let mut wrong = Vec::new();
    for (text, file) in &source {
        if !chinese.contains_key(text) {
            wrong.push(format!("{file}: no translation of {text:?}"));
        }
    }
    for text in &elsewhere {
        if !chinese.contains_key(*text) {
            wrong.push(format!("no translation of {text:?}, which is in another crate"));
        }
    }
    for (english, translation) in &chinese {
        if !source.contains_key(english) && !elsewhere.contains(english.as_str()) {
            wrong.push(format!("translated but unused: {english:?}"));
        }
        let braces = placeholders(english) == placeholders(translation);
        if !braces || translation.trim().is_empty() {
            wrong.push(format!("{english:?} and {translation:?} have different placeholders"));
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn literals_are_parsed_as_in_rust() {
    let read = |source| literal(source).expect("a literal");
    assert_eq!(read("\"a \\\"b\\\" \\u{2013} c\\\n      d\", x"), "a \"b\" – cd");
    assert!(literal("name)").is_none());
}
