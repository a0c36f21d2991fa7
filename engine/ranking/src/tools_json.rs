//! Parses lists of tools: OpenAI's `tools`, the result of MCP's `tools/list`, the operations of an
//! OpenAPI 3 document (JSON or YAML), and the tools of ToolRet (JSON or JSON lines).

use crate::corpus::{Corpus, MOST_TOOLS};
use crate::found::{Found, ToolsError, error, kind, object};
use crate::openapi;
use crate::tool::{Tool, tool_text};
use dataset::encoding;
use dataset::own_tools::{self, Limits, schema};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most bytes in a file.
const MOST_BYTES: usize = 64 << 20;
/// Parses a file of tools.
///
/// # Errors
/// The field that is wrong, with what was expected.
pub fn parse_tools(title: &str, bytes: &[u8]) -> Result<Corpus, ToolsError> {
    let found = found_in(bytes, MOST_TOOLS)?;
    let mut tools = Vec::with_capacity(found.len());
    for Found { name, description, .. } in found {
        let texts = vec![tool_text(&name, &description)];
        tools.push(Tool { name, texts, group: title.to_owned(), suite: None });
    }
    Ok(Corpus { title: title.to_owned(), tools })
}

/// Parses a file of tools with the schemas of their arguments, for a pack of a user's own tools. Names
/// that no vendor accepts, such as `files/read`, are written with `_`.
///
/// # Errors
/// The field that is wrong, with what was expected.
pub fn parse_own_tools(bytes: &[u8]) -> Result<Vec<own_tools::Tool>, ToolsError> {
    let found = found_in(bytes, Limits::TOOLS)?;
    let mut seen = BTreeSet::new();
    found
        .into_iter()
        .map(|Found { field, name, description, parameters, read_only }| {
            let name = callable(&name);
            if !seen.insert(name.clone()) {
                let reason = format!("expected a unique name, found {name:?} again");
                return Err(error(field, reason));
            }
            let description = description.trim().to_owned();
            Ok(own_tools::Tool { name, description, parameters, read_only })
        })
        .collect()
}

/// A name of letters, digits and `_`: `GET /pets/{id}` is `GET_pets_id`.
fn callable(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let name = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let name = if begins { name } else { format!("_{name}") };
    name.chars().take(Limits::NAME).collect()
}

/// The tools in a file, with names that are unique.
fn found_in(bytes: &[u8], most: usize) -> Result<Vec<Found>, ToolsError> {
    if bytes.len() > MOST_BYTES {
        let (most, found) = (MOST_BYTES >> 20, bytes.len() >> 20);
        return Err(error("file", format!("expected at most {most} MiB, found {found}")));
    }
    let text = encoding::text(bytes).map_err(|reason| error("file", reason.to_string()))?;
    let found = match serde_json::from_str::<Value>(&text) {
        Ok(value) => named(&value)?,
        Err(reason) => match lines(text.as_bytes()) {
            Some(found) => found?,
            None => named(&yaml(&text, &reason)?)?,
        },
    };
    if found.is_empty() {
        return Err(error("file", "expected at least one tool"));
    }
    if found.len() > most {
        let reason = format!("expected at most {most} tools, found {}", found.len());
        return Err(error("file", reason));
    }
    let mut seen = BTreeSet::new();
    for Found { field, name, .. } in &found {
        if name.trim().is_empty() {
            return Err(error(field, "expected a name, found an empty text"));
        }
        if !seen.insert(name) {
            return Err(error(field, format!("expected a unique name, found {name:?} again")));
        }
    }
    Ok(found)
}

/// A document in YAML. `reason` is why it is no JSON.
fn yaml(text: &str, reason: &serde_json::Error) -> Result<Value, ToolsError> {
    // What begins as JSON is broken JSON, and a text without a key is nothing.
    let is_json = text.trim_start().starts_with(['{', '[']);
    let value = (!is_json).then(|| serde_saphyr::from_str::<Value>(text));
    match value {
        Some(Ok(value)) if value.is_object() || value.is_array() => Ok(value),
        Some(Err(reason)) if text.contains("openapi") => {
            let reason = reason.to_string();
            let line = reason.lines().next().unwrap_or_default();
            Err(error("file", format!("expected OpenAPI as YAML: {line}")))
        }
        _ => {
            let expected = match is_json {
                true => "expected JSON or JSON lines",
                false => "expected JSON, JSON lines or OpenAPI as YAML",
            };
            Err(error("file", format!("{expected}: {reason}")))
        }
    }
}

/// JSON lines; `None` if the first line is not JSON, so that the whole file's error is reported.
fn lines(bytes: &[u8]) -> Option<Result<Vec<Found>, ToolsError>> {
    let mut found = Vec::new();
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    for (index, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let field = format!("line {}", index + 1);
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => match tool(&field, &value) {
                Ok(tool) => found.push(tool),
                Err(error) => return Some(Err(error)),
            },
            Err(_) if found.is_empty() => return None,
            Err(reason) => return Some(Err(error(field, format!("expected JSON: {reason}")))),
        }
        if found.len() > MOST_TOOLS {
            break;
        }
    }
    Some(Ok(found))
}

