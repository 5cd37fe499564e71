//! What a start takes up.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenure::operations::contract::{State, Submission};
use tenure::operations::journal::open::{Wanted, on_disk};
use tenure::operations::journal::{Call, Job, JournalHandle, Key, Patch};
use tenure::operations::runner::{RunnerOptions, What};
use tenure::store::disk::MemoryDisk;

use crate::kit::{
    Backend, ByHand, Verb, accepted, endless, left, memory, options, pause, put_all, seen, start,
    stop, until, willing,
};

#[test]
fn what_was_left_is_observed_before_the_queue_is_drained_and_nothing_is_submitted_again() {
    let disk = Arc::new(MemoryDisk::default());
    let journal = on_disk(disk.clone(), &Wanted::default()).unwrap();
    journal.put("waiting");
    left(&journal, "interrupted", State::Interrupted, true);
    left(&journal, "running", State::Running, true);
    left(&journal, "queued", State::Queued, true);
    left(&journal, "ended", State::Failed, true);
    for (id, state) in [("r", State::Running), ("q", State::Queued), ("i", State::Interrupted)] {
        left(&journal, id, state, false);
    }
    journal.put("p");
    journal.change("p", Patch { state: Some(State::Running), ..Patch::default() });
    let closed = std::sync::mpsc::channel();
    JournalHandle::of(journal).close_later(move || closed.0.send(()).unwrap_or(()));
    closed.1.recv().unwrap();

    let copy = MemoryDisk::from(disk.image());
    let journal = on_disk(Arc::new(copy), &Wanted::default()).unwrap();
    let mut observed = Vec::new();
    let backend = Backend::new(move |ask| {
        Some(match ask.verb {
            Verb::Observe if !observed.contains(&ask.of) => {
                observed.push(ask.of.clone());
                seen(State::Running)
            }
            _ => willing(ask),
        })
    });
    let _runner = start(&journal, &backend, options());
    journal.reach("waiting", "succeeded");
    let asked = backend.asked();
    let first: Vec<&str> = asked[..3].iter().map(|ask| &*ask.of).collect();
    assert_eq!(first, ["ref-interrupted", "ref-running", "ref-queued"]);
    assert_eq!(backend.of(Verb::Submit), ["waiting"]);
    let submitted = asked.iter().position(|ask| ask.verb == Verb::Submit).unwrap();
    assert_eq!(submitted, 6, "with concurrency 1 it has to wait for all of them");
    for id in ["interrupted", "running", "queued"] {
        assert!(journal.is(id, "succeeded"), "{id}");
    }
    for id in ["r", "q", "i", "p"] {
        assert!(journal.is(id, "interrupted"), "{id}");
    }
}

#[test]
fn what_a_stop_left_is_taken_up_by_the_next_start_without_a_reopen() {
    let journal = memory();
    let backend = Backend::new(|ask| Some(endless(ask)));
    journal.put("a");
    let runner = start(&journal, &backend, options());
    until("a is observed", || backend.count(Verb::Observe) > 1);
    journal.put("b");
    stop(&runner);
    let place = ["a", "b"]
        .map(|id| [journal.see(id)["state"].clone(), journal.see(id)["submission"].clone()]);
    assert_eq!(json!(place), json!([["running", "accepted"], ["queued", "pending"]]));
    left(&journal, "c", State::Running, false);
    let before = backend.asked().len();
    pause(15);
    assert_eq!(backend.asked().len(), before, "a stopped runner calls nothing");
    assert!(journal.is("c", "running"));
    backend.set_script(|ask| Some(willing(ask)));
    let _runner = start(&journal, &backend, options());
    journal.reach("b", "succeeded");
    assert!(journal.is("a", "succeeded") && journal.is("c", "interrupted"));
    assert_eq!(backend.of(Verb::Submit), ["a", "b"]);
}

