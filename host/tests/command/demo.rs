//! The demo, and models behind a pseudo-terminal.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::workplace::{LAMP, Workplace};

#[test]
fn the_demo_learns_its_lock_with_nothing_there() {
    let place = Workplace::new(&[]);
    let called = place.call(&["demo"]).ended(0);
    for said in ["/dev/pts/", "light on > 3", "Converged", "The model has 28 states", "model.dot"] {
        assert!(called.stdout.contains(said), "`{said}` is not in:\n{}", called.stdout);
    }
    assert!(called.stdout.lines().all(|line| line.chars().count() <= 80), "{}", called.stdout);
    let statistics = place.statistics("mealybug-runs/demo-1");
    assert_eq!(statistics["converged"], true);
    leads_on(&place, &called.stdout);
    let confidence = &statistics["confidence"];
    assert_eq!(confidence["tried"]["of_transitions"], 28 * 5);
    assert_eq!(confidence["tried"]["transitions"], 28 * 5);
    assert!(called.stdout.contains("\n100 % of transitions, "), "{}", called.stdout);
    assert!(confidence["chance"].as_f64().is_some_and(|chance| chance <= 0.05), "{confidence}");
}

/// What the demo says to do next works, in this order.
fn leads_on(place: &Workplace, said: &str) {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let lines = said.lines().filter_map(|line| line.strip_prefix("  mealybug "));
    let lines: Vec<_> =
        lines.map(|line| line.replace("127.0.0.1:4707", &free.to_string())).collect();
    let commands: Vec<Vec<_>> = lines.iter().map(|line| line.split(' ').collect()).collect();
    let [simulate, try_out, check, init] = &commands[..] else { panic!("{said}") };
    let mut simulator = place.command(simulate);
    let mut simulator = simulator.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut played = BufReader::new(simulator.stdout.take().expect("a pipe")).lines();
    let port = played.next().expect("the port").expect("a line");
    for (command, answer) in [(try_out, "= opened"), (check, "Nothing is wrong")] {
        let called = place.call(&[&command[..], &["--port", &port]].concat()).ended(0);
        assert!(called.stdout.contains(answer), "{}", called.stdout);
    }
    // Nobody is there to answer its questions.
    assert!(place.call(init).ended(2).stderr.contains("there is nobody to ask"));
    kill_process(Pid::from_child(&simulator), Signal::INT).expect("it is there");
    assert!(simulator.wait().expect("it ends").success());
}

#[test]
fn tests_end_when_the_result_is_as_sure_as_it_must_be() {
    let place = Workplace::new(&[]);
    let called = place.call(&["demo", "--confidence", "75%"]).ended(0);
    assert!(
        called
            .stdout
            .contains("About 1 in 4 models like this one still hides something.\nConverged: ")
    );
    let statistics = place.statistics("mealybug-runs/demo-1");
    let chance = statistics["confidence"]["chance"].as_f64().expect("a number");
    assert!((0.24..=0.25).contains(&chance), "{chance}");
    assert!(statistics["tests_passed"].as_u64().is_some_and(|tests| (20..300).contains(&tests)));
}

#[test]
fn a_demo_that_is_refused_or_ends_early_says_what_is_so() {
    let place = Workplace::new(&[("words.txt", "1 2 entre\n")]);
    let called = place.call(&["demo", "--out", "run", "--words", "words.txt"]).ended(2);
    called.complains(&["there is no input `entre`"]);
    assert!(called.stdout.is_empty() && !place.path("run").exists(), "{}", called.stdout);
    // It keeps no options, so it cannot go on.
    let called = place.call(&["demo", "--out", "run", "--max-symbols", "20"]).ended(3);
    assert!(!called.stdout.contains("--resume"), "{}", called.stdout);
}

#[test]
fn a_simulated_model_is_learned_through_its_port() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let mut simulate = place.command(&["simulate", "lamp.dot", "--write-device", "lamp.toml"]);
    let mut simulator = simulate.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(simulator.stdout.take().expect("a pipe")).lines();
    let port = lines.next().expect("the port").expect("a line");
    for out in ["one", "two"] {
        place
            .call(&["learn", "--port", &port, "lamp.toml", "--out", out, "--tests-in-a-row", "100"])
            .ended(0);
        assert_eq!(place.statistics(out)["states"], 3);
    }
    place.call(&["learn", "--model", "lamp.dot", "--out", "in-process"]).ended(0);
    assert_eq!(place.files("one")["model.dot"], place.files("in-process")["model.dot"]);
    kill_process(Pid::from_child(&simulator), Signal::INT).expect("it is there");
    assert!(simulator.wait().expect("it ends").success());
}
