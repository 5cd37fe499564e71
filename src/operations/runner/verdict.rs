//! What an answer of the adapter means for a row. Pure.
//!
//! ```text
//! submit answered        recorded                          then
//! a reference            accepted, with it                 followed
//! refused                failed and refused                over
//! anything else          interrupted, still uncertain      let go
//!
//! observe answered       recorded                          then
//! fit, not terminal      as it is                          asked again
//! fit, terminal          as it is, if the result is        over
//!                        what was promised
//! unknown state,         failed, with a fixed reason       over
//! unfit and terminal
//! anything else          nothing: the row is stale         asked again, after a longer pause
//! ```

use super::host::{Observation, What};
use crate::operations::Bounds;
use crate::operations::contract::{State, Submission};
use crate::operations::journal::Patch;

/// What is published of a refusal whose own reason is not fit to be.
pub(super) const REFUSED: &str = "the submission was refused";
/// Of an observation with a state that is none.
pub(super) const UNKNOWN_STATE: &str = "the backend reported an unknown state";
/// Of an outcome that cannot be recorded.
pub(super) const UNFIT_OUTCOME: &str = "the backend reported an outcome that cannot be recorded";
/// Of a success with a result that was not promised.
pub(super) const UNFIT_RESULT: &str = "the backend reported a result of another form than promised";

/// What an observation means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// The job goes on, and this is to be recorded.
    Goes(Patch),
    /// The job has ended, and this is to be recorded.
    Ends(Patch),
    /// The job has succeeded if its result is what was promised, and this is to be recorded.
    Succeeds(Patch),
    /// Nothing was said that could be recorded.
    Nothing,
}

/// What to record of an answer to `submit`; none is one that did not come in time.
pub(super) fn submitted(answer: Option<What>, bounds: &Bounds) -> Patch {
    let patch = match answer {
        Some(What::Reference(reference)) => Patch {
            submission: Some(Submission::Accepted),
            reference: Some(reference),
            ..Patch::default()
        },
        Some(What::Refused(reason)) => {
            let refused = refused(reason.filter(|reason| !reason.is_empty()));
            return if refused.check(bounds).is_ok() { refused } else { self::refused(None) };
        }
        _ => interrupted(),
    };
    if patch.check(bounds).is_ok() { patch } else { interrupted() }
}

fn refused(reason: Option<String>) -> Patch {
    Patch {
        state: Some(State::Failed),
        submission: Some(Submission::Refused),
        error: Some(Some(reason.unwrap_or_else(|| REFUSED.to_owned()))),
        ..Patch::default()
    }
}

/// What to record where nobody knows what became of a submission.
pub(super) fn interrupted() -> Patch {
    Patch { state: Some(State::Interrupted), ..Patch::default() }
}

/// What to record of an end that cannot be recorded as it was reported.
pub(super) fn failed(reason: &str) -> Patch {
    Patch {
        state: Some(State::Failed),
        error: Some(Some(reason.to_owned())),
        result: Some(None),
        ..Patch::default()
    }
}

