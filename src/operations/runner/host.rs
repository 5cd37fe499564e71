//! The seam to the side that can call the adapter and read the clock.

use std::sync::Arc;

use crate::operations::contract::State;

/// The side that can call the adapter and read the clock: JavaScript, on the thread that started the
/// runner.
pub trait Host: Send + Sync {
    /// Takes a question; the answer comes by [`Runner::answer`](super::Runner::answer). Must not wait;
    /// is called from any thread, with no lock held, and may answer before it returns.
    fn ask(&self, question: Question);
}

/// What the runner asks. The number of a call is never given twice in a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// What time it is, by the runner's clock.
    Time {
        /// To be named by the answer.
        call: u64,
    },
    /// Sends a job.
    Submit {
        /// To be named by the answer.
        call: u64,
        /// The operation.
        id: Arc<str>,
        /// The recorded input as JSON text.
        payload: String,
    },
    /// What the backend says of a job.
    Observe {
        /// To be named by the answer.
        call: u64,
        /// Under which the backend holds the job.
        reference: Arc<str>,
    },
    /// Asks the backend to stop a job.
    Cancel {
        /// To be named by the answer.
        call: u64,
        /// Under which the backend holds the job.
        reference: Arc<str>,
    },
    /// The signal of an earlier call is to abort: nobody waits for its answer any more.
    Abort {
        /// The earlier call.
        call: u64,
    },
}

/// An answer, and when it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// By the runner's clock; none if that threw or gave no time.
    pub now: Option<u64>,
    /// The answer.
    pub what: What,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// To a question for the time.
    Time,
    /// To a submit: under this the backend holds the job.
    Reference(String),
    /// To a submit: refused before anything was sent, for this reason if it is fit to be shown.
    Refused(Option<String>),
    /// To anything: it failed, or gave a value that is none of the others.
    Failed,
    /// To an observe.
    Observed(Observation),
    /// To a cancel: it was asked of the backend.
    Cancelled,
}

/// What a backend says of a job: what is none was not said, what is none inside is null.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// None: a state that the contract does not know, or no state at all.
    pub state: Option<State>,
    /// False: a member is of a wrong type, or the result is not plain JSON.
    pub readable: bool,
    /// In [0, 1].
    pub progress: Option<Option<f64>>,
    /// At most 64 Unicode scalar values.
    pub stage: Option<Option<String>>,
    /// At most 256 Unicode scalar values.
    pub error: Option<Option<String>>,
    /// Canonical JSON text; taken with a terminal state only.
    pub result: Option<Option<String>>,
}
