//! Journals: calls that are answered by mail or at once, and reads.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::durable::{LetterBox, Mail, ticket};
use super::raw::Table;
use super::thread::Thread;
use crate::error::Reason;
use crate::operations::Bounds;
use crate::operations::contract::State;
use crate::operations::journal::open::Wanted;
use crate::operations::journal::writer::closed;
use crate::operations::journal::{
    Call, Import, Job, Journal, JournalHandle, Key, Patch, Reply, Resolution, quoted,
};
use crate::operations::runtime::spawn_blocking;
use crate::refused::{Answer, Refused};
use crate::store::Durability;

/// What `open` and `inMemory` were asked for: numbers by the names of the bounds.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Options {
    bounds: Option<std::collections::BTreeMap<String, Option<f64>>>,
    durability: Option<String>,
    #[serde(rename = "readOnly")]
    read_only: bool,
}

fn wanted(text: &str) -> Answer<Wanted> {
    let options: Options = serde_json::from_str(text)
        .map_err(|error| Box::new(Refused::new(Reason::Internal, error.to_string())))?;
    let bounds = options.bounds.map(|given| bounds_of(&given)).transpose()?;
    let durability = options.durability.map(|durability| match durability.as_str() {
        "eventual" => Durability::Eventual,
        _ => Durability::Immediate,
    });
    Ok(Wanted { bounds, durability, read_only: options.read_only })
}

/// Bounds with defaults filled in. A value out of range is told by its name.
pub(super) fn bounds_of(given: &std::collections::BTreeMap<String, Option<f64>>) -> Answer<Bounds> {
    let mut bounds = Bounds::default();
    for (name, value) in given {
        let fits = value.is_none_or(|value| bounds.set(name, value));
        if !fits {
            let message = format!("The bound {name} is out of range");
            return Err(Box::new(Refused::new(Reason::OutOfRange, message).at(name)));
        }
    }
    Ok(bounds)
}

pub(super) fn journal(thread: &Thread, number: u32) -> Answer<&Arc<JournalHandle>> {
    panic_if_armed(thread);
    thread.durable.journals.get(number).ok_or_else(closed)
}

#[allow(clippy::panic, reason = "the test switch")]
pub(super) fn panic_if_armed(thread: &Thread) {
    if thread.durable.fires() {
        panic!("the test switch for panics was pulled");
    }
}

fn open(thread: &Thread, number: u32) -> Answer<Arc<Journal>> {
    journal(thread, number)?.journal().cloned()
}

fn written(reply: Reply) -> String {
    let outcome =
        |word: &str, status: &str| format!("{{\"outcome\":\"{word}\",\"status\":{status}}}");
    match reply {
        Reply::Reserved(true, status) => outcome("created", &status),
        Reply::Reserved(false, status) => outcome("existing", &status),
        Reply::Intent(true, status) => outcome("recorded", &status),
        Reply::Intent(false, status) => outcome("terminal", &status),
        Reply::Status(status) => status,
        Reply::Count(count) => count.to_string(),
        Reply::Pairs(pairs) => serde_json::to_string(&pairs).unwrap_or_default(),
        Reply::Begun(..) | Reply::NotBegun | Reply::Done => "null".to_owned(),
    }
}

/// Without a ticket the call is done before this returns; with one its answer comes by mail.
fn call(thread: &mut Thread, number: u32, of: u32, call: Call) -> Answer<Option<String>> {
    let journal = journal(thread, number)?.writable().cloned()?;
    let Some(ticket) = ticket(of) else {
        thread.durable.flush();
        return journal.call(call).map(written).map(Some);
    };
    let letters = thread.durable.letters(ticket);
    thread.durable.hold(ticket);
    let settle =
        move |answer: Answer<Reply>| letters.put(Mail::Settled(ticket, answer.map(written)));
    thread.durable.later(&journal, Job::Call(call, Box::new(settle)));
    Ok(None)
}

/// Settles a call by mail with what it gives.
fn by_mail<T>(
    letters: LetterBox,
    ticket: u32,
    write: impl FnOnce(T) -> String + Send + 'static,
) -> impl FnOnce(Answer<T>) + Send + 'static {
    move |answer| letters.put(Mail::Settled(ticket, answer.map(write)))
}

