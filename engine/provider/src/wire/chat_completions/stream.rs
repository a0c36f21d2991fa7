//! The stream of Chat Completions: merges its events into the message of a complete body.
//!
//! Source: the vendors' API references; comments note where vendors differ.

use super::REASONING;
use crate::content::{Content, append, arguments_text, first_choice, flat_text};
use crate::wire::{Assemble, Seen};
use serde_json::{Map, Value, json};

/// The pieces of a streamed answer.
#[derive(Debug, Default)]
pub(super) struct Stream {
    content: Content,
    refusal: String,
    /// Under the endpoint's own field name, because it may expect it back.
    reasoning: Option<(&'static str, String)>,
    details: Vec<Value>,
    calls: Vec<CallPieces>,
    /// A call in the older form, which is sent back in that form.
    legacy: Option<CallPieces>,
    finish_reason: Option<Value>,
    usage: Option<Value>,
    has_choice: bool,
    is_done: bool,
}

/// The pieces of a call.
#[derive(Debug, Default)]
struct CallPieces {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Whether its name came again after its arguments were complete.
    is_named_again: bool,
    /// Vendor extras, such as a signature that the vendor expects back.
    rest: Map<String, Value>,
}

impl Assemble for Stream {
    fn event(&mut self, event: &Value) -> Seen {
        let choice = first_choice(event);
        // Moonshot puts the counts into the choice.
        let counts = [Some(event), choice].into_iter().flatten().find_map(|part| part.get("usage"));
        if let Some(usage) = counts.filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        // The last event has usage but no choice.
        let Some(choice) = choice else {
            return Seen::default();
        };
        self.has_choice = true;
        if let Some(reason) = choice.get("finish_reason").filter(|reason| !reason.is_null()) {
            self.finish_reason = Some(reason.clone());
        }
        // Some servers send the whole message in one event.
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        let token = delta.is_some_and(|delta| self.delta(delta));
        Seen { token, end: false }
    }

    fn done(&mut self) {
        self.is_done = true;
    }

    fn is_complete(&self) -> bool {
        self.is_done || self.finish_reason.is_some()
    }

    fn body(&mut self) -> Value {
        let choices = if self.has_choice { vec![self.choice()] } else { Vec::new() };
        json!({"choices": choices, "usage": self.usage})
    }
}

impl Stream {
    fn delta(&mut self, delta: &Value) -> bool {
        let mut token = delta.get("content").is_some_and(|content| self.content.add(content));
        token |= append(&mut self.refusal, delta.get("refusal"));
        // Only one of the names: servers that send two duplicate the text.
        let piece = |name: &'static str| Some((name, flat_text(delta.get(name)?)));
        let mut pieces = REASONING.into_iter().filter_map(piece);
        if let Some((name, piece)) = pieces.find(|(_, piece)| !piece.is_empty()) {
            let (_, text) = self.reasoning.get_or_insert_with(|| (name, String::new()));
            text.push_str(&piece);
            token = true;
        }
        for detail in delta.get("reasoning_details").and_then(Value::as_array).into_iter().flatten()
        {
            merge_detail(&mut self.details, detail);
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            token |= self.call(call);
        }
        if let Some(function) = delta.get("function_call").filter(|it| it.is_object()) {
            token |= self.legacy.get_or_insert_default().add(&json!({"function": function}));
        }
        token
    }

    fn call(&mut self, delta: &Value) -> bool {
        let index = delta.get("index").and_then(Value::as_u64);
        let id = delta.get("id").and_then(Value::as_str).unwrap_or_default();
        let known = match index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|call| call.id == id),
        };
        let last = known.and_then(|at| self.calls.get_mut(at));
        let next = last.map_or_else(|| Some(String::new()), |call| call.next_name(delta));
        let at = known.filter(|_| next.is_none()).unwrap_or(self.calls.len());
        if let Some(name) = next {
            self.calls.push(CallPieces { index, name, ..CallPieces::default() });
        }
        let Some(call) = self.calls.get_mut(at) else { return false };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        call.add(delta)
    }

    fn choice(&mut self) -> Value {
        let mut message = Map::new();
        message.insert("role".to_owned(), json!("assistant"));
        let calls = !self.calls.is_empty() || self.legacy.is_some();
        let content = std::mem::take(&mut self.content);
        let silent = content == Content::default() && calls;
        let content = if silent { Value::Null } else { content.into_value() };
        message.insert("content".to_owned(), content);
        if !self.refusal.is_empty() {
            message.insert("refusal".to_owned(), json!(self.refusal));
        }
        if let Some((name, text)) = self.reasoning.take().filter(|(_, text)| !text.is_empty()) {
            message.insert(name.to_owned(), json!(text));
        }
        if !self.details.is_empty() {
            message.insert("reasoning_details".to_owned(), json!(self.details));
        }
        if !self.calls.is_empty() {
            let calls: Vec<Value> = self.calls.drain(..).map(CallPieces::into_value).collect();
            message.insert("tool_calls".to_owned(), json!(calls));
        }
        if let Some(CallPieces { name, arguments, .. }) = self.legacy.take() {
            let function = json!({"name": name, "arguments": arguments});
            message.insert("function_call".to_owned(), function);
        }
        json!({"message": message, "finish_reason": self.finish_reason})
    }
}

