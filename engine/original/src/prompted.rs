//! Reconstructs dialogues that a pack lacks from the data hub's rows.
//!
//! Each row contains the preceding conversation as text. The longest one of a dialogue is parsed
//! into turns; the rows' expected completions fill the turns that they ask for. The result of a
//! call is in the text of later rows; without a later row it is unknown.

use super::{Rows, ability, asks_reply, place};
use apis::{ApiResult, literal};
use dataset::import::{Original, Place, PromptRow};
use dataset::{Dialogue, RecordedCall, Turn};
use exchange::call;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The exception of a call whose result is unknown.
pub const UNRECORDED: &str = "not recorded";

/// Rows of one dialogue, in the original's order.
pub(super) struct Group {
    level: u8,
    name: String,
    rows: Vec<usize>,
}

/// Groups the rows whose dialogue the pack lacks, by dialogue.
pub(super) fn groups(original: &Original, rows: &Rows) -> Vec<Group> {
    let mut groups: BTreeMap<(u8, String, usize), Vec<usize>> = BTreeMap::new();
    for (place, row) in &rows.by_place {
        let known = match place.level {
            3 => place.sample < original.plans.len(),
            level => original.dialogues.contains_key(&(level, place.file.clone())),
        };
        if !known {
            let plan = if place.level == 3 { place.sample } else { 0 };
            groups.entry((place.level, place.file.clone(), plan)).or_default().push(*row);
        }
    }
    let named = groups.into_iter().map(|((level, file, plan), mut of)| {
        if level == 3 {
            of.extend(rows.replies.get(&plan));
        }
        let name = match level {
            3 => plan.to_string(),
            _ => file.strip_suffix(".jsonl").unwrap_or(&file).to_owned(),
        };
        Group { level, name, rows: of }
    });
    named.collect()
}

/// A sample's place, if it has one, its row and its turn.
pub(super) type Placed = (Option<Place>, usize, usize);

/// The dialogue of a group and its samples. `None` if no row parses.
pub(super) fn dialogue(original: &Original, group: &Group) -> Option<(Dialogue, Vec<Placed>)> {
    let row = |index: &usize| Some((*index, original.prompts.get(*index)?));
    let rows: Vec<(usize, &PromptRow)> = group.rows.iter().filter_map(row).collect();
    let histories: Vec<Vec<Turn>> = rows.iter().map(|(_, row)| turns(&row.input)).collect();
    let longest = histories.iter().max_by_key(|turns| turns.len())?;
    let mut turns = longest.clone();
    let mut samples = Vec::new();
    for ((index, row), history) in rows.into_iter().zip(&histories) {
        let at = history.len();
        let Some(gold) = gold(row) else { continue };
        if at == turns.len() {
            turns.push(gold);
        } else if let Some(turn) = turns.get_mut(at)
            && asks_reply(row) == matches!(turn, Turn::Assistant { .. })
        {
            // The history has the result, the row the expected call.
            match (turn, gold) {
                (Turn::Api(known), Turn::Api(gold)) if known.api_name == gold.api_name => {
                    known.param_dict = gold.param_dict;
                }
                (turn, gold) => *turn = gold,
            }
        }
        let place = (row.level < 3 || !asks_reply(row)).then(|| place(row));
        samples.push((place, index, at));
    }
    let ability = ability(group.level);
    let id = format!("{}/{}", ability.as_str(), group.name);
    (!samples.is_empty())
        .then_some((Dialogue { id, ability, turns, hard: None, earlier: 0 }, samples))
}

/// The expected turn of a row. `None` if its call does not parse.
fn gold(row: &PromptRow) -> Option<Turn> {
    if asks_reply(row) {
        return Some(Turn::Assistant {
            text: row.expected.clone(),
            expect: None,
            tell: Vec::new(),
        });
    }
    Some(Turn::Api(called(&row.expected, None)?))
}

/// Parses a call and its result.
fn called(text: &str, result: Option<&str>) -> Option<RecordedCall> {
    let call = call::parse(&call::unquoted_lists(text)).ok()?;
    let result = match result {
        Some(text) => outcome(&call.name, &call.arguments, text),
        None => ApiResult::failure(&call.name, Value::Null, UNRECORDED),
    };
    Some(RecordedCall {
        api_name: call.name,
        param_dict: call.arguments,
        result,
        alternatives: Vec::new(),
        declared: dataset::Declared::default(),
    })
}

