//! Runs with several boards.

use std::process::Stdio;

use super::workplace::{CLOCK, Called, Simulated, Workplace, wait_for_length};

/// So many random tests in a row are enough here.
const ENOUGH: [&str; 2] = ["--tests-in-a-row", "100"];

/// The command with which an adapter plays a model.
fn play(model: &str) -> String {
    format!("{} simulate {model} --adapter", crate::PROGRAM)
}

/// Learns with an adapter into the folder `run`.
fn learn(place: &Workplace, adapter: &str, workers: &str, run: &str) -> Called {
    let arguments = ["learn", "--adapter", adapter, "--workers", workers, "--out", run];
    place.call(&[&arguments[..], &ENOUGH].concat())
}

#[test]
fn several_boards_ask_the_words_of_one_even_if_one_dies() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let good = play("clock.dot");
    learn(&place, &good, "1", "one").ended(0);
    // The second program ends after 40 requests, and cannot be started again.
    let dies = format!("[ ! -e dead ] && touch dead && sed -u 40q | {good}");
    let adapter = format!("if [ $MEALYBUG_WORKER = 2 ]; then {dies}; else {good}; fi");
    let called = learn(&place, &adapter, "3", "many").ended(0);
    called.complains(&["worker 2: the adapter ended", "worker 2 is left out", "; 2 of 3 boards"]);
    let [one, many] = ["one", "many"].map(|run| place.statistics(run));
    assert_eq!(many["device"], one["device"]);
    assert_eq!(many["learning"], one["learning"]);
    let boards = many["boards"].as_array().expect("a list");
    let name = |board: usize| boards[board]["name"].as_str();
    assert_eq!([0, 1, 2].map(name), [Some("worker 1"), Some("worker 2"), Some("worker 3")]);
    assert!(boards[1]["left_out"].as_str().is_some_and(|why| why.contains("exit status: 1")));
    assert!(boards[0]["left_out"].is_null() && boards[2]["left_out"].is_null());
    assert_eq!(one["boards"], serde_json::json!([]));
    assert!(called.stdout.contains("    worker 3 "), "{}", called.stdout);
    let [one, many] = ["one", "many"].map(|run| place.files(run));
    assert_eq!(one["model.dot"], many["model.dot"]);
    assert_eq!(one["transcript.txt"], many["transcript.txt"]);
    assert!(many["report.html"].contains("of 3 boards: worker 2"));
}

#[test]
fn boards_that_disagree_are_named() {
    let wrong = CLOCK.replace("3 -> 4 [label=\"go / tick\"]", "3 -> 4 [label=\"go / tack\"]");
    let place = Workplace::new(&[("clock.dot", CLOCK), ("wrong.dot", &wrong)]);
    let adapter = format!(
        "if [ $MEALYBUG_WORKER = 2 ]; then {}; else {}; fi",
        play("wrong.dot"),
        play("clock.dot")
    );
    let called = learn(&place, &adapter, "2", "run").ended(4);
    called.complains(&[
        "boards disagree, at the input `go` after a reset and 3 inputs: `go go go`: worker",
        "the boards contradict each other: worker 1 answered `tick`",
        "worker 2 answered `tack`",
        "do they all have the same firmware and the same wiring?",
    ]);
    let boards = &place.statistics("run")["boards"];
    assert!(boards[1]["disagreements"].as_u64() > Some(0), "{boards}");
}

#[test]
fn a_run_with_several_boards_that_is_killed_goes_on() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = |arguments: &[&str]| {
        Simulated::start(&place, &[&["clock.dot", "--delay", "1ms"], arguments].concat())
    };
    let (one, other) = (device(&["--write-device", "device.toml"]), device(&[]));
    let ports = ["--port", &one.port, "--port", &other.port];
    let start = [&["learn", "device.toml", "--out", "run"], &ports[..], &ENOUGH].concat();
    let mut command = place.command(&start);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_for_length(&place.path("run/answers.log"), 2000, &mut child);
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    place.call(&["learn", "--resume", "run"]).ended(0);
    let statistics = place.statistics("run");
    assert!(statistics["recalled"].as_u64() > Some(0), "{statistics}");
    let boards = statistics["boards"].as_array().expect("a list");
    let names: Vec<_> = boards.iter().map(|board| board["name"].as_str()).collect();
    assert_eq!(names, [Some(&*one.port), Some(&*other.port)]);
    assert!(boards.iter().all(|board| board["serial"].is_object()), "{boards:?}");
    let third = device(&[]);
    place.call(&["learn", "--resume", "run", "--port", &third.port]).ended(0);
    assert_eq!(place.statistics("run")["boards"], serde_json::json!([]));
    let single = ["learn", "device.toml", "--port", &third.port, "--out", "single"];
    place.call(&[&single[..], &ENOUGH].concat()).ended(0);
    let [run, single] = ["run", "single"].map(|run| place.files(run)["model.dot"].clone());
    assert_eq!(run, single);
}

#[test]
fn what_is_no_set_of_boards_is_told_of() {
    let lamp = super::workplace::LAMP;
    let place = Workplace::new(&[("clock.dot", CLOCK), ("lamp.dot", lamp), ("device.toml", "")]);
    let complains = |arguments: &[&str], parts: &[&str]| {
        place.call(arguments).ended(2).complains(parts);
    };
    complains(
        &["learn", "device.toml", "--workers", "2"],
        &["--workers is for --adapter only", "give --port several times"],
    );
    let adapter = format!(
        "if [ $MEALYBUG_WORKER = 2 ]; then {}; else {}; fi",
        play("lamp.dot"),
        play("clock.dot")
    );
    complains(
        &["learn", "--adapter", &adapter, "--workers", "2"],
        &["worker 2 has other inputs than worker 1"],
    );
    let device = Simulated::start(&place, &["clock.dot", "--write-device", "clock.toml"]);
    let port = ["--port", &device.port, "--port", &device.port];
    complains(
        &[&["try", "clock.toml", "go"], &port[..]].concat(),
        &["this command is for one board", "give --port once"],
    );
}
