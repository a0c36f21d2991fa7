//! The calls of an answer after its first: reads are harmless, changes must be gold, and an API that
//! changes something is not called without a reason, even where the call fails.

use crate::{ErrorClass, Verdict};
use apis::effect;
use apis::match_rule::Said;
use apis::search::find;
use apis::{Suite, World};
use dataset::RecordedCall;
use exchange::call::ParsedCall;

/// The verdict if calls after a right first call make the answer wrong; `None` if they don't.
///
/// Each further call must either match one of the remaining gold calls `left`, each used once, or
/// change nothing and be of an API that only reads or that a gold call of this stretch uses. If `all`
/// of `left` are due at once, none may be missing. `made` is the gold call
/// that the first call matched, `world` the state before it.
pub fn wrong(
    suite: Suite,
    made: &RecordedCall,
    (left, all): (&[&RecordedCall], bool),
    further: &[ParsedCall],
    world: &World,
    said: &Said<'_>,
) -> Option<Verdict> {
    if further.is_empty() && !all {
        return None;
    }
    let due = left.len() + 1;
    let mut world = world.clone();
    run(suite, made, &mut world);
    let mut left = left.to_vec();
    let due_here: Vec<&str> =
        left.iter().chain([&made]).map(|call| call.api_name.as_str()).collect();
    for call in further {
        let Some(api) = find(suite, &call.name) else { continue };
        let same = |gold: &&RecordedCall| {
            gold.api_name == call.name && {
                let wanted = effect::effect(api, &gold.param_dict, &world);
                effect::compare(api, &gold.param_dict, &wanted, &call.arguments, &world, said)
                    .is_ok_and(|comparison| comparison.same)
            }
        };
        if let Some(at) = left.iter().position(same) {
            run(suite, left.remove(at), &mut world);
        } else if !effect::effect(api, &call.arguments, &world).changes.is_empty() {
            return Some(Verdict::wrong(
                ErrorClass::WrongResult,
                format!(
                    "The first call is right, but the answer also calls {}, which changes what no gold \
                     call changes here.",
                    call.name
                ),
            ));
        } else if !api.writes.is_empty() && !due_here.contains(&call.name.as_str()) {
            return Some(Verdict::wrong(
                ErrorClass::WrongResult,
                format!(
                    "The first call is right, but the answer also calls {}, which nothing asks for here. \
                     It changes nothing only because it fails.",
                    call.name
                ),
            ));
        }
    }
    let missing: Vec<&str> = left.iter().map(|call| call.api_name.as_str()).collect();
    (all && !missing.is_empty()).then(|| {
        let (made, missing) = (due - missing.len(), missing.join(", "));
        Verdict::wrong(
            ErrorClass::WrongResult,
            format!("The answer makes {made} of the {due} calls that are due at once; missing: {missing}."),
        )
    })
}

fn run(suite: Suite, call: &RecordedCall, world: &mut World) {
    if let Some(api) = find(suite, &call.api_name) {
        api.call(&call.param_dict, world);
    }
}
