//! Files that are damaged: refused and left as they were, or usable; never silently empty.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod operations_support;

use std::sync::Arc;

use operations_support::chance::{Chance, seed};
use operations_support::compare::Look;
use operations_support::kit::{
    close, reserve, reserve_with, times, together, update, walk, wanted,
};
use operations_support::model::Model;
use operations_support::workload::{bounds, workload};
use tenure::error::Reason;
use tenure::operations::Bounds;
use tenure::operations::journal::open::{Wanted, on_disk_by};
use tenure::operations::journal::{Call, JournalHandle, Key, Reply};
use tenure::store::Sizes;
use tenure::store::disk::MemoryDisk;

const PAGE: usize = 4_096;

const LOOK: Look<'_> = Look { scopes: &["s", "t", "u"], ids: &["a", "b", "c", "d", "e"], turn: 7 };

/// A journal that has been used: as an orderly end leaves it, and as a crash does. And its model.
fn used(sizes: Sizes) -> ([Vec<u8>; 2], Model) {
    let disk = Arc::new(MemoryDisk::default());
    let handle = open(disk.clone(), sizes).unwrap();
    let mut model = Model::new(roomy());
    for calls in workload() {
        calls.iter().for_each(|call| drop(model.call(call)));
        together(handle.journal().unwrap(), calls);
    }
    let crashed = disk.image();
    close(&handle);
    ([disk.image(), crashed], model)
}

fn roomy() -> Bounds {
    Bounds { max_reservations: 100, ..bounds() }
}

fn open(disk: Arc<MemoryDisk>, sizes: Sizes) -> Result<JournalHandle, Reason> {
    let opened = on_disk_by(disk, sizes, &wanted(roomy()));
    opened.map(JournalHandle::of).map_err(|refused| refused.reason)
}

/// Opens an image. One that is refused is left as it was; one that is opened can be used.
fn meet(image: &[u8], sizes: Sizes, model: &Model, crashed: bool, place: &str) -> bool {
    let disk = Arc::new(MemoryDisk::from(image.to_vec()));
    let handle = match open(disk.clone(), sizes) {
        Ok(handle) => handle,
        Err(reason) => {
            let refused = [Reason::JournalCorrupt, Reason::JournalVersion].contains(&reason);
            assert!(refused, "{place}: {reason:?}");
            assert!(disk.image() == image, "{place}: changed");
            return false;
        }
    };
    let journal = handle.journal().unwrap();
    let problems = journal.verify();
    if sizes.verified > 0 {
        assert_eq!(problems, Ok(Vec::new()), "{place}");
        let mut model = model.clone();
        model.reopen(roomy());
        // The latest commit of a crashed one may look like one that never came to its end.
        assert!(crashed || LOOK.at(journal) == LOOK.wanted(&model, "ok"), "{place}");
        assert!(!walk(journal, "s").is_empty(), "{place}: silently empty");
        let created = journal.call(reserve("new", "n", 1));
        assert!(matches!(created, Ok(Reply::Reserved(true, _))), "{place}: {created:?}");
    } else {
        // Without a look at every page, what is damaged is met when it is used.
        for scope in LOOK.scopes {
            for id in walk(journal, scope) {
                drop(journal.status(scope, &id));
            }
        }
        match journal.call(reserve("new", "n", 1)) {
            Ok(reply) => assert!(matches!(reply, Reply::Reserved(true, _)), "{place}: {reply:?}"),
            Err(refused) => assert_eq!(refused.reason, Reason::JournalIo, "{place}"),
        }
    }
    close(&handle);
    true
}

