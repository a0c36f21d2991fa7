//! Audits a pack: judges every gold call under every profile.

use crate::benchmark::Benchmark;
use dataset::import::Correction;
use dataset::{Ability, RecordedCall};
use exchange::call;
use exchange::protocol::{Sample, samples, world_at};
use original::{evaluator, judge};
use scoring::audit::{Audit, AuditCount, AuditFailure, AuditRow};
use scoring::{Judgement, Profile, Verdict};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A profile, the text that it judged, and its verdict.
type Judged = (Profile, String, Verdict);

/// Judges every gold call of a pack under every profile. `progress` gets the number of calls done
/// and the total.
pub fn audit(bench: &Benchmark, mut progress: impl FnMut(usize, usize)) -> Audit {
    let all = samples(&bench.pack);
    let calls: Vec<(&Sample<'_>, &RecordedCall)> =
        all.iter().filter_map(|sample| Some((sample, sample.gold_call()?))).collect();
    let there: Vec<Ability> = Ability::ALL
        .into_iter()
        .filter(|ability| calls.iter().any(|(sample, _)| sample.ability() == *ability))
        .collect();
    let original_lacks = match &bench.pack.imported {
        Some(imported) => evaluator::lacking(&imported.original, &there),
        None => vec!["it is defined on the original's data alone".to_owned()],
    };
    let mut counts: BTreeMap<Ability, Counts> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut corrections = Vec::new();
    for (done, (sample, gold)) in calls.iter().enumerate() {
        progress(done, calls.len());
        let (judged, correction) = judge_gold(bench, sample, gold);
        let row = counts.entry(sample.ability()).or_default();
        row.add(sample, &judged, correction.as_ref());
        let excluded = correction.as_ref().is_some_and(|correction| correction.excluded);
        for (profile, gold, verdict) in judged {
            if !verdict.correct && (profile == Profile::Original || !excluded) {
                failures.push(failure(sample, profile, gold, verdict));
            }
        }
        corrections.extend(correction.map(|correction| (sample.id(), correction)));
    }
    let rows = counts.into_iter().map(|(ability, counts)| counts.row(ability)).collect();
    Audit { pack: bench.pack.source(), rows, failures, corrections, original_lacks }
}

fn failure(sample: &Sample<'_>, profile: Profile, gold: String, verdict: Verdict) -> AuditFailure {
    AuditFailure {
        sample: sample.id(),
        place: sample.source.and_then(|source| source.sample.place.clone()),
        profile,
        gold,
        class: verdict.error_class,
        why: verdict.explanation,
    }
}

fn judge_gold(
    bench: &Benchmark,
    sample: &Sample<'_>,
    gold: &RecordedCall,
) -> (Vec<Judged>, Option<Correction>) {
    let world = world_at(sample, &bench.world);
    let text = call::format(&gold.api_name, &gold.param_dict);
    let Some(source) = sample.source else {
        let parsed = call::parse(&text);
        let judgement = scoring::judge_step(sample, gold, parsed.as_ref(), &[], &world);
        return (clean(&text, judgement), None);
    };
    // Gold that the errata correct is judged as corrected; only `original` judges the released
    // text.
    let parsed = judge::parse(gold, &text);
    let judgement = judge::judge_call(sample, gold, parsed.as_ref(), &world);
    let correction = judge::correction(sample, gold, &judgement);
    let mut judged = clean(&text, judgement);
    let raw = source
        .sample
        .place
        .as_ref()
        .and_then(|place| evaluator::raw(source.imported, place, source.sample.turn));
    if let (Some(raw), Some(evaluator)) = (raw, &bench.original)
        && evaluator.offers(sample.ability())
    {
        let text = as_the_original_writes(raw);
        if let Ok(verdict) = evaluator.judge(sample, &text) {
            let verdict = evaluator::as_verdict(sample.ability().suite(), gold, &verdict);
            judged.push((Profile::Original, text, verdict));
        }
    }
    (judged, correction)
}

fn clean(text: &str, judgement: Judgement) -> Vec<Judged> {
    [
        (Profile::Execution, judgement.execution),
        (Profile::Exact, judgement.exact),
        (Profile::F1, judgement.f1),
    ]
    .into_iter()
    .map(|(profile, verdict)| (profile, text.to_owned(), verdict))
    .collect()
}

/// A gold call in the original's format: every value is Python's `str` of it, in single quotes, not
/// escaped.
fn as_the_original_writes(raw: &Value) -> String {
    let name = raw.get("api_name").and_then(Value::as_str).unwrap_or_default();
    let arguments = raw.get("param_dict").or_else(|| raw.get("input")).and_then(Value::as_object);
    let pairs: Vec<String> = arguments
        .into_iter()
        .flatten()
        .map(|(key, value)| match value {
            Value::String(text) => format!("{key}='{text}'"),
            other => format!("{key}='{}'", python(other)),
        })
        .collect();
    format!("API-Request: [{name}({})]", pairs.join(", "))
}

/// Python's `repr` of a value.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
            let escaped = text.replace('\\', "\\\\").replace('\n', "\\n");
            let escaped = if quote == '\'' { escaped.replace('\'', "\\'") } else { escaped };
            format!("{quote}{escaped}{quote}")
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let pairs = fields.iter().map(|(key, value)| {
                format!("{}: {}", python(&Value::from(key.as_str())), python(value))
            });
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

#[derive(Default)]
struct Counts {
    calls: usize,
    repeats: usize,
    corrected: usize,
    excluded: usize,
    dialogues: BTreeSet<String>,
    /// By profile: items, right ones, dialogues with a wrong one.
    profiles: BTreeMap<Profile, (usize, usize, BTreeSet<String>)>,
}

impl Counts {
    fn add(&mut self, sample: &Sample<'_>, judged: &[Judged], correction: Option<&Correction>) {
        let repeat = sample.source.is_some_and(|source| source.sample.repeat);
        self.calls += usize::from(!repeat);
        self.repeats += usize::from(repeat);
        self.dialogues.insert(sample.dialogue.id.clone());
        let excluded = correction.is_some_and(|correction| correction.excluded);
        self.excluded += usize::from(excluded);
        self.corrected += usize::from(correction.is_some() && !excluded);
        for (profile, _, verdict) in judged {
            if excluded && *profile != Profile::Original {
                continue;
            }
            let (n, right, wrong) = self.profiles.entry(*profile).or_default();
            *n += 1;
            *right += usize::from(verdict.correct);
            if !verdict.correct {
                wrong.insert(sample.dialogue.id.clone());
            }
        }
    }

    fn row(self, ability: Ability) -> AuditRow {
        let dialogues = self.dialogues.len();
        let count = |(profile, (n, right, wrong)): (Profile, (usize, usize, BTreeSet<String>))| {
            AuditCount { profile, n, right, dialogues: dialogues - wrong.len() }
        };
        AuditRow {
            ability,
            calls: self.calls,
            repeats: self.repeats,
            dialogues,
            corrected: self.corrected,
            excluded: self.excluded,
            profiles: self.profiles.into_iter().map(count).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn gold_is_written_as_python_prints_it() {
        let raw = json!({"api_name": "A", "param_dict": {"a": "it's", "b": ["x", "it's"], "c": true, "d": 2.0, "e": null}});
        assert_eq!(
            as_the_original_writes(&raw),
            "API-Request: [A(a='it's', b='['x', \"it's\"]', c='True', d='2.0', e='None')]"
        );
    }
}
