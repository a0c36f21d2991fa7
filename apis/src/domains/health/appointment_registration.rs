//! AppointmentRegistration: book an appointment with a doctor.
//!
//! A patient can have one appointment a day, with any doctor.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{Appointment, TableName, World};
use crate::when::Date;
use serde_json::Value;

pub const API: Api = Api {
    name: "AppointmentRegistration",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Makes a new appointment to see a doctor: books a hospital or clinic visit for \
                  a patient on a day and returns the appointment id.",
    hints: &[
        "book a doctor's appointment",
        "see a doctor next week",
        "make an appointment at the clinic",
        "schedule a check-up",
        "register a patient at the hospital",
        "I need to see a dentist",
        "get a slot with a specialist",
        "arrange a medical visit",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "appointment_id",
        label: "str",
        description: "The id of the new appointment, eight digits.",
    }],
    reads: &[TableName::Appointments],
    writes: &[TableName::Appointments],
    errors: &[
        "The name of the patient or of the doctor is empty.",
        "The patient has an appointment on this day already.",
    ],
    examples: &[
        Example {
            arguments: r#"{"patient_name": "Mira Okafor", "date": "2024-06-06", "doctor_name": "Dr. Selma Brandt"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"patient_name": "Mira Okafor", "date": "2024-05-21", "doctor_name": "Dr. Halvard Moen"}"#,
            succeeds: false,
        },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// Full name of the patient.
        #[rule(Titled)]
        patient_name: String,
        /// The day of the visit.
        #[rule(Date)]
        date: Date,
        /// The doctor to see, for example Dr. Selma Brandt.
        #[rule(Titled)]
        doctor_name: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let patient_name = filled("patient_name", &args.patient_name)?.to_owned();
    let doctor_name = filled("doctor_name", &args.doctor_name)?.to_owned();
    if let Some((id, taken)) = super::appointments_of(world, &patient_name, args.date).next() {
        return Err(ApiError::Refused(format!(
            "{} has an appointment with {} on {} already, its id is {id}.",
            taken.patient_name, taken.doctor_name, taken.date
        )));
    }
    let id = free_id(world, &patient_name, args.date);
    world
        .appointments
        .insert(id.clone(), Appointment { patient_name, date: args.date, doctor_name });
    Ok(Value::from(id))
}

/// A new id, deterministic.
fn free_id(world: &World, patient: &str, date: Date) -> String {
    let mut attempt = 0_u64;
    loop {
        // Folded, so that the case of a name does not change the id.
        let key = format!("{}/{date}/{attempt}", patient.to_lowercase());
        let id = world.derive_digits("appointment", &key, 8).to_string();
        if !world.appointments.contains(&id) {
            return id;
        }
        attempt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn visit(patient: &str, date: &str, doctor: &str) -> Value {
        json!({"patient_name": patient, "date": date, "doctor_name": doctor})
    }

    #[test]
    fn adds_an_appointment_under_a_new_id() {
        let mut world = world();
        let before = world.appointments.len();
        let id = output(&API, visit(" Mira Okafor ", "2024-06-06", "Dr. Selma Brandt"), &mut world);
        let id = id.as_str().unwrap();
        assert!(id.len() == 8 && id.bytes().all(|digit| digit.is_ascii_digit()), "{id}");
        assert_eq!(world.appointments.len(), before + 1);
        assert_eq!(world.appointments.get(id).unwrap().patient_name, "Mira Okafor");
    }

    #[test]
    fn an_id_that_is_taken_is_not_given_again() {
        let mut world = world();
        let date = "2024-06-06".parse().unwrap();
        let first = free_id(&world, "Mira Okafor", date);
        assert_eq!(first, free_id(&world, "mira okafor", date));
        let other = world.appointments.iter().next().unwrap().1.clone();
        world.appointments.insert(first.clone(), other);
        assert_ne!(first, free_id(&world, "Mira Okafor", date));
    }

    #[test]
    fn refuses_a_second_appointment_of_the_day_and_blank_names() {
        let mut world = world();
        let again = visit("mira okafor", "2024-05-21", "Dr. Halvard Moen");
        assert!(exception(&API, again, &mut world).contains("48213057"));
        let nobody = visit(" ", "2024-06-06", "Dr. Selma Brandt");
        assert_eq!(exception(&API, nobody, &mut world), "patient_name must not be empty.");
        let no_doctor = visit("Mira Okafor", "2024-06-06", "");
        assert_eq!(exception(&API, no_doctor, &mut world), "doctor_name must not be empty.");
    }

    #[test]
    fn names_match_in_any_case_and_days_exactly() {
        let gold = visit("Mira Okafor", "2024-06-06", "Dr. Selma Brandt");
        assert!(same(&API, gold.clone(), visit("MIRA OKAFOR", "2024/6/6", "dr. selma brandt")));
        assert!(same(&API, gold.clone(), visit("Mira Okafor", "2024-06-06", "Selma Brandt")));
        let other_day = visit("Mira Okafor", "2024-06-07", "Dr. Selma Brandt");
        assert!(!same(&API, gold.clone(), other_day));
        let other_doctor = visit("Mira Okafor", "2024-06-06", "Dr. Halvard Moen");
        assert!(!same(&API, gold, other_doctor));
    }
}
