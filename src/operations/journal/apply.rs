//! One call, decided and written: the same change to the book and to the tables.
//!
//! A refusal is found before anything is touched, so that a refused call inside a batch undoes only
//! itself. What fails in the tables fails the whole batch, and the book's copy is thrown away.

use std::sync::Arc;

use super::book::Book;
use super::patch::{Patch, Resolution};
use super::row::{Kept, Row};
use super::tables::{Entry, Tables};
use super::view::{Apart, echoes_input, status};
use crate::error::Reason;
use crate::operations::Bounds;
use crate::operations::contract::{Move, State, Submission, transition};
use crate::refused::{Answer, Refused};
use crate::store::Worked;

/// An operation: its scope and its id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The descriptor it belongs to.
    pub scope: Arc<str>,
    /// The caller's.
    pub id: Arc<str>,
}

impl Key {
    /// Of a scope and an id.
    pub fn new(scope: &str, id: &str) -> Self {
        Self { scope: scope.into(), id: id.into() }
    }

    /// Of a row.
    pub fn of(row: &Row) -> Self {
        Self { scope: Arc::clone(&row.scope), id: Arc::clone(&row.operation_id) }
    }

    pub(super) fn refused(&self, reason: Reason, what: &str) -> Box<Refused> {
        let message = format!("Operation {:?} {what}", self.id);
        Box::new(Refused::new(reason, message).of(&self.scope, &self.id))
    }
}

/// Something that the writer is to do. Times are read before.
#[derive(Clone, Debug)]
pub enum Call {
    /// Creates a row, or returns the one that the id has.
    Reserve {
        /// Of the operation.
        key: Key,
        /// Compared, never interpreted.
        digest: Arc<str>,
        /// JSON text.
        input: String,
        /// When.
        now: u64,
        /// Why a start that the fence does not hold is refused, whatever else there is.
        unless_held: Option<Box<Refused>>,
    },
    /// Records an observation.
    Update {
        /// Of the operation.
        key: Key,
        /// Of its row, where a later operation of the same id is not meant. Whoever knows it is a runner,
        /// and is told no status: reading input and result for it would be for nobody.
        row: Option<u64>,
        /// What to change; its values are judged already.
        patch: Patch,
        /// When.
        now: u64,
    },
    /// Records a cancel intent.
    RequestCancel {
        /// Of the operation.
        key: Key,
    },
    /// Cancels a waiting operation, and records the intent for one that was sent.
    Cancel {
        /// Of the operation.
        key: Key,
        /// When.
        now: u64,
    },
    /// A person's decision on an interrupted row.
    Resolve {
        /// Of the operation.
        key: Key,
        /// Its values are judged already.
        resolution: Resolution,
        /// When.
        now: u64,
    },
    /// Takes ended operations off the fence.
    Forget {
        /// Of these operations.
        scope: Arc<str>,
        /// Those that ended before.
        before: u64,
    },
    /// Hands out the pairs that left the history.
    Drain {
        /// To whom.
        holder: u64,
    },
    /// Strikes the pairs that were handed to one who goes.
    Release {
        /// Who goes.
        holder: u64,
    },
    /// Takes a waiting row for submission, or cancels it if that is asked for: one step, so that neither
    /// overtakes the other.
    Begin {
        /// Of the operation.
        key: Key,
        /// When.
        now: u64,
    },
    /// Interrupts what was sent without a reference, before a runner starts.
    Reconcile {
        /// Of these rows.
        scope: Arc<str>,
        /// When.
        now: u64,
    },
    /// What is known of a row may be out of date.
    Stale {
        /// Of the operation.
        key: Key,
        /// Of its row.
        row: u64,
    },
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Of a reserve: whether it created the row, and the row's status as JSON text.
    Reserved(bool, String),
    /// The row's status as JSON text.
    Status(String),
    /// Of a cancel intent: whether it was recorded, and the row's status as JSON text.
    Intent(bool, String),
    /// How many.
    Count(u64),
    /// Scope and id, in order of leaving.
    Pairs(Vec<(Arc<str>, Arc<str>)>),
    /// Of a begin: the number of the row and the input to submit, as JSON text.
    Begun(u64, String),
    /// Nothing was begun: the row does not wait any more, or was cancelled.
    NotBegun,
    /// It is done.
    Done,
}

