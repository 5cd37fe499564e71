//! A journal and its model, held against each other after every step.

use std::path::PathBuf;
use std::sync::Arc;

use tenure::operations::Bounds;
use tenure::operations::journal::open::on_disk;
use tenure::operations::journal::{Call, Journal, JournalHandle, Watcher};
use tenure::store::Disk;

use super::compare::{Look, agree, parsed};
use super::kit::{close, compact, open, together, wanted};
use super::model::Model;
use super::script::{HOLDERS, IDS, SCOPES, Step};

/// Where the journal lives.
pub enum Home {
    Memory,
    Disk(Arc<dyn Disk>),
    File(PathBuf),
}

/// A watcher, the scope and the id that it watches, and what it is to be told in which order.
type Watching = (Arc<Watcher>, &'static str, Option<&'static str>, Vec<String>);

pub struct World {
    home: Home,
    pub handle: JournalHandle,
    pub model: Model,
    watchers: Vec<Watching>,
    steps: u64,
}

const WATCHED: [(&str, Option<&str>); 3] = [("", None), ("s", None), ("", Some("a"))];

pub fn bounds(retain: u64) -> Bounds {
    Bounds {
        max_queued: 3,
        max_reservations: 6,
        retain,
        input_bytes: 40,
        input_echo_bytes: 45,
        page_size: 3,
        frame_bytes: 8_192,
        ..Bounds::default()
    }
}

fn begin(home: &Home, bounds: Bounds) -> JournalHandle {
    match home {
        Home::Memory => JournalHandle::in_memory(bounds).unwrap(),
        Home::Disk(disk) => JournalHandle::of(on_disk(Arc::clone(disk), &wanted(bounds)).unwrap()),
        Home::File(path) => open(path, bounds),
    }
}

impl World {
    pub fn new(home: Home) -> Self {
        let handle = begin(&home, bounds(2));
        let mut world =
            Self { home, handle, model: Model::new(bounds(2)), watchers: Vec::new(), steps: 0 };
        world.watch();
        world
    }

    fn journal(&self) -> &Arc<Journal> {
        self.handle.journal().unwrap()
    }

    fn watch(&mut self) {
        self.watchers.clear();
        for (scope, id) in WATCHED {
            let watcher = self.handle.watch(scope, id, Box::new(|| {})).unwrap();
            self.watchers.push((watcher, scope, id, Vec::new()));
        }
    }

    pub fn step(&mut self, step: &Step) {
        self.steps += 1;
        match step {
            Step::Calls(calls) => {
                let gives: Vec<_> = calls.iter().map(|call| self.model.call(call)).collect();
                let answers = match &calls[..] {
                    [call] => vec![self.journal().call(call.clone())],
                    calls => together(self.journal(), calls.to_vec()),
                };
                for ((call, wanted), given) in calls.iter().zip(gives).zip(answers) {
                    assert!(agree(&wanted, &given), "{call:?}\nwanted {wanted:?}\ngave {given:?}");
                }
                self.offer();
            }
            Step::Reopen { retain } => {
                close(&self.handle);
                assert!(self.watchers.iter().all(|(watcher, ..)| watcher.is_over()));
                self.handle = begin(&self.home, bounds(*retain));
                self.model.reopen(bounds(*retain));
                self.watch();
            }
            Step::Compact => drop(compact(&self.handle).unwrap()),
            Step::Look(which) => self.look(*which),
        }
        self.compare();
    }

    fn offer(&mut self) {
        for (scope, id) in self.model.changes.drain(..) {
            for (_, watched, one, told) in &mut self.watchers {
                if scope == *watched && one.is_none_or(|one| one == id) && !told.contains(&id) {
                    told.push(id.clone());
                }
            }
        }
    }

    fn look(&mut self, which: usize) {
        let (watcher, scope, _, told) = &mut self.watchers[which];
        let next = watcher.next(self.handle.journal().unwrap()).unwrap();
        let wanted = loop {
            if told.is_empty() {
                break None;
            }
            let id = told.remove(0);
            if let Some(row) = self.model.find(scope, &id) {
                break Some(self.model.status(row));
            }
        };
        assert_eq!(next.map(|text| parsed(&text)), wanted);
    }

    fn compare(&self) {
        let look = Look { scopes: &SCOPES, ids: &IDS, turn: self.steps };
        assert_eq!(look.at(self.journal()), look.wanted(&self.model, "ok"));
    }

    /// The end of a sequence: everything is handed out, verified, and nothing is handed out again.
    pub fn end(mut self) {
        let drain = |holder| Call::Drain { holder };
        self.step(&Step::Calls(vec![drain(HOLDERS[0])]));
        self.step(&Step::Calls(vec![drain(HOLDERS[1]), drain(HOLDERS[1])]));
        assert_eq!(self.journal().verify(), Ok(Vec::new()));
        for which in 0..WATCHED.len() {
            for _ in 0..=IDS.len() {
                self.look(which);
            }
        }
        close(&self.handle);
    }
}
