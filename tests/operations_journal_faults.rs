//! A disk that fails, at every place where it can: what was acknowledged stays, what was refused can be
//! repeated, and reads go on.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::channel;

use operations_support::compare::{Look, agree, parsed};
use operations_support::faulty::{Faulty, How, What};
use operations_support::kit::{
    close, compact, patience, reserve, reserve_with, together, update, wanted,
};
use operations_support::model::Model;
use operations_support::workload::{bounds, workload};
use serde_json::Value;
use tenure::error::Reason;
use tenure::operations::Answer;
use tenure::operations::journal::open::{Wanted, on_disk};
use tenure::operations::journal::{Call, JournalHandle, Reply, Watcher};
use tenure::store::Durability;
use tenure::store::disk::MemoryDisk;

const IDS: [&str; 6] = ["a", "b", "c", "d", "e", "x"];
const LOOK: Look<'_> = Look { scopes: &["s", "t", "u"], ids: &IDS, turn: 7 };

/// A journal without rows, closed in good order.
fn empty() -> Vec<u8> {
    let disk = Arc::new(MemoryDisk::default());
    close(&JournalHandle::of(on_disk(disk.clone(), &wanted(bounds())).unwrap()));
    disk.image()
}

struct Trouble {
    disk: Arc<Faulty>,
    how: How,
    what: What,
    handle: JournalHandle,
    watcher: Arc<Watcher>,
    seen: HashMap<String, Value>,
    /// What the journal may hold: a call that failed may have been done.
    models: Vec<Model>,
}

fn is_io(answer: &Answer<Reply>) -> bool {
    answer.as_ref().is_err_and(|refused| refused.reason == Reason::JournalIo)
}

impl Trouble {
    fn begin(image: &[u8], what: What, how: How, after: u64) -> Self {
        let disk = Faulty::over(Arc::new(MemoryDisk::from(image.to_vec())));
        disk.fail(what, how, after);
        let journal = loop {
            match on_disk(disk.clone(), &wanted(bounds())) {
                Ok(journal) => break journal,
                Err(refused) => {
                    let io = refused.reason == Reason::JournalIo;
                    assert!(io || how == How::Panicking, "{refused:?}");
                    if how == How::Lasting {
                        assert!(on_disk(disk.clone(), &wanted(bounds())).is_err());
                    }
                    disk.mend();
                }
            }
        };
        let handle = JournalHandle::of(journal);
        let watcher = handle.watch("s", None, Box::new(|| {})).unwrap();
        let models = vec![Model::new(bounds())];
        Self { disk, how, what, handle, watcher, seen: HashMap::new(), models }
    }

    /// Hands calls over; those that may have been done or not are handed back.
    fn hand(&mut self, calls: Vec<Call>) -> Vec<Call> {
        let answers = together(self.handle.journal().unwrap(), calls.clone());
        let mut unknown = Vec::new();
        for (call, answer) in calls.iter().zip(&answers) {
            let mut models = Vec::new();
            for model in &self.models {
                let mut done = model.clone();
                let gives = done.call(call);
                if is_io(answer) {
                    models.push(model.clone());
                }
                if is_io(answer) || agree(&gives, answer) {
                    models.push(done);
                }
            }
            models.dedup();
            assert!(!models.is_empty(), "{call:?} gave {answer:?}");
            self.models = models;
            if is_io(answer) {
                unknown.push(call.clone());
            }
        }
        unknown
    }

    fn look(&mut self, health: &str) {
        let seen = LOOK.at(self.handle.journal().unwrap());
        self.models.retain(|model| LOOK.wanted(model, health) == seen);
        assert!(!self.models.is_empty(), "nothing that could be there: {seen}");
        let journal = self.handle.journal().unwrap();
        while let Some(status) = self.watcher.next(journal).unwrap() {
            let status = parsed(&status);
            self.seen.insert(status["operationId"].as_str().unwrap().to_owned(), status);
        }
        for id in IDS {
            let Some(status) = journal.status("s", id).unwrap() else { continue };
            // A place in the queue changes without the row.
            let [mut told, mut status] = [self.seen.get(id).cloned(), Some(parsed(&status))];
            for status in [&mut told, &mut status].into_iter().flatten() {
                status["queuePosition"] = Value::Null;
            }
            assert_eq!(told, status, "the watcher was told the newest state");
        }
    }

