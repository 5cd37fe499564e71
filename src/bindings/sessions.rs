//! What is asked of a session as a whole; invalidations, checkpoints, lanes, mutations.

use super::maybe;
use super::raw::{Answer, Numbers, Table, Units, Value};
use super::thread::Thread;
use crate::error::{Outcome, Refusal};
use crate::ownership::{CheckpointLoad, Loaded, NO_SLOT, Queued};
use crate::text::Text;

impl Answer for Result<Queued, Refusal> {
    fn value(self, thread: &mut Thread) -> Value {
        match self {
            Ok(Queued::Busy(sessions)) => Value::Texts(sessions),
            Ok(Queued::Queued(slot, ready)) => {
                Outcome::Ok(slot << 1 | u32::from(ready)).value(thread)
            }
            Err(refusal) => Outcome::<u32>::Err(refusal).value(thread),
        }
    }
}

pub(super) fn define(table: &mut Table) {
    table.define("hasActiveRuns", |thread, (core, id): (u32, Units)| -> Outcome<bool> {
        thread.realm.has_active_runs(core, &id)
    });
    table.define("entryHasActiveRuns", |thread, (entry,): (u32,)| -> Outcome<bool> {
        thread.realm.entry_has_active_runs(entry)
    });
    table.define("hasActiveRun", has_active_run);
    table.define("entryHasActiveRun", |thread, (entry, run, turn): (u32, Units, Option<Units>)| {
        thread.realm.entry_has_active_run(entry, &run, turn.as_deref())
    });
    table.define("activeTurnIds", |thread, (core, id): (u32, Units)| -> Outcome<Vec<Text>> {
        thread.realm.active_turns(core, &id)
    });
    table.define("cachedSessions", |thread, (core,): (u32,)| -> Outcome<Vec<Text>> {
        thread.realm.cached_sessions(core)
    });
    table.define("invalidate", |thread, (entry,): (u32,)| -> Outcome<u32> {
        thread.realm.invalidate(entry).map(|(slot, made)| slot << 1 | u32::from(made))
    });
    table.define("invalidation", |thread, (entry, due): (u32, bool)| -> Outcome<u32> {
        thread.realm.invalidation(entry, due).map(maybe)
    });
    table.define("invalidationDispose", |thread, (slot, to): (u32, Numbers)| -> Outcome<u32> {
        Ok(match thread.realm.invalidation_dispose(slot)? {
            Some(generations) => thread.answer(generations, to) + 1,
            None => 0,
        })
    });
    table.define("invalidationDone", |thread, (slot, ok): (u32, bool)| {
        thread.realm.invalidation_done(slot, ok)
    });
    table.define("checkpointLoad", |thread, (entry, to): (u32, Numbers)| -> Outcome<u32> {
        let list = match thread.realm.checkpoint_load(entry)? {
            CheckpointLoad::Stored(slot) => vec![0, slot, 0],
            CheckpointLoad::Joined(slot) => vec![1, slot, 0],
            CheckpointLoad::Started(slot, flight) => vec![2, slot, flight],
        };
        Ok(thread.answer(list, to))
    });
    table.define("checkpointLoaded", |thread, (entry, flight, ok): (u32, u32, bool)| {
        let (answer, slot) = thread.realm.checkpoint_loaded(entry, flight, ok)?;
        Outcome::Ok(match answer {
            Loaded::Own => 0,
            Loaded::Store => slot << 2 | 1,
            Loaded::Stored if slot == NO_SLOT => 0,
            Loaded::Stored => slot << 2 | 2,
        })
    });
    table.define("checkpointStore", |thread, (entry,): (u32,)| -> Outcome<u32> {
        thread.realm.checkpoint_store(entry)
    });
    table.define("serialize", |thread, (entry, lane): (u32, Text)| -> Outcome<u32> {
        let (task, start) = thread.realm.serialize(entry, lane)?;
        Ok(task << 1 | u32::from(start))
    });
    table.define("taskEnded", |thread, (slot,): (u32,)| thread.realm.task_ended(slot));
    table.define("mutate", |thread, (core, ids, quiescent): (u32, Vec<Text>, bool)| {
        thread.realm.mutate(core, ids, quiescent)
    });
    table.define("mutationSettled", |thread, (slot,): (u32,)| thread.realm.mutation_settled(slot));
}

fn has_active_run(
    thread: &mut Thread,
    (core, id, run, turn): (u32, Units, Units, Option<Units>),
) -> Outcome<bool> {
    thread.realm.has_active_run(core, &id, &run, turn.as_deref())
}
