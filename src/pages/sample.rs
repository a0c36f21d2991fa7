//! One sample: prompt, answer, effect, and verdicts. Opens the run that its address names.

use crate::components::call_view::call_comparison;
use crate::components::copy_link::CopyLink;
use crate::components::effect_view::effect_view;
use crate::components::episode_view::{gold_calls, made_calls};
use crate::components::facts_view::facts_view;
use crate::components::search_view::needed_api;
use crate::components::transcript::transcript;
use crate::messages::Count;
use crate::pages::leaderboard;
use crate::session::{Phase, Route, Run, SampleState, format, one_page, terms};
use crate::state::{App, Latest, go, use_app};
use crate::stored_runs::StoredRun;
use crate::t;
use crate::texts::reasons::reason;
use crate::texts::{self, translated};
use apis::effect::Effect;
use dataset::Hard;
use leptos::ev;
use leptos::prelude::*;
use provider::FailureClass;
use record::{Gold, Outcome, SampleRecord};
use scoring::{Profile, Verdict};

/// The page of a sample.
#[component]
pub fn SamplePage(
    /// The run's name, see [`Run::name`]; `None` for the loaded run.
    run: Option<String>,
    /// `<dialogue>#<turn>`.
    id: String,
) -> impl IntoView {
    let app = use_app();
    match run {
        // A run in progress may have the sample already.
        Some(name) if !untrack(|| is_open(app, &name)) && !has_sample(app, &name, &id) => {
            view! { <Opening app name id/> }.into_any()
        }
        _ => view! { <Loaded app id/> }.into_any(),
    }
}

/// Whether the run with a name is loaded, and complete.
fn is_open(app: App, name: &str) -> bool {
    let is_complete = |phase| matches!(phase, Phase::Finished | Phase::Cancelled);
    app.run.current.with(|run| run.name() == Some(name) && is_complete(run.phase))
}

fn has_sample(app: App, name: &str, id: &str) -> bool {
    app.run.current.with_untracked(|run| run.name() == Some(name) && run.sample(id).is_some())
}

/// Opens the run that the address names, then shows the sample.
#[component]
fn Opening(app: App, name: String, id: String) -> impl IntoView {
    let opening = Latest::new();
    opening.follow(open(app, name.clone()));
    let name = StoredValue::new(name);
    let opened = Memo::new(move |_| name.with_value(|name| is_open(app, name)));
    let trouble = Memo::new(move |_| match opening.get() {
        Some(Err(message)) => Some(message),
        // The worker may refuse to open a stored run.
        Some(Ok(())) => app.run.current.with(|run| run.message.clone()),
        None => None,
    });
    let retry = move |_| {
        opening.clear();
        opening.follow(open(app, name.get_value()));
    };
    let state = move || match trouble.get() {
        Some(message) => refused(message, retry).into_any(),
        None => view! {
            <p class="empty" role="status" data-test="sample-opening">
                {move || name.with_value(|name| leaderboard::progress(app, name))}
            </p>
        }
        .into_any(),
    };
    move || {
        let id = id.clone();
        if opened.get() {
            return view! { <Loaded app id/> }.into_any();
        }
        view! { <h1>{t!("Sample {id}", id = id)}</h1> {state} }.into_any()
    }
}

/// Why the run is not open.
fn refused(message: String, retry: impl Fn(ev::MouseEvent) + 'static) -> impl IntoView {
    view! {
        <p class="field-error" role="alert" data-test="sample-trouble">{message}</p>
        <div class="actions">
            <button type="button" class="button" data-test="sample-retry" on:click=retry>
                {t!("Retry")}
            </button>
        </div>
    }
}

/// Opens the run with a name out of an address: a stored run, or a record of the leaderboard.
async fn open(app: App, name: String) -> Result<(), String> {
    app.records.verifying.set(Count::default());
    match StoredRun::is_id(&name) {
        true => app.open_stored(&name).await,
        false => {
            app.can_replace_run()?;
            leaderboard::open_named(app, &name).await
        }
    }
}

/// The sample in the loaded run.
#[component]
fn Loaded(app: App, id: String) -> impl IntoView {
    let found =
        app.run.current.with_untracked(|run| run.sample(&id).map(|sample| view_of(app, sample)));
    let neighbours = neighbours(app, &id);
    keys(app, neighbours.clone());
    view! {
        <Neighbours app id=id.clone() neighbours/>
        {match found {
            Some(view) => view.into_any(),
            None => missing(app, &id).into_any(),
        }}
    }
}

