//! Whether a session may activate a backend now.

use crate::error::{Outcome, Reason, Refusal};
use crate::ownership::claim;
use crate::ownership::generation::{Event, Phase};
use crate::ownership::out::{Kind, NO_SLOT, Out, Slot};
use crate::ownership::realm::Realm;
use crate::ownership::session::Record;

/// What is in the way of an activation, when it is no refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// Nothing.
    None,
    /// The disposal of this generation is to be awaited, and the question asked again.
    Disposal(Slot),
}

impl Record {
    /// Under a retained stop operation only an attached claim that the standing attempt has captured
    /// goes on.
    fn is_quarantined_for(&self, key: Option<u32>) -> Outcome<bool> {
        if !self.operations.iter().any(|operation| operation.retained) {
            return Ok(false);
        }
        let Some(key) = key else { return Ok(true) };
        let claim = self.claim(key)?;
        let own = claim.state.phase == claim::Phase::Attached
            && claim.stops.iter().any(|&(id, _)| self.standing().is_some_and(|each| each.id == id));
        Ok(!own)
    }

    fn blocker(&mut self, key: Option<u32>, out: &mut Out<'_>) -> Outcome<Blocker> {
        if self.is_quarantined_for(key)? {
            return Err(Reason::SessionQuarantined.into());
        }
        let all: Vec<u32> = self.generations.iter().map(|each| each.id).collect();
        for id in all {
            let Some(each) = self.generation(id) else {
                continue;
            };
            let foreign = each.member != out.member;
            let refuse = |reason| Err(Refusal::about(reason, id));
            match each.state.phase {
                _ if foreign && each.current => return refuse(Reason::GenerationForeign),
                Phase::Failed if foreign => return refuse(Reason::ForeignGenerationFailed),
                Phase::Failed => {
                    return Err(Refusal::about(Reason::GenerationFailed, each.slot));
                }
                Phase::Stopping => return refuse(Reason::GenerationStopping),
                Phase::Disposing if foreign => return refuse(Reason::GenerationForeign),
                Phase::Disposing if !each.state.disposed => {
                    return Ok(Blocker::Disposal(each.slot));
                }
                Phase::Disposing if self.is_held(id) => {
                    return refuse(Reason::GenerationQuarantined);
                }
                Phase::Disposing => {
                    self.move_generation(id, Event::Reconcile { held: false }, out);
                }
                Phase::Active | Phase::Terminated => {}
            }
        }
        let member = out.member;
        let invalidated = self.invalidations.iter().any(|each| each.member == member);
        if invalidated && self.has_active_runs() {
            return Err(Reason::BackendQuarantined.into());
        }
        Ok(Blocker::None)
    }
}

impl Realm {
    /// Generations are judged in creation order; disposed ones without a holder are terminated.
    ///
    /// # Errors
    /// `ERR_SESSION_QUARANTINED`, `ERR_GENERATION_FAILED`, `ERR_GENERATION_STOPPING`,
    /// `ERR_GENERATION_QUARANTINED`, `ERR_GENERATION_FOREIGN`.
    pub fn activation_blocker(&mut self, claim: Slot) -> Outcome<Blocker> {
        self.on(claim, Kind::Claim, "", |record, out, key| record.blocker(Some(key), out))
    }

    /// The same, asked for a claim that has ended.
    ///
    /// # Errors
    /// As [`Realm::activation_blocker`].
    pub fn session_blocker(&mut self, entry: u32) -> Outcome<Blocker> {
        self.with(entry, NO_SLOT, "", |record, out| record.blocker(None, out))
    }

    /// The error of a failed generation of another member, as it crosses.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn foreign_failure(
        &self,
        entry: u32,
        generation: u32,
    ) -> Outcome<Option<crate::text::Text>> {
        self.look(entry, |record| {
            Ok(record.generation(generation).and_then(|each| each.error.clone()))
        })
    }
}
