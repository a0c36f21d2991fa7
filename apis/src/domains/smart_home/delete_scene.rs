//! DeleteScene: delete a scene.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "DeleteScene",
    suite: Suite::Dialogue,
    domain: Domain::SmartHome,
    description: "Deletes a smart home scene, so that it is gone from the home system.",
    hints: &[
        "delete a smart home scene",
        "get rid of a lighting scene",
        "I no longer use this scene",
        "remove a home routine",
        "clear an old device preset",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Scenes],
    writes: &[TableName::Scenes],
    errors: &["The name is empty or no scene has it."],
    examples: &[
        Example { arguments: r#"{"name": "Movie Night"}"#, succeeds: true },
        Example { arguments: r#"{"name": "Submarine"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The name of the scene to delete.
        #[rule(Key)]
        name: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("name", &args.name)?;
    let key = super::key_of_scene(world, name).ok_or_else(|| ApiError::not_found("scene", name))?;
    world.scenes.remove(&key);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    #[test]
    fn removes_just_this_scene() {
        let mut world = world();
        let before = world.scenes.len();
        assert_eq!(output(&API, json!({"name": "Movie Night"}), &mut world), "success");
        assert_eq!(world.scenes.len(), before - 1);
        assert!(!world.scenes.contains("movie night"));
        exception(&API, json!({"name": "Movie Night"}), &mut world);
    }

    #[test]
    fn refuses_unknown_and_blank_names() {
        let mut world = world();
        let message = exception(&API, json!({"name": "Submarine"}), &mut world);
        assert_eq!(message, "There is no scene \"Submarine\".");
        let message = exception(&API, json!({"name": " "}), &mut world);
        assert_eq!(message, "name must not be empty.");
    }

    #[test]
    fn the_name_matches_in_any_case() {
        let gold = json!({"name": "Movie Night"});
        assert!(same(&API, gold.clone(), json!({"name": " MOVIE night"})));
        assert!(!same(&API, gold, json!({"name": "Reading Corner"})));
    }
}
