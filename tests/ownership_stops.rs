//! A stop attempt stands until its last part has settled, and drains what it captured.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use support::kit::{Kit, scope_name, text};
use tenure::error::Reason;
use tenure::ownership::{
    ClaimEvent, ClaimRef, Effect, Projection, RetainFor, Slot, Stopped, Target,
};

#[test]
fn a_claim_captured_by_two_stops_drains_both() {
    let mut kit = Kit::private();
    let claim = kit.attached(0, "s", "r");
    let (first, _) = kit.stop(0, "s");
    assert_eq!(kit.realm.drained(first), Ok(None));
    kit.realm.attempt_settled(first, true, None).unwrap();
    assert_eq!(kit.effects(), [Effect::Lifted(first, 0)]);

    let (second, captured) = kit.stop(0, "s");
    assert_eq!(captured, [claim]);
    kit.realm.attempt_settled(second, true, None).unwrap();
    assert_eq!(kit.effects(), [Effect::Lifted(second, 0)]);

    let word = kit.realm.claim_move(claim, ClaimEvent::Finalize(false), None).unwrap();
    assert!(word.is_some());
    let told = kit.effects();
    assert!(told.contains(&Effect::Drained(first, 1)), "{told:?}");
    assert!(told.contains(&Effect::AttemptOver(first, 1)), "{told:?}");
    assert!(told.contains(&Effect::AttemptOver(second, 1)), "{told:?}");
    for view in [first, second] {
        assert_eq!(kit.realm.failures(view), Ok(vec![0]));
        assert_eq!(kit.realm.attempt_forget(view), Ok(false));
    }
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn an_attempt_is_lifted_by_the_last_part_whichever_that_is() {
    for starter_first in [false, true] {
        let mut kit = Kit::members(scope_name("stops"), 3);
        let claims: Vec<u32> = (0..3).map(|member| kit.claim(member, "s")).collect();
        let entry = kit.entry(0, "s");
        assert_eq!(kit.realm.stop(entry, None), Ok(Stopped::NeedsInput));
        let (view, captured) = kit.stop(0, "s");
        assert_eq!(captured, [claims[0]]);
        let mut parts = Vec::new();
        for member in [1, 2] {
            let told = kit.deliver(member);
            let [Effect::PartBegins(part)] = told[..] else { panic!("{told:?}") };
            assert_eq!(kit.realm.attempt_input(part), Ok(Some(text("{}"))));
            assert_eq!(kit.begin(part), [claims[member]]);
            parts.push(part);
        }
        if starter_first {
            kit.realm.attempt_settled(view, true, None).unwrap();
            kit.realm.attempt_settled(parts[1], true, None).unwrap();
            assert_eq!(kit.deliver(0), []);
            let entry = kit.entry(1, "s");
            assert_eq!(kit.realm.claim(entry).unwrap_err().reason, Reason::SessionStopping);
            kit.realm.attempt_settled(parts[0], true, None).unwrap();
            assert_eq!(kit.deliver(0), [Effect::Lifted(view, 0)]);
        } else {
            kit.realm.attempt_settled(parts[0], true, None).unwrap();
            kit.realm.attempt_settled(parts[1], false, Some(text("why"))).unwrap();
            assert_eq!(kit.deliver(0), []);
            kit.realm.attempt_settled(view, true, None).unwrap();
            assert_eq!(kit.effects(), [Effect::Lifted(view, 0)]);
        }
        let entry = kit.entry(2, "s");
        let after = kit.realm.claim(entry).unwrap();
        assert!(kit.release(after).is_some());
    }
}

#[test]
fn a_member_that_joins_a_stop_it_takes_part_in_is_told_of_its_end_however_late() {
    for fails in [false, true] {
        let mut kit = Kit::members(scope_name("stops"), 2);
        let claim = kit.attached(1, "s", "r");
        let (view, _) = kit.stop(0, "s");
        let told = kit.deliver(1);
        let [Effect::PartBegins(part)] = told[..] else { panic!("{told:?}") };
        kit.begin(part);
        let entry = kit.entry(1, "s");
        let Stopped::Joined(joined) = kit.realm.stop(entry, None).unwrap() else {
            panic!("it is not the starter");
        };
        kit.realm.attempt_settled(part, true, None).unwrap();
        kit.realm.attempt_settled(view, true, None).unwrap();
        // Before it hears of the lift, it ends what the attempt still waits for.
        kit.realm.claim_move(claim, ClaimEvent::Finalize(!fails), None).unwrap();
        assert!(kit.heard().contains(&Effect::AttemptOver(part, 0)));
        assert_eq!(kit.taken(1), [Effect::Joined(joined, 0)]);
        assert_eq!(kit.realm.joined_forget(joined), Ok(None));
        assert!(kit.taken(0).contains(&Effect::AttemptOver(view, 0)));
        assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0), "it fails: {fails}");
    }
}

