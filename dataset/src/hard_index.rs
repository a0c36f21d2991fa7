//! The index of the hard split: loaded with its dialogues and checked against them.

use crate::ability::Ability;
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
/// that the dialogue calls; an earlier dialogue that `standard` lacks; a field of another kind, or
/// none for the kind that needs it; a dialogue that does not grade its kind.
pub(crate) fn join(
    dialogues: Vec<Dialogue>,
    mut index: BTreeMap<String, Hard>,
    standard: &[Dialogue],
) -> Result<Vec<Dialogue>, PackError> {
    let mut joined = Vec::with_capacity(dialogues.len());
    for mut dialogue in dialogues {
        let slug = dialogue.id.rsplit('/').next().unwrap_or_default();
        let Some(hard) = index.remove(slug) else {
            return Err(defect(format!("expected an entry {slug:?} for hard/{slug}.jsonl")));
        };
        let of_slug = |reason| defect(format!("{slug}: {reason}"));
        check(&dialogue, &hard).map_err(of_slug)?;
        let earlier = earlier(&hard, standard).map_err(of_slug)?;
        dialogue.hard = Some(hard);
        joined.push(dialogue.after(earlier));
    }
    match index.keys().next() {
        Some(slug) => Err(defect(format!("{slug:?} has no file hard/{slug}.jsonl"))),
        None => Ok(joined),
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
    check_names(dialogue, hard)?;
    let only = |kind: HardKind, field: &str, given: bool| {
        let fits = given == (hard.kind == kind);
        let message = || format!("`{field}` is required for {}, and for it alone", kind.as_str());
        fits.then_some(()).ok_or_else(message)
    };
    only(HardKind::HiddenInstructions, "planted", hard.planted.is_some())?;
    only(HardKind::FunctionAdded, "added", !hard.added.is_empty())?;
    only(HardKind::LongContext, "earlier", !hard.earlier.is_empty())?;
    let restrained = dialogue.turns.iter().any(Turn::expects_no_call);
    let called = dialogue.calls().next().is_some();
    let failed = dialogue.calls().any(|call| call.result.exception.is_some());
    let fits = match hard.kind {
        HardKind::CallableTemptation | HardKind::MissingFacts | HardKind::AmbiguousEntity => {
            restrained
        }
        HardKind::FunctionAdded => restrained && hard.added.keys().all(|key| calls(dialogue, key)),
        HardKind::Confirmation | HardKind::Authorisation => restrained && hard.rules.is_some(),
        HardKind::ParallelCalls => dialogue.blocks().any(|calls| calls.len() > 1),
        HardKind::StateDependency => dialogue.calls().count() > 1,
        HardKind::HonestFailure => restrained && failed,
        HardKind::Canonicalisation | HardKind::LongContext | HardKind::HiddenInstructions => true,
        HardKind::NoApiNeeded
        | HardKind::NearNames
        | HardKind::LongHistory
        | HardKind::MendAndRetry => false,
    };
    if fits && called {
        Ok(())
    } else {
        Err(format!("the dialogue does not grade what {} is about", hard.kind.as_str()))
    }
}

/// Checks that all APIs of an entry exist, and that distractors are not called.
fn check_names(dialogue: &Dialogue, hard: &Hard) -> Result<(), String> {
    let planted = hard.planted.as_ref().map(|call| &call.api_name);
    for name in hard.distractors.iter().chain(planted).chain(hard.added.keys()) {
        if registry::find(Suite::Dialogue, name).is_none() {
            return Err(format!("the pool has no API {name}"));
        }
    }
    if let Some(name) = hard.distractors.iter().find(|name| calls(dialogue, name)) {
        return Err(format!("{name} is called in the dialogue, so it is not a distractor"));
    }
    if let Some(name) = planted
        && !calls(dialogue, name)
        && !hard.distractors.contains(name)
    {
        return Err(format!("the planted {name} is not described; list it as a distractor"));
    }
    Ok(())
}

/// The dialogues of `earlier`.
fn earlier<'a>(hard: &Hard, standard: &'a [Dialogue]) -> Result<Vec<&'a Dialogue>, String> {
    let find = |id: &String| {
        let found = standard.iter().find(|it| it.id == *id && it.ability == Ability::Call);
        found.ok_or_else(|| format!("`earlier`: there is no Call dialogue {id}"))
    };
    hard.earlier.iter().map(find).collect()
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
        let today = json!({"api_name": "GetToday", "input": null, "output": "2024-05-15", "exception": null});
        vec![
            json!({"role": "User", "text": "What day is it?"}),
            json!({"role": "API", "api_name": "GetToday", "param_dict": {}, "result": today}),
            json!({"role": "AI", "text": "It is 15 May."}),
            json!({"role": "User", "text": "Thanks, that is all."}),
            json!({"role": "AI", "text": "Have a good day.", "expect": "no_call"}),
        ]
    }

    fn entry() -> Value {
        json!({"kind": "callable-temptation", "right": "Thanks need no call.", "distractors": ["Wiki"]})
    }

    #[test]
    fn the_split_is_separate_and_round_trips() {
        let pack = load(&json!({"a": entry()}), &thanks()).unwrap();
        assert!(pack.dialogues.is_empty());
        let dialogue = pack.dialogue("hard/a").unwrap();
        assert_eq!(dialogue.hard.as_ref().unwrap().distractors, ["Wiki"]);
        assert!(dialogue.turns[4].expects_no_call());
        let lines: Vec<Value> =
            dialogue.to_file().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines, thanks());
    }

    #[test]
    fn earlier_dialogues_come_first_and_stay_out_of_the_file() {
        let mut index = json!({"a": entry()});
        index["a"]["kind"] = json!("long-context");
        index["a"]["earlier"] = json!(["call/b"]);
        let lines: String = thanks().iter().map(|line| format!("{line}\n")).collect();
        let index = index.to_string();
        let standard =
            "{\"role\": \"User\", \"text\": \"Hi.\"}\n{\"role\": \"AI\", \"text\": \"Hi.\"}";
        let hard = [MANIFEST, ("hard/a.jsonl", &*lines), ("hard/index.json", &*index)];
        let missing = Pack::load(hard).unwrap_err().to_string();
        assert!(missing.contains("no Call dialogue call/b"), "{missing}");
        let pack = Pack::load(hard.into_iter().chain([("dialogues/call/b.jsonl", standard)]));
        let pack = pack.unwrap();
        let dialogue = pack.dialogue("hard/a").unwrap();
        assert_eq!((dialogue.earlier, dialogue.turns.len()), (2, 7));
        assert_eq!(dialogue.to_file().lines().count(), 5);
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
        wrong(|index| *index = json!({}), "expected an entry \"a\"");
        wrong(|index| index["b"] = entry(), "\"b\" has no file");
        wrong(|index| index["a"]["distractors"] = json!(["Wikipedia"]), "no API Wikipedia");
        wrong(|index| index["a"]["kind"] = json!("near-names"), "near-names is about");
        wrong(|index| index["a"]["kind"] = json!("honest-failure"), "honest-failure is about");
        wrong(|index| index["a"]["kind"] = json!("long-context"), "`earlier` is required");
        wrong(|index| index["a"]["added"] = json!({"Wiki": 2}), "`added` is required");
        wrong(|index| index["a"]["right"] = json!(" "), "`right` is empty");
        wrong(
            |index| index["a"]["planted"] = json!({"api_name": "Wiki", "param_dict": {}}),
            "`planted` is required",
        );
        wrong(|index| index["a"]["extra"] = json!(1), "unknown field");
    }

    #[test]
    fn the_embedded_split_has_twelve_dialogues_per_kind() {
        let pack = crate::builtin().unwrap();
        for kind in super::HardKind::ALL {
            let of_kind =
                |it: &&crate::Dialogue| it.hard.as_ref().is_some_and(|hard| hard.kind == kind);
            assert_eq!(pack.hard.iter().filter(of_kind).count(), 12, "{}", kind.as_str());
        }
    }
}
