//! Justifies the bounds for near-duplicates and contamination: measures the similarity of the
//! evaluation set's dialogues, which are all distinct.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use dataset::Turn;
use generator::checks::{BOUNDS, Neighbours, coded};
use retrieval::Encoder;

/// The encoder from the files that `cargo xtask model` caches.
fn encoder() -> Option<Encoder> {
    let folder = fixtures::search_files("the test on bounds of near-duplicates")?;
    let model = std::fs::read(folder.join("model.onnx")).unwrap();
    let vocabulary = std::fs::read_to_string(folder.join("vocab.txt")).unwrap();
    Some(Encoder::load(&model, &vocabulary).expect("the cached model loads"))
}

#[test]
fn different_dialogues_stay_below_the_bounds() {
    let Some(encoder) = encoder() else { return };
    let pack = dataset::builtin().unwrap();
    let mut seen = Neighbours::default();
    let (mut cosines, mut phrases) = (Vec::new(), Vec::new());
    for dialogue in &pack.dialogues {
        let said: Vec<&str> = dialogue
            .turns
            .iter()
            .filter_map(|turn| match turn {
                Turn::User { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let text = said.join("\n");
        let vector = encoder.encode(&text).unwrap();
        if let Some(near) = seen.nearest_meaning(&vector) {
            cosines.push((near.cosine.unwrap(), dialogue.id.clone(), near.id));
        }
        if let Some(near) = seen.nearest_phrases(&text) {
            phrases.push((near.phrases, dialogue.id.clone(), near.id));
        }
        seen.add(&dialogue.id, &text, coded(&vector));
    }
    cosines.sort_by(|a, b| a.0.total_cmp(&b.0));
    phrases.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ninth = |count: usize| count * 9 / 10;
    println!("cosines: nine in ten below {:.3}", cosines[ninth(cosines.len())].0);
    for (cosine, a, b) in cosines.iter().rev().take(12) {
        println!("  {cosine:.3} {a} and {b}");
    }
    println!("phrases: nine in ten below {:.3}", phrases[ninth(phrases.len())].0);
    for (share, a, b) in phrases.iter().rev().take(12) {
        println!("  {share:.3} {a} and {b}");
    }
    // Independent dialogues must not count as copies.
    for (name, bounds) in [("own", BOUNDS.0), ("evaluation", BOUNDS.1)] {
        let (cosine, a, b) = cosines.last().unwrap();
        assert!(*cosine < bounds.cosine - 0.1, "{name}: {cosine} for {a} and {b}");
        let (share, a, b) = phrases.last().unwrap();
        assert!(*share < bounds.phrases, "{name}: {share} for {a} and {b}");
    }
}
