//! Invalidations, checkpoint slots and serial lanes in the model, and the end of a member.

use tenure::error::Reason;
use tenure::ownership::{ClaimPhase, Loaded};

use super::model::{Handle, Member, Model, Session};
use super::model_stops::{Own, Sight};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposal {
    Due,
    Disposing,
    Failed,
}

#[derive(Debug)]
pub struct Invalidation {
    pub session: Session,
    pub member: Member,
    pub state: Disposal,
    pub known: bool,
}

#[derive(Debug)]
pub struct Checkpoint {
    pub session: Session,
    pub member: Member,
    pub stored: bool,
    /// The load in flight that was begun for this slot, if it has not ended.
    pub loading: Option<usize>,
    pub known: bool,
}

/// How a load goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    Stored(usize),
    Joined(usize),
    Started(usize),
}

#[derive(Debug)]
pub struct Task {
    pub session: Session,
    pub member: Member,
    /// Of a lane with this name, or of an operation.
    pub lane: Option<u8>,
    pub operation: Option<usize>,
    pub running: bool,
    pub known: bool,
}

#[derive(Debug)]
pub struct Lane {
    pub session: Session,
    pub member: Member,
    pub name: u8,
    /// Tasks that have not ended; the first one runs.
    pub tasks: Vec<usize>,
}

impl Model {
    pub fn holds_slots(&self, session: Session) -> bool {
        self.invalidations.iter().any(|each| each.session == session && each.known)
            || self.checkpoints.iter().any(|each| each.session == session && each.known)
            || self.activations.iter().any(|each| each.session == session && each.known)
            || self.lanes.iter().any(|each| each.session == session && !each.tasks.is_empty())
    }

    pub fn invalidation_of(&self, member: Member, session: Session) -> Option<usize> {
        self.invalidations
            .iter()
            .position(|each| each.known && each.member == member && each.session == session)
    }

    pub fn invalidate(&mut self, member: Member, session: Session) -> (usize, bool) {
        if let Some(open) = self.invalidation_of(member, session) {
            return (open, false);
        }
        let state = Disposal::Due;
        self.invalidations.push(Invalidation { session, member, state, known: true });
        (self.invalidations.len() - 1, true)
    }

    /// The generations to dispose of; none when a disposal was begun before.
    pub fn invalidation_dispose(&mut self, number: usize) -> Option<Vec<usize>> {
        let each = &mut self.invalidations[number];
        if each.state != Disposal::Due {
            return None;
        }
        each.state = Disposal::Disposing;
        let (session, member) = (each.session, each.member);
        self.drop_queue(member, session);
        if let Some(slot) = self.checkpoint_of(member, session) {
            self.drop_checkpoint(slot);
        }
        Some(self.own_generations(member, session))
    }

    pub fn own_generations(&self, member: Member, session: Session) -> Vec<usize> {
        let own = |number: &usize| {
            let each = &self.generations[*number];
            each.member == member && each.session == session && !each.sealed
        };
        (0..self.generations.len()).filter(own).collect()
    }

    pub fn invalidation_done(&mut self, number: usize, ok: bool) {
        if ok {
            self.invalidations[number].known = false;
            self.seal(("InvalidationSealed", Handle::Invalidation(number), 0));
        } else {
            self.invalidations[number].state = Disposal::Failed;
        }
    }

    pub fn checkpoint_of(&self, member: Member, session: Session) -> Option<usize> {
        self.checkpoints
            .iter()
            .position(|each| each.known && each.member == member && each.session == session)
    }

    fn drop_checkpoint(&mut self, slot: usize) {
        self.checkpoints[slot].known = false;
        self.told.push(("CheckpointDropped", Handle::Checkpoint(slot), 0));
    }

    /// `flight` is the number that a load begun now is to have.
    pub fn checkpoint_load(&mut self, member: Member, session: Session, flight: usize) -> Load {
        match self.checkpoint_of(member, session) {
            Some(slot) if self.checkpoints[slot].stored => Load::Stored(slot),
            Some(slot) => Load::Joined(slot),
            None => {
                let loading = Some(flight);
                let slot = Checkpoint { session, member, stored: false, loading, known: true };
                self.checkpoints.push(slot);
                Load::Started(self.checkpoints.len() - 1)
            }
        }
    }

    pub fn checkpoint_loaded(
        &mut self,
        member: Member,
        session: Session,
        flight: usize,
        ok: bool,
    ) -> (Loaded, Option<usize>) {
        let Some(slot) = self.checkpoint_of(member, session) else {
            return (Loaded::Own, None);
        };
        let each = &mut self.checkpoints[slot];
        let own = each.loading == Some(flight);
        if own {
            each.loading = None;
        }
        let answer = if each.stored {
            Loaded::Stored
        } else if own && ok {
            each.stored = true;
            Loaded::Store
        } else {
            if own {
                self.drop_checkpoint(slot);
            }
            Loaded::Own
        };
        (answer, Some(slot))
    }

    pub fn checkpoint_store(&mut self, member: Member, session: Session) -> usize {
        let slot = self.checkpoint_of(member, session).unwrap_or_else(|| {
            let slot = Checkpoint { session, member, stored: true, loading: None, known: true };
            self.checkpoints.push(slot);
            self.checkpoints.len() - 1
        });
        self.checkpoints[slot].stored = true;
        slot
    }

    fn add_task(&mut self, member: Member, session: Session) -> usize {
        let (lane, operation, known) = (None, None, true);
        self.tasks.push(Task { session, member, lane, operation, running: false, known });
        self.tasks.len() - 1
    }

    pub fn serialize(&mut self, member: Member, session: Session, name: u8) -> (usize, bool) {
        let task = self.add_task(member, session);
        self.tasks[task].lane = Some(name);
        let own = |each: &Lane| (each.member, each.session, each.name) == (member, session, name);
        let place = self.lanes.iter().position(own).unwrap_or_else(|| {
            self.lanes.push(Lane { session, member, name, tasks: Vec::new() });
            self.lanes.len() - 1
        });
        self.lanes[place].tasks.push(task);
        let first = self.lanes[place].tasks.len() == 1;
        self.tasks[task].running = first;
        (task, first)
    }

    pub fn enqueue(&mut self, operation: usize) -> (usize, bool) {
        let Model { operations, .. } = self;
        let (member, session) = (operations[operation].member, operations[operation].session);
        let task = self.add_task(member, session);
        self.tasks[task].operation = Some(operation);
        self.operations[operation].lane.push(task);
        let first = self.operations[operation].lane.len() == 1;
        self.tasks[task].running = first;
        (task, first)
    }

    pub fn task_ended(&mut self, task: usize) {
        self.tasks[task].known = false;
        let lane = match self.tasks[task].operation {
            Some(operation) => &mut self.operations[operation].lane,
            None => {
                let mut lanes = self.lanes.iter_mut();
                &mut lanes.find(|lane| lane.tasks.contains(&task)).unwrap().tasks
            }
        };
        lane.retain(|each| *each != task);
        if let Some(next) = lane.first().copied() {
            self.tasks[next].running = true;
            self.told.push(("TaskReady", Handle::Task(next), 0));
        }
    }

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
            view.draining = false;
            if open {
                view.ended = Some(Err(None));
            }
            if known {
                if draining {
                    self.told.push(("Drained", handle, 1));
                }
                if starter && stood {
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
