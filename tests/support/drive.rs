//! One call of a random sequence, in the core and in the model.

use proptest::prop_assert;
use tenure::ownership::{ClaimEvent, Flight, GenerationPhase, StartEvent};

use super::call::{Call, Kind};
use super::model::{Handle, Member, SESSIONS, Session};
use super::model_mutations::State;
use super::world::{Step, World};

/// How many members there may ever be.
const MEMBERS: usize = 5;
/// Runs, turns, request ids, lanes, keys: this many of each.
const NAMES: u8 = 3;

/// A session, one of them more often than the others, so that more meets there.
fn near(number: u8) -> Session {
    match number {
        0..150 => 0,
        150..210 => 1,
        _ => 2,
    }
}

fn pick<T: Copy>(from: &[T], number: u8) -> Option<T> {
    (!from.is_empty()).then(|| from[number as usize % from.len()])
}

impl World {
    pub fn open_members(&self) -> Vec<Member> {
        (0..self.cores.len()).filter(|member| self.model.members[*member].open).collect()
    }

    fn of_open<T>(
        &self,
        all: &[T],
        owner: impl Fn(&T) -> Member,
        known: impl Fn(&T) -> bool,
    ) -> Vec<usize> {
        let open = |each: &&T| self.model.members[owner(each)].open;
        let own = all.iter().enumerate().filter(|(_, each)| open(each) && known(each));
        own.map(|(number, _)| number).collect()
    }

    /// A claim of an open member: now and then one that has ended for good.
    fn pick_claim(&self, number: u8, sealed: bool) -> Option<usize> {
        let claims = &self.model.claims;
        let of = |sealed: bool| self.of_open(claims, |each| each.member, |e| e.sealed == sealed);
        pick(&of(sealed), number).or_else(|| pick(&of(!sealed), number))
    }

    fn pick_generation(&self, number: u8, which: impl Fn(usize) -> bool) -> Option<usize> {
        let all = &self.model.generations;
        let all = self.of_open(all, |each| each.member, |each| !each.sealed);
        pick(&all.into_iter().filter(|each| which(*each)).collect::<Vec<_>>(), number)
    }

    /// Generations of the claim's own member and session, else any.
    fn pick_for(&self, claim: usize, number: u8) -> Option<usize> {
        let of = &self.model.claims[claim];
        let near = |each: usize| {
            let each = &self.model.generations[each];
            (each.member, each.session) == (of.member, of.session)
        };
        self.pick_generation(number, near).or_else(|| self.pick_generation(number, |_| true))
    }

    fn pick_operation(&self, number: u8) -> Option<usize> {
        let all = &self.model.operations;
        pick(&self.of_open(all, |each| each.member, |each| each.known && !each.dropped), number)
    }

    pub fn running_mutations(&self) -> Vec<usize> {
        let all = &self.model.mutations;
        let all = self.of_open(all, |each| each.member, |each| each.state == State::Running);
        all.into_iter().filter(|each| self.started.contains(each)).collect()
    }

    pub fn running_tasks(&self) -> Vec<usize> {
        self.of_open(&self.model.tasks, |each| each.member, |each| each.known && each.running)
    }

    pub fn open_flights(&self) -> Vec<usize> {
        self.of_open(&self.flights, |each| each.0, |each| !each.3)
    }

    /// Makes the call, unless there is nothing to make it on. Every fact is compared after it.
    pub fn call(&mut self, (kind, with): Call) -> Step {
        let members = self.open_members();
        let Some(member) = pick(&members, with[0]) else { return Ok(()) };
        let session = near(with[1]);
        let caller = match kind {
            Kind::Run => {
                self.run(member, session, with[2] % NAMES, with[3] % NAMES)?;
                member
            }
            Kind::StopAndRetain => {
                self.stop_and_retain(member, session, with[2], with[3])?;
                member
            }
            Kind::Join => {
                if self.model.shared && self.cores.len() < MEMBERS {
                    self.join();
                }
                member
            }
            Kind::Close => {
                if members.len() > 1 {
                    self.close(member)?;
                }
                return self.observe();
            }
            Kind::Deliver => {
                self.deliver(member)?;
                member
            }
            Kind::Admit => {
                self.admit(member, with[1] % NAMES, with[2] % NAMES)?;
                member
            }
            Kind::AdmissionReleased => {
                self.admission_released(with[1])?;
                member
            }
            _ => self.call_on(kind, with, member, session)?.unwrap_or(member),
        };
        self.finish(caller)?;
        self.observe()
    }

