//! The client through scripted ports: refused parameters, time to first token.

use crate::answers::chat_text;
use crate::support::{Scripted, endpoint};
use exchange::protocol::{Ask, Message, Role};
use futures::FutureExt;
use provider::{Client, Endpoint, FailureClass, Timeouts, WireFormat};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::VecDeque;

/// Ports that return these answers in turn, and are unreachable after the last.
fn answering(
    answers: &[(u16, String)],
) -> Scripted<impl Fn(&str, &Value) -> Option<(u16, String)> + use<>> {
    let answers = RefCell::new(VecDeque::from(answers.to_vec()));
    Scripted::new(move |_, _| answers.borrow_mut().pop_front())
}

fn question() -> Ask {
    Ask { messages: vec![Message::text(Role::User, "hi")], ..Ask::default() }
}

fn refuse(param: &str) -> (u16, String) {
    (
        400,
        json!({"error": {"message": format!("{param} is not supported"), "param": param}})
            .to_string(),
    )
}

#[test]
fn refused_parameters_are_dropped_once_and_remembered() {
    let endpoint = Endpoint {
        temperature: Some(0.0),
        top_p: Some(0.9),
        seed: Some(1),
        max_tokens: Some(64),
        ..endpoint(WireFormat::ChatCompletions)
    };
    let (_, _, body) = chat_text();
    let answer = (200, body.to_string());
    let script = [refuse("temperature"), refuse("max_tokens"), answer.clone(), answer];
    let ports = answering(&script);
    let client = Client::new(&endpoint, None, Timeouts::default());
    let ask =
        |client: &Client<'_>| client.ask(&question(), &ports).now_or_never().unwrap().unwrap();
    assert_eq!(ask(&client).unwrap().answer.text, "[GetToday()]");
    assert_eq!(client.dropped(), ["max_tokens", "temperature"]);
    ask(&client).unwrap();
    let bodies = ports.sent.borrow();
    assert_eq!(bodies.len(), 4, "the second request needs no retry");
    for body in &bodies[2..] {
        assert_eq!((body.get("temperature"), body.get("max_tokens")), (None, None));
        assert_eq!((&body["top_p"], &body["max_completion_tokens"]), (&json!(0.9), &json!(64)));
    }
}

#[test]
fn requests_to_an_endpoint_that_refuses_everything_are_bounded() {
    let endpoint =
        Endpoint { temperature: Some(0.0), seed: Some(1), ..endpoint(WireFormat::ChatCompletions) };
    let all = "temperature, seed, model, messages are refused";
    let refusal = (400, json!({"error": {"message": all}}).to_string());
    let ports = answering(&vec![refusal; 50]);
    let client = Client::new(&endpoint, None, Timeouts::default());
    let failure = client.ask(&question(), &ports).now_or_never().unwrap().unwrap().unwrap_err();
    assert_eq!(failure.class, FailureClass::Configuration);
    assert_eq!(ports.sent.borrow().len(), 3);
    let resumed = Client::new(&endpoint, None, Timeouts::default()).without(client.dropped());
    assert_eq!(resumed.dropped(), ["seed", "temperature"]);
}

#[test]
fn the_first_piece_of_a_stream_is_timed() {
    let (format, stream, body) = chat_text();
    let endpoint = endpoint(format);
    let ports = answering(&[(200, stream.clone()), (200, body.to_string())]);
    let client = Client::new(&endpoint, None, Timeouts::default());
    let ask = || client.ask(&question(), &ports).now_or_never().unwrap().unwrap().unwrap();
    let first = ask().first_token_ms.unwrap();
    assert!(first > 0 && first < stream.len() as u64 / 10, "{first}");
    assert_eq!(ask().first_token_ms, None, "only a stream has a first piece");
    let failure = client.ask(&question(), &ports).now_or_never().unwrap().unwrap().unwrap_err();
    assert_eq!(failure.status, None);
    assert!(failure.message.contains("nobody there"), "{}", failure.message);
}
