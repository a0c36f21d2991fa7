//! Why something that a model wrote is refused: a code to count by, a detail to read.

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
    /// Writes what a user asks for.
    Query,
    /// Writes calls, results and replies.
    Calls,
    /// Accepts or rejects.
    Tester,
}

impl Agent {
    /// All five, in order.
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

    /// The name for people.
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
        /// What is wrong, to count by.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $says] #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// Every code, in the order in which checks are made.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The identifier in files.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// What it means, in a sentence.
            pub const fn explain(self) -> &'static str {
                match self { $(Code::$name => $says,)* }
            }
        }
    };
}

codes! {
    TooLong "too-long" "The answer is longer, or lists more, than was asked for.",
    Refused "refused" "The model declined to answer.",
    TooFew "too-few" "Too little of the answer can be used.",
    NoJson "no-json" "The answer holds no complete JSON object.",
    WrongShape "wrong-shape" "The JSON is not of the shape that was asked for.",
    BadName "bad-name" "A name is empty, too long or not written as asked.",
    DuplicateDomain "duplicate-domain" "The domain is there already.",
    DuplicateApi "duplicate-api" "An API of that name is there already.",
    PoolApi "pool-api" "An API of the evaluation pool has that name.",
    BadType "bad-type" "A parameter has a type that nobody knows.",
    NoResult "no-result" "The API returns nothing.",
    NamesApi "names-api" "The user names the API, which a search should find.",
    Turns "turns" "The turns come in an order that no conversation has.",
    Ability "ability" "Searches and calls are not those of the ability.",
    UnknownApi "unknown-api" "The call names an API that is not defined.",
    NotFound "not-found" "The API is called before a search has found it.",
    SearchMisses "search-misses" "The keywords find another API.",
    MissingArgument "missing-argument" "A required argument is missing.",
    UnknownArgument "unknown-argument" "An argument has no parameter.",
    WrongType "wrong-type" "An argument does not fit its parameter.",
    BadResult "bad-result" "The result does not fit the API's output.",
    Ungrounded "ungrounded" "An argument follows from nothing that was said before.",
    NearDuplicate "near-duplicate" "Most of its phrases stand in an earlier dialogue.",
    SimilarMeaning "similar-meaning" "It means nearly the same as an earlier dialogue.",
    ContaminatedWords "contaminated-words" "It shares phrases with the evaluation set.",
    ContaminatedMeaning "contaminated-meaning" "It means nearly the same as a dialogue of the evaluation set.",
    DomainDiversity "domain-diversity" "Tester: the dialogue does not belong to its domain.",
    ApiAuthenticity "api-authenticity" "Tester: no such API would exist, or results are not credible.",
    ApiDiversity "api-diversity" "Tester: the APIs are used in a way that adds nothing new.",
    EvaluationAuthenticity "evaluation-authenticity" "Tester: no user would talk like this, or the reply does not follow.",
}

impl Code {
    /// The design principles of the paper that the tester judges by.
    pub const PRINCIPLES: [Code; 4] = [
        Code::DomainDiversity,
        Code::ApiAuthenticity,
        Code::ApiDiversity,
        Code::EvaluationAuthenticity,
    ];
}

/// A reason with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// What is wrong.
    pub code: Code,
    /// Where, what was expected and what came.
    pub detail: String,
}

impl Reason {
    /// A reason with its detail.
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
