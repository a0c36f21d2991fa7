//! Test connection: the models, then one tiny answer. On the page's own thread,
//! where a browser may ask for permission to reach this machine.

use crate::app::App;
use crate::platform::fetch;
use crate::session::format;
use engine::protocol::{Ask, Message, Role};
use engine::provider::{
    Collected, Endpoint, Failure, HttpRequest, HttpResponse, Timeouts, decode_models,
};
use leptos::prelude::*;

/// Seconds until the list of models is given up.
const LIST_S: u32 = 20;
/// Seconds until the answer is given up: a server may have to load the model first.
const ANSWER_S: u32 = 120;
/// Enough for a word; some endpoints refuse less.
const ANSWER_TOKENS: u32 = 16;

/// What is known of the connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Connection {
    /// Nothing.
    #[default]
    Untested,
    /// Requests are out.
    Testing,
    /// It works.
    Good(String),
    /// It does not.
    Bad(String),
}

impl Connection {
    /// The message.
    pub fn text(&self) -> String {
        match self {
            Connection::Untested => String::new(),
            Connection::Testing => "Asking the endpoint…".to_owned(),
            Connection::Good(text) | Connection::Bad(text) => text.clone(),
        }
    }

    /// Its class in the style sheet.
    pub const fn class(&self) -> &'static str {
        match self {
            Connection::Untested | Connection::Testing => "connection-text",
            Connection::Good(_) => "connection-text good",
            Connection::Bad(_) => "connection-text bad",
        }
    }
}

/// Tests the endpoint of the form.
pub async fn test(app: App, models: RwSignal<Vec<String>>, connection: RwSignal<Connection>) {
    let outcome = match probe(app, models).await {
        Ok(text) => Connection::Good(text),
        Err(text) => Connection::Bad(text),
    };
    connection.set(outcome);
}

async fn probe(app: App, models: RwSignal<Vec<String>>) -> Result<String, String> {
    let key = app.key.get_untracked();
    let key = (!key.is_empty()).then_some(key);
    let mut form = app.form.get_untracked();
    let nameless = form.model.trim().is_empty();
    if nameless {
        // Checked for everything but the name, which the list may bring.
        form.model = "?".to_owned();
    }
    let mut endpoint = form.endpoint(&fetch::origin()).map_err(|problems| {
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join(" ")
    })?;
    let listed = list(&endpoint, key.as_deref()).await;
    if let Ok(names) = &listed {
        models.set(names.clone());
    }
    if nameless {
        let first = listed.as_ref().map_err(Clone::clone)?.first().cloned().ok_or_else(|| {
            "Connected, but the endpoint lists no models. Load one, or type its name.".to_owned()
        })?;
        app.form.update(|form| form.model.clone_from(&first));
        endpoint.model = first;
    }
    if let Ok(names) = &listed
        && !names.is_empty()
        && !names.contains(&endpoint.model)
    {
        let some: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
        return Err(format!(
            "Connected, but the endpoint does not list {:?}. It lists {}{}",
            endpoint.model,
            some.join(", "),
            if names.len() > 5 { ", …" } else { "." }
        ));
    }
    let (said, ms) = answer(&endpoint, key.as_deref()).await?;
    let known = match &listed {
        Ok(names) => format!("{} models", names.len()),
        Err(_) => "no list of models".to_owned(),
    };
    Ok(format!("Works: {known}; {} answered in {}: {said:?}", endpoint.model, format::span(ms)))
}

async fn list(endpoint: &Endpoint, key: Option<&str>) -> Result<Vec<String>, String> {
    let response = send(endpoint.models_request(key), LIST_S).await?;
    decode_models(&response).map_err(told)
}

async fn answer(endpoint: &Endpoint, key: Option<&str>) -> Result<(String, f64), String> {
    let short = Endpoint { max_tokens: Some(ANSWER_TOKENS), streaming: false, ..endpoint.clone() };
    let question = Message::text(Role::User, "Reply with the word: ready");
    let ask = Ask { messages: vec![question], ..Ask::default() };
    let prepared = short.request(&ask, key, &Default::default()).map_err(told)?;
    let started = crate::platform::page::now_ms();
    let response = send(prepared.request, ANSWER_S).await?;
    let answer = short.decode(&response).map_err(told)?;
    let took = crate::platform::page::now_ms() - started;
    Ok((format::one_line(&answer.text, 40), took))
}

async fn send(request: HttpRequest, timeout_s: u32) -> Result<HttpResponse, String> {
    let limits = Timeouts { headers_s: timeout_s, body_s: timeout_s };
    let mut sink = Collected::default();
    let sent = fetch::send(request, limits, std::future::pending(), &mut sink).await;
    sent.map(|()| sink.into_response()).map_err(|error| error.to_string())
}

fn told(failure: Failure) -> String {
    failure.message
}
