//! Words, stems, stop words and sentences of English text.

/// Words without content: they ground no text.
const FUNCTION_WORDS: [&str; 72] = [
    "a", "about", "after", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but",
    "by", "can", "could", "did", "do", "does", "for", "from", "get", "had", "has", "have", "he",
    "her", "his", "how", "i", "if", "in", "is", "it", "its", "may", "me", "much", "must", "my",
    "no", "not", "of", "on", "or", "our", "she", "should", "so", "some", "than", "that", "the",
    "their", "them", "then", "there", "they", "this", "to", "us", "was", "we", "what", "when",
    "where", "which", "who", "will", "with", "you",
];

/// Inflectional suffixes, longest first.
const ENDINGS: [&str; 7] = ["ions", "ion", "ings", "ing", "ies", "ed", "s"];
/// Minimum letters of a stem.
const SHORTEST_STEM: usize = 3;

/// Lower-case words of a text: runs of letters and digits; apostrophes inside a word are dropped.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        } else if !matches!(letter, '\'' | '’') && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Normalizes a name to lower-case letters and digits, so that spellings compare equal.
pub fn plain(text: &str) -> String {
    plain_letters(text).collect()
}

/// The letters of [`plain`], to compare a name without storing it.
pub fn plain_letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Strips inflectional suffixes; keeps at least three letters.
pub fn stem(word: &str) -> &str {
    without_ending(without_ending(word, &ENDINGS), &["e", "y", "i"])
}

/// Strips the first of the endings that leaves at least three letters.
pub fn without_ending<'a>(word: &'a str, endings: &[&str]) -> &'a str {
    let cut = endings.iter().find_map(|ending| {
        let rest = word.strip_suffix(ending)?;
        (rest.chars().count() >= SHORTEST_STEM).then_some(rest)
    });
    cut.unwrap_or(word)
}

/// Whether a word carries content.
pub fn is_content(word: &str) -> bool {
    !FUNCTION_WORDS.contains(&word)
}

/// Whether `whole` contains the words of `part` consecutively.
pub fn contains(whole: &[String], part: &[String]) -> bool {
    !part.is_empty() && whole.windows(part.len()).any(|window| window == part)
}

/// Sentences of a text, split at full stops, question and exclamation marks that end a word.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let ends = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(letter, '.' | '?' | '!') && ends {
            sentences.push(text[start..=at].trim());
            start = at + 1;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !words(sentence).is_empty());
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_whole() {
        assert_eq!(
            words("Don't e-mail ÇA at 19:30!"),
            ["dont", "e", "mail", "ça", "at", "19", "30"]
        );
        assert!(contains(&words("the old boat shed"), &words("Boat shed")));
        assert!(!contains(&words("the old boathouse"), &words("boat")));
        assert!(!contains(&words("anything"), &[]));
    }

    #[test]
    fn inflected_forms_share_a_stem() {
        for pair in [("meetings", "meeting"), ("translation", "translate"), ("cities", "city")] {
            assert_eq!(stem(pair.0), stem(pair.1), "{pair:?}");
        }
        assert_eq!(stem("bus"), "bus");
        assert_ne!(stem("alarm"), stem("agenda"));
    }

    #[test]
    fn a_decimal_point_ends_no_sentence() {
        assert_eq!(sentences("It is 4.5 m. Right? yes"), ["It is 4.5 m.", "Right?", "yes"]);
        assert!(sentences(" ... ").is_empty());
    }
}
