//! The tasks: checked, edited, removed, and added from logs.

use super::Mine;
use crate::messages::own_tools::{ChangeOwnTools, TaskView};
use crate::platform::page;
use crate::session::format;
use crate::t;
use leptos::{ev, prelude::*};
use std::time::Duration;

/// The list, and a field for logs.
#[component]
pub(super) fn Tasks(mine: Mine) -> impl IntoView {
    let (log, model) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    // Filters for working through a long list.
    let (wrong, unread) = (RwSignal::new(false), RwSignal::new(false));
    let shown = Memo::new(move |_| {
        let tasks = mine.pack.with(|it| it.as_ref().map(|it| it.tasks.clone()).unwrap_or_default());
        let fits = |it: &TaskView| {
            (!wrong.get() || !it.findings.is_empty()) && (!unread.get() || it.draft)
        };
        tasks.into_iter().filter(fits).collect::<Vec<_>>()
    });
    let drafts = Memo::new(move |_| {
        let all = mine.pack.with(|it| it.as_ref().map(|it| it.tasks.clone()).unwrap_or_default());
        all.into_iter().filter(|task| task.draft).map(|task| task.id).collect::<Vec<_>>()
    });
    let about = move || {
        let (count, no_call, found) = mine.pack.with(|pack| {
            let tasks = pack.as_ref().map(|pack| pack.tasks.as_slice()).unwrap_or_default();
            let no_call = tasks.iter().filter(|task| task.has_no_call).count();
            (tasks.len(), no_call, tasks.iter().filter(|task| !task.findings.is_empty()).count())
        });
        t!(
            "{n} tasks, {no_call} with a no-call step, {found} with problems.",
            n = format::count(count),
            no_call = format::count(no_call),
            found = format::count(found)
        )
    };
    let findings = move || {
        let found =
            mine.pack.with(|pack| pack.as_ref().map(|it| it.findings.clone()).unwrap_or_default());
        found.into_iter().map(|text| view! { <p class="bad">{text}</p> }).collect_view()
    };
    view! {
        <section class="results" aria-labelledby="tools-tasks">
            <div class="section-head">
                <h2 id="tools-tasks">{t!("Tasks")}</h2>
                <span class="quiet" role="status" data-test="tools-tasks-count">{about}</span>
            </div>
            <label class="check">
                <input type="checkbox" data-test="tools-wrong" prop:checked=wrong
                    on:change=move |event| wrong.set(event_target_checked(&event))/>
                " " {t!("Only tasks with problems")}
            </label>
            <Show when=move || unread.get() || drafts.with(|drafts| !drafts.is_empty())>
                <label class="check">
                    <input type="checkbox" data-test="tools-unread" prop:checked=unread
                        on:change=move |event| unread.set(event_target_checked(&event))/>
                    " " {move || t!("Only drafts ({n})", n = format::count(drafts.with(Vec::len)))}
                </label>
                <p class="hint">
                    {t!("A model wrote the drafts. Runs skip them until you accept them.")}
                </p>
                <div class="actions">
                    <button type="button" class="button button-small" data-test="tools-accept-all"
                        disabled=move || mine.is_busy() || drafts.with(Vec::is_empty)
                        on:click=move |_| mine.ask(ChangeOwnTools::Accept(drafts.get_untracked()), || {})>
                        {t!("Accept all drafts")}
                    </button>
                </div>
            </Show>
            <p class="hint">{t!("Up and Down move between tasks. Enter edits the focused one, A accepts it, Delete removes it.")}</p>
            <ul class="tool-tasks" data-test="tools-task-list">
                <For each=move || shown.get() key=TaskView::clone children=move |task| item(mine, task)/>
            </ul>
            <div data-test="tools-findings">{findings}</div>
            <details>
                <summary>{t!("Add tasks from logs")}</summary>
                <div class="field">
                    <label for="tools-log">{t!("Conversations with tool calls")}</label>
                    <textarea id="tools-log" class="mono" rows="5" spellcheck="false" data-test="tools-log"
                        prop:value=log on:input=move |event| log.set(event_target_value(&event))></textarea>
                    <p class="hint">{t!("JSON Lines of OpenAI or Anthropic messages, or an Inspect EvalLog. The assistant's calls become the gold calls, so remove wrong ones.")}</p>
                </div>
                <label class="field">
                    <span class="label">{t!("Model (empty: as in the log)")}</span>
                    <input type="text" autocomplete="off" spellcheck="false" data-test="tools-log-model"
                        prop:value=model on:input=move |event| model.set(event_target_value(&event))/>
                </label>
                <p class="hint">{t!("A run of that model on these tasks carries a warning: a model does better on tasks of its own.")}</p>
                <button type="button" class="button" data-test="tools-add-log"
                    disabled=move || mine.is_busy() || log.with(|log| log.trim().is_empty())
                    on:click=move |_| {
                        let change = ChangeOwnTools::AddLog { log: log.get_untracked(), model: model.get_untracked() };
                        mine.ask(change, move || log.set(String::new()));
                    }>
                    {t!("Add tasks")}
                </button>
            </details>
        </section>
    }
}