    fn call_on(
        &mut self,
        kind: Kind,
        with: [u8; 4],
        member: Member,
        session: Session,
    ) -> Result<Option<Member>, proptest::test_runner::TestCaseError> {
        let [first, second, third, fourth] = with;
        let flag = fourth & 1 != 0;
        let (run, turn) = (second % NAMES, third % NAMES);
        let route = (third % 3 == 0).then_some(0);
        self.model.begin(None);
        match kind {
            Kind::Claim => self.claim(member, session)?,
            Kind::Stop => self.stop(member, session)?,
            Kind::Look => {
                let entry = self.entry(member, session);
                self.look(member, session, entry)?;
            }
            Kind::OpenTurn => self.open_turn(member, session, third % NAMES, fourth % 4 > 0)?,
            Kind::Queue => self.queue(member, session, fourth % 3 == 0)?,
            Kind::TakeQueue => self.take_queue(member, session, flag)?,
            Kind::Activate => self.activate(member, session, route)?,
            Kind::Mutate => self.mutate(member, second, fourth % 4 == 0)?,
            Kind::Invalidate => self.invalidate(member, session)?,
            Kind::CheckpointLoad => self.checkpoint_load(member, session)?,
            Kind::CheckpointStore => self.checkpoint_store(member, session)?,
            Kind::Serialize => self.serialize(member, session, third % 2)?,
            Kind::AttemptSettled | Kind::Drained => {
                let Some((attempt, owner)) = pick(&self.views(None), first) else {
                    return Ok(None);
                };
                match kind {
                    Kind::Drained => self.drained(attempt, owner)?,
                    _ => self.attempt_settled(attempt, owner, fourth % 3 > 0)?,
                }
                return Ok(Some(owner));
            }
            Kind::CheckpointLoaded => {
                let Some(flight) = pick(&self.open_flights(), first) else { return Ok(None) };
                let owner = self.flights[flight].0;
                self.checkpoint_loaded(flight, fourth % 4 > 0)?;
                return Ok(Some(owner));
            }
            Kind::GenerationStop
            | Kind::GenerationStopped
            | Kind::GenerationDispose
            | Kind::GenerationDisposed
            | Kind::Reconcile => return self.call_on_generation(kind, first, fourth % 4 > 0),
            _ => return self.call_on_handle(kind, with, run, turn, route),
        }
        Ok(Some(member))
    }

    fn call_on_generation(
        &mut self,
        kind: Kind,
        number: u8,
        ok: bool,
    ) -> Result<Option<Member>, proptest::test_runner::TestCaseError> {
        let all = &self.model.generations;
        let which = |each: usize| match kind {
            Kind::GenerationStopped => all[each].flight == Flight::InFlight,
            Kind::GenerationDisposed => {
                all[each].phase == GenerationPhase::Disposing && !all[each].disposed
            }
            _ => true,
        };
        let Some(generation) = self.pick_generation(number, which) else { return Ok(None) };
        let owner = self.model.generations[generation].member;
        self.model.begin(None);
        match kind {
            Kind::GenerationStop => self.generation_stop(generation)?,
            Kind::GenerationStopped => self.generation_stopped(generation, ok)?,
            Kind::GenerationDispose => self.generation_dispose(generation)?,
            Kind::GenerationDisposed => self.generation_disposed(generation, ok)?,
            _ => self.reconcile(generation)?,
        }
        Ok(Some(owner))
    }

