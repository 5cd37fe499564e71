//! Session mutations: queued on their whole set in one step, run one after another.

use std::sync::Arc;

use crate::error::{Outcome, Reason};
use crate::ownership::claim::Phase;
use crate::ownership::mutation::{Event, Mutation, State};
use crate::ownership::out::{Cause, Delivery, Effect, Handle, Kind, MemberId, Out, Slot};
use crate::ownership::realm::Realm;
use crate::ownership::scope::Scope;
use crate::ownership::session::{Entering, Record, Session};
use crate::sync::MutexGuard;
use crate::text::Text;

use super::trace;

/// Where the phase stands beside the reason in [`Effect::Entered`].
const PHASE_SHIFT: u32 = 8;

/// What became of a mutation.
#[derive(Debug, PartialEq, Eq)]
pub enum Queued {
    /// Queued under the slot; true when its task may run.
    Queued(Slot, bool),
    /// Refused: these sessions, sorted, have live claims.
    Busy(Vec<Text>),
}

impl Record {
    /// Ends the mutation in front, tells the claims whose wait is over, and returns the next one.
    fn end_mutation(&mut self, out: &mut Out<'_>) -> Option<Arc<Mutation>> {
        let next = self.mutations.pop();
        if self.claims.iter().any(|(_, claim)| claim.entering == Entering::Waiting) {
            self.admit(out);
        }
        next
    }

    fn admit(&mut self, out: &mut Out<'_>) {
        let mut admitted: Vec<(u32, u32)> = self
            .claims
            .iter()
            .filter(|(_, claim)| {
                claim.entering == Entering::Waiting && !self.mutations.blocks(claim.barrier)
            })
            .map(|(key, claim)| (claim.seq, key as u32))
            .collect();
        admitted.sort_unstable();
        for (_, key) in admitted {
            let claim = &mut self.claims[key as usize];
            let reason = match claim.state.phase {
                Phase::Pending => 0,
                phase => (1 + Reason::EnterPhase as u32) | (phase as u32) << PHASE_SHIFT,
            };
            if claim.member == out.member {
                let slot = claim.slot;
                claim.entering = Entering::Idle;
                out.here(Effect::Entered(slot, reason));
                self.seal_claim(key, false, out);
            } else {
                // It stays known until this is delivered.
                claim.entering = Entering::Told;
                let member = claim.member;
                out.post(member, Cause::Entered(key, reason));
            }
        }
    }
}

/// Every session of a set under lock, in the order of their ids: the one lock order across sessions.
/// None when one was retired meanwhile: to be opened anew.
fn lock_all(sessions: &[Arc<Session>]) -> Outcome<Option<Vec<MutexGuard<'_, Record>>>> {
    let mut records = Vec::with_capacity(sessions.len());
    for session in sessions {
        let record = session.lock()?;
        if record.retired {
            return Ok(None);
        }
        records.push(record);
    }
    Ok(Some(records))
}

impl Realm {
    /// Queues a mutation on all the sessions in one step.
    ///
    /// # Errors
    /// `ERR_CLOSED`, `ERR_INTERNAL`.
    pub fn mutate(&mut self, core: u32, mut ids: Vec<Text>, quiescent: bool) -> Outcome<Queued> {
        ids.sort_unstable();
        ids.dedup();
        let local = self.core(core)?;
        let (scope, member) = (Arc::clone(&local.scope), local.member.id);
        let entries: Vec<u32> =
            ids.iter().map(|id| self.entry(core, id)).collect::<Outcome<_>>()?;
        loop {
            let sessions: Vec<Arc<Session>> = ids.iter().map(|id| scope.open(id)).collect();
            let locked = match lock_all(&sessions) {
                Ok(locked) => locked,
                Err(refusal) => {
                    self.settle_entries(&entries);
                    return Err(refusal);
                }
            };
            let Some(mut records) = locked else { continue };
            if quiescent {
                let live = records.iter().zip(&ids).filter(|(record, _)| record.live > 0);
                let busy: Vec<Text> = live.map(|(_, id)| id.clone()).collect();
                if !busy.is_empty() {
                    drop(records);
                    self.settle_entries(&entries);
                    return Ok(Queued::Busy(busy));
                }
            }
            let behind = records.iter().filter(|record| !record.mutations.is_empty()).count();
            let key = entries.first().copied().unwrap_or(0);
            let handle = Handle { kind: Kind::Mutation, entry: key, key: 0 };
            let slot = self.handles.insert(handle) as Slot;
            let mutation = Mutation::new(member, slot, sessions.clone(), behind as u32);
            let mutation = Arc::new(mutation);
            for record in &mut records {
                record.mutations.push(Arc::clone(&mutation));
                record.recount(&scope);
            }
            drop(records);
            self.mutations.insert(slot, mutation);
            self.adopt(&entries, &sessions);
            trace::mutation(ids.iter(), "queued");
            return Ok(Queued::Queued(slot, behind == 0));
        }
    }

