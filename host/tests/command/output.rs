//! The output and its readers: quiet, progress, colours, events for programs, hints.

use std::fs::OpenOptions;
use std::io::Read;
use std::process::Stdio;

use super::device::{DEVICE_FILE, LineDevice, LineReaction, pseudo_terminal};
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

/// What a failing command shows on a terminal.
fn on_a_terminal(place: &Workplace, no_color: bool) -> String {
    at_a_terminal(place, &["learn", "--model", "no.dot"], no_color)
}

fn at_a_terminal(place: &Workplace, arguments: &[&str], no_color: bool) -> String {
    let (mut master, path) = pseudo_terminal();
    let terminal = OpenOptions::new().read(true).write(true).open(path).expect("it opens");
    let mut command = place.command(arguments);
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
    let _ = master.read_to_end(&mut shown);
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
        LineReaction::Say(if line == "reset" { "ready\n" } else { answers[presses] })
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

/// The call with standard output at this file; what it said on standard error.
fn call_into(place: &Workplace, arguments: &[&str], stdout: Stdio, code: i32) -> String {
    let mut command = place.command(arguments);
    let output = command.stdout(stdout).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

#[test]
fn what_cannot_be_written_is_an_error_and_a_reader_who_left_is_none() {
    let place = place();
    let adapter = format!("'{}' simulate lamp.dot --adapter", crate::PROGRAM);
    for arguments in [
        &["show", "lamp.dot"][..],
        &["show", "lamp.dot", "--format", "dot"],
        &["diff", "lamp.dot", "lamp.dot"],
        &["learn", "--model", "lamp.dot", "--json"],
        &["learn", "--model", "lamp.dot", "--no-progress"],
        &["test", "lamp.dot", "--adapter", &adapter, "--tests", "wp:1"],
        &["try", "--adapter", &adapter],
        &["compile", "lamp.toml"],
        &["man"],
        &["completions", "bash"],
        &["--help"],
        &["learn", "--help"],
        &["--version"],
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("it opens");
        let said = call_into(&place, arguments, full.into(), 6);
        assert!(said.contains("cannot write to standard output: No space left"), "{said}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let said = call_into(&place, arguments, writer.into(), 0);
        assert!(!said.contains("cannot write"), "{said}");
    }
    // The folder of the run has all of it.
    let full = OpenOptions::new().write(true).open("/dev/full").expect("it opens");
    let learn = ["learn", "--model", "lamp.dot", "--json", "--out", "run"];
    call_into(&place, &learn, full.into(), 6);
    assert_eq!(place.statistics("run")["converged"], true);
    // An error of the command comes with it, and decides.
    let failing = "read -r x; echo a; while read -r x; do echo error no fuse; done";
    let full = OpenOptions::new().write(true).open("/dev/full").expect("it opens");
    let said = call_into(&place, &["try", "--adapter", failing], full.into(), 5);
    assert!(said.contains("no fuse") && said.contains("No space left"), "{said}");
    // Standard error that is full ends nothing.
    let full = OpenOptions::new().write(true).open("/dev/full").expect("it opens");
    let mut command = place.command(&["learn", "--model", "clock.dot"]);
    let output = command.stderr(full).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0));
}

/// Escape sequences, and characters that change the direction of text.
const HIDDEN: [char; 6] = ['\x1b', '\x07', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200f}'];

#[test]
fn what_is_hidden_is_never_shown_as_it_is() {
    let odd = "\x1b[2J\u{202e}x\u{9b}\u{200f}\u{2066}\x07";
    let model = format!(
        "digraph odd {{\n  a -> b [label=\"{odd}in / {odd}out\"];\n  b -> a [label=\"{odd}in / x\"];\n}}\n"
    );
    let note =
        format!("digraph machine {{\n  // NOT CONVERGED {odd}\n  a -> a [label=\"x / y\"];\n}}\n");
    let adapter = format!(
        "while read -r word name; do case $word in inputs) echo 'a\\x1b[2J b';; reset) echo ok;; \
         *) printf '%s\\n' 'o\\xe2\\x80\\xae\\x1b[2J{odd}';; esac; done"
    );
    let failing =
        format!("read -r x; echo a; while read -r x; do printf '%s\\n' 'error {odd}'; done");
    let wrong = format!("# {odd}\n[inputs]\n\"a\" = {{ {odd} }}\n");
    let unknown = format!("[inputs]\na = {{ \"k{odd}\" = 1, send = \"{odd}\" }} # {odd}\n");
    let unknown = unknown.replace('\x1b', "\\u001b").replace('\x07', "\\u0007");
    let hidden_name = DEVICE_FILE.replace("press =", "\"\\u001b[2J\" =");
    let place = Workplace::new(&[
        ("odd.dot", &model),
        ("note.dot", &note),
        ("broken.dot", &model.replace("digraph", "graph")),
        ("label.dot", &model.replace(" / x", "")),
        ("wrong.toml", &wrong),
        ("unknown.toml", &unknown),
        ("name.toml", &hidden_name),
        ("words.txt", &format!("{odd}\n")),
    ]);
    let learn = |what: &[&'static str], out: &'static str| {
        [&["learn"][..], what, &["--out", out, "--tests-in-a-row", "9"]].concat()
    };
    let adapter_out = ["learn", "--adapter", &adapter, "--out", "adapter", "--tests-in-a-row", "9"];
    let calls: [(i32, Vec<&str>); 18] = [
        (0, vec!["show", "odd.dot"]),
        (0, vec!["show", "odd.dot", "--format", "dot"]),
        (0, vec!["show", "odd.dot", "--format", "json"]),
        (0, vec!["show", "odd.dot", "--format", "mermaid"]),
        (0, vec!["show", "odd.dot", "--format", "svg"]),
        (0, vec!["show", "note.dot"]),
        (0, vec!["show", "note.dot", "--format", "svg"]),
        (1, vec!["diff", "odd.dot", "note.dot"]),
        (1, vec!["show", "broken.dot"]),
        (1, vec!["show", "label.dot"]),
        (0, learn(&["--model", "odd.dot"], "model")),
        (0, learn(&["--model", "odd.dot", "--json"], "json")),
        (0, adapter_out.to_vec()),
        (0, vec!["try", "--adapter", &adapter]),
        (5, vec!["try", "--adapter", &failing]),
        (1, vec!["try", "--port", "/dev/null", "wrong.toml", "a"]),
        (1, vec!["try", "--port", "/dev/null", "unknown.toml", "a"]),
        (2, vec!["learn", "--model", "odd.dot", "--words", "words.txt"]),
    ];
    for (code, arguments) in calls {
        let called = place.call(&arguments).ended(code);
        for text in [&called.stdout, &called.stderr] {
            assert!(!text.contains(HIDDEN), "{arguments:?}: {text:?}");
        }
    }
    place.call(&["try", "--port", "/dev/null", "name.toml", "a"]).ended(1).complains(&["U+001B"]);
    for run in ["model", "json", "adapter"] {
        for (name, text) in place.files(run) {
            // The command of the user stays as it is in options.json.
            let exact = [".postcard", ".log", "options.json"];
            let is_exact = exact.iter().any(|ending| name.ends_with(ending));
            assert!(is_exact || !text.contains(HIDDEN), "{run}/{name}: {text:?}");
        }
    }
    // On a terminal there are colours, and nothing else of the kind.
    let shown = at_a_terminal(&place, &["show", "label.dot"], false);
    assert!(shown.contains("\x1b["), "{shown:?}");
    for (hidden, colour) in
        [("\x1b[2J", false), ("\u{202e}", false), ("\x07", false), ("\x1b[", true)]
    {
        assert_eq!(shown.contains(hidden), colour, "{shown:?}");
    }
}
