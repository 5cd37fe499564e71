//! A realm: what one JavaScript environment holds of the cores that it made.
//!
//! A realm belongs to one thread and needs no lock. It names sessions, claims and everything else
//! that has a handle by small numbers (slots), so that a call passes numbers and no strings, and
//! collects what a call caused (effects) for the face to act on before the call returns.

use std::sync::Arc;

use hashbrown::HashMap;
use slab::Slab;
use tracing::debug;

use super::mutation::Mutation;
use super::out::{Delivery, Effect, Handle, Kind, Member, MemberId, NO_SLOT, Out, Slot, Wake};
use super::scope::Scope;
use super::session::{Record, Session};
use crate::error::{Outcome, Reason};
use crate::text::Text;

/// Entries below which forgotten sessions of a shared scope are not looked for.
const SWEEP_FLOOR: usize = 256;

pub(super) struct Entry {
    pub(super) session: Arc<Session>,
    pub(super) core: u32,
}

pub(super) struct Core {
    pub(super) member: Arc<Member>,
    pub(super) scope: Arc<Scope>,
    pub(super) entries: HashMap<Text, u32>,
    /// The entry looked up last: it stays, so that the face may remember it.
    last: u32,
    last_removable: bool,
    sweep_at: usize,
}

/// See the module.
#[derive(Default)]
pub struct Realm {
    pub(super) cores: Slab<Core>,
    pub(super) sessions: Slab<Entry>,
    pub(super) handles: Slab<Handle>,
    pub(super) mutations: HashMap<Slot, Arc<Mutation>>,
    pub(super) woken: Vec<Arc<Member>>,
    /// What the calls since the last drain have caused.
    pub effects: Vec<Effect>,
    /// The word of the claim that the last call was about, if it was sealed by it.
    pub(super) sealed: Option<u32>,
}

impl Realm {
    /// A new core, in a scope of its own or as a member of the named one.
    pub fn open_core(&mut self, scope: Option<Text>, wake: Option<Box<dyn Wake>>) -> u32 {
        let (scope, member) = Scope::join(scope, wake);
        let core = Core {
            member,
            scope,
            entries: HashMap::new(),
            last: u32::MAX,
            last_removable: false,
            sweep_at: SWEEP_FLOOR,
        };
        self.cores.insert(core) as u32
    }

    pub(super) fn core(&self, core: u32) -> Outcome<&Core> {
        self.cores.get(core as usize).ok_or(Reason::Closed.into())
    }

