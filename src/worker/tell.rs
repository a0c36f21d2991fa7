//! Progress of requests.

use super::post;
use crate::messages::{Event, Request};
use std::marker::PhantomData;

/// Tells the page the progress of a request.
pub(super) struct Teller<R> {
    id: u32,
    request: PhantomData<fn(R)>,
}

impl<R> Clone for Teller<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Teller<R> {}

impl<R: Request> Teller<R> {
    /// The teller of the request with an id.
    pub(super) fn new(id: u32) -> Self {
        Teller { id, request: PhantomData }
    }

    /// Tells progress.
    pub(super) fn tell(self, progress: &R::Progress) {
        match serde_json::to_string(progress) {
            Ok(progress) => post(&Event::Progress { id: self.id, progress }),
            Err(error) => web_sys::console::error_1(&error.to_string().into()),
        }
    }
}
