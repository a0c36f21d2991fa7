//! Tries a user's model in a worker of its own before the engine loads it: one that crashes or hangs
//! stops nothing else.

use crate::bridge::{Bridge, Waiter};
use crate::messages::Event;
use crate::messages::search_lab::AddRetriever;
use crate::t;
use futures::StreamExt;
use futures::channel::{mpsc, oneshot};
use futures::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use js_sys::Array;
use std::rc::Rc;

/// How long a model may take to load and to embed a few texts, in milliseconds.
const LIMIT_MS: u32 = 60_000;

/// Loads a model from its files, and terminates the worker.
///
/// # Errors
/// Why it can't be used.
pub(crate) async fn model_trial(request: AddRetriever, files: Array) -> Result<(), String> {
    let (events, mut heard) = mpsc::unbounded();
    let mut bridge = Bridge::start(move |event| drop(events.unbounded_send(event)))?;
    // The answer is an event.
    let (answer, _) = oneshot::channel();
    let waiter = Waiter { answer, progress: Rc::new(|_| Ok(())) };
    bridge.ask(request.into(), Some(files), waiter)?;
    let mut limit = TimeoutFuture::new(LIMIT_MS);
    loop {
        match select(heard.next(), &mut limit).await {
            Either::Left((Some(Event::Listening), _)) => bridge.open()?,
            Either::Left((Some(Event::Answered { answer, .. }), _)) => return answer.map(drop),
            Either::Left((Some(Event::Panicked { message }), _)) => {
                return Err(t!("The engine can't run this model: {message}", message = message));
            }
            Either::Left((Some(_), _)) => {}
            Either::Left((None, _)) => return Err(t!("The engine stopped.").to_owned()),
            Either::Right(_) => {
                return Err(t!(
                    "The model took more than {n} seconds to load. Use a smaller one.",
                    n = LIMIT_MS / 1000
                ));
            }
        }
    }
}
