//! Stopping a session: single flight, capture, parts of other members, draining.

use crate::error::{Outcome, Reason};
use crate::ownership::attempt::{Attempt, Captured, Ended, Event};
use crate::ownership::claim;
use crate::ownership::out::{AttemptId, Cause, Kind, MemberId, NO_SLOT, Out, Slot, next_name};
use crate::ownership::realm::Realm;
use crate::ownership::session::Record;
use crate::text::Text;

/// What became of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// This member's own attempt stands: its view.
    Standing(Slot),
    /// Another member's stands and is joined: the slot of this member's promise of it.
    Joined(Slot),
    /// Other members take part: ask again with the input as JSON.
    NeedsInput,
    /// A new attempt: the starter's view. Its captured claims are to be told.
    Started(Slot),
}

impl Record {
    /// The other members that take a part in a stop, in the order of joining.
    fn parts(&self, starter: MemberId) -> Vec<MemberId> {
        let claims = self.claims.iter().map(|(_, claim)| claim);
        let live = claims.filter(|claim| claim.state.phase.is_live()).map(|claim| claim.member);
        let running = self.generations.iter().filter(|each| !each.runs.is_empty());
        let retaining = self.operations.iter().filter(|each| each.retained);
        let mut parts: Vec<MemberId> = live
            .chain(running.map(|each| each.member))
            .chain(retaining.map(|each| each.member))
            .filter(|member| *member != starter)
            .collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    fn start_attempt(
        &mut self,
        input: Option<Text>,
        parts: Vec<MemberId>,
        out: &mut Out<'_>,
    ) -> Slot {
        let id = next_name();
        let slot = out.slot(Kind::Attempt, id);
        let mut attempt = Attempt::new(id, out.member, slot, input);
        let mut live: Vec<(u32, usize)> = self
            .claims
            .iter()
            .filter(|(_, claim)| claim.state.phase.is_live())
            .map(|(key, claim)| (claim.seq, key))
            .collect();
        live.sort_unstable();
        attempt.captured.reserve_exact(live.len());
        for (_, key) in live {
            let claim = &mut self.claims[key];
            // A live claim is never refused its capture.
            claim.state = claim.state.next(claim::Event::Capture).unwrap_or(claim.state);
            claim.stops.push((id, attempt.captured.len() as u32));
            attempt.captured.push(Captured {
                member: claim.member,
                key: Some(key as u32),
                ended: Ended::Not,
            });
        }
        attempt.pending = attempt.captured.len() as u32;
        attempt.state.open_parts = parts.len() as u32;
        for member in parts {
            attempt.add_view(member, None);
            out.post(member, Cause::Stop(id));
        }
        self.attempts.push(attempt);
        slot
    }

    fn view_of(&self, id: AttemptId, member: MemberId) -> Outcome<&Attempt> {
        let attempt = self.attempt(id).ok_or(Reason::InvalidThis)?;
        attempt.view(member).map(|_| attempt).ok_or(Reason::InvalidThis.into())
    }
}

impl Realm {
    /// Starts the session's stop attempt, or joins the one that stands. `input` is the input as JSON,
    /// none when it was not asked for yet.
    ///
    /// # Errors
    /// `ERR_CLOSED`, `ERR_INTERNAL`.
    pub fn stop(&mut self, entry: u32, input: Option<Text>) -> Outcome<Stopped> {
        let stopped = self.with(entry, NO_SLOT, "stop asked for", |record, out| {
            let member = out.member;
            if let Some(standing) = record.attempts.iter_mut().find(|each| each.is_standing()) {
                if standing.starter() == member
                    && let Some(slot) = standing.views[0].slot
                {
                    return Ok(Stopped::Standing(slot));
                }
                let joined = standing.joined.iter().find(|(joined, _)| *joined == member);
                if let Some((_, slot)) = joined {
                    return Ok(Stopped::Joined(*slot));
                }
                let slot = out.slot(Kind::Joined, standing.id);
                standing.joined.push((member, slot));
                return Ok(Stopped::Joined(slot));
            }
            let parts = if out.shared { record.parts(member) } else { Vec::new() };
            if !parts.is_empty() && input.is_none() {
                return Ok(Stopped::NeedsInput);
            }
            Ok(Stopped::Started(record.start_attempt(input, parts, out)))
        })?;
        Ok(stopped)
    }

