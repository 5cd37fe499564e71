//! Finding, making and locking the file: one process at a time, told apart by what it is and not by
//! what it is called.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use same_file::Handle;

use super::failure::{damaged, failed};
use crate::error::Reason;
use crate::refused::{Answer, Refused};

/// How often a file may be replaced by another one while we look at it, before that is an error.
const PATIENCE: usize = 16;

/// Two creations in one process would meet in the same lock.
static CREATING: Mutex<()> = Mutex::new(());

/// What a file is told apart by, under whatever name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity(Arc<Handle>);

impl Identity {
    fn of(file: &File) -> io::Result<Self> {
        Handle::from_file(file.try_clone()?).map(|handle| Self(Arc::new(handle)))
    }
}

/// A file that is there, with an identity that outlives its name. Once locked, locked until it is let go.
#[derive(Debug)]
pub struct OpenFile {
    /// Open for reading, and for writing unless it was to be read only.
    pub file: File,
    /// The same for every name of the file.
    pub identity: Identity,
    path: PathBuf,
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // Its identity and the disk over it share the lock with it, and may live on.
        let _ = self.file.unlock();
    }
}

impl OpenFile {
    /// Opens the file at a path; where there is none, or an empty one, `make` makes it: aside, so that a
    /// crash in the midst of it leaves nothing that looks like a journal.
    pub fn find(path: &Path, make: impl Fn(File) -> Answer<()>) -> Answer<Self> {
        let path = followed(path)?;
        for _ in 0..PATIENCE {
            match fs::metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => create_once(&path, &make)?,
                Err(error) => return Err(failed(&error)),
                Ok(found) if !found.is_file() => return Err(irregular(&found)),
                Ok(found) if found.len() == 0 => replace_empty(&path, &make)?,
                Ok(_) => match opened(&path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    other => return other.map_err(|error| failed(&error)),
                },
            }
        }
        Err(failed(&io::Error::other("the file is replaced again and again")))
    }

    /// Opens the file at a path to read it and nothing else: it has to be there.
    pub fn find_to_read(path: &Path) -> Answer<Self> {
        let path = followed(path)?;
        match fs::metadata(&path) {
            Err(error) => return Err(failed(&error)),
            Ok(found) if !found.is_file() => return Err(irregular(&found)),
            Ok(_) => {}
        }
        let file = File::open(&path).map_err(|error| failed(&error))?;
        let identity = Identity::of(&file).map_err(|error| failed(&error))?;
        Ok(Self { file, identity, path })
    }

    /// Locks it against other processes; false if its name has meanwhile become another file's.
    pub fn lock(&self) -> Answer<bool> {
        self.lock_only()?;
        self.has_its_name()
    }

    /// As [`OpenFile::lock`], but against those only that would write.
    pub fn lock_shared(&self) -> Answer<bool> {
        self.taken(self.file.try_lock_shared())?;
        self.has_its_name()
    }

    fn lock_only(&self) -> Answer<()> {
        self.taken(self.file.try_lock())
    }

    fn taken(&self, lock: Result<(), TryLockError>) -> Answer<()> {
        match lock {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(locked(&self.file)),
            Err(TryLockError::Error(error)) => Err(failed(&error)),
        }
    }

    fn has_its_name(&self) -> Answer<bool> {
        match File::open(&self.path).and_then(|file| Identity::of(&file)) {
            Ok(now) => Ok(now == self.identity),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Whether there is nothing in it: it is to be made first.
    pub fn is_empty(&self) -> bool {
        self.file.metadata().is_ok_and(|found| found.len() == 0)
    }

    /// Lets nobody but its owner read it, whatever it was created with.
    pub fn narrow(&self) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let wide =
                self.file.metadata().is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
            if wide {
                // Another owner's file cannot be narrowed, and need not be.
                let _ = self.file.set_permissions(fs::Permissions::from_mode(0o600));
            }
        }
    }

    /// Takes away what a process left that died while it made a successor. For whoever has the lock.
    pub fn clear(&self) {
        // Nearly always there is none; one that cannot be removed shows when the next is made.
        let _ = fs::remove_file(directory(&self.path).join(successor_name(&self.path)));
    }

    /// Returns once its name is on the disk: who made it may have died before it was.
    pub fn sync_name(&self) -> Answer<()> {
        sync_directory(&self.path)
    }

    /// Whether another file can take its place: it has the one name that we know. Another name would be
    /// left behind with the old content, and a name that is gone would come back.
    pub fn is_replaceable(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            self.file.metadata().is_ok_and(|found| found.nlink() == 1)
                && self.has_its_name().unwrap_or(false)
        }
        #[cfg(not(unix))]
        {
            false
        }
    }

    /// Makes a new file beside it, locked from its first byte on. For whoever has the lock.
    pub fn successor<T>(&self, make: impl FnOnce(File) -> Answer<T>) -> Answer<(Successor, T)> {
        self.clear();
        let aside = tempfile::Builder::new()
            .prefix(&successor_name(&self.path))
            .rand_bytes(0)
            .tempfile_in(directory(&self.path))
            .map_err(|error| failed(&error))?;
        let duplicate = || aside.as_file().try_clone().map_err(|error| failed(&error));
        let file = duplicate()?;
        let identity = Identity::of(&file).map_err(|error| failed(&error))?;
        let made = Self { file, identity, path: self.path.clone() };
        made.lock_only()?;
        let value = make(duplicate()?)?;
        made.file.sync_all().map_err(|error| failed(&error))?;
        Ok((Successor { made, aside }, value))
    }
}

