//! What a claim that has ended still says, by the word that it left on its handle.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says no by panicking")]

mod support;

use support::kit::{Kit, text};
use tenure::error::Reason;
use tenure::ownership::{
    ClaimEvent, ClaimPhase, ClaimRef, Effect, Start, StartEvent, Stopped, Word,
};

/// Claims that have ended in every way there is, with what their word is to say.
fn ended(kit: &mut Kit) -> Vec<(Word, ClaimPhase, bool, bool)> {
    let mut all = Vec::new();
    let released = kit.claim(0, "given up");
    all.push((kit.release(released).unwrap(), ClaimPhase::Released, false, false));

    let (settled, _) = kit.running(0, "settled", "r");
    assert_eq!(kit.realm.claim_move(settled, ClaimEvent::Settle(true), None), Ok(None));
    all.push((kit.realm.leave(settled).unwrap().unwrap(), ClaimPhase::Released, false, false));

    let (failed, _) = kit.running(0, "failed", "r");
    assert_eq!(kit.realm.claim_move(failed, ClaimEvent::Settle(false), None), Ok(None));
    all.push((kit.realm.leave(failed).unwrap().unwrap(), ClaimPhase::Failed, false, false));

    let stopped = kit.attached(0, "stopped", "r");
    kit.stop(0, "stopped");
    let word = kit.realm.claim_move(stopped, ClaimEvent::Finalize(false), None).unwrap();
    all.push((word.unwrap(), ClaimPhase::Failed, true, true));

    let raced = kit.claim(0, "raced");
    let entry = kit.entry(0, "raced");
    let Stopped::Started(view) = kit.realm.stop(entry, None).unwrap() else {
        panic!("nothing stands");
    };
    assert_eq!(kit.realm.captured(view), Ok(vec![(0, raced, false)]));
    // Given up by an abort listener that ran before its own.
    all.push((kit.release(raced).unwrap(), ClaimPhase::Released, true, false));
    all
}

#[test]
fn an_ended_claim_says_how_it_ended_and_whether_a_stop_had_it() {
    let mut kit = Kit::private();
    for (word, phase, captured, aborted) in ended(&mut kit) {
        let number = ClaimRef::Sealed(word).number();
        assert!(number < 0, "a number below zero is no slot");
        assert_eq!(ClaimRef::from_number(number), ClaimRef::Sealed(word));
        let again = kit.realm.claim_word(ClaimRef::from_number(number)).unwrap();
        assert_eq!((again.phase(), again.is_captured()), (phase, captured));
        assert_eq!((again.is_aborted(), again.is_closed()), (aborted, false));
        assert!(again.aborted().is_aborted());
        assert_eq!(again.aborted().phase(), phase);
    }
}

#[test]
fn a_slot_and_a_word_are_never_taken_for_each_other() {
    for slot in [0, 1, 77, i32::MAX as u32] {
        assert_eq!(ClaimRef::from_number(ClaimRef::Live(slot).number()), ClaimRef::Live(slot));
    }
    for word in 0..512 {
        let sealed = ClaimRef::Sealed(Word(word));
        assert_eq!(ClaimRef::from_number(sealed.number()), sealed);
    }
}

