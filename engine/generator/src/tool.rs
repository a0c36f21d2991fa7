//! The description of a generated API, and which values match it.
//!
//! The shape is API-Bank's (`name`, `description`, `input_parameters`, `output_parameters`), the
//! same as for the evaluation pool in prompts and files.

use apis::Api;
use apis::describe::split_name;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The description of an API without an implementation: an agent writes its results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Name in upper camel case: `FerryTimetable`.
    pub name: String,
    /// Its purpose, in one sentence.
    pub description: String,
    /// Parameters by name, in order.
    pub input_parameters: IndexMap<String, Parameter>,
    /// Fields of a result by name, in order.
    pub output_parameters: IndexMap<String, Parameter>,
}

/// A parameter, or a field of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// One of [`LABELS`].
    #[serde(rename = "type")]
    pub label: String,
    /// Its meaning, in one sentence. Values must match a strftime format in it (`Format:
    /// %Y-%m-%d`).
    pub description: String,
    /// Whether a call, or a result, must have it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub required: bool,
    /// The allowed values; empty if any value of the type is allowed.
    #[serde(default, rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_true(value: &bool) -> bool {
    *value
}

/// The names of types in API-Bank's published data.
pub const LABELS: [&str; 10] = [
    "str",
    "int",
    "float",
    "bool",
    "dict",
    "list",
    "list(str)",
    "list(int)",
    "list(float)",
    "list(dict)",
];

/// Other names of the same types in models' answers and other datasets.
const ALIASES: [(&str, &str); 22] = [
    ("string", "str"),
    ("text", "str"),
    ("date", "str"),
    ("time", "str"),
    ("datetime", "str"),
    ("integer", "int"),
    ("number", "float"),
    ("double", "float"),
    ("boolean", "bool"),
    ("object", "dict"),
    ("json", "dict"),
    ("array", "list"),
    ("list[str]", "list(str)"),
    ("list[string]", "list(str)"),
    ("list of str", "list(str)"),
    ("list of strings", "list(str)"),
    ("array of strings", "list(str)"),
    ("list[int]", "list(int)"),
    ("list[float]", "list(float)"),
    ("list[dict]", "list(dict)"),
    ("list of dicts", "list(dict)"),
    ("list[object]", "list(dict)"),
];

/// The published name of a type or alias, ignoring case; `None` for an unknown type.
pub fn published(label: &str) -> Option<&'static str> {
    let label = label.trim().to_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == label).map(|(_, name)| *name);
    alias.or_else(|| LABELS.into_iter().find(|known| *known == label))
}

impl Parameter {
    /// Whether a value has the type, is one of the allowed values, and matches the format in the
    /// description.
    pub fn fits(&self, value: &Value) -> bool {
        let listed = self.values.is_empty() || self.values.contains(value);
        let format = match (strftime(&self.description), value) {
            (Some(format), Value::String(text)) => fits_format(format, text),
            _ => true,
        };
        listed && format && fits_label(&self.label, value)
    }

    /// The JSON Schema of the parameter.
    pub fn schema(&self) -> Value {
        let mut schema = match self.label.as_str() {
            "int" => json!({"type": "integer"}),
            "float" => json!({"type": "number"}),
            "bool" => json!({"type": "boolean"}),
            "dict" => json!({"type": "object"}),
            "list" => json!({"type": "array"}),
            "list(str)" => json!({"type": "array", "items": {"type": "string"}}),
            "list(int)" => json!({"type": "array", "items": {"type": "integer"}}),
            "list(float)" => json!({"type": "array", "items": {"type": "number"}}),
            "list(dict)" => json!({"type": "array", "items": {"type": "object"}}),
            _ => json!({"type": "string"}),
        };
        schema["description"] = Value::from(self.description.clone());
        if !self.values.is_empty() {
            schema["enum"] = Value::from(self.values.clone());
        }
        schema
    }
}

/// Whether a value has a published type.
fn fits_label(label: &str, value: &Value) -> bool {
    let all = |label: &str| {
        value.as_array().is_some_and(|items| items.iter().all(|item| fits_label(label, item)))
    };
    match label {
        "str" => value.is_string(),
        "int" => value.is_i64() || value.is_u64(),
        "float" => value.is_number(),
        "bool" => value.is_boolean(),
        "dict" => value.is_object(),
        "list" => value.is_array(),
        "list(str)" => all("str"),
        "list(int)" => all("int"),
        "list(float)" => all("float"),
        "list(dict)" => all("dict"),
        _ => false,
    }
}

/// The strftime format in a description, from its first to its last code.
pub(super) fn strftime(description: &str) -> Option<&str> {
    let start = description.find('%')?;
    let rest = &description[start..];
    let end = rest
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_alphanumeric() || "%-:/ ".contains(*c)))
        .map_or(rest.len(), |(at, _)| at);
    // Words after the last code are prose.
    let last = rest[..end].rfind('%')?;
    rest.get(..last + 2)
}

