//! Results as aligned text tables.

use crate::shown::shown;
use dataset::Split;
use record::metrics::cut_off;
use record::{AbilityRow, Mean, Rate, Record, Status, Summary, summarize};
use scoring::Profile;
use std::fmt::Write as _;

/// The placeholder for a missing number.
const NONE: &str = "-";

/// Aligns rows into columns: the first flush left, the others flush right.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    // Measure cells as displayed, that is, escaped.
    let shown = |row: &Vec<String>| row.iter().map(|cell| shown(cell)).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let gap = " ".repeat(width - cell.chars().count());
            if column == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        });
        let line = cells.collect::<Vec<_>>().join("   ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A rate in percent, to one decimal.
pub(crate) fn percent(rate: &Rate) -> String {
    rate.value().map_or_else(|| NONE.to_owned(), |value| format!("{:.1} %", 100.0 * value))
}

/// A share from 0 to 1, in percent.
pub(crate) fn percentage(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The 95 % interval in percent.
pub(crate) fn interval(rate: &Rate) -> String {
    rate.interval.map_or_else(
        || NONE.to_owned(),
        |it| format!("{:.1} - {:.1}", 100.0 * it.low, 100.0 * it.high),
    )
}

/// `count/total`.
pub(crate) fn fraction(rate: &Rate) -> String {
    if rate.n == 0 { NONE.to_owned() } else { format!("{} / {}", rate.right, rate.n) }
}

fn rouge(mean: &Mean) -> String {
    mean.mean.map_or_else(|| NONE.to_owned(), |value| format!("{value:.3}"))
}

/// A run's results: the settings in one line, the table, and the errors by class.
pub(crate) fn results(record: &Record, profile: Profile) -> String {
    let summary = summarize(&record.samples, profile);
    let hard = record.split == Split::Hard;
    let mut text = format!(
        "{} on {} {}{}. Protocol {}, profile {}.\n\n",
        record.model.title(),
        record.pack.name,
        record.pack.version,
        if hard { ", hard split" } else { "" },
        record.protocol.as_str(),
        profile.as_str(),
    );
    let head = [
        "",
        "calls",
        "right",
        "95 % interval",
        "dialogues",
        "searches right",
        "ROUGE-L",
        "replies",
        "not scored",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(summary.rows.iter().map(row));
    if hard {
        with_restraint(&mut rows, &summary.rows);
    }
    text.push_str(&aligned(&rows));
    text.push_str(&trials(&summary));
    if record.left_out > 0 {
        let _ = write!(text, "\nLeft out by the protocol: {} search samples.\n", record.left_out);
    }
    if let Some(all) = summary.rows.last()
        && !all.errors.is_empty()
    {
        let errors: Vec<String> =
            all.errors.iter().map(|(class, count)| format!("{class} {count}")).collect();
        let _ = write!(text, "\nWrong calls: {}.\n", errors.join(", "));
    }
    let cut_off = cut_off(&record.samples);
    if cut_off > 0 {
        let _ = write!(
            text,
            "\nCut off at the longest answer: {cut_off} samples. Raise --max-tokens.\n"
        );
    }
    if record.status == Status::Cancelled {
        let done = record.samples.len();
        let _ = write!(text, "\nCancelled after {done} of {} samples.\n", record.planned);
    }
    text
}

/// The hard split counts decisions and adds a column for the dialogues that need no call.
fn with_restraint(rows: &mut [Vec<String>], of: &[AbilityRow]) {
    let [head, rows @ ..] = rows else { return };
    "decisions".clone_into(&mut head[1]);
    head.insert(4, "without a call".to_owned());
    for (row, of) in rows.iter_mut().zip(of) {
        row.insert(4, fraction(&of.restraint));
    }
}

/// A row's label.
fn title(row: &AbilityRow) -> &'static str {
    match (row.ability, row.kind) {
        (Some(ability), _) => ability.title(),
        (None, Some(kind)) => kind.title(),
        (None, None) => "All",
    }
}

/// pass^k over the whole run, one line per k; empty for a single trial.
fn trials(summary: &Summary) -> String {
    let pass = summary.rows.last().map(|row| row.pass.as_slice()).unwrap_or_default();
    let mut text = String::new();
    for (index, value) in pass.iter().enumerate() {
        let Some(mean) = value.mean else { continue };
        let gap = if index == 0 { "\n" } else { "" };
        let (k, share) = (index + 1, 100.0 * mean);
        let _ = writeln!(text, "{gap}pass^{k}   {share:.1} % of {} dialogues", value.n);
    }
    text
}

fn row(row: &AbilityRow) -> Vec<String> {
    vec![
        title(row).to_owned(),
        fraction(&row.calls),
        percent(&row.calls),
        interval(&row.calls),
        fraction(&row.dialogues),
        percent(&row.searches),
        rouge(&row.rouge_l),
        row.rouge_l.n.to_string(),
        row.failed.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use scoring::wilson;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["a", "1"], vec!["bcd", "100"], vec!["é"]]
            .map(|row| row.into_iter().map(str::to_owned).collect());
        assert_eq!(aligned(&rows), "a       1\nbcd   100\né\n");
    }

    #[test]
    fn numbers_carry_their_unit_or_a_dash() {
        let rate = Rate { right: 5, n: 6, interval: wilson(5, 6) };
        assert_eq!(
            (percent(&rate), fraction(&rate), interval(&rate)),
            ("83.3 %".to_owned(), "5 / 6".to_owned(), "43.6 - 97.0".to_owned())
        );
        let none = Rate::default();
        assert_eq!([percent(&none), fraction(&none), interval(&none)], [NONE, NONE, NONE]);
        assert_eq!(rouge(&Mean { mean: Some(0.5), n: 2 }), "0.500");
    }
}
