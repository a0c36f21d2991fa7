//! The user's embedding models.

use super::Lab;
use super::picker::Picker;
use crate::messages::search_lab::{AddRetriever, AddedRetriever, RemoveRetriever};
use crate::platform::files::PickedFiles;
use crate::session::format;
use crate::state::model_trial;
use crate::t;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The loaded models, and files for another.
#[component]
pub(super) fn Models(lab: Lab) -> impl IntoView {
    let own = Memo::new(move |_| lab.state.with(|state| state.own.clone()));
    let is_reading = move || lab.state.with(|state| state.is_reading);
    let refused = Memo::new(move |_| lab.state.with(|state| state.refused.clone()));
    view! {
        <ul class="lab-models">
            {move || own.get().into_iter().map(|model| view! { <Model lab model/> }).collect_view()}
        </ul>
        <Picker lab button=t!("Add your model") test="lab-model" accept=".onnx,.json,.txt" multiple=true take=add
            hint=t!("Drop a folder or files: model.onnx, tokenizer.json or vocab.txt, and the configuration files of sentence-transformers. They stay in this browser.")/>
        <p class="hint" role="status">{move || is_reading().then(|| t!("Reading the model…"))}</p>
        {move || refused.get().map(|text| view! {
            <p class="field-error" role="alert" data-test="lab-model-refused">{text}</p>
        })}
    }
}

fn add(lab: Lab, picked: PickedFiles) {
    let PickedFiles { paths, files } = picked;
    lab.state.update(|state| state.read_model());
    let request = AddRetriever { paths };
    spawn_local(async move {
        let added = match model_trial(request.clone(), files.clone()).await {
            Ok(()) => lab.app.ask_with(request, Some(files)).await,
            Err(reason) => Err(reason),
        };
        if let Ok(added) = &added {
            lab.app.setup.own_retrievers.update(|list| list.push(added.model.clone()));
        }
        lab.state.update(|state| state.add(added));
    });
}

#[component]
fn Model(lab: Lab, model: AddedRetriever) -> impl IntoView {
    let AddedRetriever { id, model, files, bytes, dimensions } = model;
    let name = model.name.clone();
    let removed_model = model.clone();
    let remove = move |_| {
        lab.state.update(|state| state.remove(id));
        lab.app.setup.forget_retriever(&removed_model);
        let removed = lab.app.ask(RemoveRetriever { id });
        // The worker only frees memory.
        spawn_local(async move { drop(removed.await) });
    };
    let prefix = |text: &str| match text {
        "" => t!("none").to_owned(),
        text => format!("{text:?}"),
    };
    let rows = [
        (t!("Files"), files.join(", ")),
        (t!("Size"), format::size(bytes)),
        (t!("Dimensions"), dimensions.to_string()),
        (t!("Pooling"), model.pooling),
        (t!("Tokens at most"), model.max_tokens.to_string()),
        (t!("Query prefix"), prefix(&model.query_prefix)),
        (t!("Passage prefix"), prefix(&model.passage_prefix)),
    ];
    let rows = rows.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> });
    view! {
        <li data-test="lab-model-facts">
            <details>
                <summary>{name.clone()}</summary>
                <dl class="lab-facts">
                    {rows.collect_view()}
                    <dt>"SHA-256"</dt>
                    <dd class="digest">{model.digest}</dd>
                </dl>
            </details>
            <button type="button" class="button button-small" data-test="lab-model-remove"
                aria-label=t!("Remove {name}", name = name) on:click=remove>{t!("Remove")}</button>
        </li>
    }
}
