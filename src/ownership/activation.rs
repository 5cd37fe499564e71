//! An activation in flight: one build for one route of one member, joined by whoever asks meanwhile.

use super::out::{MemberId, Slot};
use crate::text::Text;

/// The build that runs. It is there from before the build is called until it has settled.
pub struct Activation {
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) route: Option<Text>,
}
