//! Checking a device file against its device.

use super::device::{DEVICE_FILE, LineDevice, Reaction, interrupt};
use super::workplace::{LAMP, Workplace};

#[test]
fn a_file_that_fits_is_said_to_fit() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, _| Reaction::Say(lamp(line)));
    let arguments = ["check", "--port", &device.port, "lamp.toml", "--times", "2"];
    let called = place.call(&arguments).ended(0);
    for said in ["Asked 8 words", "[[reset]] 1      8", "press", "Nothing is wrong"] {
        assert!(called.stdout.contains(said), "`{said}` is not in:\n{}", called.stdout);
    }
}

#[test]
fn a_patience_that_is_too_long_is_made_shorter_in_a_copy() {
    let patient = DEVICE_FILE.replace("within_ms = 500", "within_ms = 1000");
    let file = format!("# My lamp.\n{patient}");
    let place = Workplace::new(&[("lamp.toml", &file), ("mine.toml", "an hour of work")]);
    let mut lamp = LineDevice::lamp();
    let mut is_fresh = false;
    let device = LineDevice::start(move |line, _| {
        let was_fresh = std::mem::replace(&mut is_fresh, line == "reset");
        match lamp(line) {
            _ if was_fresh && line == "hold" => Reaction::Nothing,
            answer => Reaction::Say(answer),
        }
    });
    let check = ["check", "--port", &device.port, "lamp.toml", "--times", "2", "--write"];
    let called = place.call(&[&check[..], &["better.toml"]].concat()).ended(0);
    let said = "within_ms = 1000 of [reply] could be shorter: the slowest answer began after";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    let better = std::fs::read_to_string(place.path("better.toml")).expect("a file");
    let line = better.lines().find(|line| line.starts_with("within_ms = ")).expect("a patience");
    assert_ne!(line, "within_ms = 1000");
    assert_eq!(better, file.replace("within_ms = 1000", line));
    assert!(called.stdout.contains("better.toml: with 1 change"), "{}", called.stdout);
    // The error comes before the device is asked anything.
    let called = place.call(&["check", "--port", "/dev/none", "lamp.toml", "--write", "mine.toml"]);
    let called = called.ended(1);
    called.complains(&["there is already a file mine.toml", "nothing is overwritten"]);
}

#[test]
fn a_field_that_changes_is_pointed_at() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    let answers: Vec<_> = (0..2000).map(|n| &*format!("pressed {n} times\n").leak()).collect();
    let device = LineDevice::start(move |line, number| match line {
        "reset" => Reaction::Say("ready\n"),
        "press" => Reaction::Say(answers[number as usize]),
        _ => Reaction::Say("ok\n"),
    });
    let arguments = ["check", "--port", &device.port, "lamp.toml", "--times", "2"];
    let called = place.call(&arguments).ended(1);
    let said = "WRONG: answers change for no reason that shows. From a reset, `press` is answered";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    let replace = "[[replace]]\nmatch = '(pressed )\\d+( times)'\nwith = \"$1#$2\"\n";
    assert!(called.stdout.contains(replace), "{}", called.stdout);
}

#[test]
fn a_device_without_a_port_has_nothing_to_check() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let help = place.call(&["check", "--help"]).ended(0).stdout;
    assert!(!help.contains("--adapter") && !help.contains("--model"), "{help}");
    let called = place.call(&["check", "--model", "lamp.dot"]).ended(2);
    called.complains(&["this command is for a device behind a port"]);
}

#[test]
fn ctrl_c_does_not_wait_for_a_device_that_thinks_for_long() {
    let (_, called) = interrupt(&["check"], 5);
    let said = called.stdout;
    assert!(said.contains("Asked ") && !said.contains("could not be"), "{said}");
}
