//! Any sequence of calls to a limiter does what a naive model of it does.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::prop_oneof;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use tenure::permits::{Acquired, Limiter};

/// Set it to the number a failure prints, to see that failure again.
const SEED: &str = "TENURE_SEED";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Acquire,
    /// The ticket at this place among all that were ever given out.
    Leave(usize),
    Release,
    Grant(usize),
    /// As the face hands a place on: to the first who still wants it.
    HandOn {
        passed_over: usize,
    },
    Close,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        8 => proptest::strategy::Just(Call::Acquire),
        3 => any::<usize>().prop_map(Call::Leave),
        5 => proptest::strategy::Just(Call::Release),
        2 => any::<usize>().prop_map(Call::Grant),
        5 => (0_usize..3).prop_map(|passed_over| Call::HandOn { passed_over }),
        1 => proptest::strategy::Just(Call::Close),
    ]
}

/// One queue and two numbers.
struct Model {
    capacity: u64,
    active: u64,
    queue: VecDeque<u64>,
    closed: bool,
}

impl Model {
    fn next(&self) -> Option<u64> {
        if self.active < self.capacity { self.queue.front().copied() } else { None }
    }

    fn leave(&mut self, ticket: u64) -> bool {
        let before = self.queue.len();
        self.queue.retain(|waiting| *waiting != ticket);
        self.queue.len() < before
    }

    fn grant(&mut self, ticket: u64) -> bool {
        let next = self.next() == Some(ticket);
        if next {
            self.queue.pop_front();
            self.active += 1;
        }
        next
    }
}

fn compare(capacity: u64, calls: &[Call]) -> Result<(), TestCaseError> {
    let mut limiter = Limiter::new(capacity);
    let mut model = Model { capacity, active: 0, queue: VecDeque::new(), closed: false };
    let mut given: Vec<u64> = vec![0];
    for call in calls {
        match *call {
            Call::Acquire => match limiter.acquire() {
                Acquired::Granted => {
                    prop_assert!(!model.closed && model.queue.is_empty());
                    prop_assert!(model.active < capacity);
                    model.active += 1;
                }
                Acquired::Waiting(ticket) => {
                    prop_assert!(!model.closed);
                    prop_assert!(model.active == capacity || !model.queue.is_empty());
                    prop_assert!(!given.contains(&ticket));
                    given.push(ticket);
                    model.queue.push_back(ticket);
                }
                Acquired::Closed => prop_assert!(model.closed),
            },
            Call::Leave(at) => {
                let ticket = given[at % given.len()];
                prop_assert_eq!(limiter.leave(ticket), model.leave(ticket));
            }
            Call::Release => {
                prop_assert_eq!(limiter.release(), model.active > 0);
                model.active = model.active.saturating_sub(1);
            }
            Call::Grant(at) => {
                let ticket = given[at % given.len()];
                prop_assert_eq!(limiter.grant(ticket), model.grant(ticket));
            }
            Call::HandOn { passed_over } => {
                for _ in 0..passed_over {
                    let Some(ticket) = limiter.next_waiting() else {
                        break;
                    };
                    prop_assert!(limiter.leave(ticket));
                    prop_assert!(model.leave(ticket));
                }
                while let Some(ticket) = limiter.next_waiting() {
                    prop_assert!(limiter.grant(ticket));
                    prop_assert!(model.grant(ticket));
                }
                prop_assert!(model.active == capacity || model.queue.is_empty());
            }
            Call::Close => {
                prop_assert_eq!(limiter.close(), Vec::from(std::mem::take(&mut model.queue)));
                model.closed = true;
            }
        }
        prop_assert_eq!(limiter.active(), model.active);
        prop_assert_eq!(limiter.waiting(), model.queue.len());
        prop_assert_eq!(limiter.next_waiting(), model.next());
        prop_assert_eq!(limiter.capacity(), capacity);
        prop_assert!(limiter.active() <= capacity);
    }
    Ok(())
}

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases: 4_000, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

#[test]
#[allow(clippy::print_stdout, reason = "the seed is for whoever reads the test's output")]
fn any_sequence_of_calls_does_what_the_model_does() {
    let given = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = given.unwrap_or_else(|| RandomState::new().hash_one(0));
    println!("{SEED}={seed}");
    let sequences = (1_u64..5, vec(call(), 1..80));
    let outcome = runner(seed).run(&sequences, |(capacity, calls)| compare(capacity, &calls));
    assert_eq!(outcome, Ok(()), "{SEED}={seed}");
}
