//! The public descriptor of an operation: one schema of all calls, with the caller's two in it.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::planned::planned;
use super::references::Document;
use super::{DIALECT, Schema, call, embed, read, refused};
use crate::error::Reason;
use crate::operations::values::is_identifier;
use crate::operations::{Answer, Refused};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Options<'a> {
    id: String,
    version: String,
    title: String,
    description: String,
    #[serde(borrow)]
    input_schema: &'a RawValue,
    #[serde(borrow)]
    result_schema: &'a RawValue,
}

/// The descriptor of an operation, as JSON text, made of the JSON text of its options: `id`,
/// `version`, `title`, `description`, `inputSchema` and `resultSchema`.
///
/// It admits a call exactly if its shape is right and its input, less `planDigest`, is as the
/// input's schema asks. Where the input's schema leaves it open what the input itself is judged by
/// (a `$dynamicRef` with several anchors, a `$ref` to the meta-schema), that part of it does see
/// `planDigest`.
pub fn descriptor(options: &str) -> Answer<String> {
    let options: Options<'_> = serde_json::from_str(options)
        .map_err(|_| invalid("must be the options of a descriptor in well-formed text"))?;
    if !is_identifier(&options.id) {
        return Err(invalid("must have an identifier as its id"));
    }
    if options.version.is_empty() {
        return Err(invalid("must have a version that is not empty"));
    }
    let input = checked(options.input_schema).map_err(|refused| below("/inputSchema", refused))?;
    let result =
        checked(options.result_schema).map_err(|refused| below("/resultSchema", refused))?;

    let name = format!("{}:{}", encoded(&options.id), encoded(&options.version));
    let id = format!("urn:tenure:operation:{name}");
    let uri = |text: &str| jsonschema::uri::from_str(text).map_err(|_| invalid("cannot be named"));
    let part = |part: &str| uri(&format!("tenure://operation/{name}/{part}/schema"));
    let input = embed::named(input, &part("input")?);
    let result = embed::named(result, &part("result")?);
    embed::inside(&input, &uri(&id)?).map_err(|refused| below("/inputSchema", refused))?;
    embed::inside(&result, &uri(&id)?).map_err(|refused| below("/resultSchema", refused))?;
    let result = embed::beside(&input, result, &part("result")?)
        .map_err(|refused| below("/resultSchema", refused))?;
    let mut definitions = call::definitions(planned(&Document::new(&input, &part("input")?)));
    definitions.insert("input".to_owned(), input);
    definitions.insert("result".to_owned(), result);

    let mut descriptor = call::rules();
    descriptor.insert("$schema".to_owned(), DIALECT.into());
    descriptor.insert("$id".to_owned(), id.into());
    descriptor.insert("title".to_owned(), options.title.into());
    descriptor.insert("description".to_owned(), options.description.into());
    descriptor.insert("$defs".to_owned(), Value::Object(definitions));
    let descriptor = Value::Object(descriptor);
    // Two good schemas can still be at odds in one document, as by a pointer through a resource
    // that now stands only once.
    Schema::of(&descriptor).map_err(|whole| from_whole(&whole))?;
    Ok(descriptor.to_string())
}

fn invalid(why: &str) -> Box<Refused> {
    Box::new(Refused::new(Reason::InvalidArgValue, format!("The argument \"options\" {why}")))
}

fn checked(schema: &RawValue) -> Answer<Value> {
    let schema = read(schema.get())?;
    Schema::of(&schema)?;
    Ok(schema)
}

fn below(prefix: &str, mut refused: Box<Refused>) -> Box<Refused> {
    refused.path = Some(format!("{prefix}{}", refused.path.unwrap_or_default()));
    refused
}

fn from_whole(whole: &Refused) -> Box<Refused> {
    let path = whole.path.as_deref().unwrap_or_default();
    let part = |at, option| path.strip_prefix(at).map(|rest| format!("{option}{rest}"));
    let path = part("/$defs/input", "/inputSchema")
        .or_else(|| part("/$defs/result", "/resultSchema"))
        .unwrap_or_default();
    refused(path, "cannot stand in one document with the other one")
}

/// Letters, digits, `-` and `.` stand for themselves, `_` and two hex digits for any other byte: so
/// no two texts are encoded alike, and no validator has anything to normalise in its own way.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => encoded.push(char::from(byte)),
            byte => encoded.push_str(&format!("_{byte:02x}")),
        }
    }
    encoded
}

#[cfg(test)]
#[path = "descriptor_tests.rs"]
mod tests;