/// Whether a text matches a strftime format of numeric codes; formats with other codes match any
/// text.
fn fits_format(format: &str, text: &str) -> bool {
    let mut rest = text;
    let mut codes = format.chars();
    while let Some(c) = codes.next() {
        let (digits, limit) = match c {
            '%' => match codes.next() {
                Some('Y') => (4, 9999),
                Some('m') => (2, 12),
                Some('d') => (2, 31),
                Some('H') => (2, 23),
                Some('M' | 'S') => (2, 59),
                _ => return true,
            },
            literal => match rest.strip_prefix(literal) {
                Some(after) => {
                    rest = after;
                    continue;
                }
                None => return false,
            },
        };
        let Some((number, after)) = rest.split_at_checked(digits) else { return false };
        if !number.bytes().all(|b| b.is_ascii_digit())
            || number.parse::<u32>().map_or(true, |number| number > limit)
        {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

impl Tool {
    /// The description of an API of the evaluation pool, as an example for a prompt.
    pub fn of_pool(api: &Api) -> Self {
        let parameter = |label: &str, description: String, required: bool| Parameter {
            label: published(label).unwrap_or("str").to_owned(),
            description,
            required,
            values: Vec::new(),
        };
        let inputs = api.params.iter().map(|param| {
            let described = parameter(param.kind.label(), param.full_description(), param.required);
            (param.name.to_owned(), described)
        });
        let outputs = api
            .returns
            .iter()
            .map(|it| (it.name.to_owned(), parameter(it.label, it.description.to_owned(), true)));
        Tool {
            name: api.name.to_owned(),
            description: api.description.to_owned(),
            input_parameters: inputs.collect(),
            output_parameters: outputs.collect(),
        }
    }

    /// The description in prompts and search results: parameters have only `type` and
    /// `description`.
    pub fn prompt_json(&self) -> Value {
        let fields = |fields: &IndexMap<String, Parameter>| -> Map<String, Value> {
            let field = |(name, it): (&String, &Parameter)| {
                (name.clone(), json!({"type": it.label, "description": it.description}))
            };
            fields.iter().map(field).collect()
        };
        json!({
            "name": self.name,
            "description": self.description,
            "input_parameters": fields(&self.input_parameters),
            "output_parameters": fields(&self.output_parameters),
        })
    }

    /// The JSON Schema of the arguments, for native tool calling.
    pub fn schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.input_parameters.iter().map(|(name, it)| (name.clone(), it.schema())).collect();
        let required: Vec<&String> = self
            .input_parameters
            .iter()
            .filter(|(_, it)| it.required)
            .map(|(name, _)| name)
            .collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// The text embedded for search: the words of the name, then the description.
    pub fn search_text(&self) -> String {
        format!("{}. {}", split_name(&self.name), self.description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(label: &str, description: &str) -> Parameter {
        let description = description.to_owned();
        Parameter { label: label.to_owned(), description, required: true, values: Vec::new() }
    }

    #[test]
    fn values_match_their_type_and_format() {
        for (label, description, value, fits) in [
            ("str", "A name.", json!("x"), true),
            ("str", "A name.", json!(3), false),
            ("int", "A count.", json!(3), true),
            ("int", "A count.", json!(3.5), false),
            ("float", "A price.", json!(3), true),
            ("list(str)", "Names.", json!(["a", 1]), false),
            ("list(dict)", "Rows.", json!([{}]), true),
            ("str", "The day. Format: %Y-%m-%d.", json!("2026-02-30"), true),
            ("str", "The day. Format: %Y-%m-%d.", json!("30 Feb"), false),
            ("str", "The day. Format: %Y-%m-%d.", json!("2026-13-01"), false),
            ("str", "When, as %Y-%m-%d %H:%M:%S please.", json!("2026-02-03 09:00:00"), true),
            ("str", "When, as %Y-%m-%d %H:%M:%S please.", json!("2026-02-03"), false),
            ("nothing", "No type.", json!("x"), false),
        ] {
            assert_eq!(parameter(label, description).fits(&value), fits, "{label} {value}");
        }
        let colour = Parameter { values: vec![json!("red")], ..parameter("str", "Colour.") };
        assert!(colour.fits(&json!("red")) && !colour.fits(&json!("blue")));
    }

    #[test]
    fn pool_apis_have_the_same_shape() {
        for api in apis::registry::all() {
            let tool = Tool::of_pool(api);
            assert_eq!(tool.prompt_json()["name"], api.name);
            assert!(tool.input_parameters.values().all(|it| published(&it.label).is_some()));
        }
        assert_eq!(published("Array of strings"), Some("list(str)"));
        assert_eq!(published("quaternion"), None);
    }
}
