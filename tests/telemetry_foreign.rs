//! A process whose `tracing` already has a listener keeps it.

use std::sync::atomic::{AtomicUsize, Ordering};

use tenure::telemetry;
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};

static HEARD: AtomicUsize = AtomicUsize::new(0);

struct Host;

impl Subscriber for Host {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, _: &tracing::Event<'_>) {
        HEARD.fetch_add(1, Ordering::SeqCst);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn another_subscriber_goes_on_and_installing_says_so() {
    assert!(tracing::subscriber::set_global_default(Host).is_ok());
    assert!(!telemetry::install().listening);
    let sink = telemetry::attach(Level::TRACE);
    tracing::error!(target: "tenure::test", "for the host");
    assert!(!telemetry::pending_here());
    assert!(telemetry::take(sink).is_empty());
    assert!(telemetry::detach(sink));
    tracing::error!(target: "tenure::test", "for the host still");
    assert_eq!(HEARD.load(Ordering::SeqCst), 2);
}
