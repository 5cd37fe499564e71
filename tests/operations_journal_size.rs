//! The file does not grow without end, and nothing hangs: not by many commits, by reads that were begun,
//! by panics that were caught, nor by closing in the midst of a commit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::io;
use std::sync::{Arc, Condvar, Mutex, mpsc};

use operations_support::chance::{Chance, seed};
use operations_support::faulty::{Faulty, How, What};
use operations_support::kit::{
    close, compact, field, open, patience, reserve, reserve_with, times, together, update, walk,
    wanted,
};
use tenure::operations::Bounds;
use tenure::operations::journal::open::{on_disk, on_disk_by};
use tenure::operations::journal::{Call, Job, JournalHandle};
use tenure::store::disk::MemoryDisk;
use tenure::store::{Disk, Sizes};

fn begin(disk: Arc<dyn Disk>) -> JournalHandle {
    JournalHandle::of(on_disk(disk, &wanted(Bounds::default())).unwrap())
}

const ROWS: u64 = 100;

/// Bytes of live data: rows, inputs, results, the fence.
const LIVE: u64 = ROWS * (600 + 200 + 200 + 150);

fn fill(handle: &JournalHandle) {
    let input = format!("{{\"text\":\"{}\"}}", "x".repeat(200));
    let calls = (0..ROWS).map(|row| reserve_with(&row.to_string(), "", &input, 1));
    together(handle.journal().unwrap(), calls.collect());
    let running = r#"{"state":"running","submission":"accepted","backendReference":"r"}"#;
    let calls = (0..ROWS).map(|row| update(&row.to_string(), "", running, 2));
    together(handle.journal().unwrap(), calls.collect());
}

fn observe(row: u64, turn: u64) -> Call {
    let patch = format!(
        "{{\"progress\":{},\"stage\":\"turn {turn}\",\"result\":{{\"of\":{turn},\"text\":\"{}\"}}}}",
        (turn % 100) as f64 / 100.0,
        "y".repeat((turn % 200) as usize)
    );
    update(&row.to_string(), "", &patch, 3 + turn)
}

fn grows_no_further(sizes: Sizes, turns: u64) {
    let disk = Arc::new(MemoryDisk::default());
    let opened = on_disk_by(disk.clone(), sizes, &wanted(Bounds::default()));
    let handle = JournalHandle::of(opened.unwrap());
    fill(&handle);
    let journal = handle.journal().unwrap();
    // One that was told and never looks, and pages that nobody goes on with.
    let _idle = handle.watch("", None, Box::new(|| {})).unwrap();
    let mut halfway = 0;
    for turn in 0..turns {
        let calls = (0..20).map(|number| observe((turn * 7 + number * 5) % ROWS, turn));
        assert!(together(journal, calls.collect()).iter().all(Result::is_ok));
        journal.page("", 1 + turn % ROWS, None);
        journal.payload("", &(turn % ROWS).to_string()).unwrap();
        if turn == turns / 2 {
            halfway = disk.len().unwrap();
        }
    }
    let end = disk.len().unwrap();
    assert!(end < 20 * LIVE, "{end} bytes for {LIVE} that live");
    assert!(end <= halfway + halfway / 10, "{halfway} bytes halfway, {end} at the end");
    assert_eq!(journal.verify(), Ok(Vec::new()));
}

#[test]
fn many_observations_of_few_operations_do_not_let_the_file_grow() {
    grows_no_further(Sizes::default(), times(1_000, 10_000));
}

#[test]
fn nor_where_every_commit_saves_which_pages_are_free() {
    grows_no_further(Sizes { quick_repair: 0, ..Sizes::default() }, times(300, 10_000));
}