impl CallPieces {
    fn add(&mut self, delta: &Value) -> bool {
        for (name, value) in delta.as_object().into_iter().flatten() {
            if !["index", "id", "type", "function"].contains(&name.as_str()) {
                self.rest.insert(name.clone(), value.clone());
            }
        }
        let function = delta.get("function");
        let name =
            function.and_then(|it| it.get("name")).and_then(Value::as_str).unwrap_or_default();
        // The name comes once, or repeated in every piece.
        if self.name.is_empty() {
            name.clone_into(&mut self.name);
        }
        match function.and_then(|function| function.get("arguments")) {
            // The last event may repeat the whole call.
            Some(Value::String(piece)) if self.is_repeated_by(delta, piece) => {}
            Some(Value::String(piece)) => self.arguments.push_str(piece),
            Some(object @ Value::Object(_)) => self.arguments = object.to_string(),
            _ => return !name.is_empty(),
        }
        true
    }

    /// If a piece starts another call, the name known of it; `None` if it belongs to this call.
    ///
    /// Several servers give every call index 0. Then a new id starts a call, and so does a name once
    /// this call is complete; but some servers repeat the name in every piece.
    fn next_name(&mut self, delta: &Value) -> Option<String> {
        let id = delta.get("id").and_then(Value::as_str).unwrap_or_default();
        let other_id = !id.is_empty() && !self.id.is_empty() && id != self.id;
        let function = delta.get("function");
        let piece = arguments_text(function.and_then(|function| function.get("arguments")));
        let is_complete = is_object(&self.arguments);
        let starts = match name_of(delta) {
            _ if other_id => true,
            Some(name) if !self.name.is_empty() && name != self.name => {
                is_complete || id.is_empty()
            }
            Some(_) if piece.is_empty() => {
                // Either an empty repetition, or the head of a call whose arguments follow.
                self.is_named_again = is_complete;
                false
            }
            Some(_) => is_complete && (id.is_empty() || piece != self.arguments),
            None => is_complete && self.is_named_again && !piece.is_empty(),
        };
        starts.then(|| if name_of(delta).is_some() { String::new() } else { self.name.clone() })
    }

    /// Whether a piece with the call's own id and name repeats its complete arguments.
    fn is_repeated_by(&self, delta: &Value, piece: &str) -> bool {
        let has_id = delta.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
        has_id && name_of(delta).is_some() && piece == self.arguments && is_object(piece)
    }

    fn into_value(self) -> Value {
        let mut call = Map::new();
        call.insert("id".to_owned(), json!(self.id));
        call.insert("type".to_owned(), json!("function"));
        call.insert("function".to_owned(), json!({"name": self.name, "arguments": self.arguments}));
        call.extend(self.rest);
        Value::Object(call)
    }
}

fn name_of(delta: &Value) -> Option<&str> {
    delta.get("function")?.get("name")?.as_str().filter(|name| !name.is_empty())
}

/// Whether a text is a complete JSON object.
fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<Value>(text).is_ok()
}

/// Merges OpenRouter's reasoning pieces: a piece with the same index and type continues the last one.
fn merge_detail(details: &mut Vec<Value>, piece: &Value) {
    let same = |last: &Value| {
        ["index", "type", "format"].iter().all(|name| last.get(name) == piece.get(name))
    };
    let Some(last) = details.last_mut().filter(|last| last.is_object() && same(last)) else {
        details.push(piece.clone());
        return;
    };
    for (name, value) in piece.as_object().into_iter().flatten() {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more))
                if ["text", "summary", "data"].contains(&name.as_str()) =>
            {
                text.push_str(more);
            }
            (_, Value::Null) => {}
            _ => last[name.as_str()] = value.clone(),
        }
    }
}
