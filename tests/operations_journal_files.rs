//! The file of a journal: found under any name, locked, made whole or not at all, and let go.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use operations_support::kit::{close, compact, field, open, patience, reserve, update, walk};
use tenure::error::Reason;
use tenure::operations::Bounds;
use tenure::operations::journal::open::Wanted;
use tenure::operations::journal::{Job, JournalHandle, Reply};
use tenure::refused::Refused;
use tenure::store::OpenFile;

fn refusal(path: &Path) -> Reason {
    let refused = JournalHandle::open(path, &Wanted::default()).unwrap_err();
    assert_eq!(refused.path.as_deref(), path.to_str());
    refused.reason
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
#[cfg(unix)]
fn what_is_no_journal_is_refused_whatever_it_is_and_stays_as_it_was() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("text"), "not a journal\n".repeat(1_000)).unwrap();
    fs::set_permissions(at("text"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(at("byte"), "x").unwrap();
    fs::create_dir(at("directory")).unwrap();
    symlink(at("loop"), at("loop")).unwrap();
    symlink("text", at("link")).unwrap();
    symlink(at("nowhere").join("file"), at("astray")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(at("fifo")).status();
    assert!(made.is_ok_and(|made| made.success()));
    let before = (names(directory.path()), fs::metadata(at("text")).unwrap());
    for (name, reason) in [
        ("text", Reason::JournalCorrupt),
        ("byte", Reason::JournalCorrupt),
        ("link", Reason::JournalCorrupt),
        ("fifo", Reason::JournalCorrupt),
        ("directory", Reason::JournalIo),
        ("loop", Reason::JournalIo),
        ("astray", Reason::JournalIo),
        ("nowhere/file", Reason::JournalIo),
        ("text/file", Reason::JournalIo),
    ] {
        for _ in 0..2 {
            assert_eq!(refusal(&at(name)), reason, "{name}");
        }
    }
    let text = fs::metadata(at("text")).unwrap();
    assert_eq!(names(directory.path()), before.0);
    assert_eq!(text.modified().unwrap(), before.1.modified().unwrap());
    assert_eq!(text.permissions(), before.1.permissions());
    assert_eq!(refusal(Path::new("/dev/null")), Reason::JournalCorrupt);
}

#[test]
#[cfg(unix)]
fn an_empty_file_and_a_link_to_nothing_become_journals_that_only_their_owner_reads() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("empty"), "").unwrap();
    symlink("target", at("link")).unwrap();
    for name in ["empty", "link", "new"] {
        let handle = open(&at(name), Bounds::default());
        handle.journal().unwrap().call(reserve("a", "", 1)).unwrap();
        close(&handle);
        let mode = fs::metadata(at(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o666)).unwrap();
        let handle = open(&at(name), Bounds::default());
        assert_eq!(walk(handle.journal().unwrap(), ""), ["a"]);
        let mode = fs::metadata(at(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(names(directory.path()), ["empty", "link", "new", "target"]);
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
}

#[test]
fn a_file_that_could_not_be_made_whole_is_not_there_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    for content in [None, Some("")] {
        if let Some(content) = content {
            fs::write(&path, content).unwrap();
        }
        let before = names(directory.path());
        let fails = |_: File| Err(Box::new(Refused::new(Reason::JournalIo, "no")));
        assert!(OpenFile::find(&path, fails).is_err());
        let panics = |_: File| panic!("in the midst of it");
        let panicked = std::panic::catch_unwind(|| drop(OpenFile::find(&path, panics)));
        assert!(panicked.is_err());
        assert_eq!(names(directory.path()), before);
        close(&open(&path, Bounds::default()));
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn what_a_compaction_left_that_died_is_cleared_by_the_next_opening() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    close(&open(&path, Bounds::default()));
    let file = OpenFile::find(&path, |_| panic!("it is there")).unwrap();
    assert!(file.lock().unwrap());
    let (successor, ()) = file.successor(|_| Ok(())).unwrap();
    drop(file);
    assert_eq!(names(directory.path()).len(), 2);
    let handle = open(&path, Bounds::default());
    assert_eq!(names(directory.path()), ["journal"]);
    close(&handle);
    // One that died clears nothing away: this one is let go of when nothing is left of it.
    drop(successor);
    assert_eq!(names(directory.path()), ["journal"]);
}

#[test]
#[cfg(unix)]
fn a_compaction_that_cannot_have_its_file_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let handle = open(&path, Bounds::default());
    handle.journal().unwrap().call(reserve("a", "", 1)).unwrap();
    let name = format!(".tenure-{:016x}.new", xxhash_rust::xxh3::xxh3_64(b"journal"));
    fs::create_dir(directory.path().join(&name)).unwrap();
    let refused = compact(&handle).unwrap_err();
    assert_eq!((refused.reason, refused.path.as_deref()), (Reason::JournalIo, path.to_str()));
    let stats = serde_json::to_value(handle.journal().unwrap().stats()).unwrap();
    assert_eq!(stats["health"], "ok");
    handle.journal().unwrap().call(reserve("b", "", 1)).unwrap();
    assert_eq!(walk(handle.journal().unwrap(), ""), ["b", "a"]);
    fs::remove_dir(directory.path().join(&name)).unwrap();
    // Moved away, it is compacted where it is, and nothing comes back under its old name.
    let moved = directory.path().join("moved");
    fs::rename(&path, &moved).unwrap();
    compact(&handle).unwrap();
    handle.journal().unwrap().call(reserve("c", "", 1)).unwrap();
    close(&handle);
    assert_eq!(names(directory.path()), ["moved"]);
    let handle = open(&moved, Bounds::default());
    assert_eq!(walk(handle.journal().unwrap(), ""), ["c", "b", "a"]);
}

#[test]
#[cfg(unix)]
fn one_file_is_one_journal_under_all_its_names_until_the_last_handle_closes() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let first = open(&at("journal"), Bounds::default());
    fs::hard_link(at("journal"), at("hard")).unwrap();
    std::os::unix::fs::symlink("hard", at("soft")).unwrap();
    let began = first.journal().unwrap().call(reserve("a", "", 1)).unwrap();
    assert!(matches!(began, Reply::Reserved(true, _)));
    let others: Vec<_> = ["hard", "soft", "./journal", "../nothing/../journal"]
        .into_iter()
        .take(3)
        .map(|name| open(&at(name), Bounds::default()))
        .collect();
    first.journal().unwrap().call(update("a", "", r#"{"state":"running"}"#, 2)).unwrap();
    for other in &others {
        assert_eq!(field(other.journal().unwrap(), "", "a", "state"), "running");
    }
    close(&first);
    for other in others {
        let state = field(other.journal().unwrap(), "", "a", "state");
        assert_eq!(state, "running", "its file is open all the same");
        close(&other);
    }
    let again = open(&at("soft"), Bounds::default());
    assert_eq!(field(again.journal().unwrap(), "", "a", "state"), "interrupted");
    // A file with other names is compacted in place.
    compact(&again).unwrap();
    close(&again);
    let hard = open(&at("hard"), Bounds::default());
    assert_eq!(walk(hard.journal().unwrap(), ""), ["a"]);
}

#[test]
fn other_options_are_refused_and_leave_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    let bounds = Bounds { retain: 5, ..Bounds::default() };
    let first = open(&path, bounds.clone());
    for _ in 0..50 {
        let other = Wanted { bounds: Some(Bounds::default()), ..Wanted::default() };
        let refused = JournalHandle::open(&path, &other).unwrap_err();
        assert_eq!(refused.reason, Reason::JournalOptions);
    }
    let same = JournalHandle::open(&path, &Wanted::default()).unwrap();
    assert_eq!(same.journal().unwrap().bounds, bounds);
    close(&same);
    close(&first);
    close(&open(&path, Bounds::default()));
}

#[test]
fn a_file_that_another_holds_is_refused_with_its_holder_and_free_once_that_lets_go() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    close(&open(&path, Bounds::default()));
    let content = fs::read(&path).unwrap();
    let holder = File::options().read(true).write(true).open(&path).unwrap();
    holder.try_lock().unwrap();
    for _ in 0..3 {
        let refused = JournalHandle::open(&path, &Wanted::default()).unwrap_err();
        assert_eq!(refused.reason, Reason::JournalLocked);
        #[cfg(target_os = "linux")]
        assert_eq!(refused.pid, Some(std::process::id()));
    }
    assert!(fs::read(&path).unwrap() == content);
    drop(holder);
    close(&open(&path, Bounds::default()));
    // Let go without a word, it is free, too.
    drop(open(&path, Bounds::default()));
    close(&open(&path, Bounds::default()));
    let free = File::options().read(true).write(true).open(&path).unwrap();
    free.try_lock().unwrap();
}

#[test]
fn a_journal_whose_opening_panics_can_be_opened_by_the_next() {
    let registry = tenure::store::Registry::<u8, Joined>::new();
    let opens = || -> tenure::refused::Answer<Arc<Joined>> { panic!("in the midst of it") };
    let panicked = std::panic::AssertUnwindSafe(|| drop(registry.join_or_open(&1, opens)));
    assert!(std::panic::catch_unwind(panicked).is_err());
    let (_, joined) = registry.join_or_open(&1, || Ok(Arc::new(Joined))).unwrap();
    assert!(!joined);
}

struct Joined;

impl tenure::store::Shared for Joined {
    fn join(&self) -> bool {
        true
    }
}

#[test]
fn closing_waits_for_what_was_called_before_and_for_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal");
    for _ in 0..20 {
        let handle = open(&path, Bounds::default());
        let (tell, told) = mpsc::channel();
        let mut posted = Vec::new();
        for number in 0..20 {
            let tell = tell.clone();
            let settle = move |answer: Result<_, _>| tell.send(answer.map(|_| "call")).unwrap();
            posted.push(Job::Call(reserve(&format!("{number}"), "", 1), Box::new(settle)));
        }
        handle.journal().unwrap().post(posted);
        let copy = directory.path().join("copy");
        let (verified, copied, closed) = (tell.clone(), tell.clone(), tell.clone());
        handle
            .verify_later(move |answer| verified.send(answer.map(|_| "verify")).unwrap())
            .unwrap();
        handle
            .backup_later(&copy, move |answer| copied.send(answer.map(|()| "copy")).unwrap())
            .unwrap();
        handle.close_later(move || closed.send(Ok("close")).unwrap());
        handle.close_later(move || tell.send(Ok("again")).unwrap());
        let order: Vec<_> =
            (0..24).map(|_| told.recv_timeout(patience()).unwrap().unwrap()).collect();
        let place = |word: &str| order.iter().rposition(|found| *found == word).unwrap();
        assert!(
            place("close") > place("verify").max(place("copy")).max(place("call")),
            "{order:?}"
        );
        assert!(place("again") > place("close"), "{order:?}");
        assert_eq!(handle.journal().unwrap_err().reason, Reason::Closed);
        fs::remove_file(copy).unwrap();
        let free = File::options().read(true).write(true).open(&path).unwrap();
        free.try_lock().unwrap();
    }
}

#[test]
fn what_panics_while_it_is_told_keeps_nobody_else_waiting() {
    let handle = JournalHandle::in_memory(Bounds::default()).unwrap();
    let journal = handle.journal().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let _bad = handle.watch("", None, Box::new(|| panic!("a watcher"))).unwrap();
    let _good = handle.watch(
        "",
        None,
        Box::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        }),
    );
    journal.post([Job::Work(Box::new(|_| panic!("a work")))]);
    let (tell, told) = mpsc::channel();
    journal.post([
        Job::Call(reserve("a", "", 1), Box::new(|_| panic!("a settle"))),
        Job::Call(reserve("b", "", 1), Box::new(move |answer| tell.send(answer).unwrap())),
    ]);
    assert!(told.recv_timeout(patience()).unwrap().is_ok());
    assert!(journal.call(reserve("c", "", 1)).is_ok());
    assert_eq!(count.load(Ordering::SeqCst), 1, "told once until it looks");
    let (tell, told) = mpsc::channel();
    handle.close_later(move || tell.send(()).unwrap());
    assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(()));
}
