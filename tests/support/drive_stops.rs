//! Calls on stop attempts and retained operations, in the core and in the model.

use proptest::{prop_assert, prop_assert_eq};
use tenure::ownership::{Payment, RetainFor, Stopped as Got};
use tenure::text::Text;

use super::model::{Handle, Member, Session};
use super::model_stops::{Sight, Stopped};
use super::world::{Step, World, error_text, plain};

impl World {
    pub fn stop(&mut self, member: Member, session: Session) -> Step {
        let entry = self.entry(member, session);
        let mut expected = self.model.stop(member, session, false);
        let mut got = plain(self.realm(member).stop(entry, None));
        if expected == Stopped::NeedsInput {
            prop_assert_eq!(got, Ok(Got::NeedsInput));
            expected = self.model.stop(member, session, true);
            got = plain(self.realm(member).stop(entry, Some(Text::from("{}"))));
        }
        match (got, expected) {
            (Ok(Got::Standing(slot)), Stopped::Standing(view)) => {
                prop_assert_eq!(slot, self.slot(view));
            }
            (Ok(Got::Joined(slot)), Stopped::Joined(handle)) => self.name(member, handle, slot)?,
            (Ok(Got::Started(slot)), Stopped::Started(view)) => {
                self.name(member, view, slot)?;
                let Handle::View(attempt, _) = view else { return Ok(()) };
                self.begin_part(attempt, member)?;
            }
            (got, expected) => prop_assert!(false, "{:?} against {:?}", got, expected),
        }
        Ok(())
    }

    /// How a part settles, if it has begun and has not settled.
    pub fn attempt_settled(&mut self, attempt: usize, member: Member, ok: bool) -> Step {
        let view = self.model.attempts[attempt].view(member).unwrap();
        if !view.begun || view.settled || view.sight != Sight::Known {
            return Ok(());
        }
        let error = if ok { None } else { self.error() };
        let slot = self.slot(Handle::View(attempt, member));
        self.model.attempt_settled(attempt, member, ok, error);
        let got = plain(self.realm(member).attempt_settled(slot, ok, error_text(error)));
        prop_assert_eq!(got, Ok(()));
        Ok(())
    }

    pub fn drained(&mut self, attempt: usize, member: Member) -> Step {
        if !self.model.attempts[attempt].knows(member) {
            return Ok(());
        }
        let slot = self.slot(Handle::View(attempt, member));
        let expected = self.model.drained(attempt, member);
        prop_assert_eq!(plain(self.realm(member).drained(slot)), Ok(expected));
        if let Some(some) = expected {
            self.compare_failures(attempt, member, some)?;
        }
        Ok(())
    }

    pub fn retain(
        &mut self,
        attempt: usize,
        member: Member,
        claim: usize,
        lineage: bool,
        terminal: bool,
    ) -> Step {
        let Some(slot) = self.slots.get(&Handle::Claim(claim)).copied() else { return Ok(()) };
        let known = self.model.attempts[attempt].knows(member);
        let opened = self.opened.get(&(attempt, member)).copied().unwrap_or(false);
        let of_claim = &self.model.claims[claim];
        let own = of_claim.session == self.model.attempts[attempt].session;
        // The face knows whose claim it is, and of which session.
        if of_claim.member != member || (!known && !own) {
            return Ok(());
        }
        let (of, live) = if known {
            (RetainFor::Live(self.slot(Handle::View(attempt, member))), Some(attempt))
        } else {
            (RetainFor::Over(opened), None)
        };
        let expected = self.model.plan(live, opened, claim, lineage);
        let plan = plain(self.realm(member).retain_plan(of, slot, lineage));
        prop_assert_eq!(plan, expected);
        let Ok(plan) = plan else { return Ok(()) };
        let got = plain(self.realm(member).retain(of, slot, plan, terminal));
        let (operation, number) = self.model.retain(live, claim, plan, terminal);
        prop_assert!(matches!(got, Ok(Some(_))), "{:?}", got);
        let Ok(Some(retained)) = got else { return Ok(()) };
        prop_assert_eq!((retained.member, retained.opened), (number, plan.opens));
        self.name(member, Handle::Operation(operation), retained.operation)?;
        let id = *self.operations.entry(operation).or_insert(retained.id);
        prop_assert_eq!(id, retained.id);
        if plan.note && !known {
            self.opened.insert((attempt, member), true);
        }
        Ok(())
    }

