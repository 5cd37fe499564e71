//! The order of calls is that of the file, whoever makes them and whether they wait or not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use tenure::operations::Answer;
use tenure::operations::logs::{LogDirectory, LogHandle};

use super::faulty::{Faulty, Plan};
use super::kit::{BOUNDS, Pool, answer, ended, logs, nobody, open, text};

#[test]
fn calls_that_wait_come_after_those_that_did_not() {
    let (_directory, logs) = logs();
    let mut expected = String::new();
    for round in 0..200 {
        for part in 0..5 {
            logs.append_later("", "a", &format!("{round} {part}"), nobody());
            expected.push_str(&format!("{round} {part}\n"));
        }
        logs.append("", "a", &format!("{round} waits")).unwrap();
        expected.push_str(&format!("{round} waits\n"));
    }
    assert_eq!(text(&logs, "", "a"), expected);
}

#[test]
fn a_call_that_waits_needs_no_thread_of_the_pool() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    let (done, first) = answer();
    logs.append_later("", "a", "one", done);
    assert!(first.try_recv().is_err(), "nothing has run");
    logs.append("", "a", "two").unwrap();
    assert_eq!(first.try_recv(), Ok(Ok(())));
    logs.append_later("", "a", "three", nobody());
    assert_eq!(text(&logs, "", "a"), "one\ntwo\nthree\n", "nor does a read");
    logs.append_later("", "a", "four", nobody());
    assert_eq!(pool.len(), 1, "one drainer at a time");
    pool.run();
    assert_eq!(text(&logs, "", "a"), "one\ntwo\nthree\nfour\n");
}

#[test]
fn a_read_takes_no_more_of_the_queue_than_its_own_log_needs() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    logs.append("", "b", "x").unwrap();
    logs.append_later("", "a", "one", nobody());
    let (done, last) = answer();
    logs.append_later("", "c", "two", done);
    assert_eq!(text(&logs, "", "b"), "x\n");
    assert_eq!(text(&logs, "", "a"), "one\n");
    assert!(last.try_recv().is_err());
    pool.run();
    assert_eq!(last.try_recv(), Ok(Ok(())));
}

#[test]
fn what_a_pool_drops_is_done_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let logs = LogDirectory::open(directory.path(), BOUNDS, ended()).unwrap();
    let (done, told) = answer();
    logs.append_later("", "a", "one", done);
    assert_eq!(told.try_recv(), Ok(Ok(())));
    assert_eq!(text(&logs, "", "a"), "one\n");
}

#[test]
fn what_a_pool_panics_over_is_done_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let spawner = Arc::new(|_job| std::panic::resume_unwind(Box::new(())));
    let logs = LogDirectory::open(directory.path(), BOUNDS, spawner).unwrap();
    let (done, told) = answer();
    logs.append_later("", "a", "one", done);
    assert_eq!(told.try_recv(), Ok(Ok(())));
}

#[test]
fn a_pool_that_runs_its_jobs_at_once_is_no_different() {
    let directory = tempfile::tempdir().unwrap();
    let logs = LogDirectory::open(directory.path(), BOUNDS, Arc::new(|job| job())).unwrap();
    logs.append_later("", "a", "one", nobody());
    logs.append("", "a", "two").unwrap();
    assert_eq!(text(&logs, "", "a"), "one\ntwo\n");
}

#[test]
fn a_callback_may_call_the_same_logs() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    let logs = Arc::new(logs);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (inner, list) = (Arc::clone(&logs), Arc::clone(&heard));
    logs.append_later(
        "",
        "a",
        "one",
        Box::new(move |_| {
            list.lock().unwrap().push(text(&inner, "", "a"));
            inner.append("", "a", "three").unwrap();
            list.lock().unwrap().push(text(&inner, "", "a"));
            inner.append_later("", "a", "four", nobody());
        }),
    );
    logs.append_later("", "a", "two", nobody());
    pool.run();
    assert_eq!(*heard.lock().unwrap(), ["one\ntwo\n", "one\ntwo\nthree\n"]);
    assert_eq!(pool.len(), 0, "who takes jobs goes on to the last");
    assert_eq!(text(&logs, "", "a"), "one\ntwo\nthree\nfour\n");
}

#[test]
fn nobody_else_takes_jobs_before_a_callback_that_took_some_has_returned() {
    let (_directory, logs) = logs();
    let logs = Arc::new(logs);
    let (to, other) = channel();
    let (done, over) = channel();
    let inner = Arc::clone(&logs);
    logs.append_later(
        "",
        "a",
        "one",
        Box::new(move |_| {
            inner.append("", "a", "two").unwrap();
            let logs = Arc::clone(&inner);
            std::thread::spawn(move || {
                logs.append("", "a", "three").unwrap();
                to.send(()).unwrap();
            });
            done.send(other.recv_timeout(Duration::from_millis(50)).is_err()).unwrap();
            inner.append("", "a", "four").unwrap();
        }),
    );
    assert_eq!(over.recv(), Ok(true));
}

/// Makes a call that waits, on a thread of its own, and returns when it does.
fn appending(logs: &Arc<LogHandle>, id: &'static str) -> Receiver<Answer<()>> {
    let (to, from) = channel();
    let logs = Arc::clone(logs);
    std::thread::spawn(move || to.send(logs.append("", id, "x")).unwrap_or(()));
    assert!(from.recv_timeout(Duration::from_millis(50)).is_err());
    from
}