#[test]
fn an_ended_claim_refuses_what_a_claim_in_its_phase_refuses() {
    let mut kit = Kit::private();
    let core = kit.cores[0];
    let rows = [
        (ClaimEvent::Attach, Err(Reason::AttachPhase), Err(Reason::AttachPhase)),
        (ClaimEvent::Reserve, Err(Reason::ReservePhase), Err(Reason::ReservePhase)),
        (ClaimEvent::Settle(true), Err(Reason::SettlePhase), Err(Reason::SettlePhase)),
        (ClaimEvent::Settle(false), Err(Reason::SettlePhase), Ok(())),
        (ClaimEvent::Finalize(true), Ok(()), Ok(())),
        (ClaimEvent::Finalize(false), Ok(()), Ok(())),
        (ClaimEvent::Release, Ok(()), Ok(())),
    ];
    let ended = ended(&mut kit);
    for (word, phase, ..) in &ended {
        for (event, released, failed) in rows {
            let got = kit.realm.sealed_move(core, *word, event).map_err(|refusal| refusal.reason);
            let expected = if *phase == ClaimPhase::Failed { failed } else { released };
            assert_eq!(got, expected, "{phase:?} {event:?}");
        }
    }
    kit.close(0);
    for (word, ..) in ended {
        for (event, ..) in rows {
            let got = kit.realm.sealed_move(core, word, event).map_err(|refusal| refusal.reason);
            let refused = matches!(event, ClaimEvent::Attach | ClaimEvent::Reserve);
            let expected = if refused { Err(Reason::Closed) } else { Ok(()) };
            assert_eq!(got, expected, "{event:?} after the end of its core");
        }
    }
}

#[test]
fn a_claim_that_ends_with_its_core_says_so() {
    let mut kit = Kit::private();
    let claim = kit.attached(0, "s", "r");
    let (told, _) = kit.close(0);
    let [Effect::ClaimSealed(slot, word)] = told[..] else { panic!("{told:?}") };
    let word = Word(word);
    assert_eq!(slot, claim);
    assert_eq!((word.phase(), word.is_closed()), (ClaimPhase::Failed, true));
    assert_eq!(tenure::ownership::Realm::sealed_request(word).reason, Reason::Closed);
    let refused = kit.realm.claim_start(ClaimRef::Sealed(word), StartEvent::Take);
    assert_eq!(refused.unwrap_err().reason, Reason::Closed);
    let done = kit.realm.claim_start(ClaimRef::Sealed(word), StartEvent::Done(true));
    assert_eq!(done, Ok(ClaimRef::Sealed(word)), "a commit may end after its core");
}

#[test]
fn a_start_committed_by_a_claim_is_taken_once_and_outlives_it() {
    let mut kit = Kit::private();
    let claim = kit.attached(0, "s", "r");
    let live = ClaimRef::Live(claim);
    assert_eq!(kit.realm.claim_start(live, StartEvent::Commit), Ok(live));
    let sealed = ClaimRef::Sealed(kit.release(claim).unwrap());
    let sealed = kit.realm.claim_start(sealed, StartEvent::Done(true)).unwrap();
    let ClaimRef::Sealed(word) = sealed else { panic!("{sealed:?}") };
    assert_eq!(word.start(), Start::Committed);
    let taken = kit.realm.claim_start(sealed, StartEvent::Take).unwrap();
    let again = kit.realm.claim_start(taken, StartEvent::Take);
    assert_eq!(again.unwrap_err().reason, Reason::StartTaken);
    let refused = kit.realm.claim_start(taken, StartEvent::Commit);
    assert_eq!(refused.unwrap_err().reason, Reason::StartCommitted);
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}

#[test]
fn a_claim_is_kept_while_its_run_is_registered_and_no_longer() {
    let mut kit = Kit::private();
    let (claim, generation) = kit.running(0, "s", "r");
    assert_eq!(kit.realm.claim_move(claim, ClaimEvent::Settle(true), None), Ok(None));
    assert_eq!(kit.state(claim).phase(), ClaimPhase::Released);
    let entry = kit.entry(0, "s");
    assert_eq!(kit.realm.active_claims(entry), Ok(vec![claim]));
    assert_eq!(kit.realm.run_on_route(entry, None, &text("r"), false), Ok(Some(claim)));
    assert!(kit.realm.leave(claim).unwrap().is_some());
    assert!(kit.realm.claim_word(ClaimRef::Live(claim)).is_err());
    kit.realm.generation_dispose(generation).unwrap();
    kit.realm.generation_disposed(generation, true, None).unwrap();
    assert_eq!((kit.sessions(0), kit.realm.handle_count()), (0, 0));
}
