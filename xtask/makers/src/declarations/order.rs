//! Which calls of a stretch have to come before which: a first draft of `after`, from running the calls in
//! both orders.

use apis::effect::effect;
use apis::search::{SearchResults, TOOL_SEARCHER, find, found_names, tool_searcher};
use apis::store::unordered;
use apis::{Api, ApiResult, Suite, World};
use dataset::{Ability, Dialogue, RecordedCall, Turn};
use serde_json::Value;
use std::collections::BTreeSet;

/// The gold calls from a turn up to the next utterance, starting with the turn's own.
pub fn stretch(dialogue: &Dialogue, turn: usize) -> Vec<&RecordedCall> {
    let rest = dialogue.turns.get(turn..).unwrap_or_default();
    rest.iter().map_while(Turn::as_call).collect()
}

/// For each call of the stretch that starts at `turn`, the turns of those that have to come first:
/// those with which it can't change places. A call that another one of them needs is left out.
/// `world` is the state before the stretch.
///
/// Two calls can't change places if
/// - one is rejected: later calls, except searches, may react to the rejection;
/// - the later one writes and the earlier one only reads: the change may depend on the result;
/// - the earlier one finds nothing and the later one is of the same API: it widens the search;
/// - an argument of the later one, or a number in its formula, first appears in the earlier one's
///   result;
/// - the earlier one is the search that found the later one's API;
/// - run in both orders on copies of the world, they return different results or leave different
///   states.
pub fn dependencies(dialogue: &Dialogue, turn: usize, world: &World) -> Vec<Vec<usize>> {
    let stretch = stretch(dialogue, turn);
    let calls = run(dialogue.ability.suite(), &stretch, world);
    let known: Vec<Known> = (0..calls.len())
        .map(|at| Known::new(dialogue.ability, &dialogue.turns[..turn + at], &calls[at].world))
        .collect();
    let needs = |later: usize| -> Vec<usize> {
        (0..later).filter(|at| !known[*at].can_swap(&calls[*at], &calls[later])).collect()
    };
    let all: Vec<Vec<usize>> = (0..calls.len()).map(needs).collect();
    let indirect = |of: &[usize], it: usize| of.iter().any(|other| all[*other].contains(&it));
    all.iter()
        .map(|of| of.iter().filter(|index| !indirect(of, **index)).map(|it| it + turn).collect())
        .collect()
}

/// A gold call and its result.
struct Ran<'a> {
    call: &'a RecordedCall,
    api: Option<&'static Api>,
    result: ApiResult,
    writes: bool,
    /// The state before the call.
    world: World,
}

fn run<'a>(suite: Suite, stretch: &[&'a RecordedCall], world: &World) -> Vec<Ran<'a>> {
    let mut world = world.clone();
    let mut ran = Vec::with_capacity(stretch.len());
    for call in stretch {
        let api = find(suite, &call.api_name);
        let before = world.clone();
        // Searches only read, and the recorded result names the API they found.
        let result = match api.filter(|api| api.name != TOOL_SEARCHER) {
            Some(api) => api.call(&call.param_dict, &mut world),
            None => call.result.clone(),
        };
        let writes = api.is_some_and(|api| !api.writes.is_empty());
        ran.push(Ran { call, api, result, writes, world: before });
    }
    ran
}

/// The information available before the stretch.
struct Known {
    /// Every utterance, argument and result, in lower case.
    values: String,
    /// APIs returned by searches.
    found: BTreeSet<String>,
    /// Whether the ability requires API Search.
    searched: bool,
}

impl Known {
    fn new(ability: Ability, before: &[Turn], world: &World) -> Self {
        let mut values = String::new();
        let mut found = BTreeSet::new();
        for turn in before {
            match turn {
                Turn::User { text } | Turn::Assistant { text, .. } => values.push_str(text),
                Turn::Api(call) => {
                    if call.is_search() {
                        found.extend(found_names(&call.result));
                        found.extend(shown(ability.suite(), call, world));
                        continue;
                    }
                    let arguments = call.param_dict.values().chain(&call.result.output);
                    arguments.for_each(|value| {
                        each_leaf(value, &mut |leaf| {
                            values.push('\n');
                            values.push_str(leaf);
                        })
                    });
                }
            }
            values.push('\n');
        }
        Known { values: values.to_lowercase(), found, searched: ability != Ability::Call }
    }

    fn can_swap(&self, earlier: &Ran<'_>, later: &Ran<'_>) -> bool {
        let refused = |it: &Ran<'_>| it.result.exception.is_some();
        let widens = later.call.api_name == earlier.call.api_name
            && earlier.result.output.as_ref().is_some_and(is_empty);
        if (refused(earlier) && !later.is_search())
            || refused(later)
            || widens
            || (later.writes && !earlier.writes && !earlier.is_search())
        {
            return false;
        }
        if self.searched && earlier.finds(later) && !self.found.contains(&later.call.api_name) {
            return false;
        }
        !self.uses(earlier, later) && commute(earlier, later)
    }