fn missing(app: App, id: &str) -> impl IntoView + use<> {
    let name = app.run.current.with_untracked(|run| run.name().map(str::to_owned));
    let text = match name {
        Some(name) => {
            t!("The run {run} lacks this sample. Pick one from its results: ", run = name)
        }
        None => {
            t!("No loaded run has this sample. Open a run under Records, or start one: ").to_owned()
        }
    };
    view! {
        <h1>{t!("Sample {id}", id = id)}</h1>
        <p class="empty" data-test="sample-missing">
            {text} <a href=Route::Results.href()>{t!("Go to Run")}</a>
        </p>
    }
}

/// The previous and next sample in the filtered list.
fn neighbours(app: App, id: &str) -> (Option<String>, Option<String>) {
    let profile = app.run.profile.get_untracked();
    app.run.current.with_untracked(|run| {
        let listed =
            app.run.filter.with_untracked(|filter| filter.apply(run, profile, texts::current()));
        let Some(here) = run.samples.iter().position(|sample| sample.id == id) else {
            return (None, None);
        };
        let name = |index: &usize| run.samples.get(*index).map(|sample| sample.id.clone());
        match listed.iter().position(|index| *index == here) {
            Some(at) => {
                let before = at.checked_sub(1).and_then(|at| listed.get(at));
                (before.and_then(name), listed.get(at + 1).and_then(name))
            }
            // Not in the filtered list: use its position in the run.
            None => {
                let before = listed.iter().rev().find(|index| **index < here);
                let after = listed.iter().find(|index| **index > here);
                (before.and_then(name), after.and_then(name))
            }
        }
    })
}

/// `j` and `k` go to the next and the previous sample.
fn keys(app: App, (before, after): (Option<String>, Option<String>)) {
    let pressed = window_event_listener(ev::keydown, move |event| {
        let target = event.target().map(|target| event_target_name(&target)).unwrap_or_default();
        let typing = matches!(target.as_str(), "INPUT" | "SELECT" | "TEXTAREA");
        if typing || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let to = match event.key().as_str() {
            "j" => &after,
            "k" => &before,
            _ => return,
        };
        if let Some(id) = to {
            go(&route_of(app, id));
        }
    });
    on_cleanup(move || pressed.remove());
}

fn route_of(app: App, id: &str) -> Route {
    app.run.current.with_untracked(|run| run.route_of(id))
}

fn event_target_name(target: &web_sys::EventTarget) -> String {
    use wasm_bindgen::JsCast;
    target.dyn_ref::<web_sys::Element>().map(web_sys::Element::tag_name).unwrap_or_default()
}

#[component]
fn Neighbours(app: App, id: String, neighbours: (Option<String>, Option<String>)) -> impl IntoView {
    let (before, after) = neighbours;
    let link = move |to: Option<String>, text: &'static str, test: &'static str| match to {
        Some(id) => {
            view! { <a class="button" data-test=test href=route_of(app, &id).href()>{text}</a> }
                .into_any()
        }
        None => {
            view! { <span class="button button-off" aria-disabled="true">{text}</span> }.into_any()
        }
    };
    view! {
        <nav class="crumbs" aria-label=t!("Sample")>
            <a href=Route::Results.href()>{t!("Results")}</a>
            <span aria-hidden="true">"›"</span>
            <span class="grow">{id}</span>
            {link(before, t!("Previous (k)"), "previous-sample")}
            {link(after, t!("Next (j)"), "next-sample")}
        </nav>
    }
}

fn view_of(app: App, sample: &SampleRecord) -> impl IntoView + use<> {
    let profile = app.run.profile.get_untracked();
    let state = SampleState::of(sample, profile);
    view! {
        <article class="sample">
            <header class="sample-head">
                <h1>{sample.id.clone()}</h1>
                <span class=format!("tag tag-{}", state.as_str())>{state.title(texts::current())}</span>
                <dl class="facts">
                    <dt>{t!("Ability")}</dt><dd>{translated(sample.ability.title())}</dd>
                    {(sample.attempts > 0).then(|| view! {
                        <dt>{t!("Attempts")}</dt><dd class="num">{sample.attempts}</dd>
                    })}
                    <dt>{t!("Latency")}</dt><dd class="num">{format::span(sample.times.latency_ms as f64)}</dd>
                    {usage(sample)}
                </dl>
                {link_to(app, &sample.id)}
                {save_button(app, &sample.id)}
            </header>
            {verdicts(sample, profile)}
            {sample.hard.as_ref().map(trap)}
            {match &sample.gold {
                Gold::Call(gold) => call_comparison(gold, sample.parsed.as_ref()).into_any(),
                Gold::Reply(_) | Gold::NoCall(_) | Gold::Episode(_) => ().into_any(),
            }}
            {facts_view(sample)}
            <div class="pair">
                <section class="panel" data-test="sample-expected" aria-label=t!("Expected")>
                    <h3>{t!("Expected")}</h3>
                    {expected(sample)}
                </section>
                <section class="panel" data-test="sample-actual" aria-label=t!("Actual")>
                    <h3>{t!("Actual")}</h3>
                    {actual(sample)}
                </section>
            </div>
            <section class="panel">
                <h3>{t!("Raw answer")}</h3>
                {answer(sample)}
            </section>
            <section class="panel" data-test="sample-prompt">
                <h3>{t!("Prompt")}</h3>
                {transcript(&sample.messages)}
            </section>
        </article>
    }
}

