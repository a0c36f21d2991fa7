//! One model behind several endpoints: what differs beyond the noise of one endpoint.
//!
//! The first endpoint is the reference. It runs twice; the two runs give the noise floor. A
//! difference counts if its p-value, adjusted for all of the table (Holm), is below [`LEVEL`], and
//! it is larger than two runs of the reference differ in 95 % of cases.

use super::LEVEL;
use super::samples::Trials;
use crate::metrics::{Prices, Tokens};
use crate::table::{points, signed};
use crate::{Outcome, Record, SampleRecord};
use apis::search::find;
use dataset::own_tools::FOLDER;
use exchange::call::ParsedCall;
use scoring::statistics::{PairedDialogue, difference, holm, sign_flip_test};
use scoring::{ErrorClass, Interval, Profile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;
/// Steps between 0 and the largest value, to which values are rounded for the permutation test:
/// divisible by all trial counts up to 16.
const STEPS: f64 = 720_720.0;

/// What is measured of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Whether the answer has a call.
    Trigger,
    /// Among answers with calls: the share of calls to a known API with valid arguments.
    Schema,
    /// Whether the answer is right under the profile `execution`.
    Effect,
    /// Milliseconds until the answer was complete.
    Latency,
    /// Price of the request, in the currency of the prices.
    Cost,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 5] =
        [Measure::Trigger, Measure::Schema, Measure::Effect, Measure::Latency, Measure::Cost];

    /// The label of a row.
    pub const fn title(self) -> &'static str {
        match self {
            Measure::Trigger => "answers with a call",
            Measure::Schema => "valid calls",
            Measure::Effect => "same effect",
            Measure::Latency => "latency",
            Measure::Cost => "cost",
        }
    }

    /// A value with its unit.
    pub fn number(self, value: f64) -> String {
        match self {
            Measure::Trigger | Measure::Schema | Measure::Effect => {
                format!("{:.1} %", 100.0 * value)
            }
            Measure::Latency => format!("{value:.0} ms"),
            Measure::Cost => format!("{value:.6}"),
        }
    }

    /// A difference with its sign; of shares, in percentage points.
    pub fn signed(self, value: f64) -> String {
        match self {
            Measure::Trigger | Measure::Schema | Measure::Effect => points(value),
            Measure::Latency => format!("{} ms", signed(value, 0)),
            Measure::Cost => signed(value, 6),
        }
    }

    /// The value of a sample; `None` if it has none.
    fn of(self, sample: &SampleRecord, prices: Option<Prices>) -> Option<f64> {
        let Outcome::Answered(answer) = &sample.outcome else { return None };
        match self {
            Measure::Trigger => sample
                .counts_for(Profile::Execution)
                .then(|| f64::from(u8::from(!calls(sample).is_empty()))),
            Measure::Schema => {
                let calls = calls(sample);
                let valid = calls.iter().filter(|call| is_valid(sample, **call)).count();
                (!calls.is_empty()).then(|| valid as f64 / calls.len() as f64)
            }
            Measure::Effect => {
                let verdict = sample.verdict(Profile::Execution)?;
                sample.counts_for(Profile::Execution).then(|| f64::from(u8::from(verdict.correct)))
            }
            Measure::Latency => Some(sample.times.latency_ms as f64),
            Measure::Cost => {
                let usage = answer.usage?;
                let tokens = Tokens {
                    prompt: usage.prompt_tokens,
                    completion: usage.completion_tokens,
                    counted: 1,
                    answered: 1,
                };
                tokens.cost(prices?)
            }
        }
    }
}

/// An answer's calls; `None` for one that can't be parsed.
fn calls(sample: &SampleRecord) -> Vec<Option<&ParsedCall>> {
    if let Some(episode) = &sample.episode {
        return episode.steps.iter().flat_map(|it| &it.calls).map(|it| it.call.as_ref()).collect();
    }
    let tried = match &sample.outcome {
        Outcome::Answered(answer) => !answer.calls.is_empty(),
        Outcome::Failed { .. } => false,
    };
    match &sample.parsed {
        Some(call) => vec![Some(call)],
        None if tried => vec![None],
        None => Vec::new(),
    }
}

