//! Threads that meet, in thousands of orders that shuttle chooses at every lock and atomic of the core.
//!
//! The threads here are shuttle's: one runs at a time, and at each lock it is decided anew who goes on.
//! Nothing is left to the machine, so that a seed brings the same schedules again. A thread that waits
//! for ever is a deadlock, and reported as one. All orders are sequentially consistent: what a weaker
//! memory may do beyond them is not explored.
//!
//! The types are the core's own. Left out is what shuttle cannot drive: tokio (the runner, and an
//! eventual journal's late flush), files, and redb within itself; a commit is one step here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod admission;
mod closing;
mod explore;
#[path = "../support/kit.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod kit;
mod member;
mod reading;
mod steering;
mod stops;
