//! Two schemas in one document: each with a name of its own, and no resource in it twice.

use jsonschema::Uri;
use serde_json::{Map, Value, json};

use super::references::Document;
use super::walk::{self, Place, Site};
use super::{Answer, Refused, refused};

/// A schema as a resource of its own: with the name that it has, in full, or else with this one.
/// The base of relative names is the given one, since a URN can be none.
pub(super) fn named(schema: Value, name: &Uri<String>) -> Value {
    let mut members = match schema {
        Value::Object(members) => members,
        Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
        _ => Map::new(),
    };
    let own = walk::id_of(&members).filter(|id| !walk::is_absolute(id));
    let relative = own.and_then(|id| jsonschema::uri::resolve_against(&name.borrow(), id).ok());
    if relative.is_some() || walk::id_of(&members).is_none() {
        let name = relative.as_ref().unwrap_or(name);
        members.insert("$id".to_owned(), name.as_str().into());
    }
    // Some validators run in circles over a resource that is nothing but a reference into itself.
    if members.contains_key("$ref") {
        members.entry("allOf").or_insert_with(|| json!([true]));
    }
    Value::Object(members)
}

/// Refuses a resource that has the name of the whole document.
pub(super) fn inside(schema: &Value, whole: &Uri<String>) -> Answer<()> {
    match resources(&Document::new(schema, whole)).find(|site| site.place.base == *whole) {
        Some(site) => Err(taken(&site.place)),
        None => Ok(()),
    }
}

/// Makes a second schema fit beside a first one. A resource that both hold stays in the first, and
/// the second refers to it. Refused, with the place in the second: one name for different ones.
pub(super) fn beside(first: &Value, second: Value, name: &Uri<String>) -> Answer<Value> {
    let first = Document::new(first, name);
    let mut fitting = second.clone();
    let mut moved: Vec<String> = Vec::new();
    for site in resources(&Document::new(&second, name)) {
        let place = &site.place;
        if moved.iter().any(|outer| place.path.starts_with(&format!("{outer}/"))) {
            continue;
        }
        match first.resource(&place.base) {
            None => continue,
            Some(same) if same == site.value => {}
            Some(_) => return Err(taken(place)),
        }
        if let Some(there) = fitting.pointer_mut(&place.path) {
            *there = json!({ "$ref": place.resource });
        }
        moved.push(place.path.clone());
    }
    Ok(named(fitting, name))
}

fn resources<'d, 'a>(document: &'d Document<'a>) -> impl Iterator<Item = &'d Site<'a>> {
    document.sites.iter().filter(|site| site.is_schema && walk::id_of(site.members).is_some())
}

fn taken(place: &Place) -> Box<Refused> {
    refused(format!("{}/$id", place.path), "has a name that something else in the descriptor has")
}
