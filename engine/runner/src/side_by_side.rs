//! Several runs side by side: none begins a sample before all have finished the one before, so that
//! a server that drifts in time does not look different from the others.

use crate::batch::{Progress, resume};
use crate::benchmark::Benchmark;
use futures::future::{Either, join_all, poll_fn, select};
use provider::diagnosis::Place;
use provider::{ApiKey, HttpRequest, Ports, Sink, Timeouts, TransportError};
use record::{Record, RunSettings};
use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::task::{Poll, Waker};

/// Keeps runs in step.
#[derive(Debug)]
pub struct Gate {
    runs: RefCell<Vec<Turn>>,
    waiting: RefCell<Vec<Waker>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    done: usize,
    ended: bool,
}

impl Gate {
    /// A gate for a number of runs, each with one request in flight.
    pub fn new(runs: usize) -> Self {
        Gate { runs: RefCell::new(vec![Turn::default(); runs]), waiting: RefCell::default() }
    }

    /// Whether a run may go on: no other run has finished fewer samples. The run asks one sample at
    /// a time, so the answer for a sample never turns from yes to no.
    fn is_open(&self, run: usize) -> bool {
        let runs = self.runs.borrow();
        let own = runs.get(run).map_or(0, |it| it.done);
        runs.iter().all(|run| run.ended || run.done >= own)
    }

    /// Reports that a run has finished a sample.
    pub fn done(&self, run: usize) {
        self.change(run, |turn| turn.done += 1);
    }

    /// Reports that a run has ended, finished or not: nobody waits for it any more.
    pub fn ended(&self, run: usize) {
        self.change(run, |turn| turn.ended = true);
    }

    fn change(&self, run: usize, change: impl FnOnce(&mut Turn)) {
        if let Some(turn) = self.runs.borrow_mut().get_mut(run) {
            change(turn);
        }
        self.wake();
    }

    /// Lets waiting runs look again whether they were cancelled.
    fn wake(&self) {
        self.waiting.take().into_iter().for_each(Waker::wake);
    }

    /// Completes with all runs; `stopped` completes when the user cancels, and wakes those that wait.
    pub async fn joined<T>(
        &self,
        all: impl Future<Output = T>,
        stopped: impl Future<Output = ()>,
    ) -> T {
        match select(pin!(all), pin!(stopped)).await {
            Either::Left((all, _)) => all,
            Either::Right(((), all)) => {
                self.wake();
                all.await
            }
        }
    }

    /// Waits until a run may go on or is cancelled.
    async fn opened(&self, run: usize, cancelled: impl Fn() -> bool) {
        poll_fn(|context| {
            if cancelled() || self.is_open(run) {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// The ports of one run among several.
#[derive(Debug)]
pub struct Gated<'a, P> {
    /// The platform.
    pub ports: &'a P,
    /// The gate of all runs.
    pub gate: &'a Gate,
    /// Index of the run.
    pub run: usize,
}

impl<P: Ports> Ports for Gated<'_, P> {
    fn now_ms(&self) -> u64 {
        self.ports.now_ms()
    }

    fn elapsed_ms(&self) -> u64 {
        self.ports.elapsed_ms()
    }

    async fn send(
        &self,
        request: HttpRequest,
        limits: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        self.ports.send(request, limits, sink).await
    }

    async fn wait(&self, ms: u32) {
        self.ports.wait(ms).await;
    }

    fn cancelled(&self) -> bool {
        self.ports.cancelled()
    }

    fn held(&self, ms: u32) {
        self.ports.held(ms);
    }

    async fn place(&self) -> Place {
        self.ports.place().await
    }

    async fn resumed(&self) {
        self.ports.resumed().await;
        self.gate.opened(self.run, || self.ports.cancelled()).await;
    }
}

/// Runs all settings side by side until they are done, or until `stopped`, which the platform
/// completes when the user cancels. `report` gets the index of the run. Each run has one request in
/// flight, whatever its settings say.
pub async fn side_by_side<P: Ports>(
    bench: &Benchmark,
    runs: &[(RunSettings, Option<ApiKey>)],
    ports: &P,
    stopped: impl Future<Output = ()>,
    report: impl Fn(usize, Progress),
) -> Vec<Record> {
    let gate = Gate::new(runs.len());
    let all = join_all(runs.iter().enumerate().map(|(run, (settings, key))| {
        let (gate, report) = (&gate, &report);
        async move {
            let settings = RunSettings { concurrency: 1, ..settings.clone() };
            let gated = Gated { ports, gate, run };
            let on_progress = |progress: Progress| {
                if matches!(progress, Progress::Sample(_)) {
                    gate.done(run);
                }
                report(run, progress);
            };
            let record =
                resume(bench, &settings, key.as_ref(), &gated, Vec::new(), on_progress).await;
            gate.ended(run);
            record
        }
    }));
    gate.joined(all, stopped).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_is_more_than_a_sample_ahead() {
        let gate = Gate::new(2);
        assert!(gate.is_open(0) && gate.is_open(1));
        gate.done(0);
        assert!(!gate.is_open(0), "the other has not finished the round");
        assert!(gate.is_open(1));
        gate.done(1);
        assert!(gate.is_open(0) && gate.is_open(0), "asking again changes nothing");
    }

    #[test]
    fn nobody_waits_for_a_run_that_has_ended() {
        let gate = Gate::new(2);
        gate.done(0);
        assert!(!gate.is_open(0));
        gate.ended(1);
        assert!(gate.is_open(0));
    }

    #[test]
    fn a_cancelled_run_does_not_wait() {
        let gate = Gate::new(2);
        gate.done(0);
        let stopped = std::cell::Cell::new(false);
        let mut waiting = pin!(gate.opened(0, || stopped.get()));
        let mut context = std::task::Context::from_waker(Waker::noop());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        stopped.set(true);
        gate.wake();
        assert!(waiting.as_mut().poll(&mut context).is_ready());
    }
}
