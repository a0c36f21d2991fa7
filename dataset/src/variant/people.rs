//! The people of a variant: every name of the pack with a new one, word by word and one-to-one.

use super::corpus::{Corpus, Found, bare};
use super::fold::fold;
use super::lexicon::Lexicon;
use super::names;
use std::collections::{BTreeMap, BTreeSet};

/// The fields that hold full names.
const FULL_NAMES: [&str; 9] = [
    "patient_name",
    "doctor_name",
    "new_appointment_doctor",
    "member_name",
    "user_name",
    "attendees",
    "meeting_attendees",
    "holder",
    "username",
];
/// The tables whose rows are full names.
const BY_NAME: [&str; 5] =
    ["Calendar", "MoviePreferences", "Profile", "TravelStatus", "WatchedMovies"];
/// Titles before a last name; a name after `Dr.` may be full.
const TITLES: [&str; 5] = ["Mr", "Mrs", "Ms", "Miss", "Dr"];
/// Shorter words are particles of last names.
const SHORTEST: usize = 3;

/// Which list a name is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Female,
    Male,
    Either,
    Last,
}

/// The names of the pack, and what replaces them.
#[derive(Debug, Default)]
pub(super) struct People {
    /// By folded spelling: the spellings, and what kind of name it is.
    words: BTreeMap<String, (BTreeSet<String>, Option<Kind>)>,
    /// First and last name of everybody who has both.
    full: BTreeSet<(String, String)>,
    /// The new name by the folded old one.
    new: BTreeMap<String, String>,
}

impl People {
    /// Finds the names, and draws new ones.
    pub(super) fn draw(corpus: &Corpus, seed: u32) -> Self {
        let mut people = People::default();
        people.learn_known();
        let ordinary = corpus.ordinary();
        corpus.each(&mut |found| people.learn_fields(found, &ordinary));
        corpus.each(&mut |found| people.learn_user(found, &ordinary));
        corpus.each(&mut |found| {
            if !found.is_fact() {
                people.learn_text(found.text, &ordinary);
            }
        });
        people.draw_names(corpus, seed);
        people
    }

    fn learn(&mut self, word: &str, kind: Option<Kind>) {
        if word.chars().count() < SHORTEST {
            return;
        }
        let (spellings, known) = self.words.entry(fold(word)).or_default();
        spellings.insert(word.to_owned());
        *known = known.or(kind);
    }

    fn learn_known(&mut self) {
        let tables = [(names::KNOWN_FEMALE, Kind::Female), (names::KNOWN_MALE, Kind::Male)];
        for (table, kind) in tables {
            table.split_whitespace().for_each(|word| self.learn(word, Some(kind)));
        }
    }

    fn learn_fields(&mut self, found: Found<'_>, ordinary: &BTreeSet<&str>) {
        let Found { table, field, text, .. } = found;
        let of_table = found.is_row() && BY_NAME.contains(&table)
            || table == "Organization" && !found.is_row()
            || table == "BankAccount" && field == "name";
        // A holder or user name may be that of a club.
        let of_club = matches!(field, "holder" | "username")
            && text.split_whitespace().any(|word| ordinary.contains(word.to_lowercase().as_str()));
        let is_name = FULL_NAMES.contains(&field) && !of_club;
        if of_table || is_name {
            self.learn_full(text);
        }
    }

    /// Learns a full name: the last word is the last name.
    fn learn_full(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_name = |word: &&str| word.starts_with(char::is_uppercase);
        if words.len() < 2 || !words.iter().all(is_name) {
            return;
        }
        let titled = words.first().is_some_and(|word| TITLES.contains(&bare(word)));
        let words = words.get(usize::from(titled)..).unwrap_or_default();
        let Some((last, first)) = words.split_last() else { return };
        self.learn(last, Some(Kind::Last));
        let (first, particles): (Vec<&str>, Vec<&str>) =
            first.iter().partition(|word| word.chars().count() >= SHORTEST);
        // Gender unknown, unless a table has it.
        first.iter().for_each(|word| self.learn(word, None));
        if let Some(first) = first.first() {
            let last = particles.concat() + last;
            self.full.insert((fold(first), fold(&last)));
        }
    }

    /// Learns the names in a user name: `edda.brandt`.
    fn learn_user(&mut self, found: Found<'_>, ordinary: &BTreeSet<&str>) {
        let of_table = found.is_row() && matches!(found.table, "Account" | "Bank");
        let Some((first, last)) = found.text.split_once('.') else { return };
        let is_name = |part: &str| {
            part.chars().count() >= SHORTEST
                && part.chars().all(|c| c.is_ascii_lowercase())
                && (self.words.contains_key(part) || !ordinary.contains(part))
        };
        if !(of_table || found.field == "username") || !is_name(first) || !is_name(last) {
            return;
        }
        let known = |part: &str| {
            self.words.contains_key(part) || self.full.iter().any(|(_, last)| last == part)
        };
        let new = [(first, None), (last, Some(Kind::Last))];
        let new: Vec<_> = new.into_iter().filter(|(part, _)| !known(part)).collect();
        new.into_iter().for_each(|(part, kind)| self.learn(&capitalised(part), kind));
        let is_full = self.full.iter().any(|(a, b)| a == first || b == last);
        if !is_full {
            self.full.insert((first.to_owned(), last.to_owned()));
        }
    }

