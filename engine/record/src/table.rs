//! The results table and its numbers as text, the same on the page and on the command line.

use crate::metrics::found_first;
use crate::{AbilityRow, Mean, Rate, SampleRecord, Summary};
use exchange::protocol::SampleKind;
use scoring::{Interval, Profile};
use serde::{Deserialize, Serialize};

/// The placeholder for a missing number.
pub const NONE: &str = "–";

/// A rate as a percentage with one decimal: `83.3 %`.
pub fn percent(rate: &Rate) -> String {
    rate.value().map_or_else(|| NONE.to_owned(), percentage)
}

/// A share from 0 to 1 as a percentage with one decimal.
pub fn percentage(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The 95 % interval in percent: `55.2 – 95.3`.
pub fn interval(rate: &Rate) -> String {
    rate.interval.map_or_else(
        || NONE.to_owned(),
        |it| format!("{:.1} – {:.1}", 100.0 * it.low, 100.0 * it.high),
    )
}

/// A count with thousands separators: `1,173`.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.filter_map(|group| std::str::from_utf8(group).ok()).collect::<Vec<_>>().join(",")
}

/// A fraction: `3 / 4`.
pub fn fraction(rate: &Rate) -> String {
    match rate.n {
        0 => NONE.to_owned(),
        n => format!("{} / {}", grouped(rate.right), grouped(n)),
    }
}

/// A rate with its number and interval: `83.3 % of 6 (43.6 – 97.0)`.
pub fn whole(rate: &Rate) -> String {
    match rate.n {
        0 => NONE.to_owned(),
        n => format!("{} of {} ({})", percent(rate), grouped(n), interval(rate)),
    }
}

/// A mean ROUGE-L with three decimals: `0.512`.
pub fn rouge(mean: &Mean) -> String {
    mean.mean.map_or_else(|| NONE.to_owned(), |value| format!("{value:.3}"))
}

/// A number with its sign, which zero lacks even if it was rounded to: `+4.2`, `-0.1`, `0.0`.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    let is_zero = !text.contains(|it: char| ('1'..='9').contains(&it));
    if is_zero { text.trim_start_matches(['+', '-']).to_owned() } else { text }
}

/// A difference of rates in percentage points, with its sign: `+4.2`.
pub fn points(difference: f64) -> String {
    signed(100.0 * difference, 1)
}

/// The ends of a difference's interval, in percentage points.
pub fn ends(interval: Interval) -> (String, String) {
    (points(interval.low), points(interval.high))
}

/// A p-value with three decimals.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// A number of samples; trials average to fractions.
pub fn count(n: f64) -> String {
    if n.fract() == 0.0 { grouped(n as usize) } else { format!("{n:.1}") }
}

/// A metric reported next to the score; the score excludes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecondaryMetric {
    /// Searches that return the API that is needed.
    Searches,
    /// Steps where no call is right, and none was made.
    Restraint,
    /// Words that tell every fact that is due.
    Told,
    /// Dialogues in which every step is right.
    Dialogues,
}

impl SecondaryMetric {
    /// All of them, in the order of their columns.
    pub const ALL: [SecondaryMetric; 4] = [
        SecondaryMetric::Searches,
        SecondaryMetric::Restraint,
        SecondaryMetric::Told,
        SecondaryMetric::Dialogues,
    ];

    /// The column's identifier.
    pub const fn key(self) -> &'static str {
        match self {
            SecondaryMetric::Searches => "searches",
            SecondaryMetric::Restraint => "restraint",
            SecondaryMetric::Told => "told",
            SecondaryMetric::Dialogues => "dialogues",
        }
    }

    /// The column's heading, in English.
    pub const fn title(self) -> &'static str {
        match self {
            SecondaryMetric::Searches => "Finds the API",
            SecondaryMetric::Restraint => "Knows when not to call",
            SecondaryMetric::Told => "Tells the result",
            SecondaryMetric::Dialogues => "Whole dialogues",
        }
    }

    /// A row's rate.
    pub const fn rate(self, row: &AbilityRow) -> &Rate {
        match self {
            SecondaryMetric::Searches => &row.searches,
            SecondaryMetric::Restraint => &row.restraint,
            SecondaryMetric::Told => &row.told,
            SecondaryMetric::Dialogues => &row.dialogues,
        }
    }

    /// A sample's verdict under the metric; `None` if the sample does not count towards it.
    pub fn verdict(self, sample: &SampleRecord) -> Option<bool> {
        match self {
            SecondaryMetric::Searches => found_first(sample).filter(|_| !sample.moot),
            SecondaryMetric::Restraint if sample.kind == SampleKind::Restraint => {
                sample.verdict(Profile::Execution).map(|it| it.correct)
            }
            SecondaryMetric::Told if !sample.told.is_empty() => {
                Some(sample.told.iter().all(|fact| fact.told))
            }
            _ => None,
        }
    }
}

