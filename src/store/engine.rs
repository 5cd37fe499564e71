//! A database on a disk: opened on trial first, committed to, and opened again after it failed.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use redb::{Database, ReadTransaction, WriteTransaction};

use super::disk::Backend;
use super::failure::{Failed, became, caught, damaged, failed, fault, judged, spoken};
use super::place::{Place, Tried, opened};
use super::trial::Trial;
use super::{Disk, books};
use crate::error::Reason;
use crate::refused::{Answer, Refused};
use crate::sync::atomic::{AtomicBool, AtomicU64};
use crate::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Sizes of a file from which on it is treated otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Up to here it is read whole and its checksums verified when it is opened. Beyond it that is done
    /// with the pages that redb keeps its own books in; for data the checksum that every record carries
    /// has to do.
    pub verified: u64,
    /// From here on every commit also saves which pages are free, so that a crash needs no reading of the
    /// whole file. Below it reading is quicker than the dearer commits.
    pub quick_repair: u64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { verified: 64 << 20, quick_repair: 256 << 20 }
    }
}

/// When a commit is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once it returns.
    Immediate,
    /// With the next immediate one, or with the orderly end of the process.
    Eventual,
}

/// The one way to the database of a file. Readers never wait for a commit; only opening it again, after
/// an I/O error, keeps them waiting.
#[derive(Debug)]
pub struct Engine {
    disk: Arc<dyn Disk>,
    /// By which it is treated.
    pub sizes: Sizes,
    place: RwLock<Place>,
    /// Held by reads that take long: compacting waits for them before it keeps others waiting.
    reading: RwLock<()>,
    broken: AtomicBool,
    /// How often what is in the place was exchanged.
    exchanged: AtomicU64,
    syncs: Arc<std::sync::atomic::AtomicU64>,
    /// Nothing that is written matters any more: see [`Engine::abandon`].
    abandoned: Arc<std::sync::atomic::AtomicBool>,
}

/// What a piece of work in a transaction gives.
pub type Worked<T> = Result<T, redb::Error>;

impl Engine {
    /// Makes a database on a disk without bytes, and fills it in one commit.
    pub fn create(
        disk: Arc<dyn Disk>,
        sizes: Sizes,
        fill: impl FnOnce(&WriteTransaction) -> Worked<()>,
    ) -> Answer<Self> {
        let engine = Self::over(disk, sizes);
        *engine.exclusive() = Place::Whole(engine.whole(false)?);
        engine.write(Durability::Immediate, |transaction| Ok((fill(transaction)?, true)))?;
        Ok(engine)
    }

    /// Opens the database of a disk, if `judge` takes what it reads there. Until then nothing is written:
    /// a refused disk is left byte for byte as it was.
    pub fn open<T>(
        disk: Arc<dyn Disk>,
        sizes: Sizes,
        judge: impl FnOnce(&ReadTransaction) -> Worked<Answer<T>>,
    ) -> Answer<(Self, T)> {
        Self::open_rehearsed(disk, sizes, judge, |_, _| Ok(()))
    }

    /// As [`Engine::open`]. What is to be written first is written on trial before, unless all of the file
    /// was looked at: then nothing can be in its way.
    pub fn open_rehearsed<T>(
        disk: Arc<dyn Disk>,
        sizes: Sizes,
        judge: impl FnOnce(&ReadTransaction) -> Worked<Answer<T>>,
        rehearse: impl FnOnce(&Self, &T) -> Result<(), Failed>,
    ) -> Answer<(Self, T)> {
        let length = disk.len().map_err(|error| failed(&error))?;
        if length > sizes.verified {
            books::look_through(&disk)?;
        }
        let trial = Trial::of(Arc::clone(&disk)).map_err(|error| failed(&error))?;
        let trial = Self::over(Arc::new(trial), sizes);
        let tried = caught(|| {
            let database = trial.whole(length <= sizes.verified)?;
            *trial.exclusive() = Place::Whole(database);
            let transaction = trial.shared().begin_read().map_err(judged)?;
            let value = judge(&transaction).map_err(judged)??;
            drop(transaction);
            if length > sizes.verified {
                rehearse(&trial, &value).map_err(Failed::judged)?;
            }
            Ok(value)
        });
        trial.abandon();
        drop(caught(|| drop(trial)));
        let value = tried.unwrap_or_else(|payload| Err(damaged(&spoken(payload))))?;
        let engine = Self::over(disk, sizes);
        *engine.exclusive() = Place::Whole(engine.whole(false)?);
        Ok((engine, value))
    }

