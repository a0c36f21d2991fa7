//! The report of an import.

use crate::messages::{ImportReport, PackFound, StoredPack};
use crate::session::format;
use crate::state::use_app;
use crate::t;
use leptos::prelude::*;

/// Found, missing and rejected parts.
#[component]
pub fn Report(report: ImportReport) -> impl IntoView {
    let ImportReport { pack, refused, refused_more, ignored, not_kept } = report;
    view! {
        <div class="import-report" data-test="import-report">
            {match pack {
                Some(pack) => view! { <Found pack not_kept/> }.into_any(),
                None => view! {
                    <p class="connection-text bad" role="alert">
                        {t!("No API-Bank data found. Expected the folders lv1-lv2-samples, init_database, test-data, \
                        apis or lv3_apis, or data hub files such as level-1-api.json.")}
                    </p>
                }
                .into_any(),
            }}
            {(!refused.is_empty()).then(|| view! { <Refused refused refused_more/> })}
            {(ignored > 0).then(|| view! {
                <p class="quiet">{t!("{n} other files ignored.", n = format::count(ignored))}</p>
            })}
        </div>
    }
}

#[component]
fn Found(pack: StoredPack, not_kept: Option<String>) -> impl IntoView {
    let app = use_app();
    let digest = pack.digest.clone();
    let kept = not_kept.is_none();
    let chosen = {
        let digest = digest.clone();
        move || app.data.library.with(|library| library.chosen.as_deref() == Some(digest.as_str()))
    };
    let choose = move |_| app.choose_pack(Some(digest.clone()));
    view! {
        <h3>{t!("Found in {name}", name = pack.label)}</h3>
        <p data-test="import-found">{parts(&pack.found)}</p>
        {(!pack.missing.is_empty()).then(|| view! { <Missing missing=pack.missing.clone()/> })}
        {not_kept.map(|reason| view! {
            <p class="connection-text bad" role="alert" data-test="import-not-kept">{t!("Not saved: {reason}", reason = reason)}</p>
        })}
        {kept.then(|| view! {
            <div class="actions">
                {move || if chosen() {
                    view! { <p class="connection-text good" role="status">{t!("Runs use this data.")}</p> }.into_any()
                } else {
                    view! {
                        <button class="button button-primary" data-test="use-imported" on:click=choose.clone()>
                            {t!("Run on this data")}
                        </button>
                    }.into_any()
                }}
            </div>
        })}
    }
}

/// Parts with their counts, as a sentence.
pub fn parts(found: &[PackFound]) -> String {
    let parts: Vec<String> =
        found.iter().map(|it| format!("{} {}", format::count(it.count), it.what)).collect();
    parts.join(", ")
}

/// Missing parts of a pack, with the consequences.
#[component]
pub fn Missing(missing: Vec<String>) -> impl IntoView {
    view! {
        <details class="missing">
            <summary>{t!("Missing: {n} parts", n = format::count(missing.len()))}</summary>
            <ul class="bullets" data-test="import-missing">
                {missing.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
            </ul>
        </details>
    }
}

#[component]
fn Refused(refused: Vec<String>, refused_more: usize) -> impl IntoView {
    let count = refused.len() + refused_more;
    view! {
        <details class="missing" open=count <= 10>
            <summary class="warn">{t!("Rejected: {n}", n = format::count(count))}</summary>
            <ul class="bullets" data-test="import-refused">
                {refused.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
                {(refused_more > 0).then(|| view! { <li>{t!("and {n} more", n = format::count(refused_more))}</li> })}
            </ul>
        </details>
    }
}
