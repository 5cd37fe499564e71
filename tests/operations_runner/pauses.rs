//! When the backend is asked again.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tenure::operations::contract::State;
use tenure::operations::runner::{RunnerOptions, What};

use crate::kit::{
    Backend, ByHand, Verb, accepted, memory, options, seen, seen_with, start, until, willing,
};

#[allow(clippy::disallowed_methods, reason = "the pauses are what is tested")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn an_observe_that_says_nothing_is_asked_again_with_growing_pauses_and_ends_nothing() {
    let journal = memory();
    let seen_at: Arc<Mutex<Vec<(Instant, bool)>>> = Arc::default();
    let (times, watched) = (Arc::clone(&seen_at), Arc::clone(&journal));
    let backend = Backend::new(move |ask| {
        if ask.verb == Verb::Submit {
            return Some(accepted(&ask.of));
        }
        let mut times = times.lock().unwrap();
        times.push((now(), watched.see("a")["stale"] == true));
        Some(match times.len() {
            1 => What::Failed,
            2 => What::Cancelled,
            3 => seen_with(|seen| (seen.state, seen.readable) = (Some(State::Running), false)),
            4 => seen_with(|seen| {
                (seen.state, seen.progress) = (Some(State::Running), Some(Some(1.5)));
            }),
            5 => seen(State::Running),
            6 => What::Failed,
            _ => seen(State::Succeeded),
        })
    });
    journal.put("a");
    let poll = Duration::from_millis(10);
    let _runner = start(&journal, &backend, RunnerOptions { poll, ..options() });
    assert_eq!(journal.reach("a", "succeeded")["stale"], false);
    let times = seen_at.lock().unwrap();
    let stale: Vec<bool> = times.iter().map(|(_, stale)| *stale).collect();
    assert_eq!(stale, [false, true, true, true, true, false, true]);
    let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    for (gap, pause) in gaps.iter().zip([20, 40, 80, 160, 10, 20]) {
        assert!(*gap >= Duration::from_millis(pause), "{gaps:?}");
    }
    assert!(gaps[4] < Duration::from_millis(160), "anew after a success: {gaps:?}");
}

#[test]
fn a_backend_that_always_says_running_is_never_called_stale() {
    let journal = memory();
    let watched = Arc::clone(&journal);
    let mut observed = 0;
    let backend = Backend::new(move |ask| {
        if ask.verb == Verb::Submit {
            return Some(accepted(&ask.of));
        }
        assert_eq!(watched.see("a")["stale"], false);
        observed += 1;
        Some(if observed < 60 { seen(State::Running) } else { seen(State::Succeeded) })
    });
    journal.put("a");
    let _runner = start(&journal, &backend, options());
    journal.reach("a", "succeeded");
    assert_eq!(backend.count(Verb::Observe), 60);
}

#[test]
fn an_adapter_that_never_answers_for_one_row_does_not_keep_the_others_waiting() {
    let journal = memory();
    let backend =
        Backend::new(|ask| (ask.of != "hangs" && ask.of != "ref-mute").then(|| willing(ask)));
    for name in ["hangs", "mute", "a", "b", "c"] {
        journal.put(name);
    }
    let three = RunnerOptions { concurrency: 3, ..options() };
    let _runner = start(&journal, &backend, three);
    for name in ["a", "b", "c"] {
        journal.reach(name, "succeeded");
    }
    until("mute is watched", || backend.of(Verb::Observe).contains(&"ref-mute".to_owned()));
    assert!(journal.is("hangs", "running") && journal.is("mute", "running"));
}