type Given<T> = (u32, u32, String, T, String, f64);

pub(super) fn define(table: &mut Table) {
    openings(table);
    calls(table);
    reads(table);
    watching(table);
    upkeep(table);
    transfer(table);
}

fn openings(table: &mut Table) {
    table.define(
        "journalOpen",
        |thread, (of, path, options): (u32, String, String)| -> Answer<Option<String>> {
            let wanted = wanted(&options)?;
            let letters = thread.durable.letters(of);
            thread.durable.hold(of);
            spawn_blocking(move || {
                let opened = JournalHandle::open(&PathBuf::from(path), &wanted);
                letters.put(Mail::Opened(of, opened));
            });
            Ok(None)
        },
    );
    table.define("journalInMemory", |thread, (options,): (String,)| -> Answer<f64> {
        let bounds = wanted(&options)?.bounds.unwrap_or_default();
        let handle = JournalHandle::in_memory(bounds)?;
        Ok(f64::from(thread.durable.journals.insert(Arc::new(handle))))
    });
    table.define("journalBounds", |thread, (number,): (u32,)| -> Answer<String> {
        let journal = open(thread, number)?;
        Ok(serde_json::to_string(&journal.bounds).unwrap_or_default())
    });
}

fn calls(table: &mut Table) {
    table.define(
        "journalReserve",
        |thread,
         (number, of, id, digest, input, scope, now, unless_held): (
            u32,
            u32,
            String,
            String,
            String,
            String,
            f64,
            Option<String>,
        )| {
            let key = Key::new(&scope, &id);
            let unless_held = unless_held.map(|code| {
                let reason = match code.as_str() {
                    "expired" => Reason::PlanExpired,
                    _ => Reason::PlanMismatch,
                };
                let message = match reason {
                    Reason::PlanExpired => "The plan has expired",
                    _ => "No plan of this digest is held for this input",
                };
                Box::new(Refused::new(reason, message).of(&scope, &id))
            });
            let digest = digest.into();
            call(
                thread,
                number,
                of,
                Call::Reserve { key, digest, input, now: now as u64, unless_held },
            )
        },
    );
    table.define(
        "journalUpdate",
        |thread, (number, of, id, patch, scope, now): Given<String>| -> Answer<Option<String>> {
            let patch = Patch::parse(&patch)?;
            let key = Key::new(&scope, &id);
            patch.check(&open(thread, number)?.bounds).map_err(|refused| named(refused, &key))?;
            call(thread, number, of, Call::Update { key, row: None, patch, now: now as u64 })
        },
    );
    table.define(
        "journalResolve",
        |thread, (number, of, id, text, scope, now): Given<String>| -> Answer<Option<String>> {
            let resolution = Resolution::parse(&text)?;
            let key = Key::new(&scope, &id);
            resolution
                .check(&open(thread, number)?.bounds)
                .map_err(|refused| named(refused, &key))?;
            call(thread, number, of, Call::Resolve { key, resolution, now: now as u64 })
        },
    );
    table.define(
        "journalRequestCancel",
        |thread, (number, of, id, scope): (u32, u32, String, String)| {
            call(thread, number, of, Call::RequestCancel { key: Key::new(&scope, &id) })
        },
    );
    table.define(
        "journalCancel",
        |thread, (number, of, id, scope, now): (u32, u32, String, String, f64)| {
            let key = Key::new(&scope, &id);
            call(thread, number, of, Call::Cancel { key, now: now as u64 })
        },
    );
    table.define(
        "journalForget",
        |thread, (number, of, scope, before): (u32, u32, String, f64)| {
            let scope = scope.as_str().into();
            call(thread, number, of, Call::Forget { scope, before: before as u64 })
        },
    );
    table.define("journalDrain", |thread, (number, of): (u32, u32)| -> Answer<Option<String>> {
        let drain = journal(thread, number)?.drain();
        call(thread, number, of, drain)
    });
}

