//! The canonical form of a JSON text (RFC 8785), and the digest of an input.

use sha2::{Digest, Sha256};

use super::json::{NotPlain, parse};
use crate::error::Reason;
use crate::operations::{Answer, Refused};

/// The canonical form of a JSON text: members by the UTF-16 code units of their names, numbers as
/// ECMAScript writes doubles. Refused as an input that is no JSON text, or nested too deeply.
pub fn canonical(text: &str) -> Answer<String> {
    parse(text)
        .and_then(|value| {
            serde_json_canonicalizer::to_string(&value).map_err(|_| NotPlain::Malformed)
        })
        .map_err(|why| {
            Box::new(Refused::new(Reason::InputRefused, format!("The input {why}")).at(""))
        })
}

/// Lower-case hex SHA-256 over scope and canonical payload, the byte length before each (64 bits,
/// big-endian), so that no two pairs share their bytes.
pub fn input_digest(scope: &str, text: &str) -> Answer<String> {
    let payload = canonical(text)?;
    let mut hash = Sha256::new();
    for part in [scope, &payload] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    Ok(hash.finalize().iter().flat_map(|byte| [byte >> 4, byte & 15]).map(hex).collect())
}

fn hex(digit: u8) -> char {
    char::from(b"0123456789abcdef"[usize::from(digit)])
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    // RFC 8785, appendix B: the bits of a double, and how it is written.
    const NUMBERS: &[(u64, &str)] = &[
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];

    #[test]
    fn numbers_are_written_as_in_appendix_b_whichever_way_they_come() {
        for (bits, text) in NUMBERS {
            let number = f64::from_bits(*bits);
            for given in [format!("{number:e}"), format!("{number}"), (*text).to_owned()] {
                assert_eq!(canonical(&given).unwrap(), *text, "{given}");
            }
        }
    }

    #[test]
    fn integers_past_the_safe_ones_are_the_doubles_next_to_them() {
        for (given, text) in [
            ("9007199254740991", "9007199254740991"),
            ("-9007199254740991", "-9007199254740991"),
            ("9007199254740993", "9007199254740992"),
            ("1152921504606847000", "1152921504606847000"),
            ("9223372036854775807", "9223372036854776000"),
            ("-9223372036854775808", "-9223372036854776000"),
            ("18446744073709552000", "18446744073709552000"),
            ("18446744073709551615", "18446744073709552000"),
            ("295147905179352830000", "295147905179352830000"),
            ("1000000000000000000000", "1e+21"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("1e308", "1e+308"),
        ] {
            assert_eq!(canonical(given).unwrap(), text, "{given}");
        }
    }

    #[test]
    fn the_published_samples_are_written_as_published() {
        let values = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        let wanted = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(canonical(values).unwrap(), wanted);
        let sorting = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
        let wanted = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
        assert_eq!(canonical(sorting).unwrap(), wanted);
    }

    #[test]
    fn every_name_is_a_name_and_the_last_of_equal_ones_counts() {
        let given = r#"{"b":1,"__proto__":{"z":1,"a":2},"constructor":3,"b":{"":4}}"#;
        let wanted = r#"{"__proto__":{"a":2,"z":1},"b":{"":4},"constructor":3}"#;
        assert_eq!(canonical(given).unwrap(), wanted);
    }

    #[test]
    fn what_is_too_deep_or_no_json_is_refused_without_a_word_of_it() {
        let deep = format!("{}{}", "[".repeat(129), "]".repeat(129));
        for bad in [&*deep, r#"{"secret": }"#, "", "1e400"] {
            let refused = canonical(bad).unwrap_err();
            assert_eq!((refused.reason, refused.path.as_deref()), (Reason::InputRefused, Some("")));
            assert!(!refused.message.contains("secret"));
            assert_eq!(input_digest("s", bad).unwrap_err(), refused);
        }
        assert!(canonical(&format!("{}{}", "[".repeat(128), "]".repeat(128))).is_ok());
    }

    #[test]
    fn digests_stay_what_they_were() {
        // By node:crypto over the same bytes.
        for (scope, text, wanted) in [
            ("", "{}", "9293134d2f3453708cb9b5f1264504d96eb154dee855f5d511a0a96b12393c11"),
            (
                "scope",
                r#"{"b":[1,2e0],"a":"é"}"#,
                "22d9e495142735fedfc674c8b3e5ef91dd66ac0b4da03d31eb1fee87cf8aba1b",
            ),
            (
                "é😀",
                r#"{"n":1e21,"😀":null,"\ufb33":-0}"#,
                "625d2081f0f86d8ca1e236850bf6de80f37579470eb4b5b4b61a0f00620e73b7",
            ),
        ] {
            assert_eq!(input_digest(scope, text).unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn bytes_cut_elsewhere_are_another_digest() {
        let mut seen = std::collections::HashSet::new();
        for scope in ["", "{", "{}", r#"{"a":1}"#, "a", "aa", "{}{}"] {
            for text in ["{}", r#"{"a":1}"#, r#"{"a":"1"}"#, r#"{"a":null}"#, r#"{"A":1}"#] {
                assert!(seen.insert(input_digest(scope, text).unwrap()), "{scope} {text}");
            }
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 6, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..6).prop_map(Value::from),
                vec((".{0,4}", inner), 0..6).prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    fn written(value: &Value, backwards: bool) -> String {
        match value {
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| written(item, backwards)).collect();
                format!("[{}]", items.join(" ,\n"))
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| format!("{} : {}", json!(name), written(value, backwards)))
                    .collect();
                if backwards {
                    members.reverse();
                }
                format!("{{{}}}", members.join(", "))
            }
            _ => value.to_string(),
        }
    }

    proptest! {
        #[test]
        fn the_order_of_members_and_the_space_between_change_nothing(value in values()) {
            let (there, back) = (written(&value, false), written(&value, true));
            prop_assert_eq!(canonical(&there).unwrap(), canonical(&back).unwrap());
            prop_assert_eq!(input_digest("s", &there).unwrap(), input_digest("s", &back).unwrap());
        }

        #[test]
        fn the_canonical_form_is_its_own(value in values()) {
            let once = canonical(&value.to_string()).unwrap();
            prop_assert_eq!(canonical(&once).unwrap(), once);
        }
    }
}
