//! What a counterexample teaches: the next hypothesis explains it, however it was shortened.

mod common;

use common::{
    Driver, Machine, Rng, Verdict, assert_exact, external, perfect, product_initial, product_step,
    separating_word,
};
use mealybug_core::{Action, EndReason, Hypothesis, Input, Options, Output, Projections};

/// The first symbol of a word that a hypothesis gets wrong.
fn first_wrong(hypothesis: &Hypothesis<'_>, machine: &Machine, word: &[Input]) -> Option<usize> {
    let (mut tuple, mut state) = (product_initial(hypothesis), 0);
    word.iter().position(|input| {
        let expected = machine.step(&mut state, input.index());
        let output = product_step(hypothesis, &mut tuple, input.index());
        output != Some(&machine.names[expected as usize])
    })
}

/// A random word that a wrong hypothesis gets wrong, up to where it does: much longer than a shortest.
fn long_counterexample(
    hypothesis: &Hypothesis<'_>,
    machine: &Machine,
    rng: &mut Rng,
) -> Option<Vec<Input>> {
    separating_word(hypothesis, machine)?;
    loop {
        let mut word: Vec<_> = (0..60).map(|_| Input::new(rng.below(machine.inputs))).collect();
        if let Some(wrong) = first_wrong(hypothesis, machine, &word) {
            word.truncate(wrong + 1);
            return Some(word);
        }
    }
}

/// A shortened counterexample may be explained while the word that it was made of is not: that word
/// is kept until it is, and nobody is told of a hypothesis that it contradicts.
#[test]
fn the_word_behind_a_shortened_counterexample_is_kept_until_it_is_explained() {
    let mut given = 0;
    for seed in 0..300 {
        let rng = &mut Rng(700 + seed);
        let machine = Machine::interleaved(rng, 2, 5, 3);
        for (projections, shorten) in [
            (Projections::PerOutput, true),
            (Projections::Identity, true),
            (Projections::PerOutput, false),
        ] {
            let options = Options { shorten, ..external(projections) };
            let mut driver = Driver::with_memory(&machine, options, 1 << 14);
            let mut last = Vec::new();
            let why = driver.run(|hypothesis, machine| {
                let wrong = first_wrong(hypothesis, machine, &last);
                assert_eq!(wrong, None, "seed {seed} {options:?}: {last:?} was given before");
                let Some(word) = long_counterexample(hypothesis, machine, rng) else {
                    return Verdict::Equivalent;
                };
                given += 1;
                last.clone_from(&word);
                Verdict::Counterexample(word)
            });
            assert_eq!(why, Ok(EndReason::Equivalent), "seed {seed} {options:?}");
            assert_exact(&driver.hypothesis(), &machine, &format!("seed {seed} {options:?}"));
        }
    }
    assert!(given > 1000, "{given} counterexamples");
}

/// An output that appears in a test is none of the hypothesis that it refutes: a result written then
/// holds no output that no component knows.
#[test]
fn a_hypothesis_knows_no_output_that_came_after_it() {
    let mut later = 0;
    for seed in 0..50 {
        let machine = Machine::random(&mut Rng(900 + seed), 8, 2, 6);
        for projections in [Projections::PerOutput, Projections::Identity] {
            let mut driver = Driver::with_memory(&machine, external(projections), 1 << 14);
            for _ in 0..1_000_000 {
                if let Action::Done(_) = driver.step(0, &mut perfect).expect("all goes well") {
                    break;
                }
                let Some(hypothesis) = driver.session.hypothesis() else { continue };
                let components = hypothesis.components().count();
                let outputs = (0..hypothesis.outputs()).map(Output::new);
                for component in outputs.map(|output| hypothesis.component_of(output)) {
                    assert!((component as usize) < components, "seed {seed}, {projections:?}");
                }
                later += u32::from(hypothesis.outputs() < driver.session.progress().outputs);
            }
        }
    }
    assert!(later > 0, "no output appeared after a hypothesis");
}
