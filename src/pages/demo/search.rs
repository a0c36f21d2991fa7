//! API Search: the five best hits with cosines.

use super::{Player, Stage};
use crate::messages::{Search, SearchHit};
use crate::session::demo::graded;
use crate::state::Latest;
use crate::t;
use leptos::ev;
use leptos::prelude::*;
use record::Gold;

/// The panel, prefilled with the keywords of the dialogue's search.
#[component]
pub(super) fn SearchPanel(stage: Stage) -> impl IntoView {
    let app = stage.app;
    let keywords = RwSignal::new(String::new());
    let found = Latest::new();
    let run = move || {
        let keywords = keywords.get_untracked();
        if keywords.trim().is_empty() {
            return found.clear();
        }
        let suite = stage.ability.get_untracked().suite().as_str().to_owned();
        found.refresh(app, Search { suite, keywords, k: 5 });
    };
    // While the answer is hidden, so are its keywords.
    Effect::new(move || {
        if let Some(gold) = searched(stage) {
            let is_shown = stage.player.get() == Player::Gold;
            keywords.set(if is_shown { gold } else { String::new() });
            run();
        }
    });
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        run();
    };
    let hits = move || match found.get()? {
        Ok(hits) => Some(hits.into_iter().map(hit).collect_view().into_any()),
        Err(message) => Some(view! { <li class="field-error">{message}</li> }.into_any()),
    };
    view! {
        <section class="panel demo-stack" data-test="demo-search">
            <h2>{t!("API Search")}</h2>
            <form class="demo-stack" on:submit=submit>
                <label class="field">
                    <span class="label">{t!("Keywords")}</span>
                    <input type="text" autocomplete="off" data-test="demo-keywords" prop:value=move || keywords.get()
                        on:input=move |event| keywords.set(event_target_value(&event))/>
                </label>
                <div class="actions"><button type="submit" class="button">{t!("Search")}</button></div>
            </form>
            <ol class="hits" data-test="demo-hits">{hits}</ol>
        </section>
    }
}

fn hit(hit: SearchHit) -> impl IntoView {
    let cosine = format!("{:.3}", hit.cosine);
    view! { <li><code>{hit.name}</code> <span class="num quiet">{cosine}</span></li> }
}

/// The keywords of the current step, if it is a search.
fn searched(stage: Stage) -> Option<String> {
    let step = stage.step.get();
    stage.walk.with(|walk| {
        let sample = graded(walk.as_ref()?.steps.get(step)?)?;
        let Gold::Call(gold) = &sample.gold else { return None };
        let text = gold.param_dict.get("keywords")?.as_str()?;
        Some(text.to_owned())
    })
}
