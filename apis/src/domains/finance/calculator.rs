//! Calculator: the value of a formula. It is in both suites.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::literal::Reader;
use crate::store::World;
use serde_json::Value;

/// The deepest nesting of brackets.
const MAX_DEPTH: usize = 64;

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
    value(filled("formula", &args.formula)?).map(Value::from)
}

/// The value of a formula, as the API gives it; `None` if it has none.
pub fn formula_value(formula: &str) -> Option<f64> {
    value(formula.trim()).ok()
}

fn value(formula: &str) -> Result<f64, ApiError> {
    let mut reader = Reader::new(formula, 0);
    let value = sum(&mut reader, 0)?;
    reader.skip_blanks();
    if !reader.rest().is_empty() {
        return Err(unreadable(&reader));
    }
    if value.is_finite() { Ok(rounded(value)) } else { Err(too_large()) }
}

/// Rounds to nine decimals, so that 0.1 + 0.2 is 0.3.
fn rounded(value: f64) -> f64 {
    // Above this, a float does not resolve nine decimals.
    if value.abs() < 1e6 { (value * 1e9).round() / 1e9 } else { value }
}

fn unreadable(reader: &Reader<'_>) -> ApiError {
    ApiError::invalid("formula", format!("it cannot be read from character {}", reader.at + 1))
}

fn too_large() -> ApiError {
    ApiError::invalid("formula", "its value is too large")
}

fn sum(reader: &mut Reader<'_>, depth: usize) -> Result<f64, ApiError> {
    let mut value = product(reader, depth)?;
    loop {
        reader.skip_blanks();
        if reader.eat('+') {
            value += product(reader, depth)?;
        } else if reader.eat('-') {
            value -= product(reader, depth)?;
        } else {
            return Ok(value);
        }
    }
}

fn product(reader: &mut Reader<'_>, depth: usize) -> Result<f64, ApiError> {
    let mut value = factor(reader, depth)?;
    loop {
        reader.skip_blanks();
        if reader.eat('*') {
            value *= factor(reader, depth)?;
        } else if reader.eat('/') {
            let divisor = factor(reader, depth)?;
            if divisor == 0.0 {
                return Err(ApiError::invalid("formula", "it divides by zero"));
            }
            value /= divisor;
        } else {
            return Ok(value);
        }
    }
}

fn factor(reader: &mut Reader<'_>, depth: usize) -> Result<f64, ApiError> {
    if depth > MAX_DEPTH {
        return Err(ApiError::invalid("formula", "its brackets are nested too deep"));
    }
    reader.skip_blanks();
    if reader.eat('-') {
        return Ok(-factor(reader, depth + 1)?);
    }
    if reader.eat('+') {
        return factor(reader, depth + 1);
    }
    if reader.eat('(') {
        let value = sum(reader, depth + 1)?;
        reader.skip_blanks();
        return if reader.eat(')') { Ok(value) } else { Err(unreadable(reader)) };
    }
    let rest = reader.rest();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    let value = rest[..end].parse::<f64>().map_err(|_| unreadable(reader))?;
    reader.at += end;
    Ok(value)
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
