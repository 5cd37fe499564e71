//! The queue: order, concurrency, waking.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tenure::operations::contract::State;
use tenure::operations::runner::RunnerOptions;

use crate::kit::{
    Backend, ByHand, Verb, accepted, endless, let_go, memory, options, pause, put_all, seen,
    seen_with, start, until, willing, words,
};

#[test]
fn each_step_is_recorded_before_the_next_is_taken() {
    let journal = memory();
    let states: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (shown, watched) = (Arc::clone(&states), Arc::clone(&journal));
    let mut observed = 0;
    let backend = Backend::new(move |ask| {
        let now = watched.see("a");
        let now = json!([ask.verb as u8, now["state"], now["submission"], now["progress"]]);
        shown.lock().unwrap().push(now);
        match ask.verb {
            Verb::Submit => {
                assert_eq!(ask.payload, r#"{"of":"a"}"#);
                Some(accepted(&ask.of))
            }
            _ => {
                observed += 1;
                Some(seen_with(|seen| {
                    seen.state = Some(if observed < 3 { State::Running } else { State::Succeeded });
                    seen.progress = Some(Some(f64::from(observed) / 3.0));
                    seen.stage = Some(Some(format!("step {observed}")));
                    seen.result = Some(Some(r#"{"url":"u"}"#.to_owned()));
                }))
            }
        }
    });
    let runner = start(&journal, &backend, options());
    journal.put("a");
    runner.wake();
    let last = journal.reach("a", "succeeded");
    assert_eq!(
        *states.lock().unwrap(),
        [
            json!([0, "running", "uncertain", null]),
            json!([1, "running", "accepted", null]),
            json!([1, "running", "accepted", 1.0 / 3.0]),
            json!([1, "running", "accepted", 2.0 / 3.0]),
        ]
    );
    assert_eq!(last["result"], json!({"url": "u"}));
    assert_eq!(json!([last["backendReference"], last["stage"]]), json!(["ref-a", "step 3"]));
}

#[test]
fn a_wake_looks_at_the_queue_at_once_and_without_one_every_poll_does() {
    let journal = memory();
    let backend = Backend::willing();
    let slow = RunnerOptions { poll: Duration::from_secs(3_000), ..options() };
    let runner = start(&journal, &backend, slow);
    pause(5);
    journal.put("a");
    runner.wake();
    journal.reach("a", "succeeded");
    let quick = start(&journal, &backend, RunnerOptions { scope: "quick".into(), ..options() });
    pause(5);
    journal.put_in("quick", "b");
    until("b is submitted", || backend.of(Verb::Submit) == ["a", "b"]);
    let_go(quick);
}

#[test]
fn never_more_than_concurrency_are_in_progress_and_they_are_submitted_in_order() {
    for concurrency in [1, 3, 1_024] {
        let journal = memory();
        let open = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let (count, top) = (Arc::clone(&open), Arc::clone(&most));
        let mut observed = 0_u32;
        let backend = Backend::new(move |ask| {
            if ask.verb == Verb::Submit {
                top.fetch_max(count.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                return Some(accepted(&ask.of));
            }
            observed += 1;
            if !observed.is_multiple_of(3) {
                return Some(seen(State::Running));
            }
            count.fetch_sub(1, Ordering::Relaxed);
            Some(seen(State::Succeeded))
        });
        let names: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        names.iter().for_each(|name| journal.put(name));
        let _runner = start(&journal, &backend, RunnerOptions { concurrency, ..options() });
        until("all have ended", || names.iter().all(|name| journal.is(name, "succeeded")));
        assert_eq!(backend.of(Verb::Submit), names);
        assert!(most.load(Ordering::Relaxed) <= concurrency);
        assert!(concurrency == 1 || most.load(Ordering::Relaxed) > 1);
    }
}

#[test]
fn a_waiting_row_with_an_intent_is_cancelled_and_never_submitted() {
    let journal = memory();
    for name in ["a", "b", "c"] {
        journal.put(name);
    }
    journal.request_cancel("a");
    journal.request_cancel("b");
    let backend = Backend::willing();
    let _runner = start(&journal, &backend, options());
    journal.reach("c", "succeeded");
    assert_eq!(backend.of(Verb::Submit), ["c"]);
    for name in ["a", "b"] {
        let status = journal.see(name);
        assert_eq!(json!([status["state"], status["submission"]]), json!(["cancelled", "pending"]));
    }
}

#[test]
fn a_thousand_rows_in_progress_are_each_served() {
    let journal = memory();
    let names: Vec<String> = (0..1_000).map(|number| format!("{number:04}")).collect();
    put_all(&journal, &names);
    let backend = Backend::new(|ask| Some(endless(ask)));
    let options =
        RunnerOptions { concurrency: 1_024, poll: Duration::from_millis(500), ..options() };
    let _runner = start(&journal, &backend, options);
    until("all are in progress", || backend.count(Verb::Submit) == 1_000);
    backend.set_script(|ask| Some(willing(ask)));
    until("all have ended", || names.iter().all(|name| journal.is(name, "succeeded")));
    assert_eq!(backend.of(Verb::Submit), names);
    assert_eq!(backend.of(Verb::Cancel), words(&[]));
}