/// A column of the results table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its identifier.
    pub key: &'static str,
    /// Its heading, in English.
    pub title: &'static str,
    cell: Cell,
}

/// What a column shows.
#[derive(Debug, Clone, Copy)]
enum Cell {
    /// Something of a row.
    Of(fn(&AbilityRow) -> String),
    /// A rate with n and interval.
    SecondaryMetric(SecondaryMetric),
}

impl Column {
    /// The metric whose rate it shows with n and interval, which may take two lines.
    pub const fn secondary(&self) -> Option<SecondaryMetric> {
        match self.cell {
            Cell::SecondaryMetric(metric) => Some(metric),
            Cell::Of(_) => None,
        }
    }

    /// A row's cell.
    pub fn cell(&self, row: &AbilityRow) -> String {
        match self.cell {
            Cell::Of(cell) => cell(row),
            Cell::SecondaryMetric(metric) => whole(metric.rate(row)),
        }
    }
}

/// What the rows of a summary count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The hard split: rows by kind.
    pub hard: bool,
    /// Episodes: whole dialogues instead of single calls.
    pub episodes: bool,
    /// Which of [`SecondaryMetric::ALL`] were measured.
    pub secondary: [bool; SecondaryMetric::ALL.len()],
}

impl Shape {
    /// The shape of a summary.
    pub fn of(summary: &Summary) -> Self {
        let total = summary.rows.last();
        let episodes = total.is_some_and(|total| total.calls.n == 0 && total.dialogues.n > 0);
        // The score of episodes is that of whole dialogues.
        let has = |it: SecondaryMetric| match it {
            SecondaryMetric::Dialogues => !episodes,
            _ => total.is_some_and(|row| it.rate(row).n > 0),
        };
        Shape {
            hard: summary.rows.iter().any(|row| row.kind.is_some()),
            episodes,
            secondary: SecondaryMetric::ALL.map(has),
        }
    }

    /// The heading of the first column, in English.
    pub const fn first(self) -> &'static str {
        if self.hard { "Kind" } else { "Ability" }
    }

    /// The heading of the rate that the table shows first, in English.
    pub const fn correct(self) -> &'static str {
        if self.episodes { "Dialogues right" } else { "Calls right" }
    }

    /// The rate that the table shows first.
    pub const fn rate(self, row: &AbilityRow) -> &Rate {
        if self.episodes { &row.dialogues } else { &row.calls }
    }

    /// The secondary metrics that were measured.
    pub fn secondary(self) -> impl Iterator<Item = SecondaryMetric> {
        SecondaryMetric::ALL
            .into_iter()
            .zip(self.secondary)
            .filter_map(|(it, has)| has.then_some(it))
    }

    /// The columns after the row's name.
    pub fn columns(self) -> Vec<Column> {
        let column = |key, title, cell| Column { key, title, cell: Cell::Of(cell) };
        let mut columns = if self.episodes {
            vec![
                column("calls", self.correct(), |row| percent(&row.dialogues)),
                column("n", "n", |row| grouped(row.dialogues.n)),
                column("interval", "95 % interval", |row| interval(&row.dialogues)),
            ]
        } else {
            vec![
                column("calls", self.correct(), |row| percent(&row.calls)),
                column("n", "n", |row| grouped(row.calls.n)),
                column("interval", "95 % interval", |row| interval(&row.calls)),
            ]
        };
        let secondary = |it: SecondaryMetric| Column {
            key: it.key(),
            title: it.title(),
            cell: Cell::SecondaryMetric(it),
        };
        columns.extend(self.secondary().map(secondary));
        columns.push(column("rouge", "ROUGE-L", |row| rouge(&row.rouge_l)));
        columns.push(column("replies", "Replies", |row| grouped(row.rouge_l.n)));
        columns.push(column("failed", "Not scored", |row| grouped(row.failed)));
        columns
    }
}

