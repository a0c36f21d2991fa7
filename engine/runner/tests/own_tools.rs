//! A pack of own tools runs, is verified and compared as any other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot read its data has failed"
)]

#[allow(dead_code, unused_imports, reason = "the benchmark is of own tools")]
mod support;

use apis::Arguments;
use dataset::own_tools::{ToolsFile, example};
use exchange::Answer;
use exchange::protocol::{Protocol, Sample, ask, samples};
use record::metrics::own_tools;
use record::{Baseline, Limits, Model, Record, RunSettings, SettingsError};
use runner::benchmark::Benchmark;
use runner::{answered, check, verify};
use scoring::{ErrorClass, Profile};
use serde_json::{Value, json};

fn shop() -> ToolsFile {
    ToolsFile::read(example::PACK).unwrap()
}

fn bench(file: ToolsFile) -> Benchmark {
    Benchmark::own_tools(file.into_pack().unwrap())
}

fn run(bench: &Benchmark, name: Baseline, protocol: Protocol) -> Record {
    let settings = RunSettings { protocol, ..RunSettings::new(Model::Builtin { name }) };
    check(bench, &settings).unwrap();
    support::run(bench, &settings)
}

fn calls(record: &Record) -> (usize, usize) {
    let rate = record.summary.rows.last().unwrap().calls;
    (rate.right, rate.n)
}

#[test]
fn gold_is_right_and_every_record_is_verified() {
    let bench = bench(shop());
    let gold: Vec<_> = [Protocol::Bracket, Protocol::Tools, Protocol::AllTools]
        .map(|protocol| run(&bench, Baseline::GoldReplay, protocol))
        .into();
    let keyword = run(&bench, Baseline::KeywordBaseline, Protocol::Tools);
    for record in &gold {
        let (right, n) = calls(record);
        assert!(right == n && n > 40, "{right} of {n}");
        let wrong = record.samples.iter().filter_map(|sample| sample.verdict(Profile::Execution));
        assert_eq!(wrong.filter(|verdict| !verdict.correct).count(), 0);
    }
    let (right, n) = calls(&keyword);
    assert!(right > n / 5 && right < n, "the keyword baseline is no floor: {right} of {n}");
    for record in gold.iter().chain([&keyword]) {
        let bytes = serde_json::to_vec(record).unwrap();
        let verified = verify(|| Ok(bytes.as_slice()), &bench, &Limits::DISK, |_, _| {}).unwrap();
        assert_eq!(verified.differences, []);
    }
    let report = own_tools(&keyword.samples, Profile::Execution).unwrap();
    let of =
        |rows: usize| report.rows.iter().map(|row| row.called.iter().sum::<usize>()).take(rows);
    assert_eq!(report.rows.len(), 13, "twelve tools and the steps without a call");
    assert_eq!(of(13).sum::<usize>(), n + report.rows.last().unwrap().rate.n);
    // A record is of its pack alone.
    let mut other = shop();
    other.tools[0].description.push_str(" Prices are in euros.");
    let other = self::bench(other);
    let bytes = serde_json::to_vec(&keyword).unwrap();
    assert!(verify(|| Ok(bytes.as_slice()), &other, &Limits::DISK, |_, _| {}).is_err());
}

#[test]
fn a_changed_description_is_a_paired_difference() {
    let before = run(&bench(shop()), Baseline::KeywordBaseline, Protocol::Tools);
    let mut changed = shop();
    let tool = changed.tools.iter_mut().find(|tool| tool.name == "cancel_order").unwrap();
    tool.description = "Where is my parcel? Where is it?".to_owned();
    let after = run(&bench(changed), Baseline::KeywordBaseline, Protocol::Tools);
    let against = record::compare::against(&before, &after, Profile::Execution);
    assert_eq!(against.unmatched, 0);
    assert!(against.caveats.iter().any(|caveat| caveat.starts_with("The data set differs")));
    let total = against.rows.last().unwrap().paired;
    assert!(total.difference < 0.0 && total.only_first > 0.0, "{total:?}");
}

/// The error class of an answer to the first sample that asks for a call of `dialogue`, and the wrong
/// parameter.
fn judged(
    bench: &Benchmark,
    dialogue: &str,
    name: &str,
    arguments: Value,
) -> (Option<ErrorClass>, Option<String>) {
    let samples = samples(&bench.pack);
    let of = |it: &&Sample<'_>| it.dialogue.id == dialogue && it.gold_call().is_some();
    let sample = samples.iter().find(of).unwrap();
    let arguments: Arguments = arguments.as_object().unwrap().clone();
    let text = exchange::call::format(name, &arguments);
    let prompts = exchange::protocol::Prompts::builtin(Protocol::Bracket);
    let asked = ask(Protocol::Bracket, prompts, sample, &bench.world);
    let answer = Answer { text, ..Answer::default() };
    let record = answered(bench, Protocol::Bracket, sample, asked, answer);
    let verdict = record.verdicts.unwrap().execution;
    (verdict.error_class, verdict.parameter)
}

