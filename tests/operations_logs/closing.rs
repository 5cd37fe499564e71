//! What a closed handle refuses, and what it lets go of.

use std::sync::Arc;

use tenure::error::Reason;
use tenure::operations::logs::LogDirectory;

use super::kit::{BOUNDS, Pool, answer, logs, nobody, open, reason, text};

#[test]
fn a_closed_handle_refuses_every_call_and_another_goes_on() {
    let (directory, logs) = logs();
    let other = open(directory.path());
    logs.append("", "a", "one").unwrap();
    logs.close().unwrap();
    assert!(logs.is_closed() && !other.is_closed());
    assert_eq!(reason(logs.append("", "a", "x")), Reason::Closed);
    assert_eq!(reason(logs.retire("", "a")), Reason::Closed);
    assert_eq!(reason(logs.read("", "a", 0)), Reason::Closed);
    assert_eq!(reason(logs.follow("", "a", Arc::new(|| {}))), Reason::Closed);
    let (done, told) = answer();
    logs.append_later("", "a", "x", done);
    assert_eq!(reason(told.try_recv().unwrap()), Reason::Closed);
    let (done, told) = answer();
    logs.retire_later("", "a", done);
    assert_eq!(reason(told.try_recv().unwrap()), Reason::Closed);
    logs.close().unwrap();
    other.append("", "a", "two").unwrap();
    assert_eq!(text(&other, "", "a"), "one\ntwo\n");
}

#[test]
fn close_waits_for_what_was_called_before() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    for line in 0..100 {
        logs.append_later("", "a", &line.to_string(), nobody());
    }
    logs.close().unwrap();
    assert_eq!(text(&open(directory.path()), "", "a").lines().count(), 100);

    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    let (first, appended) = answer();
    logs.append_later("", "a", "last", first);
    let (done, closed) = answer();
    logs.close_later(done);
    let (done, closed_again) = answer();
    logs.close_later(done);
    assert!(appended.try_recv().is_err() && closed.try_recv().is_err());
    assert!(closed_again.try_recv().is_err());
    pool.run();
    assert_eq!(appended.try_recv(), Ok(Ok(())));
    assert_eq!(closed.try_recv(), Ok(Ok(())));
    assert_eq!(closed_again.try_recv(), Ok(Ok(())));
    let (done, closed) = answer();
    logs.close_later(done);
    assert_eq!(closed.try_recv(), Ok(Ok(())), "also when the directory has gone");
    logs.close().unwrap();
}

#[test]
fn what_was_called_before_a_handle_was_dropped_is_done() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    let (done, told) = answer();
    logs.append_later("", "a", "one", done);
    drop(logs);
    let other = open(directory.path());
    assert_eq!(text(&other, "", "a"), "one\n", "a later handle meets the same directory");
    assert_eq!(told.try_recv(), Ok(Ok(())));
    pool.run();
}
