//! Folds system messages and tool results into the user's turns, for chat templates that know no such
//! roles or want them to alternate.

use exchange::protocol::{Ask, Message, Role};

/// The same conversation as turns of user and assistant, alternating, the user's first.
///
/// Instructions precede the first turn of the user. A call and its result are told in the user's turn:
/// as the assistant's words they would teach the model to write calls as text.
pub(super) fn folded(ask: &Ask) -> Ask {
    let mut messages: Vec<Message> = Vec::new();
    for (at, message) in ask.messages.iter().enumerate() {
        match message.role {
            Role::System => add(&mut messages, Role::User, &message.content),
            Role::User => add(&mut messages, Role::User, &message.content),
            Role::Assistant if message.calls.is_empty() => keep(&mut messages, message),
            Role::Assistant => add(&mut messages, Role::Assistant, &message.content),
            Role::Tool => {
                let text = result(message, ask.messages.get(..at).unwrap_or_default());
                add(&mut messages, Role::User, &text);
            }
        }
    }
    Ask { messages, ..ask.clone() }
}

/// Adds a text to the last turn if it is the role's, else as a new one.
fn add(messages: &mut Vec<Message>, role: Role, text: &str) {
    if text.is_empty() {
        return;
    }
    match messages.last_mut() {
        Some(last) if last.role == role => {
            *last = Message::text(role, format!("{}\n\n{text}", last.content));
        }
        _ => messages.push(Message::text(role, text)),
    }
}

/// Adds words of the assistant unchanged, in the endpoint's own form if there is one.
fn keep(messages: &mut Vec<Message>, message: &Message) {
    match messages.last() {
        Some(last) if last.role == Role::Assistant => {
            add(messages, Role::Assistant, &message.content)
        }
        _ => messages.push(message.clone()),
    }
}

/// A call with its result, as told to the model.
fn result(message: &Message, before: &[Message]) -> String {
    let id = message.call_id.as_deref().unwrap_or_default();
    let at = before.iter().rposition(|message| !message.calls.is_empty());
    let calls = at.and_then(|at| before.get(at)).map(|it| it.calls.as_slice()).unwrap_or_default();
    let nth = before.iter().rev().take_while(|message| message.role == Role::Tool).count();
    let call = calls.iter().find(|call| !id.is_empty() && call.id == id).or_else(|| calls.get(nth));
    match call {
        Some(call) => {
            let arguments = &call.arguments;
            format!("You called {} with {arguments}. It returned: {}", call.name, message.content)
        }
        None => format!("A tool returned: {}", message.content),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exchange::protocol::ToolCall;

    #[test]
    fn folded_roles_alternate_and_lose_nothing() {
        let call = |id: &str, name: &str| ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: "{\"a\":1}".to_owned(),
        };
        let messages = vec![
            Message::text(Role::System, "Be brief."),
            Message::text(Role::User, "Both?"),
            Message::calls(vec![call("x", "Add"), call("y", "Sub")]),
            Message::result("x", "2"),
            Message::result("y", "0"),
            Message::text(Role::Assistant, "Done."),
            Message::text(Role::User, "And?"),
            Message::calls(vec![call("", "Mul")]),
            Message::result("", "1"),
        ];
        let folded = folded(&Ask { messages, ..Ask::default() });
        let texts: Vec<_> = folded.messages.iter().map(|it| (it.role, &*it.content)).collect();
        let called = "You called Add with {\"a\":1}. It returned: 2\n\nYou called Sub with {\"a\":1}. It returned: 0";
        let first = format!("Be brief.\n\nBoth?\n\n{called}");
        let last = "And?\n\nYou called Mul with {\"a\":1}. It returned: 1";
        let expected =
            [(Role::User, first.as_str()), (Role::Assistant, "Done."), (Role::User, last)];
        assert_eq!(texts, expected);
        assert!(folded.messages.iter().all(|message| message.calls.is_empty()));
    }
}
