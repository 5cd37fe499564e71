//! What a thread hears of itself, and what it costs when nobody listens.
//!
//! The level is one for the process, so this is one test that goes through its life.

use std::sync::mpsc::channel;
use std::thread;

use tenure::telemetry::{self, Event, Log};
use tracing::Level;
use tracing::level_filters::LevelFilter;

fn messages(events: Vec<Event>) -> Vec<String> {
    events.into_iter().map(|event| event.message).collect()
}

fn emit(message: &str) {
    tracing::debug!(target: "tenure::test", id = 7, "{message}");
}

#[test]
fn events_reach_the_sinks_of_their_own_thread_and_nothing_listens_without_one() {
    let installation = telemetry::install();
    assert!(installation.listening);
    assert_eq!(installation.log, Log::Off, "this test wants TENURE_LOG unset");
    assert_eq!(telemetry::install(), installation);

    off_without_a_sink();
    only_our_own_events_are_taken();
    threads_do_not_mix();
    a_thread_that_ends_takes_its_sinks_along();
    the_level_follows_the_sinks();
    off_without_a_sink();
}

fn off_without_a_sink() {
    assert_eq!(LevelFilter::current(), LevelFilter::OFF);
    assert!(!tracing::enabled!(target: "tenure::test", Level::ERROR));
    emit("unheard");
    assert!(!telemetry::pending_here());
}

fn only_our_own_events_are_taken() {
    let sink = telemetry::attach(Level::DEBUG);
    assert!(tracing::enabled!(target: "tenure::test", Level::DEBUG));
    assert!(!tracing::enabled!(target: "tenure::test", Level::TRACE));
    emit("ours");
    tracing::debug!(target: "tenure", "the crate itself");
    tracing::error!(target: "tenured", "another crate");
    tracing::error!(target: "other::tenure", "a part of another crate");
    tracing::trace!(target: "tenure::test", "too fine");
    let span = tracing::error_span!(target: "tenure::test", "a span");
    assert!(span.is_disabled());
    span.in_scope(|| emit("in a span"));
    assert!(telemetry::pending_here());
    let events = telemetry::take(sink);
    assert!(!telemetry::pending_here());
    assert_eq!(events[0].fields, [("id", "7".to_owned())]);
    assert_eq!((events[0].level, events[0].target), (Level::DEBUG, "tenure::test"));
    assert!(events[0].ts_ms > 1_700_000_000_000);
    assert_eq!(messages(events), ["ours", "the crate itself", "in a span"]);
    assert!(telemetry::detach(sink));
}

fn threads_do_not_mix() {
    let here = telemetry::attach(Level::DEBUG);
    emit("here 1");
    let there = thread::spawn(move || {
        assert!(!tracing::enabled!(target: "tenure::test", Level::ERROR));
        emit("there, before a sink");
        assert!(!telemetry::pending_here());
        let there = telemetry::attach(Level::DEBUG);
        assert_ne!(there, here);
        emit("there");
        assert!(telemetry::take(here).is_empty());
        assert!(!telemetry::detach(here));
        let heard = messages(telemetry::take(there));
        assert!(telemetry::detach(there));
        heard
    });
    assert_eq!(there.join().unwrap_or_default(), ["there"]);
    emit("here 2");
    assert_eq!(messages(telemetry::take(here)), ["here 1", "here 2"]);
    assert!(telemetry::detach(here));
}

fn a_thread_that_ends_takes_its_sinks_along() {
    let here = telemetry::attach(Level::WARN);
    let (attached, was_attached) = channel();
    let (let_go, go) = channel::<()>();
    let worker = thread::spawn(move || {
        telemetry::attach(Level::TRACE);
        emit("nobody takes this");
        let _ = attached.send(());
        let _ = go.recv();
    });
    assert_eq!(was_attached.recv(), Ok(()));
    assert_eq!(LevelFilter::current(), LevelFilter::TRACE);
    drop(let_go);
    assert!(worker.join().is_ok());
    assert_eq!(LevelFilter::current(), LevelFilter::WARN);
    assert!(telemetry::detach(here));
}

fn the_level_follows_the_sinks() {
    let first = telemetry::attach(Level::ERROR);
    assert_eq!(LevelFilter::current(), LevelFilter::ERROR);
    emit("too fine");
    assert!(telemetry::set_level(first, Level::TRACE));
    assert_eq!(LevelFilter::current(), LevelFilter::TRACE);
    emit("heard");
    let second = telemetry::attach(Level::INFO);
    assert!(telemetry::set_level(first, Level::WARN));
    assert_eq!(LevelFilter::current(), LevelFilter::INFO);
    assert!(telemetry::detach(second));
    assert_eq!(LevelFilter::current(), LevelFilter::WARN);
    assert_eq!(messages(telemetry::take(first)), ["heard"]);
    assert!(telemetry::detach(first));
}
