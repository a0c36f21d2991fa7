//! The clean profiles on a pack: `execution`, `exact` and `f1`, with the errata applied.

use super::gold::{Expected, Place};
use super::{Profile, Scored};
use apis::literal::Reader;
use apis::search::{SearchHandle, TOOL_SEARCHER};
use apis::{Api, ApiResult, Arguments, Suite, TableName, World, arguments};
use dataset::import::{DefectClass, Errata, Original, renamed};
use dataset::{RecordedCall, Turn};
use engine::call::{self, CallProblem, ParsedCall};
use engine::scoring::execution::{find, found, judge};
use engine::scoring::{ErrorClass, Verdict, f1};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Tables that start empty, in the original as well.
const EMPTY_AT_START: [TableName; 5] = [
    TableName::BankAccount,
    TableName::Email,
    TableName::EmailReminder,
    TableName::PasswordReset,
    TableName::PlannedMeeting,
];

/// The pack's world, its errata, and the results that were recorded.
pub(super) struct Runner {
    world: World,
    errata: Errata,
    recorded: BTreeMap<(Suite, String, String), ApiResult>,
}

impl Runner {
    /// Over a pack; what of its databases cannot be loaded is said on standard error.
    pub(super) fn new(pack: &Original, errata: Errata, search: SearchHandle) -> Self {
        let (mut world, problems) = pack.world();
        for problem in problems {
            eprintln!("{problem}");
        }
        world.search = search;
        let dialogues = pack.dialogues.values().map(|it| (Suite::Dialogue, &it.dialogue));
        let plans = pack.plans.iter().map(|it| (Suite::Planning, &it.dialogue));
        let mut recorded = BTreeMap::new();
        for (suite, dialogue) in dialogues.chain(plans) {
            for call in dialogue.turns.iter().filter_map(Turn::as_call) {
                let key = key(suite, &call.api_name, &call.param_dict);
                recorded.entry(key).or_insert_with(|| call.result.clone());
            }
        }
        Runner { world, errata, recorded }
    }

    /// Judges a prediction under a profile.
    pub(super) fn judge(
        &self,
        profile: Profile,
        place: &Place,
        expected: &Expected<'_>,
        prediction: &str,
    ) -> Result<Scored, String> {
        let erratum = self.errata.find(place.level, &place.file, place.sample, place.step);
        let (gold, mut corrected) = mended(&expected.call);
        let gold = match erratum.and_then(|it| it.gold.as_ref()) {
            Some(arguments) => {
                Cow::Owned(RecordedCall { param_dict: arguments.clone(), ..gold.into_owned() })
            }
            None => gold,
        };
        corrected = erratum.map(|it| it.class).or(corrected);
        let excluded = erratum.filter(|it| it.gold.is_none()).map(|it| it.what.clone());
        let mut parsed = call::parse(&unquoted_lists(prediction));
        if let Ok(call) = &mut parsed
            && call.name == gold.api_name
            && let Some(arguments) = renamed(&call.name, &call.arguments)
        {
            call.arguments = arguments;
        }
        let mut scored = match profile {
            Profile::F1 => overlapped(expected.suite, &gold, parsed.as_ref().ok()),
            _ => {
                let (verdict, class) = self.verdict(profile, expected, &gold, parsed.as_ref());
                corrected = corrected.or(class);
                scored(verdict)
            }
        };
        scored.corrected = corrected.filter(|_| excluded.is_none()).map(DefectClass::title);
        scored.excluded = excluded;
        Ok(scored)
    }

    fn verdict(
        &self,
        profile: Profile,
        expected: &Expected<'_>,
        gold: &RecordedCall,
        parsed: Result<&ParsedCall, &CallProblem>,
    ) -> (Verdict, Option<DefectClass>) {
        let suite = expected.suite;
        let api = find(suite, &gold.api_name);
        if let (Some(api), Ok(call)) = (api, parsed)
            && call.name == gold.api_name
            && !self.has_tables(api)
        {
            return (self.recorded_only(suite, gold, call), None);
        }
        let judgement = judge(suite, gold, parsed, &self.world_at(expected));
        let defect = drift(expected, &judgement.gold.result);
        let verdict = match profile {
            Profile::Exact => judgement.exact,
            _ => judgement.execution,
        };
        // The annotated API is the goal of a search, whatever the annotated keywords find today.
        if profile == Profile::Execution
            && !verdict.correct
            && gold.api_name == TOOL_SEARCHER
            && judgement.predicted.is_some_and(|it| {
                parsed.is_ok_and(|call| call.name == TOOL_SEARCHER)
                    && found(&it.result) == found(&expected.call.result)
            })
        {
            return (Verdict::right("The keywords find the annotated API."), defect);
        }
        (verdict, defect)
    }

    /// The world at a sample: the databases as loaded, with the gold calls before it replayed.
    fn world_at(&self, expected: &Expected<'_>) -> World {
        let mut world = self.world.clone();
        for call in expected.history.iter().filter(|call| call.api_name != TOOL_SEARCHER) {
            if let Some(api) = find(expected.suite, &call.api_name) {
                api.call(&mended(call).0.param_dict, &mut world);
            }
        }
        world
    }

    /// Whether the pack has what an API reads.
    fn has_tables(&self, api: &Api) -> bool {
        api.reads.iter().all(|table| EMPTY_AT_START.contains(table) || self.world.rows(*table) > 0)
    }

