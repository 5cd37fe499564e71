//! What a caller holds of a directory.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, Weak};

use crate::error::Reason;

use super::directory::{Answering, Call, LogDirectory, Work, broken};
use super::followers::{Follower, Notify, Seat};
use super::name::Name;
use super::record::Record;
use super::{Answer, Done, LogBounds, LogSlice, Spawner};
use crate::operations::Refused;

/// A handle of a directory of logs.
///
/// Calls that change a log take effect in the order made, those that block and those that do not
/// alike; a read sees all that was called before, by whichever handle of the process. After
/// [`close`](Self::close) each is refused with [`Reason::Closed`]. Dropping a handle closes it
/// without waiting.
pub struct LogHandle {
    state: RwLock<State>,
    bounds: LogBounds,
    spawner: Spawner,
    id: u64,
}

enum State {
    Open(Arc<LogDirectory>),
    Closed(Weak<LogDirectory>),
}

impl LogHandle {
    pub(super) fn new(directory: Arc<LogDirectory>, bounds: LogBounds, spawner: Spawner) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let log_slice_bytes = bounds.log_slice_bytes.max(4);
        Self {
            state: RwLock::new(State::Open(directory)),
            bounds: LogBounds { log_slice_bytes, ..bounds },
            spawner,
            id: LAST.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Adds one record: the line, with CR and LF inside it written as two characters, and a line
    /// feed. A record that would pass the bound is dropped, and so is, for good, every later one.
    /// Blocks. Refused with [`Reason::LogIo`]: then the log is what it was before.
    pub fn append(&self, scope: &str, id: &str, line: &str) -> Answer<()> {
        self.wait(self.appending(scope, id, line))
    }

    /// As [`append`](Self::append), but tells the answer to `done`, from another thread or this one.
    pub fn append_later(&self, scope: &str, id: &str, line: &str, done: Done) {
        self.post(self.appending(scope, id, line), done);
    }

    /// Deletes a log; one that is unknown is no error. Ends its followers. A later append begins a
    /// new one. Blocks. Refused with [`Reason::LogIo`].
    pub fn retire(&self, scope: &str, id: &str) -> Answer<()> {
        self.wait(Work::Retire { name: Name::of(scope, id) })
    }

    /// As [`retire`](Self::retire), but tells the answer to `done`, from another thread or this one.
    pub fn retire_later(&self, scope: &str, id: &str, done: Done) {
        self.post(Work::Retire { name: Name::of(scope, id) }, done);
    }

    /// As much as a slice may hold, from `offset` on. An offset inside a character counts as its
    /// end, one past the end as the end; an unknown log is empty. Blocks. Refused with
    /// [`Reason::LogIo`].
    pub fn read(&self, scope: &str, id: &str, offset: u64) -> Answer<LogSlice> {
        let directory = self.with(Arc::clone)?;
        let name = Name::of(scope, id);
        directory.read(&name, offset, self.bounds.log_slice_bytes, &self.spawner)
    }

    /// Has `notify` called after each change of a log from now on, by whichever handle, and once
    /// when the following is over.
    pub fn follow(&self, scope: &str, id: &str, notify: Notify) -> Answer<Follower> {
        let name = Name::of(scope, id);
        self.with(|directory| {
            let seat = Seat::new(notify, self.id, directory.queue().issued());
            directory.followers().join(name, Arc::clone(&seat));
            Follower::new(seat, name, directory)
        })
    }

    /// Refuses later calls, ends the followers of this handle, waits until all that was called
    /// before is done, and lets go of the directory. Closing again waits alike. Blocks.
    pub fn close(&self) -> Answer<()> {
        let slot = Arc::default();
        match self.leave(Answering::In(Arc::clone(&slot))) {
            Ok((directory, ticket)) => self.answer(&directory, ticket, &slot),
            Err(_) => Ok(()),
        }
    }

    /// As [`close`](Self::close), but tells `done` when it is, from another thread or this one.
    pub fn close_later(&self, done: Done) {
        match self.leave(Answering::To(done)) {
            Ok((directory, _)) => directory.schedule(&self.spawner),
            Err(Answering::To(done)) => done(Ok(())),
            Err(Answering::In(_)) => {}
        }
    }

    /// [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        matches!(*self.state(), State::Closed(_))
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls while the handle cannot be closed.
    fn with<T>(&self, call: impl FnOnce(&Arc<LogDirectory>) -> T) -> Answer<T> {
        match &*self.state() {
            State::Open(directory) => Ok(call(directory)),
            State::Closed(_) => Err(closed()),
        }
    }

    fn appending(&self, scope: &str, id: &str, line: &str) -> Work {
        let most = self.bounds.log_bytes;
        Work::Append { name: Name::of(scope, id), record: Record::of(line, most), most }
    }

    fn wait(&self, work: Work) -> Answer<()> {
        let slot = Arc::default();
        let (directory, ticket) =
            self.put(work, Answering::In(Arc::clone(&slot))).map_err(|_| closed())?;
        self.answer(&directory, ticket, &slot)
    }

    fn post(&self, work: Work, done: Done) {
        match self.put(work, Answering::To(done)) {
            Ok((directory, _)) => directory.schedule(&self.spawner),
            Err(Answering::To(done)) => done(Err(closed())),
            Err(Answering::In(_)) => {}
        }
    }

    fn answer(
        &self,
        directory: &Arc<LogDirectory>,
        ticket: u64,
        slot: &OnceLock<Answer<()>>,
    ) -> Answer<()> {
        directory.settle(ticket, &self.spawner);
        slot.get().cloned().unwrap_or_else(|| Err(broken()))
    }

    /// Queues a call; gives the way to its answer back if the handle is closed.
    fn put(&self, work: Work, answer: Answering) -> Result<(Arc<LogDirectory>, u64), Answering> {
        // Held until the call is queued: a close on another thread comes before it or after it.
        let state = self.state();
        let State::Open(directory) = &*state else { return Err(answer) };
        let call = Call { directory: Arc::clone(directory), work, answer };
        let ticket = directory.queue().put(call);
        Ok((Arc::clone(directory), ticket))
    }

    fn leave(&self, answer: Answering) -> Result<(Arc<LogDirectory>, u64), Answering> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let (directory, work) = match &*state {
            State::Open(directory) => (Arc::clone(directory), Work::Leave),
            State::Closed(directory) => match directory.upgrade() {
                Some(directory) => (directory, Work::Nothing),
                None => return Err(answer),
            },
        };
        *state = State::Closed(Arc::downgrade(&directory));
        let call = Call { directory: Arc::clone(&directory), work, answer };
        let ticket = directory.queue().put(call);
        drop(state);
        directory.followers().closed(self.id).tell();
        Ok((directory, ticket))
    }
}

impl Drop for LogHandle {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(directory) = state {
            directory.followers().closed(self.id).tell();
            directory.leave();
        }
    }
}

impl fmt::Debug for LogHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogHandle").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

fn closed() -> Box<Refused> {
    Box::new(Refused::new(Reason::Closed, "The logs are closed"))
}
