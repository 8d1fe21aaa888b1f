//! Files that commands write: tried at the start, replaced at the end, on a full disk, too.

use std::fs::OpenOptions;
use std::process::Command;

use super::workplace::{CLOCK, Called, DATA, LAMP, Workplace};

/// A lamp that also says `off` when it is off already.
fn other_lamp() -> String {
    LAMP.replacen("hold / nothing", "hold / off", 1)
}

fn place() -> Workplace {
    let (other, lamp) = (other_lamp(), LAMP);
    assert_ne!(other, lamp);
    Workplace::new(&[("lamp.dot", lamp), ("other.dot", &other), ("clock.dot", CLOCK)])
}

/// Calls the command with a limit on the size of files, in blocks of 512 bytes.
fn call_with_room(place: &Workplace, blocks: u32, arguments: &str) -> Called {
    // With the signal ignored, exceeding this is a write error.
    let program = crate::PROGRAM;
    let call = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' {arguments}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &call]).env("COLUMNS", "200").env("NO_COLOR", "1");
    shell.env("XDG_DATA_HOME", place.path(DATA)).current_dir(place.path(""));
    Called::from(shell.output().expect("there is a shell"))
}

/// The names of the files in the workplace.
fn names(place: &Workplace) -> Vec<String> {
    let names = std::fs::read_dir(place.path("")).expect("a folder");
    let mut names: Vec<_> = names
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.retain(|name| name != DATA);
    names.sort();
    names
}

#[test]
fn a_file_that_cannot_be_written_is_told_of_before_anything_is_done() {
    let place = place();
    std::fs::write(place.path("lamp.toml"), super::device::DEVICE_FILE).expect("a file");
    for arguments in [
        &["test", "lamp.dot", "--model", "lamp.dot", "--junit", "none/report.xml"][..],
        &["diff", "lamp.dot", "other.dot", "--html", "none/page.html"],
        &["init", "none/lamp.toml", "--kind", "console"],
        &["check", "--port", "/dev/none", "lamp.toml", "--write", "none/better.toml"],
    ] {
        let called = place.call(arguments).ended(6);
        called.complains(&["cannot write none/", "is there such a folder"]);
        assert_eq!(called.stdout, "", "{arguments:?}");
    }
}

#[test]
fn what_is_known_of_a_device_decides_before_a_file() {
    let place = place();
    let test = |device: &str| {
        let test = ["test", "lamp.dot", "--model", device, "--junit", "/dev/full"];
        place.call(&[&test[..], &["--tests", "wp:1"]].concat())
    };
    let different = test("other.dot").ended(1);
    assert!(different.stdout.contains("The device DIFFERS"), "{}", different.stdout);
    different.complains(&["cannot write /dev/full: No space left"]);
    let equal = test("lamp.dot").ended(6);
    assert!(equal.stdout.contains("The device does what the model says"), "{}", equal.stdout);
    equal.complains(&["cannot write /dev/full: No space left"]);

    let diff = |other: &str| place.call(&["diff", "lamp.dot", other, "--html", "/dev/full"]);
    diff("other.dot").ended(1).complains(&["cannot write /dev/full: No space left"]);
    diff("lamp.dot").ended(6).complains(&["cannot write /dev/full: No space left"]);

    let full = OpenOptions::new().write(true).open("/dev/full").expect("it opens");
    let mut command = place.command(&["diff", "lamp.dot", "other.dot"]);
    let called = Called::from(command.stdout(full).output().expect("it starts")).ended(1);
    called.complains(&["cannot write to standard output: No space left"]);
}

#[test]
fn a_full_disk_keeps_the_old_file_and_leaves_no_part_of_a_new_one() {
    let place = place();
    std::fs::write(place.path("old.svg"), "old").expect("a file");
    let before = names(&place);
    for arguments in [
        "show clock.dot --format svg --out old.svg",
        "show clock.dot --format svg --out new.svg",
        "diff lamp.dot other.dot --html new.html",
        "simulate lamp.dot --write-device new.toml",
        "init new.toml --kind console",
    ] {
        let is_diff = arguments.starts_with("diff");
        let called = call_with_room(&place, 0, arguments).ended(if is_diff { 1 } else { 6 });
        called.complains(&["cannot write", "File too large"]);
        assert_eq!(names(&place), before, "{arguments}");
    }
    let old = std::fs::read_to_string(place.path("old.svg")).expect("it is there");
    assert_eq!(old, "old");
    place.call(&["show", "clock.dot", "--format", "svg", "--out", "old.svg"]).ended(0);
    let new = std::fs::read_to_string(place.path("old.svg")).expect("it is there");
    assert!(new.starts_with("<svg"), "{new}");
}

#[test]
fn a_run_without_room_for_its_report_says_its_verdict_and_writes_the_rest() {
    let place = place();
    let called = call_with_room(&place, 8, "learn --model clock.dot --out run").ended(6);
    assert!(called.stdout.contains("\nConverged: "), "{}", called.stdout);
    called.complains(&[
        "not all results could be written to run (missing: report.html, model.svg, files in components/); all \
         others are there",
        "cannot write to run/report.html",
    ]);
    assert_eq!(place.statistics("run")["converged"], true);
    let files = place.files("run");
    let names: Vec<_> = files.keys().map(String::as_str).collect();
    assert!(names.contains(&"model.dot") && names.contains(&"result.postcard"), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with(".new")), "{names:?}");

    let play = format!("'{}' simulate clock.dot --adapter", crate::PROGRAM);
    let learn = format!("learn --adapter \"{play}\" --tests-in-a-row 9 --json --out device");
    let called = call_with_room(&place, 8, &learn).ended(6);
    assert_eq!(called.events().last().expect("an end")["converged"], true);
    called.complains(&["`mealybug learn --resume device` writes them, and asks no word again"]);
    place.call(&["learn", "--resume", "device"]).ended(0);
    assert!(place.path("device/report.html").exists());
    let device = &place.statistics("device")["device"];
    assert_eq!(device["symbols"], 0, "{device}");

    let called = call_with_room(&place, 8, "learn --resume device").ended(6);
    // Pictures of components are removed before others are drawn.
    called.complains(&[
        "written to device (missing: files in components/; still of an earlier session: report.html, model.svg); when",
    ]);
}

#[test]
fn mistakes_leave_no_folder_behind() {
    let inputs = (0..=65536).map(|input| format!("  s -> s [label=\"i{input} / x\"];\n"));
    let large = format!("digraph large {{\n{}}}\n", inputs.collect::<String>());
    let place =
        Workplace::new(&[("lamp.dot", LAMP), ("words.txt", "pres\n"), ("large.dot", &large)]);
    for (code, arguments, said) in [
        (2, &["lamp.dot", "--words", "words.txt"][..], "there is no input `pres`"),
        (1, &["lamp.dot", "--words", "none.txt"], "none.txt"),
        (1, &["lamp.dot", "--like", "words.txt"], "--like words.txt gives no advice"),
        (1, &["large.dot"], "a device must have 1 to 65536 inputs"),
    ] {
        let learn = [&["learn", "--out", "run", "--model"], arguments].concat();
        place.call(&learn).ended(code).complains(&[said]);
        assert!(!place.path("run").exists(), "{arguments:?}");
    }
}
