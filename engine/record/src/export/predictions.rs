//! Predictions as lines of JSON, in the original's numbering.
//!
//! Levels 1 and 2 carry `file`, `id` and `pred`, level 3 `sample_id`, `api_id`, `pred` and for a
//! reply `output`: what the original's two evaluators read. `level`, `sample_id` and `prediction`
//! stand beside them for `api-bank score`. The original counts two samples a call, the call and the
//! line after it. Samples without an answer are left out, and so are episodes, which have no place
//! there.

use super::lost;
use crate::{Gold, Outcome, RecordError, SampleRecord, received};
use dataset::Ability;
use exchange::protocol::SampleKind;
use serde_json::{Value, json};
use std::io::Write;

/// Lines that are being written.
#[derive(Debug)]
pub struct Lines<W> {
    out: W,
    /// Plan dialogues so far, and the last one: level 3 counts dialogues.
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
    // A native call is put as the text that the original's expression finds.
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

/// The number among the dialogue's samples. A call right after another is there twice; the second
/// time it stands for the line after the call before.
fn sample_id(sample: &SampleRecord, call: usize, reply: bool) -> usize {
    let plain = sample.id.split_once('@').map_or(sample.id.as_str(), |(id, _)| id);
    if plain.ends_with('r') && !reply {
        return (2 * call).saturating_sub(1);
    }
    2 * call + usize::from(reply)
}
