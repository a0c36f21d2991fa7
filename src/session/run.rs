//! State of a run: a fold of its progress.

use super::phase::Phase;
use super::route::Route;
use crate::messages::{RecordFacts, RunProgress};
use crate::session::Source;
use dataset::Ability;
use record::metrics::horizon;
use record::{Outcome, SampleRecord, Status, Summary, summarize};
use record::{RunSettings, Subset};
use scoring::Profile;
use std::collections::{BTreeMap, BTreeSet};

/// Progress of an ability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Samples done.
    pub done: usize,
    /// Total number of samples.
    pub planned: usize,
}

/// The current or last run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Its phase.
    pub phase: Phase,
    /// Where its endpoint comes from.
    pub source: Source,
    /// Its id in the browser's storage, if it is stored.
    pub id: Option<String>,
    /// The name of the leaderboard's record that it shows, see [`super::leaderboard::name_of`].
    listed: Option<String>,
    /// Why it is not, or not completely, stored.
    pub not_kept: Option<String>,
    /// Whether its file was saved since the last sample.
    saved: bool,
    /// Its settings.
    pub settings: Option<RunSettings>,
    /// Number of planned samples by ability.
    pub planned: Vec<(Ability, usize)>,
    /// Finished samples, in the pack's order.
    pub samples: Vec<SampleRecord>,
    /// Facts about its record, once it is finished.
    pub facts: Option<RecordFacts>,
    /// The error of a failed run.
    pub message: Option<String>,
    /// Why the endpoint stopped it.
    pub stopped: Option<String>,
    /// When the wait for the endpoint ends, on the page's clock, and how long it lasts; in
    /// milliseconds.
    held: Option<(f64, f64)>,
    /// Start, in milliseconds on the page's clock.
    pub started_ms: f64,
    /// End, likewise.
    pub ended_ms: Option<f64>,
    /// Samples finished since the start, by ability, without those of an earlier session.
    fresh: BTreeMap<Ability, usize>,
    /// Start of the current pause.
    paused_at_ms: Option<f64>,
    /// Total duration of earlier pauses.
    paused_ms: f64,
}

/// Minimum number of samples for estimating an ability's remaining time.
const ENOUGH: usize = 3;

impl Run {
    /// A run before the worker's first event.
    pub fn begin(settings: RunSettings, source: Source, now_ms: f64) -> Self {
        Run {
            phase: Phase::Loading,
            source,
            settings: Some(settings),
            started_ms: now_ms,
            ..Run::default()
        }
    }

    /// Applies the worker's progress.
    pub fn fold(&mut self, progress: &RunProgress, now_ms: f64) {
        match progress {
            RunProgress::Started { id, settings, planned } => {
                let not_kept = self.not_kept.take();
                *self = Run {
                    phase: Phase::Running,
                    id: id.clone(),
                    not_kept,
                    planned: planned.clone(),
                    ..Run::begin(settings.as_ref().clone(), self.source, now_ms)
                };
            }
            RunProgress::Earlier { samples } => {
                samples.iter().for_each(|sample| self.insert(sample))
            }
            RunProgress::Sample { sample } => {
                *self.fresh.entry(sample.ability).or_default() += 1;
                self.held = None;
                self.saved = false;
                self.insert(sample);
            }
            RunProgress::NotKept { message } => {
                self.id = None;
                self.not_kept = Some(message.clone());
            }
            RunProgress::KeptAgain { id } => {
                self.id = Some(id.clone());
                self.not_kept = None;
            }
            RunProgress::Throttled { ms } => {
                self.held = Some((now_ms + f64::from(*ms), f64::from(*ms)));
            }
            RunProgress::Stopped { reason } => self.stopped = Some(reason.clone()),
        }
    }

    /// Ends it with its record's facts.
    pub fn finish(&mut self, facts: RecordFacts, now_ms: f64) {
        let phase = match facts.status {
            Status::Finished => Phase::Finished,
            Status::Cancelled => Phase::Cancelled,
        };
        self.facts = Some(facts);
        self.end(phase, now_ms);
        if self.fresh.is_empty() {
            self.take_times_of_samples();
        }
    }

    /// Notes that its record was saved as a file.
    pub fn saved(&mut self) {
        self.saved = self.phase != Phase::Running;
    }

    /// Ends an active run with a reason; does nothing otherwise.
    pub fn fail(&mut self, message: &str, now_ms: f64) {
        if self.phase.is_active() {
            self.message = Some(message.to_owned());
            self.end(Phase::Failed, now_ms);
        }
    }

