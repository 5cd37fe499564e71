//! Everything that is recorded, as lines of JSON, while the journal is in use.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashSet;
use redb::ReadTransaction;
use serde::Serialize;
use serde_json::value::RawValue;

use super::book::Counters;
use super::handle::JournalHandle;
use super::journal::Journal;
use super::lines::{Counts, Head, LEFT, Left, Operation, RETIRED as RETIRED_LINE, Retired};
use super::row::Kept;
use super::tables::{
    FENCE, META, RETIRED, ROWS, VALUES, counters, fence_key, read_entry, read_pair, read_row,
    read_value, scope_prefix, split_key,
};
use super::writer::{Job, closed};
use crate::error::Reason;
use crate::refused::{Answer, Refused};
use crate::store::failure::{caught, fault, spoken};
use crate::store::{Ordered, Worked};

/// Bytes that are handed over at once, about.
const CHUNK: usize = 256 << 10;

/// An export that is under way. Let go, it ends.
#[derive(Debug)]
pub struct Export(Mutex<Receiver<Answer<String>>>);

impl Export {
    /// The next lines; none at the end. Waits for a disk.
    pub fn next(&self) -> Answer<Option<String>> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.recv().map_or(Ok(None), |lines| lines.map(Some))
    }
}

impl JournalHandle {
    /// Exports all scopes, or one of them: one state of the journal, what was called before included.
    pub fn export(&self, scope: Option<&str>) -> Answer<Export> {
        let going = self.going();
        let journal = Arc::clone(self.journal()?);
        let scope = scope.map(str::to_owned);
        let (to, from) = sync_channel(1);
        let (begin, begun) = sync_channel::<()>(1);
        // A thread of its own: it waits for whoever reads.
        let worker = std::thread::Builder::new().name("tenure export".to_owned()).spawn({
            let journal = Arc::clone(&journal);
            move || {
                match begun.recv() {
                    Ok(()) => export(&journal, scope.as_deref(), &to),
                    Err(_) => drop(to.send(Err(closed()))),
                }
                drop(going);
            }
        });
        worker.map_err(|error| {
            let refused = Refused::new(Reason::JournalIo, "There is no thread to export with");
            Box::new(refused.because(&error))
        })?;
        journal.post([Job::Work(Box::new(move |_| {
            // It is gone only if its thread is.
            let _ = begin.send(());
        }))]);
        Ok(Export(Mutex::new(from)))
    }
}

fn export(journal: &Journal, scope: Option<&str>, to: &SyncSender<Answer<String>>) {
    let (engine, least) = (journal.engine(), journal.book().counters);
    let written = caught(|| {
        engine.read_long(|from| {
            let mut lines =
                Lines { to, text: String::new(), gone: false, counts: Counts::default() };
            lines.all(from, scope, least)?;
            lines.hand_over();
            Ok(())
        })
    });
    let failed = match written {
        Ok(Ok(())) => return,
        Ok(Err(failed)) => failed,
        Err(payload) => fault(&spoken(payload)),
    };
    drop(to.send(Err(journal.named(failed.refused))));
}

struct Lines<'a> {
    to: &'a SyncSender<Answer<String>>,
    text: String,
    /// Nobody reads any more.
    gone: bool,
    counts: Counts,
}

/// What the rows say of the fence.
#[derive(Default)]
struct Held {
    /// Rows that were written.
    rows: HashSet<u64>,
    /// Keys of rows that were written though their entries cannot be read.
    keys: HashSet<Vec<u8>>,
}

