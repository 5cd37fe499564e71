//! Every fact that can be asked for, compared after every step.

use proptest::prop_assert_eq;
use tenure::ownership::{ClaimRef, Target};
use tenure::text::Text;

use super::model::{Handle, Member, SESSIONS, Session};
use super::world::{Step, World, named, plain, route_text, session_text};

impl World {
    pub fn observe(&mut self) -> Step {
        self.forget_gone();
        for member in self.open_members() {
            self.observe_scope(member)?;
            if let Some((session, entry)) = self.last[member] {
                self.observe_runs(member, session)?;
                self.look(member, session, entry)?;
            }
        }
        self.observe_handles()?;
        for (number, realm) in self.realms.iter().enumerate() {
            let known = self.names.keys().filter(|(realm, _)| *realm == number).count();
            prop_assert_eq!(realm.handle_count(), known, "handles of realm {}", number);
        }
        Ok(())
    }

    /// What is the same for every member: asked for by session id, which opens nothing.
    fn observe_scope(&mut self, member: Member) -> Step {
        let core = self.cores[member];
        let realm = &self.realms[self.model.members[member].realm];
        let stats = (self.model.live_sessions(), self.leases.len());
        prop_assert_eq!(realm.stats(core), Ok(stats), "sessions and admissions");
        let waits = !self.model.members[member].inbox.is_empty();
        prop_assert_eq!(realm.has_deliveries(core), waits, "deliveries for {}", member);
        let mut cached: Vec<Text> = (0..SESSIONS)
            .filter(|session| {
                !self.model.own_generations(member, *session).is_empty()
                    || self.model.invalidation_of(member, *session).is_some()
            })
            .map(session_text)
            .collect();
        cached.sort_unstable();
        let mut got = plain(realm.cached_sessions(core)).unwrap();
        got.sort_unstable();
        prop_assert_eq!(got, cached);
        for session in 0..SESSIONS {
            let id = session_text(session);
            let runs = self.model.has_runs(session);
            prop_assert_eq!(plain(realm.has_active_runs(core, &id)), Ok(runs));
            let turns = self.model.active_turns(session);
            let turns: Vec<Text> = turns.into_iter().map(|turn| named('t', turn)).collect();
            prop_assert_eq!(plain(realm.active_turns(core, &id)), Ok(turns));
            let idle = self.model.is_exclusive(session, None);
            prop_assert_eq!(plain(realm.session_is_idle(core, &id)), Ok(idle));
        }
        Ok(())
    }

    /// Which runs and turns are registered in a session, one by one.
    fn observe_runs(&self, member: Member, session: Session) -> Step {
        let (core, id) = (self.cores[member], session_text(session));
        let realm = &self.realms[self.model.members[member].realm];
        for run in 0..3 {
            let runs = self.model.runs(session);
            let runs = runs.filter_map(|claim| self.model.claims[claim].run.as_ref());
            let of: Vec<u8> = runs.filter(|each| each.run == run).map(|each| each.turn).collect();
            let name = named('r', run);
            let got = realm.has_active_run(core, &id, &name, None);
            prop_assert_eq!(plain(got), Ok(!of.is_empty()));
            for turn in 0..3 {
                let got = realm.has_active_run(core, &id, &name, Some(&named('t', turn)));
                prop_assert_eq!(plain(got), Ok(of.contains(&turn)));
            }
        }
        Ok(())
    }

