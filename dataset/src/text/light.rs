//! Words of generated dialogues, which are checked less strictly: a shorter stop list and lighter stems.

use apis::text::words::without_ending;

/// Words without content. It has `your`, and the `s` that [`separated_words`] splits off.
const FUNCTION_WORDS: [&str; 28] = [
    "a", "an", "the", "of", "for", "to", "in", "on", "at", "and", "or", "with", "by", "from", "is",
    "are", "be", "my", "your", "his", "her", "their", "our", "it", "this", "that", "as", "s",
];

/// Suffixes that [`light_stem`] strips; the first match wins.
const ENDINGS: [&str; 8] = ["ing", "ies", "ied", "es", "ed", "s", "e", "y"];

/// Lower-case words of a text, also split at apostrophes: `don't` is `don` and `t`.
pub fn separated_words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Strips one common suffix. Unlike [`super::words::stem`] it keeps `-ion` and strips once:
/// `translation` and `translate` differ.
pub fn light_stem(word: &str) -> &str {
    without_ending(word, &ENDINGS)
}

/// As [`super::words::is_content`], by the shorter stop list: most pronouns, auxiliaries and question
/// words carry content.
pub fn is_content_or_pronoun(word: &str) -> bool {
    !FUNCTION_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::words::is_content;
    use super::*;

    #[test]
    fn apostrophes_separate_words() {
        assert_eq!(separated_words("Don't, İda’s 2nd"), ["don", "t", "i", "da", "s", "2nd"]);
        assert!(is_content("your") && !is_content_or_pronoun("your"));
        assert!(!is_content("she") && is_content_or_pronoun("she"));
    }

    #[test]
    fn a_light_stem_loses_one_suffix() {
        assert_eq!(light_stem("families"), light_stem("family"));
        assert_ne!(light_stem("translation"), light_stem("translate"));
    }
}
