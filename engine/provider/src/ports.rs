//! What sending needs of the platform.

use crate::diagnosis::Place;
use crate::{HttpRequest, Sink, Timeouts, TransportError};
use std::future::Future;

/// What a run needs of the platform.
pub trait Ports {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Milliseconds since any fixed moment, by a clock that nobody sets: spans of time are measured
    /// with it. A platform that has none gives [`Ports::now_ms`].
    fn elapsed_ms(&self) -> u64 {
        self.now_ms()
    }

    /// Sends a request and hands the response to `sink` as it comes: the head once, then the body.
    /// Gives up when one of the limits has passed or the run is to stop, body included.
    fn send(
        &self,
        request: HttpRequest,
        limits: Timeouts,
        sink: &mut dyn Sink,
    ) -> impl Future<Output = Result<(), TransportError>>;

    /// Waits; at 0 it only lets other work go on.
    fn wait(&self, ms: u32) -> impl Future<Output = ()>;

    /// Whether the run is to stop.
    fn cancelled(&self) -> bool;

    /// The endpoint refuses requests for now: the next try leaves in `ms`. For whoever watches.
    fn held(&self, _ms: u32) {}

    /// Where requests come from, for telling why an endpoint gives no answer. A program by default.
    fn place(&self) -> impl Future<Output = Place> {
        std::future::ready(Place::default())
    }

    /// Waits while the run is paused; ends at once when it is not, or is cancelled.
    fn resumed(&self) -> impl Future<Output = ()> {
        std::future::ready(())
    }
}
