//! A record as the table needs it, and which records it takes.

use super::game;
use super::rank::{of_models, ranks};
use super::{ENDING, Kind, LeaderboardRow, Proof, RecordFile, Score, Scores, command};
use crate::compare::samples::{Sample, Samples, Trials, samples};
use crate::metrics::horizon::{MOST_TASKS, Play, plays};
use crate::metrics::{Tokens, times, tokens, tokens_per_second};
use crate::options::{invalid, unranked};
use crate::table::Shape;
use crate::{
    AbilityRow, Baseline, CheckedSignature, Model, Outcome, Rate, Record, RunSettings,
    SCHEMA_VERSION, Setting, SignatureState, Status, Subset, Summary, differing, summarize,
};
use dataset::{Ability, Edition, Language, Split};
use exchange::protocol::Protocol;
use scoring::Profile;
use std::collections::BTreeSet;
use thiserror::Error;

/// The part of the dialogues, in percent, that may stand for all. One only: whoever could choose would
/// choose the part with the best score.
const PART: u8 = 25;
/// The longest name of a file, in characters.
const LONGEST_NAME: usize = 100;

/// Why a record is not in the table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}: {field}: expected {expected}, got {got}")]
pub struct Refused {
    /// The file's name.
    pub file: String,
    /// The field.
    pub field: String,
    /// What the table takes.
    pub expected: String,
    /// What the record has.
    pub got: String,
}

/// A sample's place and its verdicts under each of [`Profile::ALL`].
#[derive(Debug, Clone)]
struct Judged {
    id: String,
    dialogue: String,
    ability: Ability,
    trials: [Option<Trials>; Profile::ALL.len()],
}

/// A record reduced to what the table needs.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) model: Model,
    pub(super) settings: RunSettings,
    pub(super) listed: Vec<Setting>,
    pub(super) file: RecordFile,
    pub(super) name: String,
    /// The tasks of a horizon run; `None` for other runs.
    pub(super) horizon: Option<Vec<Play>>,
    tokens: Tokens,
    latency_ms: Option<u64>,
    tokens_per_second: Option<f64>,
    finished_ms: u64,
    summaries: [Summary; Profile::ALL.len()],
    judged: Vec<Judged>,
    pub(super) steps: game::Verdicts,
}

/// The name of a record's file without its ending: the model, then whatever is not the default.
/// Letters, digits and dashes.
pub fn slug(record: &Record) -> String {
    let mut words = vec![record.model.title().to_lowercase()];
    if record.protocol != Protocol::default() {
        words.push(record.protocol.as_str().to_owned());
    }
    if record.split != Split::Standard {
        words.push(record.split.as_str().to_owned());
    }
    words.extend(record.pack.language.map(|language| language.as_str().to_owned()));
    words.extend(record.pack.horizon.map(|seed| format!("horizon-{seed}")));
    if let Subset::Percent(percent) = record.subset {
        words.push(format!("{percent}-percent"));
    }
    let text = words.join("-");
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let slug = words.join("-");
    slug.get(..LONGEST_NAME - ENDING.len()).map_or(slug.clone(), str::to_owned)
}

/// Whether a file may have this name: lower-case letters, digits and dashes, then [`ENDING`].
pub fn is_file_name(name: &str) -> bool {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() <= LONGEST_NAME
        && name.strip_suffix(ENDING).is_some_and(|it| !it.is_empty() && it.chars().all(known))
}

