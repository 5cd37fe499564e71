//! What the tests of the journal share: a plain model of it, disks that do what disks do, and a kit.

#![allow(dead_code, reason = "each test file is a crate of its own and uses a part of this")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

pub mod chance;
pub mod compare;
pub mod faulty;
pub mod kit;
pub mod model;
pub mod model_calls;
pub mod recorder;
pub mod script;
pub mod workload;
pub mod world;
