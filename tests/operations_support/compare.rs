//! A journal and its answers, held against a model.

use serde_json::{Value, json};
use tenure::operations::Answer;
use tenure::operations::contract::State;
use tenure::operations::journal::{Journal, Reply};

use super::model::{Left, Model, No, Row};
use super::model_calls::Gives;

/// What is looked at: every id of every scope, and one filter and one place of the listing, which differ
/// from turn to turn.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub scopes: &'a [&'a str],
    pub ids: &'a [&'a str],
    pub turn: u64,
}

impl Look<'_> {
    fn filter(self) -> Option<State> {
        State::ALL.get((self.turn % 8) as usize).copied()
    }

    /// Everything that a journal says.
    pub fn at(self, journal: &Journal) -> Value {
        let mut seen = json!({});
        for scope in self.scopes {
            for id in self.ids {
                let status = journal.status(scope, id).unwrap();
                let payload = journal.payload(scope, id).unwrap();
                let (started, cancel) =
                    (journal.started_at(scope, id), journal.cancel_requested(scope, id));
                assert_eq!(status.is_some(), payload.is_some());
                seen[scope][id] = status.map_or(Value::Null, |status| {
                    json!([parsed(&status), payload, started, cancel])
                });
            }
            let stopped = journal.interrupted_accepted(scope);
            seen[scope]["/next"] = json!(journal.next_queued(scope));
            seen[scope]["/stopped"] = json!(stopped);
            for from in [0, self.turn % 19] {
                seen[scope][format!("/from {from}")] = listed(journal, scope, from, self.filter());
            }
        }
        let stats = serde_json::to_value(journal.stats()).unwrap();
        let mut scopes = stats["scopes"].as_array().unwrap().clone();
        scopes.sort_by_key(|scope| scope["scope"].as_str().unwrap().to_owned());
        seen["/scopes"] = Value::Array(scopes);
        seen["/fence"] = stats["fence"].clone();
        seen["/health"] = stats["health"].clone();
        seen
    }

    /// The same, by the model.
    pub fn wanted(self, model: &Model, health: &str) -> Value {
        let mut seen = json!({});
        let mut counted = Vec::new();
        for scope in self.scopes {
            for id in self.ids {
                seen[scope][id] = model.find(scope, id).map_or(Value::Null, |row| {
                    json!([model.status(row), row.input, row.started_at, row.cancel])
                });
            }
            let stopped = model.of(scope).filter(|row| row.state == State::Interrupted);
            let stopped: Vec<_> =
                stopped.filter_map(|row| Some((row.id.clone(), row.reference.clone()?))).collect();
            let next = model.of(scope).find(|row| row.waits()).map(|row| &row.id);
            seen[scope]["/next"] = json!(next);
            seen[scope]["/stopped"] = json!(stopped);
            for from in [0, self.turn % 19] {
                let below = if from == 0 { u64::MAX } else { from };
                let state = self.filter();
                let of = |row: &&Row| row.number < below && state.is_none_or(|s| s == row.state);
                let rows: Vec<_> =
                    model.of(scope).rev().filter(of).map(|row| model.compacted(row)).collect();
                let count = |states: &[State]| {
                    model.of(scope).filter(|row| states.contains(&row.state)).count()
                };
                let active = count(&[State::Queued, State::Running]);
                seen[scope][format!("/from {from}")] =
                    json!([rows, active, count(&[State::Interrupted])]);
            }
            let mut counts = json!({ "scope": scope });
            for state in State::ALL {
                let count = model.of(scope).filter(|row| row.state == *state).count();
                counts[state.as_str()] = json!(count);
            }
            if model.of(scope).next().is_some() {
                counted.push(counts);
            }
        }
        counted.sort_by_key(|scope| scope["scope"].as_str().unwrap().to_owned());
        let used = model.fence.len() as u64;
        seen["/scopes"] = Value::Array(counted);
        seen["/fence"] = json!({ "used": used, "free": model.bounds.max_reservations - used });
        seen["/health"] = json!(health);
        seen
    }
}

fn listed(journal: &Journal, scope: &str, from: u64, filter: Option<State>) -> Value {
    let mut found = Vec::new();
    let mut at = from;
    loop {
        let text = journal.page(scope, at, filter);
        let page = parsed(&text);
        let rows = page["operations"].as_array().unwrap();
        assert!(rows.len() as u64 <= journal.bounds.page_size);
        assert!(text.len() as u64 <= journal.bounds.frame_bytes);
        assert!(!rows.is_empty() || page["nextOffset"].is_null());
        found.extend(rows.iter().cloned());
        match page["nextOffset"].as_u64() {
            Some(next) => {
                let more = parsed(&journal.page(scope, next, filter));
                assert_ne!(more["operations"], json!([]), "null exactly when there is no more");
                at = next;
            }
            None => return json!([found, page["active"], page["outstanding"]]),
        }
    }
}

pub fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

pub fn agree(wanted: &Result<Gives, No>, given: &Answer<Reply>) -> bool {
    match (wanted, given) {
        (Err(no), Err(refused)) => {
            *no == No { reason: refused.reason, limit: refused.limit, actual: refused.actual }
        }
        (Ok(Gives::Reserved(created, status)), Ok(Reply::Reserved(was, text)))
        | (Ok(Gives::Intent(created, status)), Ok(Reply::Intent(was, text))) => {
            created == was && *status == parsed(text)
        }
        (Ok(Gives::Status(status)), Ok(Reply::Status(text))) => *status == parsed(text),
        (Ok(Gives::Count(count)), Ok(Reply::Count(counted))) => count == counted,
        (Ok(Gives::Pairs(left)), Ok(Reply::Pairs(pairs))) => {
            let pairs: Vec<(String, String)> =
                pairs.iter().map(|(scope, id)| (scope.to_string(), id.to_string())).collect();
            same_order(left, &pairs)
        }
        (Ok(Gives::Begun(row, input)), Ok(Reply::Begun(began, text))) => {
            row == began && input == text
        }
        (Ok(Gives::NotBegun), Ok(Reply::NotBegun)) | (Ok(Gives::Done), Ok(Reply::Done)) => true,
        _ => false,
    }
}

/// In order of leaving; those that left at one opening, scope by scope.
fn same_order(left: &[Left], pairs: &[(String, String)]) -> bool {
    if left.len() != pairs.len() {
        return false;
    }
    let mut start = 0;
    while start < left.len() {
        let opening = left[start].opening;
        let run = left[start..].iter().take_while(|left| left.opening == opening).count();
        let length = if opening.is_some() { run } else { 1 };
        let mut wanted: Vec<(String, String)> = left[start..start + length]
            .iter()
            .map(|left| (left.scope.clone(), left.id.clone()))
            .collect();
        let mut found = pairs[start..start + length].to_vec();
        wanted.sort_by(|one, other| one.0.cmp(&other.0));
        found.sort_by(|one, other| one.0.cmp(&other.0));
        if wanted != found {
            return false;
        }
        start += length;
    }
    true
}
