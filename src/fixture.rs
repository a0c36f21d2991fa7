//! Sample records for unit tests.

use dataset::Ability;
use exchange::protocol::SampleKind;
use exchange::{Answer, SampleTimes};
use provider::FailureClass;
use record::{
    App, Gold, Model, Outcome, Record, RunSettings, RunTimes, SCHEMA, SCHEMA_VERSION, SampleRecord,
    Verdicts, summarize,
};
use scoring::f1::CallOverlap;
use scoring::{ErrorClass, Profile, Verdict};

/// A call that is right or wrong (`Some`), or has no answer (`None`).
pub fn call(ability: Ability, dialogue: &str, turn: usize, right: Option<bool>) -> SampleRecord {
    let verdict = right.map(|right| {
        if right {
            Verdict::right("Same.")
        } else {
            Verdict::wrong(ErrorClass::WrongApi, "AddAlarm was due here.")
        }
    });
    let outcome = match right {
        Some(_) => Outcome::Answered(Answer { text: "[A()]".to_owned(), ..Answer::default() }),
        None => {
            Outcome::Failed { class: FailureClass::Infrastructure, message: "HTTP 500".to_owned() }
        }
    };
    let gold = dataset::RecordedCall {
        api_name: "AddAlarm".to_owned(),
        param_dict: serde_json::Map::new(),
        result: apis::ApiResult::failure("AddAlarm", serde_json::Value::Null, ""),
        alternatives: Vec::new(),
        declared: dataset::Declared::default(),
    };
    SampleRecord {
        id: format!("{dialogue}#{turn}"),
        dialogue: dialogue.to_owned(),
        turn,
        ability,
        kind: SampleKind::Call,
        trial: 1,
        position: 1,
        calls_in_dialogue: 1,
        messages: Vec::new(),
        tools: Vec::new(),
        outcome,
        hard: None,
        origin: None,
        correction: None,
        gold: Gold::Call(gold),
        parsed: None,
        other_form: None,
        gold_effect: None,
        effect: None,
        verdicts: verdict.map(|verdict| Verdicts {
            execution: verdict.clone(),
            exact: verdict.clone(),
            f1: verdict,
            original: None,
            overlap: CallOverlap::default(),
        }),
        episode: None,
        moot: false,
        told: Vec::new(),
        rouge_l: None,
        attempts: 1,
        retries: Vec::new(),
        times: SampleTimes::default(),
    }
}

/// The record of a gold replay of the built-in pack, without samples.
pub fn head(planned: usize) -> Record {
    let settings = RunSettings::new(Model::Builtin { name: record::Baseline::GoldReplay });
    serde_json::from_value(serde_json::json!({
        "schema": SCHEMA, "schema_version": SCHEMA_VERSION, "app": App::this(), "digest": "",
        "pack": {"name": "p", "version": "1", "digest": "d"},
        "search": {"model": "m", "digest": "d"},
        "protocol": "bracket", "prompts": "bracket-1",
        "abilities": settings.abilities, "model": settings.model, "status": "cancelled",
        "planned": planned, "times": RunTimes::default(),
        "summary": summarize(&[], Profile::Execution), "samples": [],
    }))
    .unwrap()
}