/// Copies the sample's address.
fn link_to(app: App, id: &str) -> impl IntoView + use<> {
    let is_local =
        Memo::new(move |_| app.run.current.with(|run| run.name().is_some_and(StoredRun::is_id)));
    let id = id.to_owned();
    let link = move || {
        let href = |run: &Run| run.name().is_some().then(|| run.route_of(&id).href());
        app.run.current.with_untracked(href).ok_or_else(|| {
            t!(
                "No link can open this run: it is neither saved in this browser nor on the leaderboard. Share its file."
            )
            .to_owned()
        })
    };
    view! {
        <CopyLink label=t!("Copy link") test="sample-link" link/>
        {move || is_local.get().then(|| view! {
            <span class="hint">{t!("The link opens in this browser only.")}</span>
        })}
    }
}

/// Saves the sample as one HTML file.
fn save_button(app: App, id: &str) -> impl IntoView + use<> {
    let id = id.to_owned();
    let save = move |_| {
        let profile = app.run.profile.get_untracked();
        let language = app.ui.language.get_untracked().code();
        let page = app.run.current.with_untracked(|run| {
            let sample = run.sample(&id)?;
            Some(one_page::sample(run, sample, profile, language, texts::current()))
        });
        if let Some(page) = page {
            app.ui.save_page(&page);
        }
    };
    view! {
        <button type="button" class="button" data-test="save-page" on:click=save>{t!("Save as one page")}</button>
    }
}

/// The trap of a hard dialogue and the expected behaviour.
fn trap(hard: &Hard) -> impl IntoView + use<> {
    let distractors = (!hard.distractors.is_empty()).then(|| {
        view! { <p class="quiet">{t!("Also described: {apis}.", apis = hard.distractors.join(", "))}</p> }
    });
    let planted = hard.planted.as_ref().map(|call| {
        let call = exchange::call::format(&call.api_name, &call.param_dict);
        view! { <p class="quiet">{t!("The hidden instruction requests ")} <code>{call}</code></p> }
    });
    view! {
        <section class="panel" data-test="sample-hard">
            <h3>{t!("Hard: {kind}", kind = translated(hard.kind.title()))}</h3>
            <p>{hard.right.clone()}</p>
            {distractors}
            {planted}
        </section>
    }
}

fn usage(sample: &SampleRecord) -> Option<impl IntoView + use<>> {
    let Outcome::Answered(answer) = &sample.outcome else { return None };
    let usage = answer.usage?;
    Some(view! {
        <dt>{t!("Tokens")}</dt>
        <dd class="num">{t!("{input} in, {output} out", input = format::count(usage.prompt_tokens as usize), output = format::count(usage.completion_tokens as usize))}</dd>
    })
}

/// Each profile's verdict with its reason; a reply's ROUGE-L; or why nothing was scored.
fn verdicts(sample: &SampleRecord, shown: Profile) -> AnyView {
    if let Outcome::Failed { class, message } = &sample.outcome {
        let kind = match class {
            FailureClass::Infrastructure => {
                t!("infrastructure problem, counted as neither right nor wrong.")
            }
            FailureClass::Configuration => {
                t!("configuration problem, counted as neither right nor wrong.")
            }
        };
        return view! {
            <section class="panel verdict verdict-failed">
                <h2 data-test="sample-verdict">{t!("Not scored")}</h2>
                <p data-test="sample-why">{message.clone()}</p>
                <p class="quiet">{kind}</p>
            </section>
        }
        .into_any();
    }
    if let Some(score) = sample.rouge_l {
        return view! {
            <section class="panel verdict">
                <h2 data-test="sample-verdict">"ROUGE-L " {format!("{score:.3}")}</h2>
                <p data-test="sample-why">
                    {t!("Longest common word subsequence with the gold reply, 0 to 1.")}
                </p>
            </section>
        }
        .into_any();
    }
    let others = Profile::ALL.into_iter().filter(|profile| *profile != shown);
    let main = sample.verdict(shown).map(|verdict| main_verdict(shown, verdict));
    let others = others
        .filter_map(|profile| {
            sample.verdict(profile).map(|verdict| other_verdict(profile, verdict))
        })
        .collect_view();
    view! { {main} {others} }.into_any()
}

