//! The hotels and organizations of a variant: the words that make their names unlike others are drawn
//! anew.

use super::corpus::{Corpus, Found, bare};
use super::fold::fold;
use super::lexicon::Lexicon;
use super::names;
use std::collections::{BTreeMap, BTreeSet};

/// The tables of hotels and organizations.
const TABLES: [&str; 3] = ["Hotel", "HotelOffer", "Organization"];
/// Words that say what kind of house it is, or nothing.
const KINDS: &str = "Casa Club Court Gasthof Guesthouse Haveli Hostal Hotel House Hôtel Inn Lodge \
    Motel Pension Pensão Posada Pousada Rest Riad Rooms Ryokan Stay The Villa";

/// The names of hotels and organizations, and what replaces them.
#[derive(Debug, Default)]
pub(super) struct Houses {
    /// Old and new name, and the words that were replaced.
    names: BTreeMap<String, (String, Vec<String>)>,
    /// New words by old ones, for words that occur in no other name.
    words: BTreeMap<String, String>,
}

impl Houses {
    pub(super) fn draw(corpus: &Corpus, seed: u32) -> Self {
        let ordinary = corpus.ordinary();
        let mut old = BTreeSet::new();
        let (mut elsewhere, mut taken) = (BTreeSet::new(), BTreeSet::new());
        corpus.each(&mut |found| {
            let words = || found.text.split(|c: char| !c.is_alphabetic());
            taken.extend(words().map(fold));
            if is_house(&found) {
                old.insert(found.text);
            } else if !found.table.is_empty() {
                elsewhere.extend(words().map(str::to_owned));
            }
        });
        let mut free = names::shuffled(names::PROPER, &taken, seed);
        let mut drawn: BTreeMap<&str, &str> = BTreeMap::new();
        let mut houses = Houses::default();
        for name in old {
            let proper = name.split(' ').filter(|word| is_proper(word, &ordinary));
            let proper: Vec<&str> = proper.collect();
            for word in &proper {
                if !drawn.contains_key(word)
                    && let Some(new) = free.pop()
                {
                    drawn.insert(word, new);
                }
            }
            let new = name.split(' ').map(|word| drawn.get(word).copied().unwrap_or(word));
            let new = new.collect::<Vec<_>>().join(" ");
            let proper = proper.into_iter().map(str::to_owned).collect();
            houses.names.insert(name.to_owned(), (new, proper));
        }
        let alone = drawn.into_iter().filter(|(word, _)| !elsewhere.contains(*word));
        houses.words = alone.map(|(old, new)| (old.to_owned(), new.to_owned())).collect();
        houses
    }

    /// The names that stay, because every word of theirs is an ordinary one.
    pub(super) fn same(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter(|(old, (new, _))| *old == new).map(|(old, _)| old.as_str())
    }

    /// Adds names, and the words that stand for them alone.
    pub(super) fn add_to(&self, lexicon: &mut Lexicon) {
        self.names.iter().for_each(|(old, (new, _))| lexicon.add(old, new));
        self.words.iter().for_each(|(old, new)| lexicon.add(old, new));
    }

    /// A word of an old name in texts that also have the new name: a short form that stayed.
    pub(super) fn old_in(&self, texts: &[&str]) -> Option<String> {
        let has = |part: &str| texts.iter().any(|text| text.contains(part));
        let used = self.names.iter().filter(|(old, (new, _))| *old != new && has(new));
        let words: BTreeSet<&str> =
            texts.iter().flat_map(|text| text.split_whitespace().map(bare)).collect();
        used.flat_map(|(_, (_, proper))| proper).find(|word| words.contains(word.as_str())).cloned()
    }
}

fn is_house(found: &Found<'_>) -> bool {
    let row = found.is_row() && matches!(found.table, "HotelOffer" | "Organization");
    TABLES.contains(&found.table) && (row || found.field == "hotel_name")
}

/// Whether a word of a name belongs to that name alone.
fn is_proper(word: &str, ordinary: &BTreeSet<&str>) -> bool {
    word.starts_with(char::is_uppercase)
        && word.chars().all(char::is_alphabetic)
        && !KINDS.split_whitespace().any(|kind| kind == word)
        && !ordinary.contains(word.to_lowercase().as_str())
}
