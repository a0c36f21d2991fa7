//! What to compare: retrievers, tools, queries.

use super::models::Models;
use super::picker::Picker;
use super::{Lab, start};
use crate::messages::search_lab::{LabCorpus, LabQueries, LabRetriever, ReadQueries, ReadTools};
use crate::platform::files::PickedFiles;
use crate::session::search_lab::LabFile;
use crate::session::{Route, SearchLab, format};
use crate::t;
use crate::texts;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The form.
#[component]
pub(super) fn Choices(lab: Lab) -> impl IntoView {
    let problem = Memo::new(move |_| lab.state.with(|state| state.problem(texts::current())));
    let is_running = Memo::new(move |_| lab.state.with(SearchLab::is_running));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        start::start(lab);
    };
    view! {
        <form class="panel lab-choices" aria-labelledby="lab-choices" on:submit=submit>
            <h2 id="lab-choices" tabindex="-1" node_ref=lab.choices>{t!("What to compare")}</h2>
            <Retrievers lab/>
            <Tools lab/>
            <Queries lab/>
            <Seed lab/>
            <button class="button button-primary" data-test="lab-start"
                disabled=move || is_running.get() || problem.get().is_some()>{t!("Compare")}</button>
            <p class="field-error" role="status" data-test="lab-problem" hidden=move || problem.get().is_none()>
                {problem}
            </p>
        </form>
    }
}

#[component]
fn Retrievers(lab: Lab) -> impl IntoView {
    let offered = Memo::new(move |_| lab.state.with(SearchLab::offered));
    let boxes = move || {
        offered
            .get()
            .into_iter()
            .map(|it| view! { <RetrieverBox lab retriever=it/> })
            .collect_view()
    };
    view! {
        <fieldset class="lab-group">
            <legend>{t!("Retrievers")}</legend>
            {boxes}
            <Models lab/>
            <details class="hint">
                <summary>{t!("Where is the oracle?")}</summary>
                <p>
                    {t!("An oracle ranks by the gold, so all its figures here would be 100 %. It is useful in a run: choose it under Settings as the retriever, and the score shows what a perfect search would add.")}
                    " " <a href=Route::Run.href()>{t!("Set up a run")}</a>
                </p>
            </details>
        </fieldset>
    }
}

#[component]
fn RetrieverBox(lab: Lab, retriever: LabRetriever) -> impl IntoView {
    let name = lab.state.with_untracked(|state| state.name(retriever));
    let explained = match retriever {
        LabRetriever::Builtin => t!("API Search's embedding model"),
        LabRetriever::Bm25 => t!("shared words"),
        LabRetriever::Random => t!("a random order: the floor"),
        LabRetriever::Own(_) => t!("your model"),
    };
    let test = match retriever {
        LabRetriever::Own(id) => format!("lab-retriever-own-{id}"),
        _ => format!("lab-retriever-{name}"),
    };
    view! {
        <label class="lab-option">
            <input type="checkbox" data-test=test
                prop:checked=move || lab.state.with(|state| state.retrievers.contains(&retriever))
                on:change=move |event| {
                    let on = event_target_checked(&event);
                    lab.state.update(|state| state.choose(retriever, on));
                }/>
            <span><span class="strong">{name}</span> " " <span class="quiet">{explained}</span></span>
        </label>
    }
}

#[component]
fn Tools(lab: Lab) -> impl IntoView {
    let options = LabCorpus::ALL.map(|corpus| view! { <CorpusOption lab corpus/> });
    let file = Memo::new(move |_| lab.state.with(|state| state.tools.clone()));
    view! {
        <fieldset class="lab-group">
            <legend>{t!("Tools to search")}</legend>
            {options.into_iter().collect_view()}
            <Picker lab button=t!("Choose a list of tools") test="lab-tools" accept=".json,.jsonl" take=take_tools
                hint=t!("OpenAI's tools, MCP's tools/list, an OpenAPI 3 document, or ToolRet's tools.")/>
            {move || file_state(file.get(), "lab-tools-said")}
        </fieldset>
    }
}

#[component]
fn CorpusOption(lab: Lab, corpus: LabCorpus) -> impl IntoView {
    let (name, explained) = match corpus {
        LabCorpus::PoolBySuite => (t!("The pool by suite"), t!("as API Search searches it")),
        LabCorpus::Pool => (t!("The pool as one list"), t!("both suites together")),
        LabCorpus::Training => {
            (t!("The pool among the training set's APIs"), t!("fetched when you compare"))
        }
        LabCorpus::Distractors => (t!("The pool among 2,000 generated tools"), t!("seeded")),
        LabCorpus::File => (t!("Your tools"), t!("a file")),
    };
    view! {
        <label class="lab-option">
            <input type="radio" name="lab-corpus" value=corpus.as_str()
                data-test=format!("lab-corpus-{}", corpus.as_str())
                prop:checked=move || lab.state.with(|state| state.corpus == corpus)
                on:change=move |_| lab.state.update(|state| state.corpus = corpus)/>
            <span>{name} " " <span class="quiet">{explained}</span></span>
        </label>
    }
}

