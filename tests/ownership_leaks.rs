//! Nothing is left behind, however long it goes on.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use support::call::calls;
use support::kit::{Kit, scope_name, text};
use support::seed::{runner, seed};
use support::world::World;
use tenure::ownership::{Name, Payment, Queued, RetainFor, Said};

/// A turn that is steered, stopped, retained and paid for.
fn stopped_turn(kit: &mut Kit, core: usize, session: &str) {
    let (claim, generation) = kit.running(core, session, "r");
    let request = kit.realm.open_request(claim, text("question")).unwrap();
    assert!(!request.again);
    let entry = kit.entry(core, session);
    let turn = kit.realm.open_turn(entry, text("t"), true).unwrap();
    kit.realm.queue(entry, None, false).unwrap();
    let leased = kit.realm.pull(turn).unwrap().slots;
    kit.realm.queue(entry, None, false).unwrap();
    kit.realm.queue(entry, None, true).unwrap();
    let (view, _) = kit.stop(core, session);
    kit.realm.settle_leases(turn, &[Name::Slot(leased[0])], true).unwrap();
    kit.realm.release_turn(turn).unwrap();

    let plan = kit.realm.retain_plan(RetainFor::Live(view), claim, true).unwrap();
    let retained = kit.realm.retain(RetainFor::Live(view), claim, plan, true).unwrap().unwrap();
    let operation = retained.operation;
    let (task, _) = kit.realm.operation_enqueue(operation).unwrap();
    kit.realm.task_ended(task).unwrap();
    for payment in [
        Payment::Delivery(0, true),
        Payment::Status,
        Payment::Turn(0),
        Payment::Note,
        Payment::Terminal(0),
    ] {
        assert_eq!(kit.realm.operation_complete(operation, &[0]), Ok(false));
        kit.realm.operation_pay(operation, payment).unwrap();
    }
    assert_eq!(kit.realm.operation_complete(operation, &[0]), Ok(true));
    kit.realm.operation_drop(operation, retained.id).unwrap();
    kit.realm.attempt_settled(view, true, None).unwrap();
    kit.effects();
    kit.finish_stopped(claim, generation, view);
}

#[test]
fn ten_thousand_stopped_turns_leave_no_handle_and_no_entry() {
    let mut kit = Kit::private();
    for round in 0..10_000 {
        stopped_turn(&mut kit, 0, &format!("session {}", round % 1_000));
        assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0), "round {round}");
    }
    let fresh: Vec<u32> = (0..4).map(|number| kit.entry(0, &format!("fresh {number}"))).collect();
    assert!(fresh.iter().all(|entry| *entry < 8), "entries are used again: {fresh:?}");
}

#[test]
fn messages_that_pass_between_members_leave_nothing_with_either() {
    let mut kit = Kit::members(scope_name("leaks"), 2);
    for round in 0..3_000 {
        let session = format!("session {round}");
        let entry = kit.entry(0, &session);
        let turn = kit.realm.open_turn(entry, text("t"), true).unwrap();
        let entry = kit.entry(1, &session);
        let said = Said { id: text("m"), text: text("words") };
        kit.realm.queue(entry, Some(said), false).unwrap();
        kit.deliver(0);
        assert_eq!(kit.realm.pull(turn).unwrap().said.len(), 1);
        kit.realm.release_turn(turn).unwrap();
        let entry = kit.entry(1, &session);
        assert_eq!(kit.realm.take_queue(entry, false).unwrap().said.len(), 1);
        kit.effects();
        assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0), "round {round}");
    }
}

#[test]
fn mutations_over_many_sessions_leave_none_of_them_open() {
    let mut kit = Kit::private();
    for round in 0..200 {
        let ids = (0..50).map(|number| text(&format!("{round} {number}"))).collect();
        let Queued::Queued(slot, true) = kit.realm.mutate(kit.cores[0], ids, true).unwrap() else {
            panic!("nothing is ahead");
        };
        assert_eq!(kit.sessions(0), 50);
        kit.realm.mutation_settled(slot).unwrap();
        assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
    }
    let fresh = kit.entry(0, "fresh");
    assert!(fresh < 64, "entries are used again: {fresh}");
}

#[test]
fn long_random_runs_end_with_nothing() {
    let seed = seed();
    let outcome = runner(seed, 12).run(&(0_usize..4, 1_usize..3, calls(1_200)), |case| {
        let (members, realms, calls) = case;
        let shared = members > 0;
        let (members, realms) = if shared { (members, realms) } else { (1, 1) };
        let mut world = World::new(shared, members, realms);
        calls.into_iter().try_for_each(|call| world.call(call))?;
        world.wind_down()?;
        world.close_all()
    });
    assert_eq!(outcome, Ok(()), "TENURE_SEED={seed}");
}
