//! The next rows of the queue, taken for submission in one commit.

use std::sync::Arc;

use super::desk::{Desk, cannot_write};
use super::race::race;
use super::verdict::interrupted;
use crate::error::Reason;
use crate::operations::contract::{State, Submission};
use crate::operations::journal::{Call, Patch, Reply, Row, Shelf};

/// Rows that are taken at once, at most. A runner that stops meanwhile has to submit all of them.
const AT_ONCE: usize = 32;

/// A row that was taken and is on the disk: it is to be submitted.
pub(super) struct Taken {
    pub(super) id: Arc<str>,
    pub(super) number: u64,
    /// JSON text.
    pub(super) payload: String,
}

/// A row whose begin may have taken effect although the commit failed. No adapter was asked about it,
/// so it is to be submitted if so: nobody else would.
pub(super) struct Doubt {
    id: Arc<str>,
    number: u64,
    /// The times that the attempts would have written.
    first: u64,
    last: u64,
}

impl Doubt {
    /// Whether the row is as one of the attempts would have left it.
    fn took_effect(&self, row: &Row) -> bool {
        row.state == State::Running
            && row.submission == Submission::Uncertain
            && row.started_at == Some(row.updated_at)
            && (self.first..=self.last).contains(&row.updated_at)
    }
}

/// What came of taking the next rows.
#[derive(Default)]
pub(super) struct Begun {
    /// In the order of the queue.
    pub(super) taken: Vec<Taken>,
    /// To be looked at again.
    pub(super) doubts: Vec<Doubt>,
    /// The journal cannot do more for now.
    pub(super) later: bool,
    /// The journal is closed.
    pub(super) closed: bool,
}

/// Takes up to so many rows, those in doubt first.
pub(super) async fn begin(desk: Arc<Desk>, doubts: Vec<Doubt>, room: usize) -> Begun {
    let now = race(desk.time(), desk.stopping()).await;
    let mut begun = Begun::default();
    // From here to the submit there is no way back, so a runner that stops does not go there.
    let Some(now) = now.ok().filter(|_| !desk.is_stopping()) else {
        begun.doubts = doubts;
        return begun;
    };
    for doubt in doubts {
        match desk.row(&doubt.id, doubt.number) {
            Some(row) if doubt.took_effect(&row) => begun.make_sure(&desk, doubt).await,
            Some(row) if row.is_waiting() => begun.doubts.push(doubt),
            _ => {}
        }
    }
    let room = room.min(AT_ONCE).saturating_sub(begun.taken.len());
    if room > 0 && !begun.later {
        begun.take(&desk, now, room).await;
    }
    begun
}

impl Begun {
    async fn take(&mut self, desk: &Desk, now: u64, room: usize) {
        let book = desk.journal.book();
        let shelf = book.shelf(&desk.options.scope);
        let next = shelf.map_or_else(Vec::new, |shelf| first_waiting(shelf, room));
        drop(book);
        let calls =
            next.iter().map(|(_, row)| Call::Begin { key: desk.key(&row.operation_id), now });
        let posted = desk.post_all(calls);
        for ((number, row), posted) in next.into_iter().zip(posted) {
            let id = Arc::clone(&row.operation_id);
            match Desk::answer(posted).await {
                Ok(Reply::Begun(number, payload)) => self.taken.push(Taken { id, number, payload }),
                Ok(_) => {}
                Err(refused) => {
                    self.later = true;
                    self.closed |= refused.reason == Reason::Closed;
                    if cannot_write(&refused) {
                        self.doubt(id, number, now.max(row.updated_at));
                    }
                }
            }
        }
        let taken = |doubt: &Doubt| self.taken.iter().any(|taken| taken.number == doubt.number);
        let left = std::mem::take(&mut self.doubts);
        self.doubts = left.into_iter().filter(|doubt| !taken(doubt)).collect();
    }

    fn doubt(&mut self, id: Arc<str>, number: u64, time: u64) {
        match self.doubts.iter_mut().find(|doubt| doubt.number == number) {
            Some(doubt) => {
                doubt.first = doubt.first.min(time);
                doubt.last = doubt.last.max(time);
            }
            None => self.doubts.push(Doubt { id, number, first: time, last: time }),
        }
    }

    /// Commits a row in doubt once more, as it is, so that it is on the disk before it is sent.
    async fn make_sure(&mut self, desk: &Arc<Desk>, doubt: Doubt) {
        let Doubt { id, number, .. } = &doubt;
        let patch = Patch { state: Some(State::Running), ..Patch::default() };
        let call = Call::Update { key: desk.key(id), row: Some(*number), patch, now: 0 };
        match desk.post(call).await {
            Ok(_) => {}
            Err(refused) if cannot_write(&refused) => {
                self.later = true;
                self.doubts.push(doubt);
                return;
            }
            Err(_) => return,
        }
        let reading = {
            let (desk, id) = (Arc::clone(desk), Arc::clone(id));
            tokio::task::spawn_blocking(move || desk.journal.payload(&desk.options.scope, &id))
        };
        if let Ok(Ok(Some(payload))) = reading.await {
            self.taken.push(Taken { id: Arc::clone(id), number: *number, payload });
        } else {
            desk.record(id, *number, interrupted(), 0).await;
        }
    }
}

/// The rows that wait longest, oldest first.
fn first_waiting(shelf: &Shelf, count: usize) -> Vec<(u64, Arc<Row>)> {
    let first = shelf.first_waiting().and_then(|row| shelf.find(&row.operation_id));
    let Some((first, _)) = first else {
        return Vec::new();
    };
    // The numbers of other scopes lie between ours.
    let mut width = count as u64;
    loop {
        let near =
            shelf.below(first.saturating_add(width)).take_while(|(number, _)| **number >= first);
        let mut found: Vec<_> = near
            .filter(|(_, row)| row.is_waiting())
            .map(|(number, row)| (*number, Arc::clone(row)))
            .collect();
        if found.len() >= count || found.len() as u64 >= shelf.waiting() {
            found.reverse();
            found.truncate(count);
            return found;
        }
        width = width.saturating_mul(4);
    }
}
