//! Copies of the file: a backup, and the file itself written anew without its gaps.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use redb::{ReadTransaction, ReadableTable, TableDefinition, TableHandle};

use super::journal::Journal;
use super::open::OPEN;
use super::tables::{FENCE, META, RETIRED, ROWS, VALUES, fill};
use super::writer::closed;
use crate::error::Reason;
use crate::refused::{Answer, Refused};
use crate::store::disk::FileDisk;
use crate::store::file::create;
use crate::store::{Durability, Engine, OpenFile, Sizes, Worked};

/// Records, and bytes of them, that are copied in one commit.
const CHUNK: usize = 10_000;
const CHUNK_BYTES: usize = 8 << 20;

impl Journal {
    /// Writes a consistent copy while the journal is in use. Waits for a disk.
    pub fn backup(&self, path: &Path) -> Answer<()> {
        let name = path.to_string_lossy().into_owned();
        let copied = create(path, |file| {
            let copy = Engine::create(Arc::new(FileDisk(file)), Sizes::default(), fill)?;
            self.engine().read_long(|from| Ok(copy_all(from, &copy)))??;
            copy.close()
        });
        match copied {
            Ok(true) => Ok(()),
            Ok(false) => {
                let what = "Something is where the backup was to be written";
                Err(Box::new(Refused::new(Reason::BackupExists, what).at(name)))
            }
            Err(mut refused) => {
                refused.path = Some(name);
                Err(refused)
            }
        }
    }

    /// Gives unused space back: the file is written anew beside itself and takes its own place. For the
    /// writer. Bytes before and after.
    pub(super) fn compact(&self) -> Answer<(u64, u64)> {
        if self.gone.load(Ordering::Acquire) {
            return Err(closed());
        }
        self.mend()?;
        let old = self.engine();
        let before = old.bytes();
        let only_ours = old.read(is_only_ours).map_err(|failed| self.named(failed.refused))?;
        let place = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let (place, compacted) = match place {
            Some(file) if only_ours && file.is_replaceable() => self.rewrite(&old, file, before),
            place => (place, old.compact()),
        };
        *self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = place;
        // Before anybody is told: reads go on, and the name of the new file is on the disk.
        let broken = self.engine().is_broken();
        let mended = self.mend();
        self.degraded.fetch_or(broken || mended.is_err(), Ordering::AcqRel);
        compacted.and(mended).map_err(|refused| self.named(refused))?;
        Ok((before, self.engine().bytes()))
    }

    fn rewrite(&self, old: &Engine, file: OpenFile, before: u64) -> (Option<OpenFile>, Answer<()>) {
        let made = file.successor(|new| {
            let copy = Engine::create(Arc::new(FileDisk(new)), old.sizes, fill)?;
            old.read_long(|from| Ok(copy_all(from, &copy)))??;
            copy.compact()?;
            Ok(copy)
        });
        let (successor, copy) = match made {
            Ok(made) => made,
            Err(refused) => return (Some(file), Err(refused)),
        };
        if copy.bytes() >= before {
            copy.abandon();
            return (Some(file), Ok(()));
        }
        // Whoever finds the new file under the name finds it open, and whoever found the old one does,
        // too, until it is let go.
        let Some(journal) = self.itself.upgrade() else {
            return (Some(file), Ok(()));
        };
        let identity = successor.identity().clone();
        OPEN.add(&journal, identity.clone());
        match successor.succeed() {
            Ok(new) => {
                self.unnamed.store(true, Ordering::Release);
                self.replace_engine(copy).abandon();
                let earlier = file.identity.clone();
                drop(file);
                OPEN.remove(&earlier);
                (Some(new), Ok(()))
            }
            Err(refused) => {
                OPEN.remove(&identity);
                (Some(file), Err(refused))
            }
        }
    }
}

/// Whether all tables are known here: those of a later version must not be lost.
fn is_only_ours(from: &ReadTransaction) -> Worked<bool> {
    let known = [META.name(), FENCE.name(), ROWS.name(), VALUES.name(), RETIRED.name()];
    Ok(from.list_tables()?.all(|table| known.contains(&table.name())))
}

fn copy_all(from: &ReadTransaction, to: &Engine) -> Answer<()> {
    copy_table(from, to, META, |key| key.to_owned(), String::as_str)?;
    copy_table(from, to, FENCE, |key| key.to_vec(), Vec::as_slice)?;
    for table in [ROWS, VALUES, RETIRED] {
        copy_table(from, to, table, |key| key, |key| *key)?;
    }
    // What was not yet on the disk is now.
    Ok(to.write(Durability::Immediate, |_| Ok(((), true)))?)
}

/// Copies a table in the order of its keys, in commits that reach the disk with the last one.
fn copy_table<K: redb::Key + 'static, O>(
    from: &ReadTransaction,
    to: &Engine,
    table: TableDefinition<'static, K, &'static [u8]>,
    own: impl Fn(K::SelfType<'_>) -> O,
    lend: impl for<'a> Fn(&'a O) -> K::SelfType<'a>,
) -> Answer<()> {
    let broke = |error: &dyn std::fmt::Display| {
        Box::new(Refused::new(Reason::JournalIo, format!("The copy failed: {error}")))
    };
    let source = from.open_table(table).map_err(|error| broke(&error))?;
    let mut records = source.iter().map_err(|error| broke(&error))?;
    loop {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while chunk.len() < CHUNK && bytes < CHUNK_BYTES {
            let Some(entry) = records.next() else { break };
            let (key, record) = entry.map_err(|error| broke(&error))?;
            bytes += record.value().len();
            chunk.push((own(key.value()), record.value().to_vec()));
        }
        if chunk.is_empty() {
            return Ok(());
        }
        to.write(Durability::Eventual, |transaction| {
            let mut target = transaction.open_table(table)?;
            for (key, record) in &chunk {
                target.insert(lend(key), record.as_slice())?;
            }
            Ok(((), true))
        })?;
    }
}
