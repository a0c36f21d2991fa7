//! The index of the hard split: loaded with its dialogues and checked against them.

use crate::dialogue::{Dialogue, Turn};
use crate::error::PackError;
use crate::hard::{Hard, HardKind};
use apis::{Suite, registry};
use std::collections::BTreeMap;

/// Path of the index, an object with an entry per slug.
pub const INDEX: &str = "hard/index.json";

/// Adds its index entry to each dialogue of the split.
///
/// # Errors
/// A dialogue without an entry, or an entry without a dialogue; a distractor that the pool lacks or
/// that the dialogue calls; a planted call for another kind, or none for `hidden-instructions`; a
/// dialogue that does not grade its kind.
pub(crate) fn join(
    mut dialogues: Vec<Dialogue>,
    mut index: BTreeMap<String, Hard>,
) -> Result<Vec<Dialogue>, PackError> {
    for dialogue in &mut dialogues {
        let slug = dialogue.id.rsplit('/').next().unwrap_or_default();
        let Some(hard) = index.remove(slug) else {
            return Err(defect(format!("expected an entry {slug:?} for hard/{slug}.jsonl")));
        };
        check(dialogue, &hard).map_err(|reason| defect(format!("{slug}: {reason}")))?;
        dialogue.hard = Some(hard);
    }
    match index.keys().next() {
        Some(slug) => Err(defect(format!("{slug:?} has no file hard/{slug}.jsonl"))),
        None => Ok(dialogues),
    }
}

fn defect(reason: String) -> PackError {
    PackError::Manifest { file: INDEX.to_owned(), reason }
}

/// Checks that an entry fits its dialogue and that the dialogue grades its kind.
fn check(dialogue: &Dialogue, hard: &Hard) -> Result<(), String> {
    if hard.right.trim().is_empty() {
        return Err("`right` is empty; say what is right and why".to_owned());
    }
    let planted = hard.planted.as_ref().map(|call| &call.api_name);
    for name in hard.distractors.iter().chain(planted) {
        if registry::find(Suite::Dialogue, name).is_none() {
            return Err(format!("the pool has no API {name}"));
        }
    }
    if let Some(name) = hard.distractors.iter().find(|name| calls(dialogue, name)) {
        return Err(format!("{name} is called in the dialogue, so it is not a distractor"));
    }
    if planted.is_some() != (hard.kind == HardKind::HiddenInstructions) {
        return Err(
            "`planted` is required for hidden-instructions and not allowed elsewhere".to_owned()
        );
    }
    if let Some(name) = planted
        && !calls(dialogue, name)
        && !hard.distractors.contains(name)
    {
        return Err(format!("the planted {name} is not described; list it as a distractor"));
    }
    let restrained = dialogue.turns.iter().any(Turn::expects_no_call);
    let called = dialogue.calls().next().is_some();
    let fits = match hard.kind {
        HardKind::NoApiNeeded => restrained && !called && !hard.distractors.is_empty(),
        HardKind::MissingFacts => restrained,
        HardKind::NearNames => called && !hard.distractors.is_empty(),
        HardKind::LongHistory => called && dialogue.turns.len() >= 16,
        HardKind::MendAndRetry => dialogue.calls().any(|call| call.result.exception.is_some()),
        HardKind::HiddenInstructions => called,
    };
    if fits {
        Ok(())
    } else {
        Err(format!("the dialogue does not grade what {} is about", hard.kind.as_str()))
    }
}

fn calls(dialogue: &Dialogue, name: &str) -> bool {
    dialogue.calls().any(|call| call.api_name == name)
}

#[cfg(test)]
mod tests {
    use crate::pack::Pack;
    use serde_json::{Value, json};

    const MANIFEST: (&str, &str) =
        ("manifest.json", r#"{"name": "n", "version": "1", "today": "2024-05-15", "seed": 1}"#);

    fn load(index: &Value, lines: &[Value]) -> Result<Pack, String> {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let index = index.to_string();
        let files = [MANIFEST, ("hard/a.jsonl", &*lines), ("hard/index.json", &*index)];
        Pack::load(files).map_err(|error| error.to_string())
    }

    fn thanks() -> Vec<Value> {
        vec![
            json!({"role": "User", "text": "Thanks, that is all."}),
            json!({"role": "AI", "text": "Have a good day.", "expect": "no_call"}),
        ]
    }

    fn entry() -> Value {
        json!({"kind": "no-api-needed", "right": "Thanks need no call.", "distractors": ["Wiki"]})
    }

    #[test]
    fn the_split_is_separate_and_round_trips() {
        let pack = load(&json!({"a": entry()}), &thanks()).unwrap();
        assert!(pack.dialogues.is_empty());
        let dialogue = pack.dialogue("hard/a").unwrap();
        assert_eq!(dialogue.hard.as_ref().unwrap().distractors, ["Wiki"]);
        assert!(dialogue.turns[1].expects_no_call());
        let lines: Vec<Value> =
            dialogue.to_file().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines, thanks());
    }

    #[test]
    fn the_digest_covers_the_index() {
        let one = load(&json!({"a": entry()}), &thanks()).unwrap().digest;
        let mut other = entry();
        other["right"] = json!("Another reason.");
        assert_ne!(one, load(&json!({ "a": other }), &thanks()).unwrap().digest);
    }

    #[test]
    fn an_index_that_does_not_fit_is_rejected() {
        let wrong = |change: fn(&mut Value), expected: &str| {
            let mut index = json!({"a": entry()});
            change(&mut index);
            let error = load(&index, &thanks()).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        wrong(|it| *it = json!({}), "expected an entry \"a\"");
        wrong(|it| it["b"] = entry(), "\"b\" has no file");
        wrong(|it| it["a"]["distractors"] = json!(["Wikipedia"]), "no API Wikipedia");
        wrong(|it| it["a"]["kind"] = json!("near-names"), "near-names is about");
        wrong(|it| it["a"]["right"] = json!(" "), "`right` is empty");
        wrong(
            |it| it["a"]["planted"] = json!({"api_name": "Wiki", "param_dict": {}}),
            "`planted` is required",
        );
        wrong(|it| it["a"]["extra"] = json!(1), "unknown field");
    }

    #[test]
    fn the_embedded_split_has_ten_dialogues_per_kind() {
        let pack = crate::builtin().unwrap();
        for kind in super::HardKind::ALL {
            let of_kind =
                |it: &&crate::Dialogue| it.hard.as_ref().is_some_and(|it| it.kind == kind);
            assert_eq!(pack.hard.iter().filter(of_kind).count(), 10, "{}", kind.as_str());
        }
    }
}
