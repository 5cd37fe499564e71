//! The calls of a realm, one file for each subject. Each is one atomic step: it refuses and changes
//! nothing, or is applied as a whole.

mod attempts;
mod blockers;
mod claims;
mod close;
mod deliveries;
mod generations;
mod mutations;
mod operations;
mod sessions;
mod starts;
mod steering;
mod trace;

pub use attempts::Stopped;
pub use blockers::Blocker;
pub use claims::{ClaimRef, Word};
pub use generations::Activated;
pub use mutations::Queued;
pub use operations::{Payment, Plan, RetainFor, Retained};
pub use sessions::CheckpointLoad;
pub use starts::Opened;
pub use steering::{Messages, Settled};
