//! Form fields: protocol, steps, trials, turn limit, prompts.

use super::field::{FieldError, Problems, TextField};
use super::retriever::RetrieverField;
use crate::session::Form;
use crate::session::asking::explain;
use crate::session::field::FieldName;
use crate::state::{App, use_app};
use crate::t;
use crate::texts::{self, translated};
use apis::search::SearchResults;
use exchange::protocol::prompts::parts;
use exchange::protocol::{DescribedApis, Part, Prompts, Protocol, Steps};
use leptos::prelude::*;

/// Protocol, steps, search results, trials, turn limit, prompts.
#[component]
pub fn AskingFields(
    /// Problems with the fields.
    problems: Problems,
) -> impl IntoView {
    let app = use_app();
    let protocol = Memo::new(move |_| app.setup.form.with(|form| form.asking.protocol));
    let options = Protocol::ALL.map(|it| {
        let picked = move || protocol.get() == it;
        view! { <option value=it.as_str() selected=picked>{it.as_str()}</option> }
    });
    let pick = move |event| {
        if let Some(protocol) = Protocol::named(&event_target_value(&event)) {
            app.setup.form.update(|form| form.asking.protocol = protocol);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("Protocol")}</span>
            <select data-test="protocol" on:change=pick>{options.into_iter().collect_view()}</select>
            <span class="hint">{move || explain(protocol.get(), texts::current())}</span>
        </label>
        <Show when=move || protocol.get() != Protocol::Agent>
            <StepsField app/>
        </Show>
        <Show when=move || !matches!(protocol.get(), Protocol::Paper | Protocol::AllTools)>
            <DescribedApisField app/>
        </Show>
        <Show when=move || protocol.get() != Protocol::AllTools>
            <SearchResultsField app/>
        </Show>
        <Show when=move || app.setup.form.with(Form::searches)>
            <RetrieverField app/>
        </Show>
        <div class="field-row">
            <TextField problems field=FieldName::Trials label=t!("Trials") test="trials" input_mode="numeric"
                get=|form| form.asking.trials.clone() set=|form, text| form.asking.trials = text/>
            <Show when=move || protocol.get() == Protocol::Agent>
                <TextField problems field=FieldName::TurnLimit label=t!("Turn limit") test="turn-limit" input_mode="numeric"
                    get=|form| form.asking.turn_limit.clone() set=|form, text| form.asking.turn_limit = text/>
            </Show>
        </div>
        <PromptTexts app problems protocol/>
    }
}

