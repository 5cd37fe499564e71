//! One event, as text.

use std::fmt::{self, Debug, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};
use tracing::Level;
use tracing::field::{Field, Visit};

use super::level::name;

/// Something that happened. Serialized, it is one object, with the fields as an object in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// How much it matters; serialized as its name in lower case.
    #[serde(serialize_with = "level_name")]
    pub level: Level,
    /// The part of the core it happened in.
    pub target: &'static str,
    /// What happened.
    pub message: String,
    /// With what: names and values, in the order written.
    #[serde(serialize_with = "object")]
    pub fields: Vec<(&'static str, String)>,
    /// When: milliseconds since 1970.
    pub ts_ms: u64,
}

impl Event {
    pub(super) fn now(event: &tracing::Event<'_>) -> Self {
        let metadata = event.metadata();
        let mut texts = Texts::default();
        event.record(&mut texts);
        Self::new(*metadata.level(), metadata.target(), texts.message, texts.fields)
    }

    /// That events were dropped by `target`, which is ours to say.
    pub(super) fn dropped(target: &'static str, count: u64) -> Self {
        let fields = vec![("dropped", count.to_string())];
        Self::new(Level::WARN, target, "events were dropped".to_owned(), fields)
    }

    fn new(
        level: Level,
        target: &'static str,
        message: String,
        fields: Vec<(&'static str, String)>,
    ) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let ts_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Self { level, target, message, fields, ts_ms }
    }
}

/// One line, whatever the values hold.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, target, message, fields, ts_ms } = self;
        let (seconds, millis) = (ts_ms / 1000, ts_ms % 1000);
        write!(f, "{seconds}.{millis:03} {level:>5} {target} {}", message.escape_debug())?;
        for (name, value) in fields {
            let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '=');
            if !value.is_empty() && value.chars().all(plain) {
                write!(f, " {name}={value}")?;
            } else {
                write!(f, " {name}={value:?}")?;
            }
        }
        Ok(())
    }
}

fn level_name<S: Serializer>(level: &Level, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name(*level))
}

fn object<S: Serializer>(
    fields: &[(&'static str, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}

#[derive(Default)]
struct Texts {
    message: String,
    fields: Vec<(&'static str, String)>,
}

impl Visit for Texts {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = String::new();
        // Writing to a String fails only if the value's own formatting does.
        if write!(text, "{value:?}").is_err() {
            text.push_str("(unprintable)");
        }
        self.text(field, text);
    }
}

impl Texts {
    fn text(&mut self, field: &Field, value: String) {
        if field.name() == "message" {
            self.message = value;
        } else {
            self.fields.push((field.name(), value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(fields: Vec<(&'static str, String)>) -> Event {
        Event {
            level: Level::DEBUG,
            target: "tenure::admission",
            message: "operation admitted".to_owned(),
            fields,
            ts_ms: 1_700_000_000_007,
        }
    }

    #[test]
    fn an_event_is_one_json_object() {
        let event = event(vec![("operation_id", "o \"1\"".to_owned()), ("lease", "7".to_owned())]);
        let object = serde_json::to_value(&event).ok();
        let expected = serde_json::json!({
            "level": "debug",
            "target": "tenure::admission",
            "message": "operation admitted",
            "fields": { "operation_id": "o \"1\"", "lease": "7" },
            "tsMs": 1_700_000_000_007_u64,
        });
        assert_eq!(object, Some(expected));
    }

    #[test]
    fn a_line_stays_one_line_whatever_an_id_holds() {
        let hostile = "a\nERROR tenure forged\u{1b}[31m\u{202e}=".to_owned();
        let fields =
            vec![("id", "o1:a".to_owned()), ("session_id", hostile), ("none", String::new())];
        assert_eq!(
            event(fields).to_string(),
            "1700000000.007 DEBUG tenure::admission operation admitted id=o1:a \
             session_id=\"a\\nERROR tenure forged\\u{1b}[31m\\u{202e}=\" none=\"\""
        );
    }
}
