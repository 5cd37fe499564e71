//! Files that somebody else deleted, replaced, damaged or left half-written.

use std::fs;
use std::io::Write;

use super::kit::{bounds, entries, logs, only, open, open_with, slice, text, truncated};

#[test]
fn a_log_that_was_deleted_while_open_is_begun_anew() {
    let (directory, logs) = logs();
    logs.append("", "a", "gone").unwrap();
    fs::remove_file(only(directory.path())).unwrap();
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 0, false, ""));
    logs.append("", "a", "new").unwrap();
    assert_eq!(text(&logs, "", "a"), "new\n");
    assert_eq!(fs::read_to_string(only(directory.path())).unwrap(), "new\n");
}

#[test]
fn a_full_log_that_was_deleted_is_begun_anew() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(4, 100));
    logs.append("", "a", "too long").unwrap();
    assert!(truncated(&logs, "", "a"));
    fs::remove_file(only(directory.path())).unwrap();
    logs.append("", "a", "new").unwrap();
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 4, false, "new\n"));
}

#[test]
fn a_log_that_was_moved_away_is_not_written_to() {
    let (directory, logs) = logs();
    logs.append("", "a", "old").unwrap();
    let away = directory.path().join("kept");
    fs::rename(only(directory.path()), &away).unwrap();
    logs.append("", "a", "new").unwrap();
    assert_eq!(fs::read_to_string(away).unwrap(), "old\n");
    assert_eq!(text(&logs, "", "a"), "new\n");
}

#[test]
fn a_log_that_was_replaced_goes_on_in_its_place() {
    let (directory, logs) = logs();
    logs.append("", "a", "old").unwrap();
    let path = only(directory.path());
    let other = directory.path().join("other");
    fs::write(&other, "replaced\n").unwrap();
    fs::rename(other, &path).unwrap();
    assert_eq!(text(&logs, "", "a"), "replaced\n");
    logs.append("", "a", "new").unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "replaced\nnew\n");
}

#[test]
fn a_log_that_was_emptied_or_added_to_goes_on_at_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(20, 100));
    logs.append("", "a", "012345678").unwrap();
    let path = only(directory.path());
    fs::write(&path, "").unwrap();
    logs.append("", "a", "new").unwrap();
    assert_eq!(text(&logs, "", "a"), "new\n");
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"theirs\n").unwrap();
    logs.append("", "a", "12345678").unwrap();
    assert_eq!(text(&logs, "", "a"), "new\ntheirs\n12345678\n");
    logs.append("", "a", "").unwrap();
    assert!(truncated(&logs, "", "a"), "what others added counts");
}

#[test]
fn a_torn_last_line_is_shown_until_the_next_append_takes_it_away() {
    let long = "é".repeat(40_000);
    for (left, whole) in [
        ("one\ntw", "one\n"),
        ("one\nt", "one\n"),
        ("torn", ""),
        ("one\n", "one\n"),
        ("", ""),
        (&*format!("one\n{long}"), "one\n"),
        (&*long, ""),
        (&*format!("{long}\ntorn"), &*format!("{long}\n")),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let logs = open(directory.path());
        logs.append("", "a", "x").unwrap();
        let path = only(directory.path());
        drop(logs);
        fs::write(&path, left).unwrap();
        let logs = open(directory.path());
        assert_eq!(text(&logs, "", "a"), left);
        logs.append("", "a", "next").unwrap();
        assert_eq!(text(&logs, "", "a"), format!("{whole}next\n"));
    }
}

#[test]
fn a_torn_line_is_taken_away_before_its_bytes_count() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(8, 100));
    logs.append("", "a", "one").unwrap();
    fs::write(only(directory.path()), "one\ntw").unwrap();
    logs.append("", "a", "two").unwrap();
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 8, false, "one\ntwo\n"));
    fs::write(only(directory.path()), "one\ntwo").unwrap();
    logs.append("", "a", "three").unwrap();
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 4, true, "one\n"));
}

#[test]
fn a_character_that_is_not_there_as_a_whole_is_not_shown() {
    let (directory, logs) = logs();
    logs.append("", "a", "x").unwrap();
    let path = only(directory.path());
    for (cut_off, count) in [(&b"\xc3"[..], 1), (b"\xe2\x82", 2), (b"\xf0\x9f\x98", 3)] {
        fs::write(&path, [b"one\ntw", cut_off].concat()).unwrap();
        assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 6, false, "one\ntw"));
        for offset in 6..8 + count {
            assert_eq!(logs.read("", "a", offset).unwrap(), slice(6, 6, false, ""));
        }
    }
}

#[test]
fn damaged_bytes_are_shown_as_replacements_and_offsets_stay_those_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(1_000, 8));
    logs.append("", "a", "x").unwrap();
    fs::write(only(directory.path()), b"a\xffb\x80\x80\xc3(\xed\xa0\x80\xe2\x82\nend\n").unwrap();
    let whole =
        "a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}(\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\nend\n";
    assert_eq!(text(&logs, "", "a"), whole);
    assert_eq!(logs.read("", "a", 2).unwrap(), slice(2, 5, false, "b\u{fffd}\u{fffd}"));
    assert_eq!(logs.read("", "a", 13).unwrap(), slice(13, 17, false, "end\n"));
    logs.append("", "a", "goes on").unwrap();
    assert_eq!(text(&logs, "", "a"), format!("{whole}goes on\n"));
}

#[test]
fn a_file_larger_than_its_bound_takes_nothing_more_and_keeps_what_it_has() {
    let (directory, logs) = logs();
    logs.append("", "a", &"x".repeat(99)).unwrap();
    let small = open_with(directory.path(), bounds(10, 100));
    small.append("", "a", "").unwrap();
    assert_eq!(text(&logs, "", "a").len(), 100);
    assert!(truncated(&logs, "", "a"));
    assert_eq!(entries(directory.path()).len(), 1);
}
