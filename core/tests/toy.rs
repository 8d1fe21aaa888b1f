//! The paper's Figure 2 for `n` outputs: small components, and what they cost.

mod common;

use std::fmt::Write;

use common::{Driver, Machine, assert_exact, external, perfect};
use mealybug_core::{EndReason, Progress, Projections};

fn learn(n: u32, projections: Projections) -> Progress {
    let machine = Machine::toy(n);
    let mut driver = Driver::new(&machine, external(projections));
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    assert_exact(&driver.hypothesis(), &machine, &format!("n = {n}, {projections:?}"));
    driver.session.progress()
}

#[test]
fn n_components_of_n_states_and_n_short_rows() {
    for n in 3..=20 {
        let ol_star = learn(n, Projections::PerOutput);
        assert_eq!(
            (ol_star.components, ol_star.component_states, ol_star.short_rows),
            (n, n * n, n),
            "n = {n}"
        );
        let l_star = learn(n, Projections::Identity);
        assert_eq!(
            (l_star.components, l_star.component_states, l_star.short_rows),
            (1, 2 * n, 2 * n),
            "n = {n}"
        );
    }
}

/// Fewer symbols than L* for small machines only, since the suffixes of OL* grow with `n`.
#[test]
fn ol_star_costs_less_than_l_star_up_to_five_outputs() {
    for n in 3..=20 {
        let ol_star = learn(n, Projections::PerOutput).learning.symbols;
        let l_star = learn(n, Projections::Identity).learning.symbols;
        assert_eq!(ol_star < l_star, n <= 5, "n = {n}: OL* {ol_star}, L* {l_star}");
    }
}

/// Making the table output-consistent costs words by the square of `n`, closing it in the ordinary
/// sense only by `n`: with many outputs the learner turns to that.
#[test]
fn ol_star_never_costs_many_times_what_l_star_does() {
    for n in [20, 40, 60, 80] {
        let [ol_star, l_star] = [Projections::PerOutput, Projections::Identity]
            .map(|projections| learn(n, projections));
        let (words, of_l_star) = (ol_star.learning.resets, l_star.learning.resets);
        assert!(words <= 6 * of_l_star, "n = {n}: {words} words, L* {of_l_star}");
        assert_eq!(ol_star.short_rows == n, n == 20, "n = {n}: {} rows", ol_star.short_rows);
        println!("n = {n}: {words} words, L* {of_l_star}");
    }
}

#[test]
fn costs() {
    let mut table = String::new();
    let head =
        format!("{:>8} {:>8} {:>8} {:>8} {:>8}", "rows", "suffixes", "rounds", "resets", "symbols");
    writeln!(table, "{:>4}  | {:^44} | {:^44}", "", "OL*", "L*").unwrap();
    writeln!(table, "{:>4}  | {head} | {head}", "n").unwrap();
    for n in 3..=20 {
        let [ol_star, l_star] =
            [Projections::PerOutput, Projections::Identity].map(|projections| {
                let progress = learn(n, projections);
                let Progress { short_rows, suffixes, rounds, learning, .. } = progress;
                let (resets, symbols) = (learning.resets, learning.symbols);
                format!("{short_rows:>8} {suffixes:>8} {rounds:>8} {resets:>8} {symbols:>8}")
            });
        writeln!(table, "{n:>4}  | {ol_star} | {l_star}").unwrap();
    }
    insta::assert_snapshot!(table);
}
