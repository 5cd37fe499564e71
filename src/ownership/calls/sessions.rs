//! What is asked of a session as a whole, and its slots of one value: invalidation, checkpoint, lanes.

use crate::error::{Outcome, Reason};
use crate::ownership::checkpoint::{Cell, Checkpoint, Loaded};
use crate::ownership::invalidation::{Event, Invalidation, State};
use crate::ownership::lane::{Lane, Tasks};
use crate::ownership::out::{Effect, Kind, NO_SLOT, Slot, next_name};
use crate::ownership::realm::Realm;
use crate::ownership::session::{Record, read};
use crate::text::Text;

/// How `loadCheckpoint` goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointLoad {
    /// There is a value.
    Stored(Slot),
    /// A load is in flight.
    Joined(Slot),
    /// The load is to be called; its flight number is the slot's own.
    Started(Slot, u32),
}

fn has_run(record: &Record, run: &[u16], turn: Option<&[u16]>) -> bool {
    record.generations.iter().any(|generation| match (generation.runs.get(run), turn) {
        (Some(key), Some(turn)) => generation.turns.get(turn) == Some(key),
        (found, None) => found.is_some(),
        (None, _) => false,
    })
}

fn turns(record: &Record) -> Vec<Text> {
    let mut turns: Vec<Text> = Vec::new();
    let runs = record.generations.iter().flat_map(|each| each.runs.values());
    for run in runs.filter_map(|key| record.claims.get(*key as usize)) {
        if let Some(run) = &run.run
            && !turns.contains(&run.turn_id)
        {
            turns.push(run.turn_id.clone());
        }
    }
    turns
}

