//! Prompting fields as typed: protocol, search results, trials, turn limit, prompt texts.

use super::field::{FieldName, Problem};
use super::retriever::RetrieverChoice;
use crate::t;
use crate::texts::Texts;
use apis::search::SearchResults;
use exchange::protocol::prompts::Text;
use exchange::protocol::prompts::parts;
use exchange::protocol::{DescribedApis, Part, Prompts, Protocol, Steps};
use record::{EmbeddingModel, LONGEST_EPISODE, MOST_TRIALS, RunSettings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Describes a protocol in one or two sentences.
pub fn explain(protocol: Protocol, texts: Texts) -> &'static str {
    match protocol {
        Protocol::Bracket => {
            t!(
                texts,
                "Calls are text in square brackets, with the recorded history. The model decides whether a \
                call is due. Works with any model."
            )
        }
        Protocol::Paper => {
            t!(
                texts,
                "Like bracket, but as in the paper: the prompt asks for a call, and describes only the \
                APIs that the dialogue uses."
            )
        }
        Protocol::Tools => {
            t!(texts, "Native tool calls on the recorded history. The model must support tools.")
        }
        Protocol::AllTools => {
            t!(
                texts,
                "Like tools, but describes the whole pool. Searches are omitted and not counted."
            )
        }
        Protocol::Agent => {
            t!(
                texts,
                "The model acts autonomously: its calls run, the user follows a script, and the final \
                database state decides."
            )
        }
    }
}

/// Form fields on prompting, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asking {
    /// The protocol.
    pub protocol: Protocol,
    /// Which steps of a dialogue are asked.
    pub steps: Steps,
    /// Which APIs the prompts of Call describe.
    pub described_apis: DescribedApis,
    /// How many APIs a search returns.
    pub search_results: SearchResults,
    /// What answers the searches.
    pub retriever: RetrieverChoice,
    /// A model of the user's that answers searches instead. It is loaded in this page alone.
    #[serde(skip)]
    pub own_retriever: Option<EmbeddingModel>,
    /// Trials of each sample.
    pub trials: String,
    /// Maximum number of answers per episode.
    pub turn_limit: String,
    /// Changed prompt texts by protocol.
    pub edited: BTreeMap<Protocol, BTreeMap<Part, Text>>,
}

impl Default for Asking {
    fn default() -> Self {
        Asking {
            protocol: Protocol::default(),
            steps: Steps::default(),
            described_apis: DescribedApis::default(),
            search_results: SearchResults::default(),
            retriever: RetrieverChoice::default(),
            own_retriever: None,
            trials: "1".to_owned(),
            turn_limit: record::turn_limit().to_string(),
            edited: BTreeMap::new(),
        }
    }
}

impl Asking {
    /// The current texts of a part.
    pub fn text(&self, part: Part) -> Text {
        let edited = self.edited.get(&self.protocol).and_then(|parts| parts.get(&part));
        edited.unwrap_or_else(|| Prompts::builtin(self.protocol).text(part)).clone()
    }

    /// Edits the texts of a part. Texts equal to the built-in ones are not custom.
    pub fn edit(&mut self, part: Part, change: impl FnOnce(&mut Text)) {
        let mut text = self.text(part);
        change(&mut text);
        let edited = self.edited.entry(self.protocol).or_default();
        edited.insert(part, text);
        edited.retain(|part, text| text != Prompts::builtin(self.protocol).text(*part));
        if edited.is_empty() {
            self.reset();
        }
    }

    /// Restores the protocol's built-in texts.
    pub fn reset(&mut self) {
        self.edited.remove(&self.protocol);
    }

    /// Whether the protocol's texts are custom.
    pub fn is_custom(&self) -> bool {
        self.edited.contains_key(&self.protocol)
    }

