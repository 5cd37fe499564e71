//! The logs of operations: what is written, what is read, who is told, and what a fault leaves.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod closing;
mod descriptors;
mod directories;
mod faults;
mod faulty;
mod files;
mod followers;
mod kit;
mod lines;
mod model;
mod order;
