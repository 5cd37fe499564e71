use std::collections::HashSet;

use serde_json::json;

use super::*;

fn input() -> Value {
    json!({
        "type": "object",
        "properties": { "n": { "$ref": "#/$defs/count" }, "tag": { "type": "string" } },
        "required": ["n"],
        "additionalProperties": false,
        "$defs": { "count": { "type": "integer", "minimum": 1 } },
    })
}

fn result() -> Value {
    json!({
        "type": "object",
        "properties": { "url": { "$ref": "#/$defs/text" } },
        "required": ["url"],
        "$defs": { "text": { "type": "string", "minLength": 1 } },
    })
}

fn options(input: Value, result: Value) -> Value {
    json!({
        "id": "render video",
        "version": "1.2.0",
        "title": "Render",
        "description": "Renders a video",
        "inputSchema": input,
        "resultSchema": result,
    })
}

fn with(changed: &str, value: Value) -> Value {
    let mut options = options(input(), result());
    options[changed] = value;
    options
}

fn described(options: &Value) -> Value {
    serde_json::from_str(&descriptor(&options.to_string()).unwrap()).unwrap()
}

fn refusal(options: &Value) -> (Reason, String) {
    let refused = descriptor(&options.to_string()).unwrap_err();
    (refused.reason, refused.path.unwrap_or_default())
}

fn judge(descriptor: &Value) -> impl Fn(&Value) -> bool + use<> {
    let schema = Schema::compile(&descriptor.to_string()).unwrap();
    move |call| schema.judge(&call.to_string()).is_ok()
}

fn started(input: &Value) -> Value {
    json!({ "op": "start", "operationId": "a", "input": input })
}

#[test]
fn it_names_what_it_describes_and_holds_both_schemas() {
    let descriptor = described(&options(input(), result()));
    assert_eq!(descriptor["$schema"], DIALECT);
    assert_eq!(
        (&descriptor["title"], &descriptor["description"]),
        (&json!("Render"), &json!("Renders a video"))
    );
    assert_eq!(descriptor["$id"], "urn:tenure:operation:render_20video:1.2.0");
    for (name, schema) in [("input", input()), ("result", result())] {
        let mut embedded = descriptor["$defs"][name].clone();
        assert!(embedded.as_object_mut().unwrap().remove("$id").unwrap().is_string());
        assert_eq!(embedded, schema);
    }
}

#[test]
fn no_two_operations_share_a_name() {
    let parts = [
        "a", "a:b", "a_b", "a_3ab", "a%b", "a~b", "é", "e\u{301}", "A", "1.2", "..", "/", " ", "😀",
    ];
    let mut seen = HashSet::new();
    for id in parts {
        for version in parts {
            let mut options = options(json!(true), json!(true));
            options["id"] = json!(id);
            options["version"] = json!(version);
            let name = described(&options)["$id"].as_str().unwrap().to_owned();
            let (start, rest) = name.split_at("urn:tenure:operation:".len());
            assert_eq!(start, "urn:tenure:operation:");
            assert!(
                rest.bytes().all(|byte| (0x21..=0x7d).contains(&byte) && byte != b'%'),
                "{name}"
            );
            assert!(seen.insert(name), "{id} {version}");
        }
    }
}

