//! Assigns rules to samples.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    gold::{Gold, GoldSample},
    rule::Rule,
};

/// A rule for each sample.
///
/// As a file: `{"otherwise": "right", "samples": {"call/early-train-alarm#3": "empty"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The rule for every sample not listed.
    pub otherwise: Rule,
    /// Rules by sample id.
    #[serde(default)]
    pub samples: BTreeMap<String, Rule>,
}

/// Why a script is invalid.
#[derive(Debug, Error)]
pub enum ScriptError {
    /// Invalid JSON, or not shaped like a script.
    #[error(
        "expected a script like {{\"otherwise\": \"right\", \"samples\": {{\"ID\": \"empty\"}}}}: {0}"
    )]
    Shape(#[from] serde_json::Error),
    /// A sample that does not exist in the pack.
    #[error("the pack has no sample {id:?}; ids look like {example:?}")]
    UnknownSample {
        /// The id in the script.
        id: String,
        /// An id that exists.
        example: String,
    },
    /// A rule that does not apply to its sample.
    #[error("the sample {id} cannot be answered by {rule:?}: pick another sample or rule")]
    DoesNotApply {
        /// The sample.
        id: String,
        /// The rule.
        rule: Rule,
    },
}

impl Script {
    /// The same rule for every sample.
    #[must_use]
    pub fn all(rule: Rule) -> Self {
        Script { otherwise: rule, samples: BTreeMap::new() }
    }

    /// Each of `rules` once, on the first sample without a rule that it applies to; all other
    /// samples are answered correctly. A rule that applies nowhere is left out.
    #[must_use]
    pub fn one_of_each(gold: &Gold, rules: &[Rule]) -> Self {
        let mut script = Script::all(Rule::Right);
        for rule in rules {
            let free = |sample: &&GoldSample| {
                sample.unique && !script.samples.contains_key(&sample.id) && rule.applies(sample)
            };
            // Calls first: a failed call is more informative than a failed reply.
            let sample = gold
                .samples()
                .iter()
                .filter(|sample| sample.call.is_some())
                .find(free)
                .or_else(|| gold.samples().iter().find(free));
            if let Some(sample) = sample {
                script.samples.insert(sample.id.clone(), *rule);
            }
        }
        script
    }

    /// Parses a script and validates it against the pack.
    ///
    /// # Errors
    /// Why the script is invalid.
    pub fn from_json(text: &str, gold: &Gold) -> Result<Self, ScriptError> {
        let script: Script = serde_json::from_str(text)?;
        for (id, rule) in &script.samples {
            let Some(sample) = gold.sample(id) else {
                let example = gold.samples().first().map(|sample| sample.id.clone());
                return Err(ScriptError::UnknownSample {
                    id: id.clone(),
                    example: example.unwrap_or_default(),
                });
            };
            if !rule.applies(sample) {
                return Err(ScriptError::DoesNotApply { id: id.clone(), rule: *rule });
            }
        }
        Ok(script)
    }

    /// A sample's rule; the gold answer if the rule does not apply.
    #[must_use]
    pub fn rule(&self, sample: &GoldSample) -> Rule {
        match self.samples.get(&sample.id) {
            Some(rule) => *rule,
            None if self.otherwise.applies(sample) => self.otherwise,
            None => Rule::Right,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_each_gives_every_rule_a_sample_of_its_own() {
        let gold = Gold::builtin().unwrap();
        let script = Script::one_of_each(&gold, &Rule::ALL);
        assert_eq!(script.samples.len(), Rule::ALL.len(), "{script:?}");
        let text = serde_json::to_string(&script).unwrap();
        assert_eq!(Script::from_json(&text, &gold).unwrap(), script);
    }

    #[test]
    fn mistakes_in_a_script_are_named() {
        let gold = Gold::builtin().unwrap();
        let reply = gold.samples().iter().find(|sample| sample.call.is_none()).unwrap();
        for (text, part) in [
            ("[]".to_owned(), "expected a script like"),
            (r#"{"otherwise": "rihgt"}"#.to_owned(), "rihgt"),
            (r#"{"otherwise": "right", "samples": {"x#1": "right"}}"#.to_owned(), "ids look like"),
            (
                format!(r#"{{"otherwise": "right", "samples": {{"{}": "no-call"}}}}"#, reply.id),
                "NoCall",
            ),
        ] {
            let message = Script::from_json(&text, &gold).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
