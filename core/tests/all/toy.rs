//! The example of the OL* paper (Figure 2) with `n` outputs: the components that OL* learns, and
//! what OL* and L* cost.

use std::fmt::Write;

use crate::common::{Driver, TableMachine, assert_exact, external, perfect};
use mealybug_core::{EndReason, Progress, Projections};

fn learn(n: u32, projections: Projections) -> Progress {
    let machine = TableMachine::toy(n);
    let mut driver = Driver::new(&machine, external(projections));
    assert_eq!(driver.run(perfect), Ok(EndReason::Equivalent));
    assert_exact(&driver.hypothesis(), &machine, &format!("n = {n}, {projections:?}"));
    driver.session.progress()
}

#[test]
fn ol_star_learns_n_components_of_n_states_with_n_short_rows() {
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

/// OL* asks fewer symbols than L* for small `n` only, since its suffixes grow with `n`.
#[test]
fn ol_star_asks_fewer_symbols_than_l_star_up_to_five_outputs() {
    for n in 3..=20 {
        let ol_star = learn(n, Projections::PerOutput).learning.symbols;
        let l_star = learn(n, Projections::Identity).learning.symbols;
        assert_eq!(ol_star < l_star, n <= 5, "n = {n}: OL* {ol_star}, L* {l_star}");
    }
}

/// Making the table output-consistent takes a number of words that grows with the square of `n`;
/// closing it in the ordinary sense takes a number that grows with `n`. With many outputs the
/// learner closes the table in the ordinary sense.
#[test]
fn ol_star_asks_at_most_six_times_as_many_words_as_l_star() {
    for n in [20, 40, 60, 80] {
        let [ol_star, l_star] = [Projections::PerOutput, Projections::Identity]
            .map(|projections| learn(n, projections));
        let [words, l_star_words] = [ol_star, l_star].map(|progress| progress.learning.resets);
        println!("n = {n}: OL* asks {words} words, L* {l_star_words}");
        assert!(words <= 6 * l_star_words, "n = {n}: {words} words, L* {l_star_words}");
        assert_eq!(ol_star.short_rows == n, n == 20, "n = {n}: {} rows", ol_star.short_rows);
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
