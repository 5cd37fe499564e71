//! The committed start of a continued run: committed once in a claim's life, taken once.
//!
//! ```text
//!            commit              ok                take
//!   unasked ---------> committing ------> committed -----> taken
//!                          | failed
//!                          v
//!                        doubtful
//! ```
//!
//! A failed commit is never tried again: whether it took effect may be unknown.

use crate::error::{Outcome, Reason};

/// Where the start of a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Start {
    /// Never asked for.
    Unasked,
    /// Its commit is running.
    Committing,
    /// Its commit failed: nothing to take.
    Doubtful,
    /// Committed, and not taken yet.
    Committed,
    /// Taken.
    Taken,
}

/// What may happen to a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The commit begins.
    Commit,
    /// The commit ended, well or not.
    Done(bool),
    /// The proof is asked for.
    Take,
}

impl Start {
    /// Every state, in the order of their numbers.
    pub const ALL: [Start; 5] =
        [Start::Unasked, Start::Committing, Start::Doubtful, Start::Committed, Start::Taken];

    /// The one transition function.
    pub fn next(self, event: Event) -> Outcome<Start> {
        match (self, event) {
            (Start::Unasked, Event::Commit) => Ok(Start::Committing),
            (_, Event::Commit) => Err(Reason::StartCommitted.into()),
            (Start::Committing, Event::Done(true)) => Ok(Start::Committed),
            (Start::Committing, Event::Done(false)) => Ok(Start::Doubtful),
            (_, Event::Done(_)) => Ok(self),
            (Start::Committed, Event::Take) => Ok(Start::Taken),
            (Start::Taken, Event::Take) => Err(Reason::StartTaken.into()),
            (_, Event::Take) => Err(Reason::StartMissing.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Start};
    use crate::error::Reason;
    use Start::*;

    #[test]
    fn every_state_and_event_has_its_row() {
        type Row = (Start, Event, Result<Start, Reason>);
        let rows: [Row; 20] = [
            (Unasked, Event::Commit, Ok(Committing)),
            (Committing, Event::Commit, Err(Reason::StartCommitted)),
            (Doubtful, Event::Commit, Err(Reason::StartCommitted)),
            (Committed, Event::Commit, Err(Reason::StartCommitted)),
            (Taken, Event::Commit, Err(Reason::StartCommitted)),
            (Unasked, Event::Done(true), Ok(Unasked)),
            (Committing, Event::Done(true), Ok(Committed)),
            (Doubtful, Event::Done(true), Ok(Doubtful)),
            (Committed, Event::Done(true), Ok(Committed)),
            (Taken, Event::Done(true), Ok(Taken)),
            (Unasked, Event::Done(false), Ok(Unasked)),
            (Committing, Event::Done(false), Ok(Doubtful)),
            (Doubtful, Event::Done(false), Ok(Doubtful)),
            (Committed, Event::Done(false), Ok(Committed)),
            (Taken, Event::Done(false), Ok(Taken)),
            (Unasked, Event::Take, Err(Reason::StartMissing)),
            (Committing, Event::Take, Err(Reason::StartMissing)),
            (Doubtful, Event::Take, Err(Reason::StartMissing)),
            (Committed, Event::Take, Ok(Taken)),
            (Taken, Event::Take, Err(Reason::StartTaken)),
        ];
        for (state, event, expected) in rows {
            assert_eq!(state.next(event).map_err(|r| r.reason), expected, "{state:?} {event:?}");
        }
    }
}
