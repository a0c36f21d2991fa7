//! Disclosures that a reader needs to interpret a record's accuracy.
//!
//! A record can be consistent and still misleading: by omitted samples, by failures that hide wrong
//! answers, by hand-picked dialogues. All of that is counted here from the samples.

use super::{
    App, CheckedSignature, Outcome, Rate, Record, SampleRecord, Setting, Shards, SignatureState,
    Status, differing,
};
use crate::Subset;
use crate::metrics::ByDialogue;
use crate::metrics::horizon::{Play, adaptive, horizons_of};
use dataset::{Ability, RecordedCall, Split};
use exchange::protocol::{Protocol, Sample};
use scoring::Profile;
use scoring::statistics::horizon::Horizon;
use serde::{Deserialize, Serialize};

/// How a record was made, and its accuracy with failed and missing samples excluded or counted as
/// wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Disclosure {
    /// The model's name.
    pub model: String,
    /// Whether the model is built in: verification recomputes its answers too.
    pub builtin: bool,
    /// The split.
    pub split: Split,
    /// Of a run on horizon tasks, the horizon over all of them.
    pub horizon: Option<Horizon>,
    /// The abilities.
    pub abilities: Vec<Ability>,
    /// How the dialogues were chosen.
    pub subset: Subset,
    /// The seed that determines a sampled subset.
    pub seed: u32,
    /// The shards that the record contains; `None` for a whole run.
    pub shard: Option<Shards>,
    /// The protocol that prompted the model.
    pub protocol: Protocol,
    /// Trials per sample.
    pub trials: u32,
    /// The profile that judged the answers.
    pub profile: Profile,
    /// Whether the run finished, according to the record.
    pub status: Status,
    /// Planned samples that are in the record.
    pub samples: usize,
    /// The number of samples that these settings plan.
    pub planned: usize,
    /// Samples in the record without an answer, which are not scored.
    pub failed: usize,
    /// The unit of the rates below.
    pub unit: Unit,
    /// The accuracy over scored samples, which a consistent record reports.
    pub accuracy: Rate,
    /// The accuracy if unscored samples in the record count as wrong.
    pub failures_wrong: Rate,
    /// The accuracy if missing samples count as wrong too; `None` if none are missing.
    pub missing_wrong: Option<Rate>,
    /// Settings with other values than the default.
    pub settings: Vec<Setting>,
    /// Whether the user replaced the prompts.
    pub custom_prompts: bool,
    /// Parameters omitted because the endpoint refused them.
    pub dropped_parameters: Vec<String>,
    /// Reasons why the accuracy may mislead.
    pub warnings: Vec<Warning>,
}

/// The unit of an accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Decisions: calls and, in the hard split, steps that need no call.
    Calls,
    /// Whole dialogues, under `agent`.
    Dialogues,
}

/// A reason why a record's accuracy may mislead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Warning {
    /// No signature vouches for the endpoint's answers.
    Unsigned,
    /// Valid signatures, by keys that the reader does not trust.
    UnknownSigner {
        /// The number of signatures.
        signatures: usize,
    },
    /// Signatures that do not match the record.
    BrokenSignature {
        /// The number of signatures.
        signatures: usize,
    },
    /// Signatures that can't be parsed.
    UnreadableSignature {
        /// The number of signatures.
        signatures: usize,
    },
    /// Some samples have no answer.
    NotScored {
        /// Samples without an answer.
        failed: usize,
        /// All samples in the record.
        samples: usize,
    },
    /// Planned samples are missing from the record.
    Missing {
        /// The number of missing samples.
        missing: usize,
        /// The number of planned samples.
        planned: usize,
    },
    /// The record contains only some shards of a run.
    PartOfRun {
        /// The number of shards in the record.
        parts: usize,
        /// The number of shards in the run.
        of: u32,
    },
    /// The user listed the dialogues individually.
    HandPicked {
        /// The number of dialogues listed.
        dialogues: usize,
    },
    /// The run chose its horizon tasks by the answers so far.
    AdaptiveTasks,
    /// The user replaced the prompts.
    CustomPrompts,
    /// Settings that can make tasks easier.
    EasierSettings {
        /// Names with values.
        settings: Vec<String>,
    },
    /// The browser's own model answered.
    BrowserModel,
    /// Another retriever than the built-in one answered the searches.
    OtherRetriever {
        /// Its name.
        name: String,
    },
    /// The model was asked tasks that it wrote itself.
    OwnTasks {
        /// The model that wrote them.
        written_by: String,
    },
    /// Parameters that the endpoint refused.
    DroppedParameters {
        /// The parameters' names.
        names: Vec<String>,
    },
    /// The summary uses a profile other than the default.
    OtherProfile {
        /// The summary's profile.
        profile: Profile,
    },
    /// The record has no digest, because version 1 of the format had none.
    NoDigest,
    /// There are differences, and a different build made the record.
    OtherBuild {
        /// The program that made the record.
        made: App,
        /// This program.
        this: App,
    },
}

