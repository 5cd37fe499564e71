//! Threads that meet at one journal: the first terminal state wins, an id is created once, nobody waits for
//! ever, and the file is free when the last one has gone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread::{scope, spawn, yield_now};

use operations_support::chance::{Chance, seed};
use operations_support::kit::{
    close, compact, open, patience, reserve, reserve_with, times, together, update, walk,
};
use serde_json::Value;
use tenure::error::Reason;
use tenure::operations::journal::{Call, Job, Journal, JournalHandle, Key, Reply};
use tenure::operations::{Answer, Bounds};

/// Nothing here takes so long, unless it hangs.
fn within(work: impl FnOnce() + Send + 'static) {
    let (tell, told) = mpsc::channel();
    let worker = spawn(move || {
        work();
        tell.send(()).unwrap();
    });
    match told.recv_timeout(patience()) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => worker.join().unwrap(),
    }
}

fn rest(chance: &mut Chance) {
    for _ in 0..chance.below(4) {
        yield_now();
    }
}

fn roomy() -> Bounds {
    Bounds { max_queued: 1_000_000, retain: 1_000_000, ..Bounds::default() }
}

fn in_memory(bounds: Bounds) -> JournalHandle {
    JournalHandle::in_memory(bounds).unwrap()
}

fn word(answer: &Answer<Reply>, name: &str) -> Option<String> {
    match answer {
        Ok(Reply::Status(status)) => {
            let status: Value = serde_json::from_str(status).unwrap();
            Some(status[name].as_str().unwrap().to_owned())
        }
        Ok(other) => panic!("{other:?}"),
        Err(refused) => {
            assert_eq!(refused.reason, Reason::OperationTerminal);
            None
        }
    }
}

/// Hands all calls over, a few at a time, from a thread of its own.
fn post_all(journal: &Arc<Journal>, calls: Vec<Call>, seed: u64) -> Vec<Answer<Reply>> {
    let mut chance = Chance::new(seed);
    let mut answers = Vec::new();
    let mut calls = calls.into_iter().peekable();
    while calls.peek().is_some() {
        let some = calls.by_ref().take(1 + chance.below(40) as usize).collect();
        answers.extend(together(journal, some));
        rest(&mut chance);
    }
    answers
}

