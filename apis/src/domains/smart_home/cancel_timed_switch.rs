//! CancelTimedSwitch: cancel a timed switch of a device.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::DateTime;
use serde_json::Value;

pub const API: Api = Api {
    name: "CancelTimedSwitch",
    suite: Suite::Dialogue,
    domain: Domain::SmartHome,
    description: "Cancels a timer that was set on a smart device, so that it no longer switches on \
                  or off at that time.",
    hints: &[
        "cancel the timer on a lamp",
        "don't switch it on after all",
        "remove a scheduled switch",
        "stop the heater from turning on by itself",
        "delete a timer on a smart plug",
        "call off the timed switch",
        "remove the timer from a device",
        "the lamp should no longer go on by itself",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::TimeSwitch],
    writes: &[TableName::TimeSwitch],
    errors: &[
        "The name is empty.",
        "No timer is set on a device of this name.",
        "The device is not switched at this time.",
    ],
    examples: &[
        Example {
            arguments: r#"{"name": "Towel Rail", "time": "2024-05-17 06:10:00"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"name": "Towel Rail", "time": "2024-05-17 18:10:00"}"#,
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
        /// When the device would have been switched.
        #[rule(DateTime)]
        time: DateTime,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let name = filled("name", &args.name)?;
    let missing = || ApiError::not_found("timer on the device", name);
    let key = super::key_of(&world.time_switch, name).ok_or_else(missing)?;
    let mut times = world.time_switch.get(&key).cloned().ok_or_else(missing)?;
    let before = times.len();
    times.retain(|set| set.time.moment() != args.time.moment());
    if times.len() == before {
        return Err(ApiError::not_found("timer on this device at", args.time));
    }
    // A device without times loses its row.
    if times.is_empty() {
        world.time_switch.remove(&key);
    } else {
        world.time_switch.insert(key, times);
    }
    Ok(Value::from("success"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use crate::store::SwitchTime;
    use serde_json::json;

    fn cancel(name: &str, time: &str) -> Value {
        json!({"name": name, "time": time})
    }

    /// The kiln is switched on in the morning and off at night.
    fn kiln() -> World {
        let mut world = world();
        let set = |time: &str, on| SwitchTime { time: time.parse().unwrap(), on };
        let times = vec![set("2024-05-16 06:15:00", true), set("2024-05-16 22:00:00", false)];
        world.time_switch.insert("kiln", times);
        world
    }

    #[test]
    fn removes_one_time_and_at_last_the_device() {
        let mut world = kiln();
        assert_eq!(output(&API, cancel(" Kiln", "2024-05-16 06:15:00"), &mut world), "success");
        let left = world.time_switch.get("kiln").unwrap();
        assert_eq!(left.len(), 1);
        assert!(!left[0].on);
        output(&API, cancel("kiln", "2024-05-16T22:00"), &mut world);
        assert!(!world.time_switch.contains("kiln"));
        let message = exception(&API, cancel("kiln", "2024-05-16 22:00:00"), &mut world);
        assert_eq!(message, "There is no timer on the device \"kiln\".");
    }

    #[test]
    fn refuses_other_times_and_blank_names() {
        let mut world = kiln();
        let message = exception(&API, cancel("kiln", "2024-05-16 06:16:00"), &mut world);
        assert_eq!(message, "There is no timer on this device at \"2024-05-16 06:16:00\".");
        let message = exception(&API, cancel("", "2024-05-16 06:15:00"), &mut world);
        assert_eq!(message, "name must not be empty.");
    }

    #[test]
    fn the_name_matches_in_any_case_and_the_time_in_any_form() {
        let gold = cancel("Towel Rail", "2024-05-17 06:10:00");
        assert!(same(&API, gold.clone(), cancel("towel rail", "2024/05/17 6:10")));
        assert!(!same(&API, gold.clone(), cancel("towel rail", "2024-05-18 06:10:00")));
        assert!(!same(&API, gold, cancel("towel", "2024-05-17 06:10:00")));
    }
}