impl Warning {
    /// The stable identifier, as in the JSON.
    pub const fn code(&self) -> &'static str {
        match self {
            Warning::Unsigned => "unsigned",
            Warning::UnknownSigner { .. } => "unknown-signer",
            Warning::BrokenSignature { .. } => "broken-signature",
            Warning::UnreadableSignature { .. } => "unreadable-signature",
            Warning::NotScored { .. } => "not-scored",
            Warning::Missing { .. } => "missing",
            Warning::PartOfRun { .. } => "part-of-run",
            Warning::HandPicked { .. } => "hand-picked",
            Warning::AdaptiveTasks => "adaptive-tasks",
            Warning::CustomPrompts => "custom-prompts",
            Warning::EasierSettings { .. } => "easier-settings",
            Warning::BrowserModel => "browser-model",
            Warning::OtherRetriever { .. } => "other-retriever",
            Warning::OwnTasks { .. } => "own-tasks",
            Warning::DroppedParameters { .. } => "dropped-parameters",
            Warning::OtherProfile { .. } => "other-profile",
            Warning::NoDigest => "no-digest",
            Warning::OtherBuild { .. } => "other-build",
        }
    }

    /// The warning's text.
    pub fn text(&self) -> String {
        match self {
            Warning::Unsigned => {
                "Nobody signed this record, so nothing says who made it.".to_owned()
            }
            Warning::UnknownSigner { signatures } => format!(
                "Signed by unknown keys: {signatures}. Anyone can make a key and give it any name: \
                 only the fingerprint of a key that you know says who signed."
            ),
            Warning::BrokenSignature { signatures } => format!(
                "Broken signatures: {signatures}. The record was changed after it was signed, or \
                 the signature is of another record or key."
            ),
            Warning::UnreadableSignature { signatures } => {
                format!("Signatures that can't be read: {signatures}. They prove nothing.")
            }
            Warning::NotScored { failed, samples } => format!(
                "{failed} of {samples} samples failed and are not scored. A wrong answer that is \
                 turned into a failure raises the accuracy; compare the one that counts failures \
                 as wrong."
            ),
            Warning::Missing { missing, planned } => format!(
                "{missing} of {planned} planned samples are missing. Whoever leaves out wrong \
                 answers raises the accuracy; compare the one that counts missing samples as wrong."
            ),
            Warning::PartOfRun { parts, of } => {
                format!("{parts} of the {of} parts of this run are here. Merge them all.")
            }
            Warning::HandPicked { dialogues } => format!(
                "The {dialogues} dialogues of this run are hand-picked. Its accuracy says nothing \
                 about the others; don't compare it with other runs."
            ),
            Warning::AdaptiveTasks => {
                "The tasks were chosen during the run, so verification can't \
                                       tell whether failed tasks were left out."
                    .to_owned()
            }
            Warning::CustomPrompts => {
                "The prompts were changed. Compare only with runs that use the same ones."
                    .to_owned()
            }
            Warning::EasierSettings { settings } => format!(
                "Settings that can make tasks easier: {}. Compare only with runs that have them too.",
                settings.join(", ")
            ),
            Warning::BrowserModel => {
                "The browser's own model answered: it has no digest, can change with the browser, \
                 and takes no settings for sampling. Nobody can repeat this run exactly."
                    .to_owned()
            }
            Warning::OtherRetriever { name } => format!(
                "The retriever {name} answered the searches. Compare only with runs that use the \
                 same one, or to learn what the retriever changes."
            ),
            Warning::OwnTasks { written_by } => format!(
                "{written_by} wrote these tasks. A model does better on its own tasks than on others; \
                 don't compare it with other models on them."
            ),
            Warning::DroppedParameters { names } => format!(
                "The endpoint refused {}, so the model was asked without.",
                names.join(", ")
            ),
            Warning::OtherProfile { profile } => format!(
                "The record sums up the profile {}, not the default, {}.",
                profile.as_str(),
                Profile::Execution.as_str()
            ),
            Warning::NoDigest => "The record has no digest, as version 1 of the format had none: \
                                  a changed answer can't be noticed."
                .to_owned(),
            Warning::OtherBuild { made, this } => format!(
                "It was made by {} (build {}), and this is {} (build {}): a difference may come \
                 from that.",
                made.version,
                if made.build.is_empty() { "unknown" } else { &made.build },
                this.version,
                this.build
            ),
        }
    }
}

