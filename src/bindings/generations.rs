//! Backend generations and activations.

use super::maybe;
use super::raw::{Numbers, Table, Units};
use super::thread::Thread;
use crate::error::Outcome;
use crate::ownership::{Activated, Blocker, ClaimRef, Flight, FlightEvent};
use crate::text::Text;

pub(super) fn define(table: &mut Table) {
    table.define("createGeneration", create);
    table.define("currentGeneration", |thread, (entry, route): (u32, Option<Units>)| {
        thread.realm.current_generation(entry, route.as_deref()).map(maybe)
    });
    table.define("generations", |thread, (entry, to): (u32, Numbers)| -> Outcome<u32> {
        let generations = thread.realm.generations(entry)?;
        Ok(thread.answer(generations, to))
    });
    table.define("runForTurn", |thread, (entry, route, turn): (u32, Option<Units>, Units)| {
        thread.realm.run_on_route(entry, route.as_deref(), &turn, true).map(maybe)
    });
    table.define("activeRun", |thread, (entry, route, run): (u32, Option<Units>, Units)| {
        thread.realm.run_on_route(entry, route.as_deref(), &run, false).map(maybe)
    });
    table.define("activate", |thread, (entry, route): (u32, Option<Text>)| -> Outcome<u32> {
        Ok(match thread.realm.activate(entry, route)? {
            Activated::Current(slot) => slot << 2,
            Activated::Joined(slot) => slot << 2 | 1,
            Activated::Started(slot) => slot << 2 | 2,
        })
    });
    table.define("activated", |thread, (slot,): (u32,)| thread.realm.activated(slot));
    table.define("activationBlocker", |thread, (claim,): (u32,)| -> Outcome<u32> {
        Ok(match thread.realm.activation_blocker(claim)? {
            Blocker::None => 0,
            Blocker::Disposal(slot) => slot + 1,
        })
    });
    table.define("sessionBlocker", |thread, (entry,): (u32,)| -> Outcome<u32> {
        Ok(match thread.realm.session_blocker(entry)? {
            Blocker::None => 0,
            Blocker::Disposal(slot) => slot + 1,
        })
    });
    table.define("foreignFailure", |thread, (entry, generation): (u32, u32)| {
        thread.realm.foreign_failure(entry, generation)
    });
    table.define("generationWord", |thread, (slot,): (u32,)| -> Outcome<u32> {
        let (phase, current, _) = thread.realm.generation_facts(slot)?;
        Ok(phase as u32 | u32::from(current) << 3)
    });
    table.define("generationRuns", |thread, (slot,): (u32,)| -> Outcome<u32> {
        thread.realm.generation_facts(slot).map(|(_, _, runs)| runs)
    });
    table.define("generationStop", |thread, (slot,): (u32,)| -> Outcome<u32> {
        thread.realm.generation_stop(slot).map(|flight| flight as u32)
    });
    table.define("generationStopped", |thread, (slot, ok): (u32, bool)| {
        thread.realm.generation_stopped(slot, ok)
    });
    table.define("generationDispose", |thread, (slot,): (u32,)| -> Outcome<bool> {
        thread.realm.generation_dispose(slot)
    });
    table.define("generationDisposed", |thread, (slot, ok, error): (u32, bool, Option<Text>)| {
        thread.realm.generation_disposed(slot, ok, error).map(|phase| phase as u32)
    });
    table.define("generationReconcile", |thread, (slot,): (u32,)| -> Outcome<bool> {
        thread.realm.generation_reconcile(slot)
    });
    table.define("sealedFlight", |_, (word, event): (u32, u32)| -> Outcome<u32> {
        Ok(sealed_flight(word, event))
    });
}

/// The stop of a generation that has terminated: its state before, and 4 times the one after.
fn sealed_flight(word: u32, event: u32) -> u32 {
    let before = match word & 3 {
        0 => Flight::Idle,
        1 => Flight::InFlight,
        _ => Flight::Failed,
    };
    let after = before.next(match event {
        0 => FlightEvent::Begin,
        1 => FlightEvent::End(true),
        _ => FlightEvent::End(false),
    });
    before as u32 | (after as u32 | word & !3) << 2
}

type Creation = (u32, i32, Option<Text>, Numbers);

/// Slot, id, whether it is current.
fn create(thread: &mut Thread, (entry, claim, route, to): Creation) -> Outcome<u32> {
    let claim = ClaimRef::from_number(claim);
    let (slot, id, current) = thread.realm.create_generation(entry, claim, route)?;
    Ok(thread.answer(vec![slot, id, u32::from(current)], to))
}
