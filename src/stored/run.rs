//! A run of the browser's database: what a list shows, and what resuming needs.

use dataset::Ability;
use record::RunSettings;
use record::{Outcome, Record, RunTimes, SampleRecord};
use serde::{Deserialize, Serialize};

/// A run without its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRun {
    /// Its key. Sorts by the time of the start.
    pub id: String,
    /// What the user calls it; empty while it has no name.
    #[serde(default)]
    pub label: String,
    /// What was asked for, without the key.
    pub settings: RunSettings,
    /// Its record without samples. Before the end the numbers in it are empty.
    pub head: Record,
    /// Samples in all, by ability.
    pub planned: Vec<(Ability, usize)>,
    /// Whether it came to an end: finished, cancelled, or saved as it was.
    pub over: bool,
    /// Why the endpoint stopped it; it can go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Samples that are kept.
    pub done: usize,
    /// How many of them got no answer.
    pub failed: usize,
    /// Size of the samples as text, in bytes.
    pub bytes: u64,
}

impl StoredRun {
    /// A run that has no sample yet.
    pub fn begin(id: String, settings: RunSettings, head: Record) -> Self {
        let planned = Vec::new();
        let label = String::new();
        StoredRun {
            id,
            label,
            settings,
            head,
            planned,
            over: false,
            stopped: None,
            done: 0,
            failed: 0,
            bytes: 0,
        }
    }

    /// Counts a sample and the bytes that keep it.
    pub fn count(&mut self, sample: &SampleRecord, bytes: usize) {
        self.done += 1;
        self.failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        self.bytes += bytes as u64;
    }

    /// The run goes on from other samples than those counted so far.
    pub fn recount<'a>(&mut self, samples: impl IntoIterator<Item = (&'a SampleRecord, usize)>) {
        (self.over, self.done, self.failed, self.bytes) = (false, 0, 0, 0);
        self.stopped = None;
        for (sample, bytes) in samples {
            self.count(sample, bytes);
        }
    }

    /// The run is over, unless the endpoint stopped it: then it can go on.
    pub fn end(&mut self, record: &Record) {
        self.over = self.stopped.is_none();
        self.head = Record { samples: Vec::new(), ..record.clone() };
    }

    /// The record with its samples. A run that is not over took what they took.
    pub fn whole(&self, samples: Vec<SampleRecord>) -> Record {
        let start = |it: &SampleRecord| it.times.started_ms;
        let end = |it: &SampleRecord| start(it).saturating_add(it.times.latency_ms);
        let times = if self.over {
            self.head.times
        } else {
            RunTimes {
                started_ms: samples.iter().map(start).min().unwrap_or_default(),
                finished_ms: samples.iter().map(end).max().unwrap_or_default(),
            }
        };
        self.head.clone().filled(samples, times)
    }

    /// Whether a sample is missing.
    pub fn is_short(&self) -> bool {
        self.done < self.head.planned
    }

    /// Whether it can go on with what would be run today: half a record from other
    /// data or other prompts would be no record.
    ///
    /// # Errors
    /// What differs, and what can be done.
    pub fn can_go_on(&self, today: &Record) -> Result<(), String> {
        let differences = [
            ("data", &self.head.pack.digest, &today.pack.digest),
            ("search model", &self.head.search.digest, &today.search.digest),
            ("prompts", &self.head.prompts_digest, &today.prompts_digest),
            ("version of this app", &self.head.app.build, &today.app.build),
        ];
        let differs: Vec<&str> =
            differences.into_iter().filter(|(_, a, b)| a != b).map(|(what, ..)| what).collect();
        if differs.is_empty() {
            return Ok(());
        }
        Err(format!(
            "This run was begun with another {}. Choose what it was begun with, or save what is \
             there.",
            differs.join(" and another ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{call, head};
    use exchange::SampleTimes;
    use record::Baseline;
    use record::{Model, Status};

    fn kept() -> StoredRun {
        let settings = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
        StoredRun::begin("1".to_owned(), settings, head(2))
    }

    #[test]
    fn samples_are_counted_and_the_end_keeps_the_numbers() {
        let mut run = kept();
        let right = call(Ability::Call, "call/a", 1, Some(true));
        let failed = call(Ability::Call, "call/a", 3, None);
        run.count(&right, 100);
        assert!(run.is_short());
        run.count(&failed, 50);
        assert_eq!((run.done, run.failed, run.bytes, run.is_short()), (2, 1, 150, false));
        let record = run.head.clone().filled(vec![failed, right.clone()], RunTimes::default());
        run.end(&record);
        assert!(run.over && run.head.samples.is_empty());
        assert_eq!(run.head.status, Status::Finished);
        assert_eq!(run.head.summary.rows.last().unwrap().calls.right, 1);
        run.recount([(&right, 100)]);
        assert_eq!((run.over, run.done, run.failed, run.bytes), (false, 1, 0, 100));
    }

    #[test]
    fn an_unfinished_run_took_what_its_samples_took() {
        let run = kept();
        let mut late = call(Ability::Call, "call/a", 1, Some(true));
        late.times = SampleTimes { started_ms: 900, latency_ms: 50, ..SampleTimes::default() };
        let mut early = call(Ability::Call, "call/a", 3, Some(true));
        early.times = SampleTimes { started_ms: 100, latency_ms: 70, ..SampleTimes::default() };
        let record = run.whole(vec![late]);
        assert_eq!((record.status, record.times.finished_ms), (Status::Cancelled, 950));
        let whole = run.whole(vec![early, record.samples[0].clone()]);
        assert_eq!((whole.times.started_ms, whole.times.finished_ms), (100, 950));
    }

    #[test]
    fn other_data_or_prompts_stop_a_resumption_and_are_named() {
        let run = kept();
        assert_eq!(run.can_go_on(&head(2)), Ok(()));
        let mut today = head(2);
        today.pack.digest = "other".to_owned();
        today.prompts_digest = "other".to_owned();
        let message = run.can_go_on(&today).unwrap_err();
        assert!(message.contains("another data and another prompts"), "{message}");
    }

    #[test]
    fn it_survives_storage() {
        let text = serde_json::to_string(&kept()).unwrap();
        assert_eq!(serde_json::from_str::<StoredRun>(&text).unwrap(), kept());
    }
}
