//! What is read of a journal, and what it says of itself.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::journal::Journal;
use super::row::{Kept, Row};
use super::tables::{VALUES, read_value};
use super::view::{Apart, echoes_input, page, status};
use crate::operations::contract::State;
use crate::refused::Answer;
use crate::store::{Durability, Worked};

/// How many rows of a scope are in which state.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ScopeCounts {
    scope: Arc<str>,
    queued: u64,
    running: u64,
    succeeded: u64,
    failed: u64,
    cancelled: u64,
    interrupted: u64,
}

/// Entries of the fence, and how many more it takes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct FenceStats {
    used: u64,
    free: u64,
}

/// What a journal says of itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    scopes: Vec<ScopeCounts>,
    fence: FenceStats,
    file_bytes: u64,
    /// Since it was opened.
    pub commits: u64,
    /// Since it was opened.
    pub fsyncs: u64,
    largest_batch: u64,
    health: &'static str,
}

impl Journal {
    /// Reads values that are kept apart. None where one cannot be read or is gone.
    fn values(&self, wanted: [Option<Kept>; 2]) -> Answer<[Option<Arc<str>>; 2]> {
        // What is committed without the disk may be undone, and its keys given to others.
        let lasting = self.durability == Durability::Immediate;
        let recent = |kept: &Option<Kept>| {
            kept.filter(|_| lasting).and_then(|kept| self.recent.get(kept.key))
        };
        let known = wanted.each_ref().map(recent);
        let missing = [0, 1].map(|place| wanted[place].filter(|_| known[place].is_none()));
        if missing == [None, None] {
            return Ok(known);
        }
        let read = self.engine().read(|transaction| {
            let table = transaction.open_table(VALUES)?;
            let one = |kept: Option<Kept>| -> Worked<Option<Arc<str>>> {
                let Some(kept) = kept else { return Ok(None) };
                let found = table.get(kept.key)?;
                Ok(found.and_then(|found| read_value(kept.key, found.value())).map(Arc::from))
            };
            let [first, second] = missing;
            Ok([one(first)?, one(second)?])
        });
        let read = read.map_err(|failed| self.named(failed.refused))?;
        for (kept, text) in missing.iter().zip(&read) {
            if let (Some(kept), Some(text), true) = (kept, text, lasting) {
                self.recent.keep(kept.key, text);
            }
        }
        let [first, second] = read;
        let [known_first, known_second] = known;
        Ok([known_first.or(first), known_second.or(second)])
    }

    /// The status of an operation as JSON text.
    pub fn status(&self, scope: &str, id: &str) -> Answer<Option<String>> {
        Ok(self.status_of(scope, id)?.map(|(status, _)| status))
    }

    /// The same, with the number of the book that it is from.
    pub(super) fn status_of(&self, scope: &str, id: &str) -> Answer<Option<(String, u64)>> {
        loop {
            let book = self.book();
            let Some((number, row)) = book.find(scope, id) else {
                return Ok(None);
            };
            let wanted = [echoes_input(row, &self.bounds).then_some(row.input), row.result];
            let [input, result] = self.values(wanted)?;
            let missed = (wanted[0].is_some() && input.is_none())
                || (wanted[1].is_some() && result.is_none());
            if missed && self.has_moved_on(scope, id, row) {
                continue;
            }
            let position = row.is_waiting().then(|| book.shelf(scope)?.position(number)).flatten();
            let status = status(row, position, &Apart { input, result });
            return Ok(Some((status, book.generation)));
        }
    }

    // A value that is not where the row says may have gone with a commit whose rows are about to be
    // shown, or were just now. Otherwise it is damaged.
    fn has_moved_on(&self, scope: &str, id: &str, row: &Arc<Row>) -> bool {
        drop(self.showing());
        self.book().find(scope, id).is_none_or(|(_, now)| !Arc::ptr_eq(now, row))
    }

    /// The recorded input as JSON text.
    pub fn payload(&self, scope: &str, id: &str) -> Answer<Option<String>> {
        let kept = self.book().find(scope, id).map(|(_, row)| row.input);
        let [input, _] = self.values([kept, None])?;
        Ok(input.map(|input| input.as_ref().to_owned()))
    }

    /// When the operation first moved to running.
    pub fn started_at(&self, scope: &str, id: &str) -> Option<u64> {
        self.book().find(scope, id).and_then(|(_, row)| row.started_at)
    }

    /// Whether a cancel intent is recorded for a row that has not ended.
    pub fn cancel_requested(&self, scope: &str, id: &str) -> bool {
        self.book().find(scope, id).is_some_and(|(_, row)| row.cancel)
    }

    /// One page of a scope as JSON text.
    pub fn page(&self, scope: &str, offset: u64, state: Option<State>) -> String {
        page(&self.book(), scope, offset, state, &self.bounds)
    }

    /// The waiting row reserved first.
    pub fn next_queued(&self, scope: &str) -> Option<Arc<str>> {
        self.book().shelf(scope)?.first_waiting().map(|row| Arc::clone(&row.operation_id))
    }

    /// Interrupted rows with a reference, oldest first.
    pub fn interrupted_accepted(&self, scope: &str) -> Vec<(Arc<str>, Arc<str>)> {
        let book = self.book();
        let rows = book.shelf(scope).into_iter().flat_map(|shelf| shelf.rows());
        rows.filter(|(_, row)| row.state == State::Interrupted)
            .filter_map(|(_, row)| Some((Arc::clone(&row.operation_id), row.reference.clone()?)))
            .collect()
    }

    /// What it says of itself.
    pub fn stats(&self) -> Stats {
        let book = self.book();
        let scopes = book.shelves().map(|(scope, shelf)| ScopeCounts {
            scope: Arc::clone(scope),
            queued: shelf.count(State::Queued),
            running: shelf.count(State::Running),
            succeeded: shelf.count(State::Succeeded),
            failed: shelf.count(State::Failed),
            cancelled: shelf.count(State::Cancelled),
            interrupted: shelf.count(State::Interrupted),
        });
        let engine = self.engine();
        Stats {
            scopes: scopes.collect(),
            fence: FenceStats {
                used: book.fence,
                free: self.bounds.max_reservations.saturating_sub(book.fence),
            },
            file_bytes: if self.path.is_some() { engine.bytes() } else { 0 },
            commits: self.commits.load(Ordering::Relaxed),
            fsyncs: self.syncs_before.load(Ordering::Relaxed) + engine.syncs(),
            largest_batch: self.largest_batch.load(Ordering::Relaxed),
            health: if self.degraded.load(Ordering::Acquire) { "degraded" } else { "ok" },
        }
    }
}
