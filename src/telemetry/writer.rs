//! A thread that prints, so that nobody else has to wait for whoever reads.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::event::Event;

/// The way to the thread. Dropping it ends the thread, once it has printed what waits.
pub(super) struct Writer {
    queue: SyncSender<Event>,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    put: AtomicU64,
    dropped: AtomicU64,
    printed: Mutex<u64>,
    went_on: Condvar,
}

impl Writer {
    /// Begins to print to `out`, lagging behind by `capacity` events at most, and by as many that
    /// are being printed.
    pub(super) fn start(out: impl Write + Send + 'static, capacity: usize) -> io::Result<Self> {
        let (queue, inbox) = sync_channel(capacity);
        let progress = Arc::new(Progress::default());
        let shared = Arc::clone(&progress);
        thread::Builder::new()
            .name("tenure-log".to_owned())
            .spawn(move || print(out, &inbox, capacity, &shared))?;
        Ok(Self { queue, progress })
    }

    /// Never waits: an event that finds no place is counted and dropped.
    pub(super) fn put(&self, event: Event) {
        let counter = match self.queue.try_send(event) {
            Ok(()) => &self.progress.put,
            Err(_) => &self.progress.dropped,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until all that was put before is printed: false if it takes longer than `limit`.
    pub(super) fn flush(&self, limit: Duration) -> bool {
        let put = self.progress.put.load(Ordering::Relaxed);
        let printed = self.progress.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.progress.went_on.wait_timeout_while(printed, limit, |done| *done < put);
        let (printed, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *printed >= put
    }
}

fn print(mut out: impl Write, inbox: &Receiver<Event>, capacity: usize, progress: &Progress) {
    let mut lines = String::new();
    while let Ok(first) = inbox.recv() {
        lines.clear();
        let mut count = 0;
        for event in std::iter::once(first).chain(inbox.try_iter()).take(capacity.max(1)) {
            line(&mut lines, &event);
            count += 1;
        }
        // After the lines, since it is they that left no room for what was dropped.
        let dropped = progress.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            line(&mut lines, &Event::dropped("tenure::telemetry", dropped));
        }
        // Whoever read may have gone, and there is no other place to say so.
        let _ = out.write_all(lines.as_bytes()).and_then(|()| out.flush());
        *progress.printed.lock().unwrap_or_else(PoisonError::into_inner) += count;
        progress.went_on.notify_all();
    }
}

fn line(lines: &mut String, event: &Event) {
    // Writing to a String does not fail.
    let _ = writeln!(lines, "{event}");
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Sender;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Tells that it was asked to write, and writes when it is let.
    struct Gate {
        asked: Sender<()>,
        open: Receiver<()>,
        printed: Arc<Mutex<String>>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.asked.send(());
            // Whoever let go of the other end leaves the gate open.
            let _ = self.open.recv();
            let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
            printed.push_str(&String::from_utf8_lossy(bytes));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    fn event(number: u64) -> Event {
        Event::dropped("tenure::test", number)
    }

    /// The `target` and count of each line, which is all that [`Event::dropped`] leaves open.
    fn said(printed: &Mutex<String>) -> Vec<String> {
        let printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        let words = |line: &str| {
            let words: Vec<&str> =
                line.split(' ').filter(|word| word.contains(['=', ':'])).collect();
            words.join(" ")
        };
        printed.lines().map(words).collect()
    }

    #[test]
    fn a_reader_that_stalls_costs_events_which_are_counted_and_never_time() -> io::Result<()> {
        let (asked, was_asked) = std::sync::mpsc::channel();
        let (let_go, open) = std::sync::mpsc::channel();
        let printed = Arc::new(Mutex::new(String::new()));
        let gate = Gate { asked, open, printed: Arc::clone(&printed) };
        let writer = Writer::start(gate, 3)?;
        writer.put(event(1));
        assert_eq!(was_asked.recv(), Ok(()));
        // The thread is at the gate: three find a place, four do not.
        (2..=8).for_each(|number| writer.put(event(number)));
        assert!(!writer.flush(Duration::from_millis(1)));
        assert_eq!(said(&printed), [""; 0]);
        drop(let_go);
        assert!(writer.flush(LONG));
        let expected = [
            "tenure::test dropped=1",
            "tenure::test dropped=2",
            "tenure::test dropped=3",
            "tenure::test dropped=4",
            "tenure::telemetry dropped=4",
        ];
        assert_eq!(said(&printed), expected);
        writer.put(event(9));
        assert!(writer.flush(LONG));
        assert_eq!(said(&printed).split_off(5), ["tenure::test dropped=9"]);
        Ok(())
    }

    #[test]
    fn a_reader_that_has_gone_changes_nothing() -> io::Result<()> {
        let writer = Writer::start(Broken, 1)?;
        for number in 0..3 {
            writer.put(event(number));
            assert!(writer.flush(LONG));
        }
        Ok(())
    }

    #[test]
    fn flush_with_nothing_put_does_not_wait() -> io::Result<()> {
        assert!(Writer::start(Broken, 1)?.flush(Duration::ZERO));
        Ok(())
    }
}
