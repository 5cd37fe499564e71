//! One operation as it is recorded.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::operations::contract::{Place, State, Submission};

/// A value that is kept apart from its row, so that an observation does not write it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its key; never given twice.
    pub key: u64,
    /// Bytes of canonical JSON.
    pub bytes: u64,
}

/// What is recorded of an operation. Times are milliseconds since the Unix epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Under which it is kept.
    pub scope: Arc<str>,
    /// The caller's.
    pub operation_id: Arc<str>,
    /// As it was reserved.
    pub digest: Arc<str>,
    /// How far it has come.
    pub state: State,
    /// What is known of its submission.
    pub submission: Submission,
    /// In [0, 1].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub progress: Option<f64>,
    /// What it is at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stage: Option<Arc<str>>,
    /// Why it failed, or what is amiss.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<Arc<str>>,
    /// Under which the backend holds the job.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<Arc<str>>,
    /// A cancel intent is recorded.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cancel: bool,
    /// When it was reserved.
    pub submitted_at: u64,
    /// When it was last observed; never goes back.
    pub updated_at: u64,
    /// When it first moved to running.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started_at: Option<u64>,
    /// Its place among the rows that ended, in order of ending; with a terminal state only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<u64>,
    /// What it was asked to do.
    pub input: Kept,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result: Option<Kept>,
    /// The last thing known of it may be out of date. Not on the disk: true of every row that has not
    /// ended when a journal is opened.
    #[serde(skip)]
    pub stale: bool,
}

impl Row {
    /// In this journal's own queue.
    pub fn is_waiting(&self) -> bool {
        self.state == State::Queued && self.submission == Submission::Pending
    }

    /// May be pruned: a row whose submission is uncertain may still own a job, though it has ended.
    pub fn is_prunable(&self) -> bool {
        self.state.is_terminal() && self.submission != Submission::Uncertain
    }

    /// When it ended.
    pub fn finished_at(&self) -> Option<u64> {
        self.state.is_terminal().then_some(self.updated_at)
    }

    /// Nobody watches it any more once the journal is opened anew.
    pub fn is_orphaned(&self) -> bool {
        match self.state {
            State::Running => true,
            State::Queued => self.submission != Submission::Pending,
            _ => false,
        }
    }

    /// What its moves are judged by.
    pub fn place(&self) -> Place<'_> {
        Place {
            state: self.state,
            submission: self.submission,
            reference: self.reference.as_deref(),
        }
    }
}
