//! Opening: a file read into a book, and what a life that ended left in it set right.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use redb::{ReadTransaction, ReadableTable, ReadableTableMetadata};

use super::apply::Draft;
use super::book::{Book, Counters};
use super::journal::Journal;
use super::row::Row;
use super::tables::{
    FENCE, RETIRED, ROWS, Tables, VALUES, fill, judge, read_entry, read_pair, read_row,
};
use super::writer::Job;
use crate::error::Reason;
use crate::operations::Bounds;
use crate::operations::contract::State;
use crate::refused::{Answer, Refused};
use crate::store::disk::{FileDisk, MemoryDisk};
use crate::store::failure::damaged;
use crate::store::{
    Disk, Durability, Engine, Failed, Identity, OpenFile, Ordered, Registry, Sizes, Worked,
};

/// Rows that are set right in one commit while a journal is opened.
const STEP: u64 = 1_000;

/// How often a file may be replaced under its name while it is opened.
const PATIENCE: usize = 16;

pub(super) static OPEN: Registry<Identity, Journal> = Registry::new();

/// What a caller asks for; none is what is there already, or the default.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Bounds in force.
    pub bounds: Option<Bounds>,
    /// Of commits.
    pub durability: Option<Durability>,
    /// Nothing is to be written, and nothing set right.
    pub read_only: bool,
}

/// What was read from a file.
#[derive(Clone)]
pub(super) struct Loaded {
    pub(super) book: Book,
    /// The record of the counters could not be read, or falls short of what is there.
    pub(super) miscounted: bool,
}

/// Reads all rows. One that cannot be decoded is skipped: the fence holds its id all the same.
pub(super) fn load(transaction: &ReadTransaction) -> Worked<Answer<Loaded>> {
    let recorded = match judge(transaction)? {
        Ok(counters) => counters,
        Err(refused) => return Ok(Err(refused)),
    };
    let mut book = Book::default();
    let mut counted = Counters::default();
    for entry in Ordered::all(&transaction.open_table(ROWS)?)? {
        let (number, record) = entry?;
        let number = number.value();
        counted.row = counted.row.max(number.saturating_add(1));
        let Some(mut row) = read_row(number, record.value()) else {
            continue;
        };
        row.stale = !row.state.is_terminal() && !row.is_waiting();
        counted.ended = counted.ended.max(row.ended.unwrap_or(0).saturating_add(1));
        if book.find(&row.scope, &row.operation_id).is_none() {
            book.put(number, Arc::new(row));
        }
    }
    for entry in Ordered::all(&transaction.open_table(RETIRED)?)? {
        let (number, record) = entry?;
        let number = number.value();
        counted.retired = counted.retired.max(number.saturating_add(1));
        if let Some((scope, id)) = read_pair(number, record.value()) {
            book.retired.add(number, scope, id);
        }
    }
    let values = transaction.open_table(VALUES)?;
    if let Some((last, _)) = values.last()? {
        counted.value = counted.value.max(last.value().saturating_add(1));
    }
    let fence = transaction.open_table(FENCE)?;
    if recorded.is_none() {
        // Nothing that is there may be given again, not even to rows that have left.
        for entry in Ordered::all(&fence)? {
            let (key, record) = entry?;
            if let Some(entry) = read_entry(key.value(), record.value()) {
                counted.row = counted.row.max(entry.row.saturating_add(1));
            }
        }
    }
    book.counters = counted.at_least(recorded.unwrap_or_default());
    // Where the table's own count cannot be, the page that holds it is damaged: each entry had a row of
    // its own, and each row has an entry.
    let rows = book.shelves().flat_map(|(_, shelf)| shelf.rows()).count() as u64;
    book.fence = fence.len()?;
    if !(rows..book.counters.row).contains(&book.fence) {
        book.fence = 0;
        for entry in Ordered::all(&fence)? {
            entry?;
            book.fence += 1;
        }
    }
    let miscounted = recorded != Some(book.counters);
    Ok(Ok(Loaded { book, miscounted }))
}

