//! The plans that a service has issued: facts that end with it.

use indexmap::IndexMap;

/// How many are held: the last ones.
const HELD: usize = 1_000;

/// What is known of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Issued, held, and not expired.
    Held,
    /// Issued and held, and its time is over.
    Expired,
    /// Not issued, or not held any more.
    Unknown,
}

/// Plans by the digest of their input, each with the time at which it expires.
#[derive(Debug, Default)]
pub struct Plans(IndexMap<String, u64>);

impl Plans {
    /// Holds a plan. Issued again, it is the last one again.
    pub fn issue(&mut self, digest: &str, expires_at: u64) {
        self.0.shift_remove(digest);
        if self.0.len() == HELD {
            self.0.shift_remove_index(0);
        }
        self.0.insert(digest.to_owned(), expires_at);
    }

    /// What a start with this plan comes to.
    pub fn judge(&self, digest: &str, now: u64) -> Verdict {
        match self.0.get(digest) {
            None => Verdict::Unknown,
            Some(expires_at) if now >= *expires_at => Verdict::Expired,
            Some(_) => Verdict::Held,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Plans, Verdict};

    #[test]
    fn a_plan_is_held_until_its_time_and_told_from_one_that_was_never_issued() {
        let mut plans = Plans::default();
        plans.issue("a", 10);
        assert_eq!(plans.judge("a", 9), Verdict::Held);
        assert_eq!(plans.judge("a", 10), Verdict::Expired);
        assert_eq!(plans.judge("b", 0), Verdict::Unknown);
    }

    #[test]
    fn the_last_thousand_are_held_and_one_issued_again_is_the_last_again() {
        let mut plans = Plans::default();
        plans.issue("first", 10);
        plans.issue("second", 10);
        for number in 0..998 {
            plans.issue(&number.to_string(), 10);
        }
        plans.issue("first", 20);
        plans.issue("one more", 10);
        assert_eq!(plans.judge("second", 0), Verdict::Unknown);
        assert_eq!(plans.judge("first", 15), Verdict::Held);
    }
}
