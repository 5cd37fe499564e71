//! The retained stop operation: what a stop still owes, until all of it is paid.
//!
//! It owes one backend stop per generation, each delivered at most once; projections, each done at
//! most once and in order: status, turns in the order retained, note; and the terminal facts asked
//! for, in any order.
//!
//! ```text
//!   delivery:    pending → delivered | failed
//!   projection:  owed → done            (or never owed)
//!   terminal:    owed → done            (or never owed)
//!   member:      running → stopped      complete(), once its terminal fact is not owed
//!   operation:   retained → over        complete(), once nothing is owed
//! ```

use super::lane::Tasks;
use super::out::{AttemptId, MemberId, Slot};

/// Something owed at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Debt {
    /// Never asked for.
    None,
    /// Asked for and not done.
    Owed,
    /// Done.
    Done,
}

impl Debt {
    /// Owed when asked for.
    pub fn of(asked: bool) -> Self {
        if asked { Debt::Owed } else { Debt::None }
    }

    /// The one transition: what was never owed cannot be done.
    #[must_use]
    pub fn paid(self) -> Self {
        if self == Debt::Owed { Debt::Done } else { self }
    }
}

/// How the stop of one generation's backend went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Not delivered yet.
    Pending,
    /// Delivered.
    Delivered,
    /// Failed.
    Failed,
}

impl Delivery {
    /// The one transition: the first settlement counts.
    #[must_use]
    pub fn settle(self, ok: bool) -> Self {
        match (self, ok) {
            (Delivery::Pending, true) => Delivery::Delivered,
            (Delivery::Pending, false) => Delivery::Failed,
            (settled, _) => settled,
        }
    }
}

/// The stop of one generation.
pub struct Target {
    pub(super) generation: u32,
    pub(super) delivery: Delivery,
    /// The operation still refers to the generation.
    pub(super) refers: bool,
}

/// A run to stop. Its number is its place in the order retained.
pub struct Member {
    /// The place of its generation's target.
    pub(super) target: usize,
    /// The claim by its age, which is not given again.
    pub(super) seq: u32,
    /// The claim's key, until it is released or the retention ends.
    pub(super) claim: Option<u32>,
    /// The run has not been let go of.
    pub(super) present: bool,
    pub(super) turn: Debt,
    pub(super) terminal: Debt,
    pub(super) stopped: bool,
}

/// One retained stop operation of one member.
pub struct Operation {
    pub(super) id: u32,
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    /// The attempt that opened it.
    pub(super) attempt: AttemptId,
    pub(super) retained: bool,
    pub(super) status: Debt,
    pub(super) note: Debt,
    pub(super) targets: Vec<Target>,
    pub(super) members: Vec<Member>,
    /// Its serial lane.
    pub(super) tasks: Tasks,
    /// Its handle is gone.
    pub(super) dropped: bool,
}

/// The first projection that is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Nothing left.
    None,
    /// The session's status.
    Status,
    /// The turn of the member with this number.
    Turn(u32),
    /// The note.
    Note,
}

impl Operation {
    /// What is to be projected next.
    pub(super) fn next_projection(&self) -> Projection {
        if self.status == Debt::Owed {
            return Projection::Status;
        }
        let owed = self.members.iter().position(|member| member.turn == Debt::Owed);
        match owed {
            Some(number) => Projection::Turn(number as u32),
            None if self.note == Debt::Owed => Projection::Note,
            None => Projection::None,
        }
    }

    /// Whether anything at all is owed.
    pub(super) fn owes(&self) -> bool {
        self.next_projection() != Projection::None
            || self.targets.iter().any(|target| target.delivery == Delivery::Pending)
            || self.members.iter().any(|member| !member.stopped || member.terminal == Debt::Owed)
    }

    /// Whether it holds the generation: only while retained.
    pub(super) fn holds(&self, generation: u32) -> bool {
        self.retained
            && self.targets.iter().any(|target| target.refers && target.generation == generation)
    }

    /// Lets go of a member's run, and of every generation that has no run here any more and is not
    /// pending. Returns the claim's key, if the operation still held it.
    pub(super) fn release(&mut self, number: Option<u32>) -> Option<u32> {
        let member = number.and_then(|number| self.members.get_mut(number as usize));
        let claim = member.and_then(|member| {
            member.present = false;
            member.claim.take()
        });
        let Self { targets, members, .. } = self;
        for (place, target) in targets.iter_mut().enumerate() {
            let runs = members.iter().any(|member| member.target == place && member.present);
            target.refers &= runs || target.delivery == Delivery::Pending;
        }
        claim
    }

