//! The output and its readers: quiet, progress, colours, events for programs, hints.

use std::fs::{File, OpenOptions};
use std::io::Read;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::device::{DEVICE_FILE, LineDevice, Reaction};
use super::workplace::{CLOCK, LAMP, Workplace};

fn place() -> Workplace {
    Workplace::new(&[("lamp.dot", LAMP), ("clock.dot", CLOCK), ("lamp.toml", DEVICE_FILE)])
}

#[test]
fn quiet_says_nothing_and_writes_all() {
    let place = place();
    let called = place.call(&["learn", "--model", "clock.dot", "--out", "run", "-q"]).ended(0);
    assert_eq!((called.stdout.as_str(), called.stderr.as_str()), ("", ""));
    assert!(place.path("run/model.dot").exists());
    let called = place.call(&["learn", "--model", "no.dot", "--quiet"]).ended(1);
    called.complains(&["cannot read the model no.dot"]);
    let called = place.call(&["demo", "--quiet", "--tests-in-a-row", "10"]).ended(0);
    assert_eq!(called.stdout, "");
}

#[test]
fn without_progress_the_end_is_still_told() {
    let place = place();
    let arguments = ["learn", "--model", "clock.dot"];
    let called = place.call(&arguments).ended(0);
    assert!(called.stderr.contains("hypothesis 1"), "{}", called.stderr);
    let called = place.call(&[&arguments[..], &["--no-progress"]].concat()).ended(0);
    assert_eq!(called.stderr, "");
    assert!(called.stdout.contains("Converged"), "{}", called.stdout);
}

#[test]
fn programs_hear_of_a_run_in_lines_of_json() {
    let place = place();
    let called = place.call(&["learn", "--model", "clock.dot", "--json", "--out", "run"]).ended(0);
    let events = called.events();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    assert_eq!(events[0]["event"], "start");
    assert_eq!((&events[0]["format"], &events[0]["command"]), (&1.into(), &"learn".into()));
    assert_eq!(events[0]["inputs"], serde_json::json!(["go", "back"]));
    let statistics = place.statistics("run");
    let hypotheses = of("hypothesis");
    assert_eq!(hypotheses.len() as u64, statistics["rounds"].as_u64().expect("a number"));
    assert_eq!(hypotheses[0]["round"], 1);
    assert!(!of("progress").is_empty());
    let end = events.last().expect("an end");
    assert_eq!((&end["event"], &end["converged"]), (&"end".into(), &true.into()));
    assert_eq!(end["statistics"], statistics);
    // Options that add optional fields.
    for options in [
        &["--algorithm", "ol-star", "--profile", "paper"][..],
        &["--projections", "per-pair", "--like", "run"],
        &["--tests", "wp:1", "--max-symbols", "50"],
    ] {
        let events = place.call(&[&["learn", "--model", "clock.dot", "--json"], options].concat());
        assert_eq!(events.events().last().expect("an end")["event"], "end", "{options:?}");
    }
    // `--json` and `--quiet` exclude each other.
    place.call(&["learn", "--model", "clock.dot", "--json", "--quiet"]).ended(2);
}

/// What the failing command shows on a terminal.
fn on_a_terminal(place: &Workplace, no_color: bool) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
    let master = master.expect("a pseudo-terminal");
    grantpt(&master).expect("it is ours");
    unlockpt(&master).expect("it opens");
    let path = ptsname(&master, Vec::new()).expect("it has a name");
    let path = path.into_string().expect("a path in ASCII");
    let terminal = OpenOptions::new().read(true).write(true).open(path).expect("it opens");
    let mut command = place.command(&["learn", "--model", "no.dot"]);
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("CI");
    if no_color {
        command.env("NO_COLOR", "1");
    }
    command.stdout(terminal.try_clone().expect("another handle")).stderr(terminal);
    let mut child = command.spawn().expect("it starts");
    // The command holds the last handles of the terminal.
    drop(command);
    let mut shown = Vec::new();
    // Reading ends with an error when the terminal is closed.
    let _ = File::from(master).read_to_end(&mut shown);
    child.wait().expect("it ends");
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let place = place();
    let shown = on_a_terminal(&place, false);
    assert!(shown.contains("cannot read the model") && shown.contains("\x1b["), "{shown:?}");
    let shown = on_a_terminal(&place, true);
    assert!(shown.contains("cannot read the model") && !shown.contains('\x1b'), "{shown:?}");
}

#[test]
fn a_counter_is_pointed_at_while_it_is_learned() {
    let place = place();
    let answers: Vec<_> = (0..2000).map(|n| &*format!("pressed {n} times\n").leak()).collect();
    let mut presses = 0;
    let device = LineDevice::start(move |line, _| {
        match line {
            "reset" => presses = 0,
            "press" => presses += 1,
            _ => {}
        }
        Reaction::Say(if line == "reset" { "ready\n" } else { answers[presses] })
    });
    let arguments = ["learn", "--port", &device.port, "lamp.toml", "--out", "run"];
    let more = ["--max-symbols", "20000"];
    let called = place.call(&[&arguments[..], &more].concat()).ended(3);
    for said in [
        " keeps giving new answers (8 so far) that differ in one field only",
        "match = '(pressed )\\d+( times)'\nwith = \"$1#$2\"",
        "Hint: states keep coming along one word: the newest of",
        "end in `press` again and again",
    ] {
        assert!(called.stderr.contains(said), "`{said}` is not in:\n{}", called.stderr);
    }
    assert_eq!(called.stderr.matches("Hint: ").count(), 2, "each once:\n{}", called.stderr);
    assert!(called.stdout.contains("Note: states keep coming"), "{}", called.stdout);
}
