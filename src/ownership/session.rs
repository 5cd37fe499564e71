//! The record of one session: every fact of it, under its one lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use slab::Slab;
use smallvec::SmallVec;

use super::activation::Activation;
use super::attempt::Attempt;
use super::checkpoint::Checkpoint;
use super::claim;
use super::generation::Generation;
use super::invalidation::Invalidation;
use super::lane::Lane;
use super::mutation::Queue;
use super::operation::Operation;
use super::out::{AttemptId, MemberId, Slot};
use super::request::Request;
use super::start::Start;
use super::steering::Steering;
use crate::error::{Outcome, Reason};
use crate::sync::{Mutex, MutexGuard};
use crate::text::Text;

static FAULT: AtomicBool = AtomicBool::new(false);

/// Makes the next call that takes a session's lock panic under it: the test switch for unwinds.
pub fn arm_fault() {
    FAULT.store(true, Ordering::SeqCst);
}

/// One session of one scope. Locked for the length of one call and never while JavaScript runs.
pub struct Session {
    /// Its id.
    pub id: Text,
    record: Mutex<Record>,
}

impl Session {
    pub(super) fn new(id: Text) -> Self {
        Self { id, record: Mutex::default() }
    }

    /// The record, locked.
    ///
    /// # Errors
    /// `ERR_INTERNAL` for good, once a call has panicked under this lock.
    pub(super) fn lock(&self) -> Outcome<MutexGuard<'_, Record>> {
        let record = self.record.lock().map_err(|_| Reason::Internal)?;
        if FAULT.load(Ordering::Relaxed) && FAULT.swap(false, Ordering::SeqCst) {
            fault();
        }
        Ok(record)
    }

    /// The record, unless a call has panicked under the lock: for steps that end things and go past
    /// what is broken.
    pub(super) fn lock_sound(&self) -> Option<MutexGuard<'_, Record>> {
        self.record.lock().ok()
    }

    /// The record of a session that has panicked too: only to end a member's part in it.
    pub(super) fn lock_anyway(&self) -> (MutexGuard<'_, Record>, bool) {
        match self.record.lock() {
            Ok(record) => (record, true),
            Err(poisoned) => (poisoned.into_inner(), false),
        }
    }
}

#[allow(clippy::panic, reason = "the test switch: what must happen when a call of ours panics")]
fn fault() {
    panic!("the test switch for panics was armed");
}

/// Where the wait of a claim's `enter` stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entering {
    /// Nobody waits.
    Idle,
    /// For mutations ahead of the claim.
    Waiting,
    /// It is over, and on its way to the claim's member.
    Told,
}

/// A claim as the session keeps it.
pub struct Claim {
    pub(super) seq: u32,
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) state: claim::State,
    pub(super) start: Start,
    /// `onStop` was called, or will be by whoever set this.
    pub(super) told: bool,
    /// The stop's abort has reached this claim.
    pub(super) aborted: bool,
    /// Whether `enter` waits.
    pub(super) entering: Entering,
    /// The retained operation of its member refers to it.
    pub(super) held: bool,
    /// It ended with its member.
    pub(super) abandoned: bool,
    /// An interaction is bound.
    pub(super) bound: bool,
    /// The attempts that captured it, and its place in each; the last one counts.
    pub(super) stops: SmallVec<[(AttemptId, u32); 1]>,
    /// The last mutation queued before it was made; 0 when there was none.
    pub(super) barrier: u32,
    pub(super) run: Option<Box<Run>>,
}

/// The run of a claim.
pub struct Run {
    pub(super) run_id: Text,
    pub(super) turn_id: Text,
    pub(super) session_id: Text,
    /// The error of its recorded finalization, as it crosses to other members.
    pub(super) error: Option<Text>,
    /// The generation it was registered on, 0 before.
    pub(super) generation: u32,
    pub(super) registered: bool,
}

