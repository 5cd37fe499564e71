use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::operations::schema::{Schema, embed};

const BASE: &str = "urn:tenure:test";

/// Judges inputs that carry a `planDigest`, as the descriptor does.
fn judge_of(schema: &Value) -> (Schema, bool) {
    let base = jsonschema::uri::from_str("tenure://test/input").unwrap();
    let input = embed::named(schema.clone(), &base);
    let planned = planned(&Document::new(&input, &base));
    let differs = planned.is_some();
    let planned = planned.unwrap_or_else(|| json!({ "$ref": "#/$defs/input" }));
    let whole = json!({
        "$id": BASE,
        "$defs": { "input": input, "plannedInput": planned },
        "$ref": PLANNED,
    });
    (Schema::compile(&whole.to_string()).unwrap(), differs)
}

fn less(input: &Value) -> Value {
    let mut input = input.clone();
    input.as_object_mut().unwrap().remove(PLAN_DIGEST);
    input
}

fn agree(schema: &Value, inputs: &[Value]) {
    let (judge, _) = judge_of(schema);
    let original = Schema::compile(&schema.to_string()).unwrap();
    for input in inputs {
        let wanted = original.judge(&less(input).to_string()).is_ok();
        assert_eq!(judge.judge(&input.to_string()).is_ok(), wanted, "{schema} of {input}");
    }
}

#[test]
fn a_schema_that_takes_no_notice_is_not_copied() {
    for schema in [
        json!(true),
        json!({ "type": "object", "properties": { "n": { "additionalProperties": false } }, "required": ["n"] }),
        json!({ "additionalProperties": true, "patternProperties": { "^x-": {} } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "required": ["a"] }] } } }),
    ] {
        assert!(!judge_of(&schema).1, "{schema}");
    }
    assert!(judge_of(&json!({ "additionalProperties": false })).1);
}

#[test]
fn whatever_could_notice_the_plan_overlooks_it() {
    let plan = json!("d".repeat(64));
    let inputs = [
        json!({ "planDigest": plan }),
        json!({ "planDigest": 5, "a": 1 }),
        json!({ "planDigest": null, "a": { "planDigest": 1 } }),
        json!({ "planDigest": plan, "a": 1, "b": 2 }),
        json!({ "planDigest": plan, "planDigests": "x" }),
        json!({ "planDigest": plan, "a": "x", "b": { "a": { "b": {} } } }),
    ];
    let count = json!({ "type": "integer" });
    for schema in [
        json!(false),
        json!({ "properties": { "planDigest": false } }),
        json!({ "properties": { "a": count }, "additionalProperties": false }),
        json!({ "properties": { "a": true }, "additionalProperties": count }),
        json!({ "allOf": [{ "properties": { "a": true } }], "unevaluatedProperties": false }),
        json!({ "patternProperties": { "^[a-z]+$": count }, "additionalProperties": true }),
        json!({ "patternProperties": { "Digest|a": count, "p": { "type": "null" } } }),
        json!({ "propertyNames": { "maxLength": 1 } }),
        json!({ "propertyNames": { "enum": ["a", "b"] } }),
        json!({ "minProperties": 1 }),
        json!({ "maxProperties": 1.0 }),
        json!({ "required": ["planDigest"] }),
        json!({ "not": { "required": ["planDigest"] } }),
        json!({ "const": { "a": 1 } }),
        json!({ "enum": [{}, 5, { "a": 1, "planDigest": 5 }, { "a": 1, "b": 2 }] }),
        json!({ "if": { "required": ["planDigest"] }, "then": false, "else": { "required": ["a"] } }),
        json!({ "dependentRequired": { "planDigest": ["b"], "a": ["b"] } }),
        json!({ "dependentRequired": { "a": ["planDigest"] } }),
        json!({ "dependentSchemas": { "planDigest": false, "a": { "maxProperties": 1 } } }),
        json!({ "dependencies": { "planDigest": ["b"], "a": ["planDigest"], "b": { "required": ["planDigest"] } } }),
        json!({ "oneOf": [{ "maxProperties": 1 }, { "required": ["b"] }] }),
        json!({ "additionalProperties": { "anyOf": [count, { "$ref": "#" }] } }),
        json!({ "properties": { "a": { "$ref": "#" } }, "additionalProperties": false }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "maxProperties": 2, "$ref": "#/$defs/b" }, "b": { "allOf": [{ "$ref": "#/$defs/c" }] }, "c": false } }),
        json!({ "$ref": "#node", "$defs": { "a": { "$anchor": "node", "maxProperties": 2 } } }),
        json!({ "$dynamicRef": "#node", "$defs": { "a": { "$dynamicAnchor": "node", "maxProperties": 2 } } }),
        json!({ "$ref": "#/components/a", "components": { "a": { "additionalProperties": { "$ref": "#/components/n" } }, "n": count } }),
        json!({ "$ref": "https://e.org/a", "$defs": { "a": { "$id": "https://e.org/a", "properties": { "a": { "$ref": "#/$defs/n" } }, "additionalProperties": false, "$defs": { "n": count } } } }),
        json!({ "$id": "https://e.org/x/", "$ref": "a", "$defs": { "a": { "$id": "a", "properties": { "a": { "$ref": "#/$defs/n" } }, "additionalProperties": false, "$defs": { "n": count } } } }),
        json!({ "$id": "x", "properties": { "a": { "$ref": "#/$defs/a b~1%" } }, "additionalProperties": false, "$defs": { "a b/%": count } }),
    ] {
        // Strings with a percent sign of their own are no URI references.
        let schema =
            serde_json::from_str(&schema.to_string().replace("a b~1%", "a%20b~1%25")).unwrap();
        agree(&schema, &inputs);
    }
}

