//! Events of the calls that go past [`crate::ownership::Realm`]'s one way through a session.

use tracing::{Level, debug, enabled};

use crate::text::Text;

pub(super) fn mutation<'a>(ids: impl Iterator<Item = &'a Text>, what: &str) {
    if enabled!(target: "tenure::ownership", Level::DEBUG) {
        let sessions = ids.map(ToString::to_string).collect::<Vec<_>>().join(", ");
        debug!(target: "tenure::ownership", sessions, "mutation {what}");
    }
}

pub(super) fn closed(member: u32) {
    debug!(target: "tenure::ownership", member, "member ended");
}
