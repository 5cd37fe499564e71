//! Node-API and nothing else: reads arguments, calls a room, writes the answer. Decides nothing.
//!
//! The exports are internal to the package: the face in `lib/` is their only caller.

// Each function of the table is one line of conversion; its documentation is the room's.
#![allow(clippy::needless_pass_by_value, reason = "arguments are owned: they were read from JS")]

mod admission;
mod attempts;
mod claims;
mod durable;
mod generations;
mod journals;
mod log;
mod logs;
mod permits;
mod raw;
mod runners;
mod sessions;
mod steering;
mod thread;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use napi::bindgen_prelude::{Env, JsValue, Object};
use napi_derive::napi;

use self::raw::{Numbers, Table, last_detail};
use self::thread::Thread;
use crate::error::{Outcome, Reason};
use crate::operations::spoil::{spoil_format, spoil_row};
use crate::ownership::{NO_SLOT, Slot, arm_fault};
use crate::telemetry;
use crate::text::Text;

/// Exports that exist only in a process started with this variable: they make a call of ours panic.
const PANIC_SWITCH: &str = "TENURE_TEST_PANIC";

/// The same for exports that spoil the file of a journal.
const FAULT_SWITCH: &str = "TENURE_TEST_FAULTS";

#[napi(module_exports)]
fn install(exports: Object<'_>, env: Env) -> napi::Result<()> {
    telemetry::install();
    let thread = Rc::new(RefCell::new(Thread::default()));
    let mut table = Table::new(env.raw(), exports.raw(), thread);
    table.define_openings();
    core(&mut table);
    claims::define(&mut table);
    attempts::define(&mut table);
    generations::define(&mut table);
    sessions::define(&mut table);
    steering::define(&mut table);
    admission::define(&mut table);
    permits::define(&mut table);
    durable::define(&mut table);
    journals::define(&mut table);
    logs::define(&mut table);
    runners::define(&mut table);
    log::define(&mut table);
    if std::env::var_os(PANIC_SWITCH).is_some() {
        table.define("armPanic", |_, ()| -> Outcome<()> {
            arm_fault();
            Ok(())
        });
        table.define("armDurable", |thread, ()| -> f64 {
            thread.durable.arm();
            0.0
        });
        table.define("panicNow", |_, ()| -> Outcome<()> { panic_now() });
    }
    if std::env::var_os(FAULT_SWITCH).is_some() {
        table.define("spoilRow", |_, (path, scope, id): (String, String, String)| {
            spoil_row(Path::new(&path), &scope, &id).map(|()| None::<String>)
        });
        table.define("spoilFormat", |_, (path,): (String,)| {
            spoil_format(Path::new(&path)).map(|()| None::<String>)
        });
    }
    table.keep();
    Ok(())
}

#[allow(clippy::panic, reason = "the test switch: a panic outside any session")]
fn panic_now() -> Outcome<()> {
    panic!("the test switch for panics was pulled")
}

/// A slot as an answer that may be none.
fn maybe(slot: Option<Slot>) -> u32 {
    slot.map_or(0, |slot| slot + 1)
}

/// A slot as an argument that may be none.
fn given(slot: u32) -> Option<Slot> {
    (slot != NO_SLOT).then_some(slot)
}

fn core(table: &mut Table) {
    table.define("closeBegin", |thread, (core,): (u32,)| -> Outcome<bool> {
        Ok(thread.realm.close_begin(core))
    });
    table.define("closeEnd", |thread, (core, to): (u32, Numbers)| -> Outcome<u32> {
        let ended = thread.close_end(core);
        Ok(thread.answer(ended, to))
    });
    table.define("sessionId", |thread, (slot,): (u32,)| thread.realm.session_id(slot));
    table.define("deliver", |thread, (core,): (u32,)| -> Outcome<bool> {
        let delivered = thread.realm.deliver(core);
        if !thread.realm.has_deliveries(core) {
            thread.rest(core);
        }
        delivered
    });
    table.define("keepWaiting", |thread, ()| -> Outcome<bool> { Ok(thread.keep_waiting()) });
    table.define("liveSessions", |thread, (core,): (u32,)| -> Outcome<u32> {
        thread.realm.stats(core).map(|(sessions, _)| sessions as u32)
    });
    table.define("admissions", |thread, (core,): (u32,)| -> Outcome<u32> {
        thread.realm.stats(core).map(|(_, admissions)| admissions as u32)
    });
    table.define("handleCount", |thread, ()| -> Outcome<u32> {
        Ok(thread.realm.handle_count() as u32)
    });
    table.define("drainOne", |thread, ()| thread.drain_one());
    table.define("drain", |thread, (to,): (Numbers,)| f64::from(thread.drain(to)));
    table.define("lastList", |thread, (to,): (Numbers,)| -> f64 {
        thread.last_list(to);
        0.0
    });
    table.define("detail", |_, ()| f64::from(last_detail()));
    table.define("refusals", |_, ()| -> Outcome<Vec<Text>> {
        let names = Reason::ALL.iter().flat_map(|reason| [reason.name(), reason.code()]);
        Ok(names.map(Text::from).collect())
    });
    table.define("version", |_, ()| -> Outcome<Option<Text>> {
        Ok(Some(Text::from(env!("CARGO_PKG_VERSION"))))
    });
}
