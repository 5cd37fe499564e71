//! Session mutations: exclusive work on a set of sessions.
//!
//! ```text
//!            nothing ahead any more            its task has settled, or its member has ended
//!   queued ---------------------------> running ------------------------------> ended
//!      |                                                                          ^
//!      | its member has ended            nothing ahead any more                   |
//!      +---------------------> abandoned -----------------------------------------+
//! ```
//!
//! A mutation is queued on all its sessions in one step, so that overlapping sets never deadlock. An
//! abandoned one keeps its place until those ahead have ended, and never runs: ended at once, it
//! would let its followers overtake the one that runs.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use super::out::{MemberId, Slot};
use super::session::Session;
use crate::sync::Mutex;

/// Where a mutation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Waits behind this many mutations at the front of its sessions.
    Queued(u32),
    /// Its task may run, or runs.
    Running,
    /// It will not run, and waits to let its followers pass.
    Abandoned(u32),
    /// Over.
    Ended,
}

/// What may happen to a mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It has come to the front of one of its sessions.
    Front,
    /// Its task has settled.
    Settled,
    /// Its member has ended.
    Abandon,
}

impl State {
    /// The state of a mutation that is not at the front of so many of its sessions.
    pub fn queued(behind: u32) -> State {
        if behind == 0 { State::Running } else { State::Queued(behind) }
    }

    /// The one transition function.
    pub fn next(self, event: Event) -> State {
        match (self, event) {
            (State::Queued(behind), Event::Front) => State::queued(behind.saturating_sub(1)),
            (State::Queued(behind), Event::Abandon) => State::Abandoned(behind),
            (State::Abandoned(0 | 1), Event::Front) => State::Ended,
            (State::Abandoned(behind), Event::Front) => State::Abandoned(behind - 1),
            (State::Running, Event::Settled | Event::Abandon) => State::Ended,
            _ => self,
        }
    }
}

/// One mutation. Its state is a leaf lock, taken under the lock of one of its sessions or alone.
pub struct Mutation {
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    /// In the order of their ids.
    pub(super) sessions: Vec<Arc<Session>>,
    state: Mutex<State>,
}

impl Mutation {
    pub(super) fn new(
        member: MemberId,
        slot: Slot,
        sessions: Vec<Arc<Session>>,
        behind: u32,
    ) -> Self {
        Self { member, slot, sessions, state: Mutex::new(State::queued(behind)) }
    }

    /// Moves it and returns the states before and after.
    pub(super) fn apply(&self, event: Event) -> (State, State) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *state;
        *state = before.next(event);
        (before, *state)
    }
}

/// The mutations of one session, in the order queued; each has a ticket, from 1.
#[derive(Default)]
pub struct Queue {
    pub(super) waiting: VecDeque<Arc<Mutation>>,
    pub(super) issued: u32,
    pub(super) ended: u32,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What a claim made now has to wait for; 0 when there is nothing.
    pub(super) fn barrier(&self) -> u32 {
        if self.waiting.is_empty() { 0 } else { self.issued }
    }

    /// Whether a claim with that barrier still waits.
    pub(super) fn blocks(&self, barrier: u32) -> bool {
        barrier > self.ended
    }

    pub(super) fn push(&mut self, mutation: Arc<Mutation>) {
        self.issued += 1;
        self.waiting.push_back(mutation);
    }

    /// Ends the mutation at the front. Returns the one that is in front now.
    pub(super) fn pop(&mut self) -> Option<Arc<Mutation>> {
        if self.waiting.pop_front().is_some() {
            self.ended += 1;
        }
        self.waiting.front().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, State};
    use State::{Abandoned, Ended, Queued, Running};

    #[test]
    fn every_state_and_event_has_its_row() {
        let rows = [
            (Queued(2), Event::Front, Queued(1)),
            (Queued(1), Event::Front, Running),
            (Queued(2), Event::Settled, Queued(2)),
            (Queued(2), Event::Abandon, Abandoned(2)),
            (Running, Event::Front, Running),
            (Running, Event::Settled, Ended),
            (Running, Event::Abandon, Ended),
            (Abandoned(2), Event::Front, Abandoned(1)),
            (Abandoned(1), Event::Front, Ended),
            (Abandoned(1), Event::Settled, Abandoned(1)),
            (Abandoned(1), Event::Abandon, Abandoned(1)),
            (Ended, Event::Front, Ended),
            (Ended, Event::Settled, Ended),
            (Ended, Event::Abandon, Ended),
        ];
        for (state, event, expected) in rows {
            assert_eq!(state.next(event), expected, "{state:?} {event:?}");
        }
        assert_eq!(State::queued(0), Running);
    }
}
