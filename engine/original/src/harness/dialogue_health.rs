//! Appointments, health records and symptoms.

use super::checks::{
    CheckFault, Gold, same_folded, same_outcome, same_result, same_stripped, same_text, same_time,
    text_of,
};
use super::manager::{Api, Args, Fault, Kind, Response, Shape, World, opt, text};
use super::python::Py;
use super::strptime::{DATE, DATE_TIME, Moment, normalise, strptime};
use super::tables::Table;
use super::text::{fold, strip};
use std::sync::Arc;

const APPOINTMENTS: Table = Table::Database("Appointments");
const HEALTH: Table = Table::Database("HealthData");
const SYMPTOM: Table = Table::Database("Symptom");
/// The optional parameters of ModifyRegistration.
const NEW_DATE: &str = "new_appointment_date";
const NEW_DOCTOR: &str = "new_appointment_doctor";

pub(super) const APIS: &[Api] = &[
    Api {
        name: "AppointmentRegistration",
        shape: Shape::Full,
        params: &[text("patient_name"), text("date"), text("doctor_name")],
        call: register,
        check: |r, g| {
            Ok(same_stripped(r, g, "patient_name")?
                && same_time(r, g, "date", DATE)?
                && same_stripped(r, g, "doctor_name")?
                && same_outcome(r, g)?)
        },
    },
    Api {
        name: "QueryRegistration",
        shape: Shape::Full,
        params: &[text("patient_name"), text("date")],
        call: query_registration,
        check: |r, g| {
            Ok(same_stripped(r, g, "patient_name")?
                && same_time(r, g, "date", DATE)?
                && same_result(r, g)?)
        },
    },
    Api {
        name: "ModifyRegistration",
        shape: Shape::Full,
        params: &[text("appointment_id"), opt(NEW_DATE, Kind::Raw), opt(NEW_DOCTOR, Kind::Raw)],
        call: modify_registration,
        check: check_modify_registration,
    },
    Api {
        name: "CancelRegistration",
        shape: Shape::Full,
        params: &[text("appointment_id")],
        call: cancel_registration,
        check: |r, g| Ok(same_stripped(r, g, "appointment_id")? && same_result(r, g)?),
    },
    Api {
        name: "RecordHealthData",
        shape: Shape::Full,
        params: &[text("user_id"), text("time"), opt("health_data", Kind::Raw)],
        call: record_health_data,
        check: |r, g| {
            Ok(same_text(r, g, "user_id", user_key)?
                && same_time(r, g, "time", DATE_TIME)?
                && same_result(r, g)?)
        },
    },
    Api {
        name: "QueryHealthData",
        shape: Shape::Full,
        params: &[text("user_id"), text("start_time"), text("end_time")],
        call: query_health_data,
        check: |r, g| {
            Ok(same_text(r, g, "user_id", user_key)?
                && same_time(r, g, "start_time", DATE_TIME)?
                && same_time(r, g, "end_time", DATE_TIME)?
                && same_result(r, g)?)
        },
    },
    Api {
        name: "EmergencyKnowledge",
        shape: Shape::Full,
        params: &[text("symptom")],
        call: |w, a| diseases(w, a, "aid", "'Exception' object has no attribute 'lower'"),
        check: check_symptom,
    },
    Api {
        name: "SymptomSearch",
        shape: Shape::Full,
        params: &[text("symptom")],
        call: |w, a| diseases(w, a, "description", "The symptom cannot be empty."),
        check: check_symptom,
    },
];

fn success() -> Py {
    Py::text("success")
}

/// The patient's appointments on a day, in table order.
fn on_day<'a>(
    w: &'a World<'_>,
    patient: &'a str,
    date: &'a str,
) -> impl Iterator<Item = (&'a Arc<str>, &'a Py)> {
    w.rows(APPOINTMENTS)
        .filter(move |(_, row)| row.field("patient_name") == patient && row.field("date") == date)
}

fn register(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let (patient, doctor) = (strip(a.text("patient_name")), strip(a.text("doctor_name")));
    if patient.is_empty() || doctor.is_empty() {
        return Err("Patient name or doctor name cannot be empty.".into());
    }
    let date = normalise(a.text("date"), DATE)?.date();
    if let Some((_, first)) = on_day(w, patient, &date).next() {
        let same_doctor = first.field("doctor_name") == doctor
            || on_day(w, patient, &date).any(|(_, row)| row.field("doctor_name") == doctor);
        return Err(if same_doctor {
            "This appointment has already been registered.".into()
        } else {
            "This patient has already been registered in this day.".into()
        });
    }
    // Replaces a random eight-digit number; that one never starts with 0, so the two never collide.
    let id = format!("{:08}", w.rows(APPOINTMENTS).count());
    let row = Py::dict([
        ("patient_name", Py::text(patient)),
        ("date", Py::text(&date)),
        ("doctor_name", Py::text(doctor)),
    ]);
    w.put(APPOINTMENTS, id.as_str().into(), row);
    Ok(Py::text(&id))
}

fn query_registration(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let date = normalise(a.text("date"), DATE)?.date();
    let patient = strip(a.text("patient_name"));
    let found = Py::dict(on_day(w, patient, &date).map(|(id, row)| (&**id, row.clone())));
    if found.as_dict().is_none_or(|rows| rows.is_empty()) {
        return Err("No appointments found.".into());
    }
    Ok(found)
}

