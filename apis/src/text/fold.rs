//! Folding: texts that differ in case, accents or punctuation alone are equal.

use jiff::fmt::strtime;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters whose accent is no combining mark.
const LETTERS: [(char, &str); 10] = [
    ('ı', "i"),
    ('ø', "o"),
    ('ł', "l"),
    ('đ', "d"),
    ('ð', "d"),
    ('þ', "th"),
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('’', "'"),
];

/// A text in lower case and without accents or outer blanks; its punctuation stays.
pub fn unaccented(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.trim().to_lowercase().nfd().filter(|letter| !is_combining_mark(*letter)) {
        match LETTERS.iter().find(|(from, _)| *from == letter) {
            Some((_, to)) => out.push_str(to),
            None => out.push(letter),
        }
    }
    out
}

/// Words without content: articles, pronouns, auxiliaries, most prepositions and conjunctions.
const STOP_WORDS: &str = "a about above again all also am an and any are around as at be because \
    been being below between both but by can could did do does during each for from get got had \
    has have he her here him his how i if in into is it its just may me might must my near no not of \
    on onto or our over own per please shall she should since so some still than that the \
    their them then there these they this those through to too under until us very was we were what \
    when where which while who why will with within would you your";

/// Whether a token carries content.
pub fn is_content(token: &str) -> bool {
    !STOP_WORDS.split_whitespace().any(|word| word == token)
}

/// The folded words and numbers of a text. `1,250.50` is `1250.5`, `07:30:00` is `7:30`, `5km` is `5`
/// and `km`, `4th` is `4`, `thirty-one` is `31`; the ending after an apostrophe is dropped, and `n't` is the word `not`.
pub fn tokens(text: &str) -> Vec<String> {
    let letters: Vec<char> = unaccented(text).chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let from = at;
        if is_date(&letters[at..]) {
            at += DATE;
            tokens.push(letters[from..at].iter().collect());
        } else if letter.is_ascii_digit() {
            while number_goes_on(&letters, at) {
                at += 1;
            }
            at += 1;
            tokens.push(number(&letters[from..at]));
        } else if letter.is_alphabetic() {
            while letters.get(at).is_some_and(|it| it.is_alphabetic() || *it == '\'') {
                at += 1;
            }
            let text: String = letters[from..at].iter().collect();
            let ordinal = from > 0 && letters[from - 1].is_ascii_digit();
            if !(ordinal && matches!(text.as_str(), "st" | "nd" | "rd" | "th")) {
                word(&text, &mut tokens);
            }
        } else {
            at += 1;
        }
    }
    in_digits(&tokens)
}

/// Tokens with numbers in digits. `one` alone stays a word: it is a pronoun, too.
fn in_digits(words: &[String]) -> Vec<String> {
    let mut tokens = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match spoken(&words[at..]).filter(|(_, length)| *length > 1 || word != "one") {
            Some((value, length)) => {
                tokens.push(value.to_string());
                at += length;
            }
            None => {
                tokens.push(word.clone());
                at += 1;
            }
        }
    }
    tokens
}

/// Cardinals up to nineteen, in their order.
const SMALL: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen \
    fourteen fifteen sixteen seventeen eighteen nineteen";
/// Round numbers below a hundred.
pub const TENS: [(&str, f64); 8] = [
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
];

/// Cardinals of one word, with their values.
pub fn cardinals() -> impl Iterator<Item = (&'static str, f64)> {
    SMALL.split(' ').zip((0_u8..).map(f64::from)).chain(TENS)
}

/// The value of a one-word cardinal below a hundred: `seven`, `forty`.
pub fn cardinal(word: &str) -> Option<f64> {
    cardinals().find(|(name, _)| *name == word).map(|(_, value)| value)
}

