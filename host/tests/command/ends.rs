//! Devices that are not at a serial port: programs, TCP ports, other installations.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::workplace::{LAMP, SimulatedPort, Workplace};

/// Names that are not words.
const ODD: &str = r#"digraph odd {
  0 -> 1 [label="GET /x / 25 °C"]; 0 -> 0 [label="%20 / error 5"]; 0 -> 0 [label="ä\\b / C:\\"];
  1 -> 0 [label="GET /x / error"]; 1 -> 1 [label="%20 / a%0Ab"]; 1 -> 1 [label="ä\\b / ok"];
}
"#;

#[test]
fn two_installations_talk_to_each_other_whatever_things_are_called() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("odd.dot", ODD)]);
    for name in ["lamp", "odd"] {
        let adapter = format!("'{}' simulate {name}.dot --adapter", env!("CARGO_BIN_EXE_mealybug"));
        let arguments = ["learn", "--adapter", &adapter, "--tests-in-a-row", "100", "--out", name];
        place.call(&arguments).ended(0);
        let (model, in_process) = (format!("{name}.dot"), format!("{name}-in-process"));
        place.call(&["learn", "--model", &model, "--out", &in_process]).ended(0);
        assert_eq!(place.files(name)["model.dot"], place.files(&in_process)["model.dot"]);
    }
}

#[test]
fn a_device_at_a_tcp_port_is_learned_and_its_log_says_what_it_was_asked() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let arguments = ["lamp.dot", "--listen", "0", "--write-device", "lamp.toml", "--log", "log"];
    let device = SimulatedPort::start(&place, &arguments);
    assert!(device.port.starts_with("tcp:127.0.0.1:"), "{}", device.port);
    let arguments = ["learn", "--port", &device.port, "lamp.toml", "--out", "run"];
    place.call(&[&arguments[..], &["--tests-in-a-row", "100"]].concat()).ended(0);
    drop(device);
    let statistics = place.statistics("run");
    assert_eq!(statistics["states"], 3);
    let log = std::fs::read_to_string(place.path("log")).expect("a log");
    let (resets, steps): (Vec<_>, Vec<_>) = log.lines().partition(|line| *line == "reset\tready");
    assert!(steps.iter().all(|line| line.starts_with("press\t") || line.starts_with("hold\t")));
    assert_eq!(statistics["device"]["resets"], resets.len());
    assert_eq!(statistics["device"]["symbols"], steps.len());
}

/// Learns a device that goes away after the first hypothesis; `again` brings it back. Returns how
/// the run ends, and its standard error.
fn learn_while_it_goes(
    place: &Workplace,
    port: &str,
    options: &[&str],
    go: impl FnOnce(),
    again: impl FnOnce() -> Option<SimulatedPort>,
) -> (Option<i32>, String) {
    let arguments = ["learn", "--port", port, "lamp.toml", "--out", "run"];
    let mut command = place.command(&[&arguments[..], options].concat());
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut said = String::new();
    let mut read_until = |part: &str| {
        for line in lines.by_ref().map_while(Result::ok) {
            said += &format!("{line}\n");
            if line.contains(part) {
                return;
            }
        }
    };
    read_until("hypothesis 1");
    go();
    read_until("waiting up to");
    let back = again();
    read_until("the end of all");
    let code = child.wait().expect("it ends").code();
    drop(back);
    (code, said)
}

