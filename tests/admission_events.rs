//! What a registry tells of itself, and when.

use std::sync::{Arc, Mutex, PoisonError};

use tenure::admission::{Registration, Registry};
use tenure::text::Text;

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

/// Looks into the registry whenever it hears of a transition: it would wait for ever if the event
/// came while the registry was locked.
struct Onlooker {
    registry: Arc<Registry>,
    heard: Arc<Mutex<Vec<(usize, String)>>>,
}

#[derive(Default)]
struct Words(String);

impl tracing::field::Visit for Words {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0 += &format!("{}={value:?} ", field.name());
    }
}

impl tracing::Subscriber for Onlooker {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "tenure::admission"
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push((self.registry.len(), words.0));
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn every_transition_is_told_with_the_lock_free_and_without_a_key() {
    let registry = Arc::new(Registry::new());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let onlooker = Onlooker { registry: Arc::clone(&registry), heard: Arc::clone(&heard) };
    tracing::subscriber::with_default(onlooker, || {
        let lease = registry.reserve(1, operation("a"), keys(&["secret"])).unwrap_or_default();
        let _ = registry.reserve(1, operation("b"), keys(&["secret"]));
        let _ = registry.reserve(1, operation("a"), Vec::new());
        registry.release(lease);
        registry.release(lease);
        let _ = registry.reserve(2, registration("c", "w", None), keys(&["secret"]));
        registry.end_member(2);
        let _ = registry.reserve(1, operation("d"), Vec::new());
        registry.close();
        let _ = registry.reserve(1, operation("e"), Vec::new());
    });
    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    let heard: Vec<(usize, &str)> = heard.iter().map(|(len, words)| (*len, words.trim())).collect();
    let expected = [
        (1, "message=operation admitted operation_id=a owner_id=owner session_id=s1 lease=1"),
        (
            1,
            "message=operation refused: busy operation_id=b owner_id=owner session_id=s1 holder_id=a",
        ),
        (1, "message=operation refused: duplicate operation_id=a owner_id=owner session_id=s1"),
        (0, "message=operation released operation_id=a owner_id=owner session_id=s1 lease=1"),
        (1, "message=operation admitted operation_id=c owner_id=w lease=2"),
        (0, "message=operation ended: its member ended operation_id=c owner_id=w lease=2"),
        (1, "message=operation admitted operation_id=d owner_id=owner session_id=s1 lease=3"),
        (0, "message=admission closed operations=1"),
        (
            0,
            "message=operation ended: admission was closed operation_id=d owner_id=owner session_id=s1 lease=3",
        ),
        (0, "message=operation refused: closed operation_id=e owner_id=owner session_id=s1"),
    ];
    assert_eq!(heard, expected);
}
