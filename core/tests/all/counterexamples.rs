//! Counterexamples: the next hypothesis explains each one, even if the learner has shortened it.

use crate::common::{
    CallerVerdict, Driver, Rng, TableMachine, assert_exact, external, first_wrong, perfect,
    separating_word,
};
use mealybug_core::{Action, EndReason, Hypothesis, Input, Output, Projections};

/// A random word that ends with the first symbol that a wrong hypothesis gets wrong: much longer
/// than a shortest counterexample.
fn long_counterexample(
    hypothesis: &Hypothesis<'_>,
    machine: &TableMachine,
    rng: &mut Rng,
) -> Option<Vec<u32>> {
    separating_word(hypothesis, machine)?;
    loop {
        let mut word: Vec<_> = (0..60).map(|_| rng.below(machine.inputs)).collect();
        if let Some(wrong) = first_wrong(hypothesis, machine, &word) {
            word.truncate(wrong + 1);
            return Some(word);
        }
    }
}

/// A hypothesis may explain a shortened counterexample but not the original. The learner keeps the
/// original until a hypothesis explains it, and shows no hypothesis that the original contradicts.
#[test]
fn the_learner_keeps_an_original_counterexample_until_a_hypothesis_explains_it() {
    let mut given = 0;
    for seed in 0..300 {
        let rng = &mut Rng(700 + seed);
        let machine = TableMachine::interleaved(rng, 2, 5, 3);
        for (projections, shorten) in [
            (Projections::PerOutput, true),
            (Projections::Identity, true),
            (Projections::PerOutput, false),
        ] {
            let options = external(projections).shorten(shorten);
            let mut driver = Driver::with_memory(&machine, options, 1 << 14);
            let mut last = Vec::new();
            let end = driver.run(|hypothesis, machine| {
                let wrong = first_wrong(hypothesis, machine, &last);
                assert_eq!(wrong, None, "seed {seed} {options:?}: {last:?} was the counterexample");
                let Some(word) = long_counterexample(hypothesis, machine, rng) else {
                    return CallerVerdict::Equivalent;
                };
                given += 1;
                last.clone_from(&word);
                CallerVerdict::Counterexample(word.into_iter().map(Input::new).collect())
            });
            assert_eq!(end, Ok(EndReason::Equivalent), "seed {seed} {options:?}");
            assert_exact(&driver.hypothesis(), &machine, &format!("seed {seed} {options:?}"));
        }
    }
    assert!(given > 1000, "{given} counterexamples");
}

/// A test may show a new output and so refute the hypothesis. The hypothesis does not count that
/// output, so each output that it counts belongs to one of its components.
#[test]
fn a_hypothesis_does_not_count_outputs_that_appear_after_it() {
    let mut later = 0;
    for seed in 0..50 {
        let machine = TableMachine::random(&mut Rng(900 + seed), 8, 2, 6);
        for projections in [Projections::PerOutput, Projections::Identity] {
            let mut driver = Driver::with_memory(&machine, external(projections), 1 << 14);
            for _ in 0..1_000_000 {
                if let Action::Done(_) = driver.step(0, &mut perfect).expect("all goes well") {
                    break;
                }
                let Some(hypothesis) = driver.session.hypothesis() else { continue };
                let components = hypothesis.components().count();
                let outputs = (0..hypothesis.outputs()).map(Output::new);
                for component in outputs.filter_map(|output| hypothesis.component_of(output)) {
                    assert!((component as usize) < components, "seed {seed}, {projections:?}");
                }
                later += u32::from(hypothesis.outputs() < driver.session.progress().outputs);
            }
        }
    }
    assert!(later > 0, "some outputs appear after a hypothesis");
}
