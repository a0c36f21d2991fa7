//! Tokenizes text into words, numbers and the punctuation that ends a clause.

use crate::text::thesaurus::PHRASES;
use unicode_normalization::UnicodeNormalization;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A lower-case word without apostrophes.
    Word {
        /// The word.
        text: String,
        /// Whether it was capitalised inside a sentence.
        capital: bool,
    },
    /// Any token with a digit: `19:30`, `4th`, `1,250.5`, `R-5203`.
    Number(String),
    /// A comma, semicolon, colon, dash or bracket.
    Pause,
    /// A full stop, question or exclamation mark.
    Stop,
}

impl Token {
    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Token::Word { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// Tokenizes a text and replaces [`PHRASES`].
pub fn tokens(text: &str) -> Vec<Token> {
    let text = without_accents(text).replace('’', "'").replace("a.m.", "am").replace("p.m.", "pm");
    let mut tokens = Vec::new();
    for chunk in text.split_whitespace() {
        if chunk.contains('@') || chunk.contains("://") {
            let address = chunk.trim_matches(|c: char| ".,;:!?()\"'".contains(c));
            tokens.push(Token::Word { text: address.to_lowercase(), capital: false });
        } else {
            cut(chunk, &mut tokens);
        }
    }
    let mut tokens = with_phrases(tokens);
    mark_capitals(&mut tokens);
    tokens
}

/// `cafe` for `café`.
fn without_accents(text: &str) -> String {
    text.nfd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).collect()
}

/// Tokenizes a chunk without whitespace.
fn cut(chunk: &str, tokens: &mut Vec<Token>) {
    let letters: Vec<char> = chunk.chars().collect();
    let mut run = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let next = letters.get(at + 1);
        let joins = next.is_some_and(|next| joins(&run, *letter, *next));
        if letter.is_alphanumeric() || (!run.is_empty() && joins) {
            run.push(*letter);
            continue;
        }
        flush(&mut run, tokens);
        match letter {
            '.' | '!' | '?' | '…' => tokens.push(Token::Stop),
            ',' | ';' | ':' | '(' | ')' | '–' | '—' => tokens.push(Token::Pause),
            '%' => tokens.push(word("percent")),
            '€' => tokens.push(word("euro")),
            '$' => tokens.push(word("dollar")),
            '£' => tokens.push(word("pound")),
            '°' => tokens.push(word("degree")),
            _ => {}
        }
    }
    flush(&mut run, tokens);
}

/// Whether a punctuation mark is part of a token: an apostrophe between letters, a mark between
/// digits, a hyphen before a digit.
fn joins(run: &str, mark: char, next: char) -> bool {
    let before = run.chars().next_back().unwrap_or(' ');
    match mark {
        '\'' => before.is_alphabetic() && next.is_alphabetic(),
        '.' | ',' | ':' | '/' => before.is_ascii_digit() && next.is_ascii_digit(),
        '-' => next.is_ascii_digit() && before.is_alphanumeric(),
        _ => false,
    }
}

fn flush(run: &mut String, tokens: &mut Vec<Token>) {
    if run.is_empty() {
        return;
    }
    let run = std::mem::take(run);
    if run.chars().any(|c| c.is_ascii_digit()) {
        tokens.push(Token::Number(run.to_lowercase()));
        return;
    }
    let capital = run.chars().next().is_some_and(char::is_uppercase);
    let text = run.to_lowercase();
    let text = text.strip_suffix("'s").unwrap_or(&text);
    if let Some(verb) = text.strip_suffix("n't") {
        if verb != "ca" && verb != "wo" {
            tokens.push(word(verb));
        }
        tokens.push(word("not"));
    } else {
        tokens.push(Token::Word { text: text.replace('\'', ""), capital });
    }
}

fn word(text: &str) -> Token {
    Token::Word { text: text.to_owned(), capital: false }
}

/// Replaces [`PHRASES`] by their one-word equivalents.
fn with_phrases(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let found = PHRASES.iter().find_map(|(phrase, meaning)| {
            let length = length_of(phrase, &tokens[at..])?;
            Some((length, *meaning))
        });
        match found {
            Some((length, meaning)) => {
                if !meaning.is_empty() {
                    out.push(word(meaning));
                }
                at += length;
            }
            None => {
                out.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// The length of a phrase in tokens, if `tokens` start with it. `don't` is two tokens.
fn length_of(phrase: &str, tokens: &[Token]) -> Option<usize> {
    let mut length = 0;
    for part in phrase.split(' ') {
        let parts: &[&str] = if part == "don't" { &["do", "not"] } else { &[part] };
        for part in parts {
            if tokens.get(length)?.word() != Some(part) {
                return None;
            }
            length += 1;
        }
    }
    Some(length)
}

/// Keeps capitals only where they mark names: not at the start of a sentence, nor in titles, where
/// half of the words have one.
fn mark_capitals(tokens: &mut [Token]) {
    let (mut words, mut capitals) = (0, 0);
    let mut starts = true;
    for token in tokens.iter_mut() {
        match token {
            Token::Word { capital, .. } => {
                if starts {
                    *capital = false;
                } else {
                    words += 1;
                    capitals += usize::from(*capital);
                }
                starts = false;
            }
            Token::Number(_) => starts = false,
            Token::Stop => starts = true,
            Token::Pause => {}
        }
    }
    if 2 * capitals > words {
        for token in tokens {
            if let Token::Word { capital, .. } = token {
                *capital = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let show = |token: Token| match token {
            Token::Word { text, capital: true } => format!("^{text}"),
            Token::Word { text, .. } => text,
            Token::Number(text) => format!("#{text}"),
            Token::Pause => ",".to_owned(),
            Token::Stop => ".".to_owned(),
        };
        tokens(text).into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_are_cut_into_words_numbers_and_pauses() {
        assert_eq!(
            written("I can't meet Grandma's vet at 19:30 on 2024-06-04, sorry."),
            "i not meet ^grandma vet at #19:30 on #2024-06-04 , sorry ."
        );
        assert_eq!(
            written("Don't forget to pick up R-5203 (wi-fi)!"),
            "collect #r-5203 , wi fi , ."
        );
        assert_eq!(written("It's 20% or 1,250.5€"), "it #20 percent or #1,250.5 euro");
        assert_eq!(written("mail a.b@c.example."), "mail a.b@c.example");
        assert_eq!(written("Reef Film Deal"), "reef film deal");
        assert_eq!(written("at the café with Seán"), written("at the cafe with Sean"));
    }
}
