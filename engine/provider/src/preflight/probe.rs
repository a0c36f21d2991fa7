//! The questions of the check, and what the answers mean.

use super::Proposal;
use crate::Endpoint;
use exchange::protocol::{Ask, Message, Role, Tool, ToolCall};
use exchange::{Answer, shorten};
use serde_json::{Value, json};

/// Maximum length of the one-word answer, in tokens; some endpoints reject less.
pub(super) const WORD_TOKENS: u32 = 16;
/// Maximum length of the probed call, in tokens, at first; a model that reasons may need more.
pub(super) const CALL_TOKENS: u32 = 512;
/// Words in the long prompt, each at least one token: about as many as the longest prompts of the
/// bracket protocol have.
pub(super) const LONG_TEXT: u64 = 2600;
/// As [`LONG_TEXT`], for the protocol tools.
pub(super) const LONG_TOOLS: u64 = 4000;
/// The tokens that the template and a short answer need beside the long prompt.
pub(super) const ANSWER_TOKENS: u64 = 512;
/// The vocabulary of the long prompt.
const COMMON: [&str; 10] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// Name of the probed tool.
const PROBE: &str = "report_status";
/// The instructions of the questions that are asked as a run asks.
const SYSTEM: &str = "You are an assistant. Follow the user's instructions.";

/// A question without instructions.
pub(super) fn word() -> Ask {
    let question = Message::text(Role::User, "Reply with the word: ready");
    Ask { messages: vec![question], ..Ask::default() }
}

fn instructed(messages: Vec<Message>) -> Ask {
    let system = std::iter::once(Message::text(Role::System, SYSTEM));
    Ask { messages: system.chain(messages).collect(), ..Ask::default() }
}

/// A question with instructions.
pub(super) fn request() -> Ask {
    instructed(word().messages)
}

/// A long question.
pub(super) fn long(words: u64) -> Ask {
    // Words that are one token in every tokenizer: some split numbers into digits.
    let words: Vec<&str> = COMMON.into_iter().cycle().take(words as usize).collect();
    let question = format!("{}\nReply with the word: ready", words.join(" "));
    instructed(vec![Message::text(Role::User, question)])
}

fn tools() -> Vec<Tool> {
    vec![Tool {
        name: PROBE.to_owned(),
        description: "Reports a status.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"status": {"type": "string", "description": "The status"}},
            "required": ["status"],
        }),
    }]
}

fn call_of(status: &str) -> Message {
    Message::text(Role::User, format!("Call the tool {PROBE} with the status \"{status}\"."))
}

/// A question that a call answers.
pub(super) fn call() -> Ask {
    Ask { tools: tools(), ..instructed(vec![call_of("ready")]) }
}

/// A question after a call and its result.
pub(super) fn history() -> Ask {
    // Nine letters and digits, which every vendor accepts.
    let id = "call00001";
    let called = ToolCall {
        id: id.to_owned(),
        name: PROBE.to_owned(),
        arguments: "{\"status\":\"busy\"}".to_owned(),
    };
    let messages = vec![
        call_of("busy"),
        Message::calls(vec![called]),
        Message::result(id, "\"reported\""),
        Message::text(Role::Assistant, "I have reported it."),
        call_of("ready"),
    ];
    Ask { tools: tools(), ..instructed(messages) }
}

/// Interprets the answer to the tool probe, whose longest answer was `limit` tokens: whether it is the
/// call, and what to say.
pub(super) fn judge_call(answer: &Answer, limit: Option<u32>) -> (bool, String) {
    let Some(call) = answer.calls.first() else {
        if let Some(fault) = &answer.fault {
            return (false, format!("The server could not parse the model's call: {fault}."));
        }
        let text = quoted(answer);
        if answer.is_cut_off() {
            let limit = limit.map_or_else(String::new, |limit| format!(" after {limit}"));
            return (false, format!("The model ran out of tokens{limit} before its call: {text}."));
        }
        return (false, format!("The model wrote text instead of a call: {text}."));
    };
    let is_object = matches!(serde_json::from_str(&call.arguments), Ok(Value::Object(_)));
    if call.name == PROBE && is_object {
        return (true, "Native tool calls work.".to_owned());
    }
    let arguments = shorten(&call.arguments, 60);
    (false, format!("The model called {:?} with {arguments:?} instead of the tool.", call.name))
}

/// The answer shortened to one line.
pub(super) fn quoted(answer: &Answer) -> String {
    let line = answer.text.split_whitespace().collect::<Vec<_>>().join(" ");
    match (line.is_empty(), &answer.reasoning) {
        (true, Some(_)) => "reasoning only".to_owned(),
        (true, None) => "an empty text".to_owned(),
        (false, _) => format!("{:?}", shorten(&line, 40)),
    }
}

/// What the run's way and the other way of sending an answer are called.
pub(super) const fn ways(endpoint: &Endpoint) -> (&'static str, &'static str) {
    if endpoint.streaming { ("streamed", "in one piece") } else { ("in one piece", "streamed") }
}

/// How to send answers the other way.
pub(super) const fn turned_over(endpoint: &Endpoint) -> &'static str {
    match endpoint.streaming {
        true => "Turn streaming off (--no-stream).",
        false => "Turn streaming on (leave out --no-stream).",
    }
}

/// The proposal for settings with which everything works.
pub(super) fn proposal(native_tools: bool, endpoint: &Endpoint) -> Proposal {
    Proposal {
        native_tools,
        concurrency: super::concurrency(endpoint),
        fold_roles: endpoint.fold_roles,
        max_tokens: None,
        streaming: endpoint.streaming,
    }
}
