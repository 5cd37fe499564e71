//! Execution claims, committed starts, interaction requests.

use super::raw::{Numbers, Table, Units};
use super::thread::Thread;
use super::{given, maybe};
use crate::error::{Outcome, Reason};
use crate::ownership::{ClaimEvent, ClaimRef, Realm, StartEvent, Word};
use crate::text::Text;

/// Nothing, or 1 + the sealed word of the claim.
fn sealed(word: Option<Word>) -> u32 {
    word.map_or(0, |word| word.0 + 1)
}

fn claim_event(number: u32) -> Outcome<ClaimEvent> {
    Ok(match number {
        0 => ClaimEvent::Attach,
        1 => ClaimEvent::Reserve,
        2 => ClaimEvent::Settle(true),
        3 => ClaimEvent::Settle(false),
        4 => ClaimEvent::Finalize(true),
        5 => ClaimEvent::Finalize(false),
        6 => ClaimEvent::Release,
        _ => return Err(Reason::Internal.into()),
    })
}

fn start_event(number: u32) -> Outcome<StartEvent> {
    Ok(match number {
        0 => StartEvent::Commit,
        1 => StartEvent::Done(true),
        2 => StartEvent::Done(false),
        3 => StartEvent::Take,
        _ => return Err(Reason::Internal.into()),
    })
}

pub(super) fn define(table: &mut Table) {
    table.define("open", |thread, (core, id): (u32, Units)| thread.realm.open(core, &id));
    table.define("claim", |thread, (entry,): (u32,)| thread.realm.claim(entry));
    table.define("claimOwns", |thread, (entry, claim): (u32, i32)| -> Outcome<()> {
        thread.realm.claim_owns_admission(entry, ClaimRef::from_number(claim))
    });
    table.define("claimWord", |thread, (claim,): (i32,)| -> Outcome<u32> {
        thread.realm.claim_word(ClaimRef::from_number(claim)).map(|word| word.0)
    });
    table.define("claimIsExclusive", |thread, (claim,): (u32,)| -> Outcome<bool> {
        thread.realm.claim_is_exclusive(claim)
    });
    table.define("sessionIsIdle", |thread, (core, id): (u32, Units)| -> Outcome<bool> {
        thread.realm.session_is_idle(core, &id)
    });
    table.define("attach", attach);
    table
        .define("sealAborted", |_, (word,): (u32,)| -> Outcome<u32> { Ok(Word(word).aborted().0) });
    table.define("settle", |thread, (claim, ok, error): (u32, bool, Option<Text>)| {
        thread.realm.claim_move(claim, ClaimEvent::Settle(ok), error).map(sealed)
    });
    table.define("finalize", |thread, (claim, ok, error): (u32, bool, Option<Text>)| {
        thread.realm.claim_move(claim, ClaimEvent::Finalize(ok), error).map(sealed)
    });
    table.define("release", |thread, (claim,): (u32,)| {
        thread.realm.claim_move(claim, ClaimEvent::Release, None).map(sealed)
    });
    table.define("sealedMove", |thread, (core, word, event): (u32, u32, u32)| -> Outcome<()> {
        thread.realm.sealed_move(core, Word(word), claim_event(event)?)
    });
    table.define("leave", |thread, (claim,): (u32,)| thread.realm.leave(claim).map(sealed));
    table.define("bind", |thread, (claim, session, run, turn): (u32, Text, Text, Text)| {
        thread.realm.bind(claim, &[session, run, turn])
    });
    table.define("unbind", |thread, (claim,): (u32,)| thread.realm.unbind(claim));
    table.define("enter", |thread, (claim,): (u32,)| thread.realm.enter(claim));
    table.define("start", |thread, (claim, event): (i32, u32)| -> Outcome<u32> {
        let moved = thread.realm.claim_start(ClaimRef::from_number(claim), start_event(event)?)?;
        Ok(match moved {
            ClaimRef::Live(_) => 0,
            ClaimRef::Sealed(word) => word.0 + 1,
        })
    });
    table.define("openRequest", |thread, (claim, id): (u32, Text)| -> Outcome<u32> {
        let opened = thread.realm.open_request(claim, id)?;
        Ok(opened.slot << 1 | u32::from(opened.again))
    });
    table.define("sealedRequest", |_, (word,): (u32,)| -> Outcome<()> {
        Err(Realm::sealed_request(Word(word)))
    });
    table.define("closeRequest", |thread, (slot,): (u32,)| thread.realm.close_request(slot));
    table.define("request", |thread, (entry, id): (u32, Units)| -> Outcome<u32> {
        Ok(maybe(thread.realm.requests(entry, Some(&id))?.first().copied()))
    });
    table.define("requests", |thread, (entry, to): (u32, Numbers)| -> Outcome<u32> {
        let requests = thread.realm.requests(entry, None)?;
        Ok(thread.answer(requests, to))
    });
    table.define("reserve", |thread, (claim, generation): (u32, u32)| -> Outcome<u32> {
        thread.realm.reserve(claim, given(generation)).map(maybe)
    });
    table.define("canDispatch", |thread, (claim,): (u32,)| -> Outcome<bool> {
        thread.realm.can_dispatch(claim)
    });
    table.define("claimOperation", |thread, (claim,): (u32,)| -> Outcome<u32> {
        thread.realm.claim_operation(claim).map(maybe)
    });
}

fn attach(
    thread: &mut Thread,
    (claim, run, turn, session): (u32, Text, Text, Option<Text>),
) -> Outcome<u32> {
    thread.realm.attach(claim, run, turn, session).map(maybe)
}
