//! Handles, spawners and answers for the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use tempfile::TempDir;
use tenure::error::Reason;
use tenure::operations::Answer;
use tenure::operations::logs::{
    Done, Follower, LogBounds, LogDirectory, LogHandle, LogSlice, Notify, Spawner,
};

pub const BOUNDS: LogBounds = LogBounds { log_bytes: 1_048_576, log_slice_bytes: 65_536 };

pub const fn bounds(log_bytes: u64, log_slice_bytes: u64) -> LogBounds {
    LogBounds { log_bytes, log_slice_bytes }
}

/// Each job on a thread of its own.
pub fn threads() -> Spawner {
    Arc::new(|job| {
        std::thread::spawn(job);
    })
}

/// Never runs a job, as a pool does that has ended.
pub fn ended() -> Spawner {
    Arc::new(drop)
}

type Job = Box<dyn FnOnce() + Send>;

/// A pool whose jobs run when the test says so.
#[derive(Clone, Default)]
pub struct Pool(Arc<Mutex<Vec<Job>>>);

impl Pool {
    pub fn spawner(&self) -> Spawner {
        let jobs = Arc::clone(&self.0);
        Arc::new(move |job| jobs.lock().unwrap().push(job))
    }

    pub fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub fn run(&self) {
        let jobs: Vec<_> = self.0.lock().unwrap().drain(..).collect();
        jobs.into_iter().for_each(|job| job());
    }
}

pub fn open(path: &Path) -> LogHandle {
    open_with(path, BOUNDS)
}

pub fn open_with(path: &Path, bounds: LogBounds) -> LogHandle {
    LogDirectory::open(path, bounds, threads()).unwrap()
}

/// A directory that is gone after the test, and a handle of it.
pub fn logs() -> (TempDir, LogHandle) {
    let directory = tempfile::tempdir().unwrap();
    let logs = open(directory.path());
    (directory, logs)
}

/// A `done` that can be waited for.
pub fn answer() -> (Done, Receiver<Answer<()>>) {
    let (to, from) = channel();
    (Box::new(move |answer| to.send(answer).unwrap_or(())), from)
}

// Where descriptors run out, every directory of the process closes files.
static FILES: RwLock<()> = RwLock::new(());

/// For a test that runs out of descriptors.
pub fn alone() -> RwLockWriteGuard<'static, ()> {
    FILES.write().unwrap_or_else(PoisonError::into_inner)
}

/// For a test that counts on files being open.
pub fn undisturbed() -> RwLockReadGuard<'static, ()> {
    FILES.read().unwrap_or_else(PoisonError::into_inner)
}

/// Lets other threads go on.
pub fn pause(milliseconds: u64) {
    if milliseconds > 0 {
        let (_to, from) = channel::<()>();
        assert!(from.recv_timeout(Duration::from_millis(milliseconds)).is_err());
    }
}

pub fn nobody() -> Done {
    Box::new(|_| {})
}

/// A follower, and what tells how often it was notified.
pub fn follow(logs: &LogHandle, scope: &str, id: &str) -> (Follower, Receiver<()>) {
    let (to, from) = channel();
    let to = Mutex::new(to);
    let notify: Notify = Arc::new(move || to.lock().unwrap().send(()).unwrap_or(()));
    (logs.follow(scope, id, notify).unwrap(), from)
}

/// The whole of a log, slice by slice.
pub fn text(logs: &LogHandle, scope: &str, id: &str) -> String {
    let mut whole = String::new();
    let mut offset = 0;
    loop {
        let slice = logs.read(scope, id, offset).unwrap();
        assert_eq!(slice.offset, offset);
        if slice.text.is_empty() {
            return whole;
        }
        whole.push_str(&slice.text);
        offset = slice.next_offset;
    }
}

pub fn truncated(logs: &LogHandle, scope: &str, id: &str) -> bool {
    logs.read(scope, id, 0).unwrap().truncated
}

pub fn slice(offset: u64, next_offset: u64, truncated: bool, text: &str) -> LogSlice {
    LogSlice { offset, next_offset, truncated, text: text.to_owned() }
}

pub fn reason<T: std::fmt::Debug>(answer: Answer<T>) -> Reason {
    answer.unwrap_err().reason
}

/// The entries of a directory, in order of their names.
pub fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The one file of a directory.
pub fn only(directory: &Path) -> PathBuf {
    let mut paths = entries(directory);
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths.remove(0)
}
