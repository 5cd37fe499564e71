//! The live directories of the process.
//!
//! Two paths lead to one directory if they are the same without links, or else lead to the same
//! device and inode. The first still holds when the directory was deleted and made anew; the second
//! is checked by where the other's path leads now, since it may have been moved meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use super::directory::LogDirectory;
use super::files::Files;
use super::lock;

type Identity = (u64, u64);

struct Live {
    by_path: BTreeMap<PathBuf, Weak<LogDirectory>>,
    by_identity: BTreeMap<Identity, Weak<LogDirectory>>,
}

static LIVE: Mutex<Live> =
    Mutex::new(Live { by_path: BTreeMap::new(), by_identity: BTreeMap::new() });

/// The directory at a path, made if it is missing.
pub(super) fn open(path: &Path, files: Arc<dyn Files>) -> io::Result<Arc<LogDirectory>> {
    files.create_directory(path)?;
    let path = fs::canonicalize(path)?;
    let identity = identity(&path)?;
    // Made before the lock and, if it is not the one, dropped after it: its end takes the lock.
    let new = Arc::new(LogDirectory::new(path.clone(), files));
    loop {
        let Some(other) = find_or_add(&path, identity, &new) else { return Ok(new) };
        if other.path() == path || self::identity(other.path()).ok() == Some(identity) {
            return Ok(other);
        }
        moved(identity, &other);
    }
}

fn find_or_add(
    path: &Path,
    identity: Option<Identity>,
    new: &Arc<LogDirectory>,
) -> Option<Arc<LogDirectory>> {
    let live = &mut *lock(&LIVE);
    let at_path = live.by_path.get(path).and_then(Weak::upgrade);
    let found = at_path.or_else(|| live.by_identity.get(&identity?).and_then(Weak::upgrade));
    let named = found.as_ref().unwrap_or(new);
    if found.is_none() {
        live.by_path.insert(path.to_owned(), Arc::downgrade(named));
    }
    if let Some(identity) = identity {
        live.by_identity.insert(identity, Arc::downgrade(named));
    }
    found
}

/// A directory is not what this identity names any more.
fn moved(identity: Option<Identity>, directory: &Arc<LogDirectory>) {
    let mut live = lock(&LIVE);
    if let Some(identity) = identity
        && live.by_identity.get(&identity).is_some_and(|it| is(it, directory))
    {
        live.by_identity.remove(&identity);
    }
}

/// A directory has ended.
pub(super) fn forget(directory: &LogDirectory) {
    let mut live = lock(&LIVE);
    live.by_path.retain(|_, it| !is(it, directory));
    live.by_identity.retain(|_, it| !is(it, directory));
}

/// Closes every file that nobody uses: there is no descriptor left.
pub(super) fn close_idle() {
    let all: Vec<_> = lock(&LIVE).by_path.values().filter_map(Weak::upgrade).collect();
    for directory in all {
        directory.close_idle();
    }
}

fn is(one: &Weak<LogDirectory>, other: &LogDirectory) -> bool {
    std::ptr::eq(one.as_ptr(), other)
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Option<Identity>> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path)?;
    Ok(Some((metadata.dev(), metadata.ino())))
}

#[cfg(not(unix))]
fn identity(_path: &Path) -> io::Result<Option<Identity>> {
    Ok(None)
}
