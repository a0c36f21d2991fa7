//! The names that the page gives to terms of the scoring, and a sentence that explains each.

use crate::t;
use crate::texts::Texts;
use record::table::SecondaryMetric;
use scoring::{ErrorClass, Profile};

/// An error class in the page. Exports and the command line keep the paper's term.
pub fn class(class: ErrorClass, texts: Texts) -> &'static str {
    match class {
        ErrorClass::HasException => t!(texts, "Call failed"),
        class => texts.get(class.title()),
    }
}

/// The condition of an error class.
pub fn class_meaning(class: ErrorClass, texts: Texts) -> &'static str {
    match class {
        ErrorClass::NoApiCall => t!(texts, "The answer contains no call."),
        ErrorClass::FalseApiCallFormat => t!(texts, "The answer contains a malformed call."),
        ErrorClass::UnneededApiCall => t!(texts, "The model calls an API at a no-call step."),
        ErrorClass::FailedApiRetrieval => {
            t!(texts, "A required search is missing, or the needed API is not among its results.")
        }
        ErrorClass::ApiHallucination => t!(texts, "The pool has no such API."),
        ErrorClass::WrongApi => t!(texts, "The model calls another API from the pool."),
        ErrorClass::MissingInputParameters => t!(texts, "A required parameter is missing."),
        ErrorClass::InvalidInputParameters => {
            t!(texts, "A parameter is unknown or its value has the wrong type.")
        }
        ErrorClass::HasException => t!(texts, "The call fails where the gold call succeeds."),
        ErrorClass::WrongResult => {
            t!(texts, "The call's result or database changes differ from the gold call's.")
        }
    }
}

/// A profile's criterion in a few words.
pub fn profile(profile: Profile, texts: Texts) -> &'static str {
    match profile {
        Profile::Execution => t!(texts, "same effect"),
        Profile::Exact => t!(texts, "same text"),
        Profile::F1 => t!(texts, "partial credit"),
        Profile::Original => t!(texts, "original evaluator"),
    }
}

/// The sentence that explains a profile where it is chosen.
pub fn profile_meaning(profile: Profile, texts: Texts) -> &'static str {
    match profile {
        Profile::Execution => {
            t!(texts, "execution: a call is right if it does what its dialogue declares.")
        }
        Profile::Exact => {
            t!(texts, "exact: a call is right if its name and all values are the gold call's.")
        }
        Profile::F1 => {
            t!(texts, "f1: as exact, and also scores names and values that are partly right.")
        }
        Profile::Original => {
            t!(texts, "original: the verdict of the original evaluator, bugs included.")
        }
    }
}

/// Explains a secondary metric.
pub fn metric_meaning(metric: SecondaryMetric, texts: Texts) -> &'static str {
    match metric {
        SecondaryMetric::Searches => t!(
            texts,
            "Searches that return the needed API; under agent, the first search of each dialogue. A search for an API that an earlier one has returned already does not count."
        ),
        SecondaryMetric::Restraint => t!(texts, "No-call steps answered in words."),
        SecondaryMetric::Told => t!(
            texts,
            "Replies that state every fact that the dialogue lists for them; under agent, dialogues."
        ),
        SecondaryMetric::Dialogues => t!(
            texts,
            "Dialogues with every call and every no-call step right. Dialogues with an unscored step are excluded."
        ),
    }
}
