//! The rival: the same facts in maps by string, as one writes them down first.

use std::collections::{HashMap, HashSet, VecDeque};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Pending,
    Attached,
}

pub struct Claim {
    pub phase: Phase,
    pub captured: bool,
    pub aborted: bool,
    pub run: Option<(String, String)>,
}

#[derive(Default)]
pub struct Session {
    pub claims: HashMap<u64, Claim>,
    pub stopping: bool,
    pub turns: HashMap<String, u64>,
    pub owner: Option<String>,
    pub queued: VecDeque<(u64, String)>,
    pub leased: Vec<(u64, String, String)>,
}

#[derive(Default)]
pub struct Maps {
    pub sessions: HashMap<String, Session>,
    last: u64,
}

impl Maps {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub fn claim(&mut self, id: &str) -> Option<u64> {
        let number = self.next();
        let session = self.sessions.entry(id.to_owned()).or_default();
        if session.stopping {
            return None;
        }
        let claim = Claim { phase: Phase::Pending, captured: false, aborted: false, run: None };
        session.claims.insert(number, claim);
        Some(number)
    }

    pub fn attach(&mut self, id: &str, claim: u64, run: &str) -> bool {
        let session = self.sessions.get_mut(id);
        let claim = session.and_then(|session| session.claims.get_mut(&claim));
        claim.is_some_and(|claim| {
            let attaches = claim.phase == Phase::Pending;
            claim.phase = Phase::Attached;
            claim.run = Some((run.to_owned(), run.to_owned()));
            attaches
        })
    }

    pub fn release(&mut self, id: &str, claim: u64) -> bool {
        let Some(session) = self.sessions.get_mut(id) else { return false };
        let released = session.claims.remove(&claim).is_some();
        if session.claims.is_empty() && session.turns.is_empty() && session.owner.is_none() {
            self.sessions.remove(id);
        }
        released
    }

    pub fn register(&mut self, id: &str, turn: &str) -> u64 {
        let number = self.next();
        let session = self.sessions.entry(id.to_owned()).or_default();
        session.turns.insert(turn.to_owned(), number);
        number
    }

    pub fn run_for_turn(&self, id: &str, turn: &str) -> Option<u64> {
        self.sessions.get(id)?.turns.get(turn).copied()
    }

    /// Captures, tells and aborts whatever is live, in claim order.
    pub fn stop(&mut self, id: &str) -> Vec<u64> {
        let Some(session) = self.sessions.get_mut(id) else { return Vec::new() };
        session.stopping = true;
        let mut captured: Vec<u64> = session.claims.keys().copied().collect();
        captured.sort_unstable();
        for claim in &captured {
            if let Some(claim) = session.claims.get_mut(claim) {
                claim.captured = claim.run.is_some();
            }
        }
        for claim in &captured {
            if let Some(claim) = session.claims.get_mut(claim) {
                claim.aborted = true;
            }
        }
        session.queued.clear();
        captured
    }

    pub fn lift(&mut self, id: &str) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.stopping = false;
        }
    }

    pub fn open_turn(&mut self, id: &str, turn: &str) {
        self.sessions.entry(id.to_owned()).or_default().owner = Some(turn.to_owned());
    }

    pub fn steer(&mut self, id: &str, text: &str) -> Option<u64> {
        let number = self.next();
        let session = self.sessions.get_mut(id)?;
        session.owner.as_ref()?;
        session.queued.push_back((number, text.to_owned()));
        Some(number)
    }

    pub fn pull(&mut self, id: &str, turn: &str) -> Vec<u64> {
        let Some(session) = self.sessions.get_mut(id) else { return Vec::new() };
        if session.owner.as_deref() != Some(turn) {
            return Vec::new();
        }
        let mut pulled = Vec::with_capacity(session.queued.len());
        for (number, text) in session.queued.drain(..) {
            pulled.push(number);
            session.leased.push((number, text, turn.to_owned()));
        }
        pulled
    }

    pub fn ack(&mut self, id: &str, turn: &str, numbers: &[u64]) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.leased.retain(|(number, _, by)| by != turn || !numbers.contains(number));
        }
    }
}

/// Active operations by id, and who holds which key.
#[derive(Default)]
pub struct Admission {
    operations: HashMap<String, (String, HashSet<String>)>,
    holders: HashMap<String, String>,
}

impl Admission {
    pub fn reserve(&mut self, operation: &str, owner: &str, keys: &[&str]) -> bool {
        let held = keys.iter().any(|key| self.holders.contains_key(*key));
        if held || self.operations.contains_key(operation) {
            return false;
        }
        for key in keys {
            self.holders.insert((*key).to_owned(), operation.to_owned());
        }
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        self.operations.insert(operation.to_owned(), (owner.to_owned(), keys)).is_none()
    }

    pub fn release(&mut self, operation: &str) -> bool {
        let Some((_, keys)) = self.operations.remove(operation) else { return false };
        keys.iter().for_each(|key| drop(self.holders.remove(key)));
        true
    }
}
