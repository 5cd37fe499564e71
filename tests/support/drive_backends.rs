//! Calls on generations, activations, invalidations, checkpoints and lanes, in the core and in the model.

use proptest::prop_assert_eq;
use tenure::error::Reason;
use tenure::ownership::{Activated as Got, Blocker, CheckpointLoad, ClaimRef, Loaded};

use super::model::{Handle, Member, Session};
use super::model_backends::Activated;
use super::model_slots::{Disposal, Load};
use super::world::{Step, World, error_text, named, plain, route_text};

impl World {
    pub fn create_generation(&mut self, claim: usize, route: Option<u8>) -> Step {
        let (member, session) = (self.model.claims[claim].member, self.model.claims[claim].session);
        let entry = self.entry(member, session);
        let reference = match self.words.get(&claim) {
            Some(word) => ClaimRef::Sealed(*word),
            None => ClaimRef::Live(self.slot(Handle::Claim(claim))),
        };
        let got = self.realm(member).create_generation(entry, reference, route_text(route));
        let (generation, current) = self.model.create_generation(claim, route);
        let (slot, id, is_current) = plain(got).unwrap();
        prop_assert_eq!((id, is_current), (generation as u32 + 1, current));
        self.name(member, Handle::Generation(generation), slot)
    }

    pub fn activate(&mut self, member: Member, session: Session, route: Option<u8>) -> Step {
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).activate(entry, route_text(route)));
        let expected = self.model.activate(member, session, route);
        match (got, expected) {
            (Ok(Got::Current(slot)), Ok(Activated::Current(generation))) => {
                prop_assert_eq!(slot, self.slot(Handle::Generation(generation)));
            }
            (Ok(Got::Joined(slot)), Ok(Activated::Joined(flight))) => {
                prop_assert_eq!(slot, self.slot(Handle::Activation(flight)));
            }
            (Ok(Got::Started(slot)), Ok(Activated::Started(flight))) => {
                self.name(member, Handle::Activation(flight), slot)?;
            }
            (got, expected) => prop_assert_eq!(got.map(|_| ()), expected.map(|_| ())),
        }
        Ok(())
    }

    pub fn activated(&mut self, activation: usize) -> Step {
        let slot = self.slot(Handle::Activation(activation));
        let member = self.model.activations[activation].member;
        self.model.activations[activation].known = false;
        prop_assert_eq!(plain(self.realm(member).activated(slot)), Ok(()));
        Ok(())
    }

    pub fn generation_stop(&mut self, generation: usize) -> Step {
        let slot = self.slot(Handle::Generation(generation));
        let member = self.model.generations[generation].member;
        let expected = self.model.generation_stop(generation);
        prop_assert_eq!(plain(self.realm(member).generation_stop(slot)), Ok(expected));
        Ok(())
    }

    /// The stop in flight ends.
    pub fn generation_stopped(&mut self, generation: usize, ok: bool) -> Step {
        let slot = self.slot(Handle::Generation(generation));
        let member = self.model.generations[generation].member;
        self.model.generation_stopped(generation, ok);
        prop_assert_eq!(plain(self.realm(member).generation_stopped(slot, ok)), Ok(()));
        Ok(())
    }

    pub fn generation_dispose(&mut self, generation: usize) -> Step {
        let slot = self.slot(Handle::Generation(generation));
        let member = self.model.generations[generation].member;
        let expected = self.model.generation_dispose(generation);
        prop_assert_eq!(plain(self.realm(member).generation_dispose(slot)), Ok(expected));
        Ok(())
    }

    /// The disposal begun ends, once.
    pub fn generation_disposed(&mut self, generation: usize, ok: bool) -> Step {
        let slot = self.slot(Handle::Generation(generation));
        let member = self.model.generations[generation].member;
        let error = if ok { None } else { self.error() };
        self.model.generation_disposed(generation, ok, error);
        let got = self.realm(member).generation_disposed(slot, ok, error_text(error));
        prop_assert_eq!(plain(got), Ok(self.model.generations[generation].phase));
        Ok(())
    }

    pub fn reconcile(&mut self, generation: usize) -> Step {
        let slot = self.slot(Handle::Generation(generation));
        let member = self.model.generations[generation].member;
        let expected = self.model.reconcile(generation);
        prop_assert_eq!(plain(self.realm(member).generation_reconcile(slot)), Ok(expected));
        Ok(())
    }

    pub fn blocker(&mut self, claim: usize) -> Step {
        let (member, session) = (self.model.claims[claim].member, self.model.claims[claim].session);
        let live = self.slots.get(&Handle::Claim(claim)).copied();
        let got = match live {
            Some(slot) => self.realm(member).activation_blocker(slot),
            None => {
                let entry = self.entry(member, session);
                self.realm(member).session_blocker(entry)
            }
        };
        let expected = self.model.blocker(member, session, live.map(|_| claim));
        match (got, expected) {
            (Ok(Blocker::None), Ok(None)) => {}
            (Ok(Blocker::Disposal(slot)), Ok(Some(generation))) => {
                prop_assert_eq!(slot, self.slot(Handle::Generation(generation)));
            }
            (Err(refusal), Err((reason, about))) => {
                prop_assert_eq!(refusal.reason, reason);
                match (reason, about) {
                    (Reason::GenerationFailed, Some(generation)) => {
                        let slot = self.slot(Handle::Generation(generation));
                        prop_assert_eq!(refusal.detail, slot);
                    }
                    (_, Some(generation)) => {
                        prop_assert_eq!(refusal.detail, generation as u32 + 1);
                    }
                    _ => {}
                }
                if let (Reason::ForeignGenerationFailed, Some(generation)) = (reason, about) {
                    let entry = self.entry(member, session);
                    let id = generation as u32 + 1;
                    let text = plain(self.realm(member).foreign_failure(entry, id));
                    let error = self.model.generations[generation].error;
                    prop_assert_eq!(text, Ok(error_text(error)));
                }
            }
            (got, expected) => proptest::prop_assert!(false, "{:?} against {:?}", got, expected),
        }
        Ok(())
    }

    pub fn invalidate(&mut self, member: Member, session: Session) -> Step {
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).invalidate(entry));
        let (invalidation, opened) = self.model.invalidate(member, session);
        prop_assert_eq!(got.map(|(_, opened)| opened), Ok(opened));
        self.name(member, Handle::Invalidation(invalidation), got.unwrap().0)
    }

    pub fn invalidation_dispose(&mut self, invalidation: usize) -> Step {
        let slot = self.slot(Handle::Invalidation(invalidation));
        let member = self.model.invalidations[invalidation].member;
        let expected = self.model.invalidation_dispose(invalidation);
        let got = plain(self.realm(member).invalidation_dispose(slot));
        let expected = expected.map(|all| self.slots_of(all.into_iter().map(Handle::Generation)));
        prop_assert_eq!(got, Ok(expected));
        Ok(())
    }

    pub fn invalidation_done(&mut self, invalidation: usize, ok: bool) -> Step {
        if self.model.invalidations[invalidation].state != Disposal::Disposing {
            return Ok(());
        }
        let slot = self.slot(Handle::Invalidation(invalidation));
        let member = self.model.invalidations[invalidation].member;
        self.model.invalidation_done(invalidation, ok);
        // Its sealing is an effect: the face waits for it.
        prop_assert_eq!(plain(self.realm(member).invalidation_done(slot, ok)), Ok(()));
        Ok(())
    }

    pub fn checkpoint_load(&mut self, member: Member, session: Session) -> Step {
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).checkpoint_load(entry));
        let expected = self.model.checkpoint_load(member, session, self.flights.len());
        match (got, expected) {
            (Ok(CheckpointLoad::Stored(slot)), Load::Stored(cell))
            | (Ok(CheckpointLoad::Joined(slot)), Load::Joined(cell)) => {
                prop_assert_eq!(slot, self.slot(Handle::Checkpoint(cell)));
            }
            (Ok(CheckpointLoad::Started(slot, flight)), Load::Started(cell)) => {
                self.flights.push((member, session, flight, false));
                self.name(member, Handle::Checkpoint(cell), slot)?;
            }
            (got, expected) => proptest::prop_assert!(false, "{:?} against {:?}", got, expected),
        }
        Ok(())
    }

    pub fn checkpoint_loaded(&mut self, flight: usize, ok: bool) -> Step {
        let (member, session, number, _) = self.flights[flight];
        self.flights[flight].3 = true;
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).checkpoint_loaded(entry, number, ok)).unwrap();
        let (answer, slot) = self.model.checkpoint_loaded(member, session, flight, ok);
        prop_assert_eq!(got.0, answer);
        if answer != Loaded::Own {
            prop_assert_eq!(Some(got.1), slot.map(|slot| self.slot(Handle::Checkpoint(slot))));
        }
        Ok(())
    }

    pub fn checkpoint_store(&mut self, member: Member, session: Session) -> Step {
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).checkpoint_store(entry)).unwrap();
        let slot = self.model.checkpoint_store(member, session);
        self.name(member, Handle::Checkpoint(slot), got)
    }

    pub fn serialize(&mut self, member: Member, session: Session, lane: u8) -> Step {
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).serialize(entry, named('l', lane)));
        let (task, starts) = self.model.serialize(member, session, lane);
        prop_assert_eq!(got.map(|(_, starts)| starts), Ok(starts));
        self.name(member, Handle::Task(task), got.unwrap().0)
    }
}