/// A batch in the making.
pub(super) struct Draft<'a, 't> {
    pub(super) book: &'a mut Book,
    pub(super) tables: &'a mut Tables<'t>,
    pub(super) bounds: &'a Bounds,
    /// The file is to be committed.
    pub(super) written: bool,
    /// Rows whose status changed, in order.
    pub(super) changes: Vec<Key>,
    /// Rows of which an intent was recorded.
    pub(super) intents: Vec<Key>,
}

impl<'a, 't> Draft<'a, 't> {
    pub(super) fn new(book: &'a mut Book, tables: &'a mut Tables<'t>, bounds: &'a Bounds) -> Self {
        Self { book, tables, bounds, written: false, changes: Vec::new(), intents: Vec::new() }
    }

    pub(super) fn apply(&mut self, call: &Call) -> Worked<Answer<Reply>> {
        match call {
            Call::Reserve { key, digest, input, now, unless_held } => {
                self.reserve(key, digest, input, *now, unless_held.as_deref())
            }
            Call::Update { key, row, patch, now } => {
                let updated = self.update(key, *row, patch, *now)?;
                if row.is_some() {
                    return Ok(updated.map(|_| Reply::Done));
                }
                self.shown(updated)
            }
            Call::RequestCancel { key } => self.request_cancel(key),
            Call::Cancel { key, now } => self.cancel(key, *now),
            Call::Resolve { key, resolution, now } => {
                match self.found(key, None) {
                    Ok((_, row)) if row.state != State::Interrupted => {
                        let what = format!("is {}, not interrupted", row.state.as_str());
                        return Ok(Err(key.refused(Reason::OperationTransition, &what)));
                    }
                    _ => {}
                }
                let updated = self.update(key, None, &resolution.clone().into_patch(), *now)?;
                self.shown(updated)
            }
            Call::Forget { scope, before } => self.forget(scope, *before),
            Call::Drain { holder } => self.drain(*holder),
            Call::Release { holder } => {
                if self.book.handed.is_some_and(|(to, _)| to == *holder) {
                    self.strike_handed()?;
                }
                Ok(Ok(Reply::Done))
            }
            Call::Begin { key, now } => self.begin(key, *now),
            Call::Reconcile { scope, now } => self.reconcile(scope, *now),
            Call::Stale { key, row } => Ok(self.stale(key, *row)),
        }
    }

    /// A row that has not ended.
    fn found(&self, key: &Key, row: Option<u64>) -> Answer<(u64, Arc<Row>)> {
        let found = self.book.find(&key.scope, &key.id);
        match found.filter(|(number, _)| row.is_none_or(|row| row == *number)) {
            None => Err(key.refused(Reason::OperationUnknown, "is not in the history")),
            Some((_, found)) if found.state.is_terminal() => {
                Err(key.refused(Reason::OperationTerminal, "has ended"))
            }
            Some((number, found)) => Ok((number, Arc::clone(found))),
        }
    }

    fn reserve(
        &mut self,
        key: &Key,
        digest: &Arc<str>,
        input: &str,
        now: u64,
        unless_held: Option<&Refused>,
    ) -> Worked<Answer<Reply>> {
        let row =
            self.book.find(&key.scope, &key.id).map(|(number, row)| (number, Arc::clone(row)));
        let entry = self.tables.entry(&key.scope, &key.id)?;
        if entry.is_some() || row.is_some() {
            let reserved = row.as_ref().map(|(_, row)| Arc::clone(&row.digest));
            let reserved = reserved.or_else(|| entry.flatten().and_then(|entry| entry.digest));
            if reserved.is_some_and(|reserved| reserved != *digest) {
                let what = "is reserved under another digest";
                return Ok(Err(key.refused(Reason::OperationConflict, what)));
            }
            return match row {
                Some((number, row)) => Ok(Ok(Reply::Reserved(false, self.show(number, &row)?))),
                None => {
                    let what = "is reserved, and has left the history";
                    Ok(Err(key.refused(Reason::OperationRetired, what)))
                }
            };
        }
        if let Err(refused) = self.admits(key, input.len() as u64, unless_held) {
            return Ok(Err(refused));
        }
        let number = self.book.counters.row;
        self.book.counters.row += 1;
        let input_kept = self.keep(input)?;
        let row = Row {
            scope: Arc::clone(&key.scope),
            operation_id: Arc::clone(&key.id),
            digest: Arc::clone(digest),
            state: State::Queued,
            submission: Submission::Pending,
            progress: None,
            stage: None,
            error: None,
            reference: None,
            cancel: false,
            submitted_at: now,
            updated_at: now,
            started_at: None,
            ended: None,
            input: input_kept,
            result: None,
            stale: false,
        };
        let entry = Entry { row: number, digest: None, gone: None };
        self.tables.put_entry(&key.scope, &key.id, &entry)?;
        if let Some(earlier) = self.book.retired.strike(&key.scope, &key.id) {
            self.tables.take_pair(earlier)?;
        }
        self.book.fence += 1;
        let row = self.put(number, row)?;
        let position = self.position(number, &row);
        let apart =
            Apart { input: echoes_input(&row, self.bounds).then(|| input.into()), result: None };
        Ok(Ok(Reply::Reserved(true, status(&row, position, &apart))))
    }

