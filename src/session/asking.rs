//! Prompting fields as typed: the retriever and prompt texts.

use super::field::{FieldName, Problem};
use super::retriever_choice::RetrieverChoice;
use crate::t;
use crate::texts::Texts;
use exchange::protocol::prompts::Text;
use exchange::protocol::prompts::parts;
use exchange::protocol::{Part, Prompts, Protocol};
use record::{EmbeddingModel, RunSettings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Form fields on prompting that are more than an option.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asking {
    /// What answers the searches.
    pub retriever: RetrieverChoice,
    /// A model of the user's that answers searches instead. It is loaded in this page alone.
    #[serde(skip)]
    pub own_retriever: Option<EmbeddingModel>,
    /// Changed prompt texts by protocol.
    pub edited: BTreeMap<Protocol, BTreeMap<Part, Text>>,
}

impl Asking {
    /// The current texts of a part.
    pub fn text(&self, protocol: Protocol, part: Part) -> Text {
        let edited = self.edited.get(&protocol).and_then(|parts| parts.get(&part));
        edited.unwrap_or_else(|| Prompts::builtin(protocol).text(part)).clone()
    }

    /// Edits the texts of a part. Texts equal to the built-in ones are not custom.
    pub fn edit(&mut self, protocol: Protocol, part: Part, change: impl FnOnce(&mut Text)) {
        let mut text = self.text(protocol, part);
        change(&mut text);
        let edited = self.edited.entry(protocol).or_default();
        edited.insert(part, text);
        edited.retain(|part, text| text != Prompts::builtin(protocol).text(*part));
        if edited.is_empty() {
            self.reset(protocol);
        }
    }

    /// Restores a protocol's built-in texts.
    pub fn reset(&mut self, protocol: Protocol) {
        self.edited.remove(&protocol);
    }

    /// Whether a protocol's texts are custom.
    pub fn is_custom(&self, protocol: Protocol) -> bool {
        self.edited.contains_key(&protocol)
    }

    /// Copies the prompts of the settings' protocol to them; invalid ones go to `problems`.
    pub fn apply(&self, settings: &mut RunSettings, problems: &mut Vec<Problem>, texts: Texts) {
        let protocol = settings.protocol;
        if !self.is_custom(protocol) {
            return;
        }
        let all = parts(protocol).iter().map(|part| (*part, self.text(protocol, *part))).collect();
        match Prompts::custom(protocol, all) {
            Ok(prompts) => settings.custom_prompts = Some(prompts),
            Err(error) => problems.push(Problem {
                field: FieldName::Prompts,
                message: t!(texts, "Prompts: {error}.", error = error),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Baseline, Model};

    fn apply(asking: &Asking) -> Result<RunSettings, Vec<Problem>> {
        let mut settings = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
        settings.protocol = Protocol::Tools;
        let mut problems = Vec::new();
        asking.apply(&mut settings, &mut problems, Texts::ENGLISH);
        if problems.is_empty() { Ok(settings) } else { Err(problems) }
    }

    #[test]
    fn edited_prompts_are_custom_until_restored() {
        let (mut asking, protocol) = (Asking::default(), Protocol::Tools);
        let own = asking.text(protocol, Part::Reply);
        asking.edit(protocol, Part::Reply, |text| text.system = "Answer in {year}.".to_owned());
        let prompts = apply(&asking).unwrap().custom_prompts.unwrap();
        assert!(prompts.is_custom());
        assert_eq!(prompts.text(Part::Reply).system, "Answer in {year}.");
        assert_eq!(prompts.text(Part::Call), Prompts::builtin(protocol).text(Part::Call));
        asking.edit(protocol, Part::Reply, |text| text.system = "Answer in {century}.".to_owned());
        let problems = apply(&asking).unwrap_err();
        assert!(problems[0].message.contains("{century} is not a slot here"), "{problems:?}");
        assert!(!asking.is_custom(Protocol::Bracket), "texts belong to their protocol");
        asking.edit(protocol, Part::Reply, |text| *text = own);
        assert!(!asking.is_custom(protocol));
    }
}