    /// An API whose data is not there: calls that were recorded have their result, others none.
    fn recorded_only(&self, suite: Suite, gold: &RecordedCall, call: &ParsedCall) -> Verdict {
        if key(suite, &call.name, &call.arguments) == key(suite, &gold.api_name, &gold.param_dict) {
            return Verdict::right("The call equals the recorded one.");
        }
        match self.recorded.get(&key(suite, &call.name, &call.arguments)) {
            Some(result) if result.same_outcome(&gold.result) => {
                Verdict::right("The call has the same recorded result as the gold call.")
            }
            Some(_) => Verdict::wrong(
                ErrorClass::WrongResult,
                "The call's recorded result is another one than the gold call's.",
            ),
            None => Verdict::wrong(
                ErrorClass::WrongResult,
                format!(
                    "Not recorded: the pack has no data for {}, and the call is no recorded one.",
                    call.name
                ),
            ),
        }
    }
}

/// A gold call under today's parameter names, with what was wrong with it.
fn mended(call: &RecordedCall) -> (Cow<'_, RecordedCall>, Option<DefectClass>) {
    match renamed(&call.api_name, &call.param_dict) {
        Some(param_dict) => {
            let call = RecordedCall { param_dict, ..call.clone() };
            (Cow::Owned(call), Some(DefectClass::RenamedParameter))
        }
        None => (Cow::Borrowed(call), None),
    }
}

/// In which way the recorded result is out of date.
fn drift(expected: &Expected<'_>, today: &ApiResult) -> Option<DefectClass> {
    expected.raw?;
    let recorded = &expected.call.result;
    if expected.call.api_name == TOOL_SEARCHER {
        return (found(recorded) != found(today)).then_some(DefectClass::Retrieval);
    }
    let listed = |value: &Value| value.as_str().is_some_and(|it| it.trim().starts_with('['));
    if expected.call.param_dict.values().any(listed) {
        return Some(DefectClass::ListAsText);
    }
    None
}

/// A call as a key: the API and its arguments in canonical form, in the order of their names.
fn key(suite: Suite, name: &str, raw: &Arguments) -> (Suite, String, String) {
    let read = find(suite, name).and_then(|api| arguments::read(api, raw).ok());
    let sorted: BTreeMap<String, Value> = read.unwrap_or_else(|| raw.clone()).into_iter().collect();
    (suite, name.to_owned(), serde_json::json!(sorted).to_string())
}

fn scored(verdict: Verdict) -> Scored {
    Scored {
        correct: verdict.correct,
        category: category(verdict.error_class),
        error_class: verdict.error_class,
        explanation: verdict.explanation,
        ..Scored::default()
    }
}

/// The class in the original's way of writing labels.
fn category(class: Option<ErrorClass>) -> String {
    let title = class.map_or("Correct", ErrorClass::title);
    title.to_uppercase().replace(' ', "_")
}

fn overlapped(suite: Suite, gold: &RecordedCall, call: Option<&ParsedCall>) -> Scored {
    let overlap = f1::overlap(suite, gold, call);
    let verdict = match call {
        None => Verdict::wrong(ErrorClass::NoApiCall, "No call can be read."),
        Some(_) if overlap.is_whole() => Verdict::right("Name and arguments agree."),
        Some(call) if call.name != gold.api_name => Verdict::wrong(
            match find(suite, &call.name) {
                Some(_) => ErrorClass::WrongApi,
                None => ErrorClass::ApiHallucination,
            },
            format!("{} was due here; {} was called.", gold.api_name, call.name),
        ),
        Some(_) => Verdict::wrong(
            ErrorClass::WrongResult,
            format!(
                "{} of {} arguments agree, {} were given.",
                overlap.arguments.shared, overlap.arguments.gold, overlap.arguments.predicted
            ),
        ),
    };
    Scored { overlap: Some(overlap), ..scored(verdict) }
}

/// The text with quotes around lists taken off: the original writes `attendees='['A', 'B']'`,
/// where the quotes of the items would end the argument.
pub(super) fn unquoted_lists(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices("=") {
        let open = at + 1 + (text[at + 1..].len() - text[at + 1..].trim_start().len());
        let Some(quote) = text[open..].chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            continue;
        };
        let list = open + 1;
        if at < copied || !text[list..].starts_with('[') {
            continue;
        }
        let mut reader = Reader::new(text, list);
        let ends = |rest: &str| rest.trim_start().starts_with([',', ')']);
        if reader.value(0).is_ok() && text[reader.at..].strip_prefix(quote).is_some_and(ends) {
            out.push_str(&text[copied..open]);
            out.push_str(&text[list..reader.at]);
            copied = reader.at + quote.len_utf8();
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_around_lists_are_taken_off() {
        for (text, expected) in [
            ("[A(b='['x', 'y']', c='z')]", "[A(b=['x', 'y'], c='z')]"),
            ("[A(b=\"[{'n': 'it', 'v': 1}]\")]", "[A(b=[{'n': 'it', 'v': 1}])]"),
            ("[A(b='[x', c='y]')]", "[A(b='[x', c='y]')]"),
            ("[A(b='plain = text')] ='", "[A(b='plain = text')] ='"),
            ("=é='", "=é='"),
        ] {
            assert_eq!(unquoted_lists(text), expected);
        }
    }

    #[test]
    fn labels_are_written_as_the_original_writes_them() {
        assert_eq!(category(None), "CORRECT");
        assert_eq!(category(Some(ErrorClass::NoApiCall)), "NO_API_CALL");
    }
}
