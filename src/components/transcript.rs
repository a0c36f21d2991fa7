//! The prompt that the model received.

use crate::t;
use exchange::protocol::{Message, Role, ToolCall};
use leptos::prelude::*;

/// Messages in order, each with its role. Contents are shown as text, never as markup.
pub fn transcript(messages: &[Message]) -> impl IntoView + use<> {
    let items = messages
        .iter()
        .map(|message| {
            let (role, class) = match message.role {
                Role::System => (t!("system"), "message message-system"),
                Role::User => (t!("user"), "message message-user"),
                Role::Assistant => (t!("assistant"), "message message-assistant"),
                Role::Tool => (t!("tool"), "message message-tool"),
            };
            view! {
                <li class=class>
                    <span class="message-role">{role}</span>
                    {said(message)}
                    {message.calls.iter().map(called).collect_view()}
                </li>
            }
        })
        .collect_view();
    view! { <ol class="transcript">{items}</ol> }
}

/// The text of a message; `None` for one with only calls.
fn said(message: &Message) -> Option<impl IntoView + use<>> {
    let silent = message.content.is_empty() && !message.calls.is_empty();
    let text = message.content.to_string();
    (!silent).then(|| view! { <pre class="message-text" tabindex="0">{text}</pre> })
}

fn called(call: &ToolCall) -> impl IntoView + use<> {
    let text = format!("{}({})", call.name, call.arguments);
    view! { <pre class="message-text message-call" tabindex="0"><span class="tag">{t!("call")}</span> " " {text}</pre> }
}