/// Bytes after so many batches, of which each meets a panic if it is to.
fn after_panics(count: u64, panics: bool) -> u64 {
    let seed = seed();
    let mut chance = Chance::new(seed);
    let disk = Faulty::over(Arc::new(MemoryDisk::default()));
    let handle = begin(disk.clone());
    fill(&handle);
    let journal = handle.journal().unwrap();
    for turn in 0..count {
        if panics {
            disk.fail(What::Writing, How::Panicking, chance.below(6));
        }
        let call = observe(turn % ROWS, turn);
        while journal.call(call.clone()).is_err() {}
    }
    disk.mend();
    assert_eq!(disk.failed() > count / 2, panics);
    for row in 0..ROWS {
        let last = (0..count).rev().find(|turn| turn % ROWS == row).unwrap();
        let stage = field(journal, "", &row.to_string(), "stage");
        assert_eq!(stage, format!("turn {last}"), "TENURE_SEED={seed}");
    }
    close(&handle);
    let handle = begin(disk.clone());
    assert_eq!(handle.journal().unwrap().verify(), Ok(Vec::new()));
    assert_eq!(walk(handle.journal().unwrap(), "").len() as u64, ROWS);
    close(&handle);
    disk.len().unwrap()
}

#[test]
fn panics_that_are_caught_leave_no_pages_behind() {
    let count = times(2_000, 20_000);
    let (with, without) = (after_panics(count, true), after_panics(count, false));
    assert!(with <= 2 * without, "{with} bytes with panics, {without} without");
}

/// A disk whose syncs wait until they are let go.
#[derive(Debug, Default)]
struct Slow {
    under: MemoryDisk,
    held: Mutex<bool>,
    changed: Condvar,
}

impl Slow {
    fn hold(&self, held: bool) {
        *self.held.lock().unwrap() = held;
        self.changed.notify_all();
    }
}

impl Disk for Slow {
    fn len(&self) -> io::Result<u64> {
        self.under.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.under.read(offset, out)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.under.write(offset, data)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.under.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        let mut held = self.held.lock().unwrap();
        while *held {
            held = self.changed.wait(held).unwrap();
        }
        Ok(())
    }
}

#[test]
fn reads_go_on_while_a_commit_is_slow_and_closing_waits_for_it() {
    let disk = Arc::new(Slow::default());
    let handle = begin(disk.clone());
    handle.journal().unwrap().call(reserve("a", "", 1)).unwrap();
    disk.hold(true);
    let (tell, told) = mpsc::channel();
    let (settled, closed) = (tell.clone(), tell);
    let job = Job::Call(
        update("a", "", r#"{"state":"running"}"#, 2),
        Box::new(move |answer| settled.send(answer.map(|_| "call").unwrap_or("refused")).unwrap()),
    );
    handle.journal().unwrap().post([job]);
    assert_eq!(field(handle.journal().unwrap(), "", "a", "state"), "queued");
    assert_eq!(handle.journal().unwrap().payload("", "a").unwrap().unwrap(), "{\"of\":\"a\"}");
    handle.close_later(move || closed.send("close").unwrap());
    assert!(told.try_recv().is_err());
    disk.hold(false);
    assert_eq!(told.recv_timeout(patience()), Ok("call"));
    assert_eq!(told.recv_timeout(patience()), Ok("close"));
}

#[test]
fn a_file_that_has_become_too_large_is_written_anew() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let bounds = Bounds::default();
    let handle = open(&path, bounds.clone());
    let journal = handle.journal().unwrap();
    let input = format!("{{\"text\":\"{}\"}}", "x".repeat(20_000));
    let calls = (0..300_u64).flat_map(|number| {
        let id = number.to_string();
        let ended = update(&id, "", r#"{"state":"cancelled"}"#, number);
        [reserve_with(&id, "", &input, number), ended]
    });
    assert!(together(journal, calls.collect()).iter().all(Result::is_ok));
    journal.call(Call::Forget { scope: "".into(), before: 299 }).unwrap();
    let (before, after) = compact(&handle).unwrap();
    assert!(after < before / 4, "{before} bytes before, {after} after");
    let file_bytes = serde_json::to_value(journal.stats()).unwrap()["fileBytes"].as_u64();
    assert_eq!(file_bytes, Some(after));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), after);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    let (again, same) = compact(&handle).unwrap();
    assert!(same <= again, "{again} bytes before, {same} after");
    assert_eq!(walk(journal, ""), ["299"]);
    close(&handle);
    let handle = open(&path, bounds);
    assert_eq!(handle.journal().unwrap().verify(), Ok(Vec::new()));
    assert_eq!(walk(handle.journal().unwrap(), ""), ["299"]);
}
