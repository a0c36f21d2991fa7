//! How a sample is answered, and the expected score.

use apis::{
    Arguments, registry,
    search::{TOOL_SEARCHER, tool_searcher},
};
use dataset::RecordedCall;
use exchange::call;
use exchange::protocol::SampleKind;
use provider::FailureClass;
use scoring::ErrorClass;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::gold::GoldSample;
use strum::{EnumCount, VariantArray};

/// Keywords that no API is for.
const OTHER_KEYWORDS: &str = "polish the brass of the lighthouse";

/// How a sample is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// With the gold answer.
    Right,
    /// With the gold answer, after a long time.
    Slow,
    /// With nothing at all.
    Empty,
    /// With prose instead of a call.
    NoCall,
    /// With a truncated call.
    BrokenFormat,
    /// With a different call where a search is required.
    NoSearch,
    /// With a search for something else.
    OtherKeywords,
    /// With an API that does not exist.
    HallucinatedApi,
    /// With a different API of the pool.
    WrongApi,
    /// Without a required argument.
    MissingArgument,
    /// With a parameter that the API does not have.
    InvalidArgument,
    /// With values that the API rejects.
    Exception,
    /// With values that change the result.
    WrongResult,
    /// With HTTP 500, every time.
    ServerError,
    /// With truncated JSON, every time.
    BrokenJson,
    /// With a web page.
    Html,
}

/// The expected score of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A correct call, or a reply to be scored with ROUGE-L.
    Right,
    /// A wrong call of this class. For a reply: a text that differs from the gold.
    Wrong(ErrorClass),
    /// No answer: counted separately.
    Failed(FailureClass),
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; Rule::COUNT] = *Rule::VARIANTS.first_chunk().unwrap();

    /// The expected score.
    #[must_use]
    pub const fn expected(self) -> Expected {
        match self {
            Rule::Right | Rule::Slow => Expected::Right,
            Rule::Empty | Rule::NoCall => Expected::Wrong(ErrorClass::NoApiCall),
            Rule::BrokenFormat => Expected::Wrong(ErrorClass::FalseApiCallFormat),
            Rule::NoSearch | Rule::OtherKeywords => Expected::Wrong(ErrorClass::FailedApiRetrieval),
            Rule::HallucinatedApi => Expected::Wrong(ErrorClass::ApiHallucination),
            Rule::WrongApi => Expected::Wrong(ErrorClass::WrongApi),
            Rule::MissingArgument => Expected::Wrong(ErrorClass::MissingInputParameters),
            Rule::InvalidArgument => Expected::Wrong(ErrorClass::InvalidInputParameters),
            Rule::Exception => Expected::Wrong(ErrorClass::HasException),
            Rule::WrongResult => Expected::Wrong(ErrorClass::WrongResult),
            Rule::ServerError | Rule::BrokenJson => Expected::Failed(FailureClass::Infrastructure),
            Rule::Html => Expected::Failed(FailureClass::Configuration),
        }
    }

    /// Whether it sends text with HTTP 200, as a chat completion.
    #[must_use]
    pub const fn answers(self) -> bool {
        !matches!(self.expected(), Expected::Failed(_))
    }

    /// Whether the rule applies to a sample. A wrong call is derived from a gold call.
    #[must_use]
    pub fn applies(self, sample: &GoldSample) -> bool {
        !self.answers() || self.text(sample).is_some()
    }

    /// The text of the answer; `None` when the rule does not apply or sends no text.
    #[must_use]
    pub fn text(self, sample: &GoldSample) -> Option<String> {
        match self {
            Rule::Right | Rule::Slow => return Some(sample.answer.clone()),
            Rule::Empty => return (sample.kind == SampleKind::Call).then(String::new),
            Rule::ServerError | Rule::BrokenJson | Rule::Html => return None,
            _ => {}
        }
        let gold = sample.call.as_ref()?;
        let searches = gold.api_name == TOOL_SEARCHER;
        match self {
            Rule::NoCall => Some("I would rather talk about the weather.".to_owned()),
            Rule::BrokenFormat => Some(format!("[{}(", gold.api_name)),
            Rule::NoSearch if searches => Some("[GetToday()]".to_owned()),
            Rule::OtherKeywords if searches => spoilt(gold, "keywords", json!(OTHER_KEYWORDS)),
            // Where a search is required, any other call is a failed search.
            Rule::HallucinatedApi if !searches => Some("[OpenPodBayDoors()]".to_owned()),
            Rule::WrongApi if !searches => {
                let other = registry::pool(sample.suite()).find(|api| api.name != gold.api_name)?;
                Some(call::format(other.name, &Arguments::new()))
            }
            Rule::MissingArgument => without_required(sample, gold),
            Rule::InvalidArgument => spoilt(gold, "no_such_parameter", json!("1")),
            Rule::Exception if gold.result.exception.is_none() => refused(gold),
            Rule::WrongResult if gold.result.exception.is_none() => different(gold),
            _ => None,
        }
    }
}

