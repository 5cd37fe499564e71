//! The tables of the file, and the form of a record. Described byte by byte in docs/journal-format.md.

use std::sync::Arc;

use redb::{ReadTransaction, ReadableTable, Table, TableDefinition, TableError, WriteTransaction};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::book::Counters;
use super::row::{Kept, Row};
use crate::error::Reason;
use crate::refused::{Answer, Refused};
use crate::store::failure::damaged;
use crate::store::{Ordered, Worked};

/// The format of the journal's tables. A reader refuses a higher number.
pub const FORMAT: u32 = 1;

type Bytes = &'static [u8];

pub(super) const META: TableDefinition<'_, &'static str, Bytes> = TableDefinition::new("tenure");
pub(super) const FENCE: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("journal.fence");
pub(super) const ROWS: TableDefinition<'_, u64, Bytes> = TableDefinition::new("journal.rows");
pub(super) const VALUES: TableDefinition<'_, u64, Bytes> = TableDefinition::new("journal.values");
pub(super) const RETIRED: TableDefinition<'_, u64, Bytes> = TableDefinition::new("journal.retired");

const FORMAT_KEY: &str = "journal.format";
const COUNTERS_KEY: &str = "journal.counters";
const CHECKSUM_BYTES: usize = 8;

/// What the fence holds of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Of its row.
    pub row: u64,
    /// As it was reserved; once its row, which has it too, has left the history. Entries lie in the order
    /// of their ids, so that a commit touches many pages of them: they are kept short.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<Arc<str>>,
    /// When it ended; once its row has left the history.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gone: Option<u64>,
}

/// The key of an operation on the fence: bytes of the scope as u16, the scope, the id. All entries of a
/// scope lie side by side.
pub fn fence_key(scope: &str, id: &str) -> Vec<u8> {
    let mut key = scope_prefix(scope);
    key.extend_from_slice(id.as_bytes());
    key
}

/// What the keys of a scope begin with.
pub fn scope_prefix(scope: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(2 + scope.len() + 128);
    key.extend_from_slice(&(scope.len() as u16).to_be_bytes());
    key.extend_from_slice(scope.as_bytes());
    key
}

/// The scope and the id of a key.
pub fn split_key(key: &[u8]) -> Option<(&str, &str)> {
    let (length, rest) = key.split_first_chunk::<2>()?;
    let (scope, id) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
    Some((std::str::from_utf8(scope).ok()?, std::str::from_utf8(id).ok()?))
}

fn checksum(key: &[u8], body: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hash = Xxh3::new();
    hash.update(key);
    hash.update(body);
    hash.digest().to_le_bytes()
}

/// A record: a checksum over its key and its body, and the body.
pub fn sealed(key: &[u8], body: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(CHECKSUM_BYTES + body.len());
    record.extend_from_slice(&checksum(key, body));
    record.extend_from_slice(body);
    record
}

/// The body of a record, if it is what was written under this key.
pub fn unsealed<'a>(key: &[u8], record: &'a [u8]) -> Option<&'a [u8]> {
    let (sum, body) = record.split_first_chunk::<CHECKSUM_BYTES>()?;
    (*sum == checksum(key, body)).then_some(body)
}

fn sealed_json<T: Serialize>(key: &[u8], value: &T) -> Vec<u8> {
    // Of these types nothing can fail: no map with keys that are no strings, no writer that does.
    sealed(key, &serde_json::to_vec(value).unwrap_or_default())
}

fn unsealed_json<'a, T: Deserialize<'a>>(key: &[u8], record: &'a [u8]) -> Option<T> {
    serde_json::from_slice(unsealed(key, record)?).ok()
}

/// A row, read.
pub fn read_row(number: u64, record: &[u8]) -> Option<Row> {
    unsealed_json(&number.to_le_bytes(), record)
}

/// A row, written.
pub fn row_record(number: u64, row: &Row) -> Vec<u8> {
    sealed_json(&number.to_le_bytes(), row)
}

/// An entry of the fence, read.
pub fn read_entry(key: &[u8], record: &[u8]) -> Option<Entry> {
    unsealed_json(key, record)
}

/// A pair that left the history, read.
pub fn read_pair(number: u64, record: &[u8]) -> Option<(Arc<str>, Arc<str>)> {
    unsealed_json(&number.to_le_bytes(), record)
}

/// The JSON text of a value that is kept apart, read.
pub fn read_value(key: u64, record: &[u8]) -> Option<String> {
    unsealed(&key.to_le_bytes(), record).and_then(|body| String::from_utf8(body.to_vec()).ok())
}

/// Fills a new file.
pub fn fill(transaction: &WriteTransaction) -> Worked<()> {
    let mut meta = transaction.open_table(META)?;
    meta.insert(FORMAT_KEY, FORMAT.to_le_bytes().as_slice())?;
    meta.insert(COUNTERS_KEY, counters_record(Counters::default()).as_slice())?;
    transaction.open_table(FENCE)?;
    transaction.open_table(ROWS)?;
    transaction.open_table(VALUES)?;
    transaction.open_table(RETIRED)?;
    Ok(())
}

fn counters_record(counters: Counters) -> Vec<u8> {
    let Counters { row, ended, value, retired } = counters;
    let body: Vec<u8> =
        [row, ended, value, retired].iter().flat_map(|number| number.to_le_bytes()).collect();
    sealed(COUNTERS_KEY.as_bytes(), &body)
}

