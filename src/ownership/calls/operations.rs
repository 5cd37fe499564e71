//! Retained stop operations: opened, paid, completed.

use crate::error::{Outcome, Reason, Refusal};
use crate::ownership::attempt::Attempt;
use crate::ownership::operation::{Debt, Delivery, Member, Operation, Projection, Target};
use crate::ownership::out::{AttemptId, Effect, Handle, Kind, MemberId, Out, Slot, next_name};
use crate::ownership::realm::Realm;
use crate::ownership::session::Record;

/// What a retention will need, asked for before anything changes: the caller's clock and ids may
/// throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Plan {
    /// An operation is opened: a time is needed.
    pub opens: bool,
    /// It owes the note: an id is needed.
    pub note: bool,
    /// The run is new to it and a lineage was given: an id is needed.
    pub turn: bool,
    /// The run is retained already: nothing is needed.
    pub known: bool,
}

/// What a retention did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retained {
    /// The operation.
    pub operation: Slot,
    /// The member's number, if the run is new to the operation.
    pub member: Option<u32>,
    /// Whether an operation was opened.
    pub opened: bool,
    /// Its name for ever.
    pub id: u32,
}

/// The attempt on whose behalf a run is retained: one that is known here, or one that is over and
/// knows only whether an operation was opened in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetainFor {
    /// A view.
    Live(Slot),
    /// Whether an operation was opened in it.
    Over(bool),
}

impl Record {
    fn plan(
        &self,
        attempt: Option<AttemptId>,
        opened: bool,
        key: u32,
        member: MemberId,
        lineage: bool,
    ) -> Outcome<Plan> {
        let claim = self.claim(key)?;
        let phase = claim.state.phase as u32;
        let registered = claim
            .run
            .as_ref()
            .is_some_and(|run| run.generation != 0 && self.generation(run.generation).is_some());
        if !registered {
            return Err(Refusal::about(Reason::NoGeneration, phase));
        }
        let Some(operation) = self.retained_by(member) else {
            let opened = attempt.and_then(|id| self.attempt(id)).map_or(opened, was_opened);
            return Ok(Plan { opens: true, note: !opened, turn: lineage, known: false });
        };
        let known = operation.members.iter().any(|each| each.seq == claim.seq);
        Ok(Plan { opens: false, note: false, turn: lineage && !known, known })
    }

    fn open_operation(&mut self, attempt: AttemptId, owes: bool, out: &mut Out<'_>) -> u32 {
        let id = next_name();
        let slot = out.slot(Kind::Operation, id);
        self.operations.push(Operation {
            id,
            member: out.member,
            slot,
            attempt,
            retained: true,
            status: Debt::of(owes),
            note: Debt::of(owes),
            targets: Vec::new(),
            members: Vec::new(),
            tasks: Default::default(),
            dropped: false,
        });
        if owes && let Some(attempt) = self.attempt_mut(attempt) {
            attempt.opened = Some(id);
        }
        id
    }

    fn retain(&mut self, operation: u32, key: u32, lineage: bool, terminal: bool) -> Outcome<u32> {
        let run = self.claim(key)?.run.as_ref().ok_or(Reason::InvalidThis)?;
        let generation = run.generation;
        let claim = self.claim_mut(key)?;
        claim.held = true;
        let seq = claim.seq;
        let operation = self.operation_mut(operation)?;
        let places = operation.targets.iter().position(|each| each.generation == generation);
        let target = places.unwrap_or_else(|| {
            operation.targets.push(Target {
                generation,
                delivery: Delivery::Pending,
                refers: true,
            });
            operation.targets.len() - 1
        });
        operation.targets[target].refers = true;
        operation.members.push(Member {
            target,
            seq,
            claim: Some(key),
            present: true,
            turn: Debt::of(lineage),
            terminal: Debt::of(terminal),
            stopped: false,
        });
        Ok(operation.members.len() as u32 - 1)
    }

    /// Forgets completed operations that have no handle and no task any more.
    pub(super) fn forget_operations(&mut self, out: &mut Out<'_>) {
        let member = out.member;
        self.operations.retain(|each| {
            let forgotten = each.member == member && each.dropped && each.tasks.front().is_none();
            if forgotten {
                out.free(each.slot);
            }
            !forgotten
        });
    }

