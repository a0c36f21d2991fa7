//! Verdicts on calls in another form than the protocol's, and on calls in another Unicode form.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "shared with tests of whole runs")]
mod support;

use dataset::{Ability, RecordedCall, Split};
use exchange::Answer;
use exchange::call::{Form, format};
use exchange::protocol::{Ask, DescribedApis, Protocol, Sample, SampleKind, ToolCall, plan};
use record::SampleRecord;
use runner::answered;
use runner::benchmark::Benchmark;
use scoring::{ErrorClass, Profile};
use serde_json::{Value, json};
use support::bench;
use unicode_normalization::UnicodeNormalization;

/// A call in a form.
type Written = fn(&RecordedCall) -> String;

fn object(call: &RecordedCall) -> String {
    Value::Object(call.param_dict.clone()).to_string()
}

fn named(call: &RecordedCall) -> String {
    json!({"name": call.api_name, "arguments": call.param_dict}).to_string()
}

fn parameters(call: &RecordedCall, tag: fn(&str, &str) -> String) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    call.param_dict.iter().map(|(key, value)| tag(key, &text(value))).collect()
}

const FORMS: [(Form, Written); 10] = [
    (Form::ToolCallTag, |call| format!("<tool_call>\n{}\n</tool_call>", named(call))),
    (Form::PythonTag, |call| format!("<|python_tag|>{}", named(call))),
    (Form::ToolCalls, |call| format!("[TOOL_CALLS]{}[ARGS]{}", call.api_name, object(call))),
    (Form::FunctionTag, |call| format!("<function={}>{}</function>", call.api_name, object(call))),
    (Form::Xml, |call| {
        let inside =
            parameters(call, |key, value| format!("<parameter={key}>\n{value}\n</parameter>\n"));
        format!("<tool_call>\n<function={}>\n{inside}</function>\n</tool_call>", call.api_name)
    }),
    (Form::Harmony, |call| {
        format!(
            "<|channel|>analysis<|message|>Perhaps [DeleteAccount(token='abc')]?<|end|><|start|>assistant\
             <|channel|>commentary to=functions.{} <|constrain|>json<|message|>{}<|call|>",
            call.api_name,
            object(call)
        )
    }),
    (Form::Deepseek, |call| {
        format!(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{}\n```json\n{}\n```<｜tool▁call▁end｜>",
            call.api_name,
            object(call)
        )
    }),
    (Form::Json, |call| format!("```json\n{}\n```", named(call))),
    (Form::Lines, |call| format!("Action: {}\nAction Input: {}", call.api_name, object(call))),
    (Form::Entities, |call| {
        format(&call.api_name, &call.param_dict).replace('"', "&quot;").replace('\'', "&#39;")
    }),
];

fn samples<'a>(bench: &'a Benchmark, protocol: Protocol, split: Split) -> Vec<Sample<'a>> {
    let apis = DescribedApis::default();
    plan(protocol, &bench.pack, split, &Ability::ALL, 1, apis).samples
}

fn judged(
    bench: &Benchmark,
    protocol: Protocol,
    sample: &Sample<'_>,
    text: String,
) -> SampleRecord {
    let answer = Answer { text, ..Answer::default() };
    answered(bench, protocol, sample, Ask::default(), answer)
}

fn class(record: &SampleRecord, profile: Profile) -> Option<ErrorClass> {
    record.verdict(profile).unwrap().error_class
}

#[test]
fn a_right_call_in_another_form_is_a_fault_of_form() {
    let bench = bench();
    for protocol in [Protocol::Tools, Protocol::Bracket] {
        for sample in samples(&bench, protocol, Split::Standard).iter().step_by(7) {
            // Without texts there are no quotation marks to spell otherwise.
            let gold = sample.gold_call();
            let gold = gold.filter(|gold| gold.param_dict.values().any(Value::is_string));
            let Some(gold) = gold else { continue };
            for (form, written) in FORMS {
                let text = written(gold);
                let record = judged(&bench, protocol, sample, text.clone());
                for profile in Profile::ALL {
                    let class = class(&record, profile);
                    assert_eq!(class, Some(ErrorClass::FalseApiCallFormat), "{text}");
                }
                let why = &record.verdict(Profile::Execution).unwrap().explanation;
                assert!(why.contains(form.title()), "{text}: {why}");
                let other = record.other_form.unwrap();
                assert_eq!(other.form, form, "{text}");
                let forgiven = other.forgiven.unwrap().execution;
                assert!(forgiven.correct, "{} {text}: {forgiven:?}", sample.id());
                assert_eq!(record.parsed.unwrap().name, gold.api_name, "{text}");
            }
        }
    }
}

