//! A disk that writes down what is done to it, and gives what a crash may leave of that.

use std::io;
use std::sync::{Arc, Mutex};

use tenure::store::Disk;
use tenure::store::disk::MemoryDisk;

use super::chance::Chance;

#[derive(Clone, Debug)]
pub enum Done {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
    /// Something was acknowledged.
    Mark,
}

#[derive(Debug)]
pub struct Recorder {
    under: MemoryDisk,
    first: Vec<u8>,
    log: Mutex<Vec<Done>>,
}

/// What becomes of the writes after the last sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// None reached the disk.
    Dropped,
    /// All did.
    Kept,
    /// Some did, whole.
    Some,
    /// All up to one did, and of that one its beginning.
    Torn,
    /// Some sectors of each did.
    Sectors,
}

impl Fate {
    pub const ALL: [Self; 5] = [Self::Dropped, Self::Kept, Self::Some, Self::Torn, Self::Sectors];
}

const SECTOR: usize = 512;

/// A crash: what was on the disk for sure, and what may have been.
pub struct Crash {
    /// After this many syncs.
    pub syncs: usize,
    /// Acknowledged before.
    pub marks: usize,
    sure: Vec<u8>,
    maybe: Vec<Done>,
}

impl Recorder {
    pub fn over(image: Vec<u8>) -> Arc<Self> {
        let under = MemoryDisk::from(image.clone());
        Arc::new(Self { under, first: image, log: Mutex::default() })
    }

    pub fn mark(&self) {
        self.log.lock().unwrap().push(Done::Mark);
    }

    pub fn image(&self) -> Vec<u8> {
        self.under.image()
    }

    /// A crash at each sync, just before it is done.
    pub fn crashes(&self) -> Vec<Crash> {
        let mut log = self.log.lock().unwrap().clone();
        log.push(Done::Sync);
        let (mut sure, mut maybe, mut syncs, mut marks) = (self.first.clone(), Vec::new(), 0, 0);
        let mut crashes = Vec::new();
        for done in log {
            match done {
                Done::Mark => marks += 1,
                Done::Sync => {
                    let crash = Crash { syncs, marks, sure: sure.clone(), maybe };
                    maybe = Vec::new();
                    sure = crash.image(Fate::Kept, &mut Chance::new(0));
                    crashes.push(crash);
                    syncs += 1;
                }
                other => maybe.push(other),
            }
        }
        crashes
    }
}

fn put(image: &mut Vec<u8>, offset: u64, data: &[u8]) {
    let (start, end) = (offset as usize, offset as usize + data.len());
    if image.len() < end {
        image.resize(end, 0);
    }
    image[start..end].copy_from_slice(data);
}

impl Crash {
    pub fn image(&self, fate: Fate, chance: &mut Chance) -> Vec<u8> {
        let mut image = self.sure.clone();
        let torn = chance.below(self.maybe.len().max(1) as u64) as usize;
        for (place, done) in self.maybe.iter().enumerate() {
            let kept = match fate {
                Fate::Dropped => false,
                Fate::Kept | Fate::Sectors => true,
                Fate::Some => chance.below(2) == 0,
                Fate::Torn => place <= torn,
            };
            match done {
                Done::SetLen(length) if kept => image.resize(*length as usize, 0),
                Done::Write(offset, data) if kept && fate == Fate::Sectors => {
                    for (number, sector) in data.chunks(SECTOR).enumerate() {
                        if chance.below(2) == 0 {
                            put(&mut image, offset + (number * SECTOR) as u64, sector);
                        }
                    }
                }
                Done::Write(offset, data) if kept => {
                    let whole = fate != Fate::Torn || place < torn;
                    let length =
                        if whole { data.len() } else { chance.below(data.len() as u64) as usize };
                    put(&mut image, *offset, &data[..length]);
                }
                _ => {}
            }
        }
        image
    }
}

impl Disk for Recorder {
    fn len(&self) -> io::Result<u64> {
        self.under.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.under.read(offset, out)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.log.lock().unwrap().push(Done::Write(offset, data.to_vec()));
        self.under.write(offset, data)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.log.lock().unwrap().push(Done::SetLen(length));
        self.under.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.log.lock().unwrap().push(Done::Sync);
        self.under.sync()
    }
}
