//! The steering queue of a session, pulled, released and taken over at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tenure::ownership::{Messages, Name, Said, Slot};
use tenure::text::Text;

use crate::explore::explore;
use crate::kit::text;
use crate::member::{Member, spawn};

fn ids(messages: &Messages) -> Vec<Text> {
    messages.said.iter().map(|said| said.id.clone()).collect()
}

fn open(member: &mut Member, turn: &str) -> Slot {
    let entry = member.kit.entry(0, "s");
    member.kit.realm.open_turn(entry, text(turn), true).unwrap()
}

/// Queues a message, unless no turn owns the queue.
fn say(member: &mut Member, id: &str) -> Option<Text> {
    let entry = member.kit.entry(0, "s");
    let said = Said { id: text(id), text: text("words") };
    let queued = member.kit.realm.queue(entry, Some(said), false).unwrap();
    queued.map(|_| text(id))
}

/// Pulls; a turn that another one has taken the queue from, and that holds nothing, is no more.
fn pull(member: &mut Member, turn: Slot) -> Vec<Text> {
    let pulled = ids(&member.kit.realm.pull(turn).unwrap_or_default());
    member.act();
    pulled
}

#[test]
fn every_message_is_leased_once_or_waits_whatever_is_pulled_and_released() {
    let ways = ["one turn has all", "some wait", "two turns have some"];
    explore("pull against release", &ways, || {
        let (mut first, mut second) = (Member::of("scope"), Member::of("scope"));
        let mut says = Member::of("scope");
        let (one, _) = (open(&mut first, "one"), first.act());
        let mut sent = vec![say(&mut says, "1").unwrap()];
        let taken = Arc::new(AtomicBool::new(false));
        let saying = {
            let taken = Arc::clone(&taken);
            spawn(move || {
                // With each, whether the second turn owned the queue before it was said.
                let sent = ["2", "3"].map(|id| {
                    let late = taken.load(Ordering::SeqCst);
                    say(&mut says, id).map(|id| (id, late))
                });
                (says, sent)
            })
        };
        // Pulls, and delivers the first message; what else it has goes back with its release.
        let releasing = spawn(move || {
            let pulled = pull(&mut first, one);
            if let [id, ..] = &pulled[..] {
                let names = [Name::Id(id.units())];
                let settled = first.kit.realm.settle_leases(one, &names, true).unwrap();
                assert_eq!(settled.count, 1, "what was pulled is leased until it is settled");
                first.act();
            }
            // Sealed if it owns nothing and holds nothing any more.
            let _ = first.kit.realm.release_turn(one);
            first.act();
            (first, pulled)
        });
        let pulling = spawn(move || {
            let two = open(&mut second, "two");
            taken.store(true, Ordering::SeqCst);
            second.act();
            let pulled = pull(&mut second, two);
            (second, pulled)
        });
        let (says, queued) = saying();
        let (first, pulled) = releasing();
        let (mut second, leased) = pulling();
        let delivered = &pulled[..pulled.len().min(1)];
        for (id, late) in queued.into_iter().flatten() {
            assert!(!late || !pulled.contains(&id), "{id} was another turn's to pull");
            sent.push(id);
        }
        let entry = second.kit.entry(0, "s");
        let (steering, followup) = second.kit.realm.snapshot(entry).unwrap();
        let (held, waiting) = (ids(&steering), ids(&followup));
        assert_eq!(held[..leased.len()], leased, "what was leased stays leased");
        let all: Vec<Text> = [delivered, &held, &waiting].concat();
        assert_eq!(all.len(), sent.len(), "{sent:?}: {delivered:?} {held:?} {waiting:?}");
        assert_eq!(BTreeSet::from_iter(&all), BTreeSet::from_iter(&sent));
        assert!(waiting.is_sorted() && held[leased.len()..].is_sorted(), "{held:?} {waiting:?}");
        drop((first, says));
        match (delivered.len(), leased.len(), sent.len()) {
            (done, had, all) if done + had < all => "some wait",
            (0, _, _) | (_, 0, _) => "one turn has all",
            _ => "two turns have some",
        }
    });
}
