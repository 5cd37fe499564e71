//! What one environment holds of the durable rooms: its handles, and the mail that other threads have
//! for it.
//!
//! Everything that a thread is told from elsewhere (how a call ended, that there is something to look
//! at, what an adapter is to do) is one list, fetched at once, in order. A call that waits for its
//! answer keeps the process alive, and so does a started runner; a watcher does not.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;

use super::raw::{Item, Table, Waker, refusal_text};
use crate::operations::journal::{Export, Import, Job, Journal, JournalHandle, Watcher, quoted};
use crate::operations::logs::{Follower, LogHandle};
use crate::operations::plans::{Plans, Verdict};
use crate::operations::runner::{Question, Runner};
use crate::operations::schema::Schema;
use crate::operations::{schema, values};
use crate::ownership::{NO_SLOT, Wake};
use crate::refused::Answer;

/// How long the end of an environment waits for a disk.
const PATIENCE: Duration = Duration::from_secs(2);

/// Something for the thread.
pub(super) enum Mail {
    /// A call has ended: its ticket, and the JSON text of its answer.
    Settled(u32, Answer<String>),
    /// A journal was opened, or not.
    Opened(u32, Answer<JournalHandle>),
    /// The logs of a directory were opened, or not.
    LogsOpened(u32, Answer<LogHandle>),
    /// A watcher has something, or is over.
    Watcher(u32),
    /// A follower has something, or is over.
    Follower(u32),
    /// A runner asks its adapter or its clock.
    Asked(u32, Question),
    /// A runner has stopped: its ticket.
    Stopped(u32),
}

impl Mail {
    fn write(self, to: &mut Vec<Item>) {
        let number = |number: u32| Item::Number(f64::from(number));
        match self {
            Self::Settled(ticket, answer) => {
                let text = answer.unwrap_or_else(|refused| refusal_text(&refused));
                to.extend([number(0), number(ticket), Item::Text(text)]);
            }
            // They have a number by now.
            Self::Opened(..) | Self::LogsOpened(..) => {}
            Self::Watcher(watcher) => to.extend([number(1), number(watcher)]),
            Self::Follower(follower) => to.extend([number(2), number(follower)]),
            Self::Asked(runner, question) => {
                let (verb, call, first, second) = match question {
                    Question::Time { call } => (0, call, String::new(), String::new()),
                    Question::Submit { call, id, payload } => (1, call, id.to_string(), payload),
                    Question::Observe { call, reference } => {
                        (2, call, reference.to_string(), String::new())
                    }
                    Question::Cancel { call, reference } => {
                        (3, call, reference.to_string(), String::new())
                    }
                    Question::Abort { call } => (4, call, String::new(), String::new()),
                };
                to.extend([number(3), number(runner), number(verb), Item::Number(call as f64)]);
                to.extend([Item::Text(first), Item::Text(second)]);
            }
            Self::Stopped(ticket) => to.extend([number(4), number(ticket)]),
        }
    }

    /// Whether somebody waits for it, so that the process has to.
    fn is_awaited(&self) -> bool {
        match self {
            Self::Settled(..) | Self::Opened(..) | Self::LogsOpened(..) | Self::Stopped(_) => true,
            Self::Watcher(_) | Self::Follower(_) | Self::Asked(..) => false,
        }
    }
}

#[derive(Default)]
struct Letters {
    waiting: Vec<Mail>,
    waker: Option<Waker>,
    closed: bool,
}

/// The letter box of one environment. Others put in, its thread takes out.
#[derive(Clone, Default)]
pub(super) struct LetterBox(Arc<Mutex<Letters>>);

impl LetterBox {
    pub(super) fn put(&self, mail: Mail) {
        let mut letters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if letters.closed {
            return;
        }
        letters.waiting.push(mail);
        let first = letters.waiting.len() == 1;
        let waker = letters.waker.clone().filter(|_| first);
        drop(letters);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Things by numbers that are never given again: a late call finds nothing, and not something else.
pub(super) struct Numbered<T> {
    next: u32,
    items: HashMap<u32, T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { next: 0, items: HashMap::new() }
    }
}

impl<T> Numbered<T> {
    /// The number of the next one.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    pub(super) fn insert(&mut self, item: T) -> u32 {
        let number = self.next;
        self.next += 1;
        self.items.insert(number, item);
        number
    }

    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.items.get(&number)
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.items.get_mut(&number)
    }

    pub(super) fn take(&mut self, number: u32) -> Option<T> {
        self.items.remove(&number)
    }

    fn drain(&mut self) -> impl Iterator<Item = T> {
        self.items.drain().map(|(_, item)| item)
    }
}

