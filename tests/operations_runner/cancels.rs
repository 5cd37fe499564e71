//! Intents on rows in progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tenure::operations::contract::State;
use tenure::operations::runner::{Answered, RunnerOptions, What};

use crate::kit::{
    Backend, ByHand, Verb, accepted, endless, left, memory, options, pause, seen, start, until,
};

/// Accepts, runs, and is cancelled once that was asked.
fn obedient() -> Arc<Backend> {
    let mut cancelled = Vec::new();
    Backend::new(move |ask| {
        Some(match ask.verb {
            Verb::Submit => accepted(&ask.of),
            Verb::Cancel => {
                cancelled.push(ask.of.clone());
                What::Cancelled
            }
            Verb::Observe if cancelled.contains(&ask.of) => seen(State::Cancelled),
            Verb::Observe => seen(State::Running),
        })
    })
}

#[test]
fn an_intent_is_asked_of_the_adapter_at_once_and_the_answer_is_looked_for_at_once() {
    let journal = memory();
    let backend = obedient();
    journal.put("a");
    let slow = RunnerOptions { poll: Duration::from_secs(3_000), ..options() };
    let _runner = start(&journal, &backend, slow);
    until("a is observed", || backend.count(Verb::Observe) == 1);
    until("that is recorded", || journal.is("a", "running"));
    pause(5);
    journal.request_cancel("a");
    journal.reach("a", "cancelled");
    assert_eq!(backend.of(Verb::Cancel), ["ref-a"]);
    assert_eq!(backend.count(Verb::Observe), 2);
}

#[test]
fn a_cancel_that_was_answered_is_not_asked_again_and_is_no_end() {
    let journal = memory();
    let backend = Backend::new(|ask| Some(endless(ask)));
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    until("a is observed", || backend.count(Verb::Observe) > 0);
    for _ in 0..5 {
        journal.request_cancel("a");
    }
    until("it is cancelled", || backend.count(Verb::Cancel) == 1);
    let before = backend.count(Verb::Observe);
    until("it is observed on", || backend.count(Verb::Observe) > before + 10);
    journal.request_cancel("a");
    pause(10);
    assert_eq!(backend.of(Verb::Cancel), ["ref-a"]);
    assert!(journal.is("a", "running") && journal.cancel_requested("", "a"));
}

#[test]
fn a_cancel_that_fails_hangs_or_makes_no_sense_is_asked_again_and_observing_goes_on_meanwhile() {
    let journal = memory();
    let observed = Arc::new(AtomicUsize::new(0));
    let (count, mut asked, mut before) = (Arc::clone(&observed), 0, 0);
    let backend = Backend::new(move |ask| match ask.verb {
        Verb::Submit => Some(accepted(&ask.of)),
        Verb::Observe => {
            count.fetch_add(1, Ordering::Relaxed);
            Some(seen(if asked < 4 { State::Running } else { State::Cancelled }))
        }
        Verb::Cancel => {
            asked += 1;
            if asked == 3 {
                before = count.load(Ordering::Relaxed);
            }
            match asked {
                1 => Some(What::Failed),
                2 => Some(seen(State::Running)),
                3 => None,
                _ => {
                    assert!(count.load(Ordering::Relaxed) > before, "observed meanwhile");
                    Some(What::Cancelled)
                }
            }
        }
    });
    journal.put("a");
    let adapter = Duration::from_millis(60);
    let _runner = start(&journal, &backend, RunnerOptions { adapter, ..options() });
    until("a is observed", || backend.count(Verb::Observe) > 0);
    journal.request_cancel("a");
    journal.reach("a", "cancelled");
    assert_eq!(backend.count(Verb::Cancel), 4);
    assert_eq!(backend.aborted(Verb::Cancel), ["ref-a"]);
}

#[test]
fn a_row_whose_cancel_hangs_ends_by_the_word_of_the_backend_and_the_cancel_is_given_up() {
    let journal = memory();
    let mut cancelled = false;
    let backend = Backend::new(move |ask| match ask.verb {
        Verb::Submit => Some(accepted(&ask.of)),
        Verb::Observe => Some(seen(if cancelled { State::Succeeded } else { State::Running })),
        Verb::Cancel => {
            cancelled = true;
            None
        }
    });
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    until("a is observed", || backend.count(Verb::Observe) > 0);
    journal.request_cancel("a");
    journal.reach("a", "succeeded");
    until("it is given up", || backend.aborted(Verb::Cancel) == ["ref-a"]);
    assert!(!journal.cancel_requested("", "a"));
}

#[test]
fn a_cancel_during_submit_is_honoured_once_the_reference_is_known() {
    let journal = memory();
    let mut cancelled = false;
    let backend = Backend::new(move |ask| match ask.verb {
        Verb::Submit => None,
        Verb::Observe => Some(seen(if cancelled { State::Cancelled } else { State::Running })),
        Verb::Cancel => {
            cancelled = true;
            Some(What::Cancelled)
        }
    });
    journal.put("a");
    let runner = start(&journal, &backend, options());
    until("a is submitted", || backend.count(Verb::Submit) == 1);
    journal.request_cancel("a");
    pause(5);
    assert_eq!(backend.count(Verb::Cancel), 0);
    let answered = Answered { now: Some(2_000), what: accepted("a") };
    runner.answer(backend.asked()[0].call, answered);
    journal.reach("a", "cancelled");
    assert_eq!(backend.asked()[1].verb, Verb::Cancel, "asked before the first observe");
    assert_eq!(backend.of(Verb::Cancel), ["ref-a"]);
}

#[test]
fn an_uncertain_submission_is_not_taken_for_a_cancelled_one() {
    let journal = memory();
    let watched = Arc::clone(&journal);
    let backend = Backend::new(move |ask| {
        watched.request_cancel(&ask.of);
        Some(What::Failed)
    });
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    let status = journal.reach("a", "interrupted");
    assert_eq!(json!([status["submission"], status["error"]]), json!(["uncertain", null]));
    assert!(journal.cancel_requested("", "a"));
}

#[test]
fn an_intent_on_a_row_that_is_taken_up_is_asked_before_anything_else() {
    let journal = memory();
    left(&journal, "a", State::Interrupted, true);
    journal.request_cancel("a");
    let backend = obedient();
    let _runner = start(&journal, &backend, options());
    journal.reach("a", "cancelled");
    assert_eq!(backend.asked()[0].verb, Verb::Cancel);
}
