//! The end of a member, by `close` or with its thread: the same steps, and no JavaScript in them.

use std::sync::Arc;

use crate::error::Reason;
use crate::ownership::attempt::{Ended, Event};
use crate::ownership::claim;
use crate::ownership::mutation::{Event as MutationEvent, Mutation, State};
use crate::ownership::operation::Debt;
use crate::ownership::out::{AttemptId, Effect, NO_SLOT, Out};
use crate::ownership::realm::Realm;
use crate::ownership::session::{Entering, Record};

use super::trace;

/// A generation that has gone with its member: the flight of its stop, and this.
const GENERATION_CLOSED: u32 = 1 << 2;

impl Record {
    fn end_member(&mut self, out: &mut Out<'_>) {
        self.end_operations(out);
        self.end_claims(out);
        self.end_generations(out);
        self.end_attempts(out);
        let member = out.member;
        self.steering.end_member(member, out);
        for invalidation in self.invalidations.iter().filter(|each| each.member == member) {
            out.here(Effect::InvalidationSealed(invalidation.slot, 1));
        }
        for lane in self.lanes.iter().filter(|each| each.member == member) {
            lane.tasks.waiting().for_each(|task| out.here(Effect::MutationClosed(task)));
        }
        self.invalidations.retain(|each| each.member != member);
        self.lanes.retain(|each| each.member != member);
        self.checkpoints.retain(|each| each.member != member);
        self.activations.retain(|each| each.member != member);
        self.requests.retain(|each| each.member != member);
    }

    /// If the one that owed status and note goes unpaid, the next one opened in its attempt owes them.
    fn end_operations(&mut self, out: &mut Out<'_>) {
        let member = out.member;
        let mut unpaid: Vec<(AttemptId, u32)> = Vec::new();
        for operation in self.operations.iter().filter(|each| each.member == member) {
            if operation.status == Debt::Owed || operation.note == Debt::Owed {
                unpaid.push((operation.attempt, operation.id));
            }
            operation.tasks.waiting().for_each(|task| out.here(Effect::MutationClosed(task)));
            out.here(Effect::OperationOver(operation.slot));
        }
        self.operations.retain(|each| each.member != member);
        for (attempt, operation) in unpaid {
            if let Some(attempt) = self.attempt_mut(attempt)
                && attempt.opened == Some(operation)
            {
                attempt.opened = None;
            }
        }
    }

    fn end_claims(&mut self, out: &mut Out<'_>) {
        let member = out.member;
        // No part of its begins any more: nothing waits for it.
        for attempt in &mut self.attempts {
            if let Some(view) = attempt.view_mut(member) {
                view.begun = true;
            }
        }
        let own = self.claims.iter().filter(|(_, claim)| claim.member == member);
        let mut own: Vec<(u32, u32)> = own.map(|(key, claim)| (claim.seq, key as u32)).collect();
        own.sort_unstable();
        for (_, key) in own {
            self.leave_generation(key, out);
            let Some(claim) = self.claims.get_mut(key as usize) else {
                continue;
            };
            claim.held = false;
            if std::mem::replace(&mut claim.entering, Entering::Idle) != Entering::Idle {
                out.here(Effect::Entered(claim.slot, 1 + Reason::Closed as u32));
            }
            let live = claim.state.phase.is_live();
            claim.state = claim.state.next(claim::Event::Abandon).unwrap_or(claim.state);
            if live {
                claim.abandoned = true;
                self.live -= 1;
                let stops = claim.stops.clone();
                self.tell_attempts(&stops, &Ended::Failed(None), out);
            }
            self.seal_claim(key, true, out);
        }
    }

    fn end_generations(&mut self, out: &mut Out<'_>) {
        let member = out.member;
        self.generations.retain(|each| {
            let ends = each.member == member;
            if ends {
                let word = each.flight as u32;
                out.seal(each.slot, Effect::GenerationSealed(each.slot, word | GENERATION_CLOSED));
            }
            !ends
        });
    }

