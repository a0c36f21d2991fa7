//! Compares questions by what they ask for rather than by their wording.

use super::tokens::{Token, tokens};
use super::{Agreement, Said, Statement, concept, contradict, opposed};
use crate::text::thesaurus::LIGHT;
use crate::text::words::is_content;
use std::collections::BTreeSet;

/// Groups of words for one measure; the first word represents the group.
const MEASURES: &[&[&str]] = &[
    &["height", "high", "tall"],
    &["length", "long", "duration"],
    &["width", "wide"],
    &["depth", "deep"],
    &["distance", "far", "range"],
    &["weight", "heavy", "weigh"],
    &["age", "old"],
    &["size", "big", "large"],
    &["speed", "fast", "quick"],
    &["frequency", "often", "frequently"],
    &["count", "many", "number"],
    &["price", "much", "cost", "fee", "expensive"],
];

/// Measure nouns: they ask for the measure without "how".
const NOUNS: [&str; 18] = [
    "height",
    "length",
    "duration",
    "width",
    "depth",
    "distance",
    "range",
    "weight",
    "weigh",
    "age",
    "size",
    "speed",
    "frequency",
    "number",
    "count",
    "price",
    "cost",
    "fee",
];

/// Words without content in a question, such as "leaflet" in "What does the leaflet say about …".
const FRAMES: &[&str] = &[
    "allow",
    "again",
    "answer",
    "article",
    "document",
    "explain",
    "instruction",
    "leaflet",
    "manual",
    "page",
    "permit",
    "possible",
    "proper",
    "question",
    "report",
    "text",
];

/// What a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Asks {
    Who,
    Where,
    When,
    Why,
    /// How high, how safe.
    How(String),
}

/// A normalised question.
struct Question {
    asks: BTreeSet<Asks>,
    /// Content words in the order of the text.
    words: Vec<String>,
}

impl Question {
    fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let said: Vec<&str> = tokens.iter().filter_map(Token::word).collect();
        let mut question = Question { asks: BTreeSet::new(), words: Vec::new() };
        let mut light = Vec::new();
        for (at, word) in said.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| said[at]);
            // "What does it mean when it blinks?" does not ask when.
            let is_first =
                !said[..at].iter().any(|word| matches!(*word, "what" | "which" | "how" | "why"));
            let asked = match *word {
                "who" | "whom" | "whose" if is_first => Some(Asks::Who),
                "where" if is_first => Some(Asks::Where),
                "when" if is_first => Some(Asks::When),
                "why" => Some(Asks::Why),
                // "how long until", "after how many weeks": a point in time.
                "long" | "many" if before == Some("how") && is_moment(&said, at) => {
                    Some(Asks::When)
                }
                // "how many metres high"
                "many" if before == Some("how") && is_measured(&said, at) => None,
                word if at > 1 && said[at - 2] == "many" && is_measured(&said, at - 2) => {
                    how(word, Some("how")).map(Asks::How)
                }
                // "how much time": a span.
                "much" if before == Some("how") && said.get(at + 1) == Some(&"time") => {
                    Some(Asks::How("length".to_owned()))
                }
                "deadline" => Some(Asks::When),
                word => how(word, before).map(Asks::How),
            };
            // "How long until it arrives?" is how long it takes, too.
            if asked == Some(Asks::When) && *word == "long" {
                question.asks.insert(Asks::How("length".to_owned()));
            }
            match asked {
                Some(asks) => drop(question.asks.insert(asks)),
                None if is_content(word) => {
                    let own = concept(word);
                    let frames = || FRAMES.iter().any(|frame| concept(frame) == own);
                    let is_light = LIGHT.contains(word) || frames();
                    let words = if is_light { &mut light } else { &mut question.words };
                    words.push(own.to_owned());
                }
                None => {}
            }
        }
        if question.words.is_empty() {
            question.words = light;
        }
        question
    }
}

/// Whether "how long" or "how many weeks" asks when something is possible, due or over.
fn is_moment(said: &[&str], at: usize) -> bool {
    let after = |word: &str| said[at..].contains(&word);
    let due = said[at..].windows(2).any(|pair| pair == ["have", "to"]);
    let waits = after("until") || after("before") || after("wait") || due;
    waits || (at >= 2 && said[at - 2] == "after") || (after("after") && after("can"))
}

/// Whether "many" counts units of a measure that follows them.
fn is_measured(said: &[&str], many: usize) -> bool {
    let measure = said.get(many + 2).filter(|word| !NOUNS.contains(word));
    measure.is_some_and(|word| MEASURES.iter().any(|group| group.contains(word)))
}

/// The measure that a word asks for: a noun, or what follows "how".
fn how(word: &str, before: Option<&str>) -> Option<String> {
    let group = MEASURES.iter().find(|group| group.contains(&word));
    let is_noun = NOUNS.contains(&word);
    let follows =
        before == Some("how") && (group.is_some() || is_content(word) && !LIGHT.contains(&word));
    (is_noun || follows).then(|| group.map_or(concept(word), |group| group[0]).to_owned())
}

