//! The part of JSON Schema that tools use: types, `enum`, `const`, `required`, `properties`, `items`,
//! `additionalProperties: false`, `minimum`, `maximum`, `minItems`, `maxItems`, `anyOf`, `oneOf` (as
//! `anyOf`) and `allOf`. Other keywords, such as `pattern`, are shown to models and not checked.
//!
//! Own code, because it decides verdicts: which values count as the same and what an error says.

use apis::arguments::read_value;
use apis::{Arguments, Kind, Rule};
use serde_json::{Map, Value};

/// The most levels of a schema.
pub const MOST_LEVELS: usize = 24;
/// The most values in a schema whose references are replaced; recursion stops there.
const MOST_NODES: usize = 5_000;
/// The most characters of a value that a problem quotes.
const SHOWN: usize = 80;

/// Why arguments don't fit a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The parameter, or a part of one, such as `items[0].sku`.
    pub path: String,
    /// Whether a required value is missing, rather than one that is wrong.
    pub missing: bool,
    /// A sentence that names the parameter.
    pub what: String,
}

impl Problem {
    /// The parameter; `None` if the arguments as a whole are wrong.
    pub fn parameter(&self) -> Option<String> {
        let name = self.path.split(['.', '[']).next();
        name.filter(|name| !name.is_empty()).map(str::to_owned)
    }
}

/// Coerces arguments to their schema's types, for example `"3"` to a number.
pub fn read(schema: &Value, arguments: &Arguments) -> Arguments {
    let given = apis::arguments::composed(arguments.clone());
    match read_as(schema, &Value::Object(given)) {
        Value::Object(mut read) => {
            // Models write null for what they leave out.
            read.retain(|name, value| !value.is_null() || is_nullable(schema, name));
            read
        }
        _ => Arguments::new(),
    }
}

fn is_nullable(schema: &Value, name: &str) -> bool {
    let property = schema.get("properties").and_then(|it| it.get(name));
    property.is_some_and(|it| it["nullable"] == true || types(it).contains(&"null"))
}

/// A value as its schema has it; unchanged if it can't be.
fn read_as(schema: &Value, value: &Value) -> Value {
    let types = types(schema);
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties");
            let field = |(name, value): (&String, &Value)| {
                let read = match properties.and_then(|properties| properties.get(name)) {
                    Some(schema) => read_as(schema, value),
                    None => value.clone(),
                };
                (name.clone(), read)
            };
            Value::Object(fields.iter().map(field).collect())
        }
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items.iter().map(|item| read_as(schema, item)).collect(),
            None => value.clone(),
        },
        scalar => match types[..] {
            [only] => scalar_as(only, schema, scalar).unwrap_or_else(|| scalar.clone()),
            _ => scalar.clone(),
        },
    }
}

