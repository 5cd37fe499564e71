//! Retained stop operations in the model.

use tenure::error::Reason;
use tenure::ownership::{Plan, Projection};

use super::model::{Handle, Member, Model, Session};
use super::model_claims::Answer;

/// `None` where nothing was asked for, else whether it is done.
pub type Debt = Option<bool>;

#[derive(Clone, Debug)]
pub struct Target {
    pub generation: usize,
    /// `None` while pending.
    pub delivered: Option<bool>,
    pub refers: bool,
}

#[derive(Clone, Debug)]
pub struct Stopping {
    pub target: usize,
    pub claim: usize,
    /// The operation still has the claim: not released, and not over.
    pub has_claim: bool,
    /// Not let go of.
    pub present: bool,
    pub turn: Debt,
    pub terminal: Debt,
    pub stopped: bool,
}

#[derive(Debug)]
pub struct Operation {
    pub session: Session,
    pub member: Member,
    pub attempt: Option<usize>,
    pub retained: bool,
    pub status: Debt,
    pub note: Debt,
    pub targets: Vec<Target>,
    pub members: Vec<Stopping>,
    /// Tasks that have not ended; the first one runs.
    pub lane: Vec<usize>,
    pub known: bool,
    /// Its handle is gone.
    pub dropped: bool,
}

fn owed(debt: Debt) -> bool {
    debt == Some(false)
}

fn asked(asked: bool) -> Debt {
    asked.then_some(false)
}

fn pay(debt: &mut Debt) {
    if owed(*debt) {
        *debt = Some(true);
    }
}

impl Operation {
    pub fn next(&self) -> Projection {
        if owed(self.status) {
            return Projection::Status;
        }
        match self.members.iter().position(|member| owed(member.turn)) {
            Some(number) => Projection::Turn(number as u32),
            None if owed(self.note) => Projection::Note,
            None => Projection::None,
        }
    }

    fn is_paid(&self) -> bool {
        self.next() == Projection::None
            && self.targets.iter().all(|target| target.delivered.is_some())
            && self.members.iter().all(|member| member.stopped && !owed(member.terminal))
    }

    pub fn holds(&self, generation: usize) -> bool {
        self.retained
            && self.targets.iter().any(|each| each.refers && each.generation == generation)
    }

    /// By generation, then in the order retained. Generations are numbered as they were made.
    pub fn members_by_generation(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.members.len() as u32).collect();
        numbers.sort_by_key(|n| self.targets[self.members[*n as usize].target].generation);
        numbers
    }

    pub fn targets(&self, which: impl Fn(&Target) -> bool) -> Vec<u32> {
        let mut places: Vec<usize> = (0..self.targets.len()).collect();
        places.sort_by_key(|place| self.targets[*place].generation);
        places.retain(|place| which(&self.targets[*place]));
        places.into_iter().map(|place| place as u32).collect()
    }
}

impl Model {
    pub fn retained(&self, session: Session, member: Member) -> Option<usize> {
        self.operations
            .iter()
            .position(|each| each.retained && each.session == session && each.member == member)
    }

    pub fn is_quarantined(&self, session: Session) -> bool {
        self.operations.iter().any(|each| each.retained && each.session == session)
    }

    /// What a retention needs. `attempt` is none once it is over, `opened` what is known of it then.
    pub fn plan(
        &self,
        attempt: Option<usize>,
        opened: bool,
        claim: usize,
        lineage: bool,
    ) -> Answer<Plan> {
        let each = &self.claims[claim];
        if attempt.is_some_and(|attempt| self.attempts[attempt].session != each.session) {
            return Err(Reason::ClaimForeign);
        }
        let generation = each.run.as_ref().and_then(|run| run.generation);
        if generation.is_none_or(|generation| self.generations[generation].sealed) {
            return Err(Reason::NoGeneration);
        }
        let Some(operation) = self.retained(each.session, each.member) else {
            let opened = attempt.map_or(opened, |attempt| self.attempts[attempt].opened.is_some());
            return Ok(Plan { opens: true, note: !opened, turn: lineage, known: false });
        };
        let members = &self.operations[operation].members;
        let known = members.iter().any(|each| each.claim == claim);
        Ok(Plan { opens: false, note: false, turn: lineage && !known, known })
    }

