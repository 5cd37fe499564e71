//! The one task of a runner: takes up what was left, begins what waits, and ends all of it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::begin::{Begun, Doubt, Taken, begin};
use super::calls::Asked;
use super::desk::{Desk, cannot_write};
use super::follow::{First, follow};
use super::host::Question;
use super::pace::journal_pause;
use super::race::race;
use super::rows::Held;
use super::submit::submit;
use crate::operations::journal::Call;

/// Whatever becomes of the task, the scope is given up and nobody waits for it for ever.
struct Farewell(Arc<Desk>);

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Runs a runner until it is to stop.
pub(super) async fn run(desk: Arc<Desk>) {
    let farewell = Farewell(Arc::clone(&desk));
    let mut keeper = Keeper {
        desk,
        begins: JoinSet::new(),
        submits: JoinSet::new(),
        follows: JoinSet::new(),
        doubts: Vec::new(),
        failures: 0,
        not_before: None,
    };
    if keeper.reconcile().await {
        keeper.take_up_left();
        keeper.keep().await;
        keeper.wind_up().await;
    }
    keeper.desk.settled().await;
    drop(keeper);
    drop(farewell);
}

/// What the keeper waits for.
enum Event {
    Stop,
    Begun(Option<Begun>),
    Submitted(Option<Held>),
    Look,
}

/// A task that panics frees its place and stops no other: each is caught by itself.
struct Keeper {
    desk: Arc<Desk>,
    /// One at most, so that rows are submitted in the order of the queue.
    begins: JoinSet<Begun>,
    submits: JoinSet<Option<Held>>,
    follows: JoinSet<()>,
    doubts: Vec<Doubt>,
    /// Begins in a row that the journal could not write.
    failures: u32,
    not_before: Option<Instant>,
}

impl Keeper {
    /// Interrupts what was sent without a reference. False if the runner is to stop first.
    async fn reconcile(&mut self) -> bool {
        let desk = &self.desk;
        let mut failures = 0;
        loop {
            let Ok(now) = race(desk.time(), desk.stopping()).await else {
                return false;
            };
            let scope = Arc::clone(&desk.options.scope);
            match desk.post(Call::Reconcile { scope, now }).await {
                Ok(_) => return !desk.is_stopping(),
                Err(refused) if cannot_write(&refused) => {
                    failures += 1;
                    let pause = journal_pause(desk.options.poll, failures);
                    if race(desk.stopping(), sleep(pause)).await.is_ok() {
                        return false;
                    }
                }
                Err(_) => return false,
            }
        }
    }

    /// All at once, however many may be in progress: their backends work on them already.
    fn take_up_left(&mut self) {
        let book = self.desk.journal.book();
        let rows = book.shelf(&self.desk.options.scope).into_iter().flat_map(|shelf| shelf.rows());
        for (number, row) in rows {
            if !row.state.is_terminal() && row.reference.is_some() {
                self.follow(Held::new(&self.desk, Arc::clone(&row.operation_id), *number));
            }
        }
    }

    /// Rows that were given a reference by other hands.
    fn take_up_given(&mut self) {
        for id in self.desk.rows.take_left() {
            let book = self.desk.journal.book();
            let found = book.find(&self.desk.options.scope, &id);
            let left = found.filter(|(_, row)| !row.state.is_terminal() && row.reference.is_some());
            if let Some((number, _)) = left
                && !self.desk.rows.has(&id)
            {
                self.follow(Held::new(&self.desk, id, number));
            }
        }
    }

    async fn keep(&mut self) {
        loop {
            self.take_up_given();
            self.begin_next();
            match self.next().await {
                Event::Stop => return,
                Event::Look => {}
                Event::Submitted(held) => held.into_iter().for_each(|held| self.follow(held)),
                Event::Begun(begun) => {
                    if self.begun(begun) {
                        return;
                    }
                }
            }
        }
    }

    /// True if there will be nothing any more.
    fn begun(&mut self, begun: Option<Begun>) -> bool {
        let begun = begun.unwrap_or_else(|| Begun { later: true, ..Begun::default() });
        self.failures = if begun.later { self.failures.saturating_add(1) } else { 0 };
        self.not_before = begun
            .later
            .then(|| Instant::now() + journal_pause(self.desk.options.poll, self.failures));
        self.doubts = begun.doubts;
        begun.taken.into_iter().for_each(|taken| self.submit(taken));
        begun.closed
    }

    fn begin_next(&mut self) {
        self.not_before = self.not_before.filter(|time| Instant::now() < *time);
        let in_progress = self.submits.len() + self.follows.len();
        let room = self.desk.options.concurrency.saturating_sub(in_progress);
        if room == 0 || !self.begins.is_empty() || self.not_before.is_some() {
            return;
        }
        let book = self.desk.journal.book();
        let waiting = book.shelf(&self.desk.options.scope).is_some_and(|shelf| shelf.waiting() > 0);
        if waiting || !self.doubts.is_empty() {
            let doubts = std::mem::take(&mut self.doubts);
            self.begins.spawn(begin(Arc::clone(&self.desk), doubts, room));
        }
    }

    fn submit(&mut self, taken: Taken) {
        let Taken { id, number, payload } = taken;
        let held = Held::new(&self.desk, Arc::clone(&id), number);
        // Ended by other hands before it was sent, it is not sent.
        if held.row().is_some() {
            let patience = self.desk.options.adapter;
            let question = |call| Question::Submit { call, id, payload };
            let asked = Asked::ask(&self.desk, patience, question);
            self.submits.spawn(submit(held, asked));
        }
    }

    fn follow(&mut self, held: Held) {
        let Some(row) = held.row() else { return };
        if let Some(reference) = row.reference.clone() {
            let first = First::ask(&self.desk, &reference, row.cancel);
            self.follows.spawn(follow(held, reference, first));
        }
    }

    async fn next(&mut self) -> Event {
        let desk = Arc::clone(&self.desk);
        let poll = Instant::now() + desk.options.poll;
        let look = self.not_before.map_or(poll, |time| time.min(poll));
        let (mut stopping, mut woken) = (pin!(desk.stopping()), pin!(desk.wake.notified()));
        let mut look = pin!(sleep_until(look));
        poll_fn(|context| {
            if stopping.as_mut().poll(context).is_ready() {
                return Poll::Ready(Event::Stop);
            }
            if let Poll::Ready(Some(begun)) = self.begins.poll_join_next(context) {
                return Poll::Ready(Event::Begun(begun.ok()));
            }
            if let Poll::Ready(Some(submitted)) = self.submits.poll_join_next(context) {
                return Poll::Ready(Event::Submitted(submitted.ok().flatten()));
            }
            if let Poll::Ready(Some(_)) = self.follows.poll_join_next(context) {
                return Poll::Ready(Event::Look);
            }
            if woken.as_mut().poll(context).is_ready() || look.as_mut().poll(context).is_ready() {
                return Poll::Ready(Event::Look);
            }
            Poll::Pending
        })
        .await
    }

    /// What is begun is submitted, what is submitted is recorded; everything else stays as it is.
    async fn wind_up(&mut self) {
        // A journal that has closed ends a runner, too.
        self.desk.stop();
        self.follows.shutdown().await;
        while let Some(begun) = self.begins.join_next().await {
            let taken = begun.map_or_else(|_| Vec::new(), |begun| begun.taken);
            taken.into_iter().for_each(|taken| self.submit(taken));
        }
        while self.submits.join_next().await.is_some() {}
    }
}