fn scalar_as(kind: &str, schema: &Value, value: &Value) -> Option<Value> {
    let kind = match kind {
        "string" if schema["format"] == "date" => Kind::Date,
        "string" => Kind::Text,
        "integer" => Kind::Integer,
        // A whole number stays one, so that it is shown as it was written.
        "number" if value.is_number() => return None,
        "number" => Kind::Number,
        "boolean" => Kind::Boolean,
        // A list or an object in quotation marks.
        "array" | "object" => return apis::literal::parse(value.as_str()?.trim()).ok(),
        _ => return None,
    };
    read_value(kind, value)
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The one type of a value that may also be null; `None` if there are several or none.
pub fn only_type(schema: &Value) -> Option<&str> {
    let types: Vec<&str> = types(schema).into_iter().filter(|name| *name != "null").collect();
    match types[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Whether a schema takes words that may be said in several ways.
pub fn is_free_text(schema: &Value) -> bool {
    let closed = ["enum", "const", "format", "pattern"];
    only_type(schema).is_none_or(|it| it == "string")
        && closed.iter().all(|key| schema.get(key).is_none())
}

/// What is wrong with [`read`] arguments; empty if they fit.
pub fn problems(schema: &Value, arguments: &Arguments) -> Vec<Problem> {
    let mut problems = Vec::new();
    fit(schema, &Value::Object(arguments.clone()), "", &mut problems);
    problems
}

/// Whether a value fits a schema.
pub fn fits(schema: &Value, value: &Value) -> bool {
    let mut problems = Vec::new();
    fit(schema, value, "", &mut problems);
    problems.is_empty()
}

fn fit(schema: &Value, value: &Value, path: &str, problems: &mut Vec<Problem>) {
    let types = types(schema);
    let is_null = value.is_null() && schema["nullable"] == true;
    if !types.is_empty() && !is_null && !types.iter().any(|kind| is_of(kind, value)) {
        return wrong(problems, path, &format!("takes {}", types.join(" or ")), value);
    }
    let listed = schema.get("enum").and_then(Value::as_array);
    if let Some(listed) = listed.filter(|values| !values.contains(value) && !is_null) {
        let listed: Vec<String> = listed.iter().map(Value::to_string).collect();
        return wrong(problems, path, &format!("takes one of {}", listed.join(", ")), value);
    }
    if let Some(only) = schema.get("const").filter(|constant| *constant != value) {
        return wrong(problems, path, &format!("takes {only}"), value);
    }
    let number = value.as_f64();
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(number) = number
        && (bound("minimum").is_some_and(|it| number < it)
            || bound("maximum").is_some_and(|it| number > it))
    {
        return wrong(
            problems,
            path,
            &format!("takes {}", range(schema, "minimum", "maximum")),
            value,
        );
    }
    match value {
        Value::Object(fields) => fit_fields(schema, fields, path, problems),
        Value::Array(items) => {
            let count = items.len() as f64;
            if bound("minItems").is_some_and(|it| count < it)
                || bound("maxItems").is_some_and(|it| count > it)
            {
                let takes = format!("takes {} items", range(schema, "minItems", "maxItems"));
                wrong(problems, path, &takes, value);
            }
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    fit(schema, item, &format!("{path}[{index}]"), problems);
                }
            }
        }
        _ => {}
    }
    for key in ["anyOf", "oneOf"] {
        let branches = schema.get(key).and_then(Value::as_array);
        if branches.is_some_and(|all| !all.iter().any(|schema| fits(schema, value))) {
            wrong(problems, path, &format!("takes one of the forms in {key}"), value);
        }
    }
    for branch in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        fit(branch, value, path, problems);
    }
}

/// The bounds of a schema in words.
fn range(schema: &Value, low: &str, high: &str) -> String {
    match (schema.get(low), schema.get(high)) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("at least {low}"),
        (None, high) => format!("at most {}", high.unwrap_or(&Value::Null)),
    }
}

fn fit_fields(schema: &Value, fields: &Map<String, Value>, path: &str, into: &mut Vec<Problem>) {
    let under =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let properties = schema.get("properties").and_then(Value::as_object);
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = name.as_str().filter(|name| !fields.contains_key(*name)) {
            let path = under(name);
            let what = format!("The required parameter {path:?} is missing.");
            into.push(Problem { path, missing: true, what });
        }
    }
    // Tools of no schema at all say nothing about their parameters.
    let is_open =
        properties.is_none() || schema.get("additionalProperties").is_some_and(|it| *it != false);
    for (name, value) in fields {
        match properties.and_then(|properties| properties.get(name)) {
            Some(schema) => fit(schema, value, &under(name), into),
            None if is_open => {}
            None => {
                let known: Vec<&str> =
                    properties.into_iter().flatten().map(|property| property.0.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let path = under(name);
                let what = format!("There is no parameter {path:?}; known are {known}.");
                into.push(Problem { path, missing: false, what });
            }
        }
    }
}

fn wrong(problems: &mut Vec<Problem>, path: &str, takes: &str, got: &Value) {
    let mut shown: String = got.to_string().chars().take(SHOWN).collect();
    if shown.chars().count() == SHOWN {
        shown.push('…');
    }
    let what = format!("The parameter {path:?} {takes}, got {shown}.");
    problems.push(Problem { path: path.to_owned(), missing: false, what });
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        // A type of another vocabulary excludes nothing.
        _ => true,
    }
}

