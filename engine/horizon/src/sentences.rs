//! The phrasings of requirements: `data/sentences.json`.

use crate::Error;
use serde::Deserialize;
use std::collections::BTreeMap;

/// All phrasings.
#[derive(Debug, Deserialize)]
pub(crate) struct Sentences {
    /// First sentences of a requirement.
    pub(crate) openings: Vec<String>,
    /// Last sentences of a requirement.
    pub(crate) closings: Vec<String>,
    /// What the assistant says at the end.
    pub(crate) replies: Vec<String>,
    /// How it states facts, with the slot `{facts}`.
    pub(crate) told: String,
    /// Phrasings with slots such as `{day}`, by chore.
    chores: BTreeMap<String, Vec<String>>,
}

impl Sentences {
    /// # Errors
    /// If the built-in data is damaged, which a test rules out.
    pub(crate) fn read() -> Result<Self, Error> {
        serde_json::from_str(include_str!("../data/sentences.json")).map_err(Error::Data)
    }

    /// The phrasings of a chore; at least one.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn of(&self, key: &str) -> Result<&[String], Error> {
        let found = self.chores.get(key).filter(|it| !it.is_empty());
        found.map(Vec::as_slice).ok_or_else(|| Error::Sentence(key.to_owned()))
    }
}

/// Values by slot.
pub(crate) type Slots = BTreeMap<&'static str, String>;

/// Fills in a phrasing's slots. Braces in values are kept.
///
/// # Errors
/// If a slot has no value.
pub(crate) fn filled(phrasing: &str, slots: &Slots) -> Result<String, Error> {
    let mut out = String::with_capacity(phrasing.len() * 2);
    let mut rest = phrasing;
    while let Some((before, after)) = rest.split_once('{') {
        let unfilled = || Error::Sentence(phrasing.to_owned());
        let (slot, left) = after.split_once('}').ok_or_else(unfilled)?;
        let value = slots.get(slot).ok_or_else(unfilled)?;
        out.push_str(before);
        out.push_str(value);
        rest = left;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_phrasing_of_a_chore_stands_twice() {
        for (chore, ways) in Sentences::read().unwrap().chores {
            let distinct: std::collections::BTreeSet<&String> = ways.iter().collect();
            assert_eq!(distinct.len(), ways.len(), "{chore}: {ways:?}");
        }
    }
}
