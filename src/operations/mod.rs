//! Durable operations: what was asked of a slow backend, whether it was sent, and how it ended.
//!
//! An operation is a (scope, operation id) pair. Its row, its place on the fence and its log are kept
//! so that a crash at any instant neither loses it nor sends it twice.

mod bounds;
pub mod contract;

pub mod journal;
pub mod logs;
pub mod plans;
pub mod runner;
pub mod runtime;
pub mod schema;
pub mod spoil;
pub mod values;

pub use crate::refused::{Answer, Cause, Refused};
pub use bounds::{Bounds, MAX_RUNTIME};
