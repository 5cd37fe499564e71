//! What a call causes: at the member that called, before the call returns; at others, delivered.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};

use super::session::Session;
use crate::sync::Mutex;

/// Names a handle within its realm. Given anew after the handle was sealed.
pub type Slot = u32;
/// Names a member within the process; never given twice.
pub type MemberId = u32;
/// Names a stop attempt.
pub type AttemptId = u32;
static NEXT_NAME: AtomicU32 = AtomicU32::new(1);

/// A name for an attempt, an operation or a flight: never given again, so that what was on its way for
/// one that is over is not taken for a later one.
pub(super) fn next_name() -> u32 {
    NEXT_NAME.fetch_add(1, Ordering::Relaxed)
}

/// The slot of nothing.
pub const NO_SLOT: Slot = u32::MAX;

/// Something the caller's side has to do before the call returns: settle a promise, run a callback,
/// let go of a handle. The slot names whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip]
pub enum Effect {
    /// The claim has ended for good: its last facts, as a sealed word.
    ClaimSealed(Slot, u32),
    /// The wait of `enter` is over. The number is 0, or 1 + the reason of its refusal, and the
    /// phase from the eighth bit on.
    Entered(Slot, u32),
    /// The generation has terminated.
    GenerationSealed(Slot, u32),
    /// The turn neither owns the queue nor holds a lease any more.
    TurnSealed(Slot),
    /// The message has left the queue: its memoised text may be forgotten.
    MessageDropped(Slot),
    /// The request was closed.
    RequestSealed(Slot),
    /// The invalidation was lifted, or its member has ended (1).
    InvalidationSealed(Slot, u32),
    /// The checkpoint slot was dropped.
    CheckpointDropped(Slot),
    /// The queue that this turn owns has changed.
    Updated(Slot),
    /// A mutation has come to its turn.
    MutationReady(Slot),
    /// A queued mutation will never run: its member has ended.
    MutationClosed(Slot),
    /// A task of a serial lane has come to its turn.
    TaskReady(Slot),
    /// What `drained` waits for has ended. 1 when there are failures to tell.
    Drained(Slot, u32),
    /// The attempt was lifted. The number is 1 when its starter has ended.
    Lifted(Slot, u32),
    /// An attempt that this member joined was lifted. 0: well, 1: not, 2: its starter has ended.
    Joined(Slot, u32),
    /// Nobody will ask Rust about the attempt any more. Bit 0: it has failures, to be read and then
    /// forgotten by its handle; else it is forgotten. Bit 1: an operation was opened in it.
    AttemptOver(Slot, u32),
    /// This member's part in a stop that another member started.
    PartBegins(Slot),
    /// The retention of the operation has ended.
    OperationOver(Slot),
}

impl Effect {
    /// The effect as one number that a double holds exactly: kind, slot, and what else it says.
    pub fn packed(self) -> f64 {
        let [kind, slot, word] = self.numbers().map(u64::from);
        (kind | slot << 5 | word << 37) as f64
    }

    /// The effect as three numbers: kind, slot, and what else it says.
    pub fn numbers(self) -> [u32; 3] {
        match self {
            Effect::ClaimSealed(slot, word) => [1, slot, word],
            Effect::Entered(slot, reason) => [2, slot, reason],
            Effect::GenerationSealed(slot, word) => [3, slot, word],
            Effect::TurnSealed(slot) => [4, slot, 0],
            Effect::MessageDropped(slot) => [5, slot, 0],
            Effect::RequestSealed(slot) => [6, slot, 0],
            Effect::InvalidationSealed(slot, ended) => [7, slot, ended],
            Effect::CheckpointDropped(slot) => [8, slot, 0],
            Effect::Updated(slot) => [9, slot, 0],
            Effect::MutationReady(slot) => [10, slot, 0],
            Effect::MutationClosed(slot) => [11, slot, 0],
            Effect::TaskReady(slot) => [12, slot, 0],
            Effect::Drained(slot, failed) => [13, slot, failed],
            Effect::Lifted(slot, how) => [14, slot, how],
            Effect::Joined(slot, how) => [15, slot, how],
            Effect::AttemptOver(slot, failed) => [16, slot, failed],
            Effect::PartBegins(slot) => [17, slot, 0],
            Effect::OperationOver(slot) => [18, slot, 0],
        }
    }
}

/// Something another member's call caused. Looked at anew when it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A stop captured claims here, or found runs here.
    Stop(AttemptId),
    /// What `drained` waits for may have ended.
    Drained(AttemptId),
    /// The attempt was lifted.
    Lifted(AttemptId),
    /// The attempt is of no use to its views any more.
    Over(AttemptId),
    /// The steering queue has changed.
    Updated,
    /// The wait of a claim's `enter` is over: the claim, and 0 or 1 + the reason of its refusal.
    Entered(u32, u32),
    /// A mutation has come to its turn.
    MutationReady(Slot),
}

/// One delivery: each is a macrotask of its own at the member that gets it.
#[derive(Clone)]
pub struct Delivery {
    /// The session it concerns.
    pub session: Arc<Session>,
    /// What happened there.
    pub cause: Cause,
}

