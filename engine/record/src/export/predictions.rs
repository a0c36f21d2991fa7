//! Export of predictions as JSON lines, numbered like the original's.
//!
//! Levels 1 and 2 have `file`, `id` and `pred`; level 3 has `sample_id`, `api_id`, `pred` and, for
//! a reply, `output`: the fields that the original's two evaluators read. `level`, `sample_id` and
//! `prediction` are added for `api-bank score`. The original counts two samples per call, the call
//! and the line after it. Samples without an answer are omitted, and so are episodes, which the
//! original does not have.

use super::lost;
use crate::{Gold, Outcome, RecordError, SampleRecord, received};
use dataset::Ability;
use exchange::protocol::SampleKind;
use serde_json::{Value, json};
use std::io::Write;

/// A predictions export in progress.
#[derive(Debug)]
pub struct Lines<W> {
    out: W,
    /// The number of Plan dialogues so far, and the last one's id: level 3 numbers dialogues.
    plans: usize,
    last_plan: Option<String>,
}

impl<W: Write> Lines<W> {
    pub(super) fn new(out: W) -> Self {
        Lines { out, plans: 0, last_plan: None }
    }

    pub(super) fn sample(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        if sample.ability == Ability::Plan && self.last_plan.as_ref() != Some(&sample.dialogue) {
            self.plans += 1;
            self.last_plan = Some(sample.dialogue.clone());
        }
        match line(sample, self.plans.saturating_sub(1)) {
            Some(line) => writeln!(self.out, "{line}").map_err(|error| lost(&error)),
            None => Ok(()),
        }
    }

    pub(super) fn finish(mut self) -> Result<W, RecordError> {
        self.out.flush().map_err(|error| lost(&error))?;
        Ok(self.out)
    }
}

fn line(sample: &SampleRecord, plan: usize) -> Option<Value> {
    let Outcome::Answered(answer) = &sample.outcome else { return None };
    let call = sample.position.checked_sub(1)?;
    let reply = match sample.kind {
        SampleKind::Call => false,
        SampleKind::Reply => true,
        SampleKind::Restraint | SampleKind::Episode => return None,
    };
    // Write a native call as text that the original's regular expression matches.
    let text = match &sample.parsed {
        Some(parsed) if !answer.calls.is_empty() => {
            exchange::call::format(&parsed.name, &parsed.arguments)
        }
        _ if answer.calls.is_empty() => answer.text.clone(),
        _ => received(sample),
    };
    let name = sample.dialogue.rsplit('/').next().unwrap_or(&sample.dialogue);
    let mut line = json!({"sample": sample.id, "trial": sample.trial});
    match sample.ability {
        Ability::Plan => {
            line["level"] = json!(3);
            // Imported plans are named by their number in the file.
            line["sample_id"] = json!(name.parse::<usize>().unwrap_or(plan));
            line["api_id"] = json!(if reply { call + 1 } else { call });
        }
        ability => {
            line["level"] = json!(if ability == Ability::Call { 1 } else { 2 });
            line["file"] = json!(format!("{name}.jsonl"));
            let id = sample_id(sample, call, reply);
            line["id"] = json!(id);
            line["sample_id"] = json!(id);
        }
    }
    if let Gold::Reply(gold) = &sample.gold {
        line["output"] = json!(gold);
    }
    line["pred"] = json!(text);
    line["prediction"] = json!(text);
    Some(line)
}

/// The sample's number within the dialogue. A call right after another call occurs twice; the
/// second time, it represents the line after the previous call.
fn sample_id(sample: &SampleRecord, call: usize, reply: bool) -> usize {
    let plain = sample.id.split_once('@').map_or(sample.id.as_str(), |(id, _)| id);
    if plain.ends_with('r') && !reply {
        return (2 * call).saturating_sub(1);
    }
    2 * call + usize::from(reply)
}