    fn admits(&self, key: &Key, bytes: u64, unless_held: Option<&Refused>) -> Answer<()> {
        if let Some(refused) = unless_held {
            return Err(Box::new(refused.clone()));
        }
        let full = |reason, what: &str, limit, actual| {
            let mut refused = key.refused(reason, what);
            (refused.limit, refused.actual) = (Some(limit), Some(actual));
            refused
        };
        if bytes > self.bounds.input_bytes {
            let what = "has an input that is too large";
            let refused = full(Reason::InputRefused, what, self.bounds.input_bytes, bytes);
            return Err(Box::new(refused.at("")));
        }
        let waiting = self.book.shelf(&key.scope).map_or(0, super::book::Shelf::waiting);
        if waiting >= self.bounds.max_queued {
            let what = "finds the queue of its scope full";
            return Err(full(Reason::QueueFull, what, self.bounds.max_queued, waiting));
        }
        if self.book.fence >= self.bounds.max_reservations {
            let what = "finds the fence full";
            let (limit, actual) = (self.bounds.max_reservations, self.book.fence);
            return Err(full(Reason::FenceFull, what, limit, actual));
        }
        Ok(())
    }

    fn update(
        &mut self,
        key: &Key,
        row: Option<u64>,
        patch: &Patch,
        now: u64,
    ) -> Worked<Answer<(u64, Arc<Row>)>> {
        let (number, row) = match self.found(key, row) {
            Ok(found) => found,
            Err(refused) => return Ok(Err(refused)),
        };
        let asked = Move {
            state: patch.state,
            submission: patch.submission,
            reference: patch.reference.as_deref(),
        };
        let Some(place) = transition(&row.place(), &asked) else {
            let what = "cannot go there from where it is";
            return Ok(Err(key.refused(Reason::OperationTransition, what)));
        };
        let mut next = Row::clone(&row);
        next.state = place.state;
        next.submission = place.submission;
        next.reference = match (&row.reference, place.reference) {
            (None, Some(reference)) => Some(reference.into()),
            (kept, _) => kept.clone(),
        };
        next.updated_at = row.updated_at.max(now);
        next.stale = false;
        if let Some(progress) = patch.progress {
            next.progress = progress;
        }
        if let Some(stage) = &patch.stage {
            next.stage = stage.as_deref().map(Into::into);
        }
        if let Some(error) = &patch.error {
            next.error = error.as_deref().map(Into::into);
        }
        if let Some(result) = &patch.result {
            if let Some(earlier) = next.result.take() {
                self.tables.take_value(earlier)?;
            }
            next.result = result.as_deref().map(|text| self.keep(text)).transpose()?;
        }
        if next.state == State::Running && next.started_at.is_none() {
            next.started_at = Some(next.updated_at);
        }
        if next.state.is_terminal() {
            next.cancel = false;
            next.ended = Some(self.book.counters.ended);
            self.book.counters.ended += 1;
        }
        let next = self.put(number, next)?;
        if next.is_prunable() {
            self.prune(&key.scope, u64::MAX)?;
        }
        Ok(Ok((number, next)))
    }

