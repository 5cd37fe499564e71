//! Reading everything, to tell what cannot be read.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use redb::{Key, TableDefinition, TableHandle};
use serde::Serialize;

use super::book::Book;
use super::journal::Journal;
use super::row::Row;
use super::tables::{
    Entry, FENCE, META, RETIRED, ROWS, VALUES, counters, read_entry, read_pair, read_row,
    read_value, split_key,
};
use crate::refused::Answer;
use crate::store::{Failed, Ordered};

/// Records that are read in one transaction: none is held while many are read.
const CHUNK: usize = 1_000;

/// Something that cannot be read, or does not fit the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// None where not even this can be read.
    pub scope: Option<String>,
    /// None where not even this can be read.
    pub operation_id: Option<String>,
    /// For people.
    pub message: String,
}

/// Sets, so that reading a record twice finds it once.
#[derive(Default)]
struct Found {
    damaged_rows: HashSet<u64>,
    damaged_values: HashSet<u64>,
    damaged_pairs: HashSet<u64>,
    damaged_entries: HashSet<Vec<u8>>,
    values: HashSet<u64>,
    /// Rows of the history whose operation the fence holds.
    held: HashSet<u64>,
    /// What the fence holds without a row in the history, by the row that it names.
    unheld: HashMap<u64, (String, String)>,
    damaged_counters: bool,
    /// Tables that cannot be read to their end.
    unreadable: Vec<String>,
}

impl Journal {
    /// Reads every record, in short transactions, while others write. Waits for a disk.
    pub fn verify(&self) -> Answer<Vec<Problem>> {
        let before = self.book();
        let mut found = Found::default();
        let rows = self.walk(ROWS, |number, record| {
            if read_row(number, record).is_none() {
                found.damaged_rows.insert(number);
            }
        });
        let values = self.walk(VALUES, |key, record| {
            match read_value(key, record) {
                Some(_) => found.values.insert(key),
                None => found.damaged_values.insert(key),
            };
        });
        let retired = self.walk(RETIRED, |number, record| {
            if read_pair(number, record).is_none() {
                found.damaged_pairs.insert(number);
            }
        });
        let fence =
            self.walk(FENCE, |key, record| match (split_key(key), read_entry(key, record)) {
                (Some((scope, id)), Some(Entry { row, gone: None, .. })) => {
                    if before.find(scope, id).is_some_and(|(number, _)| number == row) {
                        found.held.insert(row);
                    } else if row < before.counters.row {
                        found.unheld.insert(row, (scope.to_owned(), id.to_owned()));
                    }
                }
                (Some(_), Some(_)) => {}
                _ => drop(found.damaged_entries.insert(key.to_vec())),
            });
        let meta = self.engine().read(|transaction| {
            found.damaged_counters = counters(&transaction.open_table(META)?)?.is_none();
            Ok(())
        });
        for (name, walked) in [
            (ROWS.name(), rows),
            (VALUES.name(), values),
            (RETIRED.name(), retired),
            (FENCE.name(), fence),
            (META.name(), meta),
        ] {
            match walked {
                Ok(()) => {}
                Err(failed) if failed.of_the_disk => return Err(self.named(failed.refused)),
                Err(_) => found.unreadable.push(name.to_owned()),
            }
        }
        Ok(self.judged(&before, &found))
    }

    fn judged(&self, before: &Book, found: &Found) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut report = |of: Option<(&str, &str)>, message: &str| {
            problems.push(Problem {
                scope: of.map(|(scope, _)| scope.to_owned()),
                operation_id: of.map(|(_, id)| id.to_owned()),
                message: message.to_owned(),
            });
        };
        for name in &found.unreadable {
            report(None, &format!("the table {name} cannot be read to its end"));
        }
        if found.damaged_counters {
            report(None, "the counters cannot be decoded");
        }
        let whole = |name: &str| !found.unreadable.iter().any(|unreadable| unreadable == name);
        for (number, (scope, id)) in &found.unheld {
            if found.damaged_rows.contains(number) {
                report(Some((scope, id)), "its row cannot be decoded");
            } else if whole(ROWS.name()) {
                report(Some((scope, id)), "its row is missing");
            }
        }
        for _ in found.damaged_rows.iter().filter(|number| !found.unheld.contains_key(*number)) {
            report(None, "a row cannot be decoded");
        }
        for key in &found.damaged_entries {
            report(split_key(key), "its entry of the fence cannot be decoded");
        }
        for _ in &found.damaged_pairs {
            report(None, "a pair that left the history cannot be decoded");
        }
        // What a commit has taken is gone from the file a moment before its rows are shown.
        drop(self.showing());
        let after = self.book();
        let mut shown = HashSet::new();
        for (_, row) in rows(before).chain(rows(&after)) {
            let kept = [(Some(row.input), "input"), (row.result, "result")];
            let kept = kept.map(|(kept, what)| kept.map(|kept| (kept.key, what)));
            let damaged = |(key, _): &(u64, &str)| found.damaged_values.contains(key);
            for (key, what) in kept.into_iter().flatten().filter(damaged) {
                if shown.insert(key) {
                    report(of(row), &format!("its {what} cannot be decoded"));
                }
            }
        }
        for _ in found.damaged_values.iter().filter(|key| !shown.contains(*key)) {
            report(None, "a value of no known row cannot be decoded");
        }
        // What came or went while we read may be on neither side of what we read.
        let stayed = |(number, row): &(u64, &Arc<Row>)| {
            after.find(&row.scope, &row.operation_id).is_some_and(|(now, found)| {
                now == *number && (found.input, found.result) == (row.input, row.result)
            })
        };
        for (number, row) in rows(before).filter(stayed) {
            for (kept, what) in [(Some(row.input), "input"), (row.result, "result")] {
                let Some(kept) = kept.filter(|_| whole(VALUES.name())) else { continue };
                if !found.values.contains(&kept.key) && !found.damaged_values.contains(&kept.key) {
                    report(of(row), &format!("its {what} is missing"));
                }
            }
            let key = super::tables::fence_key(&row.scope, &row.operation_id);
            if whole(FENCE.name())
                && !found.held.contains(&number)
                && !found.damaged_entries.contains(&key)
            {
                report(of(row), "the fence does not hold it");
            }
        }
        problems
    }

    fn walk<K: Key + 'static>(
        &self,
        table: TableDefinition<'static, K, &'static [u8]>,
        mut look: impl FnMut(K::SelfType<'_>, &[u8]),
    ) -> Result<(), Failed> {
        let mut last: Option<Vec<u8>> = None;
        loop {
            let more = self.engine().read(|transaction| {
                let table = transaction.open_table(table)?;
                let entries = match &last {
                    None => Ordered::all(&table)?,
                    Some(last) => Ordered::after(&table, last)?,
                };
                let mut count = 0;
                for entry in entries.take(CHUNK) {
                    let (key, record) = entry?;
                    last = Some(K::as_bytes(&key.value()).as_ref().to_vec());
                    look(key.value(), record.value());
                    count += 1;
                }
                Ok(count == CHUNK)
            })?;
            if !more {
                return Ok(());
            }
        }
    }
}

fn rows(book: &Book) -> impl Iterator<Item = (u64, &Arc<Row>)> {
    book.shelves().flat_map(|(_, shelf)| shelf.rows()).map(|(number, row)| (*number, row))
}

fn of(row: &Row) -> Option<(&str, &str)> {
    Some((&row.scope, &row.operation_id))
}
