//! What is read of a journal while it is written: its rows, what watchers are told, what is damaged.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tenure::operations::journal::{Call, Journal, Key, Patch, Watcher};

use crate::closing::{close, in_memory, reserve};
use crate::explore::explore;
use crate::member::{Bell, spawn};

fn update(id: &str, patch: &str) -> Call {
    let patch = Patch::parse(patch).unwrap();
    Call::Update { key: Key::new("scope", id), row: None, patch, now: 2 }
}

fn stage(status: &str) -> String {
    let status: serde_json::Value = serde_json::from_str(status).unwrap();
    status["stage"].as_str().unwrap_or_default().to_owned()
}

/// Its result is as its stage says, whatever was written meanwhile.
fn fits(status: &str) -> String {
    let status: serde_json::Value = serde_json::from_str(status).unwrap();
    assert_eq!(status["result"]["of"], status["stage"], "{status}");
    assert_eq!(status["input"]["of"], "1", "{status}");
    status["stage"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn nothing_is_found_missing_that_a_commit_has_replaced_or_taken() {
    explore("verify against a commit", &["after", "before", "between"], || {
        let handle = in_memory();
        let journal = Arc::clone(handle.journal().unwrap());
        journal.call(reserve("1")).unwrap();
        journal.call(update("1", r#"{"stage":"one","result":{"of":"one"}}"#)).unwrap();
        let done = Arc::new(AtomicUsize::new(0));
        let writing = {
            let (journal, done) = (Arc::clone(&journal), Arc::clone(&done));
            spawn(move || {
                for call in [
                    update("1", r#"{"stage":"two","result":{"of":"two"}}"#),
                    reserve("2"),
                    update("1", r#"{"state":"cancelled"}"#),
                    Call::Forget { scope: "scope".into(), before: 3 },
                ] {
                    journal.call(call).unwrap();
                    done.fetch_add(1, Ordering::SeqCst);
                }
            })
        };
        let verifying = {
            let journal = Arc::clone(&journal);
            spawn(move || {
                let before = done.load(Ordering::SeqCst);
                assert_eq!(journal.verify(), Ok(Vec::new()));
                (before, done.load(Ordering::SeqCst))
            })
        };
        let (before, after) = verifying();
        writing();
        close(&handle);
        match (before, after) {
            (4, _) => "after",
            (_, 0) => "before",
            _ => "between",
        }
    });
}

#[test]
fn a_status_is_of_one_moment_whatever_is_written_meanwhile() {
    explore("status against a commit", &["gone", "one", "two"], || {
        let handle = in_memory();
        let journal = Arc::clone(handle.journal().unwrap());
        journal.call(reserve("1")).unwrap();
        journal.call(update("1", r#"{"stage":"one","result":{"of":"one"}}"#)).unwrap();
        let writing = {
            let journal = Arc::clone(&journal);
            spawn(move || {
                let ended = r#"{"stage":"two","result":{"of":"two"},"state":"cancelled"}"#;
                journal.call(update("1", ended)).unwrap();
                journal.call(Call::Forget { scope: "scope".into(), before: 3 }).unwrap();
            })
        };
        let reading = {
            let journal = Arc::clone(&journal);
            spawn(move || journal.status("scope", "1").unwrap().map(|status| fits(&status)))
        };
        let read = reading();
        writing();
        close(&handle);
        match read.as_deref() {
            None => "gone",
            Some("one") => "one",
            Some(other) => {
                assert_eq!(other, "two");
                "two"
            }
        }
    });
}

/// Reads what a watcher is told until the last stage, and once more.
fn watch(journal: &Journal, watcher: &Watcher, bell: &Bell, last: &str) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    while told.last().is_none_or(|told| told != last) {
        match watcher.next(journal).unwrap() {
            Some(status) => told.push(stage(&status)),
            None => bell.wait(),
        }
    }
    told
}

#[test]
fn a_watcher_is_told_no_state_twice_and_always_the_last_one() {
    explore("watcher against a commit", &["all", "the last", "two"], || {
        let handle = in_memory();
        let journal = Arc::clone(handle.journal().unwrap());
        journal.call(reserve("1")).unwrap();
        let bell = Bell::default();
        let rings = bell.clone();
        let watcher = handle.watch("scope", None, Box::new(move || rings.ring())).unwrap();
        let writing = {
            let journal = Arc::clone(&journal);
            spawn(move || {
                for stage in ["a", "b", "c"] {
                    let patch = format!(r#"{{"stage":"{stage}"}}"#);
                    journal.call(update("1", &patch)).unwrap();
                }
            })
        };
        let watching = {
            let (journal, watcher) = (Arc::clone(&journal), Arc::clone(&watcher));
            spawn(move || watch(&journal, &watcher, &bell, "c"))
        };
        let told = watching();
        writing();
        assert!(told.is_sorted_by(|earlier, later| earlier < later), "twice, or back: {told:?}");
        assert_eq!(watcher.next(&journal), Ok(None), "the last one was told");
        close(&handle);
        match told.len() {
            1 => "the last",
            2 => "two",
            _ => "all",
        }
    });
}
