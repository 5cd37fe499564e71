//! Who may run, who is stopping, who holds what: every fact of it, one record a session.
//!
//! # Invariants
//! - A session's facts are changed under its one lock, in one step, or not at all.
//! - No JavaScript runs and no I/O happens under a lock.
//! - Lock order: shard of a scope → session (several only in the order of their ids) → members of the
//!   scope → inbox of a member; the state of a mutation is a leaf.
//! - A record is taken out of its scope only when it is found empty again under its lock.
//! - A caught panic poisons the lock it unwound: that session answers `ERR_INTERNAL` from then on.
//!
//! The face drives a [`Realm`], one for each JavaScript environment; tests drive it the same way.

mod activation;
mod attempt;
mod calls;
mod checkpoint;
mod claim;
mod generation;
mod invalidation;
mod lane;
mod mutation;
mod operation;
mod out;
mod realm;
mod request;
mod scope;
mod session;
mod start;
mod steering;

pub use calls::{
    Activated, Blocker, CheckpointLoad, ClaimRef, Messages, Opened, Payment, Plan, Queued,
    RetainFor, Retained, Settled, Stopped, Word,
};
pub use checkpoint::Loaded;
pub use claim::{Event as ClaimEvent, Phase as ClaimPhase, State as ClaimState};
pub use generation::{Flight, FlightEvent, Phase as GenerationPhase};
pub use operation::{Projection, Target};
pub use out::{Effect, MemberId, NO_SLOT, Slot, Wake};
pub use realm::Realm;
pub use scope::Scope;
pub use session::arm_fault;
pub use start::{Event as StartEvent, Start};
pub use steering::{Name, Said};
