//! The rejected answers.

use super::trace;
use crate::messages::generate::Step;
use crate::session::format;
use crate::state::use_app;
use crate::t;
use crate::texts::translated;
use generator::{Agent, Code};
use leptos::prelude::*;

/// The list, filtered by agent and reason.
#[component]
pub fn RefusedList() -> impl IntoView {
    let app = use_app();
    let code = RwSignal::new(None::<Code>);
    let all = Memo::new(move |_| app.generation.current.with(|current| current.refused.clone()));
    let codes = Memo::new(move |_| {
        let mut codes: Vec<Code> =
            all.read().iter().flat_map(|step| step.reasons.iter().map(|it| it.code)).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    });
    let listed = move || {
        let code = code.get();
        let fits =
            |step: &Step| code.is_none_or(|code| step.reasons.iter().any(|it| it.code == code));
        all.get().into_iter().filter(fits).collect::<Vec<_>>()
    };
    let pick = move |event| {
        let value = event_target_value(&event);
        code.set(Code::ALL.iter().copied().find(|code| code.as_str() == value));
    };
    let options = move || {
        codes
            .get()
            .into_iter()
            .map(|listed| {
                let picked = move || code.get() == Some(listed);
                view! { <option value=listed.as_str() selected=picked>{listed.as_str()}</option> }
            })
            .collect_view()
    };
    view! {
        <section class="samples" aria-labelledby="refused-title">
            <div class="section-head">
                <h2 id="refused-title">{t!("Rejected")}</h2>
                <span class="quiet num" role="status" data-test="refused-count">{move || format::count(all.read().len())}</span>
                <label class="inline">
                    <span class="visually-hidden">{t!("Reason")}</span>
                    <select data-test="refused-code" on:change=pick>
                        <option value="">{t!("All reasons")}</option>
                        {options}
                    </select>
                </label>
            </div>
            <p class="empty" hidden=move || !all.read().is_empty()>{t!("No rejections.")}</p>
            <ol class="ways" data-test="refused" hidden=move || all.read().is_empty()>
                <For each=listed key=|step| step.seq children=move |step| row(app, step)/>
            </ol>
        </section>
    }
}

fn row(app: crate::state::App, step: Step) -> impl IntoView {
    let reasons = step
        .reasons
        .iter()
        .map(|reason| {
            view! {
                <li><strong title=translated(reason.code.explain())>{reason.code.as_str()}</strong> " " {reason.detail.clone()}</li>
            }
        })
        .collect_view();
    let place =
        step.domain.clone().unwrap_or_else(|| translated(Agent::Domains.title()).to_owned());
    let whole = step.slot.map(|slot| {
        let show = move |_| trace(app, slot);
        view! { <button type="button" class="button button-small" on:click=show>{t!("Show steps")}</button> }
    });
    view! {
        <li class="refusal" data-test="refusal" data-code=step.reasons.first().map_or("", |it| it.code.as_str())>
            <p class="timeline-head">
                <strong>{translated(step.agent.title())}</strong>
                <span class="quiet">{place} {step.ability.map(|it| format!(" · {}", translated(it.title())))}</span>
                <span class="grow"></span>
                {whole}
            </p>
            <ul class="reason-list">{reasons}</ul>
        </li>
    }
}
