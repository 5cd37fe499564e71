//! What a row may become: states, submissions, and the table of moves. Pure.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident => $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$word_doc])* #[serde(rename = $text)] $word,)* }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [$name] = &[$($name::$word,)*];

            /// As callers write it.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$word => $text,)* }
            }

            /// As callers write it, read.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$word),)* _ => None }
            }
        }
    };
}

words! {
    /// How far an operation has come.
    ///
    /// ```text
    /// queued, not accepted   running, failed, cancelled, interrupted
    /// queued, accepted       queued, running, interrupted, any terminal state
    /// running                running, interrupted, any terminal state, queued once accepted
    /// interrupted            running, any terminal state, queued once accepted
    /// terminal               nothing
    /// ```
    State {
        /// Waits in the journal's queue, or once accepted in that of the backend.
        Queued => "queued",
        /// Is being submitted, or runs.
        Running => "running",
        /// Ended as asked.
        Succeeded => "succeeded",
        /// Ended otherwise.
        Failed => "failed",
        /// Ended because it was to be.
        Cancelled => "cancelled",
        /// The backend may hold a job that nobody watches.
        Interrupted => "interrupted",
    }
}

words! {
    /// What is known of the submission: pending → uncertain, accepted, refused; uncertain → accepted,
    /// refused. Accepted and refused are final.
    Submission {
        /// `submit` was not called.
        Pending => "pending",
        /// `submit` was, or may have been, called, and no answer is known.
        Uncertain => "uncertain",
        /// The backend holds the job under a reference.
        Accepted => "accepted",
        /// Refused before anything was sent; only with state failed.
        Refused => "refused",
    }
}

impl State {
    /// Whether a row in it never changes again.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }

    /// Whether a row may move from this state to that; `accepted` as the row will be after the move.
    pub fn may_become(self, next: Self, accepted: bool) -> bool {
        use State::{Cancelled, Failed, Interrupted, Queued, Running, Succeeded};
        match (self, next) {
            (Succeeded | Failed | Cancelled, _) | (Interrupted, Interrupted) => false,
            (_, Queued) | (Queued, Succeeded) => accepted,
            (_, Running | Succeeded | Failed | Cancelled | Interrupted) => true,
        }
    }
}

impl Submission {
    /// Whether the submission may go from this to that; staying is no move and always allowed.
    pub fn may_become(self, next: Self) -> bool {
        use Submission::{Accepted, Pending, Refused, Uncertain};
        self == next
            || matches!(
                (self, next),
                (Pending, Uncertain | Accepted | Refused) | (Uncertain, Accepted | Refused)
            )
    }
}

/// A row's place in the tables: what a move is judged by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The state.
    pub state: State,
    /// The submission.
    pub submission: Submission,
    /// Under which the backend holds the job; with an accepted submission, and only then.
    pub reference: Option<&'a str>,
}

/// A move that somebody asks for: what is none stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Move<'a> {
    /// The state to go to.
    pub state: Option<State>,
    /// The submission to go to.
    pub submission: Option<Submission>,
    /// The reference to record.
    pub reference: Option<&'a str>,
}

/// Where a move leads, or none if the tables do not allow it. The row has not ended.
pub fn transition<'a>(from: &Place<'a>, asked: &Move<'a>) -> Option<Place<'a>> {
    let submission = asked.submission.unwrap_or(from.submission);
    if !from.submission.may_become(submission) {
        return None;
    }
    let reference = match (from.reference, asked.reference) {
        (Some(recorded), Some(given)) if recorded != given => return None,
        (recorded, given) => recorded.or(given),
    };
    let accepted = submission == Submission::Accepted;
    if accepted != reference.is_some() {
        return None;
    }
    let state = asked.state.unwrap_or(from.state);
    if asked.state.is_some() && !from.state.may_become(state, accepted) {
        return None;
    }
    if submission == Submission::Refused && state != State::Failed {
        return None;
    }
    Some(Place { state, submission, reference })
}

#[cfg(test)]
mod tests {
    use super::{Move, Place, State, Submission, transition};
    use State::{Cancelled, Failed, Interrupted, Queued, Running, Succeeded};
    use Submission::{Accepted, Pending, Refused, Uncertain};