    /// Learns last names after a title, and unknown first names before a last name.
    fn learn_text(&mut self, text: &str, ordinary: &BTreeSet<&str>) {
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.windows(2) {
            let &[before, after] = pair else { continue };
            let (first, last) = (bare(before), bare(after));
            let is_name = |word: &str| {
                word.starts_with(char::is_uppercase)
                    && word.chars().all(char::is_alphabetic)
                    && !ordinary.contains(word.to_lowercase().as_str())
            };
            if TITLES.contains(&first) && is_name(last) && !self.words.contains_key(&fold(last)) {
                self.learn(last, Some(Kind::Last));
            }
            let adjacent = before.ends_with(first);
            let is_last = self.words.get(&fold(last)).is_some_and(|it| it.1 == Some(Kind::Last));
            if adjacent && is_last && is_name(first) && !TITLES.contains(&first) {
                self.learn(first, None);
                self.full.insert((fold(first), fold(last)));
            }
        }
    }

    /// Draws the new names. Each list is shuffled by seed; the old names take from it in order.
    fn draw_names(&mut self, corpus: &Corpus, seed: u32) {
        let mut taken = BTreeSet::new();
        corpus.each(&mut |found| {
            let words = found.text.split(|c: char| !c.is_alphabetic());
            taken.extend(words.map(fold));
        });
        let list = |names| names::shuffled(names, &taken, seed);
        let mut lists: BTreeMap<Kind, Vec<&str>> = [
            (Kind::Female, list(names::FEMALE)),
            (Kind::Male, list(names::MALE)),
            (Kind::Either, list(names::EITHER)),
            (Kind::Last, list(names::LAST)),
        ]
        .into();
        for (word, (_, kind)) in &self.words {
            let kind = kind.unwrap_or(Kind::Either);
            if let Some(new) = lists.get_mut(&kind).and_then(Vec::pop) {
                self.new.insert(word.clone(), new.to_owned());
            }
        }
    }

    /// Adds every spelling of every name.
    pub(super) fn add_to(&self, lexicon: &mut Lexicon) {
        for (word, (spellings, _)) in &self.words {
            let Some(new) = self.new.get(word) else { continue };
            for old in spellings {
                lexicon.add(old, new);
                lexicon.add(&old.replace('\'', "’"), new);
                lexicon.add(&old.to_uppercase(), &new.to_uppercase());
            }
            lexicon.add(&capitalised(word), &capitalised(&fold(new)));
        }
        for (first, last) in &self.full {
            let new = (self.new_of(first), self.new_of(last));
            if let (Some(new_first), Some(new_last)) = new {
                lexicon.add(&format!("{first} {last}"), &format!("{new_first} {new_last}"));
            }
        }
    }

    /// What replaces a folded name, folded. Particles of a last name stay: `elidrissi`.
    fn new_of(&self, folded: &str) -> Option<String> {
        if let Some(new) = self.new.get(folded) {
            return Some(fold(new));
        }
        let split = (1..SHORTEST).filter_map(|at| folded.split_at_checked(at));
        let mut compounds = split.filter_map(|(particle, last)| {
            let known = self.full.iter().any(|(_, it)| it == folded);
            Some(particle.to_owned() + &fold(self.new.get(last).filter(|_| known)?))
        });
        compounds.next()
    }

    /// The folded old names with the new ones.
    #[cfg(test)]
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.new.iter().map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// Whether a folded word is a name of the pack.
    pub(super) fn is_old(&self, folded: &str) -> bool {
        self.new.contains_key(folded)
    }

    /// Whether a text contains a name of the pack.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        text.split_whitespace().any(|word| self.new.contains_key(&fold(bare(word))))
    }

    /// A user name, mail address or web address with the names in it replaced: whole
    /// (`mira.okafor`), initials (`m.okafor`), or run together (`mokafor`).
    pub(super) fn rename(&self, identifier: &str) -> String {
        let runs: Vec<&str> = runs(identifier).collect();
        let mut out = String::new();
        for (index, run) in runs.iter().enumerate() {
            let beside =
                [index.checked_sub(2), Some(index + 2)].map(|at| at.and_then(|at| runs.get(at)));
            let new = self.rename_run(&fold(run), beside.into_iter().flatten().copied());
            match new {
                Some(new) if run.starts_with(char::is_uppercase) => out += &capitalised(&new),
                Some(new) => out += &new,
                None => out += run,
            }
        }
        out
    }

    fn rename_run<'a>(
        &self,
        run: &str,
        mut beside: impl Iterator<Item = &'a str>,
    ) -> Option<String> {
        if let Some(new) = self.new_of(run) {
            return Some(new);
        }
        let initial = |name: &str| name.chars().next().map(String::from).unwrap_or_default();
        if run.chars().count() == 1 {
            // An initial follows the name next to it.
            return beside.find_map(|name| {
                let name = fold(name);
                let owner = self.full.iter().find_map(|(first, last)| match () {
                    () if *last == name && initial(first) == run => Some(first),
                    () if *first == name && initial(last) == run => Some(last),
                    () => None,
                })?;
                Some(initial(&self.new_of(owner)?))
            });
        }
        let together = self.full.iter().find(|(first, last)| initial(first) + last == run);
        let (first, last) = together?;
        Some(initial(&self.new_of(first)?) + &self.new_of(last)?)
    }
}

/// The runs of letters and digits of a text, and what is between them, by turns.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let inside = rest.chars().next()?.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != inside).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}
