//! The checkpoint slot of a session: one value, loaded once.
//!
//! ```text
//!             load               loaded
//!   (none) ---------> loading ------------> stored
//!      |                 | store               ^
//!      | store           v       loaded        |
//!      +---------> stored, loading ------------+
//!
//!   loading → (none)   the load failed
//!   any → (none)       a disposal dropped the slot
//! ```
//!
//! A load in flight when the slot is dropped returns its value and does not store it. The value may
//! be `undefined`; it is the caller's and rides on the handle.

use super::out::{MemberId, Slot};

/// Where the slot stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A load is in flight.
    Loading(u32),
    /// There is a value.
    Stored,
    /// There is a value, and a load that began before it is still in flight.
    StoredLoading(u32),
}

/// How a load that ended is to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// With its own value, not stored.
    Own,
    /// With its own value, stored by this very step.
    Store,
    /// With the value that was stored meanwhile.
    Stored,
}

impl Cell {
    /// A value is stored.
    #[must_use]
    pub fn store(self) -> Cell {
        match self {
            Cell::Loading(flight) => Cell::StoredLoading(flight),
            stored => stored,
        }
    }

    /// A load has ended. The cell after it, none when the slot is empty again, and the answer.
    pub fn loaded(self, ended: u32, ok: bool) -> (Option<Cell>, Loaded) {
        match self {
            Cell::Loading(flight) if flight == ended && ok => (Some(Cell::Stored), Loaded::Store),
            Cell::Loading(flight) if flight == ended => (None, Loaded::Own),
            Cell::Loading(_) => (Some(self), Loaded::Own),
            Cell::StoredLoading(flight) if flight == ended => (Some(Cell::Stored), Loaded::Stored),
            Cell::Stored | Cell::StoredLoading(_) => (Some(self), Loaded::Stored),
        }
    }
}

/// The slot of one member.
pub struct Checkpoint {
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) cell: Cell,
}

#[cfg(test)]
mod tests {
    use super::{Cell, Loaded};
    use Cell::{Loading, Stored, StoredLoading};

    #[test]
    fn every_state_and_event_has_its_row() {
        let stores = [
            (Loading(1), StoredLoading(1)),
            (Stored, Stored),
            (StoredLoading(1), StoredLoading(1)),
        ];
        for (before, after) in stores {
            assert_eq!(before.store(), after);
        }
        let loads = [
            (Loading(1), 1, true, Some(Stored), Loaded::Store),
            (Loading(1), 1, false, None, Loaded::Own),
            (Loading(2), 1, true, Some(Loading(2)), Loaded::Own),
            (Loading(2), 1, false, Some(Loading(2)), Loaded::Own),
            (Stored, 1, true, Some(Stored), Loaded::Stored),
            (Stored, 1, false, Some(Stored), Loaded::Stored),
            (StoredLoading(1), 1, true, Some(Stored), Loaded::Stored),
            (StoredLoading(1), 1, false, Some(Stored), Loaded::Stored),
            (StoredLoading(2), 1, true, Some(StoredLoading(2)), Loaded::Stored),
            (StoredLoading(2), 1, false, Some(StoredLoading(2)), Loaded::Stored),
        ];
        for (before, flight, ok, after, answer) in loads {
            assert_eq!(before.loaded(flight, ok), (after, answer), "{before:?} {flight} {ok}");
        }
    }
}
