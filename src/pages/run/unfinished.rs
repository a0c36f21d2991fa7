//! Interrupted runs: to resume, save partially, or discard.

use crate::components::confirm::Confirm;
use crate::components::key_field::KeyField;
use crate::components::send_question::TargetView;
use crate::session::format;
use crate::session::keys::Target;
use crate::state::{App, use_app};
use crate::stored_runs::StoredRun;
use crate::t;
use crate::texts;
use leptos::prelude::*;
use record::Model;

/// A notice per unfinished run; empty during a run in this tab.
#[component]
pub fn Unfinished() -> impl IntoView {
    let app = use_app();
    let offers = Memo::new(move |_| {
        let here = app.run.current.with(|run| run.phase.is_active());
        app.records.stored.with(|kept| match kept {
            Ok(kept) if !here => {
                let going_on = |run: &StoredRun| kept.going_on.contains(&run.id);
                let open = kept.runs.iter().filter(|run| !run.over);
                open.map(|run| (run.clone(), going_on(run))).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        })
    });
    view! {
        {move || offers.get().into_iter().map(|(run, elsewhere)| {
            if elsewhere { other_tab(&run).into_any() } else { offer(app, run).into_any() }
        }).collect_view()}
    }
}

/// Describes a run and its progress.
pub(super) fn so_far(run: &StoredRun) -> String {
    t!(
        "{model}: {n} of {all} samples, {size}",
        model = format::model(&run.settings.model, texts::current()),
        n = format::count(run.done),
        all = format::count(run.head.planned),
        size = format::size(run.bytes)
    )
}

fn other_tab(run: &StoredRun) -> impl IntoView + use<> {
    view! {
        <section class="offer" data-test="run-elsewhere" aria-label=t!("Run in another tab")>
            <h2>{t!("A run is active in another tab")}</h2>
            <p class="quiet">{t!("{run}. Switch to that tab to view or stop it.", run = so_far(run))}</p>
        </section>
    }
}

fn offer(app: App, run: StoredRun) -> impl IntoView {
    let target = match &run.settings.model {
        Model::Endpoint(endpoint) => Target::of(endpoint).ok(),
        Model::Builtin { .. } | Model::Agent(_) => None,
    };
    let agreed = target.clone();
    let resume_here = move |run: &StoredRun| {
        // The target is shown above the button.
        if let Some(target) = agreed.clone() {
            app.sending.keys.update(|keys| keys.agree(target));
        }
        app.resume_run(run, run.stopped.is_some());
    };
    let (resume, save, id) = (run.clone(), run.clone(), run.id.clone());
    view! {
        <section class="offer" data-test="unfinished" aria-label=t!("Unfinished run")>
            <h2>{t!("Unfinished run")}</h2>
            <p class="num">{so_far(&run)}</p>
            {run.stopped.clone().map(|reason| view! {
                <p class="failure-text" data-test="stopped-why">
                    {t!("The run stopped. {reason}", reason = reason)}
                </p>
            })}
            {target.map(|target| view! { <Host target/> })}
            <div class="actions">
                <button type="button" class="button button-primary" data-test="resume-run"
                    on:click=move |_| resume_here(&resume)>{t!("Resume")}</button>
                <button type="button" class="button" data-test="save-run" disabled=run.done == 0
                    on:click=move |_| app.open_run(&save, true)>{t!("Save partial run")}</button>
                <Confirm label=t!("Discard") question=Signal::derive(|| t!("Discard its samples?").to_owned())
                    yes=t!("Discard") test="discard-run" act=move || app.forget_run(id.clone())/>
            </div>
        </section>
    }
}

/// The target, and the key field of its host: stored runs have no key.
#[component]
fn Host(target: Target) -> impl IntoView {
    let host = target.origin.clone();
    let origin = Signal::derive(move || Some(host.clone()));
    view! {
        <div class="offer-key">
            <TargetView target/>
            <KeyField origin test="resume-key"/>
        </div>
    }
}
