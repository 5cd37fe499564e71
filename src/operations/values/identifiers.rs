//! What may name an operation or a scope, and the one key made of both.

const MOST: usize = 128;

/// Whether this may be an operation id: 1 to 128 Unicode scalar values, no control characters.
pub fn is_identifier(text: &str) -> bool {
    !text.is_empty() && is_scope(text)
}

/// Whether this may be a scope: as an operation id, but it may be empty.
pub fn is_scope(text: &str) -> bool {
    // The count of bytes settles nearly every case without a walk over the characters.
    (text.len() <= MOST || text.chars().count() <= MOST) && !text.chars().any(char::is_control)
}

/// The key of an operation. No two pairs share one: the length says where the scope ends.
pub fn journal_key(scope: &str, operation_id: &str) -> String {
    format!("{}:{scope}{operation_id}", scope.len())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_are_counted_as_scalar_values() {
        let longest = "😀".repeat(128);
        for good in ["x", &longest, &"é".repeat(128), " ", "a/b", "..", "\u{2028}", "\u{feff}"] {
            assert!(is_identifier(good) && is_scope(good), "{good}");
        }
        assert!(!is_identifier(&format!("{longest}x")) && !is_scope(&format!("{longest}x")));
        assert!(!is_identifier("") && is_scope(""));
    }

    #[test]
    fn control_characters_are_those_of_both_blocks_and_no_others() {
        for code in 0..=0x100_u32 {
            let character = char::from_u32(code).unwrap();
            let control = code < 0x20 || (0x7f..=0x9f).contains(&code);
            assert_eq!(is_identifier(&format!("a{character}")), !control, "U+{code:04X}");
        }
    }

    #[test]
    fn keys_of_different_pairs_never_meet() {
        let parts = ["a", "1", "1:", ":", "10", "1:a", ":1", "é", "e\u{301}", "0", "0:", "😀"];
        let mut seen = HashMap::new();
        for scope in parts.iter().chain(&[""]) {
            for id in parts {
                assert_eq!(seen.insert(journal_key(scope, id), (scope, id)), None);
            }
        }
    }

    proptest! {
        #[test]
        fn a_key_is_taken_apart_in_one_way_only(scope in "[0-9:aé😀]{0,6}", id in "[0-9:aé😀]{1,6}") {
            let key = journal_key(&scope, &id);
            let (length, rest) = key.split_once(':').unwrap();
            prop_assert_eq!(rest.split_at(length.parse().unwrap()), (&*scope, &*id));
        }
    }
}
