//! Stop attempts in the model.

use super::model::{Error, Handle, Member, Model, Post, Session};

/// How the starter's own part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    Running,
    Settled(bool),
    Gone,
}

/// What one member sees of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// No handle yet.
    Unseen,
    Known,
    /// The handle keeps what it needs.
    Forgotten,
}

#[derive(Clone, Debug)]
pub struct View {
    pub member: Member,
    pub sight: Sight,
    pub draining: bool,
    /// How the part ended; the starter has none.
    pub ended: Option<Result<(), Error>>,
    /// Its part has begun: it may settle.
    pub begun: bool,
    /// Its handle knows what was captured: until then no such claim is forgotten.
    pub asked: bool,
    /// The lift is on its way to it: it hears of the end after that.
    pub lifting: bool,
    pub settled: bool,
}

#[derive(Debug)]
pub struct Attempt {
    pub session: Session,
    pub own: Own,
    /// Claims in claim order, and how each ended.
    pub captured: Vec<(usize, Option<Result<(), Error>>)>,
    /// The starter's first, then the parts in the order of joining.
    pub views: Vec<View>,
    /// Members whose promise of it has not been settled.
    pub joined: Vec<Member>,
    /// The operation that owes status and note.
    pub opened: Option<usize>,
    /// The starter's error.
    pub error: Error,
}

/// What became of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Standing(Handle),
    Joined(Handle),
    NeedsInput,
    Started(Handle),
}

impl Attempt {
    pub fn starter(&self) -> Member {
        self.views[0].member
    }

    pub fn is_standing(&self) -> bool {
        self.own == Own::Running || self.views[1..].iter().any(|part| part.ended.is_none())
    }

    pub fn is_over(&self) -> bool {
        !self.is_standing() && self.captured.iter().all(|(_, ended)| ended.is_some())
    }

    pub fn view(&mut self, member: Member) -> Option<&mut View> {
        self.views.iter_mut().find(|view| view.member == member)
    }

    pub fn knows(&self, member: Member) -> bool {
        self.views.iter().any(|view| view.member == member && view.sight == Sight::Known)
    }

    pub fn show(&mut self, member: Member) {
        if let Some(view) = self.view(member)
            && view.sight == Sight::Unseen
        {
            view.sight = Sight::Known;
        }
    }

    /// Of the starter everything ends `drained`, of a part its own claims.
    fn is_drained(&self, model: &[super::model_claims::Claim], member: Member) -> bool {
        let whole = member == self.starter();
        let mut claims = self.captured.iter();
        claims.all(|(claim, ended)| ended.is_some() || (!whole && model[*claim].member != member))
            && (!whole || self.views[1..].iter().all(|part| part.ended.is_some()))
    }

    fn has_failures(&self) -> bool {
        let parts = self.views.iter().map(|view| view.ended);
        self.captured
            .iter()
            .map(|(_, ended)| *ended)
            .chain(parts)
            .any(|ended| matches!(ended, Some(Err(_))))
    }

    fn lifted_word(&self) -> u32 {
        match self.own {
            Own::Running | Own::Settled(true) => 0,
            Own::Settled(false) => 1,
            Own::Gone => 2,
        }
    }
}

impl Model {
    pub fn standing(&self, session: Session) -> Option<usize> {
        self.attempts.iter().position(|each| each.session == session && each.is_standing())
    }

    /// Members with a live claim, a registered run or a retained operation in the session.
    fn takes_part(&self, session: Session, member: Member) -> bool {
        self.live(session).any(|claim| self.claims[claim].member == member)
            || self.runs(session).any(|claim| self.claims[claim].member == member)
            || self.retained(session, member).is_some()
    }

