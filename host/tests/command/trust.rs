//! Files of others: what they would do is asked for, once.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::process::Stdio;

use super::device::{DEVICE_FILE, pseudo_terminal};
use super::workplace::{Called, DATA, LAMP, SimulatedPort, Workplace};

/// A lamp that any number of calls can talk to.
fn device(place: &Workplace) -> SimulatedPort {
    std::fs::write(place.path("lamp.dot"), LAMP).expect("a file");
    SimulatedPort::start(place, &["lamp.dot"])
}

/// A device file that runs a command, reads a file and names the port.
fn greedy(port: &str) -> String {
    let file = DEVICE_FILE.replacen("steps = [", "steps = [{ run = 'echo x >>ran' }, ", 1);
    format!("[port]\npath = \"{port}\"\n{file}page = {{ file = \"page.bin\" }}\n")
}

/// The call on a terminal, where the user types these lines.
fn on_a_terminal(place: &Workplace, arguments: &[&str], typed: &str) -> Called {
    let (mut master, path) = pseudo_terminal();
    let terminal = OpenOptions::new().read(true).write(true).open(path).expect("it opens");
    let mut command = place.command(arguments);
    command.stdin(terminal.try_clone().expect("a handle")).stdout(Stdio::null()).stderr(terminal);
    let mut child = command.spawn().expect("it starts");
    drop(command);
    master.write_all(typed.as_bytes()).expect("it takes a line");
    let mut shown = Vec::new();
    // Reading ends with an error when the terminal is closed.
    let _ = master.read_to_end(&mut shown);
    let code = child.wait().expect("it ends").code();
    Called { code, stdout: String::new(), stderr: String::from_utf8_lossy(&shown).into_owned() }
}

#[test]
fn what_a_device_file_would_do_is_asked_for_once() {
    let place = Workplace::new(&[("page.bin", "page\n")]);
    let device = device(&place);
    let text = greedy(&device.port);
    std::fs::write(place.path("lamp.toml"), &text).expect("a file");
    let ran = || std::fs::read_to_string(place.path("ran")).unwrap_or_default().len() / 2;
    let ask = ["try", "lamp.toml", "press"];
    let acts = ["run   echo x >>ran", "read  page.bin", &format!("open  {}", device.port)];

    let refused = place.call(&ask).ended(2);
    refused.complains(&["nobody has agreed", "device file lamp.toml", "give --trust"]);
    refused.complains(&acts);
    let declined = on_a_terminal(&place, &ask, "n\n").ended(1);
    declined.complains(&["Agree to it until it changes?", "you did not agree"]);
    declined.complains(&acts);
    assert_eq!(ran(), 0, "nothing was run");

    place.call(&["try", "--trust", "lamp.toml", "press"]).ended(0);
    assert_eq!(ran(), 1);
    place.call(&ask).ended(2);
    on_a_terminal(&place, &ask, "y\n").ended(0);
    assert_eq!(ran(), 2);
    place.call(&ask).ended(0);
    let silent = on_a_terminal(&place, &ask, "").ended(0);
    assert!(!silent.stderr.contains("Agree"), "{}", silent.stderr);
    assert_eq!(ran(), 4);

    // Another content, and the same content elsewhere, are not what the user agreed to.
    std::fs::write(place.path("lamp.toml"), text.replace("x >>ran", "y >>ran")).expect("a file");
    place.call(&ask).ended(2).complains(&["run   echo y >>ran"]);
    std::fs::write(place.path("lamp.toml"), &text).expect("a file");
    place.call(&ask).ended(0);
    std::fs::copy(place.path("lamp.toml"), place.path("copy.toml")).expect("a copy");
    place.call(&["try", "copy.toml", "press"]).ended(2);
    assert_eq!(ran(), 5);
}

#[test]
fn a_file_that_only_talks_at_the_port_of_the_user_needs_no_agreement() {
    let place = Workplace::new(&[("page.bin", "page\n"), ("lamp.toml", DEVICE_FILE)]);
    let device = device(&place);
    let with = |name: &str, text: &str| std::fs::write(place.path(name), text).expect("a file");
    with("port.toml", &format!("[port]\npath = \"{}\"\n{DEVICE_FILE}", device.port));
    with("page.toml", &format!("{DEVICE_FILE}page = {{ file = \"page.bin\" }}\n"));
    let at_port = |file: &str| place.call(&["try", "--port", &device.port, file, "press"]);
    at_port("lamp.toml").ended(0);
    at_port("port.toml").ended(0);
    at_port("page.toml").ended(2).complains(&["read  page.bin"]);
    place.call(&["try", "port.toml", "press"]).ended(2).complains(&["open  "]);
    let mut by_variable = place.command(&["try", "port.toml", "press"]);
    by_variable.env("MEALYBUG_PORT", &device.port);
    Called::from(by_variable.output().expect("it starts")).ended(0);

    // A target has its own port, and the rules for it hold the bytes of the file.
    place.call(&["compile", "port.toml"]).ended(0);
    place.call(&["compile", "page.toml"]).ended(2).complains(&["read  page.bin"]);
    place.call(&["compile", "--trust", "page.toml"]).ended(0);
}

