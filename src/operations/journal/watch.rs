//! Watchers: told of changes, never of more than the newest state of each row.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, Weak};

use hashbrown::HashMap;

use super::apply::Key;
use super::journal::Journal;
use crate::refused::Answer;
use crate::store::failure::caught;
use crate::sync::Mutex;
use crate::sync::atomic::AtomicBool;

/// Called when there is something to look for. Never under a lock.
pub type Notify = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Undelivered {
    next: u64,
    /// Of the book whose changes were offered last.
    offered: u64,
    /// Rows that were read from a later book than that, and from which: its change of them is delivered.
    ahead: HashMap<Arc<str>, u64>,
    order: BTreeMap<u64, Arc<str>>,
    places: HashMap<Arc<str>, Place>,
}

/// Where a row stands in the order, and the latest book that changed it.
#[derive(Clone, Copy)]
struct Place {
    at: u64,
    book: u64,
}

/// One that watches the rows of a scope, or one of them.
pub struct Watcher {
    scope: Arc<str>,
    id: Option<Arc<str>>,
    undelivered: Mutex<Undelivered>,
    over: AtomicBool,
    notify: Notify,
}

impl Watcher {
    /// Offers the changes of a book. Whether there is something to look for that was not there before.
    fn offer(&self, changes: &[Key], book: u64) -> bool {
        let mut guard = self.undelivered.lock().unwrap_or_else(PoisonError::into_inner);
        let undelivered = &mut *guard;
        let was_empty = undelivered.order.is_empty();
        for key in changes {
            let watched =
                key.scope == self.scope && self.id.as_ref().is_none_or(|id| *id == key.id);
            let delivered = undelivered.ahead.get(&key.id).is_some_and(|read| *read >= book);
            if !watched || delivered {
                continue;
            }
            if let Some(place) = undelivered.places.get_mut(&key.id) {
                place.book = place.book.max(book);
                continue;
            }
            let at = undelivered.next;
            undelivered.next += 1;
            undelivered.order.insert(at, Arc::clone(&key.id));
            undelivered.places.insert(Arc::clone(&key.id), Place { at, book });
        }
        undelivered.offered = undelivered.offered.max(book);
        undelivered.ahead.retain(|_, read| *read > book);
        was_empty && !undelivered.order.is_empty()
    }

    /// A row was read from a book whose changes may not have been offered yet, or were meanwhile.
    fn read(&self, id: Arc<str>, book: u64) {
        let mut guard = self.undelivered.lock().unwrap_or_else(PoisonError::into_inner);
        let undelivered = &mut *guard;
        if let Some(place) = undelivered.places.get(&id).copied()
            && place.book <= book
        {
            undelivered.order.remove(&place.at);
            undelivered.places.remove(&id);
        }
        if book > undelivered.offered {
            undelivered.ahead.insert(id, book);
        }
    }

    /// The newest status, as JSON text, of the row whose undelivered change is oldest. None for now.
    pub fn next(&self, journal: &Journal) -> Answer<Option<String>> {
        loop {
            // Taken before it is read: what changes meanwhile is a change of its own.
            let Some((place, id)) = self.take() else {
                return Ok(None);
            };
            match journal.status_of(&self.scope, &id) {
                Ok(Some((status, book))) => {
                    self.read(id, book);
                    return Ok(Some(status));
                }
                // A row that left the history meanwhile is left out.
                Ok(None) => {}
                Err(refused) => {
                    self.put_back(place, id);
                    return Err(refused);
                }
            }
        }
    }

    fn take(&self) -> Option<(Place, Arc<str>)> {
        let mut undelivered = self.undelivered.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, id) = undelivered.order.pop_first()?;
        let place = undelivered.places.remove(&id).unwrap_or(Place { at, book: 0 });
        Some((place, id))
    }

    fn put_back(&self, mut place: Place, id: Arc<str>) {
        let mut undelivered = self.undelivered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(later) = undelivered.places.get(&id).copied() {
            undelivered.order.remove(&later.at);
            place.book = place.book.max(later.book);
        }
        undelivered.order.insert(place.at, Arc::clone(&id));
        undelivered.places.insert(id, place);
    }

    /// Whether nothing will come any more.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Nothing is to come any more.
    pub fn end(&self) {
        if !self.over.swap(true, Ordering::AcqRel) {
            drop(caught(|| (self.notify)()));
        }
    }
}

/// All that watch a journal. One that nobody holds is forgotten.
#[derive(Default)]
pub(super) struct Watchers(Mutex<Vec<Weak<Watcher>>>);

impl Watchers {
    pub(super) fn add(&self, scope: &str, id: Option<&str>, notify: Notify) -> Arc<Watcher> {
        let watcher = Arc::new(Watcher {
            scope: scope.into(),
            id: id.map(Into::into),
            undelivered: Mutex::default(),
            over: AtomicBool::new(false),
            notify,
        });
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|watcher| watcher.strong_count() > 0);
        all.push(Arc::downgrade(&watcher));
        watcher
    }

    /// Tells of what changed with a book.
    pub(super) fn changed(&self, changes: &[Key], book: u64) {
        if changes.is_empty() {
            return;
        }
        let all: Vec<Arc<Watcher>> = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().filter_map(Weak::upgrade).collect()
        };
        for watcher in all {
            if watcher.offer(changes, book) && !watcher.is_over() {
                // One that panics must not keep the others, or the callers, from being told.
                drop(caught(|| (watcher.notify)()));
            }
        }
    }
}
