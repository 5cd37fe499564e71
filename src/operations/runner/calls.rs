//! Questions that wait for their answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::desk::Desk;
use super::host::{Answered, Question};

/// Of the whole process: an answer to a runner that has stopped is not one to the next runner.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The calls of a runner that nobody has answered or given up.
#[derive(Default)]
pub(super) struct Calls(Mutex<HashMap<u64, oneshot::Sender<Answered>>>);

impl Calls {
    fn open(&self) -> (u64, oneshot::Receiver<Answered>) {
        let call = NEXT.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.lock().insert(call, sender);
        (call, receiver)
    }

    /// Hands an answer to whoever waits for it; late, twice or uncalled for, it is nobody's.
    pub(super) fn answer(&self, call: u64, answered: Answered) {
        // Sent under the lock: a call that is not on the list any more has its answer.
        let mut calls = self.lock();
        if let Some(sender) = calls.remove(&call) {
            let _ = sender.send(answered);
        }
    }

    /// Whether somebody waits for its answer.
    pub(super) fn is_open(&self, call: u64) -> bool {
        self.lock().contains_key(&call)
    }

    fn give_up(&self, call: u64) -> bool {
        self.lock().remove(&call).is_some()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<Answered>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that was asked. Let go without an answer, it is given up: its signal aborts, and what is
/// answered later is nobody's.
pub(super) struct Asked {
    desk: Arc<Desk>,
    call: u64,
    until: Instant,
    answer: oneshot::Receiver<Answered>,
    has_signal: bool,
}

impl Asked {
    /// Asks; the time to answer runs from now on.
    pub(super) fn ask(
        desk: &Arc<Desk>,
        patience: Duration,
        question: impl FnOnce(u64) -> Question,
    ) -> Self {
        let (call, answer) = desk.calls.open();
        let question = question(call);
        let has_signal = !matches!(question, Question::Time { .. });
        let until = Instant::now() + patience;
        let asked = Self { desk: Arc::clone(desk), call, until, answer, has_signal };
        desk.tell(question);
        asked
    }

    /// The answer, or none if its time is over.
    pub(super) async fn answer(mut self) -> Option<Answered> {
        match timeout_at(self.until, &mut self.answer).await {
            Ok(answered) => answered.ok(),
            Err(_) if self.give_up() => None,
            // It came while the time ended.
            Err(_) => self.answer.try_recv().ok(),
        }
    }

    fn give_up(&self) -> bool {
        let given_up = self.desk.calls.give_up(self.call);
        if given_up && self.has_signal {
            self.desk.tell(Question::Abort { call: self.call });
        }
        given_up
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.give_up();
    }
}
