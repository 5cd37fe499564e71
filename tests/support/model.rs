//! A scope and its members, as plainly as they can be put: whatever was ever made stays in a list, and
//! every fact is found by looking through the lists. Nothing here is fast, and nothing is removed.

use std::collections::VecDeque;

use super::model_backends::{Activation, Generation, Request};
use super::model_claims::Claim;
use super::model_mutations::Mutation;
use super::model_operations::Operation;
use super::model_slots::{Checkpoint, Invalidation, Lane, Task};
use super::model_steering::{Message, Queue, Turn};
use super::model_stops::Attempt;

/// A member, by the order of joining.
pub type Member = usize;
/// A session, by the order of the ids.
pub type Session = usize;
/// An error as it crosses: a number in its text, none where no text was given.
pub type Error = Option<u32>;

/// How many sessions there are to use.
pub const SESSIONS: usize = 3;

/// What a slot of the core may name, by its place in the model's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Handle {
    Claim(usize),
    Generation(usize),
    View(usize, Member),
    Joined(usize, Member),
    Operation(usize),
    Turn(usize),
    Message(usize),
    Request(usize),
    Invalidation(usize),
    Checkpoint(usize),
    Activation(usize),
    Task(usize),
    Mutation(usize),
}

/// An effect: its kind, whom it names, and what else it says.
pub type Told = (&'static str, Handle, u32);

/// What one member's call has caused at another, to be looked at anew when it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Post {
    Stop(usize),
    Drained(usize),
    Lifted(usize),
    Over(usize),
    Updated(Session),
    Entered(usize, u32),
    MutationReady(usize),
}

/// One core object.
#[derive(Debug)]
pub struct MemberFacts {
    /// Which realm it is in.
    pub realm: usize,
    pub open: bool,
    pub inbox: VecDeque<Post>,
    /// How often it was woken.
    pub woken: usize,
}

/// Every fact of one scope.
#[derive(Debug, Default)]
pub struct Model {
    pub shared: bool,
    pub members: Vec<MemberFacts>,
    pub claims: Vec<Claim>,
    pub attempts: Vec<Attempt>,
    pub operations: Vec<Operation>,
    pub generations: Vec<Generation>,
    pub activations: Vec<Activation>,
    pub requests: Vec<Request>,
    pub turns: Vec<Turn>,
    pub messages: Vec<Message>,
    /// By session.
    pub queues: Vec<Queue>,
    pub mutations: Vec<Mutation>,
    /// Mutations that have not ended, by session, in the order queued.
    pub waiting: Vec<Vec<usize>>,
    pub invalidations: Vec<Invalidation>,
    pub checkpoints: Vec<Checkpoint>,
    pub tasks: Vec<Task>,
    pub lanes: Vec<Lane>,
    /// What the call has told its own member so far.
    pub told: Vec<Told>,
    /// The handle that the call is about: its sealing is the answer and no effect.
    pub subject: Option<Handle>,
    /// The word of that handle, once it was sealed.
    pub sealed: Option<u32>,
}

impl Model {
    pub fn new(shared: bool) -> Self {
        let queues = (0..SESSIONS).map(|_| Queue::default()).collect();
        Self { shared, queues, waiting: vec![Vec::new(); SESSIONS], ..Self::default() }
    }

    pub fn join(&mut self, realm: usize) -> Member {
        let inbox = VecDeque::new();
        self.members.push(MemberFacts { realm, open: true, inbox, woken: 0 });
        self.members.len() - 1
    }

    /// A call begins. Its subject is sealed by answer, everything else by effect.
    pub fn begin(&mut self, subject: Option<Handle>) {
        self.told.clear();
        self.subject = subject;
        self.sealed = None;
    }

    /// For the caller at once, for another member as a delivery.
    pub fn tell(&mut self, caller: Member, to: Member, told: Told, post: Post) {
        if caller == to { self.told.push(told) } else { self.post(to, post) }
    }

