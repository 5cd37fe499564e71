//! `TENURE_LOG`, in processes of their own: it is read once in the life of one.

use std::io;
use std::process::{Command, Output};
use std::time::Duration;

use tenure::admission::{Registration, Registry};
use tenure::telemetry::{self, Log};
use tracing::Level;
use tracing::level_filters::LevelFilter;

/// Runs the test of this name alone, in a process where `TENURE_LOG` is `value`.
fn run(test: &str, value: Option<&str>) -> io::Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", test, "--nocapture"]).env_remove("TENURE_LOG");
    if let Some(value) = value {
        command.env("TENURE_LOG", value);
    }
    command.output()
}

fn printed(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().filter(|line| line.contains("tenure::"));
    // All but the time, which comes first.
    lines.filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect()
}

/// Behaves as `TENURE_LOG` says, whatever that is.
#[test]
fn the_process_listens_as_it_was_told() {
    let told = std::env::var("TENURE_LOG").unwrap_or_default();
    let (log, filter) = match telemetry::level_from_name(&told) {
        Some(level) => (Log::On(level), LevelFilter::from_level(level)),
        None if told.is_empty() || told == "off" => (Log::Off, LevelFilter::OFF),
        None => (Log::Unknown(told), LevelFilter::OFF),
    };
    assert_eq!(telemetry::install().log, log);
    assert_eq!(LevelFilter::current(), filter);

    let sink = telemetry::attach(Level::DEBUG);
    assert!(LevelFilter::current() >= LevelFilter::DEBUG);
    work();
    assert_eq!(telemetry::take(sink).len(), 3);
    assert!(telemetry::detach(sink));
    assert_eq!(LevelFilter::current(), filter);
    assert!(telemetry::flush(Duration::from_secs(60)));
}

fn work() {
    let registry = Registry::new();
    let registration = Registration {
        operation_id: "o 1\nERROR forged".into(),
        owner_id: "w".into(),
        session_id: None,
    };
    let lease = registry.reserve(1, registration, vec!["secret".into()]).unwrap_or_default();
    assert!(registry.release(lease));
    registry.close();
}

#[test]
fn a_level_prints_its_events_and_those_above_a_line_each() -> io::Result<()> {
    let name = "the_process_listens_as_it_was_told";
    let output = run(name, Some("debug"))?;
    assert!(output.status.success(), "{output:?}");
    let expected = [
        "DEBUG tenure::admission operation admitted operation_id=\"o 1\\nERROR forged\" owner_id=w lease=1",
        "DEBUG tenure::admission operation released operation_id=\"o 1\\nERROR forged\" owner_id=w lease=1",
        " INFO tenure::admission admission closed operations=0",
    ];
    assert_eq!(printed(&output), expected);
    let output = run(name, Some("info"))?;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(printed(&output), expected[2..]);
    Ok(())
}

#[test]
fn no_level_prints_nothing() -> io::Result<()> {
    for value in [None, Some(""), Some("off"), Some("error"), Some("loud")] {
        let output = run("the_process_listens_as_it_was_told", value)?;
        assert!(output.status.success(), "{output:?}");
        assert_eq!(printed(&output), [""; 0]);
    }
    Ok(())
}