fn take_tools(lab: Lab, picked: PickedFiles) {
    lab.state.update(|state| state.tools = LabFile::Reading);
    let read = lab.app.ask_with(ReadTools {}, Some(picked.files));
    spawn_local(async move {
        let read = read.await;
        lab.state.update(|state| state.set_tools(read));
    });
}

#[component]
fn Queries(lab: Lab) -> impl IntoView {
    let options = LabQueries::ALL.map(|kind| view! { <QueryBox lab kind/> });
    let file = Memo::new(move |_| lab.state.with(|state| state.query_file.clone()));
    let own_tools = Memo::new(move |_| lab.state.with(|state| state.corpus == LabCorpus::File));
    view! {
        <fieldset class="lab-group">
            <legend>{t!("Queries")}</legend>
            {options.into_iter().collect_view()}
            <p class="hint" data-test="lab-own-tools" hidden=move || !own_tools.get()>
                {t!("Your tools can only be measured by your queries. Without any, they are indexed, and you can try single queries.")}
            </p>
            <Picker lab button=t!("Choose a list of queries") test="lab-queries" accept=".json,.jsonl" take=take_queries
                hint=t!("JSON lines with id, query and labels, as in ToolRet.")/>
            {move || file_state(file.get(), "lab-queries-said")}
        </fieldset>
    }
}

#[component]
fn QueryBox(lab: Lab, kind: LabQueries) -> impl IntoView {
    let (name, explained) = match kind {
        LabQueries::Gold => (t!("Gold keywords"), t!("of the dialogues' searches")),
        LabQueries::Paraphrases => (t!("Paraphrases"), t!("of these keywords")),
        LabQueries::HeldOut => (t!("Held-out phrases"), t!("written from the dialogues alone")),
        LabQueries::Phrases => (t!("Phrases by API"), t!("as people may ask for one")),
        LabQueries::User => (t!("The user's own words"), t!("the last ones before a search")),
        LabQueries::File => (t!("Your file"), ""),
    };
    view! {
        <label class="lab-option">
            <input type="checkbox" data-test=format!("lab-queries-{}", kind.as_str())
                disabled=move || lab.state.with(|state| !state.can_ask(kind))
                prop:checked=move || lab.state.with(|state| state.asked().contains(&kind))
                on:change=move |event| {
                    let on = event_target_checked(&event);
                    lab.state.update(|state| state.ask(kind, on));
                }/>
            <span>{name} " " <span class="quiet">{explained}</span></span>
        </label>
    }
}

fn take_queries(lab: Lab, picked: PickedFiles) {
    lab.state.update(|state| state.query_file = LabFile::Reading);
    let read = lab.app.ask_with(ReadQueries {}, Some(picked.files));
    spawn_local(async move {
        let read = read.await;
        lab.state.update(|state| state.set_queries(read));
    });
}

/// What became of a file.
fn file_state(file: LabFile, test: &'static str) -> impl IntoView {
    match file {
        LabFile::None => ().into_any(),
        LabFile::Reading => view! { <p class="hint" role="status">{t!("Reading…")}</p> }.into_any(),
        LabFile::Read(list) => view! {
            <p class="hint" role="status" data-test=test>
                {t!("{name}: {n} entries", name = list.name, n = format::count(list.count))}
            </p>
        }
        .into_any(),
        LabFile::Failed(reason) => {
            view! { <p class="field-error" role="alert" data-test=test>{reason}</p> }.into_any()
        }
    }
}

/// The seed, where anything is drawn.
#[component]
fn Seed(lab: Lab) -> impl IntoView {
    let is_drawn = Memo::new(move |_| {
        lab.state.with(|state| {
            state.corpus == LabCorpus::Distractors
                || state.retrievers.contains(&LabRetriever::Random)
        })
    });
    view! {
        <Show when=move || is_drawn.get()>
            <label class="field lab-seed">
                <span class="label">{t!("Seed")}</span>
                <input type="text" inputmode="numeric" autocomplete="off" data-test="lab-seed"
                    prop:value=move || lab.state.with(|state| state.seed.clone())
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        lab.state.update(|state| state.seed = text);
                    }/>
            </label>
        </Show>
    }
}
