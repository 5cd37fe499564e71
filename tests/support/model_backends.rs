//! Generations, activations, requests and the blocker in the model.

use tenure::error::Reason;
use tenure::ownership::{ClaimPhase, Flight, GenerationPhase};

use super::model::{Error, Handle, Member, Model, Session};
use super::model_claims::Answer;

#[derive(Debug)]
pub struct Generation {
    pub session: Session,
    pub member: Member,
    pub route: Option<u8>,
    pub phase: GenerationPhase,
    pub disposed: bool,
    pub flight: Flight,
    pub current: bool,
    /// Claims whose run is registered on it, in the order registered.
    pub runs: Vec<usize>,
    pub error: Error,
    /// Terminated, or gone with its member.
    pub sealed: bool,
}

#[derive(Debug)]
pub struct Activation {
    pub session: Session,
    pub member: Member,
    pub route: Option<u8>,
    pub known: bool,
}

#[derive(Debug)]
pub struct Request {
    pub session: Session,
    pub member: Member,
    pub id: u8,
    pub turn: u8,
    pub generation: usize,
    pub open: bool,
}

/// How an activation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activated {
    Current(usize),
    Joined(usize),
    Started(usize),
}

/// Why a session may not activate a backend now: a reason, and whom it speaks of.
pub type Blocked = (Reason, Option<usize>);

impl Generation {
    pub fn may_dispatch(&self) -> bool {
        !self.sealed && self.phase == GenerationPhase::Active && self.current
    }
}

impl Model {
    /// Claims whose run is registered, by generation in creation order, then in the order registered.
    pub fn runs(&self, session: Session) -> impl Iterator<Item = usize> {
        let all = self.generations.iter().filter(move |each| each.session == session);
        all.flat_map(|each| each.runs.iter().copied())
    }

    pub fn has_runs(&self, session: Session) -> bool {
        self.runs(session).next().is_some()
    }

    /// The distinct turns of the registered runs.
    pub fn active_turns(&self, session: Session) -> Vec<u8> {
        let mut turns = Vec::new();
        for claim in self.runs(session) {
            let turn = self.claims[claim].run.as_ref().unwrap().turn;
            if !turns.contains(&turn) {
                turns.push(turn);
            }
        }
        turns
    }

    pub fn current(&self, session: Session, route: Option<u8>) -> Option<usize> {
        self.generations.iter().position(|each| {
            each.session == session && each.current && !each.sealed && each.route == route
        })
    }

    /// Registers a generation. Whether it became its route's current one.
    pub fn create_generation(&mut self, claim: usize, route: Option<u8>) -> (usize, bool) {
        let (session, member) = (self.claims[claim].session, self.claims[claim].member);
        let before = self.current(session, route);
        let foreign = before.is_some_and(|before| self.generations[before].member != member);
        let current = !self.claims[claim].captured && !foreign;
        if current && let Some(before) = before {
            self.generations[before].current = false;
        }
        self.generations.push(Generation {
            session,
            member,
            route,
            phase: GenerationPhase::Active,
            disposed: false,
            flight: Flight::Idle,
            current,
            runs: Vec::new(),
            error: None,
            sealed: false,
        });
        (self.generations.len() - 1, current)
    }

    pub fn activate(
        &mut self,
        member: Member,
        session: Session,
        route: Option<u8>,
    ) -> Answer<Activated> {
        if let Some(current) = self.current(session, route) {
            if self.generations[current].member != member {
                return Err(Reason::GenerationForeign);
            }
            return Ok(Activated::Current(current));
        }
        let own = |each: &Activation| {
            each.known && (each.session, each.member, each.route) == (session, member, route)
        };
        if let Some(flight) = self.activations.iter().position(own) {
            return Ok(Activated::Joined(flight));
        }
        self.activations.push(Activation { session, member, route, known: true });
        Ok(Activated::Started(self.activations.len() - 1))
    }

    pub fn is_held(&self, generation: usize) -> bool {
        !self.generations[generation].runs.is_empty()
            || self.operations.iter().any(|operation| operation.holds(generation))
    }

    fn terminate(&mut self, number: usize) {
        let each = &mut self.generations[number];
        each.phase = GenerationPhase::Terminated;
        each.sealed = true;
        let word = each.flight as u32;
        self.seal(("GenerationSealed", Handle::Generation(number), word));
    }

    /// How the stop stood before: idle means that its task is to be called.
    pub fn generation_stop(&mut self, number: usize) -> Flight {
        let each = &mut self.generations[number];
        let before = each.flight;
        if before == Flight::Idle {
            each.flight = Flight::InFlight;
        }
        if each.phase == GenerationPhase::Active {
            each.phase = GenerationPhase::Stopping;
        }
        before
    }

