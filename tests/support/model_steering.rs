//! The steering queue in the model.

use super::model::{Handle, Member, Model, Post, Session};

#[derive(Debug)]
pub struct Turn {
    pub session: Session,
    pub member: Member,
    pub name: u8,
    pub listens: bool,
    pub known: bool,
}

#[derive(Debug)]
pub struct Message {
    pub member: Member,
    /// Named by a slot that is in use: only where no words are passed.
    pub known: bool,
}

#[derive(Debug, Default)]
pub struct Queue {
    /// The handle of the turn that owns it.
    pub owner: Option<usize>,
    pub queued: Vec<usize>,
    /// Message, the turn that pulled it, and the member it pulled through.
    pub leased: Vec<(usize, u8, Member)>,
    pub followup: Vec<usize>,
}

impl Model {
    fn owner_name(&self, session: Session) -> Option<u8> {
        self.queues[session].owner.map(|owner| self.turns[owner].name)
    }

    /// Whether the turn of that name owns the queue or holds a lease.
    pub fn is_involved(&self, session: Session, name: u8) -> bool {
        self.owner_name(session) == Some(name)
            || self.queues[session].leased.iter().any(|(_, turn, _)| *turn == name)
    }

    pub fn open_turn(
        &mut self,
        member: Member,
        session: Session,
        name: u8,
        listens: bool,
    ) -> usize {
        let turn = Turn { session, member, name, listens, known: true };
        self.turns.push(turn);
        self.queues[session].owner = Some(self.turns.len() - 1);
        self.seal_turns(session, member);
        self.turns.len() - 1
    }

    pub fn revive_turn(&mut self, member: Member, session: Session, name: u8) -> Option<usize> {
        if !self.is_involved(session, name) {
            return None;
        }
        let turn = Turn { session, member, name, listens: false, known: true };
        self.turns.push(turn);
        Some(self.turns.len() - 1)
    }

    pub fn queue(&mut self, member: Member, session: Session, next_turn: bool) -> Option<usize> {
        self.queues[session].owner?;
        self.messages.push(Message { member, known: !self.shared });
        let message = self.messages.len() - 1;
        let queue = &mut self.queues[session];
        if next_turn {
            queue.followup.push(message)
        } else {
            queue.queued.push(message)
        }
        self.changed(session, member);
        Some(message)
    }

    pub fn pull(&mut self, turn: usize) -> Vec<usize> {
        let Turn { session, member, name, .. } = self.turns[turn];
        if self.owner_name(session) != Some(name) {
            self.seal_turns(session, member);
            return Vec::new();
        }
        let queue = &mut self.queues[session];
        let pulled = std::mem::take(&mut queue.queued);
        queue.leased.extend(pulled.iter().map(|message| (*message, name, member)));
        self.seal_turns(session, member);
        pulled
    }

    fn take_leases(
        &mut self,
        session: Session,
        taken: impl Fn(&(usize, u8, Member)) -> bool,
    ) -> Vec<usize> {
        let leased = &mut self.queues[session].leased;
        let (gone, kept) = leased.drain(..).partition(|lease| taken(lease));
        *leased = kept;
        let gone: Vec<(usize, u8, Member)> = gone;
        gone.into_iter().map(|(message, ..)| message).collect()
    }

    fn put_in_front(&mut self, session: Session, followup: bool, messages: Vec<usize>) {
        let queue = &mut self.queues[session];
        let to = if followup { &mut queue.followup } else { &mut queue.queued };
        to.splice(0..0, messages);
    }

    /// Delivered, or returned. How many leases that ended.
    pub fn settle_leases(&mut self, turn: usize, named: &[usize], delivered: bool) -> usize {
        let Turn { session, member, name, .. } = self.turns[turn];
        let taken =
            self.take_leases(session, |(message, by, _)| *by == name && named.contains(message));
        let count = taken.len();
        if count == 0 {
            return 0;
        }
        if delivered {
            taken.into_iter().for_each(|message| self.messages[message].known = false);
        } else {
            let followup = self.owner_name(session) != Some(name);
            self.put_in_front(session, followup, taken);
        }
        self.changed(session, member);
        self.seal_turns(session, member);
        count
    }

