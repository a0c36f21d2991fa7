//! The connection test: one line per check. Runs on the main thread, where a browser may ask for
//! permission to access this machine.

use crate::platform::fetch;
use crate::platform::ports::PagePorts;
use crate::session::forecast::Measured;
use crate::state::App;
use crate::t;
use crate::texts::{self, translated};
use leptos::prelude::*;
use leptos::task::spawn_local;
use provider::Endpoint;
use provider::preflight::{Line, Proposal, Report, preflight};

/// State of the connection test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Connection {
    /// Not tested.
    #[default]
    Untested,
    /// A field is invalid; nothing was sent.
    Refused(String),
    /// In progress, with the findings so far.
    Testing(Report),
    /// Finished, with the findings.
    Tested(Report),
}

impl Connection {
    /// Whether it is in progress.
    pub const fn is_testing(&self) -> bool {
        matches!(self, Connection::Testing(_))
    }

    /// The findings so far.
    pub fn report(&self) -> Option<&Report> {
        match self {
            Connection::Testing(report) | Connection::Tested(report) => Some(report),
            _ => None,
        }
    }

    /// The state in a sentence.
    pub fn text(&self) -> String {
        match self {
            Connection::Untested => String::new(),
            Connection::Refused(text) => text.clone(),
            Connection::Testing(report) => match &report.waiting {
                Some(why) => t!("Waiting for the server: {why}", why = why),
                None => t!("Asking the endpoint…").to_owned(),
            },
            Connection::Tested(report) if report.works() => t!("Works.").to_owned(),
            Connection::Tested(_) => t!("Doesn't work yet.").to_owned(),
        }
    }

    /// The CSS class.
    pub fn class(&self) -> &'static str {
        match self {
            Connection::Untested | Connection::Testing(_) => "connection-text",
            Connection::Tested(report) if report.works() => "connection-text good",
            Connection::Refused(_) | Connection::Tested(_) => "connection-text bad",
        }
    }
}

/// Tests the form's endpoint, once the user agrees to its host.
pub fn test(app: App, models: RwSignal<Vec<String>>, connection: RwSignal<Connection>) {
    let mut form = app.setup.form.get_untracked();
    if form.model.trim().is_empty() {
        // Validate everything except the model, which the list may provide.
        form.model = "?".to_owned();
    }
    let mut endpoint = match form.endpoint(&fetch::origin(), texts::current()) {
        Ok(endpoint) => endpoint,
        Err(problems) => {
            let messages: Vec<String> = problems.into_iter().map(|it| it.message).collect();
            return connection.set(Connection::Refused(messages.join(" ")));
        }
    };
    app.setup.form.with_untracked(|form| form.model.trim().clone_into(&mut endpoint.model));
    app.once_agreed_to(
        &endpoint.clone(),
        app.setup.form.with_untracked(|form| form.source()),
        move || {
            connection.set(Connection::Testing(Report::default()));
            spawn_local(ask(app, endpoint, models, connection));
        },
    );
}

async fn ask(
    app: App,
    endpoint: Endpoint,
    models: RwSignal<Vec<String>>,
    connection: RwSignal<Connection>,
) {
    let key = app.sending.keys.with_untracked(|keys| keys.key_for(&endpoint));
    let show = |report: &Report| connection.set(Connection::Testing(report.clone()));
    let report = preflight(&endpoint, key.as_ref(), &PagePorts, show).await;
    models.set(report.models.iter().map(|model| model.name.clone()).collect());
    if endpoint.model.is_empty() && !report.model.is_empty() {
        app.setup.form.update(|form| form.model.clone_from(&report.model));
    }
    app.setup.measured.set(report.latency_ms.map(|latency_ms| Measured {
        address: endpoint.base_url.clone(),
        model: report.model.clone(),
        latency_ms,
    }));
    connection.set(Connection::Tested(report));
}

/// The findings, one line each, and the proposal.
#[component]
pub fn Checks(connection: RwSignal<Connection>) -> impl IntoView {
    let lines = move || {
        let lines = connection.with(|connection| connection.report().map(|it| it.lines.clone()));
        lines.unwrap_or_default().into_iter().map(|line| view! { <Check line/> }).collect_view()
    };
    let proposal = move || {
        let proposal = connection.with(|it| it.report().and_then(|report| report.proposal));
        proposal.map(|proposal| view! { <Proposed proposal/> })
    };
    view! {
        <ul class="checks" data-test="connection-checks">{lines}</ul>
        {proposal}
    }
}

#[component]
fn Check(line: Line) -> impl IntoView {
    let state = line.state.as_str();
    view! {
        <li class="check-line" data-state=state data-test=format!("check-{}", line.step.as_str())>
            <span class="check-title">
                {translated(line.step.title())}
                <span class="visually-hidden">{t!(" ({state})", state = translated(state))}</span>
            </span>
            <span class="check-said">
                {line.text}
                {line.fix.map(|fix| view! { <span class="check-fix">{fix}</span> })}
            </span>
        </li>
    }
}

/// The proposed settings, with a button that applies them.
#[component]
fn Proposed(proposal: Proposal) -> impl IntoView {
    let app = crate::state::use_app();
    let protocol = proposal.protocol().as_str();
    let requests = match proposal.concurrency {
        1 => t!("1 request in flight").to_owned(),
        many => t!("{n} requests in flight", n = many),
    };
    let taken = move || app.setup.form.with(|form| form.suits(proposal));
    view! {
        <p class="check-proposal" data-test="connection-proposal">
            <span>{t!("Recommended: protocol {protocol}, {requests}.", protocol = protocol, requests = requests)}</span>
            <button type="button" class="button button-small" data-test="take-proposal" disabled=taken
                on:click=move |_| app.setup.form.update(|form| form.take(proposal))>
                {move || if taken() { t!("Applied") } else { t!("Apply") }}
            </button>
        </p>
    }
}
