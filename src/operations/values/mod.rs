//! Identifiers, canonical JSON and digests.

mod canonical;
mod identifiers;
mod json;

pub use canonical::{canonical, input_digest};
pub use identifiers::{is_identifier, is_scope, journal_key};
pub use json::{MAX_DEPTH, NotPlain, parse};
