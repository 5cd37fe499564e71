//! Invalidations, checkpoint slots and serial lanes in the model.

use tenure::ownership::Loaded;

use super::model::{Handle, Member, Model, Session};

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
        let next = lane.first().copied();
        if let Some(next) = next {
            self.tasks[next].running = true;
            self.told.push(("TaskReady", Handle::Task(next), 0));
        }
        if let (None, Some(operation)) = (next, self.tasks[task].operation) {
            let operation = &mut self.operations[operation];
            operation.known &= !operation.dropped;
        }
    }
}
