//! Backend generations: created, reserved on, stopped, disposed, left.

use crate::error::{Outcome, Reason, Refusal};
use crate::ownership::activation::Activation;
use crate::ownership::claim;
use crate::ownership::generation::{Event, Flight, FlightEvent, Generation, Phase, State};
use crate::ownership::out::{Effect, Kind, NO_SLOT, Out, Slot};
use crate::ownership::realm::Realm;
use crate::ownership::session::Record;
use crate::text::Text;

use super::claims::ClaimRef;

/// How `activate` goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activated {
    /// The route's current generation.
    Current(Slot),
    /// The build in flight.
    Joined(Slot),
    /// The build is to be called; the slot is taken.
    Started(Slot),
}

impl Record {
    /// A run is registered on it, or a retained stop operation refers to it.
    pub(super) fn is_held(&self, id: u32) -> bool {
        self.generation(id).is_some_and(|generation| !generation.runs.is_empty())
            || self.operations.iter().any(|operation| operation.holds(id))
    }

    /// Moves a generation; a terminated one is gone in the same step.
    pub(super) fn move_generation(&mut self, id: u32, event: Event, out: &mut Out<'_>) -> Phase {
        let Some(generation) = self.generation_mut(id) else {
            return Phase::Terminated;
        };
        generation.state = generation.state.next(event);
        let phase = generation.state.phase;
        if phase == Phase::Terminated {
            let (slot, flight) = (generation.slot, generation.flight);
            self.generations.retain(|each| each.id != id);
            out.seal(slot, Effect::GenerationSealed(slot, flight as u32));
        }
        phase
    }

    /// Takes the claim's run off its generation and closes the requests of its turn there.
    pub(super) fn leave_generation(&mut self, key: u32, out: &mut Out<'_>) {
        let Some(run) = self.claims.get_mut(key as usize).and_then(|claim| claim.run.as_mut())
        else {
            return;
        };
        if !std::mem::replace(&mut run.registered, false) {
            return;
        }
        let (id, run_id, turn_id) = (run.generation, run.run_id.clone(), run.turn_id.clone());
        if let Some(generation) = self.generation_mut(id) {
            generation.runs.shift_remove(&run_id);
            generation.turns.remove(&turn_id);
        }
        if !self.requests.is_empty() {
            self.requests.retain(|request| {
                let ends = request.generation == id && request.turn == turn_id;
                if ends {
                    out.seal(request.slot, Effect::RequestSealed(request.slot));
                }
                !ends
            });
        }
    }
}

