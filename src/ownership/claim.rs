//! The execution claim: the right to run once in a session.
//!
//! ```text
//!             attach            reserve             settle(ok)
//!   pending ----------> attached ----------> reserved ----------> released
//!      |                    |                    |  settle(failed)
//!      | release            | release, or        +--------------> failed
//!      v                    v finalize under a stop
//!   released             released / failed
//! ```
//!
//! A stop captures a live claim without moving it. From then on an attached claim ends by its
//! finalization only, whether that was recorded before the stop or comes after it. A failed
//! settlement of an attached or failed claim is ignored on purpose: such a claim ends otherwise.

use crate::error::{Outcome, Reason, Refusal};

/// Where a claim stands. Live until `Released` or `Failed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Made; no run yet.
    Pending,
    /// Bound to a run.
    Attached,
    /// The run is registered on a backend generation.
    Reserved,
    /// Ended well.
    Released,
    /// Ended badly.
    Failed,
}

impl Phase {
    /// Every phase, in the order of their numbers.
    pub const ALL: [Phase; 5] =
        [Phase::Pending, Phase::Attached, Phase::Reserved, Phase::Released, Phase::Failed];

    /// Whether the claim still counts.
    pub fn is_live(self) -> bool {
        matches!(self, Phase::Pending | Phase::Attached | Phase::Reserved)
    }
}

/// What may happen to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A run is bound to it.
    Attach,
    /// Its run is registered on a generation.
    Reserve,
    /// The start of its run ended, well or not.
    Settle(bool),
    /// The run's own finalization ended, well or not.
    Finalize(bool),
    /// It is given up.
    Release,
    /// A stop captures it.
    Capture,
    /// The member that made it has ended.
    Abandon,
}

/// The facts of a claim that its events move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Where it stands.
    pub phase: Phase,
    /// Whether a stop has captured it; never reverts.
    pub captured: bool,
    /// How its run's finalization ended, if that is known.
    pub finalization: Option<bool>,
}

impl State {
    /// A new claim.
    pub const NEW: State = State { phase: Phase::Pending, captured: false, finalization: None };

    /// The one transition function: the next state, or a refusal that changes nothing.
    pub fn next(self, event: Event) -> Outcome<State> {
        use Phase::*;
        let at = |phase| Ok(State { phase, ..self });
        let detail = self.phase as u32;
        match (self.phase, event) {
            (Pending, Event::Attach) => at(Attached),
            (_, Event::Attach) => Err(Refusal::about(Reason::AttachPhase, detail)),
            (Attached, Event::Reserve) => at(Reserved),
            (_, Event::Reserve) => Err(Refusal::about(Reason::ReservePhase, detail)),
            (Reserved, Event::Settle(ok)) => at(ended(ok)),
            (Attached | Failed, Event::Settle(false)) => Ok(self),
            (_, Event::Settle(_)) => Err(Refusal::about(Reason::SettlePhase, detail)),
            (Attached, Event::Finalize(ok)) => {
                let phase = if self.captured { ended(ok) } else { Attached };
                Ok(State { phase, finalization: Some(ok), ..self })
            }
            (_, Event::Finalize(_)) => Ok(self),
            (Pending, Event::Release) => at(Released),
            (Attached, Event::Release) if !self.captured => at(Released),
            (Attached, Event::Release) => at(self.finalization.map_or(Attached, ended)),
            (_, Event::Release) => Ok(self),
            (phase, Event::Capture) if phase.is_live() => Ok(State { captured: true, ..self }),
            (_, Event::Capture) => Ok(self),
            (phase, Event::Abandon) if phase.is_live() => at(Failed),
            (_, Event::Abandon) => Ok(self),
        }
    }
}

fn ended(ok: bool) -> Phase {
    if ok { Phase::Released } else { Phase::Failed }
}

#[cfg(test)]
mod tests {
    use super::{Event, Phase, State};
    use crate::error::Reason;
    use Phase::*;

    fn states() -> Vec<State> {
        let mut all = Vec::new();
        for phase in Phase::ALL {
            for captured in [false, true] {
                for finalization in [None, Some(true), Some(false)] {
                    all.push(State { phase, captured, finalization });
                }
            }
        }
        all
    }

    /// The expected row, written down anew: phase after, or the reason of the refusal.
    fn expected(state: State, event: Event) -> Result<State, Reason> {
        let to = |phase| Ok(State { phase, ..state });
        match event {
            Event::Attach if state.phase == Pending => to(Attached),
            Event::Attach => Err(Reason::AttachPhase),
            Event::Reserve if state.phase == Attached => to(Reserved),
            Event::Reserve => Err(Reason::ReservePhase),
            Event::Settle(true) if state.phase == Reserved => to(Released),
            Event::Settle(true) => Err(Reason::SettlePhase),
            Event::Settle(false) => match state.phase {
                Reserved => to(Failed),
                Attached | Failed => Ok(state),
                Pending | Released => Err(Reason::SettlePhase),
            },
            Event::Finalize(ok) => match (state.phase, state.captured, ok) {
                (Attached, false, _) => Ok(State { finalization: Some(ok), ..state }),
                (Attached, true, true) => {
                    Ok(State { phase: Released, finalization: Some(true), ..state })
                }
                (Attached, true, false) => {
                    Ok(State { phase: Failed, finalization: Some(false), ..state })
                }
                _ => Ok(state),
            },
            Event::Release => match (state.phase, state.captured, state.finalization) {
                (Pending, ..) | (Attached, false, _) | (Attached, true, Some(true)) => to(Released),
                (Attached, true, Some(false)) => to(Failed),
                _ => Ok(state),
            },
            Event::Capture => match state.phase {
                Pending | Attached | Reserved => Ok(State { captured: true, ..state }),
                Released | Failed => Ok(state),
            },
            Event::Abandon => match state.phase {
                Pending | Attached | Reserved => to(Failed),
                Released | Failed => Ok(state),
            },
        }
    }

    #[test]
    fn every_state_and_event_has_its_row() {
        let events = [
            Event::Attach,
            Event::Reserve,
            Event::Settle(true),
            Event::Settle(false),
            Event::Finalize(true),
            Event::Finalize(false),
            Event::Release,
            Event::Capture,
            Event::Abandon,
        ];
        for state in states() {
            for event in events {
                let got = state.next(event).map_err(|refusal| refusal.reason);
                assert_eq!(got, expected(state, event), "{state:?} {event:?}");
            }
        }
    }

    #[test]
    fn a_refusal_names_the_phase() {
        let state = State { phase: Reserved, ..State::NEW };
        assert_eq!(state.next(Event::Attach).unwrap_err().detail, Reserved as u32);
    }

    #[test]
    fn an_ended_claim_never_moves_again() {
        for state in states().into_iter().filter(|state| !state.phase.is_live()) {
            for event in [Event::Release, Event::Capture, Event::Abandon, Event::Finalize(false)] {
                assert_eq!(state.next(event), Ok(state));
            }
        }
    }
}
