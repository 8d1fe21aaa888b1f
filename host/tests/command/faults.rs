//! Devices that fail, each in its own way.

use std::time::{Duration, Instant};

use super::device::{DEVICE_FILE, LineDevice, LineReaction, interrupt};
use super::workplace::{Called, Workplace};
use mealybug::serial::SerialLink;

fn workplace() -> Workplace {
    Workplace::new(&[("lamp.toml", DEVICE_FILE)])
}

#[test]
fn a_good_device_is_learned_and_its_time_is_measured() {
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, _| LineReaction::Say(lamp(line)));
    let place = workplace();
    let port = &device.port;
    let called = place.call(&["learn", "--port", port, "lamp.toml", "--out", "run"]).ended(0);
    assert!(called.stdout.contains(" random tests in a row found no"), "{}", called.stdout);
    let statistics = place.statistics("run");
    assert_eq!(statistics["states"], 2);
    assert_eq!(statistics["why"], "tests-passed");
    let serial = &statistics["serial"];
    assert_eq!(serial["late_bytes"], 0);
    assert_eq!(serial["inputs"][1]["name"], "hold");
    let counted: u64 =
        [0, 1].map(|i| serial["inputs"][i]["count"].as_u64().expect("a count")).iter().sum();
    assert_eq!(statistics["device"]["symbols"], counted);
    assert_eq!(statistics["device"]["resets"], serial["resets"][0]["count"]);
}

#[test]
fn a_run_is_not_sure_of_a_device_that_answered_once_and_never_again() {
    let mut lamp = LineDevice::lamp();
    let (mut is_spent, mut is_lit) = (false, false);
    let device = LineDevice::start(move |line, _| {
        let answer = lamp(line);
        let was_lit = is_lit;
        is_lit = line == "press" && !was_lit;
        match line {
            "hold" if was_lit && !std::mem::replace(&mut is_spent, true) => {
                LineReaction::Say("safe\n")
            }
            "hold" if was_lit => LineReaction::Say("BANG\n"),
            _ => LineReaction::Say(answer),
        }
    });
    let place = workplace();
    let learn = ["learn", "--port", &device.port, "lamp.toml", "--out", "run"];
    let called = place.call(&learn).ended(0);
    for said in [
        "Note: the word `press hold` ended with `safe` the first time and with `BANG` ",
        "by a new connection (`{ reconnect = true }`)",
        "Not sure: ",
        "but the reset may not clear everything.",
    ] {
        assert!(called.stdout.contains(said), "`{said}` is not in:\n{}", called.stdout);
    }
    assert!(!called.stdout.contains("Converged"), "{}", called.stdout);
    assert_eq!(place.statistics("run")["gone_answers"], 1);
    let report = std::fs::read_to_string(place.path("run/report.html")).expect("a report");
    assert!(report.contains("<strong>Not sure:</strong>"), "{report}");
    // Where the user says that answers are wrong at times, that is no sign of anything.
    let noisy = format!("noise = 0.01\n{DEVICE_FILE}");
    std::fs::write(place.path("lamp.toml"), noisy).expect("a file");
    let learn = ["learn", "--resume", "run", "--device", "lamp.toml"];
    let called = place.call(&learn).ended(0);
    assert!(called.stdout.contains("\nConverged: "), "{}", called.stdout);
}