#[test]
fn a_call_in_another_form_is_unneeded_where_no_call_is_right() {
    let bench = bench();
    let made = RecordedCall {
        api_name: "DeleteAccount".to_owned(),
        param_dict: json!({"token": "abc"}).as_object().unwrap().clone(),
        result: apis::ApiResult::failure("DeleteAccount", Value::Null, ""),
        alternatives: Vec::new(),
        declared: dataset::Declared::default(),
    };
    for protocol in [Protocol::Tools, Protocol::Bracket] {
        let samples = samples(&bench, protocol, Split::Hard);
        let steps = samples.iter().filter(|sample| sample.kind == SampleKind::Restraint).step_by(9);
        for sample in steps {
            let mut texts: Vec<String> = FORMS.iter().map(|(_, written)| written(&made)).collect();
            texts.push("<tool_call>{\"name\": \"DeleteAccount\", \"argum".to_owned());
            texts.push("[DeleteAccount(token='abc')]".to_owned());
            texts.push("[DeleteAccount(token=".to_owned());
            for text in texts {
                let record = judged(&bench, protocol, sample, text.clone());
                for profile in Profile::ALL {
                    let class = class(&record, profile);
                    assert_eq!(class, Some(ErrorClass::UnneededApiCall), "{protocol:?} {text}");
                }
                assert!(record.other_form.is_none_or(|other| other.forgiven.is_none()));
            }
        }
    }
}

#[test]
fn calls_are_right_in_every_unicode_form() {
    let bench = bench();
    let mut seen = 0;
    for split in [Split::Standard, Split::Hard] {
        for sample in &samples(&bench, Protocol::Bracket, split) {
            let Some(gold) = sample.gold_call() else { continue };
            let text = format(&gold.api_name, &gold.param_dict);
            let apart: String = text.nfd().collect();
            if apart == text {
                continue;
            }
            seen += 1;
            let arguments: String = object(gold).nfd().collect();
            let call = ToolCall { id: "1".to_owned(), name: gold.api_name.clone(), arguments };
            let native = Answer { calls: vec![call], ..Answer::default() };
            let records = [
                judged(&bench, Protocol::Bracket, sample, apart),
                answered(&bench, Protocol::Tools, sample, Ask::default(), native),
            ];
            for record in records {
                for profile in Profile::ALL {
                    let verdict = record.verdict(profile).unwrap();
                    assert!(verdict.correct, "{} {profile:?}: {verdict:?}", sample.id());
                }
            }
        }
    }
    assert!(seen > 20, "{seen} calls with letters that have two forms");
}

#[test]
fn a_template_in_a_name_is_a_fault_of_form() {
    let bench = bench();
    for sample in samples(&bench, Protocol::Tools, Split::Standard).iter().step_by(11) {
        let Some(gold) = sample.gold_call() else { continue };
        for name in ["functions.{}", "{}<|channel|>commentary", "functions.{}:0"] {
            let name = name.replace("{}", &gold.api_name);
            let call = ToolCall { id: "1".to_owned(), name, arguments: object(gold) };
            let answer = Answer { calls: vec![call], ..Answer::default() };
            let record = answered(&bench, Protocol::Tools, sample, Ask::default(), answer);
            assert_eq!(class(&record, Profile::Execution), Some(ErrorClass::FalseApiCallFormat));
            assert!(record.other_form.unwrap().forgiven.unwrap().execution.correct);
        }
    }
}
