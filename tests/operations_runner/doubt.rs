//! Commits that failed and took effect all the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tenure::operations::contract::{State, Submission};
use tenure::operations::journal::{Call, Key, Patch};
use tenure::operations::runner::{Answered, RunnerOptions};

use crate::disk::Faulty;
use crate::kit::{
    Backend, ByHand, Verb, accepted, endless, options, pause, start, stop, to, until, willing,
};

#[test]
fn a_row_begun_in_doubt_is_not_lost_and_not_sent_before_the_disk_says_so() {
    for failures in [1, 12] {
        let (disk, journal) = Faulty::journal();
        let names = ["a", "b", "c"];
        names.iter().for_each(|name| journal.put(name));
        let broken = Arc::new(AtomicBool::new(true));
        let (fault, watched) = (Arc::clone(&broken), Arc::clone(&journal));
        let mut open = 0;
        let backend = Backend::new(move |ask| {
            assert!(!fault.load(Ordering::SeqCst), "{ask:?} while nothing is synced");
            assert!(!watched.is("a", "queued"));
            open = if ask.verb == Verb::Submit { open + 1 } else { open - 1 };
            assert!(open <= 2, "never more than may be in progress");
            Some(willing(ask))
        });
        disk.stop_syncing();
        let runner = start(&journal, &backend, RunnerOptions { concurrency: 2, ..options() });
        until("it was tried", || disk.failures() >= failures);
        broken.store(false, Ordering::SeqCst);
        disk.heal();
        for name in names {
            journal.reach(name, "succeeded");
        }
        stop(&runner);
        assert_eq!(backend.of(Verb::Submit), names);
    }
}

/// Waits until a runner that meets a broken disk has come to its longest pause.
fn until_it_pauses(disk: &Faulty) {
    let mut before = 0;
    until("it pauses for a while", || {
        before = disk.failures();
        pause(100);
        before > 0 && before == disk.failures()
    });
}

#[test]
fn a_row_in_doubt_that_ends_by_other_hands_is_never_sent_and_the_queue_goes_on() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::willing();
    journal.put("a");
    journal.put("b");
    disk.stop_syncing();
    let runner = start(&journal, &backend, options());
    until_it_pauses(&disk);
    disk.heal();
    journal.change("a", to(State::Cancelled));
    journal.reach("b", "succeeded");
    stop(&runner);
    assert!(journal.is("a", "cancelled"));
    assert_eq!(backend.of(Verb::Submit), ["b"]);
}

#[test]
fn a_row_in_doubt_that_other_hands_have_sent_meanwhile_is_left_to_them() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::willing();
    backend.set_clock(Some(5_000));
    journal.put("a");
    journal.put("b");
    disk.fill();
    let runner = start(&journal, &backend, options());
    until_it_pauses(&disk);
    disk.heal();
    let sent = Patch { submission: Some(Submission::Uncertain), ..to(State::Running) };
    journal.change("a", sent);
    journal.reach("b", "succeeded");
    stop(&runner);
    assert!(journal.is("a", "running"));
    assert_eq!(backend.of(Verb::Submit), ["b"]);
}

#[test]
fn what_was_answered_is_not_recorded_of_a_later_operation_of_the_same_id() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::new(|_| None);
    journal.put("a");
    let runner = start(&journal, &backend, options());
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    disk.fill();
    let answered = Answered { now: Some(2_000), what: accepted("a") };
    runner.answer(backend.asked()[0].call, answered);
    until_it_pauses(&disk);
    disk.heal();
    journal.change("a", to(State::Cancelled));
    journal.call(Call::Forget { scope: "".into(), before: u64::MAX }).unwrap();
    journal.put("a");
    until("the new one is submitted", || backend.count(Verb::Submit) == 2);
    pause(1_200);
    let status = journal.see("a");
    assert_eq!((&status["state"], &status["submission"]), (&json!("running"), &json!("uncertain")));
}

#[test]
fn an_intent_that_was_recorded_by_a_failed_commit_is_honoured_all_the_same() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::new(|ask| Some(endless(ask)));
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    until("a is observed", || backend.count(Verb::Observe) > 1);
    disk.stop_syncing();
    let key = Key::new("", "a");
    let failed = journal.call(Call::RequestCancel { key: key.clone() });
    assert!(failed.is_err());
    disk.heal();
    until("the intent is known", || journal.call(Call::RequestCancel { key: key.clone() }).is_ok());
    until("it is honoured", || backend.of(Verb::Cancel) == ["ref-a"]);
}
