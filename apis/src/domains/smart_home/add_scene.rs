//! AddScene: add a scene with its devices.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Device, TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "AddScene",
    suite: Suite::Dialogue,
    domain: Domain::SmartHome,
    description: "Creates a new smart home scene: a name and the devices that work together in it.",
    hints: &[
        "set up a movie night scene with the lights",
        "group several devices together",
        "new routine for the house",
        "make a preset for my lamps and blinds",
        "save a device setup under a name",
        "home automation scene",
        "create a new scene for the living room",
        "add a scene with several devices",
        "make a new smart home scene",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Scenes],
    writes: &[TableName::Scenes],
    errors: &[
        "The name is empty.",
        "There is no device, or one without a name or a description.",
        "A device is in the list twice.",
        "A scene has the name already.",
    ],
    examples: &[
        Example {
            arguments: r#"{"name": "Darkroom Hour", "devices": [{"name": "safelight", "description": "Glows red over the trays"}, {"name": "extractor fan", "description": "Runs on low"}]}"#,
            succeeds: true,
        },
        Example { arguments: r#"{"name": "Darkroom Hour", "devices": []}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The name of the new scene.
        #[rule(Key)]
        name: String,
        /// The devices of the scene, for example [{"name": "floor lamp", "description": "Dimmed to
        /// a warm glow"}].
        #[rule(Records)]
        devices: Vec<Device>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = super::kept_name(filled("name", &args.name)?);
    let devices = super::kept_devices(args.devices)?;
    if super::key_of(&world.scenes, &name).is_some() {
        return Err(ApiError::exists("a scene", name));
    }
    world.scenes.insert(name, devices);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn scene(name: &str, devices: Value) -> Value {
        json!({"name": name, "devices": devices})
    }

    fn darkroom() -> Value {
        scene(
            "Darkroom Hour",
            json!([{"name": "Safelight", "description": "Glows red"},
                   {"name": "fan", "description": "Runs on low"}]),
        )
    }

    #[test]
    fn keeps_the_devices_by_name() {
        let mut world = world();
        assert_eq!(output(&API, darkroom(), &mut world), "success");
        let kept = world.scenes.get("darkroom hour").unwrap();
        let names: Vec<&str> = kept.iter().map(|device| device.name.as_str()).collect();
        assert_eq!(names, ["fan", "safelight"]);
        assert_eq!(kept[1].description, "Glows red");
        // Models send lists as strings.
        let devices = json!("[{'name': 'Fan', 'description': 'Off'}]");
        output(&API, scene("Silence", devices), &mut world);
    }

    #[test]
    fn refuses_taken_names_and_unusable_devices() {
        let mut world = world();
        output(&API, darkroom(), &mut world);
        let message = exception(&API, darkroom(), &mut world);
        assert_eq!(message, "There is already a scene \"darkroom hour\".");
        let twice =
            json!([{"name": "fan", "description": "a"}, {"name": " FAN", "description": "b"}]);
        assert!(exception(&API, scene("x", twice), &mut world).contains("\"fan\" is in it twice"));
        for (devices, message) in [
            (json!([]), "devices must not be empty"),
            (json!([{"name": "fan", "description": " "}]), "description of a device"),
            (json!([{"name": "", "description": "a"}]), "name of a device"),
            (json!([{"name": "fan"}]), "records"),
            (json!("fan"), "records"),
        ] {
            let got = exception(&API, scene("x", devices), &mut world);
            assert!(got.contains(message), "{got}");
        }
        let nameless = scene(" ", json!([{"name": "fan", "description": "a"}]));
        assert_eq!(exception(&API, nameless, &mut world), "name must not be empty.");
    }

    #[test]
    fn the_order_of_devices_does_not_matter_but_what_they_do_does() {
        let fan = json!({"name": "Fan", "description": "runs on low"});
        let light = json!({"name": "safelight", "description": "Glows red"});
        assert!(same(&API, darkroom(), scene("darkroom hour", json!([fan, light]))));
        assert!(!same(&API, darkroom(), scene("darkroom hour", json!([light]))));
        let bright = json!({"name": "safelight", "description": "Glows white"});
        assert!(!same(&API, darkroom(), scene("darkroom hour", json!([fan, bright]))));
    }
}
