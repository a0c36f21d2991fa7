//! Converts between the fields of an API's form and the arguments of a call.

use crate::session::compare::shown;
use apis::{Api, Kind, literal};
use serde_json::{Map, Value};

/// The call's arguments: text parameters as typed, others as literals if they parse. Omits empty
/// fields. The API rejects values of the wrong type.
pub fn read(api: &Api, fields: &[String]) -> Map<String, Value> {
    let filled = api.params.iter().zip(fields).filter(|(_, text)| !text.trim().is_empty());
    filled
        .map(|(param, text)| {
            let value = match param.kind {
                Kind::Text | Kind::Date | Kind::DateTime | Kind::MonthDay => {
                    Value::from(text.as_str())
                }
                _ => literal::parse(text).unwrap_or_else(|_| Value::from(text.as_str())),
            };
            (param.name.to_owned(), value)
        })
        .collect()
}

/// The form's fields filled with an example's arguments.
pub fn fields(api: &Api, arguments: &str) -> Vec<String> {
    let arguments: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
    api.params
        .iter()
        .map(|param| arguments.get(param.name).map(shown).unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::registry;

    #[test]
    fn every_example_round_trips_through_the_form() {
        for api in registry::all() {
            for example in api.examples {
                let given: Map<String, Value> = serde_json::from_str(example.arguments).unwrap();
                // A failing example may have values that the form cannot represent.
                if !example.succeeds {
                    continue;
                }
                let read = read(api, &fields(api, example.arguments));
                let typed = api.read(&read);
                assert_eq!(typed, api.read(&given), "{}", api.name);
            }
        }
    }
}
