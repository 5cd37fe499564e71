//! Which handles share a directory, and what lies in it.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use tenure::error::Reason;
use tenure::operations::logs::LogDirectory;

use super::kit::{BOUNDS, entries, open, reason, text, threads};

#[test]
fn no_id_or_scope_leaves_the_directory_or_meets_another() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("deep").join("logs");
    let logs = open(&directory);
    let (long, emoji) = ("x".repeat(128), "😀".repeat(128));
    let ids = [
        "../x",
        "..",
        ".",
        "a/b",
        "/etc/passwd",
        "C:x",
        "C:\\x",
        "CON",
        "NUL.txt",
        "a:b",
        "A",
        "a",
        "é",
        "e\u{301}",
        &long,
        "trailing.",
        "trailing ",
        "%2e%2e",
        "\u{2028}",
        "~",
        "*",
        &emoji,
        "-rf",
        "$(id)",
        "b",
        "ab",
        "",
        "nul\0nul",
        "a.log",
        "a.full.log",
    ];
    let scopes = ["", "a", "../x", &long];
    let pairs: Vec<_> =
        scopes.iter().flat_map(|scope| ids.iter().map(move |id| (*scope, *id))).collect();
    for (scope, id) in &pairs {
        logs.append(scope, id, &format!("{scope:?} {id:?}")).unwrap();
    }
    for (scope, id) in &pairs {
        assert_eq!(text(&logs, scope, id), format!("{scope:?} {id:?}\n"));
    }
    assert_eq!(entries(root.path()), [root.path().join("deep")]);
    assert_eq!(super::kit::only(&root.path().join("deep")), directory);
    let names: HashSet<_> = entries(&directory)
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_lowercase())
        .collect();
    assert_eq!(names.len(), pairs.len());
    for name in names {
        let hash = name.strip_suffix(".log").unwrap();
        assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    }
    for (scope, id) in &pairs {
        logs.retire(scope, id).unwrap();
    }
    assert!(entries(&directory).is_empty());
}

#[test]
fn a_path_that_cannot_be_a_directory_is_refused_with_what_the_system_said() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "mine").unwrap();
    for path in [file.clone(), file.join("below")] {
        let refused = LogDirectory::open(&path, BOUNDS, threads()).unwrap_err();
        assert_eq!(refused.reason, Reason::LogIo);
        assert!(refused.cause.is_some());
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn a_relative_path_is_that_of_the_time_of_opening() {
    let root = tempfile::tempdir_in(".").unwrap();
    let relative = Path::new(root.path().file_name().unwrap()).join("logs");
    let one = open(&relative);
    one.append("", "a", "one").unwrap();
    assert_eq!(text(&open(&fs::canonicalize(&relative).unwrap()), "", "a"), "one\n");
}

#[test]
fn what_is_not_a_log_is_refused_and_left_alone() {
    let (directory, logs) = super::kit::logs();
    logs.append("", "a", "x").unwrap();
    let path = super::kit::only(directory.path());
    logs.retire("", "a").unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(reason(logs.append("", "a", "x")), Reason::LogIo);
    assert_eq!(reason(logs.read("", "a", 0)), Reason::LogIo);
    assert_eq!(reason(logs.retire("", "a")), Reason::LogIo);
    fs::remove_dir(&path).unwrap();
    logs.append("", "a", "y").unwrap();
    assert_eq!(text(&logs, "", "a"), "y\n");
}

#[test]
fn a_directory_that_was_deleted_is_made_anew_and_still_shared() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("logs");
    let one = open(&directory);
    one.append("", "a", "lost").unwrap();
    fs::remove_dir_all(&directory).unwrap();
    assert_eq!(text(&one, "", "a"), "");
    one.retire("", "a").unwrap();
    one.append("", "a", "one").unwrap();
    let two = open(&directory);
    for _ in 0..10 {
        two.append("", "a", "two").unwrap();
        one.append("", "a", "one").unwrap();
    }
    assert_eq!(text(&two, "", "a"), format!("one\n{}", "two\none\n".repeat(10)));
    fs::remove_dir_all(&directory).unwrap();
    let three = open(&directory);
    three.append_later("", "a", "three", super::kit::nobody());
    one.append("", "a", "one").unwrap();
    assert_eq!(text(&two, "", "a"), "three\none\n");
}