/// Counts a record's samples for its disclosure.
#[derive(Debug, Clone)]
pub struct Counter {
    profile: Profile,
    here: usize,
    failed: usize,
    scored: ByDialogue,
    /// All verdicts, with unscored samples counted as wrong.
    all: ByDialogue,
    /// Played horizon tasks.
    plays: Vec<Play>,
}

impl Counter {
    /// A counter for verdicts under `profile`.
    pub fn new(profile: Profile) -> Self {
        let (scored, all) = (ByDialogue::default(), ByDialogue::default());
        Counter { profile, here: 0, failed: 0, scored, all, plays: Vec::new() }
    }

    /// Counts a planned sample.
    pub fn add(&mut self, sample: &SampleRecord) {
        self.here += 1;
        self.failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        self.plays.extend(Play::of(0, sample));
        if !sample.counts_for(self.profile) {
            return;
        }
        let correct = sample.verdict(self.profile).map(|verdict| verdict.correct);
        if let Some(correct) = correct {
            self.scored.add(&sample.dialogue, sample.turn, correct);
        }
        self.all.add(&sample.dialogue, sample.turn, correct == Some(true));
    }

    /// The disclosure of a record for `planned` samples. `missing` lists the missing samples that
    /// would count towards the accuracy, by dialogue and turn.
    pub fn finish<'a>(
        self,
        frame: &Record,
        planned: usize,
        missing: impl Iterator<Item = (&'a str, usize)>,
    ) -> Disclosure {
        let mut all_planned = self.all.clone();
        missing.for_each(|(dialogue, turn)| all_planned.add(dialogue, turn, false));
        let missing = planned.saturating_sub(self.here);
        let new = Disclosure {
            model: frame.model.title().to_owned(),
            builtin: matches!(frame.model, super::Model::Builtin { .. }),
            split: frame.split,
            horizon: horizons_of(&self.plays).into_iter().next().map(|row| row.estimate),
            abilities: frame.settings().abilities().to_vec(),
            subset: frame.subset.clone(),
            seed: frame.seed,
            shard: frame.shard.clone(),
            protocol: frame.protocol,
            trials: frame.trials,
            profile: self.profile,
            status: frame.status,
            samples: self.here,
            planned,
            failed: self.failed,
            unit: if frame.protocol.is_agent() { Unit::Dialogues } else { Unit::Calls },
            accuracy: self.scored.rate(),
            failures_wrong: self.all.rate(),
            missing_wrong: (missing > 0).then(|| all_planned.rate()),
            settings: differing(frame),
            custom_prompts: frame.custom_prompts.is_some(),
            dropped_parameters: frame.dropped_parameters.clone(),
            warnings: Vec::new(),
        };
        let mut warnings = new.warnings();
        let easier = new.settings.iter().filter(|setting| setting.easier);
        let easier: Vec<String> = easier.map(|it| format!("{} = {}", it.name, it.value)).collect();
        if !easier.is_empty() {
            warnings.push(Warning::EasierSettings { settings: easier });
        }
        if adaptive(frame.pack.edition(), &frame.subset).is_some() && !new.builtin {
            warnings.push(Warning::AdaptiveTasks);
        }
        if frame.model.is_browsers() {
            warnings.push(Warning::BrowserModel);
        }
        if let Some(retriever) = &frame.search.retriever {
            warnings.push(Warning::OtherRetriever { name: retriever.title().to_owned() });
        }
        if let Some(written_by) = wrote_tasks(frame) {
            warnings.push(Warning::OwnTasks { written_by: written_by.to_owned() });
        }
        if frame.digest.is_empty() {
            warnings.push(Warning::NoDigest);
        }
        Disclosure { warnings, ..new }
    }
}

