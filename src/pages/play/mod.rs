//! `#/play`: a game of ten steps against the keyword baseline and the leaderboard's best model.

mod outcome;
mod question;

use super::leaderboard;
use crate::messages::demo::JudgeAnswers;
use crate::platform::page;
use crate::session::Route;
use crate::session::game::{Progress, Terms};
use crate::state::{App, Latest, go, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::SampleRecord;
use record::leaderboard::{Game, Leaderboard};
use std::sync::Arc;

/// Where the tab keeps the game for a reload.
const KEPT: &str = "api-bank.game";
/// Seeds of new games are below this, so that links stay short.
const SEEDS: f64 = 1e6;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct Play {
    app: App,
    terms: StoredValue<Terms>,
    game: StoredValue<Game>,
    /// Ids of the samples.
    ids: StoredValue<Vec<String>>,
    progress: RwSignal<Progress>,
    /// The answers so far, judged.
    judged: Latest<Vec<SampleRecord>>,
}

impl Play {
    fn new(app: App, terms: Terms, game: Game) -> Self {
        let ids = terms.draw(&game);
        let progress = Progress::of(&terms.query(), ids.len(), page::of_tab(KEPT).as_deref());
        let play = Play {
            app,
            terms: StoredValue::new(terms),
            game: StoredValue::new(game),
            ids: StoredValue::new(ids),
            progress: RwSignal::new(progress),
            judged: Latest::new(),
        };
        Effect::new(move || {
            let text = play.progress.with(|progress| serde_json::to_string(progress).ok());
            page::keep_for_tab(KEPT, text.as_deref());
        });
        let answers = Memo::new(move |_| play.progress.with(|progress| progress.answers.clone()));
        Effect::new(move || {
            let answers = answers.get();
            if !answers.is_empty() {
                let ids = play.ids.get_value();
                let answers = ids.into_iter().zip(answers).collect();
                play.judged.refresh(app, JudgeAnswers { answers });
            }
        });
        play
    }

    fn count(self) -> usize {
        self.ids.with_value(Vec::len)
    }

    /// Goes on after a verdict.
    fn next(self) {
        self.progress.update(|progress| progress.reviewing = false);
        gloo_timers::callback::Timeout::new(0, || page::focus(".play-count")).forget();
    }

    /// The link of these questions.
    fn link(self) -> String {
        page::address_with(&Route::Play(self.terms.with_value(Terms::query)).href())
    }

    /// A game on the same terms with other questions.
    fn again(self) {
        let terms = Terms { seed: None, ..self.terms.get_value() };
        go(&Route::Play(terms.query()));
    }
}

/// The page.
#[component]
pub fn PlayPage(
    /// The query of its link.
    query: String,
) -> impl IntoView {
    let app = use_app();
    let (terms, refused) = Terms::from_query(&query, texts::current());
    if terms.seed.is_none() || !refused.is_empty() {
        complete(app, &terms, &refused);
        return ().into_any();
    }
    let board = Latest::<Arc<Leaderboard>>::new();
    board.follow(leaderboard::load());
    let body = move || match board.get() {
        None => view! { <p class="empty" role="status">{t!("Loading…")}</p> }.into_any(),
        Some(Err(reason)) => broken(board, reason).into_any(),
        Some(Ok(table)) => match table.game.clone() {
            Some(game) => view! { <Match play=Play::new(app, terms.clone(), game)/> }.into_any(),
            None => no_game().into_any(),
        },
    };
    view! {
        <div class="demo-page play">
            <div class="intro">
                <h1>{t!("Can you beat the model?")}</h1>
                <p>{t!("Read the conversation and choose the next step. You are judged like a model.")}</p>
            </div>
            {body}
        </div>
    }
    .into_any()
}

fn broken(board: Latest<Arc<Leaderboard>>, reason: String) -> impl IntoView {
    let retry = move |_| {
        board.clear();
        board.follow(leaderboard::load());
    };
    view! {
        <p class="field-error" role="alert">{reason}</p>
        <button type="button" class="button" on:click=retry>{t!("Retry")}</button>
    }
}

fn no_game() -> impl IntoView {
    view! { <p class="empty">{t!("The leaderboard has no model to play against yet.")}</p> }
}

/// Puts the terms that hold into the address, with a seed: a reload keeps the game, and the link can be
/// sent. Says what was refused.
fn complete(app: App, terms: &Terms, refused: &[String]) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 999,999")]
    let random = (js_sys::Math::random() * SEEDS) as u32;
    let seed = Some(terms.seed.unwrap_or(random));
    let query = Terms { seed, ..terms.clone() }.query();
    if !refused.is_empty() {
        app.ui.notify(refused.join(" "));
    }
    Effect::new(move || {
        let route = Route::Play(query.clone());
        page::replace_fragment(&route.href());
        app.ui.route.set(route);
    });
}

#[component]
fn Match(play: Play) -> impl IntoView {
    let over = Memo::new(move |_| play.progress.with(|it| it.current() >= play.count()));
    move || {
        if over.get() {
            view! { <outcome::Outcome play/> }.into_any()
        } else {
            view! { <question::Question play/> }.into_any()
        }
    }
}
