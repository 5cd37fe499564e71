//! What an engine has of its database: the whole, what can be read of it, or nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::{Builder, Database, ReadTransaction, ReadableDatabase};

use super::disk::Backend;
use super::failure::{caught, damaged, failed, judged, spoken};
use super::trial::Trial;
use super::{Disk, Worked};
use crate::refused::Answer;

/// What is read is cached up to here; redb's own default would let a journal grow to a gigabyte.
const CACHE_BYTES: usize = 32 << 20;

#[derive(Debug)]
pub(super) enum Place {
    /// Opened for reading and writing.
    Whole(Database),
    /// Opened on trial: what is on the disk can be read.
    Trial(Tried),
    /// Neither would do.
    Nothing,
    /// Let go for good.
    Closed,
}

impl Place {
    pub(super) fn begin_read(&self) -> Worked<ReadTransaction> {
        let database = match self {
            Self::Whole(database) => database,
            Self::Trial(tried) => &tried.database,
            Self::Nothing | Self::Closed => return Err(redb::Error::PreviousIo),
        };
        Ok(database.begin_read()?)
    }
}

/// A database on a trial. Its end writes nothing.
#[derive(Debug)]
pub(super) struct Tried {
    database: Database,
    abandoned: Arc<AtomicBool>,
}

impl Tried {
    pub(super) fn on(disk: Arc<dyn Disk>, verify: bool) -> Answer<Self> {
        Self::over(Trial::of(disk).map_err(|error| failed(&error))?, verify)
    }

    pub(super) fn over(trial: Trial, verify: bool) -> Answer<Self> {
        let abandoned = Arc::new(AtomicBool::new(false));
        let (disk, syncs) = (Arc::new(trial) as Arc<dyn Disk>, Arc::default());
        let backend = Backend { disk, syncs, abandoned: Arc::clone(&abandoned) };
        Ok(Self { database: opened(backend, verify)?, abandoned })
    }
}

impl Drop for Tried {
    fn drop(&mut self) {
        self.abandoned.store(true, Ordering::Release);
    }
}

pub(super) fn opened(backend: Backend, verify: bool) -> Answer<Database> {
    let opened = caught(|| {
        Builder::new()
            .set_cache_size(CACHE_BYTES)
            .set_check_integrity_on_open(verify)
            .create_with_backend(backend)
    });
    match opened {
        Ok(Ok(database)) => Ok(database),
        Ok(Err(error)) => Err(judged(error.into())),
        Err(payload) => Err(damaged(&spoken(payload))),
    }
}
