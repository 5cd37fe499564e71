//! A limited number of permits, granted in the order asked for.
//!
//! The machine of one limiter. It belongs to one thread and does not know what a ticket stands for;
//! who waits for it, and whether that one still wants the place, is the caller's to say.
//!
//! | event | open | closed |
//! | --- | --- | --- |
//! | `acquire` | granted if a place is free and nobody waits, else waiting | refused |
//! | `leave` | gives a waiting ticket's place up | nobody waits |
//! | `release` | frees a place | frees a place |
//! | `grant` | the free place goes to the longest waiting, and to nobody else | nobody waits |
//! | `close` | all who wait are sent away | nothing |
//!
//! A free place is handed on by the caller: after each `release` and `leave` it asks `next_waiting`,
//! lets those leave who do not want the place any more, and grants. Until it does, newcomers queue
//! behind those who wait.

use std::collections::BTreeSet;

use tracing::debug;

/// A limiter. See the [module](self).
#[derive(Debug)]
pub struct Limiter {
    capacity: u64,
    active: u64,
    /// Tickets count upwards, so that their order is that of the queue.
    waiting: BTreeSet<u64>,
    last_ticket: u64,
    closed: bool,
}

/// What became of a request for a permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// A permit was taken.
    Granted,
    /// A place in the queue was taken, under this ticket: a number from 1, never given out again.
    Waiting(u64),
    /// The limiter is closed.
    Closed,
}

impl Limiter {
    /// A limiter of `capacity` permits, all free.
    pub fn new(capacity: u64) -> Self {
        Self { capacity, active: 0, waiting: BTreeSet::new(), last_ticket: 0, closed: false }
    }

    /// Takes a permit, or a place in the queue.
    pub fn acquire(&mut self) -> Acquired {
        if self.closed {
            return Acquired::Closed;
        }
        if self.active < self.capacity && self.waiting.is_empty() {
            self.active += 1;
            self.tell("permit granted");
            return Acquired::Granted;
        }
        self.last_ticket += 1;
        self.waiting.insert(self.last_ticket);
        self.tell("permit waited for");
        Acquired::Waiting(self.last_ticket)
    }

    /// Gives a place in the queue up: false if the ticket does not wait.
    pub fn leave(&mut self, ticket: u64) -> bool {
        let left = self.waiting.remove(&ticket);
        if left {
            self.tell("permit not waited for any more");
        }
        left
    }

    /// Gives a permit back: false if none is taken.
    pub fn release(&mut self) -> bool {
        let taken = self.active > 0;
        self.active -= u64::from(taken);
        if taken {
            self.tell("permit released");
        }
        taken
    }

    /// Whom the free place would go to, if a place is free.
    pub fn next_waiting(&self) -> Option<u64> {
        self.waiting.first().copied().filter(|_| self.active < self.capacity)
    }

    /// Gives the free place to the longest waiting: false if `ticket` is another, or none is free.
    pub fn grant(&mut self, ticket: u64) -> bool {
        let next = self.next_waiting() == Some(ticket);
        if next {
            self.waiting.remove(&ticket);
            self.active += 1;
            self.tell("permit granted");
        }
        next
    }

    /// Grants nothing more. Returns those who waited, longest first. Permits stay valid.
    pub fn close(&mut self) -> Vec<u64> {
        self.closed = true;
        self.tell("limiter closed");
        std::mem::take(&mut self.waiting).into_iter().collect()
    }

    fn tell(&self, what: &'static str) {
        let (active, waiting) = (self.active, self.waiting.len());
        debug!(target: "tenure::permits", active, waiting, "{what}");
    }

    /// Whether nothing is granted any more.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many permits are taken.
    pub fn active(&self) -> u64 {
        self.active
    }

    /// How many wait for one.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many permits there are.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }
}

#[cfg(test)]
mod tests {
    use super::{Acquired, Limiter};

    // The states of a limiter of two are taken/waiting, `x` when closed; two who wait stand for any
    // greater number. A cell is the answer and the state after it. `head` and `tail` are the first
    // and the last who wait, `gone` is a ticket that does not wait.
    const TABLE: &str = "\
state | acquire      | leave head | leave tail | leave gone | release   | grant head | grant tail | grant gone | next       | close
0/0   | granted 1/0  | -          | -          | no 0/0     | no 0/0    | -          | -          | no 0/0     | none 0/0   | none 0/0 x
1/0   | granted 2/0  | -          | -          | no 1/0     | yes 0/0   | -          | -          | no 1/0     | none 1/0   | none 1/0 x
2/0   | waiting 2/1  | -          | -          | no 2/0     | yes 1/0   | -          | -          | no 2/0     | none 2/0   | none 2/0 x
0/1   | waiting 0/2  | yes 0/0    | yes 0/0    | no 0/1     | no 0/1    | yes 1/0    | yes 1/0    | no 0/1     | head 0/1   | head 0/0 x
1/1   | waiting 1/2  | yes 1/0    | yes 1/0    | no 1/1     | yes 0/1   | yes 2/0    | yes 2/0    | no 1/1     | head 1/1   | head 1/0 x
2/1   | waiting 2/2  | yes 2/0    | yes 2/0    | no 2/1     | yes 1/1   | no 2/1     | no 2/1     | no 2/1     | none 2/1   | head 2/0 x
0/2   | waiting 0/3  | yes 0/1    | yes 0/1    | no 0/2     | no 0/2    | yes 1/1    | no 0/2     | no 0/2     | head 0/2   | head tail 0/0 x
1/2   | waiting 1/3  | yes 1/1    | yes 1/1    | no 1/2     | yes 0/2   | yes 2/1    | no 1/2     | no 1/2     | head 1/2   | head tail 1/0 x
2/2   | waiting 2/3  | yes 2/1    | yes 2/1    | no 2/2     | yes 1/2   | no 2/2     | no 2/2     | no 2/2     | none 2/2   | head tail 2/0 x
0/0 x | closed 0/0 x | -          | -          | no 0/0 x   | no 0/0 x  | -          | -          | no 0/0 x   | none 0/0 x | none 0/0 x
1/0 x | closed 1/0 x | -          | -          | no 1/0 x   | yes 0/0 x | -          | -          | no 1/0 x   | none 1/0 x | none 1/0 x
2/0 x | closed 2/0 x | -          | -          | no 2/0 x   | yes 1/0 x | -          | -          | no 2/0 x   | none 2/0 x | none 2/0 x";