/// Whether two values count as the same by their type: numbers by value, free texts by their words,
/// lists of texts in any order, objects by field; a field that one leaves out may have its default.
pub fn same(schema: &Value, gold: &Value, given: &Value) -> bool {
    match (gold, given) {
        _ if gold == given => true,
        (Value::Number(_), Value::Number(_)) => Rule::Number.same(gold, given),
        (Value::String(_), Value::String(_)) if is_free_text(schema) => {
            Rule::Facts.same(gold, given)
        }
        (Value::String(_), Value::String(_)) => Rule::Trimmed.same(gold, given),
        (Value::Array(a), Value::Array(b)) => {
            let texts = |items: &[Value]| items.iter().all(Value::is_string);
            let item = schema.get("items").unwrap_or(&Value::Null);
            let in_order = || a.iter().zip(b).all(|(a, b)| same(item, a, b));
            a.len() == b.len()
                && (in_order() || (texts(a) && texts(b) && Rule::Set.same(gold, given)))
        }
        (Value::Object(a), Value::Object(b)) => same_fields(schema, a, b).is_none(),
        _ => false,
    }
}

/// The first field in which two objects differ.
pub fn same_fields<'a>(
    schema: &Value,
    gold: &'a Map<String, Value>,
    given: &'a Map<String, Value>,
) -> Option<&'a str> {
    let differs = |name: &&str| {
        let property = schema.get("properties").and_then(|properties| properties.get(*name));
        let property = property.unwrap_or(&Value::Null);
        match (gold.get(*name), given.get(*name)) {
            (Some(a), Some(b)) => !same(property, a, b),
            (Some(one), None) | (None, Some(one)) => !is_default(property, one),
            (None, None) => false,
        }
    };
    gold.keys().chain(given.keys()).map(String::as_str).find(differs)
}

/// Whether leaving a value out means the same.
pub fn is_default(schema: &Value, value: &Value) -> bool {
    value.is_null() || schema.get("default").is_some_and(|it| same(schema, it, value))
}

/// Names of types in other notations, such as Python's and Java's, by those of JSON Schema.
const TYPE_NAMES: [(&str, &[&str]); 6] = [
    ("object", &["dict", "hashmap"]),
    ("array", &["list", "tuple", "arraylist"]),
    ("string", &["str", "char"]),
    ("integer", &["int", "long", "short", "byte"]),
    ("number", &["float", "double"]),
    ("boolean", &["bool"]),
];

/// The standard name of a type; `None` for `any`, which a schema without a type allows.
fn standard(kind: &str) -> Option<String> {
    let lower = kind.to_lowercase();
    let known = TYPE_NAMES.iter().find(|(_, others)| others.contains(&lower.as_str()));
    (lower != "any").then(|| known.map_or(lower, |(name, _)| (*name).to_owned()))
}

/// A schema with its local references (`#/…` in `root`) replaced by what they name, and the types'
/// standard names. Recursion ends in a schema that allows anything.
pub fn inlined(schema: &Value, root: &Value) -> Value {
    let mut left = MOST_NODES;
    inline(schema, root, MOST_LEVELS, &mut left)
}

