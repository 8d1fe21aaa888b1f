use mealybug_core::{Input, Mealy};

use super::classes::Classes;
use super::pairs::{IoPair, Pairs};
use super::refine::Refiner;
use super::{Knows, Module, Modules};
use crate::demo_lock::DemoLock;
use crate::machine::testing::{Random, lamp, partial, random};
use crate::machine::{Builder, Machine, ProductComponent, product};

/// The product of the modules, and of a machine of one state that knows what is constant.
fn whole(model: &Machine, modules: &Modules) -> Machine {
    let constant = |input: &String| {
        let (_, output) = modules.constant.iter().find(|(name, _)| name == input)?;
        let at = model.outputs().iter().position(|name| name == output).expect("an output");
        Some(mealybug_core::Output::new(u32::try_from(at).expect("few outputs")))
    };
    let outputs: Vec<_> = model.inputs().iter().map(constant).collect();
    let inputs = Mealy::inputs(model);
    let mut components = vec![ProductComponent::new(inputs, 0, vec![0; outputs.len()], outputs)];
    components.extend(modules.modules.iter().map(|module| module.component.clone()));
    product(&components, model.inputs(), model.outputs(), u32::MAX).expect("no contradiction")
}

fn sizes(modules: &Modules) -> Vec<u32> {
    modules.modules.iter().map(Module::states).collect()
}

/// Machines side by side; each has the inputs `a.i0`, `a.i1`, `b.i0`, … and shares its outputs.
fn interleaved(parts: &[Machine]) -> Machine {
    struct ParallelMachines<'a>(&'a [Machine], Vec<(usize, Input)>);
    impl Mealy for ParallelMachines<'_> {
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
    Machine::explore(&ParallelMachines(parts, inputs), &names, &outputs(parts), 100_000)
        .expect("it is small")
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

/// The fewest states in total of all divisions of the pairs, tried one by one.
fn fewest(model: &Machine) -> u32 {
    fn divide(classes: &[Classes], groups: &mut Vec<Classes>) -> u32 {
        let Some((first, rest)) = classes.split_first() else {
            return groups.iter().map(Classes::count).sum();
        };
        groups.push(first.clone());
        let mut fewest = divide(rest, groups);
        groups.pop();
        for at in 0..groups.len() {
            let met = groups[at].meet(first);
            let group = std::mem::replace(&mut groups[at], met);
            fewest = fewest.min(divide(rest, groups));
            groups[at] = group;
        }
        fewest
    }
    let refiner = Refiner::new(model);
    let classes = |pair: &IoPair| {
        let occurs = (0..model.states()).map(|state| pair.occurs(model, state).into());
        refiner.refine(&Classes::by_mark(occurs))
    };
    let classes: Vec<_> = Pairs::of(model).varying.iter().map(classes).collect();
    divide(&classes, &mut Vec::new())
}

#[test]
fn no_division_of_the_pairs_has_fewer_states() {
    let mut source = Random::new(52);
    let (mut fewer, mut checked) = (0, 0);
    while checked < 300 {
        let model = match source.below(4) {
            0 => random(&mut source, 8, 2, 4),
            _ => interleaved(&[random(&mut source, 4, 2, 2), random(&mut source, 4, 1, 2)]),
        };
        let model = model.minimise();
        if Pairs::of(&model).varying.len() > 8 {
            continue;
        }
        let modules = Modules::new(&model).expect("complete");
        assert_eq!(modules.total_states(), u64::from(fewest(&model)), "{model:?} {modules:?}");
        fewer += u32::from(modules.modules.len() > 1);
        checked += 1;
    }
    assert!(fewer > 15, "only {fewer} have several modules");
}

#[test]
fn modules_do_not_depend_on_the_numbers_of_states() {
    let mut source = Random::new(53);
    for _ in 0..100 {
        let parts: Vec<_> = (0..3).map(|_| random(&mut source, 4, 2, 3)).collect();
        let model = interleaved(&parts);
        assert_eq!(Modules::new(&model), Modules::new(&model.minimise()));
    }
}

#[test]
fn a_partial_model_has_no_modules() {
    let mut source = Random::new(54);
    let partial = partial(&mut source, 9, 2, 2);
    assert!(!partial.gaps().is_empty());
    assert_eq!(Modules::new(&partial), None);
}

/// `switch` chooses the machine that `go` moves. Each has outputs of its own.
#[test]
fn modules_know_outputs_where_an_input_is_shared() {
    let mut builder = Builder::default();
    let state = |active: u32, at: [u32; 2]| active + 2 * at[0] + 6 * at[1];
    for active in 0..2 {
        for at in (0..9).map(|at| [at % 3, at / 3]) {
            let from = state(active, at);
            builder.add(from, "switch", state(1 - active, at), "ok").expect("new");
            let mut next = at;
            let moved = &mut next[active as usize];
            *moved = (*moved + 1) % 3;
            let output = format!("{}-{moved}", ["red", "blue"][active as usize]);
            builder.add(from, "go", state(active, next), &output).expect("new");
        }
    }
    let modules = Modules::new(&builder.build(0).expect("complete")).expect("complete");
    assert_eq!((modules.states, sizes(&modules)), (18, vec![6, 6]));
    let [red, blue] = &modules.modules[..] else { panic!("{modules:?}") };
    assert_eq!([&red.name, &blue.name], ["red", "blue"]);
    let outputs = ["red-1", "red-2", "red-0"].map(str::to_owned).to_vec();
    assert_eq!(red.knows, Knows::Outputs(outputs));
    assert_eq!(red.moved_by, ["switch"]);
    assert_eq!(red.machine.inputs(), ["switch", "go"]);
    assert_eq!(modules.constant, [("switch".to_owned(), "ok".to_owned())]);
}