#[test]
fn a_run_is_not_sure_of_a_text_that_comes_by_itself() {
    let mut is_up = false;
    let device = LineDevice::start(move |line, _| {
        let was_up = is_up;
        is_up = line == "press" || was_up && line != "reset";
        match line {
            "reset" => LineReaction::Say("ready\n"),
            "press" if !was_up => LineReaction::SayLate("starting\n", "up\n", 100),
            _ => LineReaction::Say(if was_up { "program\n" } else { "loader\n" }),
        }
    });
    let place = workplace();
    let learn = ["learn", "--port", &device.port, "lamp.toml", "--out", "run"];
    let called = place.call(&[&learn[..], &["--tests-in-a-row", "20"]].concat()).ended(0);
    for said in [
        r"Note: after `press`, the device says `up\n` about ",
        "makes it a part of its own output",
        "Not sure: ",
        "but the device says by itself what the model shows as an answer.",
    ] {
        assert!(called.stdout.contains(said), "`{said}` is not in:\n{}", called.stdout);
    }
    let statistics = place.statistics("run");
    assert_eq!((&statistics["states"], &statistics["late_words"]), (&3.into(), &1.into()));
    let asked = statistics["device"]["resets"].as_u64();
    assert_eq!(asked, statistics["serial"]["resets"][0]["count"].as_u64(), "listening counts");
    // A session that knows all answers asks nothing, and does not forget it; nor does one that ends before it listens.
    for (more, status) in
        [(&[][..], 0), (&["--tests-in-a-row", "9000", "--max-time", "1s"], 3), (&[], 3)]
    {
        place.call(&[&["learn", "--resume", "run"], more].concat()).ended(status);
        assert_eq!(place.statistics("run")["late_words"], 1);
    }
    // Nor does one that knows enough and cannot listen, since the device is dead.
    let dead = LineDevice::start(|_, _| LineReaction::Nothing);
    let more = ["--port", &dead.port, "--tests-in-a-row", "20"];
    place.call(&[&["learn", "--resume", "run"], &more[..]].concat()).ended(0);
    assert_eq!(place.statistics("run")["late_words"], 1);
}

#[test]
fn a_run_is_not_sure_of_answers_that_pauses_change() {
    // The lamp goes off by itself, later than the run asks on. It answers slowly: pauses take no longer than the run.
    let mut lit: Option<Instant> = None;
    let device = LineDevice::start(move |line, _| {
        std::thread::sleep(Duration::from_millis(10));
        let is_lit = lit.is_some_and(|since| since.elapsed() < Duration::from_millis(900));
        match line {
            "press" => lit = Some(Instant::now()).filter(|_| !is_lit),
            "reset" => lit = None,
            _ => {}
        }
        LineReaction::Say(match line {
            "reset" => "ready\n",
            "press" => "ok\n",
            _ if is_lit => "lit\n",
            _ => "dark\n",
        })
    });
    let place = workplace();
    let learn = ["learn", "--port", &device.port, "lamp.toml", "--out", "run"];
    let called = place.call(&[&learn[..], &["--tests-in-a-row", "30"]].concat()).ended(0);
    for said in [
        "Note: the last input of `press hold` is answered `lit`, but `dark` when nothing is sent for 1 s",
        "Not sure: ",
        "but pauses change its answers.",
    ] {
        assert!(called.stdout.contains(said), "`{said}` is not in:\n{}", called.stdout);
    }
    let statistics = place.statistics("run");
    assert_eq!(statistics["refuting_words"][0]["word"], "press hold");
    let asked = statistics["device"]["resets"].as_u64();
    assert_eq!(asked, statistics["serial"]["resets"][0]["count"].as_u64(), "pauses count");
    // A session that knows all answers looks again.
    let called = place.call(&["learn", "--resume", "run"]).ended(0);
    assert!(called.stdout.contains("Note: the last input of `press hold`"), "{}", called.stdout);
    // And one that cannot look forgets nothing.
    let dead = LineDevice::start(|_, _| LineReaction::Nothing);
    place.call(&["learn", "--resume", "run", "--port", &dead.port]).ended(0);
    assert_eq!(place.statistics("run")["refuting_words"][0]["word"], "press hold");
}