fn inline(schema: &Value, root: &Value, levels: usize, left: &mut usize) -> Value {
    let Some(rest) = left.checked_sub(1).filter(|_| levels > 0) else {
        return Value::Object(Map::new());
    };
    *left = rest;
    match schema {
        Value::Object(fields) => {
            let named = fields.get("$ref").and_then(Value::as_str);
            if let Some(found) =
                named.and_then(|it| it.strip_prefix('#')).and_then(|it| root.pointer(it))
            {
                return inline(found, root, levels - 1, left);
            }
            let kept = fields.iter().filter(|(name, _)| {
                !matches!(name.as_str(), "$defs" | "definitions" | "$schema" | "$id" | "$ref")
            });
            let inner = kept.filter_map(|(name, it)| {
                let value = match it {
                    Value::String(kind) if name == "type" => Value::from(standard(kind)?),
                    other => inline(other, root, levels - 1, left),
                };
                Some((name.clone(), value))
            });
            Value::Object(inner.collect())
        }
        Value::Array(items) => items.iter().map(|it| inline(it, root, levels - 1, left)).collect(),
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_of_other_notations_get_their_standard_names() {
        let schema = json!({"type": "dict", "properties": {
            "type": {"type": "float"}, "tags": {"type": "tuple", "items": {"type": "String"}},
            "x": {"type": "any", "default": "dict"}}, "required": ["type"]});
        let standard = inlined(&schema, &schema);
        let expected = json!({"type": "object", "properties": {
            "type": {"type": "number"}, "tags": {"type": "array", "items": {"type": "string"}},
            "x": {"default": "dict"}}, "required": ["type"]});
        assert_eq!(standard, expected);
    }

    fn order() -> Value {
        json!({
            "type": "object",
            "properties": {
                "sku": {"type": "string", "enum": ["A-1", "B-2"]},
                "quantity": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
                "note": {"type": "string"},
                "day": {"type": "string", "format": "date"},
                "gift": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
                "boxes": {"type": "integer", "minimum": 1},
                "to": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
                "ref": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "required": ["sku"],
        })
    }

    fn check(arguments: Value, words: &str) {
        let read = read(&order(), arguments.as_object().unwrap());
        let found: Vec<String> = problems(&order(), &read).into_iter().map(|it| it.what).collect();
        match words {
            "" => assert_eq!(found, Vec::<String>::new(), "{arguments}"),
            _ => assert!(found.iter().any(|it| it.contains(words)), "{arguments}: {found:?}"),
        }
    }

    #[test]
    fn arguments_are_checked_and_problems_name_the_parameter() {
        check(json!({"sku": "A-1", "quantity": "3", "gift": "true", "day": "2026-5-1"}), "");
        check(json!({"sku": "A-1", "note": null, "ref": 3}), "");
        check(json!({}), "\"sku\" is missing");
        check(json!({"sku": "C-3"}), "one of \"A-1\", \"B-2\"");
        check(json!({"sku": "A-1", "quantity": 0}), "takes 1 to 9, got 0");
        check(json!({"sku": "A-1", "quantity": 1.5}), "takes integer");
        check(json!({"sku": "A-1", "colour": "red"}), "no parameter \"colour\"; known are sku");
        check(json!({"sku": "A-1", "boxes": 0}), "takes at least 1, got 0");
        check(json!({"sku": "A-1", "tags": ["a", "b", "c"]}), "takes at most 2 items");
        check(json!({"sku": "A-1", "tags": [{}]}), "\"tags[0]\" takes string");
        check(json!({"sku": "A-1", "to": {}}), "\"to.city\" is missing");
        check(json!({"sku": "A-1", "ref": "x"}), "anyOf");
    }

    #[test]
    fn values_are_the_same_by_their_type() {
        let differs = |a: Value, b: Value| {
            same_fields(&order(), a.as_object().unwrap(), b.as_object().unwrap()).map(str::to_owned)
        };
        let one = json!({"sku": "A-1", "note": "Ring twice!", "tags": ["new", "blue"]});
        assert_eq!(
            differs(
                one.clone(),
                json!({"sku": "A-1", "note": "ring twice", "tags": ["blue", "new"], "quantity": 1})
            ),
            None
        );
        assert_eq!(
            differs(one.clone(), json!({"sku": "A-1", "note": "ring once"})),
            Some("note".to_owned())
        );
        assert_eq!(differs(json!({"sku": "A-1"}), json!({"sku": "a-1"})), Some("sku".to_owned()));
        assert_eq!(
            differs(json!({"sku": "A-1"}), json!({"sku": "A-1", "quantity": 2})),
            Some("quantity".to_owned())
        );
    }

    #[test]
    fn references_are_replaced_and_recursion_ends() {
        let root = json!({"$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
                          "type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}});
        let flat = inlined(&root, &root);
        assert_eq!(flat["properties"]["a"]["type"], "object");
        assert!(!flat.to_string().contains("$ref") && flat.to_string().len() < 100_000);
        let wide = json!({"d": {"properties": {"a": {"$ref": "#/d"}, "b": {"$ref": "#/d"}, "c": {"$ref": "#/d"}}}});
        assert!(inlined(&wide["d"], &wide).to_string().len() < 200_000);
    }
}
