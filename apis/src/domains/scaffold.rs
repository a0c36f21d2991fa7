//! NewApi: TODO: what it does, in a few words.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::World;
use serde_json::Value;

pub const API: Api = Api {
    name: "NewApi",
    suite: Suite::Dialogue,
    domain: Domain::Information,
    description: "TODO: what the API does, in one sentence.",
    hints: &["TODO: a phrase that people would type to find the API"],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "TODO: what it returns." }],
    reads: &[],
    writes: &[],
    errors: &["TODO: when it fails."],
    examples: &[
        Example { arguments: r#"{"text": "TODO"}"#, succeeds: true },
        Example { arguments: r#"{"text": " "}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// TODO: what the parameter is. Prompts show this line.
        #[rule(CaseFolded)]
        text: String,
    }
}

fn call(args: Args, _world: &mut World) -> Result<Value, ApiError> {
    filled("text", &args.text)?;
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    // TODO: name the tests by what they show.
    #[test]
    fn succeeds() {
        assert_eq!(output(&API, json!({"text": "tea"}), &mut world()), "success");
    }

    #[test]
    fn refuses() {
        assert!(exception(&API, json!({"text": " "}), &mut world()).contains("text"));
    }

    #[test]
    fn values_agree_under_their_rule() {
        assert!(same(&API, json!({"text": "tea"}), json!({"text": "Tea"})));
    }
}
