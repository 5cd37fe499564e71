//! Calls, handles and answers for the tests.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use tenure::operations::journal::open::Wanted;
use tenure::operations::journal::{Call, Job, Journal, JournalHandle, Key, Patch, Reply};
use tenure::operations::{Answer, Bounds};

/// Longer than anything here takes: a test that waits so long hangs.
pub fn patience() -> Duration {
    Duration::from_secs(times(120, 3_600))
}

/// Whether there is time for the long form.
pub fn long() -> bool {
    std::env::var_os("TENURE_LONG").is_some()
}

/// So many in a run of the gate, so many when there is time.
pub fn times(short: u64, long_form: u64) -> u64 {
    if long() { long_form } else { short }
}

pub fn reserve(id: &str, scope: &str, now: u64) -> Call {
    reserve_with(id, scope, &format!("{{\"of\":\"{id}\"}}"), now)
}

pub fn reserve_with(id: &str, scope: &str, input: &str, now: u64) -> Call {
    Call::Reserve {
        key: Key::new(scope, id),
        digest: "digest".into(),
        input: input.to_owned(),
        now,
        unless_held: None,
    }
}

pub fn update(id: &str, scope: &str, patch: &str, now: u64) -> Call {
    Call::Update { key: Key::new(scope, id), row: None, patch: Patch::parse(patch).unwrap(), now }
}

pub fn wanted(bounds: Bounds) -> Wanted {
    Wanted { bounds: Some(bounds), ..Wanted::default() }
}

pub fn open(path: &Path, bounds: Bounds) -> JournalHandle {
    JournalHandle::open(path, &wanted(bounds)).unwrap()
}

/// Closes a handle and returns once it has let go.
pub fn close(handle: &JournalHandle) {
    let (tell, told) = channel();
    handle.close_later(move || tell.send(()).unwrap());
    told.recv_timeout(patience()).unwrap();
}

/// Posts calls together and waits for all of their answers, in order.
pub fn together(journal: &Arc<Journal>, calls: Vec<Call>) -> Vec<Answer<Reply>> {
    let (tell, told) = channel();
    let count = calls.len();
    journal.post(calls.into_iter().enumerate().map(|(place, call)| {
        let tell = tell.clone();
        Job::Call(call, Box::new(move |answer| tell.send((place, answer)).unwrap()))
    }));
    let answers: Vec<_> = (0..count).map(|_| told.recv_timeout(patience()).unwrap()).collect();
    assert!(answers.iter().enumerate().all(|(place, (of, _))| *of == place), "settled in order");
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Gives unused space back.
pub fn compact(handle: &JournalHandle) -> Answer<(u64, u64)> {
    let (tell, told) = channel();
    handle.compact_later(move |answer| tell.send(answer).unwrap())?;
    told.recv_timeout(patience()).unwrap()
}

/// The ids of a scope, newest first, page by page.
pub fn walk(journal: &Journal, scope: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut offset = 0;
    loop {
        let page: serde_json::Value =
            serde_json::from_str(&journal.page(scope, offset, None)).unwrap();
        let rows = page["operations"].as_array().unwrap();
        ids.extend(rows.iter().map(|row| row["operationId"].as_str().unwrap().to_owned()));
        match page["nextOffset"].as_u64() {
            Some(next) => offset = next,
            None => return ids,
        }
    }
}

/// One field of a status.
pub fn field(journal: &Journal, scope: &str, id: &str, name: &str) -> serde_json::Value {
    let status = journal.status(scope, id).unwrap();
    let Some(status) = status else { return serde_json::Value::Null };
    serde_json::from_str::<serde_json::Value>(&status).unwrap()[name].take()
}