fn read_counters(record: &[u8]) -> Option<Counters> {
    let body = unsealed(COUNTERS_KEY.as_bytes(), record)?;
    let mut numbers =
        body.chunks_exact(8).map(|chunk| chunk.try_into().map(u64::from_le_bytes).ok());
    let mut next = || numbers.next().flatten();
    Some(Counters { row: next()?, ended: next()?, value: next()?, retired: next()? })
}

/// Judges the format of a file, and reads its counters; none if they cannot be read.
pub fn judge(transaction: &ReadTransaction) -> Worked<Answer<Option<Counters>>> {
    let meta = match transaction.open_table(META) {
        Ok(meta) => meta,
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Ok(Err(damaged("it is a database of another program"))),
    };
    let format = meta.get(FORMAT_KEY)?.and_then(|found| found.value().try_into().ok());
    match format.map(u32::from_le_bytes) {
        None | Some(0) => Ok(Err(damaged("it is a database of another program"))),
        Some(found) if found > FORMAT => {
            let message = format!("The journal is of format {found}; this version knows {FORMAT}");
            Ok(Err(Box::new(Refused::new(Reason::JournalVersion, message))))
        }
        Some(_) => Ok(Ok(counters(&meta)?)),
    }
}

/// The counters as they are recorded; none if they cannot be read.
pub fn counters(
    meta: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Worked<Option<Counters>> {
    Ok(meta.get(COUNTERS_KEY)?.and_then(|found| read_counters(found.value())))
}

/// The tables of one write transaction.
pub struct Tables<'t> {
    fence: Table<'t, Bytes, Bytes>,
    rows: Table<'t, u64, Bytes>,
    values: Table<'t, u64, Bytes>,
    retired: Table<'t, u64, Bytes>,
    meta: Table<'t, &'static str, Bytes>,
}

impl<'t> Tables<'t> {
    /// Opens all of them.
    pub fn open(transaction: &'t WriteTransaction) -> Worked<Self> {
        Ok(Self {
            fence: transaction.open_table(FENCE)?,
            rows: transaction.open_table(ROWS)?,
            values: transaction.open_table(VALUES)?,
            retired: transaction.open_table(RETIRED)?,
            meta: transaction.open_table(META)?,
        })
    }

    /// What the fence holds of an operation; an entry that cannot be read still holds it.
    pub fn entry(&self, scope: &str, id: &str) -> Worked<Option<Option<Entry>>> {
        let key = fence_key(scope, id);
        let found = self.fence.get(key.as_slice())?;
        Ok(found.map(|found| read_entry(&key, found.value())))
    }

    /// Puts an operation on the fence.
    pub fn put_entry(&mut self, scope: &str, id: &str, entry: &Entry) -> Worked<()> {
        let key = fence_key(scope, id);
        self.fence.insert(key.as_slice(), sealed_json(&key, entry).as_slice())?;
        Ok(())
    }

    /// Takes an operation off the fence.
    pub fn take_entry(&mut self, scope: &str, id: &str) -> Worked<()> {
        self.fence.remove(fence_key(scope, id).as_slice())?;
        Ok(())
    }

    /// The ids of a scope whose rows left the history before they ended at this time.
    pub fn gone_before(&self, scope: &str, time: u64) -> Worked<Vec<String>> {
        let prefix = scope_prefix(scope);
        let mut ids = Vec::new();
        for entry in Ordered::from(&self.fence, prefix.as_slice())? {
            let (key, record) = entry?;
            let key = key.value();
            if !key.starts_with(&prefix) {
                break;
            }
            let gone = read_entry(key, record.value()).and_then(|entry| entry.gone);
            if gone.is_some_and(|gone| gone < time)
                && let Some((_, id)) = split_key(key)
            {
                ids.push(id.to_owned());
            }
        }
        Ok(ids)
    }

    /// Writes a row.
    pub fn put_row(&mut self, number: u64, row: &Row) -> Worked<()> {
        self.rows.insert(number, row_record(number, row).as_slice())?;
        Ok(())
    }

    /// Deletes a row and what is kept apart for it.
    pub fn take_row(&mut self, number: u64, row: &Row) -> Worked<()> {
        self.rows.remove(number)?;
        self.take_value(row.input)?;
        if let Some(result) = row.result {
            self.take_value(result)?;
        }
        Ok(())
    }

    /// Keeps a value apart.
    pub fn put_value(&mut self, kept: Kept, text: &str) -> Worked<()> {
        self.values
            .insert(kept.key, sealed(&kept.key.to_le_bytes(), text.as_bytes()).as_slice())?;
        Ok(())
    }

    /// A value that is kept apart.
    pub fn value(&self, kept: Kept) -> Worked<Option<String>> {
        let found = self.values.get(kept.key)?;
        Ok(found.and_then(|found| read_value(kept.key, found.value())))
    }

    /// Deletes a value.
    pub fn take_value(&mut self, kept: Kept) -> Worked<()> {
        self.values.remove(kept.key)?;
        Ok(())
    }

    /// Writes down a pair that left the history.
    pub fn put_pair(&mut self, number: u64, scope: &str, id: &str) -> Worked<()> {
        let record = sealed_json(&number.to_le_bytes(), &(scope, id));
        self.retired.insert(number, record.as_slice())?;
        Ok(())
    }

    /// Strikes a pair.
    pub fn take_pair(&mut self, number: u64) -> Worked<()> {
        self.retired.remove(number)?;
        Ok(())
    }

    /// Writes down what is given next.
    pub fn put_counters(&mut self, counters: Counters) -> Worked<()> {
        self.meta.insert(COUNTERS_KEY, counters_record(counters).as_slice())?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
