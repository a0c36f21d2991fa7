//! Export to Every Eval Ever, schema 0.3.0: the aggregate file, and the samples as JSON lines.
//!
//! Source: `eval.schema.json` and `instance_level_eval.schema.json` of the package
//! `every-eval-ever` 0.3.0; a test validates exports with them. The samples have the verdict of the
//! profile `execution` and the ROUGE-L of replies; unscored samples are left out.

use super::evallog;
use super::lost;
use crate::leaderboard::command;
use crate::{
    AbilityRow, Model, Outcome, Record, RecordError, SampleRecord, Summarizer, Summary, expected,
    received, retriever_title,
};
use dataset::Ability;
use exchange::protocol::Message;
use scoring::{Interval, IntervalMethod, Profile};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::io::Write;

/// The version of both schemas.
const VERSION: &str = "0.3.0";
/// The evaluation's folder in the datastore.
const FOLDER: &str = "api-bank";
/// The id of the results that samples refer to.
const EXECUTION: &str = "execution";
const ROUGE_L: &str = "rouge_l";

/// Fields that both files share.
#[derive(Debug)]
struct Names {
    evaluation: String,
    /// `developer/model`.
    model: String,
    /// The evaluation's name.
    title: String,
}

impl Names {
    fn of(record: &Record) -> Self {
        let title = format!("{FOLDER}/{}", record.protocol.as_str());
        let model = model(record);
        let seconds = record.times.finished_ms / 1000;
        Names { evaluation: format!("{title}/{model}/{seconds}"), model, title }
    }
}

/// The model's id: as the endpoint names it if that has a developer, else with the preset's.
fn model(record: &Record) -> String {
    match &record.model {
        Model::Endpoint(endpoint) if endpoint.model.contains('/') => endpoint.model.clone(),
        _ => evallog::model(record),
    }
}

/// The samples file in progress.
#[derive(Debug)]
pub struct Samples<W> {
    out: W,
    names: Names,
}

impl<W: Write> Samples<W> {
    pub(super) fn new(record: &Record, out: W) -> Self {
        Samples { out, names: Names::of(record) }
    }

    pub(super) fn sample(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        match row(&self.names, sample) {
            Some(row) => writeln!(self.out, "{row}").map_err(|error| lost(&error)),
            None => Ok(()),
        }
    }

    pub(super) fn finish(mut self) -> Result<W, RecordError> {
        self.out.flush().map_err(|error| lost(&error))?;
        Ok(self.out)
    }
}

/// The aggregate file in progress.
#[derive(Debug)]
pub struct Aggregate<W> {
    out: W,
    head: Value,
    names: Names,
    /// Describes the data, for each result.
    data: Value,
    generation: Value,
    profiles: Vec<Summarizer>,
    /// Of the samples file.
    hash: Sha256,
    rows: usize,
    path: String,
}

impl<W: Write> Aggregate<W> {
    pub(super) fn new(record: &Record, out: W) -> Self {
        let names = Names::of(record);
        Aggregate {
            out,
            head: head(record, &names),
            data: json!({
                "dataset_name": record.pack.name,
                "source_type": "other",
                "additional_details": {
                    "version": record.pack.full_version(),
                    "sha256": record.pack.digest,
                    "split": record.split.as_str(),
                },
            }),
            generation: generation(record),
            profiles: Profile::ALL.map(Summarizer::new).into(),
            hash: Sha256::new(),
            rows: 0,
            path: path(record, &names),
            names,
        }
    }

    pub(super) fn sample(&mut self, sample: &SampleRecord) {
        self.profiles.iter_mut().for_each(|profile| profile.add(sample));
        if let Some(row) = row(&self.names, sample) {
            self.hash.update(format!("{row}\n"));
            self.rows += 1;
        }
    }

    pub(super) fn finish(mut self) -> Result<W, RecordError> {
        let summaries = std::mem::take(&mut self.profiles).into_iter().map(Summarizer::finish);
        let results: Vec<Value> = summaries.flat_map(|summary| self.results(&summary)).collect();
        self.head["evaluation_results"] = json!(results);
        self.head["detailed_evaluation_results"] = json!({
            "format": "jsonl",
            "file_path": self.path,
            "hash_algorithm": "sha256",
            "checksum": hex(self.hash.finalize().as_slice()),
            "total_rows": self.rows,
        });
        let text = serde_json::to_string_pretty(&self.head).map_err(|error| lost(&error))?;
        writeln!(self.out, "{text}").and_then(|()| self.out.flush()).map_err(|it| lost(&it))?;
        Ok(self.out)
    }

