//! The core and the model side by side: what slots are called in the model, and what calls have caused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use tenure::error::{Outcome, Reason};
use tenure::ownership::{Effect, Realm, Slot, Word};
use tenure::text::Text;

use super::kit::{Wakes, scope_name};
use super::model::{Error, Handle, Member, Model, SESSIONS, Session, Told};
use super::model_claims::Answer;
use super::model_stops::Sight;

pub type Step = Result<(), TestCaseError>;

pub struct World {
    pub model: Model,
    pub realms: Vec<Realm>,
    /// By member.
    pub cores: Vec<u32>,
    pub wakes: Vec<Wakes>,
    /// The session that each member looked up last, and its entry: the face remembers it as well.
    pub last: Vec<Option<(Session, u32)>>,
    pub slots: BTreeMap<Handle, Slot>,
    pub names: BTreeMap<(usize, Slot), Handle>,
    /// What sealed claims have left behind.
    pub words: BTreeMap<usize, Word>,
    /// Mutations that have heard that they may run.
    pub started: BTreeSet<usize>,
    /// Attempts whose starter has heard that they were lifted.
    pub lifted: BTreeSet<usize>,
    /// Loads: member, session, number, and whether it has ended.
    pub flights: Vec<(Member, Session, u32, bool)>,
    /// What the handle of an attempt that is over knows: whether an operation was opened in it.
    pub opened: BTreeMap<(usize, Member), bool>,
    /// The names that operations have for ever.
    pub operations: BTreeMap<usize, u32>,
    /// Registrations: member, lease, operation, key.
    pub leases: Vec<(Member, u64, u8, u8)>,
    scope: Option<Text>,
    errors: u32,
}

/// The ids of the sessions. The last one is a lone surrogate.
static IDS: LazyLock<[Text; SESSIONS]> =
    LazyLock::new(|| [Text::from("a"), Text::from("b"), Text::from_units(&[0xd800])]);

/// Names of runs, turns and the like, by their kind.
static NAMES: LazyLock<BTreeMap<char, Vec<Text>>> = LazyLock::new(|| {
    let numbered = |kind: char| (0..8).map(move |n| Text::from(format!("{kind}{n}").as_str()));
    "rtqlkowc".chars().map(|kind| (kind, numbered(kind).collect())).collect()
});

pub fn session_text(session: Session) -> Text {
    IDS[session].clone()
}

pub fn named(kind: char, number: u8) -> Text {
    NAMES[&kind][number as usize].clone()
}

pub fn route_text(route: Option<u8>) -> Option<Text> {
    route.map(|route| named('c', route))
}

pub fn error_text(error: Error) -> Option<Text> {
    error.map(|error| Text::from(format!("error {error}").as_str()))
}

/// An answer of the core as the model gives it: the reason and nothing else of a refusal.
pub fn plain<T>(answer: Outcome<T>) -> Answer<T> {
    answer.map_err(|refusal| refusal.reason)
}

impl World {
    pub fn new(shared: bool, members: usize, realms: usize) -> Self {
        let mut world = Self {
            model: Model::new(shared),
            realms: (0..realms).map(|_| Realm::default()).collect(),
            cores: Vec::new(),
            wakes: Vec::new(),
            last: Vec::new(),
            slots: BTreeMap::new(),
            names: BTreeMap::new(),
            words: BTreeMap::new(),
            started: BTreeSet::new(),
            lifted: BTreeSet::new(),
            flights: Vec::new(),
            opened: BTreeMap::new(),
            operations: BTreeMap::new(),
            leases: Vec::new(),
            scope: if shared { scope_name("model") } else { None },
            errors: 0,
        };
        (0..members).for_each(|_| world.join());
        world
    }

    pub fn join(&mut self) {
        let realm = self.cores.len() % self.realms.len();
        let wakes = Wakes::default();
        let core = self.realms[realm].open_core(self.scope.clone(), wakes.boxed());
        self.model.join(realm);
        self.cores.push(core);
        self.wakes.push(wakes);
        self.last.push(None);
    }

    pub fn realm(&mut self, member: Member) -> &mut Realm {
        &mut self.realms[self.model.members[member].realm]
    }

    pub fn entry(&mut self, member: Member, session: Session) -> u32 {
        if let Some((last, entry)) = self.last[member]
            && last == session
        {
            return entry;
        }
        let core = self.cores[member];
        let entry = self.realm(member).open(core, &session_text(session)).unwrap();
        self.last[member] = Some((session, entry));
        entry
    }

    /// A new error. Texts are passed only where they may have to cross.
    pub fn error(&mut self) -> Error {
        self.errors += 1;
        self.model.shared.then_some(self.errors)
    }

