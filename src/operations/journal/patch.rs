//! What an observation or a person's decision says, and what of it may be recorded.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::Reason;
use crate::operations::Bounds;
use crate::operations::contract::{State, Submission};
use crate::refused::{Answer, Refused};

const STAGE_LENGTH: usize = 64;
const ERROR_LENGTH: usize = 256;

/// One observation: what is none keeps its value, what is none inside is cleared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// The state to go to.
    pub state: Option<State>,
    /// The submission to go to.
    pub submission: Option<Submission>,
    /// In [0, 1].
    pub progress: Option<Option<f64>>,
    /// At most 64 Unicode scalar values.
    pub stage: Option<Option<String>>,
    /// At most 256 Unicode scalar values.
    pub error: Option<Option<String>>,
    /// Under which the backend holds the job.
    pub reference: Option<String>,
    /// JSON text.
    pub result: Option<Option<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Wire<'a> {
    state: Option<&'a str>,
    submission: Option<&'a str>,
    #[serde(deserialize_with = "given")]
    progress: Option<Option<f64>>,
    #[serde(deserialize_with = "given")]
    stage: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    error: Option<Option<String>>,
    backend_reference: Option<String>,
    #[serde(borrow, deserialize_with = "given")]
    result: Option<Option<&'a RawValue>>,
}

fn given<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

impl Patch {
    /// Reads a patch that the face wrote. `progress` that is no finite number comes as 2.
    pub fn parse(text: &str) -> Answer<Self> {
        let wire: Wire<'_> = serde_json::from_str(text).map_err(|error| {
            Box::new(Refused::new(
                Reason::Internal,
                format!("A patch that cannot be read: {error}"),
            ))
        })?;
        Ok(Self {
            state: wire.state.and_then(State::parse),
            submission: wire.submission.and_then(Submission::parse),
            progress: wire.progress,
            stage: wire.stage,
            error: wire.error,
            reference: wire.backend_reference,
            result: wire.result.map(|result| {
                // `null` is a raw value, too.
                result.map(RawValue::get).filter(|text| *text != "null").map(str::to_owned)
            }),
        })
    }

    /// Judges the values, whatever row they are for.
    pub fn check(&self, bounds: &Bounds) -> Answer<()> {
        if let Some(Some(progress)) = self.progress
            && !(0.0..=1.0).contains(&progress)
        {
            return Err(refused("/progress", "is no number from 0 to 1"));
        }
        if let Some(Some(stage)) = &self.stage {
            scalars("/stage", stage, STAGE_LENGTH)?;
        }
        if let Some(Some(error)) = &self.error {
            scalars("/error", error, ERROR_LENGTH)?;
        }
        if let Some(reference) = &self.reference {
            if reference.is_empty() {
                return Err(refused("/backendReference", "is empty"));
            }
            bytes("/backendReference", reference, bounds.reference_bytes)?;
        }
        if let Some(Some(result)) = &self.result {
            bytes("/result", result, bounds.result_bytes)?;
        }
        Ok(())
    }
}

/// A person's decision on an interrupted row.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// Terminal.
    pub state: State,
    /// Shown as `stage` of a succeeded row, as `error` of another.
    pub note: Option<String>,
    /// JSON text; with a succeeded row only.
    pub result: Option<String>,
}

#[derive(Deserialize)]
struct ResolutionWire<'a> {
    state: &'a str,
    #[serde(default)]
    note: Option<String>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
}

impl Resolution {
    /// Reads a decision that the face wrote.
    pub fn parse(text: &str) -> Answer<Self> {
        let read = serde_json::from_str::<ResolutionWire<'_>>(text).ok();
        let read = read.and_then(|wire| {
            let state = State::parse(wire.state).filter(|state| state.is_terminal())?;
            let result = wire.result.map(|result| result.get().to_owned());
            Some(Self { state, note: wire.note, result })
        });
        read.ok_or_else(|| {
            Box::new(Refused::new(Reason::Internal, "A resolution that cannot be read"))
        })
    }

    /// Judges the values, whatever row they are for.
    pub fn check(&self, bounds: &Bounds) -> Answer<()> {
        if let Some(note) = &self.note {
            let limit = if self.state == State::Succeeded { STAGE_LENGTH } else { ERROR_LENGTH };
            scalars("/note", note, limit)?;
        }
        if let Some(result) = &self.result {
            bytes("/result", result, bounds.result_bytes)?;
        }
        Ok(())
    }

