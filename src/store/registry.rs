//! What is open in this process, by the identity of its file: one path is one thing for all threads.

use std::hash::Hash;
use std::sync::{Arc, PoisonError, Weak};

use hashbrown::HashMap;

use crate::refused::Answer;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// Something that may be joined until it begins to close.
pub trait Shared {
    /// One more holder; false if it closes already.
    fn join(&self) -> bool;
}

enum Slot<T> {
    /// Somebody opens it.
    Busy,
    Open(Weak<T>),
}

struct State<K, T> {
    slots: Option<HashMap<K, Slot<T>>>,
    changes: u64,
}

/// Things that are open, by what they are told apart by.
pub struct Registry<K, T> {
    state: Mutex<State<K, T>>,
    changed: Condvar,
}

/// Frees a slot, unless what was to be opened is.
struct Opening<'r, K: Clone + Eq + Hash, T: Shared> {
    registry: &'r Registry<K, T>,
    key: &'r K,
    opened: Option<Weak<T>>,
}

impl<K: Clone + Eq + Hash, T: Shared> Drop for Opening<'_, K, T> {
    fn drop(&mut self) {
        let opened = self.opened.take();
        self.registry.change(|slots| match opened {
            Some(open) => drop(slots.insert(self.key.clone(), Slot::Open(open))),
            None => drop(slots.remove(self.key)),
        });
    }
}

impl<K: Clone + Eq + Hash, T: Shared> Registry<K, T> {
    /// Nothing is open.
    pub const fn new() -> Self {
        Self { state: Mutex::new(State { slots: None, changes: 0 }), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<K, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut HashMap<K, Slot<T>>)) {
        let mut state = self.lock();
        change(state.slots.get_or_insert_default());
        state.changes += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Joins what is open under the key, or opens it: one at a time, and after one that closes has let
    /// go. True if it was joined. Waits, so it is for threads that may.
    pub fn join_or_open(
        &self,
        key: &K,
        open: impl FnOnce() -> Answer<Arc<T>>,
    ) -> Answer<(Arc<T>, bool)> {
        let mut state = self.lock();
        loop {
            let open = match state.slots.get_or_insert_default().get(key) {
                None => break,
                Some(Slot::Open(open)) => open.upgrade(),
                Some(Slot::Busy) => None,
            };
            let seen = state.changes;
            if let Some(open) = open {
                if open.join() {
                    return Ok((open, true));
                }
                // It closes. Whoever lets go of it last must not do so while everything is locked.
                drop(state);
                drop(open);
                state = self.lock();
            }
            // One that closes, or that was let go without being closed, takes itself out of here.
            while state.changes == seen {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        state.slots.get_or_insert_default().insert(key.clone(), Slot::Busy);
        drop(state);
        let mut opening = Opening { registry: self, key, opened: None };
        let opened = open()?;
        opening.opened = Some(Arc::downgrade(&opened));
        Ok((opened, false))
    }

    /// It has let go.
    pub fn remove(&self, key: &K) {
        self.change(|slots| drop(slots.remove(key)));
    }

    /// It is told apart by another key, too.
    pub fn add(&self, open: &Arc<T>, key: K) {
        self.change(|slots| drop(slots.insert(key, Slot::Open(Arc::downgrade(open)))));
    }
}

impl<K: Clone + Eq + Hash, T: Shared> Default for Registry<K, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, T> std::fmt::Debug for Registry<K, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Registry")
    }
}
