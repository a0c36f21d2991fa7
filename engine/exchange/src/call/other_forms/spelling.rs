//! Calls whose punctuation is spelled otherwise: full width, typographic quotes, entities, escapes.

use crate::call::Form;

/// Quotation marks and their closing marks. ASCII ones are read as such.
const QUOTES: [(char, &str); 15] = [
    ('\'', "'"),
    ('"', "\""),
    ('‘', "’"),
    ('’', "’"),
    ('‚', "‘’"),
    ('“', "”"),
    ('”', "”"),
    ('„', "“”"),
    ('«', "»"),
    ('»', "«"),
    ('‹', "›"),
    ('「', "」"),
    ('『', "』"),
    ('＂', "＂"),
    ('＇', "＇"),
];
/// Punctuation that is not full-width ASCII, and its ASCII.
const PUNCTUATION: [(char, char); 11] = [
    ('、', ','),
    ('【', '['),
    ('】', ']'),
    ('〔', '['),
    ('〕', ']'),
    ('［', '['),
    ('］', ']'),
    ('﹙', '('),
    ('﹚', ')'),
    ('﹐', ','),
    ('﹦', '='),
];
/// Characters that Markdown escapes.
const ESCAPED: &str = "_[](){}*#<>=~.!|-";
/// Named entities.
const ENTITIES: [(&str, char); 15] = [
    ("quot", '"'),
    ("apos", '\''),
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("nbsp", ' '),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lbrack", '['),
    ("lsqb", '['),
    ("equals", '='),
];

/// A change of spelling.
type Change = fn(&str) -> String;

/// The text in plain spelling, by each change alone and by all, as far as they change it.
pub(in crate::call) fn respelled(text: &str) -> Vec<(Form, String)> {
    let punctuation = if text.chars().any(is_wide) { Form::FullWidth } else { Form::Quotes };
    let changes: [(Form, Change); 4] = [
        (Form::Invisible, without_invisible),
        (Form::Entities, without_entities),
        (Form::Escapes, without_escapes),
        (punctuation, in_ascii),
    ];
    let mut texts: Vec<(Form, String)> = Vec::new();
    let mut all = (None, text.to_owned());
    for (form, change) in changes {
        let changed = change(text);
        if changed != text {
            texts.push((form, changed));
        }
        let changed = change(&all.1);
        if changed != all.1 {
            all = (all.0.or(Some(form)), changed);
        }
    }
    if texts.len() > 1
        && let (Some(form), all) = all
    {
        texts.push((form, all));
    }
    texts
}

/// A text with its entities decoded.
pub(super) fn without_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let in_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '#';
        let name = after.split(|letter| !in_name(letter)).next().unwrap_or_default();
        let read = entity(name).filter(|_| after[name.len()..].starts_with(';'));
        match read {
            Some(letter) => {
                out.push(letter);
                rest = &after[name.len() + 1..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32);
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter)
}

/// A text without the backslashes of Markdown.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let escapes = letter == '\\' && letters.peek().is_some_and(|next| ESCAPED.contains(*next));
        if !escapes {
            out.push(letter);
        }
        // The escaped backslash of a text stays with it.
        if letter == '\\' && !escapes {
            out.extend(letters.next());
        }
    }
    out
}

/// A text without characters that are not seen.
fn without_invisible(text: &str) -> String {
    let seen = |letter: &char| {
        !matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    };
    text.chars().filter(seen).collect()
}

fn is_wide(letter: char) -> bool {
    ('\u{ff01}'..='\u{ff5e}').contains(&letter) || PUNCTUATION.iter().any(|(it, _)| *it == letter)
}

fn ascii(letter: char) -> char {
    match letter {
        // Full-width forms follow ASCII's order.
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(letter) - 0xff01 + 0x21).unwrap_or(letter)
        }
        '\u{3000}' => ' ',
        _ => PUNCTUATION.iter().find(|(it, _)| *it == letter).map_or(letter, |(_, to)| *to),
    }
}

/// How many quotation marks may lack a closing one before the rest are read as they are.
const MOST_OPEN: usize = 32;

/// A text with ASCII punctuation. What is between quotation marks stays.
fn in_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut open) = (0, 0);
    while let Some(letter) = text[at..].chars().next() {
        let from = at + letter.len_utf8();
        let quote = QUOTES.iter().find(|(mark, _)| *mark == letter && open < MOST_OPEN);
        let quote = quote.filter(|_| opens_argument(&out));
        let end = quote.and_then(|(_, closes)| closing(text, from, closes));
        open += usize::from(quote.is_some() && end.is_none());
        if let Some((inside_end, after)) = end {
            match letter {
                '\'' | '"' => out.push_str(&text[at..after]),
                _ => quoted(&text[from..inside_end], &mut out),
            }
            at = after;
        } else {
            out.push(ascii(letter));
            at = from;
        }
    }
    out
}

/// Appends a text in ASCII quotation marks.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        out.extend(matches!(letter, '"' | '\\').then_some('\\'));
        out.push(letter);
    }
    out.push('"');
}

/// Whether a quotation mark behind `before` opens a value or a key.
fn opens_argument(before: &str) -> bool {
    before.trim_end().ends_with(['=', ':', ',', '[', '(', '{'])
}

/// The closing quotation mark after `from`: where it starts and ends. What follows it must end a value.
fn closing(text: &str, from: usize, closes: &str) -> Option<(usize, usize)> {
    text[from..].char_indices().take(4000).find_map(|(offset, letter)| {
        let after = from + offset + letter.len_utf8();
        let next = || text[after..].trim_start().chars().next().map(ascii);
        let ends = || next().is_none_or(|letter| matches!(letter, ',' | ')' | ']' | '}' | ':'));
        (closes.contains(letter) && ends()).then_some((from + offset, after))
    })
}
