//! A journal whose file failed: opened again, its rows read anew, and what changed by that told.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::apply::Key;
use super::journal::Journal;
use super::open::load;
use super::row::Row;
use super::writer::Job;
use crate::operations::runtime::runtime;
use crate::refused::Answer;
use crate::store::Durability;

/// How long an eventual journal keeps commits to itself.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

impl Journal {
    /// Makes sure that the file can be written, and that the rows in memory are those in it. Where it
    /// cannot be written, reads go on with what is in it.
    pub(super) fn mend(&self) -> Answer<()> {
        let engine = self.engine();
        if !engine.is_broken() && !self.doubtful.load(Ordering::Acquire) {
            return self.name();
        }
        let (changes, mended) = {
            let _showing = self.showing();
            let opened = if engine.is_broken() {
                let (anew, opened) = engine.reopen();
                // A commit that failed may have taken effect all the same.
                self.doubtful.fetch_or(anew, Ordering::AcqRel);
                opened
            } else {
                Ok(())
            };
            match self.reload() {
                Ok(changes) => (changes, opened),
                Err(refused) => (Vec::new(), opened.and(Err(refused))),
            }
        };
        self.tell(&changes, &[]);
        mended.map_err(|refused| self.named(refused))?;
        self.name()
    }

    // A commit is worth nothing while the name of its file may be lost.
    fn name(&self) -> Answer<()> {
        if !self.unnamed.load(Ordering::Acquire) {
            return Ok(());
        }
        if let Some(file) = &*self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
            file.sync_name().map_err(|refused| self.named(refused))?;
        }
        self.unnamed.store(false, Ordering::Release);
        Ok(())
    }

    /// Reads the rows anew, if they may not be those in memory. What was known to be up to date still
    /// is. Returns the operations whose rows are not as they were.
    fn reload(&self) -> Answer<Vec<Key>> {
        if !self.doubtful.load(Ordering::Acquire) {
            return Ok(Vec::new());
        }
        self.recent.clear();
        let old = self.book();
        let mut book = self.engine().read(load)??.book;
        let mut changes = Vec::new();
        let found: Vec<(u64, Arc<Row>)> = book
            .shelves()
            .flat_map(|(_, shelf)| shelf.rows())
            .map(|(number, row)| (*number, Arc::clone(row)))
            .collect();
        for (number, row) in found {
            let known = old.find(&row.scope, &row.operation_id);
            let known = known.filter(|(known, _)| *known == number).map(|(_, row)| row);
            // An intent is no observation.
            let unobserved = known.is_some_and(|known| {
                known.stale && **known == Row { cancel: known.cancel, ..Row::clone(&row) }
            });
            let now = Row { stale: row.stale && unobserved, ..Row::clone(&row) };
            match known {
                Some(known) if **known == now => book.put(number, Arc::clone(known)),
                _ => {
                    changes.push(Key::of(&now));
                    book.put(number, Arc::new(now));
                }
            }
        }
        let gone = old.shelves().flat_map(|(_, shelf)| shelf.rows()).filter(|(number, row)| {
            book.find(&row.scope, &row.operation_id).is_none_or(|(found, _)| found != **number)
        });
        changes.extend(gone.map(|(_, row)| Key::of(row)));
        book.handed = old.handed;
        self.show(book);
        self.doubtful.store(false, Ordering::Release);
        Ok(changes)
    }

    /// Commits of an eventual journal reach the disk after a while.
    pub(super) fn flush_later(&self) {
        if self.durability == Durability::Immediate || self.flushing.swap(true, Ordering::AcqRel) {
            return;
        }
        let (Some(runtime), Some(journal)) = (runtime(), self.itself.upgrade()) else {
            self.flushing.store(false, Ordering::Release);
            return;
        };
        runtime.spawn(async move {
            tokio::time::sleep(FLUSH_AFTER).await;
            journal.post([Job::Work(Box::new(Self::flush))]);
        });
    }

    pub(super) fn flush(&self) {
        self.flushing.store(false, Ordering::Release);
        if self.gone.load(Ordering::Acquire) {
            return;
        }
        let flushed = self
            .mend()
            .and_then(|()| Ok(self.engine().write(Durability::Immediate, |_| Ok(((), true)))?));
        self.degraded.store(flushed.is_err(), Ordering::Release);
    }
}