    pub fn slot(&self, handle: Handle) -> Slot {
        self.slots.get(&handle).copied().unwrap_or_else(|| panic!("{handle:?} has no slot"))
    }

    /// Slots of handles, in their order.
    pub fn slots_of(&self, handles: impl IntoIterator<Item = Handle>) -> Vec<Slot> {
        handles.into_iter().map(|handle| self.slot(handle)).collect()
    }

    /// A slot that the core has given to a handle.
    pub fn name(&mut self, member: Member, handle: Handle, slot: Slot) -> Step {
        let realm = self.model.members[member].realm;
        if let Some(before) = self.slots.get(&handle) {
            prop_assert_eq!(*before, slot, "{:?} was given another slot", handle);
            return Ok(());
        }
        let taken = self.names.insert((realm, slot), handle);
        let known = |handle: Handle| self.model.handles(member).contains(&handle);
        prop_assert!(!taken.is_some_and(known), "slot {} names {:?} already", slot, taken);
        self.slots.insert(handle, slot);
        Ok(())
    }

    /// Handles that the model knows no more free their slots.
    pub fn forget_gone(&mut self) {
        let members = 0..self.model.members.len();
        let known: BTreeSet<Handle> =
            members.flat_map(|member| self.model.handles(member)).collect();
        self.slots.retain(|handle, _| known.contains(handle));
        self.names.retain(|_, handle| known.contains(handle));
    }

    /// Ends a call of a member: what it caused is what the model says, and is acted on as the face does.
    pub fn finish(&mut self, member: Member) -> Step {
        loop {
            let told = self.compare(member)?;
            self.forget_gone();
            if told.is_empty() {
                break;
            }
            for each in told {
                self.act(member, each)?;
            }
        }
        for (number, wakes) in self.wakes.iter().enumerate() {
            prop_assert_eq!(wakes.count(), self.model.members[number].woken, "wakes {}", number);
        }
        Ok(())
    }

    fn compare(&mut self, member: Member) -> Result<Vec<Told>, TestCaseError> {
        let realm = self.model.members[member].realm;
        for (number, other) in self.realms.iter().enumerate() {
            prop_assert!(number == realm || other.effects.is_empty(), "another realm was told");
        }
        let effects = std::mem::take(&mut self.realms[realm].effects);
        let mut expected = std::mem::take(&mut self.model.told);
        let mut told = Vec::new();
        for effect in effects {
            let [_, slot, word] = effect.numbers();
            if matches!(effect, Effect::PartBegins(_))
                && let Some((_, handle, _)) = expected.iter().find(|each| each.0 == "PartBegins")
            {
                self.name(member, *handle, slot)?;
            }
            let handle = self.names.get(&(realm, slot)).copied();
            prop_assert!(handle.is_some(), "{:?} names nothing", effect);
            told.push((kind(effect), handle.unwrap(), word));
        }
        // Nobody looks at a queue that no turn listens to.
        let listened = |each: &Told| {
            !matches!(each, ("Updated", Handle::Turn(turn), _)
            if !self.model.turns[*turn].listens)
        };
        told.retain(listened);
        expected.retain(listened);
        let mut seen = told.clone();
        for list in [&mut seen, &mut expected] {
            list.sort_unstable();
            let mut over = BTreeSet::new();
            // An attempt that is over may say so again.
            list.retain(|each| each.0 != "AttemptOver" || over.insert(each.1));
        }
        prop_assert_eq!(&seen, &expected, "what the call caused, core against model");
        Ok(told)
    }

    /// What the face does when an effect reaches it.
    fn act(&mut self, member: Member, told: Told) -> Step {
        self.model.begin(None);
        match told {
            ("ClaimSealed", Handle::Claim(claim), word) => {
                self.words.insert(claim, Word(word));
            }
            ("Lifted", Handle::View(attempt, _), _) => {
                prop_assert!(self.lifted.insert(attempt), "stop {} was lifted twice", attempt);
            }
            ("Drained", Handle::View(attempt, _), word) => {
                self.compare_failures(attempt, member, word != 0)?;
            }
            ("AttemptOver", Handle::View(attempt, _), word) => {
                // Nobody would settle the promise of the stop any more.
                let starter = self.model.attempts[attempt].starter() == member;
                let lifted = self.lifted.contains(&attempt);
                prop_assert!(lifted || !starter, "stop {} is over, and never lifted", attempt);
                if word & 1 == 0 {
                    self.opened.insert((attempt, member), word & 2 != 0);
                    return Ok(());
                }
                if !self.model.attempts[attempt].knows(member) {
                    return Ok(());
                }
                self.compare_failures(attempt, member, true)?;
                let slot = self.slot(told.1);
                let opened = self.model.forget(attempt, member);
                prop_assert_eq!(plain(self.realm(member).attempt_forget(slot)), Ok(opened));
                self.opened.insert((attempt, member), opened);
            }
            ("Joined", Handle::Joined(attempt, _), how) => {
                let slot = self.slot(told.1);
                let got = plain(self.realm(member).joined_forget(slot));
                // Of a member that ends nobody asks: the attempt may be gone, and the slot goes with it.
                if how == 2 && got == Err(Reason::InvalidThis) {
                    return Ok(());
                }
                let error = self.model.forget_joined(attempt, member);
                prop_assert_eq!(got, Ok(error_text(error)));
            }
            ("PartBegins", Handle::View(attempt, _), _) => self.begin_part(attempt, member)?,
            ("MutationReady", Handle::Mutation(mutation), _) => {
                prop_assert!(self.started.insert(mutation), "mutation {} was told twice", mutation);
            }
            _ => {}
        }
        Ok(())
    }

