//! The results table and its numbers as text, the same on the page and on the command line.

use crate::{AbilityRow, Mean, Rate, Summary};
use scoring::Interval;

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

/// A fraction: `3 / 4`.
pub fn fraction(rate: &Rate) -> String {
    if rate.n == 0 { NONE.to_owned() } else { format!("{} / {}", rate.right, rate.n) }
}

/// A rate with its number and interval: `83.3 % of 6 (43.6 – 97.0)`.
pub fn whole(rate: &Rate) -> String {
    match rate.n {
        0 => NONE.to_owned(),
        n => format!("{} of {n} ({})", percent(rate), interval(rate)),
    }
}

/// A mean ROUGE-L with three decimals: `0.512`.
pub fn rouge(mean: &Mean) -> String {
    mean.mean.map_or_else(|| NONE.to_owned(), |value| format!("{value:.3}"))
}

/// A difference of rates in percentage points, with its sign: `+4.2`.
pub fn points(difference: f64) -> String {
    format!("{:+.1}", 100.0 * difference)
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
    if n.fract() == 0.0 { format!("{n:.0}") } else { format!("{n:.1}") }
}

/// A column of the results table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its identifier.
    pub key: &'static str,
    /// Its heading, in English.
    pub title: &'static str,
    /// A row's cell.
    pub cell: fn(&AbilityRow) -> String,
}

/// What the rows of a summary count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The hard split: rows by kind.
    pub hard: bool,
    /// There are steps where no call is right.
    pub restraint: bool,
    /// Episodes: whole dialogues instead of single calls.
    pub episodes: bool,
    /// There are gold searches.
    pub searches: bool,
    /// There are words that have to tell facts.
    pub told: bool,
}

impl Shape {
    /// The shape of a summary.
    pub fn of(summary: &Summary) -> Self {
        let total = summary.rows.last();
        Shape {
            hard: summary.rows.iter().any(|row| row.kind.is_some()),
            restraint: total.is_some_and(|it| it.restraint.n > 0),
            episodes: total.is_some_and(|it| it.calls.n == 0 && it.dialogues.n > 0),
            searches: total.is_some_and(|it| it.searches.n > 0),
            told: total.is_some_and(|it| it.told.n > 0),
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

    /// The columns after the row's name.
    pub fn columns(self) -> Vec<Column> {
        let column = |key, title, cell| Column { key, title, cell };
        let mut columns = if self.episodes {
            vec![
                column("calls", self.correct(), |row| percent(&row.dialogues)),
                column("n", "n", |row| row.dialogues.n.to_string()),
                column("interval", "95 % interval", |row| interval(&row.dialogues)),
            ]
        } else {
            vec![
                column("calls", self.correct(), |row| percent(&row.calls)),
                column("n", "n", |row| row.calls.n.to_string()),
                column("interval", "95 % interval", |row| interval(&row.calls)),
            ]
        };
        if self.searches {
            columns.push(column("searches", "Finds the API", |row| whole(&row.searches)));
        }
        if self.restraint {
            let title = "Knows when not to call";
            columns.push(column("restraint", title, |row| whole(&row.restraint)));
        }
        if self.told {
            columns.push(column("told", "Tells the result", |row| whole(&row.told)));
        }
        if !self.episodes {
            columns.push(column("dialogues", "Whole dialogues", |row| whole(&row.dialogues)));
        }
        columns.push(column("rouge", "ROUGE-L", |row| rouge(&row.rouge_l)));
        columns.push(column("replies", "Replies", |row| row.rouge_l.n.to_string()));
        columns.push(column("failed", "Not scored", |row| row.failed.to_string()));
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
        assert_eq!([0.000_4, 0.05].map(p_value), ["< 0.001", "0.050"]);
        assert_eq!([3.0, 2.5].map(count), ["3", "2.5"]);
    }

    #[test]
    fn columns_follow_what_the_summary_counts() {
        let rate = Rate { right: 1, n: 2, interval: None };
        let row = AbilityRow { calls: rate, ..AbilityRow::default() };
        let shape = |rows| Shape::of(&Summary { rows, ..summarize(&[], Profile::Execution) });
        let keys = |rows| shape(rows).columns().iter().map(|it| it.key).collect::<Vec<_>>();
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
        assert_eq!((shape.columns()[0].cell)(&episodes), "50.0 %");
    }
}
