//! An interaction request: what a turn has asked a person.
//!
//! It belongs to the turn and the generation that opened it, not to a run: a later run of the same
//! turn opens it again as its own. It is there from `openRequest` until it is closed or its run
//! leaves the generation; a failed generation keeps it, so that "nobody is there to answer" differs
//! from "no such request".

use super::out::{MemberId, Slot};
use crate::text::Text;

/// An open request of one member.
pub struct Request {
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) id: Text,
    pub(super) turn: Text,
    pub(super) generation: u32,
}
