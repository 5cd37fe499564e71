//! The form of records, byte by byte.

use super::{
    Entry, counters_record, fence_key, read_counters, read_entry, read_pair, read_row, read_value,
    row_record, sealed, sealed_json, split_key, unsealed,
};
use crate::operations::contract::{State, Submission};
use crate::operations::journal::book::Counters;
use crate::operations::journal::row::{Kept, Row};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn row() -> Row {
    Row {
        scope: "s".into(),
        operation_id: "a".into(),
        digest: "d".into(),
        state: State::Queued,
        submission: Submission::Pending,
        progress: None,
        stage: None,
        error: None,
        reference: None,
        cancel: false,
        submitted_at: 1,
        updated_at: 2,
        started_at: None,
        ended: None,
        input: Kept { key: 3, bytes: 2 },
        result: None,
        stale: false,
    }
}

// docs/journal-format.md has the same bytes: a file that was written is read for ever.
#[test]
fn records_stay_what_they_were() {
    let record = row_record(7, &row());
    let body = concat!(
        r#"{"scope":"s","operationId":"a","digest":"d","state":"queued","#,
        r#""submission":"pending","submittedAt":1,"updatedAt":2,"input":{"key":3,"bytes":2}}"#
    );
    assert_eq!(hex(&record[..8]), "c0c22a6ac1f22b82");
    assert_eq!(&record[8..], body.as_bytes());
    assert_eq!(read_row(7, &record), Some(row()));
    assert_eq!(hex(&sealed(&3_u64.to_le_bytes(), b"{}")), "f2a2df0fa82ce1127b7d");
    let key = fence_key("s", "a");
    assert_eq!(hex(&key), "00017361");
    let entry = Entry { row: 7, digest: None, gone: None };
    assert_eq!(hex(&sealed_json(&key, &entry)), "a7f3c0dc7f5404de7b22726f77223a377d");
    let counters = Counters { row: 8, ended: 1, value: 4, retired: 1 };
    assert_eq!(
        hex(&counters_record(counters)),
        "3272eafbb83669a40800000000000000010000000000000004000000000000000100000000000000"
    );
    assert_eq!(read_counters(&counters_record(counters)), Some(counters));
}

#[test]
fn members_that_a_row_lacks_are_none_and_those_that_nobody_knows_are_passed_over() {
    let whole = Row {
        progress: Some(0.1 + 0.2),
        stage: Some("\u{1}".into()),
        error: Some("é".into()),
        reference: Some("r".into()),
        cancel: true,
        started_at: Some(1),
        ended: Some(9),
        result: Some(Kept { key: 4, bytes: 5 }),
        ..row()
    };
    assert_eq!(read_row(1, &row_record(1, &whole)), Some(whole));
    let key = 1_u64.to_le_bytes();
    let mut body = serde_json::to_value(row()).unwrap_or_default();
    body["later"] = serde_json::json!({ "a": [1] });
    assert_eq!(read_row(1, &sealed(&key, body.to_string().as_bytes())), Some(row()));
}

#[test]
fn a_record_is_read_under_its_own_key_and_as_it_was_written_only() {
    let record = row_record(7, &row());
    assert_eq!(read_row(8, &record), None);
    for bit in 0..record.len() * 8 {
        let mut damaged = record.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(read_row(7, &damaged), None, "bit {bit}");
    }
    for length in 0..record.len() {
        assert_eq!(read_row(7, &record[..length]), None, "{length} bytes");
    }
    let key = 7_u64.to_le_bytes();
    assert_eq!(unsealed(&key, &sealed(&key, b"")), Some(&b""[..]));
    for body in [&b"{}"[..], b"[", b"\xff", b""] {
        let sealed = sealed(&key, body);
        assert_eq!((read_row(7, &sealed), read_pair(7, &sealed)), (None, None));
        assert_eq!(read_entry(&key, &sealed), None);
        assert_eq!(read_value(7, &sealed).is_some(), std::str::from_utf8(body).is_ok());
    }
}

#[test]
fn keys_of_the_fence_are_taken_apart_as_they_were_put_together() {
    for (scope, id) in [("", "a"), ("s", "a"), ("é", "😀"), ("0", ":"), (&"s".repeat(512), "x")]
    {
        assert_eq!(split_key(&fence_key(scope, id)), Some((scope, id)));
    }
    for bad in [&b""[..], b"\0", b"\0\x05abc", b"\0\x01\xffa", b"\0\x01a\xff"] {
        assert_eq!(split_key(bad), None, "{bad:?}");
    }
}
