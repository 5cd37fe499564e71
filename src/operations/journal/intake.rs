//! The lines of an export, judged one by one and written to the tables of a new journal.

use hashbrown::HashSet;
use redb::WriteTransaction;

use super::book::Counters;
use super::lines::{
    Counts, END, End, HEAD, Head, Kind, LEFT, LINES, Left, OPERATION, Operation, RETIRED, Retired,
    check_names, check_time, value_text,
};
use super::row::Kept;
use super::tables::{Entry, Tables};
use crate::error::Reason;
use crate::operations::values::is_identifier;
use crate::refused::{Answer, Refused};
use crate::store::{Durability, Engine, Worked};

/// A line that is longer holds no operation.
const LONGEST: usize = 64 << 20;

/// Where in the text it is; each part comes after those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    #[default]
    Start,
    Operations,
    Left,
    Retired,
    End,
}

/// Reads the text, line by line, into the tables of a new journal.
#[derive(Default)]
pub(super) struct Reader {
    /// Of the line that is read next, less one.
    line: u64,
    /// What follows the last line break.
    rest: String,
    part: Part,
    counters: Counters,
    counts: Counts,
    /// Of the last line of its part.
    last: u64,
    rows: HashSet<u64>,
    ended: HashSet<u64>,
}

impl Reader {
    /// Takes the next piece; what follows its last line break waits for the next one.
    pub(super) fn take(&mut self, engine: &Engine, text: &str) -> Answer<()> {
        let Some((first, more)) = text.split_once('\n') else {
            self.rest.push_str(text);
            return if self.rest.len() > LONGEST {
                Err(self.bad("it is too long"))
            } else {
                Ok(())
            };
        };
        let mut first_line = std::mem::take(&mut self.rest);
        first_line.push_str(first);
        let (lines, rest) =
            more.rsplit_once('\n').map_or(("", more), |(lines, rest)| (lines, rest));
        let lines = more.contains('\n').then(|| lines.split('\n'));
        let all = std::iter::once(&*first_line).chain(lines.into_iter().flatten());
        let taken = engine.write(Durability::Eventual, |transaction| {
            let read = self.read_all(transaction, all)?;
            let sound = read.is_ok();
            Ok((read, sound))
        })?;
        taken?;
        rest.clone_into(&mut self.rest);
        Ok(())
    }

    /// There is no more: everything is on the disk, if the text came to its end.
    pub(super) fn finish(&mut self, engine: &Engine) -> Answer<()> {
        if !self.rest.is_empty() {
            self.take(engine, "\n")?;
        }
        self.line += 1;
        if self.part != Part::End {
            return Err(self.bad("the export ends before its end"));
        }
        engine.write(Durability::Immediate, |transaction| {
            Tables::open(transaction)?.put_counters(self.counters)?;
            Ok(((), true))
        })?;
        Ok(())
    }

    fn bad(&self, why: &str) -> Box<Refused> {
        let message = format!("Line {} of the export: {why}", self.line.max(1));
        Box::new(Refused::new(Reason::JournalCorrupt, message))
    }

