//! What another member's call caused: taken one at a time, each a macrotask of the caller's thread.

use crate::error::Outcome;
use crate::ownership::attempt::Own;
use crate::ownership::out::{Cause, Effect, Kind, NO_SLOT, Out};
use crate::ownership::realm::Realm;
use crate::ownership::session::{Entering, Record};

impl Record {
    fn deliver(&mut self, cause: Cause, out: &mut Out<'_>) {
        let member = out.member;
        match cause {
            Cause::Stop(id) => {
                let view = self.attempt_mut(id).and_then(|attempt| attempt.view_mut(member));
                if let Some(view) = view {
                    let slot = *view.slot.get_or_insert_with(|| out.slot(Kind::Attempt, id));
                    out.here(Effect::PartBegins(slot));
                }
            }
            Cause::Drained(id) => {
                let Some(attempt) = self.attempt(id) else { return };
                if let Some(slot) = attempt.view(member).and_then(|view| view.slot) {
                    out.here(Effect::Drained(slot, u32::from(attempt.has_failures())));
                }
            }
            Cause::Over(id) => {
                if let Some(attempt) = self.attempt_mut(id) {
                    attempt.let_go(out);
                    self.forget_attempts();
                }
            }
            Cause::Lifted(id) => {
                let Some(attempt) = self.attempt_mut(id) else { return };
                if attempt.starter() == member {
                    let view = &mut attempt.views[0];
                    view.lifting = false;
                    if let Some(slot) = view.slot {
                        out.here(Effect::Lifted(slot, 0));
                    }
                    attempt.announce(out);
                    self.forget_attempts();
                    return;
                }
                let how = match attempt.state.own {
                    Own::Running | Own::Fulfilled => 0,
                    Own::Rejected => 1,
                    Own::Gone => 2,
                };
                for (_, slot) in attempt.joined.iter().filter(|(joined, _)| *joined == member) {
                    out.here(Effect::Joined(*slot, how));
                }
            }
            Cause::Updated => {
                let owner = self.steering.owner.as_ref().filter(|owner| owner.member == member);
                if let Some(owner) = owner {
                    out.here(Effect::Updated(owner.slot));
                }
            }
            Cause::Entered(key, reason) => {
                let claim = self.claims.get_mut(key as usize);
                if let Some(claim) = claim.filter(|claim| claim.entering == Entering::Told) {
                    claim.entering = Entering::Idle;
                    out.here(Effect::Entered(claim.slot, reason));
                    self.seal_claim(key, false, out);
                }
            }
            Cause::MutationReady(slot) => out.here(Effect::MutationReady(slot)),
        }
    }
}

impl Realm {
    /// Takes the next delivery of a core. False when there was none.
    ///
    /// # Errors
    /// `ERR_CLOSED`.
    pub fn deliver(&mut self, core: u32) -> Outcome<bool> {
        let Some(delivery) = self.take_delivery(core)? else {
            return Ok(false);
        };
        // Of several sessions: one that is broken keeps nobody from its turn.
        if let Cause::MutationReady(slot) = delivery.cause {
            self.effects.push(Effect::MutationReady(slot));
            return Ok(true);
        }
        let entry = self.entry(core, &delivery.session.id)?;
        self.with(entry, NO_SLOT, "delivered", |record, out| {
            record.deliver(delivery.cause, out);
            Ok(())
        })?;
        Ok(true)
    }
}