/// What an observation means for a row that is in this state.
pub(super) fn observed(seen: Observation, at: State, bounds: &Bounds) -> Verdict {
    let Some(state) = seen.state else {
        return Verdict::Ends(failed(UNKNOWN_STATE));
    };
    let patch = Patch {
        // The tables know no move from interrupted to interrupted.
        state: (state != at).then_some(state),
        progress: seen.progress,
        stage: seen.stage,
        error: seen.error,
        result: seen.result.filter(|_| state.is_terminal()),
        ..Patch::default()
    };
    let fit = seen.readable && patch.check(bounds).is_ok();
    match (state.is_terminal(), fit) {
        (true, true) if state == State::Succeeded => Verdict::Succeeds(patch),
        (true, true) => Verdict::Ends(patch),
        (true, false) => Verdict::Ends(failed(UNFIT_OUTCOME)),
        (false, true) => Verdict::Goes(patch),
        (false, false) => Verdict::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds { reference_bytes: 4, result_bytes: 8, ..Bounds::default() }
    }

    fn said(state: State) -> Observation {
        Observation { state: Some(state), readable: true, ..Observation::default() }
    }

    #[test]
    fn an_answer_to_submit_is_recorded_as_the_table_says() {
        let accepted = |reference: &str| Patch {
            submission: Some(Submission::Accepted),
            reference: Some(reference.to_owned()),
            ..Patch::default()
        };
        let refused = |reason: &str| super::refused(Some(reason.to_owned()));
        let long = "😀".repeat(256);
        for (answer, wanted) in [
            (Some(What::Reference("éé".into())), accepted("éé")),
            (Some(What::Reference("ééx".into())), interrupted()),
            (Some(What::Reference(String::new())), interrupted()),
            (Some(What::Refused(Some("why".into()))), refused("why")),
            (Some(What::Refused(Some(long.clone()))), refused(&long)),
            (Some(What::Refused(Some(format!("{long}x")))), refused(REFUSED)),
            (Some(What::Refused(Some(String::new()))), refused(REFUSED)),
            (Some(What::Refused(None)), refused(REFUSED)),
            (Some(What::Failed), interrupted()),
            (Some(What::Time), interrupted()),
            (Some(What::Cancelled), interrupted()),
            (Some(What::Observed(said(State::Succeeded))), interrupted()),
            (None, interrupted()),
        ] {
            assert_eq!(submitted(answer.clone(), &bounds()), wanted, "{answer:?}");
        }
    }

    #[test]
    fn an_observation_of_each_state_fit_and_unfit_is_taken_as_the_table_says() {
        let unfit = |seen: Observation| {
            [
                Observation { readable: false, ..seen.clone() },
                Observation { progress: Some(Some(1.5)), ..seen.clone() },
                Observation { stage: Some(Some("x".repeat(65))), ..seen.clone() },
                Observation { error: Some(Some("x".repeat(257))), ..seen },
            ]
        };
        for at in [State::Queued, State::Running, State::Interrupted] {
            for state in State::ALL {
                let moved = (*state != at).then_some(*state);
                let patch = Patch { state: moved, ..Patch::default() };
                let (wanted, otherwise) = match state {
                    State::Succeeded => {
                        (Verdict::Succeeds(patch), Verdict::Ends(failed(UNFIT_OUTCOME)))
                    }
                    State::Failed | State::Cancelled => {
                        (Verdict::Ends(patch), Verdict::Ends(failed(UNFIT_OUTCOME)))
                    }
                    _ => (Verdict::Goes(patch), Verdict::Nothing),
                };
                assert_eq!(observed(said(*state), at, &bounds()), wanted, "{at:?} {state:?}");
                for seen in unfit(said(*state)) {
                    assert_eq!(observed(seen.clone(), at, &bounds()), otherwise, "{seen:?}");
                }
            }
            for readable in [true, false] {
                let seen = Observation { readable, ..Observation::default() };
                let wanted = Verdict::Ends(failed(UNKNOWN_STATE));
                assert_eq!(observed(seen, at, &bounds()), wanted);
            }
        }
    }

    #[test]
    fn a_result_is_taken_with_a_terminal_state_only_and_only_within_its_bound() {
        let with = |state, result: &str| {
            let seen = Observation { result: Some(Some(result.to_owned())), ..said(state) };
            observed(seen, State::Running, &bounds())
        };
        let patch = |state: Option<State>, result: Option<&str>| Patch {
            state,
            result: result.map(|result| Some(result.to_owned())),
            ..Patch::default()
        };
        let fits = r#"{"a":12}"#;
        assert_eq!(with(State::Running, "beyond the bound"), Verdict::Goes(patch(None, None)));
        let failed_with = patch(Some(State::Failed), Some(fits));
        assert_eq!(with(State::Failed, fits), Verdict::Ends(failed_with));
        let succeeded = patch(Some(State::Succeeded), Some(fits));
        assert_eq!(with(State::Succeeded, fits), Verdict::Succeeds(succeeded));
        let beyond = with(State::Succeeded, r#"{"a":123}"#);
        assert_eq!(beyond, Verdict::Ends(failed(UNFIT_OUTCOME)));
    }

    #[test]
    fn every_fixed_reason_can_be_recorded() {
        for reason in [REFUSED, UNKNOWN_STATE, UNFIT_OUTCOME, UNFIT_RESULT] {
            assert_eq!(failed(reason).check(&Bounds::default()), Ok(()));
        }
    }
}