/// A number in words at the beginning, and how many words it has: `two hundred and ten`.
fn spoken(words: &[String]) -> Option<(f64, usize)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let below_hundred = |at: usize| {
        let value = cardinal(word(at))?;
        let unit = cardinal(word(at + 1)).filter(|it| value >= 20.0 && (1.0..10.0).contains(it));
        Some(unit.map_or((value, 1), |unit| (value + unit, 2)))
    };
    let scale = |at: usize| match word(at) {
        "hundred" => Some(100.0),
        "thousand" => Some(1000.0),
        _ => None,
    };
    let (mut part, mut at) = match word(0) {
        "a" if scale(1).is_some() => (1.0, 1),
        _ => below_hundred(0)?,
    };
    let mut sum = 0.0;
    while let Some(factor) = scale(at) {
        part *= factor;
        at += 1;
        if factor > 100.0 {
            sum += std::mem::take(&mut part);
        }
        let rest = at + usize::from(word(at) == "and");
        if let Some((value, length)) = below_hundred(rest) {
            at = rest + length;
            // What follows may itself be hundreds: `two thousand five hundred`.
            if scale(at).is_none() || factor > 100.0 {
                part += value;
            }
        }
    }
    Some((sum + part, at))
}

/// The length of a date such as `2024-05-20`.
const DATE: usize = 10;

/// Whether a date in this form comes next: it is one token.
fn is_date(letters: &[char]) -> bool {
    let form = "0000-00-00".chars();
    letters.len() >= DATE
        && letters.iter().zip(form).all(|(letter, form)| match form {
            '0' => letter.is_ascii_digit(),
            _ => *letter == form,
        })
        && !letters.get(DATE).is_some_and(char::is_ascii_digit)
}

/// Whether the number goes on after a place: a digit, or a mark between digits.
fn number_goes_on(letters: &[char], at: usize) -> bool {
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    match letters.get(at + 1) {
        Some('0'..='9') => true,
        Some('.' | ':') => digit(at) && digit(at + 2),
        // Thousands.
        Some(',') => digit(at) && (2..5).all(|ahead| digit(at + ahead)) && !digit(at + 5),
        _ => false,
    }
}

/// A number or a time of day in one form.
fn number(letters: &[char]) -> String {
    let text: String = letters.iter().filter(|letter| **letter != ',').collect();
    match text.split_once(':') {
        Some((hour, rest)) => {
            let hour = hour.trim_start_matches('0');
            let rest = if rest.len() > 2 { rest.trim_end_matches(":00") } else { rest };
            format!("{}:{rest}", if hour.is_empty() { "0" } else { hour })
        }
        None => text.parse::<f64>().map_or(text, |number| number.to_string()),
    }
}

/// Adds a word, without the ending after an apostrophe: `Ann's`, `we're`.
fn word(text: &str, tokens: &mut Vec<String>) {
    let text = text.trim_matches('\'');
    let (stem, negated) = match text.strip_suffix("n't").or_else(|| text.strip_suffix("cannot")) {
        Some(stem) => (stem, true),
        None => (text, false),
    };
    let stem = match stem.rsplit_once('\'') {
        Some((stem, ending)) if ending.len() <= 2 => stem,
        _ => stem,
    };
    if !stem.is_empty() {
        tokens.push(stem.replace('\'', ""));
    }
    if negated {
        tokens.push("not".to_owned());
    }
}

/// Whether a token is a number or a time in digits.
pub fn is_number(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_ascii_digit())
}

/// The value of a number in digits.
pub fn value(token: &str) -> Option<f64> {
    token.parse().ok().filter(|_| is_number(token))
}

/// Words that turn a text into its opposite.
const NEGATIONS: [&str; 7] = ["not", "no", "never", "none", "nobody", "nothing", "without"];

/// Whether a token negates.
pub fn negates(token: &str) -> bool {
    NEGATIONS.contains(&token)
}

/// The tokens that carry content: no stop words, unless they negate.
pub fn content(text: &str) -> Vec<String> {
    tokens(text).into_iter().filter(|token| is_content(token) || negates(token)).collect()
}