    /// As an observation.
    pub fn into_patch(self) -> Patch {
        let mut patch = Patch { state: Some(self.state), ..Patch::default() };
        if self.state == State::Succeeded {
            patch.stage = self.note.map(Some);
        } else {
            patch.error = self.note.map(Some);
        }
        patch.result = self.result.map(Some);
        patch
    }
}

fn refused(path: &str, what: &str) -> Box<Refused> {
    Box::new(Refused::new(Reason::ResultRefused, format!("The value at {path} {what}")).at(path))
}

fn over(path: &str, limit: u64, actual: u64, unit: &str) -> Box<Refused> {
    let what = format!("has {actual} {unit}, of at most {limit}");
    Box::new(refused(path, &what).bound(limit, actual))
}

fn scalars(path: &str, text: &str, limit: usize) -> Answer<()> {
    // No text has more scalar values than bytes.
    if text.len() <= limit {
        return Ok(());
    }
    let actual = text.chars().count();
    if actual <= limit {
        return Ok(());
    }
    Err(over(path, limit as u64, actual as u64, "characters"))
}

fn bytes(path: &str, text: &str, limit: u64) -> Answer<()> {
    let actual = text.len() as u64;
    if actual <= limit {
        return Ok(());
    }
    Err(over(path, limit, actual, "bytes"))
}

#[cfg(test)]
mod tests {
    use super::{Patch, Resolution};
    use crate::operations::Bounds;
    use crate::operations::contract::State;

    #[test]
    fn what_is_left_out_stays_and_null_clears() {
        let patch = Patch::parse(r#"{"stage":null,"progress":0.5,"result":{"a":[1]}}"#);
        let wanted = Patch {
            progress: Some(Some(0.5)),
            stage: Some(None),
            result: Some(Some(r#"{"a":[1]}"#.to_owned())),
            ..Patch::default()
        };
        assert_eq!(patch.ok(), Some(wanted));
        let cleared = Patch::parse(r#"{"result":null}"#).ok();
        assert_eq!(cleared, Some(Patch { result: Some(None), ..Patch::default() }));
        assert_eq!(Patch::parse("{}").ok(), Some(Patch::default()));
    }

    #[test]
    fn each_value_is_judged_with_its_path_and_its_bound() {
        let bounds = Bounds { reference_bytes: 3, result_bytes: 8, ..Bounds::default() };
        let judged = |patch: Patch| {
            patch.check(&bounds).map_err(|refused| (refused.path, refused.limit, refused.actual))
        };
        let stage =
            |count: usize| Patch { stage: Some(Some("😀".repeat(count))), ..Patch::default() };
        assert_eq!(judged(stage(64)), Ok(()));
        assert_eq!(judged(stage(65)), Err((Some("/stage".into()), Some(64), Some(65))));
        let error = Patch { error: Some(Some("é".repeat(257))), ..Patch::default() };
        assert_eq!(judged(error), Err((Some("/error".into()), Some(256), Some(257))));
        let reference = Patch { reference: Some("éé".into()), ..Patch::default() };
        assert_eq!(judged(reference), Err((Some("/backendReference".into()), Some(3), Some(4))));
        let result = Patch { result: Some(Some("{\"a\":12}x".into())), ..Patch::default() };
        assert_eq!(judged(result), Err((Some("/result".into()), Some(8), Some(9))));
        for progress in [-f64::MIN_POSITIVE, 1.0 + f64::EPSILON, f64::NAN, 2.0] {
            let patch = Patch { progress: Some(Some(progress)), ..Patch::default() };
            assert_eq!(judged(patch), Err((Some("/progress".into()), None, None)));
        }
    }

    #[test]
    fn a_decision_shows_its_note_where_the_outcome_shows_text() {
        for (state, stage, error) in [
            ("succeeded", Some(Some("n".to_owned())), None),
            ("failed", None, Some(Some("n".to_owned()))),
            ("cancelled", None, Some(Some("n".to_owned()))),
        ] {
            let text = format!(r#"{{"state":"{state}","note":"n"}}"#);
            let patch = Resolution::parse(&text).map(Resolution::into_patch).unwrap_or_default();
            assert_eq!((patch.stage, patch.error), (stage, error));
            assert_eq!(patch.state, State::parse(state));
        }
    }
}