#[test]
fn a_device_that_goes_and_comes_back_is_learned_to_the_end() {
    // A TCP server that restarts, and a port that gets another number behind the same name.
    for is_tcp in [true, false] {
        let place = Workplace::new(&[("lamp.dot", LAMP)]);
        let start = |listen: &str, others: &[&str]| {
            let listen = if is_tcp { &["--listen", listen][..] } else { &[] };
            let all = [&["lamp.dot", "--delay", "2ms"], listen, others].concat();
            SimulatedPort::start(&place, &all)
        };
        let name = place.path("port");
        let link = |device: &SimulatedPort| {
            std::os::unix::fs::symlink(&device.port, &name).expect("a link");
        };
        let device = start("0", &["--write-device", "lamp.toml"]);
        link(&device);
        let address = device.port.trim_start_matches("tcp:").to_owned();
        let path = name.to_string_lossy().into_owned();
        let port = if is_tcp { device.port.clone() } else { path };
        // Remove the name first: another pseudo-terminal may soon have the same number.
        let go = || {
            std::fs::remove_file(&name).expect("a link");
            drop(device);
        };
        let again = || {
            let device = start(&address, &[]);
            link(&device);
            Some(device)
        };
        let options = ["--tests-in-a-row", "50", "--absence", "60s"];
        let (code, said) = learn_while_it_goes(&place, &port, &options, go, again);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("waiting up to 60 s for it to come back"), "{said}");
        assert!(said.contains("\nthe device is back\n"), "{said}");
        assert_eq!(place.statistics("run")["converged"], true);
        assert_eq!(place.statistics("run")["states"], 3);
    }
}

#[test]
fn a_device_that_does_not_come_back_ends_the_run_and_all_is_kept() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let arguments = ["lamp.dot", "--delay", "2ms", "--listen", "0", "--write-device", "lamp.toml"];
    let device = SimulatedPort::start(&place, &arguments);
    let port = device.port.clone();
    let options = ["--absence", "200ms"];
    let (code, said) = learn_while_it_goes(&place, &port, &options, || drop(device), || None);
    assert_eq!(code, Some(5), "{said}");
    assert!(said.contains("the device is not back: nothing listens at 127.0.0.1:"), "{said}");
    // The last line of help is that of the server: there is no cable here.
    assert!(said.contains("does the server run") && !said.contains("cable"), "{said}");
    assert!(said.contains("go on with: mealybug learn --resume run"), "{said}");
    assert_eq!(place.statistics("run")["why"], "device-failed");
    assert!(place.path("run/model.dot").exists());
}

#[test]
fn boards_that_are_all_away_are_waited_for_until_the_time_is_over() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let listens = ["lamp.dot", "--delay", "2ms", "--listen", "0"];
    let writes = [&listens[..], &["--write-device", "lamp.toml"]].concat();
    let devices = [&listens[..], &writes].map(|arguments| SimulatedPort::start(&place, arguments));
    let [port, other] = devices.each_ref().map(|device| device.port.clone());
    let options = ["--port", &other, "--absence", "10min", "--max-time", "3s"];
    let (code, said) = learn_while_it_goes(&place, &port, &options, || drop(devices), || None);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("waiting up to 600 s for it to come back"), "{said}");
    assert_eq!(place.statistics("run")["why"], "time");
}

#[test]
fn names_beyond_ascii_pass_a_port_as_they_are() {
    const WARM: &str = "digraph { a -> b [label=\"wärmer / 25 °C\"]; b -> a [label=\"wärmer / \
                        λ\"]; }";
    let place = Workplace::new(&[("warm.dot", WARM)]);
    let device = SimulatedPort::start(&place, &["warm.dot", "--write-device", "warm.toml"]);
    let arguments = ["learn", "--port", &device.port, "warm.toml", "--out", "port"];
    place.call(&[&arguments[..], &["--tests-in-a-row", "10"]].concat()).ended(0);
    place.call(&["learn", "--model", "warm.dot", "--out", "model"]).ended(0);
    assert_eq!(place.files("port")["model.dot"], place.files("model")["model.dot"]);
}

