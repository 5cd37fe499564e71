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

    pub fn mutate(
        &mut self,
        member: Member,
        mut sessions: Vec<Session>,
        quiescent: bool,
    ) -> Queued {
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

    /// Session by session: the barrier falls, whoever waited goes on, then the next one may start.
    /// Abandoned ones that come to the front thereby end after it.
    pub fn end_mutation(&mut self, ended: usize, caller: Member) {
        let mut all = vec![ended];
        while let Some(ended) = all.pop() {
            self.mutations[ended].state = State::Ended;
            for session in self.mutations[ended].sessions.clone() {
                self.waiting[session].retain(|each| *each != ended);
                self.admit(session, caller);
                let Some(next) = self.waiting[session].first().copied() else { continue };
                if self.mutations[next].state != State::Queued || !self.is_first(next) {
                    continue;
                }
                if self.mutations[next].abandoned {
                    all.push(next);
                } else {
                    self.mutations[next].state = State::Running;
                    let told = ("MutationReady", Handle::Mutation(next), 0);
                    let member = self.mutations[next].member;
                    self.tell(caller, member, told, Post::MutationReady(next));
                }
            }
        }
    }

    fn admit(&mut self, session: Session, caller: Member) {
        for claim in 0..self.claims.len() {
            let each = &self.claims[claim];
            let waits = each.session == session && each.entering && !each.admitted;
            if waits && !self.is_behind(claim) {
                self.entered(claim, caller);
            }
        }
    }

    /// The member ends: what runs ends, what is queued keeps its place and never runs.
    pub fn end_mutations(&mut self, member: Member, order: &[usize]) {
        let mut running = Vec::new();
        for number in order.iter().copied() {
            let each = &mut self.mutations[number];
            each.abandoned = true;
            match each.state {
                State::Running => running.push(number),
                State::Queued => {
                    self.told.push(("MutationClosed", Handle::Mutation(number), 0));
                }
                State::Ended => {}
            }
        }
        for each in running {
            self.end_mutation(each, member);
        }
    }
}