    fn read_all<'a>(
        &mut self,
        transaction: &WriteTransaction,
        lines: impl Iterator<Item = &'a str>,
    ) -> Worked<Answer<()>> {
        let mut tables = Tables::open(transaction)?;
        for line in lines {
            self.line += 1;
            let line = line.strip_suffix('\r').unwrap_or(line);
            match self.read(&mut tables, line)? {
                Ok(()) => {}
                Err(Wrong::Newer(format)) => {
                    let message =
                        format!("The export is of format {format}; this version knows {LINES}");
                    return Ok(Err(Box::new(Refused::new(Reason::JournalVersion, message))));
                }
                Err(Wrong::Line(why)) => return Ok(Err(self.bad(&why))),
            }
        }
        Ok(Ok(()))
    }

    fn read(&mut self, tables: &mut Tables<'_>, line: &str) -> Worked<Result<(), Wrong>> {
        let Kind { kind } = match serde_json::from_str(line) {
            Ok(kind) => kind,
            Err(error) => return Ok(Err(error.into())),
        };
        match &*kind {
            HEAD => Ok(self.head(line)),
            OPERATION => self.operation(tables, line),
            LEFT => self.left(tables, line),
            RETIRED => self.retired(tables, line),
            END => Ok(self.end(line)),
            _ => Ok(Err("its type is unknown".into())),
        }
    }

    /// Enters a part, if it comes now.
    fn enter(&mut self, part: Part) -> Result<(), Wrong> {
        if self.part == Part::Start || part < self.part || self.part == Part::End {
            return Err("it is not where it belongs".into());
        }
        if part > self.part {
            (self.part, self.last) = (part, 0);
        }
        Ok(())
    }

    fn head(&mut self, line: &str) -> Result<(), Wrong> {
        if self.part != Part::Start {
            return Err("it is not where it belongs".into());
        }
        // A later format may have more members.
        #[derive(serde::Deserialize)]
        struct Format {
            format: u32,
        }
        let Format { format } = serde_json::from_str(line)?;
        if format > LINES {
            return Err(Wrong::Newer(format));
        }
        let head: Head<'_> = serde_json::from_str(line)?;
        let (row, ended, retired) = (head.next_row, head.next_ended, head.next_retired);
        if format == 0 || row == 0 || ended == 0 || retired == 0 {
            return Err("its numbers begin with 1".into());
        }
        self.part = Part::Operations;
        self.counters = Counters { row, ended, retired, ..Counters::default() };
        Ok(())
    }

    fn operation(&mut self, tables: &mut Tables<'_>, line: &str) -> Worked<Result<(), Wrong>> {
        let read = self.enter(Part::Operations).and_then(|()| {
            let operation: Operation<'_> = serde_json::from_str(line)?;
            if operation.row <= self.last || operation.row >= self.counters.row {
                return Err("its row is out of order".into());
            }
            if let Some(ended) = operation.ended
                && (ended == 0 || ended >= self.counters.ended || !self.ended.insert(ended))
            {
                return Err("its place in the order of ending is taken or out of range".into());
            }
            let input = operation.input.map(value_text).transpose()?;
            let result = operation.result.map(|result| result.map(value_text).transpose());
            let result = result.transpose()?;
            let mut kept = |text: &Option<String>| {
                let key = self.counters.value;
                self.counters.value += 1;
                Kept { key, bytes: text.as_ref().map_or(0, String::len) as u64 }
            };
            let input_kept = kept(&input);
            let result_kept = result.as_ref().map(kept);
            let row = operation.row(input_kept, result_kept)?;
            Ok((operation.row, row, input, result.flatten()))
        });
        let (number, row, input, result) = match read {
            Ok(read) => read,
            Err(wrong) => return Ok(Err(wrong)),
        };
        if tables.entry(&row.scope, &row.operation_id)?.is_some() {
            return Ok(Err("its operation is there already".into()));
        }
        for (kept, text) in [(Some(row.input), input), (row.result, result)] {
            if let (Some(kept), Some(text)) = (kept, text) {
                tables.put_value(kept, &text)?;
            }
        }
        tables.put_row(number, &row)?;
        let entry = Entry { row: number, digest: None, gone: None };
        tables.put_entry(&row.scope, &row.operation_id, &entry)?;
        self.last = number;
        self.rows.insert(number);
        self.counts.operations += 1;
        Ok(Ok(()))
    }

    fn left(&mut self, tables: &mut Tables<'_>, line: &str) -> Worked<Result<(), Wrong>> {
        let read = self.enter(Part::Left).and_then(|()| {
            let left: Left<'_> = serde_json::from_str(line)?;
            check_names(&left.scope, &left.operation_id)?;
            check_time(left.finished_at.unwrap_or(0))?;
            if left.input_digest.is_some() != left.finished_at.is_some() {
                return Err("a digest and a time come together".into());
            }
            if left.input_digest.as_deref().is_some_and(|digest| !is_identifier(digest)) {
                return Err("its digest is none".into());
            }
            // 0 is a row that nobody knows any more.
            if left.row >= self.counters.row || (left.row > 0 && !self.rows.insert(left.row)) {
                return Err("its row is taken or out of range".into());
            }
            Ok(left)
        });
        let left = match read {
            Ok(left) => left,
            Err(wrong) => return Ok(Err(wrong)),
        };
        if tables.entry(&left.scope, &left.operation_id)?.is_some() {
            return Ok(Err("its operation is there already".into()));
        }
        let digest = left.input_digest.as_deref().map(Into::into);
        // Its end is not known, so that it may be forgotten at any time.
        let gone = Some(left.finished_at.unwrap_or(0));
        let entry = Entry { row: left.row, digest, gone };
        tables.put_entry(&left.scope, &left.operation_id, &entry)?;
        self.counts.left += 1;
        Ok(Ok(()))
    }

    fn retired(&mut self, tables: &mut Tables<'_>, line: &str) -> Worked<Result<(), Wrong>> {
        let read = self.enter(Part::Retired).and_then(|()| {
            let retired: Retired<'_> = serde_json::from_str(line)?;
            check_names(&retired.scope, &retired.operation_id)?;
            if retired.number <= self.last || retired.number >= self.counters.retired {
                return Err("its number is out of order".into());
            }
            Ok(retired)
        });
        let retired = match read {
            Ok(retired) => retired,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let entry = tables.entry(&retired.scope, &retired.operation_id)?.flatten();
        if entry.is_some_and(|entry| entry.gone.is_none()) {
            return Ok(Err("its operation is in the history".into()));
        }
        tables.put_pair(retired.number, &retired.scope, &retired.operation_id)?;
        self.last = retired.number;
        self.counts.retired += 1;
        Ok(Ok(()))
    }

    fn end(&mut self, line: &str) -> Result<(), Wrong> {
        self.enter(Part::End)?;
        let end: End<'_> = serde_json::from_str(line)?;
        let Counts { operations, left, retired, .. } = self.counts;
        if (end.operations, end.left, end.retired) != (operations, left, retired) {
            return Err("it counts other lines than there are".into());
        }
        Ok(())
    }
}

/// What is wrong with a line.
enum Wrong {
    /// The format of what is read.
    Newer(u32),
    Line(String),
}

impl From<&str> for Wrong {
    fn from(why: &str) -> Self {
        Self::Line(why.to_owned())
    }
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        // Its own line and column are of this one line.
        let words = error.to_string();
        let why = words.rsplit_once(" at line ").map_or(&*words, |(why, _)| why);
        Self::Line(format!("{why}, at column {}", error.column()))
    }
}
