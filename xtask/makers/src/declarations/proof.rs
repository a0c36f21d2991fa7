//! Proves the declarations of dialogues: gold passes, every fact is grounded in the conversation, and
//! changed values are refused.

use super::draft::free_texts;
use apis::search::find;
use apis::text::fold::{phrase_at, tokens};
use apis::{Arguments, World};
use dataset::checks::{Bound, Figure, Section};
use dataset::declared::alternatives;
use dataset::{Accept, Dialogue, Facts, HardKind, RecordedCall, Turn};
use exchange::call::{self, CallProblem, ParsedCall};
use exchange::protocol::{Sample, SampleKind, world_at};
use scoring::accepted_values::{self, Known, states};
use scoring::judge_step;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What was declared and what does not hold.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    texts: usize,
    facts: usize,
    sets: usize,
    records: usize,
    ordered: usize,
    forbidden: usize,
    replies: usize,
    reply_facts: usize,
    mutants: usize,
    /// One line per defect.
    pub problems: Vec<String>,
}

/// The values of all gold calls by API and parameter, to put one in place of another.
type Others = BTreeMap<(String, String), BTreeSet<String>>;

/// Proves every declaration. `fresh` is the world as loaded, with API Search. `all` gives the values of
/// other gold calls; it may be more dialogues than are proved.
pub fn prove<'a>(
    dialogues: impl IntoIterator<Item = &'a Dialogue>,
    all: impl IntoIterator<Item = &'a Dialogue>,
    fresh: &World,
) -> Proof {
    let mut others = Others::new();
    for call in all.into_iter().flat_map(Dialogue::calls) {
        for (name, value) in &call.param_dict {
            let key = (call.api_name.clone(), name.clone());
            others.entry(key).or_default().insert(value.to_string());
        }
    }
    let mut proof = Proof::default();
    for dialogue in dialogues {
        for (turn, said) in dialogue.turns.iter().enumerate().skip(dialogue.earlier) {
            let id = format!("{}#{turn}", dialogue.id);
            match said {
                Turn::Api(call) => {
                    let sample = Sample::new(dialogue, turn, SampleKind::Call);
                    let before = proof.problems.len();
                    proof.call(&sample, call, &others, fresh);
                    proof.order(&sample, call, fresh);
                    for problem in &mut proof.problems[before..] {
                        *problem = format!("{id} {}: {problem}", call.api_name);
                    }
                }
                Turn::Assistant { text, tell, .. } if !tell.is_empty() => {
                    proof.replies += 1;
                    proof.reply_facts += tell.len();
                    let missing = tell.iter().filter(|fact| !states(text, fact));
                    proof.problems.extend(
                        missing.map(|fact| format!("{id}: the reply does not tell *{fact}*")),
                    );
                }
                _ => {}
            }
        }
    }
    proof
}

impl Proof {
    fn call(&mut self, sample: &Sample<'_>, gold: &RecordedCall, others: &Others, fresh: &World) {
        let world = world_at(sample, fresh);
        let due = sample.due_calls();
        let answer: Vec<ParsedCall> =
            due.iter().filter_map(|call| parsed(&call.api_name, &call.param_dict)).collect();
        let judged = |calls: &[ParsedCall]| {
            let first = calls.first().ok_or(&CallProblem::NoCall);
            judge_step(sample, gold, first, calls.get(1..).unwrap_or_default(), &world).execution
        };
        let own = judged(&answer);
        if !own.correct {
            self.problems.push(format!("the gold call is refused: {}", own.explanation));
        }
        for it in &gold.declared.forbid {
            self.forbidden += 1;
            let read = parsed(&it.api_name, &it.param_dict);
            let calls: Vec<ParsedCall> = read.into_iter().chain(answer.iter().cloned()).collect();
            if judged(&calls).correct {
                self.problems.push(format!("{} is forbidden and accepted", it.api_name));
            }
        }
        for (param, text) in free_texts(sample.dialogue, gold) {
            if !gold.declared.accept.contains_key(param) {
                self.problems.push(format!("{param} {text:?} is free text without `accept`"));
            }
        }
        // Whoever reads a dialogue of this kind must judge whether the values follow.
        let converts = sample.hard().is_some_and(|it| it.kind == HardKind::Canonicalisation);
        let said = conversation(sample);
        let said = (!converts).then_some(said.as_str());
        for (param, accept) in &gold.declared.accept {
            let value = &gold.param_dict[param];
            let text = value.as_str().unwrap_or_default();
            match accept {
                Accept::Facts(facts) => {
                    self.texts += 1;
                    self.grounded(param, facts, text, said);
                }
                Accept::Values(_) => self.sets += 1,
                Accept::Records(records) => {
                    self.records += records.len();
                    let text = value.to_string();
                    records.values().for_each(|record| self.grounded(param, record, &text, said));
                }
            }
            let key = (gold.api_name.clone(), param.clone());
            let other = others.get(&key).into_iter().flatten();
            let other: Vec<Value> = other.filter_map(|it| serde_json::from_str(it).ok()).collect();
            self.mutants(sample, gold, param, &other, &world);
        }
    }

    /// Whether each fact occurs in the gold text and in what was said before.
    fn grounded(&mut self, param: &str, facts: &Facts, text: &str, said: Option<&str>) {
        self.facts += facts.must.len();
        for fact in &facts.must {
            if !states(text, fact) {
                self.problems.push(format!("{param}: the gold value {text:?} lacks *{fact}*"));
            } else if said.is_some_and(|said| !states(said, fact)) {
                self.problems.push(format!("{param}: nobody has said *{fact}*"));
            }
        }
    }