    fn go(&mut self, calls: Vec<Call>) {
        let mut unknown = self.hand(calls);
        if !unknown.is_empty() {
            if self.what == What::Writing {
                self.look("degraded");
            }
            if self.how == How::Lasting {
                let more = self.hand(vec![reserve("x", "u", 99)]);
                if self.what == What::Writing {
                    assert_eq!(more.len(), 1, "nothing is written while nothing can be");
                    self.look("degraded");
                }
                unknown.extend(more);
                self.disk.mend();
            }
            let again = self.hand(unknown);
            assert!(again.is_empty(), "once it can be written, it is: {again:?}");
            self.look("ok");
        }
    }

    /// Its end, by a crash or in good order; and what is there then.
    fn end(mut self, crash: bool) {
        self.disk.mend();
        self.look("ok");
        assert_eq!(self.handle.journal().unwrap().verify(), Ok(Vec::new()));
        let image = self.disk.under.image();
        close(&self.handle);
        let image = if crash { image } else { self.disk.under.image() };
        let [mut model] = <[Model; 1]>::try_from(self.models).unwrap();
        model.reopen(bounds());
        let disk = Arc::new(MemoryDisk::from(image));
        let handle = JournalHandle::of(on_disk(disk, &wanted(bounds())).unwrap());
        let journal = handle.journal().unwrap();
        assert_eq!(LOOK.at(journal), LOOK.wanted(&model, "ok"));
        assert_eq!(journal.verify(), Ok(Vec::new()));
    }
}

/// Runs the workload with one fault; false if it came to no fault.
fn run(image: &[u8], what: What, how: How, after: u64) -> bool {
    let mut trouble = Trouble::begin(image, what, how, after);
    for calls in workload() {
        trouble.go(calls);
    }
    let failed = trouble.disk.failed() > 0;
    trouble.end(after.is_multiple_of(2));
    failed
}

fn at_every_place(what: What, how: How) {
    let image = empty();
    let mut after = 0;
    while run(&image, what, how, after) {
        after += 1;
    }
    assert!(after > 20, "{after} places");
}

#[test]
fn a_write_that_fails_once_can_be_repeated_and_nothing_acknowledged_is_lost() {
    at_every_place(What::Writing, How::Passing);
}

#[test]
fn while_nothing_can_be_written_reads_go_on_and_then_all_is_as_before() {
    at_every_place(What::Writing, How::Lasting);
}

#[test]
fn a_panic_in_a_batch_poisons_nothing_and_hangs_nobody() {
    at_every_place(What::Writing, How::Panicking);
}

#[test]
fn a_read_that_fails_once_can_be_repeated_and_nothing_acknowledged_is_lost() {
    at_every_place(What::Reading, How::Passing);
}

#[test]
fn while_nothing_can_be_read_nothing_is_made_up_and_then_all_is_as_before() {
    at_every_place(What::Reading, How::Lasting);
    at_every_place(What::Reading, How::Panicking);
}

#[test]
fn a_full_disk_refuses_the_write_and_takes_it_once_there_is_room() {
    let image = empty();
    let length = image.len() as u64;
    let mut refused = 0;
    // Where the file would be made longer, and where the bytes of a longer one would be written.
    for (sparse, room) in [false, true]
        .into_iter()
        .flat_map(|sparse| (0..10).map(move |step| (sparse, length + step * 5_120)))
    {
        let mut trouble = Trouble::begin(&image, What::Writing, How::Passing, u64::MAX);
        for calls in workload() {
            trouble.disk.fill(room, sparse);
            let unknown = trouble.hand(calls);
            if !unknown.is_empty() {
                trouble.look("degraded");
                let more = trouble.hand(unknown);
                // Room that was taken in vain may be enough for a second try.
                trouble.look(if more.is_empty() { "ok" } else { "degraded" });
                trouble.disk.mend();
                let again = trouble.hand(more);
                assert!(again.is_empty(), "there is room: {again:?}");
                trouble.look("ok");
                refused += 1;
            }
        }
        trouble.end(room.is_multiple_of(4_096));
    }
    assert!(refused > 8, "{refused}");
}