    /// Copies the fields to the settings; invalid ones go to `problems`.
    pub fn apply(&self, settings: &mut RunSettings, problems: &mut Vec<Problem>, texts: Texts) {
        settings.protocol = self.protocol;
        settings.described_apis = self.described_apis;
        settings.search_results = self.search_results;
        // An episode is a whole dialogue.
        settings.steps = if self.protocol == Protocol::Agent { Steps::All } else { self.steps };
        let most = u64::from(MOST_TRIALS);
        if let Some(trials) =
            whole(&self.trials, most, FieldName::Trials, t!(texts, "Trials"), problems, texts)
        {
            settings.trials = u32::try_from(trials).unwrap_or(MOST_TRIALS);
        }
        if self.protocol == Protocol::Agent {
            let (most, field) = (LONGEST_EPISODE as u64, FieldName::TurnLimit);
            if let Some(limit) =
                whole(&self.turn_limit, most, field, t!(texts, "Turn limit"), problems, texts)
            {
                settings.turn_limit = usize::try_from(limit).unwrap_or(LONGEST_EPISODE);
            }
        }
        if self.is_custom() {
            let all = parts(self.protocol).iter().map(|part| (*part, self.text(*part))).collect();
            match Prompts::custom(self.protocol, all) {
                Ok(prompts) => settings.custom_prompts = Some(prompts),
                Err(error) => problems.push(Problem {
                    field: FieldName::Prompts,
                    message: t!(texts, "Prompts: {error}.", error = error),
                }),
            }
        }
    }
}

/// Parses a whole number from 1 to `most`.
fn whole(
    text: &str,
    most: u64,
    field: FieldName,
    label: &str,
    problems: &mut Vec<Problem>,
    texts: Texts,
) -> Option<u64> {
    let value = text.trim().parse().ok().filter(|value| (1..=most).contains(value));
    if value.is_none() {
        let message = t!(
            texts,
            "{label}: expected a whole number from 1 to {most}, got {text}.",
            label = label,
            most = most,
            text = format!("{text:?}")
        );
        problems.push(Problem { field, message });
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Baseline;
    use record::Model;

    fn apply(asking: &Asking) -> Result<RunSettings, Vec<Problem>> {
        let mut settings = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
        let mut problems = Vec::new();
        asking.apply(&mut settings, &mut problems, Texts::ENGLISH);
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }

    #[test]
    fn defaults_are_the_engines() {
        let settings = apply(&Asking::default()).unwrap();
        let plain = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
        assert_eq!(settings, plain);
    }

    #[test]
    fn numbers_are_checked_only_where_they_apply() {
        let mut asking =
            Asking { trials: "0".to_owned(), turn_limit: "x".to_owned(), ..Asking::default() };
        let fields = |asking: &Asking| {
            let problems = apply(asking).unwrap_err();
            problems.into_iter().map(|problem| problem.field).collect::<Vec<_>>()
        };
        assert_eq!(fields(&asking), [FieldName::Trials]);
        asking.protocol = Protocol::Agent;
        assert_eq!(fields(&asking), [FieldName::Trials, FieldName::TurnLimit]);
    }

    #[test]
    fn edited_prompts_are_custom_until_restored() {
        let mut asking = Asking { protocol: Protocol::Tools, ..Asking::default() };
        let own = asking.text(Part::Reply);
        asking.edit(Part::Reply, |text| text.system = "Answer in {year}.".to_owned());
        let prompts = apply(&asking).unwrap().custom_prompts.unwrap();
        assert!(prompts.is_custom());
        assert_eq!(prompts.text(Part::Reply).system, "Answer in {year}.");
        assert_eq!(prompts.text(Part::Call), Prompts::builtin(Protocol::Tools).text(Part::Call));
        asking.edit(Part::Reply, |text| text.system = "Answer in {century}.".to_owned());
        let problems = apply(&asking).unwrap_err();
        assert!(problems[0].message.contains("{century} is not a slot here"), "{problems:?}");
        asking.protocol = Protocol::Bracket;
        assert!(!asking.is_custom(), "texts belong to their protocol");
        asking.protocol = Protocol::Tools;
        asking.edit(Part::Reply, |text| *text = own);
        assert!(!asking.is_custom());
    }
}
