//! What concerns a member as a whole, and gestures of several calls, in the core and in the model.

use proptest::{prop_assert, prop_assert_eq};
use tenure::admission::{Refusal, Registration};

use super::model::{Handle, Member, SESSIONS, Session};
use super::world::{Step, World, named, session_text};

impl World {
    fn end_step(&mut self, member: Member) -> Step {
        self.finish(member)?;
        self.observe()?;
        self.model.begin(None);
        Ok(())
    }

    /// As far as it gets: claimed, attached, a generation there, reserved.
    pub fn run(&mut self, member: Member, session: Session, run: u8, turn: u8) -> Step {
        self.model.begin(None);
        let claim = self.model.claims.len();
        self.claim(member, session)?;
        self.end_step(member)?;
        if self.model.claims.len() == claim {
            return Ok(());
        }
        self.attach(claim, run, turn, false)?;
        self.end_step(member)?;
        if self.model.current(session, None).is_none() {
            self.create_generation(claim, None)?;
            self.end_step(member)?;
        }
        let Some(generation) = self.model.current(session, None) else { return Ok(()) };
        self.reserve(claim, generation)
    }

    pub fn stop_and_retain(
        &mut self,
        member: Member,
        session: Session,
        lineage: u8,
        terminal: u8,
    ) -> Step {
        self.model.begin(None);
        self.stop(member, session)?;
        self.end_step(member)?;
        let Some(attempt) = self.model.standing(session) else { return Ok(()) };
        if !self.model.attempts[attempt].knows(member) {
            return Ok(());
        }
        let own: Vec<usize> = self.model.runs(session).collect();
        let own = own.into_iter().filter(|claim| self.model.claims[*claim].member == member);
        for claim in own.collect::<Vec<_>>() {
            self.retain(attempt, member, claim, lineage & 1 == 0, terminal & 3 == 0)?;
            self.end_step(member)?;
        }
        Ok(())
    }

    pub fn deliver(&mut self, member: Member) -> Step {
        self.model.begin(None);
        let expected = self.model.deliver(member);
        let core = self.cores[member];
        let got = self.realm(member).deliver(core);
        prop_assert_eq!(got, Ok(expected));
        Ok(())
    }

    pub fn close(&mut self, member: Member) -> Step {
        let mut sessions: Vec<(u32, Session)> =
            (0..SESSIONS).map(|session| (self.entry(member, session), session)).collect();
        sessions.sort_unstable();
        let sessions: Vec<Session> = sessions.into_iter().map(|(_, session)| session).collect();
        let own = |handle: &Handle| match handle {
            Handle::Mutation(mutation) => self.model.mutations[*mutation].member == member,
            _ => false,
        };
        let mut mutations: Vec<(u32, usize)> = Vec::new();
        for (handle, slot) in self.slots.iter().filter(|(handle, _)| own(handle)) {
            if let Handle::Mutation(mutation) = handle {
                mutations.push((*slot, *mutation));
            }
        }
        mutations.sort_unstable();
        let mutations: Vec<usize> = mutations.into_iter().map(|(_, mutation)| mutation).collect();
        self.model.begin(None);
        self.model.close(member, &sessions, &mutations);
        let core = self.cores[member];
        prop_assert!(self.realm(member).close_begin(core));
        self.finish(member)?;
        let left: Vec<Handle> = self.model.handles(member);
        let mut expected = self.slots_of(left);
        expected.sort_unstable();
        let mut freed = self.realm(member).close_end(core);
        freed.sort_unstable();
        prop_assert_eq!(freed, expected, "handles that ended with their member");
        self.model.close_end(member);
        self.forget_gone();
        self.leases.retain(|lease| lease.0 != member);
        self.last[member] = None;
        prop_assert!(!self.realm(member).close_begin(core), "ended twice");
        Ok(())
    }

    pub fn admit(&mut self, member: Member, operation: u8, key: u8) -> Step {
        let core = self.cores[member];
        let (scope, id) = self.realm(member).admission(core).unwrap();
        let registration = Registration {
            operation_id: named('o', operation),
            owner_id: named('w', 0),
            session_id: Some(session_text(0)),
        };
        let got = scope.admission.reserve(id, registration, vec![named('k', key)]);
        let busy = self.leases.iter().find(|lease| lease.3 == key);
        let duplicate = self.leases.iter().any(|lease| lease.2 == operation);
        match got {
            Ok(lease) => {
                prop_assert!(busy.is_none() && !duplicate);
                self.leases.push((member, lease, operation, key));
            }
            Err(Refusal::Busy { holder, .. }) => {
                let by = busy.map(|lease| named('o', lease.2));
                prop_assert_eq!(Some(holder.operation_id), by);
            }
            Err(refusal) => {
                prop_assert_eq!(refusal, Refusal::Duplicate);
                prop_assert!(busy.is_none() && duplicate);
            }
        }
        Ok(())
    }

    pub fn admission_released(&mut self, number: u8) -> Step {
        if self.leases.is_empty() {
            return Ok(());
        }
        let place = number as usize % self.leases.len();
        let (member, lease, ..) = self.leases.remove(place);
        let core = self.cores[member];
        let (scope, _) = self.realm(member).admission(core).unwrap();
        prop_assert!(scope.admission.release(lease));
        prop_assert!(!scope.admission.release(lease));
        Ok(())
    }
}
