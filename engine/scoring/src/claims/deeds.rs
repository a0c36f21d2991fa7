//! The actions (deeds) that the APIs perform, derived from their names and descriptions.

use apis::text::words::{is_content, words};
use apis::{Api, registry};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The kinds of action. An API that writes performs one or more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Create,
    Remove,
    Change,
    Send,
    Switch,
    /// Actions that no API of the pool performs: calling, paying, ordering.
    Outside,
    /// Logging the user in.
    Login,
}

/// The verbs of each kind, in base form. [`Kind::Login`] is recognized by its particle instead.
const VERBS: [(Kind, &[&str]); 6] = [
    (
        Kind::Create,
        &[
            "activate",
            "add",
            "allocate",
            "arrange",
            "book",
            "confirm",
            "create",
            "enrol",
            "enroll",
            "enter",
            "establish",
            "insert",
            "log",
            "open",
            "organise",
            "organize",
            "place",
            "program",
            "record",
            "register",
            "reserve",
            "save",
            "schedule",
            "secure",
            "set",
            "sign",
            "slot",
            "store",
            "submit",
        ],
    ),
    (
        Kind::Remove,
        &[
            "axe",
            "cancel",
            "clear",
            "close",
            "deactivate",
            "delete",
            "disable",
            "discard",
            "drop",
            "erase",
            "remove",
            "revoke",
            "scrap",
            "unsubscribe",
            "wipe",
            "withdraw",
        ],
    ),
    (
        Kind::Change,
        &[
            "adjust",
            "alter",
            "amend",
            "change",
            "correct",
            "delay",
            "edit",
            "exchange",
            "extend",
            "modify",
            "move",
            "postpone",
            "push",
            "rename",
            "replace",
            "reschedule",
            "reset",
            "shift",
            "swap",
            "update",
        ],
    ),
    (Kind::Send, &["deliver", "dispatch", "email", "forward", "invite", "mail", "message", "send"]),
    (Kind::Switch, &["switch", "turn"]),
    (
        Kind::Outside,
        &[
            "alert",
            "block",
            "buy",
            "charge",
            "contact",
            "deposit",
            "dim",
            "download",
            "inform",
            "install",
            "lock",
            "notify",
            "order",
            "pay",
            "phone",
            "print",
            "publish",
            "purchase",
            "refund",
            "ring",
            "subscribe",
            "telephone",
            "tell",
            "text",
            "transfer",
            "unlock",
            "upload",
            "wire",
        ],
    ),
];

/// Past forms and participles that are irregular or double the last letter.
const IRREGULAR: [(&str, &[&str]); 20] = [
    ("buy", &["bought"]),
    ("cancel", &["cancelled", "canceled"]),
    ("drop", &["dropped"]),
    ("enrol", &["enrolled"]),
    ("log", &["logged"]),
    ("pay", &["paid"]),
    ("program", &["programmed", "programed"]),
    ("reset", &["reset"]),
    ("ring", &["rang", "rung"]),
    ("scrap", &["scrapped"]),
    ("send", &["sent"]),
    ("set", &["set"]),
    ("slot", &["slotted"]),
    ("submit", &["submitted"]),
    ("swap", &["swapped"]),
    ("tell", &["told"]),
    ("transfer", &["transferred"]),
    ("unsubscribe", &["unsubscribed"]),
    ("withdraw", &["withdrew", "withdrawn"]),
    ("axe", &["axed"]),
];

