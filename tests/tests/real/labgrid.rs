//! Boards of a labgrid coordinator.

use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

use mealybug::{dot, separate};
use mealybug_tests::labgrid::{Lab, Lamp, is_there};
use mealybug_tests::model;
use mealybug_tests::tool::{Running, unwrapped};
use mealybug_tests::wait::wait_until;
use rustix::process::Signal;

/// What a lamp says, without a reset.
const REPLIES: &str = r#"
[reply]
lines = 1
[[output]]
match = '^(.*)\n$'
name = "$1"
[inputs]
press = "press\n"
"#;

/// How a lamp is reset by its own command, and by its power switch.
const RESET: &str = r#"[[reset]]
steps = [{ send = "reset\n" }]
expect = { match = 'ready\n$', within_ms = 2000 }
quiet_ms = 0
"#;
const POWER_CYCLE: &str = r#"[[reset]]
steps = [{ run = "labgrid-client power cycle --delay 0.1" }]
expect = { match = 'ready\n$', within_ms = 2000 }
"#;

/// A lab with lamps that take 2 ms for an answer, and the device files `lamp.toml` and `power.toml`.
fn lab<const N: usize>(places: [&str; N]) -> (Lab, [Lamp; N]) {
    let lamps = places.map(|_| Lamp::start(Duration::from_millis(2)));
    let named: Vec<_> = places.into_iter().zip(&lamps).collect();
    let lab = Lab::start(&named);
    fs::write(lab.path("lamp.toml"), RESET.to_owned() + REPLIES).expect("a file");
    fs::write(lab.path("power.toml"), POWER_CYCLE.to_owned() + REPLIES).expect("a file");
    (lab, lamps)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The tests go on until something ends the run.
fn endless(lab: &Lab, arguments: &[&str]) -> Command {
    lab.mealybug(&[&["learn", "lamp.toml", "--tests-in-a-row", "unlimited"], arguments].concat())
}

#[test]
fn a_place_is_acquired_used_with_its_power_switch_and_released() {
    if !is_there("a board of labgrid") {
        return;
    }
    let (lab, [lamp]) = lab(["lamp-1"]);
    let learn = ["learn", "power.toml", "--tests-in-a-row", "3", "--out", "run"];
    let output = lab.mealybug(&learn).args(["--trust", "--place", "lamp-1"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let lamp_model = dot::read("lamp", Lamp::MODEL).unwrap();
    assert_eq!(separate(&model(&lab.path("run/model.dot")), &lamp_model), Ok(None));
    assert!(lamp.cycles() > 3, "{} power cycles", lamp.cycles());
    assert_eq!(lab.who(), [""; 0]);
    // The other commands, a part of the name, and the port by which it is called in files.
    fs::write(lab.path("golden.dot"), Lamp::MODEL).unwrap();
    for arguments in [
        &["test", "golden.dot", "lamp.toml", "--place", "lamp", "--tests-in-a-row", "5"][..],
        &["try", "lamp.toml", "press", "--port", "place:lamp-1"],
        &["try", "lamp.toml", "press", "--place", "lamp-1/NetworkSerialPort"],
        &["check", "lamp.toml", "--place", "lamp-1", "--times", "2"],
        &["learn", "--resume", "run", "--trust", "--tests-in-a-row", "4"],
    ] {
        let output = lab.mealybug(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        assert_eq!(lab.who(), [""; 0], "{arguments:?}");
    }
    // The place of a reservation.
    let reserved = lab.client("anna", &["reserve", "--wait", "--shell", "name=lamp-1"]);
    let token = String::from_utf8_lossy(&reserved.stdout).trim().replace("export LG_TOKEN=", "");
    let mut command = lab.mealybug(&["try", "lamp.toml", "press", "--place", "+"]);
    let output = command.env("LG_TOKEN", &token).output().unwrap();
    assert!(output.status.success(), "{token}: {}", said(&output));
    assert_eq!(lab.who(), [""; 0]);
    lab.client("anna", &["cancel-reservation", &token]);
    // What the user has acquired stays acquired.
    lab.client("anna", &["-p", "lamp-1", "acquire"]);
    let output =
        lab.mealybug(&["try", "lamp.toml", "press", "--place", "lamp-1"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("stays acquired at the end"), "{}", said(&output));
    assert_eq!(lab.who(), ["anna here lamp-1"]);
}

#[test]
fn a_place_that_is_taken_away_is_left_out() {
    if !is_there("boards of labgrid") {
        return;
    }
    let (lab, _lamps) = lab(["lamp-1", "lamp-2"]);
    let places = ["--place", "lamp-1", "--place", "lamp-2", "--out", "run"];
    let run = Running::until(&mut endless(&lab, &places), "hypothesis 2");
    assert_eq!(lab.who(), ["anna here lamp-1", "anna here lamp-2"]);
    for command in [&["release", "--kick"][..], &["acquire"]] {
        let output = lab.client("bert", &[&["-p", "lamp-2"], command].concat());
        assert!(output.status.success(), "{}", said(&output));
    }
    run.wait_for("place lamp-2 is left out: place lamp-2 was taken away: somebody released it; 1 of 2 boards");
    // The run would go on for ever.
    run.interrupt();
    let (status, said) = run.end();
    assert_eq!(status, Some(130), "{said}");
    assert_eq!(lab.who(), ["bert here lamp-2"]);
    // One board alone has failed then.
    let run = Running::until(&mut endless(&lab, &["--place", "lamp-1"]), "hypothesis 2");
    lab.client("bert", &["-p", "lamp-1", "release", "--kick"]);
    let (status, said) = run.end();
    assert_eq!(status, Some(5), "{said}");
    assert!(said.contains("place lamp-1 was taken away: somebody released it"), "{said}");
}

#[test]
fn a_place_is_released_whatever_ends_the_run() {
    if !is_there("ends of runs with boards of labgrid") {
        return;
    }
    let (lab, _lamps) = lab(["lamp-1"]);
    let place = ["--place", "lamp-1"];
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut command = endless(&lab, &place);
        let run = Running::until(&mut command, "hypothesis 2");
        assert_eq!(lab.who(), ["anna here lamp-1"]);
        run.send(signal);
        let (status, said) = run.end();
        assert_eq!(status, Some(130), "{said}");
        assert_eq!(lab.who(), [""; 0], "{signal:?}: {said}");
    }
    let limited = endless(&lab, &place).args(["--max-time", "1s"]).output().unwrap();
    assert_eq!(limited.status.code(), Some(3), "{}", said(&limited));
    assert_eq!(lab.who(), [""; 0]);
    let failed = lab.mealybug(&["try", "lamp.toml", "pull", "--place", "lamp-1"]).output().unwrap();
    assert_eq!(failed.status.code(), Some(2), "{}", said(&failed));
    assert_eq!(lab.who(), [""; 0]);

    Running::until(&mut endless(&lab, &place), "hypothesis 2").kill();
    assert_eq!(lab.who(), ["anna here lamp-1"]);
    let first = Running::until(&mut endless(&lab, &place), "hypothesis 2");
    let second =
        lab.mealybug(&["try", "lamp.toml", "press", "--place", "lamp-1"]).output().unwrap();
    assert_eq!(second.status.code(), Some(5));
    assert!(said(&second).contains("is in use by another mealybug"), "{}", said(&second));
    first.interrupt();
    let (_, said) = first.end();
    assert_eq!(lab.who(), [""; 0], "{said}");
    wait_until("no client is left", || lab.clients() == 0);
}

#[test]
fn what_is_wrong_with_a_place_is_told() {
    if !is_there("errors of labgrid") {
        return;
    }
    let (lab, _lamps) = lab(["lamp-1", "lamp-2"]);
    lab.client("bert", &["-p", "lamp-2", "acquire"]);
    let try_at = |place: &str, variable: (&str, &str)| {
        let mut command = lab.mealybug(&["try", "lamp.toml", "press", "--place", place]);
        let output = command.env(variable.0, variable.1).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{}", said(&output));
        unwrapped(&said(&output))
    };
    let none = ("NONE", "");
    for (place, variable, parts) in [
        (
            "lamp-1",
            ("PATH", "/usr/bin:/bin"),
            ["there is no labgrid-client", "pip install labgrid"],
        ),
        (
            "lamp-1",
            ("LG_COORDINATOR", "127.0.0.1:1"),
            ["no labgrid coordinator at 127.0.0.1:1", "LG_COORDINATOR="],
        ),
        ("door", none, ["there is no place door", "`labgrid-client places` lists"]),
        ("lamp", none, ["matches multiple places (lamp-", "`labgrid-client places` lists"]),
        ("lamp-2", none, ["place lamp-2 is acquired by here/bert", "reserve --wait"]),
        ("bare", none, ["place bare has no serial port", "it has NetworkPowerPort"]),
        ("lamp-1/modem", none, ["has no serial port modem", "it has NetworkSerialPort"]),
    ] {
        let said = try_at(place, variable);
        assert!(parts.iter().all(|part| said.contains(part)), "{place}: {said}");
    }
    assert_eq!(lab.who(), ["bert here lamp-2"]);
}
