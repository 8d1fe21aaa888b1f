//! Devices of the usual kinds, each learned by its device file to its golden model.

use std::thread::JoinHandle;

use mealybug_tests::learned::{equals_golden, learn};
use mealybug_tests::stand_in::at_modem::AtModem;
use mealybug_tests::stand_in::boot_console::BootConsole;
use mealybug_tests::stand_in::grbl::Grbl;
use mealybug_tests::stand_in::login::Login;
use mealybug_tests::stand_in::modbus::Modbus;
use mealybug_tests::stand_in::scpi::Scpi;
use mealybug_tests::stand_in::stk500::Stk500;
use mealybug_tests::stand_in::xmodem::Xmodem;
use mealybug_tests::stand_in::{Device, FOLDER_VARIABLE, Served};

/// Learns `device` by the files in `tests/devices/NAME`; says how that failed.
fn learns(name: &'static str, device: impl Device) -> JoinHandle<Result<(), String>> {
    let served = Served::start(device).expect("there is a pseudo-terminal");
    std::thread::spawn(move || {
        let mut command = learn(name, served.port());
        command.env(FOLDER_VARIABLE, served.folder()).args(["--tests", "wp:1"]);
        equals_golden(name, &mut command).map_err(|error| error.to_string())
    })
}

/// All at once, since most of the time they wait.
#[test]
fn devices_of_the_usual_kinds_are_learned() {
    let learning = [
        learns("at-modem", AtModem::default()),
        learns("boot-console", BootConsole::default()),
        learns("scpi", Scpi::default()),
        learns("modbus", Modbus::default()),
        learns("grbl", Grbl::default()),
        learns("login", Login::default()),
        learns("xmodem", Xmodem::default()),
        learns("stk500", Stk500::default()),
    ];
    let ended = learning.map(|thread| thread.join().expect("no thread panics"));
    let failed: Vec<_> = ended.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
