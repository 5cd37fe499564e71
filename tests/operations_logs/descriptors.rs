//! Many live logs, few open files.

use std::sync::Arc;

use tenure::operations::logs::{LogDirectory, LogHandle, OPEN_FILES};

use super::faulty::{Faulty, Plan};
use super::kit::{BOUNDS, alone, entries, text, threads, undisturbed};

fn counted(directory: &std::path::Path) -> (Arc<Plan>, LogHandle) {
    let plan = Plan::new();
    let files = Arc::new(Faulty(Arc::clone(&plan)));
    (plan, LogDirectory::open_on(files, directory, BOUNDS, threads()).unwrap())
}

#[test]
fn five_thousand_live_logs_need_few_open_files() {
    let _undisturbed = undisturbed();
    let directory = tempfile::tempdir().unwrap();
    let (plan, logs) = counted(directory.path());
    for round in 0..3 {
        for log in 0..5_000 {
            logs.append("", &log.to_string(), &round.to_string()).unwrap();
        }
    }
    assert!(plan.get(&plan.most_open) <= OPEN_FILES as u64 + 1);
    #[cfg(target_os = "linux")]
    assert!(open_below(directory.path()) <= OPEN_FILES);
    for log in 0..5_000 {
        assert_eq!(text(&logs, "", &log.to_string()), "0\n1\n2\n");
    }
    assert_eq!(entries(directory.path()).len(), 5_000);
    logs.close().unwrap();
    assert_eq!(plan.get(&plan.open), 0, "close lets go of every file");
}

#[cfg(target_os = "linux")]
fn open_below(directory: &std::path::Path) -> usize {
    let directory = std::fs::canonicalize(directory).unwrap();
    entries(std::path::Path::new("/proc/self/fd"))
        .iter()
        .filter_map(|link| std::fs::read_link(link).ok())
        .filter(|path| path.starts_with(&directory))
        .count()
}

#[test]
fn a_log_in_use_keeps_its_file_open() {
    let _undisturbed = undisturbed();
    let used = |log: Option<&str>| {
        let directory = tempfile::tempdir().unwrap();
        let (plan, logs) = counted(directory.path());
        logs.append("", "a", "x").unwrap();
        let before = plan.get(&plan.operations);
        for other in 0..100 {
            logs.append("", &other.to_string(), "x").unwrap();
            log.into_iter().for_each(|log| logs.append("", log, "x").unwrap());
        }
        plan.get(&plan.operations) - before
    };
    // A look at the path, and a write.
    assert_eq!(used(Some("a")) - used(None), 100 * 2);
}

#[test]
fn logs_that_are_only_read_push_no_file_out() {
    let _undisturbed = undisturbed();
    let directory = tempfile::tempdir().unwrap();
    let (plan, logs) = counted(directory.path());
    (0..200).for_each(|log| logs.append("", &log.to_string(), "x").unwrap());
    logs.append("", "a", "x").unwrap();
    (0..200).for_each(|log| drop(text(&logs, "", &log.to_string())));
    let before = plan.get(&plan.operations);
    logs.append("", "a", "x").unwrap();
    assert_eq!(plan.get(&plan.operations) - before, 2);
}

#[test]
fn when_no_descriptor_is_left_those_that_are_not_used_are_given_up() {
    let _alone = alone();
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let plan = Plan::new();
    let handles = directories.each_ref().map(|directory| {
        let files = Arc::new(Faulty(Arc::clone(&plan)));
        LogDirectory::open_on(files, directory.path(), BOUNDS, threads()).unwrap()
    });
    plan.set(&plan.descriptors, 10);
    for round in 0..2 {
        for logs in &handles {
            (0..20).for_each(|log| logs.append("", &log.to_string(), &round.to_string()).unwrap());
        }
    }
    for logs in &handles {
        (0..20).for_each(|log| assert_eq!(text(logs, "", &log.to_string()), "0\n1\n"));
    }
}

#[test]
fn the_last_handle_to_close_lets_go_of_the_files_before_it_says_so() {
    let _undisturbed = undisturbed();
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::new();
    let open = || {
        let files = Arc::new(Faulty(Arc::clone(&plan)));
        LogDirectory::open_on(files, directory.path(), BOUNDS, threads()).unwrap()
    };
    let (logs, other) = (open(), open());
    other.append("", "a", "x").unwrap();
    other.close().unwrap();
    other.close().unwrap();
    assert_eq!(plan.get(&plan.open), 1, "they are the directory's");
    logs.append("", "b", "x").unwrap();
    let (to, closed) = std::sync::mpsc::channel();
    let seen = Arc::clone(&plan);
    logs.close_later(Box::new(move |_| to.send(seen.get(&seen.open)).unwrap()));
    assert_eq!(closed.recv(), Ok(0));
}

#[test]
fn the_last_handle_to_be_dropped_lets_go_of_the_files_even_if_the_pool_lags_behind() {
    let _undisturbed = undisturbed();
    let directory = tempfile::tempdir().unwrap();
    let (plan, pool) = (Plan::new(), super::kit::Pool::default());
    let files = Arc::new(Faulty(Arc::clone(&plan)));
    let logs = LogDirectory::open_on(files, directory.path(), BOUNDS, pool.spawner()).unwrap();
    logs.append_later("", "a", "x", super::kit::nobody());
    assert_eq!(text(&logs, "", "a"), "x\n");
    assert_eq!((plan.get(&plan.open), pool.len()), (1, 1));
    drop(logs);
    assert_eq!(plan.get(&plan.open), 0);
}
