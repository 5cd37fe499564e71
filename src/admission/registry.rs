//! The active operations of one scope, behind one lock.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use tracing::field::display;
use tracing::{Level, debug, enabled, error, info};

use super::{Filter, Refusal, Registration};
use crate::sync::Mutex;
use crate::text::Text;

const TARGET: &str = "tenure::admission";

/// The active operations of one scope.
///
/// Every call is one step under one lock. A panic inside a step breaks the registry for good:
/// `reserve` refuses with [`Refusal::Internal`], look-ups find nothing and nothing is released.
#[derive(Debug, Default)]
pub struct Registry {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By lease, which is also the order of admission.
    entries: BTreeMap<u64, Entry>,
    by_operation: HashMap<Text, u64>,
    by_key: HashMap<Text, u64>,
    last_lease: u64,
    closed: bool,
}

#[derive(Debug)]
struct Entry {
    member: u32,
    registration: Registration,
    /// Without repeats.
    keys: Vec<Text>,
}

impl Registry {
    /// A registry without operations, open for admission.
    pub fn new() -> Self {
        Self::default()
    }

    /// Admits an operation of `member` with all of `keys`, or refuses it and changes nothing.
    ///
    /// Held keys are judged first, in the order given, then the operation id. A repeated key counts
    /// once. The lease is a number from 1 that this registry never gives out again.
    pub fn reserve(
        &self,
        member: u32,
        registration: Registration,
        keys: Vec<Text>,
    ) -> Result<u64, Refusal> {
        let told = enabled!(target: TARGET, Level::DEBUG).then(|| registration.clone());
        let outcome = match self.state.lock() {
            Ok(mut state) => state.admit(member, registration, keys),
            Err(_) => Err(Refusal::Internal),
        };
        if let Some(registration) = told {
            tell_reserve(&registration, &outcome);
        }
        if outcome == Err(Refusal::Internal) {
            error!(target: TARGET, "the registry was broken by a fault");
        }
        outcome
    }

    /// Ends the registration of this lease: false if it has ended before. A lease can never end
    /// another registration, not even a later one with the same operation id.
    pub fn release(&self, lease: u64) -> bool {
        let ended = self.step(|state| state.remove(lease));
        if let Some(entry) = &ended {
            tell_end(lease, entry, "operation released");
        }
        ended.is_some()
    }

    /// The registration of an active operation.
    pub fn get(&self, operation_id: &[u16]) -> Option<Registration> {
        self.step(|state| {
            let lease = state.by_operation.get(operation_id)?;
            state.entries.get(lease).map(|entry| entry.registration.clone())
        })
    }

    /// The registrations that `filter` admits, in order of admission.
    pub fn list(&self, filter: &Filter) -> Vec<Registration> {
        self.step(|state| {
            let registrations = state.entries.values().map(|entry| &entry.registration);
            registrations.filter(|registration| filter.admits(registration)).cloned().collect()
        })
    }

    /// Ends every registration and refuses every later reservation.
    pub fn close(&self) {
        let ended = self.step(|state| {
            let first = !std::mem::replace(&mut state.closed, true);
            first.then(|| state.clear())
        });
        if let Some(ended) = ended {
            info!(target: TARGET, operations = ended.len(), "admission closed");
            for (lease, entry) in &ended {
                tell_end(*lease, entry, "operation ended: admission was closed");
            }
        }
    }

    /// Ends every registration of a member that is no more.
    pub fn end_member(&self, member: u32) {
        let ended = self.step(|state| state.remove_member(member));
        for (lease, entry) in &ended {
            tell_end(*lease, entry, "operation ended: its member ended");
        }
    }

    /// How many operations are active.
    pub fn len(&self) -> usize {
        self.step(|state| state.entries.len())
    }

    /// Whether no operation is active.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a fault of ours broke the registry, so that what look-ups answer means nothing.
    pub fn is_broken(&self) -> bool {
        self.state.lock().is_err()
    }

    fn step<T: Default>(&self, step: impl FnOnce(&mut State) -> T) -> T {
        self.state.lock().map(|mut state| step(&mut state)).unwrap_or_default()
    }
}

impl State {
    fn admit(
        &mut self,
        member: u32,
        registration: Registration,
        mut keys: Vec<Text>,
    ) -> Result<u64, Refusal> {
        if self.closed {
            return Err(Refusal::Closed);
        }
        for key in &keys {
            if let Some(entry) = self.by_key.get(key).and_then(|lease| self.entries.get(lease)) {
                return Err(Refusal::Busy { holder: entry.registration.clone(), key: key.clone() });
            }
        }
        if self.by_operation.contains_key(&registration.operation_id) {
            return Err(Refusal::Duplicate);
        }
        self.last_lease += 1;
        let lease = self.last_lease;
        keys.retain(|key| self.by_key.insert(key.clone(), lease).is_none());
        self.by_operation.insert(registration.operation_id.clone(), lease);
        self.entries.insert(lease, Entry { member, registration, keys });
        Ok(lease)
    }

