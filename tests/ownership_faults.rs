//! A panic under a session's lock ends that session, and nothing else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use support::kit::{Kit, scope_name, text};
use tenure::error::{Reason, Refusal};
use tenure::ownership::{ClaimEvent, ClaimPhase, Effect, Queued, Realm, arm_fault};

/// The switch is the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn internal<T>() -> Result<T, Refusal> {
    Err(Refusal::from(Reason::Internal))
}

/// The next call that locks a session panics under its lock.
fn panicking<R>(kit: &mut Kit, call: impl FnOnce(&mut Realm) -> R) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    arm_fault();
    let caught = catch_unwind(AssertUnwindSafe(|| call(&mut kit.realm)));
    std::panic::set_hook(hook);
    assert!(caught.is_err(), "the switch had no effect");
}

#[test]
fn a_panic_ends_its_session_and_spares_all_others() {
    let _alone = alone();
    let mut kit = Kit::private();
    let (broken, sound) = (kit.claim(0, "broken"), kit.claim(0, "sound"));
    panicking(&mut kit, |realm| realm.claim_move(broken, ClaimEvent::Release, None));
    assert_eq!(kit.realm.claim_move(broken, ClaimEvent::Release, None), internal());
    let entry = kit.entry(0, "broken");
    assert_eq!(kit.realm.claim(entry), internal());
    assert_eq!(kit.realm.stop(entry, None), internal());
    assert_eq!(kit.realm.queue(entry, None, false), internal());
    assert_eq!(kit.realm.has_active_runs(kit.cores[0], &text("broken")), internal());

    assert_eq!(kit.state(sound).phase(), ClaimPhase::Pending);
    assert!(kit.release(sound).is_some());
    let (claim, generation) = kit.running(0, "another", "r");
    kit.finish(claim, generation);
    assert_eq!(kit.realm.claim_move(broken, ClaimEvent::Release, None), internal());
}

#[test]
fn a_panic_changes_nothing() {
    let _alone = alone();
    let mut kit = Kit::members(scope_name("faults"), 2);
    let handles = kit.realm.handle_count();
    let entry = kit.entry(0, "broken");
    panicking(&mut kit, |realm| realm.claim(entry));
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, handles));
    assert!(kit.effects().is_empty());
    let entry = kit.entry(1, "broken");
    assert_eq!(kit.realm.claim(entry), internal(), "the record is the scope's");
}

#[test]
fn a_core_closes_over_a_broken_session_and_ends_its_part_in_all_others() {
    let _alone = alone();
    let mut kit = Kit::members(scope_name("faults"), 2);
    let broken = kit.claim(0, "broken");
    let own = kit.claim(0, "sound");
    let other = kit.claim(1, "sound");
    let view = kit.stop(1, "sound").0;
    panicking(&mut kit, |realm| realm.claim_move(broken, ClaimEvent::Release, None));
    let (told, freed) = kit.close(0);
    assert!(told.iter().any(|each| matches!(each, Effect::ClaimSealed(slot, _) if *slot == own)));
    assert!(freed.contains(&broken), "{freed:?}");
    kit.realm.attempt_settled(view, true, None).unwrap();
    kit.deliver(1);
    assert!(kit.realm.claim_is_exclusive(other).unwrap());
    assert!(kit.release(other).is_some());
    kit.effects();
    assert_eq!(kit.realm.failures(view), Ok(vec![0, 2]), "its claim, and its part");
    kit.realm.attempt_forget(view).unwrap();
    assert_eq!(kit.realm.handle_count(), 0);
    kit.close(1);
}

#[test]
fn a_mutation_over_a_broken_session_is_refused_and_queues_nothing() {
    let _alone = alone();
    let mut kit = Kit::private();
    let entry = kit.entry(0, "b");
    panicking(&mut kit, |realm| realm.claim(entry));
    for round in 0..100 {
        let ids = vec![text("b"), text(&format!("a {round}")), text(&format!("c {round}"))];
        assert_eq!(kit.realm.mutate(kit.cores[0], ids, false), internal());
        assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
    }
    let fresh = kit.entry(0, "fresh");
    assert!(fresh < 16, "its sessions are not kept open: {fresh}");
    let ids = vec![text("a"), text("c")];
    assert_eq!(kit.realm.mutate(kit.cores[0], ids, true), Ok(Queued::Queued(0, true)));
}

