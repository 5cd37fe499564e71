//! Random sequences of calls.

use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;
use tenure::error::Reason;
use tenure::operations::Refused;
use tenure::operations::contract::{State, Submission};
use tenure::operations::journal::{Call, Key, Patch, Resolution};

pub const SCOPES: [&str; 2] = ["", "s"];
pub const IDS: [&str; 5] = ["a", "b", "c", "d", "é\"\\"];
pub const HOLDERS: [u64; 2] = [1_000_001, 1_000_002];

/// One step of a sequence.
#[derive(Clone, Debug)]
pub enum Step {
    /// Calls that are handed over together.
    Calls(Vec<Call>),
    /// The journal is closed and opened again, with this bound.
    Reopen { retain: u64 },
    /// Nothing may change by it.
    Compact,
    /// What a watcher is to be told next is asked for.
    Look(usize),
}

fn key() -> impl Strategy<Value = Key> {
    (select(&SCOPES[..]), select(&IDS[..])).prop_map(|(scope, id)| Key::new(scope, id))
}

fn json(most: usize) -> impl Strategy<Value = String> {
    prop_oneof![
        3 => (0..most).prop_map(|length| format!("{{\"x\":\"{}\"}}", "y".repeat(length))),
        1 => Just("{}".to_owned()),
        1 => Just("{\"n\":[1,-0.5,1e21],\"é\":\"\\u0001\"}".to_owned()),
    ]
}

fn text(most: usize) -> impl Strategy<Value = String> {
    (0..=most, select(vec!["t", "é", "😀", "\"", "\\", "\u{1}", "\u{2028}"]))
        .prop_map(|(length, character)| character.repeat(length))
}

fn patch() -> impl Strategy<Value = Patch> {
    let progress = of(of(select(vec![0.0, 0.5, 1.0, 1e-7, 0.1 + 0.2])));
    let state = weighted(0.7, select(State::ALL));
    let submission = weighted(0.35, select(Submission::ALL));
    let reference = weighted(0.3, select(vec!["r1", "r2"]));
    let rest =
        (weighted(0.2, of(text(64))), weighted(0.2, of(text(256))), weighted(0.3, of(json(30))));
    let sent = prop_oneof![
        6 => Just(None),
        1 => Just(Some((State::Running, Submission::Uncertain, None))),
        2 => Just(Some((State::Running, Submission::Accepted, Some("r1")))),
        1 => Just(Some((State::Failed, Submission::Refused, None))),
    ];
    (state, submission, reference, progress, rest, sent).prop_map(
        |(state, submission, reference, progress, (stage, error, result), sent)| {
            let mut patch = Patch {
                state,
                submission,
                progress,
                stage,
                error,
                result,
                reference: reference.map(str::to_owned),
            };
            // What is likely to be allowed, more often than chance has it.
            if let Some((state, submission, reference)) = sent {
                patch.state = Some(state);
                patch.submission = Some(submission);
                patch.reference = reference.map(str::to_owned);
            }
            patch
        },
    )
}

fn resolution() -> impl Strategy<Value = Resolution> {
    let state = select(vec![State::Succeeded, State::Failed, State::Cancelled]);
    (state, of(text(64)), of(json(30))).prop_map(|(state, note, result)| Resolution {
        state,
        note,
        result: result.filter(|_| state == State::Succeeded),
    })
}

fn call() -> impl Strategy<Value = Call> {
    let now = 0..60_u64;
    let scope = select(&SCOPES[..]);
    let digest = prop_oneof![8 => Just("x"), 1 => Just("y")];
    let unless = weighted(0.1, select(vec![Reason::PlanExpired, Reason::PlanMismatch]));
    prop_oneof![
        8 => (key(), digest, json(50), now.clone(), unless).prop_map(
            |(key, digest, input, now, unless)| Call::Reserve {
                key,
                digest: digest.into(),
                input,
                now,
                unless_held: unless.map(|reason| Box::new(Refused::new(reason, "no"))),
            }
        ),
        12 => (key(), weighted(0.1, 1..20_u64), patch(), now.clone())
            .prop_map(|(key, row, patch, now)| Call::Update { key, row, patch, now }),
        2 => key().prop_map(|key| Call::RequestCancel { key }),
        2 => (key(), now.clone()).prop_map(|(key, now)| Call::Cancel { key, now }),
        3 => (key(), resolution(), now.clone())
            .prop_map(|(key, resolution, now)| Call::Resolve { key, resolution, now }),
        2 => (scope.clone(), 0..70_u64)
            .prop_map(|(scope, before)| Call::Forget { scope: scope.into(), before }),
        2 => select(&HOLDERS[..]).prop_map(|holder| Call::Drain { holder }),
        1 => select(&HOLDERS[..]).prop_map(|holder| Call::Release { holder }),
        5 => (key(), now.clone()).prop_map(|(key, now)| Call::Begin { key, now }),
        1 => (scope, now).prop_map(|(scope, now)| Call::Reconcile { scope: scope.into(), now }),
        2 => (key(), 1..20_u64).prop_map(|(key, row)| Call::Stale { key, row }),
    ]
}

/// Sequences of so many steps at most; with reopenings where there is something to open again.
pub fn steps(most: usize, reopens: bool) -> impl Strategy<Value = Vec<Step>> {
    let (reopen, compact) = if reopens { (2, 1) } else { (0, 0) };
    let step = prop_oneof![
        30 => vec(call(), 1..2).prop_map(Step::Calls),
        6 => vec(call(), 2..8).prop_map(Step::Calls),
        4 => (0..3_usize).prop_map(Step::Look),
        reopen => (1..4_u64).prop_map(|retain| Step::Reopen { retain }),
        compact => Just(Step::Compact),
    ];
    vec(step, 1..most)
}
