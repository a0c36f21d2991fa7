//! Response times.

use crate::{Outcome, RunTimes, SampleRecord};
use exchange::{Answer, SampleTimes};
use serde::{Deserialize, Serialize};

/// The median and the 95th percentile of durations, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub p50_ms: u64,
    /// The 95th percentile.
    pub p95_ms: u64,
    /// The number of durations.
    pub n: usize,
}

/// Response times; each answer of an episode counts separately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Until the answer was complete, including retries and pauses.
    pub latency: Spread,
    /// Time to first token, for streamed answers.
    pub first_token: Spread,
    /// The number of answers.
    pub answers: usize,
}

impl Times {
    /// Answers per second over a whole run; `None` if its duration is zero.
    pub fn per_second(&self, run: RunTimes) -> Option<f64> {
        let ms = run.finished_ms.saturating_sub(run.started_ms);
        (ms > 0).then(|| 1000.0 * self.answers as f64 / ms as f64)
    }
}

/// Percentiles of durations by nearest rank: the smallest one that at least the given share does
/// not exceed.
pub fn spread(mut durations: Vec<u64>) -> Spread {
    durations.sort_unstable();
    let n = durations.len();
    let at = |percent: usize| {
        let rank = (percent * n).div_ceil(100).max(1);
        durations.get(rank - 1).copied().unwrap_or_default()
    };
    Spread { p50_ms: at(50), p95_ms: at(95), n }
}

/// The times of each answer of a sample, and the attempts that it took.
fn of_answers(sample: &SampleRecord) -> Vec<(SampleTimes, u32)> {
    match &sample.episode {
        Some(episode) => episode.steps.iter().map(|step| (step.times, step.attempts)).collect(),
        None => vec![(sample.times, sample.attempts)],
    }
}

/// The times of all answers.
pub fn times(samples: &[SampleRecord]) -> Times {
    let answered = samples.iter().filter(|sample| matches!(sample.outcome, Outcome::Answered(_)));
    let all: Vec<SampleTimes> = answered.flat_map(of_answers).map(|(times, _)| times).collect();
    Times {
        latency: spread(all.iter().map(|times| times.latency_ms).collect()),
        first_token: spread(all.iter().filter_map(|times| times.first_token_ms).collect()),
        answers: all.len(),
    }
}

/// Answer tokens per second after the first token; `None` if unknown. Counts samples whose answers were
/// streamed at the first attempt, because latencies include retries.
pub fn tokens_per_second(samples: &[SampleRecord]) -> Option<f64> {
    let span = |(times, attempts): &(SampleTimes, u32)| {
        let first = times.first_token_ms.filter(|_| *attempts == 1)?;
        Some(times.latency_ms.saturating_sub(first))
    };
    let (mut tokens, mut ms) = (0, 0);
    for sample in samples {
        let spans: Option<Vec<u64>> = of_answers(sample).iter().map(span).collect();
        if let (Some(spans), Outcome::Answered(Answer { usage: Some(usage), .. })) =
            (spans, &sample.outcome)
        {
            tokens += usage.completion_tokens.saturating_sub(spans.len() as u64);
            ms += spans.iter().sum::<u64>();
        }
    }
    (ms > 0 && tokens > 0).then(|| 1000.0 * tokens as f64 / ms as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;
    use dataset::Ability;
    use exchange::Usage;

    #[test]
    fn ranks_are_the_nearest() {
        assert_eq!(spread((1..=100).rev().collect()), Spread { p50_ms: 50, p95_ms: 95, n: 100 });
        assert_eq!(spread(vec![3, 1, 2]), Spread { p50_ms: 2, p95_ms: 3, n: 3 });
        assert_eq!(spread(Vec::new()), Spread::default());
    }

    #[test]
    fn the_speed_is_that_after_the_first_token() {
        let timed = |first_token_ms, completion_tokens| {
            let mut sample = call(Ability::Call, "call/a", 1, "Wiki", Some(true));
            sample.times =
                SampleTimes { latency_ms: 900, first_token_ms, ..SampleTimes::default() };
            let usage = Some(Usage { prompt_tokens: 5, completion_tokens });
            sample.outcome = Outcome::Answered(Answer { usage, ..Answer::default() });
            sample
        };
        let (streamed, other) = (timed(Some(400), 11), timed(None, 500));
        assert_eq!(tokens_per_second(&[streamed.clone(), other.clone(), streamed]), Some(20.0));
        assert_eq!(tokens_per_second(&[other]), None);
        let retried = SampleRecord { attempts: 2, ..timed(Some(400), 500) };
        assert_eq!(tokens_per_second(&[retried]), None, "its latency has the first attempt, too");
        assert_eq!(tokens_per_second(&[timed(Some(900), 1)]), None, "one token has no duration");
    }

    #[test]
    fn failed_requests_have_no_latency() {
        let timed = |latency_ms, right| {
            let mut sample = call(Ability::Call, "call/a", 1, "Wiki", right);
            sample.times =
                SampleTimes { latency_ms, first_token_ms: Some(7), ..SampleTimes::default() };
            sample
        };
        let times = times(&[timed(10, Some(true)), timed(30, Some(false)), timed(9000, None)]);
        assert_eq!(times.latency, Spread { p50_ms: 10, p95_ms: 30, n: 2 });
        assert_eq!((times.first_token.p95_ms, times.answers), (7, 2));
        let run = RunTimes { started_ms: 1000, finished_ms: 1500 };
        assert_eq!(times.per_second(run), Some(4.0));
        assert_eq!(times.per_second(RunTimes::default()), None);
    }
}
