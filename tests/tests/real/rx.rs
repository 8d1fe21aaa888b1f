//! The XMODEM receiver of lrzsz, at the other end of a serial line.

use std::fs::File;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use mealybug_tests::learned::{assert_learned, equals_golden, learn, statistics};
use mealybug_tests::line::{read_until, read_until_quiet, wait};
use mealybug_tests::needs::all_there;
use mealybug_tests::pty::open_raw;
use mealybug_tests::replay::{compare, words};
use mealybug_tests::rx::{BLOCK, CAN, EOT, JUNK, NEEDS, READY, RxSul};
use mealybug_tests::rx_bridge::{FOLDER_VARIABLE, RxBridge};
use mealybug_tests::tool::{mealybug, succeed};
use mealybug_tests::{device_file, golden};
use tempfile::TempDir;

/// How many `rx` run at once; most of the time each one waits.
const AT_ONCE: usize = 40;

fn replay(name: &str, inputs: &[&[u8]]) {
    let model = golden(name);
    let words = words(&model);
    let new = |_| RxSul::new(inputs).expect("there is room for a folder");
    let devices = (0..AT_ONCE.min(words.len())).map(new).collect();
    let symbols: usize = words.iter().map(Vec::len).sum();
    compare(&model, &words, devices).unwrap_or_else(|differences| panic!("{differences}"));
    println!("{name}: {} states, {} words, {symbols} symbols agree", model.states(), words.len());
}

#[test]
fn rx_does_what_its_golden_model_says() {
    if all_there("the golden model of rx", NEEDS) {
        replay("rx/golden.dot", &[BLOCK, CAN, EOT]);
    }
}

#[test]
#[ignore = "takes a minute or two: tests/run full"]
fn rx_does_what_its_full_golden_model_says() {
    if all_there("the full golden model of rx", NEEDS) {
        replay("rx/golden-full.dot", &[BLOCK, CAN, EOT, JUNK]);
    }
}

/// Learns `rx` with its device file and these options.
fn learns_the_golden_model(options: &[&str]) {
    let bridge = RxBridge::open().expect("there is a pseudo-terminal");
    let mut command = learn("rx", bridge.port());
    command.env(FOLDER_VARIABLE, bridge.folder()).args(options);
    equals_golden("rx", &mut command).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn mealybug_learns_rx() {
    if all_there("learning rx", NEEDS) {
        // An input takes half a second; the `full` test allows for an extra state.
        learns_the_golden_model(&["--tests", "wp:0"]);
    }
}

#[test]
#[ignore = "takes some minutes: tests/run full"]
fn mealybug_learns_rx_allowing_for_an_extra_state() {
    if all_there("learning rx, allowing for an extra state", NEEDS) {
        learns_the_golden_model(&["--tests", "wp:1"]);
    }
}

/// Default options, with junk as an input: 20 states. Three runs side by side, each with its own seed and 40 `rx`.
#[test]
#[ignore = "takes a quarter of an hour or more: tests/run full"]
fn mealybug_learns_rx_with_all_of_its_states() {
    if !all_there("learning rx with all of its states", NEEDS) {
        return;
    }
    let golden = golden("rx/golden-full.dot");
    let folder = TempDir::new().expect("a folder");
    std::thread::scope(|scope| {
        for seed in ["0", "1", "2"] {
            let (golden, out) = (&golden, folder.path().join(seed));
            scope.spawn(move || {
                let workers = AT_ONCE.to_string();
                let mut command = mealybug();
                command.args(["learn", "--adapter", env!("CARGO_BIN_EXE_rx-adapter")]);
                command.args(["--workers", &workers, "--seed", seed, "--out"]).arg(&out);
                succeed(&mut command);
                assert_learned(golden, &out);
                let statistics = statistics(&out);
                let [passed, seconds] = ["tests_passed", "seconds"].map(|name| &statistics[name]);
                println!("rx, seed {seed}: 20 states, {passed} tests in a row, {seconds} s");
            });
        }
    });
}

/// Asks the bridge for a new `rx`, as the device file does, and waits for its announcement.
fn reset(bridge: &RxBridge, port: &File) {
    let device_file = device_file("rx/device.toml");
    let device_file = std::fs::read_to_string(device_file).expect("the device file is there");
    let (_, command) = device_file.split_once("run = '").expect("the reset is a command");
    let (command, _) = command.split_once('\'').expect("the command ends");
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env(FOLDER_VARIABLE, bridge.folder());
    assert!(shell.status().expect("there is a shell").success());
    read_until(port, &[READY], Duration::from_secs(10)).expect("rx announces itself");
}

#[test]
fn a_reset_starts_a_new_rx_behind_the_same_port() {
    if !all_there("the bridge to rx", NEEDS) {
        return;
    }
    let bridge = RxBridge::open().unwrap();
    let mut port = open_raw(bridge.port()).unwrap();
    let started = Instant::now();
    for _ in 0..20 {
        reset(&bridge, &port);
        port.write_all(BLOCK).unwrap();
        read_until(&port, &["\x06"], Duration::from_secs(10)).unwrap();
    }
    println!("a reset and a block: {:?}", started.elapsed() / 20);

    // EOT ends this `rx`; the port outlives it and is silent.
    port.write_all(EOT).unwrap();
    read_until(&port, &["\x06"], Duration::from_secs(10)).unwrap();
    port.write_all(BLOCK).unwrap();
    let quiet = Duration::from_millis(200);
    assert_eq!(read_until_quiet(&port, quiet, quiet).unwrap(), (Vec::new(), true));

    // The reset does not take an unread NAK for the NAK of the next `rx`.
    reset(&bridge, &port);
    port.write_all(JUNK).unwrap();
    let nak = wait([&port], Some(Instant::now() + Duration::from_secs(10)));
    assert_eq!(nak.unwrap(), [true]);
    reset(&bridge, &port);
    assert_eq!(read_until_quiet(&port, quiet, quiet).unwrap(), (Vec::new(), true));
}
