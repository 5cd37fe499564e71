//! The file under the durable rooms: who owns it, how it is opened, committed to and mended.
//!
//! One file has one owner. [`mod@file`] finds, makes and locks it, [`registry`] shares it within the
//! process; [`disk`] is the seam to its bytes; `books` looks through what redb notes there for itself;
//! [`engine`] keeps a redb database on a disk, catches what it panics with, and reopens it after an I/O
//! error; [`ordered`] reads a table without trust in its order; [`failure`] says what became of it.
//! Nothing here knows what the tables hold.

mod books;
pub mod disk;
pub mod engine;
pub mod failure;
pub mod file;
pub mod ordered;
mod place;
pub mod registry;
mod trial;

pub use disk::Disk;
pub use engine::{Durability, Engine, Sizes, Worked};
pub use failure::Failed;
pub use file::{Identity, OpenFile};
pub use ordered::Ordered;
pub use registry::{Registry, Shared};