/// A letter box, and how many things it is waiting for.
#[derive(Default)]
struct Boxed {
    letters: LetterBox,
    holds: usize,
}

impl Boxed {
    fn waker(&self) -> Option<Waker> {
        self.letters.0.lock().unwrap_or_else(PoisonError::into_inner).waker.clone()
    }
}

/// The higher bits of a ticket are the letter box of who asks: several copies of the face may share
/// one addon, and each has its own tickets.
const TICKET_BITS: u32 = 20;

/// Handles by their numbers, calls that are not yet handed over, and a letter box for each face.
#[derive(Default)]
pub(super) struct Durable {
    boxes: Vec<Boxed>,
    pub(super) journals: Numbered<Arc<JournalHandle>>,
    pub(super) watchers: Numbered<(Arc<Journal>, Arc<Watcher>)>,
    pub(super) logs: Numbered<Arc<LogHandle>>,
    pub(super) followers: Numbered<Follower>,
    pub(super) runners: Numbered<Runner>,
    pub(super) exports: Numbered<Arc<Export>>,
    pub(super) imports: Numbered<Import>,
    pub(super) schemas: Numbered<Schema>,
    pub(super) plans: Numbered<Plans>,
    outbox: Vec<(Arc<Journal>, Job)>,
    armed: Cell<bool>,
}

impl Durable {
    /// The test switch: the next call of a handle panics.
    pub(super) fn arm(&self) {
        self.armed.set(true);
    }

    /// Whether the switch was pulled.
    pub(super) fn fires(&self) -> bool {
        self.armed.replace(false)
    }

    /// Opens a letter box for a face. None once there are too many.
    pub(super) fn open_mail(&mut self, waker: Option<Waker>) -> Option<u32> {
        let number = u32::try_from(self.boxes.len()).ok()?;
        if number >= u32::MAX >> TICKET_BITS {
            return None;
        }
        let boxed = Boxed::default();
        boxed.letters.0.lock().unwrap_or_else(PoisonError::into_inner).waker = waker;
        self.boxes.push(boxed);
        Some(number)
    }

    fn boxed(&mut self, ticket: u32) -> Option<&mut Boxed> {
        self.boxes.get_mut((ticket >> TICKET_BITS) as usize)
    }

    /// The letter box of a ticket.
    pub(super) fn letters(&mut self, ticket: u32) -> LetterBox {
        self.boxed(ticket).map(|boxed| boxed.letters.clone()).unwrap_or_default()
    }

    /// Something is awaited there: the process may not end before.
    pub(super) fn hold(&mut self, ticket: u32) {
        let Some(boxed) = self.boxed(ticket) else {
            return;
        };
        boxed.holds += 1;
        if boxed.holds == 1
            && let Some(waker) = boxed.waker()
        {
            waker.keep();
        }
    }