#[test]
fn of_cancelling_and_completing_the_first_one_stands() {
    within(|| {
        let seed = seed();
        let count = times(10_000, 100_000);
        let handle = in_memory(Bounds { max_reservations: 1_000_000, ..roomy() });
        let journal = handle.journal().unwrap();
        let ids: Vec<String> = (0..count).map(|number| number.to_string()).collect();
        let began = ids
            .iter()
            .flat_map(|id| [reserve(id, "", 1), Call::Begin { key: Key::new("", id), now: 2 }]);
        assert!(together(journal, began.collect()).iter().all(Result::is_ok));
        let ends =
            |patch: &'static str| ids.iter().map(|id| update(id, "", patch, 3)).collect::<Vec<_>>();
        let (done, cancelled) = scope(|threads| {
            let done = threads.spawn(|| post_all(journal, ends(r#"{"state":"succeeded"}"#), seed));
            let cancelled = post_all(journal, ends(r#"{"state":"cancelled"}"#), seed ^ 1);
            (done.join().unwrap(), cancelled)
        });
        let mut won = [0, 0];
        for (id, (done, cancelled)) in ids.iter().zip(done.iter().zip(&cancelled)) {
            let states = [word(done, "state"), word(cancelled, "state")];
            let winner = states.iter().position(Option::is_some).unwrap();
            assert_eq!(states[1 - winner], None, "{id} ended twice");
            won[winner] += 1;
            let status: Value =
                serde_json::from_str(&journal.status("", id).unwrap().unwrap()).unwrap();
            assert_eq!(status["state"].as_str(), states[winner].as_deref());
        }
        assert_eq!(won[0] + won[1], count);
        assert_eq!(journal.verify(), Ok(Vec::new()));
    });
}

#[test]
fn of_reserving_one_id_from_many_threads_exactly_one_creates_it() {
    within(|| {
        let seed = seed();
        let count = times(10_000, 90_000);
        let handle = in_memory(roomy());
        let journal = handle.journal().unwrap();
        let calls = || (0..count).map(|number| reserve(&number.to_string(), "", 1)).collect();
        let all: Vec<Vec<Answer<Reply>>> = scope(|threads| {
            let posting = (0..3).map(|number| {
                let calls: Vec<Call> = calls();
                threads.spawn(move || post_all(journal, calls, seed ^ number))
            });
            let posting: Vec<_> = posting.collect();
            // And one that waits for each.
            let waited =
                (0..count / 10).map(|number| journal.call(reserve(&number.to_string(), "", 1)));
            let mut waited: Vec<_> = waited.collect();
            waited.resize(count as usize, Ok(Reply::Reserved(false, String::new())));
            let mut all: Vec<_> =
                posting.into_iter().map(|posted| posted.join().unwrap()).collect();
            all.push(waited);
            all
        });
        for number in 0..count as usize {
            let created =
                all.iter().filter(|one| matches!(one[number], Ok(Reply::Reserved(true, _))));
            assert_eq!(created.count(), 1, "{number}");
        }
        assert_eq!(walk(journal, "").len() as u64, count);
    });
}

#[test]
fn what_is_read_while_rows_change_and_leave_is_a_row_as_it_was_at_some_time() {
    within(|| {
        let seed = seed();
        let count = times(600, 30_000);
        let handle = in_memory(Bounds { retain: 1, ..roomy() });
        let journal = handle.journal().unwrap();
        let (over, last, seen) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
        scope(|threads| {
            for reader in 0..2 {
                let (over, last, seen) = (&over, &last, &seen);
                threads.spawn(move || {
                    let mut chance = Chance::new(seed ^ reader);
                    while !over.load(Ordering::SeqCst) {
                        let number = last.load(Ordering::SeqCst).saturating_sub(chance.below(3));
                        let id = number.to_string();
                        let Some(status) = journal.status("", &id).unwrap() else { continue };
                        let status: Value = serde_json::from_str(&status).unwrap();
                        assert_eq!(status["input"]["of"].as_str(), Some(&*id), "{status}");
                        let result = status["result"]["turn"].as_str().map(str::to_owned);
                        assert_eq!(result, status["stage"].as_str().map(str::to_owned), "{status}");
                        seen.fetch_add(u64::from(result.is_some()), Ordering::SeqCst);
                        journal.page("", 0, None);
                    }
                });
            }
            for number in 0..count {
                let id = number.to_string();
                journal.call(reserve(&id, "", 1)).unwrap();
                last.store(number, Ordering::SeqCst);
                for turn in ["one", "two", "three"] {
                    let state = if turn == "three" { "cancelled" } else { "running" };
                    let patch = format!(
                        r#"{{"state":"{state}","stage":"{turn}","result":{{"turn":"{turn}"}}}}"#
                    );
                    journal.call(update(&id, "", &patch, 2)).unwrap();
                }
            }
            over.store(true, Ordering::SeqCst);
        });
        assert!(seen.load(Ordering::SeqCst) > 100, "{seen:?} seen");
    });
}

#[test]
fn each_pair_that_left_is_handed_to_one_of_those_who_drain_and_none_that_was_reserved_anew() {
    within(|| {
        let seed = seed();
        let count = times(1_000, 50_000);
        let handle = in_memory(Bounds { retain: 1, ..roomy() });
        let journal = handle.journal().unwrap();
        let over = AtomicBool::new(false);
        let handed: Vec<Vec<String>> = scope(|threads| {
            let draining: Vec<_> = (1..=2)
                .map(|holder| {
                    let over = &over;
                    threads.spawn(move || {
                        let mut chance = Chance::new(seed ^ holder);
                        let mut handed = Vec::new();
                        while !over.load(Ordering::SeqCst) {
                            match journal.call(Call::Drain { holder }) {
                                Ok(Reply::Pairs(pairs)) => {
                                    handed.extend(pairs.iter().map(|(_, id)| id.to_string()));
                                }
                                other => panic!("{other:?}"),
                            }
                            rest(&mut chance);
                        }
                        handed
                    })
                })
                .collect();
            for number in 0..count {
                let id = number.to_string();
                journal.call(reserve(&id, "", 1)).unwrap();
                journal.call(update(&id, "", r#"{"state":"cancelled"}"#, 2)).unwrap();
                // One in two comes back, and stays.
                if number % 2 == 0 {
                    let again = [
                        reserve(&format!("again {id}"), "s", 1),
                        update(&format!("again {id}"), "s", r#"{"state":"failed"}"#, 2),
                        Call::Forget { scope: "s".into(), before: 3 },
                        reserve(&format!("again {id}"), "s", 3),
                    ];
                    assert!(together(journal, again.into()).iter().all(Result::is_ok));
                }
            }
            over.store(true, Ordering::SeqCst);
            draining.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut counts: HashMap<String, u64> = HashMap::new();
        for id in handed.into_iter().flatten() {
            *counts.entry(id).or_default() += 1;
        }
        if let Ok(Reply::Pairs(rest)) = journal.call(Call::Drain { holder: 3 }) {
            rest.iter().for_each(|(_, id)| *counts.entry(id.to_string()).or_default() += 1);
        }
        assert!(counts.values().all(|count| *count == 1), "handed out twice");
        assert!(!counts.keys().any(|id| id.starts_with("again")), "it was reserved anew");
        assert_eq!(counts.len() as u64, count - 1, "all but the one that is retained");
        assert_eq!(journal.call(Call::Drain { holder: 3 }), Ok(Reply::Pairs(Vec::new())));
    });
}

fn is_free(path: &Path) {
    let file = File::options().read(true).write(true).open(path).unwrap();
    file.try_lock().unwrap();
}

#[test]
#[cfg(unix)]
fn a_path_that_is_opened_and_closed_by_many_under_many_names_is_always_one_journal() {
    within(|| {
        let seed = seed();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        close(&open(&path, roomy()));
        let names: Vec<PathBuf> =
            ["journal", "hard", "soft"].map(|name| directory.path().join(name)).into();
        std::fs::hard_link(&path, &names[1]).unwrap();
        std::os::unix::fs::symlink("hard", &names[2]).unwrap();
        let turns = times(60, 2_000);
        scope(|threads| {
            for thread in 0..3_u64 {
                let names = &names;
                threads.spawn(move || {
                    let mut chance = Chance::new(seed ^ thread);
                    for turn in 0..turns {
                        let name = &names[chance.below(3) as usize];
                        let handle = open(name, roomy());
                        let id = format!("{thread}.{turn}");
                        let created = handle.journal().unwrap().call(reserve(&id, "", 1));
                        assert!(matches!(created, Ok(Reply::Reserved(true, _))), "{created:?}");
                        rest(&mut chance);
                        match chance.below(3) {
                            0 => drop(handle),
                            1 => handle.close_later(|| {}),
                            _ => close(&handle),
                        }
                    }
                });
            }
        });
        let handle = open(&path, roomy());
        assert_eq!(walk(handle.journal().unwrap(), "").len() as u64, 3 * turns);
        close(&handle);
        is_free(&path);
    });
}

#[test]
fn compacting_and_copying_are_in_nobodys_way_and_nobody_is_in_theirs() {
    within(|| {
        let seed = seed();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let handle = open(&path, roomy());
        let journal = handle.journal().unwrap();
        let text = format!("{{\"text\":\"{}\"}}", "x".repeat(2_000));
        let turns = times(12, 300);
        let over = AtomicBool::new(false);
        let written = AtomicU64::new(0);
        scope(|threads| {
            threads.spawn(|| {
                let mut chance = Chance::new(seed);
                while !over.load(Ordering::SeqCst) {
                    let number = written.load(Ordering::SeqCst);
                    let batch = (number..number + 10).flat_map(|number| {
                        let (id, gone) = (format!("{number}"), format!("gone {number}"));
                        [
                            reserve(&id, "", 1),
                            reserve_with(&gone, "s", &text, 1),
                            update(&gone, "s", r#"{"state":"cancelled"}"#, 2),
                        ]
                    });
                    assert!(together(journal, batch.collect()).iter().all(Result::is_ok));
                    written.store(number + 10, Ordering::SeqCst);
                    journal.call(Call::Forget { scope: "s".into(), before: 3 }).unwrap();
                    rest(&mut chance);
                }
            });
            threads.spawn(|| {
                let mut chance = Chance::new(seed ^ 1);
                while !over.load(Ordering::SeqCst) {
                    let there = written.load(Ordering::SeqCst);
                    let number = chance.below(there.max(1)).to_string();
                    let input = journal.payload("", &number).unwrap();
                    assert!(there == 0 || input.is_some(), "{number} of {there}");
                    rest(&mut chance);
                }
            });
            threads.spawn(|| {
                // Others come and go meanwhile, and find it open.
                while !over.load(Ordering::SeqCst) {
                    let other = open(&path, roomy());
                    assert!(Arc::ptr_eq(other.journal().unwrap(), journal), "one journal");
                    close(&other);
                }
            });
            for turn in 0..turns {
                let (before, after) = compact(&handle).unwrap();
                assert!(after <= before, "{after} after {before}");
                let copy = directory.path().join(format!("copy {turn}"));
                let least = written.load(Ordering::SeqCst);
                journal.backup(&copy).unwrap();
                let copied = open(&copy, roomy());
                assert_eq!(copied.journal().unwrap().verify(), Ok(Vec::new()));
                assert!(walk(copied.journal().unwrap(), "").len() as u64 >= least);
                assert_eq!(journal.verify(), Ok(Vec::new()), "also while others write");
            }
            over.store(true, Ordering::SeqCst);
        });
        let count = written.load(Ordering::SeqCst);
        assert_eq!(walk(journal, "").len() as u64, count);
        close(&handle);
        is_free(&path);
        let handle = open(&path, roomy());
        assert_eq!(walk(handle.journal().unwrap(), "").len() as u64, count);
        assert_eq!(handle.journal().unwrap().verify(), Ok(Vec::new()));
    });
}

#[test]
fn closing_in_the_midst_of_everything_settles_every_call_and_frees_the_file() {
    within(|| {
        let seed = seed();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let mut chance = Chance::new(seed);
        let mut sure = 0;
        for turn in 0..times(15, 500) {
            let handle = Arc::new(open(&path, roomy()));
            let start = Arc::new(Barrier::new(4));
            let (tell, told) = mpsc::channel();
            let spawned = [0, 1, 2].map(|thread| {
                let (handle, start, tell) = (handle.clone(), start.clone(), tell.clone());
                let directory = directory.path().to_owned();
                spawn(move || busy(thread, turn, &handle, &start, &tell, &directory))
            });
            drop(tell);
            start.wait();
            rest(&mut chance);
            close(&handle);
            is_free(&path);
            assert_eq!(handle.journal().unwrap_err().reason, Reason::Closed);
            let asked: u64 = spawned.map(|thread| thread.join().unwrap()).iter().sum();
            let mut settled = 0;
            while let Ok(answer) = told.recv_timeout(patience()) {
                settled += 1;
                match answer {
                    Ok(created) => sure += u64::from(created),
                    Err(reason) => assert_eq!(reason, Reason::Closed),
                }
            }
            assert_eq!(settled, asked, "every call is settled");
        }
        let handle = open(&path, roomy());
        assert_eq!(walk(handle.journal().unwrap(), "").len() as u64, sure);
    });
}

type Told = mpsc::Sender<Result<bool, Reason>>;

/// So many calls of a thread are on their way at most.
const AHEAD: u64 = 20;

/// Uses a handle until it is closed; gives how many answers are to come.
fn busy(
    thread: u64,
    turn: u64,
    handle: &JournalHandle,
    start: &Barrier,
    tell: &Told,
    directory: &Path,
) -> u64 {
    start.wait();
    let mut asked = 0;
    let settled = Arc::new(AtomicU64::new(0));
    loop {
        if asked - settled.load(Ordering::SeqCst) >= AHEAD {
            yield_now();
            continue;
        }
        let Ok(journal) = handle.journal().cloned() else { return asked };
        let id = format!("{turn}.{thread}.{asked}");
        asked += 1;
        let (done, counted) = (tell.clone(), Arc::clone(&settled));
        let tell = move |answer: Answer<bool>| {
            counted.fetch_add(1, Ordering::SeqCst);
            done.send(answer.map_err(|refused| refused.reason)).unwrap();
        };
        let settle = move |answer: Answer<Reply>, tell: &dyn Fn(Answer<bool>)| {
            tell(answer.map(|reply| matches!(reply, Reply::Reserved(true, _))));
        };
        let going = match (thread, asked % 4) {
            (0, _) => {
                settle(journal.call(reserve(&id, "", 1)), &tell);
                Ok(())
            }
            (1, 0) => handle.compact_later(move |answer| tell(answer.map(|_| false))),
            (2, 0) => {
                let copy = directory.join(format!("copy {id}"));
                handle.backup_later(&copy, move |answer| tell(answer.map(|()| false)))
            }
            (2, 1) => handle.verify_later(move |answer| {
                tell(answer.map(|problems| {
                    assert!(problems.is_empty(), "{problems:?}");
                    false
                }));
            }),
            _ => {
                let call = reserve(&id, "", 1);
                journal.post([Job::Call(call, Box::new(move |answer| settle(answer, &tell)))]);
                Ok(())
            }
        };
        asked -= u64::from(going.is_err());
        drop(handle.watch("", None, Box::new(|| {})));
        drop(journal.status("", &id));
    }
}
