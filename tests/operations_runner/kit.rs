//! A backend that does as it is told, on a thread of its own, as the thread of a JavaScript runtime is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use serde_json::Value;
use tenure::operations::Bounds;
use tenure::operations::contract::State;
use tenure::operations::journal::open::in_memory;
use tenure::operations::journal::{Call, Job, Journal, Key, Patch, Reply};
use tenure::operations::runner::{
    Answered, Host, Observation, Question, Runner, RunnerOptions, What,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Submit,
    Observe,
    Cancel,
}

/// A call of the adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub call: u64,
    pub verb: Verb,
    /// The id of a submit, the reference of anything else.
    pub of: String,
    pub payload: String,
}

/// What to answer; none is nothing, for now.
type Script = Box<dyn FnMut(&Ask) -> Option<What> + Send>;

pub struct Backend {
    asked: Mutex<Vec<Ask>>,
    aborted: Mutex<Vec<u64>>,
    clock: Mutex<Option<u64>>,
    script: Mutex<Script>,
}

impl Backend {
    pub fn new(script: impl FnMut(&Ask) -> Option<What> + Send + 'static) -> Arc<Self> {
        Arc::new(Self {
            asked: Mutex::default(),
            aborted: Mutex::default(),
            clock: Mutex::new(Some(1_000)),
            script: Mutex::new(Box::new(script)),
        })
    }

    /// Accepts everything and lets each operation succeed at once.
    pub fn willing() -> Arc<Self> {
        Self::new(|ask| Some(willing(ask)))
    }

    pub fn set_clock(&self, now: Option<u64>) {
        *self.clock.lock().unwrap() = now;
    }

    pub fn set_script(&self, script: impl FnMut(&Ask) -> Option<What> + Send + 'static) {
        *self.script.lock().unwrap() = Box::new(script);
    }

    /// Everything asked so far, but for the time.
    pub fn asked(&self) -> Vec<Ask> {
        self.asked.lock().unwrap().clone()
    }

    pub fn of(&self, verb: Verb) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|ask| ask.verb == verb).map(|ask| ask.of.clone()).collect()
    }

    pub fn count(&self, verb: Verb) -> usize {
        self.of(verb).len()
    }

    /// The calls of a verb whose signal has aborted.
    pub fn aborted(&self, verb: Verb) -> Vec<String> {
        let aborted = self.aborted.lock().unwrap().clone();
        let asked = self.asked();
        let of = |call: &u64| asked.iter().find(|ask| ask.call == *call && ask.verb == verb);
        aborted.iter().filter_map(of).map(|ask| ask.of.clone()).collect()
    }

    fn take(&self, question: Question) -> Option<(u64, Option<What>)> {
        let ask = match question {
            Question::Time { call } => return Some((call, Some(What::Time))),
            Question::Abort { call } => {
                self.aborted.lock().unwrap().push(call);
                return None;
            }
            Question::Submit { call, id, payload } => {
                Ask { call, verb: Verb::Submit, of: id.to_string(), payload }
            }
            Question::Observe { call, reference } => of(call, Verb::Observe, &reference),
            Question::Cancel { call, reference } => of(call, Verb::Cancel, &reference),
        };
        self.asked.lock().unwrap().push(ask.clone());
        let answer = (self.script.lock().unwrap())(&ask);
        Some((ask.call, answer))
    }

    fn serve(&self, questions: &Receiver<Question>, runner: &OnceLock<Weak<Runner>>) {
        while let Ok(question) = questions.recv() {
            let taken = catch_unwind(AssertUnwindSafe(|| self.take(question)));
            let Ok(Some((call, Some(what)))) = taken else { continue };
            let now = *self.clock.lock().unwrap();
            until("the runner is known", || runner.get().is_some());
            if let Some(runner) = runner.get().and_then(Weak::upgrade) {
                runner.answer(call, Answered { now, what });
            }
        }
    }
}

fn of(call: u64, verb: Verb, reference: &str) -> Ask {
    Ask { call, verb, of: reference.to_owned(), payload: String::new() }
}

struct Thread(Mutex<Sender<Question>>);

impl Host for Thread {
    fn ask(&self, question: Question) {
        let _ = self.0.lock().unwrap().send(question);
    }
}

pub fn accepted(id: &str) -> What {
    What::Reference(format!("ref-{id}"))
}

pub fn seen(state: State) -> What {
    What::Observed(Observation { state: Some(state), readable: true, ..Observation::default() })
}

pub fn seen_with(change: impl FnOnce(&mut Observation)) -> What {
    let mut observation = Observation { readable: true, ..Observation::default() };
    change(&mut observation);
    What::Observed(observation)
}

pub fn willing(ask: &Ask) -> What {
    match ask.verb {
        Verb::Submit => accepted(&ask.of),
        Verb::Observe => seen(State::Succeeded),
        Verb::Cancel => What::Cancelled,
    }
}

/// Accepts everything, and says `running` until it is told otherwise.
pub fn endless(ask: &Ask) -> What {
    match ask.verb {
        Verb::Observe => seen(State::Running),
        _ => willing(ask),
    }
}

