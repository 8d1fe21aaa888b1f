//! The errors about wrong options and files.

use std::io::Write;
use std::process::Stdio;

use super::workplace::{CLOCK, Called, LAMP, Workplace};

#[test]
fn a_folder_in_use_is_refused_before_anything_is_asked() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    place.call(&["learn", "--model", "lamp.dot", "--out", "run"]).ended(0);
    let before = place.files("run");
    let called = place.call(&["learn", "--model", "lamp.dot", "--out", "run"]).ended(6);
    called.complains(&["the folder run is not empty", "results are never overwritten"]);
    assert_eq!(place.files("run"), before);
    let called = place.call(&["learn", "--model", "lamp.dot", "--out", "lamp.dot"]).ended(6);
    called.complains(&["lamp.dot is not a folder"]);
}

#[test]
fn a_device_file_that_is_there_is_not_overwritten() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("mine.toml", "an hour of work")]);
    let called = place.call(&["simulate", "lamp.dot", "--write-device", "mine.toml"]).ended(1);
    called.complains(&["there is already a file mine.toml", "nothing is overwritten"]);
    assert_eq!(std::fs::read_to_string(place.path("mine.toml")).expect("kept"), "an hour of work");
    let called = place.call(&["simulate", "lamp.dot", "--write-device", "none/x.toml"]).ended(6);
    called.complains(&["cannot write none/x.toml"]);
}

/// The next try would find it there.
#[test]
fn a_device_that_cannot_be_simulated_leaves_no_device_file() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("it is bound").port().to_string();
    let arguments = ["simulate", "lamp.dot", "--write-device", "lamp.toml", "--listen", &port];
    place.call(&arguments).ended(1).complains(&["cannot listen at 127.0.0.1:"]);
    assert!(!place.path("lamp.toml").exists());
}

#[test]
fn options_that_make_no_sense_are_told_of() {
    let place =
        Workplace::new(&[("lamp.dot", LAMP), ("lamp.toml", "[inputs]\n"), ("cut", "MEALYBUG")]);
    let cases: &[(&[&str], i32, &str)] = &[
        (&["--model", "lamp.dot", "--tests", "wp"], 2, "w:K, wp:K, components:K, model"),
        (&["--model", "lamp.dot", "--memory", "lots"], 2, "write a size such as 64K, 256M or 1G"),
        (
            &["--model", "lamp.dot", "--max-time", "9"],
            2,
            "write a time above 0, such as 500ms, 90s",
        ),
        (&["--model", "lamp.dot", "--tests-in-a-row", "0"], 2, "a number above 0"),
        (&["--model", "lamp.dot", "--projections", "A|A"], 2, "the output `A` is named twice"),
        (&["--model", "lamp.dot", "--port", "x"], 2, "cannot be used with"),
        (&["--model", "lamp.dot", "--live", "--quiet"], 2, "cannot be used with"),
        (&["--model", "lamp.dot", "--confidence", "99"], 2, "write a percentage from 50%"),
        (
            &["--model", "lamp.dot", "--confidence", "99%", "--tests", "wp:1"],
            2,
            "--confidence is for --tests mixture, not for wp:1",
        ),
        (&[], 2, "required"),
        (
            &["--model", "lamp.dot", "--algorithm", "l-star", "--projections", "per-output"],
            2,
            "--algorithm l-star has no --projections but identity",
        ),
        (
            &["--model", "lamp.dot", "--algorithm", "l-sharp", "--projections", "A|B"],
            2,
            "L# learns one machine, which sees all outputs",
        ),
        (
            &["--model", "lamp.dot", "--algorithm", "ol-star", "--projections", "per-input"],
            2,
            "--algorithm ol-star has no --projections per-input",
        ),
        (
            &["--model", "lamp.dot", "--algorithm", "ol-star", "--projections", "chosen"],
            2,
            "or learn on the host with --algorithm ol-sharp",
        ),
        (
            &["--model", "lamp.dot", "--algorithm", "l-sharp", "--projections", "chosen"],
            2,
            "--algorithm l-sharp has no --projections but identity",
        ),
        (
            &["--model", "lamp.dot", "--algorithm", "lsharp"],
            2,
            "[possible values: ol-sharp, l-sharp, ol-star, l-star]",
        ),
        (&["lamp.toml", "--tests", "model"], 2, "--tests model is for --model only"),
        (&["lamp.toml", "--profile", "paper"], 2, "--profile paper is for --model only"),
        (&["lamp.toml"], 1, "there are no inputs"),
        (&["--model", "no.dot"], 1, "cannot read the model no.dot"),
        (&["--model", "lamp.toml"], 1, "lamp.toml is a device file, and no model"),
        (&["lamp.dot"], 2, "lamp.dot is a model, and no device file"),
        (&["--model", "cut"], 1, "the result ends too early"),
    ];
    for (arguments, code, said) in cases {
        let called = place.call(&[&["learn"], *arguments].concat()).ended(*code);
        called.complains(&[said]);
    }
    assert!(!place.path("mealybug-runs").exists(), "no run, no folder");
}