/// Whether a call fits the schema of a known API. Of own tools, which a record does not describe, the
/// verdict says it.
fn is_valid(sample: &SampleRecord, call: Option<&ParsedCall>) -> bool {
    if sample.dialogue.starts_with(FOLDER) {
        let class = sample.verdict(Profile::Execution).and_then(|it| it.error_class);
        let refused = [
            ErrorClass::ApiHallucination,
            ErrorClass::MissingInputParameters,
            ErrorClass::InvalidInputParameters,
        ];
        return call.is_some() && class.is_none_or(|class| !refused.contains(&class));
    }
    let suite = sample.ability.suite();
    let found = call.and_then(|call| Some((find(suite, &call.name)?, call)));
    found.is_some_and(|(api, call)| api.read(&call.arguments).is_ok())
}

/// A run on an endpoint.
#[derive(Debug, Clone, Copy)]
pub struct EndpointRun<'a> {
    /// Its record.
    pub record: &'a Record,
    /// Prices, if known.
    pub prices: Option<Prices>,
}

/// A mean over samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The mean; `None` without samples.
    pub mean: Option<f64>,
    /// Samples.
    pub n: usize,
}

/// One measure of an endpoint against the reference, on the samples that both have a value for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EndpointDifference {
    /// The measure.
    pub measure: Measure,
    /// Index of the endpoint's run.
    pub run: usize,
    /// Samples.
    pub samples: usize,
    /// Mean of the endpoint minus mean of the reference.
    pub difference: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// The difference that two runs of the reference stay within in 95 % of cases.
    pub noise: Option<f64>,
    /// The p-value of the sign-flip test over dialogues.
    pub p: f64,
    /// The p-value adjusted for all rows.
    pub adjusted_p: f64,
    /// Whether the endpoint differs beyond the noise.
    pub differs: bool,
}

/// A sample whose verdicts differ between endpoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parting {
    /// `<dialogue>#<turn>`.
    pub id: String,
    /// Each run's trials; `None` where a run has no verdict.
    pub trials: Vec<Option<Trials>>,
}

/// The comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndpointReport {
    /// For each measure, a cell for each run.
    pub cells: Vec<(Measure, Vec<Cell>)>,
    /// Every endpoint against the reference.
    pub differences: Vec<EndpointDifference>,
    /// The samples on which the runs' verdicts differ.
    pub parted: Vec<Parting>,
}