    /// Pays one debt: the status, the note, a turn, a terminal fact, or a delivery.
    pub fn pay(&mut self, operation: usize, kind: u8, place: u8, ok: bool) -> Step {
        let slot = self.slot(Handle::Operation(operation));
        let each = &self.model.operations[operation];
        let member = each.member;
        let number = place as usize % each.members.len();
        let target = place as usize % each.targets.len();
        let payment = match kind % 5 {
            0 => {
                self.model.pay_delivery(operation, target, ok);
                Payment::Delivery(target as u32, ok)
            }
            1 => {
                self.model.pay_status(operation);
                Payment::Status
            }
            2 => {
                self.model.pay_turn(operation, number);
                Payment::Turn(number as u32)
            }
            3 => {
                self.model.pay_note(operation);
                Payment::Note
            }
            _ => {
                self.model.pay_terminal(operation, number);
                Payment::Terminal(number as u32)
            }
        };
        prop_assert_eq!(plain(self.realm(member).operation_pay(slot, payment)), Ok(()));
        Ok(())
    }

    pub fn complete(&mut self, operation: usize, mask: u8) -> Step {
        let slot = self.slot(Handle::Operation(operation));
        let each = &self.model.operations[operation];
        let member = each.member;
        let all = 0..each.members.len() as u32;
        let numbers: Vec<u32> = all.filter(|number| mask & 1 << (number % 8) != 0).collect();
        let expected = self.model.complete(operation, &numbers);
        let got = plain(self.realm(member).operation_complete(slot, &numbers));
        prop_assert_eq!(got, Ok(expected));
        Ok(())
    }

    pub fn release_run(&mut self, operation: usize, place: u8) -> Step {
        let slot = self.slot(Handle::Operation(operation));
        let each = &self.model.operations[operation];
        let number = place as usize % (each.members.len() + 1);
        let (member, number) = (each.member, (number < each.members.len()).then_some(number));
        self.model.release_run(operation, number);
        let number = number.map(|number| number as u32);
        let got = plain(self.realm(member).operation_release(slot, number));
        prop_assert_eq!(got, Ok(()));
        Ok(())
    }

    /// The handle of an operation that is over is collected.
    pub fn drop_operation(&mut self, operation: usize) -> Step {
        if self.model.operations[operation].retained {
            return Ok(());
        }
        let slot = self.slot(Handle::Operation(operation));
        let member = self.model.operations[operation].member;
        let id = self.operations[&operation];
        // A handle that was collected late names nothing any more.
        prop_assert_eq!(plain(self.realm(member).operation_drop(slot, id + 1)), Ok(()));
        self.observe_handles()?;
        self.model.drop_operation(operation);
        prop_assert_eq!(plain(self.realm(member).operation_drop(slot, id)), Ok(()));
        Ok(())
    }

    pub fn enqueue(&mut self, operation: usize) -> Step {
        let slot = self.slot(Handle::Operation(operation));
        let member = self.model.operations[operation].member;
        let (task, starts) = self.model.enqueue(operation);
        let got = plain(self.realm(member).operation_enqueue(slot));
        prop_assert_eq!(got.map(|(_, starts)| starts), Ok(starts));
        self.name(member, Handle::Task(task), got.unwrap().0)
    }

    pub fn task_ended(&mut self, task: usize) -> Step {
        let slot = self.slot(Handle::Task(task));
        let member = self.model.tasks[task].member;
        self.model.task_ended(task);
        prop_assert_eq!(plain(self.realm(member).task_ended(slot)), Ok(()));
        Ok(())
    }
}
