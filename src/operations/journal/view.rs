//! A row as people see it: the JSON text that the face parses.

use std::fmt::Write;
use std::sync::Arc;

use super::book::{Book, Shelf};
use super::row::Row;
use crate::operations::Bounds;
use crate::operations::contract::State;

/// What is kept apart and shown with a row.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    /// The recorded input.
    pub input: Option<Arc<str>>,
    /// The result.
    pub result: Option<Arc<str>>,
}

/// Whether a status carries the input: while it fits beside the result.
pub fn echoes_input(row: &Row, bounds: &Bounds) -> bool {
    let result = row.result.map_or(0, |result| result.bytes);
    row.input.bytes + result <= bounds.input_echo_bytes
}

/// The status of a row as JSON text, written as `JSON.stringify` writes it.
pub fn status(row: &Row, position: Option<u64>, apart: &Apart) -> String {
    let mut text = String::with_capacity(
        420 + apart.input.as_ref().map_or(0, |input| input.len())
            + apart.result.as_ref().map_or(0, |result| result.len()),
    );
    write_status(&mut text, row, position, row.reference.as_deref(), apart);
    text
}

fn write_status(
    to: &mut String,
    row: &Row,
    position: Option<u64>,
    reference: Option<&str>,
    apart: &Apart,
) {
    to.push_str("{\"operationId\":");
    quoted(to, &row.operation_id);
    to.push_str(",\"state\":\"");
    to.push_str(row.state.as_str());
    to.push_str("\",\"submission\":\"");
    to.push_str(row.submission.as_str());
    to.push_str("\",\"progress\":");
    match row.progress {
        Some(progress) => to.push_str(ryu_js::Buffer::new().format(progress)),
        None => to.push_str("null"),
    }
    member(to, "stage", row.stage.as_deref());
    number(to, "queuePosition", position);
    number(to, "submittedAt", Some(row.submitted_at));
    number(to, "updatedAt", Some(row.updated_at));
    number(to, "finishedAt", row.finished_at());
    to.push_str(if row.stale { ",\"stale\":true" } else { ",\"stale\":false" });
    member(to, "inputDigest", Some(&row.digest));
    member(to, "backendReference", reference);
    to.push_str(",\"input\":");
    to.push_str(apart.input.as_deref().unwrap_or("null"));
    to.push_str(",\"result\":");
    to.push_str(apart.result.as_deref().unwrap_or("null"));
    member(to, "error", row.error.as_deref());
    to.push('}');
}

fn member(to: &mut String, name: &str, value: Option<&str>) {
    to.push_str(",\"");
    to.push_str(name);
    to.push_str("\":");
    match value {
        Some(value) => quoted(to, value),
        None => to.push_str("null"),
    }
}

fn number(to: &mut String, name: &str, value: Option<u64>) {
    // A String takes whatever is written to it.
    let _ = match value {
        Some(value) => write!(to, ",\"{name}\":{value}"),
        None => write!(to, ",\"{name}\":null"),
    };
}

/// A string as JSON text.
pub fn quoted(to: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        to.push('"');
        to.push_str(text);
        to.push('"');
    } else {
        to.push_str(&serde_json::to_string(text).unwrap_or_default());
    }
}

/// One page of a scope as JSON text: newest first, compacted, within its bounds in rows and bytes.
pub fn page(
    book: &Book,
    scope: &str,
    offset: u64,
    state: Option<State>,
    bounds: &Bounds,
) -> String {
    let nothing = Shelf::default();
    let shelf = book.shelf(scope).unwrap_or(&nothing);
    let active = shelf.count(State::Queued) + shelf.count(State::Running);
    let outstanding = shelf.count(State::Interrupted);
    let ending = |next: Option<u64>| {
        let next = next.map_or("null".to_owned(), |next| next.to_string());
        format!("],\"nextOffset\":{next},\"active\":{active},\"outstanding\":{outstanding}}}")
    };
    // A page that says where it goes on is never shorter than one that does not.
    let room = bounds.frame_bytes.saturating_sub(ending(Some(u64::MAX >> 11)).len() as u64);
    let from = if offset == 0 { u64::MAX } else { offset };
    let mut rows = shelf
        .below(from)
        .filter(|(_, row)| state.is_none_or(|state| row.state == state))
        .peekable();
    let mut text = String::from("{\"operations\":[");
    let mut count = 0;
    let mut last = None;
    while let Some((number, row)) = rows.peek() {
        if count == bounds.page_size {
            return text + &ending(last);
        }
        let before = text.len();
        if count > 0 {
            text.push(',');
        }
        let position = row.is_waiting().then(|| shelf.position(**number)).flatten();
        write_status(&mut text, row, position, None, &Apart::default());
        if count > 0 && text.len() as u64 > room {
            text.truncate(before);
            return text + &ending(last);
        }
        last = Some(**number);
        count += 1;
        rows.next();
    }
    text + &ending(None)
}
