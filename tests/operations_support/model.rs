//! The rows and the fence of a journal, as plainly as the declaration has them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tenure::error::Reason;
use tenure::operations::Bounds;
use tenure::operations::contract::{State, Submission};

/// A refusal, as far as a caller may act on it.
#[derive(Clone, Debug, PartialEq)]
pub struct No {
    pub reason: Reason,
    pub limit: Option<u64>,
    pub actual: Option<u64>,
}

impl No {
    pub fn plain(reason: Reason) -> Self {
        Self { reason, limit: None, actual: None }
    }

    pub fn bound(reason: Reason, limit: u64, actual: u64) -> Self {
        Self { reason, limit: Some(limit), actual: Some(actual) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub number: u64,
    pub scope: String,
    pub id: String,
    pub digest: String,
    pub input: String,
    pub result: Option<String>,
    pub state: State,
    pub submission: Submission,
    pub progress: Option<f64>,
    pub stage: Option<String>,
    pub error: Option<String>,
    pub reference: Option<String>,
    pub cancel: bool,
    pub submitted_at: u64,
    pub updated_at: u64,
    pub started_at: Option<u64>,
    pub ended: Option<u64>,
    pub stale: bool,
}

impl Row {
    pub fn waits(&self) -> bool {
        self.state == State::Queued && self.submission == Submission::Pending
    }

    pub fn finished(&self) -> Option<u64> {
        self.state.is_terminal().then_some(self.updated_at)
    }

    pub fn watched_by_nobody(&self) -> bool {
        self.state == State::Running
            || (self.state == State::Queued && self.submission != Submission::Pending)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub digest: String,
    /// When it ended, once its row was pruned.
    pub gone: Option<u64>,
}

/// A pair that left the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    pub scope: String,
    pub id: String,
    pub number: u64,
    /// Left when the journal was opened so many times: then scopes have no order among them.
    pub opening: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    pub bounds: Bounds,
    pub rows: BTreeMap<u64, Row>,
    pub fence: BTreeMap<(String, String), Held>,
    pub left: Vec<Left>,
    pub handed: Option<(u64, u64)>,
    pub next_row: u64,
    pub next_ended: u64,
    pub next_left: u64,
    pub openings: u64,
    /// Rows that changed, in order.
    pub changes: Vec<(String, String)>,
}

impl Model {
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, next_row: 1, next_ended: 1, next_left: 1, ..Self::default() }
    }

    pub fn find(&self, scope: &str, id: &str) -> Option<&Row> {
        self.rows.values().find(|row| row.scope == scope && row.id == id)
    }

    pub fn of<'m>(&'m self, scope: &'m str) -> impl DoubleEndedIterator<Item = &'m Row> {
        self.rows.values().filter(move |row| row.scope == scope)
    }

    pub fn status(&self, row: &Row) -> Value {
        let place = self.of(&row.scope).filter(|row| row.waits());
        let place = place.map(|row| row.number).position(|number| number == row.number);
        let bytes = row.input.len() + row.result.as_ref().map_or(0, String::len);
        let parsed = |text: &String| serde_json::from_str::<Value>(text).unwrap();
        let echoed = (bytes as u64 <= self.bounds.input_echo_bytes).then(|| parsed(&row.input));
        json!({
            "operationId": row.id,
            "state": row.state.as_str(),
            "submission": row.submission.as_str(),
            "progress": row.progress.map(|part| match part.fract() {
                0.0 => json!(part as u64),
                _ => json!(part),
            }),
            "stage": row.stage,
            "queuePosition": place,
            "submittedAt": row.submitted_at,
            "updatedAt": row.updated_at,
            "finishedAt": row.finished(),
            "stale": row.stale,
            "inputDigest": row.digest,
            "backendReference": row.reference,
            "input": echoed,
            "result": row.result.as_ref().map(parsed),
            "error": row.error,
        })
    }

    /// As it is listed.
    pub fn compacted(&self, row: &Row) -> Value {
        let mut status = self.status(row);
        for name in ["input", "result", "backendReference"] {
            status[name] = Value::Null;
        }
        status
    }

    /// What is recorded of an ended row goes; the fence keeps the operation.
    pub fn prune(&mut self, scope: &str, opening: Option<u64>) {
        loop {
            let mut ended: Vec<&Row> = self
                .of(scope)
                .filter(|row| row.state.is_terminal() && row.submission != Submission::Uncertain)
                .collect();
            if ended.len() as u64 <= self.bounds.retain {
                return;
            }
            ended.sort_by_key(|row| row.ended);
            let number = ended[0].number;
            let row = self.rows.remove(&number).unwrap();
            let held = self.fence.get_mut(&(row.scope.clone(), row.id.clone())).unwrap();
            held.gone = row.finished();
            self.leave(&row, opening);
        }
    }

    pub fn leave(&mut self, row: &Row, opening: Option<u64>) {
        self.left.retain(|left| (&left.scope, &left.id) != (&row.scope, &row.id));
        self.left.push(Left {
            scope: row.scope.clone(),
            id: row.id.clone(),
            number: self.next_left,
            opening,
        });
        self.next_left += 1;
    }

    /// The journal is opened anew, with these bounds.
    pub fn reopen(&mut self, bounds: Bounds) {
        self.bounds = bounds;
        self.handed = None;
        self.changes.clear();
        self.openings += 1;
        for row in self.rows.values_mut() {
            row.stale = !row.state.is_terminal() && !row.waits();
            if row.watched_by_nobody() {
                row.state = State::Interrupted;
            }
        }
        let mut scopes: Vec<String> = self.rows.values().map(|row| row.scope.clone()).collect();
        scopes.sort();
        scopes.dedup();
        for scope in scopes {
            self.prune(&scope, Some(self.openings));
        }
    }
}
