//! The logs that are in use, and the few whose files are kept open.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hashbrown::HashMap;

use super::lock;
use super::log::Log;
use super::name::Name;

/// How many files a directory keeps open for appending.
pub const OPEN_FILES: usize = 64;

/// Every [`Log`] in memory: one for each name, so that its lock is the only one.
pub(super) struct Table {
    directory: PathBuf,
    logs: Mutex<Logs>,
}

#[derive(Default)]
struct Logs {
    entries: HashMap<Name, Entry>,
    uses: u64,
}

struct Entry {
    log: Arc<Log>,
    users: usize,
    used: u64,
}

impl Entry {
    fn may_go(&self) -> bool {
        self.users == 0 && !self.log.is_torn()
    }
}

impl Table {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory, logs: Mutex::default() }
    }

    /// Calls with the log of this name.
    pub(super) fn with<T>(&self, name: &Name, call: impl FnOnce(&Log) -> T) -> T {
        let lease = Lease { table: self, name, log: self.take(name) };
        call(&lease.log)
    }

    fn take(&self, name: &Name) -> Arc<Log> {
        let mut logs = lock(&self.logs);
        logs.uses += 1;
        let used = logs.uses;
        let entry = logs.entries.entry(*name).or_insert_with(|| Entry {
            log: Arc::new(Log::new(&self.directory, name)),
            users: 0,
            used,
        });
        entry.users += 1;
        entry.used = used;
        Arc::clone(&entry.log)
    }

    fn give_back(&self, name: &Name) {
        let mut logs = lock(&self.logs);
        let Some(entry) = logs.entries.get_mut(name) else { return };
        entry.users -= 1;
        let gone = if entry.users == 0 && !entry.log.is_kept() {
            logs.entries.remove(name)
        } else if logs.entries.len() > OPEN_FILES {
            logs.remove_oldest()
        } else {
            None
        };
        // Closing a file is I/O.
        drop(logs);
        drop(gone);
    }

    /// Closes every file that nobody uses.
    pub(super) fn close_idle(&self) {
        let mut logs = lock(&self.logs);
        let gone: Vec<_> = logs.entries.extract_if(|_, entry| entry.may_go()).collect();
        drop(logs);
        drop(gone);
    }
}

impl Logs {
    fn remove_oldest(&mut self) -> Option<Entry> {
        let idle = self.entries.iter().filter(|(_, entry)| entry.may_go());
        let oldest = *idle.min_by_key(|(_, entry)| entry.used)?.0;
        self.entries.remove(&oldest)
    }
}

// Given back also when a call unwinds: a log that seems to be in use is kept for good.
struct Lease<'a> {
    table: &'a Table,
    name: &'a Name,
    log: Arc<Log>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.table.give_back(self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::{OPEN_FILES, Table};
    use crate::operations::logs::OnDisk;
    use crate::operations::logs::name::Name;
    use crate::operations::logs::record::Record;

    #[test]
    fn a_log_in_use_is_the_only_one_of_its_name_however_many_others_are_used() {
        let directory = tempfile::tempdir().unwrap();
        let table = Table::new(directory.path().to_owned());
        let name = Name::of("", "a");
        let append = |name: &Name| {
            table.with(name, |log| log.append(&OnDisk, &Record::of("x", 100), 100)).unwrap();
        };
        append(&name);
        table.with(&name, |outer| {
            (0..2 * OPEN_FILES).for_each(|other| append(&Name::of("", &other.to_string())));
            table.close_idle();
            table.with(&name, |inner| assert!(std::ptr::eq(inner, outer)));
        });
    }
}
