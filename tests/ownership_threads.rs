//! Threads: cores of their own never meet, and a scope's registry is one for all of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use std::sync::Barrier;
use std::thread;

use support::kit::{Kit, scope_name, text};
use tenure::admission::{Refusal, Registration};
use tenure::ownership::Queued;

const THREADS: usize = 8;

/// One turn with everything in it, from the claim to the last handle.
fn turn(kit: &mut Kit, session: &str) {
    let ids = vec![text(session), text("common")];
    let Queued::Queued(mutation, true) = kit.realm.mutate(kit.cores[0], ids, false).unwrap() else {
        panic!("another thread is ahead");
    };
    let (claim, generation) = {
        let entry = kit.entry(0, session);
        let turn = kit.realm.open_turn(entry, text("turn"), true).unwrap();
        let message = kit.realm.queue(entry, None, false).unwrap().unwrap();
        assert_eq!(kit.realm.pull(turn).unwrap().slots, [message]);
        kit.realm.release_turn(turn).unwrap();
        assert_eq!(kit.realm.take_queue(entry, false).unwrap().slots, [message]);
        kit.realm.mutation_settled(mutation).unwrap();
        kit.running(0, session, "run")
    };
    let (view, captured) = kit.stop(0, session);
    assert_eq!(captured, [claim]);
    kit.realm.attempt_settled(view, true, None).unwrap();
    kit.effects();
    kit.finish_stopped(claim, generation, view);
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn cores_of_their_own_run_side_by_side_with_equal_session_ids() {
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut kit = Kit::private();
                start.wait();
                for round in 0..500 {
                    turn(&mut kit, ["a", "b", "c"][round % 3]);
                }
                let claim = kit.claim(0, "a");
                let entry = kit.entry(0, "a");
                let reference = tenure::ownership::ClaimRef::Live(claim);
                let made = kit.realm.create_generation(entry, reference, None).unwrap();
                assert_eq!(made.1, 501, "ids are the core's own");
                kit.close(0);
                assert_eq!(kit.realm.handle_count(), 0);
            });
        }
    });
}

#[test]
fn a_realm_that_ends_gives_its_scopes_back() {
    let name = scope_name("threads");
    let there = name.clone();
    thread::spawn(move || {
        let mut kit = Kit::members(there, 3);
        for member in 0..3 {
            kit.running(member, &format!("of {member}"), "r");
        }
        kit.realm.end();
        assert_eq!(kit.realm.handle_count(), 0);
        assert!(kit.realm.effects.is_empty());
    })
    .join()
    .unwrap();
    let mut kit = Kit::members(name, 1);
    assert_eq!(kit.sessions(0), 0);
    kit.running(0, "s", "r");
}

#[test]
fn registrations_from_many_threads_meet_in_one_registry_and_end_with_their_members() {
    const ROUNDS: usize = 2_000;
    let mut kit = Kit::members(scope_name("threads"), 2);
    let (scope, kept) = kit.realm.admission(kit.cores[0]).unwrap();
    let scope = std::sync::Arc::clone(scope);
    let (_, ending) = kit.realm.admission(kit.cores[1]).unwrap();
    let registration = |thread: usize, member: u32| Registration {
        operation_id: text(&format!("{thread} of {member}")),
        owner_id: text("owner"),
        session_id: None,
    };
    thread::scope(|threads| {
        let (scope, registration) = (&scope, &registration);
        for thread in 0..THREADS {
            threads.spawn(move || {
                for round in 0..ROUNDS {
                    let member = if round % 2 == 0 { kept } else { ending };
                    let keys = vec![text(["a", "b", "c"][(round + thread) % 3])];
                    match scope.admission.reserve(member, registration(thread, member), keys) {
                        // Of the member that ends, some are left for its end to find.
                        Ok(lease) if member == kept || round % 3 == 0 => {
                            scope.admission.release(lease);
                        }
                        Ok(_) => {}
                        Err(Refusal::Busy { .. } | Refusal::Duplicate) => {}
                        Err(refusal) => panic!("{refusal}"),
                    }
                }
            });
        }
    });
    kit.close(1);
    assert!(scope.admission.is_empty(), "nothing outlives the member that reserved it");
    for key in ["a", "b", "c"] {
        let lease = scope.admission.reserve(kept, registration(0, kept), vec![text(key)]).unwrap();
        assert!(scope.admission.release(lease));
    }
}