    pub fn observe_handles(&mut self) -> Step {
        for (handle, slot) in self.slots.clone() {
            match handle {
                Handle::Claim(claim) => self.observe_claim(claim, slot)?,
                Handle::Generation(generation) => {
                    let each = &self.model.generations[generation];
                    let realm = &self.realms[self.model.members[each.member].realm];
                    let facts = (each.phase, each.current, each.runs.len() as u32);
                    prop_assert_eq!(plain(realm.generation_facts(slot)), Ok(facts));
                }
                Handle::Operation(operation) => self.observe_operation(operation, slot)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn observe_claim(&self, claim: usize, slot: u32) -> Step {
        let each = &self.model.claims[claim];
        let realm = &self.realms[self.model.members[each.member].realm];
        let word = plain(realm.claim_word(ClaimRef::Live(slot))).unwrap();
        prop_assert_eq!(word.phase(), each.phase, "claim {}", claim);
        prop_assert_eq!(word.is_captured(), each.captured);
        prop_assert_eq!(word.is_aborted(), each.aborted);
        prop_assert_eq!(word.start(), each.start);
        let exclusive = self.model.is_exclusive(each.session, Some(claim));
        prop_assert_eq!(plain(realm.claim_is_exclusive(slot)), Ok(exclusive));
        let run = each.run.as_ref().filter(|run| run.registered);
        let may =
            run.is_some_and(|run| self.model.generations[run.generation.unwrap()].may_dispatch());
        prop_assert_eq!(plain(realm.can_dispatch(slot)), Ok(may));
        let operation = self.model.operation_of(claim).map(Handle::Operation);
        let operation = operation.map(|operation| self.slot(operation));
        prop_assert_eq!(plain(realm.claim_operation(slot)), Ok(operation));
        prop_assert_eq!(plain(realm.session_id(slot)), Ok(Some(session_text(each.session))));
        Ok(())
    }

    fn observe_operation(&self, operation: usize, slot: u32) -> Step {
        let each = &self.model.operations[operation];
        let realm = &self.realms[self.model.members[each.member].realm];
        prop_assert_eq!(plain(realm.operation_next(slot)), Ok(each.next()));
        let numbers = each.members_by_generation();
        prop_assert_eq!(plain(realm.operation_members(slot)), Ok(numbers));
        for (number, member) in (0..).zip(&each.members) {
            let facts = (member.present, member.terminal == Some(false));
            prop_assert_eq!(plain(realm.operation_member(slot, number)), Ok(facts));
            let target = member.target as u32;
            prop_assert_eq!(plain(realm.operation_target_of(slot, number)), Ok(target));
        }
        let pending = each.targets(|target| target.delivered.is_none());
        prop_assert_eq!(plain(realm.operation_targets(slot, Target::is_pending)), Ok(pending));
        let failed = each.targets(|target| target.delivered == Some(false));
        prop_assert_eq!(plain(realm.operation_targets(slot, Target::has_failed)), Ok(failed));
        let refers = each.targets(|target| target.refers);
        prop_assert_eq!(plain(realm.operation_targets(slot, Target::refers)), Ok(refers));
        Ok(())
    }

    /// What a member sees of a session by its entry.
    pub fn look(&self, member: Member, session: Session, entry: u32) -> Step {
        let realm = &self.realms[self.model.members[member].realm];
        let (steering, followup) = self.model.snapshot(session);
        let got = plain(realm.snapshot(entry)).unwrap();
        self.compare_messages(member, &got.0, &steering)?;
        self.compare_messages(member, &got.1, &followup)?;
        let has_owner = self.model.queues[session].owner.is_some();
        prop_assert_eq!(plain(realm.has_owner(entry)), Ok(has_owner));
        let runs = self.model.has_runs(session);
        prop_assert_eq!(plain(realm.entry_has_active_runs(entry)), Ok(runs));

        let own = self.model.own_generations(member, session);
        let own = self.slots_of(own.into_iter().map(Handle::Generation));
        prop_assert_eq!(plain(realm.generations(entry)), Ok(own));
        let claims = self.model.live(session);
        let claims = claims.filter(|claim| self.model.claims[*claim].member == member);
        let claims = self.slots_of(claims.map(Handle::Claim));
        prop_assert_eq!(plain(realm.live_claims(entry)), Ok(claims));
        let active = self.model.runs(session);
        let active = active.filter(|claim| self.model.claims[*claim].member == member);
        let active = self.slots_of(active.map(Handle::Claim));
        prop_assert_eq!(plain(realm.active_claims(entry)), Ok(active));
        let retained = self.model.retained(session, member).map(Handle::Operation);
        let retained = retained.map(|handle| self.slot(handle));
        prop_assert_eq!(plain(realm.retained_operation(entry)), Ok(retained));
        let invalidation = self.model.invalidation_of(member, session).map(Handle::Invalidation);
        let invalidation = invalidation.map(|handle| self.slot(handle));
        prop_assert_eq!(plain(realm.invalidation(entry, false)), Ok(invalidation));
        let due = invalidation.filter(|_| !runs);
        prop_assert_eq!(plain(realm.invalidation(entry, true)), Ok(due));
        for route in [None, Some(0)] {
            self.look_at_route(member, session, entry, route)?;
        }
        self.look_at_requests(member, session, entry)
    }

    fn look_at_route(
        &self,
        member: Member,
        session: Session,
        entry: u32,
        route: Option<u8>,
    ) -> Step {
        let realm = &self.realms[self.model.members[member].realm];
        let current = self.model.current(session, route);
        let current = current.filter(|each| self.model.generations[*each].member == member);
        let name = route_text(route);
        let slot = current.map(|each| self.slot(Handle::Generation(each)));
        prop_assert_eq!(plain(realm.current_generation(entry, name.as_deref())), Ok(slot));
        for number in 0..3 {
            let find = |by_turn: bool| {
                let mut runs = self.model.generations[current?].runs.iter().copied();
                let claim = runs.find(|claim| {
                    let run = self.model.claims[*claim].run.as_ref().unwrap();
                    number == if by_turn { run.turn } else { run.run }
                })?;
                Some(self.slot(Handle::Claim(claim)))
            };
            let turn = named('t', number);
            let got = realm.run_on_route(entry, name.as_deref(), &turn, true);
            prop_assert_eq!(plain(got), Ok(find(true)));
            let run = named('r', number);
            let got = realm.run_on_route(entry, name.as_deref(), &run, false);
            prop_assert_eq!(plain(got), Ok(find(false)));
        }
        Ok(())
    }

    fn look_at_requests(&self, member: Member, session: Session, entry: u32) -> Step {
        let realm = &self.realms[self.model.members[member].realm];
        let own = |id: Option<u8>| {
            let all = self.model.requests.iter().enumerate();
            let own = all
                .filter(|(_, each)| each.open && (each.member, each.session) == (member, session));
            let named = own.filter(|(_, each)| id.is_none_or(|id| each.id == id));
            self.slots_of(named.map(|(number, _)| Handle::Request(number)))
        };
        prop_assert_eq!(plain(realm.requests(entry, None)), Ok(own(None)));
        for id in 0..3 {
            let got = plain(realm.requests(entry, Some(&named('q', id))));
            prop_assert_eq!(got, Ok(own(Some(id))));
        }
        Ok(())
    }
}
