//! The example in Figure 2 of the paper, which `firmware/devices` has built in: two rings of `n`
//! states. The machine has `2n` states, each of the `n` components has `n`.

use std::fmt::Write;

use mealybug::dot;
use mealybug::machine::Machine;

/// The example for `n`.
///
/// # Panics
/// `n` is 0.
pub fn toy(n: u32) -> Machine {
    let mut text = String::from("digraph {\n__start0 -> right0;\n");
    for at in 0..n {
        let (right, left) = ((at + 1) % n, (at + n - 1) % n);
        for (state, input, next, output) in [
            ("right", "a", format!("right{right}"), right),
            ("right", "b", format!("left{at}"), at),
            ("left", "a", format!("left{left}"), left),
            ("left", "b", format!("right{at}"), at),
        ] {
            writeln!(text, "{state}{at} -> {next} [label=\"{input} / {output:03}\"];")
                .expect("a String takes everything");
        }
    }
    text.push('}');
    dot::read("toy", &text).unwrap_or_else(|error| panic!("{error}"))
}
