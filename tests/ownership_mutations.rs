//! Mutations run in the order queued, whatever ends in between.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use support::kit::{Kit, scope_name, text};
use tenure::error::Reason;
use tenure::ownership::{ClaimPhase, Effect, Queued, Slot};

fn mutate(kit: &mut Kit, core: usize, sessions: &[&str]) -> (Slot, bool) {
    let ids = sessions.iter().map(|id| text(id)).collect();
    match kit.realm.mutate(kit.cores[core], ids, false).unwrap() {
        Queued::Queued(slot, ready) => (slot, ready),
        Queued::Busy(ids) => panic!("{ids:?} are busy"),
    }
}

#[test]
fn overlapping_sets_run_in_the_order_queued() {
    let mut kit = Kit::private();
    let (first, ready) = mutate(&mut kit, 0, &["a", "b"]);
    assert!(ready);
    let (second, ready) = mutate(&mut kit, 0, &["c", "b", "c"]);
    assert!(!ready);
    let (third, ready) = mutate(&mut kit, 0, &["c"]);
    assert!(!ready);
    let (fourth, ready) = mutate(&mut kit, 0, &["d"]);
    assert!(ready);
    kit.realm.mutation_settled(fourth).unwrap();
    assert_eq!(kit.effects(), []);
    kit.realm.mutation_settled(first).unwrap();
    assert_eq!(kit.effects(), [Effect::MutationReady(second)]);
    kit.realm.mutation_settled(second).unwrap();
    assert_eq!(kit.effects(), [Effect::MutationReady(third)]);
    kit.realm.mutation_settled(third).unwrap();
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn a_queued_mutation_never_runs_when_its_core_ends_not_even_behind_one_of_its_own() {
    let mut kit = Kit::private();
    let (_, ready) = mutate(&mut kit, 0, &["a"]);
    assert!(ready);
    let (second, _) = mutate(&mut kit, 0, &["a", "b"]);
    let (third, _) = mutate(&mut kit, 0, &["b"]);
    let (told, _) = kit.close(0);
    assert_eq!(told, [Effect::MutationClosed(second), Effect::MutationClosed(third)]);
    assert_eq!(kit.realm.handle_count(), 0);
}

#[test]
fn an_abandoned_mutation_keeps_its_place_until_those_ahead_have_ended() {
    let mut kit = Kit::members(scope_name("mutations"), 2);
    let (running, ready) = mutate(&mut kit, 0, &["a"]);
    assert!(ready);
    let (abandoned, ready) = mutate(&mut kit, 1, &["a", "b"]);
    assert!(!ready);
    let (behind, ready) = mutate(&mut kit, 0, &["b"]);
    assert!(!ready);
    let claim = kit.claim(0, "b");
    assert_eq!(kit.realm.enter(claim), Ok(true));

    let (told, _) = kit.close(1);
    assert_eq!(told, [Effect::MutationClosed(abandoned)]);
    assert_eq!(kit.deliver(0), [], "its follower waits for the one that runs");
    kit.realm.mutation_settled(running).unwrap();
    assert_eq!(kit.effects(), [Effect::MutationReady(behind)]);
    kit.realm.mutation_settled(behind).unwrap();
    assert_eq!(kit.effects(), [Effect::Entered(claim, 0)]);
    kit.release(claim);
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn the_end_of_a_running_mutations_member_lets_the_next_one_run() {
    let mut kit = Kit::members(scope_name("mutations"), 2);
    let (_, ready) = mutate(&mut kit, 1, &["a", "b"]);
    assert!(ready);
    let (next, ready) = mutate(&mut kit, 0, &["b", "a"]);
    assert!(!ready);
    kit.close(1);
    assert_eq!(kit.deliver(0), [Effect::MutationReady(next)]);
    kit.realm.mutation_settled(next).unwrap();
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn a_wait_that_is_over_is_told_once_and_never_to_a_later_claim() {
    let mut kit = Kit::members(scope_name("mutations"), 2);
    let (first, _) = mutate(&mut kit, 0, &["s"]);
    let claim = kit.claim(1, "s");
    assert_eq!(kit.realm.enter(claim), Ok(true));
    kit.realm.mutation_settled(first).unwrap();
    let (second, ready) = mutate(&mut kit, 0, &["s"]);
    assert!(ready);
    kit.realm.mutation_settled(second).unwrap();

    assert_eq!(kit.realm.deliver(kit.cores[1]), Ok(true));
    assert_eq!(kit.effects(), [Effect::Entered(claim, 0)]);
    assert!(kit.release(claim).is_some());

    let (_, ready) = mutate(&mut kit, 0, &["s"]);
    assert!(ready);
    let later = kit.claim(1, "s");
    assert_eq!(kit.realm.enter(later), Ok(true));
    assert_eq!(kit.deliver(1), [], "the mutation ahead of it has not ended");
    assert!(!kit.may_attach(later));
}

#[test]
fn claims_wait_only_for_mutations_queued_before_them() {
    let mut kit = Kit::private();
    let before = kit.claim(0, "s");
    let (mutation, _) = mutate(&mut kit, 0, &["s"]);
    let after = kit.claim(0, "s");
    assert!(kit.may_attach(before));
    assert!(!kit.may_attach(after));
    assert_eq!(kit.realm.enter(after), Ok(true));
    kit.realm.mutation_settled(mutation).unwrap();
    assert_eq!(kit.effects(), [Effect::Entered(after, 0)]);
    assert!(kit.may_attach(after));
}

#[test]
fn claims_that_waited_go_on_in_the_order_they_were_made() {
    let mut kit = Kit::members(scope_name("mutations"), 2);
    let passing = kit.claim(0, "s");
    let (mutation, _) = mutate(&mut kit, 0, &["s"]);
    let foreign = kit.claim(1, "s");
    let first = kit.claim(0, "s");
    // The place of the one that has gone is taken by the one that comes last.
    assert!(kit.release(passing).is_some());
    let second = kit.claim(0, "s");
    for claim in [second, foreign, first] {
        assert_eq!(kit.realm.enter(claim), Ok(true));
    }
    kit.realm.mutation_settled(mutation).unwrap();
    assert_eq!(kit.effects(), [Effect::Entered(first, 0), Effect::Entered(second, 0)]);
    assert_eq!(kit.deliver(1), [Effect::Entered(foreign, 0)]);
}

#[test]
fn a_quiescent_mutation_names_the_busy_sessions_and_queues_nothing() {
    let mut kit = Kit::private();
    let claims = [kit.claim(0, "b"), kit.claim(0, "a")];
    let ids = vec![text("c"), text("b"), text("a"), text("b")];
    let refused = kit.realm.mutate(kit.cores[0], ids.clone(), true).unwrap();
    assert_eq!(refused, Queued::Busy(vec![text("a"), text("b")]));
    assert_eq!(kit.sessions(0), 2);
    for claim in claims {
        kit.release(claim);
    }
    let accepted = kit.realm.mutate(kit.cores[0], ids, true).unwrap();
    let Queued::Queued(slot, true) = accepted else { panic!("{accepted:?}") };
    assert_eq!(kit.sessions(0), 3);
    kit.realm.mutation_settled(slot).unwrap();
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn a_wait_that_ends_after_the_claim_was_given_up_is_refused() {
    let mut kit = Kit::private();
    let (mutation, _) = mutate(&mut kit, 0, &["s"]);
    let claim = kit.claim(0, "s");
    assert_eq!(kit.realm.enter(claim), Ok(true));
    assert_eq!(kit.release(claim), None, "the wait still needs it");
    kit.realm.mutation_settled(mutation).unwrap();
    let refused = Reason::EnterPhase as u32 + 1;
    let released = ClaimPhase::Released as u32;
    let told = kit.effects();
    assert_eq!(told[0], Effect::Entered(claim, refused | released << 8));
    assert!(matches!(told[1..], [Effect::ClaimSealed(sealed, _)] if sealed == claim), "{told:?}");
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}
