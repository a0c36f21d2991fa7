//! The generated part of `docs/performance.md`, between two markers; everything else stays.

use std::{fmt::Write as _, fs};

use anyhow::{Context, Result, ensure};

use super::{
    Figures,
    goals::{ROWS, Row},
    machine,
};
use crate::process::root;

const FILE: &str = "docs/performance.md";
const BEGIN: &str = "<!-- measured: written by `cargo xtask bench` -->\n";
const END: &str = "<!-- measured: end -->\n";

/// Updates the figures in the file.
///
/// # Errors
/// When the file lacks the markers or can't be written.
pub(super) fn write(all: &Figures) -> Result<()> {
    let file = root().join(FILE);
    let text = fs::read_to_string(&file).with_context(|| format!("can't read {FILE}"))?;
    let text = replaced(&text, &measured(all, &machine::describe()))?;
    fs::write(&file, text).with_context(|| format!("can't write {FILE}"))
}

fn replaced(text: &str, measured: &str) -> Result<String> {
    let parts = text.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?)));
    ensure!(parts.is_some(), "{FILE} lacks its marks: put the lines {BEGIN:?} and {END:?} into it");
    let (head, (_, tail)) = parts.unwrap_or_default();
    Ok(format!("{head}{BEGIN}{measured}{END}{tail}"))
}

fn measured(all: &Figures, machine: &[(String, String)]) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line("\n| on | |\n|---|---|".to_owned());
    let facts = machine.iter().map(|(name, value)| (name, value)).chain(&all.versions);
    for (name, value) in facts {
        line(format!("| {name} | {value} |"));
    }
    line("\n| work | measured | against | ratio | goal | reached |".to_owned());
    line("|---|---|---|---|---|---|".to_owned());
    for row in ROWS {
        line(table_line(&row, all));
    }
    line("\n| work | repeat with | what was seen |\n|---|---|---|".to_owned());
    for row in ROWS {
        let note = all.rows.get(row.key).map_or("", |figure| figure.note.as_str());
        line(format!("| {} | `cargo xtask bench {}` | {note} |", row.work, row.part.as_str()));
    }
    let open = open(all);
    if !open.is_empty() {
        let _ = write!(text, "\nNot reached: {}.\n", open.join("; "));
    }
    text
}

fn table_line(row: &Row, all: &Figures) -> String {
    let goal = row.goal.words(row.unit);
    let Some(figure) = all.rows.get(row.key) else {
        return format!("| {} | not measured | {} | – | {goal} | – |", row.work, row.against);
    };
    let against = match figure.peer {
        Some(peer) => format!("{} {} ({})", number(peer), row.unit, row.against),
        None => row.against.to_owned(),
    };
    let reached = match row.goal.reached(figure) {
        Some(true) => "yes",
        Some(false) => "**no**",
        None => "–",
    };
    let (ours, ratio) = (number(figure.ours), row.goal.ratio(figure));
    format!("| {} | {ours} {} | {against} | {ratio} | {goal} | {reached} |", row.work, row.unit)
}

/// The rows that miss their goal or were not measured, with their figures.
fn open(all: &Figures) -> Vec<String> {
    let mut open = Vec::new();
    for row in ROWS {
        let goal = row.goal.words(row.unit);
        match all.rows.get(row.key) {
            None => open.push(format!("{} (not measured)", row.work)),
            Some(figure) if row.goal.reached(figure) != Some(true) => {
                let (ours, ratio) = (number(figure.ours), row.goal.ratio(figure));
                let ratio =
                    if figure.peer.is_some() { format!(", {ratio}") } else { String::new() };
                open.push(format!("{}: {ours} {}{ratio}, goal {goal}", row.work, row.unit));
            }
            Some(_) => {}
        }
    }
    open
}

/// A figure with three significant digits.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0);
    format!("{value:.*}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::super::Figure;
    use super::*;

    #[test]
    fn only_the_measured_part_is_replaced() -> Result<()> {
        let old = format!("# Head\n{BEGIN}old\n{END}tail\n");
        assert_eq!(replaced(&old, "new\n")?, format!("# Head\n{BEGIN}new\n{END}tail\n"));
        assert!(replaced("# Head\n", "new\n").is_err());
        Ok(())
    }

    #[test]
    fn rows_that_miss_their_goal_are_named_with_their_figure() {
        let mut all = Figures::default();
        all.rows.insert("search".to_owned(), Figure::beside(9.7, 10.0, "many pairs"));
        all.rows.insert("ready".to_owned(), Figure::beside(300.0, 1000.0, ""));
        let text = measured(&all, &[("cores".to_owned(), "2".to_owned())]);
        assert!(text.contains("| cores | 2 |"), "{text}");
        assert!(
            text.contains(
                "9.70 ms | 10.0 ms (onnxruntime-web, fp32 model) | 0.970× | ≤ 0.8× | **no** |"
            ),
            "{text}"
        );
        let open = text.split("Not reached:").nth(1).unwrap_or_default();
        assert!(open.contains("one thread: 9.70 ms, 0.970×, goal ≤ 0.8×"), "{open}");
        assert!(!open.contains("weights cached"), "{open}");
        assert!(open.contains("layout shift while the page loads (not measured)"), "{open}");
    }

    #[test]
    fn numbers_keep_three_digits() {
        for (value, text) in
            [(0.0, "0"), (0.001_234, "0.00123"), (9.876, "9.88"), (1234.5, "1234"), (50.0, "50.0")]
        {
            assert_eq!(number(value), text);
        }
    }
}
