//! The rows in progress, and what is told of them while they are.

use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use tokio::sync::watch;

use super::desk::Desk;
use crate::operations::contract::State;
use crate::operations::journal::{Listener, Row};

/// What was told of a row. Neither is ever taken back: an intent goes only with the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    /// It has ended, or is another one by now.
    over: bool,
    /// It is to be cancelled.
    cancel: bool,
}

#[derive(Default)]
struct Places {
    held: HashMap<Arc<str>, (u64, watch::Sender<Told>)>,
    /// Rows that nobody follows and that somebody should.
    left: Vec<Arc<str>>,
}

/// The rows in progress, by their ids.
#[derive(Default)]
pub(super) struct Rows(Mutex<Places>);

impl Rows {
    fn lock(&self) -> std::sync::MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a row of this id is in progress.
    pub(super) fn has(&self, id: &str) -> bool {
        self.lock().held.contains_key(id)
    }

    /// The ids that were put aside since the last call.
    pub(super) fn take_left(&self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.lock().left)
    }
}

/// A row in progress, as long as it is held.
pub(super) struct Held {
    pub(super) desk: Arc<Desk>,
    pub(super) id: Arc<str>,
    /// Of the row: a later operation of the same id is another one.
    pub(super) number: u64,
    told: watch::Receiver<Told>,
}

impl Held {
    /// From here on the row is told of.
    pub(super) fn new(desk: &Arc<Desk>, id: Arc<str>, number: u64) -> Self {
        let (sender, told) = watch::channel(Told::default());
        desk.rows.lock().held.insert(Arc::clone(&id), (number, sender));
        let held = Self { desk: Arc::clone(desk), id, number, told };
        // What changed before it was told of.
        desk.changed(&held.id);
        held
    }

    /// The row as it was committed last; none once it has ended or is another one.
    pub(super) fn row(&self) -> Option<Arc<Row>> {
        self.desk.row(&self.id, self.number)
    }

    /// Returns once the row has ended.
    pub(super) async fn over(&self) {
        // Told by nobody any more, it is another one's place.
        let _ = self.told.clone().wait_for(|told| told.over).await;
    }

    /// Returns once the row is to be cancelled.
    pub(super) async fn cancel(&self) {
        if self.told.clone().wait_for(|told| told.cancel).await.is_err() {
            pending::<()>().await;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut places = self.desk.rows.lock();
        if places.held.get(&self.id).is_some_and(|(number, _)| *number == self.number) {
            places.held.remove(&self.id);
        }
    }
}

impl Listener for Desk {
    fn changed(&self, id: &Arc<str>) {
        let held = self.rows.lock().held.get(id).map(|(number, told)| (*number, told.clone()));
        let Some((number, told)) = held else {
            return self.notice(id);
        };
        let now = match self.row(id, number) {
            None => Told { over: true, cancel: false },
            Some(row) => Told { over: false, cancel: row.cancel },
        };
        told.send_if_modified(|told| {
            let before = *told;
            told.over |= now.over;
            told.cancel |= now.cancel;
            *told != before
        });
    }
}

impl Desk {
    /// A row that nobody follows: if it was given its reference by other hands, it is to be followed.
    fn notice(&self, id: &Arc<str>) {
        let book = self.journal.book();
        let left = book
            .find(&self.options.scope, id)
            .is_some_and(|(_, row)| row.state == State::Interrupted && row.reference.is_some());
        if left {
            self.rows.lock().left.push(Arc::clone(id));
            self.wake.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Weak};
    use std::time::Duration;

    use super::Held;
    use crate::operations::Bounds;
    use crate::operations::journal::open::in_memory;
    use crate::operations::runner::desk::Desk;
    use crate::operations::runner::{Host, Question, RunnerOptions};

    struct Nobody;

    impl Host for Nobody {
        fn ask(&self, _: Question) {}
    }

    #[test]
    fn a_row_that_is_let_go_leaves_the_place_of_a_later_one_of_its_id_alone() {
        let journal = in_memory(Bounds::default()).unwrap();
        let options = RunnerOptions {
            scope: "".into(),
            poll: Duration::ZERO,
            adapter: Duration::ZERO,
            concurrency: 1,
            judge: Arc::new(|_| true),
        };
        let desk = Arc::new(Desk::new(journal, options, Weak::<Nobody>::new()));
        let earlier = Held::new(&desk, "a".into(), 1);
        let later = Held::new(&desk, "a".into(), 2);
        drop(earlier);
        assert!(desk.rows.has("a"));
        drop(later);
        assert!(!desk.rows.has("a"));
    }
}
