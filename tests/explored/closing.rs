//! A journal that is closed while others write to it, and opened while it closes. It lies in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::sync::Mutex;
use shuttle::sync::mpsc::{Sender, channel};
use tenure::error::Reason;
use tenure::operations::journal::{Call, Job, Journal, JournalHandle, Key, Reply};
use tenure::operations::{Answer, Bounds};
use tenure::store::{Registry, Shared};

use crate::explore::explore;
use crate::member::spawn;

pub fn reserve(id: &str) -> Call {
    Call::Reserve {
        key: Key::new("scope", id),
        digest: "digest".into(),
        input: format!("{{\"of\":\"{id}\"}}"),
        now: 1,
        unless_held: None,
    }
}

pub fn in_memory() -> JournalHandle {
    JournalHandle::in_memory(Bounds::default()).unwrap()
}

/// Closes a handle and returns once it has let go.
pub fn close(handle: &JournalHandle) {
    let (tell, told) = channel();
    handle.close_later(move || tell.send(()).unwrap());
    told.recv().unwrap();
}

/// Whether a call came before the close. It is settled either way.
fn came_first(answer: Answer<Reply>) -> bool {
    match answer {
        Ok(Reply::Reserved(created, _)) => created,
        Ok(other) => panic!("{other:?}"),
        Err(refused) => {
            assert_eq!(refused.reason, Reason::Closed);
            false
        }
    }
}

fn post(journal: &Arc<Journal>, id: &'static str, tell: &Sender<(&'static str, bool)>) {
    let tell = tell.clone();
    let settle = move |answer| tell.send((id, came_first(answer))).unwrap();
    journal.post([Job::Call(reserve(id), Box::new(settle))]);
}

#[test]
fn every_call_that_meets_a_close_is_settled_once_and_recorded_or_refused() {
    let ways = ["all recorded", "none recorded", "some recorded"];
    explore("writer against close", &ways, || {
        let handle = in_memory();
        let journal = Arc::clone(handle.journal().unwrap());
        let (tell, told) = channel();
        let posting = {
            let (journal, tell) = (Arc::clone(&journal), tell.clone());
            spawn(move || {
                post(&journal, "1", &tell);
                post(&journal, "2", &tell);
            })
        };
        let calling = {
            let journal = Arc::clone(&journal);
            spawn(move || tell.send(("3", came_first(journal.call(reserve("3"))))).unwrap())
        };
        let closing = spawn(move || {
            close(&handle);
            assert_eq!(handle.journal().map(|_| ()).unwrap_err().reason, Reason::Closed);
        });
        posting();
        calling();
        closing();
        let mut settled: Vec<(&str, bool)> = told.iter().collect();
        settled.sort_unstable();
        assert_eq!(settled.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["1", "2", "3"]);
        for (id, recorded) in &settled {
            assert_eq!(journal.book().find("scope", id).is_some(), *recorded, "{id}");
        }
        assert!(!came_first(journal.call(reserve("4"))), "it is closed");
        match settled.iter().filter(|(_, recorded)| *recorded).count() {
            0 => "none recorded",
            3 => "all recorded",
            _ => "some recorded",
        }
    });
}

#[test]
fn what_goes_on_outside_the_writers_turn_ends_before_the_journal_is_let_go() {
    explore("verify against close", &["refused", "verified"], || {
        let handle = Arc::new(in_memory());
        handle.journal().unwrap().call(reserve("1")).unwrap();
        let closed = Arc::new(AtomicUsize::new(0));
        let working = {
            let (handle, closed) = (Arc::clone(&handle), Arc::clone(&closed));
            spawn(move || {
                let (tell, told) = channel();
                let asked = handle.verify_later(move |answer| {
                    tell.send((answer, closed.load(Ordering::SeqCst))).unwrap();
                });
                if asked.is_err() {
                    return "refused";
                }
                let (answer, closed) = told.recv().unwrap();
                assert_eq!((answer, closed), (Ok(Vec::new()), 0), "let go too early");
                "verified"
            })
        };
        let closing = [(); 2].map(|()| {
            let (handle, closed) = (Arc::clone(&handle), Arc::clone(&closed));
            spawn(move || {
                close(&handle);
                closed.fetch_add(1, Ordering::SeqCst);
            })
        });
        for closed in closing {
            closed();
        }
        assert_eq!(closed.load(Ordering::SeqCst), 2, "whoever closes again is told as well");
        working()
    });
}

/// What is shared under a key, as a journal shares its file; it takes itself out when it is let go.
struct Opened {
    holders: Mutex<(usize, bool)>,
}

impl Shared for Opened {
    fn join(&self) -> bool {
        let mut holders = self.holders.lock().unwrap();
        holders.0 += usize::from(!holders.1);
        !holders.1
    }
}

/// Opens what lies under the one key, or joins it; and closes it again.
fn visit(registry: &Registry<u8, Opened>, open: &AtomicUsize) -> bool {
    let make = || {
        assert_eq!(open.fetch_add(1, Ordering::SeqCst), 0, "it is open already");
        shuttle::thread::yield_now();
        Ok(Arc::new(Opened { holders: Mutex::new((1, false)) }))
    };
    let (opened, joined) = registry.join_or_open(&0, make).unwrap();
    let mut holders = opened.holders.lock().unwrap();
    assert!(!holders.1, "it was let go while it was held");
    holders.0 -= 1;
    if holders.0 == 0 {
        holders.1 = true;
        drop(holders);
        assert_eq!(open.fetch_sub(1, Ordering::SeqCst), 1);
        registry.remove(&0);
    }
    joined
}

#[test]
fn a_file_is_open_once_however_many_open_and_close_it() {
    explore("open against close", &["each for itself", "joined"], || {
        let registry = Arc::new(Registry::new());
        let open = Arc::new(AtomicUsize::new(0));
        let visits = [(); 3].map(|()| {
            let (registry, open) = (Arc::clone(&registry), Arc::clone(&open));
            spawn(move || visit(&registry, &open))
        });
        let joined = visits.map(|visit| visit());
        assert_eq!(open.load(Ordering::SeqCst), 0);
        if joined.contains(&true) { "joined" } else { "each for itself" }
    });
}
