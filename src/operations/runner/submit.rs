//! One row from the question to the adapter to the recorded answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::calls::Asked;
use super::desk::Desk;
use super::race::race;
use super::rows::Held;
use super::runner::STOP_PATIENCE;
use super::verdict::submitted;
use crate::operations::journal::Patch;

/// How long the time of a submit that was given up is asked for: the host may be what is stuck.
const TIME_PATIENCE: Duration = Duration::from_secs(1);

/// Waits for the answer to a submit and records it. Gives the row back once that is done: it is to be
/// followed if it has a reference, whoever recorded that.
pub(super) async fn submit(held: Held, asked: Asked) -> Option<Held> {
    let Err(answered) = race(held.over(), asked.answer()).await else {
        return None;
    };
    let desk = Arc::clone(&held.desk);
    let (now, what) = match answered {
        Some(answered) => (answered.now, Some(answered.what)),
        None => (desk.time_within(TIME_PATIENCE).await, None),
    };
    let patch = submitted(what, &desk.journal.bounds);
    // Without a time the row keeps the one that it has: what was answered matters more.
    let recording = record(Arc::clone(&desk), Arc::clone(&held.id), held.number, patch, now);
    let recording = tokio::spawn(recording);
    // The recording outlives us, and the runner: nothing else knows the reference.
    race(recording, patience(&desk)).await.is_ok().then_some(held)
}

async fn record(desk: Arc<Desk>, id: Arc<str>, number: u64, patch: Patch, now: Option<u64>) {
    desk.record(&id, number, patch, now.unwrap_or(0)).await;
}

/// Returns when a runner that stops has waited long enough.
async fn patience(desk: &Desk) {
    desk.stopping().await;
    sleep(STOP_PATIENCE).await;
}