    /// Ends a run that the worker has not started.
    pub fn cancel_before_start(&mut self, now_ms: f64) {
        if self.phase == Phase::Loading {
            self.end(Phase::Cancelled, now_ms);
        }
    }

    /// Pauses a running run, or continues a paused one.
    pub fn pause(&mut self, on: bool, now_ms: f64) {
        match (self.phase, on) {
            (Phase::Running, true) => {
                self.phase = Phase::Paused;
                self.paused_at_ms = Some(now_ms);
            }
            (Phase::Paused, false) => {
                self.phase = Phase::Running;
                self.end_pause(now_ms);
            }
            _ => {}
        }
    }

    fn end_pause(&mut self, now_ms: f64) {
        if let Some(since) = self.paused_at_ms.take() {
            self.paused_ms += now_ms - since;
        }
    }

    /// Derives a reopened run's start and end from its samples.
    fn take_times_of_samples(&mut self) {
        let starts = self.samples.iter().map(|sample| sample.times.started_ms);
        let ends = self.samples.iter().map(|it| it.times.started_ms + it.times.latency_ms);
        if let (Some(start), Some(end)) = (starts.min(), ends.max()) {
            (self.started_ms, self.ended_ms) = (start as f64, Some(end as f64));
        }
    }

    fn end(&mut self, phase: Phase, now_ms: f64) {
        self.end_pause(now_ms);
        self.phase = phase;
        self.ended_ms = Some(now_ms);
    }

    /// Requests finish in any order; the list has the pack's order.
    fn insert(&mut self, sample: &SampleRecord) {
        let at = self.samples.partition_point(|known| known.place() < sample.place());
        self.samples.insert(at, sample.clone());
    }

    /// Progress of an ability; `None` if it is not part of the run.
    pub fn progress(&self, ability: Ability) -> Option<Progress> {
        let (_, planned) = *self.planned.iter().find(|(planned, _)| *planned == ability)?;
        let done = self.samples.iter().filter(|sample| sample.ability == ability).count();
        Some(Progress { done, planned })
    }

    /// Samples done and planned of a run that ended early.
    pub fn part(&self) -> Option<(usize, usize)> {
        let planned: usize = self.planned.iter().map(|(_, count)| count).sum();
        // Of a record from a file, only the number of all planned samples is known.
        let planned = planned.max(self.facts.as_ref().map_or(0, |it| it.planned));
        let done = self.samples.len();
        (!self.phase.is_active() && done < planned && !self.is_complete())
            .then_some((done, planned))
    }

    /// Whether the run chooses its tasks adaptively.
    pub fn is_adaptive(&self) -> bool {
        self.adaptive().is_some()
    }

    fn adaptive(&self) -> Option<usize> {
        let settings = self.settings.as_ref()?;
        horizon::adaptive(settings.edition, &settings.subset)
    }

    /// Whether such a run has nothing more to ask.
    fn is_complete(&self) -> bool {
        self.adaptive().is_some_and(|most| horizon::is_complete(&self.samples, most))
    }

    /// The summary so far under a profile.
    pub fn summary(&self, profile: Profile) -> Summary {
        summarize(&self.samples, profile)
    }

    /// Settings of the same run on only these samples' dialogues; `None` without a run.
    pub fn rerun_settings(&self, listed: &[usize]) -> Option<RunSettings> {
        let samples = listed.iter().filter_map(|index| self.samples.get(*index));
        let dialogues: BTreeSet<String> = samples.map(|sample| sample.dialogue.clone()).collect();
        let subset = Subset::Dialogues(dialogues.into_iter().collect());
        Some(RunSettings { subset, shard: None, ..self.settings.clone()? })
    }

    /// Samples without an answer, with the reason.
    pub fn failed(&self) -> impl Iterator<Item = (&SampleRecord, &str)> {
        self.samples.iter().filter_map(|sample| match &sample.outcome {
            Outcome::Failed { message, .. } => Some((sample, message.as_str())),
            Outcome::Answered(_) => None,
        })
    }

    /// Samples with retried requests.
    pub fn retried(&self) -> impl Iterator<Item = &SampleRecord> {
        self.samples.iter().filter(|sample| !sample.retries.is_empty())
    }

    /// Duration so far, without pauses.
    pub fn elapsed_ms(&self, now_ms: f64) -> f64 {
        if self.phase == Phase::Idle {
            return 0.0;
        }
        let until = self.ended_ms.or(self.paused_at_ms).unwrap_or(now_ms);
        until - self.started_ms - self.paused_ms
    }

