//! A stop, and what it meets: a claim on its way, a member that ends, a starter that ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tenure::ownership::{Effect, Queued};

use crate::explore::explore;
use crate::kit::text;
use crate::member::{Member, spawn};

const LIFTED: fn(&Effect) -> bool = |each| matches!(each, Effect::Lifted(..));
/// What ends the wait of `drained`: the wait itself, or the whole stop.
const DRAINED: fn(&Effect) -> bool =
    |each| matches!(each, Effect::Drained(..) | Effect::AttemptOver(..));

/// Stops the session and waits until nothing of the stop is left. Whether it had to wait for claims.
fn stop_and_wait(member: &mut Member, meanwhile: impl FnOnce()) -> bool {
    let Some(view) = member.stop("s") else { panic!("nobody else stops it") };
    let waits = member.kit.realm.drained(view).unwrap().is_none();
    meanwhile();
    member.kit.realm.attempt_settled(view, true, None).unwrap();
    member.await_told(|member| member.count(LIFTED) > 0 && (!waits || member.count(DRAINED) > 0));
    assert!(member.told.contains(&Effect::Lifted(view, 0)), "{:?}", member.told);
    waits
}

#[test]
fn a_claim_that_meets_a_stop_is_refused_or_captured_and_told_of_it_or_free() {
    explore("claim against stop", &["captured", "free", "refused"], || {
        let (mut stopper, mut claimant) = (Member::of("scope"), Member::of("scope"));
        let [standing, over] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let bell = claimant.bell.clone();
        let claiming = {
            let (standing, over) = (Arc::clone(&standing), Arc::clone(&over));
            spawn(move || {
                let stood = standing.load(Ordering::SeqCst);
                let claim = claimant.claim("s");
                let stands = stood && standing.load(Ordering::SeqCst);
                assert!(!stands || claim.is_none(), "claimed while a stop stands");
                let captured = claim.is_some_and(|(claim, _)| claimant.is_captured(claim));
                if let Some(claim) = claim {
                    claimant.end(claim);
                }
                claimant.await_told(|_| over.load(Ordering::SeqCst));
                assert!(claimant.parts <= 1, "one stop, one part");
                assert!(!captured || claimant.parts == 1, "captured, and never told");
                (claimant, claim.is_some(), captured)
            })
        };
        let stopping = spawn(move || {
            stop_and_wait(&mut stopper, || {
                standing.store(true, Ordering::SeqCst);
                shuttle::thread::yield_now();
                standing.store(false, Ordering::SeqCst);
            });
            over.store(true, Ordering::SeqCst);
            bell.ring();
            stopper
        });
        let (mut claimant, claimed, captured) = claiming();
        let mut stopper = stopping();
        claimant.listen();
        stopper.listen();
        let times = |is: fn(&Effect) -> bool| stopper.count(is);
        assert_eq!(times(LIFTED), 1, "{:?}", stopper.told);
        assert_eq!(times(|it| matches!(it, Effect::AttemptOver(..))), 1, "{:?}", stopper.told);
        assert!(times(|it| matches!(it, Effect::Drained(..))) <= 1, "{:?}", stopper.told);
        assert!(claimant.is_at_rest() && stopper.is_at_rest());
        match (claimed, captured) {
            (false, _) => "refused",
            (true, true) => "captured",
            (true, false) => "free",
        }
    });
}

#[test]
fn a_stop_never_waits_for_a_member_that_has_ended() {
    explore("stop against the end of a thread", &["ended first", "stopped first"], || {
        let (mut stopper, mut ending) = (Member::of("scope"), Member::of("scope"));
        let claim = ending.claim("s");
        assert!(claim.is_some());
        let ends = spawn(move || drop(ending.kit.close(0)));
        let stopping = spawn(move || {
            let waited = stop_and_wait(&mut stopper, || {});
            (stopper, waited)
        });
        let (mut stopper, waited) = stopping();
        ends();
        stopper.listen();
        let Some(claim) = stopper.claim("s") else { panic!("the stop is over") };
        stopper.end(claim);
        assert!(stopper.is_at_rest());
        if waited { "stopped first" } else { "ended first" }
    });
}

#[test]
fn whoever_joins_a_stop_is_told_of_its_end_though_its_starter_ends() {
    explore("joined stop against the end of its starter", &["joined", "started"], || {
        let (mut starter, mut other) = (Member::of("scope"), Member::of("scope"));
        let claim = other.claim("s");
        let starting = spawn(move || {
            starter.stop("s");
            drop(starter.kit.close(0));
        });
        let joining = spawn(move || {
            let own = other.stop("s");
            match own {
                Some(view) => {
                    other.kit.realm.attempt_settled(view, true, None).unwrap();
                    other.await_told(|member| member.count(LIFTED) > 0);
                }
                None => other
                    .await_told(|member| member.count(|it| matches!(it, Effect::Joined(..))) > 0),
            }
            (other, own.is_some())
        });
        let (mut other, started) = joining();
        starting();
        other.listen();
        if let Some(claim) = claim {
            other.end(claim);
        }
        other.listen();
        assert!(other.is_at_rest());
        if started { "started" } else { "joined" }
    });
}

#[test]
fn what_waits_behind_the_mutation_of_a_member_that_ends_comes_to_its_turn() {
    explore("mutation against the end of a thread", &["ended first", "waited"], || {
        let (mut waiting, mut ending) = (Member::of("scope"), Member::of("scope"));
        let core = ending.kit.cores[0];
        let queued = ending.kit.realm.mutate(core, vec![text("s")], false);
        assert!(matches!(queued, Ok(Queued::Queued(_, true))), "{queued:?}");
        let ends = spawn(move || drop(ending.kit.close(0)));
        let waits = spawn(move || {
            let core = waiting.kit.cores[0];
            let ids = vec![text("s"), text("t")];
            let Ok(Queued::Queued(slot, runs)) = waiting.kit.realm.mutate(core, ids, false) else {
                panic!("it asks for no quiet sessions")
            };
            if !runs {
                waiting.await_told(|member| member.told.contains(&Effect::MutationReady(slot)));
            }
            waiting.kit.realm.mutation_settled(slot).unwrap();
            waiting.act();
            (waiting, runs)
        });
        let (waiting, runs) = waits();
        ends();
        assert!(waiting.is_at_rest());
        if runs { "ended first" } else { "waited" }
    });
}