    /// Retains the claim's run: the operation, and the number of its new member.
    pub fn retain(
        &mut self,
        attempt: Option<usize>,
        claim: usize,
        plan: Plan,
        terminal: bool,
    ) -> (usize, Option<u32>) {
        let (session, member) = (self.claims[claim].session, self.claims[claim].member);
        let generation = self.claims[claim].run.as_ref().unwrap().generation.unwrap();
        let operation = self.retained(session, member).unwrap_or_else(|| {
            self.operations.push(Operation {
                session,
                member,
                attempt,
                retained: true,
                status: asked(plan.note),
                note: asked(plan.note),
                targets: Vec::new(),
                members: Vec::new(),
                lane: Vec::new(),
                known: true,
                dropped: false,
            });
            self.operations.len() - 1
        });
        if plan.note
            && let Some(attempt) = attempt
        {
            self.attempts[attempt].opened = Some(operation);
        }
        if plan.known {
            return (operation, None);
        }
        self.claims[claim].held = true;
        let Operation { targets, members, .. } = &mut self.operations[operation];
        let place = targets.iter().position(|each| each.generation == generation);
        let target = place.unwrap_or_else(|| {
            targets.push(Target { generation, delivered: None, refers: true });
            targets.len() - 1
        });
        targets[target].refers = true;
        members.push(Stopping {
            target,
            claim,
            has_claim: true,
            present: true,
            turn: asked(plan.turn),
            terminal: asked(terminal),
            stopped: false,
        });
        (operation, Some(members.len() as u32 - 1))
    }

    pub fn pay_status(&mut self, operation: usize) {
        pay(&mut self.operations[operation].status);
    }

    pub fn pay_note(&mut self, operation: usize) {
        pay(&mut self.operations[operation].note);
    }

    pub fn pay_turn(&mut self, operation: usize, number: usize) {
        pay(&mut self.operations[operation].members[number].turn);
    }

    pub fn pay_terminal(&mut self, operation: usize, number: usize) {
        pay(&mut self.operations[operation].members[number].terminal);
    }

    pub fn pay_delivery(&mut self, operation: usize, place: usize, ok: bool) {
        let delivered = &mut self.operations[operation].targets[place].delivered;
        *delivered = delivered.or(Some(ok));
    }

    pub fn complete(&mut self, number: usize, members: &[u32]) -> bool {
        let operation = &mut self.operations[number];
        for member in members {
            let member = &mut operation.members[*member as usize];
            member.stopped |= !owed(member.terminal);
        }
        if !operation.retained || !operation.is_paid() {
            return false;
        }
        operation.retained = false;
        let held: Vec<usize> =
            operation.members.iter().filter(|each| each.has_claim).map(|each| each.claim).collect();
        operation.members.iter_mut().for_each(|each| each.has_claim = false);
        held.into_iter().for_each(|claim| self.unhold(claim));
        self.told.push(("OperationOver", Handle::Operation(number), 0));
        true
    }

    fn unhold(&mut self, claim: usize) {
        self.claims[claim].held = false;
        self.seal_claim(claim, false);
    }

    /// Lets go of a run, if it is here, and of every generation without one whose stop is not pending.
    pub fn release_run(&mut self, operation: usize, number: Option<usize>) {
        let Operation { targets, members, .. } = &mut self.operations[operation];
        let mut had = None;
        if let Some(number) = number {
            members[number].present = false;
            had = std::mem::replace(&mut members[number].has_claim, false)
                .then_some(members[number].claim);
        }
        for (place, target) in targets.iter_mut().enumerate() {
            let runs = members.iter().any(|each| each.target == place && each.present);
            target.refers &= runs || target.delivered.is_none();
        }
        if let Some(claim) = had {
            self.unhold(claim);
        }
    }

    /// The handle of an operation that is over was collected. Its tasks go on.
    pub fn drop_operation(&mut self, operation: usize) {
        let operation = &mut self.operations[operation];
        operation.dropped = !operation.retained;
        operation.known &= !operation.dropped || !operation.lane.is_empty();
    }

    /// The operation that has the claim's run.
    pub fn operation_of(&self, claim: usize) -> Option<usize> {
        let each = &self.claims[claim];
        self.retained(each.session, each.member).filter(|_| each.held)
    }
}
