//! The name of a log in its directory.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A hash of scope and operation id, so that no character of either reaches the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name([u8; 32]);

impl Name {
    /// Each part is preceded by its length: no two pairs meet in one name.
    pub(super) fn of(scope: &str, id: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [scope, id] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The file that records are added to.
    pub(super) fn current(&self, directory: &Path) -> PathBuf {
        directory.join(self.with(".log"))
    }

    /// The file once a record was dropped.
    pub(super) fn full(&self, directory: &Path) -> PathBuf {
        directory.join(self.with(".full.log"))
    }

    fn with(&self, extension: &str) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut name = String::with_capacity(64 + extension.len());
        for byte in self.0 {
            for digit in [byte >> 4, byte & 15] {
                name.push(char::from(DIGITS[usize::from(digit)]));
            }
        }
        name.push_str(extension);
        name
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Name;

    #[test]
    fn a_name_is_the_lower_case_hash_of_its_parts_with_their_lengths() {
        let hash = "4585aa3938bee341a2c58f572499daf6c290e749b1f217f62aa0a6febbdf74bc";
        let name = Name::of("s", "a");
        let directory = Path::new("d");
        assert_eq!(name.current(directory), directory.join(format!("{hash}.log")));
        assert_eq!(name.full(directory), directory.join(format!("{hash}.full.log")));
    }

    #[test]
    fn no_two_pairs_share_a_name() {
        let pairs = [("", "ab"), ("a", "b"), ("ab", ""), ("A", "b"), ("a", "B"), ("", "a\0b")];
        let names: std::collections::HashSet<_> =
            pairs.iter().map(|(scope, id)| Name::of(scope, id)).collect();
        assert_eq!(names.len(), pairs.len());
    }
}
