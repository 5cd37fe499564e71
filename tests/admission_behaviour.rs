//! What a registry of active operations promises to those who reserve, look and leave.

use tenure::admission::{Filter, Refusal, Registration, Registry, SessionFilter};
use tenure::text::Text;

const MEMBER: u32 = 1;

fn registration(operation_id: &str, owner_id: &str, session_id: Option<&str>) -> Registration {
    Registration {
        operation_id: operation_id.into(),
        owner_id: owner_id.into(),
        session_id: session_id.map(Text::from),
    }
}

fn operation(operation_id: &str) -> Registration {
    registration(operation_id, "owner", Some("s1"))
}

fn keys(names: &[&str]) -> Vec<Text> {
    names.iter().map(|name| Text::from(*name)).collect()
}

fn busy(holder: Registration, key: &str) -> Result<u64, Refusal> {
    Err(Refusal::Busy { holder, key: key.into() })
}

fn ids(registry: &Registry, filter: &Filter) -> Vec<String> {
    registry.list(filter).iter().map(|found| found.operation_id.to_string()).collect()
}

#[test]
fn an_operation_is_active_from_its_reservation_to_its_release() {
    let registry = Registry::new();
    assert!(registry.is_empty());
    let lease = registry.reserve(MEMBER, operation("a"), keys(&["k"])).unwrap_or_default();
    assert_eq!(registry.get(&Text::from("a")), Some(operation("a")));
    assert_eq!(registry.get(&Text::from("b")), None);
    assert_eq!(registry.len(), 1);
    assert!(registry.release(lease));
    assert_eq!(registry.get(&Text::from("a")), None);
    assert!(registry.is_empty());
    assert!(registry.reserve(MEMBER, operation("b"), keys(&["k"])).is_ok());
}

#[test]
fn a_refusal_names_the_holder_of_the_first_held_key_in_the_callers_order() {
    let registry = Registry::new();
    assert!(registry.reserve(MEMBER, operation("a"), keys(&["k1"])).is_ok());
    assert!(registry.reserve(MEMBER, operation("b"), keys(&["k2"])).is_ok());
    let ask = |names: &[&str]| registry.reserve(MEMBER, operation("c"), keys(names));
    assert_eq!(ask(&["free", "k2", "k1"]), busy(operation("b"), "k2"));
    assert_eq!(ask(&["k1", "k2", "free"]), busy(operation("a"), "k1"));
    assert!(ask(&["free"]).is_ok());
}

#[test]
fn a_held_key_is_judged_before_a_duplicate_id_and_neither_takes_anything() {
    let registry = Registry::new();
    assert!(registry.reserve(MEMBER, operation("a"), keys(&["k"])).is_ok());
    let again = |names: &[&str]| registry.reserve(MEMBER, operation("a"), keys(names));
    assert_eq!(again(&["free", "k"]), busy(operation("a"), "k"));
    assert_eq!(again(&["free"]), Err(Refusal::Duplicate));
    assert_eq!(again(&[]), Err(Refusal::Duplicate));
    assert_eq!(registry.len(), 1);
    assert!(registry.reserve(MEMBER, operation("b"), keys(&["free"])).is_ok());
}

#[test]
fn a_repeated_key_counts_once_and_no_key_excludes_nobody() {
    let registry = Registry::new();
    let lease = registry.reserve(MEMBER, operation("a"), keys(&["k", "k"])).unwrap_or_default();
    assert!(registry.reserve(MEMBER, operation("b"), Vec::new()).is_ok());
    assert!(registry.reserve(MEMBER, operation("c"), Vec::new()).is_ok());
    assert!(registry.release(lease));
    assert!(registry.reserve(MEMBER, operation("d"), keys(&["k"])).is_ok());
}

#[test]
fn ids_and_keys_are_compared_exactly() {
    let registry = Registry::new();
    let lone = Text::from_units(&[0xd800]);
    let of_lone = Registration { operation_id: lone.clone(), ..operation("") };
    assert!(registry.reserve(MEMBER, of_lone.clone(), vec![lone.clone()]).is_ok());
    for (id, key) in [("\u{fffd}", "\u{fffd}"), ("é", "é"), ("e\u{301}", "e\u{301}"), ("É", "É")]
    {
        assert!(registry.reserve(MEMBER, operation(id), keys(&[key])).is_ok());
    }
    let held = registry.reserve(MEMBER, operation("x"), vec![lone.clone()]);
    assert_eq!(held, Err(Refusal::Busy { holder: of_lone.clone(), key: lone.clone() }));
    assert_eq!(registry.get(&lone), Some(of_lone));
}

