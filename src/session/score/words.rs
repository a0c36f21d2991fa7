//! A score in words, and what to do next.

use crate::session::filter::{expected, received};
use crate::session::format;
use crate::t;
use crate::texts::Texts;
use record::table::{SecondaryMetric, Shape};
use record::{AbilityRow, Model, Rate, RunSettings, SampleRecord, Summary};
use scoring::{ErrorClass, Profile};

/// The share below which a rate beside the score is a weakness.
const WEAK: f64 = 0.5;
/// The share of the answers from which on a fault of the server explains the score.
const MOST: f64 = 0.9;
/// Small fractions that people say.
const FRACTIONS: [(u32, u32); 13] = [
    (1, 20),
    (1, 10),
    (1, 5),
    (1, 4),
    (1, 3),
    (2, 5),
    (1, 2),
    (3, 5),
    (2, 3),
    (3, 4),
    (4, 5),
    (9, 10),
    (19, 20),
];

/// The fraction that is nearest to a share.
fn fraction(share: f64) -> (u32, u32) {
    let off = |(k, n): &(u32, u32)| (share - f64::from(*k) / f64::from(*n)).abs();
    let nearest = FRACTIONS.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    nearest.unwrap_or((1, 2))
}

/// The score and the greatest weakness, for a reader who knows no benchmark: `Right on about 1 in 4
/// calls. Called a tool every time it should have answered in words.` `None` without a score.
pub fn sentence(summary: &Summary, texts: Texts) -> Option<String> {
    let total = summary.rows.last()?;
    let shape = Shape::of(summary);
    let share = shape.rate(total).value()?;
    let score = if shape.episodes { of_dialogues(share, texts) } else { of_calls(share, texts) };
    Some(match weakness(total, texts) {
        Some(weakness) => t!(texts, "{score} {weakness}", score = score, weakness = weakness),
        None => score,
    })
}

fn of_calls(share: f64, texts: Texts) -> String {
    let (k, n) = fraction(share);
    match share {
        0.0 => t!(texts, "Wrong on every call.").to_owned(),
        1.0 => t!(texts, "Right on every call.").to_owned(),
        ..0.05 => t!(texts, "Right on fewer than 1 in 20 calls.").to_owned(),
        0.95.. => t!(texts, "Wrong on at most 1 in 20 calls.").to_owned(),
        _ => t!(texts, "Right on about {k} in {n} calls.", k = k, n = n),
    }
}

fn of_dialogues(share: f64, texts: Texts) -> String {
    let (k, n) = fraction(share);
    match share {
        0.0 => t!(texts, "Completed no dialogue.").to_owned(),
        1.0 => t!(texts, "Completed every dialogue.").to_owned(),
        ..0.05 => t!(texts, "Completed fewer than 1 in 20 dialogues.").to_owned(),
        0.95.. => t!(texts, "Failed at most 1 in 20 dialogues.").to_owned(),
        _ => t!(texts, "Completed about {k} in {n} dialogues.", k = k, n = n),
    }
}

/// The lowest of the rates beside the score, if it is low.
fn weakness(total: &AbilityRow, texts: Texts) -> Option<String> {
    let metrics = [SecondaryMetric::Restraint, SecondaryMetric::Searches, SecondaryMetric::Told];
    let low = metrics.into_iter().filter_map(|metric| Some((metric, metric.rate(total).value()?)));
    let (metric, share) =
        low.filter(|(_, share)| *share < WEAK).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (k, n) = fraction(1.0 - share);
    let is_always = share == 0.0;
    Some(match metric {
        SecondaryMetric::Restraint if is_always => {
            t!(texts, "Called a tool every time it should have answered in words.").to_owned()
        }
        SecondaryMetric::Restraint => {
            t!(
                texts,
                "Called a tool about {k} in {n} times where it should have answered in words.",
                k = k,
                n = n
            )
        }
        SecondaryMetric::Searches if is_always => {
            t!(texts, "No search found the needed API.").to_owned()
        }
        SecondaryMetric::Searches => {
            t!(texts, "About {k} in {n} searches missed the needed API.", k = k, n = n)
        }
        _ if is_always => t!(texts, "No reply stated the whole result.").to_owned(),
        _ => t!(texts, "About {k} in {n} replies left out part of the result.", k = k, n = n),
    })
}

