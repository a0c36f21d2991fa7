//! Scenes and timed switches.

use super::checks::{
    CheckFault, Gold, same_folded, same_outcome, same_result, same_time, subscript, text_of,
};
use super::manager::{
    Api, Args, Fault, Kind, Response, Shape, World, dict_mut, list_mut, req, text,
};
use super::python::Py;
use super::strptime::{DATE_TIME, normalise};
use super::tables::Table;
use super::text::fold;

const SCENES: Table = Table::Database("Scenes");
const SWITCHES: Table = Table::Database("TimeSwitch");

pub(super) const APIS: &[Api] = &[
    Api {
        name: "AddScene",
        shape: Shape::Full,
        params: &[text("name"), text("devices")],
        call: |_, a| refuse_devices(a),
        check: |r, g| Ok(same_scene(r, g)? && same_outcome(r, g)?),
    },
    Api {
        name: "ModifyScene",
        shape: Shape::Full,
        params: &[text("name"), text("devices")],
        call: |_, a| refuse_devices(a),
        check: |r, g| Ok(same_scene(r, g)? && same_result(r, g)?),
    },
    Api {
        name: "DeleteScene",
        shape: Shape::Full,
        params: &[text("name")],
        call: delete_scene,
        check: |r, g| Ok(same_folded(r, g, "name")? && same_result(r, g)?),
    },
    Api {
        name: "QueryScene",
        shape: Shape::Full,
        params: &[text("name")],
        call: query_scene,
        check: |r, g| Ok(same_folded(r, g, "name")? && same_result(r, g)?),
    },
    Api {
        name: "TimedSwitch",
        shape: Shape::Full,
        params: &[text("name"), text("time"), req("on", Kind::Bool)],
        call: set_switch,
        check: |r, g| {
            Ok(same_switch(r, g)? && r.input("on")? == g.input("on")? && same_result(r, g)?)
        },
    },
    Api {
        name: "CancelTimedSwitch",
        shape: Shape::Full,
        params: &[text("name"), text("time")],
        call: cancel_switch,
        check: |r, g| Ok(same_switch(r, g)? && same_result(r, g)?),
    },
];

fn success() -> Py {
    Py::text("success")
}

/// The lookup key of a scene or device; `blank` is the error for a blank name.
fn name_of(args: &Args, blank: &str) -> Result<String, Fault> {
    let name = fold(args.text("name"));
    if name.is_empty() { Err(blank.into()) } else { Ok(name) }
}

/// The list of devices always arrives as a string, whose first character is not a device.
fn refuse_devices(a: &Args) -> Result<Py, Fault> {
    name_of(a, "Scene name cannot be empty.")?;
    Err("Invalid device format.".into())
}

/// The check subscripts each device of the predicted list by key, which raises for a string.
fn same_scene(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    if !same_folded(r, g, "name")? {
        return Ok(false);
    }
    match r.input("devices")? {
        Py::Text(_) => Err(CheckFault::Raised("TypeError")),
        devices => Ok(normalised(devices)? == normalised(g.input("devices")?)?),
    }
}

/// Name and description of each device, folded and sorted.
fn normalised(devices: &Py) -> Result<Vec<(String, String)>, CheckFault> {
    let part = |device: &Py, key: &str| Ok(fold(text_of(subscript(device, key)?)?));
    let mut all = devices
        .items()
        .iter()
        .map(|device| Ok((part(device, "name")?, part(device, "description")?)))
        .collect::<Result<Vec<_>, CheckFault>>()?;
    all.sort();
    Ok(all)
}

fn delete_scene(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let name = name_of(a, "Scene name cannot be empty.")?;
    w.remove(SCENES, &name).ok_or("The scene does not exist.")?;
    Ok(success())
}

fn query_scene(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let name = name_of(a, "Scene name cannot be empty.")?;
    Ok(w.read(SCENES).get(&name).ok_or("Scene not found.")?.clone())
}

fn same_switch(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    Ok(same_folded(r, g, "name")? && same_time(r, g, "time", DATE_TIME)?)
}

/// The index of a device's entry for a time.
fn entry_at(w: &World<'_>, device: &str, time: &str) -> Option<usize> {
    let entries = w.read(SWITCHES).get(device)?.items();
    entries.iter().position(|entry| entry.field("time") == time)
}

/// Adds an entry, or replaces the one for that time.
fn set_switch(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let device = name_of(a, "Name cannot be empty.")?;
    let time = normalise(a.text("time"), DATE_TIME)?.to_string();
    let entry = Py::dict([("time", Py::text(&time)), ("on", a.value("on"))]);
    let at = entry_at(w, &device, &time);
    if let Some(devices) = dict_mut(w.write(SWITCHES)) {
        let entries = devices.entry(device.into()).or_insert_with(|| Py::list([]));
        match (list_mut(entries), at) {
            (Some(entries), Some(at)) => entries[at] = entry,
            (Some(entries), None) => entries.push(entry),
            (None, _) => {}
        }
    }
    Ok(success())
}

fn cancel_switch(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let device = name_of(a, "name cannot be empty.")?;
    let time = normalise(a.text("time"), DATE_TIME)?.to_string();
    w.read(SWITCHES).get(&device).ok_or("device name does not exist.")?;
    let at = entry_at(w, &device, &time).ok_or("time does not exist.")?;
    let entries = dict_mut(w.write(SWITCHES)).and_then(|devices| devices.get_mut(device.as_str()));
    if let Some(entries) = entries.and_then(list_mut) {
        entries.remove(at);
    }
    Ok(success())
}
