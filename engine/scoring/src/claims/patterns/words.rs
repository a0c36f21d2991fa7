//! Closed word lists for the patterns.

use super::super::clauses::Clause;

/// Words between auxiliary and verb that don't affect the meaning.
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
/// Adverbs of habit, which mark a general statement.
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
/// Words after which the action has not happened yet.
pub(super) const MODALS: [&str; 12] = [
    "will", "would", "can", "could", "shall", "should", "may", "might", "must", "to", "need",
    "please",
];
/// Words that mark a following "may" as the month.
pub(super) const BEFORE_MONTHS: [&str; 10] =
    ["in", "of", "on", "by", "until", "for", "from", "last", "next", "late"];
/// Nouns for actions: "the change has been made".
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
/// Participles that claim an action in the passive without naming a record.
pub(super) const SERVICES: [&str; 25] = [
    "booked",
    "called",
    "entered",
    "reserved",
    "sold",
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
/// Words of completion that don't name the action.
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
/// Verbs with following words that change their meaning.
pub(super) const IDIOMS: [(&str, &[&str]); 20] = [
    ("added", &["up"]),
    ("applied", &["the", "a", "your"]),
    ("booked", &["out", "up", "solid", "in advance"]),
    ("called", &["it", "a"]),
    ("changed", &["since"]),
    ("cleared", &["up"]),
    ("dropped", &["by"]),
    ("moved", &["on", "by", "past"]),
    ("opened", &["with"]),
    ("paid", &["attention", "off"]),
    ("placed", &["first"]),
    ("played", &["a", "around", "along"]),
    // "The account is registered with another address".
    ("registered", &["under", "with"]),
    ("sold", &["out"]),
    ("saved", &["you"]),
    ("set", &["out", "aside", "against", "great"]),
    ("started", &["by", "from", "out", "to", "with"]),
    ("stopped", &["at", "by", "there", "to"]),
    ("told", &["you"]),
    ("turned", &["out", "into"]),
];
/// Where something is put.
pub(super) const INTO: [&str; 9] =
    ["on", "in", "into", "onto", "under", "underneath", "off", "through", "right"];
/// Words of "put" that say how something is worded or ordered.
pub(super) const ASIDE: [&str; 17] = [
    "together",
    "way",
    "words",
    "terms",
    "nutshell",
    "differently",
    "short",
    "simply",
    "bluntly",
    "aside",
    "mind",
    "list",
    "table",
    "emphasis",
    "focus",
    "stress",
    "trust",
];
/// What an API issues.
pub(super) const ISSUED: [&str; 5] = ["number", "id", "code", "token", "reference"];
/// What it is issued for.
pub(super) const ISSUED_FOR: [&str; 10] = [
    "your",
    "booking",
    "appointment",
    "reservation",
    "confirmation",
    "verification",
    "order",
    "registration",
    "reference",
    "ticket",
];
/// Who is called for.
pub(super) const CALLED_FOR: [&str; 8] =
    ["ambulance", "cab", "courier", "doctor", "driver", "help", "police", "taxi"];
/// What somebody has after it was sent.
pub(super) const MAILS: [&str; 5] = ["mail", "email", "message", "invitation", "link"];
/// Pronouns that may refer to a record.
pub(super) const PRONOUNS: [&str; 7] =
    ["it", "that", "this", "them", "everything", "both", "these"];
/// Nouns for parts of a text, which are not records of an API.
pub(super) const TEXTS: [&str; 33] = [
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
    "ending",
    "idea",
    "matter",
    "poem",
    "story",
    "summary",
    "thought",
];
/// Places that hold records.
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
/// Verbs after "now" that describe a changed record.
pub(super) const NOW: [&str; 15] = [
    "starts", "begins", "ends", "rings", "runs", "takes", "reads", "lists", "includes", "says",
    "comes", "lasts", "has", "consists", "goes",
];
/// Sources of look-ups.
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
/// Past forms that may claim a look-up.
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
/// Past forms that claim an action only with an object and a place: "put it in", "noted it in your
/// log".
pub(super) const LIGHT: [&str; 10] =
    ["put", "noted", "marked", "wrote", "written", "jotted", "added", "taken", "took", "got"];

pub(in super::super) fn is_adverb(word: &str) -> bool {
    ADVERBS.contains(&word)
}

/// The index of the first non-adverb from `at` on.
pub(super) fn past_adverbs(clause: &Clause, mut at: usize) -> usize {
    while is_adverb(clause.word(at)) {
        at += 1;
    }
    at
}

/// Whether a word is a finite form of `to be`.
pub(super) fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "'s" | "was" | "were" | "am")
}

pub(super) fn is_numeric(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether the word at this index is a modal, unlike "may" in "28 May".
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

/// Whether the object is negated: "I've set none".
pub(super) fn denied_after(clause: &Clause, at: usize) -> bool {
    (at + 1..at + 3).any(|next| NEGATIONS.contains(&clause.word(next)))
}

/// Whether a word can be part of a noun phrase before a participle. Verbs, pronouns and determiners
/// can't: "the room booked for May" is a topic, not a claim.
pub(super) fn is_name(word: &str) -> bool {
    let other = [
        "the", "a", "an", "that", "any", "which", "i", "we", "you", "he", "she", "it", "they",
        "is", "are", "was", "were", "'s", "am", "be", "been", "being", "have", "has", "had", "do",
        "does", "did", "to", "of", "get", "see", "find", "keep", "there", "as", "with", "by",
    ];
    !other.contains(&word) && !MODALS.contains(&word)
}