fn without_required(sample: &GoldSample, gold: &RecordedCall) -> Option<String> {
    let api = if gold.api_name == TOOL_SEARCHER {
        tool_searcher(sample.suite())
    } else {
        registry::find(sample.suite(), &gold.api_name)?
    };
    let param = api.params.iter().find(|param| param.required)?;
    let mut arguments = gold.param_dict.clone();
    arguments.shift_remove(param.name)?;
    Some(call::format(&gold.api_name, &arguments))
}

/// The gold call with a value that the API rejects.
fn refused(gold: &RecordedCall) -> Option<String> {
    if gold.param_dict.contains_key("token") {
        return spoilt(gold, "token", json!("no token of anyone"));
    }
    match gold.api_name.as_str() {
        "GetUserToken" => spoilt(gold, "password", json!("not the password")),
        "Calculator" => {
            let formula = gold.param_dict.get("formula")?.as_str()?;
            spoilt(gold, "formula", json!(format!("({formula}) / 0")))
        }
        _ => None,
    }
}

/// The gold call with a valid value that changes the effect.
fn different(gold: &RecordedCall) -> Option<String> {
    match gold.api_name.as_str() {
        "Calculator" => {
            let formula = gold.param_dict.get("formula")?.as_str()?;
            spoilt(gold, "formula", json!(format!("({formula}) + 1")))
        }
        "AddReminder" => spoilt(gold, "content", json!("polish the brass of the lighthouse")),
        "TaxCalculator" => {
            let salary = gold.param_dict.get("salary")?.as_f64()?;
            spoilt(gold, "salary", json!(salary + 1000.0))
        }
        _ => None,
    }
}

fn spoilt(gold: &RecordedCall, name: &str, value: Value) -> Option<String> {
    let mut arguments = gold.param_dict.clone();
    arguments.insert(name.to_owned(), value);
    Some(call::format(&gold.api_name, &arguments))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use exchange::protocol::{samples, world_at};
    use scoring::judge;

    use super::*;
    use crate::Gold;

    /// Checks the engine's verdict on every rule's answer. Searches are left out: they need the
    /// search model, which only the browser has.
    #[test]
    fn every_answer_gets_the_verdict_it_is_made_for() {
        let pack = dataset::builtin().unwrap();
        let gold = Gold::builtin().unwrap();
        let mut judged: BTreeMap<Rule, usize> = BTreeMap::new();
        for sample in samples(&pack) {
            let scripted = gold.sample(&sample.id()).unwrap();
            let Some(expected_call) = sample.gold_call() else { continue };
            let world = world_at(&sample, &pack.world);
            for rule in Rule::ALL.into_iter().filter(|rule| rule.answers()) {
                let Some(text) = rule.text(scripted) else { continue };
                let needs_search = expected_call.api_name == TOOL_SEARCHER;
                let searches = rule.expected() == Expected::Right || rule == Rule::OtherKeywords;
                if needs_search && searches {
                    continue;
                }
                let parsed = call::parse(&text);
                let suite = sample.ability().suite();
                let verdict = judge(suite, expected_call, parsed.as_ref(), &world).execution;
                let expected = match rule.expected() {
                    Expected::Wrong(class) => Some(class),
                    _ => None,
                };
                let what = format!("{} {rule:?} {text}: {}", scripted.id, verdict.explanation);
                assert_eq!(verdict.error_class, expected, "{what}");
                assert_eq!(verdict.correct, expected.is_none(), "{what}");
                *judged.entry(rule).or_default() += 1;
            }
        }
        let answering = Rule::ALL.into_iter().filter(|rule| rule.answers());
        for rule in answering.filter(|rule| *rule != Rule::OtherKeywords) {
            assert!(judged.contains_key(&rule), "the pack has no sample for {rule:?}");
        }
    }
}
