//! Calls on the steering queue and on mutations, in the core and in the model.

use proptest::prop_assert_eq;
use tenure::ownership::{Messages, NO_SLOT, Name, Queued as Got, Said};
use tenure::text::Text;

use super::model::{Handle, Member, Session};
use super::model_mutations::{Queued, State};
use super::world::{Step, World, named, plain, session_text};

fn id(message: usize) -> Text {
    Text::from(format!("m{message}").as_str())
}

impl World {
    /// Messages as the model names them.
    pub fn compare_messages(&self, member: Member, got: &Messages, expected: &[usize]) -> Step {
        prop_assert_eq!(got.len(), expected.len());
        let realm = self.model.members[member].realm;
        if self.model.shared {
            let ids: Vec<Text> = got.said.iter().map(|said| said.text.clone()).collect();
            prop_assert_eq!(ids, expected.iter().map(|message| id(*message)).collect::<Vec<_>>());
        } else {
            let named = got.slots.iter().map(|slot| self.names.get(&(realm, *slot)).copied());
            let named: Vec<_> = named.collect();
            let expected = expected.iter().map(|message| Some(Handle::Message(*message)));
            prop_assert_eq!(named, expected.collect::<Vec<_>>());
        }
        Ok(())
    }

    pub fn open_turn(&mut self, member: Member, session: Session, name: u8, listens: bool) -> Step {
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).open_turn(entry, named('t', name), listens));
        let turn = self.model.open_turn(member, session, name, listens);
        self.name(member, Handle::Turn(turn), got.unwrap())
    }

    pub fn queue(&mut self, member: Member, session: Session, next_turn: bool) -> Step {
        let entry = self.entry(member, session);
        let number = self.model.messages.len();
        let said = self.model.shared.then(|| Said {
            id: if next_turn { Text::from("") } else { id(number) },
            text: id(number),
        });
        let has_owner = self.model.queues[session].owner.is_some();
        prop_assert_eq!(plain(self.realm(member).has_owner(entry)), Ok(has_owner));
        let got = plain(self.realm(member).queue(entry, said, next_turn));
        let expected = self.model.queue(member, session, next_turn);
        prop_assert_eq!(got.map(|slot| slot.is_some()), Ok(expected.is_some()));
        match (got, expected) {
            (Ok(Some(slot)), Some(_)) if self.model.shared => {
                prop_assert_eq!(slot, NO_SLOT);
                Ok(())
            }
            (Ok(Some(slot)), Some(message)) => self.name(member, Handle::Message(message), slot),
            _ => Ok(()),
        }
    }

    /// The turn's slot; of a sealed handle a new one, if its calls can have an effect again.
    fn live_turn(
        &mut self,
        turn: usize,
    ) -> Result<Option<usize>, proptest::test_runner::TestCaseError> {
        if self.model.turns[turn].known {
            return Ok(Some(turn));
        }
        let each = &self.model.turns[turn];
        let (member, session, name) = (each.member, each.session, each.name);
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).revive_turn(entry, &named('t', name)));
        let expected = self.model.revive_turn(member, session, name);
        prop_assert_eq!(got.map(|slot| slot.is_some()), Ok(expected.is_some()));
        if let (Ok(Some(slot)), Some(turn)) = (got, expected) {
            self.name(member, Handle::Turn(turn), slot)?;
            self.model.subject = Some(Handle::Turn(turn));
        }
        Ok(expected)
    }

    pub fn pull(&mut self, turn: usize) -> Step {
        let Some(turn) = self.live_turn(turn)? else { return Ok(()) };
        let member = self.model.turns[turn].member;
        let slot = self.slot(Handle::Turn(turn));
        // A list has no room for the sealing of the turn itself: that is an effect.
        self.model.subject = None;
        let expected = self.model.pull(turn);
        let got = plain(self.realm(member).pull(slot)).unwrap();
        self.compare_messages(member, &got, &expected)
    }

    pub fn settle_leases(&mut self, turn: usize, mask: u8, delivered: bool) -> Step {
        let Some(turn) = self.live_turn(turn)? else { return Ok(()) };
        let (member, session) = (self.model.turns[turn].member, self.model.turns[turn].session);
        let slot = self.slot(Handle::Turn(turn));
        // Some of the leases, of whatever turn; and one that is none.
        let leased = self.model.queues[session].leased.iter().enumerate();
        let mut chosen: Vec<usize> = leased
            .filter(|(place, _)| mask & 1 << (place % 8) != 0)
            .map(|(_, (message, ..))| *message)
            .collect();
        if self.model.shared {
            chosen.extend(self.model.queues[session].queued.iter().take(1));
        }
        let ids: Vec<Text> = chosen.iter().map(|message| id(*message)).collect();
        let names: Vec<Name<'_>> = if self.model.shared {
            ids.iter().map(|id| Name::Id(id)).collect()
        } else {
            chosen.iter().map(|m| Name::Slot(self.slot(Handle::Message(*m)))).collect()
        };
        let realm = self.model.members[member].realm;
        let got = plain(self.realms[realm].settle_leases(slot, &names, delivered));
        let count = self.model.settle_leases(turn, &chosen, delivered);
        let sealed = self.model.sealed.is_some();
        prop_assert_eq!(got.map(|got| (got.count, got.sealed)), Ok((count as u32, sealed)));
        Ok(())
    }

    pub fn release_turn(&mut self, turn: usize) -> Step {
        let Some(turn) = self.live_turn(turn)? else { return Ok(()) };
        let member = self.model.turns[turn].member;
        let slot = self.slot(Handle::Turn(turn));
        let got = plain(self.realm(member).release_turn(slot));
        self.model.release_turn(turn);
        prop_assert_eq!(got, Ok(self.model.sealed.is_some()));
        Ok(())
    }

    pub fn take_queue(&mut self, member: Member, session: Session, retract: bool) -> Step {
        let entry = self.entry(member, session);
        let got = plain(self.realm(member).take_queue(entry, retract)).unwrap();
        let expected = self.model.take_queue(member, session, retract);
        self.compare_messages(member, &got, &expected)
    }

    pub fn mutate(&mut self, member: Member, mask: u8, quiescent: bool) -> Step {
        // In an order of their own, and one of them twice.
        let mut sessions: Vec<Session> = (0..3).rev().filter(|s| mask & 1 << s != 0).collect();
        sessions.push(mask as usize % 3);
        let core = self.cores[member];
        let ids = sessions.iter().map(|session| session_text(*session)).collect();
        let got = plain(self.realm(member).mutate(core, ids, quiescent));
        let expected = self.model.mutate(member, sessions, quiescent);
        match (got, expected) {
            (Ok(Got::Queued(slot, starts)), Queued::Queued(mutation, first)) => {
                prop_assert_eq!(starts, first);
                if starts {
                    self.started.insert(mutation);
                }
                self.name(member, Handle::Mutation(mutation), slot)
            }
            (got, Queued::Busy(busy)) => {
                let busy = busy.into_iter().map(session_text).collect();
                prop_assert_eq!(got, Ok(Got::Busy(busy)));
                Ok(())
            }
            (got, expected) => {
                proptest::prop_assert!(false, "{:?} against {:?}", got, expected);
                Ok(())
            }
        }
    }

    /// The task of a mutation that was told to run settles.
    pub fn mutation_settled(&mut self, mutation: usize) -> Step {
        let each = &self.model.mutations[mutation];
        prop_assert_eq!(each.state, State::Running);
        let (member, slot) = (each.member, self.slot(Handle::Mutation(mutation)));
        prop_assert_eq!(plain(self.realm(member).mutation_settled(slot)), Ok(()));
        self.model.mutation_settled(mutation);
        Ok(())
    }
}
