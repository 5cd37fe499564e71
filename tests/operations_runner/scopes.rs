//! One runner a scope, and every scope by itself.

use tenure::error::Reason;
use tenure::operations::contract::State;
use tenure::operations::runner::RunnerOptions;

use crate::kit::{
    Backend, ByHand, Verb, endless, left, let_go, memory, options, pause, start, stop, try_start,
    until,
};

#[test]
fn a_scope_has_one_started_runner_and_a_start_after_a_stop_is_admitted() {
    let journal = memory();
    let backend = Backend::willing();
    let within = |scope: &str| RunnerOptions { scope: scope.into(), ..options() };
    let runner = start(&journal, &backend, within("s"));
    let refused = try_start(&journal, &backend, within("s")).unwrap_err();
    assert_eq!((refused.reason, refused.scope.as_deref()), (Reason::ScopeOwned, Some("s")));
    let other = start(&journal, &backend, within("t"));
    journal.put_in("t", "x");
    until("x is submitted", || backend.of(Verb::Submit) == ["x"]);
    stop(&runner);
    let again = start(&journal, &backend, within("s"));
    assert!(try_start(&journal, &backend, within("s")).is_err());
    let_go(again);
    let _last = start(&journal, &backend, within("s"));
    stop(&other);
}

#[test]
fn a_runner_touches_only_the_rows_of_its_scope() {
    let journal = memory();
    let backend = Backend::new(|ask| Some(endless(ask)));
    journal.put("waiting");
    left(&journal, "sent", State::Interrupted, true);
    left(&journal, "uncertain", State::Running, false);
    journal.put_in("s", "a");
    let _runner = start(&journal, &backend, RunnerOptions { scope: "s".into(), ..options() });
    until("a is observed", || backend.count(Verb::Observe) > 3);
    left(&journal, "sent later", State::Interrupted, true);
    pause(10);
    assert!(backend.asked().iter().all(|ask| ask.of == "a" || ask.of == "ref-a"));
    assert!(journal.is("waiting", "queued") && journal.is("uncertain", "running"));
    assert!(journal.is("sent", "interrupted"));
}