    /// The claims of this member that the attempt captured and that are still known here, in claim
    /// order: each with its place in the attempt, and whether its `onStop` is to be called. Whoever asks
    /// calls it: it is not asked for again.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn captured(&mut self, attempt: Slot) -> Outcome<Vec<(u32, Slot, bool)>> {
        self.on(attempt, Kind::Attempt, "", |record, out, id| {
            let member = out.member;
            record.view_of(id, member)?;
            let attempt = record.attempt_mut(id).ok_or(Reason::InvalidThis)?;
            if let Some(view) = attempt.view_mut(member) {
                view.begun = true;
            }
            let captured = attempt.captured.iter().enumerate();
            let own: Vec<(u32, u32)> = captured
                .filter(|(_, claim)| claim.member == out.member)
                .filter_map(|(place, claim)| claim.key.map(|key| (place as u32, key)))
                .collect();
            let mut list = Vec::with_capacity(own.len());
            for (place, key) in own {
                let claim = record.claim_mut(key)?;
                let tell = claim.run.is_some() && !claim.told;
                claim.told |= tell;
                list.push((place, claim.slot, tell));
                // One that has ended was kept for this.
                record.seal_claim(key, false, out);
            }
            Ok(list)
        })
    }

    /// The abort of the stop reaches this member's captured claims up to a place. The last step of the
    /// starter drops what is queued as well, in steering and followups, and leaves leases alone.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn attempt_abort(&mut self, attempt: Slot, from: u32, to: u32, clear: bool) -> Outcome<()> {
        self.on(attempt, Kind::Attempt, "stop aborted claims", |record, out, id| {
            let captured = &record.view_of(id, out.member)?.captured;
            let range = from as usize..captured.len().min(to as usize + 1);
            let own = captured.get(range).unwrap_or_default().iter();
            let keys: Vec<u32> = own
                .filter(|claim| claim.member == out.member)
                .filter_map(|claim| claim.key)
                .collect();
            for key in keys {
                record.claim_mut(key)?.aborted = true;
            }
            if clear {
                record.steering.clear(out);
            }
            Ok(())
        })
    }

    /// The starter's input as JSON, if it crossed.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn attempt_input(&self, attempt: Slot) -> Outcome<Option<Text>> {
        self.read(attempt, Kind::Attempt, |record, id| {
            Ok(record.attempt(id).ok_or(Reason::InvalidThis)?.input.clone())
        })
    }

    /// How this member's part of the attempt settled: of its starter, or of another member.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn attempt_settled(&mut self, slot: Slot, ok: bool, error: Option<Text>) -> Outcome<()> {
        self.on(
            slot,
            Kind::Attempt,
            if ok { "stop settled" } else { "stop failed" },
            |record, out, id| {
                let member = out.member;
                let attempt = record.attempt_mut(id).ok_or(Reason::InvalidThis)?;
                if attempt.starter() == member {
                    attempt.error = error;
                    attempt.apply(Event::OwnSettled(ok), out);
                } else {
                    let view = attempt.view_mut(member).ok_or(Reason::InvalidThis)?;
                    if view.ended == Ended::Not {
                        view.ended = if ok { Ended::Ok } else { Ended::Failed(error) };
                        attempt.apply(Event::PartSettled, out);
                    }
                }
                record.forget_attempts();
                Ok(())
            },
        )?;
        Ok(())
    }

    /// Whether `drained` has nothing to wait for, and then whether there may be failures to tell; else
    /// the member is told once it has not.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn drained(&mut self, slot: Slot) -> Outcome<Option<bool>> {
        self.on(slot, Kind::Attempt, "", |record, out, id| {
            let attempt = record.attempt_mut(id).ok_or(Reason::InvalidThis)?;
            let ready = attempt.is_drained(out.member);
            if let Some(view) = attempt.view_mut(out.member) {
                view.draining = !ready;
            }
            Ok(ready.then(|| attempt.has_failures()))
        })
    }

    /// The failures that `drained` tells of: places of captured claims, in claim order; then, of the
    /// starter, those of the parts, counted on from the last place, in the order of joining.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn failures(&self, slot: Slot) -> Outcome<Vec<u32>> {
        let member = self.member_of(self.handle(slot, Kind::Attempt)?.entry)?;
        self.read(slot, Kind::Attempt, |record, id| {
            let attempt = record.view_of(id, member)?;
            let whole = attempt.starter() == member;
            let claims = attempt.captured.iter().map(|claim| (claim.member, &claim.ended));
            let parts = attempt.views[1..].iter().map(|part| (part.member, &part.ended));
            let parts = parts.filter(|_| whole);
            Ok((0..)
                .zip(claims.chain(parts))
                .filter(|(_, (owner, ended))| {
                    matches!(ended, Ended::Failed(_)) && (whole || *owner == member)
                })
                .map(|(place, _)| place)
                .collect())
        })
    }

    /// The error at a place of [`Realm::failures`], as it crosses; none when its member has ended.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn failure_text(&self, slot: Slot, place: u32) -> Outcome<Option<Text>> {
        self.read(slot, Kind::Attempt, |record, id| {
            let attempt = record.attempt(id).ok_or(Reason::InvalidThis)?;
            let captured = attempt.captured.iter().map(|claim| &claim.ended);
            let parts = attempt.views[1..].iter().map(|part| &part.ended);
            match captured.chain(parts).nth(place as usize) {
                Some(Ended::Failed(text)) => Ok(text.clone()),
                _ => Ok(None),
            }
        })
    }

    /// The view's handle keeps from here on what it needs. Returns whether an operation was opened in
    /// the attempt: the one fact of it that a later `retain` asks for.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn attempt_forget(&mut self, slot: Slot) -> Outcome<bool> {
        self.on(slot, Kind::Attempt, "", |record, out, id| {
            let attempt = record.attempt_mut(id).ok_or(Reason::InvalidThis)?;
            let opened = attempt.opened.is_some();
            out.free(slot);
            attempt.drop_view(out.member);
            record.forget_attempts();
            Ok(opened)
        })
    }

    /// The error of an attempt that was joined, as it crosses; the promise is settled with it.
    ///
    /// # Errors
    /// `ERR_INVALID_THIS`.
    pub fn joined_forget(&mut self, slot: Slot) -> Outcome<Option<Text>> {
        self.on(slot, Kind::Joined, "", |record, out, id| {
            let attempt = record.attempt_mut(id).ok_or(Reason::InvalidThis)?;
            let error = attempt.error.clone();
            attempt.joined.retain(|(member, joined)| *joined != slot || *member != out.member);
            out.free(slot);
            if attempt.is_unseen() {
                record.attempts.retain(|each| each.id != id);
            }
            Ok(error)
        })
    }

    /// The claims of this member whose run is registered on a generation of the session, by
    /// generation, then in the order registered.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn active_claims(&self, entry: u32) -> Outcome<Vec<Slot>> {
        let member = self.member_of(entry)?;
        self.look(entry, |record| {
            let runs = record
                .generations
                .iter()
                .filter(|generation| generation.member == member)
                .flat_map(|generation| generation.runs.values());
            Ok(runs.filter_map(|key| record.claims.get(*key as usize)).map(|c| c.slot).collect())
        })
    }

    /// Whether the member has a registered run in the session: a part without a handler is then an
    /// error to the starter.
    ///
    /// # Errors
    /// `ERR_INTERNAL`.
    pub fn has_own_runs(&self, attempt: Slot) -> Outcome<bool> {
        let entry = self.handle(attempt, Kind::Attempt)?.entry;
        Ok(!self.active_claims(entry)?.is_empty())
    }
}
