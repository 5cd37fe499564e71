//! The books that redb keeps in a file for itself: looked through before they are trusted.
//!
//! Every commit frees pages by lists in tables of redb's own. Where such a list is damaged redb panics, and
//! panics again while that unwinds, which no caller survives. A file that is read whole when it is opened
//! is refused before that; of a larger one the books at least are read whole. redb does so itself: it is
//! given the file with its data left out.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::Disk;
use super::failure::failed;
use super::place::Tried;
use super::trial::Trial;
use crate::refused::Answer;

// The header of redb's format 3: flags, then two slots for commits, of which the flags name one.
const HEADER_BYTES: usize = 320;
const FLAGS: usize = 9;
const SECOND_SLOT: u8 = 1;
const TWO_PHASE_COMMIT: u8 = 4;
const SLOTS: usize = 64;
const SLOT_BYTES: usize = 128;
// In a slot: whether there is data, where its tree begins, and the checksum of all that goes before.
const HAS_DATA: usize = 1;
const DATA: std::ops::Range<usize> = 8..40;
const CHECKSUM: usize = 112;

/// Refuses a file whose books are damaged. What else may be wrong with it, its opening tells.
pub(super) fn look_through(disk: &Arc<dyn Disk>) -> Answer<()> {
    let mut header = [0; HEADER_BYTES];
    let flags = match disk.read(0, &mut header) {
        Ok(()) => header[FLAGS],
        Err(_) => return Ok(()),
    };
    // After any other commit redb reads the whole file.
    if flags & TWO_PHASE_COMMIT == 0 {
        return Ok(());
    }
    let start = SLOTS + SLOT_BYTES * usize::from(flags & SECOND_SLOT);
    let slot = &mut header[start..start + SLOT_BYTES];
    let (body, checksum) = slot.split_at_mut(CHECKSUM);
    if xxh3_128(body).to_le_bytes() != *checksum {
        return Ok(());
    }
    body[HAS_DATA] = 0;
    body[DATA].fill(0);
    checksum.copy_from_slice(&xxh3_128(body).to_le_bytes());
    let trial = Trial::of(Arc::clone(disk)).map_err(|error| failed(&error))?;
    trial.write(0, &header).map_err(|error| failed(&error))?;
    Tried::over(trial, true).map(drop)
}