    pub fn stop(&mut self, member: Member, session: Session, has_input: bool) -> Stopped {
        if let Some(standing) = self.standing(session) {
            let attempt = &mut self.attempts[standing];
            if attempt.starter() == member {
                return Stopped::Standing(Handle::View(standing, member));
            }
            if !attempt.joined.contains(&member) {
                attempt.joined.push(member);
            }
            return Stopped::Joined(Handle::Joined(standing, member));
        }
        let others = (0..self.members.len()).filter(|other| *other != member);
        let parts: Vec<Member> = others.filter(|each| self.takes_part(session, *each)).collect();
        if !parts.is_empty() && !has_input {
            return Stopped::NeedsInput;
        }
        let number = self.attempts.len();
        let captured: Vec<usize> = self.live(session).collect();
        for claim in &captured {
            self.claims[*claim].captured = true;
            self.claims[*claim].captors.push(number);
        }
        let view = |member, sight, begun| View {
            member,
            sight,
            draining: false,
            ended: None,
            begun,
            asked: false,
            lifting: false,
            settled: false,
        };
        let mut views = vec![view(member, Sight::Known, true)];
        views.extend(parts.iter().map(|part| view(*part, Sight::Unseen, false)));
        self.attempts.push(Attempt {
            session,
            own: Own::Running,
            captured: captured.into_iter().map(|claim| (claim, None)).collect(),
            views,
            joined: Vec::new(),
            opened: None,
            error: None,
        });
        parts.into_iter().for_each(|part| self.post(part, Post::Stop(number)));
        Stopped::Started(Handle::View(number, member))
    }

    /// The member's captured claims that it still has a handle of: place, claim, whether to tell it.
    pub fn captured(&mut self, attempt: usize, member: Member) -> Vec<(u32, usize, bool)> {
        let mut captured = Vec::new();
        for (place, (claim, _)) in (0..).zip(&self.attempts[attempt].captured) {
            let each = &mut self.claims[*claim];
            if each.member == member && !each.sealed {
                let tell = each.run.is_some() && !each.told;
                each.told |= tell;
                captured.push((place, *claim, tell));
            }
        }
        self.attempts[attempt].view(member).unwrap().asked = true;
        captured.iter().for_each(|(_, claim, _)| self.seal_claim(*claim, false));
        captured
    }

    pub fn abort(&mut self, attempt: usize, member: Member) {
        for (claim, _) in &self.attempts[attempt].captured {
            let each = &mut self.claims[*claim];
            each.aborted |= each.member == member && !each.sealed;
        }
    }

    pub fn attempt_settled(&mut self, number: usize, member: Member, ok: bool, error: Error) {
        let attempt = &mut self.attempts[number];
        let stood = attempt.is_standing();
        if attempt.starter() == member {
            attempt.own = Own::Settled(ok);
            attempt.error = if ok { None } else { error };
        }
        let view = attempt.view(member).unwrap();
        view.settled = true;
        let part = if ok { Ok(()) } else { Err(error) };
        if attempt.starter() != member {
            attempt.view(member).unwrap().ended = Some(part);
        }
        self.moved(number, member, stood);
    }

    /// After an attempt has moved: lifted or not, drained or not, over or not.
    pub fn moved(&mut self, number: usize, caller: Member, stood: bool) {
        if stood && !self.attempts[number].is_standing() {
            self.lift(number, caller);
        }
        self.announce(number, caller);
    }

    fn lift(&mut self, number: usize, caller: Member) {
        let attempt = &self.attempts[number];
        let (starter, how) = (attempt.starter(), attempt.lifted_word());
        let joined = attempt.joined.clone();
        if attempt.knows(starter) && self.members[starter].open {
            let told = ("Lifted", Handle::View(number, starter), u32::from(how == 2));
            self.attempts[number].views[0].lifting = starter != caller;
            self.tell(caller, starter, told, Post::Lifted(number));
        }
        for member in joined {
            if !self.members[member].open {
                continue;
            }
            let told = ("Joined", Handle::Joined(number, member), how);
            self.tell(caller, member, told, Post::Lifted(number));
        }
    }