/// Compares two questions. [`Agreement::Different`] if they ask for something else (who, where, when,
/// why, another measure), contradict each other, or replace the modifier of a shared word by one that
/// nobody said; [`Agreement::Same`] if nothing but wording differs; otherwise the answer decides.
pub fn compare(gold: &str, predicted: &str, said: &Said<'_>) -> Agreement {
    let same = super::compare(gold, predicted, said) == Agreement::Same;
    let [gold_asks, predicted_asks] = [gold, predicted].map(Question::read);
    let [gold, predicted] = [gold, predicted].map(Statement::read);
    let asks = (&gold_asks.asks, &predicted_asks.asks);
    let apart = !asks.0.is_empty() && !asks.1.is_empty() && asks.0.is_disjoint(asks.1);
    // "Who pays for meals?" is not "What is paid for meals?"
    let spans = [asks.0, asks.1].iter().all(|it| it.contains(&Asks::How("length".to_owned())));
    let other = |it: &Asks| {
        let asked = asks.0.contains(it) || (*it == Asks::When && spans);
        matches!(it, Asks::Who | Asks::Where | Asks::When) && !asked
    };
    let apart = apart || asks.1.iter().any(other);
    if apart
        || opposed(&gold, &predicted)
        || names_another(&gold, &predicted, said)
        || gold.negates != predicted.negates
        || replaced(&gold_asks.words, &predicted_asks.words, said)
        || (gold.facts.is_empty()
            && !predicted.facts.is_empty()
            && contradict(&gold, &predicted, said))
    {
        return Agreement::Different;
    }
    let set = |it: &Question| it.words.iter().cloned().collect::<BTreeSet<_>>();
    let equal = gold_asks.asks == predicted_asks.asks && set(&gold_asks) == set(&predicted_asks);
    match same || equal {
        true => Agreement::Same,
        false => Agreement::Unclear,
    }
}

/// Whether a name is asked for that nobody said. It may be part of an address.
fn names_another(gold: &Statement, predicted: &Statement, said: &Said<'_>) -> bool {
    let mut names = predicted.words.iter().filter(|word| word.name);
    let in_address = |name: &str| said.statement().written.iter().any(|it| it.contains(name));
    names.any(|name| !gold.says(name, predicted) && !in_address(&name.concept))
}

/// Whether the modifier of a shared word is replaced by one that nobody said: "red light" for "orange
/// light".
fn replaced(gold: &[String], predicted: &[String], said: &Said<'_>) -> bool {
    let is_said = |word: &str| said.statement().has(word);
    gold.windows(2).any(|own| {
        predicted.windows(2).any(|other| {
            own[1] == other[1]
                && own[0] != other[0]
                && !predicted.contains(&own[0])
                && !gold.contains(&other[0])
                && !is_said(&other[0])
        })
    })
}

/// The normalised terms of a question: content words, and what it asks for.
pub fn terms(text: &str) -> BTreeSet<String> {
    let question = Question::read(text);
    let asks = question.asks.iter().map(|asks| match asks {
        Asks::How(measure) => format!("{measure}?"),
        other => format!("{other:?}?").to_lowercase(),
    });
    asks.chain(question.words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Agreement::{Different, Same, Unclear};

    fn check(gold: &str, user: &str, cases: &[(&str, Agreement)]) {
        for (predicted, agreement) in cases {
            let said = Said::new(|| vec![user.to_owned()]);
            assert_eq!(compare(gold, predicted, &said), *agreement, "{gold} / {predicted}");
        }
    }

    #[test]
    fn a_measure_has_several_words() {
        check(
            "How wide is the new canal?",
            "I'd like to know how wide the new canal is.",
            &[
                ("What is the width of the new canal?", Same),
                ("width of the new canal", Same),
                ("How many metres wide is the new canal?", Same),
                ("How long is the new canal?", Different),
                ("How deep is the new canal?", Different),
                ("When was the new canal built?", Different),
                ("How wide is the old canal?", Different),
                ("How safe is the new canal?", Different),
                ("Who dug the new canal?", Different),
            ],
        );
        check(
            "How much does the pass cost?",
            "",
            &[("What is the price of the pass?", Same), ("What's the fee for the pass?", Same)],
        );
    }

    #[test]
    fn a_point_in_time_may_be_asked_for_as_a_span() {
        check(
            "When may I swim after the operation?",
            "When may I swim again?",
            &[
                ("How long until I can swim?", Unclear),
                ("How long after the operation can I swim?", Same),
                ("After how many weeks may I swim?", Unclear),
                ("Where may I swim after the operation?", Different),
            ],
        );
        check("How long may I swim?", "", &[("When may I swim?", Different)]);
    }

    #[test]
    fn a_span_has_several_words() {
        check(
            "How long does a transfer take?",
            "How long does a transfer take?",
            &[
                ("How much time does a transfer take?", Same),
                ("How long until a transfer goes through?", Unclear),
                ("How long does it take until a transfer is there?", Unclear),
                ("How much does a transfer cost?", Different),
                ("When was the transfer?", Different),
            ],
        );
        check(
            "When must forms be handed in?",
            "",
            &[
                ("What is the deadline for submitting forms?", Same),
                ("What is the deadline for handing in the forms?", Same),
                ("How long do I have to hand in forms?", Same),
                ("Where must forms be handed in?", Different),
            ],
        );
        check("What is the minimum stay?", "", &[("What is the maximum stay?", Different)]);
    }

    #[test]
    fn a_modifier_is_not_replaced() {
        check(
            "What does a steady green lamp mean?",
            "There is a steady green lamp.",
            &[
                ("Why is the green lamp steady?", Same),
                ("What does a steady yellow lamp mean?", Different),
                ("What does the green lamp indicate?", Same),
            ],
        );
        check("Are pets allowed?", "", &[("Are pets not allowed?", Different)]);
    }

    #[test]
    fn terms_are_the_same_in_other_words() {
        assert_eq!(terms("How tall will the tower be?"), terms("What's the height of the tower?"));
        assert_ne!(terms("How long is the tower?"), terms("How tall is the tower?"));
    }
}
