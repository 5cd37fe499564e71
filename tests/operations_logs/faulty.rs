//! A file system that counts what is asked of it, and fails when it is told to.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tenure::operations::logs::{Access, Files, LogFile, Look, OnDisk};

use super::kit::pause;

/// What a test arranges, and what it sees.
#[derive(Default)]
pub struct Plan {
    /// Operations so far.
    pub operations: AtomicU64,
    /// From this operation on, the first being 1, all fail; 0 for none.
    pub fails_from: AtomicU64,
    /// Up to this operation, and no further.
    pub fails_to: AtomicU64,
    /// Bytes that there is still room for.
    pub room: AtomicU64,
    /// The most that one write takes.
    pub at_once: AtomicU64,
    /// Files that are open.
    pub open: AtomicU64,
    /// The most files that were open.
    pub most_open: AtomicU64,
    /// How long a write takes, in milliseconds.
    pub slowness: AtomicU64,
    /// The most files that may be open.
    pub descriptors: AtomicU64,
}

impl Plan {
    pub fn new() -> Arc<Self> {
        let plan = Self::default();
        for all in [&plan.room, &plan.at_once, &plan.descriptors] {
            all.store(u64::MAX, Ordering::Relaxed);
        }
        Arc::new(plan)
    }

    pub fn fail(&self, from: u64, to: u64) {
        self.fails_from.store(from, Ordering::Relaxed);
        self.fails_to.store(to, Ordering::Relaxed);
    }

    pub fn heal(&self) {
        self.fail(0, 0);
        self.room.store(u64::MAX, Ordering::Relaxed);
    }

    pub fn set(&self, what: &AtomicU64, value: u64) {
        what.store(value, Ordering::Relaxed);
    }

    pub fn get(&self, what: &AtomicU64) -> u64 {
        what.load(Ordering::Relaxed)
    }

    fn operation(&self) -> io::Result<()> {
        let number = self.operations.fetch_add(1, Ordering::Relaxed) + 1;
        let from = self.get(&self.fails_from);
        if from > 0 && (from..=self.get(&self.fails_to)).contains(&number) {
            return Err(io::Error::from_raw_os_error(5));
        }
        Ok(())
    }
}

/// The real files of a directory, under a plan.
pub struct Faulty(pub Arc<Plan>);

impl Files for Faulty {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.0.operation()?;
        OnDisk.create_directory(path)
    }

    fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        self.0.operation()?;
        OnDisk.look(path)
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn LogFile>> {
        self.0.operation()?;
        if self.0.get(&self.0.open) >= self.0.get(&self.0.descriptors) {
            return Err(io::Error::from_raw_os_error(if cfg!(windows) { 4 } else { 24 }));
        }
        let file = OnDisk.open(path, access)?;
        let open = self.0.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.most_open.fetch_max(open, Ordering::Relaxed);
        Ok(Box::new(FaultyFile { file, plan: Arc::clone(&self.0) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.operation()?;
        OnDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.operation()?;
        OnDisk.remove(path)
    }
}

struct FaultyFile {
    file: Box<dyn LogFile>,
    plan: Arc<Plan>,
}

impl LogFile for FaultyFile {
    fn look(&self) -> io::Result<Look> {
        self.plan.operation()?;
        self.file.look()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.plan.operation()?;
        self.file.read_at(offset, buffer)
    }

    fn append(&mut self, end: u64, bytes: &[u8]) -> io::Result<usize> {
        self.plan.operation()?;
        pause(self.plan.get(&self.plan.slowness));
        let room = self.plan.get(&self.plan.room);
        let fits = room.min(self.plan.get(&self.plan.at_once)).min(bytes.len() as u64);
        if room == 0 {
            return Err(io::Error::from_raw_os_error(28));
        }
        self.plan.room.fetch_sub(fits, Ordering::Relaxed);
        self.file.append(end, &bytes[..fits as usize])
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.plan.operation()?;
        self.file.cut(length)
    }
}

impl Drop for FaultyFile {
    fn drop(&mut self) {
        self.plan.open.fetch_sub(1, Ordering::Relaxed);
    }
}
