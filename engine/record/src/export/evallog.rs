//! Export to an `inspect_ai` log, version 2: a sample is a graded step, an epoch is a trial, a
//! scorer is a profile.
//!
//! Source: the models of inspect_ai 0.3 (`log/_log.py`); a test reads an export with them.

use super::lost;
use crate::table::SecondaryMetric;
use crate::{
    Model, Outcome, Record, RecordError, SampleRecord, Status, Summarizer, expected, received,
};
use exchange::protocol::{Message, Role, ToolCall};
use exchange::{Answer, Usage};
use indexmap::IndexSet;
use scoring::Profile;
use serde_json::{Map, Value, json};
use std::io::Write;

/// The version of the log format.
const VERSION: u32 = 2;

/// The secondary metrics that judge single samples.
const BESIDE: [SecondaryMetric; 3] =
    [SecondaryMetric::Searches, SecondaryMetric::Restraint, SecondaryMetric::Told];

/// A log export in progress.
#[derive(Debug)]
pub struct Log<W> {
    out: W,
    head: Value,
    model: String,
    /// Unique ids without trials.
    ids: IndexSet<String>,
    answered: usize,
    count: usize,
    usage: Usage,
    profiles: Vec<Summarizer>,
}

impl<W: Write> Log<W> {
    pub(super) fn new(record: &Record, mut out: W) -> Result<Self, RecordError> {
        let status = match record.status {
            Status::Finished => "success",
            Status::Cancelled => "cancelled",
        };
        write!(out, "{{\"version\":{VERSION},\"status\":\"{status}\",\"samples\":[")
            .map_err(|error| lost(&error))?;
        Ok(Log {
            out,
            head: head(record),
            model: model(record),
            ids: IndexSet::new(),
            answered: 0,
            count: 0,
            usage: Usage::default(),
            profiles: Profile::ALL.map(Summarizer::new).into(),
        })
    }

    pub(super) fn sample(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        let id = sample.untried();
        if !self.ids.contains(id) {
            self.ids.insert(id.to_owned());
        }
        let comma = if self.count == 0 { "" } else { "," };
        self.count += 1;
        if let Outcome::Answered(answer) = &sample.outcome {
            self.answered += 1;
            self.usage += answer.usage.unwrap_or_default();
        }
        self.profiles.iter_mut().for_each(|profile| profile.add(sample));
        write!(self.out, "{comma}\n{}", step(sample, &self.model)).map_err(|error| lost(&error))
    }

    pub(super) fn finish(mut self) -> Result<W, RecordError> {
        self.head["eval"]["dataset"]["samples"] = json!(self.ids.len());
        self.head["eval"]["dataset"]["sample_ids"] = json!(self.ids);
        let scores: Vec<Value> =
            self.profiles.into_iter().flat_map(|profile| scores(profile, self.count)).collect();
        self.head["results"] = json!({
            "total_samples": self.count,
            "completed_samples": self.answered,
            "scores": scores,
        });
        let mut usages = Map::new();
        usages.insert(self.model.clone(), usage(self.usage));
        self.head["stats"]["model_usage"] = Value::Object(usages);
        self.head["invalidated"] = json!(false);
        let rest = self.head.to_string();
        // The rest of the object follows the samples.
        let rest = rest.strip_prefix('{').unwrap_or(&rest);
        writeln!(self.out, "\n],{rest}").and_then(|()| self.out.flush()).map_err(|e| lost(&e))?;
        Ok(self.out)
    }
}

/// Milliseconds since 1970 in inspect_ai's time format.
pub(super) fn time(ms: u64) -> Value {
    let stamp = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    stamp.map_or(Value::Null, |stamp| json!(format!("{stamp:.3}").replace('Z', "+00:00")))
}

pub(super) fn model(record: &Record) -> String {
    match &record.model {
        Model::Builtin { name } => format!("api-bank/{}", name.as_str()),
        Model::Endpoint(endpoint) => {
            let preset = serde_json::to_value(endpoint.preset).unwrap_or_default();
            format!("{}/{}", preset.as_str().unwrap_or("custom"), endpoint.model)
        }
        Model::Agent(agent) => format!("agent/{}", agent.name),
    }
}