/// Focuses the task `places` after the task `id` in the list.
fn focus_from(id: &str, places: isize) {
    let all = page::elements(".tool-task");
    let own = format!("tools-task-{id}");
    let at = all.iter().position(|it| it.get_attribute("data-test").as_deref() == Some(&own));
    let next = at.and_then(|at| all.get(at.checked_add_signed(places)?));
    if let Some(next) = next.and_then(|it| it.get_attribute("data-test")) {
        page::focus(&format!("[data-test=\"{next}\"]"));
    }
}

/// A task, which the keyboard accepts, edits and removes.
fn item(mine: Mine, task: TaskView) -> impl IntoView {
    let editing = RwSignal::new(false);
    let TaskView { id, draft, turns, asks, calls, has_no_call, findings } = task;
    let id = StoredValue::new(id);
    let text = RwSignal::new(turns);
    // Moves the focus to the task that replaces or follows the changed one.
    let change = move |change: ChangeOwnTools, places: isize| {
        let own = id.get_value();
        focus_from(&own, places);
        mine.ask(change, move || {
            if places == 0 {
                set_timeout(move || focus_from(&own, 0), Duration::ZERO);
            }
        });
    };
    let remove = move || change(ChangeOwnTools::Remove(vec![id.get_value()]), 1);
    let accept = move || change(ChangeOwnTools::Accept(vec![id.get_value()]), 1);
    let save = move |_| {
        editing.set(false);
        change(ChangeOwnTools::Edit { id: id.get_value(), turns: text.get_untracked() }, 0);
    };
    let key = move |event: ev::KeyboardEvent| {
        // Keys in the editor and on buttons are theirs.
        if event.target() != event.current_target() || event.ctrl_key() || event.meta_key() {
            return;
        }
        match event.key().as_str() {
            "ArrowDown" => focus_from(&id.get_value(), 1),
            "ArrowUp" => focus_from(&id.get_value(), -1),
            "Enter" => editing.set(true),
            "a" | "A" if draft => accept(),
            "Delete" => remove(),
            _ => return,
        }
        event.prevent_default();
    };
    let calls = match (calls.is_empty(), has_no_call) {
        (true, _) => t!("no call").to_owned(),
        (false, true) => format!("{}, {}", calls.join(", "), t!("no call")),
        (false, false) => calls.join(", "),
    };
    let findings = findings.into_iter().map(|it| view! { <p class="bad">{it}</p> }).collect_view();
    let accepting = draft.then(|| {
        view! {
            <button type="button" class="button button-small"
                aria-label=t!("Accept {name}", name = id.get_value()) on:click=move |_| accept()>{t!("Accept")}</button>
        }
    });
    view! {
        <li class="panel tool-task" tabindex="0" data-test=format!("tools-task-{}", id.get_value()) on:keydown=key>
            <div class="beside">
            <div>
                <p>{draft.then(|| view! { <span class="chip">{t!("Draft")}</span> " " })} {asks}</p>
                <p class="quiet"><code>{calls}</code></p>
                {findings}
            </div>
            <div class="actions">
                {accepting}
                <button type="button" class="button button-small" aria-label=t!("Edit {name}", name = id.get_value())
                    on:click=move |_| editing.update(|it| *it = !*it)>{t!("Edit")}</button>
                <button type="button" class="button button-small"
                    aria-label=t!("Remove {name}", name = id.get_value())
                    on:click=move |_| remove()>{t!("Remove")}</button>
            </div>
            </div>
            <Show when=move || editing.get()>
                <textarea class="mono" rows="6" spellcheck="false" data-test="tools-turns"
                    aria-label=t!("Turns of {name}, one a line", name = id.get_value())
                    prop:value=text on:input=move |event| text.set(event_target_value(&event))></textarea>
                <button type="button" class="button button-small" data-test="tools-turns-save" on:click=save>{t!("Save")}</button>
            </Show>
        </li>
    }
}
