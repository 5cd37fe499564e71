//! Brings a scope to rest: everything that was begun ends, and nothing may be left of it.

use proptest::{prop_assert, prop_assert_eq};
use tenure::ownership::{ClaimEvent, ClaimPhase, Flight, GenerationPhase};

use super::model::{Handle, Member, SESSIONS, Session};
use super::model_claims::Claim;
use super::model_slots::Disposal;
use super::world::{Step, World};

impl World {
    /// Ends everything by its own call, and compares as any other call does. Whatever has failed for good
    /// stays; of all else nothing may.
    pub fn wind_down(&mut self) -> Step {
        self.end_stops()?;
        self.end_queues()?;
        self.end_claims()?;
        self.end_operations()?;
        self.end_backends()?;
        self.end_slots()?;
        self.deliver_all()?;
        while !self.leases.is_empty() {
            self.call((super::call::Kind::AdmissionReleased, [0; 4]))?;
        }
        let waits = |claim: &Claim| claim.entering && self.model.members[claim.member].open;
        prop_assert!(!self.model.claims.iter().any(waits), "a claim waits for ever");
        for (number, attempt) in self.model.attempts.iter().enumerate() {
            prop_assert!(self.lifted.contains(&number), "a stop was never lifted");
            prop_assert!(attempt.joined.is_empty(), "a joined stop never ended");
        }
        let failed = self.model.generations.iter().any(|each| !each.sealed)
            || self.model.invalidations.iter().any(|each| each.known);
        if !failed {
            for member in self.open_members() {
                let (core, realm) = (self.cores[member], self.model.members[member].realm);
                prop_assert_eq!(self.realms[realm].stats(core), Ok((0, 0)), "nothing is left");
            }
            for realm in &self.realms {
                prop_assert_eq!(realm.handle_count(), 0, "no handle is left");
            }
        }
        Ok(())
    }

    /// Ends every member. Nothing at all may be left in any realm.
    pub fn close_all(&mut self) -> Step {
        for member in self.open_members() {
            self.close(member)?;
            self.observe()?;
        }
        for realm in &self.realms {
            prop_assert_eq!(realm.handle_count(), 0, "no handle is left");
            prop_assert!(realm.effects.is_empty());
        }
        Ok(())
    }

    fn done(&mut self, member: Member) -> Step {
        self.finish(member)?;
        self.observe()
    }

    fn begin(&mut self, handle: Option<Handle>) {
        self.model.begin(handle);
    }

    pub fn deliver_all(&mut self) -> Step {
        while let Some(member) = self
            .open_members()
            .into_iter()
            .find(|member| !self.model.members[*member].inbox.is_empty())
        {
            self.deliver(member)?;
            self.done(member)?;
        }
        Ok(())
    }

    fn end_stops(&mut self) -> Step {
        self.deliver_all()?;
        for (attempt, member) in self.views(None) {
            self.begin(None);
            self.attempt_settled(attempt, member, true)?;
            self.done(member)?;
        }
        self.deliver_all()
    }

    fn end_queues(&mut self) -> Step {
        loop {
            self.deliver_all()?;
            let Some(mutation) = self.running_mutations().first().copied() else { break };
            let member = self.model.mutations[mutation].member;
            self.begin(Some(Handle::Mutation(mutation)));
            self.mutation_settled(mutation)?;
            self.done(member)?;
        }
        prop_assert!(self.model.waiting.iter().all(Vec::is_empty), "a mutation never ran");
        for turn in 0..self.model.turns.len() {
            let member = self.model.turns[turn].member;
            if self.model.members[member].open && self.model.turns[turn].known {
                self.begin(Some(Handle::Turn(turn)));
                self.release_turn(turn)?;
                self.done(member)?;
            }
        }
        let Some(member) = self.open_members().first().copied() else { return Ok(()) };
        for session in 0..SESSIONS {
            self.begin(None);
            self.take_queue(member, session, true)?;
            self.done(member)?;
        }
        self.deliver_all()
    }

