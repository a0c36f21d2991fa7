//! What the score of a complete run means: its place among other models, a sentence, the next step.

use crate::components::score_scale::score_scale;
use crate::pages::leaderboard;
use crate::platform::page;
use crate::session::score::scale::{Mark, MarkKind, marks};
use crate::session::score::words::{self, Next};
use crate::session::terms;
use crate::state::{App, Latest};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::Summary;
use record::leaderboard::Leaderboard;
use record::table::Shape;
use std::sync::Arc;

/// The part of the headline under the score.
#[component]
pub fn Meaning(
    /// The shared state.
    app: App,
    /// The run's summary.
    summary: Memo<Summary>,
) -> impl IntoView {
    let board = Latest::new();
    board.follow(leaderboard::load());
    let marks = Memo::new(move |_| match board.get() {
        Some(Ok(board)) => marks_of(app, &summary.read(), &board),
        // Without the leaderboard there is nothing to compare with.
        _ => Vec::new(),
    });
    let next = Memo::new(move |_| {
        let marks = marks.read();
        let keyword = marks.iter().find(|mark| mark.kind == MarkKind::Keyword).map(|it| it.share);
        app.run.current.with(|run| words::next(run.settings.as_ref()?, &summary.read(), keyword))
    });
    view! {
        <div class="headline-meaning">
            <p class="headline-words" data-test="headline-words">
                {move || words::sentence(&summary.read(), texts::current())}
            </p>
            {move || marks.with(|marks| (!marks.is_empty()).then(|| score_scale(marks)))}
            {move || next.get().map(|it| step(app, it))}
        </div>
    }
}

fn marks_of(app: App, summary: &Summary, board: &Arc<Leaderboard>) -> Vec<Mark> {
    let Some(total) = summary.rows.last() else { return Vec::new() };
    let score = Shape::of(summary).rate(total);
    app.run.current.with(|run| match (&run.settings, &run.facts) {
        (Some(settings), Some(facts)) => {
            marks(settings, &facts.pack, summary.profile, score, board)
        }
        _ => Vec::new(),
    })
}

/// The next step, with a link to where it is taken.
fn step(app: App, next: Next) -> impl IntoView {
    let text = match next {
        Next::OwnModel => t!("This model is built in. Next, run one of your own.").to_owned(),
        Next::Parser => t!("Next: check your server's tool parser. Most answers contain no call, or one in another form.").to_owned(),
        Next::Tools => t!("Next: try the protocol tools. Most answers contain calls in another form.").to_owned(),
        Next::Larger => t!("Next: try a larger model. The keyword baseline scores higher.").to_owned(),
        Next::Error(class) => t!(
            "Next: look at the most common error, {class}. {meaning}",
            class = terms::class(class, texts::current()),
            meaning = terms::class_meaning(class, texts::current())
        ),
    };
    let example = match next {
        Next::Error(class) => app.run.current.with_untracked(|run| {
            let profile = app.run.profile.get_untracked();
            let sample = words::example(&run.samples, profile, class)?;
            Some(run.route_of(&sample.id).href())
        }),
        _ => None,
    };
    let example = example
        .map(|href| view! { " " <a href=href data-test="next-example">{t!("See an example")}</a> });
    let choose = (next == Next::OwnModel).then(|| {
        let open = move |_| {
            page::elements(".setup-fields:not([open]) > summary").iter().for_each(|it| it.click());
            page::focus(".setup-fields > summary");
        };
        view! {
            " " <button type="button" class="link" data-test="next-model" on:click=open>
                {t!("Choose a model")}
            </button>
        }
    });
    view! { <p class="headline-next" data-test="headline-next">{text} {example} {choose}</p> }
}
