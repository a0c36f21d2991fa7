//! ToolAlpaca's training data (arXiv 2306.05301), converted as the paper's Table 7 did.
//!
//! A file is a list of APIs, each with `Name`, `Category`, `Function_Description` (per function a
//! text: description, `Parameters:` as JSON, `Output:`) and `Instances` with `input`, `output` and
//! `intermediate_steps`, each `[[action, input, thought], observation]`. A function becomes an API,
//! an instance a Call dialogue. The action `getDetails` asks the user: it becomes a question of the
//! assistant and the user's answer.

use crate::set::{Domain, TrainingSet};
use crate::{Call, Item, Parameter, Tool, Turn, published, slug};
use dataset::Ability;
use exchange::shorten;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use thiserror::Error;

/// The action that asks the user.
const ASK: &str = "getDetails";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Source {
    name: String,
    #[serde(default)]
    category: String,
    #[serde(rename = "Function_Description", default)]
    functions: Option<IndexMap<String, String>>,
    #[serde(default)]
    instances: Vec<Instance>,
}

#[derive(Deserialize)]
struct Instance {
    #[serde(default)]
    input: String,
    #[serde(default)]
    output: Option<String>,
    #[serde(default)]
    intermediate_steps: Vec<(Vec<Value>, Value)>,
}

/// The contents of a converted file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Converted {
    /// A domain for each API of the file.
    pub domains: Vec<Domain>,
    /// Instances that could not be converted, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
}

impl Converted {
    /// The domains as a set.
    pub fn set(self) -> TrainingSet {
        TrainingSet::of(self.domains)
    }
}

/// Why a file cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field}: {reason}")]
pub struct ToolAlpacaError {
    /// Path of the field: `[0].Instances[0].input`.
    pub field: String,
    /// What was expected.
    pub reason: String,
}

/// Converts a file.
///
/// # Errors
/// When it is not a list of APIs, with the first wrong field.
pub fn read(text: &str) -> Result<Converted, ToolAlpacaError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let sources: Vec<Source> = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        ToolAlpacaError { field: error.path().to_string(), reason: error.inner().to_string() }
    })?;
    let mut converted = Converted::default();
    for source in sources {
        let tools = tools(&source);
        let mut dialogues = Vec::new();
        for (number, instance) in source.instances.iter().enumerate() {
            let id = format!("toolalpaca-{}-{number}", slug(&source.name));
            match dialogue(id, instance, &tools) {
                Ok(item) => dialogues.push(item),
                Err(reason) => *converted.skipped.entry(reason).or_default() += 1,
            }
        }
        let domain = match source.category.trim() {
            "" => source.name.clone(),
            category => format!("{category}: {}", source.name),
        };
        converted.domains.push(Domain { domain, apis: tools, dialogues });
    }
    Ok(converted)
}

fn tools(source: &Source) -> Vec<Tool> {
    let functions = source.functions.iter().flatten();
    // `components` describes shared types, not a function.
    functions
        .filter(|(name, _)| *name != "components")
        .map(|(name, text)| tool(name, text))
        .collect()
}

fn tool(name: &str, text: &str) -> Tool {
    let (description, rest) = text.split_once("\nParameters:").unwrap_or((text, ""));
    let (parameters, output) = rest.split_once("\nOutput:").unwrap_or((rest, ""));
    let parameters: Map<String, Value> =
        serde_json::from_str(parameters.trim()).unwrap_or_default();
    let inputs = parameters.iter().map(|(name, it)| {
        let text = it.as_str().map_or_else(|| it.to_string(), str::to_owned);
        (name.clone(), parameter(&text))
    });
    Tool {
        name: camel(name),
        description: description.trim().to_owned(),
        input_parameters: inputs.collect(),
        output_parameters: fields(output),
    }
}

/// Parses `Required. integer. One of: [a, b]. The description.`
fn parameter(text: &str) -> Parameter {
    let mut required = false;
    let mut label = "str";
    let mut values = Vec::new();
    let mut rest = text.trim();
    while let Some((part, after)) = rest.split_once('.') {
        let part = part.trim();
        let plain = part.split(['(', '[']).next().unwrap_or(part).trim();
        if part == "Required" || part == "Optional" {
            required = part == "Required";
        } else if let Some(known) = published(plain) {
            label = known;
        } else if let Some(list) = part.strip_prefix("One of: [") {
            let list = list.trim_end_matches(']').split(", ");
            values = list.map(|value| Value::from(value.trim())).collect();
        } else {
            break;
        }
        rest = after.trim_start();
    }
    if label != "str" {
        values.clear();
    }
    Parameter { label: label.to_owned(), description: rest.to_owned(), required, values }
}

