//! Results as aligned text tables.

use crate::shown::line;
use dataset::{Split, TaskId};
use record::metrics::horizon::{COLUMNS, HorizonRow, by_length, horizons, words};
use record::metrics::{cut_off, empty_answers, own_tools, reasoning_in_text};
use record::table::{self, Shape};
use record::{Record, Status, Summary, summarize, trace};
use scoring::Profile;
use std::fmt::Write as _;

pub(crate) use record::table::{NONE, fraction, interval, percent, percentage};

/// Aligns rows into columns: the first flush left, the others flush right.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    // Measure cells as displayed, that is, escaped.
    let shown = |row: &Vec<String>| row.iter().map(|cell| line(cell)).collect::<Vec<_>>();
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
        let joined = cells.collect::<Vec<_>>().join("   ");
        text.push_str(joined.trim_end());
        text.push('\n');
    }
    text
}

/// A run's results: the settings in one line, the table, and the errors by class.
pub(crate) fn results(record: &Record, profile: Profile) -> String {
    let summary = summarize(&record.samples, profile);
    let hard = record.split == Split::Hard;
    let mut text = format!(
        "{} on {}{}. Protocol {}, profile {}{}.\n\n",
        line(record.model.title()),
        line(&record.pack.title()),
        if hard { ", hard split" } else { "" },
        record.protocol.as_str(),
        profile.as_str(),
        if record.model.has_grammar(record.protocol) {
            ", answers constrained to a grammar"
        } else {
            ""
        },
    );
    let settings: Vec<String> =
        record::differing(record).iter().map(|setting| line(&setting.to_string())).collect();
    if !settings.is_empty() {
        let _ = write!(text, "Settings: {}.\n\n", settings.join(", "));
    }
    if let Some(hardware) = record.model.hardware() {
        let _ = write!(text, "Hardware, as claimed: {}.\n\n", line(&hardware));
    }
    text.push_str(&horizon(&horizons(&record.samples)));
    let shape = Shape::of(&summary);
    let columns = shape.columns();
    let titles = columns.iter().map(|column| column.title.to_owned());
    let mut rows = vec![std::iter::once(shape.first().to_owned()).chain(titles).collect()];
    rows.extend(table::rows(&summary).into_iter().map(|(_, title, row)| {
        let cells = columns.iter().map(|column| column.cell(&row));
        std::iter::once(title.to_owned()).chain(cells).collect()
    }));
    text.push_str(&aligned(&rows));
    text.push_str(&forms(record, &summary));
    text.push_str(&trials(&summary));
    if record.left_out > 0 {
        let _ = write!(text, "\nLeft out by the protocol: {} samples.\n", record.left_out);
    }
    if let Some(all) = summary.rows.last()
        && !all.errors.is_empty()
    {
        let errors: Vec<String> =
            all.errors.iter().map(|(class, count)| format!("{class} {count}")).collect();
        let _ = write!(text, "\nWrong calls: {}.\n", errors.join(", "));
    }
    text.push_str(&matrix(record, profile));
    let cut_off = cut_off(&record.samples);
    if cut_off > 0 {
        let _ = write!(
            text,
            "\nCut off at the longest answer: {cut_off} samples. Raise --max-tokens.\n"
        );
    }
    let empty = empty_answers(&record.samples);
    if empty > 0 {
        let _ = write!(text, "\nEmpty answers: {empty} samples, asked twice and scored.\n");
    }
    let reasoning = reasoning_in_text(&record.samples);
    if reasoning > 0 {
        let _ = write!(
            text,
            "\nReasoning was in the text of {reasoning} answers. It is not scored; the server can \
             return it separately (vLLM and SGLang: --reasoning-parser, llama.cpp: \
             --reasoning-format).\n"
        );
    }
    if record.status == Status::Cancelled {
        let done = record.samples.len();
        let _ = write!(text, "\nStopped after {done} of {} samples.\n", record.planned);
    }
    text
}