/// Parses a result in a history: the output alone, or at level 3 the whole result.
fn outcome(name: &str, arguments: &Map<String, Value>, text: &str) -> ApiResult {
    let value = literal::parse(text.trim()).unwrap_or_else(|_| Value::from(text.trim()));
    let (output, exception) = match &value {
        Value::Object(fields) if fields.contains_key("exception") => {
            let part = |key: &str| fields.get(key).filter(|field| !field.is_null());
            (part("output").cloned(), part("exception").map(as_text))
        }
        _ => (Some(value), None),
    };
    ApiResult {
        api_name: name.to_owned(),
        input: Value::Object(arguments.clone()),
        output,
        exception,
    }
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Parses the conversation in a prompt's input. A line that starts no turn continues the previous
/// one. Ignores the description before the first turn, and the closing request.
fn turns(input: &str) -> Vec<Turn> {
    let mut pieces: Vec<(&str, String)> = Vec::new();
    for line in input.lines() {
        let head = ["User: ", "AI: ", "API-Request: "].into_iter().find(|it| line.starts_with(it));
        match (head, pieces.last_mut()) {
            (Some(head), _) => pieces.push((head, line[head.len()..].to_owned())),
            (None, _) if line.starts_with("Generate A") => break,
            (None, Some((_, text))) => {
                text.push('\n');
                text.push_str(line);
            }
            (None, None) => {}
        }
    }
    pieces.into_iter().filter_map(|(head, text)| turn(head, text)).collect()
}

fn turn(head: &str, text: String) -> Option<Turn> {
    Some(match head {
        "User: " => Turn::User { text },
        "AI: " => Turn::Assistant { text, expect: None, tell: Vec::new() },
        _ => {
            let (made, result) = match text.split_once(")]->") {
                Some((made, result)) => (format!("{made})]"), Some(result)),
                None => (text.clone(), None),
            };
            let blank = || RecordedCall {
                api_name: made.clone(),
                param_dict: Map::new(),
                result: ApiResult::failure("", Value::Null, UNRECORDED),
                alternatives: Vec::new(),
                declared: dataset::Declared::default(),
            };
            // Keep an unparsable call as a blank one, so that turn indices stay correct.
            Turn::Api(called(&made, result).unwrap_or_else(blank))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_history_is_read_back() {
        let input = "{\"apiCode\": \"X\"}\nUser: Add it,\nplease.\nAPI-Request: [Calculator(formula='1+1')]->2.0\n\
                     AI: Two.\nUser: And?\nGenerate API Request: \n";
        let read = turns(input);
        assert_eq!(read.len(), 4);
        assert_eq!(read[0], Turn::User { text: "Add it,\nplease.".to_owned() });
        let call = read[1].as_call().unwrap();
        assert_eq!(
            (call.param_dict["formula"].clone(), call.result.output.clone()),
            (json!("1+1"), Some(json!(2.0)))
        );
    }

    #[test]
    fn level_three_shows_the_whole_result() {
        let text = "{'api_name': 'A', 'input': {}, 'output': None, 'exception': 'no such user'}";
        let result = outcome("A", &Map::new(), text);
        assert_eq!((result.output, result.exception.as_deref()), (None, Some("no such user")));
        assert_eq!(outcome("A", &Map::new(), "success").output, Some(json!("success")));
    }

    const CALL: &str = r#"[{"sample_id": 0, "api_id": 0, "instruction": "Call.", "input":
        "User: Likes of post 1?\nGenerate API Request: ", "output": "API-Request: [LikeCount(post_id=1)]"}]"#;
    const REPLY: &str = r#"[{"sample_id": 0, "api_id": 0, "instruction": "Reply.", "input":
        "User: Likes of post 1?\nAPI-Request: [LikeCount(post_id=1)]->{'api_name': 'LikeCount', 'input': {'post_id': 1}, 'output': {'like_count': 10}, 'exception': None}\nGenerate AI Response: ", "output": "Ten."}]"#;

    #[test]
    fn replies_of_level_three_have_prompts_too() {
        let rows = [
            ("test-data/level-3-batch-inf-response.json", REPLY),
            ("test-data/level-3-batch-inf.json", CALL),
        ];
        let plan = r#"[{"requirement": "Likes of post 1?", "response": "Ten.", "apis": [
            {"api_name": "LikeCount", "input": {"post_id": 1}, "output": {"api_name": "LikeCount",
             "input": {"post_id": 1}, "output": {"like_count": 10}, "exception": null}}]}]"#;
        for plans in [&[][..], &[("test-data/level-3.json", plan)]] {
            let (data, report) = dataset::import::import(rows.into_iter().chain(plans.to_vec()));
            assert_eq!(report.problems, []);
            let (pack, _) = crate::pack(data, &dataset::import::Errata::default());
            let calls: Vec<_> = pack.dialogues[0].calls().collect();
            assert_eq!(calls[0].result.output, Some(json!({"like_count": 10})));
            let imported = pack.imported.unwrap();
            let asked = |sample| imported.prompt(sample).map(|row| row.instruction.as_str());
            let samples: Vec<_> = imported.samples.iter().map(|it| (it.reply, asked(it))).collect();
            assert_eq!(samples, [(false, Some("Call.")), (true, Some("Reply."))]);
        }
    }
}
