//! The end of a member in the model.

use tenure::error::Reason;
use tenure::ownership::ClaimPhase;

use super::model::{Handle, Member, Model, Session};
use super::model_stops::{Own, Sight};

impl Model {
    /// A member ends, with whatever it has in any session. What is left of its handles ends after. In
    /// which order its sessions and mutations end is the caller's to say: nothing promises it.
    pub fn close(&mut self, member: Member, sessions: &[Session], mutations: &[usize]) {
        self.members[member].open = false;
        self.members[member].inbox.clear();
        for session in sessions.iter().copied() {
            self.end_operations(member, session);
            self.end_claims(member, session);
            self.end_generations(member, session);
            self.end_attempts(member, session);
            self.end_steering(member, session);
            self.end_slots(member, session);
        }
        self.end_mutations(member, mutations);
    }

    fn end_operations(&mut self, member: Member, session: Session) {
        for number in 0..self.operations.len() {
            let operation = &mut self.operations[number];
            if (operation.member, operation.session) != (member, session) {
                continue;
            }
            let waiting: Vec<usize> = operation.lane.drain(..).skip(1).collect();
            operation.retained = false;
            let unpaid = operation.status == Some(false) || operation.note == Some(false);
            if operation.known {
                self.told.push(("OperationOver", Handle::Operation(number), 0));
            }
            for task in waiting {
                self.told.push(("MutationClosed", Handle::Task(task), 0));
            }
            if let Some(attempt) = self.operations[number].attempt.filter(|_| unpaid)
                && self.attempts[attempt].opened == Some(number)
            {
                self.attempts[attempt].opened = None;
            }
        }
    }

    fn end_claims(&mut self, member: Member, session: Session) {
        // No part of its begins any more.
        let views = self.attempts.iter_mut().filter(|each| each.session == session);
        views.filter_map(|each| each.view(member)).for_each(|view| view.asked = true);
        for claim in 0..self.claims.len() {
            let each = &self.claims[claim];
            if (each.member, each.session) != (member, session) || each.sealed {
                continue;
            }
            self.take_off(claim);
            let each = &mut self.claims[claim];
            each.held = false;
            if std::mem::replace(&mut each.entering, false) {
                let closed = 1 + Reason::Closed as u32;
                self.told.push(("Entered", Handle::Claim(claim), closed));
            }
            let each = &mut self.claims[claim];
            if each.phase.is_live() {
                each.phase = ClaimPhase::Failed;
                each.abandoned = true;
                for attempt in each.captors.clone() {
                    let captured = self.attempts[attempt].captured.iter_mut();
                    let own = captured.filter(|(n, _)| *n == claim);
                    own.for_each(|(_, ended)| *ended = Some(Err(None)));
                    self.announce(attempt, member);
                }
            }
            self.seal_claim(claim, true);
        }
    }

    fn end_generations(&mut self, member: Member, session: Session) {
        const CLOSED: u32 = 4;
        for number in self.own_generations(member, session) {
            let each = &mut self.generations[number];
            each.sealed = true;
            let word = each.flight as u32 | CLOSED;
            self.seal(("GenerationSealed", Handle::Generation(number), word));
        }
    }

    fn end_attempts(&mut self, member: Member, session: Session) {
        for number in 0..self.attempts.len() {
            let attempt = &mut self.attempts[number];
            if attempt.session != session {
                continue;
            }
            let stood = attempt.is_standing();
            let starter = attempt.starter() == member;
            if attempt.joined.contains(&member) {
                self.told.push(("Joined", Handle::Joined(number, member), 2));
            }
            let Some(view) = self.attempts[number].view(member) else { continue };
            let handle = Handle::View(number, member);
            let (known, draining) = (view.sight == Sight::Known, view.draining);
            let open = !starter && view.ended.is_none();
            let lifting = std::mem::replace(&mut view.lifting, false);
            view.draining = false;
            if open {
                view.ended = Some(Err(None));
            }
            if known {
                if draining {
                    self.told.push(("Drained", handle, 1));
                }
                // Also when the word is on its way, which ends here.
                if starter && (stood || lifting) {
                    self.told.push(("Lifted", handle, 1));
                }
                self.told.push(("AttemptOver", handle, 1));
            }
            if starter && stood {
                self.attempts[number].own = Own::Gone;
            }
            if starter || open {
                self.moved(number, member, stood);
            }
        }
    }

    fn end_slots(&mut self, member: Member, session: Session) {
        for number in 0..self.invalidations.len() {
            let each = &self.invalidations[number];
            if each.known && (each.member, each.session) == (member, session) {
                self.told.push(("InvalidationSealed", Handle::Invalidation(number), 1));
            }
        }
        for lane in self.lanes.iter_mut().filter(|l| (l.member, l.session) == (member, session)) {
            let tasks = std::mem::take(&mut lane.tasks);
            for task in tasks.into_iter().skip(1) {
                self.told.push(("MutationClosed", Handle::Task(task), 0));
            }
        }
    }

    /// The handles that are left of a member that has ended, and that they name nothing any more.
    pub fn close_end(&mut self, member: Member) -> Vec<Handle> {
        let left = self.handles(member);
        self.attempts.iter_mut().for_each(|each| each.joined.retain(|joined| *joined != member));
        self.invalidations.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        self.checkpoints.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        self.activations.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        self.operations.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        self.mutations.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        self.requests.iter_mut().filter(|e| e.member == member).for_each(|e| e.open = false);
        self.messages.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        self.turns.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        self.tasks.iter_mut().filter(|e| e.member == member).for_each(|e| e.known = false);
        left
    }
}
