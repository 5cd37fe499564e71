//! Execution claims: made, attached, settled, ended.

use crate::error::{Outcome, Reason, Refusal};
use crate::ownership::attempt::Ended;
use crate::ownership::claim::{Event, Phase, State};
use smallvec::SmallVec;

use crate::ownership::out::{AttemptId, Kind, MemberId, NO_SLOT, Out, Slot};
use crate::ownership::realm::Realm;
use crate::ownership::session::{Claim, Entering, Record, Run};
use crate::ownership::start::Start;
use crate::text::Text;

/// The last facts of a claim that has ended for good: they ride on its handle and are read by Rust
/// alone, so that an ended claim costs no memory here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u32);

const CAPTURED: u32 = 1 << 3;
const ABORTED: u32 = 1 << 4;
const START: u32 = 5;
const CLOSED: u32 = 1 << 8;
const ABANDONED: u32 = 1 << 9;

impl Word {
    pub(super) fn of(claim: &Claim, closed: bool) -> Word {
        let mut word = claim.state.phase as u32 | ((claim.start as u32) << START);
        if claim.state.captured {
            word |= CAPTURED;
        }
        if claim.aborted {
            word |= ABORTED;
        }
        if closed {
            word |= CLOSED;
        }
        if claim.abandoned {
            word |= ABANDONED;
        }
        Word(word)
    }

    /// The phase it ended in.
    pub fn phase(self) -> Phase {
        Phase::ALL.get((self.0 & 7) as usize).copied().unwrap_or(Phase::Failed)
    }

    /// A stop had captured it.
    pub fn is_captured(self) -> bool {
        self.0 & CAPTURED != 0
    }

    /// The stop's abort had reached it.
    pub fn is_aborted(self) -> bool {
        self.0 & ABORTED != 0
    }

    /// Its member has ended.
    pub fn is_closed(self) -> bool {
        self.0 & CLOSED != 0
    }

    /// Its committed start.
    pub fn start(self) -> Start {
        Start::ALL.get(((self.0 >> START) & 7) as usize).copied().unwrap_or(Start::Doubtful)
    }

    pub(super) fn with_start(self, start: Start) -> Word {
        Word(self.0 & !(7 << START) | ((start as u32) << START))
    }

    /// The same word once the stop's abort has reached the handle.
    #[must_use]
    pub fn aborted(self) -> Word {
        Word(self.0 | ABORTED)
    }

    pub(super) fn state(self) -> State {
        State { phase: self.phase(), captured: self.is_captured(), finalization: None }
    }
}

/// A claim as its handle names it: by its slot, or by its sealed word once it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimRef {
    /// Still known here.
    Live(Slot),
    /// Ended for good.
    Sealed(Word),
}

impl ClaimRef {
    /// From the number that rides on the handle.
    pub fn from_number(number: i32) -> ClaimRef {
        if number >= 0 {
            ClaimRef::Live(number as Slot)
        } else {
            ClaimRef::Sealed(Word((-(number + 1)) as u32))
        }
    }

    /// The number that rides on the handle.
    pub fn number(self) -> i32 {
        match self {
            ClaimRef::Live(slot) => slot as i32,
            ClaimRef::Sealed(word) => -(word.0 as i32) - 1,
        }
    }
}

/// What an event says in the log.
fn moved(event: Event) -> &'static str {
    match event {
        Event::Attach => "attached",
        Event::Reserve => "reserved",
        Event::Settle(true) => "settled",
        Event::Settle(false) => "settled, failed",
        Event::Finalize(true) => "finalized",
        Event::Finalize(false) => "finalized, failed",
        Event::Release => "released",
        Event::Capture => "captured",
        Event::Abandon => "abandoned",
    }
}

impl Record {
    /// A claim has ended: tells the attempt that captured it, and seals what nothing refers to.
    pub(super) fn claim_ended(
        &mut self,
        key: u32,
        ok: bool,
        error: Option<Text>,
        out: &mut Out<'_>,
    ) {
        self.live -= 1;
        let stops = self.claims.get(key as usize).map(|claim| claim.stops.clone());
        let ended = if ok { Ended::Ok } else { Ended::Failed(error) };
        self.tell_attempts(&stops.unwrap_or_default(), &ended, out);
        self.seal_claim(key, false, out);
    }

    /// Tells the attempts that captured a claim how it ended.
    pub(super) fn tell_attempts(
        &mut self,
        stops: &[(AttemptId, u32)],
        ended: &Ended,
        out: &mut Out<'_>,
    ) {
        for (attempt, place) in stops {
            if let Some(attempt) = self.attempt_mut(*attempt) {
                attempt.captured[*place as usize].ended = ended.clone();
                attempt.pending -= 1;
                attempt.announce(out);
            }
        }
        if !stops.is_empty() {
            self.forget_attempts();
        }
    }

    /// Whether a part of the claim's member has still to learn that it was captured.
    fn is_awaited(&self, claim: &Claim) -> bool {
        claim.stops.iter().any(|(attempt, _)| {
            let view = self.attempt(*attempt).and_then(|attempt| attempt.view(claim.member));
            view.is_some_and(|view| !view.begun)
        })
    }

