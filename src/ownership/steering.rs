//! The steering queue of a session: what was typed, who holds it, and where it goes when nobody does.
//!
//! ```text
//!   queued → leased                pull, by the turn that owns the queue
//!   leased → gone                  ack
//!   leased → queued (front)        nack, by the owner
//!   leased → followup (front)      nack by another turn; release
//!   queued → followup (front)      release by the owner
//!   queued, followup → gone        drain, retract, a stop's clear
//!   any → gone                     a disposal's drop
//! ```
//!
//! A lease is bound to the turn id that pulled it and outlives ownership; a stop and a retraction
//! never touch it.

use std::collections::VecDeque;
use std::sync::Arc;

use slab::Slab;

use super::out::{Cause, Effect, MemberId, NO_SLOT, Out, Slot};
use crate::text::Text;

/// What was typed, as it crosses between members. A core of its own memoises it by slot instead.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    /// The message's id; empty for a followup.
    pub id: Text,
    /// The text.
    pub text: Text,
}

/// A message, by the slot of its memoised words or with the words themselves.
#[derive(Clone, Debug)]
pub struct Message {
    pub(super) slot: Slot,
    pub(super) said: Option<Arc<Said>>,
}

impl Message {
    fn is(&self, name: &Name<'_>) -> bool {
        match name {
            Name::Slot(slot) => self.slot == *slot && self.slot != NO_SLOT,
            Name::Id(id) => self.said.as_ref().is_some_and(|said| said.id.units() == *id),
        }
    }
}

/// How a lease is named by whoever settles it.
pub enum Name<'a> {
    /// By the slot of its memoised words.
    Slot(Slot),
    /// By its id.
    Id(&'a [u16]),
}

/// A message leased to a turn.
pub struct Lease {
    pub(super) message: Message,
    pub(super) turn: Text,
    pub(super) member: MemberId,
}

/// The turn that owns the queue.
pub struct Owner {
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) turn: Text,
    /// Somebody wants snapshots.
    pub(super) listens: bool,
}

/// A handle of a turn.
pub struct Turn {
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) id: Text,
}

/// The queue of one session.
#[derive(Default)]
pub struct Steering {
    pub(super) owner: Option<Owner>,
    pub(super) queued: VecDeque<Message>,
    pub(super) leased: Vec<Lease>,
    pub(super) followup: VecDeque<Message>,
    pub(super) turns: Slab<Turn>,
}

impl Steering {
    pub(super) fn is_vacant(&self) -> bool {
        self.owner.is_none()
            && self.queued.is_empty()
            && self.leased.is_empty()
            && self.followup.is_empty()
    }

