//! A refused call of the durable rooms, with all that a caller can act on.

use std::fmt;
use std::io;

use serde::Serialize;

use crate::error::Reason;

/// What the operating system said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// For people.
    pub message: String,
    /// The number of the operating system's error, where it gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errno: Option<i32>,
}

impl From<&io::Error> for Cause {
    fn from(error: &io::Error) -> Self {
        Self { message: error.to_string(), errno: error.raw_os_error() }
    }
}

/// Why a call was refused. It changed nothing, [`Reason::JournalIo`] aside: then what it did is
/// unknown until it is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// The code goes to the caller.
    #[serde(rename = "code", serialize_with = "as_code")]
    pub reason: Reason,
    /// For people; may change.
    pub message: String,
    /// The operation it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// The scope it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// JSON Pointer of the refused value, or the path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The bound that was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// What passed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<u64>,
    /// The process that has the file open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// What is behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

fn as_code<S: serde::Serializer>(reason: &Reason, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(reason.code())
}

impl Refused {
    /// A refusal with its message and nothing else.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            operation_id: None,
            scope: None,
            path: None,
            limit: None,
            actual: None,
            pid: None,
            cause: None,
        }
    }

    /// About this operation.
    #[must_use]
    pub fn of(mut self, scope: &str, operation_id: &str) -> Self {
        self.scope = Some(scope.to_owned());
        self.operation_id = Some(operation_id.to_owned());
        self
    }

    /// About the value, or the file, at this path.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// A bound was passed.
    #[must_use]
    pub fn bound(mut self, limit: u64, actual: u64) -> Self {
        self.limit = Some(limit);
        self.actual = Some(actual);
        self
    }

    /// What is behind it.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Cause>) -> Self {
        self.cause = Some(cause.into());
        self
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason.code(), self.message)
    }
}

impl std::error::Error for Refused {}

/// What a call gives: a value, or a refusal.
pub type Answer<T> = Result<T, Box<Refused>>;
