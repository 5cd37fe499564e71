//! What each call does to the model.

use serde_json::Value;
use tenure::error::Reason;
use tenure::operations::contract::{State, Submission};
use tenure::operations::journal::{Call, Key, Patch};

use super::model::{Held, Left, Model, No, Row};

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Gives {
    Reserved(bool, Value),
    Status(Value),
    Intent(bool, Value),
    Count(u64),
    Pairs(Vec<Left>),
    Begun(u64, String),
    NotBegun,
    Done,
}

/// From, whether accepted after the move, and where to.
const MOVES: &[(State, bool, &[State])] = {
    use State::{Cancelled, Failed, Interrupted, Queued, Running, Succeeded};
    &[
        (Queued, false, &[Running, Failed, Cancelled, Interrupted]),
        (Queued, true, &[Queued, Running, Interrupted, Succeeded, Failed, Cancelled]),
        (Running, false, &[Running, Interrupted, Succeeded, Failed, Cancelled]),
        (Running, true, &[Running, Interrupted, Succeeded, Failed, Cancelled, Queued]),
        (Interrupted, false, &[Running, Succeeded, Failed, Cancelled]),
        (Interrupted, true, &[Running, Succeeded, Failed, Cancelled, Queued]),
    ]
};

fn allowed(row: &Row, patch: &Patch) -> bool {
    use Submission::{Accepted, Pending, Refused, Uncertain};
    let submission = patch.submission.unwrap_or(row.submission);
    let submits = match row.submission {
        Pending => true,
        Uncertain => submission != Pending,
        Accepted | Refused => submission == row.submission,
    };
    let reference = patch.reference.as_ref().or(row.reference.as_ref());
    let kept = row.reference.is_none() || reference == row.reference.as_ref();
    let accepted = submission == Accepted;
    let moves = patch.state.is_none_or(|to| {
        MOVES.iter().any(|(from, when, to_any)| {
            (*from, *when) == (row.state, accepted) && to_any.contains(&to)
        })
    });
    let state = patch.state.unwrap_or(row.state);
    submits
        && kept
        && accepted == reference.is_some()
        && moves
        && (submission != Refused || state == State::Failed)
}

impl Model {
    pub fn call(&mut self, call: &Call) -> Result<Gives, No> {
        match call {
            Call::Reserve { key, digest, input, now, unless_held } => {
                let unless = unless_held.as_ref().map(|refused| refused.reason);
                self.reserve(key, digest, input, *now, unless)
            }
            Call::Update { key, row, patch, now } => {
                let updated = self.update(key, *row, patch, *now)?;
                Ok(if row.is_some() { Gives::Done } else { self.gives(updated) })
            }
            Call::RequestCancel { key } => self.intend(key),
            Call::Cancel { key, now } => {
                if self.find(&key.scope, &key.id).is_some_and(Row::waits) {
                    return self.go(key, State::Cancelled, *now).map(|row| self.gives(row));
                }
                match self.intend(key)? {
                    Gives::Intent(_, status) => Ok(Gives::Status(status)),
                    other => Ok(other),
                }
            }
            Call::Resolve { key, resolution, now } => {
                let row = self.open_row(key, None)?;
                if row.state != State::Interrupted {
                    return Err(No::plain(Reason::OperationTransition));
                }
                let mut patch = Patch { state: Some(resolution.state), ..Patch::default() };
                let note = resolution.note.clone().map(Some);
                match resolution.state {
                    State::Succeeded => patch.stage = note,
                    _ => patch.error = note,
                }
                patch.result = resolution.result.clone().map(Some);
                self.update(key, None, &patch, *now).map(|row| self.gives(row))
            }
            Call::Forget { scope, before } => Ok(self.forget(scope, *before)),
            Call::Drain { holder } => {
                self.strike();
                self.handed = self.left.last().map(|left| (*holder, left.number));
                Ok(Gives::Pairs(self.left.clone()))
            }
            Call::Release { holder } => {
                if self.handed.is_some_and(|(to, _)| to == *holder) {
                    self.strike();
                }
                Ok(Gives::Done)
            }
            Call::Begin { key, now } => self.begin(key, *now),
            Call::Reconcile { scope, now } => {
                let left: Vec<Key> = self
                    .of(scope)
                    .filter(|row| row.watched_by_nobody() && row.reference.is_none())
                    .map(|row| Key::new(&row.scope, &row.id))
                    .collect();
                for key in &left {
                    self.go(key, State::Interrupted, *now)?;
                }
                Ok(Gives::Count(left.len() as u64))
            }
            Call::Stale { key, row } => {
                let number = self.open_row(key, Some(*row))?.number;
                let row = self.rows.get_mut(&number).unwrap();
                if !row.stale && !row.waits() {
                    row.stale = true;
                    self.changes.push((key.scope.to_string(), key.id.to_string()));
                }
                Ok(Gives::Done)
            }
        }
    }

    fn gives(&self, number: u64) -> Gives {
        Gives::Status(self.status(&self.rows[&number]))
    }

    fn open_row(&self, key: &Key, number: Option<u64>) -> Result<&Row, No> {
        let row = self.find(&key.scope, &key.id);
        let row = row.filter(|row| number.is_none_or(|number| number == row.number));
        let row = row.ok_or(No::plain(Reason::OperationUnknown))?;
        if row.state.is_terminal() {
            return Err(No::plain(Reason::OperationTerminal));
        }
        Ok(row)
    }

