//! Clocks that jump, stand, and break; and the one limit that goes by them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenure::operations::Bounds;
use tenure::operations::contract::State;
use tenure::operations::journal::Journal;
use tenure::operations::journal::open::{Wanted, in_memory, on_disk};
use tenure::operations::runner::{RunnerOptions, What};
use tenure::store::disk::MemoryDisk;

use crate::kit::{
    Backend, ByHand, Verb, accepted, endless, memory, options, pause, seen, start, stop, until,
    willing,
};

fn obedient() -> Arc<Backend> {
    let mut cancelled = false;
    Backend::new(move |ask| {
        cancelled |= ask.verb == Verb::Cancel;
        Some(if cancelled { seen_or_cancelled(ask.verb) } else { endless(ask) })
    })
}

fn seen_or_cancelled(verb: Verb) -> What {
    if verb == Verb::Observe { seen(State::Cancelled) } else { What::Cancelled }
}

fn observed(backend: &Backend, more: usize) {
    let wanted = backend.count(Verb::Observe) + more;
    until("it is observed", || backend.count(Verb::Observe) >= wanted);
}

fn limited(seconds: f64) -> Bounds {
    Bounds { max_runtime_seconds: Some(seconds), ..Bounds::default() }
}

#[test]
fn the_runtime_counts_from_the_first_running_transition_across_restarts_by_the_runners_clock() {
    let disk = Arc::new(MemoryDisk::default());
    let wanted = Wanted { bounds: Some(limited(60.0)), ..Wanted::default() };
    let open = |disk: MemoryDisk| -> Arc<Journal> { on_disk(Arc::new(disk), &wanted).unwrap() };
    let journal = on_disk(disk.clone(), &wanted).unwrap();
    let backend = obedient();
    backend.set_clock(Some(1_000_000));
    journal.put("a");
    let first = start(&journal, &backend, options());
    observed(&backend, 3);
    backend.set_clock(Some(1_040_000));
    observed(&backend, 3);
    stop(&first);

    let journal = open(MemoryDisk::from(disk.image()));
    let _second = start(&journal, &backend, options());
    observed(&backend, 3);
    for now in [500_000, 0, 1_059_999] {
        backend.set_clock(Some(now));
        observed(&backend, 4);
        assert_eq!(backend.count(Verb::Cancel), 0, "{now}");
        assert!(!journal.cancel_requested("", "a"));
    }
    assert_eq!(journal.started_at("", "a"), Some(1_000_000));
    backend.set_clock(Some(1_060_000));
    assert_eq!(journal.reach("a", "cancelled")["finishedAt"], 1_060_000);
    assert_eq!(backend.of(Verb::Cancel), ["ref-a"]);
    assert_eq!(backend.of(Verb::Submit), ["a"]);
}

#[test]
fn a_backend_that_says_nothing_is_cancelled_for_its_runtime_all_the_same() {
    for mute in [false, true] {
        let journal = in_memory(limited(1.0)).unwrap();
        let mut cancelled = false;
        let backend = Backend::new(move |ask| {
            cancelled |= ask.verb == Verb::Cancel;
            match ask.verb {
                Verb::Observe if cancelled => Some(seen(State::Cancelled)),
                Verb::Observe if mute => None,
                Verb::Observe => Some(What::Failed),
                _ => Some(willing(ask)),
            }
        });
        journal.put("a");
        let adapter = Duration::from_millis(20);
        let _runner = start(&journal, &backend, RunnerOptions { adapter, ..options() });
        until("it is observed", || backend.count(Verb::Observe) > 1);
        backend.set_clock(Some(2_000));
        journal.reach("a", "cancelled");
        assert_eq!(backend.of(Verb::Cancel), ["ref-a"]);
    }
}

#[test]
fn a_clock_that_jumps_either_way_changes_no_pause_ends_nothing_early_and_stamps_nothing_back() {
    let journal = memory();
    let backend = Backend::new(|_| None);
    let (clock, stamped) = (Arc::downgrade(&backend), Arc::clone(&journal));
    let (mut count, mut last) = (0, 0);
    backend.set_script(move |ask| {
        let ahead = count % 2 == 0;
        if let Some(backend) = clock.upgrade() {
            backend.set_clock(Some(if ahead { 1_007_200_000 } else { 992_800_000 }));
        }
        let updated = stamped.book().find("", "a").map_or(0, |(_, row)| row.updated_at);
        assert!(updated >= last);
        last = updated;
        count += 1;
        Some(match ask.verb {
            Verb::Observe if count < 12 => seen(State::Running),
            _ => willing(ask),
        })
    });
    backend.set_clock(Some(1_000_000_000));
    journal.put("a");
    let adapter = Duration::from_secs(5);
    let _runner = start(&journal, &backend, RunnerOptions { adapter, ..options() });
    let status = journal.reach("a", "succeeded");
    assert_eq!(
        json!([status["updatedAt"], status["finishedAt"]]),
        json!([1_007_200_000, 1_007_200_000])
    );
    assert!(backend.aborted(Verb::Observe).is_empty());
}

#[test]
fn a_broken_clock_puts_off_what_needs_the_time_and_loses_nothing() {
    let journal = memory();
    let backend = Backend::new(|ask| (ask.verb != Verb::Submit).then(|| willing(ask)));
    backend.set_clock(None);
    journal.put("a");
    let runner = start(&journal, &backend, options());
    pause(20);
    assert!(journal.is("a", "queued") && backend.asked().is_empty());

    backend.set_clock(Some(5_000));
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    backend.set_clock(None);
    let answered = tenure::operations::runner::Answered { now: None, what: accepted("a") };
    runner.answer(backend.asked()[0].call, answered);
    until("a is observed", || backend.count(Verb::Observe) == 1);
    let status = journal.see("a");
    assert_eq!(json!([status["submission"], status["updatedAt"]]), json!(["accepted", 5_000]));
    pause(20);
    assert!(journal.is("a", "running"));

    backend.set_clock(Some(7_000));
    assert_eq!(journal.reach("a", "succeeded")["finishedAt"], 7_000);
    assert_eq!(backend.count(Verb::Observe), 1, "what was answered was kept");
}

#[test]
fn a_submit_that_is_given_up_while_the_clock_is_broken_is_recorded_without_a_time() {
    let journal = memory();
    let backend = Backend::new(|_| None);
    let broken = Arc::downgrade(&backend);
    backend.set_script(move |_| {
        if let Some(backend) = broken.upgrade() {
            backend.set_clock(None);
        }
        None
    });
    backend.set_clock(Some(5_000));
    journal.put("a");
    let adapter = Duration::from_millis(20);
    let _runner = start(&journal, &backend, RunnerOptions { adapter, ..options() });
    let status = journal.reach("a", "interrupted");
    assert_eq!(json!([status["submission"], status["updatedAt"]]), json!(["uncertain", 5_000]));
}
