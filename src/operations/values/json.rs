//! Reading a JSON text, as deep as the contract admits and no deeper.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

/// How many objects and arrays may stand around one another; the outermost counts as 1.
pub const MAX_DEPTH: usize = 128;

/// Why a text is not read. It quotes nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPlain {
    /// More than [`MAX_DEPTH`] objects and arrays around one another.
    Deep,
    /// No JSON text, or a number that no double holds.
    Malformed,
}

impl fmt::Display for NotPlain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deep => "is nested more than 128 levels deep",
            Self::Malformed => "is no JSON text",
        })
    }
}

/// Reads a JSON text. Of members with one name the last counts.
pub fn parse(text: &str) -> Result<Value, NotPlain> {
    if depth(text.as_bytes()) > MAX_DEPTH {
        return Err(NotPlain::Deep);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    // Its own limit is one container short of the contract's; the stack is safe by the count above.
    reader.disable_recursion_limit();
    let value = Value::deserialize(&mut reader).map_err(|_| NotPlain::Malformed)?;
    reader.end().map_err(|_| NotPlain::Malformed)?;
    Ok(value)
}

fn depth(text: &[u8]) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => {
                            bytes.next();
                        }
                        _ => {}
                    }
                }
            }
            b'[' | b'{' => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}{}", r#"{"n":["#.repeat(levels / 2), "]}".repeat(levels / 2))
    }

    #[test]
    fn the_128th_level_is_read_and_the_next_is_not() {
        assert!(parse(&nested(128)).is_ok());
        assert_eq!(parse(&format!("[{}]", nested(128))), Err(NotPlain::Deep));
        assert_eq!(parse(&nested(1_000_000)), Err(NotPlain::Deep));
    }

    #[test]
    fn brackets_in_strings_and_side_by_side_are_no_levels() {
        let text = format!(r#"{{"a":"{}\"{}","b\\":[{}]}}"#, "[".repeat(200), "{".repeat(200), {
            ["{}"; 200].join(",")
        });
        assert!(parse(&text).is_ok());
    }

    #[test]
    fn what_is_no_text_of_json_is_refused() {
        for bad in ["", "{", "}", "]]]", "{}x", "NaN", "1e999", r#""\ud800""#, "'a'", "\"\\"] {
            assert_eq!(parse(bad), Err(NotPlain::Malformed), "{bad}");
        }
    }
}
