//! Calculator: the value of a formula. It is in both suites.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::formula;
use crate::store::World;
use serde_json::Value;

pub const API: Api = Api {
    name: "Calculator",
    suite: Suite::Dialogue,
    domain: Domain::Finance,
    description: "Calculates the value of an arithmetic formula with addition, subtraction, \
                  multiplication, division and brackets.",
    hints: &[
        "add up these numbers",
        "what is 15 percent of 80",
        "work out the total",
        "divide the bill between friends",
        "subtract one amount from another",
        "evaluate an arithmetic expression",
        "add several amounts together",
        "calculate with numbers",
        "a sum or a difference",
    ],
    params: Args::PARAMS,
    returns: &[Field { name: "result", label: "float", description: "The value." }],
    reads: &[],
    writes: &[],
    errors: &["The formula is empty or cannot be read.", "Something is divided by zero."],
    examples: &[
        Example { arguments: r#"{"formula": "(12 + 30) / 7"}"#, succeeds: true },
        Example { arguments: r#"{"formula": "1 / (2 - 2)"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

pub const PLANNING: Api = Api { suite: Suite::Planning, ..API };

params! {
    struct Args {
        /// The formula, of numbers, + - * / and brackets, for example (12 + 30) / 7.
        #[rule(Formula)]
        formula: String,
    }
}

fn call(args: Args, _world: &mut World) -> Result<Value, ApiError> {
    formula::value(filled("formula", &args.formula)?).map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn value(formula: &str) -> Value {
        output(&API, json!({"formula": formula}), &mut world())
    }

    #[test]
    fn follows_the_rules_of_arithmetic() {
        for (formula, result) in [
            ("(5+6)*3", 33.0),
            ("2 + 3 * 4 - 6 / 4", 12.5),
            ("-5 + 3", -2.0),
            ("((1 + 2) * (3 - -4)) / 7", 3.0),
            ("1.5*2", 3.0),
            ("0.1+0.2", 0.3),
            ("10 - 2 - 3", 5.0),
        ] {
            assert_eq!(self::value(formula), json!(result), "{formula}");
        }
    }

    #[test]
    fn refuses_what_has_no_value() {
        let mut world = world();
        let mut message = |formula: &str| exception(&API, json!({"formula": formula}), &mut world);
        assert_eq!(message("1/(2-2)"), "formula is not valid: it divides by zero.");
        assert!(message("2 +").contains("character 4"));
        assert!(message("2 apples").contains("cannot be read"));
        assert!(message(&"(".repeat(5000)).contains("nested too deep"));
        assert!(message(&format!("1{}", "*99999999999".repeat(40))).contains("too large"));
        assert!(message(" ").contains("empty"));
    }

    #[test]
    fn another_formula_of_the_same_value_has_the_same_effect() {
        let gold = json!({"formula": "3 * (2 + 4)"});
        assert!(same(&API, gold.clone(), json!({"formula": "(4+2)*3"})));
        assert!(!same(&API, gold, json!({"formula": "3*2+4"})));
    }
}