/// The model that wrote the tasks, if it is the one that was asked. Vendors prefix names, and dates
/// follow them: `openai/gpt-5` and `gpt-5-2026-01-01` are one model.
pub fn wrote_tasks(frame: &Record) -> Option<&str> {
    let written_by = frame.pack.tools.as_ref()?.written_by.as_deref()?;
    let bare = |name: &str| name.rsplit('/').next().unwrap_or(name).trim().to_lowercase();
    let (one, other) = (bare(written_by), bare(frame.model.title()));
    let same = !one.is_empty()
        && !other.is_empty()
        && (one.starts_with(&other) || other.starts_with(&one));
    same.then_some(written_by)
}

/// Whether a planned sample counts towards an accuracy, as [`SampleRecord::counts_for`].
pub fn counts(sample: &Sample<'_>, profile: Profile) -> bool {
    let excluded = sample.correction().is_some_and(|it| it.excluded);
    let search = sample.gold_call().is_some_and(RecordedCall::is_search);
    let rated = sample.kind.is_rated(search && profile != Profile::Original);
    rated && !(excluded && profile != Profile::Original)
}

impl Disclosure {
    /// Derives the warnings from the other fields.
    fn warnings(&self) -> Vec<Warning> {
        let (failed, samples, planned) = (self.failed, self.samples, self.planned);
        let missing = planned.saturating_sub(samples);
        let picked = match &self.subset {
            Subset::Dialogues(ids) => Some(Warning::HandPicked { dialogues: ids.len() }),
            Subset::All | Subset::Percent(_) | Subset::PerAbility(_) => None,
        };
        let part = self.shard.as_ref();
        let part = part.map(|part| Warning::PartOfRun { parts: part.parts.len(), of: part.of });
        let names = self.dropped_parameters.clone();
        let profile = self.profile;
        [
            (missing > 0).then_some(Warning::Missing { missing, planned }),
            (failed > 0).then_some(Warning::NotScored { failed, samples }),
            picked,
            part,
            self.custom_prompts.then_some(Warning::CustomPrompts),
            (!names.is_empty()).then_some(Warning::DroppedParameters { names }),
            (profile != Profile::Execution).then_some(Warning::OtherProfile { profile }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Adds the warnings about the record's signatures. A signature by itself adds no trust.
    pub fn warn_of_signatures(&mut self, found: &[CheckedSignature]) {
        let count = |is: fn(&SignatureState) -> bool| {
            Some(found.iter().filter(|it| is(&it.state)).count()).filter(|count| *count > 0)
        };
        let broken = count(|state| matches!(state, SignatureState::Broken));
        let unreadable = count(|state| matches!(state, SignatureState::Unreadable { .. }));
        let broken = broken.map(|signatures| Warning::BrokenSignature { signatures });
        let unreadable = unreadable.map(|signatures| Warning::UnreadableSignature { signatures });
        let unsigned = (found.is_empty() && !self.builtin).then_some(Warning::Unsigned);
        let unknown = count(|it| matches!(it, SignatureState::Valid)).filter(|_| !self.builtin);
        let unknown = unknown.map(|signatures| Warning::UnknownSigner { signatures });
        self.warnings.splice(0..0, [broken, unreadable].into_iter().flatten());
        self.warnings.extend(unsigned.or(unknown));
    }

    /// Drops the warning about unknown signers, because the reader trusts the key of one.
    pub fn trust(&mut self) {
        self.warnings.retain(|warning| !matches!(warning, Warning::UnknownSigner { .. }));
    }

    /// The unscored share of the samples in the record, 0 to 1.
    pub fn not_scored(&self) -> f64 {
        if self.samples == 0 { 0.0 } else { self.failed as f64 / self.samples as f64 }
    }

    /// Whether there is a warning with this code.
    pub fn warns(&self, code: &str) -> bool {
        self.warnings.iter().any(|warning| warning.code() == code)
    }
}
