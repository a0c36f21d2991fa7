//! Names of tools as templates decorate them.

use super::Known;

/// Words that templates put behind a name.
const BEHIND: [&str; 11] = [
    "channel",
    "commentary",
    "constrain",
    "json",
    "final",
    "analysis",
    "message",
    "call",
    "start",
    "assistant",
    "end",
];

/// Letters of a name.
pub(super) fn in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A name without namespace, number and tokens of a template, if that is the name of an API:
/// `functions.Name:0`, `Name<|channel|>commentary`. Otherwise as written.
pub(in crate::call) fn cleaned(name: &str, known: Known<'_>) -> String {
    if known(name) {
        return name.to_owned();
    }
    let parts = name.split(|letter| !in_name(letter)).flat_map(|part| part.split("__"));
    let parts = parts.map(|part| {
        let bare = ["functions_", "function_", "default_api_", "tools_", "tool_", "api_"];
        bare.iter().find_map(|prefix| part.strip_prefix(prefix)).unwrap_or(part)
    });
    let behind = |part: &str| {
        part.is_empty() || part.bytes().all(|byte| byte.is_ascii_digit()) || BEHIND.contains(&part)
    };
    let parts: Vec<&str> = parts.collect();
    let last = parts.iter().rev().find(|part| !behind(part));
    match last {
        Some(last) if known(last) => (*last).to_owned(),
        _ => name.to_owned(),
    }
}

/// Whether a text can name a tool.
pub(super) fn is_plausible(name: &str) -> bool {
    let fits = |letter: char| in_name(letter) || matches!(letter, '.' | '-' | '/' | ':');
    (1..=96).contains(&name.len())
        && name.chars().all(fits)
        && name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}
