//! Simulates the coverage of intervals and the error rates of tests, for the tables of
//! `docs/statistics.md`.
//!
//! The short test checks a few cells with few repetitions. The long one compares every cell with
//! the file; `UPDATE=1` rewrites it: `UPDATE=1 cargo test -p scoring --test simulation --
//! --ignored`.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

mod draw;
mod horizon;
mod paired;
mod rates;
mod tables;

use paired::{Pairs, Setting};
use rates::{Method, coverage};

#[test]
fn intervals_cover_and_tests_err_as_often_as_they_say() {
    // Standard error at 95 % and 600 repetitions: 0.9 points.
    for dialogues in [20, 50, 314] {
        for correlation in [0.0, 0.3] {
            let covered = coverage(dialogues, correlation, 0.8, 1, 600, Method::Clustered);
            assert!((92.0..=98.0).contains(&covered), "{dialogues} {correlation}: {covered}");
        }
    }
    let independent = coverage(314, 0.3, 0.8, 1, 600, Method::Wilson);
    assert!(independent < 90.0, "independent calls: {independent}");
    for trials in [1, 3, 10] {
        let setting = Setting { dialogues: 50, correlation: 0.25, rate: 0.8, trials };
        let found = Pairs::simulate(&setting, 600);
        assert!(found.error > 2.0 && found.error < 8.0, "{trials} trials: {found:?}");
        assert!(found.covered > 92.0 && found.covered < 98.0, "{trials} trials: {found:?}");
        assert!(trials == 1 || found.mcnemar > 9.0, "{trials} trials: {found:?}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn the_tables_in_the_documentation_are_current() {
    tables::check(&tables::all());
}

#[test]
fn intervals_of_the_horizon_cover_as_often_as_they_say() {
    // 36 cells of 28 repetitions. Standard error at 95 %: 0.7 points.
    let all = horizon::all(28);
    println!("{}", horizon::table(&all));
    let covered = horizon::mean(&all, |found| found.covered);
    assert!((94.0..=96.0).contains(&covered), "{covered}");
    for (model, grid, adaptive) in &all {
        assert!(adaptive.calls < grid.calls * 0.45, "{model:?}: {adaptive:?}");
        // A task is at most twice as long as the longest completed.
        assert!(model.horizon > 1.0 || adaptive.longest <= 16, "{model:?}: {adaptive:?}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn the_table_of_horizons_is_current() {
    let all = horizon::all(400);
    let covered = horizon::mean(&all, |found| found.covered);
    assert!((94.0..=96.0).contains(&covered), "{covered}");
    tables::check(&[("horizons", horizon::table(&all))]);
}
