//! Cutting a log between characters.

use std::io;
use std::str;

use super::files::LogFile;

/// A character is at most this many bytes, so it is decided by as many less one on either side.
const AROUND: u64 = 3;

/// Text between two offsets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) offset: u64,
    pub(super) next_offset: u64,
    pub(super) text: String,
}

/// What lies from `offset` on in the first `length` bytes of a file, at most `most` bytes.
pub(super) fn cut(file: &dyn LogFile, length: u64, offset: u64, most: u64) -> io::Result<Cut> {
    let at = offset.min(length);
    let start = at.saturating_sub(AROUND);
    let end = at.saturating_add(most).saturating_add(2 * AROUND).min(length);
    let mut window = vec![0; usize::try_from(end - start).map_err(io::Error::other)?];
    let read = fill(file, start, &mut window)?;
    let last = read < window.len() || end == length;
    window.truncate(read);
    if last {
        window.truncate(read - incomplete(&window));
    }
    let from = boundary(&window, usize::try_from(at - start).map_err(io::Error::other)?);
    let (taken, text) = take(&window[from..], usize::try_from(most).unwrap_or(usize::MAX));
    let offset = start + from as u64;
    Ok(Cut { offset, next_offset: offset + taken as u64, text })
}

/// How much of `buffer` the file fills; less than all of it at the end of the file only.
pub(super) fn fill(file: &dyn LogFile, mut offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(offset, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => {
                filled += read;
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// How many bytes at the end begin a character that is not there as a whole.
fn incomplete(bytes: &[u8]) -> usize {
    (1..=bytes.len().min(3))
        .find(|&count| {
            let tail = &bytes[bytes.len() - count..];
            str::from_utf8(tail).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
        })
        .unwrap_or(0)
}

/// The end of the character that `at` lies in, or `at` if it lies between two.
fn boundary(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    for begin in at.saturating_sub(3)..at {
        let width = width(&bytes[begin..]);
        if begin + width > at {
            return begin + width;
        }
    }
    at
}

/// The bytes of the character that `bytes` begins with; 1 if it begins with no character.
fn width(bytes: &[u8]) -> usize {
    let width = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return 1,
    };
    match bytes.get(..width).map(str::from_utf8) {
        Some(Ok(_)) => width,
        _ => 1,
    }
}

/// As many characters as fit, and their bytes in the file. The text is bounded like the bytes: a
/// damaged byte becomes three.
fn take(bytes: &[u8], most: usize) -> (usize, String) {
    let mut taken = 0;
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        let mut fits = valid.len().min(most - taken).min(most - text.len());
        while !valid.is_char_boundary(fits) {
            fits -= 1;
        }
        text.push_str(&valid[..fits]);
        taken += fits;
        if fits < valid.len() {
            return (taken, text);
        }
        for _ in chunk.invalid() {
            if most - taken < 1 || most - text.len() < 3 {
                return (taken, text);
            }
            text.push(char::REPLACEMENT_CHARACTER);
            taken += 1;
        }
    }
    (taken, text)
}

#[cfg(test)]
mod tests {
    use std::io;

    use proptest::prelude::*;

    use super::{Cut, LogFile, cut};
    use crate::operations::logs::Look;

    /// Gives a few bytes at a time.
    struct Bytes<'a>(&'a [u8], usize);

    impl LogFile for Bytes<'_> {
        fn look(&self) -> io::Result<Look> {
            Ok(Look { length: self.0.len() as u64, identity: (0, 0) })
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            let rest = self.0.get(offset as usize..).unwrap_or_default();
            let count = rest.len().min(buffer.len()).min(self.1);
            buffer[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }

        fn append(&mut self, _: u64, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::Unsupported.into())
        }

        fn cut(&mut self, _: u64) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// The characters of a file, each with its bytes, found from its beginning on.
    fn characters(bytes: &[u8]) -> Vec<(usize, char)> {
        let mut found = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let whole = (1..=rest.len().min(4)).find_map(|n| {
                let text = std::str::from_utf8(&rest[..n]).ok()?;
                Some((n, text.chars().next()?))
            });
            let cut_off = std::str::from_utf8(rest)
                .is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none());
            if cut_off {
                break;
            }
            let (width, character) = whole.unwrap_or((1, char::REPLACEMENT_CHARACTER));
            found.push((width, character));
            rest = &rest[width..];
        }
        found
    }

    fn expected(bytes: &[u8], offset: usize, most: usize) -> Cut {
        let characters = characters(bytes);
        let mut at = 0;
        let mut left = characters.iter();
        while at < offset {
            let Some((width, _)) = left.next() else { break };
            at += width;
        }
        let (mut end, mut text) = (at, String::new());
        for (width, character) in left {
            if end + width - at > most || text.len() + character.len_utf8() > most {
                break;
            }
            end += width;
            text.push(*character);
        }
        Cut { offset: at as u64, next_offset: end as u64, text }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn a_slice_of_any_bytes_is_cut_where_the_whole_file_says(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    &b"a"[..], b"\n", "é".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\0",
                    b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xed\xa0\x80",
                    b"\xc0\x80", b"\xf5", b"\xf4\x90\x80\x80", b"\xe2",
                ]),
                0..12,
            ),
            most in 4usize..14,
            at_once in 1usize..9,
        ) {
            let bytes = parts.concat();
            let file = Bytes(&bytes, at_once);
            for offset in 0..bytes.len() + 3 {
                let is = cut(&file, bytes.len() as u64, offset as u64, most as u64);
                prop_assert_eq!(is.ok(), Some(expected(&bytes, offset, most)), "{:?} {}", &bytes, offset);
            }
        }
    }

    #[test]
    fn a_file_that_is_shorter_than_it_was_ends_where_it_ends() -> io::Result<()> {
        let file = Bytes("aé".as_bytes(), 8);
        let is = cut(&file, 100, 0, 50)?;
        assert_eq!(is, Cut { offset: 0, next_offset: 3, text: "aé".to_owned() });
        assert_eq!(cut(&file, 100, 90, 50)?.text, "");
        Ok(())
    }

    #[test]
    fn no_number_is_too_large() -> io::Result<()> {
        let file = Bytes(b"abc", 8);
        assert_eq!(cut(&file, 3, u64::MAX, u64::MAX)?.offset, 3);
        assert_eq!(cut(&file, 3, 0, u64::MAX)?.text, "abc");
        Ok(())
    }
}
