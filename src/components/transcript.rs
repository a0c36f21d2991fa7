//! The prompt as the model was shown it.

use engine::protocol::{Message, Role};
use leptos::prelude::*;

/// Messages in order, each with its role. Contents are shown as text, never as markup.
pub fn transcript(messages: &[Message]) -> impl IntoView + use<> {
    let items = messages
        .iter()
        .map(|message| {
            let (role, class) = match message.role {
                Role::System => ("system", "message message-system"),
                Role::User => ("user", "message message-user"),
                Role::Assistant => ("assistant", "message message-assistant"),
                Role::Tool => ("tool", "message message-tool"),
            };
            view! {
                <li class=class>
                    <span class="message-role">{role}</span>
                    <pre class="message-text">{message.content.clone()}</pre>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="transcript">{items}</ol> }
}
