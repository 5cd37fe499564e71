//! What happens at the same time: a thousand times each, at random.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenure::operations::contract::State;
use tenure::operations::journal::{Call, Job, Journal, Key, Patch};
use tenure::operations::runner::{Answered, Runner, RunnerOptions};

use crate::kit::{
    Backend, ByHand, Verb, accepted, endless, memory, options, pause, put_all, seen, seen_with,
    start, stop, to, until, willing,
};

const TIMES: usize = 1_000;

/// A little randomness, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % sides
    }

    /// Gives other threads a chance, or not.
    fn yields(&mut self) {
        for _ in 0..self.roll(4) {
            std::thread::yield_now();
        }
    }
}

fn many() -> RunnerOptions {
    RunnerOptions { concurrency: 64, poll: Duration::from_millis(1), ..options() }
}

fn waiting() -> (Arc<Journal>, Vec<String>) {
    let journal = memory();
    let names: Vec<String> = (0..TIMES).map(|number| format!("{number:04}")).collect();
    put_all(&journal, &names);
    (journal, names)
}

/// Has the journal do something, and does not wait for it.
fn post(journal: &Arc<Journal>, call: Call, done: impl FnOnce(bool) + Send + 'static) {
    journal.post([Job::Call(call, Box::new(move |answer| done(answer.is_ok())))]);
}

/// Every state that each row was seen in, in order.
fn watched(journal: &Arc<Journal>) -> Arc<Mutex<HashMap<String, Vec<State>>>> {
    let seen: Arc<Mutex<HashMap<String, Vec<State>>>> = Arc::default();
    let (sender, told) = std::sync::mpsc::channel();
    let handle = tenure::operations::journal::JournalHandle::of(Arc::clone(journal));
    let sender = Mutex::new(sender);
    let notify = Box::new(move || sender.lock().unwrap().send(()).unwrap_or(()));
    let watcher = handle.watch("", None, notify).unwrap();
    let (to, journal) = (Arc::clone(&seen), Arc::clone(journal));
    std::thread::spawn(move || {
        // Closing the handle would close the journal.
        let _open = std::mem::ManuallyDrop::new(handle);
        while told.recv().is_ok() {
            while let Ok(Some(status)) = watcher.next(&journal) {
                let status: serde_json::Value = serde_json::from_str(&status).unwrap();
                let id = status["operationId"].as_str().unwrap().to_owned();
                let state = State::parse(status["state"].as_str().unwrap()).unwrap();
                to.lock().unwrap().entry(id).or_default().push(state);
            }
        }
    });
    seen
}

fn one_terminal_state_each(seen: &Mutex<HashMap<String, Vec<State>>>) {
    for (id, states) in seen.lock().unwrap().iter() {
        let first = states.iter().position(|state| state.is_terminal());
        let rest = first.map_or(&[][..], |first| &states[first..]);
        assert!(rest.iter().all(|state| *state == rest[0]), "{id}: {states:?}");
    }
}

fn submitted_once_at_most(backend: &Backend) {
    let all = backend.of(Verb::Submit);
    let mut each = all.clone();
    each.sort();
    each.dedup();
    assert_eq!(each.len(), all.len());
}

fn all_ended(journal: &Arc<Journal>) -> bool {
    let book = journal.book();
    let active = [State::Queued, State::Running, State::Interrupted];
    book.shelf("").is_some_and(|shelf| active.iter().all(|state| shelf.count(*state) == 0))
}

#[test]
fn a_cancel_against_a_completion_leaves_one_end_and_it_is_the_backends_word() {
    let (journal, names) = waiting();
    let seen_states = watched(&journal);
    let mut dice = Dice(1);
    let mut word: HashMap<String, State> = HashMap::new();
    let said: Arc<Mutex<HashMap<String, State>>> = Arc::default();
    let says = Arc::clone(&said);
    let backend = Backend::new(move |ask| {
        dice.yields();
        Some(match ask.verb {
            Verb::Submit => accepted(&ask.of),
            Verb::Cancel => {
                word.entry(ask.of.clone()).or_insert(State::Cancelled);
                tenure::operations::runner::What::Cancelled
            }
            Verb::Observe => {
                if dice.roll(3) == 0 {
                    word.entry(ask.of.clone()).or_insert(State::Succeeded);
                }
                let Some(state) = word.get(&ask.of).copied() else {
                    return Some(seen(State::Running));
                };
                says.lock().unwrap().insert(ask.of[4..].to_owned(), state);
                seen_with(|seen| {
                    (seen.state, seen.result) = (Some(state), Some(Some("{}".to_owned())));
                })
            }
        })
    });
    let _runner = start(&journal, &backend, many());
    let mut dice = Dice(2);
    for name in &names {
        let key = Key::new("", name);
        until("it is begun", || !journal.is(name, "queued"));
        dice.yields();
        let call = match dice.roll(2) {
            0 => Call::RequestCancel { key },
            _ => Call::Cancel { key, now: 1 },
        };
        post(&journal, call, |done| assert!(done));
    }
    until("all have ended", || all_ended(&journal));
    let said = said.lock().unwrap();
    for name in &names {
        assert!(journal.is(name, said[name].as_str()), "{name}");
    }
    one_terminal_state_each(&seen_states);
    assert_eq!(backend.of(Verb::Submit), names);
}

