//! Reuses answers from a record of another version of the data.

use super::answered;
use crate::batch::Run;
use crate::benchmark::Benchmark;
use exchange::protocol::{self, Protocol};
use record::{Outcome, RunSettings, SampleRecord};
use std::collections::BTreeMap;

/// The samples of a run that `earlier` answers, judged again. An answer is reused if the sample's id
/// and prompt are unchanged.
///
/// # Errors
/// Under `tools`, `all-tools` and `agent`, whose records lack part of the prompt.
pub fn reused(
    bench: &Benchmark,
    settings: &RunSettings,
    earlier: Vec<SampleRecord>,
) -> Result<Vec<SampleRecord>, String> {
    if !matches!(settings.protocol, Protocol::Bracket | Protocol::Paper) {
        return Err(format!(
            "the record is of protocol {}: answers can be kept under bracket and paper alone, where \
             a record has the whole prompt",
            settings.protocol.as_str()
        ));
    }
    let mut known: BTreeMap<String, SampleRecord> =
        earlier.into_iter().map(|sample| (sample.id.clone(), sample)).collect();
    let run = Run::new(bench, settings);
    let kept = run.missing(&[]).into_iter().filter_map(|sample| {
        let earlier = known.remove(&sample.id())?;
        let bench = run.bench().of_sample(&sample);
        let ask = protocol::ask(settings.protocol, settings.prompts(), &sample, &bench.world);
        let Outcome::Answered(answer) = earlier.outcome else { return None };
        if ask.messages != earlier.messages {
            return None;
        }
        let mut kept = answered(&bench, settings.protocol, &sample, ask, answer);
        kept.attempts = earlier.attempts;
        kept.retries = earlier.retries;
        kept.times = earlier.times;
        Some(kept)
    });
    Ok(kept.collect())
}
