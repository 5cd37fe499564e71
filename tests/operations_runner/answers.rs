//! What an adapter may answer, and what becomes of it.

use std::time::Duration;

use serde_json::json;
use tenure::operations::Bounds;
use tenure::operations::contract::State;
use tenure::operations::journal::open::in_memory;
use tenure::operations::runner::{Answered, RunnerOptions, What};

use crate::kit::{
    Ask, Backend, ByHand, Verb, accepted, memory, options, pause, seen, seen_with, start, until,
    willing,
};

#[test]
fn a_refused_submission_is_failed_with_its_reason_and_an_unfit_reason_is_replaced() {
    let journal = memory();
    let backend = Backend::new(|ask| {
        Some(What::Refused(match &*ask.of {
            "fit" => Some("no such model".to_owned()),
            "long" => Some("x".repeat(257)),
            "empty" => Some(String::new()),
            _ => None,
        }))
    });
    let names = ["fit", "long", "empty", "none"];
    names.iter().for_each(|name| journal.put(name));
    let _runner = start(&journal, &backend, options());
    let errors = names.map(|name| {
        let status = journal.reach(name, "failed");
        assert_eq!(
            json!([status["submission"], status["backendReference"]]),
            json!(["refused", null])
        );
        status["error"].clone()
    });
    assert_eq!(errors[0], "no such model");
    assert!(errors[1].as_str().is_some_and(|error| !error.is_empty() && error.len() < 100));
    assert!(errors[1] == errors[2] && errors[2] == errors[3]);
    assert_eq!(backend.count(Verb::Observe), 0);
}

#[test]
fn any_other_answer_to_submit_leaves_the_row_interrupted_and_is_never_tried_again() {
    let journal = memory();
    let backend = Backend::new(|ask| match (ask.verb, &*ask.of) {
        (Verb::Submit, "fails") => Some(What::Failed),
        (Verb::Submit, "empty") => Some(What::Reference(String::new())),
        (Verb::Submit, "long") => Some(What::Reference("é".repeat(257))),
        (Verb::Submit, "garbage") => Some(seen(State::Succeeded)),
        (Verb::Submit, "more garbage") => Some(What::Cancelled),
        _ => Some(willing(ask)),
    });
    let names = ["fails", "empty", "long", "garbage", "more garbage"];
    names.iter().for_each(|name| journal.put(name));
    journal.put("last");
    let _runner = start(&journal, &backend, options());
    journal.reach("last", "succeeded");
    for name in names {
        let status = journal.see(name);
        let wanted = json!(["interrupted", "uncertain", null, null]);
        let place = ["state", "submission", "backendReference", "error"].map(|key| &status[key]);
        assert_eq!(json!(place), wanted, "{name}");
    }
    pause(20);
    assert_eq!(backend.count(Verb::Submit), names.len() + 1);
}

#[test]
fn a_submit_that_takes_too_long_is_given_up_and_its_late_answer_is_applied_to_nothing() {
    let journal = memory();
    let backend = Backend::new(|ask| (ask.of != "slow").then(|| willing(ask)));
    for name in ["slow", "next"] {
        journal.put(name);
    }
    let quick = RunnerOptions { adapter: Duration::from_millis(30), ..options() };
    let runner = start(&journal, &backend, quick);
    until("slow is submitted", || backend.count(Verb::Submit) == 1);
    let call = backend.asked()[0].call;
    assert!(runner.awaits(call));
    let slow = journal.reach("slow", "interrupted");
    assert!(!runner.awaits(call));
    assert_eq!(backend.aborted(Verb::Submit), ["slow"]);
    runner.answer(call, Answered { now: Some(2_000), what: accepted("late") });
    journal.put("third");
    runner.answer(call, Answered { now: Some(2_000), what: accepted("later") });
    assert_eq!(journal.reach("next", "succeeded")["backendReference"], "ref-next");
    assert_eq!(journal.reach("third", "succeeded")["backendReference"], "ref-third");
    assert_eq!(journal.see("slow"), slow);
    assert_eq!(backend.of(Verb::Observe), ["ref-next", "ref-third"]);
}

#[test]
fn an_observe_that_takes_too_long_marks_the_row_stale_and_its_late_answer_is_ignored() {
    let journal = memory();
    let mut observed = 0;
    let backend = Backend::new(move |ask| {
        observed += u32::from(ask.verb == Verb::Observe);
        match observed {
            1 | 2 => None,
            3 => Some(seen(State::Running)),
            _ => Some(willing(ask)),
        }
    });
    let quick = RunnerOptions { adapter: Duration::from_millis(40), ..options() };
    journal.put("a");
    let runner = start(&journal, &backend, quick);
    until("it is asked again", || backend.count(Verb::Observe) == 2);
    assert_eq!(backend.aborted(Verb::Observe), ["ref-a"]);
    assert_eq!(journal.see("a")["stale"], true);
    let first = backend.asked()[1].call;
    runner.answer(first, Answered { now: Some(2_000), what: seen(State::Failed) });
    pause(5);
    assert_eq!(
        json!([journal.see("a")["state"], journal.see("a")["stale"]]),
        json!(["running", true])
    );
    assert_eq!(journal.reach("a", "succeeded")["stale"], false);
}

#[test]
fn an_answer_given_twice_and_an_answer_to_no_question_change_nothing() {
    let journal = memory();
    let backend = Backend::new(|ask| Some(willing(ask)));
    journal.put("a");
    let runner = start(&journal, &backend, options());
    let last = journal.reach("a", "succeeded");
    for Ask { call, .. } in backend.asked() {
        runner.answer(call, Answered { now: Some(9_000), what: seen(State::Failed) });
        runner.answer(call, Answered { now: Some(9_000), what: accepted("b") });
    }
    runner.answer(u64::MAX, Answered { now: None, what: What::Time });
    journal.put("b");
    journal.reach("b", "succeeded");
    assert_eq!(journal.see("a"), last);
}

