//! The answer to the latest of several requests.

use super::App;
use crate::messages::Request;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The answer to the latest request. Answers to earlier requests are dropped, and so are all
/// answers after the owner of the signals is disposed.
pub struct Latest<T: 'static> {
    /// Counts requests and cancellations.
    turn: RwSignal<u32>,
    asked: RwSignal<bool>,
    answer: RwSignal<Option<Result<T, String>>>,
}

impl<T> Clone for Latest<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Latest<T> {}

impl<T: Clone + Send + Sync> Default for Latest<T> {
    fn default() -> Self {
        Latest::new()
    }
}

impl<T: Clone + Send + Sync> Latest<T> {
    /// A value without a request.
    pub fn new() -> Self {
        Latest { turn: RwSignal::new(0), asked: RwSignal::new(false), answer: RwSignal::new(None) }
    }

    /// Sends a request; clears the previous answer.
    pub fn ask<R: Request<Answer = T>>(self, app: App, request: R) {
        self.clear();
        self.refresh(app, request);
    }

    /// Sends a request; keeps the previous answer until the new one arrives.
    pub fn refresh<R: Request<Answer = T>>(self, app: App, request: R) {
        self.follow(app.ask(request));
    }

    /// Takes the answer of a request in flight.
    pub fn follow(self, answer: impl Future<Output = Result<T, String>> + 'static) {
        let turn = self.next_turn();
        self.asked.set(true);
        spawn_local(async move {
            let answer = answer.await;
            if self.turn.try_get_untracked() == Some(turn) {
                self.answer.set(Some(answer));
            }
        });
    }

    /// Drops the request and the answer.
    pub fn clear(self) {
        self.next_turn();
        self.asked.set(false);
        if self.answer.try_with_untracked(Option::is_some) == Some(true) {
            self.answer.set(None);
        }
    }

    /// Whether a request was sent since the start or the last clear.
    pub fn is_asked(self) -> bool {
        self.asked.get()
    }

    /// The answer; `None` until it arrives.
    pub fn get(self) -> Option<Result<T, String>> {
        self.answer.get()
    }

    /// Accesses the answer by reference.
    pub fn with<U>(self, look: impl FnOnce(Option<&Result<T, String>>) -> U) -> U {
        self.answer.with(|answer| look(answer.as_ref()))
    }

    fn next_turn(self) -> u32 {
        let next = |turn: &mut u32| {
            *turn = turn.wrapping_add(1);
            *turn
        };
        self.turn.try_update_untracked(next).unwrap_or_default()
    }
}