    /// Samples per second since the start; `None` before the first.
    pub fn throughput(&self, now_ms: f64) -> Option<f64> {
        let fresh: usize = self.fresh.values().sum();
        let elapsed_ms = self.elapsed_ms(now_ms);
        (fresh > 0 && elapsed_ms > 0.0).then(|| 1000.0 * fresh as f64 / elapsed_ms)
    }

    /// Estimated milliseconds until an ability is done, from its speed so far; `None` with too few
    /// samples, or when it is done.
    pub fn remaining_ms(&self, ability: Ability, now_ms: f64) -> Option<f64> {
        let Progress { done, planned } = self.progress(ability)?;
        let fresh = self.fresh.get(&ability).copied().filter(|fresh| *fresh >= ENOUGH)?;
        let left = planned.checked_sub(done).filter(|left| *left > 0)?;
        self.phase.is_active().then(|| left as f64 * self.elapsed_ms(now_ms) / fresh as f64)
    }

    /// Milliseconds until the next request, while the endpoint throttles.
    pub fn held_ms(&self, now_ms: f64) -> Option<f64> {
        let (until_ms, at_most_ms) = self.held.filter(|_| self.phase == Phase::Running)?;
        let left_ms = (until_ms - now_ms).min(at_most_ms);
        (left_ms > 0.0).then_some(left_ms)
    }

    /// Whether closing the page would lose data.
    pub fn is_at_risk(&self) -> bool {
        self.not_kept.is_some() && !self.samples.is_empty() && !self.saved
    }

    /// Notes that it shows the leaderboard's record with this name and digest, if it does.
    pub fn list(&mut self, name: &str, digest: &str) {
        if self.facts.as_ref().is_some_and(|facts| facts.digest == digest) {
            self.listed = Some(name.to_owned());
        }
    }

    /// Its name in addresses: that of the leaderboard's record, or its id in the browser's storage.
    pub fn name(&self) -> Option<&str> {
        self.listed.as_deref().or(self.id.as_deref())
    }

    /// The address of a sample, which names the run if it has a name.
    pub fn route_of(&self, id: &str) -> Route {
        Route::Sample { run: self.name().map(str::to_owned), id: id.to_owned() }
    }

    /// The sample with an id.
    pub fn sample(&self, id: &str) -> Option<&SampleRecord> {
        self.samples.iter().find(|sample| sample.id == id)
    }
}

#[cfg(test)]
#[expect(missing_docs, reason = "shared by the tests of this folder")]
pub mod tests {
    use super::*;
    use crate::fixture::{call, head};
    use exchange::SampleTimes;
    use record::Model;

    /// A run with these samples.
    pub fn run_of(samples: Vec<SampleRecord>) -> Run {
        let mut run = Run::begin(
            RunSettings::new(Model::Builtin { name: record::Baseline::GoldReplay }),
            Source::Form,
            100.0,
        );
        let planned = vec![(Ability::Call, 3), (Ability::Plan, 1)];
        run.fold(&started(planned), 200.0);
        for sample in samples {
            run.fold(&RunProgress::Sample { sample: Box::new(sample) }, 300.0);
        }
        run
    }

    fn started(planned: Vec<(Ability, usize)>) -> RunProgress {
        let model = Model::Builtin { name: record::Baseline::GoldReplay };
        let settings = Box::new(RunSettings::new(model));
        RunProgress::Started { id: Some("1".to_owned()), settings, planned }
    }

    fn finished(run: &Run, status: Status) -> RecordFacts {
        let planned = run.planned.iter().map(|(_, count)| count).sum();
        RecordFacts { status, digest: "d".to_owned(), pack: head(1).pack, planned }
    }

    #[test]
    fn a_pause_stops_the_clock_and_estimates_need_enough_samples() {
        let mut run = run_of(Vec::new());
        assert_eq!((run.throughput(300.0), run.remaining_ms(Ability::Call, 300.0)), (None, None));
        run.fold(&started(vec![(Ability::Call, 12)]), 0.0);
        let answered = |n| call(Ability::Call, "call/a", n, Some(true));
        // Two samples of an earlier session, which don't count for the speed.
        run.fold(&RunProgress::Earlier { samples: vec![answered(0), answered(1)] }, 0.0);
        for n in 2..6 {
            run.fold(&RunProgress::Sample { sample: Box::new(answered(n)) }, 2000.0);
        }
        assert_eq!(run.throughput(2000.0), Some(2.0));
        assert_eq!(run.remaining_ms(Ability::Call, 2000.0), Some(3000.0));
        run.pause(true, 2000.0);
        assert_eq!((run.phase, run.elapsed_ms(9000.0)), (Phase::Paused, 2000.0));
        run.pause(false, 10_000.0);
        assert_eq!((run.phase, run.elapsed_ms(10_500.0)), (Phase::Running, 2500.0));
        run.pause(true, 10_500.0);
        run.fail("broken", 20_000.0);
        assert_eq!(run.elapsed_ms(30_000.0), 2500.0);
    }

