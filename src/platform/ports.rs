//! The engine's ports on the main thread, where a browser may ask for permission to access this
//! machine.

use super::{fetch, page};
use gloo_timers::future::TimeoutFuture;
use provider::diagnosis::Place;
use provider::{HttpRequest, Ports, Sink, Timeouts, TransportError};

/// Clock and network for requests that the page sends itself.
pub struct PagePorts;

impl Ports for PagePorts {
    fn now_ms(&self) -> u64 {
        page::now_ms() as u64
    }

    async fn send(
        &self,
        request: HttpRequest,
        limits: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        fetch::send(request, limits, std::future::pending(), sink).await
    }

    async fn wait(&self, ms: u32) {
        TimeoutFuture::new(ms).await;
    }

    fn cancelled(&self) -> bool {
        false
    }

    async fn place(&self) -> Place {
        fetch::place().await
    }

    async fn answers(&self, url: &str) -> bool {
        fetch::answers(url).await
    }
}
