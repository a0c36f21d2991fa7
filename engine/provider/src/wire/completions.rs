//! Legacy Completions: a base model continues a text. No messages, no tools.
//!
//! Source: OpenAI's API reference; llama.cpp and vLLM offer it for any model.

use super::chat_completions::response_format;
use super::{Assemble, Facts, Seen, Wire};
use crate::content::{append, first_choice, members, token_counts};
use crate::error_response::unexpected;
use crate::{Endpoint, Failure};
use exchange::Answer;
use exchange::protocol::{Ask, Message};
use serde_json::{Map, Value, json};

/// The maximum answer length when the settings name none: the format's default is 16 tokens.
const MAX_TOKENS: u32 = 512;
/// Base models continue with the other roles' turns: stop where the next one begins.
const STOP: [&str; 2] = ["\nUser:", "\nAPI result:"];
/// The assistant's own turns. A model may begin its answer with one of them, as the transcript in the
/// prompt does, so a server must not stop there: [`own_turn`] cuts the answer at the next one.
const OWN: [&str; 2] = ["\nAssistant:", "\nAPI call:"];

/// The format.
pub(super) struct Completions;

/// Its constants.
pub(super) const FACTS: Facts = Facts {
    title: "Legacy Completions",
    path: "completions",
    required: &["model", "prompt"],
    has_roles: false,
    takes_grammar: true,
    ..Facts::USUAL
};

impl Wire for Completions {
    fn body(&self, endpoint: &Endpoint, ask: &Ask) -> Result<Map<String, Value>, Failure> {
        if !ask.tools.is_empty() || ask.messages.iter().any(|message| !message.calls.is_empty()) {
            return Err(Failure::configuration(
                "Legacy Completions has no tools. Use the protocol bracket or agent-text, or another wire format.",
            ));
        }
        Ok(members([
            ("model", Some(json!(endpoint.model.trim()))),
            ("prompt", Some(json!(prompt(&ask.messages)))),
            ("max_tokens", Some(json!(endpoint.max_tokens.unwrap_or(MAX_TOKENS)))),
            ("temperature", endpoint.temperature.map(Value::from)),
            ("top_p", endpoint.top_p.map(Value::from)),
            (endpoint.quirks().seed, endpoint.seed.map(Value::from)),
            ("stop", Some(json!(STOP))),
            ("response_format", endpoint.schema(ask).map(response_format)),
            // llama.cpp's servers.
            ("grammar", ask.grammar.as_deref().map(Value::from)),
            ("stream", endpoint.streaming.then(|| json!(true))),
            ("stream_options", endpoint.streaming.then(|| json!({"include_usage": true}))),
        ]))
    }

    fn decode(&self, body: &Value) -> Result<Answer, Failure> {
        let choice = first_choice(body)
            .ok_or_else(|| unexpected("choices with at least one entry", body))?;
        let text = choice
            .get("text")
            .and_then(Value::as_str)
            .ok_or_else(|| unexpected("a text in the first choice", body))?;
        // Before the turns: a thought may quote one.
        let answer =
            Answer { text: text.to_owned(), ..Answer::default() }.without_reasoning_in_text();
        let text = &answer.text;
        let own = own_turn(text).to_owned();
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        // What came after its turn may have been cut off at the longest answer; the turn itself was not.
        let reason = if own.len() < text.len() { Some("stop") } else { reason };
        Ok(Answer {
            text: own,
            finish_reason: reason.map(str::to_owned),
            usage: body
                .get("usage")
                .and_then(|usage| token_counts(usage, "prompt_tokens", "completion_tokens")),
            ..answer
        })
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::<Stream>::default()
    }
}

/// Joins the messages into one text; the texts themselves mark the roles.
pub fn prompt(messages: &[Message]) -> String {
    let contents: Vec<&str> = messages.iter().map(|message| &*message.content).collect();
    contents.join("\n\n")
}

/// An answer up to where another turn of the assistant begins.
fn own_turn(text: &str) -> &str {
    let begin = text.len() - text.trim_start().len();
    let next = OWN.iter().filter_map(|turn| text[begin..].find(turn)).min();
    &text[..next.map_or(text.len(), |at| begin + at)]
}

