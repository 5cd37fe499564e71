//! A disk that fails when it is told to.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tenure::operations::journal::Journal;
use tenure::operations::journal::open::{Wanted, on_disk};
use tenure::store::Disk;
use tenure::store::disk::MemoryDisk;

#[derive(Debug, Default)]
pub struct Faulty {
    memory: MemoryDisk,
    /// Nothing can be written.
    full: AtomicBool,
    /// What is written stays, but its sync says otherwise.
    unsynced: AtomicBool,
    pub failures: AtomicUsize,
}

impl Faulty {
    pub fn journal() -> (Arc<Self>, Arc<Journal>) {
        let disk = Arc::new(Self::default());
        let journal = on_disk(Arc::clone(&disk) as Arc<dyn Disk>, &Wanted::default()).unwrap();
        (disk, journal)
    }

    pub fn fill(&self) {
        self.full.store(true, Ordering::SeqCst);
    }

    pub fn stop_syncing(&self) {
        self.unsynced.store(true, Ordering::SeqCst);
    }

    pub fn heal(&self) {
        self.full.store(false, Ordering::SeqCst);
        self.unsynced.store(false, Ordering::SeqCst);
    }

    pub fn failures(&self) -> usize {
        self.failures.load(Ordering::SeqCst)
    }

    fn unless(&self, fault: &AtomicBool) -> io::Result<()> {
        if fault.load(Ordering::SeqCst) {
            self.failures.fetch_add(1, Ordering::SeqCst);
            return Err(io::Error::other("as told"));
        }
        Ok(())
    }
}

impl Disk for Faulty {
    fn len(&self) -> io::Result<u64> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.memory.read(offset, out)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.unless(&self.full)?;
        self.memory.write(offset, data)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.unless(&self.full)?;
        self.memory.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.unless(&self.unsynced)?;
        self.memory.sync()
    }
}
