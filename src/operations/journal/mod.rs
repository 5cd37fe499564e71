//! The journal: the rows of all scopes in one file, and the fence in front of them.
//!
//! [`Book`] is the rows in memory, a value; [`apply`] decides one call and changes book and tables
//! alike; [`writer`] takes what waits, in order, and commits it together; only then is the new book
//! shown. [`open`] reads a file into a book; [`handle`] is what a caller holds.

pub mod apply;
mod book;
mod copy;
mod export;
pub mod handle;
mod import;
mod intake;
#[allow(clippy::module_inception, reason = "the journal itself, among its parts")]
mod journal;
mod lines;
mod mend;
pub mod open;
mod patch;
mod reads;
mod recent;
mod row;
mod tables;
mod verify;
mod view;
mod watch;
pub mod writer;

pub use apply::{Call, Key, Reply};
pub use book::{Book, Shelf};
pub use export::Export;
pub use handle::JournalHandle;
pub use import::Import;
pub use journal::{Journal, Listener};
pub use patch::{Patch, Resolution};
pub use reads::{FenceStats, ScopeCounts, Stats};
pub use row::{Kept, Row};
pub use tables::FORMAT;
pub use verify::Problem;
pub use view::quoted;
pub use watch::{Notify, Watcher};
pub use writer::{Job, Settle};
