//! Mutations in the model.

use super::model::{Handle, Member, Model, Post, Session};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Queued,
    Running,
    Ended,
}

#[derive(Debug)]
pub struct Mutation {
    pub member: Member,
    pub sessions: Vec<Session>,
    pub state: State,
    /// Its member has ended.
    pub abandoned: bool,
    pub known: bool,
}

/// What became of a mutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queued {
    Queued(usize, bool),
    Busy(Vec<Session>),
}

impl Model {
    fn is_first(&self, mutation: usize) -> bool {
        let sessions = &self.mutations[mutation].sessions;
        sessions.iter().all(|session| self.waiting[*session].first() == Some(&mutation))
    }

    pub fn mutate(&mut self, member: Member, mut sessions: Vec<Session>, quiescent: bool) -> Queued {
        sessions.sort_unstable();
        sessions.dedup();
        let is_busy = |session: &Session| self.live(*session).next().is_some();
        let busy: Vec<Session> = sessions.iter().copied().filter(is_busy).collect();
        if quiescent && !busy.is_empty() {
            return Queued::Busy(busy);
        }
        let number = self.mutations.len();
        sessions.iter().for_each(|session| self.waiting[*session].push(number));
        let state = State::Queued;
        self.mutations.push(Mutation { member, sessions, state, abandoned: false, known: true });
        let first = self.is_first(number);
        if first {
            self.mutations[number].state = State::Running;
        }
        Queued::Queued(number, first)
    }

    pub fn mutation_settled(&mut self, mutation: usize) {
        let member = self.mutations[mutation].member;
        self.mutations[mutation].known = false;
        self.end_mutation(mutation, member);
    }

    pub fn end_mutation(&mut self, ended: usize, caller: Member) {
        self.mutations[ended].state = State::Ended;
        for session in self.mutations[ended].sessions.clone() {
            self.waiting[session].retain(|each| *each != ended);
            for claim in 0..self.claims.len() {
                let each = &self.claims[claim];
                let waits = each.session == session && each.entering && !each.admitted;
                if waits && !self.is_behind(claim) {
                    self.entered(claim, caller);
                }
            }
        }
        for session in self.mutations[ended].sessions.clone() {
            let Some(next) = self.waiting[session].first().copied() else { continue };
            if self.mutations[next].state != State::Queued || !self.is_first(next) {
                continue;
            }
            if self.mutations[next].abandoned {
                self.end_mutation(next, caller);
            } else {
                self.mutations[next].state = State::Running;
                let told = ("MutationReady", Handle::Mutation(next), 0);
                let member = self.mutations[next].member;
                self.tell(caller, member, told, Post::MutationReady(next));
            }
        }
    }

    /// The member ends: what runs ends, what is queued keeps its place and never runs.
    pub fn end_mutations(&mut self, member: Member) {
        let own = |each: &&mut Mutation| each.member == member && each.state != State::Ended;
        self.mutations.iter_mut().filter(own).for_each(|each| each.abandoned = true);
        let own: Vec<usize> = (0..self.mutations.len())
            .filter(|each| self.mutations[*each].member == member)
            .filter(|each| self.mutations[*each].state != State::Ended)
            .collect();
        let running = |each: &usize| self.mutations[*each].state == State::Running;
        let (running, queued): (Vec<usize>, Vec<usize>) = own.into_iter().partition(running);
        for each in queued {
            self.told.push(("MutationClosed", Handle::Mutation(each), 0));
        }
        for each in running {
            self.end_mutation(each, member);
        }
    }
}
