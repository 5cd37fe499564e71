//! The rows of a journal in memory: what reads are answered from and calls are decided by.
//!
//! A book is a value. Its parts are shared with its copies, so that a copy costs nothing much: the
//! writer changes a copy, commits the same changes to the file, and only then shows the copy to
//! readers. What was not committed was never seen.

use std::sync::Arc;

use immutable_chunkmap::map::Map;

use super::row::Row;
use crate::operations::contract::State;

/// Entries of a part that are copied when one of them changes.
const PART: usize = 64;

type Shared<K, V> = Map<K, V, PART>;

/// The rows of one scope.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    rows: Shared<u64, Arc<Row>>,
    ids: Shared<Arc<str>, u64>,
    /// In order of reservation.
    waiting: Queue,
    /// What may be pruned, in order of ending.
    ended: Shared<u64, u64>,
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
        self.rows.range::<u64, _>(..number).rev()
    }

    /// All rows, oldest first.
    pub fn rows(&self) -> impl Iterator<Item = (&u64, &Arc<Row>)> {
        self.rows.into_iter()
    }

    /// Rows in a state.
    pub fn count(&self, state: State) -> u64 {
        self.counts[state as usize]
    }

    /// Rows that wait in the journal's queue.
    pub fn waiting(&self) -> u64 {
        self.waiting.length
    }

    /// Of the row that waits longest.
    pub fn first_waiting(&self) -> Option<&Arc<Row>> {
        self.rows.get(&self.waiting.first()?)
    }

    /// How many wait ahead of a row that waits.
    pub fn position(&self, number: u64) -> Option<u64> {
        self.waiting.position(number)
    }

    /// The row that ended longest ago, if more than so many have.
    pub fn to_prune(&self, retain: u64) -> Option<u64> {
        if self.ended.len() as u64 <= retain {
            return None;
        }
        self.ended.into_iter().next().map(|(_, number)| *number)
    }

    fn enter(&mut self, number: u64, row: &Arc<Row>) {
        self.counts[row.state as usize] += 1;
        if row.is_waiting() {
            self.waiting.add(number);
        }
        if let Some(order) = row.ended.filter(|_| row.is_prunable()) {
            self.ended.insert_cow(order, number);
        }
    }

    fn leave(&mut self, number: u64, row: &Row) {
        self.counts[row.state as usize] -= 1;
        if row.is_waiting() {
            self.waiting.remove(number);
        }
        if let Some(order) = row.ended {
            self.ended.remove_cow(&order);
        }
    }
}

/// Numbers in ascending order, of which the place of each is asked for: lists of neighbours, so that
/// a change copies one list and a place is told without counting every number before it.
#[derive(Clone, Debug, Default)]
struct Queue {
    lists: Shared<u64, Arc<Vec<u64>>>,
    length: u64,
}

impl Queue {
    /// Numbers that share their higher bits lie in one list.
    const BITS: u32 = 9;

    fn first(&self) -> Option<u64> {
        self.lists.into_iter().next()?.1.first().copied()
    }

    fn position(&self, number: u64) -> Option<u64> {
        let list = number >> Self::BITS;
        let place = self.lists.get(&list)?.binary_search(&number).ok()?;
        let before = self.lists.range::<u64, _>(..list).map(|(_, list)| list.len());
        Some((before.sum::<usize>() + place) as u64)
    }

    fn add(&mut self, number: u64) {
        let list = self.lists.get_or_insert_cow(number >> Self::BITS, Arc::default);
        if let Err(place) = list.binary_search(&number) {
            Arc::make_mut(list).insert(place, number);
            self.length += 1;
        }
    }

    fn remove(&mut self, number: u64) {
        let key = number >> Self::BITS;
        let Some(list) = self.lists.get_mut_cow(&key) else {
            return;
        };
        let Ok(place) = list.binary_search(&number) else {
            return;
        };
        Arc::make_mut(list).remove(place);
        self.length -= 1;
        if list.is_empty() {
            self.lists.remove_cow(&key);
        }
    }
}

/// The scope and the id of an operation.
pub type Pair = (Arc<str>, Arc<str>);

/// The pairs that left the history and were not yet struck.
#[derive(Clone, Debug, Default)]
pub struct Retired {
    pairs: Shared<u64, Pair>,
    numbers: Shared<Pair, u64>,
}

impl Retired {
    /// A pair has left. Returns the number that an earlier entry of it had.
    pub fn add(&mut self, number: u64, scope: Arc<str>, id: Arc<str>) -> Option<u64> {
        let earlier = self.numbers.insert_cow((Arc::clone(&scope), Arc::clone(&id)), number);
        if let Some(earlier) = earlier {
            self.pairs.remove_cow(&earlier);
        }
        self.pairs.insert_cow(number, (scope, id));
        earlier
    }

    /// Strikes the pair, if it is there. Returns its number.
    pub fn strike(&mut self, scope: &Arc<str>, id: &Arc<str>) -> Option<u64> {
        if self.numbers.len() == 0 {
            return None;
        }
        let number = self.numbers.remove_cow(&(Arc::clone(scope), Arc::clone(id)))?;
        self.pairs.remove_cow(&number);
        Some(number)
    }

    /// The oldest pair.
    pub fn first(&self) -> Option<(u64, &Pair)> {
        self.pairs.into_iter().next().map(|(number, pair)| (*number, pair))
    }

    /// In order of leaving.
    pub fn iter(&self) -> impl Iterator<Item = (&u64, &Pair)> {
        self.pairs.into_iter()
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
    shelves: Shared<Arc<str>, Arc<Shelf>>,
    /// Pairs for `drainRetired`.
    pub retired: Retired,
    /// Who was handed pairs last, and the number of the last of them: struck by the next call.
    pub handed: Option<(u64, u64)>,
    /// How many books were shown before it.
    pub generation: u64,
    /// Entries of the fence.
    pub fence: u64,
    /// What is given next.
    pub counters: Counters,
}

impl Book {
    /// The rows of a scope.
    pub fn shelf(&self, scope: &str) -> Option<&Shelf> {
        self.shelves.get(scope).map(|shelf| &**shelf)
    }

    /// Every scope that has rows.
    pub fn shelves(&self) -> impl Iterator<Item = (&Arc<str>, &Shelf)> {
        self.shelves.into_iter().map(|(scope, shelf)| (scope, &**shelf))
    }

    /// The row of an operation, with its number.
    pub fn find(&self, scope: &str, id: &str) -> Option<(u64, &Arc<Row>)> {
        self.shelf(scope)?.find(id)
    }

    /// Puts a row where its number says, in place of the one that was there.
    pub fn put(&mut self, number: u64, row: Arc<Row>) {
        let shelf = self.shelves.get_or_insert_cow(Arc::clone(&row.scope), Arc::default);
        let shelf = Arc::make_mut(shelf);
        let earlier = shelf.rows.insert_cow(number, Arc::clone(&row));
        if let Some(earlier) = earlier {
            shelf.leave(number, &earlier);
        } else {
            shelf.ids.insert_cow(Arc::clone(&row.operation_id), number);
        }
        shelf.enter(number, &row);
    }

    /// Takes a row out.
    pub fn take(&mut self, scope: &str, number: u64) -> Option<Arc<Row>> {
        let shelf = Arc::make_mut(self.shelves.get_mut_cow(scope)?);
        let row = shelf.rows.remove_cow(&number)?;
        shelf.leave(number, &row);
        shelf.ids.remove_cow(&row.operation_id);
        if shelf.rows.len() == 0 {
            self.shelves.remove_cow(&row.scope);
        }
        Some(row)
    }
}
