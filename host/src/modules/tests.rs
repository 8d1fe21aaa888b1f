use mealybug_core::{Input, Mealy};

use super::classes::Classes;
use super::pairs::{Pairs, atoms};
use super::search::divide;
use super::{Knows, Modules};
use crate::demo_lock::DemoLock;
use crate::machine::testing::{Random, lamp, partial, random};
use crate::machine::{Builder, Component, Machine, product};

/// The product of the modules, and of a machine of one state that knows what is constant.
fn whole(model: &Machine, modules: &Modules) -> Machine {
    let constant = |input: &String| {
        let (_, output) = modules.constant.iter().find(|(name, _)| name == input)?;
        let at = model.outputs().iter().position(|name| name == output).expect("an output");
        Some(mealybug_core::Output::new(u32::try_from(at).expect("few outputs")))
    };
    let outputs: Vec<_> = model.inputs().iter().map(constant).collect();
    let inputs = Mealy::inputs(model);
    let mut components = vec![Component::new(inputs, 0, vec![0; outputs.len()], outputs)];
    components.extend(modules.modules.iter().map(|module| module.component.clone()));
    product(&components, model.inputs(), model.outputs(), u32::MAX).expect("no contradiction")
}

fn sizes(modules: &Modules) -> Vec<u32> {
    modules.modules.iter().map(super::Module::states).collect()
}

/// Machines side by side; each has the inputs `a.i0`, `a.i1`, `b.i0`, … and shares its outputs.
fn interleaved(parts: &[Machine]) -> Machine {
    struct Parts<'a>(&'a [Machine], Vec<(usize, Input)>);
    impl Mealy for Parts<'_> {
        type State = Vec<u32>;
        fn inputs(&self) -> u32 {
            u32::try_from(self.1.len()).expect("few inputs")
        }
        fn initial(&self) -> Vec<u32> {
            self.0.iter().map(Mealy::initial).collect()
        }
        fn step(&self, state: &mut Vec<u32>, input: Input) -> Option<mealybug_core::Output> {
            let (part, input) = self.1[input.index() as usize];
            let output = self.0[part].step(&mut state[part], input)?;
            let name = self.0[part].output_name(output);
            let all = outputs(self.0);
            let at = all.iter().position(|known| known == name).expect("one of all");
            Some(mealybug_core::Output::new(u32::try_from(at).expect("few outputs")))
        }
    }
    fn outputs(parts: &[Machine]) -> Vec<String> {
        let all: std::collections::BTreeSet<_> =
            parts.iter().flat_map(|part| part.outputs().iter().cloned()).collect();
        all.into_iter().collect()
    }
    let inputs: Vec<_> = parts
        .iter()
        .enumerate()
        .flat_map(|(at, part)| (0..Mealy::inputs(part)).map(move |input| (at, Input::new(input))))
        .collect();
    let name = |&(at, input): &(usize, Input)| {
        format!("{}.{}", ["a", "b", "c", "d"][at], parts[at].input_name(input))
    };
    let names: Vec<_> = inputs.iter().map(name).collect();
    Machine::explore(&Parts(parts, inputs), &names, &outputs(parts), 100_000).expect("it is small")
}

#[test]
fn the_demos_lock_is_a_light_and_a_lock() {
    let modules = Modules::new(&DemoLock::machine()).expect("complete");
    assert_eq!(modules.states, 28);
    assert_eq!(sizes(&modules), [2, 14]);
    let [light, lock] = &modules.modules[..] else { panic!("{modules:?}") };
    assert_eq!(light.name, "light");
    assert_eq!(light.machine.inputs(), ["light"]);
    assert_eq!(light.machine.outputs(), ["light on", "light off"]);
    assert_eq!(lock.name, "1,2,enter,close");
    let inputs = ["1", "2", "enter", "close"].map(str::to_owned).to_vec();
    assert_eq!(lock.knows, Knows::Inputs(inputs));
    assert_eq!(lock.machine.inputs().len(), 4);
}

#[test]
fn independent_machines_of_the_same_size_stay_apart() {
    let modules = Modules::new(&interleaved(&[lamp(), lamp()])).expect("complete");
    assert_eq!(sizes(&modules), [2, 2]);
    assert_eq!(modules.states, 4);
}

#[test]
fn the_product_of_the_modules_is_the_model() {
    let mut source = Random::new(51);
    let mut several = 0;
    for round in 0..400 {
        let model = if round % 2 == 0 {
            random(&mut source, 20, 3, 3)
        } else {
            let parts: Vec<_> = (0..2 + round % 3).map(|_| random(&mut source, 5, 2, 3)).collect();
            interleaved(&parts)
        };
        let modules = Modules::new(&model).expect("complete");
        let model = model.minimise();
        assert_eq!(whole(&model, &modules), model, "{modules:?}");
        assert!(modules.modules.is_empty() || modules.total_states() <= model.states().into());
        several += u32::from(modules.modules.len() > 1);
    }
    assert!(several > 100, "only {several} have several modules");
}