/// Parses the fields of `Structure: Object{a, b: Array[...]}`; a single field `result` if there are
/// none.
fn fields(output: &str) -> IndexMap<String, Parameter> {
    let structure = output.split_once("Structure: ").map_or("", |(_, it)| it.trim());
    let inner = structure.strip_prefix("Object{").and_then(|it| it.rsplit_once('}'));
    let mut names = Vec::new();
    let (mut depth, mut name) = (0_i32, String::new());
    for c in inner.map_or("", |(inner, _)| inner).chars().chain([',']) {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => names.push(std::mem::take(&mut name)),
            c if depth == 0 => name.push(c),
            _ => {}
        }
    }
    let described = |label: &str, description: &str| Parameter {
        label: label.to_owned(),
        description: description.to_owned(),
        required: false,
        values: Vec::new(),
    };
    let mut fields: IndexMap<String, Parameter> = names
        .iter()
        .filter_map(|field| {
            let (name, shape) = field.split_once(':').unwrap_or((field, ""));
            let label = match shape.trim() {
                shape if shape.starts_with("Array") => "list",
                shape if shape.starts_with("Object") => "dict",
                _ => "str",
            };
            (!name.trim().is_empty()).then(|| (name.trim().to_owned(), described(label, "")))
        })
        .collect();
    if fields.is_empty() {
        let label = if structure.starts_with("Array") { "list" } else { "str" };
        fields.insert("result".to_owned(), described(label, "The result."));
    }
    fields
}

fn dialogue(id: String, instance: &Instance, tools: &[Tool]) -> Result<Item, &'static str> {
    // The hint is for ToolAlpaca's simulated user, not part of the question.
    let question = instance.input.rsplit_once("\nHint: ").map_or(&*instance.input, |it| it.0);
    if question.trim().is_empty() {
        return Err("no instruction");
    }
    let mut turns = vec![Turn::User { text: question.trim().to_owned() }];
    for (action, observation) in &instance.intermediate_steps {
        let part = |at: usize| action.get(at).and_then(Value::as_str).unwrap_or_default();
        let (name, input) = (part(0), part(1));
        let observed = observation.as_str().map_or_else(|| observation.to_string(), str::to_owned);
        let arguments: Map<String, Value> =
            serde_json::from_str(input).map_err(|_| "an action input is not a JSON object")?;
        if name == ASK {
            let asked = arguments.values().find_map(Value::as_str).unwrap_or_default();
            turns.push(Turn::Assistant { text: asked.to_owned() });
            turns.push(Turn::User { text: observed });
            continue;
        }
        let name = camel(name);
        if !tools.iter().any(|tool| tool.name == name) {
            return Err("an action names no function");
        }
        turns.push(Turn::Api(call(name, arguments, &observed)));
    }
    if !turns.iter().any(|turn| matches!(turn, Turn::Api(_))) {
        return Err("no call");
    }
    let reply = instance.output.as_deref().map(str::trim).filter(|text| !text.is_empty());
    turns.push(Turn::Assistant { text: reply.ok_or("no output")?.to_owned() });
    Ok(Item { id, ability: Ability::Call, time: None, turns })
}

/// A call with its observation: `Status Code: 2xx. Response: {...}` is a result, anything else an
/// error message.
fn call(api_name: String, param_dict: Map<String, Value>, observed: &str) -> Call {
    let response = observed.strip_prefix("Status Code: 2").and_then(|rest| {
        let (_, body) = rest.split_once("Response: ")?;
        Some(serde_json::from_str::<Value>(body.trim()).unwrap_or_else(|_| body.trim().into()))
    });
    let output = response.map(|response| match response {
        Value::Object(_) => response,
        other => serde_json::json!({ "result": other }),
    });
    let exception = output.is_none().then(|| shorten(observed.trim(), 500));
    Call { api_name, param_dict, output, exception, finds: None }
}

