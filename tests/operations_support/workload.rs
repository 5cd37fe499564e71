//! A day in the life of a journal: every kind of call, in an order in which each of them does something.

use tenure::operations::Bounds;
use tenure::operations::contract::State;
use tenure::operations::journal::{Call, Key, Resolution};

use super::kit::{reserve, reserve_with, update};

pub const HOLDER: u64 = 1_000_001;

pub fn bounds() -> Bounds {
    Bounds { max_queued: 8, max_reservations: 12, retain: 1, ..Bounds::default() }
}

/// Calls that are handed over together, by turns. The times tell them apart.
pub fn workload() -> Vec<Vec<Call>> {
    let key = |id| Key::new("s", id);
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(9_000));
    let accepted = r#"{"state":"running","submission":"accepted","backendReference":"r"}"#;
    let result = format!(r#"{{"progress":0.5,"result":{long}}}"#);
    vec![
        vec![reserve("a", "s", 1), reserve_with("b", "s", &long, 2), reserve("c", "s", 3)],
        vec![Call::Begin { key: key("a"), now: 4 }],
        vec![update("a", "s", accepted, 5)],
        vec![update("a", "s", &result, 6), Call::RequestCancel { key: key("b") }],
        vec![update("a", "s", r#"{"result":{"r":1},"stage":"late"}"#, 7)],
        vec![Call::Cancel { key: key("c"), now: 8 }, reserve("d", "t", 9)],
        vec![update("a", "s", r#"{"state":"succeeded"}"#, 10)],
        vec![Call::Drain { holder: HOLDER }],
        vec![Call::Begin { key: key("b"), now: 11 }, Call::Begin { key: key("none"), now: 11 }],
        vec![update("d", "t", r#"{"state":"running","submission":"uncertain"}"#, 12)],
        vec![update("d", "t", r#"{"state":"interrupted"}"#, 13)],
        vec![Call::Stale { key: Key::new("t", "d"), row: 4 }, reserve("e", "s", 14)],
        vec![Call::Drain { holder: HOLDER }],
        vec![Call::Forget { scope: "s".into(), before: 11 }, reserve("a", "s", 15)],
        vec![Call::Resolve {
            key: Key::new("t", "d"),
            resolution: Resolution {
                state: State::Succeeded,
                note: Some("seen".to_owned()),
                result: Some(long),
            },
            now: 16,
        }],
        vec![Call::Begin { key: key("e"), now: 17 }],
        vec![Call::Drain { holder: HOLDER }, Call::Release { holder: HOLDER }],
    ]
}