#[test]
fn a_folder_that_cannot_be_made_is_told_of() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    for out in ["lamp.dot/run", "/proc/run"] {
        let called = place.call(&["learn", "--model", "lamp.dot", "--out", out]).ended(6);
        called.complains(&["cannot write to", "may this user write there"]);
    }
}

#[test]
fn the_exit_statuses_are_in_the_help() {
    let called = Workplace::new(&[]).call(&["--help"]).ended(0);
    for said in ["Exit status:", "4  the device contradicts itself", "130  Ctrl-C"] {
        assert!(called.stdout.contains(said), "{}", called.stdout);
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    let place = Workplace::new(&[]);
    let help = place.call(&["--help"]).ended(0).stdout;
    // Commands stand in groups before the options; a word in column 3 is one.
    let (groups, _) = help.split_once("Options:\n").expect("options after the commands");
    let is_command = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let commands = groups.lines().filter(is_command);
    let commands: Vec<_> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands {
        let called = place.call(&[command, "--help"]).ended(0);
        assert!(called.stdout.contains("Example"), "{}", called.stdout);
        assert!(called.stdout.contains(&format!("mealybug {command}")), "{}", called.stdout);
    }
}

#[test]
fn of_an_option_that_is_given_twice_the_last_counts() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let learn = ["learn", "--model", "none.dot", "--model", "lamp.dot", "--json", "--json"];
    let seeds = ["--seed", "1", "--seed", "2", "--out", "no", "--out", "run"];
    let called = place.call(&[&learn[..], &seeds].concat()).ended(0);
    assert_eq!(called.events().last().expect("an end")["folder"], "run");
    assert_eq!(place.statistics("run")["seed"], 2);
    assert!(!place.path("no").exists());
    // Options that stand for several things are still all of them.
    let like = ["learn", "--model", "lamp.dot", "--like", "run", "--like", "lamp.dot"];
    place.call(&[&like[..], &["--out", "like"]].concat()).ended(0);
    let advice = place.statistics("like")["advice"].as_array().expect("an array").len();
    assert_eq!(advice, 2);
}

#[test]
fn the_verdict_is_the_last_line() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let last = |arguments: &[&str], code| {
        let said = place.call(arguments).ended(code).stdout;
        said.lines().last().expect("a line").to_owned()
    };
    let learn = ["learn", "--model", "lamp.dot"];
    assert!(last(&learn, 0).starts_with("Converged: "));
    assert!(
        last(&[&learn[..], &["--max-symbols", "5"]].concat(), 3).starts_with("NOT converged: ")
    );
    assert!(last(&["demo", "--tests-in-a-row", "5"], 0).starts_with("Not sure: "));
    assert!(last(&["demo"], 0).starts_with("Converged: "));
    let adapter = format!("'{}' simulate lamp.dot --adapter", crate::PROGRAM);
    let test = ["test", "lamp.dot", "--adapter", &adapter, "--tests", "wp:1"];
    assert!(last(&test, 0).starts_with("The device does what the model says: "));
}

#[test]
fn a_complete_suite_takes_no_number_of_tests() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    for arguments in
        [&["learn", "--model", "lamp.dot"][..], &["test", "lamp.dot", "--model", "lamp.dot"]]
    {
        let suite = ["--tests", "components:1"];
        place.call(&[arguments, &suite].concat()).ended(0);
        let called = place.call(&[arguments, &suite, &["--tests-in-a-row", "9"]].concat()).ended(2);
        called.complains(&["--tests-in-a-row is for random tests", "--tests components:1"]);
    }
}

#[test]
fn a_run_says_how_many_tests_asked_something_new() {
    let one = "digraph { 0 -> 0 [label=\"a / x\"]; }";
    let place = Workplace::new(&[("one.dot", one)]);
    // There are not that many words of one input that are short enough.
    let adapter = format!("'{}' simulate one.dot --adapter", crate::PROGRAM);
    let learn = ["learn", "--adapter", &adapter, "--tests-in-a-row", "200"];
    let called = place.call(&learn).ended(0);
    let said = called.stdout.lines().find_map(|line| line.strip_prefix("Of the last 200 tests "));
    let said = said.and_then(|said| said.strip_suffix(" asked what no word had asked before."));
    let new: u64 = said.unwrap_or_else(|| panic!("{}", called.stdout)).parse().expect("a number");
    assert!((1..100).contains(&new), "{new}");
}

#[test]
fn words_may_come_from_a_pipe_which_is_read_once() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let called = |words: &str, folder: &str| {
        let adapter = format!("{} simulate clock.dot --adapter", crate::PROGRAM);
        let arguments = ["learn", "--adapter", &adapter, "--words", "/dev/stdin", "--out", folder];
        let mut command = place.command(&arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(words.as_bytes()).expect("it reads");
        drop(pipe);
        Called::from(child.wait_with_output().expect("it ends"))
    };
    called("go go go go go go go\n", "run").ended(0);
    let transcript = std::fs::read_to_string(place.path("run/transcript.txt")).expect("a file");
    assert!(
        transcript.lines().any(|line| line.starts_with("go go go go go go go")),
        "{transcript}"
    );
    called("gone\n", "bad").ended(2).complains(&["there is no input `gone`: did you mean `go`?"]);
}
