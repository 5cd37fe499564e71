//! What is kept of a line, and what a slice gives of it.

use super::kit::{bounds, entries, logs, nobody, open_with, slice, text, truncated};

const TEXT: &str = "a é € 😀 z\u{301} \0\u{1b} end";

#[test]
fn each_line_is_one_record_whatever_breaks_it_contains() {
    let (_directory, logs) = logs();
    for line in ["a\nb", "c\r\nd", "\n", "", "e\r", "\u{2028}", "last"] {
        logs.append("", "x", line).unwrap();
    }
    assert_eq!(text(&logs, "", "x"), "a\\nb\nc\\r\\nd\n\\n\n\ne\\r\n\u{2028}\nlast\n");
}

#[test]
fn a_slice_never_splits_a_character_and_is_as_long_as_it_may_be() {
    let whole = format!("{TEXT}\n");
    for most in [4, 5, 7, 11, 65_536_usize] {
        let directory = tempfile::tempdir().unwrap();
        let logs = open_with(directory.path(), bounds(1_000, most as u64));
        logs.append("s", "a", TEXT).unwrap();
        for offset in 0..=whole.len() + 3 {
            let is = logs.read("s", "a", offset as u64).unwrap();
            let from = (offset..).find(|at| *at >= whole.len() || whole.is_char_boundary(*at));
            let from = from.unwrap().min(whole.len());
            let to = (from..=whole.len().min(from + most)).rev();
            let to = to.into_iter().find(|at| whole.is_char_boundary(*at)).unwrap();
            assert_eq!(is, slice(from as u64, to as u64, false, &whole[from..to]), "{offset}");
        }
        assert_eq!(text(&logs, "s", "a"), whole);
    }
}

#[test]
fn a_slice_holds_one_character_at_the_least() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(1_000, 0));
    logs.append("", "a", "😀a").unwrap();
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 4, false, "😀"));
    assert_eq!(text(&logs, "", "a"), "😀a\n");
}

#[test]
fn an_offset_past_the_end_is_the_end_and_an_unknown_log_is_empty() {
    let (directory, logs) = logs();
    logs.append("", "a", "abc").unwrap();
    for offset in [4, 5, 100, u64::MAX] {
        assert_eq!(logs.read("", "a", offset).unwrap(), slice(4, 4, false, ""));
        assert_eq!(logs.read("", "none", offset).unwrap(), slice(0, 0, false, ""));
    }
    assert_eq!(entries(directory.path()).len(), 1, "a read makes no file");
}

#[test]
fn a_log_is_filled_to_the_last_byte_and_not_beyond() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(20, 100));
    logs.append("", "a", &"é".repeat(9)).unwrap();
    logs.append("", "a", "").unwrap();
    let whole = format!("{}\n\n", "é".repeat(9));
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 20, false, &whole));
    logs.append("", "a", "").unwrap();
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 20, true, &whole));
    logs.append("", "breaks", &"\n".repeat(9)).unwrap();
    logs.append("", "breaks", "\n").unwrap();
    assert_eq!(logs.read("", "breaks", 19).unwrap(), slice(19, 19, true, ""));
}

#[test]
fn after_a_dropped_record_every_later_one_is_dropped_for_good() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(20, 100));
    logs.append("", "cut", "0123456789").unwrap();
    logs.append("", "cut", "xxxxxxxxx").unwrap();
    logs.append("", "cut", "fits").unwrap();
    assert_eq!(logs.read("", "cut", 0).unwrap(), slice(0, 11, true, "0123456789\n"));
    drop(logs);
    let logs = open_with(directory.path(), bounds(1_000, 100));
    logs.append("", "cut", "also under a larger bound").unwrap();
    assert_eq!(logs.read("", "cut", 4).unwrap(), slice(4, 11, true, "456789\n"));
    assert_eq!(logs.read("", "cut", 11).unwrap(), slice(11, 11, true, ""));
    assert_eq!(entries(directory.path()).len(), 1);
    logs.retire("", "cut").unwrap();
    assert_eq!(logs.read("", "cut", 0).unwrap(), slice(0, 0, false, ""));
    assert!(entries(directory.path()).is_empty());
    logs.append("", "cut", "again").unwrap();
    assert_eq!(logs.read("", "cut", 0).unwrap(), slice(0, 6, false, "again\n"));
}

#[test]
fn a_first_record_that_is_too_long_leaves_an_empty_truncated_log() {
    let directory = tempfile::tempdir().unwrap();
    let logs = open_with(directory.path(), bounds(4, 100));
    for id in ["a", "b"] {
        logs.append("", id, "0123").unwrap();
        logs.append("", id, "").unwrap();
        assert_eq!(logs.read("", id, 0).unwrap(), slice(0, 0, true, ""));
    }
    drop(logs);
    let logs = open_with(directory.path(), bounds(4, 100));
    assert!(truncated(&logs, "", "a"));
    assert_eq!(entries(directory.path()).len(), 2);
}

#[test]
fn the_bounds_are_those_of_the_handle() {
    let directory = tempfile::tempdir().unwrap();
    let small = open_with(directory.path(), bounds(10, 4));
    let large = open_with(directory.path(), bounds(1_000, 100));
    large.append("", "a", "0123456789").unwrap();
    assert_eq!(small.read("", "a", 0).unwrap(), slice(0, 4, false, "0123"));
    assert!(!truncated(&large, "", "a"));
    small.append("", "a", "").unwrap();
    large.append("", "a", "").unwrap();
    assert_eq!(large.read("", "a", 0).unwrap(), slice(0, 11, true, "0123456789\n"));
}

#[test]
fn retire_deletes_one_log_only_and_an_unknown_one_is_no_error() {
    let (directory, logs) = logs();
    let all = [("", "a"), ("", "b"), ("s", "a"), ("s", "b")];
    for (scope, id) in all {
        logs.append(scope, id, "x").unwrap();
    }
    logs.retire("s", "a").unwrap();
    logs.retire("s", "a").unwrap();
    logs.retire("", "never").unwrap();
    let left: Vec<_> = all.iter().map(|(scope, id)| text(&logs, scope, id)).collect();
    assert_eq!(left, ["x\n", "x\n", "", "x\n"]);
    assert_eq!(entries(directory.path()).len(), 3);
    logs.retire_later("s", "b", nobody());
    assert_eq!(text(&logs, "s", "b"), "", "a read sees what was called before");
}

#[test]
fn nul_and_escapes_are_kept_as_they_are() {
    let (directory, logs) = logs();
    logs.append("", "a", "\0\u{1b}[31m\u{7f}\u{feff}").unwrap();
    let bytes = std::fs::read(super::kit::only(directory.path())).unwrap();
    assert_eq!(bytes, "\0\u{1b}[31m\u{7f}\u{feff}\n".as_bytes());
    assert_eq!(text(&logs, "", "a").as_bytes(), bytes);
}
