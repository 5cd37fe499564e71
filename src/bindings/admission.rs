//! Active application operations.

use super::raw::{Answer, Table, Units, Value};
use super::thread::Thread;
use crate::admission::{Filter, Refusal as Refused, Registration, SessionFilter};
use crate::error::{Outcome, Reason};
use crate::text::Text;

/// A lease, or why there is none.
enum Reserved {
    Lease(u64),
    /// The registration of the holder, and the key.
    Busy(Registration, Text),
    Refused(Reason),
}

impl Answer for Reserved {
    fn value(self, thread: &mut Thread) -> Value {
        match self {
            Reserved::Lease(lease) => Value::Plain(lease as f64),
            Reserved::Busy(holder, key) => {
                let mut texts = words(holder);
                texts.insert(0, key);
                Value::Texts(texts)
            }
            // A refusal is told from a lease by its sign.
            Reserved::Refused(reason) => match Outcome::<()>::Err(reason.into()).value(thread) {
                Value::Coded(code) => Value::Plain(f64::from(code)),
                other => other,
            },
        }
    }
}

/// Operation id, owner id, and the session id if there is one, with a mark before it.
fn words(registration: Registration) -> Vec<Text> {
    let mark = Text::from(if registration.session_id.is_some() { "s" } else { "" });
    let session = registration.session_id.unwrap_or_else(|| Text::from(""));
    vec![registration.operation_id, registration.owner_id, mark, session]
}

type Request = (u32, Text, Text, Option<Text>, Vec<Text>);

fn reserve(
    thread: &mut Thread,
    (core, operation_id, owner_id, session_id, keys): Request,
) -> Reserved {
    let (scope, member) = match thread.realm.admission(core) {
        Ok(found) => found,
        Err(refusal) => return Reserved::Refused(refusal.reason),
    };
    let registration = Registration { operation_id, owner_id, session_id };
    match scope.admission.reserve(member, registration, keys) {
        Ok(lease) => Reserved::Lease(lease),
        Err(Refused::Busy { holder, key }) => Reserved::Busy(holder, key),
        Err(Refused::Duplicate) => Reserved::Refused(Reason::OperationDuplicate),
        Err(Refused::Closed) => Reserved::Refused(Reason::AdmissionClosed),
        Err(Refused::Internal) => Reserved::Refused(Reason::Internal),
    }
}

pub(super) fn define(table: &mut Table) {
    table.define("admissionReserve", reserve);
    table.define("admissionRelease", |thread, (core, lease): (u32, f64)| -> Outcome<bool> {
        let (scope, _) = thread.realm.admission(core)?;
        Ok(lease >= 0.0 && scope.admission.release(lease as u64))
    });
    table.define("admissionGet", |thread, (core, id): (u32, Units)| -> Outcome<Vec<Text>> {
        let (scope, _) = thread.realm.admission(core)?;
        Ok(scope.admission.get(&id).map(words).unwrap_or_default())
    });
    table.define("admissionList", list);
    table.define("admissionClose", |thread, (core,): (u32,)| -> Outcome<()> {
        thread.realm.admission(core)?.0.admission.close();
        Ok(())
    });
    table.define("leaseLost", |_, (lease, id): (f64, Text)| -> Outcome<()> {
        tracing::warn!(
            target: "tenure::admission",
            lease,
            operation = %id,
            "lease was collected unreleased: its registration stays"
        );
        Ok(())
    });
}

type Query = (u32, u32, Option<Text>, Option<Text>);

/// The session filter: 0 any, 1 application-wide, 2 the session given.
fn list(thread: &mut Thread, (core, kind, session, owner): Query) -> Outcome<Vec<Text>> {
    let (scope, _) = thread.realm.admission(core)?;
    let session = match (kind, session) {
        (2, Some(session)) => SessionFilter::Session(session),
        (1, _) => SessionFilter::ApplicationWide,
        _ => SessionFilter::Any,
    };
    let registrations = scope.admission.list(&Filter { session, owner });
    Ok(registrations.into_iter().flat_map(words).collect())
}
