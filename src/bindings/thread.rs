//! What belongs to one JavaScript environment.

use std::time::Duration;

use hashbrown::HashMap;
use slab::Slab;

use super::durable::Durable;
use super::raw::{Numbers, Waker};
use crate::ownership::{Effect, Realm, Wake};
use crate::permits::Limiter;
use crate::telemetry::{self, SinkId};
use crate::text::Text;

/// How long the end of an environment waits for the log.
const LOG_PATIENCE: Duration = Duration::from_millis(500);

/// The realm, the limiters, the logger, and a list that the last call has answered with.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) realm: Realm,
    pub(super) limiters: Slab<Limiter>,
    pub(super) sink: Option<SinkId>,
    pub(super) durable: Durable,
    list: Vec<u32>,
    wakers: HashMap<u32, Waker>,
}

impl Thread {
    /// Whether the face has to look for effects or log events before it returns.
    pub(super) fn is_pending(&self) -> bool {
        !self.realm.effects.is_empty() || (self.sink.is_some() && telemetry::pending_here())
    }

    pub(super) fn open_core(&mut self, scope: Option<Text>, waker: Option<Waker>) -> u32 {
        let wake = waker.clone().map(|waker| Box::new(waker) as Box<dyn Wake>);
        let core = self.realm.open_core(scope, wake);
        if let Some(waker) = waker {
            self.wakers.insert(core, waker);
        }
        core
    }

    /// Nothing is left to deliver.
    pub(super) fn rest(&self, core: u32) {
        if let Some(waker) = self.wakers.get(&core) {
            waker.rest();
        }
    }

    /// The loop has run empty: what other threads have posted meanwhile keeps it alive until taken, which
    /// only this thread can see to.
    pub(super) fn keep_waiting(&self) -> bool {
        let mut waits = false;
        for (core, waker) in &self.wakers {
            if self.realm.has_deliveries(*core) {
                waker.keep();
                waits = true;
            }
        }
        waits
    }

    pub(super) fn close_end(&mut self, core: u32) -> Vec<u32> {
        let ended = self.realm.close_end(core);
        if let Some(waker) = self.wakers.remove(&core) {
            waker.release();
        }
        ended
    }

    /// Answers with a list: as much as fits is written, all of it is kept for [`Thread::last_list`].
    pub(super) fn answer(&mut self, list: Vec<u32>, mut to: Numbers) -> u32 {
        to.fill(&list);
        self.keep(list)
    }

    /// Keeps a list for [`Thread::last_list`]. Returns its length.
    pub(super) fn keep(&mut self, list: Vec<u32>) -> u32 {
        self.list = list;
        self.list.len() as u32
    }

    /// The last list, for a face whose array was too short.
    pub(super) fn last_list(&self, mut to: Numbers) {
        to.fill(&self.list);
    }

    /// The one effect since the last drain, packed; -1 when there are more, -2 when there is none.
    pub(super) fn drain_one(&mut self) -> f64 {
        match self.realm.effects.as_slice() {
            [] => -2.0,
            [effect] => {
                let packed = effect.packed();
                self.realm.effects.clear();
                packed
            }
            _ => -1.0,
        }
    }

    /// The effects since the last drain, three numbers each.
    pub(super) fn drain(&mut self, to: Numbers) -> u32 {
        let effects = std::mem::take(&mut self.realm.effects);
        self.answer(effects.into_iter().flat_map(Effect::numbers).collect(), to)
    }

    /// The environment ends.
    pub(super) fn end(&mut self) {
        self.realm.end();
        self.durable.end();
        if let Some(sink) = self.sink.take() {
            telemetry::detach(sink);
        }
        // Their functions end with the environment, which has taken them out already.
        self.wakers.clear();
        // What was told last is printed, unless nobody reads it.
        telemetry::flush(LOG_PATIENCE);
    }
}