    pub fn release_turn(&mut self, turn: usize) {
        let Turn { session, member, name, .. } = self.turns[turn];
        let owns = self.owner_name(session) == Some(name);
        let mut moved = self.take_leases(session, |(_, by, _)| *by == name);
        if owns {
            moved.append(&mut self.queues[session].queued);
        }
        if !moved.is_empty() {
            self.put_in_front(session, true, moved);
            self.changed(session, member);
        }
        if owns {
            self.queues[session].owner = None;
        }
        self.seal_turns(session, member);
    }

    pub fn take_queue(&mut self, member: Member, session: Session, retract: bool) -> Vec<usize> {
        let queue = &mut self.queues[session];
        let mut taken = if retract { std::mem::take(&mut queue.queued) } else { Vec::new() };
        taken.append(&mut queue.followup);
        if !taken.is_empty() {
            self.changed(session, member);
        }
        taken.iter().for_each(|message| self.messages[*message].known = false);
        taken
    }

    fn drop_messages(&mut self, messages: Vec<usize>) {
        for message in messages {
            if std::mem::replace(&mut self.messages[message].known, false) {
                self.told.push(("MessageDropped", Handle::Message(message), 0));
            }
        }
    }

    /// A stop drops what is queued; leases stay.
    pub fn clear_queue(&mut self, member: Member, session: Session) {
        let queue = &mut self.queues[session];
        let mut dropped = std::mem::take(&mut queue.queued);
        dropped.append(&mut queue.followup);
        if !dropped.is_empty() {
            self.drop_messages(dropped);
            self.changed(session, member);
        }
    }

    /// A disposal drops everything and tells nobody.
    pub fn drop_queue(&mut self, member: Member, session: Session) {
        let queue = std::mem::take(&mut self.queues[session]);
        let leased = queue.leased.into_iter().map(|(message, ..)| message);
        let dropped = leased.chain(queue.queued).chain(queue.followup).collect();
        self.drop_messages(dropped);
        self.seal_turns(session, member);
    }

    /// The member ends: what its turns lease or own goes to the front of the followups.
    pub fn end_steering(&mut self, member: Member, session: Session) {
        let mut moved = self.take_leases(session, |(_, _, by)| *by == member);
        let owner = self.queues[session].owner;
        if owner.is_some_and(|owner| self.turns[owner].member == member) {
            moved.append(&mut self.queues[session].queued);
            self.queues[session].owner = None;
        }
        if !moved.is_empty() {
            self.put_in_front(session, true, moved);
            self.changed(session, member);
        }
        self.seal_turns(session, member);
    }

    fn changed(&mut self, session: Session, caller: Member) {
        if let Some(owner) = self.queues[session].owner
            && self.turns[owner].listens
        {
            let told = ("Updated", Handle::Turn(owner), 0);
            self.tell(caller, self.turns[owner].member, told, Post::Updated(session));
        }
    }

    pub fn deliver_updated(&mut self, session: Session, member: Member) {
        if let Some(owner) = self.queues[session].owner
            && self.turns[owner].member == member
        {
            self.told.push(("Updated", Handle::Turn(owner), 0));
        }
    }

    /// Handles of the member's turns that have nothing to do with the queue any more are sealed. Those of
    /// other members stay until they call.
    fn seal_turns(&mut self, session: Session, caller: Member) {
        for number in 0..self.turns.len() {
            let turn = &self.turns[number];
            let own = turn.known && (turn.session, turn.member) == (session, caller);
            // The handles of a member that ends go with it.
            if own && self.members[caller].open && !self.is_involved(session, turn.name) {
                self.turns[number].known = false;
                self.seal(("TurnSealed", Handle::Turn(number), 0));
            }
        }
    }

    /// What is not yet in the transcript: leased and queued messages, then followups.
    pub fn snapshot(&self, session: Session) -> (Vec<usize>, Vec<usize>) {
        let queue = &self.queues[session];
        let leased = queue.leased.iter().map(|(message, ..)| *message);
        (leased.chain(queue.queued.iter().copied()).collect(), queue.followup.clone())
    }
}