    /// The failures that a view tells of, and their errors as they cross.
    pub fn compare_failures(&mut self, attempt: usize, member: Member, some: bool) -> Step {
        let expected = self.model.failures(attempt, member);
        if !some {
            prop_assert!(expected.is_empty(), "failures that nobody will ask for");
            return Ok(());
        }
        let slot = self.slot(Handle::View(attempt, member));
        let places: Vec<u32> = expected.iter().map(|(place, _)| *place).collect();
        prop_assert_eq!(plain(self.realm(member).failures(slot)), Ok(places));
        for (place, error) in expected {
            let text = plain(self.realm(member).failure_text(slot, place));
            prop_assert_eq!(text, Ok(error_text(error)), "failure {}", place);
        }
        Ok(())
    }

    /// A member's part begins: what it captured is told and aborted.
    pub fn begin_part(&mut self, attempt: usize, member: Member) -> Step {
        let slot = self.slot(Handle::View(attempt, member));
        let expected = self.model.captured(attempt, member);
        let expected: Vec<(u32, Slot, bool)> = expected
            .into_iter()
            .map(|(place, claim, tell)| (place, self.slot(Handle::Claim(claim)), tell))
            .collect();
        prop_assert_eq!(plain(self.realm(member).captured(slot)), Ok(expected));
        self.model.abort(attempt, member);
        let most = self.model.attempts[attempt].captured.len() as u32;
        let starter = self.model.attempts[attempt].starter() == member;
        if starter {
            self.model.clear_queue(member, self.model.attempts[attempt].session);
        }
        let got = plain(self.realm(member).attempt_abort(slot, 0, most, starter));
        prop_assert_eq!(got, Ok(()));
        let runs = self.model.has_own_runs(attempt, member);
        prop_assert_eq!(plain(self.realm(member).has_own_runs(slot)), Ok(runs));
        let input = self.model.attempts[attempt].views.len() > 1;
        let input = input.then(|| Text::from("{}"));
        prop_assert_eq!(plain(self.realm(member).attempt_input(slot)), Ok(input));
        Ok(())
    }

    /// Views that have a handle, each with its member.
    pub fn views(&self, member: Option<Member>) -> Vec<(usize, Member)> {
        let all = self.model.attempts.iter().enumerate();
        all.flat_map(|(number, each)| {
            let known = each.views.iter().filter(|view| view.sight != Sight::Unseen);
            known.map(move |view| (number, view.member))
        })
        .filter(|(_, owner)| self.model.members[*owner].open)
        .filter(|(_, owner)| member.is_none_or(|member| member == *owner))
        .collect()
    }
}

fn kind(effect: Effect) -> &'static str {
    match effect {
        Effect::ClaimSealed(..) => "ClaimSealed",
        Effect::Entered(..) => "Entered",
        Effect::GenerationSealed(..) => "GenerationSealed",
        Effect::TurnSealed(_) => "TurnSealed",
        Effect::MessageDropped(_) => "MessageDropped",
        Effect::RequestSealed(_) => "RequestSealed",
        Effect::InvalidationSealed(..) => "InvalidationSealed",
        Effect::CheckpointDropped(_) => "CheckpointDropped",
        Effect::Updated(_) => "Updated",
        Effect::MutationReady(_) => "MutationReady",
        Effect::MutationClosed(_) => "MutationClosed",
        Effect::TaskReady(_) => "TaskReady",
        Effect::Drained(..) => "Drained",
        Effect::Lifted(..) => "Lifted",
        Effect::Joined(..) => "Joined",
        Effect::AttemptOver(..) => "AttemptOver",
        Effect::PartBegins(_) => "PartBegins",
        Effect::OperationOver(_) => "OperationOver",
    }
}
