//! One log: its file, and the one lock that its I/O is done under.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, TryLockError};

use super::files::{Access, Files, LogFile, Look};
use super::name::Name;
use super::record::Record;
use super::slice::{self, Cut};
use super::{LogSlice, lock};

/// A log that somebody uses, or whose file is kept open.
pub(super) struct Log {
    current: PathBuf,
    full: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    torn: Option<Torn>,
}

struct Open {
    file: Box<dyn LogFile>,
    identity: (u64, u64),
    length: u64,
}

/// A part of a line that could not be taken back yet: the file's true length.
#[derive(Clone, Copy)]
struct Torn {
    identity: (u64, u64),
    length: u64,
}

/// What an append did to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    /// The first record was dropped.
    Filled,
    None,
}

impl Log {
    pub(super) fn new(directory: &Path, name: &Name) -> Self {
        Self {
            current: name.current(directory),
            full: name.full(directory),
            state: Mutex::default(),
        }
    }

    /// Adds a record unless that makes more than `most` bytes. On an error the log is as it was.
    pub(super) fn append(
        &self,
        files: &dyn Files,
        record: &Record,
        most: u64,
    ) -> io::Result<Change> {
        let state = &mut *lock(&self.state);
        if self.find(files, state)? {
            return Ok(Change::None);
        }
        let length = state.open.as_ref().map_or(0, |open| open.length);
        let bytes = match record {
            Record::Whole(bytes) if length.saturating_add(bytes.len() as u64) <= most => bytes,
            _ => {
                self.fill(files, state)?;
                return Ok(Change::Filled);
            }
        };
        let new = state.open.is_none();
        let open = match &mut state.open {
            Some(open) => open,
            None => state.open.insert(self.create(files)?),
        };
        if let Err(error) = write(&mut *open.file, length, bytes) {
            if open.file.cut(length).is_err() {
                state.torn = Some(Torn { identity: open.identity, length });
                state.open = None;
            }
            if new {
                // An empty file that cannot be removed either says the same as none.
                state.open = None;
                let _ = files.remove(&self.current);
            }
            return Err(error);
        }
        open.length = length + bytes.len() as u64;
        Ok(Change::Added)
    }

    /// At most `most` bytes from `offset` on.
    pub(super) fn read(&self, files: &dyn Files, offset: u64, most: u64) -> io::Result<LogSlice> {
        let state = &mut *lock(&self.state);
        let look = self.look(files, state)?;
        let torn = state.torn;
        let whole = |look: Look| match torn {
            Some(torn) if torn.identity == look.identity => look.length.min(torn.length),
            _ => look.length,
        };
        let sliced = |cut: Cut, truncated| LogSlice {
            offset: cut.offset,
            next_offset: cut.next_offset,
            truncated,
            text: cut.text,
        };
        if let (Some(open), Some(look)) = (&state.open, look)
            && open.identity == look.identity
        {
            let cut = slice::cut(&*open.file, whole(look), offset, most)?;
            return Ok(sliced(cut, false));
        }
        // In this order, since it is the current file that becomes the full one.
        for (path, truncated) in [(&self.current, false), (&self.full, true)] {
            if truncated && files.look(path)?.is_none() || !truncated && look.is_none() {
                continue;
            }
            let file = match files.open(path, Access::Read) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let cut = slice::cut(&*file, whole(file.look()?), offset, most)?;
            return Ok(sliced(cut, truncated));
        }
        Ok(LogSlice { offset: 0, next_offset: 0, truncated: false, text: String::new() })
    }