/// Right and scored with the interval in whole percent: `199 of 753 calls right; likely 23 to 30 %`.
/// `None` without a score.
pub fn likely(summary: &Summary, texts: Texts) -> Option<String> {
    let shape = Shape::of(summary);
    let rate = shape.rate(summary.rows.last()?);
    let interval = rate.interval?;
    let Rate { right, n, .. } = rate;
    let (right, n) = (format::count(*right), format::count(*n));
    let whole = |share: f64| format!("{:.0}", 100.0 * share);
    let (low, high) = (whole(interval.low), whole(interval.high));
    Some(if shape.episodes {
        t!(
            texts,
            "{right} of {n} dialogues right; likely {low} to {high} %",
            right = right,
            n = n,
            low = low,
            high = high
        )
    } else {
        t!(
            texts,
            "{right} of {n} calls right; likely {low} to {high} %",
            right = right,
            n = n,
            low = low,
            high = high
        )
    })
}

/// What to do after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Run a model of one's own: this one is built in.
    OwnModel,
    /// Switch on the server's tool parser.
    Parser,
    /// Ask for native tool calls, because the model writes calls in another form.
    Tools,
    /// Try a larger model: matching keywords is better than this one.
    Larger,
    /// Look at the most common error.
    Error(ErrorClass),
}

/// The next step after a run; `None` if nothing is wrong. `keyword` is the rate of the keyword baseline
/// on the same samples, 0 to 1.
pub fn next(settings: &RunSettings, summary: &Summary, keyword: Option<f64>) -> Option<Next> {
    if matches!(settings.model, Model::Builtin { .. }) {
        return Some(Next::OwnModel);
    }
    let total = summary.rows.last()?;
    let rate = Shape::of(summary).rate(total);
    let share = rate.value()?;
    let of = |count: usize| count as f64 / rate.n as f64;
    let other_forms = summary.forms.as_ref().map_or(0, |it| it.answers.values().sum());
    let silent = total.errors.get(&ErrorClass::NoApiCall).copied().unwrap_or_default();
    let is_native = settings.protocol.is_native();
    if of(other_forms) >= WEAK {
        return Some(if is_native { Next::Parser } else { Next::Tools });
    }
    if is_native && of(other_forms + silent) >= MOST {
        return Some(Next::Parser);
    }
    if keyword.is_some_and(|keyword| share < keyword) {
        return Some(Next::Larger);
    }
    commonest(total).first().map(|(class, _)| Next::Error(*class))
}

/// The error classes, the most common ones first; ties in the order of the classes.
pub fn commonest(total: &AbilityRow) -> Vec<(ErrorClass, usize)> {
    let mut errors: Vec<(ErrorClass, usize)> =
        total.errors.iter().map(|(class, count)| (*class, *count)).collect();
    errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    errors
}