#[test]
fn it_admits_exactly_the_calls_of_the_contract() {
    let plan = "d".repeat(64);
    let longest = "😀".repeat(128);
    let n = json!({ "n": 1 });
    let calls = [
        (json!({ "op": "start", "operationId": "a", "input": n }), true),
        (
            json!({ "op": "start", "operationId": "a", "input": { "n": 1, "planDigest": plan } }),
            true,
        ),
        (json!({ "op": "start", "operationId": "a", "input": n, "offset": null }), true),
        (json!({ "op": "start", "operationId": "a", "input": { "n": 0 } }), false),
        (json!({ "op": "start", "operationId": "a", "input": { "n": 1, "more": 2 } }), false),
        (json!({ "op": "start", "operationId": "a", "input": {} }), false),
        (json!({ "op": "start", "operationId": "a" }), false),
        (json!({ "op": "start", "input": n }), false),
        (json!({ "op": "start", "operationId": "a", "input": n, "offset": 0 }), false),
        (json!({ "op": "start", "operationId": "", "input": n }), false),
        (json!({ "op": "start", "operationId": "a", "input": [] }), false),
        (json!({ "op": "start", "operationId": "a", "input": "x" }), false),
        (json!({ "op": "start", "operationId": "a", "input": null }), false),
        (json!({ "op": "start", "operationId": "a", "input": n, "extra": 1 }), false),
        (json!({ "op": "status", "operationId": "a" }), true),
        (json!({ "op": "status", "operationId": longest }), true),
        (json!({ "op": "status", "operationId": "a", "input": null, "offset": null }), true),
        (json!({ "op": "status" }), false),
        (json!({ "op": "status", "operationId": 5 }), false),
        (json!({ "op": "status", "operationId": format!("{longest}x") }), false),
        (json!({ "op": "status", "operationId": "a\u{7}" }), false),
        (json!({ "op": "status", "operationId": "a", "offset": 1 }), false),
        (json!({ "op": "status", "operationId": "a", "input": {} }), false),
        (json!({ "op": "status", "operationId": null }), false),
        (json!({ "op": "list" }), true),
        (json!({ "op": "list", "offset": 0 }), true),
        (json!({ "op": "list", "offset": 7 }), true),
        (json!({ "op": "list", "offset": null }), true),
        (json!({ "op": "list", "offset": -1 }), false),
        (json!({ "op": "list", "offset": 1.5 }), false),
        (json!({ "op": "list", "offset": "1" }), false),
        (json!({ "op": "list", "operationId": "a" }), false),
        (json!({ "op": "list", "input": {} }), false),
        (json!({ "op": "log", "operationId": "a" }), true),
        (json!({ "op": "log", "operationId": "a", "offset": 3 }), true),
        (json!({ "op": "log", "offset": 3 }), false),
        (json!({ "op": "log", "operationId": "a", "input": {} }), false),
        (json!({ "op": "cancel", "operationId": "a" }), true),
        (json!({ "op": "cancel" }), false),
        (json!({ "op": "cancel", "operationId": "a", "offset": 0 }), false),
        (json!({ "op": "plan", "input": { "n": 2, "tag": "x" } }), true),
        (json!({ "op": "plan", "input": { "tag": "x" } }), false),
        (json!({ "op": "plan" }), false),
        (json!({ "op": "plan", "input": n, "operationId": "a" }), false),
        (json!({ "op": "drop" }), false),
        (json!({}), false),
        (json!({ "op": null }), false),
        (json!({ "operationId": "a" }), false),
        (json!({ "op": "toString" }), false),
        (json!(null), false),
        (json!("list"), false),
        (json!([]), false),
    ];
    let admits = judge(&described(&options(input(), result())));
    for (call, admitted) in calls {
        assert_eq!(admits(&call), admitted, "{call}");
    }
}

#[test]
fn it_leaves_no_doubt_at_the_edges_of_a_call() {
    let admits = judge(&described(&options(input(), result())));
    let plan = json!({ "n": 1, "planDigest": null });
    for (call, admitted) in [
        (json!({ "op": "plan", "input": plan }), true),
        (json!({ "op": "plan", "input": { "planDigest": "x" } }), false),
        (
            json!({ "op": "start", "operationId": "a", "input": { "n": 1, "planDigest": 5, "more": 1 } }),
            false,
        ),
        (json!({ "op": "list", "operationId": null, "input": null }), true),
        (json!({ "op": "list", "extra": null }), false),
        (json!({ "op": "list", "offset": 9_007_199_254_740_991_u64 }), true),
        (json!({ "op": "list", "offset": 9_007_199_254_740_992_u64 }), false),
        (json!({ "op": "log", "operationId": "a", "offset": null }), true),
        (json!({ "op": ["list"] }), false),
    ] {
        assert_eq!(admits(&call), admitted, "{call}");
    }
}

#[test]
fn an_operation_id_is_an_identifier() {
    let admits = judge(&described(&options(json!(true), json!(true))));
    for code in (0..=0x200).chain([0x2028, 0xd7ff, 0xe000, 0xfeff, 0xffff, 0x1_0000, 0x10_ffff]) {
        let id = format!("a{}\n", char::from_u32(code).unwrap());
        for id in [&id[..id.len() - 1], &id] {
            let call = json!({ "op": "status", "operationId": id });
            assert_eq!(admits(&call), is_identifier(id), "U+{code:04X}");
        }
    }
}

#[test]
fn booleans_are_embedded_as_objects() {
    let open = described(&options(json!(true), json!(false)));
    assert!(judge(&open)(&started(&json!({ "planDigest": 1, "x": 1 }))));
    assert!(!judge(&open)(&started(&json!([]))));
    assert_eq!(open["$defs"]["result"]["not"], json!({}));
    let shut = described(&options(json!(false), json!(true)));
    assert!(
        !judge(&shut)(&started(&json!({}))) && !judge(&shut)(&started(&json!({ "planDigest": 1 })))
    );
    assert!(judge(&shut)(&json!({ "op": "list" })));
    for descriptor in [open, shut] {
        for schema in ["input", "result"] {
            assert!(descriptor["$defs"][schema]["$id"].is_string());
        }
    }
}