/// A refusal of a value, with the operation it was for.
#[allow(clippy::boxed_local, reason = "refusals are boxed everywhere: this is given one")]
pub(super) fn named(refused: Box<Refused>, key: &Key) -> Box<Refused> {
    Box::new(refused.of(&key.scope, &key.id))
}

fn json_text(text: Option<&str>) -> Option<String> {
    text.map(|text| {
        let mut json = String::with_capacity(text.len() + 2);
        quoted(&mut json, text);
        json
    })
}

fn reads(table: &mut Table) {
    table.define("journalStatus", |thread, (number, id, scope): (u32, String, String)| {
        open(thread, number)?.status(&scope, &id)
    });
    table.define("journalPayload", |thread, (number, id, scope): (u32, String, String)| {
        open(thread, number)?.payload(&scope, &id)
    });
    table.define(
        "journalStartedAt",
        |thread, (number, id, scope): (u32, String, String)| -> Answer<Option<String>> {
            Ok(open(thread, number)?.started_at(&scope, &id).map(|time| time.to_string()))
        },
    );
    table.define(
        "journalCancelRequested",
        |thread, (number, id, scope): (u32, String, String)| -> Answer<f64> {
            Ok(f64::from(u8::from(open(thread, number)?.cancel_requested(&scope, &id))))
        },
    );
    table.define(
        "journalPage",
        |thread,
         (number, scope, offset, state): (u32, String, f64, Option<String>)|
         -> Answer<String> {
            let state = state.as_deref().and_then(State::parse);
            Ok(open(thread, number)?.page(&scope, offset as u64, state))
        },
    );
    table.define(
        "journalNextQueued",
        |thread, (number, scope): (u32, String)| -> Answer<Option<String>> {
            Ok(json_text(open(thread, number)?.next_queued(&scope).as_deref()))
        },
    );
    table.define(
        "journalInterruptedAccepted",
        |thread, (number, scope): (u32, String)| -> Answer<String> {
            let pairs = open(thread, number)?.interrupted_accepted(&scope);
            Ok(serde_json::to_string(&pairs).unwrap_or_default())
        },
    );
    table.define("journalStats", |thread, (number,): (u32,)| -> Answer<String> {
        Ok(serde_json::to_string(&open(thread, number)?.stats()).unwrap_or_default())
    });
}

fn watching(table: &mut Table) {
    table.define(
        "journalWatch",
        |thread, (number, of, scope, id): (u32, u32, String, Option<String>)| -> Answer<f64> {
            let handle = Arc::clone(journal(thread, number)?);
            let shared = handle.journal()?;
            let letters = thread.durable.letters(of);
            let watcher = thread.durable.watchers.next();
            let notify = Box::new(move || letters.put(Mail::Watcher(watcher)));
            let watching = handle.watch(&scope, id.as_deref(), notify)?;
            thread.durable.watchers.insert((Arc::clone(shared), watching));
            Ok(f64::from(watcher))
        },
    );
    table.define("watcherNext", |thread, (watcher,): (u32,)| -> Answer<Option<String>> {
        match thread.durable.watchers.get(watcher) {
            Some((journal, watcher)) if !watcher.is_over() => watcher.next(journal),
            _ => Err(closed()),
        }
    });
    table.define("watcherDrop", |thread, (watcher,): (u32,)| -> f64 {
        thread.durable.watchers.take(watcher);
        0.0
    });
}