#[test]
fn calls_are_judged_by_schema_and_declarations() {
    use ErrorClass::*;
    let bench = bench(shop());
    let boots =
        |reason: &str| json!({"order_id": "10311", "product_id": "P-522", "reason": reason});
    let cart = |quantity: Value| json!({"product_id": "P-701", "quantity": quantity});
    let cancel = |reason: &str| json!({"order_id": "10519", "reason": reason});
    for (dialogue, name, arguments, wrong) in [
        ("return-small", "return_item", boots("too_small"), None),
        ("return-small", "return_item", boots("too_large"), Some((WrongResult, "reason"))),
        ("return-small", "return_item", boots("tiny"), Some((InvalidInputParameters, "reason"))),
        ("return-small", "return_item", json!({}), Some((MissingInputParameters, "order_id"))),
        ("return-small", "cancel_order", json!({"order_id": "10311"}), Some((WrongApi, ""))),
        ("return-small", "AddAlarm", json!({}), Some((ApiHallucination, ""))),
        ("cart-three", "add_to_cart", json!({"product_id": "P-130", "quantity": "3"}), None),
        ("cart-one", "add_to_cart", cart(json!(1)), None),
        ("cart-one", "add_to_cart", cart(json!(2)), Some((WrongResult, "quantity"))),
        ("cart-one", "add_to_cart", cart(json!([1])), Some((InvalidInputParameters, "quantity"))),
        ("cancel", "cancel_order", cancel("It was a mistake"), None),
        ("cancel", "cancel_order", cancel("too expensive"), Some((WrongResult, "reason"))),
        ("search-tent", "search_products", json!({"query": "tent for 2 people"}), None),
    ] {
        let (class, parameter) =
            judged(&bench, &format!("tools/{dialogue}"), name, arguments.clone());
        let found = class.map(|class| (class, parameter.as_deref().unwrap_or_default()));
        assert_eq!(found, wrong, "{dialogue}: {name}{arguments}");
    }
}

#[test]
fn a_tool_with_the_name_of_a_built_in_api_is_the_packs_own() {
    let text = json!({
        "schema": "api-bank-tools", "schema_version": 1, "name": "n", "version": "1",
        "written_by": "acme/writer-1",
        "tools": [{"name": "AddAlarm", "description": "Sets the alarm of a car.", "parameters":
            {"type": "object", "properties": {"plate": {"type": "string"}}, "required": ["plate"]}}],
        "dialogues": [{"id": "a", "turns": [
            {"role": "User", "text": "Arm the alarm of KX-77."},
            {"role": "API", "api_name": "AddAlarm", "param_dict": {"plate": "KX-77"},
             "result": {"api_name": "AddAlarm", "output": "armed"}},
            {"role": "AI", "text": "It is armed."}]}],
    });
    let bench = bench(ToolsFile::read(&text.to_string()).unwrap());
    let record = run(&bench, Baseline::GoldReplay, Protocol::Tools);
    assert_eq!(calls(&record), (1, 1));
    let call = record.samples.iter().find(|sample| sample.verdicts.is_some()).unwrap();
    assert_eq!(call.gold_effect.as_ref().unwrap().result.output, Some(json!("armed")));
    let arguments = json!({"token": "x", "time": "2026-01-01 08:00:00"});
    let (class, parameter) = judged(&bench, "tools/a", "AddAlarm", arguments);
    assert_eq!(class, Some(ErrorClass::MissingInputParameters));
    assert_eq!(parameter.as_deref(), Some("plate"));

    let settings = |protocol| RunSettings { protocol, ..RunSettings::new(record.model.clone()) };
    for protocol in [Protocol::Agent, Protocol::Paper] {
        assert_eq!(check(&bench, &settings(protocol)), Err(SettingsError::OwnTools(protocol)));
    }
    // The record names who wrote the tasks; running that model on them is marked.
    assert_eq!(record.pack.tools.as_ref().unwrap().written_by.as_deref(), Some("acme/writer-1"));
    assert_eq!(record::disclosure::wrote_tasks(&record), None);
    let endpoint = json!({"provider": "endpoint", "base_url": "http://localhost", "model": "Writer-1-2026-01-01"});
    let mut value = serde_json::to_value(&record).unwrap();
    value["model"] = endpoint;
    let own: Record = serde_json::from_value(value).unwrap();
    assert_eq!(record::disclosure::wrote_tasks(&own), Some("acme/writer-1"));
}
