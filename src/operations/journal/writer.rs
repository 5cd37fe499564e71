//! The one writer of a journal: it takes what waits in the inbox, decides it in order, and commits it
//! together.
//!
//! The writer is not a thread but a turn: whoever finds nobody writing writes, until the inbox is
//! empty. So an idle journal holds no thread, and a call that waits anyway needs none.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::apply::{Call, Draft, Reply};
use super::book::Book;
use super::journal::Journal;
use super::tables::Tables;
use crate::error::Reason;
use crate::operations::runtime::spawn_blocking;
use crate::refused::{Answer, Refused};
use crate::store::Failed;
use crate::store::failure::{caught, fault, spoken};
use crate::sync::{Condvar, Mutex, MutexGuard};

/// Calls that share a commit at most, and bytes of their values.
const BATCH_CALLS: usize = 4096;
const BATCH_BYTES: usize = 16 << 20;

/// Told how a call ended. Runs in the writer's turn, so it must not wait for another call.
pub type Settle = Box<dyn FnOnce(Answer<Reply>) + Send>;

/// Something for the writer.
pub enum Job {
    /// A call; those side by side share a commit.
    Call(Call, Settle),
    /// Work of its own, between two commits. It must not wait for a call either.
    Work(Box<dyn FnOnce(&Journal) + Send>),
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// Somebody writes, or is about to. While nobody does, nothing waits.
    writing: bool,
}

/// What waits for the writer.
#[derive(Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    turn: Mutex<()>,
}

/// What is done at once.
enum Turn {
    Calls(Vec<Call>, Vec<Settle>),
    Work(Box<dyn FnOnce(&Journal) + Send>),
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether whoever puts these in has to write.
    fn put(&self, jobs: impl IntoIterator<Item = Job>) -> bool {
        let mut waiting = self.lock();
        waiting.jobs.extend(jobs);
        !waiting.jobs.is_empty() && !std::mem::replace(&mut waiting.writing, true)
    }

    /// Whether somebody has to go on writing.
    fn goes_on(&self) -> bool {
        let mut waiting = self.lock();
        waiting.writing = !waiting.jobs.is_empty();
        waiting.writing
    }

    /// What is next; none ends the writing.
    fn take(&self) -> Option<Turn> {
        let mut waiting = self.lock();
        let (mut calls, mut settles, mut bytes) = (Vec::new(), Vec::new(), 0);
        while calls.len() < BATCH_CALLS && bytes < BATCH_BYTES {
            match waiting.jobs.pop_front() {
                Some(Job::Call(call, settle)) => {
                    bytes += weight(&call);
                    calls.push(call);
                    settles.push(settle);
                }
                Some(Job::Work(work)) if calls.is_empty() => return Some(Turn::Work(work)),
                Some(work) => {
                    waiting.jobs.push_front(work);
                    break;
                }
                None => break,
            }
        }
        if calls.is_empty() {
            waiting.writing = false;
            return None;
        }
        Some(Turn::Calls(calls, settles))
    }
}

fn weight(call: &Call) -> usize {
    match call {
        Call::Reserve { input, .. } => input.len(),
        Call::Update { patch, .. } => patch.result.iter().flatten().map(String::len).sum(),
        Call::Resolve { resolution, .. } => resolution.result.as_ref().map_or(0, String::len),
        _ => 0,
    }
}

impl Journal {
    /// Hands jobs to the writer, in order, and waits for nothing.
    pub fn post(self: &Arc<Self>, jobs: impl IntoIterator<Item = Job>) {
        if self.inbox.put(jobs) {
            self.write_elsewhere();
        }
    }

