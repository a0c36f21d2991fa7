//! The operations of an OpenAPI 3 document as tools: parameters of path and query, and the fields of a
//! JSON body, as one schema. Headers and cookies are the client's business.

use crate::corpus::MOST_TOOLS;
use crate::found::{Found, ToolsError, error, object};
use dataset::own_tools::schema::inlined;
use serde_json::{Map, Value, json};

/// The HTTP methods of a path item.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The operations of a document.
///
/// # Errors
/// The field that is wrong, with what was expected.
pub(crate) fn operations(document: &Value) -> Result<Vec<Found>, ToolsError> {
    let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("3.") {
        return Err(error("openapi", format!("expected version 3, found {version:?}")));
    }
    let paths = document.get("paths").unwrap_or(&Value::Null);
    let mut found = Vec::new();
    for (path, item) in object("paths", paths)? {
        let item = object(&format!("paths.{path}"), item)?;
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let field = format!("paths.{path}.{method}");
            let operation = object(&field, operation)?;
            let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
            let (name, field) = match text("operationId") {
                "" => (format!("{} {path}", method.to_uppercase()), field),
                id => (id.to_owned(), format!("{field}.operationId")),
            };
            let description = format!("{} {}", text("summary"), text("description"));
            let parameters = parameters(document, item, operation);
            let read_only = matches!(method, "get" | "head");
            found.push(Found { field, name, description, parameters, read_only });
            if found.len() > MOST_TOOLS {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// The schema of an operation's arguments. An operation's own parameters replace those of its path.
fn parameters(
    document: &Value,
    item: &Map<String, Value>,
    operation: &Map<String, Value>,
) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<String> = Vec::new();
    let lists = [item, operation].map(|object| object.get("parameters").and_then(Value::as_array));
    for parameter in lists.into_iter().flatten().flatten() {
        let parameter = inlined(parameter, document);
        let place = parameter["in"].as_str();
        let Some(name) =
            parameter["name"].as_str().filter(|_| matches!(place, Some("path" | "query")))
        else {
            continue;
        };
        let mut schema = parameter.get("schema").cloned().unwrap_or_else(|| json!({}));
        if let (Some(text), Some(schema)) = (parameter.get("description"), schema.as_object_mut()) {
            schema.entry("description").or_insert_with(|| text.clone());
        }
        properties.insert(name.to_owned(), schema);
        if parameter["required"] == true && !required.iter().any(|it| it == name) {
            required.push(name.to_owned());
        }
    }
    let body = operation.get("requestBody").map(|it| inlined(it, document));
    if let Some(body) = body {
        let content = body.get("content").and_then(Value::as_object);
        let json = content.into_iter().flatten().find(|(kind, _)| kind.contains("json"));
        let schema = json.and_then(|(_, it)| it.get("schema"));
        match schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object) {
            Some(fields) => {
                properties.extend(fields.clone());
                let needed = schema.and_then(|it| it["required"].as_array()).into_iter().flatten();
                required.extend(needed.filter_map(Value::as_str).map(str::to_owned));
            }
            // A list or a union can't be spread over parameters.
            None => {
                if let Some(schema) = schema {
                    properties.insert("body".to_owned(), schema.clone());
                    if body["required"] == true {
                        required.push("body".to_owned());
                    }
                }
            }
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_path_query_and_body_are_one_schema() {
        let document = json!({
            "openapi": "3.1.0",
            "components": {
                "parameters": {"Id": {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}},
                "schemas": {"Pet": {"type": "object", "required": ["name"], "properties": {
                    "name": {"type": "string"}, "parent": {"$ref": "#/components/schemas/Pet"}}}},
            },
            "paths": {"/pets/{id}": {
                "parameters": [{"$ref": "#/components/parameters/Id"}],
                "put": {
                    "operationId": "putPet",
                    "parameters": [
                        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                        {"name": "notify", "in": "query", "description": "Tell them.", "schema": {"type": "boolean"}},
                    ],
                    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
                },
                "get": {"operationId": "getPet"},
            }},
        });
        let found = operations(&document).unwrap();
        let [get, put] = &found[..] else { panic!("two operations") };
        assert!(get.read_only && !put.read_only);
        assert_eq!(put.parameters["required"], json!(["id", "name"]));
        let names: Vec<&String> =
            put.parameters["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["id", "notify", "name", "parent"]);
        assert_eq!(put.parameters["properties"]["notify"]["description"], "Tell them.");
        assert!(!put.parameters.to_string().contains("$ref"));
    }
}
