//! API Search against the original's recorded results (`../shared/parity`), with the original's
//! weights (model cache). If either is missing, a line names the skipped test.

#![expect(clippy::expect_used, reason = "a test that cannot read its data has failed")]

mod retrieval_support;

use apis::search;
use retrieval::{Encoder, Index, WordPiece};
use retrieval_support::{
    Phrase, Row, exact, phrases, pools, retrieval_rows, rows, shipped, vocabulary,
};
use serde::Deserialize;

/// Rounded weights may swap the best two APIs if their cosines differ by no more than this.
const SAFE_MARGIN: f64 = 0.005;

#[derive(Deserialize)]
struct Tokens {
    text: String,
    ids: Vec<u32>,
}

#[test]
fn word_pieces_are_the_originals() {
    let (Some(vocabulary), Some(rows)) = (vocabulary(), rows::<Tokens>("wordpiece.jsonl")) else {
        return;
    };
    let tokenizer = WordPiece::new(&vocabulary).expect("the cached vocabulary");
    for row in &rows {
        assert_eq!(tokenizer.encode(&row.text), row.ids, "{:?}", row.text);
    }
    assert!(rows.len() >= 150, "{} rows", rows.len());
}

#[test]
fn exact_weights_give_the_originals_answers() {
    if let (Some(encoder), Some(rows)) = (exact(), retrieval_rows()) {
        check(&encoder, |index| index, &rows, 1e-4, 0.0);
    }
}

#[test]
fn shipped_weights_give_the_originals_answers() {
    if let (Some(encoder), Some(rows)) = (shipped(), retrieval_rows()) {
        check(&encoder, Index::rounded, &rows, 1e-2, SAFE_MARGIN);
    }
}

/// On phrases for the built-in APIs, int8 weights choose the same API as f32 weights in at least 99
/// % of cases, and always above the margin.
#[test]
fn shipped_weights_choose_like_exact_ones() {
    let (Some(exact), Some(shipped)) = (exact(), shipped()) else { return };
    let phrases = phrases();
    assert!(phrases.len() >= 300, "{} phrases", phrases.len());
    let texts = search::texts();
    let texts = || texts.iter().map(|(suite, name, text)| (*suite, *name, text.as_str()));
    let exact_index = Index::build(&exact, texts()).expect("every text has a vector");
    let shipped_index = Index::build(&shipped, texts()).expect("every text has a vector").rounded();
    let mut same = 0;
    for Phrase { suite, phrase } in &phrases {
        let rank = |encoder: &Encoder, index: &Index| {
            index.rank(suite, &encoder.encode(phrase).expect("every text has a vector"), 2)
        };
        let (theirs, ours) = (rank(&exact, &exact_index), rank(&shipped, &shipped_index));
        let margin = theirs[0].cosine - theirs.get(1).map_or(0.0, |hit| hit.cosine);
        let agrees = theirs[0].name == ours[0].name;
        assert!(agrees || f64::from(margin) <= SAFE_MARGIN, "{phrase:?}: margin {margin}");
        same += usize::from(agrees);
    }
    println!("{same} of {} phrases agree", phrases.len());
    assert!(same * 100 >= phrases.len() * 99, "{same} of {} phrases agree", phrases.len());
}

/// Checks the best API of every row above `margin`, and the recorded cosines to within `tolerance`.
fn check(encoder: &Encoder, made: fn(Index) -> Index, rows: &[Row], tolerance: f64, margin: f64) {
    let pools = pools().expect("pools.json beside retrieval.jsonl");
    let index = Index::build(encoder, pools.iter().map(retrieval_support::Api::triple))
        .expect("every text has a vector");
    let index = made(index);
    let mut worst: f64 = 0.0;
    for row in rows {
        let query = encoder.encode(&row.query).expect("every text has a vector");
        let hits = index.rank(row.suite(), &query, pools.len());
        if row.margin > margin {
            assert_eq!(hits[0].name, row.top1, "{:?}", row.query);
        }
        for (name, cosine) in &row.top5 {
            let found = hits.iter().find(|hit| hit.name == *name).map_or(0.0, |hit| hit.cosine);
            let drift = (f64::from(found) - cosine).abs();
            assert!(drift <= tolerance, "{:?}, {name}: {found}, not {cosine}", row.query);
            worst = worst.max(drift);
        }
    }
    println!("{} rows, largest difference of a cosine {worst:.6}", rows.len());
}