fn named(value: &Value) -> Result<Vec<Found>, ToolsError> {
    let list = |field: &str, list: &Value| match list {
        Value::Array(tools) => {
            let tools = tools.iter().take(MOST_TOOLS + 1).enumerate();
            tools.map(|(index, it)| tool(&format!("{field}[{index}]"), it)).collect()
        }
        other => Err(error(field, format!("expected a list of tools, found {}", kind(other)))),
    };
    match value {
        Value::Array(_) => list("tools", value),
        Value::Object(fields) => {
            if fields.contains_key("openapi") {
                return openapi::operations(value);
            }
            if let Some(tools) = fields.get("tools") {
                return list("tools", tools);
            }
            if let Some(tools) = fields.get("result").and_then(|it| it.get("tools")) {
                return list("result.tools", tools);
            }
            // A file of one JSON line.
            tool("line 1", value).map(|tool| vec![tool]).map_err(|_| {
                let known = "expected a list of tools, tools, result.tools or openapi";
                error("file", format!("{known}, found none of them"))
            })
        }
        other => Err(error("file", format!("expected a list of tools, found {}", kind(other)))),
    }
}

/// A tool of OpenAI (`{"type": "function", "function": {…}}`, or flat as in its Responses API), of
/// MCP (`{"name", "description"}`), or of ToolRet (`{"id", "documentation"}`).
fn tool(field: &str, value: &Value) -> Result<Found, ToolsError> {
    let fields = object(field, value)?;
    let (field, fields) = match fields.get("function") {
        Some(function) => {
            let field = format!("{field}.function");
            (field.clone(), object(&field, function)?)
        }
        None => (field.to_owned(), fields),
    };
    let (key, name) = match (fields.get("name"), fields.get("id")) {
        (None, Some(id)) => ("id", id),
        (name, _) => ("name", name.unwrap_or(&Value::Null)),
    };
    let name_field = format!("{field}.{key}");
    let name = name.as_str().ok_or_else(|| {
        error(name_field.clone(), format!("expected a text, found {}", kind(name)))
    })?;
    let keys = ["description", "documentation", "doc", "title"];
    let description = keys.into_iter().find_map(|key| fields.get(key).map(|value| (key, value)));
    let description = match description {
        None | Some((_, Value::Null)) => "",
        Some((_, Value::String(text))) => text,
        Some((key, other)) => {
            let reason = format!("expected a text, found {}", kind(other));
            return Err(error(format!("{field}.{key}"), reason));
        }
    };
    let schema = ["parameters", "inputSchema", "input_schema"].into_iter();
    let schema = schema.filter_map(|key| fields.get(key)).find(|schema| schema.is_object());
    let parameters = schema.map_or_else(no_parameters, |it| schema::inlined(it, it));
    let read_only = fields.get("annotations").is_some_and(|it| it["readOnlyHint"] == true);
    let (name, description) = (name.to_owned(), description.to_owned());
    Ok(Found { field: name_field, name, description, parameters, read_only })
}