impl Realm {
    /// Registers a built backend as a new generation in phase active. Returns its slot, its id, and
    /// whether it became its route's current one.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn create_generation(
        &mut self,
        entry: u32,
        claim: ClaimRef,
        route: Option<Text>,
    ) -> Outcome<(Slot, u32, bool)> {
        let captured = self.claim_word(claim)?.is_captured();
        let made = self.with(entry, NO_SLOT, "generation created", |record, out| {
            let id = out.next_generation();
            let member = out.member;
            let slot = out.slot(Kind::Generation, id);
            let serves = |each: &&mut Generation| each.serves(route.as_deref());
            let mut homes = record.generations.iter_mut().filter(serves);
            let before = homes.next();
            let foreign = before.as_ref().is_some_and(|each| each.member != member);
            let current = !captured && !foreign;
            if current && let Some(before) = before {
                before.current = false;
            }
            record.generations.push(Generation {
                id,
                member,
                slot,
                route,
                state: State::NEW,
                flight: Flight::Idle,
                current,
                runs: Default::default(),
                turns: Default::default(),
                error: None,
            });
            Ok((slot, id, current))
        })?;
        Ok(made)
    }

    /// The route's current generation, if it is this member's.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn current_generation(&self, entry: u32, route: Option<&[u16]>) -> Outcome<Option<Slot>> {
        let member = self.member_of(entry)?;
        self.look(entry, |record| {
            let mut own = record.generations.iter().filter(|each| each.member == member);
            Ok(own.find(|each| each.serves(route)).map(|each| each.slot))
        })
    }

    /// This member's generations that are not terminated, in creation order.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn generations(&self, entry: u32) -> Outcome<Vec<Slot>> {
        let member = self.member_of(entry)?;
        self.look(entry, |record| {
            let own = record.generations.iter().filter(|each| each.member == member);
            Ok(own.map(|each| each.slot).collect())
        })
    }

    /// The run owning the turn (or having the id) on the route's current generation: its claim.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn run_on_route(
        &self,
        entry: u32,
        route: Option<&[u16]>,
        name: &[u16],
        by_turn: bool,
    ) -> Outcome<Option<Slot>> {
        let member = self.member_of(entry)?;
        self.look(entry, |record| {
            let mut own = record.generations.iter().filter(|each| each.member == member);
            let Some(generation) = own.find(|each| each.serves(route)) else {
                return Ok(None);
            };
            let key = if by_turn { generation.turns.get(name) } else { generation.runs.get(name) };
            Ok(key.and_then(|key| record.claims.get(*key as usize)).map(|claim| claim.slot))
        })
    }

    /// Begins or joins the activation of a route.
    ///
    /// # Errors
    /// `ERR_GENERATION_FOREIGN`.
    pub fn activate(&mut self, entry: u32, route: Option<Text>) -> Outcome<Activated> {
        self.with(entry, NO_SLOT, "activation asked for", |record, out| {
            let serves = |each: &&Generation| each.serves(route.as_deref());
            if let Some(current) = record.generations.iter().find(serves) {
                if current.member != out.member {
                    return Err(Reason::GenerationForeign.into());
                }
                return Ok(Activated::Current(current.slot));
            }
            let own = |each: &&Activation| each.member == out.member && each.route == route;
            if let Some(flight) = record.activations.iter().find(own) {
                return Ok(Activated::Joined(flight.slot));
            }
            let slot = out.slot(Kind::Activation, 0);
            record.activations.push(Activation { member: out.member, slot, route });
            Ok(Activated::Started(slot))
        })
    }

    /// The build has settled: the next one is another.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn activated(&mut self, slot: Slot) -> Outcome<()> {
        self.on(slot, Kind::Activation, "activation settled", |record, out, _| {
            // Slots are a realm's own: another member's may have the same number.
            let member = out.member;
            record.activations.retain(|each| each.slot != slot || each.member != member);
            out.free(slot);
            Ok(())
        })
    }

    /// attached → reserved, registering the run on the generation. Returns the view of the attempt
    /// that has captured the claim.
    ///
    /// # Errors
    /// `ERR_CLAIM_PHASE`, `ERR_GENERATION_STALE`, `ERR_RUN_RESERVED`.
    pub fn reserve(&mut self, claim: Slot, generation: Option<Slot>) -> Outcome<Option<Slot>> {
        let entry = self.handle(claim, Kind::Claim)?.entry;
        let id = generation
            .and_then(|slot| self.handle(slot, Kind::Generation).ok())
            .filter(|handle| handle.entry == entry)
            .map(|handle| handle.key);
        let captor = self.on(claim, Kind::Claim, "reserved", |record, out, key| {
            let claim = record.claim(key)?;
            let next = claim.state.next(claim::Event::Reserve)?;
            let run = claim.run.as_ref().ok_or(Reason::InvalidThis)?;
            let (run_id, turn_id) = (run.run_id.clone(), run.turn_id.clone());
            let stale = Refusal::about(Reason::GenerationStale, id.unwrap_or(0));
            let generation = id.and_then(|id| record.generation_mut(id)).ok_or(stale)?;
            if generation.state.phase != Phase::Active || !generation.current {
                return Err(stale);
            }
            if generation.runs.contains_key(&run_id) || generation.turns.contains_key(&turn_id) {
                return Err(Refusal::about(Reason::RunReserved, generation.id));
            }
            let id = generation.id;
            generation.runs.insert(run_id, key);
            generation.turns.insert(turn_id, key);
            let claim = record.claim_mut(key)?;
            claim.state = next;
            if let Some(run) = &mut claim.run {
                run.generation = id;
                run.registered = true;
            }
            record.captor(key, out)
        })?;
        Ok(captor)
    }

    /// The run may be sent: registered on a generation that is active and current.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn can_dispatch(&self, claim: Slot) -> Outcome<bool> {
        self.read(claim, Kind::Claim, |record, key| {
            let Some(run) = record.claim(key)?.run.as_ref().filter(|run| run.registered) else {
                return Ok(false);
            };
            let generation = record.generation(run.generation);
            Ok(generation.is_some_and(|each| each.state.phase == Phase::Active && each.current))
        })
    }

    /// Phase, whether it is current, and how many runs it has.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn generation_facts(&self, slot: Slot) -> Outcome<(Phase, bool, u32)> {
        self.read(slot, Kind::Generation, |record, id| {
            let each = record.generation(id).ok_or(Reason::InvalidThis)?;
            Ok((each.state.phase, each.current, each.runs.len() as u32))
        })
    }

    /// active → stopping, and how the stop stood before: idle means that the task is to be called.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn generation_stop(&mut self, slot: Slot) -> Outcome<Flight> {
        let before = self.on(slot, Kind::Generation, "generation stopping", |record, _, id| {
            let each = record.generation_mut(id).ok_or(Reason::InvalidThis)?;
            let before = each.flight;
            each.flight = before.next(FlightEvent::Begin);
            // Also a stop that joins keeps new runs away: the backend may have been active again.
            each.state = each.state.next(Event::Stop);
            Ok(before)
        })?;
        Ok(before)
    }

    /// The stop in flight has ended.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn generation_stopped(&mut self, slot: Slot, ok: bool) -> Outcome<()> {
        self.on(
            slot,
            Kind::Generation,
            if ok { "backend stopped" } else { "backend stop failed" },
            |record, _, id| {
                let each = record.generation_mut(id).ok_or(Reason::InvalidThis)?;
                each.flight = each.flight.next(FlightEvent::End(ok));
                Ok(())
            },
        )?;
        Ok(())
    }

    /// → disposing. True when the task is to be called.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn generation_dispose(&mut self, slot: Slot) -> Outcome<bool> {
        let begun =
            self.on(slot, Kind::Generation, "generation disposing", |record, out, id| {
                let before = record.generation(id).ok_or(Reason::InvalidThis)?.state.phase;
                record.move_generation(id, Event::Dispose, out);
                Ok(matches!(before, Phase::Active | Phase::Stopping))
            })?;
        Ok(begun)
    }

    /// The disposal has ended. The error crosses to members that meet the failed generation.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn generation_disposed(
        &mut self,
        slot: Slot,
        ok: bool,
        error: Option<Text>,
    ) -> Outcome<Phase> {
        let phase = self.on(
            slot,
            Kind::Generation,
            if ok { "backend disposed" } else { "backend disposal failed" },
            |record, out, id| {
                if let Some(each) = record.generation_mut(id) {
                    each.error = error;
                }
                let held = record.is_held(id);
                Ok(record.move_generation(id, Event::Disposed { ok, held }, out))
            },
        )?;
        Ok(phase)
    }

    /// A run has left, or a stop has completed. True when there is a disposal to wait for.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn generation_reconcile(&mut self, slot: Slot) -> Outcome<bool> {
        self.on(slot, Kind::Generation, "generation reconciled", |record, out, id| {
            let before = record.generation(id).ok_or(Reason::InvalidThis)?.state.phase;
            let held = record.is_held(id);
            record.move_generation(id, Event::Reconcile { held }, out);
            Ok(!held && before == Phase::Disposing)
        })
    }
}
