//! The hot paths of the core against a rival that keeps the same facts in maps by string, each pair in
//! one run. `cargo bench` prints the times, and at the end how the two compare.

#![allow(missing_docs, reason = "a benchmark has no readers but its own")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it panics and prints by design")]

mod rival;

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::{Measurement, WallTime};
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group};
use rival::{Admission, Maps};
use tenure::admission::{Registration, Registry};
use tenure::ownership::{ClaimEvent, ClaimRef, Name, Realm, Slot, Stopped};
use tenure::text::Text;

thread_local! {
    /// Nanoseconds of one round: row, whose, every sample.
    static SAMPLES: RefCell<Vec<(String, &'static str, Vec<f64>)>> = RefCell::default();
}

const SESSION: &str = "5f0c9a52-7f2e-4f0e-9d59-0d5b7b2f3b11";

/// Times a round, and keeps what it took for the comparison.
fn row<R>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    whose: &'static str,
    mut round: impl FnMut() -> R,
) {
    let mut samples = Vec::new();
    group.bench_function(BenchmarkId::new(whose, name), |bencher| {
        bencher.iter_custom(|rounds| {
            let start = WallTime.start();
            for _ in 0..rounds {
                black_box(round());
            }
            let time: Duration = WallTime.end(start);
            samples.push(time.as_nanos() as f64 / rounds as f64);
            time
        });
    });
    SAMPLES.with_borrow_mut(|all| all.push((name.to_owned(), whose, samples)));
}

fn realm() -> (Realm, u32) {
    let mut realm = Realm::default();
    let core = realm.open_core(None, None);
    (realm, core)
}

fn release(realm: &mut Realm, claim: Slot) -> bool {
    realm.claim_move(claim, ClaimEvent::Release, None).unwrap().is_some()
}

fn claims(c: &mut Criterion) {
    let mut group = c.benchmark_group("claims");
    let id = Text::from(SESSION);

    let (mut core, number) = realm();
    let entry = core.open(number, &id).unwrap();
    row(&mut group, "claim, release", "tenure", || {
        let claim = core.claim(entry).unwrap();
        release(&mut core, claim)
    });
    let mut maps = Maps::default();
    row(&mut group, "claim, release", "maps", || {
        let claim = maps.claim(SESSION).unwrap();
        maps.release(SESSION, claim)
    });

    row(&mut group, "claim, release, by id", "tenure", || {
        let entry = core.open(number, &id).unwrap();
        let claim = core.claim(entry).unwrap();
        release(&mut core, claim)
    });
    row(&mut group, "claim, release, by id", "maps", || {
        let claim = maps.claim(SESSION).unwrap();
        maps.release(SESSION, claim)
    });

    // A claim among a thousand that are held.
    let held: Vec<Slot> = (0..1_000).map(|_| core.claim(entry).unwrap()).collect();
    row(&mut group, "claim, release, others held", "tenure", || {
        let claim = core.claim(entry).unwrap();
        release(&mut core, claim)
    });
    for claim in held {
        release(&mut core, claim);
    }
    for _ in 0..1_000 {
        maps.claim(SESSION);
    }
    row(&mut group, "claim, release, others held", "maps", || {
        let claim = maps.claim(SESSION).unwrap();
        maps.release(SESSION, claim)
    });
    group.finish();
}

/// Numbers that visit the sessions in no order that a cache could guess.
fn scattered(count: usize) -> impl FnMut() -> usize {
    let mut state = 0x9e37_79b9_usize;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % count
    }
}

fn look_ups(c: &mut Criterion) {
    let mut group = c.benchmark_group("look-ups");
    for count in [1_usize, 1_000, 100_000] {
        let name = format!("run for turn, {count} sessions");
        let ids: Vec<String> = (0..count).map(|n| format!("{SESSION}-{n}")).collect();
        let texts: Vec<Text> = ids.iter().map(|id| Text::from(id.as_str())).collect();
        let turn = Text::from("turn-1");

        let (mut core, number) = realm();
        for id in &texts {
            let entry = core.open(number, id).unwrap();
            let claim = core.claim(entry).unwrap();
            core.attach(claim, Text::from("run-1"), turn.clone(), None).unwrap();
            let made = core.create_generation(entry, ClaimRef::Live(claim), None).unwrap();
            core.reserve(claim, Some(made.0)).unwrap();
        }
        let mut next = scattered(count);
        row(&mut group, &name, "tenure", || {
            let entry = core.open(number, &texts[next()]).unwrap();
            core.run_on_route(entry, None, &turn, true).unwrap().unwrap()
        });

        let mut maps = Maps::default();
        for id in &ids {
            maps.register(id, "turn-1");
        }
        let mut next = scattered(count);
        row(&mut group, &name, "maps", || maps.run_for_turn(&ids[next()], "turn-1").unwrap());
    }
    group.finish();
}