#[test]
fn a_directory_that_was_moved_is_another_one() {
    let root = tempfile::tempdir().unwrap();
    let (here, there) = (root.path().join("here"), root.path().join("there"));
    let old = open(&here);
    old.append("", "a", "before").unwrap();
    fs::rename(&here, &there).unwrap();
    let new = open(&there);
    new.append("", "a", "after").unwrap();
    old.append("", "a", "elsewhere").unwrap();
    assert_eq!(text(&new, "", "a"), "before\nafter\n");
    assert_eq!(text(&old, "", "a"), "elsewhere\n");
    assert_eq!(text(&open(&there), "", "a"), "before\nafter\n");
    assert_eq!(text(&open(&here), "", "a"), "elsewhere\n");
}

#[test]
fn many_directories_opened_and_dropped_at_once_are_never_mixed_up() {
    let root = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let root = root.path();
            scope.spawn(move || {
                for round in 0..50 {
                    let logs = open(&root.join((round % 5).to_string()));
                    logs.append("", &thread.to_string(), &round.to_string()).unwrap();
                }
            });
        }
    });
    for thread in 0..4 {
        for which in 0..5 {
            let logs = open(&root.path().join(which.to_string()));
            let expected: String =
                (0..10).map(|round| format!("{}\n", round * 5 + which)).collect();
            assert_eq!(text(&logs, "", &thread.to_string()), expected);
        }
    }
}

#[cfg(unix)]
#[test]
fn handles_reached_through_links_share_one_directory() {
    use super::kit::{Pool, nobody};
    let root = tempfile::tempdir().unwrap();
    let (real, link) = (root.path().join("real"), root.path().join("link"));
    let pool = Pool::default();
    let one = LogDirectory::open(&real, BOUNDS, pool.spawner()).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let two = open(&link.join("..").join("link"));
    one.append_later("", "a", "one", nobody());
    two.append("", "a", "two").unwrap();
    assert_eq!(text(&one, "", "a"), "one\ntwo\n", "one queue");
}

#[cfg(unix)]
#[test]
fn a_directory_that_was_moved_and_linked_from_its_old_place_is_still_shared() {
    use super::kit::{Pool, nobody};
    let root = tempfile::tempdir().unwrap();
    let (here, there) = (root.path().join("here"), root.path().join("there"));
    let pool = Pool::default();
    let one = LogDirectory::open(&here, BOUNDS, pool.spawner()).unwrap();
    fs::rename(&here, &there).unwrap();
    std::os::unix::fs::symlink(&there, &here).unwrap();
    let two = open(&there);
    one.append_later("", "a", "one", nobody());
    two.append("", "a", "two").unwrap();
    assert_eq!(text(&one, "", "a"), "one\ntwo\n", "one queue");
}

#[cfg(unix)]
#[test]
fn logs_are_private_to_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("deep").join("logs");
    let logs = open(&directory);
    logs.append("", "a", "x").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    assert_eq!(mode(&root.path().join("deep")), 0o700);
    assert_eq!(mode(&super::kit::only(&directory)), 0o600);
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    let _again = open(&directory);
    assert_eq!(mode(&directory), 0o755, "a directory that is there is left as it is");
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_log_is_not_followed() {
    let (directory, logs) = super::kit::logs();
    logs.append("", "a", "x").unwrap();
    let path = super::kit::only(directory.path());
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs::write(outside.path(), "mine\n").unwrap();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(outside.path(), &path).unwrap();
    assert_eq!(reason(logs.append("", "a", "y")), Reason::LogIo);
    assert_eq!(reason(logs.read("", "a", 0)), Reason::LogIo);
    assert_eq!(fs::read_to_string(outside.path()).unwrap(), "mine\n");
    logs.retire("", "a").unwrap();
    assert_eq!(fs::read_to_string(outside.path()).unwrap(), "mine\n");
    logs.append("", "a", "z").unwrap();
    assert_eq!(text(&logs, "", "a"), "z\n");
}