impl Entry {
    /// Reads a record of `bytes` compressed bytes from the file `name`. `signatures` are those of
    /// the record, checked.
    ///
    /// Only the digest and the summary are recomputed here: `runner::results` replays the samples.
    ///
    /// # Errors
    /// When the record is not of a run with default settings, or of another part of the dialogues,
    /// lacks answers, or contradicts itself.
    pub fn new(
        name: &str,
        bytes: usize,
        record: &Record,
        signatures: Vec<CheckedSignature>,
    ) -> Result<Self, Refused> {
        admit(name, record)?;
        for (index, signature) in signatures.iter().enumerate() {
            if signature.state != SignatureState::Valid {
                let field = format!("signatures[{index}]");
                return Err(refused(name, &field, "a valid one", signature.state.as_str()));
            }
        }
        let builtin = matches!(record.model, Model::Builtin { .. });
        let proof = if builtin { Proof::Reproduced } else { Proof::Recomputed };
        let out = name.strip_suffix(".gz").unwrap_or(name);
        let file = RecordFile {
            split: record.split,
            language: record.pack.language,
            url: format!("./{name}"),
            integrity: String::new(),
            bytes,
            digest: record.digest.clone(),
            command: command(record, out),
            proof,
            signatures,
        };
        Ok(Entry {
            model: record.model.clone(),
            settings: record.settings(),
            listed: differing(record),
            file,
            name: name.to_owned(),
            horizon: matches!(record.pack.edition(), Edition::Horizon(_)).then(|| plays(record)),
            tokens: tokens(&record.samples),
            latency_ms: (!builtin).then(|| times(&record.samples).latency.p50_ms),
            tokens_per_second: tokens_per_second(&record.samples)
                .map(|it| (10.0 * it).round() / 10.0),
            finished_ms: record.times.finished_ms,
            summaries: Profile::ALL.map(|profile| summarize(&record.samples, profile)),
            judged: judged(record),
            steps: game::verdicts(record),
        })
    }

    /// Sets the subresource integrity of the record's file.
    #[must_use]
    pub fn with_integrity(mut self, integrity: String) -> Self {
        self.file.integrity = integrity;
        self
    }

    pub(super) const fn protocol(&self) -> Protocol {
        self.settings.protocol
    }

    /// Whether another record is of the same model asked in the same way; the split may differ.
    pub(super) fn is_of_row(&self, other: &Entry) -> bool {
        self.model.clone().without_hardware() == other.model.clone().without_hardware()
            && self.protocol() == other.protocol()
            && self.settings.trials == other.settings.trials
    }

    pub(super) fn kind(&self) -> Kind {
        match &self.model {
            Model::Builtin { name } if Baseline::TRIVIAL.contains(name) => Kind::Trivial,
            Model::Builtin { .. } => Kind::Reference,
            Model::Endpoint(_) | Model::Agent(_) => Kind::Model,
        }
    }

    /// The samples with a verdict under a profile of [`Profile::ALL`].
    fn samples(&self, profile: usize) -> Samples<'_> {
        let sample = |it: &'_ Judged| Some((it.trials.get(profile).copied()??, it.ability));
        let samples = self.judged.iter().filter_map(|judged| {
            let (trials, ability) = sample(judged)?;
            Some((judged.id.as_str(), Sample { ability, dialogue: &judged.dialogue, trials }))
        });
        samples.collect()
    }
}

fn judged(record: &Record) -> Vec<Judged> {
    let verdicts = Profile::ALL.map(|profile| samples(record, profile));
    let mut ids: Vec<(&str, &str, Ability)> = Vec::new();
    let mut known = BTreeSet::new();
    for (id, sample) in verdicts.iter().flatten() {
        if known.insert(*id) {
            ids.push((id, sample.dialogue, sample.ability));
        }
    }
    let of = |(id, dialogue, ability): (&str, &str, Ability)| Judged {
        id: id.to_owned(),
        dialogue: dialogue.to_owned(),
        ability,
        trials: [0, 1, 2].map(|index| {
            let samples: Option<&Samples<'_>> = verdicts.get(index);
            samples.and_then(|samples| samples.get(id)).map(|sample| sample.trials)
        }),
    };
    ids.into_iter().map(of).collect()
}