/// Words in descriptions that do not name a record.
const GENERIC: [&str; 65] = [
    "activity",
    "adults",
    "after",
    "again",
    "another",
    "back",
    "calls",
    "called",
    "changes",
    "check",
    "children",
    "comes",
    "content",
    "customer",
    "date",
    "days",
    "earlier",
    "example",
    "existing",
    "first",
    "forgot",
    "forgotten",
    "given",
    "gives",
    "gone",
    "good",
    "holder",
    "home",
    "invited",
    "later",
    "line",
    "list",
    "logged",
    "longer",
    "makes",
    "name",
    "named",
    "needs",
    "notice",
    "numbers",
    "people",
    "person",
    "place",
    "plan",
    "planned",
    "reminded",
    "reminds",
    "returns",
    "rings",
    "smart",
    "somebody",
    "something",
    "start",
    "starts",
    "subject",
    "such",
    "takes",
    "text",
    "that",
    "time",
    "together",
    "topic",
    "user",
    "users",
    "work",
];

/// Synonyms for records, in addition to the words of the descriptions.
const OTHER_NAMES: [(&str, &[&str]); 4] = [
    ("agenda", &["calendar", "diary"]),
    ("hotel", &["booking", "reservation", "accommodation", "room"]),
    ("email", &["mail", "message"]),
    ("registration", &["appointment", "slot"]),
];

/// An API that writes.
pub(super) struct ApiDeeds {
    pub api: &'static Api,
    pub kinds: Vec<Kind>,
    /// Nouns for its records, in the singular.
    nouns: BTreeSet<String>,
}

static CHANGING: LazyLock<Vec<ApiDeeds>> = LazyLock::new(|| {
    registry::all().filter(|api| !api.writes.is_empty()).map(ApiDeeds::of).collect()
});

impl ApiDeeds {
    fn of(api: &'static Api) -> Self {
        let mut kinds = Vec::new();
        for word in words(api.description) {
            let base = word.strip_suffix('s').unwrap_or(&word);
            for (kind, verbs) in VERBS {
                let is_deed = kind != Kind::Outside && base != word && verbs.contains(&base);
                if is_deed && !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
        ApiDeeds { api, kinds, nouns: nouns(api) }
    }

    /// Whether one of these nouns names its records.
    pub fn is_named(&self, nouns: &[&str]) -> bool {
        nouns.iter().any(|noun| self.nouns.contains(*noun))
    }
}

/// Nouns for an API's records: the content words of its name and description, without verbs.
pub(super) fn nouns(api: &Api) -> BTreeSet<String> {
    let named = words(&spaced(api.name));
    let described = words(api.description);
    let is_verb = |word: &str| VERBS.iter().any(|(_, verbs)| verbs.contains(&word));
    let is_form = |word: &str| past(word).is_some() || gerund(word).is_some();
    let mut nouns: BTreeSet<String> = named
        .iter()
        .chain(&described)
        .filter(|word| is_content(word) && word.len() > 3 && !GENERIC.contains(&word.as_str()))
        .map(|word| singular(word).to_owned())
        .filter(|word| word == "email" || !(is_verb(word) || is_form(word)))
        .collect();
    for (name, others) in OTHER_NAMES {
        if named.iter().any(|word| word == name) {
            nouns.extend(others.iter().map(|other| (*other).to_owned()));
        }
    }
    nouns
}

/// `AddAlarm` as `Add Alarm`.
fn spaced(name: &str) -> String {
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    spaced
}

/// Strips a plural `s`.
pub(super) fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with(['s', 'u', 'i']) => one,
        _ => word,
    }
}

/// The kinds of action of the APIs described at a step.
pub(super) struct Deeds {
    described: Vec<Kind>,
}

impl Deeds {
    pub fn of(described: &[&'static Api]) -> Self {
        let is_described = |it: &&ApiDeeds| {
            described.iter().any(|api| api.name == it.api.name && api.suite == it.api.suite)
        };
        let changing = CHANGING.iter().filter(is_described);
        Deeds { described: changing.flat_map(|it| it.kinds.iter().copied()).collect() }
    }

    /// Every API that writes.
    pub fn changing() -> &'static [ApiDeeds] {
        &CHANGING
    }

