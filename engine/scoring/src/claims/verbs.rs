//! The verbs that tell of an action, by kind.

/// The kinds of action. An API that writes performs one or more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Create,
    Remove,
    Change,
    Send,
    Switch,
    /// Playing music, and what starts or stops a device.
    Play,
    /// Telling somebody, which a message does.
    Inform,
    /// Actions that no API of the pool performs: calling, paying, ordering.
    Outside,
    /// Logging the user in.
    Login,
}

/// The verbs of each kind, in base form. [`Kind::Login`] is recognized by its particle instead.
pub(super) const VERBS: [(Kind, &[&str]); 8] = [
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
            "recall",
            "remove",
            "retract",
            "revoke",
            "scrap",
            "unsend",
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
            "rebook",
            "relocate",
            "rename",
            "replace",
            "reschedule",
            "reset",
            "shift",
            "swap",
            "update",
        ],
    ),
    (
        Kind::Send,
        &[
            "deliver", "dispatch", "email", "forward", "invite", "mail", "message", "post", "send",
            "share",
        ],
    ),
    (Kind::Switch, &["switch", "turn"]),
    (Kind::Play, &["launch", "pause", "play", "start", "stop"]),
    (Kind::Inform, &["alert", "contact", "inform", "notify", "report", "tell"]),
    (
        Kind::Outside,
        &[
            "apply",
            "block",
            "buy",
            "charge",
            "deposit",
            "dim",
            "donate",
            "download",
            "export",
            "hire",
            "install",
            "lock",
            "order",
            "pay",
            "phone",
            "print",
            "publish",
            "purchase",
            "refund",
            "rent",
            "repair",
            "ring",
            "sell",
            "subscribe",
            "telephone",
            "text",
            "transfer",
            "unlock",
            "unplug",
            "upload",
            "wire",
        ],
    ),
];

/// Past forms and participles that are irregular or double the last letter.
const IRREGULAR: [(&str, &[&str]); 24] = [
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
    ("sell", &["sold"]),
    ("send", &["sent"]),
    ("set", &["set"]),
    ("slot", &["slotted"]),
    ("stop", &["stopped"]),
    ("submit", &["submitted"]),
    ("swap", &["swapped"]),
    ("tell", &["told"]),
    ("transfer", &["transferred"]),
    ("unplug", &["unplugged"]),
    ("unsend", &["unsent"]),
    ("unsubscribe", &["unsubscribed"]),
    ("withdraw", &["withdrew", "withdrawn"]),
    ("axe", &["axed"]),
];

/// The kind of a verb in the past tense or as a past participle.
pub(super) fn past(word: &str) -> Option<Kind> {
    kind(|base| pasts(base, word))
}

/// The base form of a verb in the past tense or as a past participle.
pub(super) fn base_of(word: &str) -> Option<&'static str> {
    all().find(|base| pasts(base, word))
}

/// The base form of a verb in the third person: `books`.
pub(super) fn third_person(word: &str) -> Option<&'static str> {
    let base = word.strip_suffix('s')?;
    all().find(|verb| *verb == base)
}

fn all() -> impl Iterator<Item = &'static str> {
    VERBS.iter().flat_map(|(_, verbs)| verbs.iter().copied())
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
