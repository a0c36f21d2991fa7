//! SymptomSearch: possible diseases for a symptom.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "SymptomSearch",
    suite: Suite::Dialogue,
    domain: Domain::Health,
    description: "Tells which illnesses may cause a symptom: possible diseases with a \
                  description of each.",
    hints: &[
        "what could be causing my headache",
        "which illness has these symptoms",
        "I feel sick, what might it be",
        "possible diseases for a symptom",
        "why does my stomach hurt",
        "find a diagnosis",
        "could this be something serious",
        "look up a symptom",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "results",
        label: "list",
        description: "Possible diseases, each with name and description.",
    }],
    reads: &[TableName::Symptom, TableName::Synonym],
    writes: &[],
    errors: &["The symptom is empty or not recorded."],
    examples: &[
        Example { arguments: r#"{"symptom": "sore throat"}"#, succeeds: true },
        Example { arguments: r#"{"symptom": "leg cramps"}"#, succeeds: true },
        Example { arguments: r#"{"symptom": "homesickness"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The symptom in common words, for example sore throat.
        #[rule(Key)]
        symptom: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    Ok(super::diseases_of(world, &args.symptom)?
        .iter()
        .map(|disease| json!({"name": disease.name, "description": disease.description}))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{does_the_same, exception, output, same, world};

    #[test]
    fn describes_the_possible_diseases() {
        let mut world = world();
        let results = output(&API, json!({"symptom": " Sore_Throat "}), &mut world);
        let diseases = world.symptom.get("sore throat").unwrap();
        assert_eq!(results.as_array().unwrap().len(), diseases.len());
        assert_eq!(
            results[0],
            json!({"name": diseases[0].name, "description": diseases[0].description})
        );
    }

    #[test]
    fn a_symptom_has_several_names() {
        let mut world = world();
        let found = output(&API, json!({"symptom": "excessive thirst"}), &mut world);
        assert_eq!(output(&API, json!({"symptom": "Constant Thirst"}), &mut world), found);
        let gold = json!({"symptom": "numbness"});
        assert!(does_the_same(&API, gold.clone(), json!({"symptom": "pins and needles"})));
        assert!(!same(&API, gold, json!({"symptom": "itch"})));
    }

    #[test]
    fn refuses_blank_and_unknown_symptoms() {
        let mut world = world();
        let message = exception(&API, json!({"symptom": "Homesickness"}), &mut world);
        assert_eq!(message, "There is no symptom \"homesickness\".");
        let message = exception(&API, json!({"symptom": " "}), &mut world);
        assert_eq!(message, "symptom must not be empty.");
    }

    #[test]
    fn another_symptom_is_another_search() {
        let gold = json!({"symptom": "sore throat"});
        assert!(same(&API, gold.clone(), json!({"symptom": "Sore throat"})));
        assert!(!same(&API, gold, json!({"symptom": "cough"})));
    }
}
