//! Calls on claims, in the core and in the model.

use proptest::prop_assert_eq;
use tenure::error::{Reason, Refusal};
use tenure::ownership::{ClaimEvent, ClaimRef, Realm, Start, StartEvent};

use super::model::{Handle, Member, Session};
use super::world::{Step, World, error_text, named, plain, session_text};

impl World {
    fn reference(&self, claim: usize) -> ClaimRef {
        match self.words.get(&claim) {
            Some(word) => ClaimRef::Sealed(*word),
            None => ClaimRef::Live(self.slot(Handle::Claim(claim))),
        }
    }

    pub fn claim(&mut self, member: Member, session: Session) -> Step {
        let entry = self.entry(member, session);
        let expected = self.model.claim(member, session);
        let got = plain(self.realm(member).claim(entry));
        prop_assert_eq!(got.map(|_| ()), expected.map(|_| ()));
        if let (Ok(slot), Ok(claim)) = (got, expected) {
            self.name(member, Handle::Claim(claim), slot)?;
        }
        Ok(())
    }

    /// `claimExecution` with a pending claim.
    pub fn owns(&mut self, member: Member, session: Session, claim: usize) -> Step {
        let entry = self.entry(member, session);
        let each = &self.model.claims[claim];
        // The face knows whose claim it is.
        if each.member != member {
            return Ok(());
        }
        let owns = each.session == session && each.phase == tenure::ownership::ClaimPhase::Pending;
        let expected = if owns { Ok(()) } else { Err(Reason::ClaimForeign) };
        let claim = self.reference(claim);
        prop_assert_eq!(plain(self.realm(member).claim_owns_admission(entry, claim)), expected);
        Ok(())
    }

    /// A move of a claim that has ended is judged by what it left behind.
    fn move_sealed(
        &mut self,
        claim: usize,
        event: ClaimEvent,
        expected: Result<(), Reason>,
    ) -> Step {
        let member = self.model.claims[claim].member;
        let (core, word) = (self.cores[member], self.words[&claim]);
        let got = plain(self.realm(member).sealed_move(core, word, event));
        prop_assert_eq!(got, expected);
        Ok(())
    }

    /// A refusal about a phase names the phase the claim was in.
    fn names_the_phase<T>(&self, claim: usize, got: &Result<T, Refusal>) -> Step {
        const PHASES: [Reason; 7] = [
            Reason::AttachPhase,
            Reason::ReservePhase,
            Reason::SettlePhase,
            Reason::NoGeneration,
            Reason::EnterPhase,
            Reason::StartPhase,
            Reason::RequestPhase,
        ];
        if let Err(refusal) = got
            && PHASES.contains(&refusal.reason)
        {
            prop_assert_eq!(refusal.detail, self.model.claims[claim].phase as u32);
        }
        Ok(())
    }

    pub fn attach(&mut self, claim: usize, run: u8, turn: u8, elsewhere: bool) -> Step {
        let member = self.model.claims[claim].member;
        if self.words.contains_key(&claim) {
            let expected = self.model.attach(claim, run, turn, elsewhere).map(|_| ());
            return self.move_sealed(claim, ClaimEvent::Attach, expected);
        }
        let slot = self.slot(Handle::Claim(claim));
        let other = elsewhere.then(|| "elsewhere".into());
        let got = self.realm(member).attach(slot, named('r', run), named('t', turn), other);
        self.names_the_phase(claim, &got)?;
        let expected = self.model.attach(claim, run, turn, elsewhere);
        self.compare_captor(member, plain(got), expected)
    }

    pub fn reserve(&mut self, claim: usize, generation: usize) -> Step {
        let member = self.model.claims[claim].member;
        if self.model.generations[generation].member != member {
            return Ok(());
        }
        if self.words.contains_key(&claim) {
            let expected = self.model.reserve(claim, generation).map(|_| ());
            return self.move_sealed(claim, ClaimEvent::Reserve, expected);
        }
        let slot = self.slot(Handle::Claim(claim));
        let to = self.slots.get(&Handle::Generation(generation)).copied();
        let got = self.realm(member).reserve(slot, to);
        self.names_the_phase(claim, &got)?;
        let expected = self.model.reserve(claim, generation);
        self.compare_captor(member, plain(got), expected)
    }

    fn compare_captor(
        &mut self,
        member: Member,
        got: Result<Option<u32>, Reason>,
        expected: Result<Option<Handle>, Reason>,
    ) -> Step {
        prop_assert_eq!(got.map(|slot| slot.is_some()), expected.map(|view| view.is_some()));
        if let (Ok(Some(slot)), Ok(Some(view))) = (got, expected) {
            let Handle::View(attempt, _) = view else { return Ok(()) };
            let new = !self.slots.contains_key(&view);
            self.name(member, view, slot)?;
            if new {
                // The face makes the handle, and asks what it captured, at once.
                let before = self.model.captured(attempt, member);
                let expected: Vec<(u32, u32, bool)> = before
                    .into_iter()
                    .map(|(place, claim, tell)| (place, self.slot(Handle::Claim(claim)), tell))
                    .collect();
                prop_assert_eq!(plain(self.realm(member).captured(slot)), Ok(expected));
            }
        }
        Ok(())
    }