    fn call_on_handle(
        &mut self,
        kind: Kind,
        with: [u8; 4],
        run: u8,
        turn: u8,
        route: Option<u8>,
    ) -> Result<Option<Member>, proptest::test_runner::TestCaseError> {
        let [first, second, third, fourth] = with;
        let flag = fourth & 1 != 0;
        let model = &self.model;
        let handle = match kind {
            Kind::Pay | Kind::Complete | Kind::ReleaseRun | Kind::DropOperation | Kind::Enqueue => {
                self.pick_operation(first).map(Handle::Operation)
            }
            Kind::TaskEnded => pick(&self.running_tasks(), first).map(Handle::Task),
            Kind::MutationSettled => pick(&self.running_mutations(), first).map(Handle::Mutation),
            Kind::Pull | Kind::SettleLeases | Kind::ReleaseTurn => {
                let all = self.of_open(&model.turns, |each| each.member, |_| true);
                pick(&all, first).map(Handle::Turn)
            }
            Kind::Activated => {
                let all = self.of_open(&model.activations, |each| each.member, |each| each.known);
                pick(&all, first).map(Handle::Activation)
            }
            Kind::InvalidationDispose | Kind::InvalidationDone => {
                let all = self.of_open(&model.invalidations, |each| each.member, |e| e.known);
                pick(&all, first).map(Handle::Invalidation)
            }
            Kind::CloseRequest => {
                let all = self.of_open(&model.requests, |each| each.member, |each| each.open);
                pick(&all, first).map(Handle::Request)
            }
            _ => self.pick_claim(first, fourth >= 230).map(Handle::Claim),
        };
        let Some(handle) = handle else { return Ok(None) };
        self.model.begin(Some(handle));
        let owner = match handle {
            Handle::Operation(operation) => {
                let owner = self.model.operations[operation].member;
                match kind {
                    Kind::Pay => self.pay(operation, second, third, fourth % 4 > 0)?,
                    Kind::Complete => self.complete(operation, second | third)?,
                    Kind::ReleaseRun => self.release_run(operation, second)?,
                    Kind::Enqueue => self.enqueue(operation)?,
                    _ => self.drop_operation(operation)?,
                }
                owner
            }
            Handle::Task(task) => {
                let owner = self.model.tasks[task].member;
                self.task_ended(task)?;
                owner
            }
            Handle::Mutation(mutation) => {
                let owner = self.model.mutations[mutation].member;
                self.mutation_settled(mutation)?;
                owner
            }
            Handle::Turn(turn) => {
                let owner = self.model.turns[turn].member;
                match kind {
                    Kind::Pull => self.pull(turn)?,
                    Kind::SettleLeases => self.settle_leases(turn, second, flag)?,
                    _ => self.release_turn(turn)?,
                }
                owner
            }
            Handle::Activation(activation) => {
                let owner = self.model.activations[activation].member;
                self.activated(activation)?;
                owner
            }
            Handle::Invalidation(invalidation) => {
                // Its sealing is an effect of its own, whoever calls.
                self.model.begin(None);
                let owner = self.model.invalidations[invalidation].member;
                match kind {
                    Kind::InvalidationDone => {
                        self.invalidation_done(invalidation, fourth % 8 > 0)?;
                    }
                    _ => self.invalidation_dispose(invalidation)?,
                }
                owner
            }
            Handle::Request(request) => {
                let owner = self.model.requests[request].member;
                self.close_request(request)?;
                owner
            }
            Handle::Claim(claim) => {
                let owner = self.model.claims[claim].member;
                match kind {
                    Kind::Attach => self.attach(claim, run, turn, fourth % 8 == 0)?,
                    Kind::Release => self.move_claim(claim, ClaimEvent::Release)?,
                    Kind::Settle => self.move_claim(claim, ClaimEvent::Settle(flag))?,
                    Kind::Finalize => self.move_claim(claim, ClaimEvent::Finalize(flag))?,
                    Kind::Leave => self.leave(claim)?,
                    Kind::Enter => self.enter(claim)?,
                    Kind::Bind => self.bind(claim, run, turn, fourth % 8 == 0)?,
                    Kind::Unbind => self.unbind(claim)?,
                    Kind::OpenRequest => self.open_request(claim, second % NAMES)?,
                    Kind::Blocker => self.blocker(claim)?,
                    Kind::CreateGeneration => self.create_generation(claim, route)?,
                    Kind::Owns => self.owns(owner, second as usize % SESSIONS, claim)?,
                    Kind::Reserve => {
                        if let Some(generation) = self.pick_for(claim, second) {
                            self.reserve(claim, generation)?;
                        }
                    }
                    Kind::Start => {
                        let event = match third % 4 {
                            0 | 1 => StartEvent::Commit,
                            2 => StartEvent::Take,
                            _ => StartEvent::Done(flag),
                        };
                        self.start(claim, event)?;
                    }
                    Kind::Retain => {
                        if let Some((attempt, _)) = pick(&self.views(Some(owner)), second) {
                            self.retain(attempt, owner, claim, third & 1 != 0, flag)?;
                        }
                    }
                    _ => prop_assert!(false, "{:?} is about no claim", kind),
                }
                owner
            }
            _ => return Ok(None),
        };
        Ok(Some(owner))
    }
}
