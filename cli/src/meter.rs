//! Progress on standard error: a bar on a terminal, otherwise a line per tenth.

use crate::shown::tell;
use dataset::Ability;
use indicatif::{ProgressBar, ProgressStyle};
use record::{Outcome, SampleRecord};
use scoring::Profile;
use std::collections::BTreeMap;
use std::io::IsTerminal;

/// Counts completed samples by ability and shows progress.
pub(crate) struct Meter {
    bar: Option<ProgressBar>,
    planned: BTreeMap<Ability, usize>,
    done: BTreeMap<Ability, usize>,
    calls: usize,
    right: usize,
    failed: usize,
    tenth: usize,
}

impl Meter {
    /// Creates the meter of a run. `kept` are the samples that an earlier session completed.
    pub(crate) fn new(planned: Vec<(Ability, usize)>, kept: &[SampleRecord]) -> Self {
        let mut meter = Meter {
            bar: std::io::stderr().is_terminal().then(bar),
            planned: planned.into_iter().collect(),
            done: BTreeMap::new(),
            calls: 0,
            right: 0,
            failed: 0,
            tenth: 0,
        };
        kept.iter().for_each(|sample| meter.count(sample));
        meter.show();
        meter
    }

    /// Counts a completed sample.
    pub(crate) fn report(&mut self, sample: &SampleRecord) {
        self.count(sample);
        self.show();
    }

    fn show(&mut self) {
        let total: usize = self.planned.values().sum();
        let done: usize = self.done.values().sum();
        let tenth = 10 * done / total.max(1);
        if let Some(bar) = &self.bar {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            bar.set_message(self.line());
        } else if tenth > self.tenth {
            tell!("{}", self.line());
        }
        self.tenth = tenth;
    }

    fn count(&mut self, sample: &SampleRecord) {
        *self.done.entry(sample.ability).or_default() += 1;
        if matches!(sample.outcome, Outcome::Failed { .. }) {
            self.failed += 1;
        } else if let Some(verdict) = sample.verdict(Profile::Execution) {
            self.calls += 1;
            self.right += usize::from(verdict.correct);
        }
    }

    fn line(&self) -> String {
        let abilities: Vec<String> = self
            .planned
            .iter()
            .map(|(ability, planned)| {
                let done = self.done.get(ability).copied().unwrap_or(0);
                format!("{} {done}/{planned}", ability.title())
            })
            .collect();
        let failed = match self.failed {
            0 => String::new(),
            count => format!(", {count} not scored"),
        };
        format!("{}: {} of {} right{failed}", abilities.join(", "), self.right, self.calls)
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta} {wide_msg}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