    struct Reached {
        limiter: Limiter,
        waiting: Vec<u64>,
        gone: u64,
    }

    /// By calls of the public interface only. Those who wait for a free place do so because it was
    /// not handed on.
    fn reach(active: u64, waiting: usize, closed: bool) -> Reached {
        let mut limiter = Limiter::new(2);
        assert_eq!([limiter.acquire(), limiter.acquire()], [Acquired::Granted; 2]);
        let tickets: Vec<u64> = (0..=waiting)
            .filter_map(|_| match limiter.acquire() {
                Acquired::Waiting(ticket) => Some(ticket),
                _ => None,
            })
            .collect();
        let (gone, waiting) = (tickets[0], tickets[1..].to_vec());
        assert!(limiter.leave(gone));
        while limiter.active() > active {
            assert!(limiter.release());
        }
        if closed {
            assert!(limiter.close().is_empty());
        }
        Reached { limiter, waiting, gone }
    }

    fn state(limiter: &mut Limiter) -> String {
        let counts = format!("{}/{}", limiter.active(), limiter.waiting());
        // Only a closed limiter refuses, and a refusal changes nothing.
        let closed = limiter.closed && limiter.acquire() == Acquired::Closed;
        if closed { counts + " x" } else { counts }
    }

    fn outcome(event: &str, reached: &mut Reached) -> Option<String> {
        let Reached { limiter, waiting, gone } = reached;
        let (head, tail) = (waiting.first().copied(), waiting.last().copied());
        let yes = |answer: bool| if answer { "yes" } else { "no" }.to_owned();
        let name = |ticket: u64| if Some(ticket) == head { "head" } else { "tail" };
        let answer = match event {
            "acquire" => match limiter.acquire() {
                Acquired::Granted => "granted".to_owned(),
                Acquired::Waiting(ticket) => {
                    assert!(ticket > *gone && !waiting.contains(&ticket));
                    "waiting".to_owned()
                }
                Acquired::Closed => "closed".to_owned(),
            },
            "leave head" => yes(limiter.leave(head?)),
            "leave tail" => yes(limiter.leave(tail?)),
            "leave gone" => yes(limiter.leave(*gone)),
            "release" => yes(limiter.release()),
            "grant head" => yes(limiter.grant(head?)),
            "grant tail" => yes(limiter.grant(tail?)),
            "grant gone" => yes(limiter.grant(*gone)),
            "next" => limiter.next_waiting().map_or("none", name).to_owned(),
            "close" => match limiter.close().into_iter().map(name).collect::<Vec<_>>() {
                names if names.is_empty() => "none".to_owned(),
                names => names.join(" "),
            },
            _ => return None,
        };
        Some(format!("{answer} {}", state(limiter)))
    }

    #[test]
    fn every_event_in_every_state_has_its_outcome() {
        let mut rows = TABLE.lines().map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
        let events = rows.next().unwrap_or_default();
        let rows: Vec<_> = rows.collect();
        assert_eq!((events.len(), rows.len()), (11, 12));
        for row in rows {
            assert_eq!(row.len(), events.len(), "a cell for every event in {}", row[0]);
            let from = row[0];
            let digit = |at: usize| from.as_bytes()[at] - b'0';
            for (event, expected) in events.iter().zip(&row).skip(1) {
                let mut reached = reach(digit(0).into(), digit(2).into(), from.ends_with('x'));
                assert_eq!(state(&mut reached.limiter), from);
                let found = outcome(event, &mut reached).unwrap_or_else(|| "-".to_owned());
                assert_eq!(found, *expected, "{event} in {from}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_leave_from_the_middle_and_the_rest_keep_their_order() {
        let mut limiter = Limiter::new(1);
        assert_eq!(limiter.acquire(), Acquired::Granted);
        for ticket in 1..=100_000 {
            assert_eq!(limiter.acquire(), Acquired::Waiting(ticket));
        }
        for ticket in (1..=100_000).filter(|ticket| ticket % 1_000 != 0) {
            assert!(limiter.leave(ticket));
        }
        assert_eq!(limiter.waiting(), 100);
        for expected in (1..=100).map(|step| step * 1_000) {
            assert!(limiter.release());
            assert_eq!(limiter.next_waiting(), Some(expected));
            assert!(limiter.grant(expected));
        }
        assert_eq!((limiter.active(), limiter.waiting(), limiter.capacity()), (1, 0, 1));
    }
}
