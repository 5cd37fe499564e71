use serde_json::json;

use super::*;

fn schema(schema: &Value) -> Schema {
    Schema::compile(&schema.to_string()).unwrap()
}

fn refusal(schema: &Value) -> String {
    let refused = Schema::compile(&schema.to_string()).unwrap_err();
    assert_eq!(refused.reason, Reason::SchemaInvalid, "{schema}");
    refused.path.unwrap()
}

fn violation(by: Value, value: &Value) -> Violation {
    schema(&by).judge(&value.to_string()).unwrap_err()
}

#[test]
fn a_schema_is_of_2020_12_or_silent_about_it() {
    for good in [json!({ "$schema": DIALECT }), json!({ "$schema": format!("{DIALECT}#") })] {
        schema(&good);
    }
    let nested = json!({ "$defs": { "a": { "$schema": DIALECT, "$id": "https://e.org/a" } } });
    schema(&nested);
    for other in [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/schema",
        "https://example.org/mine",
        "",
    ] {
        assert_eq!(refusal(&json!({ "$schema": other })), "/$schema");
        let nested = json!({ "$defs": { "a": { "$schema": other, "$id": "https://e.org/a" } } });
        assert_eq!(refusal(&nested), "/$defs/a/$schema");
    }
    assert_eq!(refusal(&json!({ "$schema": 5 })), "/$schema");
    schema(&json!({
        "properties": { "$schema": { "type": "string" } },
        "const": { "$schema": 5 },
        "x-made-from": { "$schema": "http://json-schema.org/draft-07/schema#" },
    }));
}

