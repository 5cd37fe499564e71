//! The schema of a planned input: that of the input, with eyes shut to the member `planDigest`.
//!
//! JSON Schema cannot say "this value less that member", so it is said by a copy of whatever looks
//! at the members of the input itself: the root, and what it applies to the same object. In the
//! copy every keyword that could notice the member is told to overlook it. What lies below the
//! input's members is not copied but referred to, where it stands in the input's own schema.

use std::collections::HashMap;
use std::ptr::from_ref;

use serde_json::{Map, Value, json};

use super::references::{Document, Target};
use super::walk::Site;

/// The member of an input that names its plan.
pub(super) const PLAN_DIGEST: &str = "planDigest";
/// Where the schema of a planned input stands in the descriptor.
pub(super) const PLANNED: &str = "#/$defs/plannedInput";

/// The schema of inputs that carry a `planDigest`, to stand at [`PLANNED`] of a document that also
/// holds the input's. None if the input's schema takes no notice of that member.
pub(super) fn planned(input: &Document<'_>) -> Option<Value> {
    let root = input.sites.first()?;
    let mut copies = Copies { input, numbers: HashMap::new(), waiting: Vec::new(), differs: false };
    copies.number(root);
    copies.waiting.clear();
    let mut planned = copies.object(root);
    let mut parts = Map::new();
    while let Some(site) = copies.waiting.pop() {
        let number = copies.number(site);
        parts.insert(number.to_string(), copies.object(site));
    }
    if !copies.differs {
        return None;
    }
    if !parts.is_empty() {
        planned["$defs"] = Value::Object(parts);
    }
    Some(planned)
}

struct Copies<'d, 'a> {
    input: &'d Document<'a>,
    numbers: HashMap<*const Value, usize>,
    waiting: Vec<&'d Site<'a>>,
    differs: bool,
}

