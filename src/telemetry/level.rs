//! Who wants which level, in the whole process.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_core::callsite::rebuild_interest_cache;

const LEVELS: [Level; 5] = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];
const NAMES: [&str; 5] = ["error", "warn", "info", "debug", "trace"];
const FILTERS: [LevelFilter; 6] = [
    LevelFilter::OFF,
    LevelFilter::ERROR,
    LevelFilter::WARN,
    LevelFilter::INFO,
    LevelFilter::DEBUG,
    LevelFilter::TRACE,
];

/// The level of this name: `error`, `warn`, `info`, `debug` or `trace`, and nothing else.
pub fn level_from_name(name: &str) -> Option<Level> {
    NAMES.iter().position(|known| *known == name).map(|rank| LEVELS[rank])
}

pub(super) fn name(level: Level) -> &'static str {
    NAMES[rank(level)]
}

fn rank(level: Level) -> usize {
    LEVELS.iter().position(|known| *known == level).unwrap_or(0)
}

/// How many sinks there are of each level. Also the lock that keeps two changes from telling
/// `tracing` in the wrong order.
static SINKS: Mutex<[usize; 5]> = Mutex::new([0; 5]);
static LOG: AtomicUsize = AtomicUsize::new(0);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// The level of the log, `OFF` without one.
pub(super) fn log() -> LevelFilter {
    FILTERS[LOG.load(Ordering::Relaxed)]
}

/// The most that anyone in the process wants.
pub(super) fn highest() -> LevelFilter {
    FILTERS[HIGHEST.load(Ordering::Relaxed)]
}

pub(super) fn set_log(level: Level) {
    change(|_| LOG.store(rank(level) + 1, Ordering::Relaxed));
}

/// Counts a sink in and another out; either may be missing.
pub(super) fn exchange(gone: Option<Level>, come: Option<Level>) {
    change(|sinks| {
        if let Some(level) = gone {
            sinks[rank(level)] -= 1;
        }
        if let Some(level) = come {
            sinks[rank(level)] += 1;
        }
    });
}

fn change(change: impl FnOnce(&mut [usize; 5])) {
    let mut sinks = SINKS.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut sinks);
    let wanted = sinks.iter().rposition(|count| *count > 0).map_or(0, |rank| rank + 1);
    let highest = wanted.max(LOG.load(Ordering::Relaxed));
    if HIGHEST.swap(highest, Ordering::Relaxed) != highest {
        // `tracing` has its own copy of the highest level, which it asks for only here.
        rebuild_interest_cache();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_known_by_their_lower_case_names_only() {
        for (level, name_of) in LEVELS.into_iter().zip(NAMES) {
            assert_eq!(level_from_name(name_of), Some(level));
            assert_eq!(name(level), name_of);
            assert_eq!(FILTERS[rank(level) + 1], LevelFilter::from_level(level));
        }
        for unknown in ["", "off", "DEBUG", "3", "debug "] {
            assert_eq!(level_from_name(unknown), None);
        }
    }
}
