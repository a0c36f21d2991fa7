//! Grounding: whether each gold argument follows from the context that the model sees before the
//! call.
//!
//! The model sees the utterances, earlier results, the prompt's year and the descriptions of the
//! APIs. An argument is grounded by the first [`Ground`] that applies; one without any cannot be
//! inferred, so the dialogue must be corrected.

mod moments;
mod numbers;
mod scan;
mod seen;
mod shuffle;
#[cfg(test)]
mod tests;
mod texts;
pub mod untyped;

pub use seen::Seen;
pub use shuffle::{Caught, shuffled};

use crate::dialogue::{Dialogue, RecordedCall, Turn};
use crate::hard::HardKind;
use apis::search::tool_searcher;
use apis::{Api, Kind, Param, Rule, registry};
use jiff::civil::{Date, DateTime, Time};
use serde::Serialize;
use serde_json::Value;
use strum::{EnumCount, VariantArray};

/// A rule by which an argument follows from the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[derive(EnumCount, VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// An utterance contains it; for secrets, ids and addresses, verbatim.
    Said,
    /// An earlier result contains it.
    Result,
    /// The API's documentation names the value.
    Documented,
    /// A date or time given in another format.
    Moment,
    /// A date or time that follows from a visible one: weekday, "tomorrow", "an hour later".
    MomentArithmetic,
    /// The first or last second of a visible day, for spans given in days.
    WholeDay,
    /// A number given in words or another unit: "eleven", "8 percent", "3 km".
    Number,
    /// A count of people or things mentioned, or of the items of a result.
    Counted,
    /// A count of zero, because nothing of the kind is mentioned.
    Absent,
    /// A formula whose numbers are all visible or follow from two visible ones.
    Calculation,
    /// Switched on or off, in other words.
    Switch,
    /// A visible value, changed as the user says: "without the hyphen".
    Edited,
    /// Utterances and results contain every content word, in another order or form.
    Words,
    /// Search keywords that describe the API called afterwards.
    Search,
    /// Told in another form, in a dialogue of the hard split about that: whoever reads it must judge.
    Converted,
}

impl Ground {
    /// All rules, in the order of the report.
    pub const ALL: [Ground; Ground::COUNT] = *Ground::VARIANTS.first_chunk().unwrap();

    /// The rule in words, for the report.
    pub const fn explain(self) -> &'static str {
        match self {
            Ground::Said => "said in these words",
            Ground::Result => "held by an earlier result",
            Ground::Documented => "named by the API's documentation",
            Ground::Moment => "a date or time in another format",
            Ground::MomentArithmetic => "date or time arithmetic",
            Ground::WholeDay => "first or last second of a day in view",
            Ground::Number => "a number in words or another unit",
            Ground::Counted => "people or things counted",
            Ground::Absent => "nothing of the kind named",
            Ground::Calculation => "a formula of numbers in view",
            Ground::Switch => "switched on or off, in other words",
            Ground::Edited => "a value in view, changed as the user says",
            Ground::Words => "content words said or returned",
            Ground::Search => "keywords that name what the found API does",
            Ground::Converted => "told in another form (hard split, canonicalisation)",
        }
    }
}

/// A value of a gold call; a list or record yields one per element.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// `<dialogue>#<turn>`.
    pub step: String,
    /// The API.
    pub api: &'static str,
    /// The parameter.
    pub param: &'static str,
    /// The value, as text.
    pub value: String,
    /// The rule that grounds it.
    pub ground: Option<Ground>,
    /// Whether no rule grounds it without the earlier results.
    pub from_result: bool,
}

