//! Compares short English texts by meaning rather than wording.
//!
//! A text is reduced to its facts (numbers with units, dates, times, weekdays) and its content
//! words, each with its modifiers: negation, *before* or *after*, whether it is a name. Two texts
//! agree when their facts agree and few content words are lost or added. See [`compare`].

mod facts;
pub mod question;
mod tokens;

use super::thesaurus::{IRREGULAR, LIGHT, OPPOSITES, SYNONYMS, TURNING};
use super::words::{is_content, stem};
use facts::{Fact, fact_at};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;
use tokens::{Token, tokens};

/// The outcome of a comparison, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The values contradict each other.
    Different,
    /// Undecided: the call's effect decides.
    Unclear,
    /// The values are equivalent.
    Same,
}

/// The text that a call may draw on: words and facts from it are not invented.
pub struct Said<'a> {
    texts: Box<dyn Fn() -> Vec<String> + 'a>,
    /// Excluded words and facts.
    barred: Statement,
    read: OnceCell<Statement>,
}

impl fmt::Debug for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Said").field("read", &self.read).finish_non_exhaustive()
    }
}

impl<'a> Said<'a> {
    /// `texts` is called lazily, at most once.
    pub fn new(texts: impl Fn() -> Vec<String> + 'a) -> Self {
        Said { texts: Box::new(texts), barred: Statement::default(), read: OnceCell::new() }
    }

    /// Excludes the words and facts of `text`.
    pub fn without(mut self, text: &str) -> Self {
        self.barred = Statement::read(text);
        self
    }

    /// Without any text.
    pub fn nothing() -> Self {
        Said::new(Vec::new)
    }

    fn statement(&self) -> &Statement {
        self.read.get_or_init(|| {
            let mut all = Statement::default();
            for text in (self.texts)() {
                all.extend(Statement::read(&text));
                all.extend(Statement::read(&names_of_addresses(&text)));
            }
            all.words.retain(|word| !self.barred.has(&word.concept));
            all.facts.retain(|(fact, _)| !self.barred.facts.iter().any(|(it, _)| it.agrees(fact)));
            all
        })
    }
}

/// The preposition before a word or fact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    #[default]
    None,
    Before,
    After,
    From,
    To,
}

/// One occurrence of a content word.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    concept: String,
    clause: usize,
    negated: bool,
    relation: Relation,
    name: bool,
    /// Light words are ignored when content is compared.
    light: bool,
}

/// A parsed text.
#[derive(Debug, Clone, Default)]
struct Statement {
    words: Vec<Word>,
    facts: Vec<(Fact, Relation)>,
    /// Every word as written, and every pair of neighbours joined: `ear ache` gives `earache`.
    written: BTreeSet<String>,
    negates: bool,
}

/// Maximum fraction of the gold content words that may be lost.
const MOST_LOST: (usize, usize) = (1, 3);
/// Maximum number of added content words that nobody has said.
const MOST_ADDED: usize = 2;

/// Compares two texts by meaning.
///
/// [`Agreement::Different`] if a fact differs, is lost or is invented; if a word is negated in only
/// one text, follows a different *before* or *after*, or has moved to another clause; if a name is
/// lost or invented; if a word is replaced by its opposite, or a verb that turns the statement is
/// added ([`TURNING`]); or if content words are replaced. A weekday beside its date is no new fact.
/// [`Agreement::Same`] if at most a third of the content words is lost and at most two are added
/// that nobody has said. [`Agreement::Unclear`] in between.
pub fn compare(gold: &str, predicted: &str, said: &Said<'_>) -> Agreement {
    if folded(gold) == folded(predicted) {
        return Agreement::Same;
    }
    let (gold, predicted) = (Statement::read(gold), Statement::read(predicted));
    if contradict(&gold, &predicted, said) {
        return Agreement::Different;
    }
    let (lost, added) = changes(&gold, &predicted);
    let name = |words: &[&Word]| words.iter().any(|word| word.name);
    let invented: Vec<&Word> = added.iter().copied().filter(|word| !said.knows(word)).collect();
    if name(&lost) || name(&invented) || !(lost.is_empty() || added.is_empty()) {
        return Agreement::Different;
    }
    let content = gold.content().count();
    if content == 0 && gold.facts.is_empty() {
        // Only light words, and they differ.
        return if added.is_empty() { Agreement::Unclear } else { Agreement::Different };
    }
    if lost.len() * MOST_LOST.1 <= content * MOST_LOST.0 && invented.len() <= MOST_ADDED {
        Agreement::Same
    } else {
        Agreement::Unclear
    }
}

/// Kinds of places, optional in a place's name.
const PLACES: [&str; 14] = [
    "room", "hall", "office", "building", "floor", "house", "street", "road", "station", "city",
    "town", "corner", "area", "site",
];

