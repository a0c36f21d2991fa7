//! Formats a sample's gold and its answer as text.

use super::{Gold, Outcome, SampleRecord};
use exchange::call::format;
use exchange::protocol::ToolCall;

/// The gold on one line: calls in brackets, or the reply.
pub fn expected(sample: &SampleRecord) -> String {
    match &sample.gold {
        Gold::Call(call) => format(&call.api_name, &call.param_dict),
        Gold::Reply(text) => text.clone(),
        Gold::NoCall(text) => format!("No call: {text}"),
        Gold::Episode(calls) => {
            let calls = calls.iter();
            calls.map(|call| format(&call.api_name, &call.param_dict)).collect::<Vec<_>>().join(" ")
        }
    }
}

/// The answer: the text, the tool calls, or why there is none; for an episode, all calls.
pub fn received(sample: &SampleRecord) -> String {
    if let Some(episode) = &sample.episode {
        let calls = episode.steps.iter().flat_map(|step| &step.answer.calls);
        return calls.map(tool_call).collect::<Vec<_>>().join(" ");
    }
    match &sample.outcome {
        Outcome::Answered(answer) => {
            let text = Some(answer.text.clone()).filter(|text| !text.is_empty());
            let calls = answer.calls.iter().map(tool_call);
            text.into_iter().chain(calls).collect::<Vec<_>>().join(" ")
        }
        Outcome::Failed { message, .. } => message.clone(),
    }
}

/// A tool call on one line, with its arguments as the model wrote them.
fn tool_call(call: &ToolCall) -> String {
    format!("{}({})", call.name, call.arguments)
}
