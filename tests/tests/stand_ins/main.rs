//! Devices of common kinds; each is learned with its device file and must equal its golden model.

mod noise;

use std::thread::JoinHandle;

use mealybug_tests::device_file;
use mealybug_tests::learned::{equals_golden, learn};
use mealybug_tests::stand_in::at_modem::AtModem;
use mealybug_tests::stand_in::boot_console::BootConsole;
use mealybug_tests::stand_in::grbl::Grbl;
use mealybug_tests::stand_in::login::Login;
use mealybug_tests::stand_in::modbus::Modbus;
use mealybug_tests::stand_in::scpi::Scpi;
use mealybug_tests::stand_in::stk500::Stk500;
use mealybug_tests::stand_in::xmodem::Xmodem;
use mealybug_tests::stand_in::{FOLDER_VARIABLE, Served, StandIn};

/// Learns `device` with the files in `tests/devices/NAME`, these tests, and the words in
/// `words.txt` there. Returns what failed.
fn learns(
    name: &'static str,
    tests: &'static str,
    device: impl StandIn,
) -> JoinHandle<Result<(), String>> {
    let served = Served::start(device).expect("there is a pseudo-terminal");
    std::thread::spawn(move || {
        let mut command = learn(name, served.port());
        command.env(FOLDER_VARIABLE, served.folder()).args(["--tests", tests]);
        let words = device_file(name).join("words.txt");
        if words.exists() {
            command.arg("--words").arg(words);
        }
        equals_golden(name, &mut command).map_err(|error| error.to_string())
    })
}

/// All run at once, since most of the time they wait. Devices with much silence are tested less.
#[test]
fn devices_of_the_usual_kinds_are_learned() {
    let learning = [
        learns("scpi", "wp:1", Scpi::default()),
        learns("modbus", "wp:0", Modbus::default()),
        learns("grbl", "wp:1", Grbl::default()),
        learns("stk500", "wp:1", Stk500::default()),
        learns("boot-console", "wp:0", BootConsole::default()),
        learns("login", "wp:0", Login::default()),
        learns("at-modem", "wp:0", AtModem::default()),
    ];
    let ended = learning.map(|thread| thread.join().expect("no thread panics"));
    let failed: Vec<_> = ended.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// This device is silent most of the time, so each test takes long.
#[test]
#[ignore = "takes long"]
fn an_xmodem_receiver_is_learned() {
    learns("xmodem", "wp:0", Xmodem::default()).join().expect("no panic").expect("it is learned");
}
