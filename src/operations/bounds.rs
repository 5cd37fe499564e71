//! The bounds of a journal and of its logs.

use serde::Serialize;

macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident $wire:literal = $initial:literal from $least:literal to $most:literal,)*) => {
        /// What a journal admits; each bound admits its own value.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub struct Bounds {
            $($(#[$doc])* #[serde(rename = $wire)] pub $name: u64,)*
            /// How long an operation may run, from its first running transition on, in seconds.
            #[serde(rename = "maxRuntimeSeconds", serialize_with = "seconds")]
            pub max_runtime_seconds: Option<f64>,
        }

        impl Default for Bounds {
            fn default() -> Self {
                Self { $($name: $initial,)* max_runtime_seconds: None }
            }
        }

        impl Bounds {
            /// Name, default, minimum and maximum of each whole bound, as callers name them.
            pub const RANGES: &'static [(&'static str, u64, u64, u64)] =
                &[$(($wire, $initial, $least, $most),)*];

            /// Sets a bound by the name that callers give it. False if there is none, or the value is
            /// out of range.
            pub fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $($wire => {
                        let fits = value.fract() == 0.0
                            && ($least as f64..=$most as f64).contains(&value);
                        if fits {
                            self.$name = value as u64;
                        }
                        fits
                    })*
                    "maxRuntimeSeconds" => {
                        let fits = MAX_RUNTIME.contains(&value);
                        if fits {
                            self.max_runtime_seconds = Some(value);
                        }
                        fits
                    }
                    _ => false,
                }
            }
        }
    };
}

/// The range of `maxRuntimeSeconds`, in which fractions are allowed.
pub const MAX_RUNTIME: std::ops::RangeInclusive<f64> = 1.0..=31_536_000.0;

// A whole number of seconds is written as callers wrote it.
fn seconds<S: serde::Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        None => to.serialize_none(),
        Some(seconds) if seconds.fract() == 0.0 => to.serialize_u64(*seconds as u64),
        Some(seconds) => to.serialize_f64(*seconds),
    }
}

bounds! {
    /// Waiting rows per scope.
    max_queued "maxQueued" = 1_000 from 1 to 1_000_000,
    /// Entries of the fence, over all scopes.
    max_reservations "maxReservations" = 100_000 from 1 to 10_000_000,
    /// Terminal rows kept per scope.
    retain "retain" = 1_000 from 1 to 1_000_000,
    /// Bytes of an input.
    input_bytes "inputBytes" = 262_144 from 2 to 16_777_216,
    /// Bytes of input and result together up to which a status carries the input.
    input_echo_bytes "inputEchoBytes" = 65_536 from 0 to 16_777_216,
    /// Bytes of a result.
    result_bytes "resultBytes" = 262_144 from 2 to 16_777_216,
    /// Bytes of a backend reference.
    reference_bytes "referenceBytes" = 512 from 1 to 4_096,
    /// Rows of a page.
    page_size "pageSize" = 50 from 1 to 1_000,
    /// Bytes of the JSON text of a page.
    frame_bytes "frameBytes" = 1_048_576 from 8_192 to 67_108_864,
    /// Bytes of a log.
    log_bytes "logBytes" = 1_048_576 from 1 to 1_073_741_824,
    /// Bytes of a slice of a log.
    log_slice_bytes "logSliceBytes" = 65_536 from 4 to 16_777_216,
}

#[cfg(test)]
mod tests {
    use super::Bounds;

    #[test]
    fn each_bound_takes_its_least_and_its_greatest_value_and_nothing_beyond() {
        for (name, _, least, most) in Bounds::RANGES {
            let mut bounds = Bounds::default();
            assert!(bounds.set(name, *least as f64) && bounds.set(name, *most as f64), "{name}");
            for wrong in [*least as f64 - 1.0, *most as f64 + 1.0, *least as f64 + 0.5, f64::NAN] {
                let before = bounds.clone();
                assert!(!bounds.set(name, wrong), "{name} {wrong}");
                assert_eq!(bounds, before);
            }
        }
        let mut bounds = Bounds::default();
        assert!(bounds.set("maxRuntimeSeconds", 1.5) && !bounds.set("maxRuntimeSeconds", 0.9));
        assert!(!bounds.set("other", 1.0));
    }

    #[test]
    fn the_defaults_are_those_of_the_ranges() {
        let written = serde_json::to_value(Bounds::default()).unwrap_or_default();
        for (name, initial, _, _) in Bounds::RANGES {
            assert_eq!(written.get(name).and_then(serde_json::Value::as_u64), Some(*initial));
        }
        assert!(written["maxRuntimeSeconds"].is_null());
    }
}
