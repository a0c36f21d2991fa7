//! Scenes and timed switches.
//!
//! All users share one home: scenes and devices have no owners. Names are stored in
//! lower case without outer blanks, and found in any case.

use crate::api::Api;
use crate::error::{ApiError, filled};
use crate::param::Record;
use crate::store::{Device, Table, World};

mod add_scene;
mod cancel_timed_switch;
mod delete_scene;
mod modify_scene;
mod query_scene;
mod timed_switch;

pub const APIS: &[&Api] = &[
    &add_scene::API,
    &modify_scene::API,
    &delete_scene::API,
    &query_scene::API,
    &timed_switch::API,
    &cancel_timed_switch::API,
];

impl Record for Device {
    const FIELDS: &[&str] = &["name", "description"];
}

/// The stored form of a name.
fn kept_name(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Key of the row with this name. Keys are folded as well: a file of the original
/// has one with a capital letter.
fn key_of<R>(table: &Table<R>, name: &str) -> Option<String> {
    let name = kept_name(name);
    table.iter().map(|(key, _)| key).find(|key| kept_name(key) == name).map(str::to_owned)
}

/// Key of the scene with this name, also as "the movie night scene".
fn key_of_scene(world: &World, name: &str) -> Option<String> {
    let name = kept_name(name);
    let short = name.strip_prefix("the ").unwrap_or(&name);
    let short = short.strip_suffix(" scene").unwrap_or(short);
    key_of(&world.scenes, &name).or_else(|| key_of(&world.scenes, short))
}

/// The stored form of devices: sorted by name, so that their order in the call does
/// not change the scene.
fn kept_devices(devices: Vec<Device>) -> Result<Vec<Device>, ApiError> {
    let mut kept = devices
        .into_iter()
        .map(|device| {
            let name = filled("the name of a device", &device.name)?.to_lowercase();
            let description = filled("the description of a device", &device.description)?;
            Ok(Device { name, description: description.to_owned() })
        })
        .collect::<Result<Vec<_>, ApiError>>()?;
    if kept.is_empty() {
        return Err(ApiError::Empty { parameter: "devices" });
    }
    kept.sort_by(|a, b| a.name.cmp(&b.name));
    match kept.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(pair) => {
            Err(ApiError::invalid("devices", format!("{:?} is in it twice", pair[0].name)))
        }
        None => Ok(kept),
    }
}
