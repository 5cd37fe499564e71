//! A crash at every sync: what the disk may hold then is a journal, and nothing acknowledged is lost.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::sync::Arc;

use operations_support::chance::{Chance, seed};
use operations_support::compare::{Look, agree};
use operations_support::kit::{close, compact, reserve, times, together, wanted};
use operations_support::model::Model;
use operations_support::recorder::{Fate, Recorder};
use operations_support::workload::{HOLDER, bounds, workload};
use tenure::operations::journal::open::{Wanted, on_disk_by};
use tenure::operations::journal::{Call, JournalHandle};
use tenure::store::disk::MemoryDisk;
use tenure::store::{Disk, Durability, Sizes};

const LOOK: Look<'_> = Look { scopes: &["s", "t", "u"], ids: &["a", "b", "c", "d", "e"], turn: 7 };

fn begin(disk: Arc<dyn Disk>, sizes: Sizes, durability: Durability) -> JournalHandle {
    let wanted = Wanted { durability: Some(durability), ..wanted(bounds()) };
    JournalHandle::of(on_disk_by(disk, sizes, &wanted).unwrap())
}

/// Runs the workload, and gives the disk and the model after each of its commits.
fn record(sizes: Sizes, durability: Durability) -> (Arc<Recorder>, Vec<Model>) {
    let empty = Arc::new(MemoryDisk::default());
    close(&begin(empty.clone(), sizes, durability));
    let disk = Recorder::over(empty.image());
    let handle = begin(disk.clone(), sizes, durability);
    let mut models = vec![Model::new(bounds())];
    for calls in workload() {
        let answers = together(handle.journal().unwrap(), calls.clone());
        disk.mark();
        let mut model = models[models.len() - 1].clone();
        for (call, answer) in calls.iter().zip(answers) {
            assert_eq!(model.call(call).is_ok(), answer.is_ok());
        }
        models.push(model);
    }
    close(&handle);
    (disk, models)
}

/// Which of the models this image is; none if it is none of them.
fn found(image: Vec<u8>, sizes: Sizes, models: &[Model]) -> Option<usize> {
    let disk = Arc::new(MemoryDisk::from(image));
    let handle = begin(disk.clone(), sizes, Durability::Immediate);
    let journal = handle.journal().unwrap();
    assert_eq!(journal.verify(), Ok(Vec::new()));
    let seen = LOOK.at(journal);
    // Pairs that were handed out are handed out again, and no id is created twice.
    let mut calls = vec![Call::Drain { holder: HOLDER }];
    calls.extend(LOOK.ids.iter().map(|id| reserve(id, "s", 1_000)));
    let answers = together(journal, calls.clone());
    // The latest: some calls change nothing that can be seen.
    models.iter().rposition(|model| {
        let mut model = model.clone();
        model.reopen(bounds());
        LOOK.wanted(&model, "ok") == seen
            && calls.iter().zip(&answers).all(|(call, answer)| agree(&model.call(call), answer))
    })
}

/// The latest model that cannot be told from this one after a crash.
fn latest(models: &[Model], number: usize) -> usize {
    let same = |other: &Model| {
        LOOK.wanted(other, "") == LOOK.wanted(&models[number], "")
            && other.left == models[number].left
    };
    models.iter().rposition(same).unwrap_or(number)
}

fn at_every_sync(sizes: Sizes) {
    let seed = seed();
    let mut chance = Chance::new(seed);
    let (disk, models) = record(sizes, Durability::Immediate);
    let crashes = disk.crashes();
    assert!(crashes.len() > workload().len(), "{} crashes", crashes.len());
    for crash in &crashes {
        for fate in Fate::ALL {
            let random = !matches!(fate, Fate::Dropped | Fate::Kept);
            for _ in 0..if random { times(1, 200) } else { 1 } {
                let image = crash.image(fate, &mut chance);
                let place = format!("TENURE_SEED={seed}, {fate:?} after {} syncs", crash.syncs);
                let Some(found) = found(image, sizes, &models) else {
                    panic!("{place}: nothing known")
                };
                // What was on its way may have arrived.
                let next = latest(&models, (crash.marks + 1).min(models.len() - 1));
                assert!((crash.marks..=next).contains(&found), "{place}: {found}");
            }
        }
    }
}

#[test]
fn a_crash_at_any_sync_loses_nothing_acknowledged_and_leaves_nothing_half_written() {
    at_every_sync(Sizes::default());
}

#[test]
fn nor_where_every_commit_saves_which_pages_are_free() {
    at_every_sync(Sizes { verified: 0, quick_repair: 0 });
}

#[test]
fn a_crash_of_an_eventual_journal_loses_the_latest_calls_and_never_one_without_all_later_ones() {
    let seed = seed();
    let mut chance = Chance::new(seed);
    let sizes = Sizes::default();
    let (disk, models) = record(sizes, Durability::Eventual);
    let mut sure = 0;
    for crash in disk.crashes() {
        for fate in Fate::ALL {
            let image = crash.image(fate, &mut chance);
            let place = format!("TENURE_SEED={seed}, {fate:?} after {} syncs", crash.syncs);
            let Some(found) = found(image, sizes, &models) else {
                panic!("{place}: nothing known")
            };
            assert!(found >= sure, "{place}: {found} after {sure}");
            if fate == Fate::Dropped {
                sure = found;
            }
        }
    }
    let last = found(disk.image(), sizes, &models);
    assert_eq!(last, Some(models.len() - 1), "an orderly end loses nothing");
}

#[test]
fn a_crash_while_it_is_opened_or_compacted_in_place_loses_nothing() {
    let seed = seed();
    let mut chance = Chance::new(seed);
    let sizes = Sizes::default();
    let (disk, models) = record(sizes, Durability::Immediate);
    // Rows that run are interrupted by the next opening.
    let number = 10;
    let crashed = disk.crashes().into_iter().find(|crash| crash.marks == number).unwrap();
    let disk = Recorder::over(crashed.image(Fate::Dropped, &mut chance));
    let handle = begin(disk.clone(), sizes, Durability::Immediate);
    compact(&handle).unwrap();
    close(&handle);
    let mut opened = models[number].clone();
    opened.reopen(bounds());
    let models = [models[number].clone(), opened];
    let crashes = disk.crashes();
    assert!(crashes.len() > 4, "{} crashes", crashes.len());
    for crash in crashes {
        for fate in Fate::ALL {
            let image = crash.image(fate, &mut chance);
            let place = format!("TENURE_SEED={seed}, {fate:?} after {} syncs", crash.syncs);
            assert!(found(image, sizes, &models).is_some(), "{place}");
        }
    }
}
