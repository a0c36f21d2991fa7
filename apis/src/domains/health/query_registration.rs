//! QueryRegistration: the appointments of a patient on a day.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::Date;
use serde_json::{Map, Value, json};

pub const API: Api = Api {
    name: "QueryRegistration",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Looks up which doctor's appointments a patient already has on a day, with \
                  their ids and doctors.",
    hints: &[
        "when is my doctor's appointment",
        "which doctor am I seeing",
        "look up an appointment at the hospital",
        "find the id of my appointment",
        "do I have a clinic visit that day",
        "check a patient's appointments",
        "details of my medical appointment",
        "which physician will I see on that day",
        "check an existing booking at the hospital",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "appointments",
        label: "dict",
        description: "By appointment id: the names of patient and doctor and the date.",
    }],
    reads: &[TableName::Appointments],
    writes: &[],
    errors: &["The name of the patient is empty.", "The patient has no appointment on this day."],
    examples: &[
        Example {
            arguments: r#"{"patient_name": "Mira Okafor", "date": "2024-05-21"}"#,
            succeeds: true,
        },
        Example {
            arguments: r#"{"patient_name": "Mira Okafor", "date": "2024-05-22"}"#,
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
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let patient = filled("patient_name", &args.patient_name)?;
    let found: Map<String, Value> = super::appointments_of(world, patient, args.date)
        .map(|(id, appointment)| (id.to_owned(), json!(appointment)))
        .collect();
    if found.is_empty() {
        return Err(ApiError::Refused(format!("{patient} has no appointment on {}.", args.date)));
    }
    Ok(Value::Object(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    fn query(patient: &str, date: &str) -> Value {
        json!({"patient_name": patient, "date": date})
    }

    #[test]
    fn gives_the_appointments_by_id() {
        let found = output(&API, query("mira okafor", "2024-05-21"), &mut world());
        let appointment = json!({
            "patient_name": "Mira Okafor", "date": "2024-05-21", "doctor_name": "Dr. Selma Brandt",
        });
        assert_eq!(found, json!({ "48213057": appointment }));
    }

    #[test]
    fn says_when_there_is_none() {
        let mut world = world();
        let message = exception(&API, query("Mira Okafor", "2024-05-22"), &mut world);
        assert_eq!(message, "Mira Okafor has no appointment on 2024-05-22.");
        assert!(exception(&API, query("  ", "2024-05-21"), &mut world).contains("patient_name"));
    }

    #[test]
    fn another_patient_or_day_is_another_query() {
        let gold = query("Mira Okafor", "2024-05-21");
        assert!(same(&API, gold.clone(), query(" Mira okafor", "20240521")));
        assert!(!same(&API, gold.clone(), query("Mira Okafor", "2024-05-22")));
        assert!(!same(&API, gold, query("Jonas Lindqvist", "2024-05-21")));
    }
}