    /// A profile's results: all samples, and for the first profile each ability and the replies.
    fn results(&self, summary: &Summary) -> Vec<Value> {
        let profile = summary.profile;
        let is_first = profile == Profile::Execution;
        let mut results = Vec::new();
        for row in &summary.rows {
            if row.ability.is_some() && !is_first || row.kind.is_some() {
                continue;
            }
            // For episodes the dialogue is judged, otherwise each call.
            let rate = if row.calls.n > 0 { row.calls } else { row.dialogues };
            let Some(value) = rate.value() else { continue };
            let id = match row.ability {
                Some(ability) => format!("{}-{}", profile.as_str(), ability.as_str()),
                None => profile.as_str().to_owned(),
            };
            let numbers = Numbers { value, n: rate.n, interval: rate.interval };
            let method = summary.interval_method;
            results.push(self.result(&id, row.ability, "accuracy", &numbers, method));
        }
        let replies = |row: &AbilityRow| {
            let value = row.rouge_l.mean?;
            Some(Numbers { value, n: row.rouge_l.n, interval: None })
        };
        if let Some(numbers) = summary.rows.last().filter(|_| is_first).and_then(replies) {
            results.push(self.result(ROUGE_L, None, "rouge", &numbers, summary.interval_method));
        }
        results
    }

    fn result(
        &self,
        id: &str,
        ability: Option<Ability>,
        kind: &str,
        numbers: &Numbers,
        method: IntervalMethod,
    ) -> Value {
        let Numbers { value, n, interval } = numbers;
        let mut uncertainty = json!({"num_samples": n});
        if let Some(Interval { low, high }) = interval {
            uncertainty["confidence_interval"] = json!({
                "lower": low,
                "upper": high,
                "confidence_level": 0.95,
                "method": method,
            });
        }
        let name = match ability {
            Some(ability) => format!("{} ({})", self.names.title, ability.title()),
            None => self.names.title.clone(),
        };
        json!({
            "evaluation_result_id": id,
            "evaluation_name": name,
            "source_data": self.data,
            "metric_config": {
                "metric_id": format!("{FOLDER}.{id}"),
                "metric_name": id,
                "metric_kind": kind,
                "metric_unit": "proportion",
                "lower_is_better": false,
                "score_type": "continuous",
                "min_score": 0,
                "max_score": 1,
            },
            "score_details": {"score": value, "uncertainty": uncertainty},
            "generation_config": self.generation,
        })
    }
}

/// A score from 0 to 1.
struct Numbers {
    value: f64,
    n: usize,
    interval: Option<Interval>,
}

/// Everything but the results.
fn head(record: &Record, names: &Names) -> Value {
    let mut model = json!({"name": record.model.title(), "id": names.model});
    let mut deployment = "unknown";
    if let Model::Endpoint(endpoint) = &record.model {
        let facts = endpoint.preset.facts();
        if endpoint.preset != provider::Preset::Custom {
            deployment = if facts.is_local { "self_deployed" } else { "externally_managed" };
            if facts.is_local {
                model["inference_engine"] = json!({"name": facts.title});
            } else {
                model["inference_platform"] = json!(facts.title);
            }
        }
    }
    model["additional_details"] =
        json!({"deployment_type": deployment, "model_availability": "unknown"});
    json!({
        "schema_version": VERSION,
        "evaluation_id": names.evaluation,
        "evaluation_timestamp": (record.times.started_ms / 1000).to_string(),
        "retrieved_timestamp": (record.times.finished_ms / 1000).to_string(),
        "source_metadata": {
            "source_name": "API-Bank in the browser",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": {"record_sha256": record.digest, "build": record.app.build},
        },
        "eval_library": {"name": "api-bank", "version": record.app.version},
        "model_info": model,
    })
}

/// The settings that determine the answers.
fn generation(record: &Record) -> Value {
    let mut arguments = Map::new();
    if let Model::Endpoint(endpoint) = &record.model {
        for (name, value) in [
            ("temperature", json!(endpoint.temperature)),
            ("top_p", json!(endpoint.top_p)),
            ("max_tokens", json!(endpoint.max_tokens)),
        ] {
            if !value.is_null() && !record.dropped_parameters.iter().any(|it| it == name) {
                arguments.insert(name.to_owned(), value);
            }
        }
    }
    arguments.insert("execution_command".to_owned(), json!(command(record, "record.json")));
    if let Some(limit) = record.turn_limit {
        arguments.insert("eval_limits".to_owned(), json!({"message_limit": limit}));
    }
    json!({
        "generation_args": arguments,
        "additional_details": {
            "protocol": record.protocol.as_str(),
            "prompts": record.prompts,
            "prompts_sha256": record.prompts_digest,
            "trials": record.trials.to_string(),
            "seed": record.seed.to_string(),
            "described_apis": record.described_apis.as_str(),
            "search_results": record.search.results.as_str(),
            "retriever": retriever_title(record.search.retriever.as_ref()),
        },
    })
}