fn modify_registration(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let id = strip(a.text("appointment_id"));
    let row = w.read(APPOINTMENTS).get(id).ok_or("The appointment ID does not exist.")?.clone();
    let doctor = a.get(NEW_DOCTOR).and_then(Py::as_text).map(strip);
    if doctor == Some("") {
        return Err("Fail because the doctor name is empty.".into());
    }
    let date =
        a.get(NEW_DATE).and_then(Py::as_text).map(|text| normalise(text, DATE)).transpose()?;
    let date = date.map(|moment| moment.date());
    if date.is_none() && doctor.is_none() {
        return Err("Fail because no modification is made.".into());
    }
    if date.is_none() && doctor == Some(row.field("doctor_name")) {
        return Err("Fail because doctor is not changed.".into());
    }
    if doctor.is_none() && date.as_deref() == Some(row.field("date")) {
        return Err("Fail because date is not changed.".into());
    }
    for (field, value) in [("date", date.as_deref()), ("doctor_name", doctor)] {
        if let Some(value) = value {
            w.set(APPOINTMENTS, id, field, Py::text(value));
        }
    }
    Ok(success())
}

/// Compares the id, the parsed new date and the new doctor; the latter two also match when both
/// calls omit them.
fn check_modify_registration(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let optional = |key: &str, format: Option<&str>| -> Result<bool, CheckFault> {
        let value = |found: Result<&Py, CheckFault>| match found {
            Ok(value) if !value.is_none() => text_of(value).map(|text| Some(text.to_owned())),
            Ok(_) | Err(CheckFault::Key(_)) => Ok(None),
            Err(fault) => Err(fault),
        };
        match (value(r.input(key))?, value(g.input(key))?) {
            (None, None) => Ok(true),
            (Some(_), Some(_)) => match format {
                Some(format) => same_time(r, g, key, format),
                None => same_stripped(r, g, key),
            },
            _ => Ok(false),
        }
    };
    Ok(same_stripped(r, g, "appointment_id")?
        && optional(NEW_DATE, Some(DATE))?
        && optional(NEW_DOCTOR, None)?
        && same_result(r, g)?)
}

fn cancel_registration(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let id = strip(a.text("appointment_id"));
    w.remove(APPOINTMENTS, id).ok_or("The appointment ID is incorrect.")?;
    Ok(success())
}

/// The lookup key of a health-data user.
fn user_key(text: &str) -> String {
    strip(text).to_uppercase()
}

/// The list of measures always arrives as a string and is iterated by character, so no call with
/// one succeeds.
fn record_health_data(_: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    if user_key(a.text("user_id")).is_empty() {
        return Err("The user id cannot be empty.".into());
    }
    normalise(a.text("time"), DATE_TIME)?;
    if a.text("health_data").is_empty() {
        return Err("The health data cannot be empty.".into());
    }
    Err("The health data has invalid format.".into())
}

fn query_health_data(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let user = user_key(a.text("user_id"));
    if user.is_empty() {
        return Err("The user id cannot be empty.".into());
    }
    let (start, end) = span(a.text("start_time"), a.text("end_time"))?;
    if start > end {
        return Err("The start time cannot be later than the end time.".into());
    }
    let records = w.read(HEALTH).get(&user).ok_or("The user id does not exist.")?;
    let inside = |record: &&Py| {
        strptime(record.field("time"), DATE_TIME).is_ok_and(|time| (start..=end).contains(&time))
    };
    let found: Vec<Py> = records.items().iter().filter(inside).cloned().collect();
    if found.is_empty() {
        return Err("There is no health data in the given time span.".into());
    }
    Ok(Py::list(found))
}

/// Parses both times; the error joins the messages of both.
fn span(start: &str, end: &str) -> Result<(Moment, Moment), Fault> {
    match (normalise(start, DATE_TIME), normalise(end, DATE_TIME)) {
        (Ok(start), Ok(end)) => Ok((start, end)),
        (Err(first), Err(second)) => Err(format!("{first}; {second}").into()),
        (Err(error), _) | (_, Err(error)) => Err(error.into()),
    }
}

/// The diseases with a symptom, reduced to name and one other field.
fn diseases(w: &World<'_>, a: &Args, field: &'static str, blank: &str) -> Result<Py, Fault> {
    let symptom = fold(a.text("symptom"));
    if symptom.is_empty() {
        return Err(blank.into());
    }
    let found = w.read(SYMPTOM).get(&symptom).ok_or("The symptom does not exist.")?;
    let part = |disease: &Py, key: &str| disease.get(key).cloned().unwrap_or(Py::None);
    Ok(Py::list(
        found.items().iter().map(|disease| {
            Py::dict([("name", part(disease, "name")), (field, part(disease, field))])
        }),
    ))
}

/// The original turns a blank symptom into an exception object, on which `lower()` raises.
fn refuse_blank(value: &Py) -> Result<(), CheckFault> {
    if fold(text_of(value)?).is_empty() {
        return Err(CheckFault::Raised("AttributeError"));
    }
    Ok(())
}

fn check_symptom(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    refuse_blank(r.input("symptom")?)?;
    refuse_blank(g.input("symptom")?)?;
    Ok(same_folded(r, g, "symptom")? && same_result(r, g)?)
}
