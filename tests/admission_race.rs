//! Eight threads want overlapping sets of keys, all at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tenure::admission::{Refusal, Registration, Registry};
use tenure::text::Text;

const THREADS: u64 = 8;
const ROUNDS: u64 = 100_000;
const KEYS: usize = 12;

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    admitted: u64,
    busy: u64,
    /// Anything that must not happen.
    faults: Vec<String>,
}

/// Numbers that look random and are the same in every run of a thread.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % bound as u64).unwrap_or(0)
    }
}

struct Contest {
    registry: Registry,
    keys: Vec<Text>,
    /// Which thread holds each key, written by the holder alone while it holds it.
    held_by: [AtomicU64; KEYS],
    start: Barrier,
}

fn registration(thread: u64) -> Registration {
    Registration {
        operation_id: Text::from(thread.to_string().as_str()),
        owner_id: "racer".into(),
        session_id: None,
    }
}

fn race(contest: &Contest, thread: u64) -> Tally {
    let mine = registration(thread);
    let mut numbers = Numbers(thread.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut tally = Tally::default();
    contest.start.wait();
    for _ in 0..ROUNDS {
        let wanted: Vec<usize> = (0..=numbers.below(4)).map(|_| numbers.below(KEYS)).collect();
        let keys: Vec<Text> = wanted.iter().map(|key| contest.keys[*key].clone()).collect();
        match contest.registry.reserve(1, mine.clone(), keys.clone()) {
            Ok(lease) => {
                tally.admitted += 1;
                hold(contest, thread, &wanted, &mut tally);
                if !contest.registry.release(lease) {
                    tally.faults.push("a lease that was held did not release".to_owned());
                }
            }
            Err(Refusal::Busy { holder, key }) => {
                tally.busy += 1;
                // This thread holds nothing now: it can only be in its own way if an earlier
                // refusal left a key behind.
                if holder == mine || !keys.contains(&key) {
                    tally.faults.push(format!("{thread} was refused {key} by {holder:?}"));
                }
            }
            Err(refusal) => tally.faults.push(refusal.to_string()),
        }
    }
    tally
}

fn hold(contest: &Contest, thread: u64, wanted: &[usize], tally: &mut Tally) {
    let mut mine = wanted.to_vec();
    mine.sort_unstable();
    mine.dedup();
    for key in &mine {
        let before = contest.held_by[*key].swap(thread, Ordering::SeqCst);
        if before != 0 {
            tally.faults.push(format!("{thread} and {before} hold key {key}"));
        }
    }
    for (turn, key) in mine.iter().enumerate() {
        if turn == 0 {
            thread::yield_now();
        }
        let after = contest.held_by[*key].swap(0, Ordering::SeqCst);
        if after != thread {
            tally.faults.push(format!("{thread} lost key {key} to {after}"));
        }
    }
}

#[test]
fn a_set_of_keys_is_taken_as_a_whole_or_not_at_all_and_no_key_has_two_holders() {
    let contest = Contest {
        registry: Registry::new(),
        keys: (0..KEYS).map(|key| Text::from(format!("key {key}").as_str())).collect(),
        held_by: std::array::from_fn(|_| AtomicU64::new(0)),
        start: Barrier::new(8),
    };
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let contest = &contest;
        let racers: Vec<_> =
            (1..=THREADS).map(|thread| scope.spawn(move || race(contest, thread))).collect();
        racers.into_iter().filter_map(|racer| racer.join().ok()).collect()
    });
    assert_eq!(tallies.len(), 8);
    for tally in &tallies {
        assert_eq!(tally.faults, [""; 0]);
        assert_eq!(tally.admitted + tally.busy, ROUNDS);
        assert!(tally.admitted > 0);
    }
    assert!(tallies.iter().map(|tally| tally.busy).sum::<u64>() > 0, "nobody met anybody");
    assert!(contest.registry.is_empty());
    // Every key is free again.
    assert!(contest.registry.reserve(1, registration(0), contest.keys.clone()).is_ok());
}

#[test]
fn of_all_who_register_one_operation_id_at_once_exactly_one_succeeds() {
    for _ in 0..1_000 {
        let registry = Registry::new();
        let start = Barrier::new(4);
        let outcomes: Vec<_> = thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|member| {
                    let (registry, start) = (&registry, &start);
                    scope.spawn(move || {
                        start.wait();
                        registry.reserve(member, registration(1), Vec::new())
                    })
                })
                .collect();
            racers.into_iter().filter_map(|racer| racer.join().ok()).collect()
        });
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Ok(1)).count(), 1);
        let refused = outcomes.iter().filter(|outcome| **outcome == Err(Refusal::Duplicate));
        assert_eq!(refused.count(), 3);
        assert_eq!(registry.len(), 1);
    }
}
