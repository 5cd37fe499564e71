//! A realm with one or more cores, and the few gestures that most tests begin with.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use tenure::error::Reason;
use tenure::ownership::{ClaimEvent, ClaimRef, Effect, Realm, Slot, Stopped, Wake, Word};
use tenure::text::Text;

static SCOPES: AtomicU32 = AtomicU32::new(0);

/// A scope name that no other test of this process uses.
pub fn scope_name(test: &str) -> Option<Text> {
    let number = SCOPES.fetch_add(1, Ordering::Relaxed);
    Some(Text::from(format!("{test} {number}").as_str()))
}

pub fn text(text: &str) -> Text {
    Text::from(text)
}

/// Counts the wakes of one member: one is due for each delivery.
#[derive(Clone, Default)]
pub struct Wakes(Arc<AtomicUsize>);

impl Wakes {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    pub fn boxed(&self) -> Option<Box<dyn Wake>> {
        Some(Box::new(self.clone()))
    }
}

impl Wake for Wakes {
    fn wake(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// One realm and its cores, by number.
#[derive(Default)]
pub struct Kit {
    pub realm: Realm,
    pub cores: Vec<u32>,
}

/// Its thread ends: what a test has left standing holds on to itself otherwise.
impl Drop for Kit {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.realm.end();
        }
    }
}

impl Kit {
    /// A core of its own.
    pub fn private() -> Self {
        Self::members(None, 1)
    }

    /// Members of one scope, all in this realm.
    pub fn members(scope: Option<Text>, count: usize) -> Self {
        let mut realm = Realm::default();
        let cores = (0..count).map(|_| realm.open_core(scope.clone(), None)).collect();
        Self { realm, cores }
    }

    pub fn entry(&mut self, core: usize, session: &str) -> u32 {
        self.realm.open(self.cores[core], &text(session)).unwrap()
    }

    pub fn claim(&mut self, core: usize, session: &str) -> Slot {
        let entry = self.entry(core, session);
        self.realm.claim(entry).unwrap()
    }

    /// A claim with a run; run and turn have one name.
    pub fn attached(&mut self, core: usize, session: &str, run: &str) -> Slot {
        let claim = self.claim(core, session);
        self.realm.attach(claim, text(run), text(run), None).unwrap();
        claim
    }

    /// A generation on the session's own route, and a run registered on it.
    pub fn running(&mut self, core: usize, session: &str, run: &str) -> (Slot, Slot) {
        let claim = self.attached(core, session, run);
        let entry = self.entry(core, session);
        let made = self.realm.create_generation(entry, ClaimRef::Live(claim), None);
        let (generation, _, current) = made.unwrap();
        assert!(current);
        self.realm.reserve(claim, Some(generation)).unwrap();
        (claim, generation)
    }

    pub fn release(&mut self, claim: Slot) -> Option<Word> {
        self.realm.claim_move(claim, ClaimEvent::Release, None).unwrap()
    }

    /// Ends a run that was registered: settled well, left, its backend disposed.
    pub fn finish(&mut self, claim: Slot, generation: Slot) {
        assert_eq!(self.realm.claim_move(claim, ClaimEvent::Settle(true), None), Ok(None));
        assert!(self.realm.leave(claim).unwrap().is_some());
        assert!(self.realm.generation_dispose(generation).unwrap());
        self.realm.generation_disposed(generation, true, None).unwrap();
        assert_eq!(self.effects(), [Effect::GenerationSealed(generation, 0)]);
    }

    /// The same for one that a stop has captured, whose own part has settled.
    pub fn finish_stopped(&mut self, claim: Slot, generation: Slot, view: Slot) {
        assert_eq!(self.realm.claim_move(claim, ClaimEvent::Settle(true), None), Ok(None));
        let [Effect::AttemptOver(over, word)] = self.effects()[..] else {
            panic!("it is not over")
        };
        assert_eq!((over, word & 1), (view, 0));
        assert!(self.realm.leave(claim).unwrap().is_some());
        assert!(self.realm.generation_dispose(generation).unwrap());
        self.realm.generation_disposed(generation, true, None).unwrap();
        let told = self.effects();
        assert_eq!(told.last(), Some(&Effect::GenerationSealed(generation, 0)), "{told:?}");
    }

    /// A stop that starts, up to where the caller's attempt would run: its view, and what it captured.
    pub fn stop(&mut self, core: usize, session: &str) -> (Slot, Vec<Slot>) {
        let entry = self.entry(core, session);
        let Stopped::Started(view) = self.realm.stop(entry, Some(text("{}"))).unwrap() else {
            panic!("a stop stands already");
        };
        (view, self.tell(view, true))
    }

    /// What a member does first in its part of another one's stop: tells its captured claims, aborts them.
    pub fn begin(&mut self, view: Slot) -> Vec<Slot> {
        self.tell(view, false)
    }

    fn tell(&mut self, view: Slot, clear: bool) -> Vec<Slot> {
        let captured = self.realm.captured(view).unwrap();
        let last = captured.last().map_or(0, |(place, ..)| *place);
        self.realm.attempt_abort(view, 0, last, clear).unwrap();
        captured.into_iter().map(|(_, claim, _)| claim).collect()
    }

    /// What the calls so far have caused, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.realm.effects)
    }

    /// The same, once the views of attempts that are over are let go of, as the face does.
    pub fn heard(&mut self) -> Vec<Effect> {
        let told = self.effects();
        told.into_iter().map(|each| self.let_go(each)).collect()
    }

    fn let_go(&mut self, told: Effect) -> Effect {
        let Effect::AttemptOver(view, word) = told else { return told };
        if word & 1 != 0 {
            self.realm.attempt_forget(view).unwrap();
        }
        Effect::AttemptOver(view, 0)
    }

    /// Takes every delivery that waits for a core, as the face does. What they caused, in order.
    pub fn taken(&mut self, core: usize) -> Vec<Effect> {
        let mut told = Vec::new();
        while self.realm.deliver(self.cores[core]).unwrap() {
            told.append(&mut self.heard());
        }
        told
    }

    /// Takes every delivery that waits for a core. What they caused, in order.
    pub fn deliver(&mut self, core: usize) -> Vec<Effect> {
        while self.realm.deliver(self.cores[core]).unwrap() {}
        self.effects()
    }

    pub fn state(&self, claim: Slot) -> Word {
        self.realm.claim_word(ClaimRef::Live(claim)).unwrap()
    }

    pub fn sessions(&self, core: usize) -> usize {
        self.realm.stats(self.cores[core]).unwrap().0
    }

    /// Whether the claim could be bound to a run: no mutation is ahead of it.
    pub fn may_attach(&mut self, claim: Slot) -> bool {
        match self.realm.attach(claim, text("probe"), text("probe"), None) {
            Ok(_) => true,
            Err(refusal) => {
                assert_eq!(refusal.reason, Reason::AttachBarrier);
                false
            }
        }
    }

    pub fn close(&mut self, core: usize) -> (Vec<Effect>, Vec<Slot>) {
        assert!(self.realm.close_begin(self.cores[core]));
        let effects = self.effects();
        let mut freed = self.realm.close_end(self.cores[core]);
        freed.sort_unstable();
        (effects, freed)
    }
}
