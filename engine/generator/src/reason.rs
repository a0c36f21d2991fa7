//! Why a model's answer is rejected: a code for statistics and a detail for readers.

use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The five agents of the pipeline, after section 4 of the paper (arXiv 2304.08244).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Agent {
    /// Names domains.
    Domains,
    /// Writes the APIs of a domain.
    Apis,
    /// Writes a user's first utterance.
    Query,
    /// Writes calls, their results, and replies.
    Calls,
    /// Accepts or rejects a dialogue.
    Tester,
}

impl Agent {
    /// All agents, in the order in which they work.
    pub const ALL: [Agent; Agent::COUNT] = *Agent::VARIANTS.first_chunk().unwrap();

    /// The identifier in files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Agent::Domains => "Domains",
            Agent::Apis => "APIs",
            Agent::Query => "Query",
            Agent::Calls => "Calls and reply",
            Agent::Tester => "Tester",
        }
    }
}

macro_rules! codes {
    ($($name:ident $says:literal,)*) => {
        /// The kind of a reason.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[derive(IntoStaticStr, VariantArray)]
        #[serde(rename_all = "kebab-case")]
        #[strum(serialize_all = "kebab-case")]
        pub enum Code {
            $(#[doc = $says] $name,)*
        }

        impl Code {
            /// All codes, in the order of the checks.
            pub const ALL: &'static [Code] = Code::VARIANTS;

            /// The identifier in files.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// The meaning, in one sentence.
            pub const fn explain(self) -> &'static str {
                match self { $(Code::$name => $says,)* }
            }
        }
    };
}

codes! {
    TooLong "The answer is longer, or lists more, than requested.",
    Refused "The model declined to answer.",
    TooFew "Too little of the answer can be used.",
    NoJson "The answer holds no complete JSON object.",
    WrongShape "The JSON does not have the requested shape.",
    BadName "A name is empty, too long or malformed.",
    DuplicateDomain "The domain exists already.",
    DuplicateApi "An API of that name exists already.",
    PoolApi "An API of the evaluation pool has that name.",
    BadType "A parameter has an unknown type.",
    NoResult "The API returns nothing.",
    NamesApi "The user names the API that a search should find.",
    Turns "The turns are in an impossible order.",
    Ability "The numbers of searches and calls do not fit the ability.",
    UnknownApi "The call names an API that is not defined.",
    NotFound "The API is called before a search finds it.",
    SearchMisses "The keywords find another API.",
    MissingArgument "A required argument is missing.",
    UnknownArgument "The API has no such parameter.",
    WrongType "An argument does not fit its parameter.",
    BadResult "The result does not fit the API's output.",
    FailsCheck "A check of the pack finds a mistake in the task.",
    Ungrounded "An argument does not follow from the conversation before it.",
    NearDuplicate "It shares most of its phrases with an earlier dialogue.",
    SimilarMeaning "It means nearly the same as an earlier dialogue.",
    ContaminatedWords "It shares phrases with the evaluation set.",
    ContaminatedMeaning "It means nearly the same as a dialogue of the evaluation set.",
    DomainDiversity "Tester: the dialogue does not belong to its domain.",
    ApiAuthenticity "Tester: no such API would exist, or results are not credible.",
    ApiDiversity "Tester: the APIs are used in a way that adds nothing new.",
    EvaluationAuthenticity "Tester: the user is not believable, or the reply does not follow.",
}

impl Code {
    /// Whether the answer could not be read, which says nothing about what was asked.
    pub(crate) const fn is_unreadable(self) -> bool {
        matches!(self, Code::TooLong | Code::Refused | Code::NoJson | Code::WrongShape)
    }

    /// The paper's design principles, by which the tester judges.
    pub const PRINCIPLES: [Code; 4] = [
        Code::DomainDiversity,
        Code::ApiAuthenticity,
        Code::ApiDiversity,
        Code::EvaluationAuthenticity,
    ];
}

/// A code with its detail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The kind of problem.
    pub code: Code,
    /// Its location, and the expected and actual values.
    pub detail: String,
}

impl Reason {
    /// Creates a reason.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Reason { code, detail: detail.into() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_the_names_in_json() {
        for it in Agent::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
        for it in Code::ALL {
            assert_eq!(serde_json::json!(it), it.as_str());
        }
    }
}
