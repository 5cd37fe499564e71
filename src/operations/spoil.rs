//! Damage on purpose: files that no healthy program makes, for tests. Reached from JavaScript only in a
//! process that was started with the switch for it.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Arc;

use redb::{ReadableTable, TableDefinition, WriteTransaction};

use super::journal::FORMAT;
use crate::error::Reason;
use crate::refused::{Answer, Refused};
use crate::store::disk::FileDisk;
use crate::store::engine::Worked;
use crate::store::{Durability, Engine, Sizes};

const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("tenure");
const ROWS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("journal.rows");

/// Makes the row of an operation one that cannot be decoded.
pub fn spoil_row(path: &Path, scope: &str, id: &str) -> Answer<()> {
    let wanted = [
        format!("\"scope\":{}", serde_json::Value::from(scope)),
        format!("\"operationId\":{}", serde_json::Value::from(id)),
    ];
    changed(path, |transaction| {
        let mut rows = transaction.open_table(ROWS)?;
        let mut found = Vec::new();
        for entry in rows.iter()? {
            let (number, record) = entry?;
            let text = String::from_utf8_lossy(record.value()).into_owned();
            if wanted.iter().all(|part| text.contains(part.as_str())) {
                found.push((number.value(), record.value().to_vec()));
            }
        }
        for (number, mut record) in found {
            if let Some(last) = record.last_mut() {
                *last ^= 1;
            }
            rows.insert(number, record.as_slice())?;
        }
        Ok(())
    })
}

/// Makes a file one of a later format.
pub fn spoil_format(path: &Path) -> Answer<()> {
    changed(path, |transaction| {
        let mut meta = transaction.open_table(META)?;
        meta.insert("journal.format", (FORMAT + 1).to_le_bytes().as_slice())?;
        Ok(())
    })
}

fn changed(path: &Path, change: impl FnOnce(&WriteTransaction) -> Worked<()>) -> Answer<()> {
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| {
        Box::new(Refused::new(Reason::JournalIo, "The file cannot be opened").because(&error))
    })?;
    let (engine, ()) = Engine::open(Arc::new(FileDisk(file)), Sizes::default(), |_| Ok(Ok(())))?;
    engine.write(Durability::Immediate, |transaction| Ok((change(transaction)?, true)))?;
    engine.close()
}
