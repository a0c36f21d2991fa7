//! Finds where a failed horizon task missed its goal, from the changes of its calls.

use crate::{EpisodeRecord, SampleRecord};
use apis::store::{Change, ChangeKind, unordered};
use dataset::TaskId;
use exchange::EpisodeCall;
use exchange::call::format;
use scoring::Profile;
use serde_json::Value;
use std::collections::BTreeMap;

/// What is wrong with a failed task.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// What is wrong with the end state; `None` if it is the goal state.
    pub lost: Option<Lost>,
    /// Facts missing in the last reply.
    pub untold: Vec<String>,
    /// APIs with required results that were not read.
    pub unread: Vec<String>,
}

/// How an end state differs from the goal state.
#[derive(Debug, Clone, PartialEq)]
pub enum Lost {
    /// A call made a change outside the goal, and no later call reverted it.
    Stray {
        /// Number of the first such call, from 1.
        call: usize,
        /// The call as text.
        written: String,
    },
    /// Changes of the goal that are missing; all others were made.
    Missing(Vec<Change>),
}

/// The trace of a failed horizon task; `None` for other samples.
pub fn trace(sample: &SampleRecord) -> Option<Trace> {
    TaskId::parse(&sample.dialogue)?;
    let failed = !sample.verdict(Profile::Execution)?.correct;
    let episode = sample.episode.as_ref().filter(|_| failed)?;
    let untold = sample.told.iter().filter(|fact| !fact.told).map(|it| it.fact.clone()).collect();
    let unread = episode.required.iter().filter(|it| !it.met).map(|it| it.api.clone()).collect();
    Some(Trace { lost: lost(episode), untold, unread })
}

impl Trace {
    /// The trace in one line, in English.
    pub fn words(&self) -> String {
        let lost = self.lost.as_ref().map(|lost| match lost {
            Lost::Stray { call, written } => format!("call {call} is outside the goal: {written}"),
            Lost::Missing(changes) => {
                let tables: Vec<&str> = changes.iter().map(|it| it.table.as_str()).collect();
                format!("changes missing: {} ({})", changes.len(), counted(&tables))
            }
        });
        let list = |title: &str, items: &[String]| {
            (!items.is_empty()).then(|| format!("{title}: {}", items.join(", ")))
        };
        let others =
            [list("facts not stated", &self.untold), list("results not read", &self.unread)];
        lost.into_iter().chain(others.into_iter().flatten()).collect::<Vec<_>>().join("; ")
    }
}

/// `EmailReminder 2, Profile 1`.
fn counted(names: &[&str]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    counts.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
}

/// Compares texts ignoring case and lists ignoring order, as verdicts do for most fields. If that finds no
/// difference, compares exactly.
fn lost(episode: &EpisodeRecord) -> Option<Lost> {
    if episode.same_state {
        return None;
    }
    let folded = |changes: &[Change]| changes.iter().map(folded).collect::<Vec<_>>();
    let texts = |changes: &[Change]| -> Vec<String> {
        changes.iter().map(|change| unordered(std::slice::from_ref(change)).concat()).collect()
    };
    let (made, goal) = (&episode.changes, &episode.gold_changes);
    difference(episode, &texts(&folded(made)), &texts(&folded(goal)))
        .or_else(|| difference(episode, &texts(made), &texts(goal)))
}

/// Compares the changes of the end state with those of the goal, given as texts.
fn difference(episode: &EpisodeRecord, made: &[String], goal: &[String]) -> Option<Lost> {
    let calls: Vec<&EpisodeCall> = episode.steps.iter().flat_map(|step| &step.calls).collect();
    let mut by_call: Vec<(usize, &str)> = episode
        .changes
        .iter()
        .zip(made)
        .map(|(change, text)| (origin(&calls, change, &episode.gold_changes), text.as_str()))
        .collect();
    // Of two equal rows, the one made first counts for the goal.
    by_call.sort_by_key(|(call, _)| *call);
    let in_order: Vec<&str> = by_call.iter().map(|(_, text)| *text).collect();
    let goal: Vec<&str> = goal.iter().map(String::as_str).collect();
    let extra = unmatched(&in_order, &goal).into_iter().map(|at| by_call[at].0).min();
    if let Some(call) = extra {
        let written = calls.get(call).map_or_else(String::new, |it| text(it));
        return Some(Lost::Stray { call: call + 1, written });
    }
    let missing = unmatched(&goal, &in_order);
    let missing: Vec<Change> =
        missing.into_iter().map(|at| episode.gold_changes[at].clone()).collect();
    (!missing.is_empty()).then_some(Lost::Missing(missing))
}

