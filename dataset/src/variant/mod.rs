//! Variants of the built-in pack: the same dialogues with people, credentials, ids, hotels,
//! organizations, cities, stock codes and the year drawn anew by seed. A model that knows the
//! published pack by heart does worse on a variant.
//!
//! The same seed gives the same files in every program of a version. Values are found in the data,
//! not listed by dialogue. Recorded results are rewritten like all else; what an API derives from its
//! arguments is right only after a replay, which `runner` does.

mod corpus;
mod fold;
mod houses;
mod lexicon;
mod names;
mod people;
mod places;
mod secrets;
#[cfg(test)]
mod tests;

pub use lexicon::Lexicon;

use crate::dialogue::{Dialogue, Turn};
use crate::error::PackError;
use crate::pack::{Manifest, Pack};
use crate::{FILES, HARD_INDEX, random::SplitMix};
use corpus::{Corpus, bare};
use fold::fold;
use houses::Houses;
use people::People;
use places::Places;
use secrets::Cipher;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Years with the same calendar as the pack's; the events of its history are before them.
const YEARS_LATER: [i16; 2] = [28, 56];
/// The years before and after the pack's that move with it. Earlier years are history.
const NEAR_YEARS: std::ops::RangeInclusive<i16> = -2..=10;

/// A variant of the built-in pack.
#[derive(Debug)]
pub struct Variant {
    /// Its pack. Results of derived ids and tokens are still those of the original.
    pub pack: Pack,
    drawn: Drawn,
}

/// What a variant draws.
#[derive(Debug)]
struct Drawn {
    manifest: Manifest,
    people: People,
    houses: Houses,
    places: Places,
    /// Takes out phrases that are the same in the variant, such as people of history.
    kept: Lexicon,
    /// Old passwords and tokens.
    secrets: Vec<String>,
    /// Everything that is replaced.
    lexicon: Lexicon,
}

impl Drawn {
    fn new(corpus: &Corpus, original: Manifest, seed: u32) -> Self {
        let manifest = moved(&original, seed);
        let years = years(&original, &manifest);
        let (people, houses) = (People::draw(corpus, seed), Houses::draw(corpus, seed));
        let (mut kept, mut lexicon) = (Lexicon::default(), Lexicon::default());
        for phrase in facts(corpus, &people).iter().map(String::as_str).chain(houses.same()) {
            kept.add(phrase, "");
            lexicon.add(phrase, phrase);
        }
        Cipher::draw(seed).add_to(corpus, &mut lexicon);
        let secrets = lexicon.pairs().filter(|(old, new)| is_secret(old, new));
        let secrets = secrets.map(|(old, _)| old.to_owned()).collect();
        // What is added first wins: identifiers contain names and years.
        add_identifiers(corpus, &people, &years, &mut lexicon);
        houses.add_to(&mut lexicon);
        let places = Places::draw(corpus, seed);
        places.add_to(&mut lexicon);
        people.add_to(&mut lexicon);
        years.iter().for_each(|(old, new)| lexicon.add(old, new));
        Drawn { manifest, people, houses, places, kept, secrets, lexicon }
    }

    /// An old name or credential in a text.
    fn old_in(&self, text: &str) -> Option<String> {
        let text = self.kept.rewrite(text);
        let words = text.split(|c: char| !c.is_alphabetic() && c != '\'').map(bare);
        let name = words.map(fold).find(|word| self.people.is_old(word));
        name.or_else(|| self.secrets.iter().find(|secret| text.contains(secret.as_str())).cloned())
    }
}

impl Variant {
    /// Draws the variant of a seed.
    ///
    /// # Errors
    /// Never for the built-in pack: a test draws it.
    pub fn draw(seed: u32) -> Result<Self, PackError> {
        let corpus = Corpus::read(FILES)?;
        let drawn = Drawn::new(&corpus, Pack::manifest_of(FILES)?, seed);
        let files = rewritten(&corpus, &drawn);
        let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let mut pack = Pack::load(files)?;
        pack.world.search = crate::recorded_searches()?;
        Ok(Variant { pack, drawn })
    }

