//! A journal as lines of JSON: what is exported and imported. Described in docs/cli.md.
//!
//! First the head, then the operations of the history in the order of their reservation, what the fence
//! holds besides, the pairs that `drainRetired` has not struck, and the end, which counts them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::book::Counters;
use super::row::{Kept, Row};
use crate::operations::contract::{State, Submission};
use crate::operations::values::{canonical, is_identifier, is_scope};

/// The format of the lines. A reader refuses a higher number.
pub(super) const LINES: u32 = 1;

pub(super) const HEAD: &str = "journal";
pub(super) const OPERATION: &str = "operation";
pub(super) const LEFT: &str = "left";
pub(super) const RETIRED: &str = "retired";
pub(super) const END: &str = "end";

/// Largest integer that every reader of JSON holds exactly.
const SAFE: u64 = (1 << 53) - 1;
const STAGE_LENGTH: usize = 64;
const ERROR_LENGTH: usize = 256;
/// The greatest bounds that a journal may have.
const VALUE_BYTES: usize = 16_777_216;
const REFERENCE_BYTES: usize = 4_096;

/// What a line is of.
#[derive(Deserialize)]
pub(super) struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
}

/// The first line: the numbers that are given next.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Head<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) format: u32,
    pub(super) next_row: u64,
    pub(super) next_ended: u64,
    pub(super) next_retired: u64,
}

/// An operation of the history, whole. An input or result that is null could not be read.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Operation<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) row: u64,
    #[serde(borrow)]
    pub(super) scope: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) operation_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) input_digest: Cow<'a, str>,
    pub(super) state: State,
    pub(super) submission: Submission,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) progress: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default, borrow)]
    pub(super) stage: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none", default, borrow)]
    pub(super) error: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none", default, borrow)]
    pub(super) backend_reference: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) cancel_requested: bool,
    pub(super) submitted_at: u64,
    pub(super) updated_at: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) started_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) ended: Option<u64>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none", default, borrow, deserialize_with = "given")]
    pub(super) result: Option<Option<&'a RawValue>>,
}

fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// An operation that left the history and is held by the fence. Without a digest and a time its record
/// could not be read.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Left<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) row: u64,
    #[serde(borrow)]
    pub(super) scope: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) operation_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) input_digest: Option<Cow<'a, str>>,
    pub(super) finished_at: Option<u64>,
}

/// A pair that left the history and was not yet struck.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Retired<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) number: u64,
    #[serde(borrow)]
    pub(super) scope: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) operation_id: Cow<'a, str>,
}

/// The last line: how many lines there are of each kind, and how many records could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Counts {
    pub(super) operations: u64,
    pub(super) left: u64,
    pub(super) retired: u64,
    pub(super) damaged: u64,
}

/// The last line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) operations: u64,
    pub(super) left: u64,
    pub(super) retired: u64,
    pub(super) damaged: u64,
}

impl<'a> Operation<'a> {
    pub(super) fn of(
        number: u64,
        row: &'a Row,
        input: Option<&'a RawValue>,
        result: Option<Option<&'a RawValue>>,
    ) -> Self {
        let lent = |text: &'a Option<Arc<str>>| text.as_deref().map(Cow::Borrowed);
        Self {
            kind: OPERATION.into(),
            row: number,
            scope: (*row.scope).into(),
            operation_id: (*row.operation_id).into(),
            input_digest: (*row.digest).into(),
            state: row.state,
            submission: row.submission,
            progress: row.progress,
            stage: lent(&row.stage),
            error: lent(&row.error),
            backend_reference: lent(&row.reference),
            cancel_requested: row.cancel,
            submitted_at: row.submitted_at,
            updated_at: row.updated_at,
            started_at: row.started_at,
            ended: row.ended,
            input,
            result,
        }
    }

    /// The row, if nothing in it is what no journal holds; else why.
    pub(super) fn row(&self, input: Kept, result: Option<Kept>) -> Result<Row, &'static str> {
        check_names(&self.scope, &self.operation_id)?;
        let ordered = self.submitted_at <= self.updated_at && self.updated_at <= SAFE;
        let started = self.started_at.is_none_or(|at| at <= self.updated_at);
        let reference = self.backend_reference.as_deref();
        let fits = |text: &Option<Cow<'_, str>>, most| {
            text.as_ref().is_none_or(|text| text.chars().count() <= most)
        };
        for (holds, why) in [
            (is_identifier(&self.input_digest), "its digest is none"),
            (ordered && started, "its times are out of order"),
            (
                (self.submission == Submission::Accepted) == reference.is_some(),
                "an accepted submission and a reference come together",
            ),
            (
                self.submission != Submission::Refused || self.state == State::Failed,
                "a refused submission comes with state failed",
            ),
            (
                reference.is_none_or(|text| (1..=REFERENCE_BYTES).contains(&text.len())),
                "its reference is empty or too long",
            ),
            (
                self.state.is_terminal() == self.ended.is_some(),
                "a terminal state and a place in the order of ending come together",
            ),
            (
                !self.cancel_requested || !self.state.is_terminal(),
                "what has ended is not cancelled",
            ),
            (self.progress.is_none_or(|part| (0.0..=1.0).contains(&part)), "its progress is none"),
            (fits(&self.stage, STAGE_LENGTH), "its stage is too long"),
            (fits(&self.error, ERROR_LENGTH), "its error is too long"),
        ] {
            if !holds {
                return Err(why);
            }
        }
        let own = |text: &Option<Cow<'_, str>>| text.as_deref().map(Into::into);
        Ok(Row {
            scope: (*self.scope).into(),
            operation_id: (*self.operation_id).into(),
            digest: (*self.input_digest).into(),
            state: self.state,
            submission: self.submission,
            progress: self.progress,
            stage: own(&self.stage),
            error: own(&self.error),
            reference: own(&self.backend_reference),
            cancel: self.cancel_requested,
            submitted_at: self.submitted_at,
            updated_at: self.updated_at,
            started_at: self.started_at,
            ended: self.ended,
            input,
            result,
            stale: false,
        })
    }
}

/// Whether scope and id are such.
pub(super) fn check_names(scope: &str, id: &str) -> Result<(), &'static str> {
    if !is_scope(scope) {
        return Err("its scope is none");
    }
    if !is_identifier(id) {
        return Err("its operation id is none");
    }
    Ok(())
}

/// Whether this may be a time.
pub(super) fn check_time(at: u64) -> Result<(), &'static str> {
    if at <= SAFE { Ok(()) } else { Err("its time is out of range") }
}

/// The text to keep of a value. As it was given where that is as short as it can be, so that its members
/// keep their order.
pub(super) fn value_text(raw: &RawValue) -> Result<String, &'static str> {
    let text = raw.get();
    if !text.starts_with('{') {
        return Err("its input and its result are objects");
    }
    let short = canonical(text).map_err(|_| "its input or result is no plain JSON")?;
    if short.len() > VALUE_BYTES {
        return Err("its input or result is too large");
    }
    Ok(if short.len() == text.len() { text.to_owned() } else { short })
}

impl Head<'_> {
    pub(super) fn of(counters: Counters) -> Self {
        Self {
            kind: HEAD.into(),
            format: LINES,
            next_row: counters.row,
            next_ended: counters.ended,
            next_retired: counters.retired,
        }
    }
}

impl Counts {
    pub(super) fn end(self) -> End<'static> {
        let Self { operations, left, retired, damaged } = self;
        End { kind: END.into(), operations, left, retired, damaged }
    }
}
