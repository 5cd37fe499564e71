//! Values that were read lately: a status that is asked for again and again is read from the file once.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Of all of them together.
const BYTES: u64 = 4 << 20;
/// A larger one would push out many.
const LONGEST: usize = 64 << 10;

#[derive(Clone)]
struct Bytes;

impl Weighter<u64, Arc<str>> for Bytes {
    fn weight(&self, _: &u64, text: &Arc<str>) -> u64 {
        text.len() as u64 + 64
    }
}

/// Values by their keys, of which none is given twice once its commit is on the disk.
pub(super) struct Recent(Cache<u64, Arc<str>, Bytes>);

impl Default for Recent {
    fn default() -> Self {
        Self(Cache::with_weighter(1_024, BYTES, Bytes))
    }
}

impl Recent {
    pub(super) fn get(&self, key: u64) -> Option<Arc<str>> {
        self.0.get(&key)
    }

    pub(super) fn clear(&self) {
        self.0.clear();
    }

    pub(super) fn keep(&self, key: u64, text: &Arc<str>) {
        if text.len() <= LONGEST {
            self.0.insert(key, Arc::clone(text));
        }
    }
}
