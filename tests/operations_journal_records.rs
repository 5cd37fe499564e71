//! One record that cannot be decoded: told by `verify`, skipped by all else, and in nobody's way.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::path::{Path, PathBuf};

use operations_support::kit::{close, compact, field, open, reserve, update, walk};
use redb::{Database, ReadableDatabase, TableDefinition};
use tenure::error::Reason;
use tenure::operations::Bounds;
use tenure::operations::journal::open::Wanted;
use tenure::operations::journal::{Call, FORMAT, JournalHandle, Key, Reply};

type Bytes = &'static [u8];
const META: TableDefinition<'_, &'static str, Bytes> = TableDefinition::new("tenure");
const FENCE: TableDefinition<'_, Bytes, Bytes> = TableDefinition::new("journal.fence");
const ROWS: TableDefinition<'_, u64, Bytes> = TableDefinition::new("journal.rows");
const VALUES: TableDefinition<'_, u64, Bytes> = TableDefinition::new("journal.values");
const RETIRED: TableDefinition<'_, u64, Bytes> = TableDefinition::new("journal.retired");

const FORMAT_KEY: &str = "journal.format";
const COUNTERS_KEY: &str = "journal.counters";

fn bounds() -> Bounds {
    Bounds { retain: 2, ..Bounds::default() }
}

/// Two pruned operations, two that ended, one that waits, one that runs, in scope `s`: p, q, e, f, w, r.
fn journal(path: &Path) {
    let handle = open(path, bounds());
    let journal = handle.journal().unwrap();
    for (number, id) in ["p", "q", "e", "f", "w", "r"].into_iter().enumerate() {
        journal.call(reserve(id, "s", number as u64)).unwrap();
        if number < 4 {
            let ended = r#"{"state":"cancelled","result":{"why":"asked"}}"#;
            journal.call(update(id, "s", ended, 10 + number as u64)).unwrap();
        }
    }
    journal.call(Call::Begin { key: Key::new("s", "r"), now: 20 }).unwrap();
    close(&handle);
}

fn made() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    journal(&path);
    (directory, path)
}

/// Every form that damage to a record takes.
fn damages(good: &[u8]) -> Vec<Vec<u8>> {
    let mut flipped = good.to_vec();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    vec![flipped, Vec::new(), good[..7].to_vec(), good[..last].to_vec(), b"garbage".to_vec()]
}

fn change<K: redb::Key>(
    path: &Path,
    table: TableDefinition<'_, K, Bytes>,
    key: K::SelfType<'_>,
    record: Option<&[u8]>,
) {
    let database = Database::open(path).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut table = transaction.open_table(table).unwrap();
        match record {
            Some(record) => drop(table.insert(key, record).unwrap()),
            None => drop(table.remove(key).unwrap()),
        }
    }
    transaction.commit().unwrap();
    database.close().unwrap();
}

fn record<K: redb::Key>(
    path: &Path,
    table: TableDefinition<'_, K, Bytes>,
    key: K::SelfType<'_>,
) -> Vec<u8> {
    let database = Database::open(path).unwrap();
    let read = database.begin_read().unwrap();
    let table = read.open_table(table).unwrap();
    table.get(key).unwrap().unwrap().value().to_vec()
}

fn fence_key(scope: &str, id: &str) -> Vec<u8> {
    let mut key = (scope.len() as u16).to_be_bytes().to_vec();
    key.extend_from_slice(scope.as_bytes());
    key.extend_from_slice(id.as_bytes());
    key
}

/// Opens it, and gives what is amiss: operation and message.
fn amiss(handle: &JournalHandle) -> Vec<(Option<String>, String)> {
    let problems = handle.journal().unwrap().verify().unwrap();
    problems.into_iter().map(|problem| (problem.operation_id, problem.message)).collect()
}

fn outcome(handle: &JournalHandle, id: &str) -> Result<bool, Reason> {
    match handle.journal().unwrap().call(reserve(id, "s", 50)) {
        Ok(Reply::Reserved(created, _)) => Ok(created),
        Ok(other) => panic!("{other:?}"),
        Err(refused) => Err(refused.reason),
    }
}

