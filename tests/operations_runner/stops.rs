//! Stopping, and letting go.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::json;
use tenure::operations::contract::State;
use tenure::operations::journal::{JournalHandle, Patch};
use tenure::operations::runner::{Answered, RunnerOptions, What};

use crate::kit::{
    Backend, ByHand, PATIENCE, Verb, accepted, endless, let_go, memory, options, pause, seen,
    start, stop, stopping, to, try_start, until, willing,
};

#[test]
fn a_stop_waits_for_a_submit_in_flight_and_records_its_answer() {
    let journal = memory();
    let backend = Backend::new(|ask| (ask.verb != Verb::Submit).then(|| willing(ask)));
    journal.put("a");
    let runner = start(&journal, &backend, options());
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    let stops = [stopping(&runner), stopping(&runner)];
    let early = stops[0].recv_timeout(Duration::from_millis(30));
    assert_eq!(early, Err(RecvTimeoutError::Timeout));
    let refused = try_start(&journal, &backend, options());
    assert!(refused.is_err(), "the scope is still its own");
    let answered = Answered { now: Some(2_000), what: accepted("a") };
    runner.answer(backend.asked()[0].call, answered);
    for stop in &stops {
        stop.recv_timeout(PATIENCE).unwrap();
    }
    let status = journal.see("a");
    let place = json!([status["state"], status["submission"], status["backendReference"]]);
    assert_eq!(place, json!(["running", "accepted", "ref-a"]));
    assert_eq!(backend.count(Verb::Observe), 0);
    stop(&runner);
    let next = start(&journal, &backend, options());
    let_go(runner);
    assert!(
        try_start(&journal, &backend, options()).is_err(),
        "the old one gives up nothing twice"
    );
    journal.reach("a", "succeeded");
    stop(&next);
}

#[test]
fn a_stop_waits_no_longer_for_a_submit_than_the_submit_may_take() {
    let journal = memory();
    let backend = Backend::new(|_| None);
    journal.put("a");
    let quick = RunnerOptions { adapter: Duration::from_millis(40), ..options() };
    let runner = start(&journal, &backend, quick);
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    stop(&runner);
    assert!(journal.is("a", "interrupted"));
    assert_eq!(backend.aborted(Verb::Submit), ["a"]);
}

#[test]
fn a_stop_gives_up_observes_and_cancels_and_leaves_the_rows_as_they_are() {
    let journal = memory();
    let backend = Backend::new(|ask| (ask.verb == Verb::Submit).then(|| willing(ask)));
    for name in ["a", "b", "c"] {
        journal.put(name);
    }
    let two = RunnerOptions { concurrency: 2, ..options() };
    let runner = start(&journal, &backend, two);
    until("both are observed", || backend.count(Verb::Observe) == 2);
    journal.request_cancel("b");
    until("b is cancelled", || backend.count(Verb::Cancel) == 1);
    let before = ["a", "b", "c"].map(|name| journal.see(name));
    stop(&runner);
    let asked = backend.asked();
    assert!(asked.iter().all(|ask| !runner.awaits(ask.call)), "given up before it has stopped");
    until("the observes are given up", || backend.aborted(Verb::Observe).len() == 2);
    until("the cancel is given up", || backend.aborted(Verb::Cancel) == ["ref-b"]);
    for ask in asked {
        runner.answer(ask.call, Answered { now: Some(9_000), what: seen(State::Succeeded) });
    }
    runner.wake();
    pause(10);
    assert_eq!(["a", "b", "c"].map(|name| journal.see(name)), before);
    assert_eq!(backend.count(Verb::Submit), 2);
    assert_eq!(before[0]["stale"], false);
}

#[test]
fn a_row_is_either_submitted_and_recorded_or_waits_when_a_runner_is_stopped_at_once() {
    for _ in 0..50 {
        let journal = memory();
        let backend = Backend::new(|ask| Some(endless(ask)));
        journal.put("a");
        let runner = start(&journal, &backend, options());
        stop(&runner);
        let submitted = backend.count(Verb::Submit) == 1;
        let status = journal.see("a");
        let place = json!([status["state"], status["submission"]]);
        if submitted {
            assert_eq!(place, json!(["running", "accepted"]));
        } else {
            assert_eq!(place, json!(["queued", "pending"]));
        }
    }
}