    fn fetch(&mut self, ticket: u32) -> Vec<Item> {
        let letters = self.letters(ticket);
        let waiting = {
            let mut letters = letters.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut letters.waiting)
        };
        let awaited = waiting.iter().filter(|mail| mail.is_awaited()).count();
        let mut items = Vec::with_capacity(waiting.len() * 3);
        for mail in waiting {
            self.numbered(mail).write(&mut items);
        }
        if let Some(boxed) = self.boxed(ticket) {
            boxed.holds = boxed.holds.saturating_sub(awaited);
            // Being woken at home keeps the process alive, until here.
            if boxed.holds == 0
                && let Some(waker) = boxed.waker()
            {
                waker.rest();
            }
        }
        items
    }

    /// What was opened elsewhere gets its number here.
    fn numbered(&mut self, mail: Mail) -> Mail {
        match mail {
            Mail::Opened(ticket, opened) => Mail::Settled(
                ticket,
                opened.map(|handle| self.journals.insert(Arc::new(handle)).to_string()),
            ),
            Mail::LogsOpened(ticket, opened) => Mail::Settled(
                ticket,
                opened.map(|handle| self.logs.insert(Arc::new(handle)).to_string()),
            ),
            other => other,
        }
    }

    /// Keeps a call for the end of the tick, so that calls made together share a commit.
    pub(super) fn later(&mut self, journal: &Arc<Journal>, job: Job) {
        self.outbox.push((Arc::clone(journal), job));
    }

    /// Hands over what was kept, in the order of the calls.
    pub(super) fn flush(&mut self) {
        let mut jobs = std::mem::take(&mut self.outbox).into_iter().peekable();
        while let Some((journal, job)) = jobs.next() {
            let mut together = vec![job];
            while let Some((_, job)) = jobs.next_if(|(other, _)| Arc::ptr_eq(other, &journal)) {
                together.push(job);
            }
            journal.post(together);
        }
    }

    /// Waits until what eventual journals have acknowledged is on the disk. A disk that hangs must not
    /// hang the end.
    pub(super) fn flush_journals(&mut self) {
        self.flush();
        let (tell, told) = std::sync::mpsc::channel::<()>();
        for handle in self.journals.items.values() {
            let tell = tell.clone();
            handle.flush_later(move || drop(tell));
        }
        drop(tell);
        let _ = told.recv_timeout(PATIENCE);
    }

    /// The environment ends: its calls are handed over, its runners stop, its handles are closed.
    pub(super) fn end(&mut self) {
        for boxed in &self.boxes {
            let mut letters = boxed.letters.0.lock().unwrap_or_else(PoisonError::into_inner);
            letters.closed = true;
            letters.waiting.clear();
            // Its function ends with the environment.
            letters.waker = None;
        }
        self.flush();
        self.runners.drain().for_each(drop);
        self.exports.drain().for_each(drop);
        self.imports.drain().for_each(drop);
        self.watchers.drain().for_each(drop);
        self.followers.drain().for_each(drop);
        let (tell, told) = std::sync::mpsc::channel::<()>();
        for journal in self.journals.drain() {
            let tell = tell.clone();
            journal.close_later(move || drop(tell));
        }
        for logs in self.logs.drain() {
            let tell = tell.clone();
            logs.close_later(Box::new(move |_| drop(tell)));
        }
        drop(tell);
        // Once all have gone nobody can tell any more. A disk that hangs must not hang the end.
        let _ = told.recv_timeout(PATIENCE);
    }
}

/// The number of something that need not be there.
pub(super) fn ticket(number: u32) -> Option<u32> {
    (number != NO_SLOT).then_some(number)
}

pub(super) fn define(table: &mut Table) {
    table.define("mail", |thread, (of,): (u32,)| thread.durable.fetch(of));
    table.define("flushCalls", |thread, ()| -> f64 {
        thread.durable.flush();
        0.0
    });
    table.define("journalKey", |_, (scope, id): (String, String)| -> Answer<String> {
        Ok(values::journal_key(&scope, &id))
    });
    table.define("inputDigest", |_, (scope, text): (String, String)| {
        values::input_digest(&scope, &text)
    });
    table.define("operationDescriptor", |_, (options,): (String,)| schema::descriptor(&options));
    table.define("schemaCompile", |thread, (text,): (String,)| -> Answer<f64> {
        Ok(f64::from(thread.durable.schemas.insert(Schema::compile(&text)?)))
    });
    table.define("schemaDrop", |thread, (schema,): (u32,)| -> f64 {
        thread.durable.schemas.take(schema);
        0.0
    });
    table.define(
        "schemaJudge",
        |thread, (schema, text): (u32, String)| -> Answer<Option<String>> {
            let judged = thread.durable.schemas.get(schema).map(|schema| schema.judge(&text));
            Ok(judged.and_then(Result::err).map(|violation| {
                let mut answer = String::from("{\"path\":");
                quoted(&mut answer, &violation.path);
                answer.push_str(",\"message\":");
                quoted(&mut answer, &violation.message);
                answer.push('}');
                answer
            }))
        },
    );
    table.define("plansOpen", |thread, ()| -> f64 {
        f64::from(thread.durable.plans.insert(Plans::default()))
    });
    table.define("plansDrop", |thread, (plans,): (u32,)| -> f64 {
        thread.durable.plans.take(plans);
        0.0
    });
    table.define("plansIssue", |thread, (plans, digest, until): (u32, String, f64)| -> f64 {
        if let Some(plans) = thread.durable.plans.get_mut(plans) {
            plans.issue(&digest, until as u64);
        }
        0.0
    });
    table.define("plansJudge", |thread, (plans, digest, now): (u32, String, f64)| -> f64 {
        let plans = thread.durable.plans.get(plans);
        match plans.map_or(Verdict::Unknown, |plans| plans.judge(&digest, now as u64)) {
            Verdict::Held => 0.0,
            Verdict::Expired => 1.0,
            Verdict::Unknown => 2.0,
        }
    });
}