/// Opens a file, or joins it if this process has it open, under whatever name. Waits for a disk.
pub fn open(path: &Path, wanted: &Wanted) -> Answer<Arc<Journal>> {
    let name = path.to_string_lossy().into_owned();
    let named = |mut refused: Box<Refused>| {
        refused.path = Some(name.clone());
        refused
    };
    for _ in 0..PATIENCE {
        let found = if wanted.read_only {
            OpenFile::find_to_read(path)
        } else {
            OpenFile::find(path, make)
        };
        let found = found.map_err(named)?;
        let identity = found.identity.clone();
        let mut replaced = false;
        let opened = OPEN.join_or_open(&identity, || {
            let lock = if wanted.read_only { found.lock_shared() } else { found.lock() };
            if !lock? || (found.is_empty() && !wanted.read_only) {
                replaced = true;
                return Err(Box::new(Refused::new(Reason::JournalIo, "The file was replaced")));
            }
            let file = found.file.try_clone().map_err(|error| {
                let refused = Refused::new(Reason::JournalIo, "The file cannot be held");
                Box::new(refused.because(&error))
            })?;
            let disk = (Arc::new(FileDisk(file)) as Arc<dyn Disk>, Sizes::default());
            if wanted.read_only {
                if found.is_empty() {
                    return Err(damaged("there is nothing in it"));
                }
                return begin_to_read(disk, Some(found), name.clone(), wanted);
            }
            found.clear();
            found.sync_name()?;
            begin(disk, Some(found), Some(name.clone()), wanted)
        });
        match opened {
            Err(_) if replaced => {}
            Err(refused) => return Err(named(refused)),
            Ok((journal, true)) => {
                let reads = journal.read_only && !wanted.read_only;
                let other = wanted.bounds.as_ref().is_some_and(|bounds| *bounds != journal.bounds)
                    || wanted.durability.is_some_and(|wanted| wanted != journal.durability);
                if other || reads {
                    // Only the writer's turn lets go of a journal.
                    let leaving = Arc::clone(&journal);
                    journal.post([Job::Work(Box::new(move |_| leaving.leave()))]);
                    let what = if reads {
                        "This process has the journal open to read only"
                    } else {
                        "This process has the journal open with other bounds or durability"
                    };
                    return Err(named(Box::new(Refused::new(Reason::JournalOptions, what))));
                }
                return Ok(journal);
            }
            Ok((journal, false)) => return Ok(journal),
        }
    }
    Err(named(Box::new(Refused::new(Reason::JournalIo, "The file is replaced again and again"))))
}

/// Makes the file that a journal begins with.
pub(super) fn make(file: File) -> Answer<()> {
    Engine::create(Arc::new(FileDisk(file)), Sizes::default(), fill)?.close()
}

/// A journal of its own that nothing outlives.
pub fn in_memory(bounds: Bounds) -> Answer<Arc<Journal>> {
    let engine = Engine::create(Arc::new(MemoryDisk::default()), Sizes::default(), fill)?;
    Ok(Journal::new(engine, Book::default(), None, bounds, Durability::Immediate, None, false))
}

/// A journal on any disk: for tests of what a disk may do.
pub fn on_disk(disk: Arc<dyn Disk>, wanted: &Wanted) -> Answer<Arc<Journal>> {
    on_disk_by(disk, Sizes::default(), wanted)
}

/// As [`on_disk`], with a file of any size treated as by these.
pub fn on_disk_by(disk: Arc<dyn Disk>, sizes: Sizes, wanted: &Wanted) -> Answer<Arc<Journal>> {
    if wanted.read_only {
        return begin_to_read((disk, sizes), None, "disk".to_owned(), wanted);
    }
    if disk.is_empty().unwrap_or(false) {
        Engine::create(Arc::clone(&disk), sizes, fill)?.close()?;
    }
    begin((disk, sizes), None, Some("disk".to_owned()), wanted)
}

