//! Shortens texts for error messages.

/// Truncates a text to `limit` characters and an ellipsis.
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
