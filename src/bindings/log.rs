//! The logger of one environment.

use super::raw::Table;
use crate::error::{Outcome, Reason};
use crate::telemetry;
use crate::text::Text;

pub(super) fn define(table: &mut Table) {
    table.define("logLevel", |thread, (level,): (Option<Text>,)| -> Outcome<()> {
        let level = match level {
            None => None,
            Some(name) => {
                let level = telemetry::level_from_name(&name.to_string());
                Some(level.ok_or(Reason::InvalidArgValue)?)
            }
        };
        if let Some(sink) = thread.sink.take() {
            telemetry::detach(sink);
        }
        thread.sink = level.map(telemetry::attach);
        Ok(())
    });
    table.define("takeLog", |thread, ()| -> Outcome<Option<Text>> {
        let Some(sink) = thread.sink else {
            return Ok(None);
        };
        let events = telemetry::take(sink);
        if events.is_empty() {
            return Ok(None);
        }
        let json = serde_json::to_string(&events).map_err(|_| Reason::Internal)?;
        Ok(Some(Text::from(json.as_str())))
    });
}