/// Compares the names of two places. They are the same if one has words like "room" or details that
/// were said before and the other doesn't; otherwise different. A word replaced by another is a
/// difference: the office is not the courtyard.
pub fn compare_places(gold: &str, predicted: &str, said: &Said<'_>) -> Agreement {
    if folded(gold) == folded(predicted) {
        return Agreement::Same;
    }
    let (gold, predicted) = (Statement::read(gold), Statement::read(predicted));
    let (lost, added) = changes(&gold, &predicted);
    let kind = |word: &&&Word| !PLACES.iter().any(|place| concept(place) == word.concept.as_str());
    let kept = lost.len() < gold.content().count() && (lost.is_empty() || added.is_empty());
    let lost = lost.iter().filter(kind).count();
    let invented = added.iter().filter(kind).filter(|word| !said.knows(word)).count();
    match kept && lost == 0 && invented == 0 && !contradict(&gold, &predicted, said) {
        true => Agreement::Same,
        false => Agreement::Different,
    }
}

fn folded(text: &str) -> Vec<String> {
    super::words::words(text)
}

fn contradict(gold: &Statement, predicted: &Statement, said: &Said<'_>) -> bool {
    gold.negates != predicted.negates
        || facts_differ(gold, predicted, said)
        || gold.stand_differently(predicted)
        || opposed(gold, predicted)
        || turned(gold, predicted, said)
        || has_moved(gold, predicted)
}

/// Whether a verb of [`TURNING`] is added that nobody has said.
fn turned(gold: &Statement, predicted: &Statement, said: &Said<'_>) -> bool {
    let added = |verb: &&str| predicted.has(verb) && !gold.has(verb);
    TURNING.iter().map(|verb| concept(verb)).any(|verb| added(&verb) && !said.statement().has(verb))
}

/// Whether a gold fact is lost or a fact is invented.
fn facts_differ(gold: &Statement, predicted: &Statement, said: &Said<'_>) -> bool {
    let in_gold = |one: &(Fact, Relation)| gold.facts.iter().any(|other| agree(one, other));
    let lost = gold.facts.iter().any(|one| !predicted.facts.iter().any(|other| agree(one, other)));
    lost || predicted.facts.iter().any(|one| match in_gold(one) {
        // Gold may leave out a month that was said elsewhere.
        true => said.names_other_month(&one.0, gold) || said.lacks_unit(&one.0, gold),
        false => !said.tells(&one.0) && !said.is_weekday_of(&one.0, predicted),
    })
}

fn agree((a, x): &(Fact, Relation), (b, y): &(Fact, Relation)) -> bool {
    a.agrees(b) && !conflict(*x, *y)
}

/// *Before* and *after* always matter; *from* and *to* only when exchanged, because "Clara's mail"
/// and "the mail from Clara" are the same.
fn conflict(a: Relation, b: Relation) -> bool {
    let order = |it| matches!(it, Relation::Before | Relation::After);
    a != b && (order(a) || order(b) || (a != Relation::None && b != Relation::None))
}

/// Whether one text replaces a word of the other by its opposite.
fn opposed(a: &Statement, b: &Statement) -> bool {
    let particle = |(x, y): &(&str, &str)| {
        let (in_a, in_b) = (|it| a.written.contains(it), |it| b.written.contains(it));
        in_a(*x) && !in_a(*y) && in_b(*y) && !in_b(*x)
    };
    OPPOSED.iter().any(|(x, y)| a.has(x) && !a.has(y) && b.has(y) && !b.has(x))
        || PARTICLES.iter().any(particle)
}

/// Opposites that are not content words.
const PARTICLES: [(&str, &str); 6] =
    [("on", "off"), ("off", "on"), ("up", "down"), ("down", "up"), ("in", "out"), ("out", "in")];

/// Whether a word has left the clause of one shared word for that of another: "roses for Ann, tea
/// for Bo" against "tea for Ann, roses for Bo".
fn has_moved(a: &Statement, b: &Statement) -> bool {
    let (a, b) = (a.clauses(), b.clauses());
    let shared: Vec<&str> = a.keys().filter(|word| b.contains_key(*word)).copied().collect();
    shared.iter().any(|x| {
        let (in_a, in_b) = (a[x], b[x]);
        let left = |y: &&str| a[*y] == in_a && b[*y] != in_b;
        let joined = |z: &&str| a[*z] != in_a && b[*z] == in_b;
        shared.iter().any(left) && shared.iter().any(joined)
    })
}

/// Content words lost from `gold`, and those added by `predicted`.
fn changes<'s>(gold: &'s Statement, predicted: &'s Statement) -> (Vec<&'s Word>, Vec<&'s Word>) {
    let missing = |from: &'s Statement, other: &'s Statement| {
        let mut seen = BTreeSet::new();
        let words = from.content().filter(|word| !other.says(word, from));
        words.filter(|word| seen.insert(&word.concept)).collect()
    };
    (missing(gold, predicted), missing(predicted, gold))
}

