//! Any sequence of calls to any members does what a plain model of them does.

mod support;

use support::call::{Call, calls};
use support::seed::{runner, seed};
use support::world::{Step, World};

/// How a sequence ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Everything ends by a call of its own, then every member.
    WindDown,
    /// Every member ends with whatever it has.
    Close,
}

fn drive(shared: bool, members: usize, realms: usize, calls: &[Call], end: End) -> Step {
    let mut world = World::new(shared, members, realms);
    for call in calls {
        world.call(*call)?;
    }
    if end == End::WindDown {
        world.wind_down()?;
    }
    world.close_all()
}

#[test]
fn a_core_of_its_own_does_what_the_model_does() {
    let seed = seed();
    let end = proptest::sample::select(vec![End::WindDown, End::Close]);
    let outcome =
        runner(seed, 1_500).run(&(calls(80), end), |(calls, end)| drive(false, 1, 1, &calls, end));
    assert_eq!(outcome, Ok(()), "TENURE_SEED={seed}");
}

#[test]
fn the_members_of_a_scope_do_what_the_model_does() {
    let seed = seed();
    let end = proptest::sample::select(vec![End::WindDown, End::Close]);
    let outcome = runner(seed, 1_500).run(&(1_usize..4, 1_usize..3, calls(100), end), |case| {
        let (members, realms, calls, end) = case;
        drive(true, members, realms, &calls, end)
    });
    assert_eq!(outcome, Ok(()), "TENURE_SEED={seed}");
}
