//! Members of one scope in several threads at once: nobody waits for ever, and nothing is left.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use support::kit::{Kit, scope_name, text};
use tenure::error::Reason;
use tenure::ownership::{ClaimEvent, ClaimRef, Effect, Queued, Said, Slot, Stopped};

const THREADS: usize = 4;
const ROUNDS: usize = 30_000;
const SESSIONS: [&str; 3] = ["a", "b", "c"];

/// What the threads hold each other to.
#[derive(Default)]
struct Shared {
    /// Which session a mutation runs in, by what its task has set and will take back.
    mutating: [AtomicBool; 3],
    /// How often a thread has come to where all of them meet.
    met: AtomicUsize,
    /// A thread has failed: nobody waits for it.
    failed: AtomicBool,
}

impl Shared {
    /// Waits until every thread has come here as often.
    fn meet(&self, times: usize) {
        self.met.fetch_add(1, Ordering::SeqCst);
        while self.met.load(Ordering::SeqCst) < THREADS * times {
            self.go_on();
        }
    }

    fn go_on(&self) {
        assert!(!self.failed.load(Ordering::SeqCst), "another thread has failed");
        thread::yield_now();
    }
}

/// Tells the others when its thread fails.
struct Alarm<'a>(&'a Shared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.failed.store(true, Ordering::SeqCst);
        }
    }
}

/// Numbers that look random and are the same in every run of a thread.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % bound as u64).unwrap_or(0)
    }
}

/// One thread: a member, and what it has begun and not ended.
struct Worker<'a> {
    kit: Kit,
    shared: &'a Shared,
    /// Claims, with the generation they were reserved on.
    claims: Vec<(Slot, Option<Slot>)>,
    /// Mutations that run, with their sessions; and those that wait.
    running: Vec<(Slot, Vec<usize>)>,
    waiting: Vec<(Slot, Vec<usize>)>,
    /// Attempts, and parts, that have begun.
    begun: Vec<Slot>,
    turns: Vec<Slot>,
    generations: BTreeSet<Slot>,
    /// Claims whose `enter` waits.
    entering: BTreeSet<Slot>,
    views: BTreeSet<Slot>,
    joined: BTreeSet<Slot>,
}

impl<'a> Worker<'a> {
    fn new(kit: Kit, shared: &'a Shared) -> Self {
        Self {
            kit,
            shared,
            claims: Vec::new(),
            running: Vec::new(),
            waiting: Vec::new(),
            begun: Vec::new(),
            turns: Vec::new(),
            generations: BTreeSet::new(),
            entering: BTreeSet::new(),
            views: BTreeSet::new(),
            joined: BTreeSet::new(),
        }
    }

    /// Acts on what calls have caused, as the face does.
    fn act(&mut self) {
        loop {
            let told = self.kit.effects();
            if told.is_empty() {
                return;
            }
            for each in told {
                match each {
                    Effect::AttemptOver(view, word) => {
                        if word & 1 != 0 {
                            self.kit.realm.attempt_forget(view).unwrap();
                        }
                        assert!(self.views.remove(&view));
                    }
                    Effect::Joined(slot, _) => {
                        self.kit.realm.joined_forget(slot).unwrap();
                        assert!(self.joined.remove(&slot));
                    }
                    Effect::PartBegins(view) => {
                        self.begin(view);
                    }
                    Effect::MutationReady(slot) => {
                        let place = self.waiting.iter().position(|each| each.0 == slot).unwrap();
                        let mutation = self.waiting.swap_remove(place);
                        self.run(mutation);
                    }
                    Effect::Entered(claim, _) => {
                        assert!(self.entering.remove(&claim), "told twice, or for nothing");
                    }
                    Effect::ClaimSealed(claim, _) => self.claims.retain(|each| each.0 != claim),
                    Effect::GenerationSealed(slot, _) => {
                        self.generations.remove(&slot);
                    }
                    Effect::TurnSealed(slot) => self.turns.retain(|each| *each != slot),
                    _ => {}
                }
            }
        }
    }

    fn run(&mut self, mutation: (Slot, Vec<usize>)) {
        for session in &mutation.1 {
            let other = self.shared.mutating[*session].swap(true, Ordering::SeqCst);
            assert!(!other, "two mutations run in one session");
        }
        self.running.push(mutation);
    }

    fn settle(&mut self, place: usize) {
        let (slot, sessions) = self.running.swap_remove(place);
        for session in sessions {
            assert!(self.shared.mutating[session].swap(false, Ordering::SeqCst));
        }
        self.kit.realm.mutation_settled(slot).unwrap();
        self.act();
    }

