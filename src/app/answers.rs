//! Answers about the data: the Demo asks for them, and the Method page.

use super::{App, Reply};
use crate::protocol::demo::Answer;
use leptos::prelude::*;

/// The answer to the question of a number, once it is there.
pub fn answer_to(app: App, asked: RwSignal<Option<u32>>) -> Option<Result<Answer, String>> {
    let wanted = asked.get()?;
    match app.reply.get() {
        Some((id, Reply::Demo(answer))) if id == wanted => Some(Ok(*answer)),
        Some((id, Reply::Refused(message))) if id == wanted => Some(Err(message)),
        _ => None,
    }
}

/// The last answer to the questions of `asked`, kept while others are answered in between; empty
/// from a new question until its answer.
pub fn kept_answer(
    app: App,
    asked: RwSignal<Option<u32>>,
) -> RwSignal<Option<Result<Answer, String>>> {
    let kept = RwSignal::new(None);
    Effect::new(move |before: Option<Option<u32>>| {
        let now = asked.get();
        match answer_to(app, asked) {
            Some(answer) => kept.set(Some(answer)),
            None if before != Some(now) => kept.set(None),
            None => {}
        }
        now
    });
    kept
}