/// Indices of items without an equal among `others`.
fn unmatched(items: &[&str], others: &[&str]) -> Vec<usize> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    others.iter().for_each(|it| *left.entry(it).or_default() += 1);
    let mut without = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match left.get_mut(item) {
            Some(count) if *count > 0 => *count -= 1,
            _ => without.push(at),
        }
    }
    without
}

/// Index of the call that gave a row its final difference; for a changed row, the first call after which
/// some field was never right again.
fn origin(calls: &[&EpisodeCall], change: &Change, goal: &[Change]) -> usize {
    let is_same_row = |it: &&Change| (it.table, &it.key) == (change.table, &change.key);
    let mut touching: Vec<(usize, &ChangeKind)> = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        touching
            .extend(call.effect.changes.iter().filter(is_same_row).map(|made| (at, &made.kind)));
    }
    let last = touching.last().map_or(0, |(at, _)| *at);
    let ChangeKind::Changed { fields } = &change.kind else {
        let same = |kind: &ChangeKind| {
            std::mem::discriminant(kind) == std::mem::discriminant(&change.kind)
        };
        return touching.iter().rev().find(|(_, kind)| same(kind)).map_or(last, |(at, _)| *at);
    };
    let wanted = goal.iter().find(is_same_row).map(|change| &change.kind);
    let since = fields.iter().filter_map(|field| {
        let right = [Some(&field.before), wanted.and_then(|wanted| after(wanted, &field.field))];
        let wrong = touching.iter().rev().filter_map(|(at, it)| {
            let value = after(it, &field.field)?;
            Some((*at, !right.contains(&Some(value))))
        });
        wrong.take_while(|(_, wrong)| *wrong).last().map(|(at, _)| at)
    });
    since.min().unwrap_or(last)
}

/// The value that a change gives a field.
fn after<'a>(kind: &'a ChangeKind, field: &str) -> Option<&'a Value> {
    let ChangeKind::Changed { fields } = kind else { return None };
    fields.iter().find(|change| change.field == field).map(|change| &change.after)
}

/// A change with its texts in lower case and its lists sorted.
fn folded(change: &Change) -> Change {
    let mut change = change.clone();
    match &mut change.kind {
        ChangeKind::Inserted { row } | ChangeKind::Deleted { row } => fold(row),
        ChangeKind::Changed { fields } => {
            fields.iter_mut().for_each(|field| fold(&mut field.after));
        }
    }
    change
}

