//! The journal in one thread: what is reserved, recorded, pruned and read again.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test may end here")]

use std::path::Path;

use tenure::error::Reason;
use tenure::operations::Bounds;
use tenure::operations::journal::open::Wanted;
use tenure::operations::journal::{Call, JournalHandle, Key, Patch, Reply};

fn reserve(id: &str, scope: &str, now: u64) -> Call {
    Call::Reserve {
        key: Key::new(scope, id),
        digest: "digest".into(),
        input: format!("{{\"of\":\"{id}\"}}"),
        now,
        unless_held: None,
    }
}

fn update(id: &str, scope: &str, patch: &str, now: u64) -> Call {
    Call::Update { key: Key::new(scope, id), row: None, patch: Patch::parse(patch).unwrap(), now }
}

fn open(path: &Path, retain: u64) -> JournalHandle {
    let bounds = Bounds { retain, ..Bounds::default() };
    JournalHandle::open(path, &Wanted { bounds: Some(bounds), ..Wanted::default() }).unwrap()
}

fn close(handle: JournalHandle) {
    let (tell, told) = std::sync::mpsc::channel();
    handle.close_later(move || tell.send(()).unwrap());
    told.recv().unwrap();
}

#[test]
fn rows_survive_a_reopen_and_what_was_sent_is_interrupted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let handle = open(&path, 10);
    let journal = handle.journal().unwrap().clone();
    assert!(matches!(journal.call(reserve("a", "s", 1)), Ok(Reply::Reserved(true, _))));
    assert!(matches!(journal.call(reserve("a", "s", 2)), Ok(Reply::Reserved(false, _))));
    journal.call(reserve("b", "s", 3)).unwrap();
    journal
        .call(update(
            "a",
            "s",
            r#"{"state":"running","submission":"uncertain","result":{"r":1}}"#,
            4,
        ))
        .unwrap();
    let before = journal.status("s", "a").unwrap().unwrap();
    assert!(before.contains(r#""state":"running""#) && before.contains(r#""result":{"r":1}"#));
    drop(journal);
    close(handle);
    let handle = open(&path, 10);
    let journal = handle.journal().unwrap();
    let after = journal.status("s", "a").unwrap().unwrap();
    assert!(
        after.contains(r#""state":"interrupted""#) && after.contains(r#""stale":true"#),
        "{after}"
    );
    assert!(
        after.contains(r#""updatedAt":4"#) && after.contains(r#""input":{"of":"a"}"#),
        "{after}"
    );
    assert_eq!(journal.next_queued("s").as_deref(), Some("b"));
    assert_eq!(journal.verify(), Ok(Vec::new()));
}

#[test]
fn a_pruned_id_stays_on_the_fence() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let handle = open(&path, 1);
    let journal = handle.journal().unwrap();
    for id in ["a", "b"] {
        journal.call(reserve(id, "", 1)).unwrap();
        journal.call(update(id, "", r#"{"state":"cancelled"}"#, 2)).unwrap();
    }
    assert_eq!(journal.status("", "a"), Ok(None));
    let refused = journal.call(reserve("a", "", 3)).unwrap_err();
    assert_eq!(refused.reason, Reason::OperationRetired);
    let pairs = journal.call(handle.drain()).unwrap();
    assert_eq!(pairs, Reply::Pairs(vec![("".into(), "a".into())]));
    let forgotten = journal.call(Call::Forget { scope: "".into(), before: u64::MAX }).unwrap();
    assert_eq!(forgotten, Reply::Count(2));
    assert!(matches!(journal.call(reserve("a", "", 4)), Ok(Reply::Reserved(true, _))));
    assert_eq!(journal.verify(), Ok(Vec::new()));
}

#[test]
fn a_file_of_another_program_is_refused_and_left_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    for content in [b"not a journal".to_vec(), vec![0; 65_536]] {
        std::fs::write(&path, &content).unwrap();
        let refused = JournalHandle::open(&path, &Wanted::default()).unwrap_err();
        assert_eq!(refused.reason, Reason::JournalCorrupt);
        assert_eq!(refused.path.as_deref(), path.to_str());
        assert_eq!(std::fs::read(&path).unwrap(), content);
    }
}

#[test]
fn a_journal_is_copied_and_written_anew_without_losing_a_row() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let handle = open(&path, 10);
    let journal = handle.journal().unwrap();
    for number in 0..100 {
        journal.call(reserve(&format!("{number}"), "", 1)).unwrap();
    }
    let (tell, told) = std::sync::mpsc::channel();
    handle.compact_later(move |sizes| tell.send(sizes).unwrap()).unwrap();
    let (before, after) = told.recv().unwrap().unwrap();
    assert!(after > 0 && before > 0);
    journal.call(reserve("after", "", 1)).unwrap();
    assert!(journal.status("", "7").unwrap().is_some());
    let copy = directory.path().join("copy");
    journal.backup(&copy).unwrap();
    assert_eq!(journal.backup(&copy).unwrap_err().reason, Reason::BackupExists);
    let other = open(&copy, 10);
    assert!(other.journal().unwrap().status("", "after").unwrap().is_some());
    // By another name it is the same journal.
    let again = JournalHandle::open(&path, &Wanted::default()).unwrap();
    assert!(again.journal().unwrap().status("", "after").unwrap().is_some());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
}
