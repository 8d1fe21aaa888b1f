//! A first device file.

use std::fs::File;
use std::io::Write;
use std::process::Stdio;

use super::check::learns_as_proposed;
use super::device::{LineDevice, LineReaction, pseudo_terminal};
use super::workplace::{Called, Workplace};

#[test]
fn an_example_is_written_and_never_over_another_file() {
    let place = Workplace::new(&[]);
    for kind in ["console", "lines", "modem", "frames", "bytes"] {
        let file = format!("{kind}.toml");
        let called = place.call(&["init", &file, "--kind", kind]).ended(0);
        let next = format!("mealybug check --port PORT {file}");
        assert!(called.stdout.contains(&next), "{}", called.stdout);
        let called = place.call(&["init", &file, "--kind", kind]).ended(1);
        called.complains(&["there is already a file", "nothing is overwritten"]);
        // The only fault of the file is that nothing is at the port.
        let called = place.call(&["try", "--port", "/dev/no-such-port", &file]).ended(5);
        called.complains(&["there is no port /dev/no-such-port"]);
    }
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let place = Workplace::new(&[]);
    let called = place.call(&["init", "lock.toml"]).ended(2);
    called.complains(&["there is nobody to ask", "--kind console, lines, modem, frames or bytes"]);
    assert!(!place.path("lock.toml").exists());
}

/// Answers the questions of `init` at a terminal, and returns the file that it writes.
fn answered(answers: &str) -> (Workplace, String) {
    answered_at(&[], None, answers)
}

