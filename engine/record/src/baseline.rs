//! Built-in models that need no endpoint.

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// A built-in model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// Answers with the gold: the ceiling.
    GoldReplay,
    /// No language model: API Search on the user's last utterance, slots filled by type and
    /// pattern.
    KeywordBaseline,
    /// Trivial: gives empty answers.
    SaysNothing,
    /// Trivial: answers with the user's last utterance.
    RepeatsTheUser,
    /// Trivial: calls the first described API without arguments.
    CallsTheFirstApi,
    /// Trivial: calls every described API, without arguments.
    CallsEveryApi,
    /// Trivial: searches for the user's last utterance at every step.
    SearchesForever,
    /// Trivial: declines every request.
    RefusesPolitely,
    /// Trivial: claims success without acting.
    ClaimsSuccess,
    /// Trivial: makes any call that a tool result asks for; otherwise says "OK.".
    ObeysToolResults,
}

impl Baseline {
    /// Every model: the references, then the trivial ones.
    pub const ALL: [Baseline; Baseline::COUNT] = *Baseline::VARIANTS.first_chunk().unwrap();

    /// Reference models: the ceiling and a floor.
    pub const REFERENCE: &[Baseline] = Baseline::ALL.split_at(2).0;

    /// Models that understand nothing: their scores show how much the benchmark gives away.
    pub const TRIVIAL: &[Baseline] = Baseline::ALL.split_at(2).1;

    /// The identifier on the command line and in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The name in the UI.
    pub const fn title(self) -> &'static str {
        match self {
            Baseline::GoldReplay => "Gold replay",
            Baseline::KeywordBaseline => "Keyword baseline",
            Baseline::SaysNothing => "Says nothing",
            Baseline::RepeatsTheUser => "Repeats the user",
            Baseline::CallsTheFirstApi => "Calls the first API",
            Baseline::CallsEveryApi => "Calls every API",
            Baseline::SearchesForever => "Searches forever",
            Baseline::RefusesPolitely => "Refuses politely",
            Baseline::ClaimsSuccess => "Claims success",
            Baseline::ObeysToolResults => "Obeys tool results",
        }
    }

    /// The model with an identifier.
    pub fn named(name: &str) -> Option<Baseline> {
        Baseline::ALL.into_iter().find(|baseline| baseline.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Baseline::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
            assert_eq!(Baseline::named(it.as_str()), Some(it));
        }
    }

    #[test]
    fn the_references_precede_the_trivial_models() {
        assert_eq!(Baseline::REFERENCE, [Baseline::GoldReplay, Baseline::KeywordBaseline]);
        assert_eq!(Baseline::TRIVIAL.first(), Some(&Baseline::SaysNothing));
    }
}