/// A row's identifier and its name in English.
pub fn name(row: &AbilityRow) -> (&'static str, &'static str) {
    match (row.ability, row.kind) {
        (Some(ability), _) => (ability.as_str(), ability.title()),
        (None, Some(kind)) => (kind.as_str(), kind.title()),
        (None, None) => ("total", "Total"),
    }
}

/// The rows of the table: identifier, name in English, and numbers. After the total come what it would
/// be if forms were forgiven, where that differs, and the calls as the paper counts them.
pub fn rows(summary: &Summary) -> Vec<(&'static str, &'static str, AbilityRow)> {
    let named = |row: &AbilityRow| {
        let (id, title) = name(row);
        (id, title, row.clone())
    };
    let forgiven = summary.forgiven().map(|row| ("form", "Form", row.clone()));
    let paper = summary
        .paper
        .map(|calls| ("paper", "As in the paper", AbilityRow { calls, ..AbilityRow::default() }));
    summary.rows.iter().map(named).chain(forgiven).chain(paper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarize;
    use dataset::{Ability, HardKind};
    use scoring::{Profile, wilson};

    #[test]
    fn numbers_have_units_and_missing_ones_a_dash() {
        let rate = Rate { right: 5, n: 6, interval: wilson(5, 6) };
        assert_eq!((percent(&rate), fraction(&rate)), ("83.3 %".to_owned(), "5 / 6".to_owned()));
        assert_eq!(interval(&rate), "43.6 – 97.0");
        let none = Rate::default();
        assert_eq!((percent(&none).as_str(), interval(&none).as_str()), (NONE, NONE));
        assert_eq!(rouge(&Mean { mean: Some(0.5), n: 2 }), "0.500");
        assert_eq!([0.042, -0.001].map(points), ["+4.2", "-0.1"]);
        assert_eq!([0.0, -0.000_4].map(points), ["0.0", "0.0"]);
        assert_eq!([12.0, -0.4, -1.0].map(|ms| signed(ms, 0)), ["+12", "0", "-1"]);
        assert_eq!([0.000_4, 0.05].map(p_value), ["< 0.001", "0.050"]);
        assert_eq!([3.0, 2.5, 1456.0].map(count), ["3", "2.5", "1,456"]);
        assert_eq!([0, 412, 1173, 1_000_000].map(grouped), ["0", "412", "1,173", "1,000,000"]);
    }

    #[test]
    fn columns_follow_what_the_summary_counts() {
        let rate = Rate { right: 1, n: 2, interval: None };
        let row = AbilityRow { calls: rate, ..AbilityRow::default() };
        let shape = |rows| Shape::of(&Summary { rows, ..summarize(&[], Profile::Execution) });
        let keys = |rows| shape(rows).columns().iter().map(|column| column.key).collect::<Vec<_>>();
        let common = ["calls", "n", "interval", "dialogues", "rouge", "replies", "failed"];
        let call = AbilityRow { ability: Some(Ability::Call), ..row.clone() };
        assert_eq!(keys(vec![call, row.clone()]), common);
        let kind = AbilityRow { kind: Some(HardKind::ALL[0]), ..row.clone() };
        assert_eq!(keys(vec![kind, row.clone()]), common);
        let all = AbilityRow { searches: rate, restraint: rate, told: rate, ..row.clone() };
        assert_eq!(keys(vec![all])[3..6], ["searches", "restraint", "told"]);
        let episodes = AbilityRow { dialogues: rate, ..AbilityRow::default() };
        let shape = shape(vec![episodes.clone()]);
        assert!(shape.episodes);
        assert_eq!(shape.columns()[0].cell(&episodes), "50.0 %");
    }
}
