//! The list of models.

use super::{Connection, Report, State, Step};
use crate::diagnosis::Case;
use crate::request::{ModelFacts, decode_models};
use crate::{Collected, Endpoint, Failure, HttpRequest, Ports, Timeouts, TransportError};
use std::cell::RefCell;

/// Timeouts of the list, in seconds.
const LIST: Timeouts = Timeouts { headers_s: 20, body_s: 20 };

/// Lists the models; whether to continue.
pub(super) async fn list<P: Ports>(
    endpoint: &Endpoint,
    connection: Connection<'_, P>,
    report: &mut Report,
) -> bool {
    let Connection { key, place, waits } = connection;
    let case = Case { endpoint, has_key: key.is_some(), place };
    let wanted = endpoint.model.trim();
    wanted.clone_into(&mut report.model);
    let send = async || {
        let request = endpoint.models_request(key)?;
        let sink = fetch(case, request, waits.ports).await?;
        decode_models(&sink.into_response(key))
    };
    let listed = waits.ready(&RefCell::new(report), send).await;
    let failure = match listed {
        Ok(list) => {
            report.models = list;
            return take_model(wanted, report);
        }
        Err(failure) => failure,
    };
    // Some servers have no list but answer requests.
    let no_list = matches!(failure.status, Some(404 | 405 | 501));
    if no_list && !wanted.is_empty() {
        report.add(Step::Models, State::Warning, "The endpoint has no list of models.", None);
        return true;
    }
    let advice = case.advice(&failure);
    report.add(Step::Models, State::Bad, failure.message, advice);
    false
}

/// Finds the wanted model in the list, or takes the first.
fn take_model(wanted: &str, report: &mut Report) -> bool {
    let count = report.models.len();
    let listed = if count == 1 { "1 model".to_owned() } else { format!("{count} models") };
    if wanted.is_empty() {
        let Some(first) = report.models.first().map(|model| model.name.clone()) else {
            let fix = "Load one, or type its name.".to_owned();
            let text = "Connected, but the endpoint lists no models.";
            report.add(Step::Models, State::Bad, text, Some(fix));
            return false;
        };
        report.add(Step::Models, State::Good, format!("{listed}; {first} is taken."), None);
        report.model = first;
        return true;
    }
    // Ollama's list includes the tag in the name.
    let is_wanted = |model: &ModelFacts| {
        model.name == wanted || model.name.strip_suffix(":latest") == Some(wanted)
    };
    if count == 0 || report.models.iter().any(is_wanted) {
        report.add(Step::Models, State::Good, format!("{listed}."), None);
        return true;
    }
    let some: Vec<&str> = report.models.iter().take(5).map(|model| model.name.as_str()).collect();
    let more = if count > 5 { ", …" } else { "" };
    let text =
        format!("Connected, but {wanted:?} is not listed. It lists {}{more}", some.join(", "));
    report.add(Step::Models, State::Warning, text, None);
    true
}

pub(super) async fn fetch<P: Ports>(
    case: Case<'_>,
    request: HttpRequest,
    ports: &P,
) -> Result<Collected, Failure> {
    let mut sink = Collected::default();
    match ports.send(request, LIST, &mut sink).await {
        Ok(()) => Ok(sink),
        Err(TransportError::Unreachable(reason)) => {
            let shut = ports.answers(case.url()).await;
            let diagnosis = if shut { case.shut() } else { case.no_answer(&reason) };
            Err(Failure::unreachable(diagnosis.to_string()))
        }
        Err(error) => Err(error.into_failure()),
    }
}