    fn deliver(&mut self) -> bool {
        let delivered = self.kit.realm.deliver(self.kit.cores[0]).unwrap();
        self.act();
        delivered
    }

    /// A claim, as far towards a registered run as it gets.
    fn claim(&mut self, session: &str, round: usize) {
        let entry = self.kit.entry(0, session);
        let claim = match self.kit.realm.claim(entry) {
            Ok(claim) => claim,
            Err(refusal) => return assert_eq!(refusal.reason, Reason::SessionStopping),
        };
        self.claims.push((claim, None));
        let run = text(&format!("{session} {round}"));
        match self.kit.realm.attach(claim, run.clone(), run, None) {
            Ok(_) => {}
            Err(refusal) => {
                assert_eq!(refusal.reason, Reason::AttachBarrier);
                if self.kit.realm.enter(claim).unwrap() {
                    self.entering.insert(claim);
                }
                return;
            }
        }
        let live = ClaimRef::Live(claim);
        let route = Some(text(&format!("{:?}", thread::current().id())));
        let (generation, _, current) =
            self.kit.realm.create_generation(entry, live, route).unwrap();
        self.generations.insert(generation);
        if self.kit.realm.reserve(claim, Some(generation)).is_ok() {
            assert!(current || self.kit.state(claim).is_captured());
            self.claims.last_mut().unwrap().1 = Some(generation);
        }
    }

    fn end_claim(&mut self, place: usize) {
        let (claim, generation) = self.claims[place];
        let events = match generation {
            Some(_) => [ClaimEvent::Settle(true), ClaimEvent::Release],
            // A stop may come in between: then it ends by its finalization.
            None => [ClaimEvent::Release, ClaimEvent::Finalize(true)],
        };
        let mut sealed = false;
        for event in events {
            if !sealed && self.kit.state(claim).phase().is_live() {
                sealed = self.kit.realm.claim_move(claim, event, None).unwrap().is_some();
            }
        }
        if sealed || self.kit.realm.leave(claim).unwrap().is_some() {
            self.claims.retain(|each| each.0 != claim);
        }
        self.act();
        if let Some(generation) = generation {
            self.dispose(generation);
        }
    }

    fn dispose(&mut self, generation: Slot) {
        if self.generations.contains(&generation)
            && self.kit.realm.generation_dispose(generation).unwrap()
        {
            self.kit.realm.generation_disposed(generation, true, None).unwrap();
            self.act();
        }
    }

    fn begin(&mut self, view: Slot) {
        self.views.insert(view);
        self.kit.begin(view);
        self.begun.push(view);
    }

    fn stop(&mut self, session: &str) {
        let entry = self.kit.entry(0, session);
        match self.kit.realm.stop(entry, Some(text("{}"))).unwrap() {
            Stopped::Started(view) => self.begin(view),
            Stopped::Joined(slot) => {
                self.joined.insert(slot);
            }
            Stopped::Standing(_) | Stopped::NeedsInput => {}
        }
        self.act();
    }

    fn step(&mut self, numbers: &mut Numbers, round: usize) {
        let number = numbers.below(3);
        let session = SESSIONS[number];
        match numbers.below(12) {
            0 | 1 if self.claims.len() < 6 => self.claim(session, round),
            2 | 3 if !self.claims.is_empty() => {
                let place = numbers.below(self.claims.len());
                if !self.entering.contains(&self.claims[place].0) {
                    self.end_claim(place);
                }
            }
            4 => self.stop(session),
            5 if !self.begun.is_empty() => {
                let view = self.begun.swap_remove(numbers.below(self.begun.len()));
                self.kit.realm.attempt_settled(view, numbers.below(2) == 0, None).unwrap();
                self.act();
            }
            6 if self.waiting.len() + self.running.len() < 4 => {
                let mut sessions = BTreeSet::from([number, numbers.below(3)]);
                sessions.insert(numbers.below(3));
                let ids = sessions.iter().map(|each| text(SESSIONS[*each])).collect();
                let quiescent = numbers.below(3) == 0;
                let queued = self.kit.realm.mutate(self.kit.cores[0], ids, quiescent).unwrap();
                let sessions = sessions.into_iter().collect();
                match queued {
                    Queued::Queued(slot, true) => self.run((slot, sessions)),
                    Queued::Queued(slot, false) => self.waiting.push((slot, sessions)),
                    Queued::Busy(busy) => assert!(quiescent && !busy.is_empty()),
                }
            }
            7 if !self.running.is_empty() => self.settle(numbers.below(self.running.len())),
            8 => {
                let entry = self.kit.entry(0, session);
                let turn = text(&format!("{number}"));
                self.turns.push(self.kit.realm.open_turn(entry, turn, true).unwrap());
                self.act();
            }
            9 => {
                let entry = self.kit.entry(0, session);
                let said = Said { id: text("m"), text: text("words") };
                self.kit.realm.queue(entry, Some(said), numbers.below(2) == 0).unwrap();
                self.act();
            }
            10 if !self.turns.is_empty() => {
                let turn = self.turns[numbers.below(self.turns.len())];
                self.kit.realm.pull(turn).unwrap();
                self.act();
            }
            _ => {
                self.deliver();
            }
        }
    }

