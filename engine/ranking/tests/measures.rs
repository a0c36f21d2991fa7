//! The measures agree with trec_eval on random runs (`data/trec_eval.py` makes the file).

use ranking::Measure;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Row {
    ranks: Vec<Option<usize>>,
    expected: BTreeMap<String, f64>,
}

#[test]
fn trec_eval_says_the_same() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("data/trec_eval.json")).expect("rows of numbers");
    assert_eq!(rows.len(), 200);
    for Row { ranks, expected } in rows {
        for measure in Measure::ALL {
            // trec_eval has no completeness: it is a recall of 1.
            let (name, is_complete) = match measure {
                Measure::Recall(k) => (format!("recall_{k}"), false),
                Measure::Ndcg(k) => (format!("ndcg_cut_{k}"), false),
                Measure::ReciprocalRank => ("recip_rank".to_owned(), false),
                Measure::Completeness(k) => (format!("recall_{k}"), true),
            };
            let value = expected.get(&name).copied().expect("a measure of trec_eval");
            let value = if is_complete { f64::from(u8::from(value >= 1.0)) } else { value };
            let found = measure.of(&ranks);
            let title = measure.title();
            assert!((found - value).abs() < 1e-9, "{title} of {ranks:?}: {found}, not {value}");
        }
    }
}