/// Whether a token is the name of a weekday or month. `may` is not one.
pub fn is_date_name(token: &str) -> bool {
    is_content(token) && ["%A", "%B"].iter().any(|format| strtime::parse(format, token).is_ok())
}

/// The year, day, weekday and month of a date token.
pub fn date_parts(token: &str) -> Vec<String> {
    let date = token.parse::<jiff::civil::Date>().ok().filter(|_| token.len() == DATE);
    date.map(|date| tokens(&date.strftime("%Y, %-d, %A, %B").to_string())).unwrap_or_default()
}

/// Where a phrase of folded words occurs from a token on: the index after it. Each word is the
/// beginning of a word of the text, or of two written apart (numbers and words of one or two letters:
/// the whole of it); stop words of the text may stand between them.
pub fn phrase_at(text: &[String], from: usize, phrase: &[String]) -> Option<usize> {
    let mut at = from;
    for (index, part) in phrase.iter().enumerate() {
        loop {
            let word = text.get(at)?;
            at += 1;
            if begins(word, part) {
                break;
            }
            // "bee-keeping" is "beekeeping".
            if let Some(next) = text.get(at)
                && word.len() < part.len()
                && part.starts_with(word.as_str())
                && begins(&format!("{word}{next}"), part)
            {
                at += 1;
                break;
            }
            if index == 0 || is_content(word) {
                return None;
            }
        }
    }
    (!phrase.is_empty()).then_some(at)
}

fn begins(word: &str, part: &str) -> bool {
    let whole = is_number(part) || part.chars().count() < 3;
    if whole { word == part } else { word.starts_with(part) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_punctuation_are_folded() {
        for (text, folded) in [
            ("Kovačová's Güneş-Işık, ŁØß!", "kovacova gunes isik loss"),
            ("It's 1,250.50 at 07:30:00 on 2024-05-04", "it 1250.5 at 7:30 on 2024-05-04"),
            (
                "We don't, they can't; O’Hara cannot: 51.6kg.",
                "we do not they ca not ohara not 51.6 kg",
            ),
            ("blood_pressure 122/80, 1,2 and 00:15", "blood pressure 122 80 1 2 and 0:15"),
        ] {
            assert_eq!(tokens(text).join(" "), folded);
        }
        assert_eq!(unaccented(" Éva.Kiss@X.example "), "eva.kiss@x.example");
    }

    #[test]
    fn a_phrase_is_the_beginning_of_words() {
        let text = tokens("Kindly bring it back on the 20th of June, at 6");
        let found = |phrase: &str| {
            (0..text.len()).any(|at| phrase_at(&text, at, &tokens(phrase)).is_some())
        };
        for phrase in ["bring back", "20 June", "6", "kind", "back 20", "at 6", "bringit back"] {
            assert!(found(phrase), "{phrase}");
        }
        for phrase in ["2", "back bring", "kindly 20", "it b", ""] {
            assert!(!found(phrase), "{phrase}");
        }
    }

    #[test]
    fn names_of_dates_are_found() {
        assert!(is_date_name("tuesday") && is_date_name("june"));
        assert!(!is_date_name("may") && !is_date_name("sun") && !is_date_name("cat"));
        assert_eq!(date_parts("2024-05-20"), ["2024", "20", "monday", "may"]);
        assert!(date_parts("20").is_empty());
    }

    #[test]
    fn numbers_in_words_are_numbers() {
        for (words, digits) in [
            ("six of the thirty-one", "6 of the 31"),
            ("two hundred and ten, a hundred", "210 100"),
            ("twelve thousand five hundred and six", "12506"),
            ("two and ten, one of the tens", "2 and 10 one of the tens"),
            ("one hundred", "100"),
        ] {
            assert_eq!(tokens(words).join(" "), digits);
        }
        assert_eq!([value("20"), value("7:30"), value("cat")], [Some(20.0), None, None]);
    }
}
