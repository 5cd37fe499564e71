//! The runner: drains the queue of one scope through an adapter, and watches what was sent until it has
//! ended.
//!
//! ```text
//!            begin            submit              accepted
//!   waiting -------> begun ----------> answered ------------> followed ----> ended
//!      |               |                  |                      |
//!      | intent        | by other hands   | refused: failed      | stop: left as it is,
//!      v               v                  | else: interrupted    v taken up by the next start
//!   cancelled       let go                v
//!                                      let go
//! ```
//!
//! `keeper` is the one task of a runner: it takes up what an earlier life left, begins what waits, and
//! ends all of it. Each row in progress is a task of its own: `submit` until the adapter's answer to
//! `submit` is recorded, `follow` from then on. A task is dropped where it stands when its row ends by
//! other hands or the runner stops; what it has asked is then given up with it (`calls`). What an answer
//! means, and how long a pause is, is decided in `verdict` and `pace`, which know no task.
//! `desk` is what they share; `host` is the side that can call the adapter and read the clock.

mod begin;
mod calls;
mod desk;
mod follow;
mod host;
mod keeper;
mod pace;
mod race;
mod rows;
#[allow(clippy::module_inception, reason = "the runner itself, among its parts")]
mod runner;
mod submit;
mod verdict;

pub use host::{Answered, Host, Observation, Question, What};
pub use runner::{Done, Judge, Runner, RunnerOptions, STOP_PATIENCE};
