//! Judges a prediction under a profile.

use super::{PredictionError, ScoredCall, ScoredReply};
use crate::benchmark::Benchmark;
use apis::search::find;
use dataset::RecordedCall;
use dataset::import::Correction;
use exchange::call::{self, CallProblem, ParsedCall};
use exchange::protocol::{Sample, world_at};
use exchange::{Answer, reasoning};
use original::{evaluator, judge};
use scoring::rouge::{rouge_l_dialogue, rouge_l_plan};
use scoring::{ErrorClass, Profile, Verdict, f1};

/// Judges a predicted call, under the profile `f1` if there is no bench.
///
/// # Errors
/// When the pack lacks data that the profile `original` needs.
pub fn judge_call(
    bench: Option<&Benchmark>,
    profile: Profile,
    sample: &Sample<'_>,
    gold: &RecordedCall,
    prediction: &str,
) -> Result<ScoredCall, PredictionError> {
    let (_, said) = reasoning::split(prediction);
    let answer = Answer { text: said, ..Answer::default() };
    let known = |name: &str| find(sample.ability().suite(), name).is_some();
    let parsed = judge::parse(gold, &answer.text).map(|call| (call, Vec::new()));
    let parsed = call::read_text(parsed, &answer, &known).calls.map(|(call, _)| call);
    let (mut scored, correction) = match bench {
        None => (overlapped(sample, gold, parsed.as_ref().ok()), sample.correction().cloned()),
        Some(bench) if profile == Profile::Original => {
            return original(bench, sample, gold, prediction);
        }
        Some(bench) => clean(bench, profile, sample, gold, parsed.as_ref()),
    };
    match correction {
        Some(it) if it.excluded => scored.excluded = Some(it.what),
        Some(it) => scored.corrected = Some(it.class.title()),
        None => {}
    }
    Ok(scored)
}

/// Scores a predicted reply by ROUGE-L as the original computes it at `level` (1 to 3).
pub fn judge_reply(level: u8, gold: &str, prediction: &str) -> ScoredReply {
    let score = match level {
        3 => rouge_l_plan(gold, prediction),
        _ => rouge_l_dialogue(gold, prediction),
    };
    let explanation = match score {
        Ok(_) => "A reply: scored by ROUGE-L.".to_owned(),
        Err(error) => format!("A reply: scored by ROUGE-L, where the original raises {error}"),
    };
    // The original's package raises an exception on a reply without a sentence; it matches nothing.
    ScoredReply { rouge_l: score.unwrap_or(0.0), explanation }
}

fn original(
    bench: &Benchmark,
    sample: &Sample<'_>,
    gold: &RecordedCall,
    prediction: &str,
) -> Result<ScoredCall, PredictionError> {
    let evaluator = bench.original.as_ref().ok_or(PredictionError::NoOriginal)?;
    let verdict = evaluator.judge(sample, prediction)?;
    Ok(ScoredCall {
        correct: verdict.correct,
        category: verdict.label.as_str().to_owned(),
        error_class: evaluator::class(sample.ability().suite(), gold, &verdict),
        crash: verdict.crash,
        explanation: verdict.explanation,
        ..ScoredCall::default()
    })
}

fn clean(
    bench: &Benchmark,
    profile: Profile,
    sample: &Sample<'_>,
    gold: &RecordedCall,
    parsed: Result<&ParsedCall, &CallProblem>,
) -> (ScoredCall, Option<Correction>) {
    let judgement = judge::judge_call(sample, gold, parsed, &world_at(sample, &bench.world));
    let correction = judge::correction(sample, gold, &judgement);
    let verdict = match profile {
        Profile::Exact => judgement.exact,
        _ => judgement.execution,
    };
    (scored(verdict), correction)
}

fn scored(verdict: Verdict) -> ScoredCall {
    ScoredCall {
        correct: verdict.correct,
        category: category(verdict.error_class),
        error_class: verdict.error_class,
        explanation: verdict.explanation,
        ..ScoredCall::default()
    }
}

/// The error class in the format of the original's labels.
fn category(class: Option<ErrorClass>) -> String {
    let title = class.map_or("Correct", ErrorClass::title);
    title.to_uppercase().replace(' ', "_")
}

fn overlapped(sample: &Sample<'_>, gold: &RecordedCall, call: Option<&ParsedCall>) -> ScoredCall {
    let suite = sample.ability().suite();
    let overlap = f1::overlap(suite.into(), gold, call);
    let verdict = match call {
        None => Verdict::wrong(ErrorClass::NoApiCall, "No call can be read."),
        Some(_) if overlap.is_whole() => Verdict::right("Name and arguments agree."),
        Some(call) if call.name != gold.api_name => Verdict::wrong(
            match find(suite, &call.name) {
                Some(_) => ErrorClass::WrongApi,
                None => ErrorClass::ApiHallucination,
            },
            format!("{} was due here; {} was called.", gold.api_name, call.name),
        ),
        Some(_) => Verdict::wrong(
            ErrorClass::WrongResult,
            format!(
                "{} of {} arguments agree, {} were given.",
                overlap.arguments.shared, overlap.arguments.gold, overlap.arguments.predicted
            ),
        ),
    };
    ScoredCall { overlap: Some(overlap), ..scored(verdict) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_written_as_the_original_writes_them() {
        assert_eq!(category(None), "CORRECT");
        assert_eq!(category(Some(ErrorClass::NoApiCall)), "NO_API_CALL");
    }
}
