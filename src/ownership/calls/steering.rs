//! The calls on a session's steering queue.

use std::sync::Arc;

use crate::error::{Outcome, Reason};
use crate::ownership::out::{Handle, Kind, NO_SLOT, Out, Slot};
use crate::ownership::realm::Realm;
use crate::ownership::session::Record;
use crate::ownership::steering::{Message, Name, Said};
use crate::text::Text;

/// What a settlement of leases did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// How many leases it ended.
    pub count: u32,
    /// The turn's handle was sealed.
    pub sealed: bool,
}

/// A list of messages: by the slots of their memoised words, or the words themselves.
#[derive(Debug, Default)]
pub struct Messages {
    /// Slots; those without one are in `said`, in the same order.
    pub slots: Vec<Slot>,
    /// Words, of a shared scope.
    pub said: Vec<Arc<Said>>,
}

impl Messages {
    fn push(&mut self, message: &Message) {
        match &message.said {
            Some(said) => self.said.push(Arc::clone(said)),
            None => self.slots.push(message.slot),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.slots.len() + self.said.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Realm {
    fn on_turn<R>(
        &mut self,
        turn: Slot,
        what: &'static str,
        call: impl FnOnce(&mut Record, &mut Out<'_>, &Text) -> Outcome<R>,
    ) -> Outcome<R> {
        self.on(turn, Kind::Turn, what, |record, out, key| {
            let turn = record.steering.turns.get(key as usize).map(|turn| turn.id.clone());
            call(record, out, &turn.ok_or(Reason::InvalidThis)?)
        })
    }

    /// A new slot for a turn whose handle was sealed, if its calls can have an effect again: the turn
    /// was opened anew, or pulled under another handle.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn revive_turn(&mut self, entry: u32, turn: &[u16]) -> Outcome<Option<Slot>> {
        self.with(entry, NO_SLOT, "turn found again", |record, out| {
            let steering = &mut record.steering;
            if !steering.is_involved(turn) {
                return Ok(None);
            }
            let slot = out.slot(Kind::Turn, 0);
            let key = steering.revive(Text::from_units(turn), slot, out.member);
            out.rekey(slot, key);
            Ok(Some(slot))
        })
    }

    /// Makes the turn the owner of the session's queue. Unless somebody listens, no change of the queue
    /// is told.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn open_turn(&mut self, entry: u32, turn: Text, listens: bool) -> Outcome<Slot> {
        self.with(entry, NO_SLOT, "turn opened", |record, out| {
            let slot = out.slot(Kind::Turn, 0);
            let key = record.steering.open(turn, slot, listens, out);
            out.rekey(slot, key);
            Ok(slot)
        })
    }

    /// Whether a turn owns the queue: asked before an id is drawn.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn has_owner(&self, entry: u32) -> Outcome<bool> {
        self.look(entry, |record| Ok(record.steering.owner.is_some()))
    }

    /// Queues a message for the owning turn's next pull, or for the next turn. Returns its slot, none
    /// without an owner. A shared scope is given the words; another memoises them by the slot.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn queue(
        &mut self,
        entry: u32,
        said: Option<Said>,
        next_turn: bool,
    ) -> Outcome<Option<Slot>> {
        self.with(entry, NO_SLOT, "message queued", |record, out| {
            if record.steering.owner.is_none() {
                return Ok(None);
            }
            let slot = match said {
                Some(_) => NO_SLOT,
                None => out.slot(Kind::Message, 0),
            };
            let message = Message { slot, said: said.map(Arc::new) };
            record.steering.queue(message, next_turn, out);
            Ok(Some(slot))
        })
    }

    /// Leases every queued message to the turn.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn pull(&mut self, turn: Slot) -> Outcome<Messages> {
        let Handle { entry, key, .. } = self.handle(turn, Kind::Turn)?;
        // Not about the turn: an answer that is a list has no room for its sealing.
        self.with(entry, NO_SLOT, "messages pulled", |record, out| {
            let steering = &mut record.steering;
            let id = steering.turns.get(key as usize).map(|turn| turn.id.clone());
            let pulled = steering.pull(&id.ok_or(Reason::InvalidThis)?, out.member);
            let mut messages = Messages::default();
            let leased = &steering.leased;
            leased[leased.len() - pulled..].iter().for_each(|each| messages.push(&each.message));
            steering.seal_turns(out);
            Ok(messages)
        })
    }

    /// Slots of the messages leased to the turn, in the order pulled.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn leases(&mut self, turn: Slot) -> Outcome<Vec<Slot>> {
        self.on_turn(turn, "", |record, _, turn| {
            let own = record.steering.leased.iter().filter(|each| each.turn == *turn);
            Ok(own.map(|each| each.message.slot).collect())
        })
    }

    /// Settles leases of the turn: delivered, or returned. Delivered ones that are named by slot free
    /// their slot.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn settle_leases(
        &mut self,
        turn: Slot,
        names: &[Name<'_>],
        delivered: bool,
    ) -> Outcome<Settled> {
        let count = self.on_turn(
            turn,
            if delivered { "leases acknowledged" } else { "leases returned" },
            |record, out, turn| {
                let steering = &mut record.steering;
                let count = if delivered {
                    steering.ack(turn, names, out)
                } else {
                    steering.nack(turn, names, out)
                };
                if count > 0 {
                    steering.seal_turns(out);
                }
                Ok(count as u32)
            },
        )?;
        Ok(Settled { count, sealed: self.sealed.is_some() })
    }

    /// Gives the turn's leases, and its ownership, up. True when its handle was sealed.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn release_turn(&mut self, turn: Slot) -> Outcome<bool> {
        self.on_turn(turn, "turn released", |record, out, turn| {
            record.steering.release(turn, out);
            Ok(())
        })?;
        Ok(self.sealed.is_some())
    }

    /// Takes the followups, and before them the queued messages when retracting. Their slots are free
    /// once the call has returned: the face reads its memo at once.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn take_queue(&mut self, entry: u32, retract: bool) -> Outcome<Messages> {
        self.with(entry, NO_SLOT, "queue taken", |record, out| {
            let mut messages = Messages::default();
            for message in record.steering.take(retract, out) {
                messages.push(&message);
                if message.slot != NO_SLOT {
                    out.free(message.slot);
                }
            }
            Ok(messages)
        })
    }

    /// What is not yet in the transcript: leased and queued messages, then followups.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn snapshot(&self, entry: u32) -> Outcome<(Messages, Messages)> {
        self.look(entry, |record| {
            let (mut steering, mut followup) = (Messages::default(), Messages::default());
            let queue = &record.steering;
            queue.leased.iter().for_each(|each| steering.push(&each.message));
            queue.queued.iter().for_each(|each| steering.push(each));
            queue.followup.iter().for_each(|each| followup.push(each));
            Ok((steering, followup))
        })
    }
}
