//! The runner: what it takes up, submits, records and lets go, whatever adapter, clock and disk do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod answers;
mod cancels;
mod clocks;
mod disk;
mod doubt;
mod faults;
mod kit;
mod pauses;
mod queue;
mod races;
mod scopes;
mod starts;
mod stops;
