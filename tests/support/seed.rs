//! Where the randomness of a run comes from, and how to have it again.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Set it to the number a failure prints, to see that failure again.
const SEED: &str = "TENURE_SEED";

/// The seed of this run, told to whoever reads the test's output.
#[allow(clippy::print_stdout, reason = "the seed is for whoever reads the test's output")]
pub fn seed() -> u64 {
    let given = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| RandomState::new().hash_one(0));
    println!("{SEED}={seed}");
    seed
}

/// A runner of so many cases, all of them drawn from the seed.
pub fn runner(seed: u64, cases: u32) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 4_000,
        // Milliseconds: a long sequence is shrunk for as long as one has patience.
        max_shrink_time: 60_000,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}
