//! The answer to the last of several requests of one kind.

use super::App;
use crate::protocol::Request;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The answer to the last request. Answers to earlier ones are dropped, as are all that come after the
/// owner of the signals is gone.
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
    /// Nothing is asked yet.
    pub fn new() -> Self {
        Latest { turn: RwSignal::new(0), asked: RwSignal::new(false), answer: RwSignal::new(None) }
    }

    /// Asks; there is no answer until the worker gives it.
    pub fn ask<R: Request<Answer = T>>(self, app: App, request: R) {
        self.clear();
        self.refresh(app, request);
    }

    /// Asks; the answer before stays until the worker gives the new one.
    pub fn refresh<R: Request<Answer = T>>(self, app: App, request: R) {
        self.follow(app.ask(request));
    }

    /// Takes the answer of a request that is on its way.
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

    /// Forgets what was asked and answered.
    pub fn clear(self) {
        self.next_turn();
        self.asked.set(false);
        if self.answer.try_with_untracked(Option::is_some) == Some(true) {
            self.answer.set(None);
        }
    }

    /// Whether something was asked since the start, or since it was cleared.
    pub fn is_asked(self) -> bool {
        self.asked.get()
    }

    /// The answer, once it is there.
    pub fn get(self) -> Option<Result<T, String>> {
        self.answer.get()
    }

    /// Looks at the answer.
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