/// Opens an image to read only. It is left as it was, whatever is found there and done with it.
fn look(image: &[u8], sizes: Sizes, place: &str) {
    let disk = Arc::new(MemoryDisk::from(image.to_vec()));
    let wanted = Wanted { read_only: true, ..wanted(roomy()) };
    match on_disk_by(disk.clone(), sizes, &wanted) {
        Err(refused) => {
            let reasons = [Reason::JournalCorrupt, Reason::JournalVersion];
            assert!(reasons.contains(&refused.reason), "{place}: {refused}");
        }
        Ok(journal) => {
            let handle = JournalHandle::of(journal);
            let journal = handle.journal().unwrap();
            let problems = journal.verify();
            assert!(sizes.verified == 0 || problems == Ok(Vec::new()), "{place}");
            for scope in LOOK.scopes {
                walk(journal, scope).iter().for_each(|id| drop(journal.status(scope, id)));
            }
            let created = journal.call(reserve("new", "n", 1));
            assert_eq!(created.map_err(|refused| refused.reason), Err(Reason::Authority));
            let export = handle.export(None).unwrap();
            let mut end = String::new();
            let ended = loop {
                match export.next() {
                    Ok(Some(lines)) => end = lines,
                    Ok(None) => break Ok(()),
                    Err(refused) => break Err(refused.reason),
                }
            };
            let whole = end.lines().last().is_some_and(|line| line.contains(r#""type":"end""#));
            assert!((ended == Ok(())) == whole, "{place}: {ended:?}");
            assert!(sizes.verified == 0 || whole, "{place}");
            close(&handle);
        }
    }
    assert!(disk.image() == image, "{place}: changed by who only read it");
}

fn damaged(chance: &mut Chance, image: &[u8]) -> Vec<u8> {
    let mut image = image.to_vec();
    let length = image.len() as u64;
    let start = chance.below(length) as usize;
    let end = (start + chance.below(9_000) as usize).min(image.len());
    match chance.below(8) {
        // Half of the flips are where a mistake costs most: at the beginning.
        0 | 1 => image[chance.below(512) as usize] ^= 1 << chance.below(8),
        2 | 3 => image[start] ^= 1 << chance.below(8),
        4 | 5 => image.truncate(start),
        6 => image[start..end].iter_mut().for_each(|byte| *byte = chance.next() as u8),
        _ => {
            let from = chance.below(length - (end - start) as u64) as usize;
            image.copy_within(from..from + (end - start), start);
        }
    }
    image
}

fn many(sizes: Sizes, count: u64) {
    let seed = seed();
    let mut chance = Chance::new(seed);
    let (images, model) = used(sizes);
    let mut opened = 0;
    for number in 0..count {
        let crashed = number % 2 == 1;
        let image = damaged(&mut chance, &images[usize::from(crashed)]);
        let place = format!("TENURE_SEED={seed}, number {number}");
        if !image.is_empty() {
            look(&image, sizes, &place);
        }
        opened += u64::from(!image.is_empty() && meet(&image, sizes, &model, crashed, &place));
    }
    assert!((1..count).contains(&opened), "some are opened and some refused: {opened} of {count}");
}

#[test]
fn a_damaged_file_is_refused_as_it_is_or_has_everything() {
    many(Sizes::default(), times(1_000, 50_000));
}

#[test]
fn a_damaged_file_that_was_not_looked_through_harms_nobody_but_those_who_need_what_is_damaged() {
    many(Sizes { verified: 0, ..Sizes::default() }, times(300, 50_000));
    // A crash leaves such a file as an orderly end does: nothing is read whole then either.
    many(Sizes { verified: 0, quick_repair: 0 }, times(300, 50_000));
}

/// Trees that lead back to themselves, keys in any order, lists of free pages that are none.
#[test]
fn a_page_in_the_place_of_any_other_ends_nothing_but_the_calls_that_need_it() {
    let sizes = Sizes { verified: 0, ..Sizes::default() };
    let (images, model) = used(sizes);
    let image = &images[0];
    let pages = || (1..image.len() / PAGE).map(|page| page * PAGE..(page + 1) * PAGE);
    let (mut tried, mut opened) = (0, 0);
    for from in pages() {
        for to in pages() {
            if image[from.clone()] == image[to.clone()] {
                continue;
            }
            let mut image = image.clone();
            image.copy_within(from.clone(), to.start);
            let place = format!("{} in the place of {}", from.start / PAGE, to.start / PAGE);
            look(&image, sizes, &place);
            tried += 1;
            opened += u64::from(meet(&image, sizes, &model, false, &place));
        }
    }
    assert!((1..tried).contains(&opened), "some are opened and some refused: {opened} of {tried}");
}

#[test]
fn what_the_database_counts_of_a_table_is_not_taken_for_what_is_there() {
    let sizes = Sizes { verified: 0, ..Sizes::default() };
    let (images, model) = used(sizes);
    let image = &images[0];
    let mut opened = 0;
    let pages = (1..image.len() / PAGE).map(|page| page * PAGE);
    for page in pages.filter(|page| holds(&image[*page..page + PAGE], b"journal.fence")) {
        for place in page..page + 600 {
            let mut image = image.clone();
            image[place..place + 8].fill(0x7f);
            let place = format!("byte {} of page {}", place - page, page / PAGE);
            opened += u64::from(meet(&image, sizes, &model, false, &place));
        }
    }
    assert!(opened > 0);
}

fn holds(page: &[u8], sought: &[u8]) -> bool {
    page.windows(sought.len()).any(|found| found == sought)
}

#[test]
fn what_reads_a_table_ends_at_the_first_key_that_is_out_of_order() {
    let sizes = Sizes { verified: 0, ..Sizes::default() };
    let disk = Arc::new(MemoryDisk::default());
    let handle = open(disk.clone(), sizes).unwrap();
    for id in ["a", "b", "c", "d"] {
        handle.journal().unwrap().call(reserve(id, "s", 1)).unwrap();
    }
    // Of the last row's values, so that there are more of them than rows.
    handle.journal().unwrap().call(Call::Begin { key: Key::new("s", "d"), now: 2 }).unwrap();
    let done = r#"{"state":"succeeded","result":{"x":1}}"#;
    handle.journal().unwrap().call(update("d", "s", done, 2)).unwrap();
    close(&handle);
    let image = disk.image();
    let keys = |count: u64| (1..=count).flat_map(u64::to_le_bytes).collect::<Vec<u8>>();
    let swapped = |sought: &[u8]| {
        let mut image = image.clone();
        let places: Vec<usize> = (0..image.len() - sought.len())
            .filter(|place| image[*place..].starts_with(sought))
            .collect();
        assert!(!places.is_empty());
        // The key before the last is the greatest now: what comes after the last is, too.
        for place in places {
            image[place + sought.len() - 16..][..8].copy_from_slice(&99_u64.to_le_bytes());
        }
        image
    };

    let handle = open(Arc::new(MemoryDisk::from(swapped(&keys(5)))), sizes).unwrap();
    let problems = handle.journal().unwrap().verify().unwrap();
    let told = "the table journal.values cannot be read to its end";
    assert!(problems.iter().any(|problem| problem.message == told), "{problems:?}");
    close(&handle);

    let rows = swapped(&keys(4));
    assert_eq!(open(Arc::new(MemoryDisk::from(rows)), sizes).err(), Some(Reason::JournalCorrupt));
}

#[test]
fn a_file_that_ends_early_is_refused_wherever_it_ends() {
    let (images, model) = used(Sizes::default());
    for (image, crashed) in images.iter().zip([false, true]) {
        let sectors = 1..image.len() / 512;
        for length in sectors.map(|sector| sector * 512).chain(1..40) {
            let place = format!("{length} of {} bytes", image.len());
            let opened = meet(&image[..length], Sizes::default(), &model, false, &place);
            // A crash may leave an end that nothing was written to, and that is not missed.
            assert!(!opened || crashed, "{place}");
        }
    }
}

#[test]
fn a_page_that_cannot_be_read_fails_the_call_that_needs_it_and_no_other_of_its_batch() {
    let sizes = Sizes { verified: 0, ..Sizes::default() };
    let disk = Arc::new(MemoryDisk::default());
    let handle = open(disk.clone(), sizes).unwrap();
    let input = |number: u64| format!("{{\"text\":\"{number:0>700}\"}}");
    let ids: Vec<String> = (0..90).map(|number| format!("n{number}")).collect();
    for (number, id) in ids.iter().enumerate() {
        let call = reserve_with(id, id, &input(number as u64), 1);
        assert!(handle.journal().unwrap().call(call).is_ok());
    }
    close(&handle);
    let mut image = disk.image();
    let sought = input(40);
    let place = image.windows(sought.len()).position(|found| found == sought.as_bytes()).unwrap();
    let page = place - place % PAGE;
    image[page..page + PAGE].fill(0);
    let disk = Arc::new(MemoryDisk::from(image));
    let handle = open(disk, sizes).unwrap();
    let journal = handle.journal().unwrap();
    for _ in 0..3 {
        let begin = |id: &str| Call::Begin { key: Key::new(id, id), now: 2 };
        let answers = together(journal, vec![begin("n1"), begin("n40"), reserve("new", "n", 1)]);
        assert!(answers[0].is_ok() && answers[2].is_ok(), "{answers:?}");
        assert_eq!(answers[1].as_ref().unwrap_err().reason, Reason::JournalIo);
        assert!(journal.status("n2", "n2").unwrap().is_some());
        assert_eq!(journal.payload("n40", "n40").unwrap_err().reason, Reason::JournalIo);
        assert!(!journal.page("n40", 0, None).is_empty());
        let problems = journal.verify().unwrap();
        let told = "the table journal.values cannot be read to its end";
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].message, told);
    }
    close(&handle);
}

#[test]
fn a_file_of_a_newer_database_is_told_from_a_damaged_one() {
    let ([image, _], _) = used(Sizes::default());
    // Of the two commit slots, the version of the database's own format.
    for (version, reason) in [(4, Reason::JournalVersion), (2, Reason::JournalCorrupt)] {
        let mut image = image.clone();
        assert_eq!((image[64], image[192]), (3, 3));
        (image[64], image[192]) = (version, version);
        let disk = Arc::new(MemoryDisk::from(image.clone()));
        assert_eq!(open(disk.clone(), Sizes::default()).err(), Some(reason));
        assert!(disk.image() == image);
    }
}
