//! What a reference in a schema document leads to.

use std::collections::HashMap;
use std::ptr::from_ref;

use jsonschema::Uri;
use serde_json::Value;

use super::walk::{Site, sites};

pub(super) const REFERENCES: [&str; 2] = ["$dynamicRef", "$ref"];
const ANCHORS: [&str; 2] = ["$anchor", "$dynamicAnchor"];
const META_SCHEMAS: &str = "https://json-schema.org/draft/2020-12/";

/// What a reference leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    Inside(&'a Value),
    /// The meta-schema, which every validator has at hand.
    Meta,
}

/// A schema document in which references can be followed.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub sites: Vec<Site<'a>>,
    by_address: HashMap<*const Value, usize>,
    resources: HashMap<String, &'a Value>,
    anchors: HashMap<(String, &'a str), &'a Value>,
    dynamic: HashMap<&'a str, usize>,
}

impl<'a> Document<'a> {
    /// The document with its root at this URI, unless the root names itself.
    pub fn new(schema: &'a Value, base: &Uri<String>) -> Self {
        let sites = sites(schema, base);
        let mut by_address = HashMap::new();
        let mut resources = HashMap::new();
        let mut anchors = HashMap::new();
        let mut dynamic = HashMap::new();
        for (index, site) in sites.iter().enumerate() {
            let base = site.place.base.as_str();
            by_address.insert(from_ref(site.value), index);
            if site.place.within.is_empty() {
                resources.entry(base.to_owned()).or_insert(site.value);
            }
            for name in ANCHORS.iter().filter_map(|keyword| site.members.get(*keyword)?.as_str()) {
                anchors.entry((base.to_owned(), name)).or_insert(site.value);
            }
            if let Some(name) = site.members.get("$dynamicAnchor").and_then(Value::as_str) {
                *dynamic.entry(name).or_default() += 1;
            }
        }
        Self { sites, by_address, resources, anchors, dynamic }
    }

    /// The place of an object of this document.
    pub fn site(&self, value: &'a Value) -> Option<&Site<'a>> {
        self.by_address.get(&from_ref(value)).map(|index| &self.sites[*index])
    }

    /// The root of the resource of this name.
    pub fn resource(&self, name: &Uri<String>) -> Option<&'a Value> {
        self.resources.get(name.as_str()).copied()
    }

    /// Follows a reference that stands at a site.
    pub fn follow(&self, site: &Site<'_>, reference: &str) -> Option<Target<'a>> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = match uri {
            "" => site.place.base.clone(),
            uri => resolved(&site.place.base, uri)?,
        };
        let Some(root) = self.resources.get(base.as_str()) else {
            return base.as_str().starts_with(META_SCHEMAS).then_some(Target::Meta);
        };
        let value = match fragment {
            "" => *root,
            pointer if pointer.starts_with('/') => root.pointer(&percent_decoded(pointer)?)?,
            anchor => self.anchors.get(&(base.into_string(), anchor))?,
        };
        Some(Target::Inside(value))
    }

    /// Whether a dynamic reference to this anchor could lead to more than one place.
    pub fn is_overridable(&self, anchor: &str) -> bool {
        self.dynamic.get(anchor).is_some_and(|places| *places > 1)
    }

    /// The path of the first reference that leads nowhere, or of an identifier that is no URI.
    pub fn first_unresolved(&self) -> Option<String> {
        self.sites.iter().filter(|site| site.is_schema).find_map(|site| {
            let text = |keyword| site.members.get(keyword).and_then(Value::as_str);
            let unnamed = text("$id").filter(|id| resolved(&site.place.base, id).is_none());
            let keyword = match unnamed {
                Some(_) => "$id",
                None => REFERENCES.into_iter().find(|keyword| {
                    text(keyword).is_some_and(|reference| self.follow(site, reference).is_none())
                })?,
            };
            Some(format!("{}/{keyword}", site.place.path))
        })
    }
}

fn resolved(base: &Uri<String>, uri: &str) -> Option<Uri<String>> {
    jsonschema::uri::resolve_against(&base.borrow(), uri).ok()
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}
