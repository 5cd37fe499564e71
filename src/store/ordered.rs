//! A table read from one end to the other, though the file may be damaged.

use std::cmp::Ordering;
use std::ops::Bound;

use redb::{AccessGuard, Key, Range, ReadableTable, StorageError, Value};

use super::engine::Worked;

/// The entries of a table in the order of their keys. A damaged file may have them in any order, or name
/// one page from many places: to follow it blindly could take for ever, so that the first key that is not
/// greater than the one before it is an error, and the last that is read.
pub struct Ordered<'a, K: Key + 'static, V: Value + 'static> {
    entries: Range<'a, K, V>,
    last: Option<Vec<u8>>,
    over: bool,
}

impl<'a, K: Key + 'static, V: Value + 'static> Ordered<'a, K, V> {
    /// All entries.
    pub fn all(table: &'a impl ReadableTable<K, V>) -> Worked<Self> {
        Ok(Self::of(table.iter()?, None))
    }

    /// The entries from this key on.
    pub fn from<'k>(table: &'a impl ReadableTable<K, V>, first: K::SelfType<'k>) -> Worked<Self> {
        Ok(Self::of(table.range::<K::SelfType<'k>>(first..)?, None))
    }

    /// The entries after the key of these bytes.
    pub fn after<'k>(table: &'a impl ReadableTable<K, V>, last: &'k [u8]) -> Worked<Self> {
        let after = (Bound::Excluded(K::from_bytes(last)), Bound::Unbounded);
        Ok(Self::of(table.range::<K::SelfType<'k>>(after)?, Some(last.to_vec())))
    }

    fn of(entries: Range<'a, K, V>, last: Option<Vec<u8>>) -> Self {
        Self { entries, last, over: false }
    }
}

impl<'a, K: Key + 'static, V: Value + 'static> Iterator for Ordered<'a, K, V> {
    type Item = Result<(AccessGuard<'a, K>, AccessGuard<'a, V>), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let entry = self.entries.next()?;
        let in_order = entry.as_ref().is_ok_and(|(key, _)| {
            let key = key.value();
            let bytes = K::as_bytes(&key);
            let follows = |last: &Vec<u8>| K::compare(last, bytes.as_ref()) == Ordering::Less;
            let follows = self.last.as_ref().is_none_or(follows);
            let last = self.last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(bytes.as_ref());
            follows
        });
        self.over = !in_order;
        if in_order || entry.is_err() {
            return Some(entry);
        }
        Some(Err(StorageError::Corrupted("the keys of a table are not in order".to_owned())))
    }
}
