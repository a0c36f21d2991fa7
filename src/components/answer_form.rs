//! A form to answer like a model: words, or a call of one of the described APIs.

use crate::platform::page;
use crate::session::answer::{Draft, Problem, WORDS, call, example, has_lines, kind_of};
use crate::t;
use crate::texts;
use apis::{Api, Kind, Param};
use gloo_timers::callback::Timeout;
use leptos::ev;
use leptos::prelude::*;

/// What the parts of a form share.
#[derive(Clone, Copy)]
struct Parts {
    draft: RwSignal<Draft>,
    problems: RwSignal<Vec<Problem>>,
}

/// The form. `answer` takes the answer as text, once every field is of its type.
#[component]
pub fn AnswerForm(
    /// The described APIs.
    apis: Vec<&'static Api>,
    /// The choice and the fields.
    draft: RwSignal<Draft>,
    /// Takes the answer.
    answer: impl Fn(String) + Send + Sync + 'static,
) -> impl IntoView {
    let parts = Parts { draft, problems: RwSignal::new(Vec::new()) };
    let known = apis.clone();
    let chosen = Memo::new(move |_| draft.with(|draft| draft.api.clone()));
    let find = move |name: &str| known.iter().find(|api| api.name == name).copied();
    let own = find.clone();
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let Some(name) = chosen.get_untracked() else { return };
        let Some(api) = own(&name) else { return answer(WORDS.to_owned()) };
        match draft.with_untracked(|draft| call(api, &draft.fields, texts::current())) {
            Ok(text) => answer(text),
            Err(problems) => {
                parts.problems.set(problems);
                Timeout::new(0, || page::focus(".answer-form [aria-invalid]")).forget();
            }
        }
    };
    let fields = move || {
        let api = find(&chosen.get()?)?;
        let fields = api.params.iter().enumerate().map(|(at, param)| field(parts, api, at, param));
        Some(
            view! { <fieldset class="group"><legend>{api.name}</legend>{fields.collect_view()}</fieldset> },
        )
    };
    view! {
        <form class="answer-form demo-stack" novalidate on:submit=submit>
            <fieldset>
                <legend>{t!("What is the next step?")}</legend>
                <div class="answer-apis">
                    {choice(parts, "", t!("Answer in words").to_owned(), t!("No call is due now.").to_owned(), 0)}
                    {apis.into_iter().map(|api| {
                        choice(parts, api.name, api.name.to_owned(), api.description.to_owned(), api.params.len())
                    }).collect_view()}
                </div>
            </fieldset>
            {fields}
            <div class="actions">
                <button type="submit" class="button button-primary" data-test="answer-submit"
                    disabled=move || chosen.read().is_none()>{t!("Submit")}</button>
            </div>
        </form>
    }
}

fn choice(
    parts: Parts,
    name: &'static str,
    title: String,
    about: String,
    params: usize,
) -> impl IntoView {
    let choose = move |_| {
        parts.problems.set(Vec::new());
        parts.draft.update(|draft| draft.choose(name, params));
    };
    view! {
        <label class="answer-api">
            <input type="radio" name="answer-api" value=name data-test=format!("answer-{name}")
                prop:checked=move || parts.draft.with(|it| it.api.as_deref() == Some(name)) on:change=choose/>
            <span><strong>{title}</strong> " " <span class="quiet">{about}</span></span>
        </label>
    }
}

fn field(parts: Parts, api: &'static Api, at: usize, param: &'static Param) -> impl IntoView {
    let kind = kind_of(param.kind, texts::current());
    let kind = if param.required { kind } else { t!("{kind}, optional", kind = kind) };
    let problem = move || {
        let found = |it: &Problem| (it.0 == at).then(|| it.1.clone());
        parts.problems.with(|all| all.iter().find_map(found))
    };
    let described = format!("answer-hint-{at}");
    view! {
        <div class="field">
            <label class="field">
                <span><code>{param.name}</code> " " <span class="hint">{kind}</span></span>
                {input(parts, at, param, described.clone())}
            </label>
            <p class="hint" id=described>
                {param.description}
                {example(api, param).map(|text| view! {
                    " " {t!("Example:")} " " <code>{text.replace('\n', " / ")}</code>
                })}
            </p>
            {move || problem().map(|text| view! { <p class="field-error" role="alert">{text}</p> })}
        </div>
    }
}

fn input(parts: Parts, at: usize, param: &'static Param, described: String) -> AnyView {
    let value = move || parts.draft.with(|draft| draft.fields.get(at).cloned().unwrap_or_default());
    let typed = move |event: ev::Event| {
        let text = event_target_value(&event);
        parts.problems.update(|all| all.retain(|problem| problem.0 != at));
        parts.draft.update(|draft| {
            if let Some(field) = draft.fields.get_mut(at) {
                *field = text;
            }
        });
    };
    let invalid =
        move || parts.problems.with(|all| all.iter().any(|it| it.0 == at)).then_some("true");
    let test = format!("answer-field-{}", param.name);
    if param.kind == Kind::Boolean {
        let option = |it: &'static str| {
            view! { <option value=it selected=move || value() == it>{it}</option> }
        };
        return view! {
            <select data-test=test aria-invalid=invalid aria-describedby=described on:change=typed>
                {["", "True", "False"].map(option).into_iter().collect_view()}
            </select>
        }
        .into_any();
    }
    if has_lines(param) {
        return view! {
            <textarea rows="3" autocomplete="off" data-test=test aria-invalid=invalid aria-describedby=described
                prop:value=value on:input=typed></textarea>
        }
        .into_any();
    }
    view! {
        <input type="text" autocomplete="off" spellcheck="false" data-test=test aria-invalid=invalid
            aria-describedby=described prop:value=value on:input=typed/>
    }
    .into_any()
}
