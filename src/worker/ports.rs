//! The engine's ports in the worker.

use super::tell::Teller;
use crate::messages::{RunProgress, StartRun};
use crate::platform::cancel::Watch;
use crate::platform::fetch;
use futures::channel::oneshot;
use futures::future::select;
use gloo_timers::future::TimeoutFuture;
use provider::Ports;
use provider::diagnosis::Place;
use provider::{HttpRequest, Sink, Timeouts, TransportError};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{MessageChannel, MessageEvent, Performance, WorkerGlobalScope};

/// Clock, network and waiting for one run.
pub(super) struct Browser {
    stop: Watch,
    turns: Option<Turns>,
    clock: Option<Performance>,
    /// The run that shows waits for the endpoint.
    run: Option<Teller<StartRun>>,
}

impl Browser {
    /// Ports for a run that `stop` cancels.
    pub(super) fn new(stop: Watch) -> Self {
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        Browser { stop, turns: Turns::new().ok(), clock: scope.performance(), run: None }
    }

    /// Ports that tell a run when the endpoint throttles.
    pub(super) fn of_run(self, run: Teller<StartRun>) -> Self {
        Browser { run: Some(run), ..self }
    }

    /// A monotonic clock in milliseconds with the browser's resolution, to time what is fast.
    pub(super) fn clock_ms(&self) -> f64 {
        self.clock.as_ref().map_or_else(js_sys::Date::now, Performance::now)
    }
}

impl Ports for Browser {
    fn now_ms(&self) -> u64 {
        js_sys::Date::now() as u64
    }

    fn elapsed_ms(&self) -> u64 {
        self.clock.as_ref().map_or_else(|| self.now_ms(), |clock| clock.now() as u64)
    }

    fn held(&self, ms: u32) {
        if let Some(run) = self.run {
            run.tell(&RunProgress::Throttled { ms });
        }
    }

    async fn send(
        &self,
        request: HttpRequest,
        limits: Timeouts,
        sink: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        fetch::send(request, limits, self.stop.wait(), sink).await
    }

    async fn place(&self) -> Place {
        fetch::place().await
    }

    async fn wait(&self, ms: u32) {
        match &self.turns {
            Some(turns) if ms == 0 => turns.next().await,
            _ => {
                select(TimeoutFuture::new(ms), pin!(self.stop.wait())).await;
            }
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.stopped()
    }

    async fn resumed(&self) {
        self.stop.resumed().await;
    }
}

/// Yields to the event loop by a message to itself, which arrives after everything queued. Browsers
/// delay chained timers by four milliseconds.
struct Turns {
    channel: MessageChannel,
    waiting: Rc<RefCell<VecDeque<oneshot::Sender<()>>>>,
    _listener: Closure<dyn Fn(MessageEvent)>,
}

impl Turns {
    fn new() -> Result<Self, JsValue> {
        let channel = MessageChannel::new()?;
        let waiting = Rc::new(RefCell::new(VecDeque::<oneshot::Sender<()>>::new()));
        let queue = Rc::clone(&waiting);
        let listener = Closure::<dyn Fn(MessageEvent)>::new(move |_| {
            let next = queue.borrow_mut().pop_front();
            if let Some(next) = next {
                // An error means that the task no longer waits.
                let _ = next.send(());
            }
        });
        channel.port1().set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Ok(Turns { channel, waiting, _listener: listener })
    }

    async fn next(&self) {
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().push_back(sender);
        if self.channel.port2().post_message(&JsValue::NULL).is_ok() {
            let _ = receiver.await;
        }
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.channel.port1().close();
    }
}
