//! The rows of a journal in memory: what reads are answered from and calls are decided by.
//!
//! A book is a value. Its parts are shared with its copies, so that a copy costs nothing much: the
//! writer changes a copy, commits the same changes to the file, and only then shows the copy to
//! readers. What was not committed was never seen.

use std::sync::Arc;

use imbl::{HashMap, OrdMap, Vector};

use super::row::Row;
use crate::operations::contract::State;

/// The rows of one scope.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    rows: OrdMap<u64, Arc<Row>>,
    ids: HashMap<Arc<str>, u64>,
    /// In order of reservation.
    waiting: Vector<u64>,
    /// What may be pruned, in order of ending.
    ended: OrdMap<u64, u64>,
    counts: [u64; State::ALL.len()],
}

impl Shelf {
    /// The row of an id, with its number.
    pub fn find(&self, id: &str) -> Option<(u64, &Arc<Row>)> {
        let number = *self.ids.get(id)?;
        Some((number, self.rows.get(&number)?))
    }

    /// Rows with numbers below one, newest first.
    pub fn below(&self, number: u64) -> impl Iterator<Item = (&u64, &Arc<Row>)> {
        self.rows.range(..number).rev()
    }

    /// All rows, oldest first.
    pub fn rows(&self) -> impl Iterator<Item = (&u64, &Arc<Row>)> {
        self.rows.iter()
    }

    /// Rows in a state.
    pub fn count(&self, state: State) -> u64 {
        self.counts[state as usize]
    }

    /// Rows that wait in the journal's queue.
    pub fn waiting(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Of the row that waits longest.
    pub fn first_waiting(&self) -> Option<&Arc<Row>> {
        self.rows.get(self.waiting.front()?)
    }

    /// How many wait ahead of a row that waits.
    pub fn position(&self, number: u64) -> Option<u64> {
        self.waiting.binary_search(&number).ok().map(|place| place as u64)
    }

    /// The row that ended longest ago, if more than so many have.
    pub fn to_prune(&self, retain: u64) -> Option<u64> {
        let (_, number) = self.ended.get_min().filter(|_| self.ended.len() as u64 > retain)?;
        Some(*number)
    }

    fn enter(&mut self, number: u64, row: &Arc<Row>) {
        self.counts[row.state as usize] += 1;
        if row.is_waiting() {
            match self.waiting.binary_search(&number) {
                Ok(_) => {}
                Err(place) if place == self.waiting.len() => self.waiting.push_back(number),
                Err(place) => self.waiting.insert(place, number),
            }
        }
        if let Some(order) = row.ended.filter(|_| row.is_prunable()) {
            self.ended.insert(order, number);
        }
    }

    fn leave(&mut self, number: u64, row: &Row) {
        self.counts[row.state as usize] -= 1;
        if row.is_waiting()
            && let Ok(place) = self.waiting.binary_search(&number)
        {
            if place == 0 {
                self.waiting.pop_front();
            } else {
                self.waiting.remove(place);
            }
        }
        if let Some(order) = row.ended {
            self.ended.remove(&order);
        }
    }
}

/// The pairs that left the history and were not yet struck.
#[derive(Clone, Debug, Default)]
pub struct Retired {
    pairs: OrdMap<u64, (Arc<str>, Arc<str>)>,
    numbers: HashMap<(Arc<str>, Arc<str>), u64>,
}

impl Retired {
    /// A pair has left. Returns the number that an earlier entry of it had.
    pub fn add(&mut self, number: u64, scope: Arc<str>, id: Arc<str>) -> Option<u64> {
        let earlier = self.numbers.insert((Arc::clone(&scope), Arc::clone(&id)), number);
        if let Some(earlier) = earlier {
            self.pairs.remove(&earlier);
        }
        self.pairs.insert(number, (scope, id));
        earlier
    }

    /// Strikes the pair, if it is there. Returns its number.
    pub fn strike(&mut self, scope: &Arc<str>, id: &Arc<str>) -> Option<u64> {
        if self.numbers.is_empty() {
            return None;
        }
        let number = self.numbers.remove(&(Arc::clone(scope), Arc::clone(id)))?;
        self.pairs.remove(&number);
        Some(number)
    }

    /// The oldest pair.
    pub fn first(&self) -> Option<(u64, &(Arc<str>, Arc<str>))> {
        self.pairs.get_min().map(|(number, pair)| (*number, pair))
    }

    /// In order of leaving.
    pub fn iter(&self) -> impl Iterator<Item = (&u64, &(Arc<str>, Arc<str>))> {
        self.pairs.iter()
    }
}

/// The numbers that are given next. None is ever given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Of the next row.
    pub row: u64,
    /// Of the next row to end.
    pub ended: u64,
    /// Of the next value that is kept apart.
    pub value: u64,
    /// Of the next pair to leave.
    pub retired: u64,
}

impl Counters {
    /// None of them below its counterpart.
    #[must_use]
    pub fn at_least(self, other: Self) -> Self {
        Self {
            row: self.row.max(other.row),
            ended: self.ended.max(other.ended),
            value: self.value.max(other.value),
            retired: self.retired.max(other.retired),
        }
    }
}

impl Default for Counters {
    fn default() -> Self {
        Self { row: 1, ended: 1, value: 1, retired: 1 }
    }
}

/// All scopes.
#[derive(Clone, Debug, Default)]
pub struct Book {
    shelves: HashMap<Arc<str>, Shelf>,
    /// Pairs for `drainRetired`.
    pub retired: Retired,
    /// Who was handed pairs last, and the number of the last of them: struck by the next call.
    pub handed: Option<(u64, u64)>,
    /// Entries of the fence.
    pub fence: u64,
    /// What is given next.
    pub counters: Counters,
}

impl Book {
    /// The rows of a scope.
    pub fn shelf(&self, scope: &str) -> Option<&Shelf> {
        self.shelves.get(scope)
    }

    /// Every scope that has rows.
    pub fn shelves(&self) -> impl Iterator<Item = (&Arc<str>, &Shelf)> {
        self.shelves.iter()
    }

    /// The row of an operation, with its number.
    pub fn find(&self, scope: &str, id: &str) -> Option<(u64, &Arc<Row>)> {
        self.shelf(scope)?.find(id)
    }

    /// Puts a row where its number says, in place of the one that was there.
    pub fn put(&mut self, number: u64, row: Arc<Row>) {
        let shelf = self.shelves.entry(Arc::clone(&row.scope)).or_default();
        let earlier = shelf.rows.insert(number, Arc::clone(&row));
        if let Some(earlier) = earlier {
            shelf.leave(number, &earlier);
        } else {
            shelf.ids.insert(Arc::clone(&row.operation_id), number);
        }
        shelf.enter(number, &row);
    }

    /// Takes a row out.
    pub fn take(&mut self, scope: &str, number: u64) -> Option<Arc<Row>> {
        let shelf = self.shelves.get_mut(scope)?;
        let row = shelf.rows.remove(&number)?;
        shelf.leave(number, &row);
        shelf.ids.remove(&*row.operation_id);
        if shelf.rows.is_empty() {
            self.shelves.remove(scope);
        }
        Some(row)
    }
}
