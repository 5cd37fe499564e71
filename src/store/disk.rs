//! The bytes of a file, as little of a file as a database needs: the seam where faults come in.

use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Bytes by their offset. Calls may come from several threads at once.
pub trait Disk: Debug + Send + Sync + 'static {
    /// How many bytes there are.
    fn len(&self) -> io::Result<u64>;
    /// Whether there is none.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|length| length == 0)
    }
    /// Reads all of `out`, or fails.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;
    /// Writes all of `data`, or fails.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;
    /// Cuts, or extends with zeroes.
    fn set_len(&self, length: u64) -> io::Result<()>;
    /// Returns once everything written is on the disk.
    fn sync(&self) -> io::Result<()>;
}

/// A file.
#[derive(Debug)]
pub struct FileDisk(pub File);

impl Disk for FileDisk {
    fn len(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }

    #[cfg(unix)]
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, out, offset)
    }

    #[cfg(windows)]
    fn read(&self, mut offset: u64, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(&self.0, out, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => {
                    offset += count as u64;
                    out = &mut out[count..];
                }
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.0, data, offset)
    }

    #[cfg(windows)]
    fn write(&self, mut offset: u64, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            match std::os::windows::fs::FileExt::seek_write(&self.0, data, offset)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => {
                    offset += count as u64;
                    data = &data[count..];
                }
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

/// Memory that nothing outlives.
#[derive(Debug, Default)]
pub struct MemoryDisk(RwLock<Vec<u8>>);

impl MemoryDisk {
    /// A copy of all bytes.
    pub fn image(&self) -> Vec<u8> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl From<Vec<u8>> for MemoryDisk {
    fn from(bytes: Vec<u8>) -> Self {
        Self(RwLock::new(bytes))
    }
}

fn span(offset: u64, length: usize, of: usize) -> io::Result<std::ops::Range<usize>> {
    let start = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
    let end = start.checked_add(length).filter(|end| *end <= of);
    end.map(|end| start..end).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

impl Disk for MemoryDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.read().unwrap_or_else(PoisonError::into_inner).len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.read().unwrap_or_else(PoisonError::into_inner);
        out.copy_from_slice(&bytes[span(offset, out.len(), bytes.len())?]);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let length = bytes.len();
        bytes[span(offset, data.len(), length)?].copy_from_slice(data);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.0.write().unwrap_or_else(PoisonError::into_inner).resize(length, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A disk as redb wants it, with its syncs counted.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) syncs: Arc<AtomicU64>,
    /// From now on it can only be read.
    pub(super) abandoned: Arc<AtomicBool>,
}

impl Backend {
    fn writable(&self) -> io::Result<()> {
        if self.abandoned.load(Ordering::Acquire) {
            return Err(io::Error::other("nothing that is written here matters any more"));
        }
        Ok(())
    }
}

impl redb::StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.writable()?;
        self.disk.set_len(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.writable()?;
        self.syncs.fetch_add(1, Ordering::Relaxed);
        self.disk.sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.writable()?;
        self.disk.write(offset, data)
    }
}

#[cfg(test)]
mod tests {
    use super::{Disk, FileDisk, MemoryDisk};

    fn behaves(disk: &dyn Disk) {
        assert!(disk.is_empty().unwrap_or(false));
        let grown = disk.set_len(10).and_then(|()| disk.write(4, b"abc"));
        let mut out = [9; 10];
        assert!(grown.and_then(|()| disk.read(0, &mut out)).is_ok());
        assert_eq!(&out, b"\0\0\0\0abc\0\0\0");
        assert!(disk.read(5, &mut out).is_err(), "what is beyond the end cannot be read");
        assert!(disk.set_len(5).is_ok() && disk.sync().is_ok());
        assert_eq!(disk.len().ok(), Some(5));
    }

    #[test]
    fn a_file_and_memory_behave_alike() {
        behaves(&MemoryDisk::default());
        let file = tempfile::tempfile();
        assert!(file.is_ok());
        if let Ok(file) = file {
            behaves(&FileDisk(file));
        }
    }
}
