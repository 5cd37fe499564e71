//! A directory of logs, shared by all of its handles.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::Reason;

use super::files::{Files, OnDisk};
use super::followers::{Followers, Told};
use super::log::{Change, Log};
use super::name::Name;
use super::queue::{Job, Queue};
use super::record::Record;
use super::table::Table;
use super::{Answer, Done, LogBounds, LogHandle, LogSlice, Spawner, registry};
use crate::operations::Refused;

/// A directory of logs, there for as long as a handle is.
pub struct LogDirectory {
    path: PathBuf,
    files: Arc<dyn Files>,
    table: Table,
    queue: Queue<Call>,
    followers: Followers,
    handles: AtomicUsize,
}

impl LogDirectory {
    /// Opens a directory, and makes it and those above it where they are missing. Blocks. Refused
    /// with [`Reason::LogIo`].
    pub fn open(path: &Path, bounds: LogBounds, spawner: Spawner) -> Answer<LogHandle> {
        Self::open_on(Arc::new(OnDisk), path, bounds, spawner)
    }

    /// As [`open`](Self::open), on another file system; of the handles that share a directory, on
    /// that of the first.
    pub fn open_on(
        files: Arc<dyn Files>,
        path: &Path,
        bounds: LogBounds,
        spawner: Spawner,
    ) -> Answer<LogHandle> {
        let opened = registry::open(path, files);
        let directory = opened.map_err(|error| {
            refused(&format!("The directory {} could not be opened", path.display()), &error)
        })?;
        directory.handles.fetch_add(1, Ordering::Relaxed);
        Ok(LogHandle::new(directory, bounds, spawner))
    }

    pub(super) fn new(path: PathBuf, files: Arc<dyn Files>) -> Self {
        Self {
            table: Table::new(path.clone()),
            path,
            files,
            queue: Queue::new(),
            followers: Followers::default(),
            handles: AtomicUsize::new(0),
        }
    }

    /// Where it is, without links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn followers(&self) -> &Followers {
        &self.followers
    }

    pub(super) fn queue(&self) -> &Queue<Call> {
        &self.queue
    }

    /// Closes every file that nobody uses.
    pub(super) fn close_idle(&self) {
        self.table.close_idle();
    }

    /// A handle is gone; with the last one go the open files.
    pub(super) fn leave(&self) {
        if self.handles.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.close_idle();
        }
    }

    /// Reads a log once all that was called before is done.
    pub(super) fn read(
        self: &Arc<Self>,
        name: &Name,
        offset: u64,
        most: u64,
        spawner: &Spawner,
    ) -> Answer<LogSlice> {
        let last = self.queue.last(name);
        if last > 0 {
            self.settle(last, spawner);
        }
        self.io("The log could not be read", name, |log| log.read(&*self.files, offset, most))
    }

    /// Returns once the call of this ticket is done.
    pub(super) fn settle(self: &Arc<Self>, ticket: u64, spawner: &Spawner) {
        self.queue.settle(ticket);
        self.schedule(spawner);
    }

    /// Has what waits done by somebody else.
    pub(super) fn schedule(self: &Arc<Self>, spawner: &Spawner) {
        if self.queue.schedule() {
            let errand = Errand(Some(Arc::clone(self)));
            // A pool that has no thread to give may say so by a panic.
            super::shielded(|| spawner(Box::new(move || drop(errand))));
        }
    }

    fn append(&self, name: &Name, record: &Record, most: u64) -> (Answer<()>, Told) {
        let append = |log: &Log| log.append(&*self.files, record, most);
        match self.io("The log could not be written to", name, append) {
            Ok(Change::None) => (Ok(()), Told::default()),
            Ok(Change::Added | Change::Filled) => (Ok(()), self.followers.changed(name)),
            Err(refused) => (Err(refused), Told::default()),
        }
    }

    fn retire(&self, name: &Name, ticket: u64) -> (Answer<()>, Told) {
        match self.io("The log could not be deleted", name, |log| log.retire(&*self.files)) {
            Ok(()) => (Ok(()), self.followers.retired(name, ticket)),
            Err(refused) => (Err(refused), Told::default()),
        }
    }

    fn io<T>(&self, what: &str, name: &Name, call: impl Fn(&Log) -> io::Result<T>) -> Answer<T> {
        let mut answer = self.table.with(name, &call);
        if answer.as_ref().is_err_and(no_descriptor_left) {
            registry::close_idle();
            answer = self.table.with(name, &call);
        }
        answer.map_err(|error| refused(what, &error))
    }
}

impl Drop for LogDirectory {
    fn drop(&mut self) {
        registry::forget(self);
    }
}

impl fmt::Debug for LogDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogDirectory").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What a spawner is given. A pool that has ended drops it, and then it is done there and then.
struct Errand(Option<Arc<LogDirectory>>);

impl Drop for Errand {
    fn drop(&mut self) {
        if let Some(directory) = self.0.take() {
            directory.queue.drain();
        }
    }
}

/// A call that changes the directory.
pub(super) struct Call {
    pub(super) directory: Arc<LogDirectory>,
    pub(super) work: Work,
    pub(super) answer: Answering,
}

/// What a call does.
pub(super) enum Work {
    Append {
        name: Name,
        record: Record,
        most: u64,
    },
    Retire {
        name: Name,
    },
    /// The handle goes.
    Leave,
    /// Waits for what was called before.
    Nothing,
}

/// Where the answer of a call goes.
pub(super) enum Answering {
    To(Done),
    In(Arc<OnceLock<Answer<()>>>),
}

impl Job for Call {
    type After = Box<dyn FnOnce()>;

    fn name(&self) -> Option<Name> {
        match self.work {
            Work::Append { name, .. } | Work::Retire { name } => Some(name),
            Work::Leave | Work::Nothing => None,
        }
    }

    fn run(self, ticket: u64) -> Self::After {
        let Self { directory, work, answer } = self;
        let done = super::shielded(|| match &work {
            Work::Append { name, record, most } => directory.append(name, record, *most),
            Work::Retire { name } => directory.retire(name, ticket),
            Work::Leave => {
                directory.leave();
                (Ok(()), Told::default())
            }
            Work::Nothing => (Ok(()), Told::default()),
        });
        let (answered, told) = done.unwrap_or_else(|| (Err(broken()), Told::default()));
        match answer {
            Answering::In(slot) => {
                let _ = slot.set(answered);
                Box::new(|| told.tell())
            }
            Answering::To(done) => Box::new(|| {
                told.tell();
                done(answered);
            }),
        }
    }
}

/// The refusal of a call that a fault of ours ended.
pub(super) fn broken() -> Box<Refused> {
    Box::new(Refused::new(Reason::Internal, "A call on the logs ended without an answer"))
}

fn refused(what: &str, error: &io::Error) -> Box<Refused> {
    let message = format!("{what}: {error}");
    Box::new(Refused::new(Reason::LogIo, message).because(error))
}

// EMFILE and ENFILE; ERROR_TOO_MANY_OPEN_FILES.
fn no_descriptor_left(error: &io::Error) -> bool {
    let codes: &[i32] = if cfg!(windows) { &[4] } else { &[24, 23] };
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}