    /// Whether an argument of the later call first appears in the earlier call's result. What the
    /// earlier call was itself asked with is known without it.
    fn uses(&self, earlier: &Ran<'_>, later: &Ran<'_>) -> bool {
        if earlier.is_search() {
            return false;
        }
        let mut brought = BTreeSet::new();
        if let Some(value) = &earlier.result.output {
            each_leaf(value, &mut |leaf| {
                brought.insert(written(leaf));
            });
        }
        let mut asked = BTreeSet::new();
        for value in earlier.call.param_dict.values() {
            each_leaf(value, &mut |leaf| {
                asked.insert(written(leaf));
            });
        }
        let mut uses = false;
        for value in later.call.param_dict.values() {
            each_leaf(value, &mut |leaf| {
                let leaf = written(leaf);
                let is_in =
                    |text: &String| *text == leaf || (leaf.len() > 3 && text.contains(&leaf));
                let known = self.values.contains(&leaf) || asked.contains(&leaf);
                uses |= brought.iter().any(is_in) && !known;
                uses |= operands(&leaf).into_iter().any(|number| {
                    brought.contains(number)
                        && !self.values.contains(number)
                        && !asked.contains(number)
                });
            });
        }
        uses
    }
}

/// A value in lower case; a number in one form: `77400` for `77400.0`.
fn written(leaf: &str) -> String {
    leaf.parse::<f64>().map_or_else(|_| leaf.to_lowercase(), |number| number.to_string())
}

/// The numbers in a formula; none in other text.
fn operands(leaf: &str) -> Vec<&str> {
    let is_formula = leaf.chars().all(|c| c.is_ascii_digit() || " .+-*/()^".contains(c));
    let numbers = leaf.split(|c: char| !c.is_ascii_digit() && c != '.');
    if is_formula { numbers.filter(|number| !number.is_empty()).collect() } else { Vec::new() }
}

/// Whether a result is empty: an empty list, or an object of empty lists.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => !fields.is_empty() && fields.values().all(is_empty),
        _ => false,
    }
}

impl Ran<'_> {
    fn is_search(&self) -> bool {
        self.call.is_search()
    }

    /// Whether this is the search that returned the other's API.
    fn finds(&self, other: &Ran<'_>) -> bool {
        self.is_search() && found_names(&self.result).contains(&other.call.api_name)
    }
}

/// The APIs that a search showed to the model: files record the best alone.
fn shown(suite: Suite, search: &RecordedCall, world: &World) -> BTreeSet<String> {
    if world.search.results == SearchResults::One {
        return BTreeSet::new();
    }
    found_names(&effect(tool_searcher(suite), &search.param_dict, world).result)
        .into_iter()
        .collect()
}

/// Whether two calls return the same results and leave the same state in both orders.
fn commute(earlier: &Ran<'_>, later: &Ran<'_>) -> bool {
    let (Some(first), Some(second)) = (earlier.api, later.api) else { return false };
    if earlier.is_search() || later.is_search() || !(earlier.writes || later.writes) {
        return true;
    }
    let in_order = |calls: [(&Api, &RecordedCall); 2]| {
        let mut world = earlier.world.clone();
        let results = calls.map(|(api, call)| api.call(&call.param_dict, &mut world));
        (results, unordered(&world.changes_since(&earlier.world)))
    };
    let (a, b) = ((first, earlier.call), (second, later.call));
    let ([a1, b1], state) = in_order([a, b]);
    let ([b2, a2], swapped) = in_order([b, a]);
    a1.same_outcome(&a2) && b1.same_outcome(&b2) && state == swapped
}