/// Capitalizes a name: `searchImages` becomes `SearchImages`.
fn camel(name: &str) -> String {
    let mut letters = name.trim().chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file() -> String {
        json!([{
            "Name": "Tide Tables", "Category": "Nature", "Instructions": ["x"],
            "Function_Description": {
                "getTide": "Tells when the tide is high.\nParameters: {\"port\": \"Required. string. Name of the port.\", \"days\": \"integer. How many days.\", \"unit\": \"Optional. string. One of: [m, ft]. Unit of heights.\"}\nOutput: Successful response.\n - Format: application/json\n - Structure: Object{port, tides: Array[Object{time, height}]}",
                "listPorts": "Lists ports.\nParameters: {}\nOutput: Successful response.\n - Structure: Array[Object{name}]",
                "components": ""
            },
            "Instances": [
                {
                    "input": "When is high water?\nHint: the port is Ullvik",
                    "output": "High water at Ullvik is at 04:12.",
                    "intermediate_steps": [
                        [["getDetails", "{\"Question\": \"Which port?\"}", "t"], "Ullvik, please."],
                        [["getTide", "{\"port\": \"Ullvik\"}", "t"], "Status Code: 200. Response: {\"port\": \"Ullvik\", \"tides\": [{\"time\": \"04:12\", \"height\": 3.1}]}"],
                        [["getTide", "{\"port\": \"Ullvik\", \"unit\": \"yd\"}", "t"], "Parameter type error: unit"]
                    ]
                },
                {"input": "Hi", "output": "Hello.", "intermediate_steps": []},
                {"input": "Go", "output": "x", "intermediate_steps": [[["getMoon", "{}", ""], "y"]]},
                {"input": "Go", "output": "x", "intermediate_steps": [[["getTide", "{\"port", ""], "y"]]}
            ]
        }])
        .to_string()
    }

    #[test]
    fn functions_become_apis_and_instances_dialogues() {
        let converted = read(&file()).unwrap();
        let domain = &converted.domains[0];
        assert_eq!(domain.domain, "Nature: Tide Tables");
        let [tide, ports] = &domain.apis[..] else { panic!("two APIs") };
        assert_eq!((tide.name.as_str(), ports.name.as_str()), ("GetTide", "ListPorts"));
        let described: Vec<(&str, &str, bool)> = tide
            .input_parameters
            .iter()
            .map(|(name, it)| (name.as_str(), it.label.as_str(), it.required))
            .collect();
        let expected = [("port", "str", true), ("days", "int", false), ("unit", "str", false)];
        assert_eq!(described, expected);
        assert_eq!(tide.input_parameters["unit"].values, [json!("m"), json!("ft")]);
        assert_eq!(tide.input_parameters["unit"].description, "Unit of heights.");
        let outputs: Vec<(&str, &str)> = tide
            .output_parameters
            .iter()
            .map(|(name, it)| (name.as_str(), it.label.as_str()))
            .collect();
        assert_eq!(outputs, [("port", "str"), ("tides", "list")]);
        assert_eq!(ports.output_parameters["result"].label, "list");

        let [item] = &domain.dialogues[..] else { panic!("one dialogue") };
        assert_eq!(item.turns.len(), 6);
        assert_eq!(item.turns[0], Turn::User { text: "When is high water?".to_owned() });
        assert_eq!(item.turns[2], Turn::User { text: "Ullvik, please.".to_owned() });
        let calls: Vec<&Call> = item.calls().collect();
        assert_eq!(calls[0].output.as_ref().unwrap()["tides"][0]["height"], 3.1);
        assert_eq!(calls[1].exception.as_deref(), Some("Parameter type error: unit"));
        let skipped: Vec<(&str, usize)> =
            converted.skipped.iter().map(|(reason, count)| (*reason, *count)).collect();
        assert_eq!(
            skipped,
            [
                ("an action input is not a JSON object", 1),
                ("an action names no function", 1),
                ("no call", 1)
            ]
        );
    }

    #[test]
    fn another_shape_is_refused_with_its_field() {
        let error = read(r#"[{"Name": "a", "Instances": [{"input": 3}]}]"#).unwrap_err();
        assert!(error.field.contains("Instances[0].input"), "{error}");
        assert!(read("{}").is_err());
    }
}