#[test]
fn an_outcome_that_the_contract_does_not_admit_is_failed_with_one_of_three_reasons() {
    let bounds = Bounds { result_bytes: 40, ..Bounds::default() };
    let journal = in_memory(bounds).unwrap();
    let backend = Backend::new(|ask| {
        if ask.verb == Verb::Submit {
            return Some(accepted(&ask.of));
        }
        Some(seen_with(|seen| {
            seen.state = Some(State::Succeeded);
            seen.result = Some(Some(r#"{"n":1}"#.to_owned()));
            match &ask.of[4..] {
                "unknown state" => seen.state = None,
                "unknown and unreadable" => (seen.state, seen.readable) = (None, false),
                "unreadable" => seen.readable = false,
                "unreadable failure" => {
                    (seen.state, seen.readable) = (Some(State::Failed), false);
                }
                "not promised" => seen.result = Some(Some(r#"{"n":"secret"}"#.to_owned())),
                "absent" => seen.result = None,
                "null" => seen.result = Some(None),
                "judge panics" => seen.result = Some(Some(r#"{"panic":1}"#.to_owned())),
                "large" => seen.result = Some(Some(format!(r#"{{"n":"{}"}}"#, "x".repeat(40)))),
                "large failure" => {
                    seen.state = Some(State::Failed);
                    seen.result = Some(Some(format!(r#"{{"n":"{}"}}"#, "x".repeat(40))));
                }
                "progress" => seen.progress = Some(Some(f64::NAN)),
                "error" => {
                    seen.state = Some(State::Cancelled);
                    seen.error = Some(Some("secret".repeat(50)));
                }
                "stage" => seen.stage = Some(Some("secret".repeat(50))),
                _ => {}
            }
        }))
    });
    let names = [
        "unknown state",
        "unknown and unreadable",
        "unreadable",
        "unreadable failure",
        "not promised",
        "absent",
        "null",
        "judge panics",
        "large",
        "large failure",
        "progress",
        "error",
        "stage",
    ];
    names.iter().for_each(|name| journal.put(name));
    journal.put("good");
    let judging = RunnerOptions {
        judge: std::sync::Arc::new(|result| match result {
            r#"{"panic":1}"# => panic!("a judge that panics"),
            result => result == r#"{"n":1}"#,
        }),
        ..options()
    };
    let _runner = start(&journal, &backend, judging);
    assert_eq!(journal.reach("good", "succeeded")["result"], json!({"n": 1}));
    let mut reasons: Vec<String> = Vec::new();
    for name in names {
        let status = journal.see(name);
        let place = json!([status["state"], status["submission"], status["result"]]);
        assert_eq!(place, json!(["failed", "accepted", null]), "{name}");
        reasons.push(status["error"].as_str().unwrap().to_owned());
    }
    assert!(!journal.page("", 0, None).contains("secret"));
    reasons.sort();
    reasons.dedup();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
}

#[test]
fn an_absent_result_is_judged_as_an_empty_object_and_only_a_success_is_judged() {
    let journal = memory();
    let backend = Backend::new(|ask| match (ask.verb, &*ask.of) {
        (Verb::Submit, id) => Some(accepted(id)),
        (_, "ref-absent") => Some(seen(State::Succeeded)),
        (_, "ref-null") => Some(seen_with(|seen| {
            (seen.state, seen.result) = (Some(State::Succeeded), Some(None));
        })),
        (_, reference) => Some(seen_with(|seen| {
            let failed = reference == "ref-failed";
            seen.state = Some(if failed { State::Failed } else { State::Cancelled });
            seen.result = Some(Some(r#"{"n":"text"}"#.to_owned()));
            seen.error = Some(Some("as it is".to_owned()));
        })),
    });
    let names = ["absent", "null", "failed", "cancelled"];
    names.iter().for_each(|name| journal.put(name));
    let judge = std::sync::Arc::new(|result: &str| result == "{}");
    let _runner = start(&journal, &backend, RunnerOptions { judge, ..options() });
    assert_eq!(journal.reach("absent", "succeeded")["result"], json!(null));
    assert_eq!(journal.reach("null", "succeeded")["result"], json!(null));
    for state in ["failed", "cancelled"] {
        let status = journal.reach(state, state);
        let wanted = json!([{"n": "text"}, "as it is"]);
        assert_eq!(json!([status["result"], status["error"]]), wanted);
    }
}

#[test]
fn a_backend_may_say_queued_or_interrupted_again_and_again_and_anything_after_it() {
    let journal = memory();
    let watched = std::sync::Arc::clone(&journal);
    let mut said = vec![
        (State::Queued, "third"),
        (State::Queued, "second"),
        (State::Interrupted, "lost"),
        (State::Interrupted, "still lost"),
        (State::Running, "found"),
        (State::Queued, "again"),
        (State::Succeeded, "done"),
    ]
    .into_iter();
    let mut before: Option<(State, &str)> = None;
    let backend = Backend::new(move |ask| {
        if ask.verb == Verb::Submit {
            return Some(accepted(&ask.of));
        }
        if let Some((state, stage)) = before {
            let status = watched.see("a");
            assert_eq!(
                json!([status["state"], status["stage"], status["queuePosition"]]),
                json!([state.as_str(), stage, null])
            );
        }
        before = said.next();
        let (state, stage) = before?;
        Some(seen_with(|seen| {
            (seen.state, seen.stage) = (Some(state), Some(Some(stage.to_owned())));
        }))
    });
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    journal.reach("a", "succeeded");
    assert_eq!(backend.count(Verb::Observe), 7);
}