pub(super) fn refused(
    file: &str,
    field: &str,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> Refused {
    let (file, field) = (file.to_owned(), field.to_owned());
    Refused { file, field, expected: expected.into(), got: got.into() }
}

/// Takes runs with the default settings, of all dialogues or of the part that the default seed draws,
/// in which every sample has an answer.
fn admit(file: &str, record: &Record) -> Result<(), Refused> {
    let no = |field: &str, expected: &str, got: String| Err(refused(file, field, expected, got));
    let new = RunSettings::new(record.model.clone());
    if !is_file_name(file) {
        return no("name", "lower-case letters, digits and dashes, then .json.gz", file.to_owned());
    }
    if record.schema_version != SCHEMA_VERSION {
        let expected = SCHEMA_VERSION.to_string();
        return no("schema_version", &expected, record.schema_version.to_string());
    }
    match record.pack.edition() {
        edition @ Edition::Variant(_) => return no("pack.variant", "none", edition.to_string()),
        Edition::Original | Edition::Language(_) | Edition::Horizon(_) => {}
    }
    admit_subset(file, record)?;
    if record.shard.is_some() {
        return no("shard", "a merged run", "parts of one".to_owned());
    }
    let all = record.pack.horizon.map_or(new.abilities.as_slice(), |_| &[Ability::Plan]);
    if record.split == Split::Standard && record.abilities != all {
        return no("abilities", "all of them", record.abilities.len().to_string());
    }
    if matches!(record.model, Model::Agent(_)) && record.protocol != Protocol::Agent {
        return no(
            "protocol",
            "agent, under which agents play",
            record.protocol.as_str().to_owned(),
        );
    }
    let settings = record.settings();
    if let Some(option) = unranked(&settings) {
        return no(option.field, option.default, (option.read)(&settings));
    }
    if record.model.has_grammar(record.protocol) {
        return no("model.grammar", "answers in the model's own form", "a grammar".to_owned());
    }
    if let Model::Endpoint(endpoint) = &record.model
        && let Some((name, decides)) = provider::extra::refused(&endpoint.extra)
    {
        let field = format!("model.extra.{name}");
        return no(&field, "no field that decides what is asked", format!("one for {decides}"));
    }
    if let Some(option) = invalid(&settings) {
        return no(option.field, &option.values.to_string(), (option.read)(&settings));
    }
    if record.model.is_browsers() {
        return no("model.in_page", "a model with a digest", "the browser's own".to_owned());
    }
    if record.custom_prompts.is_some() {
        return no("custom_prompts", "the project's", "others".to_owned());
    }
    if let Some(retriever) = &record.search.retriever {
        return no("search.retriever", "the built-in one", retriever.title().to_owned());
    }
    let (count, planned) = (record.samples.len(), record.planned);
    if record.status != Status::Finished || count != planned {
        return no("samples", &planned.to_string(), count.to_string());
    }
    let failed = |it: &&crate::SampleRecord| matches!(it.outcome, Outcome::Failed { .. });
    let failed = record.samples.iter().filter(failed).count();
    if failed > 0 {
        let got = format!("{failed} without one. `api-bank run --resume` asks for them again");
        return no("samples", "an answer to each", got);
    }
    if record.computed_digest().as_ref() != Ok(&record.digest) {
        return no("digest", "the digest of the record", record.digest.clone());
    }
    if record.summary != summarize(&record.samples, Profile::Execution) {
        return no("summary", "the summary of the samples", "another".to_owned());
    }
    Ok(())
}

/// Takes all dialogues or one part of them, and all horizon tasks or a staircase of one size.
fn admit_subset(file: &str, record: &Record) -> Result<(), Refused> {
    let no = |field: &str, expected: &str, got: String| Err(refused(file, field, expected, got));
    let first_seed = RunSettings::new(record.model.clone()).seed;
    match record.subset {
        Subset::PerAbility(MOST_TASKS) if record.pack.horizon.is_some() => {}
        Subset::All => {}
        Subset::Percent(PART) if record.pack.horizon.is_none() => {
            // Another seed could be chosen for its score, too.
            if record.seed != first_seed {
                let expected = format!("{first_seed} with a part of the dialogues");
                return no("seed", &expected, record.seed.to_string());
            }
        }
        _ => {
            let expected = match record.pack.horizon {
                Some(_) => format!("all tasks, or {MOST_TASKS} of each tier"),
                None => format!("all dialogues, or {PART} % of them"),
            };
            return no("subset", &expected, record.subset.to_string());
        }
    }
    Ok(())
}

/// The rows of a protocol.
pub(super) fn board<'a>(
    entries: impl Iterator<Item = &'a Entry>,
) -> Result<Vec<LeaderboardRow>, Refused> {
    let (english, translated): (Vec<&Entry>, Vec<&Entry>) =
        entries.partition(|entry| entry.file.language.is_none());
    let (standard, hard): (Vec<&Entry>, Vec<&Entry>) =
        english.into_iter().partition(|entry| entry.file.split == Split::Standard);
    for of in [&standard, &hard, &translated] {
        for (index, entry) in of.iter().enumerate() {
            let same =
                |it: &&&Entry| it.is_of_row(entry) && it.file.language == entry.file.language;
            if let Some(first) = of.iter().take(index).find(same) {
                let expected = "one record for each model, protocol, split and language";
                return Err(refused(&entry.name, "model", expected, &first.name));
            }
        }
    }
    let mut others = hard.iter().chain(&translated);
    if let Some(alone) = others.find(|entry| !standard.iter().any(|row| row.is_of_row(entry))) {
        let expected = "a record of the standard split beside it";
        return Err(refused(&alone.name, "split", expected, "none"));
    }
    let mut rows: Vec<LeaderboardRow> = Vec::new();
    for (entry, ranks) in standard.iter().zip(ranked(&standard)) {
        let hard = hard.iter().copied().find(|it| it.is_of_row(entry));
        let mut others: Vec<&Entry> =
            translated.iter().copied().filter(|it| it.is_of_row(entry)).collect();
        others.sort_by_key(|entry| entry.file.language);
        rows.push(row(entry, hard, &others, &ranks));
    }
    let score = |row: &LeaderboardRow| row.scores.first().and_then(|it| it.total.0.value());
    let share = |row: &LeaderboardRow| score(row).unwrap_or_default();
    rows.sort_by(|a, b| share(b).total_cmp(&share(a)).then_with(|| a.model.cmp(&b.model)));
    Ok(rows)
}