fn begin(
    (disk, sizes): (Arc<dyn Disk>, Sizes),
    file: Option<OpenFile>,
    path: Option<String>,
    wanted: &Wanted,
) -> Answer<Arc<Journal>> {
    let bounds = wanted.bounds.clone().unwrap_or_default();
    let durability = wanted.durability.unwrap_or(Durability::Immediate);
    let rehearse =
        |trial: &Engine, loaded: &Loaded| set_right(trial, loaded.clone(), &bounds).map(drop);
    let (engine, loaded) = Engine::open_rehearsed(disk, sizes, load, rehearse)?;
    if let Some(file) = &file {
        file.narrow();
    }
    let book = set_right(&engine, loaded, &bounds)?;
    Ok(Journal::new(engine, book, file, bounds, durability, path, false))
}

/// The rows as they were recorded: what a life that ended left is shown and not set right.
fn begin_to_read(
    (disk, sizes): (Arc<dyn Disk>, Sizes),
    file: Option<OpenFile>,
    path: String,
    wanted: &Wanted,
) -> Answer<Arc<Journal>> {
    let bounds = wanted.bounds.clone().unwrap_or_default();
    let (engine, loaded) = Engine::open_to_read(disk, sizes, load)?;
    let durability = wanted.durability.unwrap_or(Durability::Immediate);
    Ok(Journal::new(engine, loaded.book, file, bounds, durability, Some(path), true))
}

/// Interrupts what nobody watches any more, and prunes what is over the bound, in steps.
fn set_right(engine: &Engine, loaded: Loaded, bounds: &Bounds) -> Result<Book, Failed> {
    let Loaded { mut book, mut miscounted } = loaded;
    loop {
        let mut next = book.clone();
        let changed = engine.write(Durability::Immediate, |transaction| {
            let mut tables = Tables::open(transaction)?;
            let mut draft = Draft::new(&mut next, &mut tables, bounds);
            interrupt(&mut draft)?;
            let scopes: Vec<Arc<str>> =
                draft.book.shelves().map(|(scope, _)| Arc::clone(scope)).collect();
            let mut room = STEP;
            for scope in scopes {
                room -= draft.prune(&scope, room)?;
            }
            let changed = draft.written || miscounted;
            if changed {
                tables.put_counters(next.counters)?;
            }
            Ok((changed, changed))
        })?;
        if !changed {
            return Ok(book);
        }
        (book, miscounted) = (next, false);
    }
}

/// The times of these rows stay: opening observes nothing.
fn interrupt(draft: &mut Draft<'_, '_>) -> Worked<()> {
    let orphans: Vec<(u64, Arc<Row>)> = draft
        .book
        .shelves()
        .flat_map(|(_, shelf)| shelf.rows())
        .filter(|(_, row)| row.is_orphaned())
        .take(STEP as usize)
        .map(|(number, row)| (*number, Arc::clone(row)))
        .collect();
    for (number, row) in orphans {
        let mut next = Row::clone(&row);
        next.state = State::Interrupted;
        next.stale = true;
        draft.put(number, next)?;
    }
    Ok(())
}

impl Journal {
    /// One holder less. The last one closes the file. In the writer's turn, so that nothing else is done
    /// to the file meanwhile.
    pub(super) fn leave(&self) {
        let mut holders = self.holders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        holders.count = holders.count.saturating_sub(1);
        if holders.count > 0 || holders.closing {
            return;
        }
        holders.closing = true;
        drop(holders);
        self.let_go();
    }

    fn let_go(&self) {
        if self.gone.swap(true, std::sync::atomic::Ordering::AcqRel) {
            return;
        }
        // Nobody is left to be told; what could not be written is as after a crash.
        let _ = self.engine().close();
        // First the file, then its lock, then its place among what is open: whoever waits for one of
        // them finds those before it free.
        let file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(file) = file {
            let identity = file.identity.clone();
            drop(file);
            OPEN.remove(&identity);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.let_go();
    }
}
