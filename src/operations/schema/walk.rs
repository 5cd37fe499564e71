//! The places in a schema: where each one is, and against what its references are resolved.

use jsonschema::Uri;
use serde_json::{Map, Value};

/// An object in a schema document.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub value: &'a Value,
    pub members: &'a Map<String, Value>,
    pub place: Place,
    /// A schema by its place. Elsewhere (under words that no draft knows) an object may still be
    /// one, by being referred to.
    pub is_schema: bool,
}

/// Where an object is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Pointer from the root of the document.
    pub path: String,
    /// The resource that it is part of, which references here are relative to.
    pub base: Uri<String>,
    /// The same as its author wrote it, where that is absolute: validators need not agree on how
    /// to normalise it.
    pub resource: String,
    /// Pointer from the root of the resource.
    pub within: String,
}

impl Place {
    fn below(&self, key: &str) -> Self {
        let step = |pointer: &str| format!("{pointer}/{}", escaped(key));
        Self { path: step(&self.path), within: step(&self.within), ..self.clone() }
    }

    /// Once inside an object that may begin a resource.
    fn entered(self, object: &Map<String, Value>) -> Self {
        let Some(id) = id_of(object) else { return self };
        let Ok(base) = jsonschema::uri::resolve_against(&self.base.borrow(), id) else {
            return self;
        };
        let resource = if is_absolute(id) { id.to_owned() } else { base.as_str().to_owned() };
        Self { base, resource, within: String::new(), ..self }
    }

    /// A reference to this place from anywhere in a document that holds its resource.
    pub fn reference(&self) -> String {
        match &*self.within {
            "" => self.resource.clone(),
            pointer => format!("{}#{}", self.resource, percent_encoded(pointer)),
        }
    }
}

/// Every object of the document but those that are data, each before what is in it.
pub(super) fn sites<'a>(schema: &'a Value, base: &Uri<String>) -> Vec<Site<'a>> {
    let root = Place {
        path: String::new(),
        base: base.clone(),
        resource: base.as_str().to_owned(),
        within: String::new(),
    };
    let mut found = Vec::new();
    enter(schema, root, true, &mut found);
    found
}

fn enter<'a>(value: &'a Value, place: Place, is_schema: bool, found: &mut Vec<Site<'a>>) {
    match value {
        Value::Object(members) => {
            let place = if is_schema { place.entered(members) } else { place };
            found.push(Site { value, members, place: place.clone(), is_schema });
            for (key, child) in members {
                let below = place.below(key);
                match holds(key).filter(|_| is_schema) {
                    Some(Holds::Data) => {}
                    Some(Holds::Schema) => enter(child, below, true, found),
                    Some(Holds::Schemas) => enter_all(child, &below, found),
                    None => enter(child, below, false, found),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                enter(item, place.below(&index.to_string()), false, found);
            }
        }
        _ => {}
    }
}

fn enter_all<'a>(value: &'a Value, place: &Place, found: &mut Vec<Site<'a>>) {
    match value {
        Value::Object(members) => {
            for (key, child) in members {
                enter(child, place.below(key), !child.is_array(), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                enter(item, place.below(&index.to_string()), true, found);
            }
        }
        _ => {}
    }
}

enum Holds {
    Schema,
    Schemas,
    Data,
}

fn holds(keyword: &str) -> Option<Holds> {
    match keyword {
        "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Some(Holds::Schema),
        "$defs" | "allOf" | "anyOf" | "definitions" | "dependencies" | "dependentSchemas"
        | "oneOf" | "patternProperties" | "prefixItems" | "properties" => Some(Holds::Schemas),
        "const" | "default" | "enum" | "examples" => Some(Holds::Data),
        _ => None,
    }
}

/// The identifier that an object gives itself, without the `#` that it may end with.
pub(super) fn id_of(object: &Map<String, Value>) -> Option<&str> {
    let id = object.get("$id")?.as_str()?.trim_end_matches('#');
    (!id.is_empty()).then_some(id)
}

pub(super) fn is_absolute(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|each| each.is_ascii_alphanumeric() || "+-.".contains(each))
    })
}

/// A member name or index as a token of a JSON Pointer.
pub(super) fn escaped(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

fn percent_encoded(pointer: &str) -> String {
    let mut text = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}
