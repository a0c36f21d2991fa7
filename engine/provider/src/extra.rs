//! Extra members of the request body, which users and records may add to what a format sends.
//!
//! A member that decides what is asked, of whom, or in which form is refused: a record would say
//! one thing and the request another. All others go out as given, and every reader of a record
//! lists them.

use serde_json::{Map, Value};

/// What refused members decide, and their names in every wire format and at servers that extend
/// them. Compared without case, `_` and `-`: some servers read names that way.
const REFUSED: &str = include_str!("refused.txt");

/// Members whose own members a server reads as if they stood in the body.
const CONTAINERS: [&str; 7] = [
    "chattemplatekwargs",
    "extrabody",
    "generationconfig",
    "options",
    "outputconfig",
    "parameters",
    "text",
];

/// The first refused member, and what it decides.
pub fn refused(extra: &Map<String, Value>) -> Option<(&str, &'static str)> {
    extra.iter().find_map(|(name, value)| {
        let plain = plain(name);
        let mut groups = REFUSED.lines().filter_map(|line| line.split_once(": "));
        let own = groups.find(|(_, names)| names.split(' ').any(|it| it == plain));
        if let Some((decides, _)) = own {
            return Some((name.as_str(), decides));
        }
        let inner = value.as_object().filter(|_| CONTAINERS.contains(&plain.as_str()));
        inner.and_then(refused)
    })
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Adds the extra members to a body. A member that both have is merged if it is an object, so that
/// Ollama's `options` keep what the settings put there.
pub(super) fn add(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (name, value) in extra {
        match (body.get_mut(name), value) {
            (Some(Value::Object(known)), Value::Object(more)) => add(known, more),
            _ => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Endpoint, WireFormat};
    use exchange::protocol::{Ask, Message, Role, Tool};
    use serde_json::json;
    use std::collections::BTreeSet;

    fn with(extra: Value) -> Endpoint {
        Endpoint {
            base_url: "http://h/v1".to_owned(),
            model: "m".to_owned(),
            extra: extra.as_object().unwrap().clone(),
            ..Endpoint::default()
        }
    }

    /// A request that uses every setting.
    fn body(endpoint: &Endpoint) -> Map<String, Value> {
        let tool = Tool { name: "A".to_owned(), description: String::new(), parameters: json!({}) };
        let ask = Ask {
            messages: vec![Message::text(Role::System, "s"), Message::text(Role::User, "u")],
            tools: if endpoint.format == WireFormat::Completions { vec![] } else { vec![tool] },
            grammar: Some("root ::= \"a\"".to_owned()),
            schema: Some(json!({})),
        };
        let sent = endpoint.request(&ask, None, &BTreeSet::new()).unwrap().request.body.unwrap();
        serde_json::from_str::<Value>(&sent).unwrap().as_object().unwrap().clone()
    }

    #[test]
    fn no_extra_member_replaces_what_a_format_sends() {
        for format in WireFormat::ALL {
            let full = Endpoint {
                format,
                temperature: Some(0.0),
                top_p: Some(0.5),
                seed: Some(1),
                max_tokens: Some(9),
                num_ctx: Some(512),
                streaming: true,
                constrained: true,
                tool_choice: crate::ToolChoice::Required,
                ..with(json!({}))
            };
            for (name, value) in body(&full) {
                // Each member of a container is checked; two may be replaced, because they don't
                // affect the task.
                if CONTAINERS.contains(&plain(&name).as_str()) {
                    let nested = json!({ name.clone(): value });
                    assert!(refused(nested.as_object().unwrap()).is_some(), "{format:?} {name}");
                } else if !["include", "stop"].contains(&name.as_str()) {
                    let given = json!({ name.clone(): 1 });
                    assert!(refused(given.as_object().unwrap()).is_some(), "{format:?} {name}");
                }
            }
        }
    }

    #[test]
    fn what_decides_the_task_is_refused_under_every_name() {
        for (extra, decides) in [
            (json!({"messages": []}), "the prompt"),
            (json!({"Messages": []}), "the prompt"),
            (json!({"chat_template": "{{x}}"}), "the prompt"),
            (json!({"models": ["a", "b"]}), "the model"),
            (json!({"function_call": "auto"}), "the tools"),
            (json!({"response_format": {"type": "json_object"}}), "the form of answers"),
            (json!({"guided_choice": ["a"]}), "the form of answers"),
            (json!({"extra_body": {"guided_json": {}}}), "the form of answers"),
            (json!({"text": {"format": {}}}), "the form of answers"),
            (json!({"options": {"temperature": 2}}), "a setting that has its own option"),
            (json!({"n": 50}), "the number of answers"),
            (json!({"best-of": 5}), "the number of answers"),
            (json!({"stream": false}), "streaming"),
        ] {
            let endpoint = with(extra.clone());
            assert_eq!(refused(&endpoint.extra).map(|refusal| refusal.1), Some(decides), "{extra}");
            let message = endpoint.check().unwrap_err().message;
            assert!(message.contains("Extra parameters") && message.contains(decides), "{message}");
        }
        for extra in [
            json!({"reasoning_effort": "low"}),
            json!({"chat_template_kwargs": {"enable_thinking": false}}),
            json!({"text": {"verbosity": "low"}}),
            json!({"reasoning": {"max_tokens": 200}}),
            json!({"options": {"num_gpu": 1}}),
            json!({"provider": {"order": ["a"]}, "min_p": 0.1, "think": false}),
        ] {
            assert_eq!(with(extra.clone()).check(), Ok(()), "{extra}");
        }
    }

    #[test]
    fn options_keep_the_settings() {
        let endpoint = Endpoint {
            format: WireFormat::Ollama,
            temperature: Some(0.0),
            ..with(json!({"options": {"num_gpu": 1}}))
        };
        assert_eq!(body(&endpoint)["options"], json!({"temperature": 0.0, "num_gpu": 1}));
    }
}
