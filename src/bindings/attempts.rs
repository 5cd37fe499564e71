//! Stop attempts and retained stop operations.

use super::raw::{Numbers, Table};
use super::thread::Thread;
use super::{given, maybe};
use crate::error::{Outcome, Reason};
use crate::ownership::{Payment, Plan, Projection, RetainFor, Stopped, Target};
use crate::text::Text;

/// The attempt of a retention: its view's slot, or -1 when it is over, -2 when an operation was
/// opened in it as well.
fn retain_for(number: i32) -> RetainFor {
    match number {
        -1 => RetainFor::Over(false),
        number if number < 0 => RetainFor::Over(true),
        slot => RetainFor::Live(slot as u32),
    }
}

fn plan(bits: u32) -> Plan {
    Plan { opens: bits & 1 != 0, note: bits & 2 != 0, turn: bits & 4 != 0, known: bits & 8 != 0 }
}

fn bits(plan: Plan) -> u32 {
    u32::from(plan.opens)
        | u32::from(plan.note) << 1
        | u32::from(plan.turn) << 2
        | u32::from(plan.known) << 3
}

pub(super) fn define(table: &mut Table) {
    table.define("stop", |thread, (entry, input): (u32, Option<Text>)| -> Outcome<u32> {
        Ok(match thread.realm.stop(entry, input)? {
            Stopped::Standing(slot) => slot << 2,
            Stopped::Joined(slot) => slot << 2 | 1,
            Stopped::NeedsInput => 2,
            Stopped::Started(slot) => slot << 2 | 3,
        })
    });
    table.define("captured", |thread, (attempt, to): (u32, Numbers)| -> Outcome<u32> {
        let captured = thread.realm.captured(attempt)?.into_iter();
        let list = captured.flat_map(|(place, slot, tell)| [place, slot, u32::from(tell)]);
        Ok(thread.answer(list.collect(), to))
    });
    table.define("attemptAbort", |thread, (attempt, from, to, clear): (u32, u32, u32, bool)| {
        thread.realm.attempt_abort(attempt, from, to, clear)
    });
    table.define("attemptInput", |thread, (attempt,): (u32,)| -> Outcome<Option<Text>> {
        thread.realm.attempt_input(attempt)
    });
    table.define("attemptSettled", |thread, (slot, ok, error): (u32, bool, Option<Text>)| {
        thread.realm.attempt_settled(slot, ok, error)
    });
    table.define("drained", |thread, (attempt,): (u32,)| -> Outcome<u32> {
        let drained = thread.realm.drained(attempt)?;
        Ok(drained.map_or(0, |failed| 1 + u32::from(failed)))
    });
    table.define("failures", |thread, (attempt, to): (u32, Numbers)| -> Outcome<u32> {
        let failures = thread.realm.failures(attempt)?;
        Ok(thread.answer(failures, to))
    });
    table.define("failureText", |thread, (attempt, place): (u32, u32)| {
        thread.realm.failure_text(attempt, place)
    });
    table
        .define("attemptForget", |thread, (attempt,): (u32,)| thread.realm.attempt_forget(attempt));
    table.define("joinedForget", |thread, (slot,): (u32,)| thread.realm.joined_forget(slot));
    table.define("activeClaims", |thread, (entry, to): (u32, Numbers)| -> Outcome<u32> {
        let claims = thread.realm.active_claims(entry)?;
        Ok(thread.answer(claims, to))
    });
    table.define("hasOwnRuns", |thread, (attempt,): (u32,)| -> Outcome<bool> {
        thread.realm.has_own_runs(attempt)
    });
    retentions(table);
    operations(table);
}

fn retentions(table: &mut Table) {
    table.define("retainPlan", |thread, (attempt, claim, lineage): (i32, u32, bool)| {
        thread.realm.retain_plan(retain_for(attempt), claim, lineage).map(bits)
    });
    table.define("retain", retain);
    table.define("retainedOperation", |thread, (entry,): (u32,)| -> Outcome<u32> {
        thread.realm.retained_operation(entry).map(maybe)
    });
}

type Retention = (i32, u32, u32, bool, Numbers);

/// Operation, 1 + member's number, whether it was opened, its id; or nothing: plan again.
fn retain(thread: &mut Thread, (attempt, claim, planned, terminal, to): Retention) -> Outcome<u32> {
    let retained = thread.realm.retain(retain_for(attempt), claim, plan(planned), terminal)?;
    let list = retained.map_or_else(Vec::new, |retained| {
        let opened = u32::from(retained.opened);
        vec![retained.operation, maybe(retained.member), opened, retained.id]
    });
    Ok(thread.answer(list, to))
}

fn operations(table: &mut Table) {
    table.define("operationMembers", |thread, (slot, to): (u32, Numbers)| -> Outcome<u32> {
        let members = thread.realm.operation_members(slot)?;
        Ok(thread.answer(members, to))
    });
    table.define("operationMember", |thread, (slot, number): (u32, u32)| -> Outcome<u32> {
        let (present, owes) = thread.realm.operation_member(slot, number)?;
        Ok(u32::from(present) | u32::from(owes) << 1)
    });
    table.define("operationTargets", |thread, (slot, which, to): (u32, u32, Numbers)| {
        let which = match which {
            0 => Target::is_pending,
            1 => Target::has_failed,
            2 => Target::refers,
            _ => return Err(Reason::Internal.into()),
        };
        let targets = thread.realm.operation_targets(slot, which)?;
        Outcome::Ok(thread.answer(targets, to))
    });
    table.define("operationTargetOf", |thread, (slot, number): (u32, u32)| -> Outcome<u32> {
        thread.realm.operation_target_of(slot, number)
    });
    table.define("operationNext", |thread, (slot,): (u32,)| -> Outcome<u32> {
        Ok(match thread.realm.operation_next(slot)? {
            Projection::None => 0,
            Projection::Status => 1,
            Projection::Note => 2,
            Projection::Turn(number) => 3 + number,
        })
    });
    table.define("operationPay", |thread, (slot, kind, place, ok): (u32, u32, u32, bool)| {
        let payment = match kind {
            0 => Payment::Status,
            1 => Payment::Note,
            2 => Payment::Turn(place),
            3 => Payment::Terminal(place),
            4 => Payment::Delivery(place, ok),
            _ => return Err(Reason::Internal.into()),
        };
        thread.realm.operation_pay(slot, payment)
    });
    table.define("operationComplete", |thread, (slot, numbers): (u32, Numbers)| {
        thread.realm.operation_complete(slot, &numbers.to_vec())
    });
    table.define("operationRelease", |thread, (slot, number): (u32, u32)| {
        thread.realm.operation_release(slot, given(number))
    });
    table.define("operationDrop", |thread, (slot, id): (u32, u32)| {
        thread.realm.operation_drop(slot, id)
    });
    table.define("operationEnqueue", |thread, (slot,): (u32,)| -> Outcome<u32> {
        let (task, start) = thread.realm.operation_enqueue(slot)?;
        Ok(task << 1 | u32::from(start))
    });
}
