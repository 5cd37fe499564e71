//! The stop attempt: one stop of one session in progress.
//!
//! ```text
//!              own settles, or starter ends
//!   running ---------------------------------> waiting for parts
//!      |                                             |
//!      | own settles, and every part has             | the last part settles
//!      v                                             v
//!   lifted <-----------------------------------------+
//! ```
//!
//! It stands until its starter's own part and the part of every other member have settled. What it
//! captured may outlive it: it is over once it is lifted and every captured claim has ended.

use super::out::{AttemptId, Cause, Effect, MemberId, Out, Slot};
use crate::text::Text;

/// How the starter's own part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// `attempt` runs.
    Running,
    /// It fulfilled.
    Fulfilled,
    /// It rejected.
    Rejected,
    /// Its member has ended: nobody will say how it went.
    Gone,
}

/// What may happen to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The starter's own part settled, well or not.
    OwnSettled(bool),
    /// The starter ended.
    StarterEnded,
    /// A part of another member settled.
    PartSettled,
}

/// The facts of an attempt that its events move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The starter's own part.
    pub own: Own,
    /// Parts that have not settled.
    pub open_parts: u32,
}

impl State {
    /// Whether it refuses new claims and is joined by other stops.
    pub fn is_standing(self) -> bool {
        self.own == Own::Running || self.open_parts > 0
    }

    /// The one transition function; what comes too late changes nothing.
    pub fn next(self, event: Event) -> State {
        match event {
            Event::OwnSettled(ok) if self.own == Own::Running => {
                State { own: if ok { Own::Fulfilled } else { Own::Rejected }, ..self }
            }
            Event::StarterEnded if self.own != Own::Gone && self.is_standing() => {
                State { own: Own::Gone, ..self }
            }
            Event::PartSettled => State { open_parts: self.open_parts.saturating_sub(1), ..self },
            Event::OwnSettled(_) | Event::StarterEnded => self,
        }
    }
}

/// How a captured claim, or a part, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Not yet.
    Not,
    /// Well.
    Ok,
    /// Not well. The text is the error as it crosses to other members.
    Failed(Option<Text>),
}

/// A claim that the stop captured.
pub struct Captured {
    pub(super) member: MemberId,
    /// Where the claim is, as long as it is.
    pub(super) key: Option<u32>,
    pub(super) ended: Ended,
}

/// What a member sees of an attempt: the starter of the whole, any other one of its own part.
pub struct View {
    pub(super) member: MemberId,
    /// The handle's, once there is one.
    pub(super) slot: Option<Slot>,
    /// How the part ended; of the starter, unused.
    pub(super) ended: Ended,
    /// `drained` waits.
    pub(super) draining: bool,
    /// The handle knows which claims were captured. Until then they stay known here.
    pub(super) begun: bool,
    /// The lift is on its way to it.
    pub(super) lifting: bool,
}

/// One stop of one session.
pub struct Attempt {
    pub(super) id: AttemptId,
    pub(super) state: State,
    /// The starter's input, if it had to cross.
    pub(super) input: Option<Text>,
    pub(super) captured: Vec<Captured>,
    /// Captured claims that have not ended.
    pub(super) pending: u32,
    /// The starter first, then the parts in the order of joining.
    pub(super) views: Vec<View>,
    /// Members that joined, with the slot of their promise.
    pub(super) joined: Vec<(MemberId, Slot)>,
    /// The operation opened first in it: that one owes the status and the note.
    pub(super) opened: Option<u32>,
    /// The starter's error, if it had to cross.
    pub(super) error: Option<Text>,
}

impl Attempt {
    pub(super) fn new(id: AttemptId, starter: MemberId, slot: Slot, input: Option<Text>) -> Self {
        let state = State { own: Own::Running, open_parts: 0 };
        let mut attempt = Self {
            id,
            state,
            input,
            captured: Vec::new(),
            pending: 0,
            views: Vec::with_capacity(1),
            joined: Vec::new(),
            opened: None,
            error: None,
        };
        attempt.add_view(starter, Some(slot));
        attempt
    }

    pub(super) fn add_view(&mut self, member: MemberId, slot: Option<Slot>) {
        self.views.push(View {
            member,
            slot,
            ended: Ended::Not,
            draining: false,
            begun: false,
            lifting: false,
        });
    }

    pub(super) fn starter(&self) -> MemberId {
        self.views[0].member
    }

    pub(super) fn is_standing(&self) -> bool {
        self.state.is_standing()
    }

    /// Lifted, and every captured claim has ended.
    pub(super) fn is_over(&self) -> bool {
        !self.is_standing() && self.pending == 0
    }

    pub(super) fn view(&self, member: MemberId) -> Option<&View> {
        self.views.iter().find(|view| view.member == member)
    }

    pub(super) fn view_mut(&mut self, member: MemberId) -> Option<&mut View> {
        self.views.iter_mut().find(|view| view.member == member)
    }