    /// Rows over the bound leave the history, those that ended longest ago first, up to so many at once.
    /// Returns how many left.
    pub(super) fn prune(&mut self, scope: &Arc<str>, at_most: u64) -> Worked<u64> {
        let mut pruned = 0;
        while pruned < at_most
            && let Some(number) =
                self.book.shelf(scope).and_then(|shelf| shelf.to_prune(self.bounds.retain))
            && let Some(row) = self.book.take(scope, number)
        {
            self.tables.take_row(number, &row)?;
            let entry = Entry {
                row: number,
                digest: Some(Arc::clone(&row.digest)),
                gone: row.finished_at(),
            };
            self.tables.put_entry(scope, &row.operation_id, &entry)?;
            self.retire(scope, &row.operation_id)?;
            pruned += 1;
            self.written = true;
        }
        Ok(pruned)
    }

    fn retire(&mut self, scope: &Arc<str>, id: &Arc<str>) -> Worked<()> {
        let number = self.book.counters.retired;
        self.book.counters.retired += 1;
        self.tables.put_pair(number, scope, id)?;
        if let Some(earlier) = self.book.retired.add(number, Arc::clone(scope), Arc::clone(id)) {
            self.tables.take_pair(earlier)?;
        }
        Ok(())
    }

    fn request_cancel(&mut self, key: &Key) -> Worked<Answer<Reply>> {
        let Some((number, row)) = self.book.find(&key.scope, &key.id) else {
            return Ok(Err(key.refused(Reason::OperationUnknown, "is not in the history")));
        };
        let row = Arc::clone(row);
        if row.state.is_terminal() {
            return Ok(Ok(Reply::Intent(false, self.show(number, &row)?)));
        }
        if !row.cancel {
            let next = Row { cancel: true, ..Row::clone(&row) };
            self.tables.put_row(number, &next)?;
            self.book.put(number, Arc::new(next));
            self.written = true;
            self.intents.push(key.clone());
        }
        Ok(Ok(Reply::Intent(true, self.show(number, &row)?)))
    }

    fn cancel(&mut self, key: &Key, now: u64) -> Worked<Answer<Reply>> {
        let waits = self.book.find(&key.scope, &key.id).is_some_and(|(_, row)| row.is_waiting());
        if waits {
            let patch = Patch { state: Some(State::Cancelled), ..Patch::default() };
            let updated = self.update(key, None, &patch, now)?;
            return self.shown(updated);
        }
        let intent = self.request_cancel(key)?;
        Ok(intent.map(|reply| match reply {
            Reply::Intent(_, status) => Reply::Status(status),
            other => other,
        }))
    }

    fn forget(&mut self, scope: &Arc<str>, before: u64) -> Worked<Answer<Reply>> {
        let ended: Vec<(u64, Arc<Row>)> = self.book.shelf(scope).map_or_else(Vec::new, |shelf| {
            let ended =
                shelf.rows().filter(|(_, row)| row.finished_at().is_some_and(|at| at < before));
            ended.map(|(number, row)| (*number, Arc::clone(row))).collect()
        });
        let gone = self.tables.gone_before(scope, before)?;
        let count = (ended.len() + gone.len()) as u64;
        for id in gone {
            self.tables.take_entry(scope, &id)?;
        }
        // In order of ending, as they would have been pruned.
        let mut ended = ended;
        ended.sort_by_key(|(_, row)| row.ended);
        for (number, row) in ended {
            self.book.take(scope, number);
            self.tables.take_row(number, &row)?;
            self.tables.take_entry(scope, &row.operation_id)?;
            self.retire(scope, &row.operation_id)?;
        }
        self.book.fence = self.book.fence.saturating_sub(count);
        self.written |= count > 0;
        Ok(Ok(Reply::Count(count)))
    }

    fn drain(&mut self, holder: u64) -> Worked<Answer<Reply>> {
        self.strike_handed()?;
        let pairs: Vec<_> = self.book.retired.iter().map(|(_, pair)| pair.clone()).collect();
        let last = self.book.retired.iter().last().map(|(number, _)| *number);
        self.book.handed = last.map(|last| (holder, last));
        Ok(Ok(Reply::Pairs(pairs)))
    }

