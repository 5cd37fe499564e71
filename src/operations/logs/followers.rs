//! Who is told when a log changes.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use hashbrown::HashMap;

use super::directory::LogDirectory;
use super::lock;
use super::name::Name;

/// Told that a log has changed or its following is over; what it does with that must be quick, and
/// must not wait for the thread that made the change. Several changes may be told as one.
pub type Notify = Arc<dyn Fn() + Send + Sync>;

/// A registration to be told of one log. Dropping it ends it.
pub struct Follower {
    seat: Arc<Seat>,
    name: Name,
    directory: Weak<LogDirectory>,
}

impl Follower {
    pub(super) fn new(seat: Arc<Seat>, name: Name, directory: &Arc<LogDirectory>) -> Self {
        Self { seat, name, directory: Arc::downgrade(directory) }
    }

    /// The log was retired, or the handle closed: nothing is told any more.
    pub fn is_over(&self) -> bool {
        self.seat.over.load(Ordering::Acquire)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Some(directory) = self.directory.upgrade() {
            directory.followers().leave(&self.name, &self.seat);
        }
    }
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower").field("is_over", &self.is_over()).finish_non_exhaustive()
    }
}

/// A follower as its directory knows it.
pub(super) struct Seat {
    notify: Notify,
    over: AtomicBool,
    /// The handle that it goes with.
    handle: u64,
    /// The last call made before it: a retirement called earlier, and done later, is not its own.
    since: u64,
}

impl Seat {
    pub(super) fn new(notify: Notify, handle: u64, since: u64) -> Arc<Self> {
        Arc::new(Self { notify, over: AtomicBool::new(false), handle, since })
    }

    fn end(&self) {
        self.over.store(true, Ordering::Release);
    }
}

/// Those to be told, once no lock is held.
#[derive(Default)]
#[must_use]
pub(super) struct Told(Vec<Arc<Seat>>);

impl Told {
    pub(super) fn tell(self) {
        for seat in self.0 {
            super::shielded(|| (seat.notify)());
        }
    }
}

/// The followers of a directory.
#[derive(Default)]
pub(super) struct Followers(Mutex<HashMap<Name, Vec<Arc<Seat>>>>);

impl Followers {
    pub(super) fn join(&self, name: Name, seat: Arc<Seat>) {
        lock(&self.0).entry(name).or_default().push(seat);
    }

    fn leave(&self, name: &Name, seat: &Arc<Seat>) {
        let mut followers = lock(&self.0);
        let Some(seats) = followers.get_mut(name) else { return };
        seats.retain(|other| !Arc::ptr_eq(other, seat));
        if seats.is_empty() {
            followers.remove(name);
        }
    }

    /// The log has changed.
    pub(super) fn changed(&self, name: &Name) -> Told {
        Told(lock(&self.0).get(name).cloned().unwrap_or_default())
    }

    /// The log was retired by the call of this ticket.
    pub(super) fn retired(&self, name: &Name, ticket: u64) -> Told {
        let mut followers = lock(&self.0);
        let Some(seats) = followers.get_mut(name) else { return Told::default() };
        let told = end_where(seats, |seat| seat.since < ticket);
        if seats.is_empty() {
            followers.remove(name);
        }
        told
    }

    /// The handle was closed.
    pub(super) fn closed(&self, handle: u64) -> Told {
        let mut told = Told::default();
        lock(&self.0).retain(|_, seats| {
            told.0.extend(end_where(seats, |seat| seat.handle == handle).0);
            !seats.is_empty()
        });
        told
    }
}

fn end_where(seats: &mut Vec<Arc<Seat>>, ends: impl Fn(&Seat) -> bool) -> Told {
    let (over, go_on) = std::mem::take(seats).into_iter().partition(|seat| ends(seat));
    *seats = go_on;
    let over: Vec<Arc<Seat>> = over;
    over.iter().for_each(|seat| seat.end());
    Told(over)
}
