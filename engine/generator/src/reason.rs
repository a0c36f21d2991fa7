//! Why a model's answer is rejected: a code for statistics and a detail for readers.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The five agents of the pipeline, after section 4 of the paper (arXiv 2304.08244).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    pub const ALL: [Agent; 5] =
        [Agent::Domains, Agent::Apis, Agent::Query, Agent::Calls, Agent::Tester];

    /// The identifier in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Agent::Domains => "domains",
            Agent::Apis => "apis",
            Agent::Query => "query",
            Agent::Calls => "calls",
            Agent::Tester => "tester",
        }
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
    ($($name:ident $text:literal $says:literal,)*) => {
        /// The kind of a reason.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $says] #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// All codes, in the order of the checks.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The identifier in files.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// The meaning, in one sentence.
            pub const fn explain(self) -> &'static str {
                match self { $(Code::$name => $says,)* }
            }
        }
    };
}

codes! {
    TooLong "too-long" "The answer is longer, or lists more, than requested.",
    Refused "refused" "The model declined to answer.",
    TooFew "too-few" "Too little of the answer can be used.",
    NoJson "no-json" "The answer holds no complete JSON object.",
    WrongShape "wrong-shape" "The JSON does not have the requested shape.",
    BadName "bad-name" "A name is empty, too long or malformed.",
    DuplicateDomain "duplicate-domain" "The domain exists already.",
    DuplicateApi "duplicate-api" "An API of that name exists already.",
    PoolApi "pool-api" "An API of the evaluation pool has that name.",
    BadType "bad-type" "A parameter has an unknown type.",
    NoResult "no-result" "The API returns nothing.",
    NamesApi "names-api" "The user names the API that a search should find.",
    Turns "turns" "The turns are in an impossible order.",
    Ability "ability" "The numbers of searches and calls do not fit the ability.",
    UnknownApi "unknown-api" "The call names an API that is not defined.",
    NotFound "not-found" "The API is called before a search finds it.",
    SearchMisses "search-misses" "The keywords find another API.",
    MissingArgument "missing-argument" "A required argument is missing.",
    UnknownArgument "unknown-argument" "The API has no such parameter.",
    WrongType "wrong-type" "An argument does not fit its parameter.",
    BadResult "bad-result" "The result does not fit the API's output.",
    Ungrounded "ungrounded" "An argument does not follow from the conversation before it.",
    NearDuplicate "near-duplicate" "It shares most of its phrases with an earlier dialogue.",
    SimilarMeaning "similar-meaning" "It means nearly the same as an earlier dialogue.",
    ContaminatedWords "contaminated-words" "It shares phrases with the evaluation set.",
    ContaminatedMeaning "contaminated-meaning" "It means nearly the same as a dialogue of the evaluation set.",
    DomainDiversity "domain-diversity" "Tester: the dialogue does not belong to its domain.",
    ApiAuthenticity "api-authenticity" "Tester: no such API would exist, or results are not credible.",
    ApiDiversity "api-diversity" "Tester: the APIs are used in a way that adds nothing new.",
    EvaluationAuthenticity "evaluation-authenticity" "Tester: the user is not believable, or the reply does not follow.",
}

impl Code {
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
    }
}