    /// Hands a call to the writer and waits until it is done. Where nobody writes, this thread does.
    pub fn call(self: &Arc<Self>, call: Call) -> Answer<Reply> {
        let place = Arc::new((Mutex::new(None), Condvar::new()));
        let told = Arc::clone(&place);
        let settle = move |answer| {
            *told.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            told.1.notify_all();
        };
        if self.inbox.put([Job::Call(call, Box::new(settle))]) {
            // One turn: others' calls are not this thread's to wait for.
            self.write_some();
            if self.inbox.goes_on() {
                self.write_elsewhere();
            }
        }
        let mut answer = place.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(answer) = answer.take() {
                return answer;
            }
            answer = place.1.wait(answer).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn write_elsewhere(self: &Arc<Self>) {
        let journal = Arc::clone(self);
        // It panics where the system has no thread to give; what waits must not wait for ever.
        if caught(|| spawn_blocking(move || journal.write_all())).is_err() {
            self.write_all();
        }
    }

    fn write_all(&self) {
        while self.write_some() {}
    }

    fn write_some(&self) -> bool {
        let _turn = self.inbox.turn.lock().unwrap_or_else(PoisonError::into_inner);
        match self.inbox.take() {
            None => return false,
            Some(Turn::Work(work)) => {
                drop(caught(|| work(self)));
                let broken = self.engine().is_broken() || self.unnamed.load(Ordering::Acquire);
                if broken && !self.read_only {
                    self.degraded.store(true, Ordering::Release);
                    drop(caught(|| self.mend()));
                }
            }
            Some(Turn::Calls(calls, settles)) => {
                let answers = caught(|| self.decide(&calls)).unwrap_or_else(|payload| {
                    // It may have been committed.
                    self.doubtful.store(true, Ordering::Release);
                    self.refuse(&calls, fault(&spoken(payload)).refused)
                });
                for (settle, answer) in settles.into_iter().zip(answers) {
                    drop(caught(|| settle(answer)));
                }
            }
        }
        true
    }

    /// Decides a batch and commits it.
    fn decide(&self, calls: &[Call]) -> Vec<Answer<Reply>> {
        if self.gone.load(Ordering::Acquire) {
            return calls.iter().map(|_| Err(closed())).collect();
        }
        if self.read_only {
            let answer = |call: &Call| match call {
                Call::Release { .. } => Ok(Reply::Done),
                _ => Err(reads_only()),
            };
            return calls.iter().map(answer).collect();
        }
        if let Err(refused) = self.mend() {
            return self.refuse(calls, refused);
        }
        match self.commit(calls) {
            Ok(answers) => {
                self.degraded.store(false, Ordering::Release);
                answers
            }
            Err(failed) => {
                // At once, so that reads go on.
                let mended = self.mend();
                if mended.is_ok() && failed.before_commit && !failed.of_the_disk && calls.len() > 1
                {
                    // One of them meets something damaged. The others need not suffer.
                    let alone = |call| self.decide(std::slice::from_ref(call));
                    return calls.iter().flat_map(alone).collect();
                }
                self.refuse(calls, failed.refused)
            }
        }
    }

    fn refuse(&self, calls: &[Call], refused: Box<Refused>) -> Vec<Answer<Reply>> {
        self.degraded.store(true, Ordering::Release);
        let refused = self.named(refused);
        calls.iter().map(|_| Err(refused.clone())).collect()
    }

    fn commit(&self, calls: &[Call]) -> Result<Vec<Answer<Reply>>, Failed> {
        let engine = self.engine();
        let showing = self.showing();
        let mut book = Book::clone(&self.book());
        let counters = book.counters;
        let mut answers = Vec::with_capacity(calls.len());
        let mut wrote = 0;
        let (changes, intents, written) = engine.write(self.durability, |transaction| {
            let mut tables = Tables::open(transaction)?;
            let mut draft = Draft::new(&mut book, &mut tables, &self.bounds);
            let mut written = false;
            for call in calls {
                draft.written = false;
                answers.push(draft.apply(call)?);
                wrote += u64::from(draft.written);
                written |= draft.written;
            }
            let (changes, intents) = (draft.changes, draft.intents);
            if book.counters != counters {
                tables.put_counters(book.counters)?;
            }
            Ok(((changes, intents, written), written))
        })?;
        if written {
            self.commits.fetch_add(1, Ordering::Relaxed);
            self.largest_batch.fetch_max(wrote, Ordering::Relaxed);
        }
        self.show(book);
        drop(showing);
        self.tell(&changes, &intents);
        if written {
            self.flush_later();
        }
        Ok(answers)
    }
}

/// The answer to what would write by a handle that only reads.
pub fn reads_only() -> Box<Refused> {
    Box::new(Refused::new(Reason::Authority, "The journal is open to read only"))
}

/// The answer to calls that came too late.
pub fn closed() -> Box<Refused> {
    Box::new(Refused::new(Reason::Closed, "The journal is closed"))
}