    pub fn generation_stopped(&mut self, number: usize, ok: bool) {
        self.generations[number].flight = if ok { Flight::Idle } else { Flight::Failed };
    }

    /// Whether the task is to be called.
    pub fn generation_dispose(&mut self, number: usize) -> bool {
        let each = &mut self.generations[number];
        let begins = matches!(each.phase, GenerationPhase::Active | GenerationPhase::Stopping);
        if begins {
            each.phase = GenerationPhase::Disposing;
        }
        begins
    }

    pub fn generation_disposed(&mut self, number: usize, ok: bool, error: Error) {
        if !ok {
            self.generations[number].phase = GenerationPhase::Failed;
            self.generations[number].error = error;
            return;
        }
        self.generations[number].disposed = true;
        if !self.is_held(number) {
            self.terminate(number);
        }
    }

    /// Whether there is a disposal to wait for.
    pub fn reconcile(&mut self, number: usize) -> bool {
        if self.is_held(number) {
            return false;
        }
        let each = &mut self.generations[number];
        match each.phase {
            GenerationPhase::Stopping => each.phase = GenerationPhase::Active,
            GenerationPhase::Disposing => {
                if each.disposed {
                    self.terminate(number);
                }
                return true;
            }
            _ => {}
        }
        false
    }

    /// Whether the session may activate a backend now, for a claim or for one that has ended. The
    /// disposal of a generation may have to be awaited.
    pub fn blocker(
        &mut self,
        member: Member,
        session: Session,
        claim: Option<usize>,
    ) -> Result<Option<usize>, Blocked> {
        let passes = claim.map(|claim| &self.claims[claim]).is_some_and(|claim| {
            claim.phase == ClaimPhase::Attached
                && claim.captors.last().copied() == self.standing(session)
                && claim.captured
        });
        if self.is_quarantined(session) && !passes {
            return Err((Reason::SessionQuarantined, None));
        }
        for number in 0..self.generations.len() {
            let each = &self.generations[number];
            if each.session != session || each.sealed {
                continue;
            }
            let foreign = each.member != member;
            let refuse = |reason| Err((reason, Some(number)));
            match each.phase {
                _ if foreign && each.current => return refuse(Reason::GenerationForeign),
                GenerationPhase::Failed if foreign => {
                    return refuse(Reason::ForeignGenerationFailed);
                }
                GenerationPhase::Failed => return refuse(Reason::GenerationFailed),
                GenerationPhase::Stopping => return refuse(Reason::GenerationStopping),
                GenerationPhase::Disposing if foreign => return refuse(Reason::GenerationForeign),
                GenerationPhase::Disposing if !each.disposed => return Ok(Some(number)),
                GenerationPhase::Disposing if self.is_held(number) => {
                    return refuse(Reason::GenerationQuarantined);
                }
                GenerationPhase::Disposing => self.terminate(number),
                GenerationPhase::Active | GenerationPhase::Terminated => {}
            }
        }
        if self.invalidation_of(member, session).is_some() && self.has_runs(session) {
            return Err((Reason::BackendQuarantined, None));
        }
        Ok(None)
    }

    /// Takes a run off its generation, and closes the requests of its turn there.
    pub fn take_off(&mut self, claim: usize) {
        let Some(run) = self.claims[claim].run.as_mut().filter(|run| run.registered) else {
            return;
        };
        run.registered = false;
        let (turn, generation) = (run.turn, run.generation.unwrap());
        self.generations[generation].runs.retain(|each| *each != claim);
        for number in 0..self.requests.len() {
            let each = &mut self.requests[number];
            if each.open && each.generation == generation && each.turn == turn {
                each.open = false;
                self.seal(("RequestSealed", Handle::Request(number), 0));
            }
        }
    }

    /// The request, and whether it was open already.
    pub fn open_request(&mut self, claim: usize, id: u8) -> Answer<(usize, bool)> {
        let each = &self.claims[claim];
        let (session, member) = (each.session, each.member);
        let run = each.run.as_ref().filter(|run| run.registered).ok_or(Reason::RequestPhase)?;
        let (turn, generation) = (run.turn, run.generation.unwrap());
        let own = |each: &Request| {
            each.open && (each.session, each.member, each.id) == (session, member, id)
        };
        if let Some(open) = self.requests.iter().position(own) {
            let each = &self.requests[open];
            if (each.turn, each.generation) != (turn, generation) {
                return Err(Reason::RequestConflict);
            }
            return Ok((open, true));
        }
        self.requests.push(Request { session, member, id, turn, generation, open: true });
        Ok((self.requests.len() - 1, false))
    }
}