#[test]
fn a_run_that_ends_with_a_refuted_model_names_a_word() {
    // The sixth `hold` in a row is answered otherwise. A test finds that before the symbols are used up, and no hypothesis after it.
    let mut held = 0;
    let device = LineDevice::start(move |line, _| {
        held = if line == "hold" { held + 1 } else { 0 };
        LineReaction::Say(match (line, held) {
            ("reset", _) => "ready\n",
            ("hold", 6) => "hot\n",
            _ => "ok\n",
        })
    });
    let place = workplace();
    let learn =
        ["learn", "--port", &device.port, "lamp.toml", "--out", "run", "--max-symbols", "100"];
    let called = place.call(&learn).ended(3);
    let said = "An answer contradicts the model: the last input of `hold hold hold hold hold hold` is answered `hot`, and the model says `ok`.";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    assert_eq!(place.statistics("run")["refuted_by"]["device"], "hot");
    let report = std::fs::read_to_string(place.path("run/report.html")).expect("a report");
    assert!(report.contains("is answered `hot`, and the model says `ok`."), "{report}");
}

#[test]
fn a_device_that_answers_nothing_ends_the_run() {
    // It says that it is back from a reset; `press` is not what it understands.
    let device = LineDevice::start(|line, _| match line {
        "reset" => LineReaction::Say("ready\n"),
        _ => LineReaction::Nothing,
    });
    let file = DEVICE_FILE.replace("within_ms = 500", "within_ms = 5");
    let place = Workplace::new(&[("lamp.toml", &file)]);
    let called = place.call(&["learn", "--port", &device.port, "lamp.toml", "--out", "run"]);
    let called = called.ended(5);
    for said in [
        "inputs was answered, so there is nothing to learn",
        "help: Resets are answered: do the inputs end as the device wants it",
    ] {
        assert!(called.stderr.contains(said), "`{said}` is not in:\n{}", called.stderr);
    }
    assert!(!called.stdout.contains("Note: "), "the error says it: {}", called.stdout);
    let asked = place.statistics("run")["device"]["symbols"].as_u64().expect("a count");
    assert!((200..1000).contains(&asked), "{asked}");
}

#[test]
fn a_model_with_one_state_gets_a_note() {
    let note = "Note: each input has one answer, whatever was sent before it.";
    for refuses in [true, false] {
        let mut lamp = LineDevice::lamp();
        let device = LineDevice::start(move |line, _| match line {
            "press" | "hold" if refuses => LineReaction::Say("ERR\n"),
            line => LineReaction::Say(lamp(line)),
        });
        let place = workplace();
        let learn = ["learn", "--port", &device.port, "lamp.toml", "--tests-in-a-row", "20"];
        let called = place.call(&learn).ended(0);
        assert_eq!(called.stdout.contains(note), refuses, "{}", called.stdout);
    }
}

#[test]
fn a_device_that_contradicts_itself_ends_the_run() {
    let mut lamp = LineDevice::lamp();
    // After line 60, a reset leads to the wrong state.
    let device = LineDevice::start(move |line, number| {
        let answer = lamp(line);
        if line == "reset" && number > 60 {
            lamp("press");
        }
        LineReaction::Say(answer)
    });
    let place = workplace();
    let port = &device.port;
    let called = place.call(&["learn", "--port", port, "lamp.toml", "--out", "run"]).ended(4);
    called.complains(&[
        "the device contradicts itself: it answered `o",
        "times and `o",
        "times, at the input `",
        "after a reset",
        "does each [[reset]] really bring it to the same state",
        "What was learned so far is in run",
    ]);
    assert!(called.stdout.contains("NOT converged: the device contradicted itself"));
    assert!(called.stdout.contains("learn --resume run --device BETTER.toml"), "{}", called.stdout);
    let statistics = place.statistics("run");
    assert_eq!(statistics["converged"], false);
    assert_eq!(statistics["why"], "contradiction");
    assert!(place.path("run/model.dot").exists(), "what was learned is there");
}

#[test]
fn a_device_that_falls_silent_ends_the_run() {
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, number| match line {
        "press" | "hold" if number > 60 => LineReaction::Nothing,
        _ => LineReaction::Say(lamp(line)),
    });
    let place = workplace();
    let port = &device.port;
    let called = place.call(&["learn", "--port", port, "lamp.toml", "--out", "run"]).ended(4);
    called.complains(&[
        "the device contradicts itself: it answered `",
        "`(silence)` 4 times",
        "at the input `",
        "is it still on and connected?",
        "raise `within_ms`",
        "What was learned so far is in run",
    ]);
    assert_eq!(place.statistics("run")["why"], "contradiction");
}

