//! Any sequence of calls does to a journal what it does to a plain model of one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;
#[path = "support/seed.rs"]
mod seed;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use operations_support::kit::times;
use operations_support::script::{Step, steps};
use operations_support::world::{Home, World};
use proptest::test_runner::{TestCaseError, TestCaseResult, TestError};
use seed::{runner, seed};
use tenure::store::disk::MemoryDisk;

fn drive(home: Home, steps: &[Step]) -> TestCaseResult {
    let driven = catch_unwind(AssertUnwindSafe(|| {
        let mut world = World::new(home);
        steps.iter().for_each(|step| world.step(step));
        world.end();
    }));
    driven.map_err(|payload| {
        let words = payload.downcast_ref::<String>().cloned();
        TestCaseError::fail(words.unwrap_or_else(|| "a panic without words".to_owned()))
    })
}

fn done(seed: u64, outcome: Result<(), TestError<Vec<Step>>>) {
    if let Err(error) = outcome {
        panic!("TENURE_SEED={seed}: {error}");
    }
}

#[test]
fn a_journal_in_memory_does_what_the_model_does() {
    let seed = seed();
    let outcome = runner(seed, times(80, 5_000) as u32)
        .run(&steps(80, false), |steps| drive(Home::Memory, &steps));
    done(seed, outcome);
}

#[test]
fn a_journal_that_is_opened_again_and_again_does_what_the_model_does() {
    let seed = seed();
    let outcome = runner(seed, times(50, 5_000) as u32)
        .run(&steps(80, true), |steps| drive(Home::Disk(Arc::new(MemoryDisk::default())), &steps));
    done(seed, outcome);
}

#[test]
fn a_journal_in_a_file_does_what_the_model_does() {
    let seed = seed();
    let outcome = runner(seed, times(6, 500) as u32).run(&steps(50, true), |steps| {
        let directory = tempfile::tempdir().unwrap();
        drive(Home::File(directory.path().join("journal")), &steps)
    });
    done(seed, outcome);
}
