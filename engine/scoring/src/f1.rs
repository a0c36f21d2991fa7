//! The `f1` profile: overlap of names and arguments.
//!
//! Micro-averaged F1 over API names and over parameter-value pairs: counts are summed over all
//! calls before dividing, as tool-use leaderboards report it.

use crate::due_calls::built_in;
use crate::{ErrorClass, Verdict};
use apis::{Arguments, arguments};
use dataset::RecordedCall;
use dataset::own_tools::{Pool, schema};
use exchange::call::ParsedCall;
use serde::{Deserialize, Serialize};

/// The terms of precision and recall.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overlap {
    /// Number in both calls.
    pub shared: usize,
    /// Number in the gold call.
    pub gold: usize,
    /// Number in the predicted call.
    pub predicted: usize,
}

impl Overlap {
    /// The harmonic mean of precision and recall; 1 if both sides are empty.
    pub fn f1(&self) -> f64 {
        match self.gold + self.predicted {
            0 => 1.0,
            sum => 2.0 * self.shared as f64 / sum as f64,
        }
    }

    /// Adds another overlap, for the micro average.
    pub fn add(&mut self, other: Overlap) {
        self.shared += other.shared;
        self.gold += other.gold;
        self.predicted += other.predicted;
    }
}

/// Overlap of names and of arguments with the gold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallOverlap {
    /// The API's name.
    pub name: Overlap,
    /// Parameter-value pairs.
    pub arguments: Overlap,
}

impl CallOverlap {
    /// Whether nothing is missing and nothing is extra.
    pub fn is_whole(&self) -> bool {
        [self.name, self.arguments]
            .iter()
            .all(|counts| counts.shared == counts.gold && counts.shared == counts.predicted)
    }
}

/// Compares a predicted call with the gold call. Values are converted to their declared types where
/// possible. Arguments of a different API share nothing with the gold ones.
pub fn overlap(pool: Pool<'_>, gold: &RecordedCall, predicted: Option<&ParsedCall>) -> CallOverlap {
    let expected = typed(pool, &gold.api_name, &gold.param_dict);
    let Some(call) = predicted else {
        return CallOverlap {
            name: Overlap { gold: 1, ..Overlap::default() },
            arguments: Overlap { gold: expected.len(), ..Overlap::default() },
        };
    };
    let given = typed(pool, &call.name, &call.arguments);
    let same_name = call.name == gold.api_name;
    let shared = match same_name {
        true => expected.iter().filter(|(key, value)| given.get(*key) == Some(*value)).count(),
        false => 0,
    };
    CallOverlap {
        name: Overlap { shared: usize::from(same_name), gold: 1, predicted: 1 },
        arguments: Overlap { shared, gold: expected.len(), predicted: given.len() },
    }
}

/// The verdict and its counts. A call that is also wrong under `execution` keeps that error class.
pub fn judge(
    pool: Pool<'_>,
    gold: &RecordedCall,
    predicted: Option<&ParsedCall>,
    execution: &Verdict,
) -> (Verdict, CallOverlap) {
    let overlap = overlap(pool, gold, predicted);
    if overlap.is_whole() {
        return (Verdict::right("Name and arguments are those of the gold call."), overlap);
    }
    let class = execution.error_class.unwrap_or(ErrorClass::WrongResult);
    let Overlap { shared, gold, predicted } = overlap.arguments;
    let name = if overlap.name.shared == 1 { "The name agrees" } else { "The name differs" };
    let explanation = format!(
        "{name}; {shared} arguments agree, of {gold} in the gold call and {predicted} in this one."
    );
    (Verdict::wrong(class, explanation), overlap)
}

/// Compares the calls of an episode with the gold calls, ignoring order. Each gold call is matched
/// greedily with the unmatched call to the same API that shares the most arguments. Unmatched calls
/// count as missing or extra. `None` is a call that could not be parsed.
pub fn overlap_of_calls(
    pool: Pool<'_>,
    gold: &[&RecordedCall],
    made: &[Option<&ParsedCall>],
) -> CallOverlap {
    let mut sum = CallOverlap::default();
    let mut open: Vec<Option<&ParsedCall>> = made.to_vec();
    let mut add = |one: CallOverlap| {
        sum.name.add(one.name);
        sum.arguments.add(one.arguments);
    };
    for wanted in gold {
        let same_api =
            |call: &Option<&ParsedCall>| call.is_some_and(|call| call.name == wanted.api_name);
        let shared = |call: Option<&ParsedCall>| overlap(pool, wanted, call).arguments.shared;
        let candidates = open.iter().enumerate().filter(|(_, call)| same_api(call));
        // The first of equals, so that ties are broken deterministically.
        let best = candidates.max_by_key(|(index, call)| (shared(**call), usize::MAX - index));
        let call = best.map(|(index, _)| index).and_then(|index| open.remove(index));
        add(overlap(pool, wanted, call));
    }
    for call in open {
        let one = Overlap { predicted: 1, ..Overlap::default() };
        let unread = CallOverlap { name: one, arguments: Overlap::default() };
        add(call.map_or(unread, |call| unneeded(Some(call))));
    }
    sum
}