fn steering(c: &mut Criterion) {
    let mut group = c.benchmark_group("steering");
    let text = "x".repeat(2_048);
    for depth in [1_usize, 10] {
        let name = format!("steer, pull, ack, depth {depth}");
        let (mut core, number) = realm();
        let entry = core.open(number, &Text::from(SESSION)).unwrap();
        let turn = core.open_turn(entry, Text::from("turn-1"), false).unwrap();
        // The words stay where they were typed: memoised by slot, as the face keeps them.
        let mut words: Vec<Option<String>> = Vec::new();
        row(&mut group, &name, "tenure", || {
            for _ in 0..depth {
                let slot = core.queue(entry, None, false).unwrap().unwrap() as usize;
                if words.len() <= slot {
                    words.resize(slot + 1, None);
                }
                words[slot] = Some(text.clone());
            }
            let pulled = core.pull(turn).unwrap().slots;
            let names: Vec<Name<'_>> = pulled.iter().map(|slot| Name::Slot(*slot)).collect();
            core.settle_leases(turn, &names, true).unwrap();
            pulled.iter().for_each(|slot| words[*slot as usize] = None);
            core.effects.clear();
        });

        let mut maps = Maps::default();
        maps.open_turn(SESSION, "turn-1");
        row(&mut group, &name, "maps", || {
            for _ in 0..depth {
                maps.steer(SESSION, &text);
            }
            let pulled = maps.pull(SESSION, "turn-1");
            maps.ack(SESSION, "turn-1", &pulled);
        });
    }
    group.finish();
}

fn stops(c: &mut Criterion) {
    let mut group = c.benchmark_group("stops");
    for count in [1_usize, 10, 1_000] {
        let name = format!("stop of {count} claims");
        let (mut core, number) = realm();
        let entry = core.open(number, &Text::from(SESSION)).unwrap();
        let run = Text::from("run-1");
        row(&mut group, &name, "tenure", || {
            let claims: Vec<Slot> = (0..count).map(|_| core.claim(entry).unwrap()).collect();
            for claim in &claims {
                core.attach(*claim, run.clone(), run.clone(), None).unwrap();
            }
            let Stopped::Started(view) = core.stop(entry, None).unwrap() else { return };
            let captured = core.captured(view).unwrap();
            core.attempt_abort(view, 0, captured.len() as u32, true).unwrap();
            core.attempt_settled(view, true, None).unwrap();
            for claim in &claims {
                core.claim_move(*claim, ClaimEvent::Finalize(true), None).unwrap();
            }
            core.effects.clear();
        });

        let mut maps = Maps::default();
        row(&mut group, &name, "maps", || {
            let claims: Vec<u64> = (0..count).map(|_| maps.claim(SESSION).unwrap()).collect();
            for claim in &claims {
                maps.attach(SESSION, *claim, "run-1");
            }
            black_box(maps.stop(SESSION));
            maps.lift(SESSION);
            for claim in &claims {
                maps.release(SESSION, *claim);
            }
        });
    }
    group.finish();
}

fn admission(c: &mut Criterion) {
    let mut group = c.benchmark_group("admission");
    let registry = Registry::new();
    let (operation, owner) = (Text::from("operation-1"), Text::from("owner-1"));
    let keys = [Text::from("session:1"), Text::from("continuation:1")];
    row(&mut group, "reserve, release", "tenure", || {
        let registration = Registration {
            operation_id: operation.clone(),
            owner_id: owner.clone(),
            session_id: None,
        };
        let lease = registry.reserve(1, registration, keys.to_vec()).unwrap();
        registry.release(lease)
    });
    let mut maps = Admission::default();
    row(&mut group, "reserve, release", "maps", || {
        let admitted = maps.reserve("operation-1", "owner-1", &["session:1", "continuation:1"]);
        admitted && maps.release("operation-1")
    });
    group.finish();
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

fn compare() {
    println!("{:<36} {:>12} {:>12} {:>8}", "ns a round, medians", "tenure", "maps", "ratio");
    SAMPLES.with_borrow_mut(|all| {
        for pair in all.chunks_mut(2) {
            if let [(name, _, ours), (_, _, theirs)] = pair {
                let (ours, theirs) = (median(ours), median(theirs));
                println!("{name:<36} {ours:>12.1} {theirs:>12.1} {:>7.2}x", ours / theirs);
            }
        }
    });
}

fn short() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .configure_from_args()
}

criterion_group!(name = rows; config = short(); targets = claims, look_ups, steering, stops, admission);

fn main() {
    rows();
    compare();
}
