//! Runs the Inspect task on a mock model that answers as a recorded run, and compares the scores.

use crate::support::{api_bank, read_record, rows, searchable, small_run, text};
use record::Outcome;
use scoring::Profile;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the task on the answers in a file, and prints its scores as JSON. Without token counts, the
/// mock model would download a tokenizer.
const EVAL: &str = "\
import json, sys
from inspect_ai import eval
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall
from api_bank_inspect import api_bank
protocol, answers, logs = sys.argv[1:]
answers = json.load(open(answers))
task = api_bank(protocol=protocol, subset=2, seed=5)
def output(sample):
    answer = answers[sample.id]
    calls = [ToolCall(id=call['id'], function=call['name'], arguments=json.loads(call['arguments']))
             for call in answer.get('calls', [])]
    said = ChatMessageAssistant(content=answer['text'], tool_calls=calls or None)
    return ModelOutput(model='mockllm', choices=[ChatCompletionChoice(message=said)],
                       usage=ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2))
model = get_model('mockllm/model', custom_outputs=[output(sample) for sample in task.dataset])
log = eval(task, model=model, max_samples=1, max_connections=1, log_dir=logs, display='none')[0]
assert log.status == 'success', log.error
print(json.dumps({
    'n': len(log.samples),
    'tools': [len(sample.metadata['tools']) for sample in log.samples],
    'scores': {score.name: score.metrics['accuracy'].value for score in log.results.scores},
}))
";

#[test]
fn inspect_gives_the_verdicts_of_a_run() {
    let Some(packages) = std::env::var_os("API_BANK_INSPECT_AI") else {
        const ADVICE: &str = "Inspect runs the task: run `cargo xtask test`";
        assert!(!fixtures::is_ci(), "{ADVICE}");
        eprintln!("SKIPPED: {ADVICE}");
        return;
    };
    if !searchable("the Inspect task") {
        return;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/inspect");
    let path = std::env::join_paths([packages.into(), package]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for protocol in ["tools", "bracket"] {
        let file = folder.path().join(format!("{protocol}.json"));
        assert!(small_run(&file, &["--protocol", protocol]).status.success());
        let record = read_record(&file);
        let answers: serde_json::Map<String, Value> = record
            .samples
            .iter()
            .map(|sample| match &sample.outcome {
                Outcome::Answered(answer) => (sample.id.clone(), json!(answer)),
                Outcome::Failed { message, .. } => panic!("{message}"),
            })
            .collect();
        let answers_file = folder.path().join("answers.json");
        fs::write(&answers_file, json!(answers).to_string()).unwrap();
        let output = Command::new("python3")
            .args(["-c", EVAL, protocol])
            .args([&answers_file, &folder.path().join("logs")])
            .env("PYTHONPATH", &path)
            .env("API_BANK", env!("CARGO_BIN_EXE_api-bank"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{protocol}: {}", text(&output.stderr));
        let inspected: Value = serde_json::from_slice(&output.stdout).unwrap();
        for profile in Profile::ALL {
            let summary = record::summarize(&record.samples, profile);
            let all = summary.rows.last().unwrap().calls;
            assert_eq!(inspected["n"], all.n, "{protocol}");
            let share = inspected["scores"][profile.as_str()].as_f64().unwrap();
            assert!((share - all.value().unwrap()).abs() < 1e-9, "{protocol}: {inspected}");
        }
        let offered = inspected["tools"].as_array().unwrap();
        assert!(offered.iter().all(|count| (count.as_u64() > Some(0)) == (protocol == "tools")));
    }
}

#[test]
fn an_answer_that_cannot_be_judged_is_told_and_the_next_one_is_judged() {
    if !searchable("judging answers") {
        return;
    }
    let selection = ["--protocol", "tools", "--subset", "call/already-covered"];
    let samples = rows(&api_bank(&[&["samples"], &selection[..]].concat(), "").stdout);
    let id = samples[0]["id"].as_str().unwrap();
    let tool = samples[0]["tools"][0]["name"].as_str().unwrap();
    let call = json!([{"name": tool, "arguments": {}}]);
    let lines = [
        "no json".to_owned(),
        json!({"id": "no/such#1"}).to_string(),
        String::new(),
        json!({"id": id, "calls": call}).to_string(),
        json!({"id": id, "text": "Done."}).to_string(),
    ];
    let output = api_bank(&[&["judge"], &selection[..]].concat(), &lines.join("\n"));
    assert_eq!(output.status.code(), Some(3));
    let judged = rows(&output.stdout);
    assert_eq!(judged.len(), 4, "{judged:?}");
    assert!(judged[0]["error"].as_str().unwrap().contains("expected"));
    assert!(judged[1]["error"].as_str().unwrap().contains("no/such#1"));
    assert_eq!(judged[2]["call"]["name"], tool);
    assert_eq!(judged[3]["verdicts"]["execution"]["error_class"], "no_api_call");
}