#[test]
fn a_starter_hears_that_its_stop_was_lifted_before_it_hears_that_it_is_over() {
    let mut kit = Kit::members(scope_name("stops"), 2);
    let (own, other) = (kit.claim(0, "s"), kit.claim(1, "s"));
    let (view, _) = kit.stop(0, "s");
    let told = kit.deliver(1);
    let [Effect::PartBegins(part)] = told[..] else { panic!("{told:?}") };
    kit.begin(part);
    assert!(kit.release(other).is_some());
    kit.effects();
    kit.realm.attempt_settled(view, true, None).unwrap();
    // The last part lifts it. Before the starter hears of that, its own claim ends as well.
    kit.realm.attempt_settled(part, true, None).unwrap();
    assert_eq!(kit.effects(), []);
    assert!(kit.release(own).is_some());
    let mut told = kit.heard();
    told.extend(kit.taken(0));
    assert_eq!(told, [Effect::Lifted(view, 0), Effect::AttemptOver(view, 0)]);
    assert_eq!(kit.taken(1), [Effect::AttemptOver(part, 0)]);
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn a_starter_that_ends_before_it_hears_of_the_lift_is_told() {
    let mut kit = Kit::members(scope_name("stops"), 2);
    kit.claim(1, "s");
    let (view, _) = kit.stop(0, "s");
    let told = kit.deliver(1);
    let [Effect::PartBegins(part)] = told[..] else { panic!("{told:?}") };
    kit.begin(part);
    kit.realm.attempt_settled(view, true, None).unwrap();
    kit.realm.attempt_settled(part, true, None).unwrap();
    let (told, _) = kit.close(0);
    assert!(told.contains(&Effect::Lifted(view, 1)), "its promise would wait for ever: {told:?}");
}

#[test]
fn what_was_on_its_way_for_an_attempt_that_is_over_is_never_taken_for_a_later_one() {
    let mut kit = Kit::members(scope_name("stops"), 2);
    let other = kit.claim(1, "s");
    let (view, _) = kit.stop(0, "s");
    assert_eq!(kit.realm.drained(view), Ok(None));
    let told = kit.deliver(1);
    let [Effect::PartBegins(part)] = told[..] else { panic!("{told:?}") };
    kit.begin(part);
    assert!(kit.release(other).is_some());
    kit.realm.attempt_settled(part, true, None).unwrap();
    assert_eq!(kit.effects(), []);
    // What the starter waits for has ended, and it will hear of that. First it ends the attempt, and
    // forgets it as soon as it may.
    kit.realm.attempt_settled(view, true, None).unwrap();
    kit.heard();
    assert_eq!(kit.taken(1), [Effect::AttemptOver(part, 0)]);
    kit.entry(0, "elsewhere");
    kit.entry(1, "elsewhere");

    let later = kit.claim(0, "s");
    let (again, captured) = kit.stop(0, "s");
    assert_eq!(captured, [later]);
    assert_eq!(kit.realm.drained(again), Ok(None));
    let told = kit.deliver(0);
    assert!(!told.contains(&Effect::Drained(again, 0)), "its claim has not ended: {told:?}");
}

/// A registered run on a route of the member's own, and its generation.
fn running(kit: &mut Kit, core: usize) -> (Slot, Slot) {
    let name = format!("run of {core}");
    let claim = kit.attached(core, "s", &name);
    let entry = kit.entry(core, "s");
    let route = Some(text(&name));
    let made = kit.realm.create_generation(entry, ClaimRef::Live(claim), route).unwrap();
    kit.realm.reserve(claim, Some(made.0)).unwrap();
    (claim, made.0)
}

#[test]
fn of_the_operations_of_one_stop_the_first_owes_status_and_note_until_its_member_ends_unpaid() {
    let mut kit = Kit::members(scope_name("stops"), 3);
    let runs: Vec<(Slot, Slot)> = (0..3).map(|core| running(&mut kit, core)).collect();
    let (view, _) = kit.stop(0, "s");
    let mut views = vec![view];
    for core in [1, 2] {
        let told = kit.deliver(core);
        let [Effect::PartBegins(part)] = told[..] else { panic!("{told:?}") };
        kit.begin(part);
        views.push(part);
    }
    let retain = |kit: &mut Kit, core: usize| {
        let (attempt, claim) = (RetainFor::Live(views[core]), runs[core].0);
        let plan = kit.realm.retain_plan(attempt, claim, false).unwrap();
        let retained = kit.realm.retain(attempt, claim, plan, false).unwrap().unwrap();
        (plan.note, kit.realm.operation_next(retained.operation).unwrap())
    };
    assert_eq!(retain(&mut kit, 1), (true, Projection::Status));
    assert_eq!(retain(&mut kit, 0), (false, Projection::None));
    kit.close(1);
    assert_eq!(retain(&mut kit, 2), (true, Projection::Status), "the one that owed them is gone");
}

#[test]
fn deliveries_and_members_are_listed_by_generation_whatever_was_retained_first() {
    let mut kit = Kit::private();
    let entry = kit.entry(0, "s");
    let mut runs = Vec::new();
    for number in 0..3 {
        let name = format!("run {number}");
        let claim = kit.attached(0, "s", &name);
        let route = Some(text(&name));
        let made = kit.realm.create_generation(entry, ClaimRef::Live(claim), route).unwrap();
        kit.realm.reserve(claim, Some(made.0)).unwrap();
        runs.push(claim);
    }
    let (view, _) = kit.stop(0, "s");
    let mut operation = 0;
    for claim in [runs[2], runs[0], runs[1]] {
        let attempt = RetainFor::Live(view);
        let plan = kit.realm.retain_plan(attempt, claim, false).unwrap();
        operation = kit.realm.retain(attempt, claim, plan, false).unwrap().unwrap().operation;
    }
    assert_eq!(kit.realm.operation_members(operation), Ok(vec![1, 2, 0]));
    assert_eq!(kit.realm.operation_targets(operation, Target::is_pending), Ok(vec![1, 2, 0]));
}

#[test]
fn the_error_of_a_finalization_recorded_before_the_stop_reaches_the_starter() {
    let mut kit = Kit::members(scope_name("stops"), 2);
    let claim = kit.attached(1, "s", "r");
    let word = kit.realm.claim_move(claim, ClaimEvent::Finalize(false), Some(text("broken")));
    assert_eq!(word, Ok(None));
    let (view, _) = kit.stop(0, "s");
    assert_eq!(kit.release(claim), None, "its member has still to hear of the stop");
    let told = kit.deliver(1);
    let [Effect::PartBegins(part)] = told[..] else { panic!("{told:?}") };
    assert_eq!(kit.begin(part), [claim]);
    assert!(matches!(kit.effects()[..], [Effect::ClaimSealed(sealed, _)] if sealed == claim));
    assert_eq!(kit.realm.failures(view), Ok(vec![0]));
    assert_eq!(kit.realm.failure_text(view, 0), Ok(Some(text("broken"))));
}