    pub fn announce(&mut self, number: usize, caller: Member) {
        for place in 0..self.attempts[number].views.len() {
            let attempt = &self.attempts[number];
            let View { member, draining, .. } = attempt.views[place];
            if draining && attempt.is_drained(&self.claims, member) {
                let word = self.over_word(number);
                self.attempts[number].views[place].draining = false;
                let told = ("Drained", Handle::View(number, member), word);
                self.tell(caller, member, told, Post::Drained(number));
            }
        }
        if !self.attempts[number].is_over() {
            return;
        }
        for place in 0..self.attempts[number].views.len() {
            let View { member, sight, lifting, .. } = self.attempts[number].views[place];
            if member != caller && sight == Sight::Known && !lifting {
                self.post(member, Post::Over(number));
            }
        }
        self.let_go(number, caller);
    }

    /// The member's view ends with the attempt: at once, unless there are failures to be read first.
    fn let_go(&mut self, number: usize, member: Member) {
        let (word, attempt) = (self.over_word(number), &mut self.attempts[number]);
        let (over, opened) = (attempt.is_over(), attempt.opened.is_some());
        let Some(view) = attempt.view(member) else { return };
        if over && view.sight == Sight::Known && !view.lifting && self.members[member].open {
            if word == 0 {
                view.sight = Sight::Forgotten;
            }
            let word = word | u32::from(opened) << 1;
            self.told.push(("AttemptOver", Handle::View(number, member), word));
        }
    }

    fn over_word(&self, number: usize) -> u32 {
        u32::from(self.attempts[number].has_failures())
    }

    /// `None` while `drained` waits; else whether there may be failures.
    pub fn drained(&mut self, number: usize, member: Member) -> Option<bool> {
        let ready = self.attempts[number].is_drained(&self.claims, member);
        let failed = self.attempts[number].has_failures();
        self.attempts[number].view(member).unwrap().draining = !ready;
        ready.then_some(failed)
    }

    /// Places of the failures that `drained` tells the member of.
    pub fn failures(&self, number: usize, member: Member) -> Vec<(u32, Error)> {
        let attempt = &self.attempts[number];
        let whole = attempt.starter() == member;
        let claims = attempt.captured.iter().map(|(claim, end)| (self.claims[*claim].member, *end));
        let parts = attempt.views[1..].iter().map(|part| (part.member, part.ended));
        let parts = parts.filter(|_| whole);
        (0..)
            .zip(claims.chain(parts))
            .filter_map(|(place, (owner, ended))| match ended {
                Some(Err(error)) if whole || owner == member => Some((place, error)),
                _ => None,
            })
            .collect()
    }

    pub fn forget(&mut self, number: usize, member: Member) -> bool {
        let attempt = &mut self.attempts[number];
        attempt.view(member).unwrap().sight = Sight::Forgotten;
        attempt.opened.is_some()
    }

    pub fn forget_joined(&mut self, number: usize, member: Member) -> Error {
        let attempt = &mut self.attempts[number];
        attempt.joined.retain(|each| *each != member);
        attempt.error
    }

    pub fn part_begins(&mut self, number: usize, member: Member) {
        self.attempts[number].show(member);
        self.attempts[number].view(member).unwrap().begun = true;
        self.told.push(("PartBegins", Handle::View(number, member), 0));
    }

    pub fn deliver_drained(&mut self, number: usize, member: Member) {
        if self.attempts[number].knows(member) {
            let told = ("Drained", Handle::View(number, member), self.over_word(number));
            self.told.push(told);
        }
    }

    pub fn deliver_over(&mut self, number: usize, member: Member) {
        self.let_go(number, member);
    }

    pub fn deliver_lifted(&mut self, number: usize, member: Member) {
        let attempt = &mut self.attempts[number];
        if attempt.starter() == member {
            attempt.views[0].lifting = false;
            self.told.push(("Lifted", Handle::View(number, member), 0));
            self.announce(number, member);
        } else {
            let how = attempt.lifted_word();
            self.told.push(("Joined", Handle::Joined(number, member), how));
        }
    }

    /// Why a member without a handler cannot take its part: it has running turns.
    pub fn has_own_runs(&self, number: usize, member: Member) -> bool {
        let session = self.attempts[number].session;
        self.runs(session).any(|claim| self.claims[claim].member == member)
    }
}
