//! A started runner, as its owner holds it.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;

use super::desk::Desk;
use super::host::{Answered, Host};
use super::keeper;
use crate::error::Reason;
use crate::operations::journal::{Journal, Listener};
use crate::operations::runtime::runtime;
use crate::refused::{Answer, Refused};

/// How long [`Runner::stop`] waits for a journal that cannot write, once there is an answer to record.
/// The recording goes on after that, for as long as the journal is open.
pub const STOP_PATIENCE: Duration = Duration::from_secs(5);

const POLL: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(3_600));
const ADAPTER: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(86_400));

/// Told once that a runner has stopped.
pub type Done = Box<dyn FnOnce() + Send>;

/// Whether the JSON text of a result is what was promised.
pub type Judge = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// How a runner is to run. What is out of range is brought into it.
#[derive(Clone)]
pub struct RunnerOptions {
    /// Whose queue it drains.
    pub scope: Arc<str>,
    /// The pause between two observations.
    pub poll: Duration,
    /// How long a call of the adapter may take.
    pub adapter: Duration,
    /// Operations in progress at once.
    pub concurrency: usize,
    /// Judges the result of a succeeded operation; an absent one as `{}`. Works on a thread of its own
    /// and may take its time; one that panics says no.
    pub judge: Judge,
}

/// A started runner. Let go of, it gives its scope up at once and leaves everything as it is: rows that
/// are being submitted stay uncertain, and only what was answered already is still recorded.
pub struct Runner {
    desk: Arc<Desk>,
    /// Held here alone.
    host: Option<Arc<dyn Host>>,
    keeper: AbortHandle,
}

impl Runner {
    /// Takes the scope, takes up what an earlier life left, and drains the queue.
    ///
    /// # Errors
    ///
    /// [`Reason::ScopeOwned`] if the scope has a started runner, [`Reason::Internal`] if the system
    /// refuses the thread that runners work on.
    pub fn start(
        journal: &Arc<Journal>,
        options: RunnerOptions,
        host: Arc<dyn Host>,
    ) -> Answer<Self> {
        let Some(runtime) = runtime() else {
            let what = "The system refuses the thread that a runner works on";
            return Err(Box::new(Refused::new(Reason::Internal, what)));
        };
        let options = RunnerOptions {
            poll: options.poll.clamp(POLL.0, POLL.1),
            adapter: options.adapter.clamp(ADAPTER.0, ADAPTER.1),
            concurrency: options.concurrency.max(1),
            ..options
        };
        let scope = Arc::clone(&options.scope);
        let desk = Arc::new(Desk::new(Arc::clone(journal), options, Arc::downgrade(&host)));
        if !journal.listen(&scope, Arc::clone(&desk) as Arc<dyn Listener>) {
            let message = format!("The scope {scope:?} has a started runner");
            let mut refused = Refused::new(Reason::ScopeOwned, message);
            refused.scope = Some(scope.as_ref().to_owned());
            return Err(Box::new(refused));
        }
        let keeper = runtime.spawn(keeper::run(Arc::clone(&desk))).abort_handle();
        Ok(Self { desk, host: Some(host), keeper })
    }

    /// Answers a question of the host. An answer that is late, or that nobody asked for, is dropped.
    pub fn answer(&self, call: u64, answered: Answered) {
        self.desk.calls.answer(call, answered);
    }

    /// Whether the answer to a call is still waited for: what was given up before its turn came need not
    /// be asked of the adapter at all.
    pub fn awaits(&self, call: u64) -> bool {
        self.desk.calls.is_open(call)
    }

    /// Looks at the queue now.
    pub fn wake(&self) {
        self.desk.wake.notify_one();
    }

    /// Calls nothing new, gives up every call but a submit, waits until the answer of that is recorded,
    /// and gives the scope up; then `done` is called, from any thread. Every caller's is, at once if the
    /// runner has stopped already. A journal that cannot write is waited for [`STOP_PATIENCE`] long.
    pub fn stop(&self, done: Done) {
        self.desk.when_ended(done);
        self.desk.stop();
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // First: its thread may have ended, so it is not even told what is given up.
        self.host = None;
        self.desk.stop();
        self.keeper.abort();
        self.desk.end();
    }
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("scope", &self.desk.options.scope).finish_non_exhaustive()
    }
}