/// The pieces of a streamed answer.
#[derive(Debug, Default)]
struct Stream {
    text: String,
    finish_reason: Option<Value>,
    usage: Option<Value>,
    has_choice: bool,
    is_done: bool,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Value) -> Seen {
        if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        let Some(choice) = first_choice(event) else {
            return Seen::default();
        };
        self.has_choice = true;
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
            self.finish_reason = Some(reason.clone());
        }
        Seen { token: append(&mut self.text, choice.get("text")), end: false }
    }

    fn done(&mut self) {
        self.is_done = true;
    }

    fn is_complete(&self) -> bool {
        self.is_done || self.finish_reason.is_some()
    }

    fn body(&mut self) -> Value {
        let choice = json!({"text": self.text, "finish_reason": self.finish_reason});
        let choices = if self.has_choice { vec![choice] } else { Vec::new() };
        json!({"choices": choices, "usage": self.usage})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exchange::protocol::{Role, Tool, ToolCall};

    #[test]
    fn a_text_is_requested_and_decoded() {
        let messages = vec![Message::text(Role::System, "s"), Message::text(Role::User, "u")];
        let ask = Ask { messages, ..Ask::default() };
        let body =
            Completions.body(&Endpoint { seed: Some(3), ..Endpoint::default() }, &ask).unwrap();
        assert_eq!((&body["prompt"], &body["seed"]), (&json!("s\n\nu"), &json!(3)));
        assert_eq!((&body["max_tokens"], body.get("grammar")), (&json!(512), None));
        let answer = Completions
            .decode(&json!({"choices": [{"text": " yes", "finish_reason": "stop"}]}))
            .unwrap();
        assert_eq!((answer.text.as_str(), answer.finish_reason.as_deref()), (" yes", Some("stop")));
        assert!(
            Completions.decode(&json!({"choices": [{}]})).unwrap_err().message.contains("a text")
        );
    }

    /// A base model begins as the transcript in the prompt does, and goes on with further turns.
    #[test]
    fn an_answer_is_one_turn_whether_or_not_its_speaker_is_named() {
        let body = Completions.body(&Endpoint::default(), &Ask::default()).unwrap();
        for (text, finish, own, finished) in [
            ("\nAssistant: Which day?", "stop", "\nAssistant: Which day?", "stop"),
            ("\nAPI call: [A()]\nAPI call: [B()]", "length", "\nAPI call: [A()]", "stop"),
            (" [A()]\n[B()]", "stop", " [A()]\n[B()]", "stop"),
            ("Which day?\nAssistant: Well?", "length", "Which day?", "stop"),
            ("Which", "length", "Which", "length"),
            ("", "stop", "", "stop"),
        ] {
            for stop in body["stop"].as_array().unwrap() {
                assert!(!own.contains(stop.as_str().unwrap()), "{own} is stopped by {stop}");
            }
            let answer = Completions
                .decode(&json!({"choices": [{"text": text, "finish_reason": finish}]}))
                .unwrap();
            assert_eq!((&*answer.text, answer.finish_reason.as_deref()), (own, Some(finished)));
        }
    }

    #[test]
    fn a_grammar_is_sent_as_it_is() {
        let ask = Ask { grammar: Some("root ::= \"a\"".to_owned()), ..Ask::default() };
        assert_eq!(
            Completions.body(&Endpoint::default(), &ask).unwrap()["grammar"],
            "root ::= \"a\""
        );
    }

    #[test]
    fn tools_are_rejected_before_sending() {
        let tool = Tool { name: "T".to_owned(), description: String::new(), parameters: json!({}) };
        let call = ToolCall { id: String::new(), name: "T".to_owned(), arguments: String::new() };
        for ask in [
            Ask { tools: vec![tool], ..Ask::default() },
            Ask { messages: vec![Message::calls(vec![call])], ..Ask::default() },
        ] {
            let failure = Completions.body(&Endpoint::default(), &ask).unwrap_err();
            assert!(!failure.retry && failure.message.contains("bracket"), "{}", failure.message);
        }
    }
}