    /// Refuses values with a fact dropped or negated, and those of other gold calls.
    fn mutants(
        &mut self,
        sample: &Sample<'_>,
        gold: &RecordedCall,
        param: &str,
        others: &[Value],
        world: &World,
    ) {
        let Some(api) = find(sample.ability().suite(), &gold.api_name) else { return };
        let known = Known::lazy(gold, sample.history(), None);
        let passes = |value: &Value| {
            let mut arguments: Arguments = gold.param_dict.clone();
            arguments.insert(param.to_owned(), value.clone());
            accepted_values::call(api, gold, &arguments, world, &known).is_ok()
        };
        let own = &gold.param_dict[param];
        let mut check = |what: String, value: &Value| {
            self.mutants += 1;
            if passes(value) {
                self.problems.push(format!("{param}: accepted {what}: {value}"));
            }
        };
        if let Some(Accept::Facts(facts)) = gold.declared.accept.get(param) {
            let words = tokens(own.as_str().unwrap_or_default());
            for fact in &facts.must {
                let left = without(&words, fact).join(" ");
                check(format!("without *{fact}*"), &Value::from(left));
            }
            if !words.iter().any(|word| apis::text::fold::negates(word)) {
                check("negated".to_owned(), &Value::from(format!("not {}", words.join(" "))));
            }
        }
        if let Some(Accept::Records(records)) = gold.declared.accept.get(param) {
            for (names, facts) in records {
                for fact in &facts.must {
                    check(
                        format!("{names} without *{fact}*"),
                        &without_in_record(own, names, fact),
                    );
                }
            }
        }
        for other in others.iter().filter(|other| *other != own) {
            check("the value of another call".to_owned(), other);
        }
    }

    /// Runs a call after those alone that it needs: it returns what is recorded.
    fn order(&mut self, sample: &Sample<'_>, call: &RecordedCall, fresh: &World) {
        let dialogue = sample.dialogue;
        let Some(after) = &call.declared.after else {
            if sample.turn > 0 && dialogue.turns[sample.turn - 1].as_call().is_some() {
                self.problems.push("`after` is not declared".to_owned());
            }
            return;
        };
        self.ordered += 1;
        let suite = sample.ability().suite();
        let mut start = sample.turn;
        while start > 0 && dialogue.turns[start - 1].as_call().is_some() {
            start -= 1;
        }
        let mut needed: BTreeSet<usize> = after.iter().map(|it| it + dialogue.earlier).collect();
        for turn in (start..sample.turn).rev() {
            if needed.contains(&turn)
                && let Some(other) = dialogue.turns[turn].as_call()
            {
                let own = other.declared.after.iter().flatten();
                needed.extend(own.map(|turn| turn + dialogue.earlier));
            }
        }
        let mut world = world_at(&Sample::new(dialogue, start, SampleKind::Call), fresh);
        let run = |call: &RecordedCall, world: &mut World| {
            find(suite, &call.api_name).map(|api| api.call(&call.param_dict, world))
        };
        for turn in needed {
            dialogue.turns[turn].as_call().and_then(|call| run(call, &mut world));
        }
        let result = run(call, &mut world);
        if !call.is_search() && result.is_some_and(|result| !result.same_outcome(&call.result)) {
            self.problems
                .push("returns something else after the calls in `after` alone".to_owned());
        }
    }

    /// The figures with their bounds.
    pub fn section(&self, title: &'static str) -> Section {
        let count = |name, count| Figure::count(name, count, Bound::Free);
        Section {
            title,
            figures: vec![
                count("free texts with declared facts", self.texts),
                count("facts in arguments", self.facts),
                count("closed sets of values", self.sets),
                count("records with declared facts", self.records),
                count("calls with a declared order", self.ordered),
                count("forbidden reads", self.forbidden),
                count("replies that tell something", self.replies),
                count("facts in replies", self.reply_facts),
                count("mutants tried", self.mutants),
                Figure::count(
                    "declarations that do not hold",
                    self.problems.len(),
                    Bound::Equal(0.0),
                ),
            ],
            findings: self.problems.clone(),
        }
    }
}

fn parsed(name: &str, arguments: &Arguments) -> Option<ParsedCall> {
    call::parse(&call::format(name, arguments)).ok()
}

/// Everything that was said, asked and returned before a step.
fn conversation(sample: &Sample<'_>) -> String {
    let texts = sample.history().iter().map(|turn| match turn {
        Turn::User { text } | Turn::Assistant { text, .. } => text.clone(),
        Turn::Api(call) => format!(
            "{} {}",
            Value::Object(call.param_dict.clone()),
            call.result.output.clone().unwrap_or_default()
        ),
    });
    texts.collect::<Vec<_>>().join(". ")
}

/// Words without those that state a fact.
fn without(words: &[String], fact: &str) -> Vec<String> {
    let mut left = words.to_vec();
    for phrase in alternatives(fact).map(tokens) {
        let mut from = 0;
        while from < left.len() {
            match phrase_at(&left, from, &phrase) {
                Some(to) => drop(left.drain(from..to)),
                None => from += 1,
            }
        }
    }
    left
}

/// A list of records in which one lacks a fact.
fn without_in_record(list: &Value, names: &str, fact: &str) -> Value {
    let own = |record: &Map<String, Value>| {
        let name = record.values().next().and_then(Value::as_str).unwrap_or_default();
        alternatives(names).any(|alternative| alternative == name)
    };
    let records =
        list.as_array().into_iter().flatten().filter_map(Value::as_object).map(|record| {
            let mut record = record.clone();
            if own(&record) {
                for field in record.values_mut().skip(1) {
                    let words = tokens(field.as_str().unwrap_or_default());
                    *field = Value::from(without(&words, fact).join(" "));
                }
            }
            Value::Object(record)
        });
    records.collect()
}
