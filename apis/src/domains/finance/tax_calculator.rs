//! TaxCalculator: a salary after tax.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::ApiError;
use crate::store::{TableName, World};
use serde_json::{Value, json};

pub const API: Api = Api {
    name: "TaxCalculator",
    suite: Suite::Planning,
    domain: Domain::Finance,
    description: "Calculates the income tax on a salary and returns what is left after it.",
    hints: &[
        "how much tax do I owe",
        "work out the income tax on a salary",
        "what is left of my pay after deductions",
        "tax calculation",
        "net pay",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "salary_after_tax",
        label: "float",
        description: "The salary after tax, to the cent.",
    }],
    reads: &[TableName::TaxBracket],
    writes: &[],
    errors: &["The salary is negative."],
    examples: &[
        Example { arguments: r#"{"salary": 52000}"#, succeeds: true },
        Example { arguments: r#"{"salary": -1}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The salary before tax.
        #[rule(Number)]
        salary: f64,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    if args.salary < 0.0 {
        return Err(ApiError::invalid("salary", "it is negative"));
    }
    // The highest bracket that the salary reaches applies to all of it.
    let rate = world
        .tax_bracket
        .iter()
        .filter_map(|(threshold, rate)| Some((threshold.parse::<f64>().ok()?, *rate)))
        .filter(|(threshold, _)| *threshold <= args.salary)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(0.0, |(_, rate)| rate);
    let after_tax = (args.salary * (1.0 - rate) * 100.0).round() / 100.0;
    Ok(json!({ "salary_after_tax": after_tax }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};

    #[test]
    fn the_bracket_that_the_salary_reaches_holds() {
        let mut world = world();
        for (salary, rest) in
            [(0.0, 0.0), (11_999.0, 11_999.0), (12_000.0, 10_800.0), (52_000.0, 39_000.0)]
        {
            let left = output(&API, json!({"salary": salary}), &mut world);
            assert_eq!(left, json!({"salary_after_tax": rest}), "{salary}");
        }
    }

    #[test]
    fn refuses_a_negative_salary() {
        let message = exception(&API, json!({"salary": -1}), &mut world());
        assert_eq!(message, "salary is not valid: it is negative.");
    }

    #[test]
    fn the_number_may_be_text() {
        let gold = json!({"salary": 52000});
        assert!(same(&API, gold.clone(), json!({"salary": "52000.0"})));
        assert!(!same(&API, gold, json!({"salary": 5200})));
    }
}