#[test]
fn a_call_that_waits_is_told_before_the_callbacks_of_others() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    // So that the call that waits does so before its record is written.
    let plan = Plan::new();
    plan.set(&plan.slowness, 500);
    let files = Arc::new(Faulty(plan));
    let logs = LogDirectory::open_on(files, directory.path(), BOUNDS, pool.spawner()).unwrap();
    let logs = Arc::new(logs);
    let ((to, waiting), (seen, told_in_time)) = (channel(), channel());
    let inner = Arc::clone(&logs);
    let done = move |_| to.send(appending(&inner, "b")).unwrap();
    logs.append_later("", "a", "x", Box::new(done));
    let waiting = Mutex::new(waiting);
    let notify = move || {
        let waiting = waiting.lock().unwrap().recv().unwrap();
        seen.send(waiting.recv_timeout(Duration::from_secs(10))).unwrap();
    };
    let _follower = logs.follow("", "b", Arc::new(notify)).unwrap();
    pool.run();
    assert_eq!(told_in_time.recv(), Ok(Ok(Ok(()))));
}

#[test]
fn a_call_that_waits_takes_over_when_the_thread_before_it_leaves() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    let logs = Arc::new(logs);
    let (to, waiting) = channel();
    let (inner, to) = (Arc::downgrade(&logs), Mutex::new(to));
    let notify = move || {
        let logs = inner.upgrade().unwrap();
        to.lock().unwrap().send(appending(&logs, "b")).unwrap();
    };
    let _follower = logs.follow("", "a", Arc::new(notify)).unwrap();
    logs.append("", "a", "x").unwrap();
    let waiting = waiting.recv().unwrap();
    assert_eq!(waiting.recv_timeout(Duration::from_secs(10)), Ok(Ok(())));
}

#[test]
fn what_was_called_meanwhile_is_left_to_the_pool() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = Arc::new(LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap());
    let inner = Arc::downgrade(&logs);
    let notify = move || {
        if let Some(logs) = inner.upgrade() {
            logs.append_later("", "b", "x", nobody());
        }
    };
    let _follower = logs.follow("", "a", Arc::new(notify)).unwrap();
    for round in 1..4 {
        logs.append("", "a", "x").unwrap();
        assert_eq!(pool.len(), 1);
        pool.run();
        assert_eq!(text(&logs, "", "b").len(), 2 * round);
    }
}

#[test]
fn a_pool_that_was_done_is_asked_again() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::default();
    let logs = LogDirectory::open(directory.path(), BOUNDS, pool.spawner()).unwrap();
    for _ in 0..3 {
        let (done, told) = answer();
        logs.append_later("", "a", "x", done);
        assert_eq!(pool.len(), 1);
        pool.run();
        assert_eq!(told.try_recv(), Ok(Ok(())));
    }
}

#[test]
fn a_callback_that_panics_stops_nothing() {
    let (_directory, logs) = logs();
    logs.append_later("", "a", "one", Box::new(|_| std::panic::resume_unwind(Box::new(()))));
    let follower = logs.follow("", "a", Arc::new(|| std::panic::resume_unwind(Box::new(()))));
    logs.append("", "a", "two").unwrap();
    let (done, told) = answer();
    logs.append_later("", "a", "three", done);
    assert_eq!(told.recv(), Ok(Ok(())));
    assert_eq!(text(&logs, "", "a"), "one\ntwo\nthree\n");
    drop(follower);
}

#[test]
fn threads_and_handles_keep_their_own_order_and_whole_lines() {
    const LINES: usize = 300;
    let directory = tempfile::tempdir().unwrap();
    let start = Barrier::new(6);
    let answered = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (start, answered, path) = (&start, Arc::clone(&answered), directory.path());
            scope.spawn(move || {
                let logs = open(path);
                start.wait();
                for line in 0..LINES {
                    let record = format!("{thread} {line} {}", "é".repeat(line % 40));
                    for id in ["shared", &thread.to_string()] {
                        if (line + thread) % 3 == 0 {
                            logs.append("", id, &record).unwrap();
                        } else {
                            let answered = Arc::clone(&answered);
                            let done = move |answer: Answer<()>| {
                                answer.unwrap();
                                answered.fetch_add(1, Ordering::Relaxed);
                            };
                            logs.append_later("", id, &record, Box::new(done));
                        }
                    }
                    if line % 50 == 0 {
                        let own = text(&logs, "", &thread.to_string());
                        assert_eq!(own.lines().count(), line + 1);
                    }
                }
                logs.close().unwrap();
            });
        }
    });
    assert_eq!(answered.load(Ordering::Relaxed), 6 * 2 * LINES * 2 / 3);
    let logs = open(directory.path());
    let shared = text(&logs, "", "shared");
    assert_eq!(shared.lines().count(), 6 * LINES);
    for thread in 0..6 {
        let whole = |text: &str| -> Vec<String> {
            let own = format!("{thread} ");
            text.lines().filter(|line| line.starts_with(&own)).map(str::to_owned).collect()
        };
        let expected: Vec<_> =
            (0..LINES).map(|line| format!("{thread} {line} {}", "é".repeat(line % 40))).collect();
        assert_eq!(whole(&shared), expected);
        assert_eq!(whole(&text(&logs, "", &thread.to_string())), expected);
    }
}