#[test]
fn a_file_that_only_names_a_port_is_agreed_to_until_it_names_another() {
    let place = Workplace::new(&[]);
    let device = device(&place);
    let with = |port: &str, rest: &str| {
        let text = format!("[port]\npath = \"{port}\"\n{DEVICE_FILE}{rest}");
        std::fs::write(place.path("port.toml"), text).expect("a file");
    };
    let ask = ["try", "port.toml", "press"];
    with(&device.port, "");
    on_a_terminal(&place, &ask, "y\n").ended(0);
    with(&device.port, "other = \"other\\n\"\n");
    place.call(&ask).ended(0);
    with(&device.port, "loud = { steps = [{ run = 'echo x >>ran' }] }\n");
    place.call(&ask).ended(2).complains(&["run   echo x >>ran", "open  "]);
    with("/dev/null", "");
    place.call(&ask).ended(2).complains(&["open  /dev/null"]);
}

#[test]
fn what_mealybug_wrote_for_the_user_is_trusted() {
    let place = Workplace::new(&[]);
    let device = device(&place);
    let answers = format!("2\n{}\n-\n\n\n\n!echo x >>ran\n\n\npress\n\n", device.port);
    on_a_terminal(&place, &["init", "lamp.toml"], &answers).ended(0);
    place.call(&["try", "lamp.toml", "press"]).ended(0);
    // Something must be better, or nothing is written.
    let file = std::fs::read_to_string(place.path("lamp.toml")).expect("a file");
    let slow = file.replacen("\nlines = 1", "\nmatch = '\\n$'\ngrace_ms = 40", 1);
    assert_ne!(file, slow);
    std::fs::write(place.path("lamp.toml"), slow).expect("a file");
    let check = ["check", "--trust", "lamp.toml", "--times", "2", "--write", "better.toml"];
    place.call(&check);
    place.call(&["try", "better.toml", "press"]).ended(0);
    assert!(place.path("ran").exists());
}

#[test]
fn a_run_folder_of_somebody_else_is_asked_for() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let adapter = format!("echo x >>ran; '{}' simulate lamp.dot --adapter", crate::PROGRAM);
    let few = ["--max-symbols", "10"];
    let begin = ["learn", "--adapter", &adapter, "--out", "run"];
    place.call(&[&begin[..], &few].concat()).ended(3);
    let ran = || std::fs::read_to_string(place.path("ran")).expect("it ran").len() / 2;
    place.call(&[&["learn", "--resume", "run"][..], &few].concat()).ended(3);
    // The options of the last call are part of it.
    place.call(&["learn", "--resume", "run", "--max-symbols", "11"]).ended(3);
    place.call(&["learn", "--resume", "run"]).ended(3);
    assert_eq!(ran(), 4);

    std::fs::rename(place.path("run"), place.path("moved")).expect("it moves");
    let resume = ["learn", "--resume", "moved"];
    place.call(&resume).ended(2).complains(&["run folder moved", "run   echo x >>ran;", "(in "]);
    assert_eq!(ran(), 4);
    place.call(&[&resume[..], &["--trust"]].concat()).ended(3);
    place.call(&resume).ended(3);

    // A run with a device file: its port, if this call does not name it.
    let device = SimulatedPort::start(&place, &["lamp.dot", "--write-device", "lamp.toml"]);
    let begin = ["learn", "--port", &device.port, "lamp.toml", "--out", "port"];
    place.call(&[&begin[..], &few].concat()).ended(3);
    std::fs::rename(place.path(DATA), place.path("no data")).expect("it moves");
    let resume = ["learn", "--resume", "port"];
    place.call(&resume).ended(2).complains(&[&format!("open  {}", device.port)]);
    place.call(&[&resume[..], &["--port", &device.port]].concat()).ended(3);
}

#[test]
fn a_question_shows_what_a_terminal_would_hide() {
    let hidden =
        "[[reset]]\nsteps = [{ run = \"one # \\u001b[2K\\u202e\\n two\" }]\n[inputs]\na = \"a\"\n";
    let place = Workplace::new(&[("lamp.toml", hidden)]);
    let refused = place.call(&["try", "--port", "/dev/null", "lamp.toml", "a"]).ended(2);
    refused.complains(&[r"run   one # \x1b[2K\xe2\x80\xae\n two"]);
    assert!(!refused.stderr.contains(['\x1b', '\u{202e}']), "{:?}", refused.stderr);
}
