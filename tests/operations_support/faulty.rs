//! A disk that fails when it is told to.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tenure::store::Disk;
use tenure::store::disk::MemoryDisk;

/// How it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Once, and never again.
    Passing,
    /// Until it is mended.
    Lasting,
    /// Once, by a panic, as the database itself does when it reads what is damaged.
    Panicking,
}

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Writes, syncs and changes of length.
    Writing,
    /// Reads.
    Reading,
}

#[derive(Debug)]
struct Plan {
    what: What,
    how: How,
    /// Calls of that kind before the one that fails.
    left: u64,
    begun: bool,
}

#[derive(Debug)]
pub struct Faulty {
    pub under: Arc<MemoryDisk>,
    plan: Mutex<Option<Plan>>,
    /// Bytes that it has room for.
    room: AtomicU64,
    /// Where there is no room, it can be made longer all the same, as a sparse file can.
    sparse: AtomicBool,
    pub writes: AtomicU64,
    pub reads: AtomicU64,
    pub failures: AtomicU64,
}

impl Faulty {
    pub fn over(under: Arc<MemoryDisk>) -> Arc<Self> {
        Arc::new(Self {
            under,
            plan: Mutex::new(None),
            room: AtomicU64::new(u64::MAX),
            sparse: AtomicBool::new(false),
            writes: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// The call of this kind after so many others fails.
    pub fn fail(&self, what: What, how: How, after: u64) {
        *self.plan.lock().unwrap() = Some(Plan { what, how, left: after, begun: false });
    }

    pub fn mend(&self) {
        *self.plan.lock().unwrap() = None;
        self.room.store(u64::MAX, Ordering::SeqCst);
    }

    /// Nothing is taken beyond these bytes.
    pub fn fill(&self, room: u64, sparse: bool) {
        self.room.store(room, Ordering::SeqCst);
        self.sparse.store(sparse, Ordering::SeqCst);
    }

    pub fn failed(&self) -> u64 {
        self.failures.load(Ordering::SeqCst)
    }

    fn meet(&self, what: What) -> io::Result<()> {
        let count = if what == What::Writing { &self.writes } else { &self.reads };
        count.fetch_add(1, Ordering::SeqCst);
        let mut plan = self.plan.lock().unwrap();
        let Some(now) = plan.as_mut().filter(|plan| plan.what == what) else {
            return Ok(());
        };
        if !now.begun && now.left > 0 {
            now.left -= 1;
            return Ok(());
        }
        now.begun = true;
        let how = now.how;
        if how != How::Lasting {
            *plan = None;
        }
        drop(plan);
        self.failures.fetch_add(1, Ordering::SeqCst);
        if how == How::Panicking {
            panic!("the disk panics");
        }
        Err(io::Error::from_raw_os_error(5))
    }

    fn fits(&self, end: u64) -> io::Result<()> {
        if end <= self.room.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.failures.fetch_add(1, Ordering::SeqCst);
        Err(io::Error::from_raw_os_error(28))
    }
}

impl Disk for Faulty {
    fn len(&self) -> io::Result<u64> {
        self.under.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.meet(What::Reading)?;
        self.under.read(offset, out)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.meet(What::Writing)?;
        self.fits(offset + data.len() as u64)?;
        self.under.write(offset, data)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.meet(What::Writing)?;
        if !self.sparse.load(Ordering::SeqCst) && length > self.under.len()? {
            self.fits(length)?;
        }
        self.under.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.meet(What::Writing)?;
        self.under.sync()
    }
}
