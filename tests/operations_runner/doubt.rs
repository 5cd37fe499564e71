//! Commits that failed and took effect all the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tenure::operations::contract::State;
use tenure::operations::journal::{Call, Key};
use tenure::operations::runner::RunnerOptions;

use crate::disk::Faulty;
use crate::kit::{Backend, ByHand, Verb, endless, options, pause, start, stop, to, until, willing};

#[test]
fn a_row_begun_in_doubt_is_not_lost_and_not_sent_before_the_disk_says_so() {
    for failures in [1, 12] {
        let (disk, journal) = Faulty::journal();
        journal.put("a");
        journal.put("b");
        let broken = Arc::new(AtomicBool::new(true));
        let (fault, watched) = (Arc::clone(&broken), Arc::clone(&journal));
        let backend = Backend::new(move |ask| {
            assert!(!fault.load(Ordering::SeqCst), "{ask:?} while nothing is synced");
            assert!(!watched.is("a", "queued"));
            Some(willing(ask))
        });
        disk.stop_syncing();
        let runner = start(&journal, &backend, RunnerOptions { concurrency: 2, ..options() });
        until("it was tried", || disk.failures() >= failures);
        broken.store(false, Ordering::SeqCst);
        disk.heal();
        for name in ["a", "b"] {
            journal.reach(name, "succeeded");
        }
        stop(&runner);
        assert_eq!(backend.of(Verb::Submit), ["a", "b"]);
    }
}

#[test]
fn a_row_in_doubt_that_ends_by_other_hands_is_never_sent_and_the_queue_goes_on() {
    let (disk, journal) = Faulty::journal();
    let backend = Backend::willing();
    journal.put("a");
    journal.put("b");
    disk.stop_syncing();
    let runner = start(&journal, &backend, options());
    let mut before = 0;
    until("it pauses for a while", || {
        before = disk.failures();
        pause(100);
        before > 0 && before == disk.failures()
    });
    disk.heal();
    journal.change("a", to(State::Cancelled));
    journal.reach("b", "succeeded");
    stop(&runner);
    assert!(journal.is("a", "cancelled"));
    assert_eq!(backend.of(Verb::Submit), ["b"]);
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