    #[test]
    fn a_run_that_ends_early_is_a_part() {
        let mut run = run_of(vec![call(Ability::Call, "call/a", 1, Some(true))]);
        assert_eq!(run.part(), None, "it is not over");
        let end = finished(&run, Status::Cancelled);
        run.finish(end, 400.0);
        assert_eq!(run.part(), Some((1, 4)));
        run.fold(&started(vec![(Ability::Call, 1)]), 500.0);
        let sample = Box::new(call(Ability::Call, "call/a", 1, Some(true)));
        run.fold(&RunProgress::Sample { sample }, 600.0);
        let end = finished(&run, Status::Finished);
        run.finish(end, 700.0);
        assert_eq!(run.part(), None, "it is complete");
    }

    #[test]
    fn an_incomplete_record_from_a_file_is_a_part() {
        let mut run = Run::default();
        // A file says how many samples were planned, but not of which ability.
        run.fold(&started(vec![(Ability::Call, 1)]), 100.0);
        let samples = vec![call(Ability::Call, "call/a", 1, Some(true))];
        run.fold(&RunProgress::Earlier { samples }, 200.0);
        let end = finished(&run, Status::Cancelled);
        run.finish(RecordFacts { planned: 9, ..end }, 300.0);
        assert_eq!(run.part(), Some((1, 9)));
    }

    #[test]
    fn what_is_opened_again_took_what_its_samples_took() {
        let mut run = run_of(Vec::new());
        let mut sample = call(Ability::Call, "call/a", 1, Some(true));
        sample.times = SampleTimes { started_ms: 1000, latency_ms: 500, ..SampleTimes::default() };
        run.fold(&RunProgress::Earlier { samples: vec![sample] }, 90_000.0);
        let end = finished(&run, Status::Finished);
        run.finish(end, 90_000.0);
        assert_eq!(run.elapsed_ms(99_000.0), 500.0);
    }

    #[test]
    fn a_browser_that_keeps_nothing_says_so_until_the_next_run() {
        let mut run = run_of(Vec::new());
        assert_eq!(run.id.as_deref(), Some("1"));
        run.fold(&RunProgress::NotKept { message: "no room".to_owned() }, 300.0);
        assert_eq!((run.id.as_deref(), run.not_kept.as_deref()), (None, Some("no room")));
        // Before the start it belongs to the run that starts.
        let mut run = Run::default();
        run.fold(&RunProgress::NotKept { message: "private".to_owned() }, 0.0);
        run.fold(&started(Vec::new()), 1.0);
        assert_eq!(run.not_kept.as_deref(), Some("private"));
    }

    #[test]
    fn a_samples_address_names_a_kept_run_or_a_record_of_the_leaderboard() {
        let href = |run: &Run| run.route_of("call/a#1").href();
        let mut run = run_of(Vec::new());
        assert_eq!(href(&run), "#/sample/1/call/a%231");
        run.fold(&RunProgress::NotKept { message: "no room".to_owned() }, 300.0);
        assert_eq!(href(&run), "#/sample/call/a%231");
        run.list("keyword-baseline", "d");
        assert_eq!(run.name(), None, "a run without a digest is no record");
        let end = finished(&run, Status::Finished);
        run.finish(end, 400.0);
        run.list("keyword-baseline", "other");
        assert_eq!(run.name(), None, "another run is shown by now");
        run.list("keyword-baseline", "d");
        assert_eq!(href(&run), "#/sample/keyword-baseline/call/a%231");
        run.fold(&started(Vec::new()), 500.0);
        assert_eq!(run.name(), Some("1"), "the next run is another");
    }

    #[test]
    fn what_is_kept_again_is_no_longer_at_risk() {
        let mut run = run_of(vec![call(Ability::Call, "call/a", 1, Some(true))]);
        assert!(!run.is_at_risk());
        run.fold(&RunProgress::NotKept { message: "no room".to_owned() }, 300.0);
        assert!(run.is_at_risk());
        run.fold(&RunProgress::KeptAgain { id: "1".to_owned() }, 400.0);
        assert!(!run.is_at_risk());
        assert_eq!((run.id.as_deref(), run.not_kept), (Some("1"), None));
    }

