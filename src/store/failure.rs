//! What a database fails with, told as a refusal.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::engine::Worked;
use crate::error::Reason;
use crate::refused::{Cause, Refused};

/// Why work in a transaction came to nothing.
#[derive(Debug)]
pub struct Failed {
    /// For whoever asked.
    pub refused: Box<Refused>,
    /// The disk failed, now or before. Otherwise something that was read is damaged: other work may
    /// well succeed.
    pub of_the_disk: bool,
    /// Nothing took effect. Otherwise that is unknown.
    pub before_commit: bool,
}

impl Failed {
    /// What a file is that could not be opened.
    pub(super) fn judged(self) -> Box<Refused> {
        if self.of_the_disk { self.refused } else { damaged(&self.refused.message) }
    }
}

impl From<Failed> for Box<Refused> {
    fn from(failed: Failed) -> Self {
        failed.refused
    }
}

/// Runs what may panic: the database does when what it reads is damaged.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(work))
}

/// The words of a panic.
pub fn spoken(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned());
    // The payload may be anything, and dropping it may panic again.
    drop(caught(|| drop(payload)));
    text.unwrap_or_else(|| "a fault without words".to_owned())
}

/// An I/O error of an opening.
pub fn failed(error: &io::Error) -> Box<Refused> {
    let refused = Refused::new(Reason::JournalIo, format!("The journal's file failed: {error}"));
    Box::new(refused.because(error))
}

/// A file that is damaged, or is something else.
pub fn damaged(why: &str) -> Box<Refused> {
    Box::new(Refused::new(Reason::JournalCorrupt, format!("The file is no sound journal: {why}")))
}

/// What a file is that could not be opened.
pub(super) fn judged(error: redb::Error) -> Box<Refused> {
    match error {
        // A read beyond the end is a file that was cut off, invalid data one of another program.
        redb::Error::Io(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
            ) =>
        {
            failed(&error)
        }
        // The only sign of a database newer than this one.
        redb::Error::Corrupted(why) if why.contains("file format version") => {
            Box::new(Refused::new(Reason::JournalVersion, format!("The file is newer: {why}")))
        }
        error => damaged(&error.to_string()),
    }
}

/// What became of a transaction.
pub(super) fn broke(error: &redb::Error) -> Failed {
    let cause = match error {
        redb::Error::Io(error) => Cause::from(error),
        error => Cause { message: error.to_string(), errno: None },
    };
    let of_the_disk =
        matches!(error, redb::Error::Io(_) | redb::Error::PreviousIo | redb::Error::DatabaseClosed);
    let message = format!("The journal's file failed: {}", cause.message);
    let refused = Box::new(Refused::new(Reason::JournalIo, message).because(cause));
    Failed { refused, of_the_disk, before_commit: false }
}

/// Something that panicked.
pub fn fault(words: &str) -> Failed {
    let cause = Cause { message: words.to_owned(), errno: None };
    let message = "The journal's file failed: a fault of the database under it";
    let refused = Box::new(Refused::new(Reason::JournalIo, message).because(cause));
    Failed { refused, of_the_disk: false, before_commit: false }
}

/// What came of work that may have failed or panicked.
pub(super) fn became<T>(worked: Result<Worked<T>, Box<dyn Any + Send>>) -> Result<T, Failed> {
    match worked {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(broke(&error)),
        Err(payload) => Err(fault(&spoken(payload))),
    }
}