    fn place(state: State, submission: Submission) -> Place<'static> {
        Place { state, submission, reference: (submission == Accepted).then_some("ref") }
    }

    #[test]
    fn a_state_moves_as_the_table_says_and_no_other_way() {
        let table: &[(State, Submission, &[State])] = &[
            (Queued, Pending, &[Running, Failed, Cancelled, Interrupted]),
            (Queued, Uncertain, &[Running, Failed, Cancelled, Interrupted]),
            (Queued, Accepted, &[Queued, Running, Succeeded, Failed, Cancelled, Interrupted]),
            (Running, Pending, &[Running, Succeeded, Failed, Cancelled, Interrupted]),
            (Running, Uncertain, &[Running, Succeeded, Failed, Cancelled, Interrupted]),
            (Running, Accepted, &[Queued, Running, Succeeded, Failed, Cancelled, Interrupted]),
            (Interrupted, Pending, &[Running, Succeeded, Failed, Cancelled]),
            (Interrupted, Uncertain, &[Running, Succeeded, Failed, Cancelled]),
            (Interrupted, Accepted, &[Queued, Running, Succeeded, Failed, Cancelled]),
        ];
        for (state, submission, allowed) in table {
            for next in State::ALL {
                let asked = Move { state: Some(*next), ..Move::default() };
                let moved = transition(&place(*state, *submission), &asked);
                let wanted = allowed.contains(next).then(|| place(*next, *submission));
                assert_eq!(moved, wanted, "{state:?}/{submission:?} to {next:?}");
            }
        }
        for ended in [Succeeded, Failed, Cancelled] {
            for next in State::ALL {
                assert!(!ended.may_become(*next, true) && !ended.may_become(*next, false));
            }
        }
    }

    #[test]
    fn a_submission_moves_as_the_table_says_and_no_other_way() {
        let table: &[(Submission, &[Submission])] = &[
            (Pending, &[Pending, Uncertain, Accepted, Refused]),
            (Uncertain, &[Uncertain, Accepted, Refused]),
            (Accepted, &[Accepted]),
            (Refused, &[Refused]),
        ];
        for (from, allowed) in table {
            for next in Submission::ALL {
                assert_eq!(from.may_become(*next), allowed.contains(next), "{from:?} to {next:?}");
            }
        }
    }

    #[test]
    fn accepted_and_a_reference_come_together_and_a_reference_stays() {
        let sent = place(Running, Uncertain);
        let accepted = Move { submission: Some(Accepted), ..Move::default() };
        assert_eq!(transition(&sent, &accepted), None);
        let reference = Move { reference: Some("ref"), ..Move::default() };
        assert_eq!(transition(&sent, &reference), None);
        let both = Move { submission: Some(Accepted), reference: Some("ref"), state: None };
        assert_eq!(transition(&sent, &both), Some(place(Running, Accepted)));
        let known = place(Running, Accepted);
        assert_eq!(transition(&known, &reference), Some(known.clone()));
        let other = Move { reference: Some("other"), ..Move::default() };
        assert_eq!(transition(&known, &other), None);
    }

    #[test]
    fn whether_a_row_is_accepted_is_judged_as_it_will_be() {
        let back = Move { state: Some(Queued), submission: Some(Accepted), reference: Some("ref") };
        assert_eq!(
            transition(&place(Interrupted, Uncertain), &back),
            Some(place(Queued, Accepted))
        );
    }

    #[test]
    fn a_refused_submission_comes_with_state_failed_only() {
        for state in [None, Some(Running), Some(Cancelled), Some(Succeeded), Some(Interrupted)] {
            let refused = Move { submission: Some(Refused), state, reference: None };
            assert_eq!(transition(&place(Running, Uncertain), &refused), None, "{state:?}");
        }
        let failed = Move { submission: Some(Refused), state: Some(Failed), reference: None };
        assert_eq!(transition(&place(Running, Uncertain), &failed), Some(place(Failed, Refused)));
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Some(*state));
        }
        for submission in Submission::ALL {
            assert_eq!(Submission::parse(submission.as_str()), Some(*submission));
        }
        assert_eq!(State::parse("done"), None);
    }
}