/// The verdict on an episode and its counts. An episode that is also wrong under `execution` keeps
/// that error class.
pub fn judge_calls(
    pool: Pool<'_>,
    gold: &[&RecordedCall],
    made: &[Option<&ParsedCall>],
    execution: &Verdict,
) -> (Verdict, CallOverlap) {
    let overlap = overlap_of_calls(pool, gold, made);
    if overlap.is_whole() {
        let why = "Names and arguments are those of the gold calls, whatever the order.";
        return (Verdict::right(why), overlap);
    }
    let class = execution.error_class.unwrap_or(ErrorClass::WrongResult);
    let (name, arguments) = (overlap.name, overlap.arguments);
    let explanation = format!(
        "{} names agree, of {} in the gold calls and {} in these; {} arguments, of {} and {}.",
        name.shared,
        name.gold,
        name.predicted,
        arguments.shared,
        arguments.gold,
        arguments.predicted
    );
    (Verdict::wrong(class, explanation), overlap)
}

/// The counts of a step at which no call is right: everything in a predicted call is extra.
pub fn unneeded(predicted: Option<&ParsedCall>) -> CallOverlap {
    let Some(call) = predicted else { return CallOverlap::default() };
    CallOverlap {
        name: Overlap { predicted: 1, ..Overlap::default() },
        arguments: Overlap { predicted: call.arguments.len(), ..Overlap::default() },
    }
}

/// The arguments converted to their declared types, or unchanged where that fails.
fn typed(pool: Pool<'_>, name: &str, raw: &Arguments) -> Arguments {
    if let Some(tool) = pool.own().and_then(|tools| tools.find(name)) {
        return schema::read(&tool.parameters, raw);
    }
    let api = built_in(pool, name);
    raw.iter()
        .map(|(key, value)| {
            let read = api
                .and_then(|api| api.param(key))
                .and_then(|param| arguments::read_value(param.kind, value));
            (key.clone(), read.unwrap_or_else(|| value.clone()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::{ApiResult, Suite};
    use exchange::call;
    use serde_json::json;

    fn check(answer: &str, name: [usize; 3], arguments: [usize; 3]) {
        let gold = RecordedCall {
            api_name: "QueryStock".to_owned(),
            param_dict: json!({"stock_code": "ABC", "date": "2023-1-2"})
                .as_object()
                .unwrap()
                .clone(),
            result: ApiResult::failure("QueryStock", json!({}), "unused"),
            alternatives: Vec::new(),
            declared: dataset::Declared::default(),
        };
        let found = overlap(Suite::Dialogue.into(), &gold, call::parse(answer).ok().as_ref());
        let of = |[shared, gold, predicted]: [usize; 3]| Overlap { shared, gold, predicted };
        assert_eq!((found.name, found.arguments), (of(name), of(arguments)), "{answer}");
    }

    #[test]
    fn counts_what_is_shared() {
        check("[QueryStock(stock_code='ABC', date='2023-01-02')]", [1, 1, 1], [2, 2, 2]);
        check("[QueryStock(stock_code='XYZ', date='2023-01-02', x=1)]", [1, 1, 1], [1, 2, 3]);
        check("[Wiki(keyword='ABC')]", [0, 1, 1], [0, 2, 1]);
        check("nothing", [0, 1, 0], [0, 2, 0]);
    }

    #[test]
    fn calls_of_an_episode_are_paired_whatever_their_order() {
        let gold = |stock: &str, date: &str| RecordedCall {
            api_name: "QueryStock".to_owned(),
            param_dict: json!({"stock_code": stock, "date": date}).as_object().unwrap().clone(),
            result: ApiResult::failure("QueryStock", json!({}), "unused"),
            alternatives: Vec::new(),
            declared: dataset::Declared::default(),
        };
        let golds = [gold("ABC", "2023-01-02"), gold("XYZ", "2023-01-03")];
        let golds: Vec<_> = golds.iter().collect();
        let check = |answers: &[&str], name: [usize; 3], arguments: [usize; 3]| {
            let calls: Vec<_> = answers.iter().map(|answer| call::parse(answer).ok()).collect();
            let calls: Vec<_> = calls.iter().map(Option::as_ref).collect();
            let right = Verdict::right("");
            let (verdict, found) = judge_calls(Suite::Dialogue.into(), &golds, &calls, &right);
            let of = |[shared, gold, predicted]: [usize; 3]| Overlap { shared, gold, predicted };
            assert_eq!((found.name, found.arguments), (of(name), of(arguments)), "{answers:?}");
            assert_eq!(verdict.correct, found.is_whole(), "{answers:?}");
        };
        let (first, second) = (
            "[QueryStock(stock_code='ABC', date='2023-01-02')]",
            "[QueryStock(stock_code='XYZ', date='2023-01-03')]",
        );
        check(&[first, second], [2, 2, 2], [4, 4, 4]);
        check(&[second, first], [2, 2, 2], [4, 4, 4]);
        check(&[first], [1, 2, 1], [2, 4, 2]);
        check(&[first, first], [2, 2, 2], [2, 4, 4]);
        check(&[first, second, "[Wiki(keyword='ABC')]", "(("], [2, 2, 4], [4, 4, 5]);
        check(&[], [0, 2, 0], [0, 4, 0]);
    }

    #[test]
    fn the_mean_is_harmonic_and_sums_first() {
        let mut sum = Overlap { shared: 1, gold: 2, predicted: 2 };
        assert!((sum.f1() - 0.5).abs() < 1e-12);
        sum.add(Overlap { shared: 2, gold: 2, predicted: 2 });
        assert!((sum.f1() - 0.75).abs() < 1e-12);
        assert!((Overlap::default().f1() - 1.0).abs() < 1e-12);
    }
}
