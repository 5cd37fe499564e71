//! Who may run, who must stop, who holds which message, and what was started: the facts of an agent
//! runtime, kept in Rust behind a thin TypeScript face.
//!
//! Rooms: [`ownership`] (claims, stops, steering, backend generations), [`admission`] (active
//! application operations), [`operations`] (durable operations: journal, logs, runner, service),
//! [`permits`] (limited places), [`store`] (the file under the journal), [`telemetry`] (tracing, off by default),
//! and `bindings` (feature `node`): Node-API and nothing else. Arrows point one way, from the
//! bindings to the rooms; no room knows Node-API, does I/O under a lock, or runs JavaScript.

#![cfg_attr(not(feature = "node"), forbid(unsafe_code))]
#![deny(missing_docs)]

pub mod admission;
pub mod error;
pub mod operations;
pub mod ownership;
pub mod permits;
pub mod refused;
pub mod store;
pub mod sync;
pub mod telemetry;
pub mod text;

#[cfg(feature = "node")]
#[cfg_attr(test, allow(dead_code, reason = "a test build registers nothing with Node-API"))]
mod bindings;