#[test]
fn a_waiting_row_that_is_cancelled_while_it_is_begun_is_either_never_sent_or_cancelled_at_the_backend()
 {
    let (journal, names) = waiting();
    let seen_states = watched(&journal);
    let mut cancelled = Vec::new();
    let backend = Backend::new(move |ask| {
        Some(match ask.verb {
            Verb::Cancel => {
                cancelled.push(ask.of.clone());
                willing(ask)
            }
            Verb::Observe if cancelled.contains(&ask.of) => seen(State::Cancelled),
            _ => endless(ask),
        })
    });
    let _runner = start(&journal, &backend, many());
    let mut dice = Dice(3);
    for name in &names {
        until("it is its turn", || {
            let first = journal.next_queued("");
            first.is_none_or(|first| dice.roll(3) == 0 || name.as_str() <= &*first)
        });
        let call = Call::Cancel { key: Key::new("", name), now: 1 };
        post(&journal, call, |done| assert!(done));
    }
    until("all have ended", || all_ended(&journal));
    let sent = backend.of(Verb::Submit);
    for name in &names {
        let status = journal.see(name);
        assert_eq!(status["state"], "cancelled", "{name}");
        assert_eq!(status["submission"] == "pending", !sent.contains(name), "{name}");
    }
    one_terminal_state_each(&seen_states);
    submitted_once_at_most(&backend);
}

#[test]
fn an_end_by_other_hands_against_the_backends_word_leaves_the_first_of_them() {
    let (journal, names) = waiting();
    let seen_states = watched(&journal);
    let mut dice = Dice(4);
    let backend = Backend::new(move |ask| {
        dice.yields();
        Some(match ask.verb {
            Verb::Observe if dice.roll(2) == 0 => seen(State::Running),
            _ => willing(ask),
        })
    });
    let _runner = start(&journal, &backend, many());
    let mut dice = Dice(5);
    let by_hand: Arc<Mutex<HashMap<String, bool>>> = Arc::default();
    for name in &names {
        until("it is begun", || !journal.is(name, "queued"));
        dice.yields();
        let patch = Patch { error: Some(Some("by hand".into())), ..to(State::Failed) };
        let call = Call::Update { key: Key::new("", name), row: None, patch, now: 1 };
        let (first, of) = (Arc::clone(&by_hand), name.clone());
        post(&journal, call, move |done| {
            first.lock().unwrap().insert(of, done);
        });
    }
    until("all have ended", || all_ended(&journal));
    until("all were told", || by_hand.lock().unwrap().len() == TIMES);
    for (name, by_hand) in by_hand.lock().unwrap().iter() {
        let status = journal.see(name);
        let state = if *by_hand { "failed" } else { "succeeded" };
        assert_eq!(status["state"], state, "{name}");
        assert_eq!(status["error"] == "by hand", *by_hand, "{name}");
    }
    one_terminal_state_each(&seen_states);
    submitted_once_at_most(&backend);
}

#[test]
fn a_stop_against_submits_records_every_answer_and_submits_nothing_twice() {
    let (journal, names) = waiting();
    let pending: Arc<Mutex<Vec<(u64, String)>>> = Arc::default();
    let waiting = Arc::clone(&pending);
    let mut dice = Dice(6);
    let backend = Backend::new(move |ask| {
        if ask.verb == Verb::Submit && dice.roll(3) == 0 {
            waiting.lock().unwrap().push((ask.call, ask.of.clone()));
            return None;
        }
        Some(willing(ask))
    });
    let answer = |runner: &Runner| {
        for (call, id) in pending.lock().unwrap().drain(..) {
            runner.answer(call, Answered { now: Some(2_000), what: accepted(&id) });
        }
    };
    let mut dice = Dice(7);
    let mut rounds = 0;
    while !all_ended(&journal) {
        rounds += 1;
        assert!(rounds < TIMES, "it does not end");
        let runner = start(&journal, &backend, many());
        pause(dice.roll(4));
        dice.yields();
        let stopped = crate::kit::stopping(&runner);
        until("it has stopped", || {
            answer(&runner);
            stopped.try_recv().is_ok()
        });
        let book = journal.book();
        for (_, row) in book.shelf("").into_iter().flat_map(|shelf| shelf.rows()) {
            let submission = row.submission.as_str();
            assert!(submission != "uncertain", "{} is {:?}", row.operation_id, row.state);
        }
    }
    for name in &names {
        assert!(journal.is(name, "succeeded"), "{name}");
    }
    submitted_once_at_most(&backend);
    let runner = start(&journal, &backend, many());
    stop(&runner);
}