impl Realm {
    /// Any run registered on any generation of the session, whichever member's.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn has_active_runs(&self, core: u32, id: &[u16]) -> Outcome<bool> {
        match self.find(core, id)? {
            Some(session) => read(&session, Record::has_active_runs),
            None => Ok(false),
        }
    }

    /// The same, by the session's entry.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn entry_has_active_runs(&self, entry: u32) -> Outcome<bool> {
        self.look(entry, |record| Ok(record.has_active_runs()))
    }

    /// That very run, and of that turn if given.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn has_active_run(
        &self,
        core: u32,
        id: &[u16],
        run: &[u16],
        turn: Option<&[u16]>,
    ) -> Outcome<bool> {
        let Some(session) = self.find(core, id)? else {
            return Ok(false);
        };
        read(&session, |record| has_run(record, run, turn))
    }

    /// The same, by the session's entry.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn entry_has_active_run(
        &self,
        entry: u32,
        run: &[u16],
        turn: Option<&[u16]>,
    ) -> Outcome<bool> {
        self.look(entry, |record| Ok(has_run(record, run, turn)))
    }

    /// The distinct turns of the runs registered on any generation of the session.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn active_turns(&self, core: u32, id: &[u16]) -> Outcome<Vec<Text>> {
        match self.find(core, id)? {
            Some(session) => read(&session, turns),
            None => Ok(Vec::new()),
        }
    }

    /// Ids of the sessions that hold a generation or an invalidation of this member.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn cached_sessions(&self, core: u32) -> Outcome<Vec<Text>> {
        let core = self.core(core)?;
        let member = core.member.id;
        let mut held: Vec<(u32, Text)> = Vec::new();
        for (id, entry) in &core.entries {
            // What has panicked hides no other session.
            let Ok(record) = self.sessions[*entry as usize].session.lock() else { continue };
            let first = record.generations.iter().find(|each| each.member == member);
            if let Some(generation) = first {
                held.push((generation.id, id.clone()));
            } else if record.invalidations.iter().any(|each| each.member == member) {
                held.push((u32::MAX, id.clone()));
            }
        }
        held.sort_unstable();
        Ok(held.into_iter().map(|(_, id)| id).collect())
    }

    /// The session's invalidation, opened if there is none. True when it was.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn invalidate(&mut self, entry: u32) -> Outcome<(Slot, bool)> {
        let made = self.with(entry, NO_SLOT, "invalidated", |record, out| {
            let own = record.invalidations.iter().find(|each| each.member == out.member);
            if let Some(own) = own {
                return Ok((own.slot, false));
            }
            let slot = out.slot(Kind::Invalidation, 0);
            let (member, state) = (out.member, State::Due);
            record.invalidations.push(Invalidation { member, slot, state });
            Ok((slot, true))
        })?;
        Ok(made)
    }

    /// The session's invalidation; if `due`, only when the session has no active run.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn invalidation(&self, entry: u32, due: bool) -> Outcome<Option<Slot>> {
        let member = self.member_of(entry)?;
        self.look(entry, |record| {
            let own = record.invalidations.iter().find(|each| each.member == member);
            Ok(own.filter(|_| !due || !record.has_active_runs()).map(|each| each.slot))
        })
    }

    /// Begins the disposal: drops steering queue and checkpoint slot and returns the generations to
    /// dispose. None when a disposal was begun before.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn invalidation_dispose(&mut self, slot: Slot) -> Outcome<Option<Vec<Slot>>> {
        let begun =
            self.on(slot, Kind::Invalidation, "invalidation disposing", |record, out, _| {
                let member = out.member;
                let mut own = record.invalidations.iter_mut();
                let own = own.find(|each| each.slot == slot && each.member == member);
                let own = own.ok_or(Reason::InvalidThis)?;
                let before = own.state;
                own.state = before.next(Event::Dispose);
                if before != State::Due {
                    return Ok(None);
                }
                record.steering.drop_all(out);
                record.checkpoints.retain(|each| {
                    let drop = each.member == member;
                    if drop {
                        out.seal(each.slot, Effect::CheckpointDropped(each.slot));
                    }
                    !drop
                });
                let generations = record.generations.iter().filter(|each| each.member == member);
                Ok(Some(generations.map(|each| each.slot).collect()))
            })?;
        Ok(begun)
    }

    /// The disposal has ended: lifted, or failed for good.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn invalidation_done(&mut self, slot: Slot, ok: bool) -> Outcome<()> {
        self.on(
            slot,
            Kind::Invalidation,
            if ok { "invalidation lifted" } else { "invalidation failed" },
            |record, out, _| {
                let member = out.member;
                let own = |each: &Invalidation| each.slot == slot && each.member == member;
                for each in record.invalidations.iter_mut().filter(|each| own(each)) {
                    each.state = each.state.next(Event::Done(ok));
                }
                record.invalidations.retain(|each| {
                    let lifted = own(each) && each.state == State::Lifted;
                    if lifted {
                        out.seal(slot, Effect::InvalidationSealed(slot, 0));
                    }
                    !lifted
                });
                Ok(())
            },
        )
    }

    /// The stored checkpoint, the load in flight, or a new load.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn checkpoint_load(&mut self, entry: u32) -> Outcome<CheckpointLoad> {
        self.with(entry, NO_SLOT, "checkpoint asked for", |record, out| {
            let own = record.checkpoints.iter().find(|each| each.member == out.member);
            Ok(match own.map(|each| (each.slot, each.cell)) {
                Some((slot, Cell::Stored | Cell::StoredLoading(_))) => CheckpointLoad::Stored(slot),
                Some((slot, Cell::Loading(_))) => CheckpointLoad::Joined(slot),
                None => {
                    let slot = out.slot(Kind::Checkpoint, 0);
                    let flight = next_name();
                    let (member, cell) = (out.member, Cell::Loading(flight));
                    record.checkpoints.push(Checkpoint { member, slot, cell });
                    CheckpointLoad::Started(slot, flight)
                }
            })
        })
    }

    /// A load has ended. How it is to be answered, and the slot of the value stored.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn checkpoint_loaded(
        &mut self,
        entry: u32,
        flight: u32,
        ok: bool,
    ) -> Outcome<(Loaded, Slot)> {
        self.with(
            entry,
            NO_SLOT,
            if ok { "checkpoint loaded" } else { "checkpoint load failed" },
            |record, out| {
                let own = record.checkpoints.iter().position(|each| each.member == out.member);
                let Some(place) = own else {
                    return Ok((Loaded::Own, NO_SLOT));
                };
                let Checkpoint { slot, cell, .. } = record.checkpoints[place];
                let (after, answer) = cell.loaded(flight, ok);
                match after {
                    Some(cell) => record.checkpoints[place].cell = cell,
                    None => {
                        record.checkpoints.remove(place);
                        out.seal(slot, Effect::CheckpointDropped(slot));
                    }
                }
                Ok((answer, slot))
            },
        )
    }

    /// Stores a checkpoint. Returns its slot.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn checkpoint_store(&mut self, entry: u32) -> Outcome<Slot> {
        self.with(entry, NO_SLOT, "checkpoint stored", |record, out| {
            let own = record.checkpoints.iter_mut().find(|each| each.member == out.member);
            if let Some(own) = own {
                own.cell = own.cell.store();
                return Ok(own.slot);
            }
            let slot = out.slot(Kind::Checkpoint, 0);
            let (member, cell) = (out.member, Cell::Stored);
            record.checkpoints.push(Checkpoint { member, slot, cell });
            Ok(slot)
        })
    }

    /// Adds a task to a lane. Its slot, and whether it may start.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn serialize(&mut self, entry: u32, name: Text) -> Outcome<(Slot, bool)> {
        self.with(entry, NO_SLOT, "task queued", |record, out| {
            let slot = out.slot(Kind::Task, 0);
            let member = out.member;
            let own = |lane: &Lane| lane.member == member && lane.name == name;
            let place = record.lanes.iter().position(own).unwrap_or_else(|| {
                record.lanes.push(Lane { member, name, tasks: Tasks::default() });
                record.lanes.len() - 1
            });
            Ok((slot, record.lanes[place].tasks.enqueue(slot)))
        })
    }

    /// Adds a task to the lane of a stop operation.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_enqueue(&mut self, operation: Slot) -> Outcome<(Slot, bool)> {
        self.on(operation, Kind::Operation, "task queued", |record, out, id| {
            let slot = out.slot(Kind::Task, id);
            Ok((slot, record.operation_mut(id)?.tasks.enqueue(slot)))
        })
    }

    /// A task has ended; the next one of its lane comes to its turn.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn task_ended(&mut self, slot: Slot) -> Outcome<()> {
        self.on(slot, Kind::Task, "task ended", |record, out, operation| {
            out.free(slot);
            let next = if operation > 0 {
                let next = record.operation_mut(operation)?.tasks.ended();
                record.forget_operations(out);
                next
            } else {
                let member = out.member;
                let own = |lane: &Lane| lane.member == member && lane.tasks.front() == Some(slot);
                match record.lanes.iter().position(own) {
                    Some(place) => {
                        let next = record.lanes[place].tasks.ended();
                        if next.is_none() {
                            record.lanes.swap_remove(place);
                        }
                        next
                    }
                    None => None,
                }
            };
            if let Some(next) = next {
                out.here(Effect::TaskReady(next));
            }
            Ok(())
        })
    }
}
