//! Templates with slots: `{name}`, in lower-case ASCII letters. Anything else in braces is text.

/// A slot, or the text between two slots.
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

/// The names of a template's slots, in order.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Slot(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// Fills a template in one pass, so that values may contain braces. A slot without a value stays
/// unchanged.
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
    fn slots_are_filled_in_one_pass_and_other_braces_stay() {
        let filled = fill("{a}{b} {c} {\"x\": {a}} {}", &[("a", "{b}"), ("b", "2")]);
        assert_eq!(filled, "{b}2 {c} {\"x\": {b}} {}");
    }
}