/// Every argument of a dialogue's gold calls with the rule that grounds it. `year` is the prompt's.
pub fn arguments(dialogue: &Dialogue, year: i16) -> Vec<Argument> {
    let suite = dialogue.ability.suite();
    let converts =
        dialogue.hard.as_ref().is_some_and(|hard| hard.kind == HardKind::Canonicalisation);
    let mut found = Vec::new();
    for (turn, said) in dialogue.turns.iter().enumerate() {
        let Turn::Api(call) = said else { continue };
        let search = call.is_search();
        let api =
            if search { Some(tool_searcher(suite)) } else { registry::find(suite, &call.api_name) };
        let Some(api) = api else { continue };
        let seen = Seen::before(dialogue, turn, year);
        let said = Seen::said_before(dialogue, turn, year);
        for (param, value) in values(api, call) {
            let ground = if search {
                texts::search(&value, call, &dialogue.turns[turn + 1..])
            } else {
                ground(api, param, &value, &seen).or_else(|| converts.then_some(Ground::Converted))
            };
            let step = format!("{}#{turn}", dialogue.id);
            let from_result =
                !search && ground.is_some() && self::ground(api, param, &value, &said).is_none();
            found.push(Argument {
                step,
                api: api.name,
                param: param.name,
                value,
                ground,
                from_result,
            });
        }
    }
    found
}

/// The values of a call by parameter, with lists and records flattened.
fn values(api: &'static Api, call: &RecordedCall) -> Vec<(&'static Param, String)> {
    let mut values = Vec::new();
    for (name, value) in &call.param_dict {
        let Some(param) = api.param(name) else { continue };
        leaves(value, &mut |leaf| values.push((param, leaf)));
    }
    values
}

fn leaves(value: &Value, add: &mut impl FnMut(String)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, add)),
        Value::Object(fields) => fields.values().for_each(|field| leaves(field, add)),
        Value::String(text) => add(text.clone()),
        other => add(other.to_string()),
    }
}

/// The first rule that grounds a parameter's value.
pub fn ground(api: &Api, param: &Param, value: &str, seen: &Seen) -> Option<Ground> {
    // Secrets, ids and addresses must appear verbatim.
    if matches!(param.rule, Rule::Exact | Rule::Trimmed) && matches!(param.kind, Kind::Text) {
        return texts::literal(value, seen)
            .or_else(|| texts::documented(value, param))
            .or_else(|| texts::edited(value, seen));
    }
    if let Some(ground) = texts::plain(value, seen).or_else(|| texts::documented(value, param)) {
        return Some(ground);
    }
    match param.kind {
        Kind::Date | Kind::MonthDay => day(value, seen),
        Kind::DateTime => moment(param, value, seen),
        Kind::Integer | Kind::Number => numbers::number(param, value, seen),
        Kind::Boolean => texts::switch(value, seen),
        Kind::Text if api.name == "Calculator" => numbers::formula(value, seen),
        _ => texts::by_words(value, seen),
    }
}

/// Numbers in a text, in digits or words.
pub(crate) fn said_numbers(text: &str) -> Vec<f64> {
    scan::scan(text).iter().filter_map(seen::as_number).collect()
}

fn day(value: &str, seen: &Seen) -> Option<Ground> {
    let fits = |date: &Date| {
        let text = date.to_string();
        text == value || text.strip_prefix("20").is_some_and(|rest| rest.get(3..) == Some(value))
    };
    if seen.moments.dates.iter().any(fits) {
        return Some(Ground::Moment);
    }
    seen.moments.derived_dates.iter().any(fits).then_some(Ground::MomentArithmetic)
}

fn moment(param: &Param, value: &str, seen: &Seen) -> Option<Ground> {
    let stamp: DateTime = value.replace(' ', "T").parse().ok()?;
    let on = |date: Date| day(&date.to_string(), seen);
    // After midnight may mean the evening before: "Saturday night at one".
    let date = on(stamp.date()).or_else(|| {
        let night = stamp.hour() < 6 && seen.says(&["night", "morning", "midnight", "evening"]);
        night.then(|| on(stamp.date().yesterday().ok()?)).flatten()?;
        Some(Ground::MomentArithmetic)
    })?;
    let time = stamp.time();
    if param.name.starts_with("start") && time == Time::midnight()
        || param.name.starts_with("end") && time == Time::constant(23, 59, 59, 0)
    {
        return Some(Ground::WholeDay);
    }
    if seen.moments.times.contains(&time) {
        return Some(date);
    }
    seen.moments.derived_times.contains(&time).then_some(Ground::MomentArithmetic)
}
