//! Checking a device file against its device.

use std::time::Duration;

use super::device::{DEVICE_FILE, LineDevice, LineReaction, interrupt};
use super::workplace::{LAMP, SimulatedPort, Workplace};

#[test]
fn a_file_that_fits_is_said_to_fit() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, _| LineReaction::Say(lamp(line)));
    let arguments = ["check", "--port", &device.port, "lamp.toml", "--times", "2"];
    let called = place.call(&arguments).ended(0);
    for said in ["Asked ", "[[reset]] 1 ", "press", "Nothing is wrong"] {
        assert!(called.stdout.contains(said), "`{said}` is not in:\n{}", called.stdout);
    }
}

#[test]
fn a_patience_that_is_too_long_is_made_shorter_in_a_copy() {
    let patient = DEVICE_FILE.replace("within_ms = 500", "within_ms = 2500");
    let file = format!("# My lamp.\n{patient}");
    let place = Workplace::new(&[("lamp.toml", &file), ("mine.toml", "an hour of work")]);
    let mut lamp = LineDevice::lamp();
    let mut is_fresh = false;
    let device = LineDevice::start(move |line, _| {
        let was_fresh = std::mem::replace(&mut is_fresh, line == "reset");
        match lamp(line) {
            _ if was_fresh && line == "hold" => LineReaction::Nothing,
            answer => LineReaction::Say(answer),
        }
    });
    let said = "within_ms = 2500 of [reply] could be shorter: the slowest answer began after";
    // On a busy machine an answer may be so slow that the patience is not too long.
    let called = (0..10).find_map(|_| {
        let _ = std::fs::remove_file(place.path("better.toml"));
        let check = ["check", "--port", &device.port, "lamp.toml", "--times", "3", "--write"];
        let called = place.call(&[&check[..], &["better.toml"]].concat());
        called.stdout.contains(said).then_some(called)
    });
    let called = called.expect("the machine is not that busy").ended(0);
    let better = std::fs::read_to_string(place.path("better.toml")).expect("a file");
    let line = better.lines().find(|line| line.starts_with("within_ms = ")).expect("a patience");
    assert_ne!(line, "within_ms = 2500");
    assert_eq!(better, file.replace("within_ms = 2500", line));
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
        "reset" => LineReaction::Say("ready\n"),
        "press" => LineReaction::Say(answers[number as usize]),
        _ => LineReaction::Say("ok\n"),
    });
    let arguments = ["check", "--port", &device.port, "lamp.toml", "--times", "2"];
    let called = place.call(&arguments).ended(1);
    let said = "WRONG: answers change for no reason that shows. From a reset, `press` is answered";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    let replace = "[[replace]]\nmatch = '(pressed )\\d+( times)'\nwith = \"$1#$2\"\n";
    assert!(called.stdout.contains(replace), "{}", called.stdout);
}

#[test]
fn what_a_check_has_changed_for_good_is_not_forgotten() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    let mut is_set = false;
    let device = LineDevice::start(move |line, _| {
        is_set |= line == "hold";
        match line {
            "reset" => LineReaction::Say("ready\n"),
            "press" if is_set => LineReaction::Say("seven\n"),
            "press" => LineReaction::Say("five\n"),
            _ => LineReaction::Say("ok\n"),
        }
    });
    let check = ["check", "--port", &device.port, "lamp.toml", "--times", "1"];
    let called = place.call(&check).ended(0);
    let said = "From a reset, `press` is answered `five` at first, and `seven` ever since.";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    let called = place.call(&check).ended(0);
    let said = "`press` is answered `seven`, and was answered `five` at first in an earlier check or run of this device";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    let learn = ["learn", "--port", &device.port, "lamp.toml", "--tests-in-a-row", "20", "--out"];
    let called = place.call(&[&learn[..], &["run"]].concat()).ended(0);
    let said = "Note: the word `press` ends with `seven`, and ended with `five` at first in an earlier check or run, of this device";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    assert!(
        called.stdout.contains(", but the reset may not clear everything."),
        "{}",
        called.stdout
    );
    // As that says, the user has the last word.
    let (_, path) =
        called.stdout.split_once("the device may stay as it is, delete ").expect("a path");
    let (path, _) = path.split_once(".\n").expect("the end of a sentence");
    std::fs::remove_file(path).expect("it is kept there");
    let called = place.call(&[&learn[..], &["again"]].concat()).ended(0);
    assert!(!called.stdout.contains("earlier check"), "{}", called.stdout);
}

#[test]
fn a_check_that_begins_anew_says_why() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    // Slow at first.
    let device = LineDevice::start(|line, number| match line {
        "reset" => LineReaction::Say("ready\n"),
        "press" if number < 4 => {
            std::thread::sleep(Duration::from_millis(800));
            LineReaction::Say("on\n")
        }
        _ => LineReaction::Say("ok\n"),
    });
    let called = place.call(&["check", "--port", &device.port, "lamp.toml", "--times", "1"]);
    called.complains(&[
        "an answer came after its `within_ms`: the check begins anew with a longer one",
    ]);
}

