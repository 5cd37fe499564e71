//! A line as it is kept.

/// The bytes that a line adds to its log.
#[derive(Debug)]
pub(super) enum Record {
    /// The line, without line breaks, and a line feed.
    Whole(Vec<u8>),
    /// More than any log of this bound may hold; kept without its bytes, since it waits in a queue.
    TooLong,
}

impl Record {
    /// The record of a line, in a log of at most `most` bytes.
    pub(super) fn of(line: &str, most: u64) -> Self {
        let breaks = line.bytes().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
        let length = line.len().saturating_add(breaks).saturating_add(1);
        if length as u64 > most {
            return Self::TooLong;
        }
        let mut bytes = Vec::with_capacity(length);
        if breaks == 0 {
            bytes.extend_from_slice(line.as_bytes());
        } else {
            for byte in line.bytes() {
                match byte {
                    b'\r' => bytes.extend_from_slice(b"\\r"),
                    b'\n' => bytes.extend_from_slice(b"\\n"),
                    other => bytes.push(other),
                }
            }
        }
        bytes.push(b'\n');
        Self::Whole(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Record;

    fn bytes(line: &str, most: u64) -> Option<Vec<u8>> {
        match Record::of(line, most) {
            Record::Whole(bytes) => Some(bytes),
            Record::TooLong => None,
        }
    }

    #[test]
    fn a_line_break_becomes_two_characters() {
        assert_eq!(bytes("a\r\nb", 100), Some(b"a\\r\\nb\n".to_vec()));
        assert_eq!(bytes("", 100), Some(b"\n".to_vec()));
        assert_eq!(bytes("\u{2028}\u{85}", 100), Some("\u{2028}\u{85}\n".as_bytes().to_vec()));
    }

    #[test]
    fn the_bound_counts_what_is_written() {
        assert!(bytes("abc", 4).is_some() && bytes("abc", 3).is_none());
        assert!(bytes("a\n", 4).is_some() && bytes("a\n", 3).is_none());
    }
}
