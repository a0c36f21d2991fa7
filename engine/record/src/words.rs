//! What was expected of a sample and what came back, each as one text.

use super::{Gold, Outcome, SampleRecord};
use exchange::call::format;
use exchange::protocol::ToolCall;

/// What was expected, on one line: gold calls in brackets, or the gold reply.
pub fn expected(sample: &SampleRecord) -> String {
    match &sample.gold {
        Gold::Call(call) => format(&call.api_name, &call.param_dict),
        Gold::Reply(text) => text.clone(),
        Gold::NoCall(text) => format!("No call: {text}"),
        Gold::Episode(calls) => {
            let calls = calls.iter();
            calls.map(|it| format(&it.api_name, &it.param_dict)).collect::<Vec<_>>().join(" ")
        }
    }
}

/// What came back: the text, the tool calls, or why there is none; of an episode all its calls.
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

/// A tool call on one line, its arguments as the model wrote them.
fn tool_call(call: &ToolCall) -> String {
    format!("{}({})", call.name, call.arguments)
}