#[test]
fn a_runner_that_is_let_go_gives_up_its_scope_at_once_and_leaves_a_submit_uncertain() {
    let journal = memory();
    let backend = Backend::new(|ask| (ask.of != "a").then(|| willing(ask)));
    journal.put("a");
    journal.put("b");
    let brief = RunnerOptions { adapter: Duration::from_secs(1), ..options() };
    let runner = start(&journal, &backend, brief);
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    let waiting = stopping(&runner);
    let_go(runner);
    waiting.recv_timeout(PATIENCE).unwrap();
    pause(2_300);
    let status = journal.see("a");
    assert_eq!(json!([status["state"], status["submission"]]), json!(["running", "uncertain"]));
    let _next = start(&journal, &backend, options());
    journal.reach("b", "succeeded");
    assert!(journal.is("a", "interrupted"));
    assert_eq!(backend.aborted(Verb::Submit), [""; 0], "its thread has ended: nobody is told");
}

#[test]
fn a_row_that_ends_by_other_hands_is_let_go_and_what_was_asked_of_it_is_given_up() {
    let journal = memory();
    let backend = Backend::new(|ask| match (ask.verb, &*ask.of) {
        (Verb::Observe, "ref-a") | (Verb::Submit, "b") => None,
        _ => Some(willing(ask)),
    });
    for name in ["a", "b", "c"] {
        journal.put(name);
    }
    let runner = start(&journal, &backend, options());
    until("a is observed", || backend.count(Verb::Observe) == 1);
    journal.change("a", Patch { error: Some(Some("by hand".into())), ..to(State::Cancelled) });
    let ended = journal.see("a");
    until("b is submitted", || backend.count(Verb::Submit) == 2);
    journal.change("b", Patch { error: Some(Some("by hand".into())), ..to(State::Failed) });
    let second = journal.see("b");
    journal.reach("c", "succeeded");
    assert_eq!(backend.aborted(Verb::Observe), ["ref-a"]);
    assert_eq!(backend.aborted(Verb::Submit), ["b"]);
    for ask in backend.asked() {
        runner.answer(ask.call, Answered { now: Some(9_000), what: seen(State::Succeeded) });
        runner.answer(ask.call, Answered { now: Some(9_000), what: accepted("late") });
    }
    assert_eq!([journal.see("a"), journal.see("b")], [ended, second]);
    assert_eq!(backend.of(Verb::Observe), ["ref-a", "ref-c"]);
}

#[test]
fn an_operation_forgotten_and_reserved_anew_is_not_taken_for_the_one_in_progress() {
    use tenure::operations::journal::Call;
    let journal = memory();
    let backend = Backend::new(|ask| (ask.verb == Verb::Submit).then(|| willing(ask)));
    journal.put("a");
    let runner = start(&journal, &backend, options());
    until("a is observed", || backend.count(Verb::Observe) == 1);
    let call = backend.asked()[1].call;
    journal.change("a", to(State::Cancelled));
    journal.call(Call::Forget { scope: "".into(), before: u64::MAX }).unwrap();
    journal.put("a");
    runner.answer(call, Answered { now: Some(9_000), what: seen(State::Failed) });
    until("the new one is observed", || backend.count(Verb::Observe) == 2);
    assert_eq!(backend.of(Verb::Submit), ["a", "a"]);
    assert!(journal.is("a", "running"));
    backend.set_script(|ask| Some(willing(ask)));
    runner.answer(
        backend.asked()[3].call,
        Answered { now: Some(3_000), what: seen(State::Succeeded) },
    );
    assert_eq!(journal.reach("a", "succeeded")["updatedAt"], 3_000);
}

#[test]
fn a_journal_that_is_closed_ends_its_runner() {
    let journal = memory();
    let backend = Backend::new(|ask| Some(if ask.of == "b" { What::Failed } else { endless(ask) }));
    journal.put("a");
    let two = RunnerOptions { concurrency: 2, ..options() };
    let runner = start(&journal, &backend, two);
    until("a is observed", || backend.count(Verb::Observe) > 0);
    let handle = JournalHandle::of(Arc::clone(&journal));
    drop(handle);
    until("nothing is asked any more", || {
        let before = backend.asked().len();
        pause(20);
        backend.asked().len() == before
    });
    stop(&runner);
}