/// The same, with these options, and the port in the environment if there is one.
fn answered_at(options: &[&str], variable: Option<&str>, answers: &str) -> (Workplace, String) {
    let place = Workplace::new(&[]);
    let (mut typist, path) = pseudo_terminal();
    let terminal = File::options().read(true).write(true).open(path).expect("the terminal");
    let mut command = place.command(&[&["init", "lamp.toml"], options].concat());
    command.envs(variable.map(|port| ("MEALYBUG_PORT", port)));
    command.stdin(Stdio::from(terminal)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    drop(command);
    typist.write_all(answers.as_bytes()).expect("somebody reads");
    let called = Called::from(child.wait_with_output().expect("it ends"));
    let called = called.ended(0);
    let file = std::fs::read_to_string(place.path("lamp.toml")).expect("a file");
    (place, format!("{}\n{file}", called.stdout))
}

#[test]
fn a_console_is_found_out_and_can_be_learned() {
    let mut is_open = false;
    let device = LineDevice::start_raw(b'\r', move |line| {
        let answer = match line {
            "boot" => {
                is_open = false;
                "v1 boots"
            }
            "open" if !is_open => {
                is_open = true;
                "opened"
            }
            "open" => "is open",
            "help" => "open, boot",
            "" => "",
            _ => "what?",
        };
        LineReaction::Tell(format!("{line}\r\n{answer}\r\nlock> "))
    });
    // Kind, port, harmless line, prompt, no other prompt, line end, reset, ready, no other step, inputs.
    let answers = format!("1\n{}\n\n\n\n\nboot\n\n\nopen\nhelp\n\n", device.port);
    let (place, said) = answered(&answers);
    for part in [
        "At 115200 baud, a line that ends with \\r is answered, with echo: `\\r\\nopen, boot\\r\\nlock> `",
        "Then came `boot\\r\\nv1 boots\\r\\nlock> `",
        "echo = true",
        "match = 'lock> $'",
        "open = \"open\\r\"",
    ] {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
    learns_as_proposed(&place, &[], "3", ("better.toml", "2 states"));
}

#[test]
fn a_modem_is_found_out_where_an_instrument_was_expected() {
    let mut is_ready = false;
    let device = LineDevice::start_raw(b'\r', move |line| {
        let answer = match line {
            "ATZ" => {
                is_ready = false;
                "OK"
            }
            "AT" => "OK",
            "AT+PIN" => {
                is_ready = true;
                "OK"
            }
            "ATD" if is_ready => "CONNECT 9600",
            _ => "ERROR",
        };
        LineReaction::Tell(format!("\r\n{answer}\r\n"))
    });
    // Kind, port, harmless line, line end, reset, ready, no other step, inputs.
    let answers = format!("2\n{}\nAT\n\nATZ\n\n\nAT\npin=AT+PIN\nATD\n\n", device.port);
    let (place, said) = answered(&answers);
    for part in [
        "without echo",
        "That is how a modem answers",
        "last_line = 'OK|ERROR|",
        "ATD = \"ATD\\r\"",
    ] {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
    learns_as_proposed(&place, &[], "3", ("lamp.toml", "2 states"));
}

#[test]
fn a_device_that_says_nothing_is_described_by_answers() {
    let device = LineDevice::start(|_, _| LineReaction::Nothing);
    // Kind, port, harmless line, baud rate, prompt, no other, line end, echo, reset, ready, another step that the port
    // does not have, ready, no other step, inputs.
    let answers = format!("1\n{}\n\n9600\n\n\n\nn\nboot\n\ndtr\n\n\nhelp\n\n", device.port);
    let (_, said) = answered(&answers);
    for part in [
        "No readable answer came",
        "Nothing came within 3 s",
        "could not be tried: this port has no DTR.",
        "baud = 9600",
    ] {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}

#[test]
fn a_text_that_just_did_not_come_after_the_reset_is_asked_for_again() {
    let device = LineDevice::start_raw(b'\r', |line| match line {
        "boot" => LineReaction::Say("\x1b[1mv1\x1b[m\r\n\x1b[1mlock\x1b[m> "),
        _ => LineReaction::Say("?\r\nlock> "),
    });
    // Kind, port, no harmless line, baud rate, prompt, no other, line end, no echo, reset, a text that did not come,
    // then Enter, no other step, inputs.
    let answers = format!("1\n{}\n-\n\nlock> \n\n\nn\nboot\nready\n\n\nhelp\n\n", device.port);
    let (place, said) = answered(&answers);
    for part in [
        "`v1\\r\\nlock> ` does not fit that: a reset that waits for it would fail",
        r"expect = { match = 'v1\r\nlock> $'",
        // Colours came after the reset only.
        "strip = ['",
    ] {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
    place.call(&["try", "lamp.toml", "help"]).ended(0);
}

#[test]
fn a_port_that_is_given_is_not_asked_for() {
    let device = LineDevice::start_raw(b'\r', |_| LineReaction::Say("?\r\nlock> "));
    let port = &*device.port;
    // Kind, no harmless line, baud rate, prompt, no other, line end, no echo, reset, ready, no other step, inputs.
    let rest = "-\n\nlock> \n\n\nn\nboot\n\n\nhelp\n\n";
    let unasked = format!("1\n{rest}");
    let path = format!("path = \"{port}\"");
    let (_, said) = answered_at(&["--port", port], Some("/dev/no-such-port"), &unasked);
    assert!(said.contains(&format!("The port is {port}, as --port says.\n")), "{said}");
    assert!(said.contains(&path) && !said.contains("Port ("), "{said}");
    let (_, said) = answered_at(&[], Some(port), &unasked);
    assert!(said.contains(&format!("The port is {port}, as MEALYBUG_PORT says.\n")), "{said}");
    assert!(said.contains(&path) && !said.contains("Port ("), "{said}");

    // One that is not there is asked for again, and one that is there can be taken back.
    let (_, said) = answered_at(&[], Some("/dev/no-such-port"), &format!("1\n{port}\n{rest}"));
    assert!(said.contains("there is no port /dev/no-such-port") && said.contains(&path), "{said}");
    let (_, said) = answered_at(&["--port", port], None, &format!("1\n<\n{port}\n{rest}"));
    assert!(said.contains(&format!("Taken back: port `{port}`.")), "{said}");
    assert!(said.contains("Port (") && said.contains(&path), "{said}");
}
