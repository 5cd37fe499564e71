//! Checkpoint slots, invalidations and serial lanes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use support::kit::{Kit, scope_name, text};
use tenure::ownership::{CheckpointLoad, ClaimEvent, Effect, Loaded, NO_SLOT, Payment, RetainFor};

fn drop_the_slot(kit: &mut Kit, session: &str) {
    let entry = kit.entry(0, session);
    let (invalidation, opened) = kit.realm.invalidate(entry).unwrap();
    assert!(opened);
    assert_eq!(kit.realm.invalidation_dispose(invalidation), Ok(Some(vec![])));
    kit.realm.invalidation_done(invalidation, true).unwrap();
}

#[test]
fn a_load_in_flight_when_the_slot_is_dropped_is_never_taken_for_a_later_one() {
    for vanishes in [false, true] {
        let mut kit = Kit::private();
        let entry = kit.entry(0, "s");
        let CheckpointLoad::Started(_, old) = kit.realm.checkpoint_load(entry).unwrap() else {
            panic!("a load was in flight");
        };
        drop_the_slot(&mut kit, "s");
        if vanishes {
            kit.entry(0, "other");
        }
        let entry = kit.entry(0, "s");
        let CheckpointLoad::Started(slot, new) = kit.realm.checkpoint_load(entry).unwrap() else {
            panic!("the slot was not dropped");
        };
        let answer = kit.realm.checkpoint_loaded(entry, old, true).unwrap().0;
        assert_eq!(answer, Loaded::Own, "the record vanished: {vanishes}");
        assert_eq!(kit.realm.checkpoint_load(entry), Ok(CheckpointLoad::Joined(slot)));
        assert_eq!(kit.realm.checkpoint_loaded(entry, new, true), Ok((Loaded::Store, slot)));
    }
}

#[test]
fn a_load_whose_slot_is_gone_answers_its_own_value_and_leaves_nothing() {
    let mut kit = Kit::private();
    let entry = kit.entry(0, "s");
    let CheckpointLoad::Started(_, flight) = kit.realm.checkpoint_load(entry).unwrap() else {
        panic!("a load was in flight");
    };
    drop_the_slot(&mut kit, "s");
    let entry = kit.entry(0, "s");
    assert_eq!(kit.realm.checkpoint_loaded(entry, flight, true), Ok((Loaded::Own, NO_SLOT)));
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn a_lane_runs_its_tasks_one_after_another_and_lanes_do_not_wait_for_each_other() {
    let mut kit = Kit::members(scope_name("slots"), 2);
    let entry = kit.entry(0, "s");
    let (first, start) = kit.realm.serialize(entry, text("lane")).unwrap();
    assert!(start);
    let (second, start) = kit.realm.serialize(entry, text("lane")).unwrap();
    assert!(!start);
    let (other, start) = kit.realm.serialize(entry, text("other")).unwrap();
    assert!(start);
    let entry = kit.entry(1, "s");
    let (foreign, start) = kit.realm.serialize(entry, text("lane")).unwrap();
    assert!(start, "the lane of another member");
    kit.realm.task_ended(other).unwrap();
    kit.realm.task_ended(foreign).unwrap();
    assert_eq!(kit.effects(), []);
    kit.realm.task_ended(first).unwrap();
    assert_eq!(kit.effects(), [Effect::TaskReady(second)]);
    kit.realm.task_ended(second).unwrap();
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn tasks_queued_on_an_operation_run_although_its_handle_is_gone() {
    let mut kit = Kit::private();
    let (claim, generation) = kit.running(0, "s", "r");
    let (view, _) = kit.stop(0, "s");
    let plan = kit.realm.retain_plan(RetainFor::Live(view), claim, false).unwrap();
    let retained = kit.realm.retain(RetainFor::Live(view), claim, plan, false).unwrap().unwrap();
    let operation = retained.operation;
    let (first, start) = kit.realm.operation_enqueue(operation).unwrap();
    assert!(start);
    let (second, start) = kit.realm.operation_enqueue(operation).unwrap();
    assert!(!start);
    for payment in [Payment::Status, Payment::Note, Payment::Delivery(0, true)] {
        kit.realm.operation_pay(operation, payment).unwrap();
    }
    assert_eq!(kit.realm.operation_complete(operation, &[0]), Ok(true));
    kit.realm.claim_move(claim, ClaimEvent::Settle(true), None).unwrap();
    kit.realm.leave(claim).unwrap();
    kit.realm.attempt_settled(view, true, None).unwrap();
    kit.heard();
    kit.realm.generation_dispose(generation).unwrap();
    kit.realm.generation_disposed(generation, true, None).unwrap();
    kit.effects();

    kit.realm.operation_drop(operation, retained.id).unwrap();
    kit.realm.task_ended(first).unwrap();
    assert_eq!(kit.effects(), [Effect::TaskReady(second)]);
    kit.realm.task_ended(second).unwrap();
    kit.entry(0, "other");
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}