    /// Forgets a claim that has ended and that nothing refers to any more.
    pub(super) fn seal_claim(&mut self, key: u32, closed: bool, out: &mut Out<'_>) {
        let Some(claim) = self.claims.get(key as usize) else {
            return;
        };
        let registered = claim.run.as_ref().is_some_and(|run| run.registered);
        if claim.state.phase.is_live()
            || registered
            || claim.held
            || claim.entering != Entering::Idle
        {
            return;
        }
        if self.is_awaited(claim) {
            return;
        }
        let (slot, word) = (claim.slot, Word::of(claim, closed));
        let stops = self.claims.remove(key as usize).stops;
        for (attempt, place) in stops {
            if let Some(attempt) = self.attempt_mut(attempt) {
                attempt.captured[place as usize].key = None;
            }
        }
        out.seal_claim(slot, word.0);
    }

    /// Moves a claim, and ends it if that is where the event led.
    pub(super) fn move_claim(
        &mut self,
        key: u32,
        event: Event,
        error: Option<Text>,
        out: &mut Out<'_>,
    ) -> Outcome<()> {
        let claim = self.claim_mut(key)?;
        let before = claim.state.phase;
        claim.state = claim.state.next(event)?;
        let after = claim.state.phase;
        // What a recorded finalization said is how a later release ends.
        let error = match (event, &mut claim.run) {
            (Event::Finalize(_), Some(run)) if after == before => {
                run.error = error;
                None
            }
            (Event::Release, Some(run)) => run.error.take(),
            _ => error,
        };
        if before.is_live() && !after.is_live() {
            self.claim_ended(key, after == Phase::Released, error, out);
        }
        Ok(())
    }

    /// The view of the attempt that captured the claim, given a slot if it has none.
    pub(super) fn captor(&mut self, key: u32, out: &mut Out<'_>) -> Outcome<Option<Slot>> {
        let Some((id, _)) = self.claim(key)?.stops.last().copied() else {
            return Ok(None);
        };
        let member = out.member;
        let Some(view) = self.attempt_mut(id).and_then(|attempt| attempt.view_mut(member)) else {
            return Ok(None);
        };
        Ok(Some(*view.slot.get_or_insert_with(|| out.slot(Kind::Attempt, id))))
    }
}

impl Realm {
    /// A fresh claim.
    ///
    /// # Errors
    /// `ERR_SESSION_STOPPING`.
    pub fn claim(&mut self, entry: u32) -> Outcome<Slot> {
        let slot = self.with(entry, NO_SLOT, "claimed", |record, out| {
            if record.standing().is_some() {
                return Err(Reason::SessionStopping.into());
            }
            let slot = out.slot(Kind::Claim, 0);
            let seq = record.next_seq;
            record.next_seq = seq.wrapping_add(1);
            let key = record.claims.insert(Claim {
                seq,
                member: out.member,
                slot,
                state: State::NEW,
                start: Start::Unasked,
                told: false,
                aborted: false,
                entering: Entering::Idle,
                held: false,
                abandoned: false,
                bound: false,
                stops: SmallVec::new(),
                barrier: record.mutations.barrier(),
                run: None,
            }) as u32;
            out.rekey(slot, key);
            record.live += 1;
            Ok(slot)
        })?;
        Ok(slot)
    }

    /// Whether the claim is this session's and still pending.
    ///
    /// # Errors
    /// `ERR_CLAIM_FOREIGN`.
    pub fn claim_owns_admission(&self, entry: u32, claim: ClaimRef) -> Outcome<()> {
        let ClaimRef::Live(slot) = claim else {
            return Err(Reason::ClaimForeign.into());
        };
        let handle = self.handle(slot, Kind::Claim).map_err(|_| Reason::ClaimForeign)?;
        if handle.entry != entry {
            return Err(Reason::ClaimForeign.into());
        }
        self.look(entry, |record| match record.claim(handle.key)?.state.phase {
            Phase::Pending => Ok(()),
            _ => Err(Reason::ClaimForeign.into()),
        })
    }