fn main_verdict(profile: Profile, verdict: &Verdict) -> impl IntoView + use<> {
    let class =
        if verdict.correct { "panel verdict verdict-right" } else { "panel verdict verdict-wrong" };
    view! {
        <section class=class>
            <h2 data-test="sample-verdict">{title(verdict)}</h2>
            <p data-test="sample-why">{reason(&verdict.explanation, texts::current())}</p>
            <p class="quiet" title=terms::profile_meaning(profile, texts::current())>
                {t!("Count as right: {what}", what = terms::profile(profile, texts::current()))}
            </p>
        </section>
    }
}

fn other_verdict(profile: Profile, verdict: &Verdict) -> impl IntoView + use<> {
    view! {
        <p class="other-verdict">
            <span class="quiet" title=terms::profile_meaning(profile, texts::current())>
                {terms::profile(profile, texts::current())} ": "
            </span>
            {title(verdict)} ". " {reason(&verdict.explanation, texts::current())}
        </p>
    }
}

fn title(verdict: &Verdict) -> String {
    match verdict.error_class {
        _ if verdict.correct => t!("Right").to_owned(),
        Some(class) => t!("Wrong: {class}", class = terms::class(class, texts::current())),
        None => t!("Wrong").to_owned(),
    }
}

fn expected(sample: &SampleRecord) -> AnyView {
    match &sample.gold {
        Gold::Call(_) => effect(
            sample,
            sample.gold_effect.as_deref(),
            t!("The request failed; no call was run."),
        ),
        Gold::Reply(text) => view! { <p class="said">{text.clone()}</p> }.into_any(),
        Gold::NoCall(text) => view! {
            <p>{t!("No call but a text answer, for example:")}</p>
            <p class="said">{text.clone()}</p>
        }
        .into_any(),
        Gold::Episode(calls) => gold_calls(calls, sample.episode.as_deref()).into_any(),
    }
}

fn actual(sample: &SampleRecord) -> AnyView {
    match (&sample.gold, &sample.outcome) {
        (_, Outcome::Failed { .. }) => view! { <p class="quiet">{t!("No answer.")}</p> }.into_any(),
        (Gold::Call(_), _) => effect(sample, sample.effect.as_deref(), t!("No call to run.")),
        (Gold::NoCall(_), _) if sample.parsed.is_some() => {
            effect(sample, sample.effect.as_deref(), t!("The called API does not exist."))
        }
        (Gold::Reply(_) | Gold::NoCall(_), Outcome::Answered(answer)) => {
            view! { <p class="said">{answer.text.clone()}</p> }.into_any()
        }
        (Gold::Episode(_), Outcome::Answered(_)) => made_calls(sample).into_any(),
    }
}

fn effect(sample: &SampleRecord, effect: Option<&Effect>, absent: &'static str) -> AnyView {
    match effect {
        Some(effect) => effect_view(effect, needed_api(sample).as_deref()).into_any(),
        None => view! { <p class="quiet">{absent}</p> }.into_any(),
    }
}

fn answer(sample: &SampleRecord) -> AnyView {
    match &sample.outcome {
        Outcome::Failed { message, .. } => view! {
            <p class="failure-text" data-test="sample-answer">{message.clone()}</p>
        }
        .into_any(),
        Outcome::Answered(answer) => {
            let empty = answer.text.trim().is_empty();
            let reasoning = answer.reasoning.clone().map(|text| {
                view! {
                    <details><summary>{t!("Reasoning")}</summary><pre class="code">{text}</pre></details>
                }
            });
            let finish = answer.finish_reason.clone().map(|reason| {
                view! { <p class="quiet">{t!("Stop reason: {reason}", reason = reason)}</p> }
            });
            view! {
                <pre class="code" tabindex="0" data-test="sample-answer">{answer.text.clone()}</pre>
                {empty.then(|| view! { <p class="quiet">{t!("The answer is empty.")}</p> })}
                {reasoning}
                {finish}
            }
            .into_any()
        }
    }
}
