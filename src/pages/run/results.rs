//! The results of the run: table, error classes, files.

use super::card::RunCard;
use super::forms::{forms_note, reasoning_note};
use super::headline::Headline;
use super::heat::HeatMap;
use super::horizon::HorizonPanel;
use super::measures::Measures;
use super::own_tools::ToolMatrix;
use super::reference::References;
use super::retriever_controls::RetrieverButtons;
use super::samples::list_only;
use super::sign::SignPanel;
use crate::components::copy_link::CopyLink;
use crate::components::deferred::Deferred;
use crate::components::results_table::ResultsTable;
use crate::messages::compare::{Change, CompareRecords};
use crate::messages::{MakeFile, PackFacts};
use crate::platform::page;
use crate::session::{Engine, Filter, Route, claim, format, terms};
use crate::state::{App, go, use_app};
use crate::t;
use crate::texts::{self, translated};
use dataset::Edition;
use leptos::prelude::*;
use leptos::task::spawn_local;
use record::compare::MARGIN;
use record::export::Format;
use record::metrics::{cut_off, empty_answers};
use record::{AbilityRow, RunSettings, SampleRecord, Summary};
use scoring::{ErrorClass, Profile};

/// The seed of the variant that the button runs.
const VARIANT: u32 = 1;

/// The section below the run.
#[component]
pub fn Results(
    /// Whether the run is in progress: then the section is rendered in three parts, one per frame.
    goes_on: bool,
) -> impl IntoView {
    let app = use_app();
    let summary = app.run.summary();
    let caption = move || {
        let profile = app.run.profile.get().as_str();
        app.run.current.with(|run| match &run.settings {
            Some(settings) => format::caption(settings, profile, texts::current()),
            None => String::new(),
        })
    };
    let over = move || app.run.current.with(|run| !run.phase.is_active());
    let signing = RwSignal::new(false);
    // The accuracy on adaptively chosen tasks means nothing; the panel also offers to resume.
    let headline =
        move || over() && app.run.current.with(|run| !run.is_adaptive() || run.part().is_some());
    view! {
        <section class="results" id="results" aria-labelledby="results-title">
            <div class="section-head">
                <h2 id="results-title">{t!("Results")}</h2>
                <ProfileSwitch app/>
            </div>
            <HorizonPanel/>
            <Show when=headline><Headline/></Show>
            <div class="exports" role="group" aria-label=t!("Share and download")>
                <button class="button" data-test="download" disabled=move || !over()
                    on:click=move |_| app.save(MakeFile::LastRun)>{t!("Download record")}</button>
                <CopyLink label=t!("Copy link") test="result-link" link=move || link_to(app)
                    disabled=Signal::derive(move || !over())/>
                <RunCard app disabled=Signal::derive(move || !over())/>
                <button class="button" data-test="sign" disabled=move || !over()
                    aria-expanded=move || signing.get().to_string()
                    on:click=move |_| signing.update(|on| *on = !*on)>{t!("Sign")}</button>
                <button class="button" data-test="print" disabled=move || !over()
                    on:click=move |_| page::print()>{t!("Print")}</button>
                <VariantButton app/>
                <RetrieverButtons app/>
                <details class="other-formats">
                    <summary class="button" data-test="other-formats">{t!("Other formats")}</summary>
                    <div class="exports">
                        {Format::ALL.map(|format| view! {
                            <button class="button button-small" data-test=format!("export-{}", format.as_str())
                                disabled=move || !over()
                                on:click=move |_| app.save(MakeFile::Export(format))>{translated(format.title())}</button>
                        }).into_iter().collect_view()}
                    </div>
                </details>
            </div>
            <Show when=move || signing.get() && over()><SignPanel app/></Show>
            <Deferred frames=goes_on.then_some(1)><ResultsTable summary caption=Signal::derive(caption)/></Deferred>
            {move || forms_note(app, &summary.read())}
            {move || reasoning_note(app)}
            {move || cut_off_note(app)}
            {move || empty_note(app)}
            <p class="quiet note">
                {t!("A call is right by what its dialogue declares (execution), or with the same name and \
                     values (exact; f1 also scores the parts). Searches, no-call steps and replies have \
                     rates of their own; unanswered requests are not scored. ")}
                {move || errata(summary.read().rows.last())}
                {move || no_original(app)}
                " " <a href="#/method">{t!("About the method")}</a>
            </p>
            <Deferred frames=goes_on.then_some(2)>
                <Measures/>
                <ErrorBars app summary/>
                <ToolMatrix/>
                <HeatMap/>
                <References/>
            </Deferred>
        </section>
    }
}

