//! Committed starts and interaction requests.

use crate::error::{Outcome, Reason, Refusal};
use crate::ownership::claim::Phase;
use crate::ownership::out::{Kind, Slot};
use crate::ownership::realm::Realm;
use crate::ownership::request::Request;
use crate::ownership::start::{Event, Start};
use crate::text::Text;

use super::claims::{ClaimRef, Word};

/// What became of `openRequest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The request.
    pub slot: Slot,
    /// It was open already.
    pub again: bool,
}

fn next(start: Start, event: Event, phase: Phase) -> Outcome<Start> {
    let after = start.next(event)?;
    if event == Event::Commit && phase != Phase::Attached {
        return Err(Refusal::about(Reason::StartPhase, phase as u32));
    }
    Ok(after)
}

impl Realm {
    /// Moves the start of a claim, live or not. Returns the claim as its handle is to name it.
    ///
    /// # Errors
    /// `ERR_CLAIM_START`, `ERR_CLAIM_PHASE`, `ERR_CLOSED`.
    pub fn claim_start(&mut self, claim: ClaimRef, event: Event) -> Outcome<ClaimRef> {
        let slot = match claim {
            ClaimRef::Live(slot) => slot,
            ClaimRef::Sealed(word) => {
                if word.is_closed() && !matches!(event, Event::Done(_)) {
                    return Err(Reason::Closed.into());
                }
                let start = next(word.start(), event, word.phase())?;
                return Ok(ClaimRef::Sealed(word.with_start(start)));
            }
        };
        self.on(
            slot,
            Kind::Claim,
            match event {
                Event::Commit => "start committing",
                Event::Done(true) => "start committed",
                Event::Done(false) => "start failed",
                Event::Take => "start taken",
            },
            |record, _, key| {
                let claim = record.claim_mut(key)?;
                claim.start = next(claim.start, event, claim.state.phase)?;
                Ok(())
            },
        )?;
        Ok(claim)
    }

    /// Makes the claim's turn and generation the owner of an open request.
    ///
    /// # Errors
    /// `ERR_CLAIM_PHASE`, `ERR_REQUEST_CONFLICT`.
    pub fn open_request(&mut self, claim: Slot, id: Text) -> Outcome<Opened> {
        self.on(claim, Kind::Claim, "request opened", |record, out, key| {
            let claim = record.claim(key)?;
            let phase = claim.state.phase as u32;
            let run = claim.run.as_ref().filter(|run| run.registered);
            let run = run.ok_or(Refusal::about(Reason::RequestPhase, phase))?;
            let (turn, generation, member) = (run.turn_id.clone(), run.generation, out.member);
            let open = record.requests.iter().find(|each| each.member == member && each.id == id);
            if let Some(open) = open {
                if open.turn != turn || open.generation != generation {
                    return Err(Reason::RequestConflict.into());
                }
                return Ok(Opened { slot: open.slot, again: true });
            }
            let slot = out.slot(Kind::Request, 0);
            record.requests.push(Request { member, slot, id, turn, generation });
            Ok(Opened { slot, again: false })
        })
    }

    /// What a claim that has ended says to `openRequest`.
    pub fn sealed_request(word: Word) -> Refusal {
        if word.is_closed() {
            return Reason::Closed.into();
        }
        Refusal::about(Reason::RequestPhase, word.phase() as u32)
    }

    /// Answered, or not to be answered any more.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn close_request(&mut self, slot: Slot) -> Outcome<()> {
        self.on(slot, Kind::Request, "request closed", |record, out, _| {
            record.requests.retain(|each| each.slot != slot || each.member != out.member);
            out.free(slot);
            Ok(())
        })
    }

    /// This member's open requests, in the order opened; or the one with that id.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn requests(&self, entry: u32, id: Option<&[u16]>) -> Outcome<Vec<Slot>> {
        let member = self.member_of(entry)?;
        self.look(entry, |record| {
            let own = record.requests.iter().filter(|each| each.member == member);
            let own = own.filter(|each| id.is_none_or(|id| each.id.units() == id));
            Ok(own.map(|each| each.slot).collect())
        })
    }
}