/// Everything that is recorded, out as text and in again.
fn transfer(table: &mut Table) {
    table.define(
        "journalExport",
        |thread, (number, scope): (u32, Option<String>)| -> Answer<f64> {
            let handle = Arc::clone(journal(thread, number)?);
            handle.journal()?;
            thread.durable.flush();
            let export = handle.export(scope.as_deref())?;
            Ok(f64::from(thread.durable.exports.insert(Arc::new(export))))
        },
    );
    table.define("exportNext", |thread, (export, of): (u32, u32)| -> Answer<Option<String>> {
        let export = thread.durable.exports.get(export).cloned().ok_or_else(closed)?;
        let done = by_mail(thread.durable.letters(of), of, Option::<String>::unwrap_or_default);
        thread.durable.hold(of);
        spawn_blocking(move || done(export.next()));
        Ok(None)
    });
    table.define("exportDrop", |thread, (export,): (u32,)| -> f64 {
        thread.durable.exports.take(export);
        0.0
    });
    table.define("importOpen", |thread, (path,): (String,)| -> Answer<f64> {
        panic_if_armed(thread);
        let import = Import::into(&PathBuf::from(path))?;
        Ok(f64::from(thread.durable.imports.insert(import)))
    });
    table.define(
        "importAdd",
        |thread, (import, of, text): (u32, u32, String)| -> Answer<Option<String>> {
            let done = by_mail(thread.durable.letters(of), of, |()| "null".to_owned());
            thread.durable.imports.get(import).ok_or_else(closed)?.add(text, Box::new(done));
            thread.durable.hold(of);
            Ok(None)
        },
    );
    table.define("importEnd", |thread, (import, of): (u32, u32)| -> Answer<Option<String>> {
        let done = by_mail(thread.durable.letters(of), of, |()| "null".to_owned());
        thread.durable.imports.take(import).ok_or_else(closed)?.end(Box::new(done));
        thread.durable.hold(of);
        Ok(None)
    });
    table.define("importCancel", |thread, (import, of): (u32, u32)| -> Answer<Option<String>> {
        let letters = thread.durable.letters(of);
        let done = move |_| letters.put(Mail::Settled(of, Ok("null".to_owned())));
        thread.durable.imports.take(import).ok_or_else(closed)?.cancel(Box::new(done));
        thread.durable.hold(of);
        Ok(None)
    });
}

fn upkeep(table: &mut Table) {
    table.define("journalVerify", |thread, (number, of): (u32, u32)| -> Answer<Option<String>> {
        let handle = Arc::clone(journal(thread, number)?);
        handle.journal()?;
        thread.durable.flush();
        let done = by_mail(thread.durable.letters(of), of, |problems: Vec<_>| {
            let list = serde_json::to_string(&problems).unwrap_or_default();
            format!("{{\"ok\":{},\"problems\":{list}}}", problems.is_empty())
        });
        handle.verify_later(done)?;
        thread.durable.hold(of);
        Ok(None)
    });
    table.define("journalCompact", |thread, (number, of): (u32, u32)| -> Answer<Option<String>> {
        let handle = Arc::clone(journal(thread, number)?);
        handle.journal()?;
        thread.durable.flush();
        let done = by_mail(thread.durable.letters(of), of, |(before, after)| {
            format!("{{\"before\":{before},\"after\":{after}}}")
        });
        handle.compact_later(done)?;
        thread.durable.hold(of);
        Ok(None)
    });
    table.define(
        "journalBackup",
        |thread, (number, of, path): (u32, u32, String)| -> Answer<Option<String>> {
            let handle = Arc::clone(journal(thread, number)?);
            handle.journal()?;
            thread.durable.flush();
            let done = by_mail(thread.durable.letters(of), of, |()| "null".to_owned());
            handle.backup_later(&PathBuf::from(path), done)?;
            thread.durable.hold(of);
            Ok(None)
        },
    );
    // The process, or the thread, ends in order: what was acknowledged is to survive that.
    table.define("flushJournals", |thread, ()| -> f64 {
        thread.durable.flush_journals();
        0.0
    });
    // Of a handle that nobody holds any more.
    table.define("journalDrop", |thread, (number,): (u32,)| -> f64 {
        thread.durable.flush();
        thread.durable.journals.take(number);
        0.0
    });
    table.define("journalClose", |thread, (number, of): (u32, u32)| -> Answer<Option<String>> {
        panic_if_armed(thread);
        thread.durable.flush();
        let Some(handle) = thread.durable.journals.take(number) else {
            return Err(closed());
        };
        let letters = thread.durable.letters(of);
        thread.durable.hold(of);
        handle.close_later(move || letters.put(Mail::Settled(of, Ok("null".to_owned()))));
        Ok(None)
    });
}
