//! What happens on a thread, collected for that thread.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::Level;
use tracing::level_filters::LevelFilter;

use super::event::Event;
use super::level;

/// How many events a sink holds before further ones are dropped.
const CAPACITY: usize = 4096;

/// A sink: a number from 1, unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinkId(pub u64);

struct Sink {
    id: SinkId,
    level: Level,
    events: Vec<Event>,
    dropped: u64,
}

struct Sinks(Vec<Sink>);

thread_local! {
    static HERE: RefCell<Sinks> = const { RefCell::new(Sinks(Vec::new())) };
    // Apart from the sinks, so that they are cheap to ask and may be asked while a thread ends.
    static HIGHEST: Cell<LevelFilter> = const { Cell::new(LevelFilter::OFF) };
    static PENDING: Cell<bool> = const { Cell::new(false) };
}

/// Collects the events of this level and those above it that happen on the calling thread, until
/// [`detach`] or the end of the thread. The other calls know the sink on this thread only.
pub fn attach(level: Level) -> SinkId {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let id = SinkId(LAST.fetch_add(1, Ordering::Relaxed) + 1);
    let sink = Sink { id, level, events: Vec::new(), dropped: 0 };
    if here(|sinks| sinks.0.push(sink)).is_some() {
        level::exchange(None, Some(level));
    }
    id
}

/// Ends a sink, and drops what it holds: false if this thread has no such sink.
pub fn detach(id: SinkId) -> bool {
    let gone = here(|sinks| {
        let at = sinks.0.iter().position(|sink| sink.id == id)?;
        Some(sinks.0.remove(at))
    });
    let gone = gone.flatten();
    if let Some(sink) = &gone {
        level::exchange(Some(sink.level), None);
    }
    gone.is_some()
}

/// Changes what a sink collects from now on: false if this thread has no such sink.
pub fn set_level(id: SinkId, level: Level) -> bool {
    let before = here(|sinks| {
        let sink = sinks.find(id)?;
        Some(std::mem::replace(&mut sink.level, level))
    });
    let before = before.flatten();
    if before.is_some() {
        level::exchange(before, Some(level));
    }
    before.is_some()
}

/// What a sink holds, oldest first, and lets go of it. If the sink was full, the last one tells how
/// many followed and were dropped. Empty if this thread has no such sink.
pub fn take(id: SinkId) -> Vec<Event> {
    let taken = here(|sinks| {
        let sink = sinks.find(id)?;
        let mut events = std::mem::take(&mut sink.events);
        let dropped = std::mem::take(&mut sink.dropped);
        if dropped > 0 {
            events.push(Event::dropped("tenure::telemetry", dropped));
        }
        Some(events)
    });
    taken.flatten().unwrap_or_default()
}

/// Whether a sink of this thread holds anything.
pub fn pending_here() -> bool {
    PENDING.get()
}

pub(super) fn highest_here() -> LevelFilter {
    HIGHEST.get()
}

pub(super) fn put(event: Event) {
    if event.level > HIGHEST.get() {
        return;
    }
    // A thread that ends has no sinks any more: nobody is left to tell.
    let _ = HERE.try_with(|sinks| {
        let Ok(mut sinks) = sinks.try_borrow_mut() else {
            return;
        };
        for sink in sinks.0.iter_mut().filter(|sink| event.level <= sink.level) {
            if sink.events.len() < CAPACITY {
                sink.events.push(event.clone());
            } else {
                sink.dropped += 1;
            }
            PENDING.set(true);
        }
    });
}

/// Runs a step over the sinks of this thread and brings the two flags up to date; `None` while the
/// thread ends.
fn here<T>(step: impl FnOnce(&mut Sinks) -> T) -> Option<T> {
    let done = HERE.try_with(|sinks| {
        let mut sinks = sinks.try_borrow_mut().ok()?;
        let answer = step(&mut sinks);
        let levels = sinks.0.iter().map(|sink| LevelFilter::from_level(sink.level));
        HIGHEST.set(levels.max().unwrap_or(LevelFilter::OFF));
        PENDING.set(sinks.0.iter().any(|sink| !sink.events.is_empty()));
        Some(answer)
    });
    done.ok().flatten()
}

impl Sinks {
    fn find(&mut self, id: SinkId) -> Option<&mut Sink> {
        self.0.iter_mut().find(|sink| sink.id == id)
    }
}

impl Drop for Sinks {
    fn drop(&mut self) {
        HIGHEST.set(LevelFilter::OFF);
        PENDING.set(false);
        for sink in &self.0 {
            level::exchange(Some(sink.level), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(level: Level) -> Event {
        Event { level, ..Event::dropped("tenure::test", 1) }
    }

    fn levels(id: SinkId) -> Vec<Level> {
        take(id).into_iter().map(|event| event.level).collect()
    }

    #[test]
    fn each_sink_of_a_thread_collects_its_own_level_and_those_above() {
        let (errors, all) = (attach(Level::ERROR), attach(Level::TRACE));
        assert_ne!(errors, all);
        assert!(!pending_here());
        put(event(Level::WARN));
        put(event(Level::ERROR));
        assert!(pending_here());
        assert_eq!(levels(all), [Level::WARN, Level::ERROR]);
        assert!(pending_here());
        assert_eq!(levels(errors), [Level::ERROR]);
        assert!(!pending_here());
        assert!(set_level(all, Level::ERROR));
        assert_eq!(highest_here(), LevelFilter::ERROR);
        put(event(Level::WARN));
        assert!(!pending_here());
        assert!(detach(errors));
        assert!(detach(all));
        assert_eq!(highest_here(), LevelFilter::OFF);
    }

    #[test]
    fn a_full_sink_keeps_the_oldest_and_tells_how_many_it_dropped() {
        let sink = attach(Level::INFO);
        for _ in 0..CAPACITY + 3 {
            put(event(Level::INFO));
        }
        let mut taken = take(sink);
        assert_eq!(taken.len(), CAPACITY + 1);
        let last = taken.pop().map(|event| (event.level, event.target, event.fields));
        let dropped = ("dropped", "3".to_owned());
        assert_eq!(last, Some((Level::WARN, "tenure::telemetry", vec![dropped])));
        assert!(taken.iter().all(|event| event.level == Level::INFO));
        put(event(Level::INFO));
        assert_eq!(levels(sink), [Level::INFO]);
        assert!(detach(sink));
    }

    #[test]
    fn a_sink_that_was_detached_is_known_no_more_and_its_events_do_not_pend() {
        let sink = attach(Level::INFO);
        put(event(Level::INFO));
        assert!(detach(sink));
        assert!(!pending_here());
        assert!(!detach(sink));
        assert!(!set_level(sink, Level::INFO));
        assert_eq!(take(sink), []);
    }
}