#[test]
fn rows_reserved_while_a_start_reconciles_are_submitted_once_each() {
    let journal = memory();
    for number in 0..20 {
        left(&journal, &format!("old-{number}"), State::Running, number % 2 == 0);
    }
    let backend = Backend::willing();
    let runner = start(&journal, &backend, RunnerOptions { concurrency: 7, ..options() });
    let names: Vec<String> = (0..50).map(|number| format!("new-{number}")).collect();
    for name in &names {
        journal.put(name);
        runner.wake();
    }
    until("all have ended", || names.iter().all(|name| journal.is(name, "succeeded")));
    assert_eq!(backend.of(Verb::Submit), names);
    for number in 0..20 {
        let state = if number % 2 == 0 { "succeeded" } else { "interrupted" };
        journal.reach(&format!("old-{number}"), state);
    }
}

#[test]
fn a_thousand_rows_are_taken_up_at_once() {
    let journal = memory();
    let names: Vec<String> = (0..1_000).map(|number| format!("{number:04}")).collect();
    put_all(&journal, &names);
    let accept = |name: &String| {
        let patch = Patch {
            submission: Some(Submission::Accepted),
            reference: Some(format!("ref-{name}")),
            state: Some(State::Running),
            ..Patch::default()
        };
        let call = Call::Update { key: Key::new("", name), row: None, patch, now: 1 };
        Job::Call(call, Box::new(|answer| drop(answer.unwrap())))
    };
    journal.post(names.iter().map(accept).collect::<Vec<_>>());
    until("all are there", || journal.is("0999", "running"));
    let backend = Backend::willing();
    let _runner = start(&journal, &backend, options());
    until("all have ended", || {
        let book = journal.book();
        book.shelf("").is_some_and(|shelf| shelf.count(State::Running) == 0)
    });
    assert_eq!(backend.count(Verb::Observe), 1_000);
}

#[test]
fn a_row_that_is_given_its_reference_by_other_hands_is_followed_from_then_on() {
    let journal = memory();
    let backend = Backend::new(|ask| {
        Some(if ask.verb == Verb::Submit { What::Failed } else { willing(ask) })
    });
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    journal.reach("a", "interrupted");
    let patch = Patch {
        submission: Some(Submission::Accepted),
        reference: Some("found".to_owned()),
        ..Patch::default()
    };
    journal.change("a", patch);
    journal.reach("a", "succeeded");
    assert_eq!(backend.of(Verb::Observe), ["found"]);
    assert_eq!(backend.of(Verb::Submit), ["a"]);
}

#[test]
fn a_row_that_is_given_its_reference_while_a_start_reconciles_is_followed_by_one() {
    let journal = memory();
    let backend = Backend::new(|ask| Some(endless(ask)));
    backend.set_clock(None);
    left(&journal, "a", State::Interrupted, false);
    let poll = Duration::from_secs(1);
    let _runner = start(&journal, &backend, RunnerOptions { poll, ..options() });
    let patch = Patch {
        submission: Some(Submission::Accepted),
        reference: Some("found".to_owned()),
        ..Patch::default()
    };
    journal.change("a", patch);
    backend.set_clock(Some(2_000));
    journal.reach("a", "running");
    assert_eq!(backend.of(Verb::Observe), ["found"]);
}

#[test]
fn a_reference_that_the_adapter_recorded_itself_is_followed_whatever_submit_answers() {
    let journal = memory();
    let watched = Arc::clone(&journal);
    let backend = Backend::new(move |ask| {
        if ask.verb == Verb::Observe {
            return Some(willing(ask));
        }
        let patch = Patch {
            submission: Some(Submission::Accepted),
            reference: Some("by itself".to_owned()),
            ..Patch::default()
        };
        watched.change(&ask.of, patch);
        Some(match &*ask.of {
            "fails" => What::Failed,
            "refuses" => What::Refused(None),
            _ => accepted("other"),
        })
    });
    let names = ["fails", "refuses", "another"];
    names.iter().for_each(|name| journal.put(name));
    let _runner = start(&journal, &backend, options());
    for name in names {
        let status = journal.reach(name, "succeeded");
        let wanted = json!(["accepted", "by itself"]);
        assert_eq!(json!([status["submission"], status["backendReference"]]), wanted);
    }
}