    pub fn move_claim(&mut self, claim: usize, event: ClaimEvent) -> Step {
        let member = self.model.claims[claim].member;
        let error = match event {
            ClaimEvent::Settle(false) | ClaimEvent::Finalize(false) => self.error(),
            _ => None,
        };
        let live = self.slots.get(&Handle::Claim(claim)).copied();
        let got = live.map(|slot| self.realm(member).claim_move(slot, event, error_text(error)));
        if let Some(got) = &got {
            self.names_the_phase(claim, got)?;
        }
        let expected = match event {
            ClaimEvent::Settle(ok) => self.model.settle(claim, ok, error),
            ClaimEvent::Finalize(ok) => {
                self.model.finalize(claim, ok, error);
                Ok(())
            }
            _ => {
                self.model.release(claim);
                Ok(())
            }
        };
        match got {
            None => self.move_sealed(claim, event, expected),
            Some(got) => {
                let sealed = self.model.sealed;
                prop_assert_eq!(
                    plain(got).map(|word| word.map(|w| w.0)),
                    expected.map(|()| sealed)
                );
                self.keep_word(claim);
                Ok(())
            }
        }
    }

    /// The word that the call itself has answered with.
    fn keep_word(&mut self, claim: usize) {
        if let Some(word) = self.model.sealed {
            self.words.insert(claim, tenure::ownership::Word(word));
        }
    }

    pub fn leave(&mut self, claim: usize) -> Step {
        let member = self.model.claims[claim].member;
        let Some(slot) = self.slots.get(&Handle::Claim(claim)).copied() else { return Ok(()) };
        let got = plain(self.realm(member).leave(slot));
        self.model.leave(claim);
        prop_assert_eq!(got.map(|word| word.map(|word| word.0)), Ok(self.model.sealed));
        self.keep_word(claim);
        Ok(())
    }

    pub fn enter(&mut self, claim: usize) -> Step {
        let member = self.model.claims[claim].member;
        let Some(slot) = self.slots.get(&Handle::Claim(claim)).copied() else { return Ok(()) };
        let got = self.realm(member).enter(slot);
        self.names_the_phase(claim, &got)?;
        prop_assert_eq!(plain(got), self.model.enter(claim));
        Ok(())
    }

    pub fn bind(&mut self, claim: usize, run: u8, turn: u8, elsewhere: bool) -> Step {
        let (member, session) = (self.model.claims[claim].member, self.model.claims[claim].session);
        let Some(slot) = self.slots.get(&Handle::Claim(claim)).copied() else { return Ok(()) };
        let session = if elsewhere { "elsewhere".into() } else { session_text(session) };
        let binding = [session, named('r', run), named('t', turn)];
        let got = plain(self.realm(member).bind(slot, &binding));
        prop_assert_eq!(got, self.model.bind(claim, run, turn, elsewhere));
        Ok(())
    }

    /// The face lets go of a binding only if it is the bound one.
    pub fn unbind(&mut self, claim: usize) -> Step {
        let member = self.model.claims[claim].member;
        let Some(slot) = self.slots.get(&Handle::Claim(claim)).copied() else { return Ok(()) };
        if std::mem::replace(&mut self.model.claims[claim].bound, false) {
            prop_assert_eq!(plain(self.realm(member).unbind(slot)), Ok(()));
        }
        Ok(())
    }

    pub fn start(&mut self, claim: usize, event: StartEvent) -> Step {
        let member = self.model.claims[claim].member;
        // A commit ends once, and only after it has begun.
        let committing = self.model.claims[claim].start == Start::Committing;
        if matches!(event, StartEvent::Done(_)) != committing && event != StartEvent::Take {
            return Ok(());
        }
        let reference = self.reference(claim);
        let got = self.realm(member).claim_start(reference, event);
        self.names_the_phase(claim, &got)?;
        let expected = self.model.start(claim, event);
        prop_assert_eq!(plain(got).map(|_| ()), expected);
        if let Ok(ClaimRef::Sealed(word)) = got {
            self.words.insert(claim, word);
            prop_assert_eq!(word.start(), self.model.claims[claim].start);
        }
        Ok(())
    }

    pub fn open_request(&mut self, claim: usize, id: u8) -> Step {
        let member = self.model.claims[claim].member;
        let expected = self.model.open_request(claim, id);
        let Some(slot) = self.slots.get(&Handle::Claim(claim)).copied() else {
            let refused = Realm::sealed_request(self.words[&claim]).reason;
            prop_assert_eq!(Err(refused), expected.map(|_| ()));
            return Ok(());
        };
        let got = self.realm(member).open_request(slot, named('q', id));
        self.names_the_phase(claim, &got)?;
        prop_assert_eq!(plain(got).map(|opened| opened.again), expected.map(|(_, again)| again));
        if let (Ok(opened), Ok((request, _))) = (got, expected) {
            self.name(member, Handle::Request(request), opened.slot)?;
        }
        Ok(())
    }

    pub fn close_request(&mut self, request: usize) -> Step {
        let member = self.model.requests[request].member;
        let slot = self.slot(Handle::Request(request));
        self.model.requests[request].open = false;
        prop_assert_eq!(plain(self.realm(member).close_request(slot)), Ok(()));
        Ok(())
    }
}