    fn end_attempts(&mut self, out: &mut Out<'_>) {
        let member = out.member;
        for attempt in &mut self.attempts {
            if let Some(place) = attempt.joined.iter().position(|(joined, _)| *joined == member) {
                let (_, slot) = attempt.joined.remove(place);
                out.here(Effect::Joined(slot, 2));
            }
            let starter = attempt.starter() == member;
            let Some(view) = attempt.view_mut(member) else {
                continue;
            };
            let slot = view.slot;
            let waits = std::mem::replace(&mut view.draining, false);
            let open = !starter && view.ended == Ended::Not;
            if open {
                view.ended = Ended::Failed(None);
            }
            let lifting = std::mem::replace(&mut view.lifting, false);
            let stands = attempt.is_standing() || lifting;
            if let Some(slot) = slot {
                if waits {
                    out.here(Effect::Drained(slot, 1));
                }
                if starter && stands {
                    out.here(Effect::Lifted(slot, 1));
                }
                out.here(Effect::AttemptOver(slot, 1));
            }
            if starter {
                // Its own promise was told above: the view goes before the move tells the others.
                attempt.views[0].slot = None;
                attempt.apply(Event::StarterEnded, out);
                attempt.views[0].slot = slot;
            } else if open {
                attempt.apply(Event::PartSettled, out);
            }
        }
    }
}

impl Realm {
    /// Ends a core's part in everything. What waited for it here is among the effects; the handles
    /// stay readable until [`Realm::close_end`]. False when it had ended before.
    pub fn close_begin(&mut self, core: u32) -> bool {
        let Ok(local) = self.core(core) else {
            return false;
        };
        let (member, scope) = (Arc::clone(&local.member), Arc::clone(&local.scope));
        let mut entries: Vec<u32> = local.entries.values().copied().collect();
        entries.sort_unstable();
        member.close();
        for entry in &entries {
            let Some(place) = self.sessions.get(*entry as usize) else {
                continue;
            };
            let session = Arc::clone(&place.session);
            let (mut record, sound) = session.lock_anyway();
            if !sound || record.retired {
                continue;
            }
            let mut out = Out {
                member: member.id,
                shared: scope.is_shared(),
                session: &session,
                subject: NO_SLOT,
                sealed: None,
                effects: &mut self.effects,
                handles: &mut self.handles,
                entry: *entry,
                scope: &scope,
                woken: &mut self.woken,
            };
            record.end_member(&mut out);
            record.recount(&scope);
        }
        self.end_mutations(core);
        scope.admission.end_member(member.id);
        self.wake();
        trace::closed(member.id);
        true
    }

    fn end_mutations(&mut self, core: u32) {
        let Ok(member) = self.core(core).map(|core| core.member.id) else {
            return;
        };
        let mut own: Vec<(u32, Arc<Mutation>)> = self
            .mutations
            .iter()
            .filter(|(_, mutation)| mutation.member == member)
            .map(|(slot, mutation)| (*slot, Arc::clone(mutation)))
            .collect();
        own.sort_unstable_by_key(|(slot, _)| *slot);
        // All are abandoned before any ends, so that none of them comes to its turn.
        let mut ended = Vec::new();
        for (slot, mutation) in own {
            match mutation.apply(MutationEvent::Abandon) {
                (State::Queued(_), _) => self.effects.push(Effect::MutationClosed(slot)),
                (State::Running, State::Ended) => ended.push((slot, mutation)),
                _ => {}
            }
        }
        for (slot, mutation) in ended {
            self.mutations.remove(&slot);
            // A session that has panicked keeps its queue; all others go on.
            let _ = self.end_mutation(mutation);
        }
    }

    /// Frees what the core had here, and returns the slots of the handles that end thereby. With the
    /// last member the scope ends.
    pub fn close_end(&mut self, core: u32) -> Vec<u32> {
        let Some(local) = self.cores.try_remove(core as usize) else { return Vec::new() };
        for (_, entry) in local.entries {
            if let Some(place) = self.sessions.try_remove(entry as usize) {
                let (mut record, _) = place.session.lock_anyway();
                record.forget_views(local.member.id);
                drop(record);
                local.scope.retire(&place.session);
            }
        }
        let (sessions, mut freed) = (&self.sessions, Vec::new());
        self.handles.retain(|slot, handle| {
            let kept = sessions.contains(handle.entry as usize);
            if !kept {
                freed.push(slot as u32);
            }
            kept
        });
        self.mutations.retain(|_, mutation| mutation.member != local.member.id);
        local.scope.leave(local.member.id);
        freed
    }

    /// Ends every core of the realm: its thread ends.
    pub fn end(&mut self) {
        let cores: Vec<u32> = self.cores.iter().map(|(key, _)| key as u32).collect();
        for core in cores {
            self.close_begin(core);
            self.close_end(core);
        }
        self.effects.clear();
    }

    /// Whether a sealed generation went with its member.
    pub fn generation_was_closed(word: u32) -> bool {
        word & GENERATION_CLOSED != 0
    }
}

impl Record {
    fn forget_views(&mut self, member: u32) {
        for attempt in &mut self.attempts {
            attempt.drop_view(member);
            attempt.joined.retain(|(joined, _)| *joined != member);
        }
        self.forget_attempts();
    }
}