    /// The registry of the core's scope, and the core's name as a member of it.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn admission(&self, core: u32) -> Outcome<(&Arc<Scope>, MemberId)> {
        let core = self.core(core)?;
        Ok((&core.scope, core.member.id))
    }

    /// Sessions that hold anything and registrations, of the core's scope.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn stats(&self, core: u32) -> Outcome<(usize, usize)> {
        let scope = &self.core(core)?.scope;
        Ok((scope.live_sessions(), scope.admission.len()))
    }

    /// The session's entry, made if there is none.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn open(&mut self, core: u32, id: &[u16]) -> Outcome<u32> {
        let entry = self.entry(core, id)?;
        let local = &mut self.cores[core as usize];
        if local.last != entry {
            let (before, removable) = (local.last, local.last_removable);
            local.last = entry;
            // Not known to hold anything: the next call tells.
            local.last_removable = true;
            if removable {
                self.retire(before);
            }
        }
        Ok(entry)
    }

    pub(super) fn entry(&mut self, core: u32, id: &[u16]) -> Outcome<u32> {
        let local = self.cores.get_mut(core as usize).ok_or(Reason::Closed)?;
        if let Some(entry) = local.entries.get(id) {
            return Ok(*entry);
        }
        let session = local.scope.open(id);
        let name = session.id.clone();
        let entry = self.sessions.insert(Entry { session, core }) as u32;
        local.entries.insert(name, entry);
        if local.scope.is_shared() && local.entries.len() > local.sweep_at {
            self.sweep(core, entry);
        }
        Ok(entry)
    }

    /// The session as it is, if it is: for look-ups that must not make one.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub(super) fn find(&self, core: u32, id: &[u16]) -> Outcome<Option<Arc<Session>>> {
        let local = self.core(core)?;
        // Of a shared scope the entry's session may have been retired and opened anew.
        Ok(match local.entries.get(id) {
            Some(entry) if !local.scope.is_shared() => {
                Some(Arc::clone(&self.sessions[*entry as usize].session))
            }
            _ => local.scope.find(id),
        })
    }

    /// One call on a session: locked, applied, unlocked; then an event tells of it (`what`, unless it is
    /// empty), and whoever it woke is told.
    pub(super) fn with<R>(
        &mut self,
        entry: u32,
        subject: Slot,
        what: &'static str,
        call: impl FnOnce(&mut Record, &mut Out<'_>) -> Outcome<R>,
    ) -> Outcome<R> {
        let Self { cores, sessions, handles, woken, effects, sealed, .. } = self;
        let place = sessions.get_mut(entry as usize).ok_or(Reason::InvalidThis)?;
        let core = cores.get_mut(place.core as usize).ok_or(Reason::Closed)?;
        let (result, removable) = loop {
            let mut record = place.session.lock()?;
            if record.retired {
                drop(record);
                place.session = core.scope.open(&place.session.id);
                continue;
            }
            let mut out = Out {
                member: core.member.id,
                shared: core.scope.is_shared(),
                session: &place.session,
                subject,
                sealed: None,
                effects,
                handles,
                entry,
                scope: &core.scope,
                woken,
            };
            let result = call(&mut record, &mut out);
            *sealed = out.sealed;
            break (result, record.recount(&core.scope));
        };
        if !what.is_empty() && result.is_ok() {
            tell(&place.session.id, subject, what);
        }
        if core.last == entry {
            core.last_removable = removable;
        } else if removable {
            self.retire(entry);
        }
        self.wake();
        result
    }

    pub(super) fn wake(&mut self) {
        for member in self.woken.drain(..) {
            member.wake();
        }
    }

    /// Lets an entry go, if its session holds nothing: asked again here, since the last answer may be
    /// older than a call that went past it.
    pub(super) fn retire(&mut self, entry: u32) {
        let empty = |record: &Record| record.retired || record.is_removable();
        let place = self.sessions.get(entry as usize);
        let sound = place.and_then(|place| place.session.lock_sound());
        if !sound.is_some_and(|record| empty(&record)) {
            return;
        }
        if let Some(Entry { session, core }) = self.sessions.try_remove(entry as usize)
            && let Some(core) = self.cores.get_mut(core as usize)
        {
            core.entries.remove(&session.id);
            core.scope.retire(&session);
        }
    }

    /// Whether the entry is the one that the core looked up last. It is let go of by the next look-up.
    pub(super) fn is_last(&mut self, core: u32, entry: u32) -> bool {
        let Some(core) = self.cores.get_mut(core as usize) else { return false };
        let last = core.last == entry;
        core.last_removable |= last;
        last
    }

    /// Looks for sessions that other members have emptied, when enough were opened since.
    fn sweep(&mut self, core: u32, kept: u32) {
        let local = &self.cores[core as usize];
        let (last, sessions) = (local.last, &self.sessions);
        let empty = |entry: &u32| {
            let session = &sessions[*entry as usize].session;
            session.lock_sound().is_some_and(|record| record.retired || record.is_removable())
        };
        let empty: Vec<u32> = local
            .entries
            .values()
            .copied()
            .filter(|entry| *entry != last && *entry != kept && empty(entry))
            .collect();
        for entry in empty {
            self.retire(entry);
        }
        let local = &mut self.cores[core as usize];
        local.sweep_at = SWEEP_FLOOR.max(2 * local.entries.len());
    }

    pub(super) fn handle(&self, slot: Slot, kind: Kind) -> Outcome<Handle> {
        match self.handles.get(slot as usize) {
            Some(handle) if handle.kind == kind => Ok(*handle),
            _ => Err(Reason::InvalidThis.into()),
        }
    }

    /// One call on the session of a handle.
    pub(super) fn on<R>(
        &mut self,
        slot: Slot,
        kind: Kind,
        what: &'static str,
        call: impl FnOnce(&mut Record, &mut Out<'_>, u32) -> Outcome<R>,
    ) -> Outcome<R> {
        let Handle { entry, key, .. } = self.handle(slot, kind)?;
        self.with(entry, slot, what, |record, out| call(record, out, key))
    }

    /// A read of the session of a handle: it can cause nothing.
    pub(super) fn read<R>(
        &self,
        slot: Slot,
        kind: Kind,
        read: impl FnOnce(&Record, u32) -> Outcome<R>,
    ) -> Outcome<R> {
        let Handle { entry, key, .. } = self.handle(slot, kind)?;
        self.look(entry, |record| read(record, key))
    }

    /// A read of a session by its entry.
    pub(super) fn look<R>(
        &self,
        entry: u32,
        read: impl FnOnce(&Record) -> Outcome<R>,
    ) -> Outcome<R> {
        let place = self.sessions.get(entry as usize).ok_or(Reason::InvalidThis)?;
        let record = place.session.lock()?;
        if !record.retired {
            return read(&record);
        }
        drop(record);
        // Another member emptied it; it may have been opened anew since.
        match self.core(place.core)?.scope.find(&place.session.id) {
            Some(session) => read(&*session.lock()?),
            None => read(&Record::default()),
        }
    }

    /// The member that a session entry belongs to.
    pub(super) fn member_of(&self, entry: u32) -> Outcome<MemberId> {
        let place = self.sessions.get(entry as usize).ok_or(Reason::InvalidThis)?;
        Ok(self.core(place.core)?.member.id)
    }

    pub(super) fn take_delivery(&self, core: u32) -> Outcome<Option<Delivery>> {
        Ok(self.core(core)?.member.take())
    }

    /// The session of a handle.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn session_id(&self, slot: Slot) -> Outcome<Option<Text>> {
        let handle = self.handles.get(slot as usize).ok_or(Reason::InvalidThis)?;
        Ok(self.sessions.get(handle.entry as usize).map(|each| each.session.id.clone()))
    }

    /// Whether something waits to be delivered to the core.
    pub fn has_deliveries(&self, core: u32) -> bool {
        self.core(core).is_ok_and(|core| core.member.has_deliveries())
    }

    /// Handles in use: for leak tests.
    pub fn handle_count(&self) -> usize {
        self.handles.len()
    }
}

/// An event for every transition, once the lock is released. Off, it costs one relaxed load. Ids are
/// told; texts never are.
fn tell(session: &Text, subject: Slot, what: &'static str) {
    if subject == NO_SLOT {
        debug!(target: "tenure::ownership", %session, "{what}");
    } else {
        debug!(target: "tenure::ownership", %session, slot = subject, "{what}");
    }
}