    /// The facts of a claim, live or not, as a word.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn claim_word(&self, claim: ClaimRef) -> Outcome<Word> {
        match claim {
            ClaimRef::Sealed(word) => Ok(word),
            ClaimRef::Live(slot) => self.read(slot, Kind::Claim, |record, key| {
                record.claim(key).map(|claim| Word::of(claim, false))
            }),
        }
    }

    /// No other live claim and no active run in the session.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn claim_is_exclusive(&self, claim: Slot) -> Outcome<bool> {
        self.read(claim, Kind::Claim, |record, key| {
            let own = u32::from(record.claim(key)?.state.phase.is_live());
            Ok(record.live == own && !record.has_active_runs())
        })
    }

    /// The same, asked for a claim that has ended.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn session_is_idle(&self, core: u32, id: &[u16]) -> Outcome<bool> {
        let Some(session) = self.find(core, id)? else {
            return Ok(true);
        };
        let record = session.lock()?;
        Ok(record.live == 0 && !record.has_active_runs())
    }

    /// pending → attached. Returns the view of the attempt that has captured the claim, to be told
    /// before the call returns. Without a session id the run is of the claim's own session.
    ///
    /// # Errors
    /// `ERR_CLAIM_PHASE`.
    pub fn attach(
        &mut self,
        claim: Slot,
        run_id: Text,
        turn_id: Text,
        session_id: Option<Text>,
    ) -> Outcome<Option<Slot>> {
        let told = self.on(claim, Kind::Claim, "attached", |record, out, key| {
            let barrier = record.claim(key)?.barrier;
            let blocked = record.mutations.blocks(barrier);
            let claim = record.claim_mut(key)?;
            let next = claim.state.next(Event::Attach)?;
            if blocked {
                return Err(Reason::AttachBarrier.into());
            }
            claim.state = next;
            let session_id = session_id.unwrap_or_else(|| out.session.id.clone());
            let run =
                Run { run_id, turn_id, session_id, error: None, generation: 0, registered: false };
            claim.run = Some(Box::new(run));
            if claim.stops.is_empty() {
                return Ok(None);
            }
            claim.told = true;
            record.captor(key, out)
        })?;
        Ok(told)
    }

    /// Moves a claim. Returns its sealed word, if it has ended for good.
    ///
    /// # Errors
    /// `ERR_CLAIM_PHASE`.
    pub fn claim_move(
        &mut self,
        claim: Slot,
        event: Event,
        error: Option<Text>,
    ) -> Outcome<Option<Word>> {
        self.on(claim, Kind::Claim, moved(event), |record, out, key| {
            record.move_claim(key, event, error, out)
        })?;
        Ok(self.sealed.map(Word))
    }

    /// What a claim that has ended says to an event: nothing, or a refusal.
    ///
    /// # Errors
    /// `ERR_CLOSED`, or as the claim's machine says.
    pub fn sealed_move(&self, core: u32, word: Word, event: Event) -> Outcome<()> {
        let closed = word.is_closed() || self.core(core).is_err();
        match (closed, event) {
            (true, Event::Attach | Event::Reserve) => Err(Reason::Closed.into()),
            (true, _) => Ok(()),
            (false, _) => word.state().next(event).map(|_| ()),
        }
    }

    /// Takes the run off its generation and closes its requests. Returns the sealed word, if the
    /// claim has ended for good.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn leave(&mut self, claim: Slot) -> Outcome<Option<Word>> {
        self.on(claim, Kind::Claim, "left its generation", |record, out, key| {
            record.leave_generation(key, out);
            record.seal_claim(key, false, out);
            Ok(())
        })?;
        Ok(self.sealed.map(Word))
    }

    /// Binds the interaction owner of exactly this run.
    ///
    /// # Errors
    /// `ERR_INTERACTION_IDENTITY`.
    pub fn bind(&mut self, claim: Slot, binding: &[Text; 3]) -> Outcome<()> {
        self.on(claim, Kind::Claim, "interaction bound", |record, _, key| {
            let claim = record.claim_mut(key)?;
            let [session_id, run_id, turn_id] = binding;
            let same = claim.run.as_ref().is_some_and(|run| {
                run.session_id == *session_id && run.run_id == *run_id && run.turn_id == *turn_id
            });
            if !same || claim.bound {
                return Err(Reason::InteractionIdentity.into());
            }
            claim.bound = true;
            Ok(())
        })
    }

    /// The binding that the face holds is let go of.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn unbind(&mut self, claim: Slot) -> Outcome<()> {
        self.on(claim, Kind::Claim, "interaction unbound", |record, _, key| {
            record.claim_mut(key)?.bound = false;
            Ok(())
        })
    }

    /// Whether `enter` has to wait.
    ///
    /// # Errors
    /// `ERR_CLAIM_PHASE`.
    pub fn enter(&mut self, claim: Slot) -> Outcome<bool> {
        self.on(claim, Kind::Claim, "enters", |record, _, key| {
            let claim = record.claim(key)?;
            if record.mutations.blocks(claim.barrier) {
                record.claim_mut(key)?.entering = Entering::Waiting;
                return Ok(true);
            }
            match claim.state.phase {
                Phase::Pending => Ok(false),
                phase => Err(Refusal::about(Reason::EnterPhase, phase as u32)),
            }
        })
    }

    /// Live claims of the session made by the member, in claim order: for rulings and tests.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn live_claims(&self, entry: u32) -> Outcome<Vec<Slot>> {
        let member: MemberId = self.member_of(entry)?;
        self.look(entry, |record| {
            let mut claims: Vec<&Claim> = record
                .claims
                .iter()
                .map(|(_, claim)| claim)
                .filter(|claim| claim.member == member && claim.state.phase.is_live())
                .collect();
            claims.sort_by_key(|claim| claim.seq);
            Ok(claims.into_iter().map(|claim| claim.slot).collect())
        })
    }
}