#[test]
fn a_program_is_checked_with_words_of_ones_own() {
    let idle = LAMP.replace("\n}", "\n  off -> off [label=\"noop / same\"];\n  dim -> dim [label=\"noop / same\"];\n  bright -> bright [label=\"noop / same\"];\n}");
    let words = "press press press press\n";
    let place = Workplace::new(&[("lamp.dot", &idle), ("words.txt", words), ("bad.txt", "prass")]);
    let adapter = format!("{} simulate --adapter lamp.dot", crate::PROGRAM);
    let check = ["check", "--adapter", &adapter, "--words"];
    let called = place.call(&[&check[..], &["words.txt"]].concat()).ended(0);
    let said = "Perhaps: `noop` had the same answer in all of 3 states and changed none of them";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    assert!(!called.stdout.contains("WRONG"), "{}", called.stdout);
    // The words of one's own are among the first.
    called.complains(&["4 of about "]);
    let called = place.call(&[&check[..], &["bad.txt"]].concat()).ended(2);
    called.complains(&["there is no input `prass`: did you mean `press`?"]);
    assert_eq!(called.stderr.matches("no input `prass`").count(), 1, "{}", called.stderr);
}

#[test]
fn a_device_without_a_port_has_nothing_to_check() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let help = place.call(&["check", "--help"]).ended(0).stdout;
    assert!(help.contains("--adapter") && !help.contains("--model"), "{help}");
    let called = place.call(&["check", "--model", "lamp.dot"]).ended(2);
    called.complains(&["this command is for a device behind a port"]);
}

#[test]
fn a_device_that_does_not_answer_is_said_after_the_first_words() {
    let hasty = DEVICE_FILE.replace("within_ms = 500", "within_ms = 20");
    let place = Workplace::new(&[("lamp.toml", &hasty)]);
    let device = LineDevice::start(move |line, _| match line {
        "reset" => LineReaction::Say("ready\n"),
        _ => LineReaction::Nothing,
    });
    let arguments = ["check", "--port", &device.port, "lamp.toml", "--times", "1"];
    let called = place.call(&[&arguments[..], &["--write", "better.toml"]].concat()).ended(1);
    called.complains(&["none of the first 2 words was answered", "2 of about "]);
    called.complains(&["step 2 of 4, exploring: 2 of about "]);
    let written = "better.toml was not written: what is said above is for you to mend";
    assert!(called.stdout.contains(written), "{}", called.stdout);
    assert!(!place.path("better.toml").exists());
    let said = "was answered. Resets are answered: do the inputs end as the device wants it";
    assert!(called.stdout.contains(said) && called.stdout.contains("WRONG"), "{}", called.stdout);
}

#[test]
fn an_end_that_no_reply_meets_is_said_after_the_first_words() {
    let file = DEVICE_FILE.replace("lines = 1\nwithin_ms = 500", "match = '> $'\nwithin_ms = 20");
    let place = Workplace::new(&[("lamp.toml", &file)]);
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, _| LineReaction::Say(lamp(line)));
    let arguments = ["check", "--port", &device.port, "lamp.toml", "--times", "1"];
    let called = place.call(&arguments).ended(1);
    called.complains(&["no reply to the first 2 words met its `match`", "2 of about "]);
    assert!(called.stdout.contains("WRONG: no reply at all met its `match`"), "{}", called.stdout);
}

/// Checks a device, and asserts that learning with `file` finds this many states: with the proposed one, or with that of before,
/// where nothing is proposed and none is written.
pub(crate) fn learns_as_proposed(
    place: &Workplace,
    port: &[&str],
    times: &str,
    (file, states): (&str, &str),
) {
    let check = ["check", "lamp.toml", "--times", times, "--write", "better.toml"];
    let called = place.call(&[&check, port].concat()).ended(0);
    assert!(!called.stdout.contains("WRONG"), "{}", called.stdout);
    assert_eq!(place.path("better.toml").exists(), file == "better.toml", "{}", called.stdout);
    let learn = ["learn", file, "--out", "run", "--tests-in-a-row", "10"];
    let called = place.call(&[&learn, port].concat()).ended(0);
    for part in ["random tests in a row found no difference", states] {
        assert!(called.stdout.contains(part), "`{part}` is not in:\n{}", called.stdout);
    }
}

#[test]
fn a_device_of_frames_is_learned_with_the_proposed_time_outs() {
    let file = "[[reset]]\nsteps = [{ hex = \"52 00\" }]\nexpect = { match = '\\x06$', within_ms = 1000 }\n\
                quiet_ms = 0\n[reply]\nquiet_ms = 130\nwithin_ms = 400\n\
                [inputs]\nread = { hex = \"01 00\" }\nstep = { hex = \"02 00\" }\n";
    let place = Workplace::new(&[("lamp.toml", file)]);
    let mut count = 0;
    let device = LineDevice::start_raw(0, move |frame| {
        match frame {
            "R" => count = 0,
            "\x02" => count = (count + 1) % 3,
            _ => return LineReaction::Tell(format!("\x01{}\x7f", char::from(count))),
        }
        LineReaction::Say("\x06")
    });
    learns_as_proposed(&place, &["--port", &device.port], "2", ("better.toml", "3 states"));
    let better = std::fs::read_to_string(place.path("better.toml")).expect("a file");
    let shorter = ["quiet_ms = 40", "within_ms = 400"];
    assert!(shorter.iter().all(|line| better.contains(line)), "{better}");
}

#[test]
fn the_file_of_the_simulator_fits_its_lamp() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let device = SimulatedPort::start(&place, &["lamp.dot", "--write-device", "lamp.toml"]);
    learns_as_proposed(&place, &["--port", &device.port], "3", ("lamp.toml", "3 states"));
}

#[test]
fn ctrl_c_does_not_wait_for_a_device_that_thinks_for_long() {
    let (_, called) = interrupt(&["check"], 5);
    let said = called.stdout;
    assert!(said.contains("Asked ") && !said.contains("could not be"), "{said}");
}