#[test]
fn what_is_no_schema_is_refused_with_its_place() {
    for (bad, path) in [
        (json!({ "type": "objekt" }), "/type"),
        (json!({ "type": 5 }), "/type"),
        (json!({ "properties": [] }), "/properties"),
        (json!({ "required": "n" }), "/required"),
        (json!({ "minimum": "x" }), "/minimum"),
        (
            json!({ "properties": { "a/b": { "items": { "type": "x" } } } }),
            "/properties/a~1b/items/type",
        ),
        (json!({ "properties": { "a": { "pattern": "(" } } }), "/properties/a/pattern"),
        (json!({ "$id": "https://e.org/a#b" }), "/$id"),
        (json!({ "$id": " a b" }), "/$id"),
        (json!({ "$defs": { "a": { "$id": "http://[" } } }), "/$defs/a/$id"),
        (json!([]), ""),
        (json!(5), ""),
        (json!(null), ""),
    ] {
        assert_eq!(refusal(&bad), path, "{bad}");
    }
    assert_eq!(Schema::compile("{").unwrap_err().path.as_deref(), Some(""));
    let deep = format!("{}{}{}", r#"{"not":"#.repeat(128), "{}", "}".repeat(128));
    assert_eq!(Schema::compile(&deep).unwrap_err().reason, Reason::SchemaInvalid);
}

#[test]
fn a_reference_leads_somewhere_inside_or_is_refused() {
    for (bad, path) in [
        (json!({ "properties": { "a": { "$ref": "#/$defs/x" } } }), "/properties/a/$ref"),
        (json!({ "$ref": "#nope" }), "/$ref"),
        (json!({ "$dynamicRef": "#nope" }), "/$dynamicRef"),
        (json!({ "items": { "$ref": "https://example.org/x" } }), "/items/$ref"),
        (json!({ "items": { "$ref": "file:///etc/passwd" } }), "/items/$ref"),
        (json!({ "$defs": { "unused": { "$ref": "other.json" } } }), "/$defs/unused/$ref"),
        (json!({ "$defs": { "unused": { "$ref": "#/$defs/none" } } }), "/$defs/unused/$ref"),
        (json!({ "$ref": "http://json-schema.org/draft-07/schema#" }), "/$ref"),
        (json!({ "$id": "https://e.org/a", "$ref": "b" }), "/$ref"),
    ] {
        assert_eq!(refusal(&bad), path, "{bad}");
    }
    for good in [
        json!({ "$ref": "#" }),
        json!({ "$ref": DIALECT }),
        json!({ "$ref": "#/%24defs/a%20b", "$defs": { "a b": true } }),
        json!({ "$ref": "#/$defs/a~1b~0", "$defs": { "a/b~": {} } }),
        json!({ "$ref": "#here", "$defs": { "a": { "$anchor": "here" } } }),
        json!({ "$dynamicRef": "#node", "$dynamicAnchor": "node" }),
        json!({ "$ref": "#/components/a", "components": { "a": { "type": "object" } } }),
        json!({ "$id": "https://e.org/a/", "$ref": "b", "$defs": { "b": { "$id": "b" } } }),
        json!({ "$ref": "rel#q", "$defs": { "x": { "$id": "rel", "items": { "$anchor": "q" } } } }),
    ] {
        schema(&good);
    }
}

#[test]
fn booleans_are_schemas() {
    for value in ["{}", "null", "[1]"] {
        assert_eq!(schema(&json!(true)).judge(value), Ok(()));
        assert_eq!(schema(&json!({})).judge(value), Ok(()));
        assert_eq!(schema(&json!(false)).judge(value).unwrap_err().path, "");
    }
}

#[test]
fn a_violation_names_the_place() {
    let by = json!({
        "type": "object",
        "properties": { "n": { "$ref": "#/$defs/count" }, "tag": { "type": "string" }, "a/b~": { "items": { "maxLength": 2 } } },
        "required": ["n"],
        "additionalProperties": false,
        "$defs": { "count": { "type": "integer", "minimum": 1 } },
    });
    for (value, path) in [
        (json!({ "n": 0 }), "/n"),
        (json!({ "n": 1, "tag": 5 }), "/tag"),
        (json!({}), ""),
        (json!({ "n": 1, "mo/re": 1 }), "/mo~1re"),
        (json!({ "n": 1, "a/b~": ["x", "xxx", "xxxx"] }), "/a~1b~0/1"),
        (json!([]), ""),
    ] {
        assert_eq!(violation(by.clone(), &value).path, path, "{value}");
    }
    let inner = json!({ "properties": { "a": { "required": ["z"] } } });
    assert_eq!(violation(inner, &json!({ "a": {} })).path, "/a");
    let open = json!({ "unevaluatedProperties": false, "properties": { "q": true } });
    assert_eq!(violation(open, &json!({ "q": 1, "z": 1, "b": 1 })).path, "/b");
}

#[test]
fn of_many_violations_always_the_same_one_is_told() {
    let names: Vec<_> = (0..60).map(|n| format!("m{n}")).collect();
    let members =
        |value: Value| names.iter().map(|name| (name.clone(), value.clone())).collect::<Value>();
    let by = json!({ "properties": members(json!({ "type": "integer" })), "minProperties": 99 });
    let first = violation(by.clone(), &members(json!("x")));
    for _ in 0..20 {
        assert_eq!(violation(by.clone(), &members(json!("x"))), first);
    }
}

#[test]
fn the_words_of_a_violation_tell_nothing_of_the_value() {
    let secret = "hunter2";
    for (by, value) in [
        (json!({ "type": "integer" }), json!(secret)),
        (json!({ "type": ["integer", "null"] }), json!(secret)),
        (json!({ "const": 1 }), json!(secret)),
        (json!({ "enum": [1, 2] }), json!(secret)),
        (json!({ "pattern": "^x" }), json!(secret)),
        (json!({ "maxLength": 3 }), json!(secret)),
        (json!({ "minLength": 30 }), json!(secret)),
        (json!({ "not": { "type": "string" } }), json!(secret)),
        (json!({ "anyOf": [{ "type": "null" }, { "type": "array" }] }), json!(secret)),
        (json!({ "oneOf": [{ "minLength": 1 }, { "maxLength": 99 }] }), json!(secret)),
        (json!({ "oneOf": [{ "type": "null" }] }), json!(secret)),
        (json!({ "additionalProperties": false }), json!({ secret: secret })),
        (
            json!({ "additionalProperties": false, "properties": { "a": true } }),
            json!({ secret: 1 }),
        ),
        (json!({ "unevaluatedProperties": false }), json!({ secret: secret })),
        (json!({ "propertyNames": { "maxLength": 1 } }), json!({ secret: secret })),
        (json!({ "propertyNames": false }), json!({ secret: secret })),
        (json!({ "items": { "type": "null" } }), json!([secret])),
        (json!({ "unevaluatedItems": false }), json!([secret])),
        (json!({ "contains": { "type": "null" } }), json!([secret])),
        (json!({ "uniqueItems": true }), json!([secret, secret])),
        (json!({ "dependentRequired": { secret: ["b"] } }), json!({ secret: secret })),
        (json!({ "maximum": 3 }), json!(420_042)),
        (json!({ "multipleOf": 4 }), json!(420_042)),
        (json!(false), json!(secret)),
    ] {
        let message = violation(by.clone(), &value).message;
        assert!(!message.contains(secret) && !message.contains("420042"), "{by}: {message}");
        assert!(message.len() < 80, "{message}");
    }
    let unread = schema(&json!({})).judge(r#"{"hunter2": }"#).unwrap_err();
    assert_eq!((&*unread.path, &*unread.message), ("", "is no JSON text"));
}

#[test]
fn format_and_content_are_annotations() {
    for by in [json!({ "format": "email" }), json!({ "contentEncoding": "base64" })] {
        assert_eq!(schema(&by).judge(r#""%%""#), Ok(()));
    }
}

#[test]
fn integers_past_the_safe_ones_are_the_doubles_that_they_stand_for() {
    // JSON.stringify(2 ** 63) is this text; the integer of these digits is no multiple of 4096.
    assert_eq!(schema(&json!({ "multipleOf": 4096 })).judge("9223372036854776000"), Ok(()));
    let safe = schema(&json!({ "type": "integer", "maximum": 9_007_199_254_740_991_u64 }));
    assert_eq!(safe.judge("9007199254740991"), Ok(()));
    for far in ["9007199254740992", "1e21", "1.7976931348623157e308"] {
        assert_eq!(safe.judge(far).unwrap_err().path, "", "{far}");
    }
    assert_eq!(schema(&json!({ "const": 1 })).judge("1.0"), Ok(()));
}

#[test]
fn a_schema_that_refers_to_itself_comes_to_an_end() {
    for by in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
    ] {
        assert_eq!(schema(&by).judge("{}"), Ok(()), "{by}");
    }
    let tree = schema(&json!({ "type": "object", "additionalProperties": { "$ref": "#" } }));
    let deep = |leaf: &str| format!("{}{leaf}{}", r#"{"n":"#.repeat(127), "}".repeat(127));
    assert_eq!(tree.judge(&deep("{}")), Ok(()));
    assert_eq!(tree.judge(&deep("5")).unwrap_err().path, "/n".repeat(127));
    assert_eq!(tree.judge(&deep(r#"{"n":{}}"#)).unwrap_err().path, "");
}

#[test]
fn clones_are_judges_in_any_thread() {
    let one = schema(&json!({ "minimum": 1 }));
    let other = one.clone();
    let there = std::thread::spawn(move || other.judge("0").is_err());
    assert!(there.join().unwrap() && one.judge("1").is_ok());
}
