//! A stored run: metadata for lists and for resuming.

use dataset::Ability;
use record::RunSettings;
use record::{Outcome, Record, RunTimes, SampleRecord};
use serde::{Deserialize, Serialize};

/// A run without its samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRun {
    /// Its key, which sorts by start time.
    pub id: String,
    /// The user's label; empty for none.
    #[serde(default)]
    pub label: String,
    /// Its settings, which contain no key.
    pub settings: RunSettings,
    /// Its record without samples; the summary is empty until the end.
    pub head: Record,
    /// Number of planned samples by ability.
    pub planned: Vec<(Ability, usize)>,
    /// Whether it has ended: finished, cancelled, or saved as a partial run.
    pub over: bool,
    /// Why the endpoint stopped it; it can be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Number of stored samples.
    pub done: usize,
    /// Number of them without an answer.
    pub failed: usize,
    /// Size of the stored samples, in bytes.
    pub bytes: u64,
}

impl StoredRun {
    /// A run without samples.
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

    /// Whether a name has the form of a run's id: a time and a random number.
    pub fn is_id(name: &str) -> bool {
        name.split_once('-').is_some_and(|(ms, random)| {
            let is_random = random.len() == 8 && random.bytes().all(|it| it.is_ascii_hexdigit());
            ms.len() == 13 && ms.bytes().all(|byte| byte.is_ascii_digit()) && is_random
        })
    }

    /// Counts a sample and its stored size.
    pub fn count(&mut self, sample: &SampleRecord, bytes: usize) {
        self.done += 1;
        self.failed += usize::from(matches!(sample.outcome, Outcome::Failed { .. }));
        self.bytes += bytes as u64;
    }

    /// Recounts from the given samples.
    pub fn recount<'a>(&mut self, samples: impl IntoIterator<Item = (&'a SampleRecord, usize)>) {
        (self.over, self.done, self.failed, self.bytes) = (false, 0, 0, 0);
        self.stopped = None;
        for (sample, bytes) in samples {
            self.count(sample, bytes);
        }
    }

    /// Marks the run as ended, unless the endpoint stopped it: then it can be resumed.
    pub fn end(&mut self, record: &Record) {
        self.over = self.stopped.is_none();
        self.head = Record { samples: Vec::new(), ..record.clone() };
    }

    /// The record with its samples. The times of an unfinished run are derived from them.
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

    /// Checks that it can be resumed with the current data, prompts and build: a record must not
    /// mix them.
    ///
    /// # Errors
    /// The differences and the remedy.
    pub fn can_go_on(&self, today: &Record) -> Result<(), String> {
        let differences = [
            ("data", &self.head.pack.digest, &today.pack.digest),
            ("search model", &self.head.search.digest, &today.search.digest),
            ("prompts", &self.head.prompts_digest, &today.prompts_digest),
            ("app", &self.head.app.build, &today.app.build),
        ];
        let differs: Vec<&str> =
            differences.into_iter().filter(|(_, a, b)| a != b).map(|(what, ..)| what).collect();
        if differs.is_empty() {
            return Ok(());
        }
        Err(format!(
            "This run was started with other versions of: {}. Restore them to resume it, or save the \
             partial run.",
            differs.join(", ")
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
    fn samples_are_counted_and_kept_at_the_end() {
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
    fn an_unfinished_runs_times_are_those_of_its_samples() {
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
    fn other_data_or_prompts_prevent_resuming_and_are_named() {
        let run = kept();
        assert_eq!(run.can_go_on(&head(2)), Ok(()));
        let mut today = head(2);
        today.pack.digest = "other".to_owned();
        today.prompts_digest = "other".to_owned();
        let message = run.can_go_on(&today).unwrap_err();
        assert!(message.contains("of: data, prompts."), "{message}");
    }

    #[test]
    fn ids_are_told_from_names_of_records() {
        assert!(StoredRun::is_id("1795809600123-0a1b2c3d"));
        for name in ["keyword-baseline", "1795809600123", "1795809600123-0a1b2c3g", "-", ""] {
            assert!(!StoredRun::is_id(name), "{name}");
        }
    }

    #[test]
    fn a_stored_run_round_trips() {
        let text = serde_json::to_string(&kept()).unwrap();
        assert_eq!(serde_json::from_str::<StoredRun>(&text).unwrap(), kept());
    }
}