    pub fn post(&mut self, to: Member, post: Post) {
        let member = &mut self.members[to];
        if member.open {
            member.inbox.push_back(post);
            member.woken += 1;
        }
    }

    /// A handle is gone: told, unless it is what the call is about.
    pub fn seal(&mut self, told: Told) {
        if self.subject == Some(told.1) {
            self.sealed = Some(told.2);
        } else {
            self.told.push(told);
        }
    }

    /// Takes the next delivery of a member; what it causes there is told.
    pub fn deliver(&mut self, member: Member) -> bool {
        let Some(post) = self.members[member].inbox.pop_front() else {
            return false;
        };
        match post {
            Post::Stop(attempt) => self.part_begins(attempt, member),
            Post::Drained(attempt) => self.deliver_drained(attempt, member),
            Post::Lifted(attempt) => self.deliver_lifted(attempt, member),
            Post::Over(attempt) => self.deliver_over(attempt, member),
            Post::Updated(session) => self.deliver_updated(session, member),
            Post::Entered(claim, reason) => self.deliver_entered(claim, reason, member),
            Post::MutationReady(mutation) => {
                self.told.push(("MutationReady", Handle::Mutation(mutation), 0));
            }
        }
        true
    }

    /// Whether the session holds anything at all.
    pub fn holds(&self, session: Session) -> bool {
        let queue = &self.queues[session];
        self.claims.iter().any(|each| each.session == session && !each.sealed)
            || self.generations.iter().any(|each| each.session == session && !each.sealed)
            || !self.waiting[session].is_empty()
            || queue.owner.is_some()
            || !queue.queued.is_empty()
            || !queue.leased.is_empty()
            || !queue.followup.is_empty()
            || self.attempts.iter().any(|each| each.session == session && !each.is_over())
            || self.operations.iter().any(|each| each.session == session && each.retained)
            || self.holds_slots(session)
    }

    pub fn live_sessions(&self) -> usize {
        (0..SESSIONS).filter(|session| self.holds(*session)).count()
    }

    /// Every handle that a member still has.
    pub fn handles(&self, member: Member) -> Vec<Handle> {
        let mut all = Vec::new();
        let mut add = |known: bool, owner: Member, handle: Handle| {
            if known && owner == member {
                all.push(handle);
            }
        };
        for (n, each) in self.claims.iter().enumerate() {
            add(!each.sealed, each.member, Handle::Claim(n));
        }
        for (n, each) in self.generations.iter().enumerate() {
            add(!each.sealed, each.member, Handle::Generation(n));
        }
        for (n, each) in self.attempts.iter().enumerate() {
            add(each.knows(member), member, Handle::View(n, member));
            add(each.joined.contains(&member), member, Handle::Joined(n, member));
        }
        for (n, each) in self.operations.iter().enumerate() {
            add(each.known, each.member, Handle::Operation(n));
        }
        for (n, each) in self.turns.iter().enumerate() {
            add(each.known, each.member, Handle::Turn(n));
        }
        for (n, each) in self.messages.iter().enumerate() {
            add(each.known, each.member, Handle::Message(n));
        }
        for (n, each) in self.requests.iter().enumerate() {
            add(each.open, each.member, Handle::Request(n));
        }
        for (n, each) in self.invalidations.iter().enumerate() {
            add(each.known, each.member, Handle::Invalidation(n));
        }
        for (n, each) in self.checkpoints.iter().enumerate() {
            add(each.known, each.member, Handle::Checkpoint(n));
        }
        for (n, each) in self.activations.iter().enumerate() {
            add(each.known, each.member, Handle::Activation(n));
        }
        for (n, each) in self.tasks.iter().enumerate() {
            add(each.known, each.member, Handle::Task(n));
        }
        for (n, each) in self.mutations.iter().enumerate() {
            add(each.known, each.member, Handle::Mutation(n));
        }
        all
    }
}
