//! What all parts of a runner share, and what each of them may do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, oneshot, watch};
use tokio::time::sleep;

use super::calls::{Asked, Calls};
use super::host::{Host, Question};
use super::pace::journal_pause;
use super::rows::Rows;
use super::runner::{Done, RunnerOptions};
use crate::error::Reason;
use crate::operations::journal::{Call, Job, Journal, Key, Patch, Reply, Row};
use crate::refused::{Answer, Refused};

/// How long the host is waited for where it need only read a clock. Its thread may be busy for a while.
const CLOCK_PATIENCE: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Ending {
    over: bool,
    waiting: Vec<Done>,
}

/// What the parts of a runner share.
pub(super) struct Desk {
    pub(super) journal: Arc<Journal>,
    pub(super) options: RunnerOptions,
    pub(super) calls: Calls,
    pub(super) rows: Rows,
    pub(super) wake: Notify,
    /// Held by the runner alone: once that is gone nobody is asked any more.
    host: Weak<dyn Host>,
    stopping: watch::Sender<bool>,
    ending: Mutex<Ending>,
}

/// How recording an observation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    /// It is on the disk.
    Done,
    /// The tables do not allow it.
    Refused,
    /// The row has ended by other hands, or the journal has.
    Over,
}

/// A call that the journal has not answered.
pub(super) type Posted = oneshot::Receiver<Answer<Reply>>;

fn lost() -> Box<Refused> {
    Box::new(Refused::new(Reason::Internal, "The journal gave no answer"))
}

/// Whether the journal may be able to do later what it could not do now.
pub(super) fn cannot_write(refused: &Refused) -> bool {
    use Reason::{JournalCorrupt, JournalIo, JournalVersion};
    // A file that could not be read when it was opened again is called one of the others.
    matches!(refused.reason, JournalIo | JournalCorrupt | JournalVersion)
}

impl Desk {
    pub(super) fn new(journal: Arc<Journal>, options: RunnerOptions, host: Weak<dyn Host>) -> Self {
        Self {
            journal,
            options,
            calls: Calls::default(),
            rows: Rows::default(),
            wake: Notify::new(),
            host,
            stopping: watch::Sender::new(false),
            ending: Mutex::default(),
        }
    }

    /// Tells the host. One that panics has not heard, and will not answer.
    pub(super) fn tell(&self, question: Question) {
        if let Some(host) = self.host.upgrade() {
            let _ = catch_unwind(AssertUnwindSafe(|| host.ask(question)));
        }
    }

    /// The key of an operation of this scope.
    pub(super) fn key(&self, id: &Arc<str>) -> Key {
        Key { scope: Arc::clone(&self.options.scope), id: Arc::clone(id) }
    }

    /// The row as it was committed last; none once it has ended or is another one.
    pub(super) fn row(&self, id: &str, number: u64) -> Option<Arc<Row>> {
        let book = self.journal.book();
        let (found, row) = book.find(&self.options.scope, id)?;
        (found == number && !row.state.is_terminal()).then(|| Arc::clone(row))
    }

    /// The time, if the host tells it.
    pub(super) async fn time_within(self: &Arc<Self>, patience: Duration) -> Option<u64> {
        let asked = Asked::ask(self, patience, |call| Question::Time { call });
        asked.answer().await.and_then(|answered| answered.now)
    }

    /// The time, once the host can tell it.
    pub(super) async fn time(self: &Arc<Self>) -> u64 {
        loop {
            if let Some(now) = self.time_within(CLOCK_PATIENCE).await {
                return now;
            }
            sleep(journal_pause(self.options.poll, 0)).await;
        }
    }

    /// Has the journal do something.
    pub(super) async fn post(&self, call: Call) -> Answer<Reply> {
        match self.post_all([call]).pop() {
            Some(answer) => Self::answer(answer).await,
            None => Err(lost()),
        }
    }

    /// Has the journal do several things, in one commit if it can.
    pub(super) fn post_all(&self, calls: impl IntoIterator<Item = Call>) -> Vec<Posted> {
        let mut answers = Vec::new();
        let jobs: Vec<Job> = calls
            .into_iter()
            .map(|call| {
                let (sender, receiver) = oneshot::channel();
                answers.push(receiver);
                let settle = move |answer| {
                    let _ = sender.send(answer);
                };
                Job::Call(call, Box::new(settle))
            })
            .collect();
        self.journal.post(jobs);
        answers
    }

    /// What the journal answered.
    pub(super) async fn answer(posted: Posted) -> Answer<Reply> {
        posted.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Returns once the journal has done, or refused, what it was handed before.
    pub(super) async fn settled(&self) {
        let (sender, receiver) = oneshot::channel();
        self.journal.post([Job::Work(Box::new(move |_| {
            let _ = sender.send(());
        }))]);
        let _ = receiver.await;
    }

    /// Records an observation, however long the journal cannot.
    pub(super) async fn record(&self, id: &Arc<str>, row: u64, patch: Patch, now: u64) -> Recorded {
        let mut failures = 0;
        loop {
            let key = self.key(id);
            let call = Call::Update { key, row: Some(row), patch: patch.clone(), now };
            match self.post(call).await {
                Ok(_) => return Recorded::Done,
                Err(refused) if cannot_write(&refused) => {
                    failures += 1;
                    sleep(journal_pause(self.options.poll, failures)).await;
                }
                Err(refused) if refused.reason == Reason::OperationTransition => {
                    return Recorded::Refused;
                }
                Err(_) => return Recorded::Over,
            }
        }
    }

    /// From now on nothing new is asked.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Returns once the runner is to stop.
    pub(super) async fn stopping(&self) {
        // The sender is our own.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }

    /// Called once the runner has ended.
    pub(super) fn when_ended(&self, done: Done) {
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        if ending.over {
            drop(ending);
            call(done);
        } else {
            ending.waiting.push(done);
        }
    }

    /// Gives the scope up and tells those who wait for it. Once: the scope may be another's by the
    /// second time.
    pub(super) fn end(&self) {
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        if ending.over {
            return;
        }
        self.journal.unlisten(&self.options.scope);
        ending.over = true;
        let waiting = std::mem::take(&mut ending.waiting);
        drop(ending);
        waiting.into_iter().for_each(call);
    }
}

/// One who panics keeps nobody else waiting.
fn call(done: Done) {
    let _ = catch_unwind(AssertUnwindSafe(done));
}
