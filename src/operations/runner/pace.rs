//! How long a pause is, and when a time is over. Pure.

use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);

/// The pause of one that has failed so often in a row.
fn grown(poll: Duration, failures: u32) -> Duration {
    poll.saturating_mul(1 << failures.min(20))
}

/// Before the adapter is asked again after so many failures in a row.
pub(super) fn adapter_pause(poll: Duration, failures: u32) -> Duration {
    grown(poll, failures).min(MINUTE.max(poll))
}

/// Before the journal, or the clock, is tried again after so many failures in a row. At most a second,
/// however seldom the backend is asked: what was answered is to be recorded once it can be.
pub(super) fn journal_pause(poll: Duration, failures: u32) -> Duration {
    grown(poll, failures).min(SECOND)
}

/// Whether a row that first ran at this time has run for longer than it may. A clock that went back
/// says no.
pub(super) fn is_overdue(limit: Option<f64>, started: Option<u64>, now: u64) -> bool {
    let (Some(limit), Some(started)) = (limit, started) else {
        return false;
    };
    // In whole milliseconds, as times are: 1.1 seconds are 1100 of them, not 1100.0000000000002.
    now.saturating_sub(started) >= (limit * 1000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{adapter_pause, is_overdue, journal_pause};

    #[test]
    fn a_pause_doubles_with_each_failure_up_to_a_minute_or_the_poll() {
        let ms = Duration::from_millis;
        for (poll, failures, adapter, journal) in [
            (20, 0, 20, 20),
            (20, 1, 40, 40),
            (20, 5, 640, 640),
            (20, 6, 1_280, 1_000),
            (20, 11, 40_960, 1_000),
            (20, 12, 60_000, 1_000),
            (20, u32::MAX, 60_000, 1_000),
            (1_000, 0, 1_000, 1_000),
            (3_600_000, 0, 3_600_000, 1_000),
            (3_600_000, 9, 3_600_000, 1_000),
        ] {
            assert_eq!(adapter_pause(ms(poll), failures), ms(adapter), "{poll} {failures}");
            assert_eq!(journal_pause(ms(poll), failures), ms(journal), "{poll} {failures}");
        }
    }

    #[test]
    fn the_runtime_is_over_from_its_last_millisecond_on_and_never_by_a_clock_that_went_back() {
        for (limit, started, now, over) in [
            (Some(60.0), Some(1_000_000), 1_059_999, false),
            (Some(60.0), Some(1_000_000), 1_060_000, true),
            (Some(1.5), Some(5_000), 6_499, false),
            (Some(1.1), Some(0), 1_100, true),
            (Some(1.0), Some(u64::MAX), 0, false),
            (Some(1.0), None, u64::MAX, false),
            (None, Some(0), u64::MAX, false),
        ] {
            assert_eq!(is_overdue(limit, started, now), over, "{limit:?} {started:?} {now}");
        }
    }
}
