//! The rules of a call, as a schema: which verbs there are, and exactly the fields of each.

use serde_json::{Map, Value, json};

use super::planned::{PLAN_DIGEST, PLANNED};

/// The characters of an identifier: no control characters, and no lone surrogates where a string
/// can hold one. A class of what must not be there would say it as well, but the regular
/// expressions of Rust get the two characters beside the surrogates wrong in one.
const IDENTIFIER: &str = "^[ -~\u{a0}-\u{d7ff}\u{e000}-\u{10ffff}]*$";

/// The fields beside `op`, each with where its schema stands.
const FIELDS: [(&str, &str); 3] = [
    ("operationId", "#/$defs/operationId"),
    ("input", "#/$defs/givenInput"),
    ("offset", "#/$defs/offset"),
];

/// Verb, the fields that it needs, the fields that it may have.
const VERBS: [(&str, &[&str], &[&str]); 6] = [
    ("start", &["operationId", "input"], &[]),
    ("status", &["operationId"], &[]),
    ("list", &[], &["offset"]),
    ("log", &["operationId"], &["offset"]),
    ("cancel", &["operationId"], &[]),
    ("plan", &["input"], &[]),
];

/// The keywords of a call. They refer to [`definitions`].
pub(super) fn rules() -> Map<String, Value> {
    let fields = FIELDS.iter().map(|(field, _)| (*field, json!(true)));
    let ops = ("op", json!({ "enum": VERBS.map(|(verb, ..)| verb) }));
    Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), fields.chain([ops]).collect()),
        ("required".to_owned(), json!(["op"])),
        ("additionalProperties".to_owned(), json!(false)),
        (
            "oneOf".to_owned(),
            VERBS.iter().map(|(verb, needs, may)| rule(verb, needs, may)).collect(),
        ),
    ])
}

fn rule(verb: &str, needs: &[&str], may: &[&str]) -> Value {
    let fields = FIELDS.iter().map(|(field, schema)| {
        let schema = match field {
            field if needs.contains(field) => json!({ "$ref": schema }),
            field if may.contains(field) => {
                json!({ "anyOf": [{ "$ref": schema }, { "type": "null" }] })
            }
            // null is the same as left out.
            _ => json!({ "type": "null" }),
        };
        (*field, schema)
    });
    json!({
        "title": verb,
        "properties": fields.chain([("op", json!({ "const": verb }))]).collect::<Value>(),
        "required": needs,
    })
}

/// What the rules refer to, beside the two schemas of the caller.
pub(super) fn definitions(planned: Option<Value>) -> Map<String, Value> {
    let mut given = json!({ "type": "object" });
    let mut definitions = Map::new();
    match planned {
        Some(planned) => {
            given["if"] = json!({ "required": [PLAN_DIGEST] });
            given["then"] = json!({ "$ref": PLANNED });
            given["else"] = json!({ "$ref": "#/$defs/input" });
            definitions.insert("plannedInput".to_owned(), planned);
        }
        None => given["$ref"] = json!("#/$defs/input"),
    }
    definitions.insert("givenInput".to_owned(), given);
    definitions.insert(
        "operationId".to_owned(),
        json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 128,
            "pattern": IDENTIFIER,
        }),
    );
    definitions.insert(
        "offset".to_owned(),
        json!({ "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_u64 }),
    );
    definitions
}
