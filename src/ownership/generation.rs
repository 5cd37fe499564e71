//! The backend generation: one backend instance of a session, with the runs registered on it.
//!
//! ```text
//!   active ⇄ stopping                 stop() / reconcile() once nothing holds the generation
//!   active, stopping → disposing      dispose()
//!   disposing → terminated            disposal ok and nothing holds it
//!   disposing → failed                disposal failed: for good
//! ```
//!
//! A generation is held while a run is registered on it or a retained stop operation refers to it.
//! Its stop is a small machine beside the phase: idle, in flight, or failed for good.

use hashbrown::HashMap;
use indexmap::IndexMap;

use super::out::{MemberId, Slot};
use crate::text::Text;

/// Where a generation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// May be dispatched to.
    Active,
    /// A stop was asked for.
    Stopping,
    /// Its disposal has begun.
    Disposing,
    /// Its disposal failed.
    Failed,
    /// Gone.
    Terminated,
}

/// What may happen to a generation. `held` is judged by the caller under the same lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A stop is asked for.
    Stop,
    /// A disposal is asked for.
    Dispose,
    /// The disposal ended, well or not.
    Disposed { ok: bool, held: bool },
    /// A run has left, or a stop has completed.
    Reconcile { held: bool },
}

/// The facts of a generation that its events move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Where it stands.
    pub phase: Phase,
    /// Its disposal has ended well; it may still be held.
    pub disposed: bool,
}

impl State {
    /// A new generation.
    pub const NEW: State = State { phase: Phase::Active, disposed: false };

    /// The one transition function. What does not apply changes nothing.
    pub fn next(self, event: Event) -> State {
        let to = |phase| State { phase, ..self };
        match (self.phase, event) {
            (Phase::Active, Event::Stop) => to(Phase::Stopping),
            (Phase::Active | Phase::Stopping, Event::Dispose) => to(Phase::Disposing),
            (Phase::Disposing, Event::Disposed { ok: false, .. }) => to(Phase::Failed),
            (Phase::Disposing, Event::Disposed { ok: true, held }) => State {
                phase: if held { Phase::Disposing } else { Phase::Terminated },
                disposed: true,
            },
            (Phase::Stopping, Event::Reconcile { held: false }) => to(Phase::Active),
            (Phase::Disposing, Event::Reconcile { held: false }) if self.disposed => {
                to(Phase::Terminated)
            }
            _ => self,
        }
    }
}

/// How the stop of a generation's backend stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flight {
    /// None in flight.
    Idle,
    /// One in flight: others join it.
    InFlight,
    /// One failed, for good.
    Failed,
}

/// What may happen to the stop of a generation's backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlightEvent {
    /// A stop is asked for.
    Begin,
    /// The one in flight ended, well or not.
    End(bool),
}

impl Flight {
    /// The one transition function.
    pub fn next(self, event: FlightEvent) -> Flight {
        match (self, event) {
            (Flight::Idle, FlightEvent::Begin) => Flight::InFlight,
            (Flight::InFlight, FlightEvent::End(true)) => Flight::Idle,
            (Flight::InFlight, FlightEvent::End(false)) => Flight::Failed,
            _ => self,
        }
    }
}

/// A generation as the session keeps it.
pub struct Generation {
    pub(super) id: u32,
    pub(super) member: MemberId,
    pub(super) slot: Slot,
    pub(super) route: Option<Text>,
    pub(super) state: State,
    pub(super) flight: Flight,
    pub(super) current: bool,
    /// Claims by run id, in the order registered.
    pub(super) runs: IndexMap<Text, u32, hashbrown::DefaultHashBuilder>,
    /// Claims by turn id.
    pub(super) turns: HashMap<Text, u32>,
    /// The failed disposal's error as it crosses to other members.
    pub(super) error: Option<Text>,
}

impl Generation {
    pub(super) fn serves(&self, route: Option<&[u16]>) -> bool {
        self.current && self.route.as_deref() == route
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Flight, FlightEvent, Phase, State};
    use Phase::*;

    #[test]
    fn every_state_and_event_has_its_row() {
        let (ok, failed) = (true, false);
        for phase in [Active, Stopping, Disposing, Failed, Terminated] {
            for disposed in [false, true] {
                let state = State { phase, disposed };
                let row = |event, expected: Phase, after: bool| {
                    let expected = State { phase: expected, disposed: after };
                    assert_eq!(state.next(event), expected, "{state:?} {event:?}");
                };
                row(Event::Stop, if phase == Active { Stopping } else { phase }, disposed);
                let begun = matches!(phase, Active | Stopping);
                row(Event::Dispose, if begun { Disposing } else { phase }, disposed);
                for held in [false, true] {
                    let disposing = phase == Disposing;
                    row(
                        Event::Disposed { ok: failed, held },
                        if disposing { Failed } else { phase },
                        disposed,
                    );
                    row(
                        Event::Disposed { ok, held },
                        if disposing && !held { Terminated } else { phase },
                        disposed || disposing,
                    );
                    let after = match phase {
                        Stopping if !held => Active,
                        Disposing if !held && disposed => Terminated,
                        other => other,
                    };
                    row(Event::Reconcile { held }, after, disposed);
                }
            }
        }
    }

    #[test]
    fn a_stop_is_single_flight_and_its_failure_is_for_good() {
        use Flight::*;
        let rows = [
            (Idle, FlightEvent::Begin, InFlight),
            (Idle, FlightEvent::End(true), Idle),
            (Idle, FlightEvent::End(false), Idle),
            (InFlight, FlightEvent::Begin, InFlight),
            (InFlight, FlightEvent::End(true), Idle),
            (InFlight, FlightEvent::End(false), Failed),
            (Failed, FlightEvent::Begin, Failed),
            (Failed, FlightEvent::End(true), Failed),
            (Failed, FlightEvent::End(false), Failed),
        ];
        for (state, event, expected) in rows {
            assert_eq!(state.next(event), expected, "{state:?} {event:?}");
        }
    }
}
