//! What the ownership tests share: a kit that drives a realm as the face does, and a reference model.

#![allow(dead_code, reason = "each test file is a crate of its own and uses a part of this")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

pub mod call;
pub mod drive;
pub mod drive_backends;
pub mod drive_claims;
pub mod drive_members;
pub mod drive_queues;
pub mod drive_stops;
pub mod kit;
pub mod model;
pub mod model_backends;
pub mod model_claims;
pub mod model_close;
pub mod model_mutations;
pub mod model_operations;
pub mod model_slots;
pub mod model_steering;
pub mod model_stops;
pub mod observe;
pub mod rest;
pub mod seed;
pub mod world;
