//! A session's record is there while it holds anything, and is never lost while it does.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use support::kit::{Kit, scope_name, text};
use tenure::ownership::{ClaimPhase, Effect};

#[test]
fn a_session_that_is_only_looked_at_keeps_what_it_holds() {
    let mut kit = Kit::private();
    let claim = kit.claim(0, "b");
    kit.entry(0, "a");
    let entry = kit.entry(0, "b");
    assert!(kit.realm.requests(entry, None).unwrap().is_empty());
    kit.entry(0, "a");
    kit.entry(0, "c");
    assert_eq!(kit.state(claim).phase(), ClaimPhase::Pending);
    assert!(kit.realm.claim_is_exclusive(claim).unwrap());
    let entry = kit.entry(0, "b");
    assert_eq!(kit.realm.live_claims(entry), Ok(vec![claim]));
    assert!(kit.release(claim).is_some());
    assert_eq!(kit.sessions(0), 0);
    assert_eq!(kit.realm.handle_count(), 0);
}

#[test]
fn a_call_that_is_refused_does_not_lose_what_the_session_holds() {
    let mut kit = Kit::private();
    let claim = kit.claim(0, "b");
    let (view, captured) = kit.stop(0, "b");
    assert_eq!(captured, [claim]);
    kit.entry(0, "a");
    let entry = kit.entry(0, "b");
    assert!(kit.realm.claim(entry).is_err());
    kit.entry(0, "a");
    kit.realm.attempt_settled(view, true, None).unwrap();
    assert_eq!(kit.state(claim).phase(), ClaimPhase::Pending);
    assert!(kit.release(claim).is_some());
}

#[test]
fn a_session_vanishes_when_it_is_empty_and_opens_anew() {
    let mut kit = Kit::private();
    for round in 0..3 {
        let claim = kit.claim(0, "a");
        assert_eq!(kit.sessions(0), 1, "round {round}");
        assert!(kit.release(claim).is_some());
        assert_eq!(kit.sessions(0), 0);
        kit.entry(0, "b");
    }
    assert_eq!(kit.realm.handle_count(), 0);
}

#[test]
fn a_session_emptied_by_one_member_is_opened_anew_by_another_that_still_holds_its_entry() {
    let mut kit = Kit::members(scope_name("records"), 2);
    let first = kit.claim(0, "s");
    let entry = kit.entry(1, "s");
    assert!(!kit.realm.claim_is_exclusive(first).unwrap() || kit.sessions(1) == 1);
    kit.entry(0, "other");
    assert!(kit.release(first).is_some());
    assert_eq!((kit.sessions(0), kit.sessions(1)), (0, 0));

    assert_eq!(kit.realm.live_claims(entry), Ok(vec![]));
    let second = kit.realm.claim(entry).unwrap();
    let third = kit.claim(0, "s");
    assert_eq!(kit.sessions(0), 1);
    assert!(!kit.realm.claim_is_exclusive(second).unwrap());
    assert!(!kit.realm.claim_is_exclusive(third).unwrap());
    assert!(kit.release(third).is_some());
    assert!(kit.realm.claim_is_exclusive(second).unwrap());
    assert!(kit.release(second).is_some());
    assert_eq!(kit.realm.handle_count(), 0);
}

#[test]
fn a_turn_of_a_session_that_another_member_has_emptied_pulls_nothing() {
    let mut kit = Kit::members(scope_name("records"), 2);
    let entry = kit.entry(0, "s");
    let old = kit.realm.open_turn(entry, text("old"), true).unwrap();
    kit.entry(0, "other");
    let entry = kit.entry(1, "s");
    let new = kit.realm.open_turn(entry, text("new"), true).unwrap();
    assert!(kit.realm.release_turn(new).unwrap());
    kit.entry(1, "other");
    assert_eq!(kit.sessions(0), 0);

    assert_eq!(kit.deliver(0), []);
    assert_eq!(kit.realm.pull(old).map(|pulled| pulled.len()), Ok(0));
    assert_eq!(kit.effects(), [Effect::TurnSealed(old)]);
    assert_eq!(kit.realm.handle_count(), 0);
}

#[test]
fn entries_of_a_scope_whose_sessions_another_member_emptied_are_swept() {
    const SESSIONS: usize = 4_000;
    let mut kit = Kit::members(scope_name("records"), 2);
    let (a, b) = (kit.cores[0], kit.cores[1]);
    for number in 0..SESSIONS {
        let name = text(&number.to_string());
        let entry = kit.realm.open(b, &name).unwrap();
        let claim = kit.realm.claim(entry).unwrap();
        // The first member looks while the session holds something, and has no part in its end.
        let entry = kit.realm.open(a, &name).unwrap();
        assert_eq!(kit.realm.entry_has_active_runs(entry), Ok(false));
        kit.release(claim);
    }
    assert_eq!(kit.sessions(0), 0);
    assert_eq!(kit.realm.handle_count(), 0);
    let fresh: Vec<u32> = (0..10).map(|n| kit.entry(0, &format!("fresh {n}"))).collect();
    let highest = fresh.into_iter().max().unwrap();
    assert!((highest as usize) < SESSIONS / 4, "entry {highest} was given out");
}

#[test]
fn a_sweep_spares_sessions_that_hold_something() {
    let mut kit = Kit::members(scope_name("records"), 2);
    let claims: Vec<u32> = (0..600).map(|n| kit.claim(0, &format!("kept {n}"))).collect();
    for number in 0..2_000 {
        let passing = kit.claim(1, &format!("passing {number}"));
        kit.entry(0, &format!("passing {number}"));
        kit.release(passing);
    }
    assert_eq!(kit.sessions(0), claims.len());
    for claim in claims {
        assert_eq!(kit.state(claim).phase(), ClaimPhase::Pending);
        assert!(kit.release(claim).is_some());
    }
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}
