//! Permits of one thread.

use super::raw::{Numbers, Table};
use crate::error::{Outcome, Reason};
use crate::permits::{Acquired, Limiter};

/// Tickets and counts are numbers that JavaScript holds exactly.
fn number(value: u64) -> f64 {
    value as f64
}

pub(super) fn define(table: &mut Table) {
    table.define("limiterOpen", |thread, (capacity,): (f64,)| -> Outcome<u32> {
        Ok(thread.limiters.insert(Limiter::new(capacity as u64)) as u32)
    });
    table.define("limiterAcquire", |thread, (limiter,): (u32,)| -> f64 {
        match thread.limiters.get_mut(limiter as usize).map(Limiter::acquire) {
            Some(Acquired::Granted) => 0.0,
            Some(Acquired::Waiting(ticket)) => number(ticket) + 1.0,
            Some(Acquired::Closed) | None => -1.0,
        }
    });
    table.define("limiterIsClosed", |thread, (limiter,): (u32,)| -> Outcome<bool> {
        Ok(thread.limiters.get(limiter as usize).is_none_or(Limiter::is_closed))
    });
    table.define("limiterLeave", |thread, (limiter, ticket): (u32, f64)| -> Outcome<bool> {
        let limiter = thread.limiters.get_mut(limiter as usize).ok_or(Reason::InvalidThis)?;
        Ok(limiter.leave(ticket as u64))
    });
    table.define("limiterRelease", |thread, (limiter,): (u32,)| -> Outcome<bool> {
        let limiter = thread.limiters.get_mut(limiter as usize).ok_or(Reason::InvalidThis)?;
        Ok(limiter.release())
    });
    table.define("limiterNext", |thread, (limiter,): (u32,)| -> f64 {
        let next = thread.limiters.get(limiter as usize).and_then(Limiter::next_waiting);
        next.map_or(-1.0, number)
    });
    table.define("limiterGrant", |thread, (limiter, ticket): (u32, f64)| -> Outcome<bool> {
        let limiter = thread.limiters.get_mut(limiter as usize).ok_or(Reason::InvalidThis)?;
        Ok(limiter.grant(ticket as u64))
    });
    table.define("limiterClose", |thread, (limiter, to): (u32, Numbers)| -> Outcome<u32> {
        let limiter = thread.limiters.get_mut(limiter as usize).ok_or(Reason::InvalidThis)?;
        let waiting = limiter.close().into_iter().map(|ticket| ticket as u32).collect();
        Ok(thread.answer(waiting, to))
    });
    table.define("limiterActive", |thread, (limiter,): (u32,)| -> f64 {
        thread.limiters.get(limiter as usize).map_or(0.0, |limiter| number(limiter.active()))
    });
    table.define("limiterWaiting", |thread, (limiter,): (u32,)| -> f64 {
        thread.limiters.get(limiter as usize).map_or(0.0, |limiter| limiter.waiting() as f64)
    });
    table.define("limiterDrop", |thread, (limiter,): (u32,)| -> Outcome<bool> {
        Ok(thread.limiters.try_remove(limiter as usize).is_some())
    });
}
