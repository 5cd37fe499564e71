//! The state that the members of one scope share, and the process-wide list of scopes by name.
//!
//! Lock order: shard → session → members → inbox. The list of scopes and the admission registry are
//! leaves of their own and are never held together with another lock.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use hashbrown::HashMap;

use super::out::{Member, MemberId, Wake};
use super::session::Session;
use crate::admission::Registry;
use crate::sync::atomic::{AtomicU32, AtomicUsize};
use crate::sync::{Global, Mutex, MutexGuard, RwLock, RwLockWriteGuard, Scatter};
use crate::text::Text;

const SHARDS: usize = 16;

static SCOPES: Global<Mutex<BTreeMap<Text, Arc<Scope>>>> = Global::new(Mutex::default);
static NEXT_MEMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(1);

/// Sessions, members and admission of one scope. A core without a scope has one of its own.
pub struct Scope {
    name: Option<Text>,
    hasher: Scatter,
    shards: [Mutex<HashMap<Text, Arc<Session>>>; SHARDS],
    members: RwLock<Vec<Arc<Member>>>,
    generations: AtomicU32,
    live: AtomicUsize,
    /// The registry of active application operations.
    pub admission: Registry,
}

impl Scope {
    fn new(name: Option<Text>) -> Self {
        Self {
            name,
            hasher: Scatter::default(),
            shards: Default::default(),
            members: RwLock::default(),
            generations: AtomicU32::new(0),
            live: AtomicUsize::new(0),
            admission: Registry::default(),
        }
    }

    /// Adds a member to the scope of that name, or to a scope of its own. Any thread may.
    pub fn join(name: Option<Text>, wake: Option<Box<dyn Wake>>) -> (Arc<Scope>, Arc<Member>) {
        let id = NEXT_MEMBER.fetch_add(1, Ordering::Relaxed);
        let member = Arc::new(Member::new(id, wake));
        let Some(name) = name else {
            let scope = Arc::new(Scope::new(None));
            scope.members_mut().push(Arc::clone(&member));
            return (scope, member);
        };
        let mut scopes = lock(SCOPES.get());
        let scope = scopes.entry(name.clone()).or_insert_with(|| Arc::new(Scope::new(Some(name))));
        // Under the lock of the list: a scope whose last member leaves now is not joined.
        scope.members_mut().push(Arc::clone(&member));
        (Arc::clone(scope), member)
    }

    /// Takes a member out. With the last one the scope ends and its name begins anew.
    pub(super) fn leave(&self, member: MemberId) {
        let mut scopes = lock(SCOPES.get());
        let mut members = self.members_mut();
        members.retain(|each| each.id != member);
        if members.is_empty()
            && let Some(name) = &self.name
        {
            scopes.remove(name);
        }
    }

    fn members_mut(&self) -> RwLockWriteGuard<'_, Vec<Arc<Member>>> {
        self.members.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn member(&self, id: MemberId) -> Option<Arc<Member>> {
        let members = self.members.read().unwrap_or_else(PoisonError::into_inner);
        members.iter().find(|each| each.id == id).cloned()
    }

    /// Whether a name was given, so that other members may come.
    pub fn is_shared(&self) -> bool {
        self.name.is_some()
    }

    pub(super) fn next_generation(&self) -> u32 {
        self.generations.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Sessions that hold anything.
    pub fn live_sessions(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }

    pub(super) fn count(&self, live: bool) {
        if live {
            self.live.fetch_add(1, Ordering::Relaxed);
        } else {
            self.live.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn shard(&self, id: &[u16]) -> MutexGuard<'_, HashMap<Text, Arc<Session>>> {
        let hash = self.hasher.hash_one(id);
        lock(&self.shards[(hash >> 32) as usize % SHARDS])
    }

    /// The session of that id, made if there is none.
    pub(super) fn open(&self, id: &[u16]) -> Arc<Session> {
        let mut shard = self.shard(id);
        if let Some(session) = shard.get(id) {
            return Arc::clone(session);
        }
        let id = Text::from_units(id);
        let session = Arc::new(Session::new(id.clone()));
        shard.insert(id, Arc::clone(&session));
        session
    }

    /// The session of that id, if it holds anything.
    pub(super) fn find(&self, id: &[u16]) -> Option<Arc<Session>> {
        self.shard(id).get(id).cloned()
    }

    /// Takes out a session that holds nothing, emptiness checked again under both locks: whoever
    /// holds it still finds it retired, and opens it anew.
    pub(super) fn retire(&self, session: &Arc<Session>) {
        let mut shard = self.shard(&session.id);
        let Some(mut record) = session.lock_sound() else { return };
        if record.is_removable() && !record.retired {
            record.retired = true;
            shard.remove(&session.id);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Maps and counters only, never left half-changed: a poisoned one is sound.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Scope;
    use crate::text::Text;

    #[test]
    fn a_scope_is_joined_from_any_thread_and_begins_anew_after_its_last_member() {
        let name = Some(Text::from("scope-test"));
        let (scope, member) = Scope::join(name.clone(), None);
        assert_eq!(scope.next_generation(), 1);
        let other = name.clone();
        let joined = std::thread::spawn(move || {
            let (scope, member) = Scope::join(other, None);
            let id = scope.next_generation();
            scope.leave(member.id);
            id
        });
        assert_eq!(joined.join().unwrap(), 2);
        scope.leave(member.id);
        let (anew, last) = Scope::join(name, None);
        assert_eq!(anew.next_generation(), 1);
        anew.leave(last.id);
    }
}
