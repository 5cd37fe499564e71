//! A member of a scope in a thread of its own, which waits to be woken as a thread of JavaScript does.

use std::sync::Arc;

use shuttle::sync::{Condvar, Mutex};
use tenure::error::Reason;
use tenure::ownership::{ClaimEvent, ClaimRef, Effect, Slot, Stopped, Wake};

use crate::kit::{Kit, text};

/// What wakes a thread: a delivery, or another one's word that it is done.
#[derive(Clone, Default)]
pub struct Bell(Arc<(Mutex<usize>, Condvar)>);

impl Bell {
    pub fn ring(&self) {
        *self.0.0.lock().unwrap() += 1;
        self.0.1.notify_all();
    }

    /// Returns once it has rung since the last return.
    pub fn wait(&self) {
        let mut rung = self.0.0.lock().unwrap();
        while *rung == 0 {
            rung = self.0.1.wait(rung).unwrap();
        }
        *rung = 0;
    }
}

impl Wake for Bell {
    fn wake(&self) {
        self.ring();
    }
}

pub struct Member {
    pub kit: Kit,
    pub bell: Bell,
    /// Parts in stops of others that have begun here, and were settled at once.
    pub parts: usize,
    /// What else was told, in order.
    pub told: Vec<Effect>,
}

impl Member {
    pub fn of(scope: &str) -> Self {
        let (mut kit, bell) = (Kit::default(), Bell::default());
        let core = kit.realm.open_core(Some(text(scope)), Some(Box::new(bell.clone())));
        kit.cores.push(core);
        Self { kit, bell, parts: 0, told: Vec::new() }
    }

    /// Acts on what calls have caused, as the face does.
    pub fn act(&mut self) {
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
                        self.told.push(each);
                    }
                    Effect::PartBegins(view) => {
                        self.parts += 1;
                        self.kit.begin(view);
                        self.kit.realm.attempt_settled(view, true, None).unwrap();
                    }
                    Effect::Joined(slot, _) => {
                        self.kit.realm.joined_forget(slot).unwrap();
                        self.told.push(each);
                    }
                    _ => self.told.push(each),
                }
            }
        }
    }

    /// Takes every delivery that waits.
    pub fn listen(&mut self) {
        self.act();
        while self.kit.realm.deliver(self.kit.cores[0]).unwrap() {
            self.act();
        }
    }

    /// Takes deliveries until it was told so much.
    pub fn await_told(&mut self, enough: impl Fn(&Self) -> bool) {
        loop {
            self.listen();
            if enough(self) {
                return;
            }
            self.bell.wait();
        }
    }

    pub fn count(&self, is: impl Fn(&Effect) -> bool) -> usize {
        self.told.iter().filter(|each| is(each)).count()
    }

    /// A claim, as far as a registered run; none if a stop stands.
    pub fn claim(&mut self, session: &str) -> Option<(Slot, Option<Slot>)> {
        let entry = self.kit.entry(0, session);
        let claim = match self.kit.realm.claim(entry) {
            Ok(claim) => claim,
            Err(refusal) => {
                assert_eq!(refusal.reason, Reason::SessionStopping);
                return None;
            }
        };
        self.kit.realm.attach(claim, text("run"), text("turn"), None).unwrap();
        let made = self.kit.realm.create_generation(entry, ClaimRef::Live(claim), None);
        let generation = made.unwrap().0;
        let reserved = self.kit.realm.reserve(claim, Some(generation)).is_ok();
        assert!(reserved || self.is_captured(claim), "only a stop is in its way");
        if !reserved {
            self.dispose(generation);
        }
        Some((claim, reserved.then_some(generation)))
    }

    pub fn is_captured(&self, claim: Slot) -> bool {
        self.kit.state(claim).is_captured()
    }

    /// Ends a claim, and its backend.
    pub fn end(&mut self, (claim, generation): (Slot, Option<Slot>)) {
        let ends = match generation {
            Some(_) => [ClaimEvent::Settle(true), ClaimEvent::Release],
            // A stop may come in between: then it ends by its finalization.
            None => [ClaimEvent::Release, ClaimEvent::Finalize(true)],
        };
        let mut sealed = false;
        for end in ends {
            if !sealed && self.kit.state(claim).phase().is_live() {
                sealed = self.kit.realm.claim_move(claim, end, None).unwrap().is_some();
            }
        }
        if !sealed {
            self.kit.realm.leave(claim).unwrap();
        }
        self.act();
        if let Some(generation) = generation {
            self.dispose(generation);
        }
    }

    fn dispose(&mut self, generation: Slot) {
        if self.kit.realm.generation_dispose(generation).unwrap() {
            self.kit.realm.generation_disposed(generation, true, None).unwrap();
        }
        self.act();
    }

    /// A stop that this member starts, and its own part of it. None if another one's was joined.
    pub fn stop(&mut self, session: &str) -> Option<Slot> {
        let entry = self.kit.entry(0, session);
        match self.kit.realm.stop(entry, Some(text("{}"))).unwrap() {
            Stopped::Started(view) => {
                let captured = self.kit.realm.captured(view).unwrap();
                let last = captured.last().map_or(0, |(place, ..)| *place);
                self.kit.realm.attempt_abort(view, 0, last, true).unwrap();
                Some(view)
            }
            Stopped::Joined(_) => None,
            other => panic!("{other:?}"),
        }
    }

    /// Nothing is left, in its session or here.
    pub fn is_at_rest(&self) -> bool {
        (self.kit.sessions(0), self.kit.realm.handle_count()) == (0, 0)
    }
}

/// A thread of shuttle's; its end is waited for, and its failure is the test's.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> impl FnOnce() -> T {
    let thread = shuttle::thread::spawn(work);
    move || thread.join().unwrap()
}
