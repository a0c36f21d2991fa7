//! The tasks: checked, edited, removed, and added from logs.

use super::Mine;
use crate::protocol::own_tools::{Change, TaskView};
use crate::session::format;
use crate::t;
use leptos::{ev, prelude::*};

/// The list, and a field for logs.
#[component]
pub(super) fn Tasks(mine: Mine) -> impl IntoView {
    let log = RwSignal::new(String::new());
    // Only what is wrong, so that a long list can be worked through.
    let wrong = RwSignal::new(false);
    let rows = move || {
        let tasks = mine.pack.with(|it| it.as_ref().map(|it| it.tasks.clone()).unwrap_or_default());
        let shown = tasks.into_iter().filter(|it| !wrong.get() || !it.findings.is_empty());
        shown.map(|task| item(mine, task)).collect_view()
    };
    let about = move || {
        let (count, no_call, found) = mine.pack.with(|it| {
            let tasks = it.as_ref().map(|it| it.tasks.as_slice()).unwrap_or_default();
            let no_call = tasks.iter().filter(|it| it.has_no_call).count();
            (tasks.len(), no_call, tasks.iter().filter(|it| !it.findings.is_empty()).count())
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
            mine.pack.with(|it| it.as_ref().map(|it| it.findings.clone()).unwrap_or_default());
        found.into_iter().map(|it| view! { <p class="bad">{it}</p> }).collect_view()
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
            <p class="hint">{t!("Enter edits the focused task, Delete removes it.")}</p>
            <ul class="tool-tasks" data-test="tools-task-list">{rows}</ul>
            <div data-test="tools-findings">{findings}</div>
            <details>
                <summary>{t!("Add tasks from logs")}</summary>
                <div class="field">
                    <label for="tools-log">{t!("Conversations with tool calls")}</label>
                    <textarea id="tools-log" class="mono" rows="5" spellcheck="false" data-test="tools-log"
                        prop:value=log on:input=move |event| log.set(event_target_value(&event))></textarea>
                    <p class="hint">{t!("JSON Lines of OpenAI or Anthropic messages, or an Inspect EvalLog. The assistant's calls become the gold calls, so remove wrong ones.")}</p>
                </div>
                <button type="button" class="button" data-test="tools-add-log"
                    disabled=move || mine.busy.get() || log.with(|it| it.trim().is_empty())
                    on:click=move |_| mine.change(Change::AddLog(log.get_untracked()), move || log.set(String::new()))>
                    {t!("Add tasks")}
                </button>
            </details>
        </section>
    }
}

/// A task, which the keyboard edits and removes.
fn item(mine: Mine, task: TaskView) -> impl IntoView {
    let editing = RwSignal::new(false);
    let TaskView { id, turns, asks, calls, has_no_call, findings } = task;
    let id = StoredValue::new(id);
    let text = RwSignal::new(turns);
    let remove = move || mine.change(Change::Remove(vec![id.get_value()]), || {});
    let save = move |_| {
        let change = Change::Edit { id: id.get_value(), turns: text.get_untracked() };
        mine.change(change, move || editing.set(false));
    };
    let key = move |event: ev::KeyboardEvent| {
        // Keys in the editor and on buttons are theirs.
        if event.target() != event.current_target() {
            return;
        }
        match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                editing.set(true);
            }
            "Delete" => remove(),
            _ => {}
        }
    };
    let calls = match (calls.is_empty(), has_no_call) {
        (true, _) => t!("no call").to_owned(),
        (false, true) => format!("{}, {}", calls.join(", "), t!("no call")),
        (false, false) => calls.join(", "),
    };
    let findings = findings.into_iter().map(|it| view! { <p class="bad">{it}</p> }).collect_view();
    view! {
        <li class="panel tool-task" tabindex="0" data-test=format!("tools-task-{}", id.get_value()) on:keydown=key>
            <p>{asks}</p>
            <p class="quiet"><code>{calls}</code></p>
            {findings}
            <div class="actions">
                <button type="button" class="button button-small" aria-label=t!("Edit {name}", name = id.get_value())
                    on:click=move |_| editing.update(|it| *it = !*it)>{t!("Edit")}</button>
                <button type="button" class="button button-small" aria-label=t!("Remove {name}", name = id.get_value())
                    on:click=move |_| remove()>{t!("Remove")}</button>
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
