//! What a caller holds of a journal, and closes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};

use super::apply::Call;
use super::journal::Journal;
use super::open::{Wanted, in_memory, open};
use super::verify::Problem;
use super::watch::{Notify, Watcher};
use super::writer::{Job, closed, reads_only};
use crate::operations::Bounds;
use crate::operations::runtime::spawn_blocking;
use crate::refused::Answer;
use crate::store::Durability;
use crate::store::failure::{caught, fault, spoken};
use crate::sync::Mutex;
use crate::sync::atomic::AtomicBool;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// One opening of a journal. Closed once, by its caller or when it is let go.
#[derive(Debug)]
pub struct JournalHandle {
    journal: Arc<Journal>,
    holder: u64,
    /// Refuses what would write, whatever others may do with the journal.
    read_only: bool,
    closed: AtomicBool,
    watchers: Mutex<Vec<Weak<Watcher>>>,
    /// Until it is closed, and while work of it goes on outside the writer's turn: so long its journal
    /// is not let go.
    outside: Arc<Countdown>,
    /// Until it has let go.
    ended: Arc<Countdown>,
}

impl JournalHandle {
    /// Opens a file, or joins it. Waits for a disk.
    pub fn open(path: &Path, wanted: &Wanted) -> Answer<Self> {
        sure(|| open(path, wanted)).map(|journal| Self::over(journal, wanted.read_only))
    }

    /// A journal of its own that nothing outlives.
    pub fn in_memory(bounds: Bounds) -> Answer<Self> {
        in_memory(bounds).map(Self::of)
    }

    /// The handle of a journal that was opened for it.
    pub fn of(journal: Arc<Journal>) -> Self {
        let read_only = journal.read_only;
        Self::over(journal, read_only)
    }

    fn over(journal: Arc<Journal>, read_only: bool) -> Self {
        Self {
            journal,
            read_only,
            holder: NEXT.fetch_add(1, Ordering::Relaxed),
            closed: AtomicBool::new(false),
            watchers: Mutex::default(),
            outside: Countdown::of(1),
            ended: Countdown::of(1),
        }
    }

    /// The journal, unless the handle is closed.
    pub fn journal(&self) -> Answer<&Arc<Journal>> {
        if self.closed.load(Ordering::Acquire) { Err(closed()) } else { Ok(&self.journal) }
    }

    /// The journal, for whoever may write to it.
    pub fn writable(&self) -> Answer<&Arc<Journal>> {
        let journal = self.journal()?;
        if self.read_only { Err(reads_only()) } else { Ok(journal) }
    }

    /// The call that hands this handle the pairs that left the history.
    pub fn drain(&self) -> Call {
        Call::Drain { holder: self.holder }
    }

    /// Watches the rows of a scope, or one of them.
    pub fn watch(&self, scope: &str, id: Option<&str>, notify: Notify) -> Answer<Arc<Watcher>> {
        let watcher = self.journal()?.watchers.add(scope, id, notify);
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| watcher.strong_count() > 0);
        watchers.push(Arc::downgrade(&watcher));
        drop(watchers);
        if self.closed.load(Ordering::Acquire) {
            watcher.end();
        }
        Ok(watcher)
    }

    /// Brings what an eventual journal has acknowledged to the disk. Of another one it is there.
    pub fn flush_later(&self, done: impl FnOnce() + Send + 'static) {
        let eventual = self.journal.durability == Durability::Eventual;
        if !eventual || self.closed.load(Ordering::Acquire) {
            return done();
        }
        self.journal.post([Job::Work(Box::new(move |journal| {
            journal.flush();
            done();
        }))]);
    }

    /// Reads everything; tells what cannot be read.
    pub fn verify_later(
        &self,
        done: impl FnOnce(Answer<Vec<Problem>>) + Send + 'static,
    ) -> Answer<()> {
        let going = self.going();
        let journal = Arc::clone(self.journal()?);
        spawn_blocking(move || {
            done(sure(|| journal.verify()));
            drop(going);
        });
        Ok(())
    }

    /// Gives unused space back; bytes before and after.
    pub fn compact_later(
        &self,
        done: impl FnOnce(Answer<(u64, u64)>) + Send + 'static,
    ) -> Answer<()> {
        let work = move |journal: &Journal| done(sure(|| journal.compact()));
        self.writable()?.post([Job::Work(Box::new(work))]);
        Ok(())
    }

    /// Writes a consistent copy.
    pub fn backup_later(
        &self,
        path: &Path,
        done: impl FnOnce(Answer<()>) + Send + 'static,
    ) -> Answer<()> {
        let going = self.going();
        let journal = Arc::clone(self.journal()?);
        let path = path.to_owned();
        // What was called before is in the copy.
        self.journal.post([Job::Work(Box::new(move |_| {
            spawn_blocking(move || {
                done(sure(|| journal.backup(&path)));
                drop(going);
            });
        }))]);
        Ok(())
    }

    /// Refuses later calls, waits for what was called before, and lets go. A second call waits for the
    /// first.
    pub fn close_later(&self, done: impl FnOnce() + Send + 'static) {
        self.ended.then(Box::new(done));
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        let watchers =
            std::mem::take(&mut *self.watchers.lock().unwrap_or_else(PoisonError::into_inner));
        for watcher in watchers.iter().filter_map(Weak::upgrade) {
            watcher.end();
        }
        let (journal, ended) = (Arc::clone(&self.journal), Arc::clone(&self.ended));
        let release = Call::Release { holder: self.holder };
        self.outside.then(Box::new(move || {
            let leaving = Arc::clone(&journal);
            let settle = move |_| {
                drop(caught(|| leaving.leave()));
                ended.end();
            };
            journal.post([Job::Call(release, Box::new(settle))]);
        }));
        self.outside.end();
    }

    pub(super) fn going(&self) -> Going {
        self.outside.begin();
        Going(Arc::clone(&self.outside))
    }
}

type Then = Box<dyn FnOnce() + Send>;

/// What is to be done once nothing goes on any more.
struct Countdown(Mutex<(usize, Vec<Then>)>);

impl Countdown {
    fn of(count: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new((count, Vec::new()))))
    }

    fn begin(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0 += 1;
    }

    fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = state.0.saturating_sub(1);
        let then = if state.0 == 0 { std::mem::take(&mut state.1) } else { Vec::new() };
        drop(state);
        for then in then {
            drop(caught(then));
        }
    }

    fn then(&self, then: Then) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 > 0 {
            state.1.push(then);
            return;
        }
        drop(state);
        then();
    }
}

impl std::fmt::Debug for Countdown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Countdown")
    }
}

/// One piece of such work.
pub(super) struct Going(Arc<Countdown>);

impl Drop for Going {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Drop for JournalHandle {
    fn drop(&mut self) {
        if !self.closed.load(Ordering::Acquire) {
            self.close_later(|| {});
        }
    }
}

/// An answer, whatever happens: somebody waits for it.
fn sure<T>(work: impl FnOnce() -> Answer<T>) -> Answer<T> {
    caught(work).unwrap_or_else(|payload| Err(fault(&spoken(payload)).into()))
}
