//! Runners: started, woken, answered and stopped by the thread whose adapter they call.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::durable::{LetterBox, Mail};
use super::journals::journal;
use super::raw::Table;
use crate::error::Reason;
use crate::operations::contract::State;
use crate::operations::runner::{
    Answered, Host, Observation, Question, Runner, RunnerOptions, What,
};
use crate::refused::{Answer, Refused};

/// The thread whose adapter and clock a runner asks.
struct Thread {
    letters: LetterBox,
    runner: u32,
}

impl Host for Thread {
    fn ask(&self, question: Question) {
        self.letters.put(Mail::Asked(self.runner, question));
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    scope: String,
    poll_seconds: f64,
    adapter_seconds: f64,
    concurrency: u32,
}

/// What an observation said, as the face has read it.
#[derive(Deserialize)]
struct Observed<'a> {
    state: Option<&'a str>,
    readable: bool,
    #[serde(default, deserialize_with = "given")]
    progress: Option<Option<f64>>,
    #[serde(default, deserialize_with = "given")]
    stage: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    error: Option<Option<String>>,
    #[serde(default, borrow, deserialize_with = "given")]
    result: Option<Option<&'a RawValue>>,
}

fn given<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn observed(text: &str) -> What {
    let Ok(wire) = serde_json::from_str::<Observed<'_>>(text) else {
        return What::Failed;
    };
    What::Observed(Observation {
        state: wire.state.and_then(State::parse),
        readable: wire.readable,
        progress: wire.progress,
        stage: wire.stage,
        error: wire.error,
        result: wire.result.map(|result| {
            result.map(RawValue::get).filter(|text| *text != "null").map(str::to_owned)
        }),
    })
}

pub(super) fn define(table: &mut Table) {
    table.define(
        "runnerStart",
        |thread, (number, of, options, schema): (u32, u32, String, u32)| -> Answer<f64> {
            let options: Options = serde_json::from_str(&options)
                .map_err(|error| Box::new(Refused::new(Reason::Internal, error.to_string())))?;
            let shared = Arc::clone(journal(thread, number)?.writable()?);
            let judge = thread.durable.schemas.get(schema).cloned();
            let options = RunnerOptions {
                scope: options.scope.into(),
                poll: Duration::from_secs_f64(options.poll_seconds),
                adapter: Duration::from_secs_f64(options.adapter_seconds),
                concurrency: options.concurrency as usize,
                judge: Arc::new(move |text| {
                    judge.as_ref().is_some_and(|schema| schema.judge(text).is_ok())
                }),
            };
            let letters = thread.durable.letters(of);
            let runner = thread.durable.runners.next();
            let host = Arc::new(Thread { letters, runner });
            thread.durable.runners.insert(Runner::start(&shared, options, host)?);
            thread.durable.hold(of);
            Ok(f64::from(runner))
        },
    );
    table.define(
        "runnerAnswer",
        |thread, (runner, call, kind, text, now): (u32, f64, u32, Option<String>, f64)| -> f64 {
            let what = match (kind, text) {
                (0, _) => What::Time,
                (1, Some(reference)) => What::Reference(reference),
                (2, reason) => What::Refused(reason),
                (3, Some(text)) => observed(&text),
                (4, _) => What::Cancelled,
                _ => What::Failed,
            };
            let now = (now >= 0.0).then_some(now as u64);
            if let Some(runner) = thread.durable.runners.get(runner) {
                runner.answer(call as u64, Answered { now, what });
            }
            0.0
        },
    );
    table.define("runnerWake", |thread, (runner,): (u32,)| -> f64 {
        if let Some(runner) = thread.durable.runners.get(runner) {
            runner.wake();
        }
        0.0
    });
    table.define("runnerStop", |thread, (runner, of): (u32, u32)| -> f64 {
        let letters = thread.durable.letters(of);
        if let Some(runner) = thread.durable.runners.get(runner) {
            runner.stop(Box::new(move || letters.put(Mail::Stopped(of))));
        } else {
            thread.durable.hold(of);
            letters.put(Mail::Stopped(of));
        }
        0.0
    });
    table.define("runnerDrop", |thread, (runner,): (u32,)| -> f64 {
        thread.durable.runners.take(runner);
        0.0
    });
}
