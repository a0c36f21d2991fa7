//! The fields of a model in the page: choose files, read what they are, load.

use super::browser_model::BrowserModel;
use super::choose_model::{choose, load, take};
use super::field::{FieldError, Problems};
use super::from_address::FromAddress;
use super::kept_models::{KeepButton, KeptModels};
use crate::components::file_picker::{DropArea, FileButton};
use crate::messages::in_page::{LoadedModel, ModelDescription, ModelStep, UnloadModel};
use crate::platform::browser_model;
use crate::platform::isolation;
use crate::session::field::FieldName;
use crate::session::format;
use crate::session::in_page::{PageModel, Step, Threads, backend_title, faster, usual_threads};
use crate::state::{App, use_app};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// The fields, as an entry point of the lazy-loaded module.
pub fn fields(problems: Problems) -> AnyView {
    view! { <InPageFields problems/> }.into_any()
}

/// Drop zone, description, progress, the loaded model.
#[component]
fn InPageFields(problems: Problems) -> impl IntoView {
    let app = use_app();
    let described =
        Memo::new(move |_| app.in_page.with(|it| it.description.clone().map(|all| (it.turn, all))));
    let failure = move || app.in_page.with(|in_page| in_page.failure.clone());
    let loaded = Memo::new(move |_| app.in_page.with(|in_page| in_page.loaded.clone()));
    view! {
        <fieldset class="endpoint in-page">
            <legend>{t!("Model in this page")}</legend>
            <KeptModels/>
            <DropZone app/>
            <FromAddress app/>
            <BrowserModel app/>
            {move || described.get().map(|(_, all)| view! { <Description app all/> })}
            <p class="field-error" role="alert" data-test="in-page-failure"
                hidden=move || failure().is_none()>{failure}</p>
            <Progress app/>
            {move || loaded.get().map(|model| view! { <Ready app model/> })}
            <FieldError problems field=FieldName::Model/>
        </fieldset>
    }
}

fn unload(app: App) {
    browser_model::stop();
    // At once: a run that starts now must not count on the model.
    app.setup.form.update(|form| form.loaded = None);
    let turn = app.in_page.with_untracked(|in_page| in_page.turn);
    spawn_local(async move {
        let unloaded = app.ask(UnloadModel {}).await;
        take(app, turn, |in_page| match unloaded {
            Ok(()) => *in_page = in_page.none(),
            Err(message) => {
                in_page.loaded = None;
                in_page.failure = Some(message);
            }
        });
    });
}

#[component]
fn DropZone(app: App) -> impl IntoView {
    let busy = Signal::derive(move || app.run.current.with(|run| run.phase.is_active()));
    let take = Callback::new(move |found| choose(app, found));
    view! {
        <DropArea class="drop-centered" disabled=busy take>
            <p>{t!("Drop a GGUF file here, or all parts of a split one, or")}</p>
            <FileButton text=t!("Choose a file") test="in-page-files" multiple=true accept=".gguf"
                disabled=busy take/>
            <p class="quiet">{t!("The file stays on this device: the page itself runs the model.")}</p>
        </DropArea>
    }
}

/// What the files say of the model, and the button that loads it.
#[component]
fn Description(app: App, all: ModelDescription) -> impl IntoView {
    let digest = move || {
        let digests = app.in_page.with(|in_page| in_page.digests.clone());
        digests.map_or_else(|| t!("not computed yet").to_owned(), |all| all.join(" "))
    };
    let rows =
        rows(&all).into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> });
    let template = all.model.chat_template.clone();
    let problem = all.problem.clone();
    let fits = problem.is_none();
    view! {
        <dl class="terms in-page-facts" data-test="in-page-facts">
            {rows.collect_view()}
            <dt>"SHA-256"</dt>
            <dd class="digest" data-test="in-page-digest">{digest}</dd>
        </dl>
        {template.map(|text| view! {
            <details class="in-page-template">
                <summary>{t!("Chat template")}</summary>
                <pre tabindex="0">{text}</pre>
            </details>
        })}
        <p class="field-error" role="alert" data-test="in-page-problem" hidden=fits>{problem}</p>
        <Show when=move || fits><KeepButton app all=all.clone()/><LoadFields app/></Show>
    }
}

fn rows(all: &ModelDescription) -> Vec<(&'static str, String)> {
    let model = &all.model;
    let unknown = || t!("not named in the file").to_owned();
    let tokens = |n: u64| t!("{n} tokens", n = format::count(n as usize));
    let template = match (&all.template_digest, &model.chat_template) {
        (Some(digest), Some(_)) => t!("yes, SHA-256 {digest}", digest = digest.clone()),
        _ => t!("none: the model continues texts, by the protocols bracket and paper").to_owned(),
    };
    vec![
        (t!("Name"), model.name.clone().unwrap_or_else(unknown)),
        (t!("Files"), all.files.join(", ")),
        (t!("Architecture"), model.architecture.clone()),
        (t!("Weights"), format::count(model.parameters as usize)),
        (t!("Quantization"), model.quantization.clone().unwrap_or_else(unknown)),
        (t!("Size"), format::size(model.size())),
        (t!("Training context"), model.context_length.map_or_else(unknown, tokens)),
        (t!("Chat template"), template),
    ]
}

