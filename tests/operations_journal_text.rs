//! A journal as lines of JSON: out and in again it is the same; changed anywhere it is refused, or sound.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

use operations_support::chance::{Chance, seed};
use operations_support::kit::{close, reserve, times, together, update, wanted};
use operations_support::workload::{bounds, workload};
use tenure::error::Reason;
use tenure::operations::journal::open::{Wanted, on_disk};
use tenure::operations::journal::{Import, JournalHandle};
use tenure::store::disk::MemoryDisk;

fn exported(handle: &JournalHandle) -> String {
    let export = handle.export(None).unwrap();
    let mut text = String::new();
    while let Some(lines) = export.next().unwrap() {
        text.push_str(&lines);
    }
    text
}

/// What became of an import of these pieces.
fn imported<'a>(path: &Path, pieces: impl Iterator<Item = &'a str>) -> Result<(), Reason> {
    let import = Import::into(path).unwrap();
    let (tell, told) = channel();
    for piece in pieces {
        let tell = tell.clone();
        import.add(piece.to_owned(), Box::new(move |taken| drop(tell.send(taken))));
        if let Err(refused) = told.recv().unwrap() {
            return Err(refused.reason);
        }
    }
    import.end(Box::new(move |ended| drop(tell.send(ended))));
    told.recv().unwrap().map_err(|refused| refused.reason)
}

fn used() -> String {
    let handle =
        JournalHandle::of(on_disk(Arc::new(MemoryDisk::default()), &wanted(bounds())).unwrap());
    for calls in workload() {
        together(handle.journal().unwrap(), calls);
    }
    // One more than is kept ends, and leaves the history.
    for id in ["x", "y"] {
        let ended = update(id, "u", r#"{"state":"failed","error":"no"}"#, 21);
        together(handle.journal().unwrap(), vec![reserve(id, "u", 20), ended]);
    }
    let text = exported(&handle);
    close(&handle);
    text
}

/// Reads a journal that was made, which is to be sound.
fn reread(path: &Path, place: &str) -> String {
    let wanted = Wanted { read_only: true, ..wanted(bounds()) };
    let handle = JournalHandle::open(path, &wanted).unwrap();
    assert_eq!(handle.journal().unwrap().verify(), Ok(Vec::new()), "{place}");
    let text = exported(&handle);
    close(&handle);
    text
}

#[test]
fn a_journal_that_was_used_comes_back_whole_however_its_text_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let text = used();
    assert!(text.contains(r#""type":"left""#) && text.contains(r#""type":"retired""#));
    for size in [1, 2, 7, 100, text.len()] {
        let path = folder.path().join(size.to_string());
        // The text is ASCII, so that it may be cut anywhere.
        let pieces = text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap());
        assert_eq!(imported(&path, pieces), Ok(()));
        assert_eq!(reread(&path, "whole"), text);
    }
}

#[test]
fn a_text_that_was_changed_is_refused_or_gives_a_sound_journal() {
    let seed = seed();
    let mut chance = Chance::new(seed);
    let folder = tempfile::tempdir().unwrap();
    let text = used();
    let (mut taken, count) = (0, times(150, 20_000));
    for number in 0..count {
        let place = format!("TENURE_SEED={seed}, number {number}");
        let mut bytes = text.clone().into_bytes();
        let at = chance.below(bytes.len() as u64) as usize;
        match chance.below(4) {
            0 => bytes[at] = b' ' + chance.below(95) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            _ => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let from = chance.below(lines.len() as u64) as usize;
                let line = lines.remove(from);
                if chance.below(2) == 0 {
                    lines.insert(chance.below(lines.len() as u64) as usize, line);
                }
                bytes = lines.concat().into_bytes();
            }
        }
        let path = folder.path().join("made");
        match imported(&path, std::iter::once(std::str::from_utf8(&bytes).unwrap())) {
            Ok(()) => {
                taken += 1;
                let made = reread(&path, &place);
                std::fs::remove_file(&path).unwrap();
                // What it holds now is what it will hold.
                assert_eq!(imported(&path, std::iter::once(&*made)), Ok(()), "{place}");
                assert_eq!(reread(&path, &place), made, "{place}");
                std::fs::remove_file(&path).unwrap();
            }
            Err(reason) => {
                let reasons = [Reason::JournalCorrupt, Reason::JournalVersion];
                assert!(reasons.contains(&reason), "{place}: {reason:?}");
                let left = std::fs::read_dir(folder.path()).unwrap().count();
                assert_eq!(left, 0, "{place}: something is left");
            }
        }
    }
    assert!((1..count).contains(&taken), "some are taken and some refused: {taken} of {count}");
}
