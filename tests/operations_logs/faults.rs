//! What a fault of the disk leaves: a true beginning made of whole lines, and a log that goes on.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use tenure::error::Reason;
use tenure::operations::Answer;
use tenure::operations::logs::{LogDirectory, LogHandle};

use super::faulty::{Faulty, Plan};
use super::kit::{bounds, follow, open_with, reason, slice, text, threads, truncated};

const BOUNDS: tenure::operations::logs::LogBounds = bounds(40, 16);

fn faulty(directory: &Path, plan: &Arc<Plan>) -> LogHandle {
    let files = Arc::new(Faulty(Arc::clone(plan)));
    LogDirectory::open_on(files, directory, BOUNDS, threads()).unwrap()
}

/// What the logs hold, by the answers of the calls.
#[derive(Clone, Default)]
struct Model(BTreeMap<&'static str, (String, bool)>);

#[derive(Clone, Copy)]
enum Step {
    Append(&'static str, &'static str),
    Retire(&'static str),
}

const WORKLOAD: &[Step] = &[
    Step::Append("a", "first"),
    Step::Append("b", "é\n😀"),
    Step::Append("a", "second"),
    Step::Append("a", "0123456789"),
    Step::Retire("b"),
    Step::Append("b", "begun anew"),
    Step::Append("a", "this record passes the bound"),
    Step::Append("a", "never"),
    Step::Append("c", "a record that is too long for any log of its own"),
    Step::Append("c", "never"),
    Step::Retire("a"),
    Step::Append("a", "again"),
    Step::Retire("c"),
];

impl Model {
    fn step(&mut self, step: Step) {
        match step {
            Step::Retire(id) => {
                self.0.remove(id);
            }
            Step::Append(id, line) => {
                let (text, full) = self.0.entry(id).or_default();
                let record = format!("{}\n", line.replace('\n', "\\n"));
                *full |= (text.len() + record.len()) as u64 > BOUNDS.log_bytes;
                if !*full {
                    text.push_str(&record);
                }
            }
        }
    }

    fn is(&self, logs: &LogHandle, when: &str) {
        for id in ["a", "b", "c"] {
            let (expected, full) = self.0.get(id).cloned().unwrap_or_default();
            assert_eq!(text(logs, "", id), expected, "{id} {when}");
            assert_eq!(truncated(logs, "", id), full, "{id} {when}");
        }
    }
}

fn take(logs: &LogHandle, step: Step) -> Answer<()> {
    match step {
        Step::Append(id, line) => logs.append("", id, line),
        Step::Retire(id) => logs.retire("", id),
    }
}

/// Runs the workload, `plan` having been told to fail; a refused step is tried again once the fault
/// is over. Says whether any step was refused.
fn run(directory: &Path, plan: &Arc<Plan>, when: &str) -> bool {
    let logs = faulty(directory, plan);
    let (mut model, mut refused) = (Model::default(), false);
    for step in WORKLOAD {
        if let Err(error) = take(&logs, *step) {
            assert_eq!(error.reason, Reason::LogIo, "{when}");
            assert!(error.cause.is_some_and(|cause| cause.errno.is_some()));
            plan.heal();
            refused = true;
            model.is(&logs, when);
            take(&logs, *step).unwrap();
        }
        model.step(*step);
    }
    plan.heal();
    model.is(&logs, when);
    model.is(&faulty(directory, plan), when);
    refused
}

#[test]
fn a_call_that_fails_at_any_operation_changes_nothing_and_succeeds_the_next_time() {
    for at_once in [u64::MAX, 3] {
        for many in 1..=4 {
            // The first one makes the directory.
            for from in 2.. {
                let directory = tempfile::tempdir().unwrap();
                let plan = Plan::new();
                plan.set(&plan.at_once, at_once);
                plan.fail(from, from + many - 1);
                run(directory.path(), &plan, &format!("{many} from {from}"));
                if plan.get(&plan.operations) < from {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_disk_that_is_full_after_any_byte_keeps_whole_lines_and_works_again() {
    let mut refusals = 0;
    for room in 0..200 {
        let directory = tempfile::tempdir().unwrap();
        let plan = Plan::new();
        plan.set(&plan.at_once, 7);
        plan.set(&plan.room, room);
        let refused = run(directory.path(), &plan, &format!("{room} bytes"));
        refusals += u64::from(refused);
        if !refused {
            break;
        }
    }
    assert!((50..200).contains(&refusals), "{refusals}");
}

#[test]
fn after_a_crash_at_any_operation_whole_lines_are_left_and_the_log_goes_on() {
    for from in 2.. {
        let directory = tempfile::tempdir().unwrap();
        let plan = Plan::new();
        plan.set(&plan.at_once, 3);
        plan.fail(from, u64::MAX);
        let logs = faulty(directory.path(), &plan);
        let mut model = Model::default();
        let broken = WORKLOAD.iter().find(|step| {
            let failed = take(&logs, **step).is_err();
            if !failed {
                model.step(**step);
            }
            failed
        });
        drop(logs);
        let Some(broken) = broken else { break };
        let logs = open_with(directory.path(), BOUNDS);
        // The call that was cut off has happened, or has not, or has left a part of its line.
        let mut after = model.clone();
        after.step(*broken);
        for id in ["a", "b", "c"] {
            let (is, full) = (text(&logs, "", id), truncated(&logs, "", id));
            let [before, after] =
                [&model, &after].map(|m| m.0.get(id).cloned().unwrap_or_default());
            let torn = is.starts_with(&before.0) && after.0.starts_with(&is);
            assert!(torn || is == before.0 || is == after.0, "{id} from {from}: {is:?}");
            assert!(full == before.1 || full == after.1, "{id} from {from}");
            let lines = &is[..is.rfind('\n').map_or(0, |at| at + 1)];
            logs.append("", id, "").unwrap();
            let added = if full { "" } else { "\n" };
            assert_eq!(text(&logs, "", id), format!("{lines}{added}"), "{id} from {from}");
        }
    }
}

#[test]
fn a_part_of_a_line_that_cannot_be_taken_back_is_not_shown_and_goes_with_the_next_append() {
    let _undisturbed = super::kit::undisturbed();
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::new();
    let logs = faulty(directory.path(), &plan);
    logs.append("", "a", "one").unwrap();
    plan.set(&plan.at_once, 3);
    let written = plan.get(&plan.operations) + 2;
    // The second write fails, and so does the cut.
    plan.fail(written + 1, written + 2);
    assert_eq!(reason(logs.append("", "a", "second")), Reason::LogIo);
    plan.heal();
    let on_disk = std::fs::read_to_string(super::kit::only(directory.path())).unwrap();
    assert_eq!(on_disk, "one\nsec");
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 4, false, "one\n"));
    assert_eq!(logs.read("", "a", 7).unwrap(), slice(4, 4, false, ""));
    // As many others as push every file out of memory that may go.
    for log in 0..200 {
        logs.append("", &log.to_string(), "x").unwrap();
    }
    assert_eq!(logs.read("", "a", 0).unwrap(), slice(0, 4, false, "one\n"));
    logs.append("", "a", "two").unwrap();
    assert_eq!(text(&logs, "", "a"), "one\ntwo\n");
}

#[test]
fn a_log_that_could_not_be_begun_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::new();
    let logs = faulty(directory.path(), &plan);
    plan.set(&plan.at_once, 2);
    plan.set(&plan.room, 2);
    assert_eq!(reason(logs.append("", "a", "one")), Reason::LogIo);
    assert!(super::kit::entries(directory.path()).is_empty());
    plan.heal();
    logs.append("", "a", "one").unwrap();
    assert_eq!(text(&logs, "", "a"), "one\n");
}

#[test]
fn a_disk_that_takes_nothing_and_says_nothing_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::new();
    let logs = faulty(directory.path(), &plan);
    plan.set(&plan.at_once, 0);
    assert_eq!(reason(logs.append("", "a", "one")), Reason::LogIo);
}

#[test]
fn an_open_file_that_is_in_the_way_of_its_own_path_is_closed() {
    let _undisturbed = super::kit::undisturbed();
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::new();
    let logs = faulty(directory.path(), &plan);
    logs.append("", "a", "one").unwrap();
    let fail_once = || {
        let next = plan.get(&plan.operations) + 1;
        plan.fail(next, next);
    };
    fail_once();
    logs.append("", "a", "two").unwrap();
    fail_once();
    assert_eq!(text(&logs, "", "a"), "one\ntwo\n");
}

#[test]
fn a_failed_call_tells_no_follower_and_ends_none() {
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan::new();
    let logs = faulty(directory.path(), &plan);
    logs.append("", "a", "one").unwrap();
    let (follower, told) = follow(&logs, "", "a");
    plan.fail(1, u64::MAX);
    assert_eq!(reason(logs.append("", "a", "two")), Reason::LogIo);
    assert_eq!(reason(logs.retire("", "a")), Reason::LogIo);
    assert_eq!(reason(logs.read("", "a", 0)), Reason::LogIo);
    assert!(told.try_recv().is_err() && !follower.is_over());
    plan.heal();
    logs.append("", "a", "two").unwrap();
    assert!(told.try_recv().is_ok());
}

#[test]
fn one_log_that_cannot_be_written_stops_no_other() {
    let (directory, logs) = super::kit::logs();
    logs.append("", "a", "x").unwrap();
    let path = super::kit::only(directory.path());
    logs.retire("", "a").unwrap();
    std::fs::create_dir(path).unwrap();
    let (done, told) = super::kit::answer();
    logs.append_later("", "a", "x", done);
    logs.append("", "b", "y").unwrap();
    assert_eq!(reason(told.recv().unwrap()), Reason::LogIo);
    assert_eq!(text(&logs, "", "b"), "y\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_fails_for_however_long_the_answers_say_what_the_logs_hold(
        steps in prop::collection::vec((0..WORKLOAD.len(), 0..3_u64, 0..12_u64, 0..40_u64), 1..40),
        at_once in 1..20_u64,
    ) {
        let directory = tempfile::tempdir()?;
        let plan = Plan::new();
        plan.set(&plan.at_once, at_once);
        let logs = faulty(directory.path(), &plan);
        let mut model = Model::default();
        for (step, begins, lasts, room) in steps {
            let step = WORKLOAD[step];
            let next = plan.get(&plan.operations) + 1 + begins;
            plan.fail(next, next + lasts);
            plan.set(&plan.room, if lasts % 2 == 0 { room } else { u64::MAX });
            if lasts > 8 {
                plan.heal();
            }
            match take(&logs, step) {
                Ok(()) => model.step(step),
                Err(error) => prop_assert_eq!(error.reason, Reason::LogIo),
            }
            for (id, (text, truncated)) in &model.0 {
                if let Ok(is) = logs.read("", id, 0) {
                    prop_assert!(text.starts_with(&is.text), "{} {:?} {:?}", id, text, is);
                    prop_assert_eq!(is.truncated, *truncated);
                    prop_assert!(is.next_offset == text.len() as u64 || is.text.len() > 12);
                }
            }
        }
        plan.heal();
        model.is(&logs, "healed");
    }
}
