//! The tools as a table, with what would confuse a model.

use super::Mine;
use crate::components::tool_map::Picture;
use crate::messages::own_tools::{ALIKE, ChangeOwnTools};
use crate::messages::search_lab::LabPoint;
use crate::session::format;
use crate::t;
use dataset::own_tools::listing::{Alike, ListedTool, Problem};
use leptos::prelude::*;

/// A context that many small models have, in tokens.
const SMALL_CONTEXT: usize = 8_192;

/// Fewer tools make no picture.
const FEWEST_MAPPED: usize = 3;

/// A problem in a sentence.
fn sentence(problem: &Problem) -> String {
    match problem {
        Problem::NoDescription => t!("No description.").to_owned(),
        Problem::ShortDescription => t!("The description has one or two words.").to_owned(),
        Problem::Undescribed(names) => {
            t!("Without a description: {names}.", names = names.join(", "))
        }
        Problem::Untyped(names) => t!("Without a type: {names}.", names = names.join(", ")),
        Problem::SameName(other) => t!("The name differs from {name} only in form.", name = other),
        Problem::SameDescription(other) => t!("Has the description of {name}.", name = other),
    }
}

/// The table.
#[component]
pub(super) fn Tools(mine: Mine) -> impl IntoView {
    let filter = RwSignal::new(String::new());
    // Memoized, so that a new task doesn't reset a description that is being edited.
    let rows = Memo::new(move |_| {
        let wanted = filter.read().trim().to_lowercase();
        let fits = |row: &ListedTool| {
            wanted.is_empty()
                || row.name.to_lowercase().contains(&wanted)
                || row.description.to_lowercase().contains(&wanted)
        };
        let rows = mine.pack.with(|it| it.as_ref().map(|it| it.rows.clone()).unwrap_or_default());
        rows.into_iter().filter(fits).collect::<Vec<_>>()
    });
    let about = move || {
        let (count, tokens) = mine.pack.with(|pack| {
            let rows = pack.as_ref().map(|pack| pack.rows.as_slice()).unwrap_or_default();
            (rows.len(), rows.iter().map(|row| row.tokens).sum::<usize>())
        });
        let about = t!(
            "{n} tools, about {tokens} prompt tokens.",
            n = format::count(count),
            tokens = format::count(tokens)
        );
        match tokens > SMALL_CONTEXT {
            true => format!("{about} {}", t!("This exceeds a context of 8,192 tokens.")),
            false => about,
        }
    };
    let pairs = Memo::new(move |_| mine.pack.with(|pack| pack.as_ref()?.alike.clone()));
    let points = Memo::new(move |_| mine.pack.with(|pack| pack.as_ref().map(|it| it.map.clone())));
    view! {
        <section class="results" aria-labelledby="tools-list">
            <div class="section-head">
                <h2 id="tools-list">{t!("Tools")}</h2>
                <span class="quiet" role="status" data-test="tools-count">{about}</span>
            </div>
            <input type="search" class="tool-filter" autocomplete="off" data-test="tools-filter"
                aria-label=t!("Filter by name or description") placeholder=t!("Filter by name or description")
                prop:value=filter on:input=move |event| filter.set(event_target_value(&event))/>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="tools-list">
                <table class="table" data-test="tools-table">
                    <thead><tr>
                        <th scope="col">{t!("Tool")}</th>
                        <th scope="col">{t!("Description")}</th>
                        <th scope="col">{t!("Parameters")}</th>
                        <th scope="col" class="num">{t!("Tokens")}</th>
                    </tr></thead>
                    <tbody>{move || rows.get().into_iter().map(|row| item(mine, row)).collect_view()}</tbody>
                </table>
            </div>
            {move || alike(pairs.get())}
            {move || map(points.get())}
        </section>
    }
}

/// A row; its description can be edited.
fn item(mine: Mine, row: ListedTool) -> impl IntoView {
    let editing = RwSignal::new(None::<String>);
    let ListedTool { name, description, parameters, tokens, problems } = row;
    let shown = StoredValue::new(description);
    let tool = StoredValue::new(name.clone());
    let problems =
        problems.iter().map(|it| view! { <p class="bad">{sentence(it)}</p> }).collect_view();
    let change = move |_| {
        if let Some(description) = editing.get_untracked() {
            let change = ChangeOwnTools::Describe { name: tool.get_value(), description };
            mine.ask(change, move || editing.set(None));
        }
    };
    let description = move || {
        match editing.get() {
        None => view! {
            <div class="beside">
                <p>{shown.get_value()}</p>
                <button type="button" class="button button-small" data-test=format!("tools-edit-{}", tool.get_value())
                    aria-label=t!("Edit the description of {name}", name = tool.get_value())
                    on:click=move |_| editing.set(Some(shown.get_value()))>{t!("Edit")}</button>
            </div>
        }
        .into_any(),
        Some(_) => view! {
            <textarea rows="3" data-test="tools-description" aria-label=t!("Description of {name}", name = tool.get_value())
                prop:value=move || editing.get_untracked().unwrap_or_default()
                on:input=move |event| editing.update_untracked(|it| *it = Some(event_target_value(&event)))></textarea>
            <div class="actions">
                <button type="button" class="button button-small" data-test="tools-describe"
                    disabled=move || mine.is_busy() on:click=change>{t!("Change")}</button>
                <button type="button" class="button button-small" on:click=move |_| editing.set(None)>{t!("Cancel")}</button>
            </div>
        }
        .into_any(),
    }
    };
    view! {
        <tr>
            <th scope="row"><code>{name}</code></th>
            <td>{description} {problems}</td>
            <td class="mono">{parameters.join(", ")}</td>
            <td class="num">{tokens}</td>
        </tr>
    }
}

/// Pairs that read nearly the same.
fn alike(pairs: Option<Vec<Alike>>) -> impl IntoView {
    let items = pairs.filter(|pair| !pair.is_empty())?.into_iter().map(|pair| {
        let [one, other] = pair.names;
        let cosine = format!("{:.2}", pair.cosine);
        view! { <li><code>{one}</code> ", " <code>{other}</code> " " <span class="quiet num">{cosine}</span></li> }
    });
    Some(view! {
        <h3>{t!("Near-duplicates")}</h3>
        <p class="hint">{t!("Models confuse such tools. The number is the cosine similarity of their embeddings.")}</p>
        <ul data-test="tools-alike">{items.collect_view()}</ul>
    })
}

/// The tools on a map of their texts.
fn map(points: Option<Vec<LabPoint>>) -> impl IntoView {
    let mut points = points.filter(|point| point.len() >= FEWEST_MAPPED)?;
    for point in &mut points {
        let group = if point.group == ALIKE { t!("Near-duplicates") } else { t!("Other tools") };
        group.clone_into(&mut point.group);
    }
    let answers = Memo::new(|_| Vec::new());
    Some(view! {
        <details data-test="tools-map">
            <summary>{t!("Map of the tools")}</summary>
            <p class="hint">{t!("Near points have similar texts. Two of many dimensions are shown (PCA), so the nearest tools may look far. Arrow keys move between points.")}</p>
            <Picture points run=0 answers/>
        </details>
    })
}
