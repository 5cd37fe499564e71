//! A journal that cannot write, and can again; a host that panics.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenure::operations::contract::State;
use tenure::operations::journal::JournalHandle;
use tenure::operations::runner::{
    Answered, Host, Question, Runner, RunnerOptions, STOP_PATIENCE, What,
};

use crate::disk::Faulty;
use crate::kit::{
    Backend, ByHand, Verb, accepted, endless, left, let_go, memory, options, pause, seen_with,
    start, stop, stopping, until, willing,
};

#[test]
fn while_the_journal_cannot_write_nothing_is_submitted_and_then_everything_is_once() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::willing();
    for name in ["a", "b"] {
        journal.put(name);
    }
    disk.fill();
    let runner = start(&journal, &backend, options());
    until("it was tried", || disk.failures() > 3);
    journal.reach("a", "queued");
    assert!(backend.asked().is_empty());
    disk.heal();
    for name in ["a", "b"] {
        journal.reach(name, "succeeded");
    }
    disk.fill();
    pause(5);
    disk.heal();
    journal.put("c");
    runner.wake();
    journal.reach("c", "succeeded");
    assert_eq!(backend.of(Verb::Submit), ["a", "b", "c"]);
    assert_eq!(backend.count(Verb::Observe), 3);
}

#[test]
fn a_start_that_cannot_reconcile_waits_until_it_can() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::willing();
    left(&journal, "uncertain", State::Running, false);
    left(&journal, "sent", State::Running, true);
    journal.put("a");
    disk.fill();
    let _runner = start(&journal, &backend, options());
    until("it was tried", || disk.failures() > 2);
    assert!(backend.asked().is_empty());
    disk.heal();
    journal.reach("a", "succeeded");
    assert!(journal.is("sent", "succeeded") && journal.is("uncertain", "interrupted"));
}

#[test]
fn what_the_adapter_answered_is_recorded_once_the_journal_can() {
    for what in [accepted("a"), What::Refused(Some("why".into())), What::Failed] {
        let (disk, journal) = Faulty::journal();
        let backend = Backend::new(|ask| (ask.verb != Verb::Submit).then(|| endless(ask)));
        journal.put("a");
        let runner = start(&journal, &backend, options());
        until("a is submitted", || backend.count(Verb::Submit) == 1);
        disk.fill();
        let answered = Answered { now: Some(2_000), what: what.clone() };
        runner.answer(backend.asked()[0].call, answered);
        until("it was tried", || disk.failures() > 3);
        assert!(journal.is("a", "running"));
        assert_eq!(backend.count(Verb::Observe), 0);
        disk.heal();
        let (state, submission) = match what {
            What::Reference(_) => ("running", "accepted"),
            What::Refused(_) => ("failed", "refused"),
            _ => ("interrupted", "uncertain"),
        };
        until("it is recorded", || {
            journal.see("a")["submission"] == submission && journal.is("a", state)
        });
        if submission == "accepted" {
            until("it is followed", || backend.count(Verb::Observe) > 0);
        }
        assert_eq!(backend.count(Verb::Submit), 1);
    }
}

#[test]
fn a_terminal_observation_is_kept_until_the_journal_can_record_it() {
    for syncs in [false, true] {
        let (disk, journal) = Faulty::journal();
        let faulty = Arc::clone(&disk);
        let backend = Backend::new(move |ask| {
            if ask.verb == Verb::Submit {
                return Some(accepted(&ask.of));
            }
            if syncs {
                faulty.stop_syncing()
            } else {
                faulty.fill()
            }
            Some(seen_with(|seen| {
                seen.state = Some(State::Succeeded);
                seen.result = Some(Some(r#"{"n":1}"#.to_owned()));
            }))
        });
        journal.put("a");
        let _runner = start(&journal, &backend, options());
        until("it was tried", || disk.failures() > 3);
        disk.heal();
        assert_eq!(journal.reach("a", "succeeded")["result"], json!({"n": 1}));
        assert_eq!(backend.count(Verb::Observe), 1, "what was answered was kept");
    }
}

#[test]
fn a_stop_waits_for_a_broken_journal_for_a_while_and_the_recording_goes_on_after_it() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::new(|ask| (ask.verb != Verb::Submit).then(|| willing(ask)));
    journal.put("a");
    let runner = start(&journal, &backend, options());
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    disk.fill();
    let answered = Answered { now: Some(2_000), what: accepted("a") };
    runner.answer(backend.asked()[0].call, answered);
    let stopped = stopping(&runner);
    assert!(stopped.recv_timeout(STOP_PATIENCE / 4).is_err());
    stopped.recv_timeout(STOP_PATIENCE * 3).unwrap();
    assert!(journal.is("a", "running"));
    let_go(runner);
    let next = start(&journal, &backend, options());
    disk.heal();
    journal.reach("a", "succeeded");
    assert_eq!(journal.see("a")["backendReference"], "ref-a");
    assert_eq!(backend.count(Verb::Submit), 1);
    stop(&next);
}

#[test]
fn a_runner_that_does_not_stop_waits_for_its_journal_however_long_it_takes() {
    let (disk, journal) = Faulty::journal();
    let faulty = Arc::clone(&disk);
    let backend = Backend::new(move |ask| {
        if ask.verb == Verb::Submit {
            faulty.fill();
        }
        Some(willing(ask))
    });
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    pause(STOP_PATIENCE.as_millis() as u64 + 500);
    assert!(journal.is("a", "running"));
    disk.heal();
    journal.reach("a", "succeeded");
    assert_eq!(backend.count(Verb::Submit), 1);
}

#[test]
fn a_stop_of_a_runner_that_never_could_write_is_quick() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::willing();
    journal.put("a");
    disk.fill();
    let runner = start(&journal, &backend, options());
    until("it was tried", || disk.failures() > 1);
    stop(&runner);
    disk.heal();
    assert!(journal.is("a", "queued"));
}

#[test]
fn a_recording_ends_with_its_journal() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::new(|_| None);
    journal.put("a");
    let runner = start(&journal, &backend, options());
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    disk.fill();
    let answered = Answered { now: Some(2_000), what: accepted("a") };
    runner.answer(backend.asked()[0].call, answered);
    until("it was tried", || disk.failures() > 1);
    drop(JournalHandle::of(Arc::clone(&journal)));
    stop(&runner);
    let_go(runner);
    let weak = Arc::downgrade(&journal);
    drop(journal);
    until("nobody holds the journal", || weak.strong_count() == 0);
}

/// Panics at every question but that for the time.
struct Hot(std::sync::Mutex<std::sync::mpsc::Sender<u64>>);

impl Host for Hot {
    fn ask(&self, question: Question) {
        match question {
            Question::Time { call } => self.0.lock().unwrap().send(call).unwrap_or(()),
            _ => panic!("a host that panics"),
        }
    }
}

#[test]
fn a_host_that_panics_has_not_answered() {
    let journal = memory();
    for name in ["a", "b"] {
        journal.put(name);
    }
    let (sender, times) = std::sync::mpsc::channel();
    let adapter = Duration::from_millis(10);
    let host = Arc::new(Hot(std::sync::Mutex::new(sender)));
    let runner = Runner::start(&journal, RunnerOptions { adapter, ..options() }, host).unwrap();
    until("both are given up", || {
        for call in times.try_iter() {
            runner.answer(call, Answered { now: Some(2_000), what: What::Time });
        }
        ["a", "b"].iter().all(|name| journal.is(name, "interrupted"))
    });
    stop(&runner);
}
