//! Whether tests find what firmware hides: planted behaviours, and the receiver of lrzsz.

use mealybug::algorithm::Algorithm;
use mealybug_bench::JudgedRun;
use mealybug_bench::generate::{BehaviourFamily, hidden, random_base};
use mealybug_core::Tests;
use mealybug_tests::golden;

/// A behaviour is found if it takes at most this many tests.
const TESTS: u64 = 2000;

/// What random words meet within this many symbols on average is to be found; counters whatever their number.
const MEETABLE: f64 = 10_000.0;

/// The share of planted machines that are learned within [`TESTS`] tests, and how many there are.
fn found(family: BehaviourFamily, seeds: std::ops::Range<u64>, tests: Tests) -> (f64, u32) {
    let counts = matches!(family, BehaviourFamily::Counter | BehaviourFamily::Wrap);
    let (mut found, mut all) = (0, 0);
    for seed in seeds {
        let Some(hidden) = hidden(&random_base(seed), family, seed) else { continue };
        if !counts && hidden.symbols_to_meet > MEETABLE {
            continue;
        }
        let run = JudgedRun::new(&hidden.machine, Algorithm::OlSharp, tests, seed, TESTS + 1);
        found += u32::from(run.tests.is_some_and(|tests| tests <= TESTS));
        all += 1;
    }
    (f64::from(found) / f64::from(all.max(1)), all)
}

#[test]
fn planted_behaviours_are_found_within_2000_tests() {
    for family in BehaviourFamily::ALL {
        let (share, all) = found(family, 30_000..30_012, Tests::Mixture);
        println!("figures: {family}: {share:.2} of {all} found");
        assert!(all >= 5 && share >= 0.75, "{family}: {share:.2} of {all}");
    }
}

/// Prints what the mixture finds of a family, beside other tests, which have no kind that repeats.
fn beside_others(family: BehaviourFamily) {
    let others =
        [Tests::Mixture, Tests::RandomWords, Tests::RandomWp, Tests::Wp { extra_states: 1 }];
    let [(mixture, all), (words, _), (random_wp, _), (wp, _)] =
        others.map(|tests| found(family, 40_000..40_100, tests));
    println!(
        "figures: {family}: of {all} found within {TESTS} tests: mixture {mixture:.2}, random-words {words:.2}, \
         random-wp {random_wp:.2}, wp:1 {wp:.2}"
    );
    assert!(mixture >= 0.9, "{family}: {mixture}");
}

/// A test for each family, so that one can be run alone.
macro_rules! beside_others {
    ($($name:ident: $family:ident,)*) => {$(
        #[test]
        #[ignore = "takes long"]
        fn $name() {
            beside_others(BehaviourFamily::$family);
        }
    )*};
}

beside_others! {
    full_counter: Counter,
    full_unlock: Unlock,
    full_payload: Payload,
    full_mode: Mode,
    full_time_out: TimeOut,
    full_wrap: Wrap,
    full_wrong: Wrong,
}

/// With junk bytes among its inputs it has 20 states, of which most are deep; default options.
#[test]
fn the_receiver_of_lrzsz_is_learned_with_all_of_its_states() {
    let rx = golden("rx/golden-full.dot");
    let right = (0..20).filter(|&seed| {
        let run = JudgedRun::new(&rx, Algorithm::OlSharp, Tests::Mixture, seed, 20_000);
        run.converges_after().is_some()
    });
    let right = right.count();
    println!("figures: rx with 20 states: right in {right} of 20 seeds");
    assert!(right >= 19, "{right} of 20");
}
