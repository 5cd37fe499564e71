//! Who is told of a change, and when a following is over.

use std::sync::Arc;
use std::sync::mpsc::channel;

use tenure::operations::logs::LogDirectory;

use super::kit::{BOUNDS, Pool, bounds, follow, logs, nobody, open, open_with, text};

#[test]
fn a_follower_is_told_of_its_own_log_whichever_handle_appends() {
    let (directory, logs) = logs();
    let other = open(directory.path());
    let (follower, told) = follow(&logs, "s", "a");
    logs.append("", "a", "another scope").unwrap();
    logs.append("s", "b", "another log").unwrap();
    assert!(told.try_recv().is_err());
    logs.append("s", "a", "x").unwrap();
    assert!(told.try_recv().is_ok());
    other.append("s", "a", "y").unwrap();
    assert!(told.try_recv().is_ok());
    other.append_later("s", "a", "z", nobody());
    assert_eq!(text(&logs, "s", "a"), "x\ny\nz\n");
    assert!(told.recv().is_ok());
    assert!(!follower.is_over());
    drop(follower);
    assert!(told.recv().is_err(), "a follower that was dropped is forgotten");
    logs.append("s", "a", "unheard").unwrap();
}

#[test]
fn what_was_told_can_be_read() {
    let (_directory, logs) = logs();
    let logs = Arc::new(logs);
    let (to, lengths) = channel();
    let to = std::sync::Mutex::new(to);
    let reader = Arc::downgrade(&logs);
    let follower = logs.follow(
        "",
        "a",
        Arc::new(move || {
            let length = reader.upgrade().map(|logs| text(&logs, "", "a").len());
            to.lock().unwrap().send(length).unwrap();
        }),
    );
    for line in 1..=3 {
        logs.append("", "a", "x").unwrap();
        assert_eq!(lengths.recv(), Ok(Some(2 * line)));
    }
    drop(follower);
}

#[test]
fn the_first_dropped_record_is_told_and_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(4, 100));
    let (_follower, told) = follow(&logs, "", "a");
    logs.append("", "a", "x").unwrap();
    logs.append("", "a", "too long").unwrap();
    logs.append("", "a", "").unwrap();
    assert_eq!(told.try_iter().count(), 2);
}

#[test]
fn retire_ends_the_followers_of_that_log_only() {
    let (directory, logs) = logs();
    let other = open(directory.path());
    logs.append("", "a", "x").unwrap();
    let (first, told_first) = follow(&logs, "", "a");
    let (second, _told) = follow(&other, "", "a");
    let (elsewhere, told_elsewhere) = follow(&logs, "", "b");
    let (unknown, told_unknown) = follow(&logs, "", "never written");
    other.retire("", "a").unwrap();
    assert!(first.is_over() && second.is_over() && !elsewhere.is_over());
    assert!(told_first.try_recv().is_ok() && told_elsewhere.try_recv().is_err());
    logs.append("", "a", "a new log").unwrap();
    assert!(told_first.try_recv().is_err(), "over is over");
    logs.retire("", "never written").unwrap();
    assert!(unknown.is_over() && told_unknown.try_recv().is_ok());
}

#[test]
fn a_retirement_called_before_does_not_end_what_follows_the_new_log() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    logs.append("", "a", "old").unwrap();
    let (old, _told) = follow(&logs, "", "a");
    logs.retire_later("", "a", nobody());
    let (new, told) = follow(&logs, "", "a");
    logs.append_later("", "a", "new", nobody());
    pool.run();
    assert!(old.is_over() && !new.is_over());
    assert!(told.try_recv().is_ok());
    assert_eq!(text(&logs, "", "a"), "new\n");
}

#[test]
fn close_ends_the_followers_of_that_handle_only() {
    let (directory, logs) = logs();
    let other = open(directory.path());
    let (own, told) = follow(&logs, "", "a");
    let (others, told_other) = follow(&other, "", "a");
    logs.close().unwrap();
    assert!(own.is_over() && told.try_recv().is_ok());
    assert!(!others.is_over() && told_other.try_recv().is_err());
    other.append("", "a", "x").unwrap();
    assert!(told.try_recv().is_err() && told_other.try_recv().is_ok());
    drop(other);
    assert!(others.is_over() && told_other.try_recv().is_ok(), "dropping a handle closes it");
}
