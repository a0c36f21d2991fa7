//! The closed lists of words that the wordings are made of.

use super::super::clauses::Clause;

/// Words between a verb and its auxiliary that change nothing.
pub(super) const ADVERBS: [&str; 30] = [
    "already",
    "also",
    "just",
    "now",
    "successfully",
    "all",
    "both",
    "then",
    "therefore",
    "so",
    "well",
    "officially",
    "hereby",
    "currently",
    "even",
    "indeed",
    "safely",
    "quickly",
    "simply",
    "gladly",
    "automatically",
    "duly",
    "accordingly",
    "properly",
    "only",
    "too",
    "finally",
    "fully",
    "temporarily",
    "kindly",
];
/// Adverbs of what is usual: a general statement.
pub(super) const HABITS: [&str; 9] = [
    "usually",
    "often",
    "always",
    "normally",
    "generally",
    "typically",
    "sometimes",
    "never",
    "regularly",
];
pub(super) const NEGATIONS: [&str; 12] = [
    "not", "no", "none", "nothing", "nobody", "neither", "nor", "never", "without", "hardly",
    "unable", "nowhere",
];
/// Auxiliaries after which nothing has been done yet.
pub(super) const MODALS: [&str; 12] = [
    "will", "would", "can", "could", "shall", "should", "may", "might", "must", "to", "need",
    "please",
];
/// Words before the name of a month.
pub(super) const BEFORE_MONTHS: [&str; 10] =
    ["in", "of", "on", "by", "until", "for", "from", "last", "next", "late"];
/// Deeds as nouns: "the change has been made".
pub(super) const MADE: [&str; 13] = [
    "appointment",
    "booking",
    "cancellation",
    "change",
    "changes",
    "deletion",
    "entry",
    "payment",
    "registration",
    "reservation",
    "transfer",
    "update",
    "updates",
];
/// Verbs that need no record's name in the passive: who hears them thinks of a service.
pub(super) const SERVICES: [&str; 22] = [
    "booked",
    "reserved",
    "scheduled",
    "rescheduled",
    "postponed",
    "cancelled",
    "canceled",
    "deleted",
    "removed",
    "registered",
    "enrolled",
    "sent",
    "emailed",
    "notified",
    "informed",
    "invited",
    "created",
    "updated",
    "confirmed",
    "charged",
    "paid",
    "told",
];
/// Verbs of completion that name no deed.
pub(super) const COMPLETED: [&str; 12] = [
    "completed",
    "processed",
    "fulfilled",
    "finalised",
    "finalized",
    "executed",
    "handled",
    "sorted",
    "settled",
    "implemented",
    "accomplished",
    "complete",
];
/// A verb with a word behind it that gives it another meaning.
pub(super) const IDIOMS: [(&str, &[&str]); 13] = [
    ("added", &["up"]),
    ("booked", &["out", "up", "solid", "in advance"]),
    ("called", &["it", "a"]),
    ("changed", &["since"]),
    ("cleared", &["up"]),
    ("dropped", &["by"]),
    ("moved", &["on", "by"]),
    ("opened", &["with"]),
    ("paid", &["attention", "off"]),
    ("placed", &["first"]),
    ("set", &["out", "aside", "against"]),
    ("told", &["you"]),
    ("turned", &["out", "into"]),
];
/// Words that may stand for a record.
pub(super) const PRONOUNS: [&str; 7] =
    ["it", "that", "this", "them", "everything", "both", "these"];
/// Objects that are words of the reply, not records of an API.
pub(super) const TEXTS: [&str; 26] = [
    "line",
    "lines",
    "word",
    "words",
    "sentence",
    "sentences",
    "paragraph",
    "draft",
    "version",
    "suggestion",
    "suggestions",
    "tone",
    "title",
    "joke",
    "example",
    "examples",
    "heading",
    "wording",
    "comma",
    "mind",
    "phrase",
    "verse",
    "rhyme",
    "stanza",
    "bit",
    "aside",
];
/// Places where records are kept: what is put there is a record.
pub(super) const PLACES: [&str; 14] = [
    "agenda",
    "alarms",
    "calendar",
    "diary",
    "file",
    "list",
    "log",
    "profile",
    "record",
    "records",
    "reminders",
    "schedule",
    "system",
    "books",
];
/// Verbs behind "now" that tell how a record has become.
pub(super) const NOW: [&str; 15] = [
    "starts", "begins", "ends", "rings", "runs", "takes", "reads", "lists", "includes", "says",
    "comes", "lasts", "has", "consists", "goes",
];
/// What a look-up is made in.
pub(super) const SOURCES: [&str; 29] = [
    "dictionary",
    "encyclopaedia",
    "encyclopedia",
    "google",
    "online",
    "site",
    "wikipedia",
    "account",
    "agenda",
    "alarm",
    "alarms",
    "appointment",
    "appointments",
    "balance",
    "calendar",
    "data",
    "database",
    "internet",
    "log",
    "meetings",
    "meeting",
    "profile",
    "records",
    "reminder",
    "reminders",
    "schedule",
    "system",
    "web",
    "file",
];
/// Verbs in the past that may claim a look-up.
pub(super) const LOOKED: [&str; 13] = [
    "accessed",
    "browsed",
    "checked",
    "consulted",
    "examined",
    "inspected",
    "looked",
    "pulled",
    "queried",
    "reviewed",
    "searched",
    "verified",
    "retrieved",
];
/// Verbs in the past that tell a deed only with an object and a place: "put it in", "noted it in
/// your log".
pub(super) const LIGHT: [&str; 10] =
    ["put", "noted", "marked", "wrote", "written", "jotted", "added", "taken", "took", "got"];

pub(super) fn is_adverb(word: &str) -> bool {
    ADVERBS.contains(&word)
}

/// The index of the first word from `at` on that is no adverb.
pub(super) fn past_adverbs(clause: &Clause, mut at: usize) -> usize {
    while is_adverb(clause.word(at)) {
        at += 1;
    }
    at
}

/// Whether a form of `to be` that tells a fact.
pub(super) fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "'s" | "was" | "were" | "am")
}

pub(super) fn is_numeric(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether the word at this index is a modal: "may" is none in "28 May".
pub(super) fn is_modal(words: &[String], at: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let before = if at > 0 { word(at - 1) } else { "" };
    let month = word(at) == "may"
        && (is_numeric(before) || is_numeric(word(at + 1)) || BEFORE_MONTHS.contains(&before));
    MODALS.contains(&word(at)) && !month
}

pub(super) fn has_modal(words: &[String]) -> bool {
    (0..words.len()).any(|at| is_modal(words, at))
}

pub(super) fn denied(words: &[String]) -> bool {
    words.iter().any(|word| NEGATIONS.contains(&word.as_str()))
}

/// Whether the object denies: "I've set none".
pub(super) fn denied_after(clause: &Clause, at: usize) -> bool {
    (at + 1..at + 3).any(|next| NEGATIONS.contains(&clause.word(next)))
}

/// Whether a word may stand in a name before a participle: no verb, pronoun or determiner that
/// makes it a topic ("the room booked for May").
pub(super) fn is_name(word: &str) -> bool {
    let other = [
        "the", "a", "an", "that", "any", "which", "i", "we", "you", "he", "she", "it", "they",
        "is", "are", "was", "were", "'s", "am", "be", "been", "being", "have", "has", "had", "do",
        "does", "did", "to", "of", "get", "see", "find", "keep", "there", "as", "with", "by",
    ];
    !other.contains(&word) && !MODALS.contains(&word)
}
