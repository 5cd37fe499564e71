//! A `tracing` event for every transition, emitted once the lock is released.
//!
//! Off, an event costs one relaxed load. Ids are told; texts never are.

use tracing::{Level, debug, enabled};

use super::attempts::Stopped;
use crate::ownership::claim::Event;
use crate::ownership::generation::Phase;
use crate::ownership::out::Slot;
use crate::ownership::realm::Realm;
use crate::text::Text;

fn session(realm: &Realm, entry: u32) -> String {
    realm.sessions.get(entry as usize).map(|each| each.session.id.to_string()).unwrap_or_default()
}

fn on() -> bool {
    enabled!(target: "tenure::ownership", Level::DEBUG)
}

pub(super) fn claim(realm: &Realm, entry: u32, slot: Slot, what: &str) {
    if on() {
        debug!(target: "tenure::ownership", session = session(realm, entry), slot, "{what}");
    }
}

pub(super) fn handle(realm: &Realm, slot: Slot, what: &str) {
    if on() {
        let handle = realm.handles.get(slot as usize);
        let session = handle.map(|handle| session(realm, handle.entry)).unwrap_or_default();
        let kind = handle.map(|handle| format!("{:?}", handle.kind)).unwrap_or_default();
        debug!(target: "tenure::ownership", session, kind, slot, "{what}");
    }
}

pub(super) fn moved(realm: &Realm, slot: Slot, event: Event) {
    if on() {
        let what = match event {
            Event::Settle(true) => "settled",
            Event::Settle(false) => "settled, failed",
            Event::Finalize(true) => "finalized",
            Event::Finalize(false) => "finalized, failed",
            Event::Release => "released",
            Event::Attach | Event::Reserve | Event::Capture | Event::Abandon => "moved",
        };
        let sealed = realm.sealed.is_some();
        debug!(target: "tenure::ownership", slot, sealed, "claim {what}");
    }
}

pub(super) fn stop(realm: &Realm, entry: u32, stopped: Stopped) {
    if on() {
        let what = match stopped {
            Stopped::Standing(_) | Stopped::Joined(_) => "stop joined",
            Stopped::NeedsInput => return,
            Stopped::Started(_) => "stop started",
        };
        debug!(target: "tenure::ownership", session = session(realm, entry), "{what}");
    }
}

pub(super) fn generation(realm: &Realm, entry: u32, generation: u32, what: &str) {
    if on() {
        let session = session(realm, entry);
        debug!(target: "tenure::ownership", session, generation, "generation {what}");
    }
}

pub(super) fn disposed(phase: Phase) {
    if on() {
        debug!(target: "tenure::ownership", phase = ?phase, "generation disposed");
    }
}

pub(super) fn mutation(ids: &[Text], what: &str) {
    if on() {
        let sessions = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        debug!(target: "tenure::ownership", sessions, "mutation {what}");
    }
}

pub(super) fn closed(member: u32) {
    if on() {
        debug!(target: "tenure::ownership", member, "member ended");
    }
}
