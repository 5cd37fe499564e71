//! Claims, starts and interaction bindings in the model.

use tenure::error::Reason;
use tenure::ownership::{ClaimPhase, Start, StartEvent};

use super::model::{Error, Handle, Member, Model, Post, Session};

/// A run, as `attach` was given it.
#[derive(Clone, Debug)]
pub struct Run {
    pub run: u8,
    pub turn: u8,
    /// Its own idea of its session, if that is not the claim's.
    pub elsewhere: bool,
    pub generation: Option<usize>,
    pub registered: bool,
}

#[derive(Debug)]
pub struct Claim {
    pub session: Session,
    pub member: Member,
    pub phase: ClaimPhase,
    pub captured: bool,
    pub aborted: bool,
    /// `onStop` was called.
    pub told: bool,
    pub start: Start,
    pub finalization: Option<Result<(), Error>>,
    /// `enter` waits.
    pub entering: bool,
    /// The wait is over, and its member is to hear of it.
    pub admitted: bool,
    /// The mutations that were queued when it was made.
    pub ahead: Vec<usize>,
    pub run: Option<Run>,
    pub bound: bool,
    /// The attempts that captured it, the latest last.
    pub captors: Vec<usize>,
    /// The retained operation of its member still has its run.
    pub held: bool,
    /// It ended with its member.
    pub abandoned: bool,
    pub sealed: bool,
}

pub type Answer<T> = Result<T, Reason>;

/// The number that a claim leaves behind: phase, captured, aborted, start, and whether its member ended.
pub fn word(claim: &Claim, closed: bool) -> u32 {
    claim.phase as u32
        | u32::from(claim.captured) << 3
        | u32::from(claim.aborted) << 4
        | (claim.start as u32) << 5
        | u32::from(closed) << 8
        | u32::from(claim.abandoned) << 9
}

fn outcome(ok: bool, error: Error) -> Result<(), Error> {
    if ok { Ok(()) } else { Err(error) }
}

impl Model {
    pub fn live(&self, session: Session) -> impl Iterator<Item = usize> {
        let all = self.claims.iter().enumerate();
        all.filter(move |(_, each)| each.session == session && each.phase.is_live()).map(|(n, _)| n)
    }

    pub fn claim(&mut self, member: Member, session: Session) -> Answer<usize> {
        if self.standing(session).is_some() {
            return Err(Reason::SessionStopping);
        }
        self.claims.push(Claim {
            session,
            member,
            phase: ClaimPhase::Pending,
            captured: false,
            aborted: false,
            told: false,
            start: Start::Unasked,
            finalization: None,
            entering: false,
            admitted: false,
            ahead: self.waiting[session].clone(),
            run: None,
            bound: false,
            captors: Vec::new(),
            held: false,
            abandoned: false,
            sealed: false,
        });
        Ok(self.claims.len() - 1)
    }

    /// Whether a mutation is ahead of the claim.
    pub fn is_behind(&self, claim: usize) -> bool {
        let claim = &self.claims[claim];
        claim.ahead.iter().any(|mutation| self.waiting[claim.session].contains(mutation))
    }

    /// The attempt that captured the claim last, as its member sees it.
    fn captor(&mut self, claim: usize) -> Option<Handle> {
        let Claim { member, .. } = self.claims[claim];
        let attempt = *self.claims[claim].captors.last()?;
        self.attempts[attempt].show(member);
        Some(Handle::View(attempt, member))
    }

    pub fn attach(
        &mut self,
        claim: usize,
        run: u8,
        turn: u8,
        elsewhere: bool,
    ) -> Answer<Option<Handle>> {
        let behind = self.is_behind(claim);
        let each = &mut self.claims[claim];
        if each.phase != ClaimPhase::Pending {
            return Err(Reason::AttachPhase);
        }
        if behind {
            return Err(Reason::AttachBarrier);
        }
        each.phase = ClaimPhase::Attached;
        each.run = Some(Run { run, turn, elsewhere, generation: None, registered: false });
        if each.captors.is_empty() {
            return Ok(None);
        }
        each.told = true;
        Ok(self.captor(claim))
    }

    pub fn reserve(&mut self, claim: usize, generation: usize) -> Answer<Option<Handle>> {
        let each = &self.claims[claim];
        if each.phase != ClaimPhase::Attached {
            return Err(Reason::ReservePhase);
        }
        let (session, run) = (each.session, each.run.clone().unwrap());
        let to = &self.generations[generation];
        if to.session != session || !to.may_dispatch() {
            return Err(Reason::GenerationStale);
        }
        let taken = to.runs.iter().any(|other| {
            let other = self.claims[*other].run.as_ref().unwrap();
            other.run == run.run || other.turn == run.turn
        });
        if taken {
            return Err(Reason::RunReserved);
        }
        self.generations[generation].runs.push(claim);
        let each = &mut self.claims[claim];
        each.phase = ClaimPhase::Reserved;
        each.run = Some(Run { generation: Some(generation), registered: true, ..run });
        Ok(self.captor(claim))
    }

    pub fn settle(&mut self, claim: usize, ok: bool, error: Error) -> Answer<()> {
        match (self.claims[claim].phase, ok) {
            (ClaimPhase::Reserved, _) => self.end_claim(claim, outcome(ok, error)),
            (ClaimPhase::Attached | ClaimPhase::Failed, false) => {}
            _ => return Err(Reason::SettlePhase),
        }
        Ok(())
    }

