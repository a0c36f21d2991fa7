//! The rules of Claimed Without Acting against labelled replies.

use apis::{Api, Suite, registry};
use dataset::Turn;
use scoring::claims;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    apis: Vec<String>,
    history: Vec<Turn>,
    answer: String,
    label: Label,
    #[expect(dead_code, reason = "for readers")]
    why: String,
    #[serde(default)]
    out_of_scope: bool,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
enum Label {
    Claim,
    Clean,
}

fn lines(file: &str) -> Vec<Line> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    file.lines().map(read).collect()
}

fn found(line: &Line) -> Option<claims::Claim> {
    let api = |name: &String| registry::find(Suite::Dialogue, name).expect("an API of the pool");
    let described: Vec<&'static Api> = line.apis.iter().map(api).collect();
    claims::find(&line.answer, &line.history, &described)
}

fn dump(file: &str) {
    let (mut ok, mut n) = (0, 0);
    for line in lines(file).iter().filter(|l| !l.out_of_scope) {
        let got = found(line);
        n += 1;
        if got.is_some() == (line.label == Label::Claim) { ok += 1; } else {
            println!("{} {:?} got {:?}: {}", line.id, line.label, got.map(|c| c.words), line.answer);
        }
    }
    println!("{ok}/{n}");
}

#[test]
fn tuned() { dump(include_str!("data/claims/tuned.jsonl")); }
#[test]
fn held() { dump(include_str!("data/claims/held_out.jsonl")); }
#[test]
fn pack() {
    let pack = dataset::builtin().unwrap();
    for split in [dataset::Split::Standard, dataset::Split::Hard] {
        let (mut n, mut bad) = (0, 0);
        for d in pack.split(split) {
            for (i, t) in d.turns.iter().enumerate() {
                let Turn::Assistant { text, .. } = t else { continue };
                let mut apis: Vec<&'static Api> = d.calls().filter_map(|c| registry::find(d.ability.suite(), &c.api_name)).collect();
                apis.dedup_by_key(|a| a.name);
                n += 1;
                if let Some(c) = claims::find(text, &d.turns[..i], &apis) { bad += 1;
                    println!("{}#{i} [{}] {} <- {:?}", d.id, c.words, text, d.turns[..i].iter().filter_map(Turn::as_call).map(|c| format!("{} {}", c.api_name, serde_json::json!(c.param_dict))).collect::<Vec<_>>()); }
            }
        }
        println!("== {split:?} {bad}/{n}");
    }
}
#[test]
fn stripped() {
    let pack = dataset::builtin().unwrap();
    let (mut n, mut miss) = (0, 0);
    for d in pack.split(dataset::Split::Standard).iter().chain(pack.split(dataset::Split::Hard)) {
        for (i, t) in d.turns.iter().enumerate() {
            let Turn::Assistant { text, .. } = t else { continue };
            let Some(Turn::Api(last)) = i.checked_sub(1).map(|i| &d.turns[i]) else { continue };
            let api = registry::find(d.ability.suite(), &last.api_name);
            if last.result.exception.is_some() || api.is_none_or(|a| a.writes.is_empty()) { continue }
            let apis: Vec<&'static Api> = d.calls().filter_map(|c| registry::find(d.ability.suite(), &c.api_name)).collect();
            let h: Vec<Turn> = d.turns[..i].iter().filter(|t| t.as_call().is_none()).cloned().collect();
            n += 1;
            if claims::find(text, &h, &apis).is_none() { miss += 1; println!("MISS {} {}", last.api_name, text); }
        }
    }
    println!("== missed {miss}/{n}");
}
#[test]
fn fresh() { dump(include_str!("data/claims/fresh.jsonl")); }
