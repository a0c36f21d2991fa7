//! EmergencyKnowledge: first aid for a symptom.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "EmergencyKnowledge",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Gives first aid and treatment advice for a symptom: what to do in an \
                  emergency for each of its likely causes.",
    hints: &[
        "first aid",
        "what to do in a medical emergency",
        "how do I treat a burn",
        "help for sudden chest pain",
        "emergency care for a symptom",
        "somebody has fainted, what now",
        "remedies and treatment advice",
        "how to relieve pain",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "results",
        label: "list",
        description: "Likely causes, each with name and first aid.",
    }],
    reads: &[TableName::Symptom, TableName::Synonym],
    writes: &[],
    errors: &["The symptom is empty or not recorded."],
    examples: &[
        Example { arguments: r#"{"symptom": "nosebleed"}"#, succeeds: true },
        Example { arguments: r#"{"symptom": "bee sting"}"#, succeeds: true },
        Example { arguments: r#"{"symptom": "homesickness"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The symptom or illness that needs help, in common words, for example nosebleed.
        #[rule(Key)]
        symptom: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    Ok(super::causes_of(world, &args.symptom)?
        .iter()
        .map(|disease| json!({"name": disease.name, "aid": disease.aid}))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    #[test]
    fn gives_first_aid_for_each_cause() {
        let mut world = world();
        let results = output(&API, json!({"symptom": "NOSEBLEED"}), &mut world);
        let causes = world.symptom.get("nosebleed").unwrap();
        assert_eq!(results.as_array().unwrap().len(), causes.len());
        assert_eq!(results[0], json!({"name": causes[0].name, "aid": causes[0].aid}));
    }

    #[test]
    fn an_illness_counts_as_its_symptom() {
        let mut world = world();
        let back = output(&API, json!({"symptom": "back pain"}), &mut world);
        assert_eq!(output(&API, json!({"symptom": "lumbago"}), &mut world), back);
        assert_eq!(output(&API, json!({"symptom": "slipped discs"}), &mut world), back);
        let fever = output(&API, json!({"symptom": "fever"}), &mut world);
        assert_eq!(output(&API, json!({"symptom": "the flu"}), &mut world), fever);
    }

    #[test]
    fn refuses_blank_and_unknown_symptoms() {
        let mut world = world();
        let message = exception(&API, json!({"symptom": "homesickness"}), &mut world);
        assert_eq!(message, "There is no symptom \"homesickness\".");
        let message = exception(&API, json!({"symptom": ""}), &mut world);
        assert_eq!(message, "symptom must not be empty.");
    }

    #[test]
    fn another_symptom_is_another_emergency() {
        let gold = json!({"symptom": "shortness of breath"});
        assert!(same(&API, gold.clone(), json!({"symptom": "Shortness-of-breath"})));
        assert!(!same(&API, gold, json!({"symptom": "nosebleed"})));
    }

    #[test]
    fn a_symptom_is_found_among_other_words() {
        let gold = json!({"symptom": "burn"});
        for symptom in ["burn on the hand", "a minor burn", "scald from hot soup"] {
            assert!(does_the_same(&API, gold.clone(), json!({"symptom": symptom})), "{symptom}");
        }
        let mut world = world();
        assert!(!same(&API, gold, json!({"symptom": "heartburn"})));
        // Two symptoms.
        exception(&API, json!({"symptom": "runny nose and fever"}), &mut world);
    }
}