fn fold(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.to_lowercase(),
        Value::Array(items) => {
            items.iter_mut().for_each(fold);
            items.sort_by_key(ToString::to_string);
        }
        Value::Object(fields) => fields.values_mut().for_each(fold),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text(call: &EpisodeCall) -> String {
    match &call.call {
        Some(parsed) => format(&parsed.name, &parsed.arguments),
        None => call.effect.result.api_name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::ApiResult;
    use apis::effect::Effect;
    use apis::store::{FieldChange, TableName};
    use exchange::{Answer, EpisodeEnd, EpisodeStep, SampleTimes};
    use serde_json::json;

    fn meeting(key: usize, title: &str) -> Change {
        let row = json!({"meeting_topic": title, "attendees": ["Bo", "Ann"]});
        let kind = ChangeKind::Inserted { row };
        Change { table: TableName::PlannedMeeting, key: key.to_string(), kind }
    }

    fn address(before: &str, after: &str) -> Change {
        let field = |name: &str| FieldChange {
            field: name.to_owned(),
            before: json!(before),
            after: json!(after),
        };
        let kind = ChangeKind::Changed { fields: vec![field("address")] };
        Change { table: TableName::Profile, key: "Ann".to_owned(), kind }
    }

    fn call(number: usize, changes: Vec<Change>) -> EpisodeCall {
        let name = format!("Call{number}");
        let result = ApiResult {
            api_name: name.clone(),
            input: json!({}),
            output: Some(json!("success")),
            exception: None,
        };
        let call = exchange::call::parse(&format!("[{name}()]")).ok();
        let effect = Effect { result, changes };
        EpisodeCall { call, problem: None, offered: true, effect }
    }

    /// An episode whose calls make one change each, `None` for a read.
    fn episode(made: &[Option<Change>], end: &[Change], goal: &[Change]) -> EpisodeRecord {
        let calls = (1..).zip(made).map(|(at, it)| call(at, it.iter().cloned().collect()));
        let step = |call| EpisodeStep {
            answer: Answer::default(),
            calls: vec![call],
            attempts: 1,
            times: SampleTimes::default(),
        };
        EpisodeRecord {
            steps: calls.map(step).collect(),
            ended: EpisodeEnd::ScriptDone,
            changes: end.to_vec(),
            gold_changes: goal.to_vec(),
            same_state: end == goal,
            required: Vec::new(),
        }
    }

    fn stray(made: &[Option<Change>], end: &[Change], goal: &[Change]) -> Option<usize> {
        match lost(&episode(made, end, goal)) {
            Some(Lost::Stray { call, .. }) => Some(call),
            _ => None,
        }
    }

    #[test]
    fn the_first_call_that_left_the_goal_is_named() {
        let (right, wrong) = (meeting(1, "Budget review"), meeting(2, "Bilge review"));
        let made = [None, Some(right.clone()), None, Some(wrong.clone())];
        let found = lost(&episode(&made, &[right.clone(), wrong], std::slice::from_ref(&right)));
        assert_eq!(found, Some(Lost::Stray { call: 4, written: "[Call4()]".to_owned() }));
        // A doubled call is the later of the two, however the keys are sorted.
        let (first, second) = (meeting(9, "Budget review"), meeting(10, "Budget review"));
        let made = [Some(first.clone()), Some(second.clone())];
        assert_eq!(stray(&made, &[second, first], &[right]), Some(2));
    }

    #[test]
    fn what_was_taken_back_is_not_held_against_a_call() {
        let goal = [address("Old", "Goal")];
        let made = [
            Some(address("Old", "Wrong")),
            Some(address("Wrong", "Goal")),
            None,
            Some(address("Goal", "Next door")),
            Some(address("Next door", "Over there")),
        ];
        assert_eq!(stray(&made, &[address("Old", "Over there")], &goal), Some(4));
        assert_eq!(stray(&made[..1], &[address("Old", "Wrong")], &goal), Some(1));
        assert_eq!(lost(&episode(&made[..2], &goal, &goal)), None);
        // Back to the address before: nothing is stray, and the goal's change is missing.
        let back = [Some(address("Old", "Wrong")), Some(address("Wrong", "Old"))];
        let found = lost(&episode(&back, &[], &goal));
        assert_eq!(found, Some(Lost::Missing(goal.to_vec())));
    }

    #[test]
    fn case_and_order_count_only_if_nothing_else_differs() {
        let (mut shouted, other) = (meeting(1, "BUDGET REVIEW"), meeting(2, "Bilge review"));
        if let ChangeKind::Inserted { row } = &mut shouted.kind {
            row["attendees"] = json!(["Ann", "Bo"]);
        }
        let goal = [meeting(1, "Budget review"), other.clone()];
        let made = [Some(shouted.clone())];
        let found = lost(&episode(&made, std::slice::from_ref(&shouted), &goal));
        assert_eq!(found, Some(Lost::Missing(vec![other])));
        assert_eq!(stray(&made, &[shouted], &goal[..1]), Some(1));
    }

    #[test]
    fn words_name_what_is_missing() {
        let changes = vec![meeting(1, "A"), address("a", "b"), meeting(2, "B")];
        let trace = Trace {
            lost: Some(Lost::Missing(changes)),
            untold: vec!["48".to_owned()],
            unread: vec!["LikeCount".to_owned()],
        };
        let expected = "changes missing: 3 (PlannedMeeting 2, Profile 1); facts not stated: 48; \
                        results not read: LikeCount";
        assert_eq!(trace.words(), expected);
    }
}
