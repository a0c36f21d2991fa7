//! Which steps of a dialogue a run asks.

use super::{Plan, Sample, SampleKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The steps of each dialogue that a run asks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Steps {
    /// Every call, every reply after a call, and every decision to make none.
    #[default]
    All,
    /// Only the first call of each dialogue.
    First,
}

impl Steps {
    /// Both variants.
    pub const ALL: [Steps; Steps::COUNT] = *Steps::VARIANTS.first_chunk().unwrap();

    /// The identifier in records and on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it is the default, which records omit.
    pub fn is_all(&self) -> bool {
        *self == Steps::All
    }
}

impl Plan<'_> {
    /// Removes the samples that `steps` excludes and adds their number to `left_out`. If the
    /// original scores a call twice, only the first remains.
    #[must_use]
    pub fn only(mut self, steps: Steps) -> Self {
        if steps == Steps::All {
            return self;
        }
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        // A call, or in the hard split a step where no call is right.
        let decides = |it: &Sample<'_>| match it.kind {
            SampleKind::Call | SampleKind::Episode => true,
            SampleKind::Restraint => it.hard().is_some(),
            SampleKind::Reply => false,
        };
        for sample in self.samples.iter().filter(|sample| decides(sample)) {
            let turn = first.entry(&sample.dialogue.id).or_insert(sample.turn);
            *turn = sample.turn.min(*turn);
        }
        let left_out = &mut self.left_out;
        self.samples.retain(|sample| {
            let repeat = sample.source.is_some_and(|source| source.sample.repeat);
            let is_first = first.get(sample.dialogue.id.as_str()) == Some(&sample.turn);
            let asked = is_first && decides(sample) && !repeat;
            *left_out += usize::from(!asked && sample.trial == 1);
            asked
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{DescribedApis, Protocol, Sample, plan};
    use dataset::{Ability, Pack, Split};

    const MANIFEST: &str = r#"{"name": "n", "version": "1", "today": "2024-05-15", "seed": 1}"#;
    const PLAN: &str = r#"{"requirement": "Do it.", "response": "Done.", "apis": [
        {"api_name": "ToolSearcher", "input": {"keywords": "a"}, "output": {"api_name": "ToolSearcher", "output": {"name": "Calculator"}}},
        {"api_name": "Calculator", "input": {"formula": "1"}, "output": {"api_name": "Calculator", "output": 1}},
        {"api_name": "Calculator", "input": {"formula": "2"}, "output": {"api_name": "Calculator", "output": 2}}]}"#;

    #[test]
    fn the_first_call_that_a_protocol_asks_is_kept() {
        let files = [("manifest.json", MANIFEST), ("dialogues/plan/x.json", PLAN)];
        let pack = Pack::load(files).unwrap();
        let asked = |protocol, steps| {
            let plan =
                plan(protocol, &pack, Split::Standard, &Ability::ALL, 2, DescribedApis::default())
                    .only(steps);
            (plan.samples.iter().map(Sample::id).collect::<Vec<_>>(), plan.left_out)
        };
        let ids = |ids: [&str; 2]| ids.map(str::to_owned).to_vec();
        assert_eq!(asked(Protocol::Bracket, Steps::All).0.len(), 10);
        assert_eq!(asked(Protocol::Bracket, Steps::First), (ids(["plan/x#1", "plan/x#1@2"]), 4));
        // `all-tools` excludes the search.
        assert_eq!(asked(Protocol::AllTools, Steps::First), (ids(["plan/x#2", "plan/x#2@2"]), 4));
    }

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Steps::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
