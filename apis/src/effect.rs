//! Effects of calls, and the comparison of a predicted call with the gold call.
//!
//! A predicted call is correct if no argument contradicts the gold one and if, on a copy of the
//! same world, both calls return the same and change the same rows. Values that agree under their
//! parameter's [`Rule`](crate::Rule) are replaced by the gold ones first, so that a reworded
//! reminder is still the same reminder; where a rule is unclear, the effect decides. A failing gold
//! call has no effect to compare, so every argument must agree.

use crate::api::{Api, ApiResult};
use crate::arguments::{self, ArgumentError, Arguments};
use crate::match_rule::{Agreement, Said};
use crate::store::{Change, World};
use serde::{Deserialize, Serialize};

/// A call's result and changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effect {
    /// Its result.
    pub result: ApiResult,
    /// Its changes to the databases.
    pub changes: Vec<Change>,
}

/// A predicted call compared with the gold call of the same API on the same world.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Effect of the predicted call with its arguments unaligned.
    pub predicted: Effect,
    /// Parameters whose values do not agree under their rules.
    pub differing: Vec<&'static str>,
    /// Whether the predicted call is correct.
    pub same: bool,
}

/// Runs a call on a copy of the world.
pub fn effect(api: &Api, raw: &Arguments, world: &World) -> Effect {
    let mut copy = world.clone();
    let result = api.call(raw, &mut copy);
    Effect { result, changes: copy.changes_since(world) }
}

/// Compares a predicted call with the gold one, whose effect in this world is `gold_effect`.
///
/// A rule may accept extra details that occur in `said`. Arguments equal to the gold ones reuse
/// `gold_effect` instead of running again.
///
/// # Errors
/// If the predicted arguments don't parse.
pub fn compare(
    api: &Api,
    gold: &Arguments,
    gold_effect: &Effect,
    predicted: &Arguments,
    world: &World,
    said: &Said<'_>,
) -> Result<Comparison, Vec<ArgumentError>> {
    let Ok(gold_read) = arguments::read(api, gold) else {
        // The gold call is meant to be refused: only an identical call is correct.
        let predicted_effect = effect(api, predicted, world);
        let same = gold == predicted;
        return Ok(Comparison { predicted: predicted_effect, differing: Vec::new(), same });
    };
    let predicted_read = arguments::read(api, predicted)?;
    let mut aligned = predicted_read.clone();
    let mut differing = Vec::new();
    let mut worst = Agreement::Same;
    for param in api.params {
        let gold_value = gold_read.get(param.name);
        let agreement = param.rule.compare(gold_value, predicted_read.get(param.name), said);
        worst = worst.min(agreement);
        if agreement == Agreement::Same {
            match gold_value {
                Some(value) => aligned.insert(param.name.to_owned(), value.clone()),
                None => aligned.shift_remove(param.name),
            };
        } else {
            differing.push(param.name);
        }
    }
    let aligned_effect =
        if aligned == *gold { gold_effect.clone() } else { effect(api, &aligned, world) };
    let same = gold_effect.result.same_outcome(&aligned_effect.result)
        && gold_effect.changes == aligned_effect.changes
        && match gold_effect.result.exception {
            None => worst > Agreement::Different,
            Some(_) => worst == Agreement::Same,
        };
    let predicted = if predicted_read == aligned {
        aligned_effect
    } else {
        effect(api, &predicted_read, world)
    };
    // A call that leaves the row unchanged is wrong where a change is due.
    let is_idle = predicted.changes.is_empty() && predicted.result.exception.is_none();
    let same = same && (gold_effect.changes.is_empty() || !is_idle);
    Ok(Comparison { predicted, differing, same })
}
