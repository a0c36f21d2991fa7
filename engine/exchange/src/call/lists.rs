//! Handles quoted lists, which are common in the original's prompts and gold calls.

use apis::literal::Reader;
use std::borrow::Cow;

/// Removes quotes around lists: in the original's `attendees='['A', 'B']'` the quotes of the items
/// would end the argument.
pub fn unquoted_lists(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices("=") {
        let open = at + 1 + (text[at + 1..].len() - text[at + 1..].trim_start().len());
        let Some(quote) = text[open..].chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            continue;
        };
        let list = open + 1;
        if at < copied || !text[list..].starts_with('[') {
            continue;
        }
        let mut reader = Reader::new(text, list);
        let ends = |rest: &str| rest.trim_start().starts_with([',', ')']);
        if reader.value(0).is_ok() && text[reader.at..].strip_prefix(quote).is_some_and(ends) {
            out.push_str(&text[copied..open]);
            out.push_str(&text[list..reader.at]);
            copied = reader.at + quote.len_utf8();
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_around_lists_are_removed() {
        for (text, expected) in [
            ("[A(b='['x', 'y']', c='z')]", "[A(b=['x', 'y'], c='z')]"),
            ("[A(b=\"[{'n': 'it', 'v': 1}]\")]", "[A(b=[{'n': 'it', 'v': 1}])]"),
            ("[A(b='[x', c='y]')]", "[A(b='[x', c='y]')]"),
            ("[A(b='plain = text')] ='", "[A(b='plain = text')] ='"),
            ("=é='", "=é='"),
        ] {
            assert_eq!(unquoted_lists(text), expected);
        }
    }
}
