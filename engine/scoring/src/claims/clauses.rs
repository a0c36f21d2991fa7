//! Splits a reply into clauses and keeps those that assert something.

/// Words that introduce a non-assertion: a condition, a future time, an indirect question.
const SUBORDINATORS: [&str; 23] = [
    "if",
    "once",
    "when",
    "whenever",
    "before",
    "after",
    "until",
    "till",
    "unless",
    "whether",
    "how",
    "what",
    "whatever",
    "where",
    "whose",
    "why",
    "provided",
    "assuming",
    "suppose",
    "supposing",
    "than",
    "imagine",
    "pretend",
];
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
/// Words that start a question.
const QUESTION_WORDS: [&str; 25] = [
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "shall", "should",
    "would", "could", "can", "may", "will", "might", "what", "when", "where", "which", "who",
    "why", "how",
];
/// Verbs that introduce reported speech.
const REPORTS: [&str; 24] = [
    "say",
    "says",
    "said",
    "states",
    "stated",
    "tells",
    "told",
    "claims",
    "claimed",
    "reads",
    "mentions",
    "mentioned",
    "asks",
    "asked",
    "wants",
    "wanted",
    "orders",
    "ordered",
    "requests",
    "requested",
    "reports",
    "suggests",
    "writes",
    "wrote",
];
/// Words before such a verb that rule out reported speech of somebody else.
const NO_REPORTERS: [&str; 16] = [
    "i", "we", "to", "let", "please", "as", "and", "also", "just", "have", "has", "be", "been",
    "is", "are", "not",
];
/// Words that distinguish a short clause from an interjection: the clause after it does not open
/// the sentence.
const OPENED: [&str; 8] = ["do", "does", "is", "are", "am", "have", "has", "quotation"];
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

/// An asserting clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// Lower-case words; contractions are written out, `'s` stays a word.
    pub words: Vec<String>,
    /// Whether it opens its sentence, apart from a few words such as "Great,".
    pub opens: bool,
    /// Whether a condition comes before it in the sentence: "If you close it, …".
    pub conditional: bool,
}

impl Clause {
    /// The words, separated by spaces.
    pub fn text(&self) -> String {
        self.words.join(" ").replace(" 's", "'s")
    }

    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }
}

/// The asserting clauses of a text.
pub(super) fn of(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for sentence in sentences(&without_quotations(text)) {
        clauses.extend(asserting(&sentence));
    }
    clauses
}

/// The words of the sentences that end with a question mark.
pub(super) fn questions(text: &str) -> Vec<Vec<String>> {
    let asking = sentences(&without_quotations(text)).into_iter().filter(|it| it.asks);
    asking.map(|it| it.clauses.concat()).collect()
}