#[test]
fn a_row_that_cannot_be_decoded_is_told_and_its_id_is_never_given_anew() {
    let (_directory, path) = made();
    let good = record(&path, ROWS, 5);
    for bad in damages(&good) {
        change(&path, ROWS, 5, Some(&bad));
        for _ in 0..2 {
            let handle = open(&path, bounds());
            let journal = handle.journal().unwrap();
            let told = vec![(Some("w".to_owned()), "its row cannot be decoded".to_owned())];
            assert_eq!(amiss(&handle), told);
            assert_eq!(walk(journal, "s"), ["r", "f", "e"]);
            assert_eq!(journal.status("s", "w"), Ok(None));
            assert_eq!(outcome(&handle, "w"), Err(Reason::OperationRetired));
            assert_eq!(outcome(&handle, "e"), Ok(false));
            let forgotten = journal.call(Call::Forget { scope: "t".into(), before: u64::MAX });
            assert_eq!(forgotten, Ok(Reply::Count(0)));
            // It is kept for who can read it, also where the file is written anew.
            compact(&handle).unwrap();
            close(&handle);
        }
        assert_eq!(record(&path, ROWS, 5), bad);
    }
    change(&path, ROWS, 5, None);
    let handle = open(&path, bounds());
    assert_eq!(amiss(&handle), [(Some("w".to_owned()), "its row is missing".to_owned())]);
    assert_eq!(outcome(&handle, "w"), Err(Reason::OperationRetired));
    close(&handle);
    change(&path, ROWS, 5, Some(&good));
    let handle = open(&path, bounds());
    assert_eq!(amiss(&handle), []);
    assert_eq!(outcome(&handle, "w"), Ok(false));
}

#[test]
fn an_entry_of_the_fence_that_cannot_be_decoded_still_holds_its_id() {
    let (_directory, path) = made();
    for (id, wanted) in [("w", Ok(false)), ("p", Err(Reason::OperationRetired))] {
        let key = fence_key("s", id);
        let good = record(&path, FENCE, key.as_slice());
        for bad in damages(&good) {
            change(&path, FENCE, key.as_slice(), Some(&bad));
            let handle = open(&path, bounds());
            let told = "its entry of the fence cannot be decoded".to_owned();
            assert_eq!(amiss(&handle), [(Some(id.to_owned()), told)]);
            assert_eq!(outcome(&handle, id), wanted);
            let before = u64::from(id == "w");
            let forget = Call::Forget { scope: "s".into(), before };
            assert_eq!(handle.journal().unwrap().call(forget), Ok(Reply::Count(0)));
            assert_eq!(outcome(&handle, id), wanted);
            close(&handle);
        }
        change(&path, FENCE, key.as_slice(), Some(&good));
    }
    change(&path, FENCE, fence_key("s", "w").as_slice(), None);
    let handle = open(&path, bounds());
    assert_eq!(amiss(&handle), [(Some("w".to_owned()), "the fence does not hold it".to_owned())]);
    assert_eq!(outcome(&handle, "w"), Ok(false));
}

#[test]
fn a_value_that_cannot_be_decoded_is_none_and_a_row_that_needs_it_is_never_sent() {
    let (_directory, path) = made();
    // The inputs of p, q, e, f have odd keys and their results the even ones between them.
    let (input_of_w, result_of_e) = (9, 6);
    for (key, id, what) in [(input_of_w, "w", "input"), (result_of_e, "e", "result")] {
        let good = record(&path, VALUES, key);
        for bad in damages(&good) {
            change(&path, VALUES, key, Some(&bad));
            let handle = open(&path, bounds());
            let told = format!("its {what} cannot be decoded");
            assert_eq!(amiss(&handle), [(Some(id.to_owned()), told)]);
            assert!(field(handle.journal().unwrap(), "s", id, what).is_null());
            assert_eq!(walk(handle.journal().unwrap(), "s"), ["r", "w", "f", "e"]);
            close(&handle);
        }
        change(&path, VALUES, key, None);
        let handle = open(&path, bounds());
        assert_eq!(amiss(&handle), [(Some(id.to_owned()), format!("its {what} is missing"))]);
        close(&handle);
        change(&path, VALUES, key, Some(&good));
    }
    change(&path, VALUES, input_of_w, Some(b"garbage"));
    let handle = open(&path, bounds());
    let journal = handle.journal().unwrap();
    assert_eq!(journal.payload("s", "w"), Ok(None));
    let begun = journal.call(Call::Begin { key: Key::new("s", "w"), now: 40 });
    assert_eq!(begun, Ok(Reply::NotBegun));
    assert_eq!(field(journal, "s", "w", "state"), "failed");
}

