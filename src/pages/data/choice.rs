//! Form field: the pack that runs use.

use crate::messages::PackFacts;
use crate::session::Engine;
use crate::session::Route;
use crate::session::format;
use crate::state::use_app;
use crate::t;
use leptos::prelude::*;

/// A menu of the available packs.
#[component]
pub fn PackChoice() -> impl IntoView {
    let app = use_app();
    app.list_packs();
    let packs = move || {
        let chosen = app.data.library.with(|library| library.chosen.clone());
        let packs = app.data.library.with(|library| library.packs.clone());
        packs
            .into_iter()
            .map(|pack| {
                let picked = chosen.as_deref() == Some(pack.digest.as_str());
                view! { <option value=pack.digest selected=picked>{pack.label}</option> }
            })
            .collect_view()
    };
    let pick = move |event| {
        let digest = event_target_value(&event);
        app.choose_pack((!digest.is_empty()).then_some(digest));
    };
    view! {
        <div class="field">
            <label for="pack">{t!("Data")}</label>
            <div class="field-row address-row">
                <select id="pack" data-test="pack-select" on:change=pick
                    disabled=move || app.run.current.with(|run| run.phase.is_active())>
                    <option value="" selected=move || app.data.library.with(|it| it.chosen.is_none())>{t!("Built-in pack")}</option>
                    {packs}
                </select>
                <a href=Route::Data.href()>{t!("Import data")}</a>
            </div>
            {move || match app.worker.engine.get() {
                Engine::Ready(PackFacts { own_tools: Some(count), abilities, .. }) => {
                    let calls: usize = abilities.iter().map(|ability| ability.calls).sum();
                    Some(view! {
                        <p class="hint" data-test="pack-facts">
                            {t!("{n} own tools, {calls} calls. Protocols: bracket, tools, all-tools.",
                                n = format::count(count), calls = format::count(calls))}
                        </p>
                    })
                }
                Engine::Ready(facts) => facts.imported.is_some().then(|| view! {
                    <p class="hint" data-test="pack-facts">{described(&facts)}</p>
                }),
                _ => None,
            }}
        </div>
    }
}

/// Facts about an imported pack, in a sentence.
fn described(facts: &PackFacts) -> String {
    let calls: usize = facts.abilities.iter().map(|ability| ability.calls).sum();
    let imported = facts.imported.clone().unwrap_or_default();
    let corrected = match imported.corrected {
        0 => String::new(),
        count => t!(", {n} with corrected gold", n = format::count(count)),
    };
    let prompts = match imported.prompts {
        0 => String::new(),
        count => {
            t!(
                " {n} samples use the dataset's own prompts, byte for byte.",
                n = format::count(count)
            )
        }
    };
    t!(
        "{calls} calls{corrected}, {excluded} excluded by the errata.{prompts}",
        calls = format::count(calls),
        corrected = corrected,
        excluded = format::count(imported.excluded),
        prompts = prompts,
    )
}
