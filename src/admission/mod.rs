//! Which application operations are active, and who may begin one.
//!
//! Existence means active, absence means not active. Nothing else is stored: no state, phase, time,
//! progress or outcome. An operation is admitted with a set of opaque exclusivity keys, all of them
//! or none, and what it is admitted under ends with the lease it was given.

mod registry;

use std::error::Error;
use std::fmt;

use crate::text::Text;

pub use registry::Registry;

/// What is public of an active operation. Its keys are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Unique among the active operations of a registry.
    pub operation_id: Text,
    /// Who interprets and controls the operation; never validated against anything.
    pub owner_id: Text,
    /// `None`: application-wide work.
    pub session_id: Option<Text>,
}

/// Why a reservation changed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `ERR_OPERATION_BUSY`: another operation holds a key.
    Busy {
        /// The operation that holds it.
        holder: Registration,
        /// The first of the caller's keys, in the caller's order, that is held.
        key: Text,
    },
    /// `ERR_OPERATION_DUPLICATE`: the operation id is active.
    Duplicate,
    /// `ERR_ADMISSION_CLOSED`: the registry was closed.
    Closed,
    /// `ERR_INTERNAL`: a fault of ours broke the registry, which answers nothing any more.
    Internal,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { holder, .. } => write!(f, "operation {} is active", holder.operation_id),
            Self::Duplicate => f.write_str("the operation is already active"),
            Self::Closed => f.write_str("admission is closed"),
            Self::Internal => f.write_str("the registry was broken by a fault"),
        }
    }
}

impl Error for Refusal {}

/// Which registrations a listing shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// By the session they belong to.
    pub session: SessionFilter,
    /// By their owner; `None` is any.
    pub owner: Option<Text>,
}

/// The part of a [`Filter`] that concerns the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionFilter {
    /// Every registration.
    #[default]
    Any,
    /// Those without a session.
    ApplicationWide,
    /// Those of this session.
    Session(Text),
}

impl Filter {
    fn admits(&self, registration: &Registration) -> bool {
        let session = match &self.session {
            SessionFilter::Any => true,
            SessionFilter::ApplicationWide => registration.session_id.is_none(),
            SessionFilter::Session(id) => registration.session_id.as_ref() == Some(id),
        };
        session && self.owner.as_ref().is_none_or(|owner| registration.owner_id == *owner)
    }
}