/// The schema of a tool that names none: any arguments.
fn no_parameters() -> Value {
    json!({"type": "object"})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let corpus = parse_tools("tools.json", text.as_bytes()).map_err(|it| it.to_string())?;
        Ok(corpus
            .tools
            .into_iter()
            .map(|tool| format!("{}: {}", tool.name, tool.texts[0]))
            .collect())
    }

    #[test]
    fn every_format_is_read() {
        let expected = Ok(vec!["get_weather: get weather. Tells the weather.".to_owned()]);
        let plain = r#"{"name": "get_weather", "description": "Tells the weather."}"#;
        for text in [
            format!("[{plain}]"),
            format!(r#"{{"tools": [{plain}]}}"#),
            format!(r#"{{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{plain}]}}}}"#),
            format!(r#"[{{"type": "function", "function": {plain}}}]"#),
            plain.to_owned(),
            r#"{"id": "get_weather", "documentation": "Tells the weather."}"#.to_owned(),
            r#"{"openapi": "3.1.0", "paths": {"/w": {"parameters": [], "get":
                {"operationId": "get_weather", "description": "Tells the weather."}}}}"#
                .to_owned(),
        ] {
            assert_eq!(names(&text), expected, "{text}");
        }
        let lines = "{\"id\": \"a\", \"doc\": \"A.\"}\n\n{\"id\": \"b\"}\n";
        assert_eq!(names(lines), Ok(vec!["a: a. A.".to_owned(), "b: b.".to_owned()]));
        let unnamed = r#"{"openapi": "3.0.0", "paths": {"/a/{id}": {"delete": {}}}}"#;
        assert_eq!(names(unnamed), Ok(vec!["DELETE /a/{id}: delete a id.".to_owned()]));
    }

    #[test]
    fn errors_name_the_field() {
        for (text, expected) in [
            ("{", "file: expected JSON or JSON lines"),
            ("3", "file: expected a list of tools, found a number"),
            ("[]", "file: expected at least one tool"),
            ("{}", "file: expected a list of tools, tools, result.tools or openapi"),
            (r#"{"tools": {}}"#, "tools: expected a list of tools, found an object"),
            (r#"[{"name": 3}]"#, "tools[0].name: expected a text, found a number"),
            (r#"[{"name": " "}]"#, "tools[0].name: expected a name"),
            (r#"[{"function": []}]"#, "tools[0].function: expected an object, found a list"),
            (r#"[{"name": "a"}, {"name": "a"}]"#, "tools[1].name: expected a unique name"),
            (r#"[{"name": "a", "description": []}]"#, "tools[0].description: expected a text"),
            (r#"{"openapi": "2.0"}"#, "openapi: expected version 3"),
            (r#"{"openapi": "3.0.0"}"#, "paths: expected an object, found nothing"),
            (r#"{"openapi": "3.0.0", "paths": {"/a": {"get": 1}}}"#, "paths./a.get: expected"),
            ("{\"id\": \"a\"}\n{", "line 2: expected JSON"),
        ] {
            let found = names(text).unwrap_err();
            assert!(found.starts_with(expected), "{text}: {found}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(names(&deep).unwrap_err().starts_with("file: expected JSON"));
        let many = format!("[{}]", vec!["{\"name\": \"a\"}"; MOST_TOOLS + 1].join(","));
        assert!(names(&many).unwrap_err().contains("at most 20000 tools"));
    }

    #[test]
    fn openapi_as_yaml_and_other_encodings_are_read() {
        let yaml = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /alarms:\n    post:\n      \
            operationId: addAlarm\n      summary: Adds an alarm.\n      responses:\n        200: {description: ok}\n";
        let json = r#"{"openapi": "3.1.0", "paths": {"/alarms": {"post": {"operationId": "addAlarm", "summary": "Adds an alarm."}}}}"#;
        let expected = parse_tools("t", json.as_bytes()).unwrap();
        let wide = |text: &str| -> Vec<u8> {
            format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        let marked = |text: &str| format!("\u{feff}{text}").into_bytes();
        for text in [yaml, json] {
            for bytes in [text.as_bytes().to_vec(), marked(text), wide(text)] {
                assert_eq!(parse_tools("t", &bytes).unwrap().names(), expected.names(), "{text}");
            }
        }
        // Aliases that multiply are refused.
        let bomb = (1..12).fold(
            "openapi: 3.1.0\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(),
            |text, n| {
                let last = n - 1;
                let nine = vec![format!("*a{last}"); 9].join(", ");
                format!("{text}a{n}: &a{n} [{nine}]\n")
            },
        );
        for wrong in [bomb.as_str(), "openapi: [", "just words", "caf\u{e9}"] {
            let error = parse_tools("t", wrong.as_bytes()).unwrap_err();
            assert!(error.to_string().contains("expected"), "{error}");
        }
    }

    #[test]
    fn own_tools_have_their_schemas_in_every_format() {
        let schema = json!({"type": "object", "properties": {"city": {"$ref": "#/$defs/city"}},
            "required": ["city"], "$defs": {"city": {"type": "string"}}});
        let mcp = format!(
            r#"{{"tools": [{{"name": "get_weather", "description": "Tells it.", "inputSchema": {schema},
                "annotations": {{"readOnlyHint": true}}}}]}}"#
        );
        let tool = |text: &str| parse_own_tools(text.as_bytes()).unwrap().remove(0);
        let expected = tool(&mcp);
        assert!(expected.read_only);
        assert_eq!(expected.param("city"), Some(&json!({"type": "string"})));
        assert!(expected.requires("city"));
        for text in [
            format!(
                r#"[{{"type": "function", "function": {{"name": "get_weather", "parameters": {schema}}}}}]"#
            ),
            format!(r#"[{{"type": "function", "name": "get_weather", "parameters": {schema}}}]"#),
            format!(r#"[{{"name": "get_weather", "input_schema": {schema}}}]"#),
        ] {
            assert_eq!(tool(&text).parameters, expected.parameters, "{text}");
        }
        assert_eq!(tool(r#"[{"name": "files/read-all"}]"#).name, "files_read_all");
        let same = r#"[{"name": "a/b"}, {"name": "a.b"}]"#;
        assert!(
            parse_own_tools(same.as_bytes()).unwrap_err().to_string().contains("\"a_b\" again")
        );
        let many: Vec<Value> = (0..501).map(|index| json!({"name": format!("t{index}")})).collect();
        let error = parse_own_tools(json!(many).to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.contains("at most 500 tools, found 501"), "{error}");
    }

    #[test]
    fn the_examples_openapi_document_gives_the_tools_of_its_pack() {
        let read = parse_own_tools(own_tools::example::OPENAPI.as_bytes()).unwrap();
        let pack = own_tools::ToolsFile::read(own_tools::example::PACK).unwrap();
        assert_eq!(read, pack.tools);
    }
}
