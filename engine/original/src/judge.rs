//! Judges samples of an imported pack under the project's own profiles, with the errata applied.

use apis::World;
use apis::search::TOOL_SEARCHER;
use apis::search::found;
use dataset::RecordedCall;
use dataset::import::{Correction, DefectClass, renamed};
use exchange::call;
use exchange::call::{CallProblem, ParsedCall};
use exchange::protocol::Sample;
use scoring::{Judgement, Verdict, judge_step};

/// Parses the call of an answer in the original's notation: a list may be quoted as a whole, and a
/// call of the gold's API may use old parameter names.
pub fn parse(gold: &RecordedCall, text: &str) -> Result<ParsedCall, CallProblem> {
    let mut call = call::parse(&call::unquoted_lists(text))?;
    mend(gold, &mut call);
    Ok(call)
}

/// Renames old parameters in a call of the gold's API.
pub fn mend(gold: &RecordedCall, call: &mut ParsedCall) {
    if call.name == gold.api_name
        && let Some(arguments) = renamed(&call.name, &call.arguments)
    {
        call.arguments = arguments;
    }
}

/// Judges the parsed call of an answer. `world` is the sample's.
pub fn judge_call(
    sample: &Sample<'_>,
    gold: &RecordedCall,
    parsed: Result<&ParsedCall, &CallProblem>,
    world: &World,
) -> Judgement {
    let mut judgement = judge_step(sample, gold, parsed, &[], world);
    // A search must find the annotated API, whatever the annotated keywords find today.
    if !judgement.execution.correct
        && gold.is_search()
        && parsed.is_ok_and(|call| call.name == TOOL_SEARCHER)
        && judgement.predicted.as_ref().is_some_and(|it| found(&it.result) == found(&gold.result))
    {
        judgement.execution = Verdict::right("The keywords find the annotated API.");
    }
    judgement
}

/// The erratum of a sample. A search without one gets a correction if its recorded keywords find
/// another API today.
pub fn correction(
    sample: &Sample<'_>,
    gold: &RecordedCall,
    judgement: &Judgement,
) -> Option<Correction> {
    if let Some(correction) = sample.correction() {
        return Some(correction.clone());
    }
    let (recorded, today) = (found(&gold.result), found(&judgement.gold.result));
    (gold.is_search() && recorded != "nothing" && recorded != today).then(|| Correction {
        class: DefectClass::Retrieval,
        what: format!(
            "The recorded keywords find {today} today, the recorded result is {recorded}: \
                 keywords that find either are right."
        ),
        excluded: false,
    })
}