    /// The operation lets go of a claim: it may have been the last to refer to it.
    fn unhold(&mut self, key: Option<u32>, out: &mut Out<'_>) {
        if let Some(key) = key {
            if let Ok(claim) = self.claim_mut(key) {
                claim.held = false;
            }
            self.seal_claim(key, false, out);
        }
    }
}

fn was_opened(attempt: &Attempt) -> bool {
    attempt.opened.is_some()
}

impl Realm {
    fn retain_parts(&self, attempt: RetainFor, claim: Slot) -> Outcome<(Option<u32>, bool)> {
        let entry = self.handle(claim, Kind::Claim)?.entry;
        match attempt {
            RetainFor::Over(opened) => Ok((None, opened)),
            RetainFor::Live(slot) => {
                let Handle { entry: other, key, .. } = self.handle(slot, Kind::Attempt)?;
                if other != entry {
                    Err(Reason::ClaimForeign.into())
                } else {
                    Ok((Some(key), false))
                }
            }
        }
    }

    /// What retaining the claim's run needs.
    ///
    /// # Errors
    /// `ERR_CLAIM_PHASE` for a claim without a generation, `ERR_CLAIM_FOREIGN`.
    pub fn retain_plan(&self, attempt: RetainFor, claim: Slot, lineage: bool) -> Outcome<Plan> {
        let (id, opened) = self.retain_parts(attempt, claim)?;
        let member = self.member_of(self.handle(claim, Kind::Claim)?.entry)?;
        self.read(claim, Kind::Claim, |record, key| record.plan(id, opened, key, member, lineage))
    }

    /// Retains the claim's run. None when the plan does not hold any more: plan again.
    ///
    /// # Errors
    /// As [`Realm::retain_plan`].
    pub fn retain(
        &mut self,
        attempt: RetainFor,
        claim: Slot,
        plan: Plan,
        terminal: bool,
    ) -> Outcome<Option<Retained>> {
        let (id, was_opened) = self.retain_parts(attempt, claim)?;
        let retained =
            self.on(claim, Kind::Claim, "retained by a stop operation", |record, out, key| {
                let member = out.member;
                let lineage = plan.turn;
                let now = record.plan(id, was_opened, key, member, lineage)?;
                if now != plan {
                    return Ok(None);
                }
                let operation = match record.retained_by(member) {
                    Some(operation) => operation.id,
                    None => record.open_operation(id.unwrap_or(0), plan.note, out),
                };
                let slot = record.operation(operation)?.slot;
                let member = match plan.known {
                    true => None,
                    false => Some(record.retain(operation, key, lineage, terminal)?),
                };
                let opened = plan.opens;
                Ok(Some(Retained { operation: slot, id: operation, member, opened }))
            })?;
        Ok(retained)
    }