/// Tells the thread of a member that a delivery waits. Called with no session lock held.
pub trait Wake: Send + Sync {
    /// One call, one delivery to take.
    fn wake(&self);
}

#[derive(Default)]
struct Inbox {
    queue: VecDeque<Delivery>,
    closed: bool,
}

/// One core object, or one service of a scope: whose part ends as a whole.
pub struct Member {
    /// Its process-wide name.
    pub id: MemberId,
    inbox: Mutex<Inbox>,
    wake: Option<Box<dyn Wake>>,
}

impl Member {
    pub(super) fn new(id: MemberId, wake: Option<Box<dyn Wake>>) -> Self {
        Self { id, inbox: Mutex::default(), wake }
    }

    /// Appends to the one queue of this member. False when the member has ended.
    pub(super) fn post(&self, delivery: Delivery) -> bool {
        // The inbox holds no state that a panic could leave half-made.
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        if !inbox.closed {
            inbox.queue.push_back(delivery);
        }
        !inbox.closed
    }

    pub(super) fn take(&self) -> Option<Delivery> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).queue.pop_front()
    }

    pub(super) fn has_deliveries(&self) -> bool {
        !self.inbox.lock().unwrap_or_else(PoisonError::into_inner).queue.is_empty()
    }

    pub(super) fn close(&self) {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.closed = true;
        inbox.queue.clear();
    }

    pub(super) fn wake(&self) {
        if let Some(wake) = &self.wake {
            wake.wake();
        }
    }
}

/// What a slot of a realm names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An execution claim.
    Claim,
    /// A backend generation.
    Generation,
    /// A member's view of a stop attempt.
    Attempt,
    /// A member's promise of an attempt that it joined.
    Joined,
    /// A retained stop operation.
    Operation,
    /// A turn's access to the steering queue.
    Turn,
    /// A memoised message.
    Message,
    /// An interaction request.
    Request,
    /// An invalidation.
    Invalidation,
    /// A checkpoint slot.
    Checkpoint,
    /// An activation in flight.
    Activation,
    /// A task of a serial lane.
    Task,
    /// A mutation.
    Mutation,
}

/// A slot: what it names, in which session.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    pub(super) kind: Kind,
    pub(super) entry: u32,
    pub(super) key: u32,
}

/// Where one call collects what it causes.
pub struct Out<'a> {
    /// The member that calls.
    pub member: MemberId,
    /// Whether the scope may have other members: only then does anything cross.
    pub shared: bool,
    /// The session under lock.
    pub session: &'a Arc<Session>,
    /// The claim or turn that the call is about: its sealing is the call's own answer and no effect.
    pub subject: Slot,
    /// The sealed word of that claim, if the call ended it for good.
    pub sealed: Option<u32>,
    /// For the caller, in order.
    pub effects: &'a mut Vec<Effect>,
    pub(super) handles: &'a mut slab::Slab<Handle>,
    /// The session's entry in the realm.
    pub(super) entry: u32,
    pub(super) scope: &'a super::scope::Scope,
    pub(super) woken: &'a mut Vec<Arc<Member>>,
}

impl Out<'_> {
    /// For the calling member at once, for another one as a delivery.
    pub fn tell(&mut self, member: MemberId, effect: Effect, cause: Cause) {
        if member == self.member { self.effects.push(effect) } else { self.post(member, cause) }
    }

    /// A delivery, to be followed by one wake of the member once the lock is released.
    pub fn post(&mut self, member: MemberId, cause: Cause) {
        let Some(member) = self.scope.member(member) else {
            return;
        };
        if member.post(Delivery { session: Arc::clone(self.session), cause }) {
            self.woken.push(member);
        }
    }

    /// A slot for a new handle of this session.
    pub(super) fn slot(&mut self, kind: Kind, key: u32) -> Slot {
        self.handles.insert(Handle { kind, entry: self.entry, key }) as Slot
    }

    /// The slot of a handle that is being made, once its key is known.
    pub(super) fn rekey(&mut self, slot: Slot, key: u32) {
        if let Some(handle) = self.handles.get_mut(slot as usize) {
            handle.key = key;
        }
    }

    pub(super) fn free(&mut self, slot: Slot) {
        self.handles.try_remove(slot as usize);
    }

    /// Frees the slot and tells the caller.
    pub(super) fn seal(&mut self, slot: Slot, effect: Effect) {
        self.free(slot);
        self.effects.push(effect);
    }

    /// A turn neither owns the queue nor holds a lease any more.
    pub(super) fn seal_turn(&mut self, slot: Slot) {
        self.free(slot);
        if slot == self.subject {
            self.sealed = Some(0);
        } else {
            self.effects.push(Effect::TurnSealed(slot));
        }
    }

    /// A claim of the calling member has ended for good.
    pub(super) fn seal_claim(&mut self, slot: Slot, word: u32) {
        self.free(slot);
        if slot == self.subject {
            self.sealed = Some(word);
        } else {
            self.effects.push(Effect::ClaimSealed(slot, word));
        }
    }

    /// An effect for the caller.
    pub fn here(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// The next generation id of the scope.
    pub fn next_generation(&self) -> u32 {
        self.scope.next_generation()
    }
}
