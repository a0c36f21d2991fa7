//! CancelRegistration: cancel an appointment.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::Value;

pub const API: Api = Api {
    name: "CancelRegistration",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Cancels a doctor's appointment by its appointment id, so that the visit to \
                  the hospital or clinic is called off.",
    hints: &[
        "cancel my doctor's appointment",
        "I can't make it to the clinic",
        "call off a hospital visit",
        "I no longer need to see the doctor",
        "withdraw a medical appointment",
        "give up my slot with the dentist",
        "I don't need the appointment any more",
        "cancel a booking with the doctor",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "status", label: "str", description: "success" }],
    reads: &[TableName::Appointments],
    writes: &[TableName::Appointments],
    errors: &["The id is empty.", "No appointment has the id."],
    examples: &[
        Example { arguments: r#"{"appointment_id": "48213057"}"#, succeeds: true },
        Example { arguments: r#"{"appointment_id": "10000000"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The appointment to cancel.
        #[rule(Trimmed)]
        appointment_id: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let id = filled("appointment_id", &args.appointment_id)?;
    if world.appointments.remove(id) {
        Ok(Value::from("success"))
    } else {
        Err(ApiError::not_found("appointment with the id", id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    #[test]
    fn removes_just_this_appointment() {
        let mut world = world();
        let before = world.appointments.len();
        let call = json!({"appointment_id": "48213057"});
        assert_eq!(output(&API, call.clone(), &mut world), "success");
        assert_eq!(world.appointments.len(), before - 1);
        assert_eq!(
            exception(&API, call, &mut world),
            "There is no appointment with the id \"48213057\"."
        );
    }

    #[test]
    fn refuses_an_empty_id() {
        let message = exception(&API, json!({"appointment_id": " "}), &mut world());
        assert_eq!(message, "appointment_id must not be empty.");
    }

    #[test]
    fn the_id_may_be_a_number_but_not_be_another() {
        let gold = json!({"appointment_id": "48213057"});
        assert!(same(&API, gold.clone(), json!({"appointment_id": 48213057})));
        assert!(!same(&API, gold, json!({"appointment_id": "70946218"})));
    }
}
