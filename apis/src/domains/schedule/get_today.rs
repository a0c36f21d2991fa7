//! GetToday: the world's date.

use crate::api::{Api, Domain, Example, Field, Suite};
use crate::error::ApiError;
use crate::store::World;
use serde_json::Value;

pub const API: Api = Api {
    name: "GetToday",
    suite: Suite::Dialogue,
    domain: Domain::Schedule,
    description: "Tells today's date: the current year, month and day.",
    hints: &[
        "which day of the week is it",
        "what year is this",
        "find out the date so I can work out tomorrow's",
        "the date right now",
        "year, month and day at the moment",
        "tell me the date",
        "what's the date today",
    ],
    params: &[],
    returns: &[Field { name: "date", label: "str", description: "Today's date. Format: %Y-%m-%d" }],
    reads: &[],
    writes: &[],
    errors: &["A parameter is given, though there are none."],
    examples: &[
        Example { arguments: "{}", succeeds: true },
        Example { arguments: r#"{"date": "tomorrow"}"#, succeeds: false },
    ],
    run: code!(|_, world| call(world)),
};

fn call(world: &World) -> Result<Value, ApiError> {
    Ok(Value::from(world.today.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    #[test]
    fn gives_the_day_of_the_world() {
        let mut world = world();
        world.today = "2024-02-29".parse().unwrap();
        assert_eq!(output(&API, json!({}), &mut world), "2024-02-29");
    }

    #[test]
    fn refuses_parameters() {
        let message = exception(&API, json!({"date": "tomorrow"}), &mut world());
        assert_eq!(message, "GetToday has no parameter \"date\"; it takes none.");
    }

    #[test]
    fn the_bare_call_is_the_only_right_one() {
        assert!(same(&API, json!({}), json!({})));
        assert!(!same(&API, json!({}), json!({"timezone": "UTC"})));
    }
}