/// All fields that precede the samples.
fn head(record: &Record) -> Value {
    let mut config = Map::new();
    let mut base_url = Value::Null;
    if let Model::Endpoint(endpoint) = &record.model {
        base_url = json!(endpoint.base_url);
        for (name, value) in [
            ("temperature", json!(endpoint.temperature)),
            ("top_p", json!(endpoint.top_p)),
            ("max_tokens", json!(endpoint.max_tokens)),
            ("seed", json!(endpoint.seed)),
        ] {
            if !value.is_null() && !record.dropped_parameters.iter().any(|it| it == name) {
                config.insert(name.to_owned(), value);
            }
        }
    }
    let protocol = record.protocol.as_str();
    json!({
        "eval": {
            "created": time(record.times.started_ms),
            "task": format!("api-bank/{protocol}"),
            "task_id": format!("{}/{protocol}", record.pack.name),
            "task_version": record.pack.full_version(),
            "run_id": record.digest,
            "eval_id": record.digest,
            "dataset": {
                "name": record.pack.name,
                "location": format!("sha256:{}", record.pack.digest),
                "shuffled": true,
            },
            "model": model(record),
            "model_base_url": base_url,
            "model_generate_config": config,
            "config": {"epochs": record.trials},
            "packages": {"api-bank": record.app.version},
            "metadata": {
                "protocol": protocol,
                "prompts": record.prompts,
                "prompts_digest": record.prompts_digest,
                "build": record.app.build,
                "search": record.search,
                "split": record.split,
                "steps": record.steps,
                "described_apis": record.described_apis,
                "subset": record.subset,
                "seed": record.seed,
                "record_digest": record.digest,
            },
        },
        "plan": {"name": "plan", "steps": [{"solver": protocol, "params": {}}], "config": config},
        "stats": {
            "started_at": time(record.times.started_ms),
            "completed_at": time(record.times.finished_ms),
        },
    })
}

/// A profile's metrics: accuracy, and for the first profile the ROUGE-L of replies.
fn scores(profile: Summarizer, total: usize) -> Vec<Value> {
    let summary = profile.finish();
    let Some(all) = summary.rows.last() else { return Vec::new() };
    let metric = |name: &str, value: f64| json!({"name": name, "value": value, "params": {}});
    let name = summary.profile.as_str();
    let mut metrics = Map::new();
    // For episodes the dialogue is judged, otherwise each call.
    let rate = if all.calls.n > 0 { all.calls } else { all.dialogues };
    if let Some(value) = rate.value() {
        metrics.insert("accuracy".to_owned(), metric("accuracy", value));
    }
    if let Some(interval) = rate.interval {
        for (name, value) in [("ci_low", interval.low), ("ci_high", interval.high)] {
            let metric = json!({
                "name": name,
                "value": value,
                "params": {"level": 0.95, "method": summary.interval_method},
            });
            metrics.insert(name.to_owned(), metric);
        }
    }
    if summary.profile == Profile::F1 && all.calls.n > 0 {
        metrics.insert("f1_name".to_owned(), metric("f1_name", all.overlap.name.f1()));
        let arguments = metric("f1_arguments", all.overlap.arguments.f1());
        metrics.insert("f1_arguments".to_owned(), arguments);
    }
    let score = |name: &str, n: usize, metrics: Map<String, Value>| {
        json!({
            "name": name,
            "scorer": name,
            "scored_samples": n,
            "unscored_samples": total - n.min(total),
            "params": {},
            "metrics": metrics,
        })
    };
    let mut scores = vec![score(name, rate.n, metrics)];
    if summary.profile != Profile::Execution {
        return scores;
    }
    for beside in BESIDE {
        let rate = beside.rate(all);
        if let Some(value) = rate.value() {
            let metrics = Map::from_iter([("accuracy".to_owned(), metric("accuracy", value))]);
            scores.push(score(beside.key(), rate.n, metrics));
        }
    }
    if let Some(mean) = all.rouge_l.mean {
        let metrics = Map::from_iter([("mean".to_owned(), metric("mean", mean))]);
        scores.push(score("rouge_l", all.rouge_l.n, metrics));
    }
    scores
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.total(),
    })
}

fn step(sample: &SampleRecord, model: &str) -> Value {
    let mut messages: Vec<Value> = sample.messages.iter().map(message).collect();
    let mut step = json!({
        "id": sample.untried(),
        "epoch": sample.trial,
        "input": messages,
        "target": expected(sample),
        "metadata": {
            "ability": sample.ability,
            "dialogue": sample.dialogue,
            "turn": sample.turn,
            "kind": sample.kind,
            "tools": sample.tools,
            "parsed": sample.parsed,
            "effect": sample.effect.as_deref(),
            "attempts": sample.attempts,
        },
        "started_at": time(sample.times.started_ms),
        "completed_at": time(sample.times.started_ms.saturating_add(sample.times.latency_ms)),
        "total_time": sample.times.latency_ms as f64 / 1000.0,
    });
    match &sample.outcome {
        Outcome::Answered(answer) => {
            let said = assistant(answer, model);
            // An episode's messages include the answers.
            if sample.episode.is_none() {
                messages.push(said.clone());
            }
            step["output"] = output(answer, said, model);
            step["scores"] = verdicts(sample);
            if let Some(tokens) = answer.usage {
                let usages = Map::from_iter([(model.to_owned(), usage(tokens))]);
                step["model_usage"] = Value::Object(usages);
            }
        }
        Outcome::Failed { message, .. } => {
            step["error"] = json!({"message": message, "traceback": "", "traceback_ansi": ""});
        }
    }
    step["messages"] = json!(messages);
    step
}

