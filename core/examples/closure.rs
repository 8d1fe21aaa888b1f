//! Learns a device that is a closure, and prints the components that were learned.
//!
//! The device is a light with a button: the third press switches it on, the fourth off. Input 0
//! presses the button, input 1 only looks.

use std::error::Error;

use mealybug_core::{Input, Mealy, Options, Session, learn, sul};

fn main() -> Result<(), Box<dyn Error>> {
    let mut presses = 0;
    let mut light = sul::from_fn(|input| {
        match input.map(|input| input.index()) {
            None => presses = 0, // a reset
            Some(0) => presses = (presses + 1) % 4,
            Some(_) => {}
        }
        if presses == 3 { "on" } else { "off" }
    });
    let mut session = Session::new(vec![0; 1024], 2, Options::new())?;
    let end = learn(&mut session, &mut light)?;
    println!("{end:?}");

    let hypothesis = session.hypothesis().ok_or("no hypothesis")?;
    for component in hypothesis.components() {
        println!("a component with {} states", component.states());
        for state in 0..component.states() {
            for (index, name) in (0..).zip(["press", "look"]) {
                let mut next = state;
                let output = component.step(&mut next, Input::new(index));
                // `-` where another component has the output.
                let output = output.map_or(&b"-"[..], |output| hypothesis.output_name(output));
                println!("  {state} -> {next}  {name} / {}", output.escape_ascii());
            }
        }
    }
    Ok(())
}
