//! `api-bank samples` and `judge`: the prompts and the verdicts of a run, for programs that ask the
//! model themselves.

use crate::choice::{EditionChoice, one_of};
use crate::options::{Asked, Options};
use crate::{FINISHED, INCOMPLETE, Usage, retriever, run};
use anyhow::Result;
use clap::Args;
use dataset::encoding::Utf8Reader;
use dataset::{Ability, Split};
use exchange::Answer;
use exchange::protocol::{Ask, Protocol, Sample, ToolCall, ask_after, history};
use record::{Baseline, Model, RunSettings, SampleRecord, Subset, expected};
use runner::benchmark::Benchmark;
use runner::{answered, in_run};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::path::PathBuf;

/// The protocols that ask one question per sample.
const PROTOCOLS: [Protocol; 3] = [Protocol::Bracket, Protocol::Tools, Protocol::AllTools];

/// The longest line that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Which samples. The defaults are those of `run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    asked: Options<Asked>,
    /// The split: the evaluation set, or the 144 hard dialogues.
    #[arg(long, value_parser = one_of(&Split::ALL, Split::as_str), default_value = "standard")]
    split: Split,
    /// The abilities; the hard split has only Call.
    #[arg(
        long, value_delimiter = ',', value_parser = one_of(&Ability::ALL, Ability::as_str), default_value = "call,retrieve,plan"
    )]
    abilities: Vec<Ability>,
    /// The subset of the data, as in `run`.
    #[arg(long, value_parser = run::subset, default_value = "all")]
    subset: Subset,
    /// The original's data, as in `run`; by default the project's own.
    #[arg(long, value_name = "PATH")]
    pack: Vec<PathBuf>,
    #[command(flatten)]
    edition: EditionChoice,
    /// What answers searches, as in `run`: builtin, bm25, oracle or a folder.
    #[arg(long, value_name = "NAME|DIR")]
    retriever: Option<PathBuf>,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults to `search` beside the
    /// program, else to the cache.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// The data with the settings of the samples.
struct Setup {
    bench: Benchmark,
    settings: RunSettings,
}

impl Setup {
    fn of(arguments: &Arguments) -> Result<Self> {
        // Which model answers is unknown here, and does not matter.
        let mut settings = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
        arguments.asked.apply(&mut settings);
        if !PROTOCOLS.contains(&settings.protocol) {
            let known = PROTOCOLS.map(Protocol::as_str).join(", ");
            return Err(Usage(format!(
                "--protocol: expected one of {known}, which ask one question per sample"
            ))
            .into());
        }
        settings.split = arguments.split;
        settings.abilities.clone_from(&arguments.abilities);
        settings.subset = arguments.subset.clone();
        settings.edition = arguments.edition.edition();
        let own = retriever::Named::of_run(arguments.retriever.as_deref())?;
        settings.retriever = own.setting();
        let bench = run::bench(&arguments.pack, arguments.search_files.as_deref())?;
        let bench = own.offered(bench.edition(settings.edition)?)?;
        runner::check(&bench, &settings).map_err(|error| Usage(error.to_string()))?;
        Ok(Setup { bench: bench.prepared(&settings), settings })
    }

    fn ask(&self, sample: &Sample<'_>) -> Ask {
        let (protocol, bench) = (self.settings.protocol, self.bench.of_sample(sample));
        let before = history(protocol, sample, &bench.world);
        ask_after(protocol, self.settings.prompts(), sample, &before, &bench.world)
    }

    /// The record of an answer to a sample, with its verdicts.
    fn answered(&self, sample: &Sample<'_>, ask: Ask, answer: Answer) -> SampleRecord {
        answered(&self.bench.of_sample(sample), self.settings.protocol, sample, ask, answer)
    }
}

/// Prints one JSON line per sample: id, prompt, tools and gold.
pub(crate) fn samples(arguments: &Arguments) -> Result<u8> {
    let setup = Setup::of(arguments)?;
    let mut out = stdout().lock();
    for sample in in_run(&setup.bench, &setup.settings) {
        let ask = setup.ask(&sample);
        let tools = ask.tools.clone();
        let record = setup.answered(&sample, ask, Answer::default());
        let line = json!({
            "id": record.id,
            "dialogue": record.dialogue,
            "turn": record.turn,
            "ability": record.ability,
            "kind": record.kind,
            "rated": record.counts_for(scoring::Profile::Execution),
            "messages": record.messages,
            "tools": tools,
            "target": expected(&record),
        });
        writeln!(out, "{line}")?;
    }
    Ok(FINISHED)
}

/// An answer to judge.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    /// The sample's id, as `samples` prints it.
    id: String,
    #[serde(default)]
    text: String,
    /// Native tool calls.
    #[serde(default)]
    calls: Vec<GivenCall>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenCall {
    name: String,
    /// An object, or its JSON text as the model wrote it.
    #[serde(default)]
    arguments: Value,
}

/// Reads answers as JSON lines from standard input, and prints the verdicts on each at once.
pub(crate) fn judge(arguments: &Arguments) -> Result<u8> {
    let setup = Setup::of(arguments)?;
    let samples: BTreeMap<String, Sample<'_>> =
        in_run(&setup.bench, &setup.settings).into_iter().map(|it| (it.id(), it)).collect();
    let (mut input, mut out) = (BufReader::new(Utf8Reader::new(stdin().lock())), stdout().lock());
    let mut code = FINISHED;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        // One line, but never more than fits in memory.
        let read = std::io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let text = str::from_utf8(&line)
            .map_err(|error| format!("line {number}: expected UTF-8, found {error}"));
        let judged = text.and_then(|it| verdicts(&setup, &samples, it)).unwrap_or_else(|reason| {
            code = INCOMPLETE;
            json!({"error": reason})
        });
        writeln!(out, "{judged}")?;
        out.flush()?;
    }
    Ok(code)
}

/// The verdicts on a line, or why there are none.
fn verdicts(
    setup: &Setup,
    samples: &BTreeMap<String, Sample<'_>>,
    line: &str,
) -> Result<Value, String> {
    let given: Given = serde_json::from_str(line)
        .map_err(|error| format!("expected {{\"id\", \"text\", \"calls\"}}: {error}"))?;
    let sample = samples
        .get(&given.id)
        .ok_or_else(|| format!("id: this selection has no sample {:?}", given.id))?;
    let calls = given.calls.into_iter().enumerate().map(|(index, call)| ToolCall {
        id: exchange::protocol::tools::call_id(index + 1),
        name: call.name,
        arguments: match call.arguments {
            Value::String(text) => text,
            Value::Null => "{}".to_owned(),
            other => other.to_string(),
        },
    });
    let answer = Answer { text: given.text, calls: calls.collect(), ..Answer::default() };
    let record = setup.answered(sample, setup.ask(sample), answer);
    Ok(json!({
        "id": record.id,
        "verdicts": record.verdicts,
        "rouge_l": record.rouge_l,
        "call": record.parsed,
        "other_form": record.other_form,
    }))
}
