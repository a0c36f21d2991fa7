//! From a row's place to what the pack expects there.

use crate::rows;
use apis::{ApiResult, Suite};
use dataset::import::{Original, PromptKind, PromptRow};
use dataset::{RecordedCall, Turn};
use engine::call;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Where a sample stands, in the original's numbering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// 1, 2 or 3.
    pub(crate) level: u8,
    /// The dialogue's file; empty for level 3.
    pub(crate) file: String,
    /// The sample in the dialogue; for level 3 the dialogue.
    pub(crate) sample: usize,
    /// For level 3 the step.
    pub(crate) step: usize,
}

impl Place {
    /// Reads the place out of a row.
    pub(super) fn read(fields: &Map<String, Value>) -> Result<Self, String> {
        let level = match rows::number(fields, "level")? {
            1 => 1,
            2 => 2,
            3 => 3,
            other => return Err(format!("level: expected 1, 2 or 3, got {other}")),
        };
        let sample = rows::number(fields, "sample_id")?;
        if level == 3 {
            let step = rows::number(fields, "api_id")?;
            return Ok(Place { level, file: String::new(), sample, step });
        }
        let file = rows::text(fields, "file")?.to_owned();
        Ok(Place { level, file, sample, step: 0 })
    }

    /// The pool of the level's APIs.
    pub(super) fn suite(&self) -> Suite {
        if self.level == 3 { Suite::Planning } else { Suite::Dialogue }
    }
}

/// What is expected at a place: a reply, or else a call.
pub(crate) struct Expected<'a> {
    /// The pool of APIs.
    pub(super) suite: Suite,
    /// The reply, when the sample asks for one.
    pub(super) reply: Option<&'a str>,
    /// The calls before it.
    pub(super) history: Vec<Cow<'a, RecordedCall>>,
    /// The gold call; for a reply a blank one.
    pub(super) call: Cow<'a, RecordedCall>,
    /// The gold call as it stands in the file; without it no result is recorded.
    pub(super) raw: Option<&'a Value>,
}

/// Looks a place up.
pub(super) fn find<'a>(pack: &'a Original, place: &Place) -> Result<Expected<'a>, String> {
    let Place { level, file, sample, step } = place;
    if *level == 3 {
        let Some(plan) = pack.plans.get(*sample) else {
            return prompted(pack, place).ok_or_else(|| {
                format!(
                    "sample_id {sample}: level 3 of the pack has {} dialogues",
                    pack.plans.len()
                )
            });
        };
        // The first turn is the requirement.
        return at(place, &plan.dialogue.turns, step + 1, plan.steps.get(*step))
            .filter(|expected| expected.reply.is_none())
            .ok_or_else(|| {
                format!("api_id {step}: dialogue {sample} has {} steps", plan.steps.len())
            });
    }
    let Some(dialogue) = pack.dialogues.get(&(*level, file.clone())) else {
        return prompted(pack, place)
            .ok_or_else(|| format!("file: level {level} of the pack has no {file}"));
    };
    let samples = dialogue.samples();
    let expected = samples
        .get(*sample)
        .and_then(|turn| at(place, &dialogue.dialogue.turns, *turn, dialogue.lines.get(*turn)));
    expected.ok_or_else(|| format!("sample_id {sample}: {file} has {} samples", samples.len()))
}

fn at<'a>(
    place: &Place,
    turns: &'a [Turn],
    turn: usize,
    raw: Option<&'a Value>,
) -> Option<Expected<'a>> {
    let history = turns.get(..turn)?.iter().filter_map(Turn::as_call).map(Cow::Borrowed).collect();
    let suite = place.suite();
    match turns.get(turn)? {
        Turn::Api(call) => {
            Some(Expected { suite, reply: None, history, call: Cow::Borrowed(call), raw })
        }
        Turn::Assistant { text, .. } | Turn::User { text } => {
            let call = Cow::Owned(unrecorded(String::new(), Map::new()));
            Some(Expected { suite, reply: Some(text), history, call, raw: None })
        }
    }
}

/// What a row of the hub expects, where the pack has no dialogue for it. Its results are not
/// recorded there.
fn prompted<'a>(pack: &'a Original, place: &Place) -> Option<Expected<'a>> {
    let row = pack.prompt(place.level, &place.file, place.sample, place.step)?;
    let suite = place.suite();
    let history = row.input.lines().filter_map(|line| {
        let (made, _) = line.strip_prefix("API-Request: ")?.split_once("->")?;
        read_call(made).map(Cow::Owned)
    });
    let history = history.collect();
    let (reply, call) = match row.kind {
        PromptKind::Call => (None, expected_call(row)?),
        PromptKind::Reply => (Some(row.expected.as_str()), unrecorded(String::new(), Map::new())),
    };
    Some(Expected { suite, reply, history, call: Cow::Owned(call), raw: None })
}

fn expected_call(row: &PromptRow) -> Option<RecordedCall> {
    read_call(&row.expected)
}

fn read_call(text: &str) -> Option<RecordedCall> {
    let call = call::parse(&super::execution::unquoted_lists(text)).ok()?;
    Some(unrecorded(call.name, call.arguments))
}

/// A call of which no result is known.
fn unrecorded(api_name: String, param_dict: Map<String, Value>) -> RecordedCall {
    let result = ApiResult::failure(&api_name, Value::Null, "not recorded");
    RecordedCall { api_name, param_dict, result }
}
