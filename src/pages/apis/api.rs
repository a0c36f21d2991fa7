//! One API: documentation derived from its descriptor, and a form to call it.

use super::trial::Trial;
use crate::components::json_block::json_block;
use crate::session::Route;
use crate::t;
use crate::texts::translated;
use apis::search::{TOOL_SEARCHER, tool_searcher};
use apis::{Api, Suite, TableName, registry};
use leptos::prelude::*;

/// The page of an API.
#[component]
pub fn ApiPage(
    /// Its suite.
    suite: Suite,
    /// Its name.
    name: String,
) -> impl IntoView {
    let found = match name.as_str() {
        TOOL_SEARCHER => Some(tool_searcher(suite)),
        name => registry::find(suite, name),
    };
    let page = match found {
        Some(api) => view! { <Documentation api/> }.into_any(),
        None => view! {
            <h1>{name.clone()}</h1>
            <p class="empty">
                {t!("The {suite} suite has no API of this name.", suite = translated(suite.as_str()))}
            </p>
        }
        .into_any(),
    };
    view! {
        <nav class="crumbs" aria-label=t!("API")>
            <a href=Route::Apis.href()>{t!("APIs")}</a>
            <span aria-hidden="true">"›"</span>
            <span>{name}</span>
        </nav>
        {page}
    }
}

#[component]
fn Documentation(api: &'static Api) -> impl IntoView {
    let errors = api.errors.iter().map(|error| view! { <li>{*error}</li> }).collect_view();
    let returns = api
        .returns
        .iter()
        .map(|field| {
            view! {
                <dt><code>{field.name}</code> " " <span class="quiet">{field.label}</span></dt>
                <dd>{field.description}</dd>
            }
        })
        .collect_view();
    view! {
        <article class="sample">
            <header class="sample-head">
                <h1>{api.name}</h1>
                <span class="tag">{t!("{suite} suite", suite = translated(api.suite.as_str()))}</span>
                <span class="tag">{translated(api.domain.title())}</span>
                <p class="lead">{api.description}</p>
            </header>
            {parameters(api)}
            <div class="pair">
                <section class="panel">
                    <h2>{t!("Returns")}</h2>
                    <dl class="terms">{returns}</dl>
                    <h2>{t!("Fails when")}</h2>
                    <ul class="bullets">{errors}</ul>
                    <h2>{t!("Databases")}</h2>
                    <p>{t!("Reads {read}. Writes {written}.", read = tables(api.reads), written = tables(api.writes))}</p>
                </section>
                <Trial api/>
            </div>
            <details class="panel">
                <summary>{t!("Prompt description")}</summary>
                {json_block(&api.prompt_json())}
            </details>
            <details class="panel">
                <summary>{t!("JSON Schema for native tool calling")}</summary>
                {json_block(&api.schema())}
            </details>
        </article>
    }
}

fn parameters(api: &Api) -> AnyView {
    if api.params.is_empty() {
        return view! { <p class="quiet">{t!("No parameters.")}</p> }.into_any();
    }
    let rows = api
        .params
        .iter()
        .map(|param| {
            view! {
                <tr>
                    <th scope="row"><code>{param.name}</code></th>
                    <td><code>{param.kind.label()}</code></td>
                    <td>{if param.required { t!("required") } else { t!("optional") }}</td>
                    <td>{param.full_description()}</td>
                    <td>{translated(param.rule.explain())}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="scroll" role="region" tabindex="0" aria-label=t!("Parameters")>
            <table class="table">
                <caption>{t!("Parameters")}</caption>
                <thead><tr>
                    <th scope="col">{t!("Name")}</th>
                    <th scope="col">{t!("Type")}</th>
                    <th scope="col">{t!("Required")}</th>
                    <th scope="col">{t!("Description")}</th>
                    <th scope="col">{t!("Match rule")}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn tables(names: &[TableName]) -> String {
    if names.is_empty() {
        return t!("none").to_owned();
    }
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}
