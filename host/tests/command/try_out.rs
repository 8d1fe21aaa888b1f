//! Talks to a device by hand.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;

use super::device::{DEVICE_FILE, LineDevice, LineReaction};
use super::workplace::{Called, LAMP, Workplace};

/// Calls the command with `typed` on its standard input.
fn call_with(place: &Workplace, arguments: &[&str], typed: &str) -> Called {
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(typed.as_bytes()).expect("it listens");
    drop(stdin);
    child.wait_with_output().expect("it ends").into()
}

fn lamp() -> LineDevice {
    let mut lamp = LineDevice::lamp();
    LineDevice::start(move |line, _| LineReaction::Say(lamp(line)))
}

#[test]
fn a_word_is_shown_byte_by_byte() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    let lamp = lamp();
    let called = place.call(&["try", "--port", &lamp.port, "lamp.toml", "press", "hold"]).ended(0);
    let parts = ["reset\n", "  = back after", "\npress\n", "  = on", "\nhold\n", "  = on"];
    let mut rest = called.stdout.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` is not in:\n{rest}"));
        rest = &rest[at + part.len()..];
    }
    let sent =
        called.stdout.lines().find(|line| line.ends_with(r"press\n")).expect("what was sent");
    assert!(sent.contains("  >  70 72 65 73 73 0a "), "{sent}");
    let came = called.stdout.lines().find(|line| line.ends_with(r" on\n")).expect("what came");
    assert!(came.contains("  <  6f 6e 0a "), "{came}");

    let called = place.call(&["try", "--port", "/dev/none", "lamp.toml", "pres"]).ended(2);
    called.complains(&["there is no input `pres`: did you mean `press`?"]);
}

#[test]
fn several_words_are_asked_with_resets_between_them() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    for words in [&["press", "reset", "press press"][..], &["press reset press", "press"]] {
        let called = place.call(&[&["try", "--model", "lamp.dot"], words].concat()).ended(0);
        let outputs = called.stdout.lines().filter_map(|line| line.strip_prefix("  = "));
        let outputs: Vec<_> = outputs.map(|line| line.split(' ').next()).collect();
        let expected = ["back", "dim", "back", "dim", "bright"].map(Some);
        assert_eq!(outputs, expected, "{}", called.stdout);
    }
}

#[test]
fn a_reset_opens_a_connection_again_that_an_input_has_ended() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = format!("tcp:{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            let lines = BufReader::new(connection.try_clone().expect("a stream")).lines();
            for line in lines.map_while(Result::ok) {
                writeln!(connection, "bye").expect("it is heard");
                if line == "press" {
                    break;
                }
            }
        }
    });
    let file = DEVICE_FILE.replace(
        "steps = [{ send = \"reset\\n\" }]\nexpect = { match = 'ready\\n$', within_ms = 2000 }",
        "steps = [{ reconnect = true }]",
    );
    assert!(file.contains("reconnect"), "{file}");
    let place = Workplace::new(&[("server.toml", &file)]);
    let called = place.call(&["try", "--port", &port, "server.toml", "press", "reset", "hold"]);
    let called = called.ended(0);
    assert_eq!(called.stdout.matches("  = bye").count(), 2, "{}", called.stdout);
}

#[test]
fn a_reply_that_silence_ended_is_pointed_at() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    let device = LineDevice::start(|line, _| match line {
        "reset" => LineReaction::Say("ready\n"),
        "press" => LineReaction::Say("no line end"),
        _ => LineReaction::Say("on\n"),
    });
    let called =
        place.call(&["try", "--port", &device.port, "lamp.toml", "press", "hold"]).ended(0);
    assert_eq!(called.stdout.matches("! Silence ended this reply").count(), 1, "{}", called.stdout);
}

#[test]
fn a_word_can_be_asked_of_a_program_and_of_a_model() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let adapter = format!("'{}' simulate lamp.dot --adapter", crate::PROGRAM);
    for end in [["--adapter", &adapter], ["--model", "lamp.dot"]] {
        let called = place.call(&[&["try"], &end[..], &["press", "press hold"]].concat()).ended(0);
        let lines: Vec<_> = called.stdout.lines().collect();
        let inputs: Vec<_> = lines.iter().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(inputs, [&"reset", &"press", &"press", &"hold"], "{}", called.stdout);
        let called = place.call(&[&["try"], &end[..], &["pres"]].concat()).ended(2);
        called.complains(&["there is no input `pres`: did you mean `press`?"]);
    }
}

#[test]
fn the_prompt_takes_lines_from_anywhere() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("lamp.toml", DEVICE_FILE)]);
    let typed = "press press\nhelp\nreset\npress\n";
    let called = call_with(&place, &["try", "--model", "lamp.dot"], typed).ended(0);
    let outputs: Vec<_> =
        called.stdout.lines().filter_map(|line| line.strip_prefix("  = ")).collect();
    let outputs: Vec<_> = outputs.iter().map(|output| output.split(' ').next().unwrap()).collect();
    assert_eq!(outputs, ["back", "dim", "bright", "back", "dim"]);
    assert!(called.stdout.contains("inputs:   press  hold"), "{}", called.stdout);

    let device = lamp();
    let arguments = ["try", "--port", &device.port, "lamp.toml"];
    let called = call_with(&place, &arguments, "press\nhodl\npress\n").ended(2);
    called.complains(&["there is no input `hodl`: did you mean `hold`?"]);
}

#[test]
fn what_comes_after_a_reply_is_pointed_at() {
    let place = Workplace::new(&[("lamp.toml", DEVICE_FILE)]);
    let device = LineDevice::start(|line, _| match line {
        "reset" => LineReaction::Say("ready\n"),
        _ => LineReaction::Say("one\ntwo\n"),
    });
    let called = place.call(&["try", "--port", &device.port, "lamp.toml", "press"]).ended(5);
    assert!(called.stdout.contains("6f 6e 65 0a 74 77 6f 0a"), "{}", called.stdout);
    called.complains(&["4 bytes came after the reply to `press` (`one`) had ended: `two\\n`"]);
    // What is no fault is pointed at after the last input.
    let patient = DEVICE_FILE.replace("within_ms = 500", "within_ms = 500\nlate = \"output\"");
    let place = Workplace::new(&[("lamp.toml", &patient)]);
    let called = place.call(&["try", "--port", &device.port, "lamp.toml", "press"]).ended(0);
    let said = "  ! 4 bytes came after the reply had ended: `two\\n`\n    more came than `lines` counts: say a larger number, for this input \
                at least. Where the device speaks unasked, see \"Late bytes\" in docs/device-file.md.\n";
    assert!(called.stdout.contains(said), "{}", called.stdout);
}

/// The end of the input is no reason not to hear out the last reply.
#[test]
fn what_comes_after_the_last_reply_is_heard_out_at_the_end_of_a_pipe() {
    let device = LineDevice::start(|line, _| match line {
        "reset" => LineReaction::Say("ready\n"),
        _ => LineReaction::SayLate("echo\n", "done\n", 10),
    });
    // Late bytes are no fault.
    let patient = DEVICE_FILE.replace("within_ms = 500", "within_ms = 500\nlate = \"output\"");
    let place = Workplace::new(&[("lamp.toml", &patient)]);
    for typed in ["press", "press\n", "press\nquit\n"] {
        let arguments = ["try", "--port", &device.port, "lamp.toml"];
        let called = call_with(&place, &arguments, typed).ended(0);
        let said = "! 5 bytes came after the reply had ended: `done\\n`";
        assert!(called.stdout.contains(said), "{typed}: {}", called.stdout);
    }
}

#[test]
fn an_output_that_is_empty_is_called_so() {
    let quiet = "digraph quiet { a -> b [label=\"press / \"]; b -> a [label=\"press / done\"]; }";
    let place = Workplace::new(&[("quiet.dot", quiet)]);
    let called = call_with(&place, &["try", "--model", "quiet.dot"], "press press\n").ended(0);
    let outputs =
        called.stdout.lines().filter(|line| line.starts_with("  = ") && line.ends_with("ms)"));
    let outputs: Vec<_> = outputs.map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(outputs, [Some("(empty)"), Some("done")], "{}", called.stdout);
}