#[test]
fn a_listing_keeps_the_order_of_admission_and_filters_by_session_and_owner() {
    let registry = Registry::new();
    let reserve = |id, owner, session| {
        registry.reserve(MEMBER, registration(id, owner, session), Vec::new()).unwrap_or_default()
    };
    reserve("b", "w1", Some("s1"));
    let middle = reserve("a", "w2", Some("s1"));
    reserve("c", "w1", None);
    reserve("d", "w1", Some("s2"));
    let list = |session, owner: Option<&str>| {
        ids(&registry, &Filter { session, owner: owner.map(Text::from) })
    };
    let s1 = || SessionFilter::Session("s1".into());
    assert_eq!(list(SessionFilter::Any, None), ["b", "a", "c", "d"]);
    assert_eq!(list(s1(), None), ["b", "a"]);
    assert_eq!(list(s1(), Some("w1")), ["b"]);
    assert_eq!(list(SessionFilter::Any, Some("w1")), ["b", "c", "d"]);
    assert_eq!(list(SessionFilter::ApplicationWide, None), ["c"]);
    assert_eq!(list(SessionFilter::ApplicationWide, Some("w2")), [""; 0]);
    assert!(registry.release(middle));
    reserve("a", "w2", Some("s1"));
    assert_eq!(list(SessionFilter::Any, None), ["b", "c", "d", "a"]);
}

#[test]
fn a_stale_lease_never_ends_a_later_registration() {
    let registry = Registry::new();
    let first = registry.reserve(MEMBER, operation("a"), keys(&["k"])).unwrap_or_default();
    assert!(registry.release(first));
    let second = registry.reserve(MEMBER, operation("a"), keys(&["k"])).unwrap_or_default();
    assert_ne!(first, second);
    assert!(!registry.release(first));
    assert!(!registry.release(0));
    assert_eq!(registry.get(&Text::from("a")), Some(operation("a")));
    let held = registry.reserve(MEMBER, operation("b"), keys(&["k"]));
    assert_eq!(held, busy(operation("a"), "k"));
    assert!(registry.release(second));
}

#[test]
fn a_member_that_ends_takes_its_own_registrations_with_it_and_no_others() {
    let registry = Registry::new();
    let mine = registry.reserve(1, operation("a"), keys(&["k1"])).unwrap_or_default();
    let other = registry.reserve(2, operation("b"), keys(&["k2"])).unwrap_or_default();
    assert!(registry.reserve(1, operation("c"), Vec::new()).is_ok());
    registry.end_member(1);
    registry.end_member(1);
    assert_eq!(ids(&registry, &Filter::default()), ["b"]);
    assert!(!registry.release(mine));
    assert!(registry.reserve(2, operation("a"), keys(&["k1"])).is_ok());
    let held = registry.reserve(1, operation("d"), keys(&["k2"]));
    assert_eq!(held, busy(operation("b"), "k2"));
    assert!(registry.release(other));
}

#[test]
fn close_clears_everything_and_is_for_good() {
    let registry = Registry::new();
    let lease = registry.reserve(MEMBER, operation("a"), keys(&["k"])).unwrap_or_default();
    registry.close();
    registry.close();
    assert!(registry.is_empty());
    assert_eq!(registry.get(&Text::from("a")), None);
    assert!(!registry.release(lease));
    let refused = registry.reserve(MEMBER, operation("a"), keys(&["k"]));
    assert_eq!(refused, Err(Refusal::Closed));
    assert!(registry.is_empty());
}

#[test]
fn ten_thousand_operations_are_admitted_listed_and_released_in_any_order() {
    let registry = Registry::new();
    let names: Vec<String> = (0..10_000).map(|number| format!("o{number}")).collect();
    let admit = |name: &String| registry.reserve(MEMBER, operation(name), keys(&[name]));
    let leases: Vec<u64> = names.iter().filter_map(|name| admit(name).ok()).collect();
    assert_eq!(ids(&registry, &Filter::default()), names);
    let (even, odd): (Vec<u64>, Vec<u64>) = leases.into_iter().partition(|lease| lease % 2 == 0);
    assert!(odd.into_iter().chain(even.into_iter().rev()).all(|lease| registry.release(lease)));
    assert!(registry.is_empty());
}