    #[test]
    fn a_saved_file_is_as_good_as_a_kept_run() {
        let mut run = run_of(vec![call(Ability::Call, "call/a", 1, Some(true))]);
        run.fold(&RunProgress::NotKept { message: "no room".to_owned() }, 300.0);
        let end = finished(&run, Status::Finished);
        run.finish(end, 900.0);
        assert!(run.is_at_risk());
        run.saved();
        assert!(!run.is_at_risk());
    }

    #[test]
    fn a_wait_for_the_endpoint_is_counted_down_and_ends_with_an_answer() {
        let mut run = run_of(Vec::new());
        assert_eq!(run.held_ms(300.0), None);
        run.fold(&RunProgress::Throttled { ms: 30_000 }, 1000.0);
        assert_eq!((run.held_ms(11_000.0), run.held_ms(31_000.0)), (Some(20_000.0), None));
        assert_eq!(run.held_ms(-90_000.0), Some(30_000.0), "the clock was set back");
        let sample = Box::new(call(Ability::Call, "call/a", 1, Some(true)));
        run.fold(&RunProgress::Sample { sample }, 12_000.0);
        assert_eq!(run.held_ms(13_000.0), None);
    }

    #[test]
    fn a_run_that_the_endpoint_stopped_says_why() {
        let mut run = run_of(Vec::new());
        run.fold(&RunProgress::Stopped { reason: "refused the key".to_owned() }, 300.0);
        let end = finished(&run, Status::Cancelled);
        run.finish(end, 900.0);
        assert_eq!(
            (run.phase, run.stopped.as_deref()),
            (Phase::Cancelled, Some("refused the key"))
        );
        run.fold(&started(Vec::new()), 1000.0);
        assert_eq!(run.stopped, None);
    }

    #[test]
    fn samples_are_counted_and_kept_in_order() {
        let run = run_of(vec![
            call(Ability::Plan, "plan/a", 1, Some(false)),
            call(Ability::Call, "call/b", 10, Some(true)),
            call(Ability::Call, "call/b", 9, None),
        ]);
        let ids: Vec<&str> = run.samples.iter().map(|sample| sample.id.as_str()).collect();
        assert_eq!(ids, ["call/b#9", "call/b#10", "plan/a#1"]);
        assert_eq!(run.progress(Ability::Call), Some(Progress { done: 2, planned: 3 }));
        assert_eq!(run.progress(Ability::Retrieve), None);
        let total = run.summary(Profile::Execution).rows.pop().unwrap();
        assert_eq!((total.calls.right, total.calls.n, total.failed), (1, 2, 1));
        assert_eq!(run.failed().count(), 1);
        assert_eq!(run.phase, Phase::Running);
        assert_eq!(run.elapsed_ms(700.0), 500.0);
    }

    #[test]
    fn a_rerun_has_each_dialogue_of_the_listed_samples_once() {
        let run = run_of(vec![
            call(Ability::Call, "call/a", 1, Some(true)),
            call(Ability::Call, "call/b", 1, Some(false)),
            call(Ability::Call, "call/b", 3, None),
        ]);
        let settings = run.rerun_settings(&[1, 2, 9]).unwrap();
        assert_eq!(settings.subset, Subset::Dialogues(vec!["call/b".to_owned()]));
        assert_eq!(Run::default().rerun_settings(&[0]), None);
    }

    #[test]
    fn the_end_stops_the_clock() {
        let mut run = run_of(Vec::new());
        let end = finished(&run, Status::Cancelled);
        run.finish(end, 900.0);
        assert_eq!(run.facts.as_ref().unwrap().digest, "d");
        assert_eq!((run.phase, run.elapsed_ms(5000.0)), (Phase::Cancelled, 700.0));
    }

    #[test]
    fn a_failure_ends_what_goes_on_and_nothing_else() {
        let mut run = run_of(Vec::new());
        run.fail("index out of bounds", 400.0);
        assert_eq!(run.phase, Phase::Failed);
        assert_eq!(run.message.as_deref(), Some("index out of bounds"));
        let mut idle = Run::default();
        idle.fail("index out of bounds", 400.0);
        assert_eq!((idle.phase, idle.message), (Phase::Idle, None));
    }
}
