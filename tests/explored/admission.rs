//! Admission, and the end of what it admits to: of the registry, of a member, of the scope.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tenure::admission::{Refusal, Registration};
use tenure::text::Text;

use crate::explore::explore;
use crate::kit::text;
use crate::member::{Member, spawn};

fn registration(id: &str) -> Registration {
    Registration { operation_id: text(id), owner_id: text("owner"), session_id: None }
}

fn reserve(member: &Member, id: &str, keys: &[&str]) -> Result<u64, Refusal> {
    let (scope, name) = member.kit.realm.admission(member.kit.cores[0]).unwrap();
    let keys: Vec<Text> = keys.iter().map(|key| text(key)).collect();
    scope.admission.reserve(name, registration(id), keys)
}

fn active(member: &Member) -> usize {
    member.kit.realm.stats(member.kit.cores[0]).unwrap().1
}

#[test]
fn nothing_is_admitted_past_a_close_and_no_key_is_held_twice() {
    explore("admit against close", &["admitted", "both admitted", "closed"], || {
        let members = [Member::of("scope"), Member::of("scope"), Member::of("scope")];
        let [first, second, closing] = members;
        let holders = Arc::new(AtomicUsize::new(0));
        let asking = [(first, "a"), (second, "b")].map(|(member, id)| {
            let holders = Arc::clone(&holders);
            spawn(move || {
                let reserved = reserve(&member, id, &[id, "key"]);
                let Ok(lease) = reserved else {
                    match &reserved {
                        Err(Refusal::Busy { key, .. }) => assert_eq!(*key, text("key")),
                        other => assert_eq!(*other, Err(Refusal::Closed)),
                    }
                    return (member, false);
                };
                // It holds the key from before this to after that, unless it is closed meanwhile.
                let others = holders.fetch_add(1, Ordering::SeqCst);
                let (scope, _) = member.kit.realm.admission(member.kit.cores[0]).unwrap();
                let scope = Arc::clone(scope);
                shuttle::thread::yield_now();
                holders.fetch_sub(1, Ordering::SeqCst);
                assert_eq!(others, 0, "a key has two holders");
                scope.admission.release(lease);
                assert!(!scope.admission.release(lease), "a lease ends once");
                (member, true)
            })
        });
        let closes = spawn(move || {
            let (scope, _) = closing.kit.realm.admission(closing.kit.cores[0]).unwrap();
            scope.admission.close();
            assert_eq!(active(&closing), 0, "something was admitted past the close");
            assert_eq!(reserve(&closing, "c", &[]), Err(Refusal::Closed));
        });
        let admitted = asking.map(|asking| asking());
        closes();
        assert_eq!(active(&admitted[0].0), 0);
        match admitted.iter().filter(|(_, admitted)| *admitted).count() {
            0 => "closed",
            1 => "admitted",
            _ => "both admitted",
        }
    });
}

#[test]
fn what_a_member_holds_is_free_once_it_has_ended_and_not_before() {
    explore("admit against the end of a thread", &["busy", "free"], || {
        let (asking, mut ending) = (Member::of("scope"), Member::of("scope"));
        assert_eq!(reserve(&ending, "a", &["key"]), Ok(1));
        let ends = spawn(move || drop(ending.kit.close(0)));
        let asks = spawn(move || {
            let reserved = reserve(&asking, "b", &["key"]);
            (asking, reserved)
        });
        let (asking, reserved) = asks();
        ends();
        let way = match reserved {
            Ok(_) => "free",
            Err(Refusal::Busy { holder, .. }) => {
                assert_eq!(holder, registration("a"));
                assert!(reserve(&asking, "b", &["key"]).is_ok(), "its holder has ended");
                "busy"
            }
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(active(&asking), 1);
        way
    });
}

#[test]
fn whoever_joins_a_scope_while_its_last_member_leaves_is_found_by_those_who_come_later() {
    explore("join against the last to leave", &["begun anew", "joined"], || {
        let mut leaving = Member::of("scope");
        let before = reserve(&leaving, "left", &[]);
        let leaves = spawn(move || drop(leaving.kit.close(0)));
        let joins = spawn(|| {
            let joined = Member::of("scope");
            let lease = reserve(&joined, "joined", &[]);
            (joined, lease)
        });
        let (joined, lease) = joins();
        leaves();
        let later = Member::of("scope");
        assert_eq!(reserve(&later, "joined", &[]), Err(Refusal::Duplicate), "another scope");
        assert_eq!(active(&joined), 1);
        assert_eq!(before, Ok(1));
        if lease == Ok(1) { "begun anew" } else { "joined" }
    });
}
