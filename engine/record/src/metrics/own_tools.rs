//! What a run says about a pack's own tools: which tool is taken for which, which arguments are missed,
//! and the rate of each tool.

use super::ByDialogue;
use crate::{Gold, Rate, SampleRecord};
use dataset::own_tools::FOLDER;
use scoring::{ErrorClass, Profile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// In a matrix, an answer without a call, and a step where no call is right.
pub const NO_CALL: &str = "no call";
/// In a matrix, a tool that the pack does not have.
pub const UNKNOWN: &str = "unknown tool";

/// Among missed arguments, a call of the right tool that is wrong for another reason.
pub const OTHER_REASON: &str = "other reason";

/// The tools of a run, by the tool that was due.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolReport {
    /// By the tool that was due, in order of name; steps where no call is right last.
    pub rows: Vec<ToolRow>,
    /// The called tools by name: the columns of the matrix.
    pub called: Vec<String>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRow {
    /// The tool that was due, or [`NO_CALL`].
    pub due: String,
    /// Right answers among those scored.
    pub rate: Rate,
    /// How often each of [`ToolReport::called`] was called.
    pub called: Vec<usize>,
    /// Wrong answers that call the right tool, by the wrong parameter.
    pub arguments: Vec<(String, usize)>,
}

/// The report of a run; `None` unless its tools are a pack's own.
pub fn own_tools(samples: &[SampleRecord], profile: Profile) -> Option<ToolReport> {
    let own = samples.iter().filter(|it| it.dialogue.starts_with(FOLDER) && it.kind.is_decision());
    let mut counts: BTreeMap<(bool, String), Counts> = BTreeMap::new();
    for sample in own {
        let Some(verdict) = sample.verdict(profile) else { continue };
        let due = match &sample.gold {
            Gold::Call(gold) => (false, gold.api_name.clone()),
            _ => (true, NO_CALL.to_owned()),
        };
        let count = counts.entry(due).or_default();
        count.rate.add(&sample.dialogue, sample.turn, verdict.correct);
        let called = match (&sample.parsed, verdict.error_class) {
            (_, Some(ErrorClass::ApiHallucination)) => UNKNOWN,
            // Of an answer with several calls, the first right one decides.
            (Some(_), None) => match &sample.gold {
                Gold::Call(gold) => &gold.api_name,
                _ => NO_CALL,
            },
            (Some(call), _) => &call.name,
            (None, _) => NO_CALL,
        };
        *count.called.entry(called.to_owned()).or_default() += 1;
        if let (Gold::Call(gold), Some(call), false) =
            (&sample.gold, &sample.parsed, verdict.correct)
            && gold.api_name == call.name
        {
            let parameter = verdict.parameter.as_deref().unwrap_or(OTHER_REASON);
            *count.arguments.entry(parameter.to_owned()).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return None;
    }
    let called: std::collections::BTreeSet<&String> =
        counts.values().flat_map(|count| count.called.keys()).collect();
    let called: Vec<String> = called.into_iter().cloned().collect();
    let row = |((_, due), count): (&(bool, String), &Counts)| ToolRow {
        due: due.clone(),
        rate: count.rate.rate(),
        called: called.iter().map(|name| count.called.get(name).copied().unwrap_or(0)).collect(),
        arguments: count.arguments.iter().map(|(what, n)| (what.clone(), *n)).collect(),
    };
    let rows = counts.iter().map(row).collect();
    Some(ToolReport { rows, called })
}

#[derive(Default)]
struct Counts {
    rate: ByDialogue,
    called: BTreeMap<String, usize>,
    arguments: BTreeMap<String, usize>,
}
