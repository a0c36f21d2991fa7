//! Comparisons of whole records.

use super::*;
use crate::metrics::tests::call;
use crate::{Baseline, Model, SampleRecord};
use apis::search::SearchResults;

const VERSION_1: &str = include_str!("../../tests/data/record_v1.json");

/// A record of `dialogues` dialogues with two calls each. `right` decides whether a call is
/// correct, by dialogue, turn and trial.
fn record(
    name: Baseline,
    dialogues: usize,
    trials: u32,
    right: impl Fn(usize, usize, u32) -> bool,
) -> Record {
    let mut samples = Vec::new();
    for dialogue in 0..dialogues {
        for turn in [1, 3] {
            for trial in 1..=trials {
                let correct = Some(right(dialogue, turn, trial));
                let name = format!("call/{dialogue}");
                let mut sample = call(Ability::Call, &name, turn, "Wiki", correct);
                if trial > 1 {
                    sample.id = format!("{}@{trial}", sample.id);
                }
                samples.push(SampleRecord { trial, ..sample });
            }
        }
    }
    let frame = Record::from_json(VERSION_1).unwrap();
    Record { model: Model::Builtin { name }, trials, samples, ..frame }
}

fn compared(records: &[Record], margin: f64) -> Report {
    report(&records.iter().collect::<Vec<_>>(), Profile::Execution, margin)
}

#[test]
fn a_large_difference_is_shown_and_a_small_one_is_equal() {
    let good = record(Baseline::GoldReplay, 100, 1, |_, _, _| true);
    let bad = record(Baseline::KeywordBaseline, 100, 1, |dialogue, _, _| dialogue % 3 == 0);
    let nearly =
        record(Baseline::KeywordBaseline, 100, 1, |dialogue, turn, _| dialogue != 7 || turn == 1);
    let report = compared(&[bad, good, nearly], MARGIN);
    let shown: Vec<_> =
        report.pairs.iter().map(|it| (it.first, it.second, it.verdict, it.within_margin)).collect();
    assert_eq!(
        shown,
        [
            (0, 1, Verdict::SecondBetter, false),
            (0, 2, Verdict::SecondBetter, false),
            (1, 2, Verdict::Equal, true),
        ]
    );
    let last = &report.pairs[2].paired;
    assert!((last.only_first - 1.0).abs() < 1e-12 && last.only_second.abs() < 1e-12);
    // A single differing dialogue proves nothing.
    assert!((last.p - 0.5).abs() < 1e-12, "{last:?}");
}

#[test]
fn few_dialogues_show_neither_difference_nor_equality() {
    let one = record(Baseline::GoldReplay, 6, 1, |dialogue, _, _| dialogue != 2);
    let other = record(Baseline::KeywordBaseline, 6, 1, |dialogue, turn, _| dialogue + turn != 4);
    let report = compared(&[one, other], MARGIN);
    assert_eq!(report.pairs[0].verdict, Verdict::NotShown);
    assert_eq!(compared(&[], MARGIN), Report::default());
}

#[test]
fn p_values_are_adjusted_over_all_pairs() {
    // Seven dialogues differ, all in one direction: p = 1 / 128.
    let better =
        |n: usize| record(Baseline::GoldReplay, 60, 1, move |dialogue, _, _| dialogue >= n);
    let two = compared(&[better(0), better(7)], 0.01);
    assert_eq!(two.pairs[0].verdict, Verdict::FirstBetter);
    let same = || better(0);
    let all = compared(&[better(0), better(7), same(), same()], 0.01);
    assert_eq!(all.pairs.len(), 6);
    let pair = &all.pairs[0];
    assert!((pair.paired.p - 1.0 / 128.0).abs() < 1e-12);
    assert!((pair.adjusted_p - 6.0 / 128.0).abs() < 1e-12, "{pair:?}");
    let more = compared(&[better(0), better(7), same(), same(), same()], 0.01);
    assert!((more.pairs[0].adjusted_p - 10.0 / 128.0).abs() < 1e-12);
    assert_eq!(more.pairs[0].verdict, Verdict::NotShown);
}

