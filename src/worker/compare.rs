//! Holds the compared records and answers the requests of the Compare page.

use super::verify::record_of;
use crate::messages::compare::{
    Change, Column, CompareRecords, CompareSample, Comparison, SampleComparison, Side,
};
use exchange::call;
use record::compare::{MAX_RECORDS, against, disagreements, rates, report};
use record::metrics::horizon::horizons;
use record::{Gold, Outcome, Record, SampleRecord, summarize};
use scoring::Profile;
use std::rc::Rc;
use web_sys::File;

/// The records, the base first.
#[derive(Default)]
pub(super) struct Records(Vec<Rc<Record>>);

impl Records {
    /// Changes the records and compares them. `last` is the last run, `file` was sent with the
    /// request, `stored` is the run that it names.
    ///
    /// # Errors
    /// Why the change is impossible, and the remedy. The records stay unchanged.
    pub(super) fn compare(
        &mut self,
        request: CompareRecords,
        last: Option<&Rc<Record>>,
        file: Option<&File>,
        stored: Option<Record>,
    ) -> Result<Comparison, String> {
        match request.change {
            Change::Keep => {}
            Change::Clear => self.0.clear(),
            Change::AddFile => {
                let file = file.ok_or("There is no file to add. Choose one.")?;
                let record = record_of(file).map_err(|error| {
                    format!("{}: {error}. Choose a file saved with Download record.", file.name())
                })?;
                self.add(Rc::new(record))?;
            }
            Change::AddLast => {
                let last = last
                    .ok_or("There is no finished run in this tab yet. Run one, or drop a file.")?;
                self.add(Rc::clone(last))?;
            }
            Change::AddStored { .. } => {
                let stored = stored.ok_or("This run is no longer stored in this browser.")?;
                self.add(Rc::new(stored))?;
            }
            Change::Remove { index } if index < self.0.len() => {
                self.0.remove(index);
            }
            Change::Base { index } if index < self.0.len() => {
                let base = self.0.remove(index);
                self.0.insert(0, base);
            }
            Change::Remove { .. } | Change::Base { .. } => {}
        }
        Ok(self.comparison(request.profile, request.margin))
    }

    /// Replaces all records.
    pub(super) fn replace(&mut self, records: Vec<Rc<Record>>) {
        self.0 = records;
    }

    /// The records.
    pub(super) fn all(&self) -> &[Rc<Record>] {
        &self.0
    }

    fn add(&mut self, record: Rc<Record>) -> Result<(), String> {
        if self.0.len() >= MAX_RECORDS {
            return Err(format!(
                "At most {MAX_RECORDS} records can be compared. Remove one first."
            ));
        }
        if self.0.contains(&record) {
            return Err("This record is already in the comparison.".to_owned());
        }
        self.0.push(record);
        Ok(())
    }

    fn comparison(&self, profile: Profile, margin: f64) -> Comparison {
        let all: Vec<&Record> = self.0.iter().map(Rc::as_ref).collect();
        let against = match all.split_first() {
            Some((base, others)) => {
                others.iter().map(|other| against(base, other, profile)).collect()
            }
            None => Vec::new(),
        };
        Comparison {
            records: all.iter().map(|record| column(record, profile)).collect(),
            report: report(&all, profile, margin),
            margin,
            against,
            disagreements: disagreements(&all, profile),
        }
    }

    /// One sample in all records.
    ///
    /// # Errors
    /// When no record contains it.
    pub(super) fn sample(&self, request: CompareSample) -> Result<SampleComparison, String> {
        let CompareSample { sample, profile } = request;
        // Of several trials, the first.
        let find = |record: &Rc<Record>| {
            record.samples.iter().find(|known| known.untried() == sample).cloned()
        };
        let found: Vec<Option<SampleRecord>> = self.0.iter().map(find).collect();
        let gold = found.iter().flatten().next().map(|known| match &known.gold {
            Gold::Call(gold) => call::format(&gold.api_name, &gold.param_dict),
            Gold::Reply(text) | Gold::NoCall(text) => text.clone(),
            Gold::Episode(_) => "The whole dialogue".to_owned(),
        });
        let gold = gold.ok_or_else(|| format!("No record contains the sample {sample}."))?;
        let sides =
            found.into_iter().map(|known| known.map(|known| side(&known, profile))).collect();
        Ok(SampleComparison { sample, gold, sides })
    }
}

fn column(record: &Record, profile: Profile) -> Column {
    let total = summarize(&record.samples, profile).rows.pop().unwrap_or_default();
    let judged = |it: &&SampleRecord| it.verdict(profile).is_some();
    Column {
        title: record.model.title().to_owned(),
        protocol: record.protocol.as_str().to_owned(),
        retriever: record.search.retriever.as_ref().map(|retriever| retriever.title().to_owned()),
        pack: record.pack.title(),
        complete: record.samples.len() == record.planned,
        rates: rates(record, profile),
        errors: total.errors.into_iter().collect(),
        decisions: record.samples.iter().filter(judged).count(),
        horizon: horizons(&record.samples).into_iter().next(),
    }
}

fn side(sample: &SampleRecord, profile: Profile) -> Side {
    let text = match &sample.outcome {
        Outcome::Failed { message, .. } => message.clone(),
        Outcome::Answered(answer) if answer.text.is_empty() && !answer.calls.is_empty() => answer
            .calls
            .iter()
            .map(|call| format!("{}({})", call.name, call.arguments))
            .collect::<Vec<_>>()
            .join("\n"),
        Outcome::Answered(answer) => answer.text.clone(),
    };
    let verdict = sample.verdict(profile);
    Side {
        text,
        correct: verdict.map(|verdict| verdict.correct),
        explanation: verdict.map_or_else(String::new, |verdict| verdict.explanation.clone()),
    }
}