    /// Deletes the log.
    pub(super) fn retire(&self, files: &dyn Files) -> io::Result<()> {
        let state = &mut *lock(&self.state);
        state.open = None;
        // Looked at before any is deleted: there is only one of them, so a refusal changes nothing.
        let mut there = Vec::new();
        for path in [&self.current, &self.full] {
            match files.look(path) {
                Ok(None) => {}
                // No file, but in the way of one.
                Err(error) if error.kind() != ErrorKind::InvalidInput => return Err(error),
                _ => there.push(path),
            }
        }
        for path in there {
            match files.remove(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        state.torn = None;
        Ok(())
    }

    /// Its file is kept open, or it is torn; else the file alone tells all there is to know.
    pub(super) fn is_kept(&self) -> bool {
        self.inspect(|state| state.open.is_some() || state.torn.is_some())
    }

    /// Its file holds a part of a line.
    pub(super) fn is_torn(&self) -> bool {
        self.inspect(|state| state.torn.is_some())
    }

    // Asked of a log that nobody uses, so that there is no lock to wait for.
    fn inspect(&self, fact: impl FnOnce(&State) -> bool) -> bool {
        match self.state.try_lock() {
            Ok(state) => fact(&state),
            Err(TryLockError::Poisoned(poisoned)) => fact(&poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => true,
        }
    }

    /// What lies at the path of the current file.
    fn look(&self, files: &dyn Files, state: &mut State) -> io::Result<Option<Look>> {
        let looked = files.look(&self.current);
        // A file that was deleted while we hold it may be in the way of its own path.
        if looked.is_err() && state.open.take().is_some() {
            return files.look(&self.current);
        }
        looked
    }

    /// Sees to it that `State::open` is what lies at the path, made whole, or nothing if nothing
    /// does. True if the log is full.
    fn find(&self, files: &dyn Files, state: &mut State) -> io::Result<bool> {
        let look = self.look(files, state)?;
        let same = |identity| look.is_some_and(|look| look.identity == identity);
        if state.open.as_ref().is_some_and(|open| !same(open.identity)) {
            state.open = None;
        }
        if state.torn.is_some_and(|torn| !same(torn.identity)) {
            state.torn = None;
        }
        let Some(look) = look else {
            return Ok(files.look(&self.full)?.is_some());
        };
        if state.open.as_ref().is_some_and(|open| open.length == look.length) {
            return Ok(false);
        }
        let mut file = match state.open.take() {
            Some(open) => open.file,
            None => files.open(&self.current, Access::Append)?,
        };
        let look = file.look()?;
        let length = whole_lines(&*file, look.length)?;
        if length < look.length {
            file.cut(length)?;
        }
        state.torn = None;
        state.open = Some(Open { file, identity: look.identity, length });
        Ok(false)
    }

    /// Remembers that a record was dropped.
    fn fill(&self, files: &dyn Files, state: &mut State) -> io::Result<()> {
        if state.open.take().is_some() {
            return files.rename(&self.current, &self.full);
        }
        self.make(files, &self.full).map(drop)
    }

    fn create(&self, files: &dyn Files) -> io::Result<Open> {
        let file = self.make(files, &self.current)?;
        let look = file.look()?;
        Ok(Open { file, identity: look.identity, length: look.length })
    }

    // The directory may have been deleted like any file in it.
    fn make(&self, files: &dyn Files, path: &Path) -> io::Result<Box<dyn LogFile>> {
        match files.open(path, Access::New) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                files.create_directory(path.parent().unwrap_or(path))?;
                files.open(path, Access::New)
            }
            made => made,
        }
    }
}

fn write(file: &mut dyn LogFile, mut end: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.append(end, bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = bytes.get(written..).unwrap_or_default();
                end += written as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The bytes up to the last line feed.
fn whole_lines(file: &dyn LogFile, length: u64) -> io::Result<u64> {
    let mut end = length;
    // Nearly always the last byte is all there is to see.
    let mut step = 1;
    while end > 0 {
        let begin = end.saturating_sub(step);
        let mut window = vec![0; usize::try_from(end - begin).map_err(io::Error::other)?];
        let read = slice::fill(file, begin, &mut window)?;
        window.truncate(read);
        if let Some(at) = window.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
        step = 16 * 1024;
    }
    Ok(0)
}
