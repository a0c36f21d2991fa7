//! Whole runs of the built-in models, without files or a network.

mod words;

pub use words::bench;

use futures::FutureExt;
use provider::Ports;
use provider::{HttpRequest, Sink, Timeouts, TransportError};
use record::RunSettings;
use record::{Model, Record};
use runner::benchmark::Benchmark;

/// Ports for a run that sends nothing and takes no time.
pub struct Still;

impl Ports for Still {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn send(
        &self,
        request: HttpRequest,
        _: Timeouts,
        _: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        Err(TransportError::Unreachable(format!("a built-in model asked for {}", request.url)))
    }

    async fn wait(&self, _: u32) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// Runs a built-in model to its record.
pub fn run(bench: &Benchmark, settings: &RunSettings) -> Record {
    assert!(matches!(settings.model, Model::Builtin { .. }), "nothing is sent here");
    runner::run(bench, settings, None, &Still, |_| {})
        .now_or_never()
        .expect("a run that waits for nothing ends at once")
}