    /// Whether `drained` of that member has nothing to wait for: of the starter every captured claim
    /// and every part, of a part its own claims.
    pub(super) fn is_drained(&self, member: MemberId) -> bool {
        if member == self.starter() {
            self.pending == 0 && self.state.open_parts == 0
        } else {
            self.captured.iter().all(|claim| claim.member != member || claim.ended != Ended::Not)
        }
    }

    /// Tells whoever waits for `drained` and now has nothing to wait for; then, if the attempt is
    /// over, those that still hold a view of it.
    pub(super) fn announce(&mut self, out: &mut Out<'_>) {
        for index in 0..self.views.len() {
            let View { member, slot, draining, .. } = self.views[index];
            if draining && self.is_drained(member) {
                self.views[index].draining = false;
                if let Some(slot) = slot {
                    let failed = u32::from(self.has_failures());
                    out.tell(member, Effect::Drained(slot, failed), Cause::Drained(self.id));
                }
            }
        }
        if self.is_over() {
            self.dismiss(out);
        }
    }

    /// Tells the views that nobody will ask about the attempt any more.
    fn dismiss(&mut self, out: &mut Out<'_>) {
        for view in &self.views {
            // A starter that has not heard of the lift hears of that first.
            if view.member != out.member && view.slot.is_some() && !view.lifting {
                out.post(view.member, Cause::Over(self.id));
            }
        }
        self.let_go(out);
    }

    /// The calling member's view is let go of, at once unless there are failures to be read first.
    pub(super) fn let_go(&mut self, out: &mut Out<'_>) {
        let (over, failed, opened) = (self.is_over(), self.has_failures(), self.opened.is_some());
        let Some(view) = self.view_mut(out.member).filter(|view| over && !view.lifting) else {
            return;
        };
        let Some(slot) = view.slot else { return };
        out.here(Effect::AttemptOver(slot, u32::from(failed) | u32::from(opened) << 1));
        if !failed {
            view.slot = None;
            out.free(slot);
        }
    }

    /// Whether any claim or part has failed.
    pub(super) fn has_failures(&self) -> bool {
        let claims = self.captured.iter().map(|claim| &claim.ended);
        let parts = self.views.iter().map(|view| &view.ended);
        claims.chain(parts).any(|ended| matches!(ended, Ended::Failed(_)))
    }

    /// Moves the attempt; tells starter and joined when that lifted it.
    pub(super) fn apply(&mut self, event: Event, out: &mut Out<'_>) {
        let stood = self.is_standing();
        self.state = self.state.next(event);
        if stood && !self.is_standing() {
            self.lift(out);
        }
        self.announce(out);
    }

    fn lift(&mut self, out: &mut Out<'_>) {
        let how = match self.state.own {
            Own::Running | Own::Fulfilled => 0,
            Own::Rejected => 1,
            Own::Gone => 2,
        };
        let View { member, slot, .. } = self.views[0];
        if let Some(slot) = slot {
            self.views[0].lifting = member != out.member;
            out.tell(member, Effect::Lifted(slot, u32::from(how == 2)), Cause::Lifted(self.id));
        }
        for (member, slot) in &self.joined {
            out.tell(*member, Effect::Joined(*slot, how), Cause::Lifted(self.id));
        }
    }

    /// Drops the view of a member. What it has joined is another promise.
    pub(super) fn drop_view(&mut self, member: MemberId) {
        if let Some(view) = self.view_mut(member) {
            view.slot = None;
        }
    }

    /// Over, and no handle left that could ask.
    pub(super) fn is_unseen(&self) -> bool {
        self.is_over()
            && self.joined.is_empty()
            && self.views.iter().all(|view| view.slot.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Own, State};

    #[test]
    fn every_state_and_event_has_its_row() {
        for own in [Own::Running, Own::Fulfilled, Own::Rejected, Own::Gone] {
            for open_parts in [0, 1, 2] {
                let state = State { own, open_parts };
                let standing = own == Own::Running || open_parts > 0;
                assert_eq!(state.is_standing(), standing);
                for (event, settled) in [
                    (Event::OwnSettled(true), Own::Fulfilled),
                    (Event::OwnSettled(false), Own::Rejected),
                ] {
                    let own = if own == Own::Running { settled } else { own };
                    assert_eq!(state.next(event), State { own, open_parts });
                }
                let left = if standing { Own::Gone } else { own };
                assert_eq!(state.next(Event::StarterEnded), State { own: left, open_parts });
                let open = open_parts.max(1) - 1;
                assert_eq!(state.next(Event::PartSettled), State { own, open_parts: open });
            }
        }
    }

    #[test]
    fn it_is_lifted_by_whichever_comes_last() {
        let start = State { own: Own::Running, open_parts: 1 };
        let parts_first = start.next(Event::PartSettled);
        assert!(parts_first.is_standing());
        assert!(!parts_first.next(Event::OwnSettled(false)).is_standing());
        let own_first = start.next(Event::OwnSettled(true));
        assert!(own_first.is_standing());
        assert!(!own_first.next(Event::PartSettled).is_standing());
    }
}