    fn strike_handed(&mut self) -> Worked<()> {
        let Some((_, last)) = self.book.handed.take() else {
            return Ok(());
        };
        while let Some((number, (scope, id))) = self.book.retired.first()
            && number <= last
        {
            let (scope, id) = (Arc::clone(scope), Arc::clone(id));
            self.book.retired.strike(&scope, &id);
            self.tables.take_pair(number)?;
            self.written = true;
        }
        Ok(())
    }

    fn begin(&mut self, key: &Key, now: u64) -> Worked<Answer<Reply>> {
        let Some((number, row)) = self.book.find(&key.scope, &key.id) else {
            return Ok(Ok(Reply::NotBegun));
        };
        if !row.is_waiting() {
            return Ok(Ok(Reply::NotBegun));
        }
        let (cancelled, kept) = (row.cancel, row.input);
        // A waiting row whose input cannot be read is never sent: it ends here, and stops no other.
        let input = if cancelled { None } else { self.tables.value(kept)? };
        let patch = match (&input, cancelled) {
            (Some(_), _) => Patch {
                state: Some(State::Running),
                submission: Some(Submission::Uncertain),
                ..Patch::default()
            },
            (None, true) => Patch { state: Some(State::Cancelled), ..Patch::default() },
            (None, false) => Patch {
                state: Some(State::Failed),
                error: Some(Some("the recorded input cannot be read".to_owned())),
                ..Patch::default()
            },
        };
        let updated = self.update(key, Some(number), &patch, now)?;
        Ok(updated.map(|_| input.map_or(Reply::NotBegun, |input| Reply::Begun(number, input))))
    }

    fn reconcile(&mut self, scope: &Arc<str>, now: u64) -> Worked<Answer<Reply>> {
        let left: Vec<Key> = self.book.shelf(scope).map_or_else(Vec::new, |shelf| {
            let left = shelf.rows().filter(|(_, row)| row.is_orphaned() && row.reference.is_none());
            left.map(|(_, row)| Key::of(row)).collect()
        });
        let count = left.len() as u64;
        for key in left {
            let patch = Patch { state: Some(State::Interrupted), ..Patch::default() };
            if let Err(refused) = self.update(&key, None, &patch, now)? {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(Reply::Count(count)))
    }

    fn stale(&mut self, key: &Key, row: u64) -> Answer<Reply> {
        let (number, row) = self.found(key, Some(row))?;
        if !row.stale && !row.is_waiting() {
            self.book.put(number, Arc::new(Row { stale: true, ..Row::clone(&row) }));
            self.changes.push(key.clone());
        }
        Ok(Reply::Done)
    }

    /// Puts a changed row into book and file.
    pub(super) fn put(&mut self, number: u64, row: Row) -> Worked<Arc<Row>> {
        self.tables.put_row(number, &row)?;
        let row = Arc::new(row);
        self.book.put(number, Arc::clone(&row));
        self.changes.push(Key::of(&row));
        self.written = true;
        Ok(row)
    }

    fn keep(&mut self, text: &str) -> Worked<Kept> {
        let kept = Kept { key: self.book.counters.value, bytes: text.len() as u64 };
        self.book.counters.value += 1;
        self.tables.put_value(kept, text)?;
        Ok(kept)
    }

    fn position(&self, number: u64, row: &Row) -> Option<u64> {
        let shelf = self.book.shelf(&row.scope)?;
        row.is_waiting().then(|| shelf.position(number)).flatten()
    }

    fn show(&self, number: u64, row: &Row) -> Worked<String> {
        let read = |kept: Option<Kept>| -> Worked<Option<Arc<str>>> {
            match kept {
                Some(kept) => Ok(self.tables.value(kept)?.map(Arc::from)),
                None => Ok(None),
            }
        };
        let apart = Apart {
            input: read(echoes_input(row, self.bounds).then_some(row.input))?,
            result: read(row.result)?,
        };
        Ok(status(row, self.position(number, row), &apart))
    }

    fn shown(&self, updated: Answer<(u64, Arc<Row>)>) -> Worked<Answer<Reply>> {
        match updated {
            Ok((number, row)) => Ok(Ok(Reply::Status(self.show(number, &row)?))),
            Err(refused) => Ok(Err(refused)),
        }
    }
}