/// The example of an error class that is read fastest: the one with the shortest gold and answer.
pub fn example(
    samples: &[SampleRecord],
    profile: Profile,
    class: ErrorClass,
) -> Option<&SampleRecord> {
    let is_of_class = |it: &&SampleRecord| {
        it.verdict(profile).is_some_and(|verdict| verdict.error_class == Some(class))
    };
    let length = |it: &&SampleRecord| expected(it).chars().count() + received(it).chars().count();
    samples.iter().filter(is_of_class).min_by_key(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::call;
    use dataset::Ability;
    use exchange::call::Form;
    use exchange::protocol::Protocol;
    use provider::Endpoint;
    use record::{Baseline, Forms, Outcome, summarize};
    use scoring::{Verdict, wilson};
    use std::collections::BTreeMap;

    fn rate(right: usize, n: usize) -> Rate {
        Rate { right, n, interval: wilson(right, n) }
    }

    fn summary(total: AbilityRow) -> Summary {
        Summary { rows: vec![total], ..summarize(&[], Profile::Execution) }
    }

    fn of_calls(right: usize, n: usize) -> AbilityRow {
        AbilityRow { calls: rate(right, n), ..AbilityRow::default() }
    }

    fn endpoint(protocol: Protocol) -> RunSettings {
        let model = Model::Endpoint(Endpoint::default());
        RunSettings { protocol, ..RunSettings::new(model) }
    }

    fn said(total: AbilityRow) -> String {
        sentence(&summary(total), Texts::ENGLISH).unwrap()
    }

    #[test]
    fn a_score_is_a_fraction_that_people_say() {
        for (right, expected) in [
            (0, "Wrong on every call."),
            (4, "Right on fewer than 1 in 20 calls."),
            (26, "Right on about 1 in 4 calls."),
            (66, "Right on about 2 in 3 calls."),
            (97, "Wrong on at most 1 in 20 calls."),
            (100, "Right on every call."),
        ] {
            assert_eq!(said(of_calls(right, 100)), expected);
        }
        let episodes = AbilityRow { dialogues: rate(1, 2), ..AbilityRow::default() };
        assert_eq!(said(episodes), "Completed about 1 in 2 dialogues.");
        assert_eq!(sentence(&summary(AbilityRow::default()), Texts::ENGLISH), None);
    }

    #[test]
    fn the_sentence_names_the_greatest_weakness_alone() {
        let total = AbilityRow { restraint: rate(0, 9), told: rate(1, 9), ..of_calls(1, 4) };
        let expected = "Right on about 1 in 4 calls. Called a tool every time it should have answered in words.";
        assert_eq!(said(total), expected);
        let total = AbilityRow { restraint: rate(9, 9), told: rate(1, 4), ..of_calls(1, 4) };
        let expected =
            "Right on about 1 in 4 calls. About 3 in 4 replies left out part of the result.";
        assert_eq!(said(total), expected);
    }

    #[test]
    fn the_interval_is_told_in_whole_percent() {
        let interval = likely(&summary(of_calls(199, 753)), Texts::ENGLISH).unwrap();
        assert_eq!(interval, "199 of 753 calls right; likely 23 to 30 %");
    }

    #[test]
    fn the_next_step_blames_the_server_before_the_model() {
        let errors = |class, count| BTreeMap::from([(class, count)]);
        let silent = AbilityRow { errors: errors(ErrorClass::NoApiCall, 10), ..of_calls(0, 10) };
        let forms = |count| {
            let answers = BTreeMap::from([(Form::ALL[0], count)]);
            Some(Box::new(Forms { answers, forgiven: AbilityRow::default() }))
        };
        let other = Summary { forms: forms(6), ..summary(silent.clone()) };
        let step = |protocol, of: &Summary, keyword| next(&endpoint(protocol), of, keyword);
        assert_eq!(step(Protocol::Tools, &other, None), Some(Next::Parser));
        assert_eq!(step(Protocol::Bracket, &other, None), Some(Next::Tools));
        let silent = summary(silent);
        assert_eq!(step(Protocol::Tools, &silent, None), Some(Next::Parser));
        let class = Next::Error(ErrorClass::NoApiCall);
        assert_eq!(step(Protocol::Bracket, &silent, None), Some(class));
        assert_eq!(step(Protocol::Bracket, &silent, Some(0.1)), Some(Next::Larger));
        assert_eq!(step(Protocol::Bracket, &summary(of_calls(9, 9)), Some(0.1)), None);
        let built_in = RunSettings::new(Model::Builtin { name: Baseline::GoldReplay });
        assert_eq!(next(&built_in, &silent, None), Some(Next::OwnModel));
    }

    #[test]
    fn the_example_is_the_shortest_of_its_class() {
        let answered = |turn, text: &str, class| {
            let mut sample = call(Ability::Call, "call/a", turn, Some(false));
            if let Outcome::Answered(answer) = &mut sample.outcome {
                text.clone_into(&mut answer.text);
            }
            if let Some(verdicts) = &mut sample.verdicts {
                verdicts.execution = Verdict::wrong(class, "");
            }
            sample
        };
        let class = ErrorClass::WrongApi;
        let samples = [
            answered(1, "[LongestOfAll()]", class),
            answered(2, "[Short()]", class),
            answered(3, "[A()]", ErrorClass::WrongResult),
        ];
        let found = |class| example(&samples, Profile::Execution, class).map(|it| it.turn);
        assert_eq!(found(class), Some(2));
        assert_eq!(found(ErrorClass::NoApiCall), None);
    }
}
