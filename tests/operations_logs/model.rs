//! Random calls over two handles, against a model that holds strings.

use std::collections::HashMap;

use proptest::prelude::*;
use tenure::operations::logs::{LogHandle, LogSlice};

use super::kit::{bounds, nobody, open_with};

#[derive(Clone, Debug)]
enum Op {
    Append { handle: usize, log: usize, line: String, later: bool },
    Retire { handle: usize, log: usize, later: bool },
    Read { handle: usize, log: usize, offset: u64 },
    Reopen { handle: usize, close: bool },
}

const LOGS: [(&str, &str); 4] = [("", "a"), ("", "A"), ("s", "a"), ("", "sa")];
const BYTES: [u64; 2] = [60, 90];
const SLICE_BYTES: [u64; 2] = [4, 23];

fn line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec!["a", "bc", "\n", "\r", "é", "€", "😀", "\0", " "]);
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

fn op() -> impl Strategy<Value = Op> {
    let (handle, log) = (0..2_usize, 0..LOGS.len());
    let line = line();
    prop_oneof![
        10 => (handle.clone(), log.clone(), line, any::<bool>())
            .prop_map(|(handle, log, line, later)| Op::Append { handle, log, line, later }),
        1 => (handle.clone(), log.clone(), any::<bool>())
            .prop_map(|(handle, log, later)| Op::Retire { handle, log, later }),
        6 => (handle.clone(), log, 0..100_u64)
            .prop_map(|(handle, log, offset)| Op::Read { handle, log, offset }),
        1 => (handle, any::<bool>()).prop_map(|(handle, close)| Op::Reopen { handle, close }),
    ]
}

#[derive(Default)]
struct Kept {
    text: String,
    truncated: bool,
}

impl Kept {
    fn append(&mut self, line: &str, most: u64) {
        let record = line.replace('\r', "\\r").replace('\n', "\\n") + "\n";
        self.truncated |= (self.text.len() + record.len()) as u64 > most;
        if !self.truncated {
            self.text.push_str(&record);
        }
    }

    fn read(&self, offset: u64, most: u64) -> LogSlice {
        let mut from = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let mut to = (from + most as usize).min(self.text.len());
        while !self.text.is_char_boundary(to) {
            to -= 1;
        }
        LogSlice {
            offset: from as u64,
            next_offset: to as u64,
            truncated: self.truncated,
            text: self.text[from..to].to_owned(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn two_handles_behave_as_one_list_of_lines(
        ops in prop::collection::vec(op(), 1..60),
    ) {
        let directory = tempfile::tempdir()?;
        let opened = |handle: usize| {
            open_with(directory.path(), bounds(BYTES[handle], SLICE_BYTES[handle]))
        };
        let mut handles: [LogHandle; 2] = [opened(0), opened(1)];
        let mut model: HashMap<usize, Kept> = HashMap::new();
        for op in ops {
            match op {
                Op::Append { handle, log, line, later } => {
                    let (scope, id) = LOGS[log];
                    if later {
                        handles[handle].append_later(scope, id, &line, nobody());
                    } else {
                        prop_assert_eq!(handles[handle].append(scope, id, &line), Ok(()));
                    }
                    model.entry(log).or_default().append(&line, BYTES[handle]);
                }
                Op::Retire { handle, log, later } => {
                    let (scope, id) = LOGS[log];
                    if later {
                        handles[handle].retire_later(scope, id, nobody());
                    } else {
                        prop_assert_eq!(handles[handle].retire(scope, id), Ok(()));
                    }
                    model.remove(&log);
                }
                Op::Read { handle, log, offset } => {
                    let (scope, id) = LOGS[log];
                    let expected = model.entry(log).or_default().read(offset, SLICE_BYTES[handle]);
                    prop_assert_eq!(handles[handle].read(scope, id, offset), Ok(expected));
                }
                Op::Reopen { handle, close } => {
                    if close {
                        prop_assert_eq!(handles[handle].close(), Ok(()));
                    }
                    handles[handle] = opened(handle);
                }
            }
        }
        for (log, (scope, id)) in LOGS.into_iter().enumerate() {
            let expected = model.entry(log).or_default().read(0, SLICE_BYTES[1]);
            prop_assert_eq!(handles[1].read(scope, id, 0), Ok(expected));
        }
    }
}