    /// Ends whatever is this member's to end now.
    fn wind_down(&mut self) {
        while self.deliver() {}
        while let Some(view) = self.begun.pop() {
            self.kit.realm.attempt_settled(view, true, None).unwrap();
            self.act();
        }
        while !self.running.is_empty() {
            self.settle(0);
        }
        while let Some(turn) = self.turns.pop() {
            if self.kit.realm.release_turn(turn).is_ok() {
                self.act();
            }
        }
        for place in (0..self.claims.len()).rev() {
            let (claim, _) = self.claims[place];
            if !self.entering.contains(&claim) {
                self.end_claim(place);
            }
        }
        for generation in self.generations.clone() {
            self.dispose(generation);
        }
        for session in SESSIONS {
            let entry = self.kit.entry(0, session);
            self.kit.realm.take_queue(entry, true).unwrap();
            self.act();
        }
    }
}

/// One thread's part, from joining to nothing left.
fn work(shared: &Shared, kit: Kit, seed: u64) -> Kit {
    let mut worker = Worker::new(kit, shared);
    let mut numbers = Numbers(seed);
    for round in 0..ROUNDS {
        worker.step(&mut numbers, round);
    }
    shared.meet(1);
    while worker.kit.sessions(0) > 0 {
        worker.wind_down();
        shared.go_on();
    }
    shared.meet(2);
    worker.wind_down();
    assert!(worker.claims.is_empty() && worker.generations.is_empty());
    assert!(worker.waiting.is_empty(), "a mutation never ran");
    assert!(worker.entering.is_empty(), "a claim waits for ever");
    assert!(worker.views.is_empty(), "a stop never ended");
    assert!(worker.joined.is_empty(), "a joined stop never ended");
    worker.kit
}

#[test]
fn members_in_many_threads_come_to_rest_and_leave_nothing() {
    let (shared, scope) = (Shared::default(), scope_name("sharing"));
    thread::scope(|threads| {
        for number in 0..THREADS {
            let (shared, scope) = (&shared, scope.clone());
            threads.spawn(move || {
                let _alarm = Alarm(shared);
                let kit = Kit::members(scope, 1);
                let seed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let mut kit = work(shared, kit, seed);
                assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
                shared.meet(3);
                kit.close(0);
            });
        }
    });
    let mut kit = Kit::members(scope, 1);
    let claim = ClaimRef::Live(kit.claim(0, "a"));
    let entry = kit.entry(0, "a");
    let made = kit.realm.create_generation(entry, claim, None).unwrap();
    assert_eq!(made.1, 1, "the scope has ended with its last member");
}

#[test]
fn members_that_end_at_any_moment_keep_nobody_waiting() {
    let (shared, scope) = (Shared::default(), scope_name("sharing"));
    let stays = Kit::members(scope.clone(), 1);
    thread::scope(|threads| {
        for number in 1..THREADS {
            let (shared, scope) = (&shared, scope.clone());
            threads.spawn(move || {
                let _alarm = Alarm(shared);
                let mut numbers = Numbers((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                for _ in 0..300 {
                    let mut worker = Worker::new(Kit::members(scope.clone(), 1), shared);
                    for round in 0..numbers.below(120) {
                        worker.step(&mut numbers, round);
                    }
                    // What its tasks have set is theirs to take back, whenever they end.
                    for (_, sessions) in worker.running.drain(..) {
                        for session in sessions {
                            shared.mutating[session].store(false, Ordering::SeqCst);
                        }
                    }
                    worker.kit.close(0);
                    assert_eq!(worker.kit.realm.handle_count(), 0);
                }
                shared.meet(1);
                shared.meet(2);
            });
        }
        let _alarm = Alarm(&shared);
        let mut kit = work(&shared, stays, 77);
        assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
        kit.close(0);
    });
}
