//! Built-in models, which need no endpoint: gold replay (ceiling), the keyword baseline (floor),
//! and trivial models.

mod keyword;
mod slots;
mod trivial;

use crate::benchmark::Benchmark;
use apis::Arguments;
use dataset::{RecordedCall, Turn};
use exchange::protocol::scripted_user::lines_said;
use exchange::protocol::{Protocol, Sample, SampleKind, ToolCall, tools};
use exchange::{Answer, call};
use record::Baseline;
use serde_json::Value;

/// A built-in model's answer to a sample, in the protocol's format. `history` holds the turns
/// before the sample; in an episode, the actual turns so far.
///
/// # Errors
/// When API Search fails.
pub fn answer(
    baseline: Baseline,
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    history: &[Turn],
) -> Result<Answer, String> {
    let said = match baseline {
        Baseline::GoldReplay if sample.kind == SampleKind::Episode => gold_next(sample, history),
        Baseline::GoldReplay => gold(sample),
        Baseline::KeywordBaseline => keyword::answer(bench, protocol, sample, history)?,
        trivial => trivial::answer(trivial, protocol, sample, history, bench.world.search.results)
            .ok_or_else(|| format!("{} is no trivial model", trivial.as_str()))?,
    };
    let calls_before = history.iter().filter_map(Turn::as_call).count();
    Ok(said.answer(protocol, calls_before))
}

/// A call that a built-in model makes.
struct Call {
    name: String,
    arguments: Arguments,
}

/// A built-in model's next step.
enum Said {
    Calls(Vec<Call>),
    Reply(String),
}

impl Said {
    fn call(name: String, arguments: Arguments) -> Self {
        Said::Calls(vec![Call { name, arguments }])
    }

    fn answer(self, protocol: Protocol, calls_before: usize) -> Answer {
        match self {
            Said::Reply(text) => Answer { text, ..Answer::default() },
            Said::Calls(calls) if protocol.is_native() => {
                let numbered = calls.into_iter().enumerate();
                let calls = numbered.map(|(index, Call { name, arguments })| {
                    let id = tools::call_id(calls_before + 1 + index);
                    ToolCall { id, name, arguments: Value::Object(arguments).to_string() }
                });
                Answer { calls: calls.collect(), ..Answer::default() }
            }
            Said::Calls(calls) => {
                let texts = calls.iter().map(|call| call::format(&call.name, &call.arguments));
                Answer { text: texts.collect::<Vec<_>>().join("\n"), ..Answer::default() }
            }
        }
    }
}

fn gold(sample: &Sample<'_>) -> Said {
    let due = sample.due_calls();
    if due.is_empty() {
        return Said::Reply(sample.gold_reply().unwrap_or_default().to_owned());
    }
    let call = |gold: &&RecordedCall| Call {
        name: gold.api_name.clone(),
        arguments: gold.param_dict.clone(),
    };
    Said::Calls(due.iter().map(call).collect())
}

/// The next gold step of an episode: the next call for the user's last turn, or the reply once all
/// are made.
fn gold_next(sample: &Sample<'_>, history: &[Turn]) -> Said {
    let is_user = |turn: &&Turn| matches!(turn, Turn::User { .. });
    let users = lines_said(sample.dialogue, history);
    let since = history.iter().rev().take_while(|turn| !is_user(turn));
    let made = since.filter(|turn| turn.as_call().is_some()).count();
    let mut seen = 0;
    let answered: Vec<&Turn> = sample
        .dialogue
        .own_turns()
        .iter()
        .filter(|turn| {
            seen += usize::from(is_user(turn));
            seen == users && !is_user(turn)
        })
        .collect();
    if let Some(gold) = answered.iter().filter_map(|turn| turn.as_call()).nth(made) {
        return Said::call(gold.api_name.clone(), gold.param_dict.clone());
    }
    let reply = answered.iter().rev().find_map(|turn| match turn {
        Turn::Assistant { text, .. } => Some(text.clone()),
        _ => None,
    });
    Said::Reply(reply.unwrap_or_default())
}