impl Said<'_> {
    fn tells(&self, fact: &Fact) -> bool {
        self.statement().facts.iter().any(|(other, _)| fact.agrees(other))
    }

    /// Whether a date adds a month that gold omits and that contradicts every mention of the day.
    fn names_other_month(&self, fact: &Fact, gold: &Statement) -> bool {
        let Fact::Date { month: Some(_), day, .. } = fact else { return false };
        let of_day = |(it, _): &&(Fact, Relation)| matches!(it, Fact::Date { month: Some(_), day: other, .. } if other == day);
        let mut months = self.statement().facts.iter().filter(of_day).peekable();
        !gold.facts.iter().any(|it| of_day(&it))
            && months.peek().is_some()
            && !months.any(|(other, _)| fact.agrees(other))
    }

    /// Whether a number adds a unit that gold omits and nobody said.
    fn lacks_unit(&self, fact: &Fact, gold: &Statement) -> bool {
        let Fact::Number(_, Some(_)) = fact else { return false };
        let said = self.statement().facts.iter().chain(&gold.facts);
        !said.map(|(other, _)| other).any(|other| fact == other)
    }

    /// Whether a fact is the weekday of a date in the text. A missing month or year is taken from
    /// earlier mentions.
    fn is_weekday_of(&self, fact: &Fact, text: &Statement) -> bool {
        let Fact::Day(wanted) = fact else { return false };
        let said = || self.statement().facts.iter().chain(&text.facts).map(|(fact, _)| fact);
        let years = || said().filter_map(|it| it.date()?.2).collect::<BTreeSet<u16>>();
        text.facts.iter().filter_map(|(it, _)| it.date()).any(|(month, day, year)| {
            let of_day = said().filter_map(Fact::date).filter(|it| it.1 == day);
            let months: BTreeSet<u8> =
                month.map_or_else(|| of_day.filter_map(|it| it.0).collect(), |it| [it].into());
            let years = year.map_or_else(years, |it| [it].into());
            let pairs = months.iter().flat_map(|month| years.iter().map(move |it| (*it, *month)));
            pairs.filter_map(|(year, month)| weekday(year, month, day)).any(|it| it == *wanted)
        })
    }

    /// Whether a value, such as a token, occurs verbatim.
    pub fn has(&self, value: &str) -> bool {
        !value.is_empty() && (self.texts)().iter().any(|text| text.contains(value))
    }

    fn knows(&self, word: &Word) -> bool {
        self.statement().has(&word.concept)
    }
}

impl Statement {
    fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let mut statement = Statement { written: written(&tokens), ..Statement::default() };
        let (mut at, mut clause) = (0, 0);
        let (mut negated, mut relation) = (false, Relation::None);
        while at < tokens.len() {
            if let Some((fact, length)) = fact_at(&tokens, at) {
                at += length;
                // In "until Friday, 24 May", "until" applies to both.
                let shares = matches!(fact, Fact::Day(_)) && date_follows(&tokens, at);
                statement.facts.push((fact, relation));
                relation = if shares { relation } else { Relation::None };
                continue;
            }
            match &tokens[at] {
                Token::Pause | Token::Stop => (negated, clause) = (false, clause + 1),
                // A code, such as R-5203, counts as a name.
                Token::Number(code) => statement.words.push(Word {
                    concept: code.clone(),
                    clause,
                    negated,
                    relation: std::mem::take(&mut relation),
                    name: true,
                    light: false,
                }),
                Token::Word { text, capital } => match text.as_str() {
                    "no" | "not" | "never" | "none" | "neither" | "nor" | "without" | "cannot"
                    | "nobody" | "nothing" | "unable" | "dont" => {
                        (negated, statement.negates) = (true, true);
                    }
                    "but" | "because" | "although" | "unless" | "so" => {
                        (negated, clause) = (false, clause + 1);
                    }
                    "with" => negated = false,
                    "before" | "until" | "till" => relation = Relation::Before,
                    "after" | "since" => relation = Relation::After,
                    "from" => relation = Relation::From,
                    "to" => relation = Relation::To,
                    word if is_content(word) => statement.words.push(Word {
                        concept: concept(word).to_owned(),
                        clause,
                        negated,
                        relation: std::mem::take(&mut relation),
                        name: *capital,
                        light: LIGHT.contains(&word),
                    }),
                    _ => {}
                },
            }
            at += 1;
        }
        statement
    }

    fn extend(&mut self, other: Statement) {
        self.words.extend(other.words);
        self.facts.extend(other.facts);
        self.written.extend(other.written);
    }

    /// The words that are not light.
    fn content(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| !word.light)
    }

    fn has(&self, concept: &str) -> bool {
        self.words.iter().any(|word| word.concept == concept)
    }

    /// Whether this text contains a content word of another, also split into two words or as part
    /// of a compound.
    fn says(&self, word: &Word, other: &Statement) -> bool {
        let concept = &word.concept;
        self.words.iter().any(|own| own.concept == *concept || related(&own.concept, concept))
            || other
                .written
                .iter()
                .any(|joined| joined.contains(concept.as_str()) && self.written.contains(joined))
    }

    /// Whether a shared word is negated in only one text, or follows conflicting prepositions.
    fn stand_differently(&self, other: &Statement) -> bool {
        self.words.iter().any(|word| {
            let mut same = other.words.iter().filter(|it| it.concept == word.concept).peekable();
            let own = self.words.iter().filter(|it| it.concept == word.concept).count();
            same.peek().is_some()
                && own == 1
                && !same
                    .any(|it| it.negated == word.negated && !conflict(it.relation, word.relation))
        })
    }

    /// The clause index of each content word that occurs once.
    fn clauses(&self) -> BTreeMap<&str, usize> {
        let mut clauses = BTreeMap::new();
        let mut twice = BTreeSet::new();
        for word in self.content() {
            if clauses.insert(word.concept.as_str(), word.clause).is_some() {
                twice.insert(word.concept.as_str());
            }
        }
        clauses.retain(|word, _| !twice.contains(word));
        clauses
    }
}