    /// As [`Engine::open`], to read only: what is on the disk stays as it is, unfinished or not.
    pub fn open_to_read<T>(
        disk: Arc<dyn Disk>,
        sizes: Sizes,
        judge: impl FnOnce(&ReadTransaction) -> Worked<Answer<T>>,
    ) -> Answer<(Self, T)> {
        let length = disk.len().map_err(|error| failed(&error))?;
        if length > sizes.verified {
            books::look_through(&disk)?;
        }
        let engine = Self::over(disk, sizes);
        let tried = caught(|| {
            let tried = Tried::on(Arc::clone(&engine.disk), length <= sizes.verified)?;
            *engine.exclusive() = Place::Trial(tried);
            let transaction = engine.shared().begin_read().map_err(judged)?;
            judge(&transaction).map_err(judged)?
        });
        match tried.unwrap_or_else(|payload| Err(damaged(&spoken(payload)))) {
            Ok(value) => Ok((engine, value)),
            Err(refused) => {
                drop(caught(|| drop(engine)));
                Err(refused)
            }
        }
    }

    fn over(disk: Arc<dyn Disk>, sizes: Sizes) -> Self {
        Self {
            disk,
            sizes,
            place: RwLock::new(Place::Nothing),
            reading: RwLock::default(),
            broken: AtomicBool::new(false),
            exchanged: AtomicU64::new(0),
            syncs: Arc::default(),
            abandoned: Arc::default(),
        }
    }

    fn whole(&self, verify: bool) -> Answer<Database> {
        let (disk, syncs) = (Arc::clone(&self.disk), Arc::clone(&self.syncs));
        opened(Backend { disk, syncs, abandoned: Arc::clone(&self.abandoned) }, verify)
    }

    fn shared(&self) -> RwLockReadGuard<'_, Place> {
        self.place.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, Place> {
        self.place.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works in a write transaction, and commits it if the work says that it changed something. A failure
    /// leaves the engine broken until it is opened again: whether the commit took effect is unknown.
    pub fn write<T>(
        &self,
        durability: Durability,
        work: impl FnOnce(&WriteTransaction) -> Worked<(T, bool)>,
    ) -> Result<T, Failed> {
        let place = self.shared();
        let (mut before_commit, mut panicked) = (true, None);
        let worked = caught(|| {
            let Place::Whole(database) = &*place else {
                return Err(redb::Error::PreviousIo);
            };
            if self.is_broken() {
                return Err(redb::Error::PreviousIo);
            }
            let mut transaction = database.begin_write()?;
            if durability == Durability::Eventual {
                transaction.set_durability(redb::Durability::None)?;
            } else if self.bytes() >= self.sizes.quick_repair {
                transaction.set_quick_repair(true);
            }
            // Caught here, so that the transaction is undone. One that a panic unwinds leaves its pages
            // to a repair by the next opening, which refuses the file for a page that nobody else needs.
            let (value, changed) = match caught(|| work(&transaction)) {
                Ok(worked) => worked?,
                Err(payload) => {
                    transaction.abort()?;
                    panicked = Some(spoken(payload));
                    return Ok(None);
                }
            };
            if changed {
                before_commit = false;
                transaction.commit()?;
            } else {
                transaction.abort()?;
            }
            Ok::<Option<T>, redb::Error>(Some(value))
        });
        drop(place);
        let failed = match became(worked) {
            Ok(Some(value)) => return Ok(value),
            Ok(None) => fault(&panicked.unwrap_or_default()),
            Err(failed) => failed,
        };
        self.broken.store(true, Ordering::Release);
        Err(Failed { before_commit, ..failed })
    }

    /// Works in a read transaction, which ends with the call. Where the disk fails, or a write had broken
    /// the database, the work is begun anew on what is on the disk.
    pub fn read<T>(
        &self,
        mut work: impl FnMut(&ReadTransaction) -> Worked<T>,
    ) -> Result<T, Failed> {
        let exchanged = self.exchanged.load(Ordering::Acquire);
        match self.read_once(&mut work) {
            Err(failed)
                if (failed.of_the_disk || self.is_broken()) && self.make_readable(exchanged) =>
            {
                self.read_once(work)
            }
            other => other,
        }
    }

    /// As [`Engine::read`], but never begun anew, and for work that takes long: nobody else waits for it,
    /// and it fails where the database is opened again meanwhile.
    pub fn read_long<T>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Worked<T>,
    ) -> Result<T, Failed> {
        let _reading = self.reading.read().unwrap_or_else(PoisonError::into_inner);
        became(caught(|| {
            let transaction = self.shared().begin_read()?;
            work(&transaction)
        }))
    }