/// The ranks of each entry under [`Profile::ALL`].
fn ranked(entries: &[&Entry]) -> Vec<[Option<usize>; Profile::ALL.len()]> {
    let by_profile = [0, 1, 2].map(|profile| {
        let runs = entries.iter().map(|entry| (entry.kind(), entry.samples(profile)));
        of_models(runs.collect(), ranks)
    });
    let of = |index: usize| by_profile.each_ref().map(|ranks| ranks.get(index).copied().flatten());
    (0..entries.len()).map(of).collect()
}

fn row(
    entry: &Entry,
    hard: Option<&Entry>,
    translated: &[&Entry],
    ranks: &[Option<usize>; Profile::ALL.len()],
) -> LeaderboardRow {
    let scores = Profile::ALL.iter().enumerate().map(|(index, profile)| {
        let summary = entry.summaries.get(index);
        let hard = hard.and_then(|hard| hard.summaries.get(index));
        let scored = |summary: Option<&Summary>| {
            let shape = summary.map(Shape::of);
            let rows = summary.into_iter().flat_map(|summary| summary.rows.clone());
            rows.filter_map(|row| Some((Score(*shape?.rate(&row)), row))).collect::<Vec<_>>()
        };
        let (rows, kinds) = (scored(summary), scored(hard));
        let in_language = |it: &&Entry| -> Option<(Language, Score)> {
            let (score, _) = scored(it.summaries.get(index)).pop()?;
            Some((it.file.language?, score))
        };
        let total = |rows: &[(Score, AbilityRow)]| rows.last().map(|(score, _)| *score);
        let secondary = summary.map(Shape::of).zip(rows.last()).map(|(shape, (_, row))| {
            shape.secondary().map(|metric| (metric, Score(*metric.rate(row)))).collect()
        });
        Scores {
            profile: *profile,
            rank: ranks.get(index).copied().flatten(),
            total: total(&rows).unwrap_or(Score(Rate::default())),
            abilities: rows.iter().filter_map(|(score, it)| Some((it.ability?, *score))).collect(),
            secondary: secondary.unwrap_or_default(),
            hard: total(&kinds),
            kinds: kinds.iter().filter_map(|(score, it)| Some((it.kind?, *score))).collect(),
            languages: translated.iter().filter_map(in_language).collect(),
        }
    });
    LeaderboardRow {
        model: entry.model.title().to_owned(),
        kind: entry.kind(),
        protocol: entry.protocol(),
        trials: entry.settings.trials,
        percent: match entry.settings.subset {
            Subset::Percent(percent) => Some(percent),
            _ => None,
        },
        settings: entry.listed.clone(),
        records: std::iter::once(entry)
            .chain(hard)
            .chain(translated.iter().copied())
            .map(|entry| entry.file.clone())
            .collect(),
        tokens: entry.tokens,
        latency_ms: entry.latency_ms,
        tokens_per_second: entry.tokens_per_second,
        hardware: entry.model.hardware(),
        finished_ms: entry.finished_ms,
        scores: scores.collect(),
    }
}
