//! Members of a scope in several realms of one thread: as when the package is loaded twice there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use support::kit::{Kit, Wakes, scope_name, text};
use tenure::ownership::{Activated, ClaimRef, Effect, Said, Stopped};

/// Two members of one scope, each in a realm of its own: their slots are equal numbers.
fn two_realms() -> [Kit; 2] {
    let scope = scope_name("members");
    [Kit::members(scope.clone(), 1), Kit::members(scope, 1)]
}

#[test]
fn equal_slots_of_two_realms_name_different_activations() {
    let [mut a, mut b] = two_realms();
    let (in_a, in_b) = (a.entry(0, "s"), b.entry(0, "s"));
    let started = a.realm.activate(in_a, None).unwrap();
    assert_eq!(b.realm.activate(in_b, None), Ok(started), "equal numbers");
    let Activated::Started(slot) = started else { panic!("{started:?}") };
    a.realm.activated(slot).unwrap();
    assert_eq!(b.realm.activate(in_b, None), Ok(Activated::Joined(slot)));
    b.realm.activated(slot).unwrap();
    assert_eq!((a.sessions(0), a.realm.handle_count(), b.realm.handle_count()), (0, 0, 0));
}

#[test]
fn equal_slots_of_two_realms_name_different_invalidations() {
    let [mut a, mut b] = two_realms();
    let (in_a, in_b) = (a.entry(0, "s"), b.entry(0, "s"));
    let (slot, _) = a.realm.invalidate(in_a).unwrap();
    assert_eq!(b.realm.invalidate(in_b), Ok((slot, true)), "equal numbers");
    assert_eq!(b.realm.invalidation_dispose(slot), Ok(Some(vec![])));
    b.realm.invalidation_done(slot, true).unwrap();
    assert_eq!(b.effects(), [Effect::InvalidationSealed(slot, 0)]);
    assert_eq!(b.realm.invalidation(in_b, false), Ok(None));
    assert_eq!(a.realm.invalidation(in_a, false), Ok(Some(slot)));
    assert_eq!(a.realm.invalidation_dispose(slot), Ok(Some(vec![])));
    a.realm.invalidation_done(slot, true).unwrap();
    assert_eq!(a.effects(), [Effect::InvalidationSealed(slot, 0)]);
    assert_eq!((a.sessions(0), a.realm.handle_count(), b.realm.handle_count()), (0, 0, 0));
}

#[test]
fn equal_slots_of_two_realms_name_different_tasks() {
    let [mut a, mut b] = two_realms();
    let (in_a, in_b) = (a.entry(0, "s"), b.entry(0, "s"));
    let (slot, _) = a.realm.serialize(in_a, text("lane")).unwrap();
    assert_eq!(b.realm.serialize(in_b, text("lane")), Ok((slot, true)), "equal numbers");
    let (next, start) = b.realm.serialize(in_b, text("lane")).unwrap();
    assert!(!start);
    b.realm.task_ended(slot).unwrap();
    assert_eq!(b.effects(), [Effect::TaskReady(next)]);
    let (waits, start) = a.realm.serialize(in_a, text("lane")).unwrap();
    assert!(!start, "the task of this member has not ended");
    a.realm.task_ended(slot).unwrap();
    assert_eq!(a.effects(), [Effect::TaskReady(waits)]);
}

#[test]
fn equal_slots_of_two_realms_name_different_joined_stops() {
    let scope = scope_name("members");
    let mut starter = Kit::members(scope.clone(), 1);
    let (mut a, mut b) = (Kit::members(scope.clone(), 1), Kit::members(scope, 1));
    let (view, _) = starter.stop(0, "s");
    let (in_a, in_b) = (a.entry(0, "s"), b.entry(0, "s"));
    let joined = a.realm.stop(in_a, None).unwrap();
    assert_eq!(b.realm.stop(in_b, None), Ok(joined), "equal numbers");
    let Stopped::Joined(slot) = joined else { panic!("{joined:?}") };
    starter.realm.attempt_settled(view, false, Some(text("why"))).unwrap();
    assert_eq!(a.deliver(0), [Effect::Joined(slot, 1)]);
    assert_eq!(a.realm.joined_forget(slot), Ok(Some(text("why"))));
    assert_eq!(b.deliver(0), [Effect::Joined(slot, 1)]);
    assert_eq!(b.realm.joined_forget(slot), Ok(Some(text("why"))));
    assert_eq!(starter.heard(), [Effect::Lifted(view, 0), Effect::AttemptOver(view, 0)]);
    assert_eq!(starter.sessions(0), 0);
}

fn next_id(kit: &mut Kit, session: &str) -> u32 {
    let claim = ClaimRef::Live(kit.claim(0, session));
    let entry = kit.entry(0, session);
    kit.realm.create_generation(entry, claim, None).unwrap().1
}

#[test]
fn generation_ids_ascend_from_one_within_a_scope_and_begin_anew_with_its_name() {
    let scope = scope_name("members");
    for _ in 0..2 {
        let (mut a, mut b) = (Kit::members(scope.clone(), 1), Kit::members(scope.clone(), 1));
        let ids = [next_id(&mut a, "s"), next_id(&mut b, "t"), next_id(&mut a, "t")];
        assert_eq!(ids, [1, 2, 3]);
        a.close(0);
        assert_eq!(next_id(&mut b, "s"), 4);
        b.close(0);
    }
}

#[test]
fn a_member_is_woken_once_for_each_delivery() {
    let scope = scope_name("members");
    let mut a = Kit::members(scope.clone(), 1);
    let mut b = Kit::default();
    let wakes = Wakes::default();
    b.cores.push(b.realm.open_core(scope, wakes.boxed()));
    let entry = b.entry(0, "s");
    b.realm.open_turn(entry, text("t"), true).unwrap();
    let entry = a.entry(0, "s");
    for number in 1..=3 {
        let said = Said { id: text("m"), text: text("words") };
        a.realm.queue(entry, Some(said), false).unwrap();
        assert_eq!(wakes.count(), number);
    }
    assert!(a.effects().is_empty());
    for _ in 0..3 {
        assert_eq!(b.realm.deliver(b.cores[0]), Ok(true));
        assert!(matches!(b.effects()[..], [Effect::Updated(_)]));
    }
    assert_eq!(b.realm.deliver(b.cores[0]), Ok(false));
}
