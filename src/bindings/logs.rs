//! Logs: calls that are answered by mail or at once, slices, and followers.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::durable::{Mail, ticket};
use super::journals::{bounds_of, panic_if_armed};
use super::raw::Table;
use super::thread::Thread;
use crate::error::Reason;
use crate::operations::journal::quoted;
use crate::operations::logs::{LogBounds, LogDirectory, LogHandle};
use crate::operations::runtime::spawn_blocking;
use crate::refused::{Answer, Refused};

fn logs(thread: &Thread, number: u32) -> Answer<Arc<LogHandle>> {
    panic_if_armed(thread);
    let found = thread.durable.logs.get(number);
    found.cloned().ok_or_else(|| Box::new(Refused::new(Reason::Closed, "The logs are closed")))
}

/// What is done when a call is done: none when it was done at once.
fn done(thread: &mut Thread, of: u32) -> Box<dyn FnOnce(Answer<()>) + Send> {
    let letters = thread.durable.letters(of);
    thread.durable.hold(of);
    Box::new(move |answer| letters.put(Mail::Settled(of, answer.map(|()| "null".to_owned()))))
}

pub(super) fn define(table: &mut Table) {
    table.define(
        "logsOpen",
        |thread, (of, path, bounds): (u32, String, String)| -> Answer<Option<String>> {
            let given = serde_json::from_str(&bounds)
                .map_err(|error| Box::new(Refused::new(Reason::Internal, error.to_string())))?;
            let bounds = bounds_of(&given)?;
            let bounds =
                LogBounds { log_bytes: bounds.log_bytes, log_slice_bytes: bounds.log_slice_bytes };
            let letters = thread.durable.letters(of);
            thread.durable.hold(of);
            spawn_blocking(move || {
                let spawner = Arc::new(|work: Box<dyn FnOnce() + Send>| spawn_blocking(work));
                let opened = LogDirectory::open(&PathBuf::from(path), bounds, spawner);
                letters.put(Mail::LogsOpened(of, opened));
            });
            Ok(None)
        },
    );
    table.define(
        "logsAppend",
        |thread,
         (number, of, id, line, scope): (u32, u32, String, String, String)|
         -> Answer<Option<String>> {
            let logs = logs(thread, number)?;
            let Some(of) = ticket(of) else {
                return logs.append(&scope, &id, &line).map(|()| None);
            };
            let done = done(thread, of);
            logs.append_later(&scope, &id, &line, done);
            Ok(None)
        },
    );
    table.define(
        "logsRetire",
        |thread, (number, of, id, scope): (u32, u32, String, String)| -> Answer<Option<String>> {
            let logs = logs(thread, number)?;
            let Some(of) = ticket(of) else {
                return logs.retire(&scope, &id).map(|()| None);
            };
            let done = done(thread, of);
            logs.retire_later(&scope, &id, done);
            Ok(None)
        },
    );
    table.define(
        "logsRead",
        |thread, (number, id, offset, scope): (u32, String, f64, String)| -> Answer<String> {
            let slice = logs(thread, number)?.read(&scope, &id, offset as u64)?;
            let mut text = String::with_capacity(slice.text.len() + 120);
            text.push_str("{\"operationId\":");
            quoted(&mut text, &id);
            // A String takes whatever is written to it.
            let _ = write!(
                text,
                ",\"offset\":{},\"nextOffset\":{},\"truncated\":{},\"text\":",
                slice.offset, slice.next_offset, slice.truncated
            );
            quoted(&mut text, &slice.text);
            text.push('}');
            Ok(text)
        },
    );
    table.define(
        "logsFollow",
        |thread, (number, of, id, scope): (u32, u32, String, String)| -> Answer<f64> {
            let logs = logs(thread, number)?;
            let letters = thread.durable.letters(of);
            let follower = thread.durable.followers.next();
            let notify = Arc::new(move || letters.put(Mail::Follower(follower)));
            thread.durable.followers.insert(logs.follow(&scope, &id, notify)?);
            Ok(f64::from(follower))
        },
    );
    table.define("followerIsOver", |thread, (follower,): (u32,)| -> f64 {
        let follower = thread.durable.followers.get(follower);
        f64::from(u8::from(follower.is_none_or(|follower| follower.is_over())))
    });
    table.define("followerDrop", |thread, (follower,): (u32,)| -> f64 {
        thread.durable.followers.take(follower);
        0.0
    });
    // Of a handle that nobody holds any more.
    table.define("logsDrop", |thread, (number,): (u32,)| -> f64 {
        thread.durable.logs.take(number);
        0.0
    });
    table.define("logsClose", |thread, (number, of): (u32, u32)| -> Answer<Option<String>> {
        let logs = logs(thread, number)?;
        thread.durable.logs.take(number);
        let done = done(thread, of);
        logs.close_later(done);
        Ok(None)
    });
}