#[test]
fn a_pair_that_cannot_be_decoded_is_told_and_the_others_are_handed_out() {
    let (_directory, path) = made();
    let good = record(&path, RETIRED, 1);
    for bad in damages(&good) {
        change(&path, RETIRED, 1, Some(&bad));
        let handle = open(&path, bounds());
        let told = "a pair that left the history cannot be decoded".to_owned();
        assert_eq!(amiss(&handle), [(None, told)]);
        let drained = handle.journal().unwrap().call(Call::Drain { holder: 1 });
        assert_eq!(drained, Ok(Reply::Pairs(vec![("s".into(), "q".into())])));
        close(&handle);
    }
}

#[test]
fn without_its_counters_a_journal_gives_no_number_again() {
    let (_directory, path) = made();
    let good = record(&path, META, COUNTERS_KEY);
    let mut low = good.clone();
    low[8..].fill(0);
    for bad in damages(&good).into_iter().chain([low]) {
        change(&path, META, COUNTERS_KEY, Some(&bad));
        let handle = open(&path, bounds());
        assert_eq!(amiss(&handle), [], "set right by the opening");
        let journal = handle.journal().unwrap();
        let id = format!("new {}", walk(journal, "s").len());
        assert_eq!(outcome(&handle, &id), Ok(true));
        assert_eq!(walk(journal, "s")[0], id, "the newest is the newest");
        assert_eq!(amiss(&handle), []);
        close(&handle);
    }
}

#[test]
fn a_newer_format_is_refused_as_such_and_what_has_none_as_no_journal() {
    let (_directory, path) = made();
    let refused = |path: &Path| {
        let before = std::fs::read(path).unwrap();
        let refused = JournalHandle::open(path, &Wanted::default()).unwrap_err();
        assert_eq!(refused.path.as_deref(), path.to_str());
        assert!(std::fs::read(path).unwrap() == before, "left as it was");
        refused.reason
    };
    for format in [FORMAT + 1, u32::MAX] {
        change(&path, META, FORMAT_KEY, Some(&format.to_le_bytes()));
        assert_eq!(refused(&path), Reason::JournalVersion);
    }
    for none in [Some(&b"\0\0\0\0"[..]), Some(b""), Some(b"\x01\0\0"), Some(b"\x01\0\0\0\0"), None]
    {
        change(&path, META, FORMAT_KEY, none);
        assert_eq!(refused(&path), Reason::JournalCorrupt);
    }
    change(&path, META, FORMAT_KEY, Some(&FORMAT.to_le_bytes()));
    close(&open(&path, bounds()));
    // A database of the same kind that is no journal, and one that lacks a table.
    for table in ["tenure", "journal.fence", "journal.rows", "journal.values", "journal.retired"] {
        let (_directory, path) = made();
        let database = Database::open(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.delete_table(TableDefinition::<u64, Bytes>::new(table)).ok();
        transaction.delete_table(TableDefinition::<Bytes, Bytes>::new(table)).ok();
        transaction.delete_table(TableDefinition::<&str, Bytes>::new(table)).ok();
        transaction.commit().unwrap();
        database.close().unwrap();
        assert_eq!(refused(&path), Reason::JournalCorrupt, "{table}");
    }
}

#[test]
fn tables_of_a_later_version_are_kept_where_the_file_is_compacted() {
    let (_directory, path) = made();
    let later = TableDefinition::<u64, u64>::new("later");
    let database = Database::open(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction.open_table(later).unwrap().insert(1, 2).unwrap();
    transaction.commit().unwrap();
    database.close().unwrap();
    let handle = open(&path, bounds());
    let (before, after) = compact(&handle).unwrap();
    assert!(after <= before);
    assert_eq!(outcome(&handle, "later"), Ok(true));
    close(&handle);
    let database = Database::open(&path).unwrap();
    let found = database.begin_read().unwrap().open_table(later).unwrap().get(1).unwrap();
    assert_eq!(found.map(|found| found.value()), Some(2));
}