#[test]
fn a_mutation_that_panics_while_it_is_queued_spares_the_other_sessions_of_its_set() {
    let _alone = alone();
    let mut kit = Kit::private();
    let core = kit.cores[0];
    let ids = vec![text("a"), text("b")];
    panicking(&mut kit, |realm| realm.mutate(core, ids.clone(), false));
    assert_eq!(kit.realm.mutate(core, ids, false), internal());
    assert_eq!(kit.realm.mutate(core, vec![text("b")], false), Ok(Queued::Queued(0, true)));
}

#[test]
fn a_set_with_a_broken_session_lets_its_sound_sessions_go_on() {
    let _alone = alone();
    let mut kit = Kit::private();
    let core = kit.cores[0];
    let ids = vec![text("a"), text("b"), text("c")];
    let Queued::Queued(first, true) = kit.realm.mutate(core, ids, false).unwrap() else {
        panic!("not queued");
    };
    let ids = vec![text("c")];
    let Queued::Queued(second, false) = kit.realm.mutate(core, ids, false).unwrap() else {
        panic!("not queued");
    };
    let waiting = kit.claim(0, "b");
    assert_eq!(kit.realm.enter(waiting), Ok(true));
    let broken = kit.claim(0, "a");
    panicking(&mut kit, |realm| realm.claim_move(broken, ClaimEvent::Release, None));

    let _ = kit.realm.mutation_settled(first);
    let told = kit.effects();
    assert!(told.contains(&Effect::Entered(waiting, 0)), "{told:?}");
    assert!(told.contains(&Effect::MutationReady(second)), "{told:?}");
}

#[test]
fn a_broken_session_does_not_hide_the_sessions_that_hold_a_backend() {
    let _alone = alone();
    let mut kit = Kit::private();
    kit.running(0, "sound", "r");
    let broken = kit.claim(0, "broken");
    panicking(&mut kit, |realm| realm.claim_move(broken, ClaimEvent::Release, None));
    assert_eq!(kit.realm.cached_sessions(kit.cores[0]), Ok(vec![text("sound")]));
}

#[test]
fn a_turn_to_mutate_reaches_its_member_past_a_broken_session() {
    let _alone = alone();
    let mut kit = Kit::members(scope_name("faults"), 2);
    let ids = vec![text("a"), text("b")];
    let Queued::Queued(first, true) = kit.realm.mutate(kit.cores[0], ids.clone(), false).unwrap()
    else {
        panic!("not queued");
    };
    let Queued::Queued(second, false) = kit.realm.mutate(kit.cores[1], ids, false).unwrap() else {
        panic!("not queued");
    };
    kit.realm.mutation_settled(first).unwrap();
    let broken = kit.claim(0, "b");
    panicking(&mut kit, |realm| realm.claim_move(broken, ClaimEvent::Release, None));
    let _ = kit.realm.deliver(kit.cores[1]);
    assert_eq!(kit.effects(), [Effect::MutationReady(second)]);
}

#[test]
fn what_waits_behind_a_broken_session_comes_to_its_turn_in_its_sound_ones() {
    let _alone = alone();
    let mut kit = Kit::private();
    let core = kit.cores[0];
    let queue = |kit: &mut Kit, ids: &[&str]| {
        let ids = ids.iter().map(|id| text(id)).collect();
        let Queued::Queued(slot, _) = kit.realm.mutate(core, ids, false).unwrap() else {
            panic!("not queued");
        };
        slot
    };
    let first = queue(&mut kit, &["broken"]);
    let second = queue(&mut kit, &["broken", "sound"]);
    let third = queue(&mut kit, &["sound"]);
    let claim = kit.claim(0, "broken");
    panicking(&mut kit, |realm| realm.claim_move(claim, ClaimEvent::Release, None));

    let _ = kit.realm.mutation_settled(first);
    assert_eq!(kit.effects(), [Effect::MutationReady(second)]);
    let _ = kit.realm.mutation_settled(second);
    assert_eq!(kit.effects(), [Effect::MutationReady(third)]);
    kit.realm.mutation_settled(third).unwrap();
    let later = kit.claim(0, "sound");
    assert!(kit.may_attach(later));
}
