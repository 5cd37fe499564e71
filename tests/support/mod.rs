//! What the ownership tests share: a kit that drives a realm as the face does, and a reference model.

#![allow(dead_code, reason = "each test file is a crate of its own and uses a part of this")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

pub mod kit;
