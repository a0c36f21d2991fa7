//! The tables of `docs/statistics.md`.

use crate::paired::{Pairs, Setting, power, wrongly_equal};
use crate::rates::{Method, coverage};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/statistics.md");
const DIALOGUES: [usize; 3] = [20, 50, 314];
const CORRELATIONS: [f64; 5] = [0.0, 0.1, 0.2, 0.3, 0.5];
const RATES: [f64; 5] = [0.05, 0.3, 0.5, 0.8, 0.95];
/// Standard error at 95 %: 0.22 points.
const REPETITIONS: usize = 10_000;
/// For the methods compared with; standard error at 95 %: 0.5 points.
const FEWER: usize = 2_000;

/// The tables by name.
pub fn all() -> [(&'static str, String); 4] {
    [("rates", rates()), ("trials", trials()), ("paired", pairs()), ("power", powers())]
}

/// Compares the tables with the file, or rewrites them if `UPDATE` is set.
pub fn check(tables: &[(&str, String)]) {
    let path = Path::new(FILE);
    let before = fs::read_to_string(path).unwrap();
    let mut after = before.clone();
    for (name, table) in tables {
        let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let from = after.find(&start).unwrap() + start.len();
        let to = after.find(&end).unwrap();
        after.replace_range(from..to, &format!("{table}\n"));
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, &after).unwrap();
        return;
    }
    assert_eq!(before, after, "the tables differ: run with UPDATE=1");
}

fn rates() -> String {
    let mut text = String::from("| dialogues | ICC | method |");
    RATES.iter().for_each(|rate| write!(text, " {rate} |").unwrap());
    text.push_str("\n|---|---|---|---|---|---|---|---|\n");
    let mut within = (0, 0);
    for dialogues in DIALOGUES {
        for correlation in CORRELATIONS {
            for (method, name, repetitions) in [
                (Method::Wilson, "Wilson", FEWER),
                (Method::Bootstrap, "bootstrap", FEWER / 2),
                (Method::Clustered, "**in use**", REPETITIONS),
            ] {
                write!(text, "| {dialogues} | {correlation} | {name} |").unwrap();
                for rate in RATES {
                    let covered = coverage(dialogues, correlation, rate, 1, repetitions, method);
                    write!(text, " {covered:.1} |").unwrap();
                    if method == Method::Clustered {
                        within.0 += usize::from((94.0..=96.0).contains(&covered));
                        within.1 += 1;
                    }
                }
                text.push('\n');
            }
        }
    }
    writeln!(text, "\nWithin 94 to 96 %: {} of the {} cells in use.", within.0, within.1).unwrap();
    text
}

fn trials() -> String {
    let mut text = String::from("| dialogues | trials |");
    RATES.iter().for_each(|rate| write!(text, " {rate} |").unwrap());
    text.push_str("\n|---|---|---|---|---|---|---|\n");
    for dialogues in DIALOGUES {
        for repeated in [3, 10] {
            write!(text, "| {dialogues} | {repeated} |").unwrap();
            for rate in RATES {
                let method = Method::Clustered;
                let covered = coverage(dialogues, 0.3, rate, repeated, REPETITIONS / 2, method);
                write!(text, " {covered:.1} |").unwrap();
            }
            text.push('\n');
        }
    }
    text
}

/// Intraclass correlation and rate of each column.
const COLUMNS: [(f64, f64); 5] = [(0.0, 0.8), (0.25, 0.8), (0.5, 0.8), (0.25, 0.5), (0.25, 0.95)];

fn pairs() -> String {
    let mut text = String::from("| dialogues | trials |");
    for (correlation, rate) in COLUMNS {
        write!(text, " ICC {correlation}, {rate} |").unwrap();
    }
    text.push_str("\n|---|---|---|---|---|---|---|\n");
    for dialogues in DIALOGUES {
        for trials in [1, 3, 5, 10] {
            write!(text, "| {dialogues} | {trials} |").unwrap();
            for (correlation, rate) in COLUMNS {
                let setting = Setting { dialogues, correlation, rate, trials };
                let Pairs { mcnemar, error, covered } = Pairs::simulate(&setting, REPETITIONS / 2);
                write!(text, " **{error:.1}**, {mcnemar:.1}, {covered:.1} |").unwrap();
            }
            text.push('\n');
        }
    }
    text
}

fn powers() -> String {
    let mut text = String::from(
        "| dialogues | smallest difference (points) | shown (%) | wrongly called equal within ± 5 (%) \
         |\n|---|---|---|---|\n",
    );
    for dialogues in [20, 50, 100, 314, 1000] {
        let (shown, by) = power(dialogues, REPETITIONS / 2);
        let equal = wrongly_equal(dialogues, 0.05, REPETITIONS / 2);
        writeln!(text, "| {dialogues} | {by:.1} | {shown:.1} | {equal:.1} |").unwrap();
    }
    text
}