/// The context length, the threads and the button.
#[component]
fn LoadFields(app: App) -> impl IntoView {
    let context = RwSignal::new(app.in_page.with_untracked(|it| it.context().to_string()));
    let read = move || app.in_page.with(|it| it.read_context(&context.read(), texts::current()));
    let memory = move || {
        app.in_page.with(|in_page| {
            let (all, context) = (in_page.description.as_ref()?, read().ok()?);
            Some(t!(
                "Needs about {needed} of memory; this device lets a page use {available}.",
                needed = format::size(all.model.memory(context)),
                available = format::size(all.memory)
            ))
        })
    };
    let most = isolation::threads();
    let threads = RwSignal::new(usual_threads(most).to_string());
    let read_threads = move || PageModel::read_threads(&threads.read(), most, texts::current());
    let invalid = move || read().err().or_else(|| read_threads().err());
    let cannot = move || {
        let is_running = app.run.current.with(|run| run.phase.is_active());
        is_running || invalid().is_some() || !app.in_page.with(PageModel::can_load)
    };
    let start = move |_| {
        if let (Ok(context), Ok(threads)) = (read(), read_threads()) {
            load(app, context, threads);
        }
    };
    view! {
        <div class="in-page-load">
            <label class="field">
                <span class="label">{t!("Context (tokens)")}</span>
                <input type="text" inputmode="numeric" autocomplete="off" data-test="in-page-context"
                    aria-describedby="in-page-context-said"
                    aria-invalid=move || read().is_err().then_some("true")
                    prop:value=context on:input=move |event| context.set(event_target_value(&event))/>
            </label>
            {(most > 1).then(|| view! {
                <label class="field">
                    <span class="label">{t!("Threads")}</span>
                    <input type="text" inputmode="numeric" autocomplete="off"
                        data-test="in-page-threads" aria-describedby="in-page-context-said"
                        aria-invalid=move || read_threads().is_err().then_some("true")
                        prop:value=threads
                        on:input=move |event| threads.set(event_target_value(&event))/>
                </label>
            })}
            <button type="button" class="button" data-test="in-page-load" disabled=cannot
                on:click=start>
                {move || if app.in_page.with(|in_page| in_page.loaded.is_some()) {
                    t!("Load again")
                } else {
                    t!("Load the model")
                }}
            </button>
        </div>
        <p class="hint" id="in-page-context-said" role="status">
            {move || invalid().or_else(memory)}
        </p>
    }
}

/// The current step.
#[component]
fn Progress(app: App) -> impl IntoView {
    let step = Memo::new(move |_| app.in_page.with(|in_page| in_page.step));
    let text = |step| match step {
        Step::Read => t!("Reading the file…"),
        Step::Worker(ModelStep::Digest) => t!("Computing the SHA-256…"),
        Step::Worker(ModelStep::Load) => t!("Loading the model…"),
        Step::Worker(ModelStep::Measure) => t!("Measuring its speed…"),
    };
    let kind = Memo::new(move |_| step.get().map(|(step, ..)| step));
    let done = move || step.get().filter(|(_, _, of)| *of > 0).map(|(_, done, _)| done.to_string());
    let most = move || step.get().map_or(1, |(_, _, of)| of.max(1)).to_string();
    view! {
        <Show when=move || kind.get().is_some()>
            <div class="importing" data-test="in-page-progress">
                <p role="status">{move || kind.get().map(text)}</p>
                <progress max=most value=done aria-label=t!("Bytes read")></progress>
                <button type="button" class="button button-stop" data-test="in-page-cancel"
                    on:click=move |_| unload(app)>{t!("Cancel")}</button>
            </div>
        </Show>
    }
}

/// The loaded model.
#[component]
fn Ready(app: App, model: LoadedModel) -> impl IntoView {
    let LoadedModel { facts, name, speed, .. } = model;
    let texts = texts::current();
    let backend = backend_title(facts.backend, facts.threads, texts);
    let number = |n: f64| format!("{n:.1}");
    let is_missing = isolation::is_missing();
    let threads = RwSignal::new(if is_missing { Threads::OtherSite } else { Threads::Nowhere });
    if is_missing {
        spawn_local(async move {
            if isolation::comes_with_a_reload().await {
                threads.try_set(Threads::AfterReload);
            }
        });
    }
    view! {
        <div class="in-page-ready">
            <p class="connection-text good" role="status" data-test="in-page-ready">
                {t!("{name} is loaded, on {backend}.", name = name, backend = backend)}
            </p>
            {(speed.prompt > 0.0).then(|| view! {
                <p class="num">
                    {t!("Reads {prompt} and writes {answer} tokens per second.",
                        prompt = number(speed.prompt), answer = number(speed.answer))}
                </p>
            })}
            {move || faster(facts.backend, threads.get(), texts).map(|text| view! {
                <p class="hint" data-test="in-page-faster">{text}</p>
            })}
            <button type="button" class="button button-small" data-test="in-page-unload"
                disabled=move || app.run.current.with(|run| run.phase.is_active())
                on:click=move |_| unload(app)>{t!("Unload")}</button>
        </div>
    }
}