#[test]
fn a_device_that_does_not_come_back_from_a_reset_ends_the_run() {
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, number| match line {
        _ if number > 60 => LineReaction::Nothing,
        _ => LineReaction::Say(lamp(line)),
    });
    let place = workplace();
    let port = &device.port;
    let called = place.call(&["learn", "--port", port, "lamp.toml", "--out", "run"]);
    // The error depends on which line is the first without an answer.
    let silent = called.stderr.contains("contradicts itself");
    called.ended(if silent { 4 } else { 5 }).complains(&[if silent {
        "`(silence)`"
    } else {
        "did not come back from a reset"
    }]);
    assert_eq!(place.statistics("run")["converged"], false);
}

#[test]
fn a_device_that_never_answers_is_told_of_before_anything_is_learned() {
    let device = LineDevice::start(|_, _| LineReaction::Nothing);
    let place = workplace();
    let port = &device.port;
    let called = place.call(&["learn", "--port", port, "lamp.toml", "--out", "run"]).ended(5);
    called.complains(&[
        "the run ended early, at a reset",
        "Nothing was learned yet",
        "the device did not come back from a reset",
        "[[reset]] 1:",
        "`mealybug try` takes the steps of [[reset]]",
    ]);
    let statistics = place.statistics("run");
    assert_eq!(statistics["why"], "device-failed");
    assert!(statistics["states"].is_null());
    assert!(!place.path("run/model.dot").exists());
}

#[test]
fn a_device_that_disappears_ends_the_run() {
    let place = workplace();
    let _device = LineDevice::lamp_that_disappears(&place.path("port"));
    let arguments = ["learn", "--port", "port", "lamp.toml", "--out", "run", "--absence", "1s"];
    let called = place.call(&arguments).ended(5);
    called.complains(&[
        "the device disappeared while",
        "waiting up to 1 s for it to come back",
        "the run ended early",
        "the device is not back: there is no port port",
        "When the device is back, go on with: mealybug learn --resume run",
        "is the device plugged in and on?",
    ]);
    assert!(!called.stdout.contains("If the device file is the cause"), "{}", called.stdout);
    assert_eq!(place.statistics("run")["why"], "device-failed");
    assert!(place.path("run/components").exists());
}

#[test]
fn ctrl_c_does_not_wait_for_a_device_that_thinks_for_long() {
    let (place, _) = interrupt(&["learn", "--out", "run"], 60);
    assert_eq!(place.statistics("run")["why"], "interrupted");
    assert!(place.path("run/model.dot").exists(), "what was learned is there");
}

#[test]
fn a_word_that_failed_is_asked_again() {
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, number| {
        // Once, the lamp says more than it should.
        match lamp(line) {
            "on\n" if (60..80).contains(&number) => {
                lamp("reset");
                LineReaction::Say("on\non\n")
            }
            answer => LineReaction::Say(answer),
        }
    });
    let place = workplace();
    let port = &device.port;
    let called = place.call(&["learn", "--port", port, "lamp.toml", "--out", "run"]);
    let statistics = place.statistics("run");
    let retries = statistics["retries"].as_u64().expect("a count");
    assert!(retries > 0, "{}", called.stderr);
    called.complains(&["had ended: ", "asking the word again (1 of "]);
}