#[test]
fn a_read_that_fails_once_is_not_noticed_and_one_that_goes_on_failing_is_told() {
    let disk = Faulty::over(Arc::new(MemoryDisk::from(empty())));
    let fresh =
        |disk: &Arc<Faulty>| JournalHandle::of(on_disk(disk.clone(), &wanted(bounds())).unwrap());
    let handle = fresh(&disk);
    handle.journal().unwrap().call(reserve("a", "s", 1)).unwrap();
    // So many that no one page has them all.
    let large = format!("{{\"text\":\"{}\"}}", "x".repeat(3_000));
    for scope in 0..9 {
        let call = reserve_with("other", &scope.to_string(), &large, 1);
        handle.journal().unwrap().call(call).unwrap();
    }
    close(&handle);
    for reads in 0..6 {
        // What it has read is kept by the database, so each time anew.
        let handle = fresh(&disk);
        let journal = handle.journal().unwrap();
        let input = Ok(Some("{\"of\":\"a\"}".to_owned()));
        disk.fail(What::Reading, How::Passing, reads);
        assert_eq!(journal.payload("s", "a"), input);
        disk.fail(What::Reading, How::Lasting, 0);
        let page = parsed(&journal.page("s", 0, None));
        assert_eq!(page["operations"].as_array().map(Vec::len), Some(1), "rows are in memory");
        match journal.payload("s", "a") {
            Err(refused) => assert_eq!(refused.reason, Reason::JournalIo),
            read => assert_eq!(read, input, "it was kept"),
        }
        disk.mend();
        assert_eq!(journal.payload("s", "a"), input);
        let patch = format!("{{\"stage\":\"{reads}\"}}");
        let updated = journal.call(update("a", "s", &patch, 2));
        assert!(matches!(updated, Ok(Reply::Status(_))), "{updated:?}");
        close(&handle);
    }
    assert!(disk.failed() >= 2, "{}", disk.failed());
}

#[test]
fn what_was_read_of_a_commit_that_came_to_nothing_is_never_taken_for_what_another_row_has() {
    let disk = Faulty::over(Arc::new(MemoryDisk::from(empty())));
    let wanted = Wanted { durability: Some(Durability::Eventual), ..wanted(bounds()) };
    let handle = JournalHandle::of(on_disk(disk.clone(), &wanted).unwrap());
    let journal = handle.journal().unwrap();
    let input = |id: &str| Ok(Some(format!("{{\"of\":\"{id}\"}}")));
    journal.call(reserve("a", "s", 1)).unwrap();
    assert_eq!(journal.payload("s", "a"), input("a"));
    disk.fail(What::Writing, How::Lasting, 0);
    let (tell, told) = channel();
    handle.flush_later(move || tell.send(()).unwrap());
    told.recv_timeout(patience()).unwrap();
    assert_eq!(journal.payload("s", "a"), Ok(None), "it was not on the disk");
    disk.mend();
    // Under the numbers that the lost row had.
    journal.call(reserve("b", "s", 2)).unwrap();
    for _ in 0..3 {
        assert_eq!(journal.payload("s", "b"), input("b"));
    }
    close(&handle);
}

#[test]
fn a_compaction_that_fails_anywhere_leaves_everything_there_and_the_next_write_succeeds() {
    let image = empty();
    for how in [How::Passing, How::Lasting, How::Panicking] {
        let mut failed = true;
        let mut after = 0;
        while failed {
            let mut trouble = Trouble::begin(&image, What::Writing, how, u64::MAX);
            workload().into_iter().for_each(|calls| trouble.go(calls));
            trouble.disk.fail(What::Writing, how, after);
            let compacted = compact(&trouble.handle);
            failed = trouble.disk.failed() > 0;
            assert_eq!(compacted.is_err(), failed);
            trouble.look(if failed { "degraded" } else { "ok" });
            trouble.disk.mend();
            trouble.go(vec![reserve("x", "u", 99)]);
            assert!(compact(&trouble.handle).is_ok());
            trouble.end(after.is_multiple_of(2));
            after += 3;
        }
        assert!(after > 9, "{how:?}: {after} places");
    }
}