    pub fn finalize(&mut self, claim: usize, ok: bool, error: Error) {
        let each = &mut self.claims[claim];
        if each.phase != ClaimPhase::Attached {
            return;
        }
        each.finalization = Some(outcome(ok, error));
        if each.captured {
            self.end_claim(claim, outcome(ok, error));
        }
    }

    pub fn release(&mut self, claim: usize) {
        let each = &self.claims[claim];
        match (each.phase, each.captured, each.finalization) {
            (ClaimPhase::Pending, ..) | (ClaimPhase::Attached, false, _) => {
                self.end_claim(claim, Ok(()));
            }
            (ClaimPhase::Attached, true, Some(ended)) => self.end_claim(claim, ended),
            _ => {}
        }
    }

    pub fn leave(&mut self, claim: usize) {
        self.take_off(claim);
        self.seal_claim(claim, false);
    }

    /// The one way in which a claim ends.
    pub fn end_claim(&mut self, claim: usize, ended: Result<(), Error>) {
        let each = &mut self.claims[claim];
        each.phase = if ended.is_ok() { ClaimPhase::Released } else { ClaimPhase::Failed };
        let caller = each.member;
        for attempt in each.captors.clone() {
            let captured = &mut self.attempts[attempt].captured;
            captured
                .iter_mut()
                .filter(|(n, _)| *n == claim)
                .for_each(|(_, end)| *end = Some(ended));
            self.announce(attempt, caller);
        }
        self.seal_claim(claim, false);
    }

    /// A claim that has ended and that nothing refers to is a word on its handle, and no more.
    pub fn seal_claim(&mut self, claim: usize, closed: bool) {
        let each = &mut self.claims[claim];
        let registered = each.run.as_ref().is_some_and(|run| run.registered);
        if each.sealed || each.phase.is_live() || registered || each.held || each.entering {
            return;
        }
        let member = each.member;
        let awaited = |attempt: &usize| {
            let views = &self.attempts[*attempt].views;
            views.iter().any(|view| view.member == member && !view.asked)
        };
        if self.claims[claim].captors.iter().any(awaited) {
            return;
        }
        let each = &mut self.claims[claim];
        each.sealed = true;
        let told = ("ClaimSealed", Handle::Claim(claim), word(each, closed));
        self.seal(told);
    }

    pub fn enter(&mut self, claim: usize) -> Answer<bool> {
        if self.is_behind(claim) {
            self.claims[claim].entering = true;
            return Ok(true);
        }
        match self.claims[claim].phase {
            ClaimPhase::Pending => Ok(false),
            _ => Err(Reason::EnterPhase),
        }
    }

    /// 0 for a claim that may go on, else the reason of its refusal with the phase beside it.
    pub fn entered_word(&self, claim: usize) -> u32 {
        match self.claims[claim].phase {
            ClaimPhase::Pending => 0,
            phase => (1 + Reason::EnterPhase as u32) | (phase as u32) << 8,
        }
    }

    pub fn entered(&mut self, claim: usize, caller: Member) {
        let (word, member) = (self.entered_word(claim), self.claims[claim].member);
        if member == caller {
            self.claims[claim].entering = false;
            self.told.push(("Entered", Handle::Claim(claim), word));
            self.seal_claim(claim, false);
        } else {
            self.claims[claim].admitted = true;
            self.post(member, Post::Entered(claim, word));
        }
    }

    pub fn deliver_entered(&mut self, claim: usize, word: u32, _: Member) {
        self.claims[claim].admitted = false;
        self.claims[claim].entering = false;
        self.told.push(("Entered", Handle::Claim(claim), word));
        self.seal_claim(claim, false);
    }

    pub fn start(&mut self, claim: usize, event: StartEvent) -> Answer<()> {
        let each = &mut self.claims[claim];
        each.start = match (event, each.start) {
            (StartEvent::Commit, Start::Unasked) if each.phase == ClaimPhase::Attached => {
                Start::Committing
            }
            (StartEvent::Commit, Start::Unasked) => return Err(Reason::StartPhase),
            (StartEvent::Commit, _) => return Err(Reason::StartCommitted),
            (StartEvent::Done(true), Start::Committing) => Start::Committed,
            (StartEvent::Done(false), Start::Committing) => Start::Doubtful,
            (StartEvent::Done(_), other) => other,
            (StartEvent::Take, Start::Committed) => Start::Taken,
            (StartEvent::Take, Start::Taken) => return Err(Reason::StartTaken),
            (StartEvent::Take, _) => return Err(Reason::StartMissing),
        };
        Ok(())
    }

    pub fn bind(&mut self, claim: usize, run: u8, turn: u8, elsewhere: bool) -> Answer<()> {
        let each = &mut self.claims[claim];
        let same = each
            .run
            .as_ref()
            .is_some_and(|own| (own.run, own.turn, own.elsewhere) == (run, turn, elsewhere));
        if !same || each.bound {
            return Err(Reason::InteractionIdentity);
        }
        each.bound = true;
        Ok(())
    }

    pub fn is_exclusive(&self, session: Session, claim: Option<usize>) -> bool {
        self.live(session).all(|each| Some(each) == claim) && !self.has_runs(session)
    }
}
