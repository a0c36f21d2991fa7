//! The summary of scored rows, laid out like the paper's Table 3.

use super::Profile;
use crate::table::{aligned, interval, percent};
use runner::predictions::{Level, Tally};
use std::fmt::Write as _;

/// The table, then the counts that it leaves out.
pub(super) fn text(profile: Profile, tally: &Tally, not_scored: usize) -> String {
    let mut head = vec!["", "n", "right", "correctness", "95 % interval", "ROUGE-L", "replies"];
    head.extend(["corrected", "excluded"]);
    if profile == Profile::F1 {
        head.extend(["F1 names", "F1 arguments"]);
    }
    let mut rows = vec![head.into_iter().map(str::to_owned).collect()];
    for (ability, level) in tally.levels() {
        rows.push(row(profile, ability.map_or("", |it| it.title()), level));
    }
    let all = tally.total();
    rows.push(row(profile, "All", &all));
    let mut text = format!("Profile {}.\n\n{}", profile.as_str(), aligned(&rows));
    if !tally.errors().is_empty() {
        let errors = tally.errors().iter().map(|(class, count)| format!("{class} {count}"));
        let _ = write!(text, "\nWrong calls: {}.\n", errors.collect::<Vec<_>>().join(", "));
    }
    if all.crashed > 0 {
        let _ = write!(text, "\nThe original stops or hangs at {} rows.\n", all.crashed);
    }
    if not_scored > 0 {
        let _ = write!(text, "\nNot scored: {not_scored} rows; see standard error.\n");
    }
    text
}

fn row(profile: Profile, name: &str, level: &Level) -> Vec<String> {
    let rate = level.rate();
    let mut row = vec![
        name.to_owned(),
        rate.n.to_string(),
        rate.right.to_string(),
        percent(&rate),
        interval(&rate),
        level.rouge_l().map_or_else(|| "-".to_owned(), |mean| format!("{mean:.4}")),
        level.replies.to_string(),
        level.corrected.to_string(),
        level.excluded.to_string(),
    ];
    if profile == Profile::F1 {
        row.push(format!("{:.4}", level.overlap.name.f1()));
        row.push(format!("{:.4}", level.overlap.arguments.f1()));
    }
    row
}