#[test]
fn a_part_with_no_one_meaning_sees_the_plan() {
    let schema = json!({
        "properties": { "a": true },
        "additionalProperties": false,
        "allOf": [{ "$dynamicRef": "#node" }],
        "$defs": {
            "few": { "$dynamicAnchor": "node", "maxProperties": 1 },
            "other": { "$id": "https://e.org/other", "$dynamicAnchor": "node" },
        },
    });
    let (judge, differs) = judge_of(&schema);
    assert!(differs);
    assert!(judge.judge(r#"{"planDigest":1}"#).is_ok());
    assert!(judge.judge(r#"{"planDigest":1,"a":1}"#).is_err());
}

fn names() -> impl Strategy<Value = String> {
    select(vec!["a", "b", "c", PLAN_DIGEST]).prop_map(str::to_owned)
}

fn data() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!(1)), Just(json!("x")), Just(json!({}))];
    leaf.prop_recursive(2, 8, 3, |inner| {
        btree_map(names(), inner, 0..3).prop_map(|members| members.into_iter().collect())
    })
}

fn objects() -> impl Strategy<Value = Value> {
    btree_map(names(), data(), 0..4).prop_map(|members| members.into_iter().collect())
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        select(vec!["integer", "string", "object"]).prop_map(|kind| json!({ "type": kind })),
        objects().prop_map(|value| json!({ "const": value })),
        vec(objects(), 1..3).prop_map(|values| json!({ "enum": values })),
        names().prop_map(|name| json!({ "required": [name] })),
        (0..3_u8).prop_map(|most| json!({ "maxProperties": most })),
        (0..3_u8).prop_map(|least| json!({ "minProperties": least })),
        (names(), names()).prop_map(|(a, b)| json!({ "dependentRequired": { a: [b] } })),
        (names(), names()).prop_map(|(a, b)| json!({ "dependencies": { a: [b] } })),
        Just(json!({ "propertyNames": { "maxLength": 1 } })),
        Just(json!({ "$ref": "#/$defs/d" })),
        Just(json!({ "properties": { "a": { "$ref": "#" } } })),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let patterns = select(vec!["^p", "a", "Digest$", "^(?:a|b)$", ".", "b|D", "^(?!a)"]);
        let one = prop_oneof![
            btree_map(names(), inner.clone(), 1..3).prop_map(|of| json!({ "properties": of })),
            (patterns, inner.clone()).prop_map(|(p, of)| json!({ "patternProperties": { p: of } })),
            (names(), inner.clone()).prop_map(|(n, of)| json!({ "dependentSchemas": { n: of } })),
            (
                select(vec![
                    "additionalProperties",
                    "unevaluatedProperties",
                    "not",
                    "propertyNames"
                ]),
                inner.clone(),
            )
                .prop_map(|(keyword, of)| json!({ keyword: of })),
            (select(vec!["allOf", "anyOf", "oneOf"]), vec(inner.clone(), 1..3))
                .prop_map(|(keyword, of)| json!({ keyword: of })),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| json!({ "if": a, "then": b, "else": c })),
        ];
        vec(one, 1..4).prop_map(|parts| {
            let members = parts.into_iter().filter_map(|part| part.as_object().cloned());
            members.flatten().collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn an_input_is_judged_as_if_it_carried_no_plan(
        schema in schemas(),
        part in schemas().prop_filter("no loop", |part| !part.to_string().contains("$ref")),
        inputs in vec((objects(), data()), 8),
    ) {
        let base = jsonschema::uri::from_str("tenure://test/input").unwrap();
        let mut schema = embed::named(schema, &base);
        schema["$defs"] = json!({ "d": part });
        let inputs: Vec<_> = inputs
            .into_iter()
            .map(|(mut input, plan)| {
                input[PLAN_DIGEST] = plan;
                input
            })
            .collect();
        agree(&schema, &inputs);
    }
}
