//! The actions (deeds) that the APIs perform, derived from their names and descriptions.

use super::verbs::{Kind, VERBS, gerund, past};
use apis::text::words::{is_content, words};
use apis::{Api, registry};
use std::collections::BTreeSet;
use std::sync::LazyLock;

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
    ("registration", &["appointment", "slot", "visit"]),
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
                let performs = !matches!(kind, Kind::Outside | Kind::Play | Kind::Inform);
                let is_deed = performs && base != word && verbs.contains(&base);
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
    /// Whether a described API plays music.
    pub plays: bool,
}

impl Deeds {
    pub fn of(described: &[&'static Api]) -> Self {
        let is_described = |it: &&ApiDeeds| {
            described.iter().any(|api| api.name == it.api.name && api.suite == it.api.suite)
        };
        let changing = CHANGING.iter().filter(is_described);
        let plays = described.iter().any(|api| api.name == "PlayMusic");
        Deeds { described: changing.flat_map(|it| it.kinds.iter().copied()).collect(), plays }
    }

    /// Every API that writes.
    pub fn changing() -> &'static [ApiDeeds] {
        &CHANGING
    }

    /// Whether an action of this kind counts. Kinds of a described API always do, as do kinds that
    /// belong to no record; for other kinds, `nouns` must name a record of an API
    /// that performs it.
    pub fn includes(&self, kind: Kind, nouns: &[&str]) -> bool {
        matches!(kind, Kind::Outside | Kind::Inform | Kind::Login)
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
}
