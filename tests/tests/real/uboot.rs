//! The U-Boot console in QEMU, at the other end of a serial line.

use std::time::Instant;

use mealybug_core::{Input, Sul};
use mealybug_tests::console::ConsoleSul;
use mealybug_tests::golden;
use mealybug_tests::learned::{equals_golden, learn};
use mealybug_tests::needs::all_there;
use mealybug_tests::replay::{compare, words};
use mealybug_tests::uboot::{NEEDS, UBoot};

#[test]
fn uboot_does_what_its_golden_model_says() {
    if !all_there("the golden model of U-Boot", NEEDS) {
        return;
    }
    let model = golden("uboot/golden.dot");
    let uboot = UBoot::start().unwrap();
    let mut console = ConsoleSul::open(uboot.port(), model.inputs()).unwrap();
    let words = words(&model);
    let started = Instant::now();
    compare(&model, &words, vec![console]).unwrap_or_else(|differences| panic!("{differences}"));
    println!("{} states, {} words in {:?}", model.states(), words.len(), started.elapsed());

    // A restart brings back the same initial state as the reset without one.
    console = ConsoleSul::open(uboot.port(), model.inputs()).unwrap();
    let set = model.inputs().iter().position(|name| name == "setenv a 1").unwrap();
    console.step(Input::new(u32::try_from(set).unwrap())).unwrap();
    console.restart().unwrap();
    let restarted = Restarted { console };
    compare(&model, &words[..12], vec![restarted])
        .unwrap_or_else(|differences| panic!("{differences}"));
}

#[test]
fn mealybug_learns_uboot() {
    if all_there("learning U-Boot", NEEDS) {
        let uboot = UBoot::start().unwrap();
        let mut command = learn("uboot", uboot.port());
        equals_golden("uboot", command.args(["--tests", "wp:1"]))
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The console, with a restart as its reset.
struct Restarted {
    console: ConsoleSul,
}

impl Sul for Restarted {
    type Error = std::io::Error;

    fn reset(&mut self) -> std::io::Result<()> {
        self.console.restart()
    }

    fn step(&mut self, input: Input) -> std::io::Result<&[u8]> {
        self.console.step(input)
    }
}