    /// Marks members stopped, but for those that owe their terminal fact; ends the retention when
    /// nothing is owed any more. True the first time it does.
    pub(super) fn complete(&mut self, numbers: &[u32]) -> bool {
        for number in numbers {
            if let Some(member) = self.members.get_mut(*number as usize) {
                member.stopped |= member.terminal != Debt::Owed;
            }
        }
        let ended = self.retained && !self.owes();
        if ended {
            self.retained = false;
        }
        ended
    }

    /// Places of the targets, by generation.
    pub(super) fn by_generation(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.targets.len()).collect();
        places.sort_by_key(|place| self.targets[*place].generation);
        places
    }

    /// Numbers of the members, by generation, then in the order retained.
    pub(super) fn members_by_generation(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.members.len() as u32).collect();
        numbers.sort_by_key(|n| self.targets[self.members[*n as usize].target].generation);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::{Debt, Delivery, Member, Operation, Projection, Target};

    fn operation(turns: &[Debt], terminals: &[Debt]) -> Operation {
        let members = turns.iter().zip(terminals).map(|(turn, terminal)| Member {
            target: 0,
            seq: 1,
            claim: Some(7),
            present: true,
            turn: *turn,
            terminal: *terminal,
            stopped: false,
        });
        Operation {
            id: 1,
            member: 1,
            slot: 0,
            attempt: 1,
            retained: true,
            status: Debt::Owed,
            note: Debt::Owed,
            targets: vec![Target { generation: 4, delivery: Delivery::Pending, refers: true }],
            members: members.collect(),
            tasks: Default::default(),
            dropped: false,
        }
    }

    #[test]
    fn a_debt_is_paid_once_and_only_when_owed() {
        let rows = [(Debt::None, Debt::None), (Debt::Owed, Debt::Done), (Debt::Done, Debt::Done)];
        for (before, after) in rows {
            assert_eq!(before.paid(), after);
        }
    }

    #[test]
    fn the_first_settlement_of_a_delivery_counts() {
        use Delivery::{Delivered, Failed, Pending};
        let rows = [
            (Pending, true, Delivered),
            (Pending, false, Failed),
            (Delivered, true, Delivered),
            (Delivered, false, Delivered),
            (Failed, true, Failed),
            (Failed, false, Failed),
        ];
        for (before, ok, after) in rows {
            assert_eq!(before.settle(ok), after);
        }
    }

    #[test]
    fn projections_come_as_status_turns_note() {
        let mut operation = operation(&[Debt::None, Debt::Owed], &[Debt::None, Debt::None]);
        assert_eq!(operation.next_projection(), Projection::Status);
        operation.status = operation.status.paid();
        assert_eq!(operation.next_projection(), Projection::Turn(1));
        operation.members[1].turn = Debt::Done;
        assert_eq!(operation.next_projection(), Projection::Note);
        operation.note = Debt::Done;
        assert_eq!(operation.next_projection(), Projection::None);
    }

    #[test]
    fn the_retention_ends_only_when_deliveries_projections_members_and_terminals_are_paid() {
        let mut operation = operation(&[Debt::None], &[Debt::Owed]);
        operation.status = Debt::Done;
        operation.note = Debt::Done;
        assert!(!operation.complete(&[0]));
        operation.members[0].terminal = Debt::Done;
        assert!(!operation.complete(&[0]), "the delivery is owed");
        operation.targets[0].delivery = Delivery::Failed;
        assert!(operation.holds(4));
        assert!(operation.complete(&[]));
        assert!(!operation.complete(&[0]), "only the first time");
        assert!(!operation.holds(4));
    }

    #[test]
    fn a_generation_is_let_go_of_with_its_last_run_unless_its_delivery_is_pending() {
        let mut operation = operation(&[Debt::None; 2], &[Debt::None; 2]);
        assert_eq!(operation.release(Some(0)), Some(7));
        assert_eq!(operation.release(Some(0)), None);
        assert!(operation.targets[0].refers);
        operation.release(Some(1));
        assert!(operation.targets[0].refers, "pending");
        operation.targets[0].delivery = Delivery::Delivered;
        operation.release(None);
        assert!(!operation.targets[0].refers, "asked again");
    }
}
