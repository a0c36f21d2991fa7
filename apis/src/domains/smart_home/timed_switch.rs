//! TimedSwitch: have a device switched on or off at a time.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{SwitchTime, TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "TimedSwitch",
    suite: Suite::Dialogue,
    domain: Domain::SmartHome,
    description: "Sets a timer on a smart device, such as a lamp or heater, that turns it on or \
                  off at the given time.",
    hints: &[
        "turn the lights on at eight",
        "switch the heating off at night",
        "have the coffee machine start in the morning",
        "schedule a smart plug",
        "turn off the fan in an hour",
        "control a device automatically",
        "timed switch",
        "turn a device on or off at a set time",
        "switch the radiator on at five",
        "use a timer to switch a device on",
        "automatic on and off times",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::TimeSwitch],
    writes: &[TableName::TimeSwitch],
    errors: &["The name is empty."],
    examples: &[
        Example {
            arguments: r#"{"name": "Towel Rail", "time": "2024-05-16 06:15:00", "on": true}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"name": " ", "time": "2024-05-16 06:15:00", "on": true}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The name of the device.
        #[rule(Key)]
        name: String,
        /// When the device is switched.
        #[rule(DateTime)]
        time: DateTime,
        /// True to switch the device on, false to switch it off.
        #[rule(Exact)]
        on: bool,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = super::kept_name(filled("name", &args.name)?);
    let key = super::key_of(&world.time_switch, &name).unwrap_or(name);
    let mut times = world.time_switch.get(&key).cloned().unwrap_or_default();
    // A later setting for the same time replaces the earlier one.
    match times.iter_mut().find(|set| set.time.moment() == args.time.moment()) {
        Some(set) => set.on = args.on,
        None => times.push(SwitchTime { time: args.time, on: args.on }),
    }
    // By time, so that timers set in any order leave the same state.
    times.sort_by_key(|set| set.time.moment());
    world.time_switch.insert(key, times);
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn switch(name: &str, time: &str, on: &str) -> Value {
        json!({"name": name, "time": time, "on": on})
    }

    fn times(world: &World, device: &str) -> Value {
        serde_json::to_value(world.time_switch.get(device).unwrap()).unwrap()
    }

    #[test]
    fn a_later_setting_of_the_same_time_holds() {
        let mut world = world();
        let call = switch(" Kiln ", "2024-05-16T06:15", "True");
        assert_eq!(output(&API, call, &mut world), "success");
        output(&API, switch("kiln", "2024-05-16 08:00:00", "False"), &mut world);
        output(&API, switch("KILN", "2024-05-16 06:15:00", "off"), &mut world);
        assert_eq!(
            times(&world, "kiln"),
            json!([{"time": "2024-05-16 06:15:00", "on": false},
                   {"time": "2024-05-16 08:00:00", "on": false}])
        );
    }

    #[test]
    fn the_order_of_setting_does_not_matter() {
        let on = switch("kiln", "2024-05-16 06:15:00", "True");
        let off = switch("kiln", "2024-05-16 08:00:00", "False");
        let set = |calls: [&Value; 2]| {
            let mut world = world();
            calls.into_iter().for_each(|call| drop(output(&API, call.clone(), &mut world)));
            times(&world, "kiln")
        };
        assert_eq!(set([&on, &off]), set([&off, &on]));
    }

    #[test]
    fn a_device_of_a_file_is_found_in_any_case() {
        let mut world = world();
        world.time_switch.insert("Pottery Kiln", Vec::new());
        let before = world.time_switch.len();
        output(&API, switch("pottery kiln", "2024-05-16 06:15:00", "true"), &mut world);
        assert_eq!(world.time_switch.len(), before);
        assert_eq!(world.time_switch.get("Pottery Kiln").unwrap().len(), 1);
    }

    #[test]
    fn refuses_blank_names_and_unreadable_values() {
        let mut world = world();
        let message = exception(&API, switch(" ", "2024-05-16 06:15:00", "true"), &mut world);
        assert_eq!(message, "name must not be empty.");
        exception(&API, switch("kiln", "2024-05-16", "true"), &mut world);
        exception(&API, switch("kiln", "2024-05-16 06:15:00", "perhaps"), &mut world);
    }

    #[test]
    fn on_is_not_off_and_morning_is_not_evening() {
        let gold = switch("kiln", "2024-05-16 06:15:00", "True");
        assert!(same(&API, gold.clone(), switch("Kiln", "2024-05-16 6:15 AM", "on")));
        assert!(!same(&API, gold.clone(), switch("kiln", "2024-05-16 06:15:00", "False")));
        assert!(!same(&API, gold, switch("kiln", "2024-05-16 18:15:00", "True")));
    }
}
