//! A journal that is open: what all its handles share.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use hashbrown::HashMap;

use super::apply::Key;
use super::book::Book;
use super::recent::Recent;
use super::watch::Watchers;
use super::writer::Inbox;
use crate::operations::Bounds;
use crate::refused::Refused;
use crate::store::failure::caught;
use crate::store::{Durability, Engine, OpenFile, Shared};
use crate::sync::atomic::{AtomicBool, AtomicU64};
use crate::sync::{Mutex, MutexGuard, RwLock};

/// Told of rows of its scope that changed, or that are to be cancelled. In the writer's turn, so it must
/// not wait for a call.
pub trait Listener: Send + Sync {
    /// This operation's row is not as it was.
    fn changed(&self, id: &Arc<str>);
}

#[derive(Default)]
pub(super) struct Holders {
    pub(super) count: usize,
    pub(super) closing: bool,
}

/// An open journal.
pub struct Journal {
    /// In force.
    pub bounds: Bounds,
    /// Of its commits.
    pub durability: Durability,
    /// As it was opened first; none in memory.
    pub path: Option<String>,
    /// Its file is only read.
    pub read_only: bool,
    pub(super) inbox: Inbox,
    pub(super) degraded: AtomicBool,
    /// The rows in memory may not be those in the file.
    pub(super) doubtful: AtomicBool,
    /// The file's name may not be on the disk.
    pub(super) unnamed: AtomicBool,
    /// The file was let go; a late call must not open it again.
    pub(super) gone: AtomicBool,
    pub(super) commits: AtomicU64,
    pub(super) largest_batch: AtomicU64,
    pub(super) watchers: Watchers,
    pub(super) holders: Mutex<Holders>,
    pub(super) file: Mutex<Option<OpenFile>>,
    engine: RwLock<Arc<Engine>>,
    book: RwLock<Arc<Book>>,
    /// Held from before a commit until its rows are shown.
    showing: Mutex<()>,
    pub(super) recent: Recent,
    listeners: Mutex<HashMap<Arc<str>, Arc<dyn Listener>>>,
    pub(super) flushing: AtomicBool,
    pub(super) syncs_before: AtomicU64,
    pub(super) itself: std::sync::Weak<Journal>,
}

impl Journal {
    pub(super) fn new(
        engine: Engine,
        book: Book,
        file: Option<OpenFile>,
        bounds: Bounds,
        durability: Durability,
        path: Option<String>,
        read_only: bool,
    ) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            bounds,
            durability,
            path,
            read_only,
            inbox: Inbox::default(),
            degraded: AtomicBool::new(false),
            doubtful: AtomicBool::new(false),
            unnamed: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            largest_batch: AtomicU64::new(0),
            watchers: Watchers::default(),
            holders: Mutex::new(Holders { count: 1, closing: false }),
            file: Mutex::new(file),
            engine: RwLock::new(Arc::new(engine)),
            book: RwLock::new(Arc::new(book)),
            showing: Mutex::default(),
            recent: Recent::default(),
            listeners: Mutex::default(),
            flushing: AtomicBool::new(false),
            syncs_before: AtomicU64::new(0),
            itself: itself.clone(),
        })
    }

    /// The rows as they were committed last.
    pub fn book(&self) -> Arc<Book> {
        Arc::clone(&self.book.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for a commit whose rows are not shown yet, and keeps others from beginning.
    pub(super) fn showing(&self) -> MutexGuard<'_, ()> {
        self.showing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn show(&self, mut book: Book) {
        let mut place = self.book.write().unwrap_or_else(PoisonError::into_inner);
        book.generation = place.generation + 1;
        let earlier = std::mem::replace(&mut *place, Arc::new(book));
        drop(place);
        // What nobody reads any more is let go outside the lock.
        drop(earlier);
    }

    pub(super) fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn replace_engine(&self, engine: Engine) -> Arc<Engine> {
        let mut place = self.engine.write().unwrap_or_else(PoisonError::into_inner);
        self.syncs_before.fetch_add(place.syncs(), Ordering::Relaxed);
        std::mem::replace(&mut *place, Arc::new(engine))
    }

    /// A refusal of the file, with its path.
    pub(super) fn named(&self, mut refused: Box<Refused>) -> Box<Refused> {
        if refused.path.is_none()
            && let Some(path) = &self.path
        {
            refused.path = Some(path.clone());
        }
        refused
    }

    /// Tells watchers and runners.
    pub(super) fn tell(&self, changes: &[Key], intents: &[Key]) {
        self.watchers.changed(changes, self.book().generation);
        if changes.is_empty() && intents.is_empty() {
            return;
        }
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for key in changes.iter().chain(intents) {
            if let Some(listener) = listeners.get(&*key.scope) {
                // One that panics must not keep the others, or the callers, from being told.
                drop(caught(|| listener.changed(&key.id)));
            }
        }
    }

    /// A runner takes a scope; false if another one has it.
    pub fn listen(&self, scope: &Arc<str>, listener: Arc<dyn Listener>) -> bool {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.contains_key(scope) {
            return false;
        }
        listeners.insert(Arc::clone(scope), listener);
        true
    }

    /// Its runner gives a scope up.
    pub fn unlisten(&self, scope: &str) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).remove(scope);
    }
}

impl Shared for Journal {
    fn join(&self) -> bool {
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        if holders.closing {
            return false;
        }
        holders.count += 1;
        true
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("path", &self.path).finish_non_exhaustive()
    }
}
