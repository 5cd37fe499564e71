//! The invalidation of a session: its backends are to be disposed before the next activation.
//!
//! ```text
//!          dispose             ok
//!   due ------------> disposing ------> lifted
//!                         | failed
//!                         v
//!                       failed, for good
//! ```

use super::out::{MemberId, Slot};

/// Where an invalidation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Opened.
    Due,
    /// Its disposal runs.
    Disposing,
    /// Its disposal failed.
    Failed,
    /// Gone.
    Lifted,
}

/// What may happen to an invalidation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A disposal is asked for.
    Dispose,
    /// The disposal ended, well or not.
    Done(bool),
}

impl State {
    /// The one transition function. What does not apply changes nothing.
    pub fn next(self, event: Event) -> State {
        match (self, event) {
            (State::Due, Event::Dispose) => State::Disposing,
            (State::Disposing, Event::Done(true)) => State::Lifted,
            (State::Disposing, Event::Done(false)) => State::Failed,
            _ => self,
        }
    }
}

/// The invalidation of one member.
pub struct Invalidation {
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) state: State,
}

#[cfg(test)]
mod tests {
    use super::{Event, State};
    use State::{Disposing, Due, Failed, Lifted};

    #[test]
    fn every_state_and_event_has_its_row() {
        for state in [Due, Disposing, Failed, Lifted] {
            let disposed = if state == Due { Disposing } else { state };
            assert_eq!(state.next(Event::Dispose), disposed);
            let running = state == Disposing;
            assert_eq!(state.next(Event::Done(true)), if running { Lifted } else { state });
            assert_eq!(state.next(Event::Done(false)), if running { Failed } else { state });
        }
    }
}