    fn remove(&mut self, lease: u64) -> Option<Entry> {
        let entry = self.entries.remove(&lease)?;
        self.by_operation.remove(&entry.registration.operation_id);
        for key in &entry.keys {
            self.by_key.remove(key);
        }
        Some(entry)
    }

    fn remove_member(&mut self, member: u32) -> Vec<(u64, Entry)> {
        let of_member = self.entries.iter().filter(|(_, entry)| entry.member == member);
        let leases: Vec<u64> = of_member.map(|(lease, _)| *lease).collect();
        leases.into_iter().filter_map(|lease| Some((lease, self.remove(lease)?))).collect()
    }

    fn clear(&mut self) -> BTreeMap<u64, Entry> {
        self.by_operation = HashMap::new();
        self.by_key = HashMap::new();
        std::mem::take(&mut self.entries)
    }
}

// Keys are opaque, so they may hold anything: events name ids only. They are written when the lock
// is free again, since whoever listens may take its time.

fn tell_reserve(registration: &Registration, outcome: &Result<u64, Refusal>) {
    let Registration { operation_id, owner_id, session_id } = registration;
    let session_id = session_id.as_ref().map(display);
    match outcome {
        Ok(lease) => {
            debug!(target: TARGET, %operation_id, %owner_id, session_id, lease, "operation admitted");
        }
        Err(Refusal::Busy { holder, .. }) => {
            let holder_id = &holder.operation_id;
            debug!(target: TARGET, %operation_id, %owner_id, session_id, %holder_id, "operation refused: busy");
        }
        Err(Refusal::Duplicate) => {
            debug!(target: TARGET, %operation_id, %owner_id, session_id, "operation refused: duplicate");
        }
        Err(Refusal::Closed) => {
            debug!(target: TARGET, %operation_id, %owner_id, session_id, "operation refused: closed");
        }
        Err(Refusal::Internal) => {}
    }
}

fn tell_end(lease: u64, entry: &Entry, what: &'static str) {
    let Registration { operation_id, owner_id, session_id } = &entry.registration;
    let session_id = session_id.as_ref().map(display);
    debug!(target: TARGET, %operation_id, %owner_id, session_id, lease, "{what}");
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn registration(operation_id: &str) -> Registration {
        Registration {
            operation_id: operation_id.into(),
            owner_id: "owner".into(),
            session_id: None,
        }
    }

    fn keys(names: &[&str]) -> Vec<Text> {
        names.iter().map(|name| Text::from(*name)).collect()
    }

    fn remains(registry: &Registry) -> [usize; 3] {
        registry.step(|state| [state.entries.len(), state.by_operation.len(), state.by_key.len()])
    }

    fn break_by_a_fault(registry: &Registry) {
        let fault = catch_unwind(AssertUnwindSafe(|| {
            let _state = registry.state.lock();
            std::panic::resume_unwind(Box::new("a fault"));
        }));
        assert!(fault.is_err());
    }

    #[test]
    fn nothing_remains_of_operations_that_ended_in_any_way() {
        let registry = Registry::new();
        assert_eq!(registry.reserve(1, registration("a"), keys(&["k", "l", "k"])), Ok(1));
        assert_eq!(registry.reserve(2, registration("b"), keys(&["m"])), Ok(2));
        assert_eq!(registry.reserve(3, registration("c"), keys(&["n"])), Ok(3));
        assert_eq!(remains(&registry), [3, 3, 4]);
        assert!(registry.release(1));
        assert_eq!(remains(&registry), [2, 2, 2]);
        registry.end_member(2);
        assert_eq!(remains(&registry), [1, 1, 1]);
        registry.close();
        assert_eq!(remains(&registry), [0, 0, 0]);
    }

    #[test]
    fn a_refusal_leaves_nothing_behind() {
        let registry = Registry::new();
        assert_eq!(registry.reserve(1, registration("a"), keys(&["k"])), Ok(1));
        assert!(registry.reserve(1, registration("b"), keys(&["free", "k"])).is_err());
        assert!(registry.reserve(1, registration("a"), keys(&["free"])).is_err());
        assert_eq!(remains(&registry), [1, 1, 1]);
    }

    #[test]
    fn a_broken_registry_refuses_and_answers_nothing() {
        let registry = Registry::new();
        assert_eq!(registry.reserve(1, registration("a"), keys(&["k"])), Ok(1));
        assert!(!registry.is_broken());
        break_by_a_fault(&registry);
        assert!(registry.is_broken());
        assert_eq!(registry.reserve(1, registration("b"), Vec::new()), Err(Refusal::Internal));
        assert_eq!(registry.get(&Text::from("a")), None);
        assert_eq!(registry.list(&Filter::default()), []);
        assert!(!registry.release(1));
        registry.end_member(1);
        registry.close();
        assert_eq!(registry.reserve(1, registration("b"), Vec::new()), Err(Refusal::Internal));
    }
}