/// The names in mail addresses: `emil hofer` for emil.hofer@tirol.example.
fn names_of_addresses(text: &str) -> String {
    let addresses = text.split_whitespace().filter_map(|word| word.split_once('@'));
    addresses.map(|(name, _)| name.replace(['.', '_', '-'], " ") + " ").collect()
}

/// The words of a name as concepts, without words like "level": `blood_glucose` and `Blood sugar level`.
pub fn key(name: &str) -> Vec<String> {
    let words = folded(name);
    let is_part = |word: &&String| {
        !matches!(word.as_str(), "body" | "level" | "levels" | "reading" | "value")
    };
    let kept: Vec<String> = words.iter().filter(is_part).map(|it| concept(it).to_owned()).collect();
    if kept.is_empty() { words } else { kept }
}

/// Whether a date comes next, perhaps after a comma.
fn date_follows(tokens: &[Token], at: usize) -> bool {
    let at = at + usize::from(tokens.get(at) == Some(&Token::Pause));
    at < tokens.len() && fact_at(tokens, at).is_some_and(|(fact, _)| fact.date().is_some())
}

/// The weekday of a date, Monday is 0.
fn weekday(year: u16, month: u8, day: u8) -> Option<usize> {
    let (year, month, day) = (year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
    let date = jiff::civil::Date::new(year, month, day).ok()?;
    usize::try_from(date.weekday().to_monday_zero_offset()).ok()
}

fn written(tokens: &[Token]) -> BTreeSet<String> {
    let words: Vec<&str> = tokens.iter().filter_map(Token::word).collect();
    let pairs = words.windows(2).map(|pair| pair.concat());
    words.iter().map(|word| (*word).to_owned()).chain(pairs).collect()
}

/// Maps the root of each synonym to the root of its group's first word.
static FIRST: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let mut first = BTreeMap::new();
    for group in SYNONYMS {
        for word in *group {
            first.entry(root(word)).or_insert_with(|| root(group[0]));
        }
    }
    first
});
static BASES: LazyLock<BTreeMap<&str, &str>> =
    LazyLock::new(|| IRREGULAR.iter().copied().collect());
static OPPOSED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let pairs = OPPOSITES.iter().map(|(a, b)| (concept(a), concept(b)));
    pairs.flat_map(|(a, b)| [(a, b), (b, a)]).collect()
});

/// Normalizes a word to the first of its synonyms, else to its root.
fn concept(word: &str) -> &str {
    let root = root(BASES.get(word).copied().unwrap_or(word));
    FIRST.get(root).copied().unwrap_or(root)
}

/// The stem, with a doubled final consonant made single: `swimming` gives `swim`.
fn root(word: &str) -> &str {
    let stem = stem(word);
    let mut letters = stem.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(a), Some(b)) if a == b && !"aeioulsz".contains(a) && stem.len() < word.len() => {
            &stem[..stem.len() - a.len_utf8()]
        }
        _ => stem,
    }
}

/// Suffixes that form a word of the same family; `l` remains of `ly` after stemming.
const FAMILY: [&str; 12] =
    ["er", "or", "ers", "ly", "l", "ful", "ment", "ness", "fall", "ish", "ation", "ition"];

/// Whether one is the other with such a suffix: `photograph` and `photographer`.
fn related(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.len() >= 4 && long.strip_prefix(short).is_some_and(|ending| FAMILY.contains(&ending))
}

#[cfg(test)]
mod tests;