/// Calls `each` with every string (trimmed), number and boolean in a value.
fn each_leaf(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text.trim()),
        Value::Array(items) => items.iter().for_each(|item| each_leaf(item, each)),
        Value::Object(fields) => fields.values().for_each(|field| each_leaf(field, each)),
        Value::Null => {}
        other => each(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, arguments: Value) -> RecordedCall {
        RecordedCall {
            api_name: name.to_owned(),
            param_dict: arguments.as_object().unwrap().clone(),
            result: ApiResult::failure(name, json!({}), "not run"),
            alternatives: Vec::new(),
            declared: dataset::Declared::default(),
        }
    }

    /// The names of the later calls that may come first.
    fn free(said: &str, calls: &[RecordedCall]) -> Vec<String> {
        free_in(Ability::Call, said, calls)
    }

    fn free_in(ability: Ability, said: &str, calls: &[RecordedCall]) -> Vec<String> {
        let pack = dataset::builtin().unwrap();
        let mut dialogue = pack.dialogues[0].clone();
        dialogue.ability = ability;
        let turns = calls.iter().map(|call| Turn::Api(call.clone()));
        dialogue.turns =
            std::iter::once(Turn::User { text: said.to_owned() }).chain(turns).collect();
        let needed = dependencies(&dialogue, 1, &pack.world);
        let free = calls.iter().zip(needed).skip(1).filter(|(_, needed)| needed.is_empty());
        free.map(|(call, _)| call.api_name.clone()).collect()
    }

    const TOKEN: &str = "q7m2x9v4b1n8k5j3h6";

    fn alarm(name: &str, time: &str) -> RecordedCall {
        call(name, json!({"token": TOKEN, "time": time}))
    }

    #[test]
    fn independent_calls_are_free() {
        let two =
            [alarm("AddAlarm", "2024-05-20 03:01:00"), alarm("AddAlarm", "2024-05-21 03:01:00")];
        assert_eq!(free("", &two), ["AddAlarm"]);
        let words = ["serene", "nimble"].map(|word| call("Dictionary", json!({"keyword": word})));
        assert_eq!(free("", &words), ["Dictionary"]);
        let today = [alarm("AddAlarm", "2024-05-20 03:01:00"), call("GetToday", json!({}))];
        assert_eq!(free("", &today), ["GetToday"]);
    }

    #[test]
    fn a_row_that_one_writes_and_the_other_reads_binds_them() {
        let time = "2024-05-20 03:01:00";
        assert!(free("", &[alarm("AddAlarm", time), alarm("QueryAlarm", time)]).is_empty());
        assert!(free("", &[alarm("AddAlarm", time), alarm("DeleteAlarm", time)]).is_empty());
        let other = alarm("QueryAlarm", "2024-05-16 06:30:00");
        let free = free("", &[alarm("AddAlarm", time), other.clone()]);
        let found = dataset::builtin().unwrap();
        let there = find(Suite::Dialogue, "QueryAlarm")
            .unwrap()
            .call(&other.param_dict, &mut found.world.clone());
        assert_eq!(
            free.is_empty(),
            there.exception.is_some(),
            "a rejected look-up must stay in place"
        );
    }

    #[test]
    fn an_argument_from_a_result_binds_unless_it_was_said() {
        let login =
            call("GetUserToken", json!({"username": "mira.okafor", "password": "tamarind-42"}));
        let add = alarm("AddAlarm", "2024-05-20 03:01:00");
        assert!(free("mira.okafor, tamarind-42", &[login, add]).is_empty());
        let day = call("GetToday", json!({}));
        let price = call("QueryStock", json!({"stock_code": "CINDR", "date": "2024-05-15"}));
        let said = "CINDR on 2024-05-15? And what day is it?";
        assert_eq!(free(said, &[day, price]), ["QueryStock"]);
        // The flight's day is in its result, and in its own arguments.
        let travel =
            json!({"source": "Sydney", "destination": "Auckland", "travel_dates": "2024-05-29"});
        let stay = json!({"destination": "Sydney", "check_in_date": "2024-05-27", "check_out_date": "2024-05-29"});
        let calls = [call("FlightSearch", travel), call("HotelAvailability", stay)];
        assert_eq!(
            free_in(Ability::Plan, "From the 27th, for two days", &calls),
            ["HotelAvailability"]
        );
    }

    #[test]
    fn a_number_from_a_result_binds_the_formula() {
        let pay = |job: &str| call("GetOccupationSalary", json!({"occupation": job}));
        let salary = |job: &str| {
            let api = find(Suite::Planning, "GetOccupationSalary").unwrap();
            let pack = dataset::builtin().unwrap();
            api.call(&pay(job).param_dict, &mut pack.world.clone()).output.unwrap()
        };
        let (first, second) = (salary("Nurse"), salary("Electrician"));
        let number = |value: &Value| {
            let mut number = String::new();
            each_leaf(value, &mut |leaf| number = leaf.to_owned());
            number
        };
        let formula = format!("{} - {}", number(&first), number(&second));
        let sum = call("Calculator", json!({"formula": formula}));
        let calls = [pay("Nurse"), pay("Electrician"), sum];
        assert_eq!(free_in(Ability::Plan, "How much more?", &calls), ["GetOccupationSalary"]);
        assert_eq!(free_in(Ability::Plan, &formula, &calls), ["GetOccupationSalary", "Calculator"]);
    }

    #[test]
    fn a_wider_search_waits_until_the_narrow_one_finds_nothing() {
        let near = |distance: f64| {
            let there = json!({"latitude": -33.9628, "longitude": 18.4098, "distance": distance});
            call("NearbyRestaurants", there)
        };
        let run = |distance: f64| {
            let api = find(Suite::Planning, "NearbyRestaurants").unwrap();
            let pack = dataset::builtin().unwrap();
            api.call(&near(distance).param_dict, &mut pack.world.clone()).output.unwrap()
        };
        assert!(is_empty(&run(1.0)), "{}", run(1.0));
        assert!(
            free_in(Ability::Plan, "1, else 2500 metres", &[near(1.0), near(2500.0)]).is_empty()
        );
        let both = [near(2500.0), near(2400.0)];
        assert_eq!(free_in(Ability::Plan, "2500 and 2400", &both), ["NearbyRestaurants"]);
    }

    #[test]
    fn nothing_moves_in_front_of_a_refusal_and_no_change_in_front_of_a_look_up() {
        let missing = call("Wiki", json!({"keyword": "Zzyzx"}));
        let there = call("Wiki", json!({"keyword": "Petra"}));
        assert!(free("", &[missing, there.clone()]).is_empty());
        assert!(free("", &[there, alarm("AddAlarm", "2024-05-20 03:01:00")]).is_empty());
    }
}
