//! GetOccupationSalary: the yearly salary of an occupation.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "GetOccupationSalary",
    suite: Suite::Planning,
    domain: Domain::Finance,
    description: "Looks up the typical yearly salary of an occupation.",
    hints: &[
        "how much does a nurse earn",
        "average salary for a job",
        "what does this profession pay",
        "typical wage of an occupation",
        "annual income by occupation",
        "what would I make as a teacher",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "salary", label: "float", description: "The yearly salary." }],
    reads: &[TableName::Occupation, TableName::Synonym],
    writes: &[],
    errors: &["The occupation is empty or unknown."],
    examples: &[
        Example { arguments: r#"{"occupation": "Nurse"}"#, succeeds: true },
        Example { arguments: r#"{"occupation": "Programmer"}"#, succeeds: true },
        Example { arguments: r#"{"occupation": "Dragon Tamer"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The occupation by any common name, for example Nurse.
        #[rule(Key)]
        occupation: String,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let occupation = filled("occupation", &args.occupation)?;
    let salary = world
        .by_name_or_synonym(TableName::Occupation, &world.occupation, occupation, |name| {
            name.eq_ignore_ascii_case(occupation)
        })
        .cloned()
        .ok_or_else(|| ApiError::not_found("occupation", occupation))?;
    Ok(json!({ "salary": salary }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn gives_the_salary_in_any_case() {
        let mut world = world();
        let expected = json!({"salary": world.occupation.get("Nurse").unwrap()});
        assert_eq!(output(&API, json!({"occupation": "nurse "}), &mut world), expected);
        assert_eq!(output(&API, json!({"occupation": "hospital nurse"}), &mut world), expected);
    }

    #[test]
    fn refuses_an_unknown_occupation() {
        let message = exception(&API, json!({"occupation": "Dragon Tamer"}), &mut world());
        assert_eq!(message, "There is no occupation \"Dragon Tamer\".");
    }

    #[test]
    fn other_occupations_are_other_calls() {
        let gold = json!({"occupation": "Nurse"});
        assert!(same(&API, gold.clone(), json!({"occupation": "NURSE"})));
        assert!(!same(&API, gold, json!({"occupation": "Electrician"})));
    }
}
