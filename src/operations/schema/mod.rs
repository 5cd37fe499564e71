//! JSON Schemas: judged, applied, and the public descriptor of an operation.
//!
//! A schema is of draft 2020-12 and whole: what it refers to is in it, or is the meta-schema.
//! Nothing is ever fetched. `format`, `contentEncoding` and `contentMediaType` are annotations.

use std::sync::Arc;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Draft, Validator};
use serde_json::{Number, Value};

use references::Document;
use walk::Site;

use super::values::parse;
use super::{Answer, Refused};
use crate::error::Reason;

mod call;
mod descriptor;
mod embed;
mod planned;
mod references;
mod violation;
mod walk;

pub use descriptor::descriptor;
pub use violation::Violation;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const NO_BASE: &str = "json-schema:///";

/// A schema that values can be judged by. Clones share it.
#[derive(Clone, Debug)]
pub struct Schema {
    validator: Arc<Validator>,
}

impl Schema {
    /// Reads a schema. Refused, with the place in it: another draft, what the meta-schema does not
    /// admit, a pattern that is no regular expression, a reference to what is not in it.
    pub fn compile(text: &str) -> Answer<Self> {
        Self::of(&read(text)?)
    }

    fn of(schema: &Value) -> Answer<Self> {
        let base = jsonschema::uri::from_str(NO_BASE).map_err(|_| refused("", "has no base"))?;
        let document = Document::new(schema, &base);
        // Before the meta-schema, which would have its say about words of another draft.
        if let Some(site) = document.sites.iter().find(|site| site.is_schema && !is_ours(site)) {
            return Err(refused(format!("{}/$schema", site.place.path), "is not of draft 2020-12"));
        }
        let built = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .should_validate_formats(false)
            .build(schema);
        match built {
            Err(error) if !matches!(error.kind(), Kind::Referencing(_)) => {
                Err(refused(error.instance_path().as_str(), "is none of draft 2020-12"))
            }
            // The validator looks only at references that can be reached; a reader may follow all.
            built => match (built, document.first_unresolved()) {
                (Ok(validator), None) => Ok(Self { validator: Arc::new(validator) }),
                (_, path) => Err(refused(
                    path.unwrap_or_default(),
                    "has a reference or a name that leads nowhere",
                )),
            },
        }
    }

    /// Judges a value, given as JSON text. One violation is told, and always the same one.
    pub fn judge(&self, text: &str) -> Result<(), Violation> {
        let mut value = parse(text).map_err(Violation::unread)?;
        as_doubles(&mut value);
        if self.validator.is_valid(&value) {
            return Ok(());
        }
        Err(self
            .validator
            .validate(&value)
            .map_or_else(|error| (&error).into(), |()| Violation::other()))
    }
}

fn read(text: &str) -> Answer<Value> {
    let mut schema = parse(text).map_err(|why| refused("", &why.to_string()))?;
    as_doubles(&mut schema);
    Ok(schema)
}

fn refused(path: impl Into<String>, why: &str) -> Box<Refused> {
    Box::new(Refused::new(Reason::SchemaInvalid, format!("The schema {why}")).at(path))
}

fn is_ours(site: &Site<'_>) -> bool {
    site.members.get("$schema").is_none_or(|dialect| {
        dialect.as_str().is_some_and(|uri| uri.strip_suffix('#').unwrap_or(uri) == DIALECT)
    })
}

/// JavaScript knows doubles only: an integer past the safe ones is the double that it stands for.
fn as_doubles(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let far = number.as_i64().map_or(number.is_u64(), |n| n.unsigned_abs() > 1 << 53);
            if let Some(double) = number.as_f64().filter(|_| far).and_then(Number::from_f64) {
                *number = double;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(as_doubles),
        Value::Object(members) => members.values_mut().for_each(as_doubles),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