#[test]
fn a_port_that_cannot_be_had_is_told_of_and_the_environment_may_name_it() {
    let place = workplace();
    let called = place.call(&["learn", "--port", "/dev/no-such-port", "lamp.toml"]).ended(5);
    called.complains(&["there is no port /dev/no-such-port", "is the device plugged in and on?"]);
    called.complains(&["cannot open /dev/no-such-port, which --port names"]);
    assert!(!place.path("mealybug-runs").exists(), "no run, no folder");
    let called = place.call(&["learn", "lamp.toml"]).ended(2);
    called.complains(&["nothing says at which serial port", "MEALYBUG_PORT"]);

    let with_path = format!("[port]\npath = \"/dev/in-file\"\n{DEVICE_FILE}");
    std::fs::write(place.path("with-path.toml"), with_path).expect("a file");
    for (variable, said) in [
        ("", "cannot open /dev/in-file, which `path` of the device file names"),
        ("/dev/other", "cannot open /dev/other, which MEALYBUG_PORT names"),
    ] {
        let mut command = place.command(&["learn", "--trust", "with-path.toml"]);
        let output = command.env("MEALYBUG_PORT", variable).output().expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr).replace("\n  │ ", " ");
        assert!(output.status.code() == Some(5) && told.contains(said), "{told}");
    }

    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, _| LineReaction::Say(lamp(line)));
    let mut command = place.command(&["learn", "lamp.toml", "--tests-in-a-row", "10"]);
    let output = command.env("MEALYBUG_PORT", &device.port).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(place.path("mealybug-runs/lamp-1/model.dot").exists());
}

/// Learns a device with this reaction; the command must fail with this code.
fn fails(
    file: &str,
    react: impl FnMut(&str, u32) -> LineReaction + Send + 'static,
    code: i32,
) -> (Workplace, Called) {
    let device = LineDevice::start(react);
    let place = Workplace::new(&[("lamp.toml", file)]);
    let called =
        place.call(&["learn", "--port", &device.port, "lamp.toml", "--out", "run"]).ended(code);
    assert_eq!(place.statistics("run")["converged"], false);
    (place, called)
}

#[test]
fn a_wrong_baud_rate_is_suspected_when_noise_comes() {
    // At another baud rate other bytes arrive, and none of them is a line end.
    let (_, called) = fails(DEVICE_FILE, |_, _| LineReaction::Say("\0\x18\x06\0\x1e\0\x06"), 5);
    called.complains(&["no match for `ready\\n$`", "are `baud` and `format` in [port] those of"]);
}

#[test]
fn a_reply_longer_than_the_limit_ends_the_run_with_both_ends_of_it() {
    let file = DEVICE_FILE.replace("lines = 1", "lines = 100\nmax_bytes = 200");
    let mut lamp = LineDevice::lamp();
    let (place, called) = fails(
        &file,
        move |line, _| match lamp(line) {
            "ready\n" => LineReaction::Say("ready\n"),
            _ => LineReaction::Say(concat!(
                "the beginning of a very long answer, of which nobody knows where it will end, ",
                "for it goes on and on, line after line, without any prompt or other sign, up to ",
                "the point where the limit of the device file is reached, and then a bit more\n"
            )),
        },
        5,
    );
    called.complains(&[
        "has no end: more than 200 bytes came, `the beginning of a very",
        "more bytes) …",
        "For a reply that is really so long, raise `max_bytes`",
        "asking the word again",
    ]);
    assert_eq!(place.statistics("run")["why"], "device-failed");
}

#[test]
fn a_reset_that_does_not_reset_ends_the_run() {
    let mut lamp = LineDevice::lamp();
    let react = move |line: &str, _| match line {
        "reset" => LineReaction::Say("ready\n"),
        _ => LineReaction::Say(lamp(line)),
    };
    let (_, called) = fails(DEVICE_FILE, react, 4);
    called.complains(&["does each [[reset]] really bring it to the same state"]);
}

#[test]
fn a_port_that_another_program_has_is_told_of() {
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, _| LineReaction::Say(lamp(line)));
    let settings = mealybug::device::PortSection::default();
    let _other = SerialLink::open(&device.port, &settings).expect("it is free");
    let place = workplace();
    let called = place.call(&["learn", "--port", &device.port, "lamp.toml"]).ended(5);
    called.complains(&["is in use by another program", "`fuser /dev/pts/"]);
    assert!(!place.path("mealybug-runs").exists(), "no run, no folder");
}
