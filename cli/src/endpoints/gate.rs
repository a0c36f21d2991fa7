//! Keeps several runs side by side: none begins a sample before all have finished the one before, so
//! that a server that drifts in time does not look different from the others.

use crate::ports::Native;
use provider::{HttpRequest, Ports, Sink, Timeouts, TransportError};
use std::cell::RefCell;
use tokio::sync::Notify;

/// The progress of all runs.
#[derive(Debug)]
pub(super) struct Gate {
    runs: RefCell<Vec<Progress>>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    done: usize,
    ended: bool,
}

impl Gate {
    pub(super) fn new(runs: usize) -> Self {
        Gate { runs: RefCell::new(vec![Progress::default(); runs]), changed: Notify::new() }
    }

    /// Whether a run may go on: no other run has finished fewer samples. The run asks one sample at
    /// a time, so the answer for a sample never turns from yes to no.
    fn is_open(&self, run: usize) -> bool {
        let runs = self.runs.borrow();
        let own = runs.get(run).map_or(0, |it| it.done);
        runs.iter().all(|it| it.ended || it.done >= own)
    }

    /// Reports that a run has finished a sample.
    pub(super) fn done(&self, run: usize) {
        self.change(run, |it| it.done += 1);
    }

    /// Reports that a run has ended, finished or not: nobody waits for it any more.
    pub(super) fn ended(&self, run: usize) {
        self.change(run, |it| it.ended = true);
    }

    fn change(&self, run: usize, change: impl FnOnce(&mut Progress)) {
        if let Some(progress) = self.runs.borrow_mut().get_mut(run) {
            change(progress);
        }
        self.changed.notify_waiters();
    }
}

/// The ports of one run among several.
#[derive(Debug)]
pub(super) struct Gated<'a> {
    pub(super) native: &'a Native,
    pub(super) gate: &'a Gate,
    pub(super) run: usize,
}

impl Ports for Gated<'_> {
    fn now_ms(&self) -> u64 {
        self.native.now_ms()
    }

    fn elapsed_ms(&self) -> u64 {
        self.native.elapsed_ms()
    }

    async fn send(
        &self,
        request: HttpRequest,
        limits: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        self.native.send(request, limits, sink).await
    }

    async fn wait(&self, ms: u32) {
        self.native.wait(ms).await;
    }

    fn cancelled(&self) -> bool {
        self.native.cancelled()
    }

    async fn resumed(&self) {
        loop {
            let changed = self.gate.changed.notified();
            if self.native.cancelled() || self.gate.is_open(self.run) {
                return;
            }
            tokio::select! {
                () = changed => {}
                () = self.native.stopped() => {}
            }
        }
    }
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
}
