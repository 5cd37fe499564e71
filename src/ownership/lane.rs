//! A serial lane: tasks that run one after another, failed or not.
//!
//! ```text
//!   idle → running      enqueue: the task starts
//!   running → running   enqueue: the task waits; or a task ended and the next one starts
//!   running → idle      the last task ended
//! ```

use std::collections::VecDeque;

use super::out::{MemberId, Slot};
use crate::text::Text;

/// The queue of a lane. The task that runs is in front.
#[derive(Default, Debug)]
pub struct Tasks(VecDeque<Slot>);

impl Tasks {
    /// Adds a task. True when it may start.
    pub(super) fn enqueue(&mut self, task: Slot) -> bool {
        self.0.push_back(task);
        self.0.len() == 1
    }

    /// The task that ran has ended. Returns the next one.
    pub(super) fn ended(&mut self) -> Option<Slot> {
        self.0.pop_front();
        self.0.front().copied()
    }

    /// The task that runs.
    pub(super) fn front(&self) -> Option<Slot> {
        self.0.front().copied()
    }

    /// Tasks that have not started.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Slot> {
        self.0.iter().skip(1).copied()
    }
}

/// A lane of one member, by name.
pub struct Lane {
    pub(super) member: MemberId,
    pub(super) name: Text,
    pub(super) tasks: Tasks,
}

#[cfg(test)]
mod tests {
    use super::Tasks;

    #[test]
    fn tasks_start_one_after_another_in_the_order_queued() {
        let mut tasks = Tasks::default();
        assert_eq!(tasks.front(), None);
        assert!(tasks.enqueue(1));
        assert!(!tasks.enqueue(2));
        assert!(!tasks.enqueue(3));
        assert_eq!(tasks.waiting().collect::<Vec<_>>(), [2, 3]);
        assert_eq!(tasks.ended(), Some(2));
        assert_eq!(tasks.ended(), Some(3));
        assert_eq!(tasks.ended(), None);
        assert_eq!(tasks.front(), None);
        assert_eq!(tasks.ended(), None);
        assert!(tasks.enqueue(4));
    }
}