pub fn options() -> RunnerOptions {
    RunnerOptions {
        scope: "".into(),
        poll: Duration::from_millis(2),
        adapter: Duration::from_secs(300),
        concurrency: 1,
        judge: Arc::new(|_| true),
    }
}

pub fn memory() -> Arc<Journal> {
    in_memory(Bounds::default()).unwrap()
}

pub fn start(
    journal: &Arc<Journal>,
    backend: &Arc<Backend>,
    options: RunnerOptions,
) -> Arc<Runner> {
    try_start(journal, backend, options).unwrap()
}

pub fn try_start(
    journal: &Arc<Journal>,
    backend: &Arc<Backend>,
    options: RunnerOptions,
) -> tenure::operations::Answer<Arc<Runner>> {
    let (sender, questions) = channel();
    let known = Arc::new(OnceLock::new());
    let (served, backend) = (Arc::clone(&known), Arc::clone(backend));
    let runner = Runner::start(journal, options, Arc::new(Thread(Mutex::new(sender))))?;
    let runner = Arc::new(runner);
    assert!(known.set(Arc::downgrade(&runner)).is_ok());
    std::thread::spawn(move || backend.serve(&questions, &served));
    Ok(runner)
}

/// Stops a runner, and tells whether it did in time.
pub fn stop(runner: &Runner) {
    stopping(runner).recv_timeout(PATIENCE).unwrap();
}

pub fn stopping(runner: &Runner) -> Receiver<()> {
    let (sender, stopped) = channel();
    runner.stop(Box::new(move || sender.send(()).unwrap_or(())));
    stopped
}

/// Lets a runner go; its own thread may hold it for a moment.
pub fn let_go(runner: Arc<Runner>) {
    let held = Arc::downgrade(&runner);
    drop(runner);
    until("nobody holds it", || held.strong_count() == 0);
}

pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn pause(millis: u64) {
    let (_sender, never) = channel::<()>();
    let _ = never.recv_timeout(Duration::from_millis(millis));
}

pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..PATIENCE.as_millis() {
        if holds() {
            return;
        }
        pause(1);
    }
    panic!("not in time: {what}");
}

/// What a journal is asked of in tests, in the scope `''`.
pub trait ByHand {
    fn put(&self, id: &str);
    fn put_in(&self, scope: &str, id: &str);
    fn change(&self, id: &str, patch: Patch);
    fn request_cancel(&self, id: &str);
    fn see(&self, id: &str) -> Value;
    fn is(&self, id: &str, state: &str) -> bool;
    fn reach(&self, id: &str, state: &str) -> Value;
}

impl ByHand for Arc<Journal> {
    fn put(&self, id: &str) {
        self.put_in("", id);
    }

    fn put_in(&self, scope: &str, id: &str) {
        let input = format!(r#"{{"of":"{id}"}}"#);
        let key = Key::new(scope, id);
        let call = Call::Reserve { key, digest: "d".into(), input, now: 1_000, unless_held: None };
        assert!(matches!(self.call(call), Ok(Reply::Reserved(true, _))));
    }

    fn change(&self, id: &str, patch: Patch) {
        let call = Call::Update { key: Key::new("", id), row: None, patch, now: 1_000 };
        self.call(call).unwrap();
    }

    fn request_cancel(&self, id: &str) {
        self.call(Call::RequestCancel { key: Key::new("", id) }).unwrap();
    }

    fn see(&self, id: &str) -> Value {
        serde_json::from_str(&self.status("", id).unwrap().unwrap()).unwrap()
    }

    fn is(&self, id: &str, state: &str) -> bool {
        self.book().find("", id).is_some_and(|(_, row)| row.state.as_str() == state)
    }

    fn reach(&self, id: &str, state: &str) -> Value {
        let is = || self.book().find("", id).map(|(_, row)| row.state);
        until(&format!("{id} {state}, is {:?}", is()), || self.is(id, state));
        self.see(id)
    }
}

/// Reserves many at once.
pub fn put_all(journal: &Arc<Journal>, names: &[String]) {
    let job = |name: &String| {
        let call = Call::Reserve {
            key: Key::new("", name),
            digest: "d".into(),
            input: "{}".into(),
            now: 1,
            unless_held: None,
        };
        Job::Call(call, Box::new(|answer| drop(answer.unwrap())))
    };
    journal.post(names.iter().map(job).collect::<Vec<_>>());
    let last = names.last().map_or("", |name| name);
    until("all are reserved", || journal.book().find("", last).is_some());
}

pub fn to(state: State) -> Patch {
    Patch { state: Some(state), ..Patch::default() }
}

/// Brings a waiting row to where an earlier life may have left it.
pub fn left(journal: &Arc<Journal>, id: &str, state: State, reference: bool) {
    use tenure::operations::contract::Submission;
    journal.put(id);
    let submission = if reference { Submission::Accepted } else { Submission::Uncertain };
    let patch = Patch {
        state: (state != State::Queued).then_some(state),
        submission: Some(submission),
        reference: reference.then(|| format!("ref-{id}")),
        ..Patch::default()
    };
    journal.change(id, patch);
}

pub fn words(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