/// A run's values of a measure by sample, averaged over trials, each with its dialogue.
type Values<'a> = BTreeMap<&'a str, (&'a str, f64)>;

fn values(run: EndpointRun<'_>, measure: Measure) -> Values<'_> {
    let mut sums: BTreeMap<&str, (&str, f64, f64)> = BTreeMap::new();
    for sample in &run.record.samples {
        if let Some(value) = measure.of(sample, run.prices) {
            let (_, sum, n) =
                sums.entry(sample.untried()).or_insert((sample.dialogue.as_str(), 0.0, 0.0));
            *sum += value;
            *n += 1.0;
        }
    }
    sums.into_iter().map(|(id, (dialogue, sum, n))| (id, (dialogue, sum / n))).collect()
}

/// Differences by dialogue of the samples that both runs have.
#[derive(Debug, Default)]
struct Paired {
    /// By dialogue: the sum of the differences, and the number of samples.
    dialogues: Vec<(f64, usize)>,
    samples: usize,
    /// The largest value.
    scale: f64,
}

fn paired(first: &Values<'_>, second: &Values<'_>) -> Paired {
    let mut dialogues: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    let (mut samples, mut scale) = (0, 0.0_f64);
    for (id, (dialogue, one)) in first {
        if let Some((_, other)) = second.get(id) {
            let (sum, n) = dialogues.entry(dialogue).or_default();
            *sum += other - one;
            *n += 1;
            samples += 1;
            scale = scale.max(one.abs()).max(other.abs());
        }
    }
    Paired { dialogues: dialogues.into_values().collect(), samples, scale: scale.max(f64::EPSILON) }
}

impl Paired {
    /// The difference that two such runs stay within in 95 % of cases.
    fn noise(&self) -> Option<f64> {
        let squares: f64 = self.dialogues.iter().map(|(sum, _)| sum * sum).sum();
        (self.samples > 0).then(|| Z * squares.sqrt() / self.samples as f64)
    }

    /// The comparison without noise and adjustment; `None` without samples.
    fn compare(&self, measure: Measure, run: usize) -> Option<EndpointDifference> {
        let scaled = |(sum, n): &(f64, usize)| PairedDialogue {
            difference: sum / self.scale,
            samples: *n as f64,
        };
        let found = difference(&self.dialogues.iter().map(scaled).collect::<Vec<_>>())?;
        let steps = |(sum, _): &(f64, usize)| (sum / self.scale * STEPS).round() as i64;
        let p = sign_flip_test(&self.dialogues.iter().map(steps).collect::<Vec<_>>());
        let Interval { low, high } = found.interval;
        Some(EndpointDifference {
            measure,
            run,
            samples: self.samples,
            difference: found.value * self.scale,
            interval: Interval { low: low * self.scale, high: high * self.scale },
            noise: None,
            p,
            adjusted_p: p,
            differs: false,
        })
    }
}

/// Compares endpoints. The first run is the reference, the second a further run of the reference.
pub fn endpoints(runs: &[EndpointRun<'_>]) -> EndpointReport {
    let mut report =
        EndpointReport { cells: Vec::new(), differences: Vec::new(), parted: Vec::new() };
    for measure in Measure::ALL {
        let by_run: Vec<Values<'_>> = runs.iter().map(|run| values(*run, measure)).collect();
        report.cells.push((measure, by_run.iter().map(cell).collect()));
        let [reference, again, others @ ..] = by_run.as_slice() else { continue };
        let noise = paired(reference, again).noise();
        for (index, other) in others.iter().enumerate() {
            let found = paired(reference, other).compare(measure, index + 2);
            report.differences.extend(found.map(|it| EndpointDifference { noise, ..it }));
        }
    }
    let adjusted = holm(&report.differences.iter().map(|it| it.p).collect::<Vec<_>>());
    for (row, adjusted_p) in report.differences.iter_mut().zip(adjusted) {
        row.adjusted_p = adjusted_p;
        let beyond = row.noise.is_some_and(|noise| row.difference.abs() > noise);
        row.differs = beyond && adjusted_p < LEVEL;
    }
    let records: Vec<&Record> = runs.iter().map(|run| run.record).collect();
    let parted = super::disagreements(&records, Profile::Execution);
    report.parted = parted.into_iter().map(|it| Parting { id: it.id, trials: it.trials }).collect();
    report
}

fn cell(values: &Values<'_>) -> Cell {
    let n = values.len();
    let sum: f64 = values.values().map(|(_, value)| value).sum();
    Cell { mean: (n > 0).then(|| sum / n as f64), n }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(&'static str, &'static str, f64)]) -> Values<'static> {
        values.iter().map(|(id, dialogue, value)| (*id, (*dialogue, *value))).collect()
    }

    #[test]
    fn only_shared_samples_are_compared_and_dialogues_are_the_unit() {
        let first = of(&[("a#1", "a", 100.0), ("a#2", "a", 100.0), ("b#1", "b", 100.0)]);
        let second = of(&[("a#1", "a", 150.0), ("a#2", "a", 150.0), ("c#1", "c", 900.0)]);
        let paired = paired(&first, &second);
        assert_eq!((paired.samples, paired.dialogues.len()), (2, 1));
        let found = paired.compare(Measure::Latency, 2).unwrap();
        assert!((found.difference - 50.0).abs() < 1e-9, "{found:?}");
        // One dialogue has two signs: both patterns are as extreme, and count half.
        assert!((found.p - 0.5).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn the_noise_is_that_of_the_reference() {
        let quiet = paired(&of(&[("a", "a", 1.0)]), &of(&[("a", "a", 1.0)]));
        assert_eq!(quiet.noise(), Some(0.0));
        let loud = paired(
            &of(&[("a", "a", 1.0), ("b", "b", 0.0)]),
            &of(&[("a", "a", 0.0), ("b", "b", 1.0)]),
        );
        assert!((loud.noise().unwrap() - Z * 2.0_f64.sqrt() / 2.0).abs() < 1e-12);
        assert_eq!(paired(&of(&[]), &of(&[])).noise(), None);
    }
}