    /// Whether an action of this kind counts. Kinds of a described API always do, as do
    /// [`Kind::Outside`] and [`Kind::Login`]; for other kinds, `nouns` must name a record of an API
    /// that performs it.
    pub fn includes(&self, kind: Kind, nouns: &[&str]) -> bool {
        matches!(kind, Kind::Outside | Kind::Login)
            || self.described.contains(&kind)
            || Self::on_record(kind, nouns)
    }

    /// Whether a described API performs this kind.
    pub fn is_described(&self, kind: Kind) -> bool {
        self.described.contains(&kind)
    }

    /// Whether one of these nouns names a record of an API that performs this kind.
    pub fn on_record(kind: Kind, nouns: &[&str]) -> bool {
        CHANGING.iter().any(|it| it.kinds.contains(&kind) && it.is_named(nouns))
    }

    /// The words, in the singular, that name a record of any API that writes.
    pub fn nouns<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let words = words.map(singular);
        words.filter(|word| CHANGING.iter().any(|it| it.nouns.contains(*word))).collect()
    }
}

/// The kind of a verb in the past tense or as a past participle.
pub(super) fn past(word: &str) -> Option<Kind> {
    kind(|base| pasts(base, word))
}

/// The kind of a verb in base form.
pub(super) fn base(word: &str) -> Option<Kind> {
    kind(|base| base == word)
}

/// The kind of a verb in `-ing` form.
pub(super) fn gerund(word: &str) -> Option<Kind> {
    let stem = word.strip_suffix("ing")?;
    kind(|base| {
        base == stem
            || base.strip_suffix('e') == Some(stem)
            || doubled(base).as_deref() == Some(stem)
    })
}

/// Whether a past form equals the base form, so that it may be an imperative.
pub(super) fn is_ambiguous(word: &str) -> bool {
    matches!(word, "set" | "reset")
}

fn kind(is: impl Fn(&str) -> bool) -> Option<Kind> {
    VERBS.iter().find(|(_, verbs)| verbs.iter().any(|verb| is(verb))).map(|(kind, _)| *kind)
}

fn doubled(base: &str) -> Option<String> {
    base.chars().last().map(|last| format!("{base}{last}"))
}

fn pasts(base: &str, word: &str) -> bool {
    if let Some((_, forms)) = IRREGULAR.iter().find(|(verb, _)| *verb == base) {
        return forms.contains(&word);
    }
    let Some(stem) = word.strip_suffix("ed") else { return false };
    stem == base
        || base.strip_suffix('e') == Some(stem)
        || base.strip_suffix('y').is_some_and(|root| stem.strip_suffix('i') == Some(root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::Suite;

    #[test]
    fn every_api_that_changes_something_does_a_known_kind_of_deed() {
        for it in CHANGING.iter() {
            assert!(!it.kinds.is_empty(), "{}: no verb of its description is known", it.api.name);
            assert!(!it.nouns.is_empty(), "{}", it.api.name);
        }
        assert!(CHANGING.len() > 25);
    }

    #[test]
    fn descriptions_tell_kinds_and_records() {
        let of = |name| ApiDeeds::of(registry::find(Suite::Dialogue, name).unwrap());
        assert_eq!(of("AddAlarm").kinds, [Kind::Create]);
        assert_eq!(of("ModifyReminder").kinds, [Kind::Change]);
        assert!(of("BookHotel").is_named(&["room"]) && !of("BookHotel").is_named(&["alarm"]));
        assert!(of("CancelRegistration").kinds.contains(&Kind::Remove));
    }

    #[test]
    fn forms_of_verbs_are_known() {
        for word in ["booked", "cancelled", "canceled", "modified", "scheduled", "sent", "logged"] {
            assert!(past(word).is_some(), "{word}");
        }
        for word in ["book", "booking", "noted", "sented", "red"] {
            assert!(past(word).is_none(), "{word}");
        }
        assert_eq!(
            (gerund("booking"), gerund("setting")),
            (Some(Kind::Create), Some(Kind::Create))
        );
        assert_eq!((gerund("moving"), gerund("during")), (Some(Kind::Change), None));
    }
}
