//! Checks that every argument is grounded in the turns before its call.

use crate::{Code, Item, Reason, Tool, Turn};
use dataset::checks::grounding::untyped::{Ungrounded, View, ground};
use exchange::shorten;

pub(super) fn check(item: &Item, tools: &[Tool]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut view = View::at(item.time.as_deref());
    let mut at = 0;
    for turn in &item.turns {
        match turn {
            Turn::User { text } | Turn::Assistant { text } => view.add(text),
            Turn::Api(call) => {
                let tool = tools.iter().find(|tool| tool.name == call.api_name);
                for (name, value) in call.param_dict.iter().filter(|_| !call.is_search()) {
                    let parameter = tool.and_then(|tool| tool.input_parameters.get(name));
                    let description = parameter.map_or("", |it| it.description.as_str());
                    if let Err(Ungrounded(leaf)) = ground(value, description, &view) {
                        let shown = shorten(&leaf, 80);
                        let tool = &call.api_name;
                        let detail = format!(
                            "call {at}, {tool}: {name} is {shown}, which nothing before it says"
                        );
                        reasons.push(Reason::new(Code::Ungrounded, detail));
                    }
                }
                // A search result describes an API and grounds no argument.
                if !call.is_search() {
                    view.add(&call.result(tools).to_string());
                }
                at += 1;
            }
        }
    }
    reasons
}