/// The samples file's place in the datastore. Its name is a UUID made from the record's digest.
fn path(record: &Record, names: &Names) -> String {
    let (developer, model) = names.model.split_once('/').unwrap_or(("unknown", &names.model));
    format!(
        "data/{FOLDER}/{}/{}/{}_samples.jsonl",
        segment(developer),
        segment(model),
        uuid(record)
    )
}

/// A version 4 UUID with the digits of the record's digest.
fn uuid(record: &Record) -> String {
    let hash = hex(Sha256::digest(record.digest.as_bytes()).as_slice());
    let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

/// A path segment; other characters become underscores.
fn segment(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let safe: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if safe.trim_matches('.').is_empty() { "unknown".to_owned() } else { safe }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A scored sample; `None` for one without a score.
fn row(names: &Names, sample: &SampleRecord) -> Option<Value> {
    let Outcome::Answered(answer) = &sample.outcome else { return None };
    let (id, score, correct) = match (&sample.verdicts, sample.rouge_l) {
        (Some(verdicts), _) if sample.counts_for(Profile::Execution) => {
            let correct = verdicts.execution.correct;
            (EXECUTION, f64::from(u8::from(correct)), correct)
        }
        // A reply is not right or wrong; only an equal one is certainly right.
        (_, Some(score)) => (ROUGE_L, score, score >= 1.0),
        _ => return None,
    };
    let last = sample.messages.iter().rev().find(|it| it.role == exchange::protocol::Role::User);
    let input = last.map_or("", |it| &*it.content);
    let reference = expected(sample);
    let mut row = json!({
        "schema_version": VERSION,
        "evaluation_id": names.evaluation,
        "model_id": names.model,
        "evaluation_name": names.title,
        "evaluation_result_id": id,
        "sample_id": sample.id,
        "sample_hash": hex(Sha256::digest(format!("{input}{reference}")).as_slice()),
        "interaction_type": "single_turn",
        "input": {"raw": input, "reference": [reference]},
        "answer_attribution": [{
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": received(sample),
            "extraction_method": "custom",
            "is_terminal": true,
        }],
        "evaluation": {"score": score, "is_correct": correct},
        "performance": {
            "latency_ms": sample.times.latency_ms,
            "time_to_first_token_ms": sample.times.first_token_ms,
        },
        "metadata": metadata(sample),
    });
    if let Some(usage) = answer.usage {
        row["token_usage"] = json!({
            "input_tokens": usage.prompt_tokens,
            "output_tokens": usage.completion_tokens,
            "total_tokens": usage.total(),
        });
    }
    match &sample.episode {
        Some(episode) => {
            let calls: usize = episode.steps.iter().map(|step| step.calls.len()).sum();
            let messages: Vec<Value> =
                sample.messages.iter().enumerate().map(|(index, it)| message(index, it)).collect();
            row["interaction_type"] = json!("agentic");
            row["answer_attribution"][0]["turn_idx"] = json!(messages.len().saturating_sub(1));
            row["answer_attribution"][0]["source"] = json!("messages[*].tool_calls");
            row["evaluation"]["num_turns"] = json!(messages.len());
            row["evaluation"]["tool_calls_count"] = json!(calls);
            row["messages"] = json!(messages);
        }
        None => {
            row["input"]["formatted"] = json!(json!(sample.messages).to_string());
            row["output"] = json!({"raw": [received(sample)]});
            if let Some(reasoning) = &answer.reasoning {
                row["output"]["reasoning_trace"] = json!([reasoning]);
            }
        }
    }
    Some(row)
}

fn metadata(sample: &SampleRecord) -> Value {
    let verdict = sample.verdicts.as_ref().map(|it| &it.execution);
    let class = verdict.and_then(|verdict| verdict.error_class);
    let mut metadata = json!({
        "ability": sample.ability.as_str(),
        "dialogue": sample.dialogue,
        "turn": sample.turn.to_string(),
        "trial": sample.trial.to_string(),
    });
    if let Some(class) = class {
        metadata["error_class"] = json!(class);
    }
    metadata
}

/// A message of an episode; the schema wants the arguments of calls as strings.
fn message(index: usize, message: &Message) -> Value {
    let calls = message.calls.iter().map(|call| {
        let read = serde_json::from_str::<Map<String, Value>>(&call.arguments);
        let arguments = read.map_or_else(
            |_| json!({"unreadable": call.arguments}),
            |read| read.into_iter().map(|(name, it)| (name, text(it))).collect(),
        );
        json!({"id": call.id, "name": call.name, "arguments": arguments})
    });
    let calls: Vec<Value> = calls.collect();
    let mut said = json!({"turn_idx": index, "role": message.role, "content": message.content});
    if !calls.is_empty() {
        said["tool_calls"] = json!(calls);
    }
    if let Some(id) = &message.call_id {
        said["tool_call_id"] = json!([id]);
    }
    said
}

fn text(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text),
        other => Value::String(other.to_string()),
    }
}