/// Which of a pack's own tools is taken for which, and which arguments are missed; empty for other runs.
fn matrix(record: &Record, profile: Profile) -> String {
    let Some(report) = own_tools(&record.samples, profile) else { return String::new() };
    let mut rows = vec![
        ["Expected tool", "Right", "95 % interval", "Called instead", "Missed arguments"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(report.rows.iter().map(|row| {
        let others = report.called.iter().zip(&row.called);
        let others = others.filter(|(name, n)| **n > 0 && **name != row.due);
        let others: Vec<String> = others.map(|(name, n)| format!("{name} {n}")).collect();
        let missed: Vec<String> =
            row.arguments.iter().map(|(name, n)| format!("{name} {n}")).collect();
        vec![
            row.due.clone(),
            fraction(&row.rate),
            interval(&row.rate),
            others.join(", "),
            missed.join(", "),
        ]
    }));
    format!("\n{}", aligned(&rows))
}

/// The horizon, by tier and by length; empty for other runs.
pub(crate) fn horizon(found: &[HorizonRow]) -> String {
    let Some(all) = found.first() else { return String::new() };
    let titles = ["Tasks", "Horizon"].into_iter().chain(COLUMNS.iter().map(|(title, _)| *title));
    let mut rows = vec![titles.map(str::to_owned).collect()];
    rows.extend(found.iter().map(|row| {
        let cells = COLUMNS.iter().map(|(_, cell)| cell(row));
        [row.title().to_owned(), words(&row.estimate)].into_iter().chain(cells).collect()
    }));
    format!(
        "Horizon: {}\n\n{}\nCompleted by length: {}.\n{}\n",
        words(&all.estimate),
        aligned(&rows),
        by_length(&all.estimate),
        passes(&all.pass)
    )
}

/// pass^k over the seeds of horizon runs, one line per k.
fn passes(pass: &[f64]) -> String {
    let of = |(k, share): (usize, &f64)| {
        format!("pass^{k}   {:.1} % of tasks with {k} seeds\n", 100.0 * share)
    };
    (1..).zip(pass).map(of).collect()
}

/// Where the failed horizon tasks lost their goal, the shortest first; empty for other runs.
pub(crate) fn traces(record: &Record) -> String {
    let mut found: Vec<_> = record
        .samples
        .iter()
        .filter_map(|it| Some((TaskId::parse(&it.dialogue)?.level, it.id.as_str(), trace(it)?)))
        .collect();
    found.sort_by_key(|(level, ..)| *level);
    let lines: String =
        found.iter().map(|(_, id, it)| format!("{id}: {}\n", line(&it.words()))).collect();
    if lines.is_empty() { lines } else { format!("\nWhere the goal was lost:\n{lines}") }
}

/// Calls in another form than the protocol's, what they would score, and how to get the right form.
fn forms(record: &Record, summary: &Summary) -> String {
    let Some(forms) = &summary.forms else { return String::new() };
    let counts = forms.answers.iter().map(|(form, count)| format!("{} {count}", form.title()));
    let mut text = format!("\nCalls in another form: {}.\n", counts.collect::<Vec<_>>().join(", "));
    let (Some(total), Some(forgiven)) = (summary.rows.last(), summary.forgiven()) else {
        return text;
    };
    let (is, would) = (percent(&total.calls), percent(&forgiven.calls));
    let _ = match record.protocol.is_native() {
        true => writeln!(
            text,
            "Form: {is}, and {would} with your server's tool parser switched on.\n{PARSERS}"
        ),
        false => writeln!(
            text,
            "Form: {is}, and {would} if the form of the calls were forgiven.\n{NATIVE}"
        ),
    };
    text
}

/// How servers parse tool calls.
const PARSERS: &str = "Switch it on: vLLM --enable-auto-tool-choice --tool-call-parser NAME, SGLang \
    --tool-call-parser NAME, llama.cpp --jinja, Ollama a template with .Tools, LM Studio a model \
    with tool support.";
/// What suits a model that keeps to its own form.
const NATIVE: &str = "The prompt asks for [ApiName(key='value')]. If the server parses tool calls, \
    try --protocol tools.";

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["a", "1"], vec!["bcd", "100"], vec!["é"]]
            .map(|row| row.into_iter().map(str::to_owned).collect());
        assert_eq!(aligned(&rows), "a       1\nbcd   100\né\n");
        let rows = [vec!["a\n::error::b".to_owned()], vec!["::stop-commands::x".to_owned()]];
        assert_eq!(aligned(&rows), "a\\n\\u{3a}:error::b\n\\u{3a}:stop-commands::x\n");
    }
}