/// A sentence, split into clauses at punctuation and at certain words.
struct Sentence {
    clauses: Vec<Vec<String>>,
    asks: bool,
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

fn sentences(text: &str) -> Vec<Sentence> {
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
                .flat_map(|it| it.clauses.iter().flatten())
                .any(|word| DRAFTS.contains(&word.as_str()));
        if announces {
            break;
        }
        hypothetical = line.trim_end().ends_with(':')
            && sentences.last().and_then(|it| it.clauses.last()).is_some_and(|clause| {
                clause.iter().any(|word| matches!(word.as_str(), "would" | "will" | "could"))
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
            '\'' | '.' | ':' if inside => word.push(letter),
            // "e-mail" equals "email".
            '-' if inside => {}
            '.' | '!' | '?' | '…' => {
                clauses.word(&mut word);
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
                clauses.cut();
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
    done: Vec<Vec<String>>,
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
            self.cut();
        } else if last == "as" && AFTER_AS.contains(&word) {
            self.open.pop();
            self.cut();
            self.open.push("if".to_owned());
        } else if SUBORDINATORS.contains(&word) || CONNECTORS.contains(&word) {
            self.cut();
        }
        if self.open.len() >= LONGEST {
            self.cut();
        }
        if !word.is_empty() {
            self.open.push(word.to_owned());
        }
    }

    fn cut(&mut self) {
        if !self.open.is_empty() {
            self.done.push(std::mem::take(&mut self.open));
        }
    }

    fn end(&mut self, asks: bool, sentences: &mut Vec<Sentence>) {
        self.cut();
        if !self.done.is_empty() {
            sentences.push(Sentence { clauses: std::mem::take(&mut self.done), asks });
        }
    }
}

fn is_question(clause: &[String]) -> bool {
    let word = |at: usize| clause.get(at).map_or("", String::as_str);
    let first = usize::from(matches!(word(0), "and" | "or" | "but" | "so"));
    QUESTION_WORDS.contains(&word(first)) || matches!(word(first + 1), "which" | "what" | "whom")
}

/// "which readings are stored", but not the relative "which is stored".
fn is_embedded_question(clause: &[String]) -> bool {
    let word = |at: usize| clause.get(at).map_or("", String::as_str);
    let verb =
        |word: &str| QUESTION_WORDS.contains(&word) || matches!(word, "" | "'s" | "i" | "we");
    word(0) == "which" && !verb(word(1))
}

/// The clauses that assert a fact in the speaker's own words.
fn asserting(sentence: &Sentence) -> Vec<Clause> {
    // Keep the clauses before a question: "I've booked it, is that all right?"
    let end = match sentence.asks {
        true => sentence.clauses.iter().position(|clause| is_question(clause)).unwrap_or(0),
        false => sentence.clauses.len(),
    };
    let mut asserting = Vec::new();
    let mut reported = false;
    let mut before: Vec<&str> = Vec::new();
    let mut conditional = false;
    for words in sentence.clauses.iter().take(end) {
        let opens = before.len() <= 3 && !before.iter().any(|word| OPENED.contains(word));
        before.extend(words.iter().map(String::as_str));
        let first = words.first().map_or("", String::as_str);
        if SUBORDINATORS.contains(&first) {
            conditional |= matches!(first, "if" | "once" | "when" | "whenever");
            continue;
        }
        if is_embedded_question(words) {
            continue;
        }
        if matches!(first, "i" | "we") || words.iter().any(|word| word == "i") {
            reported = false;
        }
        if reported {
            continue;
        }
        let report = report(words);
        reported = report.is_some();
        let words = words[..report.unwrap_or(words.len())].to_vec();
        asserting.push(Clause { words, opens, conditional });
    }
    asserting
}

/// The index of the verb that introduces reported speech: "the note says the room is booked".
fn report(words: &[String]) -> Option<usize> {
    if words.iter().any(|word| word == "as") {
        return None;
    }
    let verb = words.iter().enumerate().skip(1).find(|(at, word)| {
        REPORTS.contains(&word.as_str()) && !NO_REPORTERS.contains(&words[at - 1].as_str())
    });
    verb.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = of(text).iter().map(Clause::text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn clauses_that_assert_are_kept() {
        check("I've set it for 6:00, okay.", &["i have set it for 6:00", "okay"]);
        check("Booked! Anything else?", &["booked"]);
        check("I've moved it, is that all right?", &["i have moved it"]);
        check("It's done but I can't mail her.", &["it's done", "but i can not mail her"]);
        check("1,624.25 is there – really", &["1624.25 is there", "really"]);
        check("- **E-mail sent**", &["email sent"]);
    }

    #[test]
    fn clauses_that_do_not_assert_are_left_out() {
        check("Once it is set, I'll tell you.", &["i will tell you"]);
        check("Is it set or not?", &[]);
        check("You're booked in for 6, right?", &[]);
        check("It says \"The room is booked.\"", &["it"]);
        check("The note says that it is set, and it is open.", &["the note"]);
        check("> It is set", &[]);
        check("Here's a draft:\n\nIt is set.", &["here's a draft"]);
        check("I can see which readings are stored.", &["i can see"]);
        check("You would lose:\n- heater set to 22\n- lamp on", &["you would lose"]);
        check("I do it as soon as it is set", &["i do it"]);
    }
}