    /// The session's retained operation of this member.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn retained_operation(&self, entry: u32) -> Outcome<Option<Slot>> {
        let member = self.member_of(entry)?;
        self.look(entry, |record| Ok(record.retained_by(member).map(|each| each.slot)))
    }

    /// The retained operation that still holds the claim's run.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn claim_operation(&self, claim: Slot) -> Outcome<Option<Slot>> {
        self.read(claim, Kind::Claim, |record, key| {
            let claim = record.claim(key)?;
            let operation = record.retained_by(claim.member).filter(|_| claim.held);
            Ok(operation.map(|each| each.slot))
        })
    }

    /// Numbers of the members, by generation, then in the order retained.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_members(&self, operation: Slot) -> Outcome<Vec<u32>> {
        self.read(operation, Kind::Operation, |record, id| {
            Ok(record.operation(id)?.members_by_generation())
        })
    }

    /// Whether the member's run has not been let go of, and whether its terminal fact is owed.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_member(&self, operation: Slot, number: u32) -> Outcome<(bool, bool)> {
        self.read(operation, Kind::Operation, |record, id| {
            let members = &record.operation(id)?.members;
            let member = members.get(number as usize).ok_or(Reason::InvalidThis)?;
            Ok((member.present, member.terminal == Debt::Owed))
        })
    }

    /// Slots of the generations whose stop was not delivered (`pending`), failed, or that are still
    /// referred to, by generation.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_targets(
        &self,
        operation: Slot,
        which: fn(&Target) -> bool,
    ) -> Outcome<Vec<u32>> {
        self.read(operation, Kind::Operation, |record, id| {
            let operation = record.operation(id)?;
            let places = operation.by_generation().into_iter();
            let places = places.filter(|place| which(&operation.targets[*place]));
            Ok(places.map(|place| place as u32).collect())
        })
    }

    /// The place of a member's target.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_target_of(&self, operation: Slot, number: u32) -> Outcome<u32> {
        self.read(operation, Kind::Operation, |record, id| {
            let members = &record.operation(id)?.members;
            Ok(members.get(number as usize).ok_or(Reason::InvalidThis)?.target as u32)
        })
    }

    /// The first projection not done.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_next(&self, operation: Slot) -> Outcome<Projection> {
        self.read(operation, Kind::Operation, |record, id| {
            Ok(record.operation(id)?.next_projection())
        })
    }

    /// A change of what the operation owes.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_pay(&mut self, operation: Slot, payment: Payment) -> Outcome<()> {
        self.on(operation, Kind::Operation, payment.name(), |record, _, id| {
            let operation = record.operation_mut(id)?;
            match payment {
                Payment::Status => operation.status = operation.status.paid(),
                Payment::Note => operation.note = operation.note.paid(),
                Payment::Turn(number) => {
                    let members = &mut operation.members;
                    let member = members.get_mut(number as usize).ok_or(Reason::InvalidThis)?;
                    member.turn = member.turn.paid();
                }
                Payment::Terminal(number) => {
                    let members = &mut operation.members;
                    let member = members.get_mut(number as usize).ok_or(Reason::InvalidThis)?;
                    member.terminal = member.terminal.paid();
                }
                Payment::Delivery(place, ok) => {
                    let targets = &mut operation.targets;
                    let target = targets.get_mut(place as usize).ok_or(Reason::InvalidThis)?;
                    target.delivery = target.delivery.settle(ok);
                }
            }
            Ok(())
        })
    }

    /// Marks members stopped; ends the retention when nothing is owed any more. True the first time.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_complete(&mut self, slot: Slot, numbers: &[u32]) -> Outcome<bool> {
        let ended =
            self.on(slot, Kind::Operation, "stop operation completed", |record, out, id| {
                let operation = record.operation_mut(id)?;
                if !operation.complete(numbers) {
                    return Ok(false);
                }
                let held: Vec<u32> =
                    operation.members.iter_mut().filter_map(|member| member.claim.take()).collect();
                for key in held {
                    record.unhold(Some(key), out);
                }
                out.here(Effect::OperationOver(slot));
                Ok(true)
            })?;
        Ok(ended)
    }

    /// Lets go of a member's run, and of generations without one.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_release(&mut self, operation: Slot, number: Option<u32>) -> Outcome<()> {
        self.on(
            operation,
            Kind::Operation,
            "run released by the stop operation",
            |record, out, id| {
                let claim = record.operation_mut(id)?.release(number);
                record.unhold(claim, out);
                Ok(())
            },
        )
    }

    /// The handle of a completed operation is gone. Its slot may name another one by now.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn operation_drop(&mut self, slot: Slot, id: u32) -> Outcome<()> {
        if self.handle(slot, Kind::Operation)?.key != id {
            return Ok(());
        }
        self.on(slot, Kind::Operation, "", |record, out, id| {
            let operation = record.operation_mut(id)?;
            operation.dropped = !operation.retained;
            record.forget_operations(out);
            Ok(())
        })
    }
}

/// A debt of an operation that is being paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payment {
    /// The status was projected.
    Status,
    /// The note was projected.
    Note,
    /// The turn of this member was projected.
    Turn(u32),
    /// The terminal fact of this member has landed.
    Terminal(u32),
    /// The stop of the target at this place was delivered, or failed.
    Delivery(u32, bool),
}

impl Payment {
    fn name(self) -> &'static str {
        match self {
            Payment::Status => "status projected",
            Payment::Note => "note projected",
            Payment::Turn(_) => "turn projected",
            Payment::Terminal(_) => "terminal fact landed",
            Payment::Delivery(_, true) => "stop delivered",
            Payment::Delivery(_, false) => "stop delivery failed",
        }
    }
}

impl Target {
    /// Its stop was not delivered yet.
    pub fn is_pending(&self) -> bool {
        self.delivery == Delivery::Pending
    }

    /// Its stop failed.
    pub fn has_failed(&self) -> bool {
        self.delivery == Delivery::Failed
    }

    /// The operation still refers to its generation.
    pub fn refers(&self) -> bool {
        self.refers
    }
}
