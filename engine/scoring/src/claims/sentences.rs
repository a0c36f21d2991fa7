//! Splits a text into sentences and their parts, at punctuation and at certain words.

use super::clauses::SUBORDINATORS;

/// Words that do so after `as`: "as soon as", "as if".
const AFTER_AS: [&str; 4] = ["soon", "long", "if", "though"];
/// Words that start a new clause.
const CONNECTORS: [&str; 10] =
    ["but", "so", "because", "while", "although", "though", "however", "which", "who", "whereas"];
/// Words that start a new clause after `and` or `or`.
const SUBJECTS: [&str; 22] = [
    "i",
    "we",
    "you",
    "he",
    "she",
    "it",
    "they",
    "that",
    "this",
    "these",
    "there",
    "the",
    "a",
    "an",
    "your",
    "my",
    "our",
    "all",
    "everything",
    "nothing",
    "both",
    "everyone",
];
/// The maximum length of a clause, in words; longer ones are split.
const LONGEST: usize = 100;
/// Words in a line that introduces the text of a draft.
const DRAFTS: [&str; 9] = [
    "draft",
    "template",
    "version",
    "wording",
    "example",
    "suggestion",
    "suggest",
    "write",
    "text",
];

/// A sentence, split into clauses at punctuation and at certain words.
pub(super) struct Sentence {
    pub clauses: Vec<Piece>,
    pub asks: bool,
}

/// A part of a sentence.
pub(super) struct Piece {
    pub words: Vec<String>,
    /// The punctuation mark that ends it; a space if a word does.
    pub mark: char,
}

/// Replaces quotations and inline code by the word `quotation`, and drops quoted lines.
fn without_quotations(text: &str) -> String {
    let text = text.replace(['’', '‘'], "'");
    let mut kept = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.trim_start().starts_with('>')) {
        let whole = line.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let line = whole.filter(|inner| !inner.contains('"')).unwrap_or(line);
        let mut open: Option<char> = None;
        let mut inside = String::new();
        for letter in line.chars() {
            match open {
                Some(end) if letter == end => {
                    kept.push_str(" quotation ");
                    inside.clear();
                    open = None;
                }
                Some(_) => inside.push(letter),
                None => match letter {
                    '"' | '`' => open = Some(letter),
                    '“' => open = Some('”'),
                    _ => kept.push(letter),
                },
            }
        }
        // An unclosed quotation mark quotes nothing.
        kept.push_str(&inside);
        kept.push('\n');
    }
    kept
}

/// The sentences of a text, without quotations.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let text = &without_quotations(text);
    let mut sentences = Vec::new();
    // Whether a line has announced items of something that has not happened: "You would lose:".
    let mut hypothetical = false;
    for line in text.lines() {
        if hypothetical && (line.trim().is_empty() || is_item(line)) {
            continue;
        }
        let from = sentences.len();
        read_line(line, &mut sentences);
        let announces = line.trim_end().ends_with(':')
            && sentences[from..]
                .iter()
                .flat_map(|it| it.clauses.iter().flat_map(|piece| &piece.words))
                .any(|word| DRAFTS.contains(&word.as_str()));
        if announces {
            break;
        }
        hypothetical = line.trim_end().ends_with(':')
            && sentences.last().and_then(|it| it.clauses.last()).is_some_and(|clause| {
                clause.words.iter().any(|word| matches!(word.as_str(), "would" | "will" | "could"))
            });
    }
    sentences
}

/// "- lights off", "2. lights off".
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.split_once(['.', ')']).is_some_and(|(number, _)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    numbered || line.starts_with(['-', '*', '•', '–'])
}

fn read_line(line: &str, sentences: &mut Vec<Sentence>) {
    let mut clauses = Clauses::default();
    let letters: Vec<char> = line.chars().collect();
    let mut word = String::new();
    for (at, letter) in letters.iter().copied().enumerate() {
        let next = letters.get(at + 1).copied().unwrap_or(' ');
        let inside = !word.is_empty() && next.is_alphanumeric();
        match letter {
            _ if letter.is_alphanumeric() => word.extend(letter.to_lowercase()),
            '\'' | '.' | ':' | '@' if inside => word.push(letter),
            // "e-mail" equals "email".
            '-' if inside => {}
            '.' | '!' | '?' | '…' => {
                let title = letter == '.' && matches!(word.as_str(), "dr" | "mr" | "mrs" | "ms");
                clauses.word(&mut word);
                if title {
                    continue;
                }
                if next.is_whitespace() || !next.is_alphanumeric() {
                    clauses.end(letter == '?', sentences);
                }
            }
            ',' if inside && next.is_ascii_digit() => {}
            ';' => {
                clauses.word(&mut word);
                clauses.end(false, sentences);
            }
            ',' | ':' | '(' | ')' | '–' | '—' | '|' | '-' => {
                clauses.word(&mut word);
                clauses.cut(letter);
            }
            _ => clauses.word(&mut word),
        }
    }
    clauses.word(&mut word);
    clauses.end(false, sentences);
}

/// The clauses of a sentence that is being parsed.
#[derive(Default)]
struct Clauses {
    done: Vec<Piece>,
    open: Vec<String>,
}

impl Clauses {
    /// Adds a word, with contractions expanded.
    fn word(&mut self, word: &mut String) {
        let word = std::mem::take(word);
        if word.is_empty() {
            return;
        }
        if let Some(verb) = word.strip_suffix("n't") {
            let verb = match verb {
                "ca" => "can",
                "wo" => "will",
                "sha" => "shall",
                other => other,
            };
            self.plain(verb);
            self.plain("not");
            return;
        }
        if word == "cannot" {
            self.plain("can");
            self.plain("not");
            return;
        }
        let Some((start, end)) = word.split_once('\'') else { return self.plain(&word) };
        self.plain(start);
        match end {
            "ve" => self.plain("have"),
            "ll" => self.plain("will"),
            "d" => self.plain("would"),
            "re" => self.plain("are"),
            "m" => self.plain("am"),
            "s" => self.open.push("'s".to_owned()),
            other => self.plain(other),
        }
    }

    fn plain(&mut self, word: &str) {
        let last = self.open.last().map_or("", String::as_str);
        if matches!(last, "and" | "or") && SUBJECTS.contains(&word) {
            self.open.pop();
            self.cut(' ');
        } else if last == "as" && AFTER_AS.contains(&word) {
            self.open.pop();
            self.cut(' ');
            self.open.push("if".to_owned());
        } else if SUBORDINATORS.contains(&word) || CONNECTORS.contains(&word) {
            self.cut(' ');
        }
        if self.open.len() >= LONGEST {
            self.cut(' ');
        }
        if !word.is_empty() {
            self.open.push(word.to_owned());
        }
    }

    fn cut(&mut self, mark: char) {
        if !self.open.is_empty() {
            self.done.push(Piece { words: std::mem::take(&mut self.open), mark });
        }
    }

    fn end(&mut self, asks: bool, sentences: &mut Vec<Sentence>) {
        self.cut('.');
        if !self.done.is_empty() {
            sentences.push(Sentence { clauses: std::mem::take(&mut self.done), asks });
        }
    }
}
