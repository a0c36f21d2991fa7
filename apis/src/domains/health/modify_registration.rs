//! ModifyRegistration: move an appointment to another day or another doctor.
//!
//! A call that would change nothing is refused.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Appointment, TableName, World};
use crate::when::Date;
use serde_json::Value;

pub const API: Api = Api {
    name: "ModifyRegistration",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Reschedules an existing doctor's appointment: moves it to another date or \
                  changes it to another doctor, by appointment id.",
    hints: &[
        "move my doctor's appointment to another day",
        "reschedule a visit to the clinic",
        "change to a different doctor",
        "postpone my check-up",
        "see the specialist on a later date",
        "update a hospital appointment",
        "swap my appointment for an earlier one",
        "change the date of my appointment",
        "rebook a medical appointment for another day",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Appointments],
    writes: &[TableName::Appointments],
    errors: &[
        "No appointment has the id.",
        "Neither a date nor a doctor is given, or the doctor's name is empty.",
        "The date or the doctor given is the one that the appointment has already.",
        "The patient has another appointment on the new day.",
    ],
    examples: &[
        Example {
            arguments: r#"{"appointment_id": "48213057", "new_appointment_date": "2024-05-28"}"#,
            succeeds: true,
        },
        Example { arguments: r#"{"appointment_id": "48213057"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The appointment to change.
        #[rule(Trimmed)]
        appointment_id: String,
        /// The day to move it to; left out, it stays on its day. The present day is refused.
        #[rule(Date)]
        new_appointment_date: Option<Date>,
        /// The doctor to see instead; left out, the doctor stays. The present doctor is refused.
        #[rule(Titled)]
        new_appointment_doctor: Option<String>,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let id = filled("appointment_id", &args.appointment_id)?;
    let old = world
        .appointments
        .get(id)
        .ok_or_else(|| ApiError::not_found("appointment with the id", id))?;
    let doctor = new_doctor(old, args.new_appointment_doctor.as_deref())?;
    let date = new_date(world, id, old, args.new_appointment_date)?;
    if doctor.is_none() && date.is_none() {
        return Err(ApiError::Refused(
            "Nothing to change: give a new date, a new doctor, or both.".to_owned(),
        ));
    }
    world.appointments.update(id, |appointment| {
        if let Some(doctor) = doctor {
            appointment.doctor_name = doctor;
        }
        if let Some(date) = date {
            appointment.date = date;
        }
    });
    Ok(Value::from("success"))
}

fn new_doctor(old: &Appointment, doctor: Option<&str>) -> Result<Option<String>, ApiError> {
    let Some(doctor) = doctor else { return Ok(None) };
    let doctor = filled("new_appointment_doctor", doctor)?;
    if super::same_name(&old.doctor_name, doctor) {
        return Err(ApiError::invalid(
            "new_appointment_doctor",
            format!("the appointment is with {} already", old.doctor_name),
        ));
    }
    Ok(Some(doctor.to_owned()))
}

fn new_date(
    world: &World,
    id: &str,
    old: &Appointment,
    date: Option<Date>,
) -> Result<Option<Date>, ApiError> {
    let Some(date) = date else { return Ok(None) };
    if date == old.date {
        return Err(ApiError::invalid(
            "new_appointment_date",
            format!("the appointment is on {date} already"),
        ));
    }
    match super::appointments_of(world, &old.patient_name, date).find(|(other, _)| *other != id) {
        None => Ok(Some(date)),
        Some((other, taken)) => Err(ApiError::Refused(format!(
            "{} has an appointment with {} on {date} already, its id is {other}.",
            taken.patient_name, taken.doctor_name
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    const ID: &str = "48213057";

    #[test]
    fn writes_all_that_is_given() {
        let mut world = world();
        let change = json!({"appointment_id": ID, "new_appointment_date": "2024-05-28",
                            "new_appointment_doctor": "Dr. Halvard Moen"});
        assert_eq!(output(&API, change, &mut world), "success");
        let row = json!(world.appointments.get(ID).unwrap());
        let expected = json!({
            "patient_name": "Mira Okafor", "date": "2024-05-28", "doctor_name": "Dr. Halvard Moen",
        });
        assert_eq!(row, expected);
    }

    #[test]
    fn leaves_what_is_not_given() {
        let mut world = world();
        let change = json!({"appointment_id": ID, "new_appointment_doctor": "Dr. Halvard Moen"});
        output(&API, change, &mut world);
        assert_eq!(world.appointments.get(ID).unwrap().date.to_string(), "2024-05-21");
    }

    #[test]
    fn refuses_what_changes_nothing_or_collides() {
        let mut world = world();
        let cases = [
            (json!({"appointment_id": "10000000"}), "no appointment"),
            (json!({"appointment_id": ID}), "Nothing to change"),
            (json!({"appointment_id": ID, "new_appointment_doctor": " "}), "must not be empty"),
            (
                json!({"appointment_id": ID, "new_appointment_doctor": "dr. selma brandt"}),
                "with Dr. Selma Brandt already",
            ),
            (
                json!({"appointment_id": ID, "new_appointment_date": "2024-05-21"}),
                "on 2024-05-21 already",
            ),
            // The day of her other appointment.
            (json!({"appointment_id": ID, "new_appointment_date": "2024-07-11"}), "70946218"),
        ];
        for (arguments, part) in cases {
            let message = exception(&API, arguments, &mut world);
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn the_day_and_the_doctor_have_to_agree() {
        let gold = json!({"appointment_id": ID, "new_appointment_doctor": "Dr. Halvard Moen"});
        let spelt =
            json!({"appointment_id": " 48213057", "new_appointment_doctor": "DR. HALVARD MOEN"});
        assert!(same(&API, gold.clone(), spelt));
        let other = json!({"appointment_id": ID, "new_appointment_date": "2024-05-28"});
        assert!(!same(&API, gold, other));
    }
}
