//! The steering queue. A core of its own passes slots of memoised messages; a member of a scope
//! passes the words, since another member may have to read them.

use super::maybe;
use super::raw::{Numbers, Table, Units};
use super::thread::Thread;
use crate::error::Outcome;
use crate::ownership::{Messages, Name, Said, Settled};
use crate::text::Text;

/// Id, text, id, text, …
fn words(messages: Messages) -> Vec<Text> {
    messages.said.iter().flat_map(|said| [said.id.clone(), said.text.clone()]).collect()
}

fn texts(messages: Messages) -> Vec<Text> {
    messages.said.iter().map(|said| said.text.clone()).collect()
}

pub(super) fn define(table: &mut Table) {
    table.define("openTurn", |thread, (entry, turn, listens): (u32, Text, bool)| {
        thread.realm.open_turn(entry, turn, listens)
    });
    table.define("reviveTurn", |thread, (entry, turn): (u32, Units)| -> Outcome<u32> {
        thread.realm.revive_turn(entry, &turn).map(maybe)
    });
    table.define("hasOwner", |thread, (entry,): (u32,)| thread.realm.has_owner(entry));
    table.define("queue", |thread, (entry, next_turn): (u32, bool)| -> Outcome<u32> {
        thread.realm.queue(entry, None, next_turn).map(maybe)
    });
    table.define("queueSaid", queue_said);
    table.define("pull", |thread, (turn,): (u32,)| -> Outcome<u32> {
        let slots = thread.realm.pull(turn)?.slots;
        // One is the rule, and needs no list; more are asked for by `lastList`.
        Ok(match slots.as_slice() {
            [] => 0,
            [slot] => slot << 1 | 1,
            _ => thread.keep(slots) << 1,
        })
    });
    table.define("pullSaid", |thread, (turn,): (u32,)| -> Outcome<Vec<Text>> {
        thread.realm.pull(turn).map(words)
    });
    table.define("leases", |thread, (turn, to): (u32, Numbers)| -> Outcome<u32> {
        let leases = thread.realm.leases(turn)?;
        Ok(thread.answer(leases, to))
    });
    table.define("settleLease", |thread, (turn, slot, delivered): (u32, u32, bool)| {
        thread.realm.settle_leases(turn, &[Name::Slot(slot)], delivered).map(settled)
    });
    table.define("settleLeases", |thread, (turn, slots, delivered): (u32, Numbers, bool)| {
        let slots = slots.to_vec();
        let names: Vec<Name<'_>> = slots.iter().map(|slot| Name::Slot(*slot)).collect();
        thread.realm.settle_leases(turn, &names, delivered).map(settled)
    });
    table.define("settleSaid", |thread, (turn, ids, delivered): (u32, Vec<Text>, bool)| {
        let names: Vec<Name<'_>> = ids.iter().map(|id| Name::Id(id)).collect();
        thread.realm.settle_leases(turn, &names, delivered).map(settled)
    });
    table.define("releaseTurn", |thread, (turn,): (u32,)| thread.realm.release_turn(turn));
    table.define("takeQueue", |thread, (entry, retract, to): (u32, bool, Numbers)| {
        let messages = thread.realm.take_queue(entry, retract)?;
        Outcome::Ok(thread.answer(messages.slots, to))
    });
    table.define("takeQueueSaid", |thread, (entry, retract): (u32, bool)| {
        thread.realm.take_queue(entry, retract).map(texts)
    });
    table.define("snapshot", |thread, (entry, to): (u32, Numbers)| -> Outcome<u32> {
        let (steering, followup) = thread.realm.snapshot(entry)?;
        let mut list = Vec::with_capacity(1 + steering.len() + followup.len());
        list.push(steering.len() as u32);
        list.extend(steering.slots);
        list.extend(followup.slots);
        Ok(thread.answer(list, to))
    });
    table.define("snapshotSaid", |thread, (entry, followup): (u32, bool)| {
        let (steering, later) = thread.realm.snapshot(entry)?;
        Outcome::Ok(texts(if followup { later } else { steering }))
    });
}

/// How many leases ended, and whether the turn's handle was sealed.
fn settled(settled: Settled) -> u32 {
    settled.count << 1 | u32::from(settled.sealed)
}

fn queue_said(
    thread: &mut Thread,
    (entry, next_turn, id, text): (u32, bool, Text, Text),
) -> Outcome<bool> {
    let queued = thread.realm.queue(entry, Some(Said { id, text }), next_turn)?;
    Ok(queued.is_some())
}
