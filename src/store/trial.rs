//! A disk that is only tried: what is written to it is kept in memory and forgotten.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::Disk;

const PAGE: u64 = 4096;

/// Opening a database writes, a repair even much. Opened on a trial first, a file that turns out to be
/// damaged, newer or foreign is left byte for byte as it was.
#[derive(Debug)]
pub(super) struct Trial {
    under: Arc<dyn Disk>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    length: u64,
    /// Bytes of the disk below from here on were cut off once, and read as zeroes.
    visible: u64,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl Trial {
    pub(super) fn of(under: Arc<dyn Disk>) -> io::Result<Self> {
        let length = under.len()?;
        let state = State { length, visible: length, pages: BTreeMap::new() };
        Ok(Self { under, state: Mutex::new(state) })
    }

    fn page(&self, state: &State, number: u64) -> io::Result<Box<[u8]>> {
        if let Some(page) = state.pages.get(&number) {
            return Ok(page.clone());
        }
        let mut page = vec![0; PAGE as usize].into_boxed_slice();
        self.below(state, number * PAGE, &mut page)?;
        Ok(page)
    }

    /// What the disk has there, as far as it was never cut off.
    fn below(&self, state: &State, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = state.visible.saturating_sub(offset).min(out.len() as u64) as usize;
        let (seen, unseen) = out.split_at_mut(there);
        unseen.fill(0);
        if seen.is_empty() { Ok(()) } else { self.under.read(offset, seen) }
    }
}

/// The parts of a span, page by page: page, offset in it, length.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset + length as u64;
    let mut at = offset;
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let (page, within) = (at / PAGE, at % PAGE);
            let count = (PAGE - within).min(end - at);
            at += count;
            (page, within as usize, count as usize)
        })
    })
}

impl Disk for Trial {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner).length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > state.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if state.pages.is_empty() && offset + out.len() as u64 <= state.visible {
            return self.under.read(offset, out);
        }
        let mut done = 0;
        for (number, within, count) in parts(offset, out.len()) {
            let part = &mut out[done..done + count];
            match state.pages.get(&number) {
                Some(page) => part.copy_from_slice(&page[within..within + count]),
                None => self.below(&state, number * PAGE + within as u64, part)?,
            }
            done += count;
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = 0;
        for (number, within, count) in parts(offset, data.len()) {
            let mut page = self.page(&state, number)?;
            page[within..within + count].copy_from_slice(&data[done..done + count]);
            state.pages.insert(number, page);
            done += count;
        }
        state.length = state.length.max(offset + data.len() as u64);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if length < state.length {
            let last = length / PAGE;
            if let Some(page) = state.pages.get_mut(&last) {
                page[(length % PAGE) as usize..].fill(0);
            }
            state.pages.split_off(&length.div_ceil(PAGE));
        }
        state.visible = state.visible.min(length);
        state.length = length;
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::{Disk, Trial};
    use crate::store::disk::MemoryDisk;

    #[derive(Clone, Debug)]
    enum Step {
        Write(u64, Vec<u8>),
        Cut(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..20_000u64, proptest::collection::vec(any::<u8>(), 0..9000))
                .prop_map(|(at, data)| Step::Write(at, data)),
            (0..24_000u64).prop_map(Step::Cut),
        ]
    }

    proptest! {
        #[test]
        fn a_trial_reads_as_the_disk_would_and_leaves_it_as_it_was(
            start in proptest::collection::vec(any::<u8>(), 0..16_000),
            steps in proptest::collection::vec(step(), 0..12),
        ) {
            let under = Arc::new(MemoryDisk::from(start.clone()));
            let trial = Trial::of(Arc::clone(&under) as Arc<dyn Disk>).expect("a trial");
            let mut model = start.clone();
            for step in steps {
                match step {
                    Step::Write(at, data) => {
                        let end = at as usize + data.len();
                        if model.len() < end {
                            model.resize(end, 0);
                            trial.set_len(end as u64).expect("set_len");
                        }
                        model[at as usize..end].copy_from_slice(&data);
                        trial.write(at, &data).expect("write");
                    }
                    Step::Cut(length) => {
                        model.resize(length as usize, 0);
                        trial.set_len(length).expect("set_len");
                    }
                }
                let mut out = vec![1; model.len()];
                trial.read(0, &mut out).expect("read");
                prop_assert!(out == model);
            }
            prop_assert!(under.image() == start);
        }
    }
}
