//! QueryScene: the devices of a scene.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "QueryScene",
    suite: Suite::Dialogue,
    domain: Domain::SmartHome,
    description: "Shows which devices belong to a smart home scene and what each of them does in \
                  it.",
    hints: &[
        "what does this scene do",
        "show the devices in a smart home scene",
        "which lights are part of the scene",
        "look up a scene",
        "check the settings of a home routine",
        "what happens when I start this scene",
        "list the devices of a scene",
        "look up a smart home scene by name",
        "find out which devices a scene uses",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "devices",
        label: "list",
        description: "The devices, each with name and description; the list itself is the output.",
    }],
    reads: &[TableName::Scenes],
    writes: &[],
    errors: &["The name is empty or no scene has it."],
    examples: &[
        Example { arguments: r#"{"name": "Movie Night"}"#, succeeds: true },
        Example { arguments: r#"{"name": "Submarine"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The name of the scene to look at.
        #[rule(Key)]
        name: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("name", &args.name)?;
    let devices = super::key_of_scene(world, name)
        .and_then(|key| world.scenes.get(&key))
        .ok_or_else(|| ApiError::not_found("scene", name))?;
    Ok(json!(devices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};
    use crate::store::Device;

    #[test]
    fn lists_the_devices() {
        let mut world = world();
        let lamp = Device { name: "lamp".to_owned(), description: "Off".to_owned() };
        world.scenes.insert("Night Watch", vec![lamp]);
        let devices = output(&API, json!({"name": "night watch"}), &mut world);
        assert_eq!(devices, json!([{"name": "lamp", "description": "Off"}]));
    }

    #[test]
    fn refuses_unknown_and_blank_names() {
        let mut world = world();
        let message = exception(&API, json!({"name": "Submarine"}), &mut world);
        assert_eq!(message, "There is no scene \"Submarine\".");
        assert_eq!(exception(&API, json!({"name": ""}), &mut world), "name must not be empty.");
    }

    #[test]
    fn the_name_matches_in_any_case() {
        let gold = json!({"name": "Movie Night"});
        assert!(same(&API, gold.clone(), json!({"name": "movie night "})));
        assert!(does_the_same(&API, gold.clone(), json!({"name": "the Movie Night scene"})));
        assert!(!same(&API, gold, json!({"name": "Reading Corner"})));
    }
}