/// Which steps of a dialogue are asked.
#[component]
fn StepsField(app: App) -> impl IntoView {
    let chosen = Memo::new(move |_| app.setup.form.with(|form| form.asking.steps));
    let options = Steps::ALL.map(|it| {
        let picked = move || chosen.get() == it;
        let title = match it {
            Steps::All => t!("All calls and replies"),
            Steps::First => t!("The first call of each dialogue"),
        };
        view! { <option value=it.as_str() selected=picked>{title}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(steps) = Steps::ALL.into_iter().find(|it| it.as_str() == value) {
            app.setup.form.update(|form| form.asking.steps = steps);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("Steps")}</span>
            <select data-test="steps" on:change=pick>{options.into_iter().collect_view()}</select>
            <span class="hint">
                {t!("Some published numbers count only first calls.")}
            </span>
        </label>
    }
}

/// Which APIs the prompts of Call describe.
#[component]
fn DescribedApisField(app: App) -> impl IntoView {
    let chosen = Memo::new(move |_| app.setup.form.with(|form| form.asking.described_apis));
    let options = DescribedApis::ALL.map(|it| {
        let picked = move || chosen.get() == it;
        let title = match it {
            DescribedApis::Own => t!("Only those of the dialogue"),
            DescribedApis::Fifteen => t!("15, with distractors"),
            DescribedApis::All => t!("All"),
        };
        view! { <option value=it.as_str() selected=picked>{title}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(apis) = DescribedApis::ALL.into_iter().find(|it| it.as_str() == value) {
            app.setup.form.update(|form| form.asking.described_apis = apis);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("Described APIs")}</span>
            <select data-test="described-apis" on:change=pick>{options.into_iter().collect_view()}</select>
            <span class="hint">
                {t!("For Call. The hard split has its own distractors; imported data describes only its own.")}
            </span>
        </label>
    }
}

/// How many APIs a search returns.
#[component]
fn SearchResultsField(app: App) -> impl IntoView {
    let chosen = Memo::new(move |_| app.setup.form.with(|form| form.asking.search_results));
    let options = SearchResults::ALL.map(|it| {
        let picked = move || chosen.get() == it;
        let title = match it {
            SearchResults::Five => t!("5 APIs"),
            SearchResults::One => t!("1 API, as in the paper"),
        };
        view! { <option value=it.as_str() selected=picked>{title}</option> }
    });
    let pick = move |event| {
        let value = event_target_value(&event);
        if let Some(results) = SearchResults::ALL.into_iter().find(|it| it.as_str() == value) {
            app.setup.form.update(|form| form.asking.search_results = results);
        }
    };
    view! {
        <label class="field">
            <span class="label">{t!("API Search returns")}</span>
            <select data-test="search-results" on:change=pick>{options.into_iter().collect_view()}</select>
            <span class="hint">
                {t!("A search is right if the needed API is among them. Imported data always returns 1.")}
            </span>
        </label>
    }
}

/// The prompt texts of the protocol: shown, and editable for a run.
#[component]
fn PromptTexts(app: App, problems: Problems, protocol: Memo<Protocol>) -> impl IntoView {
    let custom = Memo::new(move |_| app.setup.form.with(|form| form.asking.is_custom()));
    let version = move || match custom.get() {
        true => t!("custom").to_owned(),
        false => Prompts::builtin(protocol.get()).version.clone(),
    };
    let fields = move || {
        let protocol = protocol.get();
        let parts = parts(protocol).iter();
        parts.map(|part| view! { <PartFields app protocol part=*part/> }).collect_view()
    };
    view! {
        <details class="prompts" data-test="prompts">
            <summary>{t!("Prompts: ")} <span data-test="prompts-version">{version}</span></summary>
            <p class="hint">
                {t!("Instructions for the model. Changes apply to later runs in this browser and mark their \
                     records as custom. ")}
                {move || match protocol.get() {
                    Protocol::Bracket | Protocol::Paper => t!("Slots: {year}, {apis}, {history}."),
                    _ => t!("Slot: {year}. The dialogue follows as separate messages."),
                }}
            </p>
            {fields}
            <FieldError problems field=FieldName::Prompts/>
            <Show when=move || custom.get()>
                <button type="button" class="button" data-test="prompts-reset"
                    on:click=move |_| app.setup.form.update(|form| form.asking.reset())>
                    {t!("Restore original prompts")}
                </button>
            </Show>
        </details>
    }
}

/// The system text of a part, and under `bracket` its user text.
#[component]
fn PartFields(app: App, protocol: Protocol, part: Part) -> impl IntoView {
    let id = part.as_str();
    let user = protocol.is_text().then(|| {
        view! {
            <label class="field">
                <span class="label">{t!("{part}, user message", part = translated(part.title()))}</span>
                <textarea rows="3" spellcheck="false" data-test=format!("prompt-{id}-user")
                    prop:value=move || app.setup.form.with(|form| form.asking.text(part).user)
                    on:input=move |event| {
                        let value = event_target_value(&event);
                        app.setup.form.update(|form| form.asking.edit(part, |text| text.user = value));
                    }/>
            </label>
        }
    });
    view! {
        <label class="field">
            <span class="label">{t!("{part}, system message", part = translated(part.title()))}</span>
            <textarea rows="7" spellcheck="false" data-test=format!("prompt-{id}-system")
                prop:value=move || app.setup.form.with(|form| form.asking.text(part).system)
                on:input=move |event| {
                    let value = event_target_value(&event);
                    app.setup.form.update(|form| form.asking.edit(part, |text| text.system = value));
                }/>
        </label>
        {user}
    }
}
