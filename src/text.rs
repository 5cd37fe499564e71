//! A JavaScript string, kept as it is.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// UTF-16 code units of a JavaScript string, lone surrogates included. Cloning shares the units.
///
/// Ids, routes, lanes, keys and texts are compared and given back exactly, which a `String` cannot
/// promise: it has no room for a lone surrogate.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(Arc<[u16]>);

impl Text {
    /// The text of these UTF-16 code units.
    pub fn from_units(units: &[u16]) -> Self {
        Self(Arc::from(units))
    }

    /// The UTF-16 code units.
    pub fn units(&self) -> &[u16] {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

impl Deref for Text {
    type Target = [u16];

    fn deref(&self) -> &[u16] {
        &self.0
    }
}

impl std::borrow::Borrow<[u16]> for Text {
    fn borrow(&self) -> &[u16] {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        char::decode_utf16(self.0.iter().copied()).try_for_each(|unit| {
            fmt::Write::write_char(f, unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        })
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn a_lone_surrogate_is_kept_and_shown_as_a_replacement() {
        let text = Text::from_units(&[0x61, 0xd800]);
        assert_eq!(text.units(), [0x61, 0xd800]);
        assert_eq!(text.to_string(), "a\u{fffd}");
        assert_ne!(text, Text::from("a"));
    }
}
