//! Compares a call of a pack's own tool with the gold call: by the JSON Schema of its arguments, and by
//! what the dialogue declares. Nothing is run, so results are the recorded ones.

use crate::ErrorClass;
use crate::accepted_values::{self, LazyKnown, Wrong};
use apis::Arguments;
use dataset::own_tools::{Tool, schema};
use dataset::{Accept, RecordedCall};
use serde_json::Value;

/// Compares a call with a gold call of the same tool.
///
/// # Errors
/// The class and the reason if it is another call.
pub(crate) fn call(
    tool: &Tool,
    gold: &RecordedCall,
    given: &Arguments,
    known: &LazyKnown<'_>,
) -> Result<(), Wrong> {
    let wanted = schema::read(&tool.parameters, &gold.param_dict);
    let given = schema::read(&tool.parameters, given);
    let problems = schema::problems(&tool.parameters, &given);
    // A gold call may show what a tool does with wrong arguments.
    if !problems.is_empty() && schema::problems(&tool.parameters, &wanted).is_empty() {
        let class = match problems.iter().any(|problem| problem.missing) {
            true => ErrorClass::MissingInputParameters,
            false => ErrorClass::InvalidInputParameters,
        };
        let why: Vec<&str> = problems.iter().map(|problem| problem.what.as_str()).collect();
        let parameter = problems.first().and_then(schema::Problem::parameter);
        return Err(Wrong { class, why: why.join(" "), parameter });
    }
    let mut names: Vec<&String> = wanted.keys().collect();
    names.extend(given.keys().filter(|name| !wanted.contains_key(*name)));
    for name in names {
        let schema = tool.param(name).unwrap_or(&Value::Null);
        let accept = gold.declared.accept.get(name);
        argument(schema, accept, wanted.get(name), given.get(name), known).map_err(|why| {
            Wrong {
                class: ErrorClass::WrongResult,
                why: format!("`{name}` {why}."),
                parameter: Some(name.clone()),
            }
        })?;
    }
    Ok(())
}

fn argument(
    schema: &Value,
    accept: Option<&Accept>,
    gold: Option<&Value>,
    given: Option<&Value>,
    known: &LazyKnown<'_>,
) -> Result<(), String> {
    let (gold, given) = match (gold, given) {
        (Some(gold), Some(given)) => (gold, given),
        (Some(one), None) | (None, Some(one)) if schema::is_default(schema, one) => return Ok(()),
        (Some(gold), None) => return Err(format!("is left out, and {gold} is due")),
        (None, Some(given)) => return Err(format!("is {given}, and none is due")),
        (None, None) => return Ok(()),
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match accept {
        Some(Accept::Facts(facts)) => {
            accepted_values::facts(facts, &text(gold), &text(given), known, accepted_values::UNSAID)
        }
        Some(Accept::Values(values)) if values.iter().any(|it| schema::same(schema, it, given)) => {
            Ok(())
        }
        _ if schema::same(schema, gold, given) => Ok(()),
        _ => Err(format!("is {given}, and {gold} is due")),
    }
}