#[test]
fn trials_and_second_runs_tell_the_noise_floor() {
    let noisy = |seed: usize| {
        record(Baseline::KeywordBaseline, 40, 3, move |dialogue, turn, trial| {
            !(dialogue + turn + seed + trial as usize).is_multiple_of(3)
        })
    };
    let other = record(Baseline::GoldReplay, 40, 1, |_, _, _| true);
    let report = compared(&[noisy(0), noisy(1), other], MARGIN);
    let sources: Vec<Source> = report.noise.iter().map(|noise| noise.source).collect();
    assert_eq!(
        sources,
        [Source::Trials { run: 0 }, Source::Trials { run: 1 }, Source::Runs { runs: [0, 1] }]
    );
    // Each sample is right in two of three trials: two of three pairs of trials disagree.
    assert!((report.noise[0].flips - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(report.noise[0].samples, 80);
    assert!((report.noise[0].difference - 1.96 * f64::sqrt(2.0 / 3.0 / 80.0)).abs() < 1e-4);
    // Both runs get two of three right on every sample: no difference, but many flips.
    assert!(report.noise[2].difference.abs() < 1e-12);
    assert!((report.noise[2].flips - 4.0 / 9.0).abs() < 1e-12);
}

#[test]
fn a_disagreement_counts_its_trials() {
    let one = record(Baseline::GoldReplay, 2, 3, |dialogue, _, trial| dialogue == 0 || trial == 2);
    let other = record(Baseline::KeywordBaseline, 2, 1, |_, turn, _| turn == 1);
    let found = disagreements(&[&one, &other], Profile::Execution);
    let shown: Vec<_> = found.iter().map(|it| (it.id.as_str(), it.trials.clone())).collect();
    let trials = |right, n| Some(Trials { right, n });
    assert_eq!(
        shown,
        [
            ("call/0#3", vec![trials(3, 3), trials(0, 1)]),
            ("call/1#1", vec![trials(1, 3), trials(1, 1)]),
            ("call/1#3", vec![trials(1, 3), trials(0, 1)]),
        ]
    );
    let against = against(&one, &other, Profile::Execution);
    assert_eq!((against.rows.len(), against.unmatched), (2, 0));
    assert_eq!(against.rows[0].paired, against.rows[1].paired);
}

#[test]
fn runs_that_search_differently_are_not_runs_of_one_model() {
    let one = record(Baseline::KeywordBaseline, 30, 1, |dialogue, _, _| dialogue % 3 == 0);
    let other = record(Baseline::KeywordBaseline, 30, 1, |dialogue, _, _| dialogue % 2 == 0);
    assert_eq!(compared(&[one.clone(), other.clone()], MARGIN).noise.len(), 1);
    let mut searched = other;
    searched.search.results = match one.search.results {
        SearchResults::One => SearchResults::Five,
        SearchResults::Five => SearchResults::One,
    };
    let records = [one, searched];
    assert_eq!(compared(&records, MARGIN).noise, []);
    let caveats = against(&records[0], &records[1], Profile::Execution).caveats;
    assert!(caveats.iter().any(|it| it.contains("\"API Search returns\" differs")), "{caveats:?}");
}

#[test]
fn every_setting_that_differs_is_a_caveat() {
    let endpoint = |temperature| {
        let endpoint = provider::Endpoint { temperature, ..provider::Endpoint::default() };
        let one = record(Baseline::KeywordBaseline, 3, 1, |_, _, _| true);
        Record { model: Model::Endpoint(endpoint), ..one }
    };
    let (one, other) = (endpoint(Some(0.0)), endpoint(Some(1.0)));
    let caveats = against(&one, &other, Profile::Execution).caveats;
    assert_eq!(caveats, ["The setting \"Temperature\" differs: 0.0 and 1.0."]);
}

#[test]
fn a_variant_is_compared_with_the_pack_and_named() {
    let one = record(Baseline::KeywordBaseline, 30, 1, |dialogue, _, _| dialogue % 3 == 0);
    let mut other = record(Baseline::KeywordBaseline, 28, 1, |dialogue, _, _| dialogue % 2 == 0);
    other.pack.digest = "0".repeat(64);
    other.pack.variant = Some(7);
    let found = against(&one, &other, Profile::Execution);
    assert_eq!(found.rows.last().unwrap().paired.dialogues, 28);
    assert_eq!(found.caveats, ["The data set differs: variant 7."]);
    let mut third = other.clone();
    third.pack.variant = Some(8);
    let caveats = against(&other, &third, Profile::Execution).caveats;
    assert_eq!(caveats, ["The data set differs: variant 7 and variant 8."]);
    assert_eq!(compared(&[one, other], MARGIN).noise, []);
}

#[test]
fn a_sample_whose_first_trial_is_missing_is_compared() {
    let mut one = record(Baseline::KeywordBaseline, 1, 2, |_, _, _| true);
    let other = record(Baseline::GoldReplay, 1, 2, |_, _, _| false);
    one.samples.retain(|sample| sample.trial == 2);
    let found = disagreements(&[&one, &other], Profile::Execution);
    assert_eq!(found.len(), 2, "{found:?}");
}
