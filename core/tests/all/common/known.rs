//! Sessions of models that are known.

use mealybug_core::{Input, KnownModel, Mealy, NumberedMealy, Options, Output, Session, Sul, sul};

use super::{TableMachine, count, memory};

impl Mealy for TableMachine {
    type State = u32;

    fn inputs(&self) -> u32 {
        self.inputs
    }

    fn initial(&self) -> u32 {
        0
    }

    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        Some(Output::new(Self::step(self, state, input.index())))
    }
}

impl NumberedMealy for TableMachine {
    fn outputs(&self) -> u32 {
        count(self.names.len())
    }

    fn states(&self) -> u32 {
        Self::states(self)
    }

    fn output_name(&self, output: Output) -> &[u8] {
        &self.names[output.index() as usize]
    }
}

/// A session in plenty of memory.
pub(crate) fn session(model: &TableMachine, options: Options) -> Session<Vec<u32>, KnownModel> {
    Session::of_model(memory(1 << 20), model, options).expect("good options, memory enough")
}

/// A machine as a device.
pub(crate) fn device(machine: &TableMachine) -> impl Sul<Error = core::convert::Infallible> {
    let mut state = 0;
    sul::from_fn(move |input: Option<Input>| match input {
        None => {
            state = 0;
            &[][..]
        }
        Some(input) => {
            let output = machine.step(&mut state, input.index());
            machine.names[output as usize].as_slice()
        }
    })
}