    fn owned_by(&self, turn: &[u16]) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.turn.units() == turn)
    }

    /// Makes the turn the owner. Returns the key of its handle.
    pub(super) fn open(&mut self, turn: Text, slot: Slot, listens: bool, out: &mut Out<'_>) -> u32 {
        let key = self.turns.insert(Turn { member: out.member, slot, id: turn.clone() });
        self.owner = Some(Owner { member: out.member, slot, turn, listens });
        self.seal_turns(out);
        key as u32
    }

    /// Whether the turn owns the queue or holds a lease.
    pub(super) fn is_involved(&self, turn: &[u16]) -> bool {
        self.owned_by(turn) || self.leased.iter().any(|lease| lease.turn.units() == turn)
    }

    /// A further handle of a turn that is involved.
    pub(super) fn revive(&mut self, id: Text, slot: Slot, member: MemberId) -> u32 {
        self.turns.insert(Turn { member, slot, id }) as u32
    }

    /// Queues for the owning turn's next pull, or for the next turn. False without an owner.
    pub(super) fn queue(&mut self, message: Message, next_turn: bool, out: &mut Out<'_>) -> bool {
        if self.owner.is_none() {
            return false;
        }
        let queue = if next_turn { &mut self.followup } else { &mut self.queued };
        queue.push_back(message);
        self.notify(out);
        true
    }

    /// Leases every queued message to the turn; nothing unless it is the owner. Returns how many:
    /// they are the last of the leases.
    pub(super) fn pull(&mut self, turn: &Text, member: MemberId) -> usize {
        if !self.owned_by(turn) {
            return 0;
        }
        let pulled = self.queued.len();
        let lease = |message| Lease { message, turn: turn.clone(), member };
        self.leased.extend(self.queued.drain(..).map(lease));
        pulled
    }

    /// Ends leases of the turn: delivered. Unknown names are ignored. Returns how many ended; whoever
    /// names them by slot forgets their words himself.
    pub(super) fn ack(&mut self, turn: &[u16], names: &[Name<'_>], out: &mut Out<'_>) -> usize {
        let gone = self.take_leases(turn, |message| names.iter().any(|name| message.is(name)));
        if !gone.is_empty() {
            gone.iter().for_each(|message| out.free(message.slot));
            self.notify(out);
        }
        gone.len()
    }

    /// Returns leases of the turn, in the order pulled: to the front of the queue if it is the owner,
    /// else to the front of the followups.
    pub(super) fn nack(&mut self, turn: &[u16], names: &[Name<'_>], out: &mut Out<'_>) -> usize {
        let back = self.take_leases(turn, |message| names.iter().any(|name| message.is(name)));
        let count = back.len();
        if count > 0 {
            let owner = self.owned_by(turn);
            put_in_front(if owner { &mut self.queued } else { &mut self.followup }, back);
            self.notify(out);
        }
        count
    }

    /// Moves the turn's leases, and the queue if it is the owner, to the front of the followups, and
    /// gives ownership up.
    pub(super) fn release(&mut self, turn: &[u16], out: &mut Out<'_>) {
        let owner = self.owned_by(turn);
        let mut moved = self.take_leases(turn, |_| true);
        if owner {
            moved.extend(self.queued.drain(..));
        }
        if !moved.is_empty() {
            put_in_front(&mut self.followup, moved);
            self.notify(out);
        }
        if owner {
            self.owner = None;
        }
        self.seal_turns(out);
    }

    /// Takes the followups, and before them the queue when retracting.
    pub(super) fn take(&mut self, retract: bool, out: &mut Out<'_>) -> Vec<Message> {
        let mut taken = Vec::new();
        if retract {
            taken.extend(self.queued.drain(..));
        }
        taken.extend(self.followup.drain(..));
        if !taken.is_empty() {
            self.notify(out);
        }
        taken
    }

    /// A stop drops what is queued; leases stay with their turns.
    pub(super) fn clear(&mut self, out: &mut Out<'_>) {
        let all: Vec<Message> = self.queued.drain(..).chain(self.followup.drain(..)).collect();
        if !all.is_empty() {
            drop_messages(all, out);
            self.notify(out);
        }
    }

    /// A disposal drops everything, leases and ownership included, and tells nobody.
    pub(super) fn drop_all(&mut self, out: &mut Out<'_>) {
        let leased = self.leased.drain(..).map(|lease| lease.message);
        let all: Vec<Message> =
            leased.chain(self.queued.drain(..)).chain(self.followup.drain(..)).collect();
        drop_messages(all, out);
        self.owner = None;
        self.seal_turns(out);
    }

    /// The end of a member: its leases go to the front of the followups, before its queue if it was
    /// the owner; whoever owns the queue then is told.
    pub(super) fn end_member(&mut self, member: MemberId, out: &mut Out<'_>) {
        let (theirs, kept) = self.leased.drain(..).partition(|lease| lease.member == member);
        self.leased = kept;
        let theirs: Vec<Lease> = theirs;
        let mut moved: Vec<Message> = theirs.into_iter().map(|lease| lease.message).collect();
        if self.owner.as_ref().is_some_and(|owner| owner.member == member) {
            moved.extend(self.queued.drain(..));
            self.owner = None;
        }
        self.turns.retain(|_, turn| turn.member != member);
        if !moved.is_empty() {
            put_in_front(&mut self.followup, moved);
            self.notify(out);
        }
    }

    /// Seals the handles of turns that neither own the queue nor hold a lease: none of their calls
    /// can have an effect any more, unless the turn is opened anew, and then they find it by its id.
    pub(super) fn seal_turns(&mut self, out: &mut Out<'_>) {
        let Self { owner, leased, turns, .. } = self;
        turns.retain(|_, turn| {
            let owns = owner.as_ref().is_some_and(|owner| owner.turn == turn.id);
            let kept = turn.member != out.member
                || owns
                || leased.iter().any(|lease| lease.turn == turn.id);
            if !kept {
                out.seal_turn(turn.slot);
            }
            kept
        });
    }

    fn take_leases(&mut self, turn: &[u16], which: impl Fn(&Message) -> bool) -> Vec<Message> {
        let mut taken = Vec::new();
        self.leased.retain(|lease| {
            let take = lease.turn.units() == turn && which(&lease.message);
            if take {
                taken.push(lease.message.clone());
            }
            !take
        });
        taken
    }

    fn notify(&self, out: &mut Out<'_>) {
        if let Some(owner) = self.owner.as_ref().filter(|owner| owner.listens) {
            out.tell(owner.member, Effect::Updated(owner.slot), Cause::Updated);
        }
    }
}

fn put_in_front(queue: &mut VecDeque<Message>, messages: Vec<Message>) {
    for message in messages.into_iter().rev() {
        queue.push_front(message);
    }
}

fn drop_messages(messages: Vec<Message>, out: &mut Out<'_>) {
    for message in messages {
        if message.slot != NO_SLOT {
            out.seal(message.slot, Effect::MessageDropped(message.slot));
        }
    }
}
