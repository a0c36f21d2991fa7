//! Upgrades version 1 records to version 2.
//!
//! Fields that version 1 lacks are computed from the answer if possible (the `f1` verdict) and
//! otherwise empty: build, prompts digest, record digest.

use super::{Gold, SCHEMA_VERSION};
use dataset::Ability;
use exchange::call::ParsedCall;
use scoring::{Verdict, f1};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Upgrades everything but the samples.
pub(super) fn frame(fields: &mut Map<String, Value>) {
    fields.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
    if let Some(version) = fields.shift_remove("app_version") {
        fields.insert("app".to_owned(), json!({"version": version, "build": ""}));
    }
    fields.entry("digest").or_insert_with(|| "".into());
}

/// Upgrades one sample. A malformed sample is left for the parser to reject.
pub(super) fn sample(value: &mut Value) {
    let f1 = f1_of(value);
    let Some(fields) = value.as_object_mut() else { return };
    fields.entry("trial").or_insert_with(|| 1.into());
    if let (Some(verdicts), Some((verdict, overlap))) =
        (fields.get_mut("verdicts").and_then(Value::as_object_mut), f1)
    {
        verdicts.insert("f1".to_owned(), json!(verdict));
        verdicts.insert("overlap".to_owned(), json!(overlap));
    }
}

fn f1_of(value: &Value) -> Option<(Verdict, f1::CallOverlap)> {
    let read = |name: &str| value.get(name);
    let ability = Ability::deserialize(read("ability")?).ok()?;
    let Gold::Call(gold) = Gold::deserialize(read("gold")?).ok()? else { return None };
    let parsed = read("parsed").and_then(|it| ParsedCall::deserialize(it).ok());
    let execution = Verdict::deserialize(value.pointer("/verdicts/execution")?).ok()?;
    Some(f1::judge(ability.suite().into(), &gold, parsed.as_ref(), &execution))
}