    fn reserve(
        &mut self,
        key: &Key,
        digest: &str,
        input: &str,
        now: u64,
        unless_held: Option<Reason>,
    ) -> Result<Gives, No> {
        let pair = (key.scope.to_string(), key.id.to_string());
        if let Some(held) = self.fence.get(&pair) {
            if held.digest != digest {
                return Err(No::plain(Reason::OperationConflict));
            }
            return match self.find(&key.scope, &key.id) {
                Some(row) => Ok(Gives::Reserved(false, self.status(row))),
                None => Err(No::plain(Reason::OperationRetired)),
            };
        }
        if let Some(reason) = unless_held {
            return Err(No::plain(reason));
        }
        let bytes = input.len() as u64;
        if bytes > self.bounds.input_bytes {
            return Err(No::bound(Reason::InputRefused, self.bounds.input_bytes, bytes));
        }
        let waiting = self.of(&key.scope).filter(|row| row.waits()).count() as u64;
        if waiting >= self.bounds.max_queued {
            return Err(No::bound(Reason::QueueFull, self.bounds.max_queued, waiting));
        }
        let used = self.fence.len() as u64;
        if used >= self.bounds.max_reservations {
            return Err(No::bound(Reason::FenceFull, self.bounds.max_reservations, used));
        }
        let number = self.next_row;
        self.next_row += 1;
        let row = Row {
            number,
            scope: pair.0.clone(),
            id: pair.1.clone(),
            digest: digest.to_owned(),
            input: input.to_owned(),
            result: None,
            state: State::Queued,
            submission: Submission::Pending,
            progress: None,
            stage: None,
            error: None,
            reference: None,
            cancel: false,
            submitted_at: now,
            updated_at: now,
            started_at: None,
            ended: None,
            stale: false,
        };
        self.rows.insert(number, row);
        self.left.retain(|left| (&left.scope, &left.id) != (&pair.0, &pair.1));
        self.changes.push(pair.clone());
        self.fence.insert(pair, Held { digest: digest.to_owned(), gone: None });
        Ok(Gives::Reserved(true, self.status(&self.rows[&number])))
    }

    fn go(&mut self, key: &Key, state: State, now: u64) -> Result<u64, No> {
        self.update(key, None, &Patch { state: Some(state), ..Patch::default() }, now)
    }

    fn update(
        &mut self,
        key: &Key,
        number: Option<u64>,
        patch: &Patch,
        now: u64,
    ) -> Result<u64, No> {
        let row = self.open_row(key, number)?;
        if !allowed(row, patch) {
            return Err(No::plain(Reason::OperationTransition));
        }
        let number = row.number;
        let row = self.rows.get_mut(&number).unwrap();
        row.state = patch.state.unwrap_or(row.state);
        row.submission = patch.submission.unwrap_or(row.submission);
        row.reference = patch.reference.clone().or(row.reference.take());
        row.progress = patch.progress.unwrap_or(row.progress);
        row.stage = patch.stage.clone().unwrap_or(row.stage.take());
        row.error = patch.error.clone().unwrap_or(row.error.take());
        row.result = patch.result.clone().unwrap_or(row.result.take());
        row.updated_at = row.updated_at.max(now);
        row.stale = false;
        if row.state == State::Running {
            row.started_at = row.started_at.or(Some(row.updated_at));
        }
        if row.state.is_terminal() {
            row.cancel = false;
            row.ended = Some(self.next_ended);
            self.next_ended += 1;
        }
        self.changes.push((key.scope.to_string(), key.id.to_string()));
        self.prune(&key.scope, None);
        Ok(number)
    }

    fn intend(&mut self, key: &Key) -> Result<Gives, No> {
        let row = self.find(&key.scope, &key.id).ok_or(No::plain(Reason::OperationUnknown))?;
        let number = row.number;
        let row = self.rows.get_mut(&number).unwrap();
        let open = !row.state.is_terminal();
        row.cancel |= open;
        Ok(Gives::Intent(open, self.status(&self.rows[&number])))
    }

    fn begin(&mut self, key: &Key, now: u64) -> Result<Gives, No> {
        let Some(row) = self.find(&key.scope, &key.id).filter(|row| row.waits()) else {
            return Ok(Gives::NotBegun);
        };
        let (number, input, cancel) = (row.number, row.input.clone(), row.cancel);
        if cancel {
            self.go(key, State::Cancelled, now)?;
            return Ok(Gives::NotBegun);
        }
        let patch = Patch {
            state: Some(State::Running),
            submission: Some(Submission::Uncertain),
            ..Patch::default()
        };
        self.update(key, Some(number), &patch, now)?;
        Ok(Gives::Begun(number, input))
    }

    fn forget(&mut self, scope: &str, before: u64) -> Gives {
        let mut rows: Vec<Row> = self.of(scope).cloned().collect();
        rows.retain(|row| row.finished().is_some_and(|at| at < before));
        rows.sort_by_key(|row| row.ended);
        let count = self.fence.len();
        self.fence.retain(|(of, _), held| of != scope || held.gone.is_none_or(|at| at >= before));
        for row in rows {
            self.rows.remove(&row.number);
            self.fence.remove(&(row.scope.clone(), row.id.clone()));
            self.leave(&row, None);
        }
        Gives::Count((count - self.fence.len()) as u64)
    }

    fn strike(&mut self) {
        if let Some((_, last)) = self.handed.take() {
            self.left.retain(|left| left.number > last);
        }
    }
}
