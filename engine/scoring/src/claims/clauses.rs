//! Splits a reply into clauses and keeps those that assert something.

use super::sentences::{Piece, Sentence, sentences};

/// Words that introduce a non-assertion: a condition, a future time, an indirect question.
pub(super) const SUBORDINATORS: [&str; 23] = [
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
/// Verbs that ask the user for something.
const IMPERATIVES: [&str; 14] = [
    "choose", "confirm", "enter", "give", "let", "log", "name", "pick", "read", "say", "send",
    "share", "tell", "type",
];
/// Words before them.
const POLITE: [&str; 8] = ["and", "just", "kindly", "only", "please", "simply", "so", "then"];
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
/// Verbs before an indirect question.
const KNOWING: [&str; 8] = ["know", "tell", "see", "say", "find", "remember", "sure", "wonder"];
/// Words before such a verb that rule out reported speech of somebody else.
const NO_REPORTERS: [&str; 18] = [
    "i", "we", "to", "let", "please", "as", "and", "also", "just", "have", "has", "be", "been",
    "is", "are", "not", "now", "only",
];
/// Words that distinguish a short clause from an interjection: the clause after it does not open
/// the sentence.
const OPENED: [&str; 8] = ["do", "does", "is", "are", "am", "have", "has", "quotation"];
/// An asserting clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// Lower-case words; contractions are written out, `'s` stays a word.
    pub words: Vec<String>,
    /// Whether it opens its sentence, apart from a few words such as "Great,".
    pub opens: bool,
    /// Whether it depends on something to come: "If you close it, …", "… as soon as you confirm",
    /// "Tell me the day, and …".
    pub conditional: bool,
    /// Whether a clause before it in the answer has a "not".
    pub denied: bool,
    /// The words behind a colon after it: "It's in your log: 96 at 6:40".
    pub details: Vec<String>,
}

impl Clause {
    /// The words, separated by spaces.
    pub fn text(&self) -> String {
        self.words.join(" ").replace(" 's", "'s")
    }

    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// The numbers in its words and details.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().chain(&self.details).flat_map(|word| super::evidence::numbers(word))
    }
}

/// The asserting clauses of a text.
pub(super) fn of(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for sentence in sentences(text) {
        clauses.extend(asserting(&sentence));
    }
    let mut denied = false;
    for clause in &mut clauses {
        clause.denied = denied;
        denied |= clause.words.iter().any(|word| word == "not");
    }
    clauses
}

/// The words of the questions, without what comes before them in the sentence: "One more thing:
/// what's the date?".
pub(super) fn questions(text: &str) -> Vec<Vec<String>> {
    let asking = sentences(text).into_iter().filter(|it| it.asks);
    let question = |it: Sentence| {
        let from = it.clauses.iter().position(|piece| is_question(&piece.words)).unwrap_or(0);
        it.clauses.into_iter().skip(from).flat_map(|piece| piece.words).collect()
    };
    asking.map(question).collect()
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

/// "I can't tell", "I don't know".
fn is_unknown(clause: &[String]) -> bool {
    clause.iter().any(|word| word == "not")
        && clause.last().is_some_and(|word| KNOWING.contains(&word.as_str()))
}

/// The clauses that assert a fact in the speaker's own words.
fn asserting(sentence: &Sentence) -> Vec<Clause> {
    // Keep the clauses before a question: "I've booked it, is that all right?"
    let end = match sentence.asks {
        true => sentence.clauses.iter().position(|it| is_question(&it.words)).unwrap_or(0),
        false => sentence.clauses.len(),
    };
    let mut asserting = Vec::new();
    let mut reported = false;
    let mut before: Vec<&str> = Vec::new();
    let mut conditional = false;
    for (at, piece) in sentence.clauses.iter().enumerate().take(end) {
        let words = &piece.words;
        let opens = before.len() <= 3 && !before.iter().any(|word| OPENED.contains(word));
        before.extend(words.iter().map(String::as_str));
        let first = words.first().map_or("", String::as_str);
        if SUBORDINATORS.contains(&first) {
            conditional |= matches!(first, "if" | "once" | "when" | "whenever");
            continue;
        }
        let follows = conditional || is_promised(&sentence.clauses[..at], first);
        let next = &sentence.clauses[at + 1..];
        // "I can't tell who set it off".
        let unknown = at.checked_sub(1).is_some_and(|at| is_unknown(&sentence.clauses[at].words));
        let asked = first == "who" && unknown;
        // "Had it been booked, …".
        if first == "had" || asked || is_embedded_question(words) {
            continue;
        }
        if matches!(first, "i" | "we") || words.iter().any(|word| word == "i") {
            reported = false;
        }
        if reported {
            continue;
        }
        let report = report(words);
        reported = report.is_some() && !matches!(first, "since" | "because" | "as");
        let mut words = words[..report.unwrap_or(words.len())].to_vec();
        words.extend(next.first().and_then(afterthought));
        let conditional = follows || awaits(piece, next);
        let details = details(piece, next);
        asserting.push(Clause { words, opens, conditional, denied: false, details });
    }
    asserting
}

/// Whether what came before makes a clause that starts with `first` a promise: "Tell me the day, and
/// …", "I'll ignore her note, so …".
fn is_promised(before: &[Piece], first: &str) -> bool {
    let Some(last) = before.last() else { return false };
    let asks = before.iter().any(|piece| {
        let first = piece.words.iter().find(|word| !POLITE.contains(&word.as_str()));
        first.is_some_and(|word| IMPERATIVES.contains(&word.as_str()))
    });
    asks || (first == "so" && last.words.iter().any(|word| word == "will"))
}

/// The word of "I've moved it, too" or "All set, except for the date" that changes what is told.
fn afterthought(next: &Piece) -> Option<String> {
    let first = next.words.first()?;
    let except = matches!(first.as_str(), "except" | "apart" | "aside" | "besides");
    (except || next.words == ["too"]).then(|| first.clone())
}

/// "… once you are logged in", directly after the piece.
fn awaits(piece: &Piece, next: &[Piece]) -> bool {
    let first = next.first().and_then(|next| next.words.first());
    piece.mark == ' ' && first.is_some_and(|word| matches!(word.as_str(), "if" | "once"))
}

fn details(piece: &Piece, next: &[Piece]) -> Vec<String> {
    match piece.mark {
        ':' => next.iter().flat_map(|next| next.words.iter().cloned()).collect(),
        _ => Vec::new(),
    }
}

/// The index of the verb that introduces reported speech: "the note says the room is booked".
fn report(words: &[String]) -> Option<usize> {
    let speaker = words.first().is_some_and(|it| it == "i" || it == "we");
    let passive = words.iter().any(|word| matches!(word.as_str(), "was" | "were" | "been"));
    if (speaker && !passive) || words.iter().any(|word| word == "as") {
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
