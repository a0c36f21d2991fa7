//! ModifyScene: replace the devices of a scene.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Device, TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "ModifyScene",
    suite: Suite::Dialogue,
    domain: Domain::SmartHome,
    description: "Changes an existing smart home scene by replacing its devices with another list \
                  of devices.",
    hints: &[
        "change a smart home scene",
        "add a device to a scene",
        "take the lamp out of my evening scene",
        "replace the devices of a scene",
        "update a home routine",
        "swap one device for another in a scene",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Scenes],
    writes: &[TableName::Scenes],
    errors: &[
        "The name is empty or no scene has it.",
        "There is no device, or one without a name or a description.",
        "A device is in the list twice.",
    ],
    examples: &[
        Example {
            arguments: r#"{"name": "Movie Night", "devices": [{"name": "projector", "description": "Warms up on the garden wall input"}, {"name": "blinds", "description": "Close fully"}]}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"name": "Submarine", "devices": [{"name": "blinds", "description": "Close fully"}]}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The name of the scene to change.
        #[rule(Key)]
        name: String,
        /// All devices that the scene has from now on, for example [{"name": "floor lamp",
        /// "description": "Dimmed to a warm glow"}].
        #[rule(Records)]
        devices: Vec<Device>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("name", &args.name)?;
    let devices = super::kept_devices(args.devices)?;
    let key = super::key_of_scene(world, name).ok_or_else(|| ApiError::not_found("scene", name))?;
    world.scenes.insert(key, devices);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn movie_night(lamp: &str) -> Value {
        json!({"name": "Movie Night", "devices": [
            {"name": "projector", "description": "Warms up"},
            {"name": "Lamp", "description": lamp},
        ]})
    }

    #[test]
    fn the_new_devices_replace_the_old_ones() {
        let mut world = world();
        let before = world.scenes.len();
        assert_eq!(output(&API, movie_night("Off"), &mut world), "success");
        assert_eq!(world.scenes.len(), before);
        let kept = serde_json::to_value(world.scenes.get("movie night").unwrap()).unwrap();
        assert_eq!(
            kept,
            json!([{"name": "lamp", "description": "Off"},
                   {"name": "projector", "description": "Warms up"}])
        );
    }

    #[test]
    fn devices_that_stay_as_they_were_are_no_change() {
        let world = world();
        let devices = serde_json::to_value(world.scenes.get("movie night").unwrap()).unwrap();
        let old = json!({"name": "movie night", "devices": devices});
        let mut new = old.clone();
        let device = &mut new["devices"][0]["description"];
        *device = json!(format!("{} now", device.as_str().unwrap()));
        assert!(same(&API, new.clone(), new.clone()));
        assert!(!same(&API, new, old));
    }

    #[test]
    fn refuses_unknown_scenes_and_empty_lists() {
        let mut world = world();
        let mut call = movie_night("Off");
        call["name"] = json!("Submarine");
        assert_eq!(exception(&API, call, &mut world), "There is no scene \"Submarine\".");
        let message = exception(&API, json!({"name": "Movie Night", "devices": "[]"}), &mut world);
        assert_eq!(message, "devices must not be empty.");
        let blank = json!({"name": "", "devices": [{"name": "lamp", "description": "Off"}]});
        assert_eq!(exception(&API, blank, &mut world), "name must not be empty.");
    }

    #[test]
    fn case_does_not_matter_but_what_the_devices_do_does() {
        let predicted = json!({"name": "movie night", "devices": [
            {"name": "lamp", "description": "off"},
            {"name": "Projector", "description": "warms up"},
        ]});
        assert!(same(&API, movie_night("Off"), predicted));
        assert!(!same(&API, movie_night("Off"), movie_night("Dimmed")));
    }
}
