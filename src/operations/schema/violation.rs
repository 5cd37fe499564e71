//! What is wrong with a value, in words that tell nothing of the value.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};

use super::walk::escaped;
use crate::operations::values::NotPlain;

/// Where a value is against its schema, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON Pointer of what is wrong; of the object, where a member is missing.
    pub path: String,
    /// What is wrong, as the rest of a sentence about that place: "must be an integer". It quotes
    /// the schema at most, never the value.
    pub message: String,
}

impl Violation {
    pub(super) fn unread(why: NotPlain) -> Self {
        Self { path: String::new(), message: why.to_string() }
    }

    pub(super) fn other() -> Self {
        Self { path: String::new(), message: "is not as its schema asks".to_owned() }
    }
}

impl From<&ValidationError<'_>> for Violation {
    fn from(error: &ValidationError<'_>) -> Self {
        let mut path = error.instance_path().as_str().to_owned();
        if let Kind::AdditionalProperties { unexpected }
        | Kind::UnevaluatedProperties { unexpected } = error.kind()
            && let Some(first) = unexpected.iter().min()
        {
            path = format!("{path}/{}", escaped(first));
        }
        Self { path, message: words(error.kind()) }
    }
}

fn words(kind: &Kind) -> String {
    match kind {
        Kind::AdditionalProperties { .. }
        | Kind::UnevaluatedProperties { .. }
        | Kind::FalseSchema => "is not admitted".to_owned(),
        Kind::Required { property } => format!("must have the member {property}"),
        Kind::Type { kind: TypeKind::Single(single) } => format!("must be of type {single}"),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        Kind::MinProperties { limit } => format!("must have at least {limit} members"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} members"),
        kind => format!("is not as \"{}\" of its schema asks", kind.keyword()),
    }
}