    fn read_once<T>(&self, work: impl FnOnce(&ReadTransaction) -> Worked<T>) -> Result<T, Failed> {
        let place = self.shared();
        became(caught(|| work(&place.begin_read()?)))
    }

    // After an I/O error redb answers nothing any more but what it has in its cache. A reader must not
    // write, so it opens the disk on trial; the next write opens it whole.
    fn make_readable(&self, seen: u64) -> bool {
        let mut place = self.exclusive();
        if matches!(*place, Place::Closed) {
            return false;
        }
        if self.exchanged.load(Ordering::Acquire) == seen {
            self.broken.store(true, Ordering::Release);
            self.exchange(&mut place, Place::Nothing);
            if let Ok(tried) = Tried::on(Arc::clone(&self.disk), false) {
                self.exchange(&mut place, Place::Trial(tried));
            }
        }
        !matches!(*place, Place::Nothing)
    }

    fn exchange(&self, place: &mut Place, new: Place) {
        let old = std::mem::replace(place, new);
        self.exchanged.fetch_add(1, Ordering::AcqRel);
        // What a broken database does when it is let go may fail, too.
        drop(caught(|| drop(old)));
    }

    /// Whether a write failed and the database has not been opened again.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Opens the database again, as after a crash. While that fails, because opening writes, what is on
    /// the disk can still be read. True if what is read now may differ from what was read before.
    pub fn reopen(&self) -> (bool, Answer<()>) {
        let mut place = self.exclusive();
        match *place {
            Place::Closed => return (false, Err(closed())),
            // Two databases on one disk would not know of each other; a trial harms nobody.
            Place::Whole(_) => self.exchange(&mut place, Place::Nothing),
            Place::Trial(_) | Place::Nothing => {}
        }
        let refused = match self.whole(false) {
            Ok(database) => {
                self.exchange(&mut place, Place::Whole(database));
                self.broken.store(false, Ordering::Release);
                return (true, Ok(()));
            }
            Err(refused) => in_use(refused),
        };
        if matches!(*place, Place::Trial(_)) {
            return (false, Err(refused));
        }
        match Tried::on(Arc::clone(&self.disk), false) {
            Ok(tried) => {
                self.exchange(&mut place, Place::Trial(tried));
                (true, Err(refused))
            }
            Err(_) => (false, Err(refused)),
        }
    }

    /// Gives unused pages back, in place. Readers wait meanwhile.
    pub fn compact(&self) -> Answer<()> {
        let _reading = self.reading.write().unwrap_or_else(PoisonError::into_inner);
        let mut place = self.exclusive();
        let Place::Whole(database) = &mut *place else {
            return Err(closed());
        };
        let compacted = became(caught(|| Ok(database.compact().map(drop)?)));
        self.broken.fetch_or(compacted.is_err(), Ordering::AcqRel);
        Ok(compacted?)
    }

    /// Another file has taken the place of this one: what is written from now on goes nowhere, so that
    /// its end costs nothing, whoever holds it last.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Release);
    }

    /// Lets the database go, so that nothing is left to be mended by the next opening.
    pub fn close(&self) -> Answer<()> {
        let old = std::mem::replace(&mut *self.exclusive(), Place::Closed);
        let closed = caught(|| match old {
            Place::Whole(database) => database.close(),
            _ => Ok(()),
        });
        Ok(became(closed.map(|closed| closed.map_err(Into::into)))?)
    }

    /// Bytes of the file; 0 where they cannot be told.
    pub fn bytes(&self) -> u64 {
        self.disk.len().unwrap_or(0)
    }

    /// Syncs since it was opened.
    pub fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }
}

/// A file that was opened once is not called damaged while it is in use.
fn in_use(mut refused: Box<Refused>) -> Box<Refused> {
    refused.reason = Reason::JournalIo;
    refused
}

fn closed() -> Box<Refused> {
    Box::new(Refused::new(Reason::JournalIo, "The journal's file is not open"))
}
