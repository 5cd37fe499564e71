//! One row that the backend holds: observed until it has ended, and cancelled if that is asked for.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::Notify;
use tokio::time::sleep;

use super::calls::Asked;
use super::desk::{Desk, Recorded};
use super::host::{Answered, Question, What};
use super::pace::{adapter_pause, is_overdue};
use super::race::race;
use super::rows::Held;
use super::verdict::{UNFIT_RESULT, Verdict, failed, observed};
use crate::error::Reason;
use crate::operations::journal::{Call, Patch};

/// The questions that a row is followed with first; asked before it is.
pub(super) struct First {
    observe: Asked,
    /// Asked before, if an intent is there already.
    cancel: Option<Asked>,
}

impl First {
    /// Asks them.
    pub(super) fn ask(desk: &Arc<Desk>, reference: &Arc<str>, cancel: bool) -> Self {
        let cancel = cancel.then(|| ask_cancel(desk, reference));
        Self { observe: ask_observe(desk, reference), cancel }
    }
}

fn ask_observe(desk: &Arc<Desk>, reference: &Arc<str>) -> Asked {
    let reference = Arc::clone(reference);
    Asked::ask(desk, desk.options.adapter, |call| Question::Observe { call, reference })
}

fn ask_cancel(desk: &Arc<Desk>, reference: &Arc<str>) -> Asked {
    let reference = Arc::clone(reference);
    Asked::ask(desk, desk.options.adapter, |call| Question::Cancel { call, reference })
}

/// Follows a row until it has ended. Dropped, it gives up what it has asked.
pub(super) async fn follow(held: Held, reference: Arc<str>, first: First) {
    let followed = Followed { held, reference, again: Notify::new() };
    let mut over = pin!(followed.held.over());
    let mut cancelling = pin!(followed.cancelling(first.cancel));
    let mut observing = pin!(followed.observing(first.observe));
    poll_fn(|context| {
        if over.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        // A cancel that is due is asked before an observation that is.
        let _ = cancelling.as_mut().poll(context);
        observing.as_mut().poll(context)
    })
    .await;
}

/// How an observation left the row.
enum Left {
    /// Up to date.
    Fresh,
    /// As it was.
    Stale,
    /// Ended.
    Over,
}

struct Followed {
    held: Held,
    reference: Arc<str>,
    /// The next observation is not to wait: a cancel was answered.
    again: Notify,
}

impl Followed {
    async fn observing(&self, first: Asked) {
        let desk = &self.held.desk;
        let mut failures = 0;
        let mut asked = first;
        loop {
            let answered = asked.answer().await;
            // Apart: most of the time a row only waits, and there may be thousands.
            match Box::pin(self.take_in(answered)).await {
                Left::Fresh => failures = 0,
                Left::Stale => failures += 1,
                Left::Over => return,
            }
            let pause = adapter_pause(desk.options.poll, failures);
            let _ = race(self.again.notified(), sleep(pause)).await;
            asked = ask_observe(desk, &self.reference);
        }
    }

    async fn cancelling(&self, first: Option<Asked>) {
        let desk = &self.held.desk;
        let mut failures = 0;
        let mut asked = match first {
            Some(asked) => asked,
            None => {
                self.held.cancel().await;
                ask_cancel(desk, &self.reference)
            }
        };
        while !matches!(asked.answer().await, Some(Answered { what: What::Cancelled, .. })) {
            failures += 1;
            sleep(adapter_pause(desk.options.poll, failures)).await;
            asked = ask_cancel(desk, &self.reference);
        }
        self.again.notify_one();
        pending::<()>().await;
    }

    async fn take_in(&self, answered: Option<Answered>) -> Left {
        let Some(row) = self.held.row() else {
            return Left::Over;
        };
        let (now, what) = match answered {
            Some(answered) => (answered.now, Some(answered.what)),
            None => (None, None),
        };
        let verdict = match what {
            Some(What::Observed(seen)) => observed(seen, row.state, &self.held.desk.journal.bounds),
            _ => Verdict::Nothing,
        };
        drop(row);
        let left = match verdict {
            Verdict::Nothing => self.mark_stale().await,
            Verdict::Goes(patch) => self.record(patch, now).await,
            Verdict::Ends(patch) => return self.end(patch, now).await,
            Verdict::Succeeds(patch) => {
                let promised = self.is_promised(&patch).await;
                let patch = if promised { patch } else { failed(UNFIT_RESULT) };
                return self.end(patch, now).await;
            }
        };
        self.limit(now).await;
        left
    }

    async fn record(&self, patch: Patch, now: Option<u64>) -> Left {
        let Held { desk, id, number, .. } = &self.held;
        let now = match now {
            Some(now) => now,
            None => desk.time().await,
        };
        match desk.record(id, *number, patch, now).await {
            Recorded::Done => Left::Fresh,
            Recorded::Refused => self.mark_stale().await,
            Recorded::Over => Left::Over,
        }
    }

    async fn end(&self, patch: Patch, now: Option<u64>) -> Left {
        match self.record(patch, now).await {
            Left::Fresh => Left::Over,
            other => other,
        }
    }

    /// Whether a result is what was promised. A schema may take its time over it.
    async fn is_promised(&self, patch: &Patch) -> bool {
        let judge = Arc::clone(&self.held.desk.options.judge);
        let result = patch.result.clone().flatten();
        let judging = move || judge(result.as_deref().unwrap_or("{}"));
        tokio::task::spawn_blocking(judging).await.unwrap_or(false)
    }

    async fn mark_stale(&self) -> Left {
        let Held { desk, id, number, .. } = &self.held;
        match desk.post(Call::Stale { key: desk.key(id), row: *number }).await {
            Err(refused)
                if matches!(
                    refused.reason,
                    Reason::OperationTerminal | Reason::OperationUnknown | Reason::Closed
                ) =>
            {
                Left::Over
            }
            _ => Left::Stale,
        }
    }

    /// A row that has run for longer than it may is to be cancelled.
    async fn limit(&self, now: Option<u64>) {
        let Held { desk, id, .. } = &self.held;
        let limit = desk.journal.bounds.max_runtime_seconds;
        let Some(row) = self.held.row().filter(|row| limit.is_some() && !row.cancel) else {
            return;
        };
        let started = row.started_at;
        drop(row);
        let now = match now {
            Some(now) => Some(now),
            None => desk.time_within(desk.options.adapter).await,
        };
        if now.is_some_and(|now| is_overdue(limit, started, now)) && self.held.row().is_some() {
            // Refused, it is asked for again by the next observation.
            let _ = desk.post(Call::RequestCancel { key: desk.key(id) }).await;
        }
    }
}
