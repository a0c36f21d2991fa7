//! Texts with slots: `{name}` of lower-case letters. Everything else in braces is text.

/// A part of a text between slots, or a slot.
enum Piece<'a> {
    Text(&'a str),
    Slot(&'a str),
}

fn pieces(mut text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let inside = &text[open + 1..];
        let length = inside.bytes().take_while(u8::is_ascii_lowercase).count();
        if length > 0 && inside[length..].starts_with('}') {
            pieces.push(Piece::Text(&text[..open]));
            pieces.push(Piece::Slot(&inside[..length]));
            text = &inside[length + 1..];
            from = 0;
        } else {
            from = open + 1;
        }
    }
    pieces.push(Piece::Text(text));
    pieces
}

/// The names of a text's slots, in order.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Slot(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// A text with its slots filled in one pass: a value is never taken for a slot; a slot without a value stays as it stands.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Slot(name) => match values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => out.push_str(value),
                None => {
                    out.push('{');
                    out.push_str(name);
                    out.push('}');
                }
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_filled_once_and_other_braces_stay() {
        let filled = fill("{a}{b} {c} {\"x\": {a}} {}", &[("a", "{b}"), ("b", "2")]);
        assert_eq!(filled, "{b}2 {c} {\"x\": {b}} {}");
    }
}