impl<'d, 'a> Copies<'d, 'a> {
    /// The number of a site's copy. The first time it is asked for, the copy is put on the list.
    fn number(&mut self, site: &'d Site<'a>) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(from_ref(site.value)).or_insert_with(|| {
            self.waiting.push(site);
            next
        })
    }

    fn schema(&mut self, schema: &'a Value) -> Value {
        match self.input.site(schema) {
            Some(site) => self.object(site),
            None => schema.clone(),
        }
    }

    /// The copy; or the original, `planDigest` seen, where a reference has no one known target.
    fn object(&mut self, site: &'d Site<'a>) -> Value {
        self.copy(site).unwrap_or_else(|| json!({ "$ref": site.place.reference() }))
    }

    fn copy(&mut self, site: &'d Site<'a>) -> Option<Value> {
        let mut copy = Map::new();
        let mut also = Vec::new();
        let mut closed = false;
        for (keyword, value) in site.members {
            let adapted = match &**keyword {
                "type" => value.clone(),
                "allOf" | "anyOf" | "oneOf" => {
                    value.as_array()?.iter().map(|schema| self.schema(schema)).collect()
                }
                "not" | "if" | "then" | "else" => self.schema(value),
                "$ref" | "$dynamicRef" => {
                    also.push(self.followed(site, keyword, value.as_str()?)?);
                    continue;
                }
                "properties" => self.properties(value.as_object()?),
                "patternProperties" => self.patterns(value.as_object()?),
                "additionalProperties" | "unevaluatedProperties" => {
                    closed |= value != true;
                    self.original(value)
                }
                "propertyNames" => {
                    self.differs = true;
                    json!({ "anyOf": [{ "const": PLAN_DIGEST }, self.original(value)] })
                }
                "minProperties" | "maxProperties" => {
                    self.differs = true;
                    one_more(value)
                }
                "required" if value.as_array()?.iter().any(is_plan_digest) => {
                    self.differs = true;
                    also.push(Value::Bool(false));
                    continue;
                }
                "required" => value.clone(),
                "dependencies" | "dependentRequired" | "dependentSchemas" => {
                    let (kept, never) = self.dependents(value.as_object()?, keyword);
                    also.extend(never);
                    kept
                }
                "const" => {
                    also.push(self.either(std::slice::from_ref(value)));
                    continue;
                }
                "enum" => {
                    also.push(self.either(value.as_array()?));
                    continue;
                }
                // Of arrays, strings and numbers, or no rule at all: an input is an object.
                _ => continue,
            };
            copy.insert(keyword.clone(), adapted);
        }
        if closed {
            self.differs = true;
            let members = copy.entry("properties").or_insert_with(|| json!({}));
            members[PLAN_DIGEST] = Value::Bool(true);
        }
        if !also.is_empty() {
            copy.entry("allOf").or_insert_with(|| json!([])).as_array_mut()?.extend(also);
        }
        Some(Value::Object(copy))
    }

    fn original(&self, schema: &'a Value) -> Value {
        match self.input.site(schema) {
            Some(site) => json!({ "$ref": site.place.reference() }),
            None => schema.clone(),
        }
    }

    fn followed(&mut self, site: &'d Site<'a>, keyword: &str, reference: &str) -> Option<Value> {
        let anchor = reference.split_once('#').map_or("", |(_, fragment)| fragment);
        if keyword == "$dynamicRef" && self.input.is_overridable(anchor) {
            return None;
        }
        let Target::Inside(target) = self.input.follow(site, reference)? else { return None };
        if target.is_boolean() {
            return Some(target.clone());
        }
        Some(match self.number(self.input.site(target)?) {
            0 => json!({ "$ref": PLANNED }),
            number => json!({ "$ref": format!("{PLANNED}/$defs/{number}") }),
        })
    }

    fn properties(&mut self, schemas: &'a Map<String, Value>) -> Value {
        self.differs |= schemas.contains_key(PLAN_DIGEST);
        let others = schemas.iter().filter(|(name, _)| *name != PLAN_DIGEST);
        others.map(|(name, schema)| (name.clone(), self.original(schema))).collect()
    }

    fn patterns(&mut self, schemas: &'a Map<String, Value>) -> Value {
        let mut adapted = Map::new();
        for (pattern, schema) in schemas {
            let pattern = if matches_plan_digest(pattern) {
                self.differs = true;
                format!("^(?!{PLAN_DIGEST}$)[\\s\\S]*?(?:{pattern})")
            } else {
                pattern.clone()
            };
            adapted.insert(pattern, self.original(schema));
        }
        Value::Object(adapted)
    }

    /// What holds where a member is there; and what never holds, since `planDigest` is asked for.
    fn dependents(&mut self, all: &'a Map<String, Value>, keyword: &str) -> (Value, Option<Value>) {
        let mut kept = Map::new();
        let mut never = Map::new();
        for (name, dependent) in all {
            if name == PLAN_DIGEST {
                self.differs = true;
            } else if dependent.as_array().is_some_and(|names| names.iter().any(is_plan_digest)) {
                self.differs = true;
                never.insert(name.clone(), Value::Bool(false));
            } else {
                let dependent = match dependent {
                    Value::Array(_) => dependent.clone(),
                    schema => self.schema(schema),
                };
                kept.insert(name.clone(), dependent);
            }
        }
        let keyword = if keyword == "dependencies" { keyword } else { "dependentSchemas" };
        (Value::Object(kept), (!never.is_empty()).then(|| json!({ keyword: never })))
    }

    /// One of these values, as far as they are objects without a `planDigest`.
    fn either(&mut self, values: &[Value]) -> Value {
        self.differs = true;
        let objects = values.iter().filter_map(Value::as_object);
        let each: Vec<_> = objects
            .filter(|members| !members.contains_key(PLAN_DIGEST))
            .map(|members| {
                let names = members.keys();
                let exact =
                    members.iter().map(|(name, value)| (name.clone(), json!({ "const": value })));
                json!({
                    "required": names.clone().collect::<Vec<_>>(),
                    "properties": exact.collect::<Map<_, _>>(),
                    "propertyNames": {
                        "enum": names.map(String::as_str).chain([PLAN_DIGEST]).collect::<Vec<_>>(),
                    },
                })
            })
            .collect();
        if each.is_empty() { Value::Bool(false) } else { json!({ "anyOf": each }) }
    }
}

fn is_plan_digest(name: &Value) -> bool {
    name == PLAN_DIGEST
}

fn one_more(count: &Value) -> Value {
    match count.as_u64() {
        Some(count) => json!(count.saturating_add(1)),
        None => json!(count.as_f64().unwrap_or_default() + 1.0),
    }
}

fn matches_plan_digest(pattern: &str) -> bool {
    let schema = json!({ "pattern": pattern });
    jsonschema::draft202012::new(&schema).is_ok_and(|schema| schema.is_valid(&json!(PLAN_DIGEST)))
}

#[cfg(test)]
#[path = "planned_tests.rs"]
mod tests;
