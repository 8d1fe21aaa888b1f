//! The commands of the guide's part about the demo's lock work.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::workplace::{DATA, Workplace};

const GUIDE: &str = include_str!("../../docs/guide.md");

/// The guide's commands in the part about the lock.
fn practice() -> Vec<String> {
    let part = GUIDE.split("\n## ").find(|part| part.starts_with("The lock")).expect("it is there");
    let blocks = part.split("```sh\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("it ends").to_owned()).collect()
}

#[test]
fn the_commands_for_practice_work_as_they_stand() {
    let place = Workplace::new(&[]);
    // The guide's port may be in use.
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("a number");
    let port = free.port().to_string();
    let blocks: Vec<_> = practice().iter().map(|block| block.replace("4707", &port)).collect();
    let [demo, simulate, rest, broken] = &blocks[..] else { panic!("{blocks:?}") };
    let shell = |script: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_mealybug"));
        let folder = program.parent().expect("a folder").to_string_lossy().into_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command.args(["-eu", "-c", script]).current_dir(place.path(""));
        command.env("PATH", format!("{folder}:{path}")).env("NO_COLOR", "1");
        command.env("XDG_DATA_HOME", place.path(DATA));
        command
    };
    assert!(shell(demo).output().expect("a shell").status.success());
    // With `exec`, because otherwise the signal would end only the shell.
    let mut simulator = shell(&format!("exec {simulate}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(simulator.stdout.take().expect("a pipe")).lines();
    lines.next().expect("the port").expect("a line");
    let output = shell(rest).output().expect("a shell");
    kill_process(Pid::from_child(&simulator), Signal::INT).expect("it is there");
    simulator.wait().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}\n{complained}");
    for part in ["= opened", "Nothing is wrong", "Converged", "does what the model says: 200 tests"]
    {
        assert!(said.contains(part), "`{part}` is not in:\n{said}\n{complained}");
    }
    assert!(place.path("report.xml").exists() && place.path("lock-run/report.html").exists());
    let output = shell(broken).output().expect("a shell");
    assert_eq!(output.status.code(), Some(1), "the machines differ");
    let said = text(&output.stdout);
    for part in ["1 enter", "wrong code", "opened"] {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}
