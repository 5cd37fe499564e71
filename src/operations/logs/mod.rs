//! Bounded text files, one for each operation: written in order, not synced.
//!
//! ```text
//! LogHandle ── LogDirectory ── Queue       what was called, in order; one drainer at a time
//!  (bounds)     (shared)    ├─ Table ──Log one lock a log, a few files kept open
//!                           └─ Followers   who is told
//! ```
//!
//! All handles of one directory share one [`LogDirectory`], whatever the text of their paths and
//! whatever their threads, so that two of them never write past one another. Bounds belong to the
//! handle. A directory is written by one process at a time.
//!
//! # Files
//!
//! A log is the file `<hash>.log`. Once a record was dropped at the bound it is `<hash>.full.log`,
//! and nothing is ever added to it: one rename, so that no crash can lose the fact, and the bytes of
//! the file are the text and nothing else. Nothing else is ever put into the directory.
//!
//! A record ends with the only line feed in it. A file that does not end with one was cut off in the
//! middle of a write, and what follows its last line feed is taken away before the next append. A
//! file that somebody deleted, or replaced, is noticed before each append by what lies at its path,
//! and begun anew.
//!
//! A byte that belongs to no valid UTF-8 sequence, which only damage or another program puts there,
//! counts as a character of its own and is shown as U+FFFD; offsets stay those of the file. An
//! incomplete sequence at the end of the file is not shown.
//!
//! # Locks
//!
//! In this order:
//!
//! 1. a handle (open or closed): to queue a call, or to add a follower
//! 2. the table: to look a log up or to let go of it; it looks into logs that nobody uses
//! 3. one log: its I/O, and no other lock
//!
//! The queue, the followers and the list of live directories are leaves. No I/O is done but under the
//! lock of its own log, and no callback runs under any.

mod directory;
mod files;
mod followers;
mod handle;
mod log;
mod name;
mod queue;
mod record;
mod registry;
mod slice;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Answer;

pub use directory::LogDirectory;
pub use files::{Access, Files, LogFile, Look, OnDisk};
pub use followers::{Follower, Notify};
pub use handle::LogHandle;
pub use table::OPEN_FILES;

/// What the handle of a directory admits; each bound admits its own value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogBounds {
    /// Bytes of a log.
    pub log_bytes: u64,
    /// Bytes of a slice; less than 4, which may not hold a character, counts as 4.
    pub log_slice_bytes: u64,
}

/// A part of a log, cut between characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSlice {
    /// Where it begins, in bytes of the file.
    pub offset: u64,
    /// Where it ends, and the next one begins.
    pub next_offset: u64,
    /// Records were dropped at the bound.
    pub truncated: bool,
    /// The bytes from `offset` to `next_offset`.
    pub text: String,
}

/// Runs a job, which may block, on a thread that nobody waits for. A job that is dropped instead is
/// done where it is dropped.
pub type Spawner = Arc<dyn Fn(Box<dyn FnOnce() + Send>) + Send + Sync>;

/// Hears what became of a call. It must not wait for the thread that made the call.
pub type Done = Box<dyn FnOnce(Answer<()>) + Send>;

// What the locks guard is whole between any two statements, so a panic leaves nothing half-done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// A callback, or a file system, is not ours: what it throws ends neither the queue nor the thread.
fn shielded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}
