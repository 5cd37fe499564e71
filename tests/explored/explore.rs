//! Runs a body under one schedule after another, and tells how many there were and how they went.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

use shuttle::scheduler::{
    PctScheduler, RandomScheduler, Scheduler, UncontrolledNondeterminismCheckScheduler,
};
use shuttle::{Config, FailurePersistence, Runner};

/// The seed of the first block; each block has one of its own, which brings the block again.
const SEED: &str = "TENURE_SEED";
/// How many schedules there are to be, of each test.
const SCHEDULES: &str = "TENURE_SCHEDULES";
/// Without that.
const USUAL: usize = 1_000;

/// So many schedules share a seed: half of them chosen evenly at every step, half of them by priorities
/// that change a few times, which finds what needs few changes of threads in special places.
const BLOCK: usize = 200;
const CHANGES: usize = 3;

/// How often a body went each way.
type Ways = Arc<Mutex<BTreeMap<&'static str, usize>>>;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

fn config() -> Config {
    let mut config = Config::new();
    // Of a thread: redb needs more than is usual there.
    config.stack_size = 1 << 20;
    config.silence_warnings = true;
    config.failure_persistence = FailurePersistence::None;
    config
}

/// Runs the body under many schedules. It says which way it went, and all of `ways` must be seen.
#[allow(clippy::print_stdout, reason = "the seed is for whoever reads the test's output")]
pub fn explore(
    what: &'static str,
    ways: &[&'static str],
    body: impl Fn() -> &'static str + Send + Sync + 'static,
) {
    let count = number(SCHEDULES).and_then(|count| count.try_into().ok()).unwrap_or(USUAL);
    let first = number(SEED).unwrap_or_else(|| RandomState::new().hash_one(0));
    let went = Ways::default();
    let body = {
        let went = Arc::clone(&went);
        Arc::new(move || *went.lock().unwrap().entry(body()).or_default() += 1)
    };
    let mut done = 0;
    let mut seed = first;
    while done < count {
        let even = run(RandomScheduler::new_from_seed(seed, BLOCK / 2), &body);
        let led =
            even.and_then(|()| run(PctScheduler::new_from_seed(seed, CHANGES, BLOCK / 2), &body));
        if let Err(failure) = led {
            println!("{what}: again with {SEED}={seed} {SCHEDULES}={BLOCK}");
            resume_unwind(failure);
        }
        done += BLOCK;
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    }
    // What a seed brings again is the schedule: nothing else may decide anything.
    let again = RandomScheduler::new_from_seed(first, BLOCK / 20);
    let same = run(UncontrolledNondeterminismCheckScheduler::new(again), &body);
    assert!(same.is_ok(), "{what}: a seed does not bring the same schedule again");
    let went = went.lock().unwrap();
    println!("explored: {what}: {done} schedules from {SEED}={first}: {went:?}");
    if done >= USUAL {
        assert_eq!(went.keys().copied().collect::<Vec<_>>(), ways, "{what}: ways that were seen");
    }
}

fn run(
    scheduler: impl Scheduler + 'static,
    body: &Arc<impl Fn() + Send + Sync + 'static>,
) -> std::thread::Result<()> {
    let body = Arc::clone(body);
    let runner = Runner::new(scheduler, config());
    catch_unwind(AssertUnwindSafe(|| runner.run(move || body()))).map(|_| ())
}