#[test]
fn the_same_seed_gives_the_same_faults_to_the_same_questions() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let mut logs = Vec::new();
    for (seed, log) in [("1", "a"), ("1", "b"), ("2", "c")] {
        let arguments = ["lamp.dot", "--adapter", "--fault", "wrong:0.2", "--fault", "reboot:0.1"];
        let mut command = place.command(&["simulate"]);
        command.args(arguments).args(["--delay", "1ms..2ms", "--seed", seed, "--log", log]);
        let (input, output) = (Stdio::piped(), Stdio::piped());
        let mut child = command.stdin(input).stdout(output).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let questions = "reset\n".to_owned() + &"step press\nstep hold\n".repeat(50);
        std::io::Write::write_all(&mut stdin, questions.as_bytes()).expect("it reads");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        for _ in questions.lines() {
            answers.next().expect("an answer").expect("a line");
        }
        drop(stdin);
        assert!(child.wait().expect("it ends with its input").success());
        logs.push(std::fs::read_to_string(place.path(log)).expect("a log"));
    }
    assert_eq!(logs[0].lines().count(), 101);
    assert_eq!(logs[0], logs[1]);
    assert_ne!(logs[0], logs[2]);
}

#[test]
fn an_adapter_that_is_none_is_told_of_before_there_is_a_folder() {
    let place = Workplace::new(&[]);
    let called = place.call(&["learn", "--adapter", "no_such_adapter"]).ended(5);
    called.complains(&[
        "the adapter ended at `inputs`: exit status: 127",
        "try it by hand: `no_such_adapter`",
    ]);
    let called = place.call(&["learn", "--adapter", "read x; echo a; read x; echo what"]);
    called.ended(5).complains(&[
        "the adapter answered `reset` by `what`, and not by `ok`",
        "what is for people belongs to standard error",
    ]);
    place.call(&["learn", "--adapter", "x", "lock.toml"]).ended(2);
}

#[test]
fn an_adapter_that_breaks_down_once_is_started_again() {
    let place = Workplace::new(&[]);
    // A button of two states; its first life ends after 30 lines.
    let adapter = "n=0; while read -r word name; do \
        n=$((n+1)); [ $n = 30 ] && [ ! -e broken ] && { : > broken; exit 9; }; \
        case $word in inputs) echo press;; reset) on=0; echo ok;; \
        step) on=$((1-on)); echo $on;; esac; done";
    let arguments = ["learn", "--adapter", adapter, "--tests-in-a-row", "20", "--out", "run"];
    let called = place.call(&arguments).ended(0);
    called.complains(&["the adapter ended at `", "exit status: 9"]);
    assert_eq!(place.statistics("run")["states"], 2);
}

/// A lamp as a shell program, which fails at 2 % of the steps, here and there.
const FLAKY: &str = r#"s=1
while read -r word name; do
    s=$(( (s * 1103515245 + 12345) % 2147483648 ))
    case $word in
    inputs) echo press look;;
    reset) on=0; echo ok;;
    step)
        if [ $((s / 65536 % 50)) = 0 ]; then echo error lost; continue; fi
        if [ "$name" = press ]; then on=$((1 - on)); fi
        echo "$on";;
    esac
done"#;

#[test]
fn an_adapter_that_fails_here_and_there_is_learned_to_the_end() {
    let place = Workplace::new(&[("flaky.sh", FLAKY)]);
    let arguments =
        ["learn", "--adapter", "sh flaky.sh", "--tests-in-a-row", "300", "--out", "run"];
    place.call(&arguments).ended(0);
    let statistics = place.statistics("run");
    assert_eq!((&statistics["states"], &statistics["converged"]), (&2.into(), &true.into()));
    assert!(statistics["retries"].as_u64().is_some_and(|retries| retries > 50), "{statistics}");
}

/// After one of its inputs the next reset fails, each time; the one after that works.
#[test]
fn a_reset_that_fails_after_one_input_for_ever_ends_the_run() {
    let adapter = "while read line; do case $line in inputs) echo a b;; \
                   reset) if [ \"$last\" = b ]; then last=; echo error stuck; else echo ok; fi;; \
                   step*) last=${line#step }; echo x;; esac; done";
    let place = Workplace::new(&[]);
    let called = place.call(&["learn", "--adapter", adapter, "--out", "run"]).ended(5);
    called.complains(&["the run ended early, at a reset", "stuck"]);
}