/// A file that is to take the place of another one. Let go, it is gone.
#[derive(Debug)]
pub struct Successor {
    made: OpenFile,
    aside: tempfile::NamedTempFile,
}

impl Successor {
    /// What it will be told apart by.
    pub fn identity(&self) -> &Identity {
        &self.made.identity
    }

    /// Takes the name of the file that it was made for. Its name may not be on the disk yet: see
    /// [`OpenFile::sync_name`].
    pub fn succeed(self) -> Answer<OpenFile> {
        self.aside.persist(&self.made.path).map_err(|error| failed(&error.error))?;
        Ok(self.made)
    }
}

/// Makes a new file at a path, whole or not at all; false if something is there already.
pub fn create(path: &Path, make: impl FnOnce(File) -> Answer<()>) -> Answer<bool> {
    if fs::symlink_metadata(path).is_ok() {
        return Ok(false);
    }
    let aside = aside(path)?;
    make(aside.as_file().try_clone().map_err(|error| failed(&error))?)?;
    aside.as_file().sync_all().map_err(|error| failed(&error))?;
    match aside.persist_noclobber(path) {
        Ok(_) => sync_directory(path).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(&error.error)),
    }
}

/// What is at the path is no file that could hold a journal.
fn irregular(found: &fs::Metadata) -> Box<Refused> {
    if found.is_dir() {
        failed(&io::ErrorKind::IsADirectory.into())
    } else {
        damaged("it is not a regular file")
    }
}

fn opened(path: &Path) -> io::Result<OpenFile> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let identity = Identity::of(&file)?;
    Ok(OpenFile { file, identity, path: path.to_owned() })
}

/// Where a chain of links ends, though nothing may be there yet.
fn followed(path: &Path) -> Answer<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.file_type().is_symlink() => {
                let target = fs::read_link(&path).map_err(|error| failed(&error))?;
                path = path.parent().map(|parent| parent.join(&target)).unwrap_or(target);
            }
            _ => return Ok(path),
        }
    }
    Err(failed(&io::Error::other("too many symbolic links")))
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Always the same for a file, so that at most one is ever left behind, and found again.
fn successor_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    format!(".tenure-{:016x}.new", xxhash_rust::xxh3::xxh3_64(name))
}

/// A file beside the path that only its owner can read, gone if it is not persisted.
fn aside(path: &Path) -> Answer<tempfile::NamedTempFile> {
    // What is wrong with the directory is told better by itself than by a name that nobody gave.
    fs::metadata(directory(path)).map_err(|error| failed(&error))?;
    tempfile::Builder::new()
        .prefix(".tenure-")
        .suffix(".new")
        .tempfile_in(directory(path))
        .map_err(|error| failed(&error))
}

fn create_once(path: &Path, make: &impl Fn(File) -> Answer<()>) -> Answer<()> {
    let _one = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    // If somebody was quicker, theirs is the journal.
    create(path, make).map(|_| ())
}

fn replace_empty(path: &Path, make: &impl Fn(File) -> Answer<()>) -> Answer<()> {
    let _one = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match opened(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(&error)),
    };
    // It may be a journal by now, which is not ours to lock here.
    if found.is_empty() && found.lock()? && found.is_empty() {
        let (made, ()) = found.successor(make)?;
        made.succeed()?.sync_name()?;
    }
    Ok(())
}

/// A new name is on the disk only once its directory is.
fn sync_directory(path: &Path) -> Answer<()> {
    #[cfg(unix)]
    {
        let synced = File::open(directory(path)).and_then(|directory| directory.sync_all());
        synced.map_err(|error| failed(&error))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn locked(file: &File) -> Box<Refused> {
    let mut refused = Refused::new(Reason::JournalLocked, "Another process has the journal open");
    refused.pid = holder(file);
    Box::new(refused)
}

/// The process that holds the lock, where the system says so.
fn holder(file: &File) -> Option<u32> {
    #[cfg(target_os = "linux")]
    {
        use std::os::linux::fs::MetadataExt;
        let found = file.metadata().ok()?;
        let device = found.st_dev();
        let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00));
        let id = format!("{major:02x}:{minor:02x}:{}", found.st_ino());
        let locks = fs::read_to_string("/proc/locks").ok()?;
        locks.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [_, "FLOCK", _, _, pid, found, ..] if found == id => {
                    pid.parse().ok().filter(|pid| *pid > 0)
                }
                _ => None,
            }
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        None
    }
}
