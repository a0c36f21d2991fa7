//! Escapes texts for HTML and SVG.

/// A text for HTML and SVG, as content or in an attribute. Characters that XML forbids are replaced:
/// one of them would make a picture unreadable.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c if c.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn no_character_opens_markup_or_breaks_xml() {
        let hostile = "<b a='1' c=\"2\">&amp;\u{0}\u{b}\r\u{ffff}\n</b>";
        let expected = "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;\u{fffd}\u{fffd}\u{fffd}\u{fffd}\n&lt;/b&gt;";
        assert_eq!(escape(hostile), expected);
    }
}
