//! The calls that change a directory, in the order made.
//!
//! One thread at a time takes jobs, whichever has a use for it: that of a call that waits for its
//! answer, a job on the pool that was asked for when somebody did not want to wait, or a reader that
//! must see what was called before. So nobody waits for a pool that has no thread left.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use hashbrown::HashMap;

use super::lock;
use super::name::Name;

/// Jobs and who takes them.
pub(super) struct Queue<J> {
    state: Mutex<State<J>>,
    went_on: Condvar,
}

struct State<J> {
    jobs: VecDeque<(u64, J)>,
    /// The last job of each log that has any.
    last: HashMap<Name, u64>,
    issued: u64,
    finished: u64,
    active: Option<ThreadId>,
    waiting: usize,
    scheduled: bool,
}

/// A job of a queue.
pub(super) trait Job {
    /// What is to be done once the job is finished, with no lock held.
    type After: FnOnce();
    /// The log that it is about.
    fn name(&self) -> Option<Name>;
    /// Does it.
    fn run(self, ticket: u64) -> Self::After;
}

impl<J: Job> Queue<J> {
    pub(super) fn new() -> Self {
        let state = State {
            jobs: VecDeque::new(),
            last: HashMap::new(),
            issued: 0,
            finished: 0,
            active: None,
            waiting: 0,
            scheduled: false,
        };
        Self { state: Mutex::new(state), went_on: Condvar::new() }
    }

    /// Puts a job at the end. Its number counts up from 1.
    pub(super) fn put(&self, job: J) -> u64 {
        let mut state = lock(&self.state);
        state.issued += 1;
        let ticket = state.issued;
        if let Some(name) = job.name() {
            state.last.insert(name, ticket);
        }
        state.jobs.push_back((ticket, job));
        ticket
    }

    /// The number of the last job.
    pub(super) fn issued(&self) -> u64 {
        lock(&self.state).issued
    }

    /// The number of the last unfinished job about this log, 0 if there is none.
    pub(super) fn last(&self, name: &Name) -> u64 {
        lock(&self.state).last.get(name).copied().unwrap_or(0)
    }

    /// True if the caller has to see to it that [`drain`](Self::drain) is called.
    #[must_use]
    pub(super) fn schedule(&self) -> bool {
        let mut state = lock(&self.state);
        // Whoever is active asks again when it leaves.
        let needed = !state.jobs.is_empty() && state.active.is_none() && !state.scheduled;
        state.scheduled |= needed;
        needed
    }

    /// Returns when the job of this number is finished, and takes jobs itself if nobody does.
    pub(super) fn settle(&self, ticket: u64) {
        let me = thread::current().id();
        let mut state = lock(&self.state);
        while state.finished < ticket {
            if state.active.is_some_and(|active| active != me) {
                state.waiting += 1;
                state = self.went_on.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.waiting -= 1;
            } else if let Some(after) = self.take(state, me) {
                state = after;
            } else {
                return;
            }
        }
    }

    /// Takes jobs until there are none, or another thread does.
    pub(super) fn drain(&self) {
        let me = thread::current().id();
        let mut state = lock(&self.state);
        // Also when it was taken over: who leaves with jobs left asks for another.
        state.scheduled = false;
        while state.active.is_none_or(|active| active == me) {
            match self.take(state, me) {
                Some(after) => state = after,
                None => return,
            }
        }
    }

    /// Takes one job, none if there is none. A callback of a job may call this again: its thread is
    /// then active already, and stays so.
    fn take<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<J>>,
        me: ThreadId,
    ) -> Option<MutexGuard<'a, State<J>>> {
        let (ticket, job) = state.jobs.pop_front()?;
        let outer = state.active.replace(me);
        drop(state);

        let name = job.name();
        let after = super::shielded(|| job.run(ticket));

        let mut state = lock(&self.state);
        state.finished = ticket;
        if let Some(name) = name
            && state.last.get(&name) == Some(&ticket)
        {
            state.last.remove(&name);
        }
        self.tell(&state);
        drop(state);

        if let Some(after) = after {
            super::shielded(after);
        }
        let mut state = lock(&self.state);
        state.active = outer;
        self.tell(&state);
        Some(state)
    }

    fn tell(&self, state: &State<J>) {
        if state.waiting > 0 {
            self.went_on.notify_all();
        }
    }
}
