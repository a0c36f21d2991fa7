//! The interface between a run and the platform.

use crate::diagnosis::Place;
use crate::{HttpRequest, Sink, Timeouts, TransportError};
use std::future::Future;

/// The platform's clock, network and user controls.
pub trait Ports {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Milliseconds on a monotonic clock, for measuring durations. Defaults to [`Ports::now_ms`]
    /// where there is none.
    fn elapsed_ms(&self) -> u64 {
        self.now_ms()
    }

    /// Sends a request and streams the response to `sink`: first the head, then the body. Aborts on
    /// a timeout or when the run is cancelled, even mid-body.
    fn send(
        &self,
        request: HttpRequest,
        limits: Timeouts,
        sink: &mut dyn Sink,
    ) -> impl Future<Output = Result<(), TransportError>>;

    /// Waits `ms` milliseconds; 0 only yields to other tasks.
    fn wait(&self, ms: u32) -> impl Future<Output = ()>;

    /// Whether the run was cancelled.
    fn cancelled(&self) -> bool;

    /// Reports that the endpoint throttles: the next attempt is in `ms` milliseconds.
    fn held(&self, _ms: u32) {}

    /// The origin of requests, for diagnosing a missing response. Defaults to a native program.
    fn place(&self) -> impl Future<Output = Place> {
        std::future::ready(Place::default())
    }

    /// Whether a server answers at an address, even if the platform may not read its answer. Sends no key
    /// and no prompt. `false` where that can't be known.
    fn answers(&self, _url: &str) -> impl Future<Output = bool> {
        std::future::ready(false)
    }

    /// Waits while the run is paused; returns at once if it is not, or is cancelled.
    fn resumed(&self) -> impl Future<Output = ()> {
        std::future::ready(())
    }
}
