//! CSV: the export with one row per sample, and other tables.
//!
//! A cell from a model or a file that starts like a formula gets a leading apostrophe, because
//! spreadsheets would evaluate it (OWASP, CSV Injection). Numbers are unchanged. All other cells
//! are quoted, so that programs that split at semicolons or tabs read the same rows.

use super::lost;
use crate::{Outcome, RecordError, SampleRecord, expected, received};
use exchange::call;
use scoring::{Profile, Verdict};
use std::io::Write;

const COLUMNS: [&str; 30] = [
    "id",
    "dialogue",
    "turn",
    "trial",
    "ability",
    "kind",
    "status",
    "expected",
    "answer",
    "call",
    "call_read_as",
    "execution",
    "execution_error",
    "execution_explanation",
    "exact",
    "exact_error",
    "f1",
    "f1_name",
    "f1_arguments",
    "rouge_l",
    "finish_reason",
    "prompt_tokens",
    "completion_tokens",
    "attempts",
    "started_ms",
    "latency_ms",
    "first_token_ms",
    "failure_class",
    "failure",
    "reasoning",
];

/// A CSV export in progress.
#[derive(Debug)]
pub struct Table<W: Write>(csv::Writer<W>);

impl<W: Write> Table<W> {
    pub(super) fn new(out: W) -> Result<Self, RecordError> {
        let mut table = writer(out);
        table.write_record(COLUMNS).map_err(|error| lost(&error))?;
        Ok(Table(table))
    }

    pub(super) fn sample(&mut self, sample: &SampleRecord) -> Result<(), RecordError> {
        self.0.write_record(row(sample)).map_err(|error| lost(&error))
    }

    pub(super) fn finish(self) -> Result<W, RecordError> {
        self.0.into_inner().map_err(|error| lost(error.error()))
    }
}

fn writer<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .quote_style(csv::QuoteStyle::NonNumeric)
        .from_writer(out)
}

/// A table as CSV, quoted and escaped as the export is. The first row is the heading.
///
/// # Errors
/// When a row has another number of cells than the first.
pub fn table(rows: &[Vec<String>]) -> Result<String, RecordError> {
    let mut table = writer(Vec::new());
    for row in rows {
        table.write_record(row.iter().map(|cell| inert(cell))).map_err(|error| lost(&error))?;
    }
    let bytes = table.into_inner().map_err(|error| lost(error.error()))?;
    String::from_utf8(bytes).map_err(|error| RecordError::Shape(error.to_string()))
}

fn row(sample: &SampleRecord) -> [String; COLUMNS.len()] {
    let number = |number: Option<f64>| number.map_or_else(String::new, |it| it.to_string());
    let count = |count: Option<u64>| count.map_or_else(String::new, |it| it.to_string());
    let right = |profile| sample.verdict(profile).map_or_else(String::new, right_or_wrong);
    let error = |profile| sample.verdict(profile).map_or_else(String::new, class);
    let overlap = sample.verdicts.as_ref().map(|verdicts| verdicts.overlap);
    let (answer, failure) = match &sample.outcome {
        Outcome::Answered(answer) => (Some(answer), None),
        Outcome::Failed { class, message } => (None, Some((class, message))),
    };
    let usage = answer.and_then(|answer| answer.usage);
    let said = |text: Option<&String>| text.map_or_else(String::new, |text| inert(text));
    let explanation = sample.verdict(Profile::Execution).map(|it| &it.explanation);
    [
        inert(&sample.id),
        inert(&sample.dialogue),
        sample.turn.to_string(),
        sample.trial.to_string(),
        sample.ability.as_str().to_owned(),
        word(&sample.kind),
        if answer.is_some() { "answered" } else { "failed" }.to_owned(),
        inert(&expected(sample)),
        if answer.is_some() { inert(&received(sample)) } else { String::new() },
        sample.parsed.as_ref().map_or_else(String::new, |it| call::format(&it.name, &it.arguments)),
        sample.parsed.as_ref().map_or_else(String::new, |it| word(&it.tier)),
        right(Profile::Execution),
        error(Profile::Execution),
        said(explanation),
        right(Profile::Exact),
        error(Profile::Exact),
        right(Profile::F1),
        number(overlap.map(|overlap| overlap.name.f1())),
        number(overlap.map(|overlap| overlap.arguments.f1())),
        number(sample.rouge_l),
        said(answer.and_then(|answer| answer.finish_reason.as_ref())),
        count(usage.map(|usage| usage.prompt_tokens)),
        count(usage.map(|usage| usage.completion_tokens)),
        sample.attempts.to_string(),
        sample.times.started_ms.to_string(),
        sample.times.latency_ms.to_string(),
        count(sample.times.first_token_ms),
        failure.map_or_else(String::new, |(class, _)| word(class)),
        said(failure.map(|(_, message)| message)),
        said(answer.and_then(|answer| answer.reasoning.as_ref())),
    ]
}

fn right_or_wrong(verdict: &Verdict) -> String {
    if verdict.correct { "1" } else { "0" }.to_owned()
}

fn class(verdict: &Verdict) -> String {
    verdict.error_class.map_or_else(String::new, |class| class.title().to_owned())
}

/// A value that serde serializes as a string.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map_or_else(String::new, str::to_owned)
}

/// Escapes text that a spreadsheet would take for a formula.
fn inert(text: &str) -> String {
    let is_number = text.bytes().any(|byte| byte.is_ascii_digit()) && text.parse::<f64>().is_ok();
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠')
            if !is_number =>
        {
            format!("'{text}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn cells_are_read_back_and_none_is_a_formula() {
        let record = Record::from_json(include_str!("../../tests/data/record_v1.json")).unwrap();
        // A reply, whose answer the cell contains verbatim.
        let sample = record.samples.iter().find(|sample| sample.parsed.is_none()).unwrap();
        for (said, cell) in [
            ("=1+1", "'=1+1"),
            ("+49 30 1234", "'+49 30 1234"),
            ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("\n=1", "'\n=1"),
            ("＝1+1", "'＝1+1"),
            ("-5", "-5"),
            ("+3.5e2", "+3.5e2"),
            ("-inf", "'-inf"),
            ("a;b\tc", "a;b\tc"),
            ("a; \"b\"; c,\r\nd\te", "a; \"b\"; c,\r\nd\te"),
        ] {
            let mut sample = sample.clone();
            if let Outcome::Answered(answer) = &mut sample.outcome {
                said.clone_into(&mut answer.text);
                answer.reasoning = Some(said.to_owned());
            }
            let mut table = Table::new(Vec::new()).unwrap();
            table.sample(&sample).unwrap();
            let bytes = table.finish().unwrap();
            let mut reader = csv::Reader::from_reader(bytes.as_slice());
            let place = |name: &str| COLUMNS.iter().position(|column| *column == name).unwrap();
            let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            assert_eq!(rows.len(), 1, "{said:?}");
            assert_eq!(&rows[0][place("reasoning")], cell);
            assert_eq!(&rows[0][place("turn")], sample.turn.to_string());
            assert_eq!(&rows[0][place("attempts")], sample.attempts.to_string());
            // No locale's separator occurs outside quotes.
            let text = String::from_utf8(bytes).unwrap();
            let outside: String = text.split('"').step_by(2).collect();
            assert!(!outside.contains([';', '\t']), "{outside}");
        }
    }
}