    fn end_claims(&mut self) -> Step {
        for claim in 0..self.model.claims.len() {
            let member = self.model.claims[claim].member;
            let events =
                [ClaimEvent::Release, ClaimEvent::Finalize(false), ClaimEvent::Settle(true)];
            for event in events {
                if self.model.claims[claim].phase.is_live()
                    && (self.model.claims[claim].phase == ClaimPhase::Reserved)
                        == (event == ClaimEvent::Settle(true))
                {
                    self.begin(Some(Handle::Claim(claim)));
                    self.move_claim(claim, event)?;
                    self.done(member)?;
                }
            }
            prop_assert!(!self.model.claims[claim].phase.is_live());
            if !self.model.claims[claim].sealed {
                self.begin(Some(Handle::Claim(claim)));
                self.leave(claim)?;
                self.done(member)?;
            }
        }
        self.deliver_all()
    }

    fn end_operations(&mut self) -> Step {
        while let Some(task) = self.running_tasks().first().copied() {
            let member = self.model.tasks[task].member;
            self.begin(Some(Handle::Task(task)));
            self.task_ended(task)?;
            self.done(member)?;
        }
        for operation in 0..self.model.operations.len() {
            let each = &self.model.operations[operation];
            let member = each.member;
            if !self.model.members[member].open || !each.known || each.dropped {
                continue;
            }
            let all = each.members.len() as u8;
            for (kind, place) in (0..5).flat_map(|kind| (0..all).map(move |place| (kind, place))) {
                self.begin(None);
                self.pay(operation, kind, place, true)?;
                self.done(member)?;
            }
            self.begin(None);
            self.complete(operation, 255)?;
            self.done(member)?;
            prop_assert!(!self.model.operations[operation].retained);
            self.begin(Some(Handle::Operation(operation)));
            self.drop_operation(operation)?;
            self.done(member)?;
        }
        Ok(())
    }

    fn end_backends(&mut self) -> Step {
        for activation in 0..self.model.activations.len() {
            if self.model.activations[activation].known {
                let member = self.model.activations[activation].member;
                self.begin(Some(Handle::Activation(activation)));
                self.activated(activation)?;
                self.done(member)?;
            }
        }
        for generation in 0..self.model.generations.len() {
            if self.model.generations[generation].sealed {
                continue;
            }
            let member = self.model.generations[generation].member;
            self.begin(None);
            self.generation_dispose(generation)?;
            self.done(member)?;
            let each = &self.model.generations[generation];
            if each.flight == Flight::InFlight {
                self.begin(None);
                self.generation_stopped(generation, true)?;
                self.done(member)?;
            }
            let each = &self.model.generations[generation];
            let (phase, disposed) = (each.phase, each.disposed);
            if phase == GenerationPhase::Disposing {
                self.begin(None);
                if disposed {
                    self.reconcile(generation)?;
                } else {
                    self.generation_disposed(generation, true)?;
                }
                self.done(member)?;
            }
            let each = &self.model.generations[generation];
            prop_assert!(each.sealed || each.phase == GenerationPhase::Failed);
        }
        Ok(())
    }

    fn end_slots(&mut self) -> Step {
        for flight in self.open_flights() {
            let member = self.flights[flight].0;
            self.begin(None);
            self.checkpoint_loaded(flight, true)?;
            self.done(member)?;
        }
        for member in self.open_members() {
            for session in 0..SESSIONS {
                // One that is being disposed of has dropped what there was, and not what came since.
                self.dispose_invalidation(member, session)?;
                self.dispose_invalidation(member, session)?;
                let failed = self.model.invalidation_of(member, session).is_some();
                prop_assert!(failed || self.model.checkpoint_of(member, session).is_none());
            }
        }
        Ok(())
    }

    fn dispose_invalidation(&mut self, member: Member, session: Session) -> Step {
        self.begin(None);
        self.invalidate(member, session)?;
        self.done(member)?;
        let invalidation = self.model.invalidation_of(member, session).unwrap();
        self.begin(None);
        self.invalidation_dispose(invalidation)?;
        self.done(member)?;
        if self.model.invalidations[invalidation].state == Disposal::Disposing {
            self.begin(None);
            self.invalidation_done(invalidation, true)?;
            self.done(member)?;
        }
        Ok(())
    }
}