fn message(message: &Message) -> Value {
    let content = &*message.content;
    match message.role {
        Role::System => json!({"role": "system", "content": content}),
        Role::User => json!({"role": "user", "content": content}),
        Role::Tool => {
            json!({"role": "tool", "content": content, "tool_call_id": message.call_id})
        }
        Role::Assistant => {
            let mut said = json!({"role": "assistant", "content": content});
            add_calls(&mut said, &message.calls);
            said
        }
    }
}

fn add_calls(said: &mut Value, calls: &[ToolCall]) {
    if calls.is_empty() {
        return;
    }
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| match serde_json::from_str(&call.arguments) {
            Ok(Value::Object(arguments)) => json!({
                "id": call.id, "function": call.name, "type": "function", "arguments": arguments,
            }),
            _ => json!({
                "id": call.id, "function": call.name, "type": "function", "arguments": {},
                "parse_error": format!("expected a JSON object, got {}", call.arguments),
            }),
        })
        .collect();
    said["tool_calls"] = json!(calls);
}

fn assistant(answer: &Answer, model: &str) -> Value {
    let content = match &answer.reasoning {
        None => json!(answer.text),
        Some(reasoning) => json!([
            {"type": "reasoning", "reasoning": reasoning},
            {"type": "text", "text": answer.text},
        ]),
    };
    let mut said = json!({
        "role": "assistant", "content": content, "source": "generate", "model": model,
    });
    add_calls(&mut said, &answer.calls);
    said
}

fn output(answer: &Answer, said: Value, model: &str) -> Value {
    let stop = match answer.finish_reason.as_deref() {
        Some("stop" | "end_turn" | "completed") => "stop",
        Some("length" | "max_tokens" | "max_output_tokens") => "max_tokens",
        Some("tool_calls" | "tool_use") => "tool_calls",
        Some("content_filter" | "refusal") => "content_filter",
        _ => "unknown",
    };
    let mut output = json!({
        "model": model,
        "choices": [{"message": said, "stop_reason": stop}],
        "completion": answer.text,
    });
    if let Some(tokens) = answer.usage {
        output["usage"] = usage(tokens);
    }
    output
}

/// One score per profile that counts the sample, per secondary metric, and a reply's ROUGE-L.
fn verdicts(sample: &SampleRecord) -> Value {
    let mut scores = Map::new();
    let said = received(sample);
    let value = |right: bool| if right { "C" } else { "I" };
    for profile in Profile::ALL.into_iter().filter(|&profile| sample.counts_for(profile)) {
        if let Some(verdict) = sample.verdict(profile) {
            let mut score = json!({
                "value": value(verdict.correct),
                "answer": said,
                "explanation": verdict.explanation,
            });
            if let Some(class) = verdict.error_class {
                score["metadata"] = json!({"error_class": class});
            }
            scores.insert(profile.as_str().to_owned(), score);
        }
    }
    for beside in BESIDE {
        if let Some(right) = beside.verdict(sample) {
            let score = json!({"value": value(right), "answer": said});
            scores.insert(beside.key().to_owned(), score);
        }
    }
    if let Some(value) = sample.rouge_l {
        scores.insert("rouge_l".to_owned(), json!({"value": value, "answer": said}));
    }
    Value::Object(scores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;

    #[test]
    fn a_repeated_call_with_trials_is_listed_once() {
        let frame = Record::from_json(include_str!("../../tests/data/record_v1.json")).unwrap();
        let mut log = Log::new(&frame, Vec::new()).unwrap();
        let first = call(Ability::Call, "call/a", 1, "Wiki", Some(true));
        let repeated = SampleRecord { id: format!("{}r", first.id), ..first.clone() };
        for trial in [1, 2] {
            for sample in [&first, &repeated] {
                let id = if trial == 1 { sample.id.clone() } else { format!("{}@2", sample.id) };
                log.sample(&SampleRecord { id, trial, ..sample.clone() }).unwrap();
            }
        }
        let log: Value = serde_json::from_slice(&log.finish().unwrap()).unwrap();
        assert_eq!(log["eval"]["dataset"]["samples"], 2);
    }
}
