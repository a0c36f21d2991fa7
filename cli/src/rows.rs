//! JSON lines in and out; an invalid row does not affect the others.

use crate::shown::tell;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A row with its line number.
pub(crate) struct JsonRow {
    /// Line number in the file, from 1.
    pub(crate) line: usize,
    /// The row's fields, or why it is invalid.
    pub(crate) fields: Result<Map<String, Value>, String>,
}

/// Parses JSON lines; blank lines are skipped.
pub(crate) fn read(bytes: &[u8]) -> Vec<JsonRow> {
    // A file that is no text has rows that are no JSON.
    let text = dataset::encoding::utf8(bytes).unwrap_or(Cow::Borrowed(bytes));
    text.split(|byte| *byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(index, line)| {
            let fields = serde_json::from_slice(line)
                .map_err(|error| format!("expected a JSON object, got something else: {error}"));
            JsonRow { line: index + 1, fields }
        })
        .collect()
}

/// A row's string field.
pub(crate) fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("{name}: expected a text, got {other}")),
        None => Err(format!("{name}: the field is missing")),
    }
}

/// A row's field as a whole number.
pub(crate) fn number(fields: &Map<String, Value>, name: &str) -> Result<usize, String> {
    match fields.get(name) {
        Some(value) => value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| format!("{name}: expected a whole number from 0, got {value}")),
        None => Err(format!("{name}: the field is missing")),
    }
}

/// Output rows as JSON lines; errors are also printed to standard error.
#[derive(Default)]
pub(crate) struct Output {
    /// The lines so far.
    pub(crate) text: String,
    /// The number of rows with an error.
    pub(crate) errors: usize,
}

impl Output {
    /// Appends a row: its own fields, then `added`.
    pub(crate) fn row(&mut self, fields: &Map<String, Value>, added: Map<String, Value>) {
        let mut fields = fields.clone();
        fields.extend(added);
        self.text.push_str(&Value::Object(fields).to_string());
        self.text.push('\n');
    }

    /// Appends an unusable row with the reason.
    pub(crate) fn error(&mut self, row: &JsonRow, reason: &str) {
        tell!("line {}: {reason}", row.line);
        self.errors += 1;
        let fields = row.fields.as_ref().ok().cloned().unwrap_or_default();
        let added = json!({"line": row.line, "error": reason});
        self.row(&fields, added.as_object().cloned().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_lines_keep_their_place() {
        let rows = read(b"{\"a\": 1}\r\n\n[2]\n{\"a\": \xff}\n{\"a\": 3}");
        let lines: Vec<(usize, bool)> =
            rows.iter().map(|row| (row.line, row.fields.is_ok())).collect();
        assert_eq!(lines, [(1, true), (3, false), (4, false), (5, true)]);
    }

    #[test]
    fn fields_are_named_in_messages() {
        let fields = json!({"n": -1, "t": 4}).as_object().unwrap().clone();
        assert_eq!(number(&fields, "n").unwrap_err(), "n: expected a whole number from 0, got -1");
        assert_eq!(text(&fields, "t").unwrap_err(), "t: expected a text, got 4");
        assert_eq!(text(&fields, "u").unwrap_err(), "u: the field is missing");
    }
}
