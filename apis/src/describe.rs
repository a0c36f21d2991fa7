//! Derives the prompt JSON, the JSON Schema and the search texts from a descriptor.

use crate::api::{Api, Kind};
use crate::param::Param;
use serde_json::{Map, Value, json};

impl Param {
    /// The description, followed by the kind's date format if it has one.
    pub fn full_description(&self) -> String {
        match self.kind.format() {
            Some(format) => format!("{} Format: {format}", self.description),
            None => self.description.to_owned(),
        }
    }

    /// JSON Schema of the parameter.
    pub fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text | Kind::Date | Kind::DateTime | Kind::MonthDay => json!({"type": "string"}),
            Kind::Integer => json!({"type": "integer"}),
            Kind::Number => json!({"type": "number"}),
            Kind::Boolean => json!({"type": "boolean"}),
            Kind::TextList | Kind::UntypedTextList => {
                json!({"type": "array", "items": {"type": "string"}})
            }
            Kind::RecordList(fields) => {
                let properties: Map<String, Value> = fields
                    .iter()
                    .map(|field| ((*field).to_owned(), json!({"type": "string"})))
                    .collect();
                json!({"type": "array", "items": {
                    "type": "object", "properties": properties, "required": fields,
                    "additionalProperties": false,
                }})
            }
        };
        schema["description"] = Value::from(self.full_description());
        schema
    }
}

impl Api {
    /// The description in prompts: `name`, `description`,
    /// `input_parameters` and `output_parameters`, each parameter with `type`
    /// and `description`. The shape is API-Bank's.
    pub fn prompt_json(&self) -> Value {
        let inputs: Map<String, Value> = self
            .params
            .iter()
            .map(|param| {
                let value =
                    json!({"type": param.kind.label(), "description": param.full_description()});
                (param.name.to_owned(), value)
            })
            .collect();
        let outputs: Map<String, Value> = self
            .returns
            .iter()
            .map(|field| {
                let value = json!({"type": field.label, "description": field.description});
                (field.name.to_owned(), value)
            })
            .collect();
        json!({
            "name": self.name,
            "description": self.description,
            "input_parameters": inputs,
            "output_parameters": outputs,
        })
    }

    /// JSON Schema of the arguments, for native tool calling.
    pub fn schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.params.iter().map(|param| (param.name.to_owned(), param.schema())).collect();
        let required: Vec<&str> =
            self.params.iter().filter(|param| param.required).map(|param| param.name).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// The texts that API Search embeds: the words of the name with the description, then each
    /// hint. An API ranks by its nearest text.
    pub fn search_texts(&self) -> Vec<String> {
        let first = format!("{}. {}", split_name(self.name), self.description);
        std::iter::once(first).chain(self.hints.iter().map(|hint| (*hint).to_owned())).collect()
    }
}

/// The words of a camel-case name in lower case: `QueryHealthData` is `query health data`.
pub fn split_name(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let after_lower = index > 0 && letters[index - 1].is_lowercase();
        let before_lower = letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && index > 0 && (after_lower || before_lower) {
            out.push(' ');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_words() {
        for (name, words) in [
            ("QueryHealthData", "query health data"),
            ("DocumentQA", "document qa"),
            ("Wiki", "wiki"),
            ("ToolSearcher", "tool searcher"),
        ] {
            assert_eq!(split_name(name), words);
        }
    }
}