    /// The entries follow sessions that were opened anew.
    fn adopt(&mut self, entries: &[u32], sessions: &[Arc<Session>]) {
        for (entry, session) in entries.iter().zip(sessions) {
            if let Some(place) = self.sessions.get_mut(*entry as usize) {
                place.session = Arc::clone(session);
            }
        }
    }

    /// Lets entries go that a call opened and left empty.
    pub(super) fn settle_entries(&mut self, entries: &[u32]) {
        for entry in entries {
            let Some(core) = self.sessions.get(*entry as usize).map(|place| place.core) else {
                continue;
            };
            if !self.is_last(core, *entry) {
                self.retire(*entry);
            }
        }
    }

    /// The task of a mutation has settled.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn mutation_settled(&mut self, slot: Slot) -> Outcome<()> {
        let Some(mutation) = self.mutations.remove(&slot) else {
            return Ok(());
        };
        self.handles.try_remove(slot as usize);
        trace::mutation(mutation.sessions.iter().map(|session| &session.id), "ended");
        if mutation.apply(Event::Settled).1 == State::Ended {
            self.end_mutation(mutation)?;
        }
        self.wake();
        Ok(())
    }

    /// Takes ended mutations out of the queues of their sessions, and the abandoned ones that come to
    /// the front thereby.
    pub(super) fn end_mutation(&mut self, mutation: Arc<Mutation>) -> Outcome<()> {
        let member = mutation.member;
        let Some(scope) = self.scope_of(member) else {
            return Ok(());
        };
        let mut ended = vec![mutation];
        let mut entries = Vec::new();
        while let Some(mutation) = ended.pop() {
            for session in &mutation.sessions {
                let entry = self.entry_for(member, session)?;
                entries.push(entry);
                let next = self.end_in(entry, session, &scope, member)?;
                let Some(next) = next else { continue };
                match next.apply(Event::Front) {
                    (State::Queued(_), State::Running) => {
                        self.ready(&next, session, &scope, member)
                    }
                    (State::Abandoned(_), State::Ended) => ended.push(next),
                    _ => {}
                }
            }
        }
        self.settle_entries(&entries);
        Ok(())
    }

    fn end_in(
        &mut self,
        entry: u32,
        session: &Arc<Session>,
        scope: &Arc<Scope>,
        member: MemberId,
    ) -> Outcome<Option<Arc<Mutation>>> {
        let (mut record, sound) = session.lock_anyway();
        if !sound {
            // Nothing more of a broken session than that its queue goes on.
            return Ok(record.mutations.pop());
        }
        let mut out = Out {
            member,
            shared: scope.is_shared(),
            session,
            subject: crate::ownership::out::NO_SLOT,
            sealed: None,
            effects: &mut self.effects,
            handles: &mut self.handles,
            entry,
            scope,
            woken: &mut self.woken,
        };
        let next = record.end_mutation(&mut out);
        record.recount(scope);
        Ok(next)
    }

    fn ready(
        &mut self,
        next: &Arc<Mutation>,
        session: &Arc<Session>,
        scope: &Arc<Scope>,
        member: MemberId,
    ) {
        if next.member == member {
            self.effects.push(Effect::MutationReady(next.slot));
        } else if let Some(other) = scope.member(next.member) {
            let cause = Cause::MutationReady(next.slot);
            if other.post(Delivery { session: Arc::clone(session), cause }) {
                self.woken.push(other);
            }
        }
    }

    fn scope_of(&self, member: MemberId) -> Option<Arc<Scope>> {
        let mut cores = self.cores.iter();
        cores.find(|(_, core)| core.member.id == member).map(|(_, core)| Arc::clone(&core.scope))
    }

    pub(super) fn entry_for(&mut self, member: MemberId, session: &Arc<Session>) -> Outcome<u32> {
        let core = self.cores.iter().find(|(_, core)| core.member.id == member).map(|(key, _)| key);
        let core = core.ok_or(Reason::Closed)?;
        self.entry(core as u32, &session.id)
    }
}
