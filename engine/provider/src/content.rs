//! Encoding and decoding shared between wire formats: members, text, arguments, token counts.

use exchange::Usage;
use exchange::protocol::{Ask, Role, Tool};
use serde_json::{Map, Value, json};

/// The members of a body that are set.
pub(super) fn members<'a>(
    all: impl IntoIterator<Item = (&'a str, Option<Value>)>,
) -> Map<String, Value> {
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The tools of a request, each described by `described`; `None` without tools.
pub(super) fn tools(ask: &Ask, described: impl FnMut(&Tool) -> Value) -> Option<Value> {
    (!ask.tools.is_empty()).then(|| ask.tools.iter().map(described).collect())
}

/// The system messages as one text, for formats that have it beside the messages.
pub(super) fn instructions(ask: &Ask) -> Option<Value> {
    let system = ask.messages.iter().filter(|message| message.role == Role::System);
    let system: Vec<&str> = system.map(|message| &*message.content).collect();
    (!system.is_empty()).then(|| json!(system.join("\n\n")))
}

/// Token counts under the vendor's names; `None` when one is missing.
pub(super) fn token_counts(usage: &Value, prompt: &str, completion: &str) -> Option<Usage> {
    Some(Usage {
        prompt_tokens: count(usage.get(prompt)?)?,
        completion_tokens: count(usage.get(completion)?)?,
    })
}

/// A count, which some servers write as a decimal.
fn count(value: &Value) -> Option<u64> {
    let whole = |decimal: &f64| decimal.fract() == 0.0 && (0.0..1e15).contains(decimal);
    value.as_u64().or_else(|| value.as_f64().filter(whole).map(|decimal| decimal as u64))
}

/// A message's content, in one piece or in parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// The text.
    pub text: String,
    /// Reasoning among the parts.
    pub reasoning: String,
}

impl Content {
    /// Adds content, or a piece of it: a string, a part, or a list of parts. Parts without text, such
    /// as references, add nothing. Whether there was any text.
    pub fn add(&mut self, content: &Value) -> bool {
        let before = self.text.len() + self.reasoning.len();
        match content {
            Value::String(text) => self.text.push_str(text),
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part)),
            Value::Object(_) => self.part(content),
            _ => {}
        }
        self.text.len() + self.reasoning.len() > before
    }

    fn part(&mut self, part: &Value) {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_reasoning = kind.contains("think") || kind.contains("reason");
        if is_reasoning || part.get("thinking").is_some() {
            self.reasoning.push_str(&flat_text(part));
        } else {
            self.text.push_str(&flat_text(part));
        }
    }

    /// Reasoning among the parts, and text.
    pub fn split(self) -> (Option<String>, String) {
        ((!self.reasoning.is_empty()).then_some(self.reasoning), self.text)
    }

    /// The content in Mistral's form: a list only if there is reasoning.
    pub fn into_value(self) -> Value {
        if self.reasoning.is_empty() {
            return Value::String(self.text);
        }
        json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": self.reasoning}]},
            {"type": "text", "text": self.text},
        ])
    }
}

/// Where a part has its text.
const TEXTS: [&str; 5] = ["text", "thinking", "reasoning", "content", "summary"];

/// All the text in a string, a part, or a list of parts.
pub(super) fn flat_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(flat_text).collect(),
        Value::Object(part) => {
            TEXTS.iter().find_map(|name| part.get(*name)).map(flat_text).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Arguments as JSON text: most vendors send a string, some an object.
pub(super) fn arguments_text(arguments: Option<&Value>) -> String {
    match arguments {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Arguments as a JSON object, for vendors that reject text. Anything else becomes an empty object:
/// the history must be well-formed.
pub(super) fn arguments_object(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::Object(Map::new()),
    }
}

/// The choice with index 0 in a body or event; others are extra answers requested with `n`. Servers
/// that send a single choice may omit the index.
pub(super) fn first_choice(body: &Value) -> Option<&Value> {
    let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    body.get("choices")?.as_array()?.iter().find(is_first)
}

/// Appends an event's text; whether there was any.
pub(super) fn append(text: &mut String, piece: Option<&Value>) -> bool {
    let piece = piece.and_then(Value::as_str).unwrap_or_default();
    text.push_str(piece);
    !piece.is_empty()
}