/// Every fact of one session.
#[derive(Default)]
pub struct Record {
    pub(super) claims: Slab<Claim>,
    pub(super) live: u32,
    pub(super) next_seq: u32,
    pub(super) generations: Vec<Generation>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) operations: Vec<Operation>,
    pub(super) steering: Steering,
    pub(super) mutations: Queue,
    pub(super) requests: Vec<Request>,
    pub(super) invalidations: Vec<Invalidation>,
    pub(super) activations: Vec<Activation>,
    pub(super) checkpoints: Vec<Checkpoint>,
    pub(super) lanes: Vec<Lane>,
    /// Counted by the scope as holding something.
    counted: bool,
    /// Taken out of the scope: to be opened anew.
    pub(super) retired: bool,
}

impl Record {
    /// Whether nothing is left in it.
    pub(super) fn is_vacant(&self) -> bool {
        self.claims.is_empty()
            && self.generations.is_empty()
            && self.mutations.is_empty()
            && self.steering.is_vacant()
            && self.invalidations.is_empty()
            && self.checkpoints.is_empty()
            && self.lanes.is_empty()
            && self.activations.is_empty()
            && self.attempts.iter().all(Attempt::is_over)
            && !self.operations.iter().any(|operation| operation.retained)
    }

    /// Vacant, and no handle asks it anything any more.
    pub(super) fn is_removable(&self) -> bool {
        self.is_vacant()
            && self.attempts.is_empty()
            && self.operations.is_empty()
            && self.steering.turns.is_empty()
    }

    /// Counts the session in or out. Returns whether it holds nothing at all.
    pub(super) fn recount(&mut self, scope: &super::scope::Scope) -> bool {
        let vacant = self.is_vacant();
        if self.counted == vacant {
            self.counted = !vacant;
            scope.count(self.counted);
        }
        vacant && self.is_removable()
    }

    /// Any run registered on any generation.
    pub(super) fn has_active_runs(&self) -> bool {
        self.generations.iter().any(|generation| !generation.runs.is_empty())
    }

    pub(super) fn generation(&self, id: u32) -> Option<&Generation> {
        self.generations.iter().find(|generation| generation.id == id)
    }

    pub(super) fn generation_mut(&mut self, id: u32) -> Option<&mut Generation> {
        self.generations.iter_mut().find(|generation| generation.id == id)
    }

    pub(super) fn attempt(&self, id: AttemptId) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.id == id)
    }

    pub(super) fn attempt_mut(&mut self, id: AttemptId) -> Option<&mut Attempt> {
        self.attempts.iter_mut().find(|attempt| attempt.id == id)
    }

    /// Drops the attempts that nobody looks at any more.
    pub(super) fn forget_attempts(&mut self) {
        self.attempts.retain(|attempt| !attempt.is_unseen());
    }

    pub(super) fn standing(&self) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.is_standing())
    }

    pub(super) fn operation(&self, id: u32) -> Outcome<&Operation> {
        self.operations.iter().find(|each| each.id == id).ok_or(Reason::InvalidThis.into())
    }

    pub(super) fn operation_mut(&mut self, id: u32) -> Outcome<&mut Operation> {
        self.operations.iter_mut().find(|each| each.id == id).ok_or(Reason::InvalidThis.into())
    }

    pub(super) fn retained_by(&self, member: MemberId) -> Option<&Operation> {
        self.operations.iter().find(|each| each.retained && each.member == member)
    }

    pub(super) fn claim(&self, key: u32) -> Outcome<&Claim> {
        self.claims.get(key as usize).ok_or(Reason::InvalidThis.into())
    }

    pub(super) fn claim_mut(&mut self, key: u32) -> Outcome<&mut Claim> {
        self.claims.get_mut(key as usize).ok_or(Reason::InvalidThis.into())
    }
}

/// The session under lock, retired or not, for those that only read.
pub(super) fn read<R>(session: &Arc<Session>, read: impl FnOnce(&Record) -> R) -> Outcome<R> {
    session.lock().map(|record| read(&record))
}
