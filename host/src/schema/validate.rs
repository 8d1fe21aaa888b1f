//! The part of JSON Schema (draft 7) that `device-file.json` needs. An unknown keyword is a panic, so
//! that none is ignored.
//!
//! No crate: those that validate bring dozens of others, and only tests need this.

use regex::Regex;
use serde_json::{Map, Value};

/// Whether `value` is what `schema`, a part of `root`, describes.
pub(super) fn is_valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let schema = match schema {
        Value::Bool(allowed) => return *allowed,
        Value::Object(schema) => schema,
        _ => panic!("no schema: {schema}"),
    };
    schema.iter().all(|(keyword, wanted)| holds(root, schema, keyword, wanted, value))
}

fn holds(
    root: &Value,
    schema: &Map<String, Value>,
    keyword: &str,
    wanted: &Value,
    value: &Value,
) -> bool {
    let is_valid = |schema: &Value, value: &Value| is_valid(root, schema, value);
    let list = || wanted.as_array().expect("a list").iter();
    let number = || wanted.as_u64().expect("a number");
    match keyword {
        "$schema" | "title" | "description" | "definitions" => true,
        "$ref" => {
            let place = wanted.as_str().and_then(|text| text.strip_prefix('#')).expect("a place");
            is_valid(root.pointer(place).unwrap_or_else(|| panic!("no {place}")), value)
        }
        "type" => match wanted.as_str().expect("a type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("no type: {other}"),
        },
        "enum" => list().any(|known| known == value),
        "const" => wanted == value,
        "not" => !is_valid(wanted, value),
        "allOf" => list().all(|schema| is_valid(schema, value)),
        "anyOf" => list().any(|schema| is_valid(schema, value)),
        "oneOf" => list().filter(|schema| is_valid(schema, value)).count() == 1,
        _ => match value {
            Value::Number(is) => match keyword {
                "minimum" => is.as_f64() >= wanted.as_f64(),
                "maximum" => is.as_f64() <= wanted.as_f64(),
                _ => is_keyword(keyword),
            },
            Value::String(text) => match keyword {
                "pattern" => {
                    let pattern = wanted.as_str().expect("a pattern");
                    Regex::new(pattern).expect("a pattern").is_match(text)
                }
                "minLength" => text.chars().count() as u64 >= number(),
                _ => is_keyword(keyword),
            },
            Value::Array(items) => match keyword {
                "items" => items.iter().all(|item| is_valid(wanted, item)),
                "minItems" => items.len() as u64 >= number(),
                "maxItems" => items.len() as u64 <= number(),
                _ => is_keyword(keyword),
            },
            Value::Object(fields) => match keyword {
                "properties" => fields
                    .iter()
                    .all(|(key, value)| wanted.get(key).is_none_or(|s| is_valid(s, value))),
                "additionalProperties" => {
                    let known = schema.get("properties");
                    let is_known = |key: &str| known.is_some_and(|known| known.get(key).is_some());
                    fields.iter().all(|(key, value)| is_known(key) || is_valid(wanted, value))
                }
                "propertyNames" => fields.keys().all(|key| is_valid(wanted, &key.as_str().into())),
                "required" => list().all(|key| fields.contains_key(key.as_str().expect("a key"))),
                "minProperties" => fields.len() as u64 >= number(),
                "dependencies" => {
                    let wanted = wanted.as_object().expect("an object");
                    wanted.iter().all(|(key, s)| !fields.contains_key(key) || is_valid(s, value))
                }
                _ => is_keyword(keyword),
            },
            _ => is_keyword(keyword),
        },
    }
}

/// A keyword that says nothing about a value of this type.
fn is_keyword(keyword: &str) -> bool {
    const KNOWN: [&str; 13] = [
        "minimum",
        "maximum",
        "pattern",
        "minLength",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "additionalProperties",
        "propertyNames",
        "required",
        "minProperties",
        "dependencies",
    ];
    assert!(KNOWN.contains(&keyword), "no keyword: {keyword}");
    true
}

#[test]
fn each_keyword_counts() {
    let cases = [
        (r#"{"type":"object"}"#, "{}", "[]"),
        (r#"{"type":"array","minItems":1,"items":{"type":"boolean"}}"#, "[true]", "[1]"),
        (r#"{"minItems":1}"#, "[0]", "[]"),
        (r#"{"type":"string","pattern":"^a$"}"#, r#""a""#, r#""b""#),
        (r#"{"minLength":1}"#, r#""a""#, r#""""#),
        (r#"{"type":"integer","minimum":1,"maximum":2}"#, "2", "3"),
        (r#"{"type":"integer"}"#, "2", "2.5"),
        (r#"{"type":"number"}"#, "2.5", r#""2""#),
        (r#"{"minimum":1}"#, "1", "-1"),
        (r#"{"enum":[1,2]}"#, "1", "3"),
        (r#"{"const":"a"}"#, r#""a""#, "1"),
        (r#"{"not":{"type":"string"}}"#, "1", r#""a""#),
        (r#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, "1", "0"),
        (r#"{"anyOf":[{"minimum":5},{"maximum":2}]}"#, "1", "3"),
        (r#"{"oneOf":[{"minimum":1},{"maximum":2}]}"#, "3", "2"),
        (r##"{"$ref":"#/definitions/a","definitions":{"a":{"minimum":1}}}"##, "1", "0"),
        (r#"{"required":["a"]}"#, r#"{"a":1}"#, r#"{"b":1}"#),
        (r#"{"properties":{"a":{"minimum":1}}}"#, r#"{"a":1,"b":0}"#, r#"{"a":0}"#),
        (r#"{"properties":{"a":true},"additionalProperties":false}"#, r#"{"a":1}"#, r#"{"b":1}"#),
        (r#"{"additionalProperties":{"minimum":1}}"#, r#"{"a":1}"#, r#"{"a":0}"#),
        (r#"{"propertyNames":{"pattern":"^a"}}"#, r#"{"a":1}"#, r#"{"b":1}"#),
        (r#"{"minProperties":1}"#, r#"{"a":1}"#, "{}"),
        (r#"{"dependencies":{"a":{"required":["b"]}}}"#, r#"{"a":1,"b":1}"#, r#"{"a":1}"#),
    ];
    for (schema, right, wrong) in cases {
        let [schema, right, wrong] =
            [schema, right, wrong].map(|text| serde_json::from_str(text).expect("JSON"));
        assert!(is_valid(&schema, &schema, &right), "{schema}: {right}");
        assert!(!is_valid(&schema, &schema, &wrong), "{schema}: {wrong}");
    }
}