#[test]
fn a_resource_is_never_a_reference_alone() {
    let only = json!({ "$ref": "#/$defs/only", "$defs": { "only": { "maxProperties": 2 } } });
    let descriptor = described(&options(only.clone(), only));
    for name in ["input", "result"] {
        assert_eq!(descriptor["$defs"][name]["allOf"], json!([true]));
    }
}

#[test]
fn a_schema_keeps_the_name_that_it_has() {
    let mut named = input();
    named["$id"] = json!("https://example.org/input#");
    let descriptor = described(&options(named.clone(), result()));
    assert_eq!(descriptor["$defs"]["input"], named);
    let admits = judge(&descriptor);
    assert!(admits(&started(&json!({ "n": 1, "planDigest": "x" }))));
    assert!(!admits(&started(&json!({ "n": 0, "planDigest": "x" }))));

    let relative = json!({
        "$id": "input",
        "properties": { "n": { "$ref": "input#/$defs/n" }, "m": { "$ref": "part" } },
        "additionalProperties": false,
        "$defs": { "n": { "type": "integer" }, "part": { "$id": "part", "type": "null" } },
    });
    let descriptor = described(&options(relative, result()));
    assert!(descriptor["$defs"]["input"]["$id"].as_str().unwrap().starts_with("tenure://"));
    let admits = judge(&descriptor);
    assert!(admits(&started(&json!({ "n": 1, "m": null, "planDigest": "x" }))));
    assert!(!admits(&started(&json!({ "n": "1" }))) && !admits(&started(&json!({ "m": 1 }))));
}

#[test]
fn a_resource_of_both_schemas_stands_in_the_descriptor_once() {
    let address = json!({ "$id": "https://example.org/address", "type": "string" });
    let of = |more: Value| {
        let mut schema = json!({
            "properties": { "at": { "$ref": "https://example.org/address" } },
            "$defs": { "address": address },
        });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let descriptor = described(&options(of(json!({})), of(json!({ "title": "result" }))));
    assert_eq!(descriptor.to_string().matches(r#""$id":"https://example.org/address""#).count(), 1);

    let whole = of(json!({ "$id": "https://example.org/whole" }));
    let descriptor = described(&options(whole.clone(), whole.clone()));
    assert_eq!(descriptor["$defs"]["result"]["$ref"], "https://example.org/whole");

    let other = of(json!({ "$id": "https://example.org/whole", "title": "other" }));
    let refused = refusal(&options(whole.clone(), other));
    assert_eq!(refused, (Reason::SchemaInvalid, "/resultSchema/$id".to_owned()));

    let mut through = of(json!({}));
    through["properties"]["in"] = json!({ "$ref": "#/$defs/address/anyOf/0" });
    let mut address = address.clone();
    address["anyOf"] = json!([true]);
    through["$defs"]["address"] = address;
    let refused = refusal(&options(through.clone(), through));
    assert_eq!(refused, (Reason::SchemaInvalid, "/resultSchema/properties/in/$ref".to_owned()));

    let taken = json!({ "items": { "$id": "urn:tenure:operation:render_20video:1.2.0" } });
    let refused = refusal(&options(taken, result()));
    assert_eq!(refused, (Reason::SchemaInvalid, "/inputSchema/items/$id".to_owned()));
}

#[test]
fn what_it_is_made_of_is_judged() {
    for (option, value, path) in [
        ("inputSchema", json!({ "type": "objekt" }), "/inputSchema/type"),
        ("resultSchema", json!({ "properties": [] }), "/resultSchema/properties"),
        (
            "inputSchema",
            json!({ "$schema": "http://json-schema.org/draft-07/schema#" }),
            "/inputSchema/$schema",
        ),
        ("resultSchema", json!({ "$ref": "#/$defs/none" }), "/resultSchema/$ref"),
        ("inputSchema", json!(5), "/inputSchema"),
        ("resultSchema", json!(null), "/resultSchema"),
    ] {
        assert_eq!(refusal(&with(option, value)), (Reason::SchemaInvalid, path.to_owned()));
    }
    for (option, value) in [("id", ""), ("id", "a\nb"), ("version", "")] {
        assert_eq!(refusal(&with(option, json!(value))).0, Reason::InvalidArgValue);
    }
    for malformed in ["", "{}", r#"{"id":"\ud800"}"#] {
        assert_eq!(descriptor(malformed).unwrap_err().reason, Reason::InvalidArgValue);
    }
}

#[test]
fn a_schema_may_be_as_deep_as_any_value() {
    let deep = |levels: usize| {
        let schema = format!("{}true{}", r#"{"not":"#.repeat(levels), "}".repeat(levels));
        let options = with("inputSchema", json!("DEEP")).to_string().replace(r#""DEEP""#, &schema);
        descriptor(&options)
    };
    assert!(deep(128).is_ok());
    assert_eq!(deep(129).unwrap_err().path.as_deref(), Some("/inputSchema"));
}