/// Runs the same on a variant of the data; after that, compares the variant with the original. A
/// model that has learnt the data by heart does worse on the variant.
#[component]
fn VariantButton(app: App) -> impl IntoView {
    let edition = Memo::new(move |_| {
        app.run.current.with(|run| {
            let own = run.samples.iter().all(|sample| sample.origin.is_none());
            run.settings.as_ref().filter(|_| own && !run.phase.is_active()).map(|it| it.edition)
        })
    });
    let add_last = move || {
        let profile = app.run.profile.get_untracked();
        app.ask(CompareRecords { change: Change::AddLast, profile, margin: MARGIN })
    };
    let run = move |_| {
        let run = app.run.current.with_untracked(|run| Some((run.settings.clone()?, run.source)));
        let Some((settings, source)) = run else { return };
        // Compared after the variant has run.
        let added = add_last();
        spawn_local(async move {
            // An error means that the record is in the comparison already, or that there is no room.
            drop(added.await);
            app.run_with(RunSettings { edition: Edition::Variant(VARIANT), ..settings }, source);
        });
    };
    let compare = move |_| {
        let added = add_last();
        spawn_local(async move {
            drop(added.await);
            go(&Route::Compare);
        });
    };
    move || {
        match edition.get()? {
        Edition::Original => Some(
            view! {
                <button class="button" data-test="run-variant" on:click=run
                    title=t!("The same dialogues with people, passwords, ids, places and dates drawn anew by seed. A model that knows the data by heart does worse here.")>
                    {t!("Run on a variant")}
                </button>
            }
            .into_any(),
        ),
        Edition::Horizon(_) => None,
        Edition::Variant(_) | Edition::Language(_) => Some(
            view! {
                <button class="button" data-test="compare-editions" on:click=compare>
                    {t!("Compare with the original")}
                </button>
            }
            .into_any(),
        ),
    }
    }
}

/// The number of empty answers, if any.
fn empty_note(app: App) -> Option<impl IntoView + use<>> {
    let count = app.run.current.with(|run| empty_answers(&run.samples));
    (count > 0).then(|| {
        view! {
            <p class="quiet" data-test="empty-answers">
                {t!("Empty answers: {n}. Each was asked for twice, then scored.", n = format::count(count))}
            </p>
        }
    })
}

/// The number of truncated answers, if any.
fn cut_off_note(app: App) -> Option<impl IntoView + use<>> {
    let count = app.run.current.with(|run| cut_off(&run.samples));
    (count > 0).then(|| {
        view! {
            <p class="failure-text" data-test="cut-off">
                {t!(
                    "Truncated answers: {n}. Raise “Max answer tokens”: reasoning models may need thousands.",
                    n = format::count(count)
                )}
            </p>
        }
    })
}

/// The link to the result, or why there is none.
fn link_to(app: App) -> Result<String, String> {
    let profile = app.run.profile.get_untracked();
    app.run.current.with_untracked(|run| {
        let (Some(settings), Some(facts)) = (&run.settings, &run.facts) else {
            return Err(t!("No finished run yet.").to_owned());
        };
        claim::link(settings, facts, &run.summary(profile)).ok_or_else(|| {
            t!("Partial runs can't be shared as links. Share the file instead.").to_owned()
        })
    })
}

