//! The few things that are asked of a file system.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// A file as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its bytes.
    pub length: u64,
    /// Differs between two files that exist at the same time.
    pub identity: (u64, u64),
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To be read.
    Read,
    /// To be read, added to and cut.
    Append,
    /// As `Append`, and it must not be there yet.
    New,
}

/// The file system that a directory of logs lives in.
pub trait Files: Send + Sync {
    /// Makes a directory and those above it; one that is there is no error.
    fn create_directory(&self, path: &Path) -> io::Result<()>;
    /// What lies at the path; none if nothing does. An error unless it is a file.
    fn look(&self, path: &Path) -> io::Result<Option<Look>>;
    /// Opens what lies at the path.
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn LogFile>>;
    /// Gives a file another name, in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Deletes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
pub trait LogFile: Send {
    /// The file as it is now.
    fn look(&self) -> io::Result<Look>;
    /// Reads from an offset on; 0 at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// Adds bytes at the end, which is at `end`, and says how many.
    fn append(&mut self, end: u64, bytes: &[u8]) -> io::Result<usize>;
    /// Makes the file this long.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct OnDisk;

impl Files for OnDisk {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)
    }

    fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        // Not through a link: a log is never anywhere but in its directory.
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(Some(look(&metadata))),
            Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn LogFile>> {
        let mut options = OpenOptions::new();
        options.read(true);
        if access != Access::Read {
            // Elsewhere a file opened for appending cannot be cut.
            if cfg!(unix) {
                options.append(true);
            } else {
                options.write(true);
            }
        }
        if access == Access::New {
            options.create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        Ok(Box::new(options.open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

impl LogFile for File {
    fn look(&self) -> io::Result<Look> {
        self.metadata().map(|metadata| look(&metadata))
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match std::os::windows::fs::FileExt::seek_read(self, buffer, offset) {
            // ERROR_HANDLE_EOF
            Err(error) if error.raw_os_error() == Some(38) => Ok(0),
            other => other,
        }
    }

    #[cfg(unix)]
    fn append(&mut self, _end: u64, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(self, bytes)
    }

    #[cfg(windows)]
    fn append(&mut self, end: u64, bytes: &[u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(self, bytes, end)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

#[cfg(unix)]
fn look(metadata: &Metadata) -> Look {
    use std::os::unix::fs::MetadataExt;
    Look { length: metadata.len(), identity: (metadata.dev(), metadata.ino()) }
}

// There is no number of a file here; the time of its making tells it from a later one.
#[cfg(windows)]
fn look(metadata: &Metadata) -> Look {
    use std::os::windows::fs::MetadataExt;
    Look { length: metadata.len(), identity: (metadata.creation_time(), 0) }
}