impl Lines<'_> {
    fn line(&mut self, line: &impl Serialize) {
        // Of these types nothing can fail.
        self.text.push_str(&serde_json::to_string(line).unwrap_or_default());
        self.text.push('\n');
        if self.text.len() >= CHUNK {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if !self.text.is_empty() {
            self.gone |= self.to.send(Ok(std::mem::take(&mut self.text))).is_err();
        }
    }

    fn all(&mut self, from: &ReadTransaction, scope: Option<&str>, least: Counters) -> Worked<()> {
        let recorded = counters(&from.open_table(META)?)?;
        self.counts.damaged += u64::from(recorded.is_none());
        self.line(&Head::of(recorded.unwrap_or_default().at_least(least)));
        let held = self.operations(from, scope)?;
        self.left(from, scope, &held)?;
        self.retired(from, scope)?;
        self.line(&self.counts.end());
        Ok(())
    }

    fn operations(&mut self, from: &ReadTransaction, scope: Option<&str>) -> Worked<Held> {
        let (fence, values) = (from.open_table(FENCE)?, from.open_table(VALUES)?);
        let mut held = Held::default();
        for entry in Ordered::all(&from.open_table(ROWS)?)? {
            let (number, record) = entry?;
            let number = number.value();
            // Its id is told by the fence, if anything tells it.
            let Some(row) = read_row(number, record.value()) else { continue };
            if self.gone {
                break;
            }
            if scope.is_some_and(|scope| *scope != *row.scope) {
                continue;
            }
            let key = fence_key(&row.scope, &row.operation_id);
            let entry = fence.get(key.as_slice())?;
            match entry.and_then(|entry| read_entry(&key, entry.value())) {
                Some(entry) if entry.row != number => continue,
                Some(_) => drop(held.rows.insert(number)),
                None => {
                    self.counts.damaged += 1;
                    held.keys.insert(key);
                }
            }
            let read = |kept: Kept| -> Worked<Option<Box<RawValue>>> {
                let found = values.get(kept.key)?;
                let text = found.and_then(|found| read_value(kept.key, found.value()));
                Ok(text.and_then(|text| RawValue::from_string(text).ok()))
            };
            let input = read(row.input)?;
            let result = row.result.map(read).transpose()?;
            let missing = usize::from(input.is_none())
                + usize::from(result.as_ref().is_some_and(Option::is_none));
            self.counts.damaged += missing as u64;
            let result = result.as_ref().map(Option::as_deref);
            self.line(&Operation::of(number, &row, input.as_deref(), result));
            self.counts.operations += 1;
        }
        Ok(held)
    }

    fn left(&mut self, from: &ReadTransaction, scope: Option<&str>, held: &Held) -> Worked<()> {
        let prefix = scope.map(scope_prefix).unwrap_or_default();
        for entry in Ordered::from(&from.open_table(FENCE)?, prefix.as_slice())? {
            let (key, record) = entry?;
            let key = key.value();
            if self.gone || !key.starts_with(&prefix) {
                break;
            }
            let Some((scope, id)) = split_key(key) else {
                self.counts.damaged += 1;
                continue;
            };
            let read = read_entry(key, record.value());
            let row = read.as_ref().map_or(0, |entry| entry.row);
            if held.rows.contains(&row) || held.keys.contains(key) {
                continue;
            }
            let whole = read.and_then(|entry| entry.digest.zip(entry.gone));
            self.counts.damaged += u64::from(whole.is_none());
            let (digest, finished_at) = whole.unzip();
            self.line(&Left {
                kind: LEFT.into(),
                row,
                scope: scope.into(),
                operation_id: id.into(),
                input_digest: digest.as_deref().map(Into::into),
                finished_at,
            });
            self.counts.left += 1;
        }
        Ok(())
    }

    fn retired(&mut self, from: &ReadTransaction, only: Option<&str>) -> Worked<()> {
        for entry in Ordered::all(&from.open_table(RETIRED)?)? {
            let (number, record) = entry?;
            let number = number.value();
            let Some((scope, id)) = read_pair(number, record.value()) else {
                self.counts.damaged += 1;
                continue;
            };
            if only.is_some_and(|only| *only != *scope) {
                continue;
            }
            self.line(&Retired {
                kind: RETIRED_LINE.into(),
                number,
                scope: (*scope).into(),
                operation_id: (*id).into(),
            });
            self.counts.retired += 1;
        }
        Ok(())
    }
}