/// The number of gold calls that the errata correct or exclude.
fn errata(all: Option<&AbilityRow>) -> Option<impl IntoView + use<>> {
    let AbilityRow { corrected, excluded, .. } = all?;
    (corrected + excluded > 0).then(|| {
        let text = t!(
            " Errata: {corrected} of these calls have corrected gold, {excluded} more are excluded.",
            corrected = format::count(*corrected),
            excluded = format::count(*excluded)
        );
        view! { <span data-test="errata-counts">{text}</span> }
    })
}

/// Why the profile `original` is not available, if so.
fn no_original(app: App) -> Option<impl IntoView + use<>> {
    let (computed, imported) = app.run.current.with(|run| {
        let any = |is: fn(&SampleRecord) -> bool| run.samples.iter().any(is);
        (any(|sample| sample.verdict(Profile::Original).is_some()), any(|it| it.origin.is_some()))
    });
    if computed {
        return None;
    }
    let lacks = match app.worker.engine.get() {
        Engine::Ready(PackFacts { imported: Some(facts), .. }) if imported => facts.original_lacks,
        _ => Vec::new(),
    };
    let text = if lacks.is_empty() {
        t!(" Profile original needs the original data: import it and run on it.").to_owned()
    } else {
        t!(" Profile original needs data missing here: {lacks}.", lacks = lacks.join("; "))
    };
    Some(view! { <span data-test="no-original">{text}</span> })
}

/// The choice of the displayed profile.
#[component]
pub fn ProfileSwitch(
    /// The shared state.
    app: App,
) -> impl IntoView {
    let has_original = move || {
        app.run
            .current
            .with(|run| run.samples.iter().any(|it| it.verdict(Profile::Original).is_some()))
    };
    let button = move |profile: Profile| {
        let on = move || app.run.profile.get() == profile;
        view! {
            <button class="segment" data-test=format!("profile-{}", profile.as_str())
                aria-pressed=move || on().to_string() title=terms::profile_meaning(profile, texts::current())
                on:click=move |_| app.run.profile.set(profile)>{terms::profile(profile, texts::current())}</button>
        }
    };
    let buttons = Profile::ALL.map(button);
    view! {
        <div class="segments" role="group" aria-label=t!("Count as right")>
            <span class="label">{t!("Count as right")}</span>
            {buttons.into_iter().collect_view()}
            {move || match has_original() {
                true => button(Profile::Original).into_any(),
                false => ().into_any(),
            }}
        </div>
    }
}

/// Wrong calls by class; a click lists their samples.
#[component]
fn ErrorBars(app: App, summary: Memo<Summary>) -> impl IntoView {
    let rows = move || {
        let total = summary.get().rows.pop().unwrap_or_default();
        let wrong: usize = total.errors.values().sum();
        (wrong > 0).then(|| {
            let rows = total
                .errors
                .into_iter()
                .map(|(class, count)| error_row(app, class, count, wrong))
                .collect_view();
            view! {
                <div class="scroll" role="region" tabindex="0" aria-label=t!("Error classes")>
                <table class="table errors" data-test="errors-table">
                    <caption>{t!("Wrong calls by the first matching error class. Pick one to list its samples.")}</caption>
                    <thead><tr>
                        <th scope="col">{t!("Class")}</th>
                        <th scope="col" class="num">{t!("Calls")}</th>
                        <th scope="col" class="num">{t!("Share")}</th>
                        <th scope="col" class="bar-head"><span class="visually-hidden">{t!("Bar")}</span></th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
                </div>
            }
        })
    };
    view! { {rows} }
}

fn error_row(app: App, class: ErrorClass, count: usize, wrong: usize) -> impl IntoView {
    let share = 100.0 * count as f64 / wrong as f64;
    let pick = move |_| list_only(app, Filter::of_class(class));
    view! {
        <tr>
            <th scope="row"><button class="link" on:click=pick>{terms::class(class, texts::current())}</button></th>
            <td class="num">{format::count(count)}</td>
            <td class="num">{format!("{share:.1} %")}</td>
            <td class="bar-cell" aria-hidden="true">
                <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none">
                    <rect width=format!("{share:.1}") height="8"/>
                </svg>
            </td>
        </tr>
    }
}