    /// What a dialogue of the variant still has of the original: a name or credential in a spelling
    /// that was not found. `None` if it has nothing.
    pub fn remainder(&self, dialogue: &Dialogue) -> Option<String> {
        let texts = dialogue.turns.iter().map(|turn| match turn {
            Turn::User { text } | Turn::Assistant { text, .. } => text.clone(),
            Turn::Api(call) => call.param_dict.values().map(|value| format!("{value} ")).collect(),
        });
        let texts: Vec<String> = texts.collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let drawn = &self.drawn;
        texts.iter().find_map(|text| drawn.old_in(text)).or_else(|| drawn.houses.old_in(&texts))
    }
}

/// Whether a pair of the cipher is long enough to be looked for inside other text. Digits alone are
/// not: their new values may be those of another row.
fn is_secret(old: &str, new: &str) -> bool {
    old != new && old.len() >= 8 && old.chars().any(char::is_alphabetic) && !old.contains(' ')
}

/// The manifest of a variant.
fn moved(original: &Manifest, seed: u32) -> Manifest {
    let later = SplitMix(u64::from(seed)).below(YEARS_LATER.len());
    let later = YEARS_LATER.get(later).copied().unwrap_or_default();
    let mut manifest = Manifest { variant: Some(seed), ..original.clone() };
    let today = manifest.today.0;
    // The calendar is the same, so the day exists.
    manifest.today.0 = today.with().year(today.year() + later).build().unwrap_or(today);
    manifest
}

/// The years that move, as texts.
fn years(original: &Manifest, manifest: &Manifest) -> BTreeMap<String, String> {
    let (old, new) = (original.today.0.year(), manifest.today.0.year());
    NEAR_YEARS.map(|by| ((old + by).to_string(), (new + by).to_string())).collect()
}

/// Phrases of tables of facts that contain a name of the pack, because the person or place there is
/// another: several capitalised words, and whole sentences with a translation.
fn facts(corpus: &Corpus, people: &People) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    corpus.each(&mut |found| {
        if !found.is_fact() {
            return;
        }
        let words: Vec<&str> = found.text.split_whitespace().collect();
        if found.table == "Translation" && words.len() > 1 && people.is_named_in(found.text) {
            facts.insert(found.text.to_owned());
        }
        for phrase in words.chunk_by(|a, b| is_capital(a) && is_capital(b) && a.ends_with(bare(a)))
        {
            let phrase = phrase.join(" ");
            let phrase = bare(&phrase);
            if phrase.contains(' ') && people.is_named_in(phrase) {
                facts.insert(phrase.to_owned());
            }
        }
    });
    facts
}

fn is_capital(word: &str) -> bool {
    bare(word).starts_with(char::is_uppercase)
}

/// Puts the ids of earlier dialogues back into the index of the hard split: ids are not drawn anew.
fn keep_ids(index: &Value, new: &mut Value) {
    let entries = index.as_object().into_iter().flatten();
    for (entry, new) in entries.zip(new.as_object_mut().into_iter().flatten()) {
        if let (Some(ids), Some(new)) = (entry.1.get("earlier"), new.1.get_mut("earlier")) {
            new.clone_from(ids);
        }
    }
}

/// Adds user names, account names and addresses.
fn add_identifiers(
    corpus: &Corpus,
    people: &People,
    years: &BTreeMap<String, String>,
    lexicon: &mut Lexicon,
) {
    corpus.each(&mut |found| {
        let is_row = found.is_row() && matches!(found.table, "Account" | "Bank" | "BankAccount");
        let is_field = matches!(found.field, "username" | "account" | "email");
        for word in found.text.split_whitespace() {
            let old = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_address = old.contains("://") || old.contains('@');
            if !(is_address || (is_row || is_field) && !found.text.contains(' ')) {
                continue;
            }
            let new = people.rename(old);
            let new = years.iter().fold(new, |new, (old, year)| new.replace(old, year));
            if new != old {
                lexicon.add(old, &new);
            }
        }
    });
}

/// The variant's files.
fn rewritten(corpus: &Corpus, drawn: &Drawn) -> Vec<(String, String)> {
    let file = |(path, values): &(String, Vec<Value>)| {
        if path == "manifest.json" {
            return (path.clone(), json!(drawn.manifest).to_string());
        }
        let lines = values.iter().map(|value| {
            let mut new = drawn.lexicon.rewrite_value(value);
            drawn.places.move_points(&mut new);
            if path == HARD_INDEX {
                keep_ids(value, &mut new);
            }
            new.to_string()
        });
        (path.clone(), lines.collect::<Vec<_>>().join("\n"))
    };
    corpus.files.iter().map(file).collect()
}
