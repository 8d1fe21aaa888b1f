//! Tests a device against a golden model, without learning it, and shows where it differs.
//!
//! Model and device are a vending machine: input 0 is a coin, input 1 the button. A drink costs two
//! coins. The device has a bug: it remembers a third coin.

use std::error::Error;

use mealybug_core::{
    EndReason, Input, Mealy, NumberedMealy, Options, Output, Session, Tests, learn, sul,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut coins = 0;
    // The word that is being asked, with its answers.
    let mut word = Vec::new();
    let mut device = sul::from_fn(|input| {
        let Some(input) = input else {
            coins = 0;
            word.clear();
            return "";
        };
        let answer = match input.index() {
            0 => {
                coins = (coins + 1).min(3); // the bug: the model keeps two
                "clink"
            }
            _ if coins >= 2 => {
                coins -= 2;
                "drink"
            }
            _ => "click",
        };
        word.push((input, answer));
        answer
    });
    // Such a suite finds every fault of a device that has at most one state more than the model.
    let options = Options::new().tests(Tests::Wp { extra_states: 1 });
    let mut session = Session::of_model(vec![0; 1024], &Vending, options)?;
    let end = learn(&mut session, &mut device)?;

    println!("{end:?}");
    if end == EndReason::Refuted {
        // The last word shows the difference, and ends with it.
        let mut state = Vending.initial();
        for (input, answer) in word {
            let expected = Vending.step(&mut state, input).expect("each step has an output");
            let name = ["coin", "button"][input.index() as usize];
            println!("{name}: {answer}, expected {}", Vending.output_name(expected).escape_ascii());
        }
    }
    Ok(())
}

/// The golden model: states are the coins, 0 to 2.
struct Vending;

const OUTPUTS: [&str; 3] = ["clink", "click", "drink"];

impl Mealy for Vending {
    type State = u32;

    fn inputs(&self) -> u32 {
        2
    }

    fn initial(&self) -> u32 {
        0
    }

    fn step(&self, coins: &mut u32, input: Input) -> Option<Output> {
        let (next, output) = match (input.index(), *coins) {
            (0, coins) => ((coins + 1).min(2), 0),
            (_, 2) => (0, 2),
            (_, coins) => (coins, 1),
        };
        *coins = next;
        Some(Output::new(output))
    }
}

impl NumberedMealy for Vending {
    fn outputs(&self) -> u32 {
        3
    }

    fn states(&self) -> u32 {
        3
    }

    fn output_name(&self, output: Output) -> &[u8] {
        OUTPUTS[output.index() as usize].as_bytes()
    }
}
