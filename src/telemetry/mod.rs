//! What the core tells of itself: off by default, and then one relaxed load for each event.
//!
//! Events are written with `tracing`, under targets that begin with `tenure`. They name ids, counts
//! and codes; never a message, a key, a backend or any other text of the caller's.
//!
//! There are two listeners. `TENURE_LOG=error|warn|info|debug|trace` prints to stderr, through a
//! thread and a bounded queue of its own: an event may be written while a lock is held, and must not
//! wait for a pipe. A [sink](attach) collects what happens on the thread that attached it, for that
//! thread to [take]. Both count what they had to drop, and say so.

mod event;
mod level;
mod sinks;
mod writer;

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, Subscriber, set_global_default};
use tracing::{Level, Metadata};

pub use event::Event;
pub use level::level_from_name;
pub use sinks::{SinkId, attach, detach, pending_here, set_level, take};

use writer::Writer;

const VARIABLE: &str = "TENURE_LOG";

/// How many events stderr may lag behind before further ones are dropped.
const QUEUE: usize = 4096;

/// What [`install`] found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// False: another subscriber listens to this copy of `tracing`, and gets every event instead.
    pub listening: bool,
    /// What became of `TENURE_LOG`.
    pub log: Log,
}

/// What became of `TENURE_LOG`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Log {
    /// It is not set, or is empty or `off`.
    Off,
    /// Events of this level and those above it are printed.
    On(Level),
    /// It is set to something that is no level, which is given here. Nothing is printed.
    Unknown(String),
    /// It is set, but nothing is printed: no thread could be started, or another listens.
    Failed(Level),
}

/// Begins to listen, once in a process: later calls change nothing and answer the same.
pub fn install() -> &'static Installation {
    static INSTALLATION: OnceLock<Installation> = OnceLock::new();
    INSTALLATION.get_or_init(|| {
        let listening = set_global_default(Tap).is_ok();
        let log = begin_log(requested(std::env::var_os(VARIABLE).as_deref()), listening);
        Installation { listening, log }
    })
}

/// Waits until stderr has got what was printed so far: false if it takes longer than `limit`. For
/// the end of a process, whose last words would be lost otherwise.
pub fn flush(limit: Duration) -> bool {
    LOG.get().is_none_or(|writer| writer.flush(limit))
}

static LOG: OnceLock<Writer> = OnceLock::new();

fn requested(value: Option<&std::ffi::OsStr>) -> Log {
    let Some(value) = value else { return Log::Off };
    let name = value.to_string_lossy();
    match (name.as_ref(), level_from_name(&name)) {
        ("" | "off", _) => Log::Off,
        (_, Some(level)) => Log::On(level),
        (_, None) => Log::Unknown(name.into_owned()),
    }
}

fn begin_log(requested: Log, listening: bool) -> Log {
    let Log::On(level) = requested else {
        return requested;
    };
    if !listening {
        return Log::Failed(level);
    }
    match Writer::start(io::stderr(), QUEUE) {
        Ok(writer) => {
            LOG.get_or_init(|| writer);
            level::set_log(level);
            Log::On(level)
        }
        Err(_) => Log::Failed(level),
    }
}

/// The subscriber. It knows no spans, and only our own events.
struct Tap;

fn is_ours(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target().strip_prefix("tenure");
    // Besides events there is the question whether one would be wanted, which is of neither kind.
    !metadata.is_span() && target.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

impl Subscriber for Tap {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        // Whether an event is wanted may differ from thread to thread, and change.
        if is_ours(metadata) { Interest::sometimes() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(level::highest())
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let level = metadata.level();
        is_ours(metadata) && (*level <= level::log() || *level <= sinks::highest_here())
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let event = Event::now(event);
        if event.level <= level::log()
            && let Some(writer) = LOG.get()
        {
            writer.put(event.clone());
        }
        sinks::put(event);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn the_variable_names_a_level_or_off_and_anything_else_is_reported() {
        let requested = |value: &str| requested(Some(OsStr::new(value)));
        assert_eq!(super::requested(None), Log::Off);
        assert_eq!(requested(""), Log::Off);
        assert_eq!(requested("off"), Log::Off);
        assert_eq!(requested("warn"), Log::On(Level::WARN));
        assert_eq!(requested("verbose"), Log::Unknown("verbose".to_owned()));
    }

    #[test]
    fn a_log_that_nobody_could_hear_is_not_begun() {
        assert_eq!(begin_log(Log::On(Level::INFO), false), Log::Failed(Level::INFO));
        assert_eq!(begin_log(Log::Off, false), Log::Off);
    }
}
