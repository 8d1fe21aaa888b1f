//! A golden model against a device.

use std::time::Duration;

use super::device::{DEVICE_FILE, LineDevice, LineReaction};
use super::workplace::{LAMP, Workplace};

/// The behaviour of [`LineDevice::lamp`].
const GOLDEN: &str = r#"digraph lamp {
  off -> on [label="press / on"];
  on -> off [label="press / off"];
  off -> off [label="hold / off"];
  on -> on [label="hold / on"];
}
"#;

#[test]
fn a_device_that_does_what_its_model_says_passes() {
    let place = Workplace::new(&[("golden.dot", GOLDEN), ("lamp.toml", DEVICE_FILE)]);
    let mut lamp = LineDevice::lamp();
    let device = LineDevice::start(move |line, _| LineReaction::Say(lamp(line)));
    let arguments = ["test", "golden.dot", "--port", &device.port, "lamp.toml"];
    let report = ["--tests-in-a-row", "50", "--junit", "report.xml"];
    let called = place.call(&[&arguments[..], &report].concat()).ended(0);
    let said = "The device does what the model says: 50 tests, 50 resets, ";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    assert!(called.stdout.contains("4 of the 4 transitions of the model (2 states) were taken"));
    let report = std::fs::read_to_string(place.path("report.xml")).expect("a file");
    let report = roxmltree::Document::parse(&report).expect("XML");
    let suite = report.descendants().find(|node| node.has_tag_name("testsuite")).expect("one");
    let attributes = ["name", "tests", "failures", "errors", "skipped"].map(|a| suite.attribute(a));
    assert_eq!(attributes, ["golden", "2", "0", "0", "0"].map(Some));
    let cases = report.descendants().filter(|node| node.has_tag_name("testcase"));
    let cases: Vec<_> = cases.collect();
    let names: Vec<_> = cases.iter().filter_map(|case| case.attribute("name")).collect();
    assert_eq!(names, ["from a reset", "after press"]);
    // Each state takes some of the time, and both together no more than all.
    let seconds = |node: &roxmltree::Node<'_, '_>| {
        node.attribute("time").and_then(|time| time.parse::<f64>().ok()).expect("seconds")
    };
    let times: Vec<_> = cases.iter().map(seconds).collect();
    assert!(times.iter().all(|&time| time > 0.0), "{times:?}");
    assert!(times.iter().sum::<f64>() <= seconds(&suite) + 0.002, "{times:?}, {suite:?}");
    let began = suite.attribute("timestamp").expect("when it began");
    let began = humantime::parse_rfc3339_weak(began.split('.').next().unwrap_or_default());
    let age = began.expect("a time stamp").elapsed().expect("it is past");
    assert!(age < Duration::from_secs(600), "{age:?}");
}

#[test]
fn a_device_that_departs_from_its_model_is_shown_the_shortest_word() {
    let place = Workplace::new(&[("golden.dot", GOLDEN), ("lamp.toml", DEVICE_FILE)]);
    // After the third press the lamp no longer goes off.
    let mut presses = 0;
    let device = LineDevice::start(move |line, _| {
        match line {
            "reset" => presses = 0,
            "press" => presses += 1,
            _ => {}
        }
        LineReaction::Say(match (line, presses) {
            ("reset", _) => "ready\n",
            (_, presses) if presses % 2 == 1 || presses > 3 => "on\n",
            _ => "off\n",
        })
    });
    let arguments = ["test", "golden.dot", "--port", &device.port, "lamp.toml"];
    let called = place.call(&[&arguments[..], &["--junit", "report.xml"]].concat()).ended(1);
    let said = "DIFFERENT after a reset and `press press press press`:\n  the model says   off\n  \
                the device says  on\n";
    assert!(called.stdout.contains(said), "{}", called.stdout);
    assert!(called.stdout.contains("The device DIFFERS from the model"), "{}", called.stdout);
    let report = std::fs::read_to_string(place.path("report.xml")).expect("a file");
    let report = roxmltree::Document::parse(&report).expect("XML");
    let failure = report.descendants().find(|node| node.has_tag_name("failure")).expect("one");
    let message = failure.attribute("message").expect("it says what");
    assert_eq!(message, "`press` was answered `on` instead of `off`");
    assert_eq!(failure.parent().and_then(|case| case.attribute("name")), Some("after press"));
}

/// A build server shows the report that is there: that of an earlier run must not stay.
#[test]
fn a_report_says_why_nothing_could_be_tested() {
    let place = Workplace::new(&[("golden.dot", GOLDEN), ("lamp.toml", DEVICE_FILE)]);
    for (model, end, why) in [
        ("golden.dot", 5, "no-such-port"),
        ("none.dot", 1, "none.dot"),
        ("other.dot", 2, "an input `shake`"),
    ] {
        std::fs::write(place.path("other.dot"), GOLDEN.replace("hold", "shake")).expect("a file");
        std::fs::write(place.path("report.xml"), "of an earlier run").expect("a file");
        let other = ["test", "other.dot", "--model", "golden.dot", "--junit", "report.xml"];
        let port =
            ["test", model, "--port", "/dev/no-such-port", "lamp.toml", "--junit", "report.xml"];
        place.call(if model == "other.dot" { &other } else { &port }).ended(end);
        let report = std::fs::read_to_string(place.path("report.xml")).expect("a file");
        let report = roxmltree::Document::parse(&report).expect("XML");
        let suite = report.descendants().find(|node| node.has_tag_name("testsuite")).expect("one");
        assert_eq!(["tests", "errors"].map(|a| suite.attribute(a)), [Some("1"); 2]);
        let error = report.descendants().find(|node| node.has_tag_name("error")).expect("one");
        assert!(error.text().expect("it says why").contains(why), "{error:?}");
    }
}

#[test]
fn a_device_that_goes_away_is_waited_for() {
    let place = Workplace::new(&[("golden.dot", GOLDEN), ("lamp.toml", DEVICE_FILE)]);
    let _device = LineDevice::lamp_that_disappears(&place.path("port"));
    let arguments = ["test", "golden.dot", "--port", "port", "lamp.toml", "--absence", "300ms"];
    let called = place.call(&arguments).ended(5);
    called.complains(&["waiting up to 0.3 s for it to come back", "the tests ended early"]);
}

#[test]
fn models_and_limits_that_do_not_fit_are_told_of() {
    let place =
        Workplace::new(&[("golden.dot", GOLDEN), ("lamp.dot", LAMP), ("lamp.toml", DEVICE_FILE)]);
    let called = place.call(&["test", "lamp.dot", "--model", "golden.dot"]).ended(1);
    assert!(called.stdout.contains("DIFFERENT after a reset and"), "{}", called.stdout);
    let called =
        place.call(&["test", "lamp.dot", "--model", "golden.dot", "--keep-going"]).ended(1);
    assert!(called.stdout.matches("DIFFERENT after").count() > 1, "{}", called.stdout);
    let called = place.call(&["test", "lamp.dot", "--model", "lamp.dot", "--max-symbols", "20"]);
    let called = called.ended(3);
    assert!(called.stdout.contains("NOT all tests were asked"), "{}", called.stdout);
    let learn = ["learn", "--model", "golden.dot", "--max-symbols", "8", "--out", "run"];
    place.call(&learn).ended(3);
    let called = place.call(&["test", "run", "--model", "golden.dot"]).ended(0);
    let note = "Note: the run that made the model did not converge: where the device differs, the model may be wrong.";
    assert!(called.stdout.contains(note), "{}", called.stdout);
    let other = GOLDEN.replace("hold", "shake");
    std::fs::write(place.path("other.dot"), other).expect("a file");
    let called = place.call(&["test", "other.dot", "--model", "golden.dot"]).ended(2);
    called.complains(&["the model has an input `shake`, which the device does not have"]);
}

#[test]
fn the_suites_of_components_are_asked_whole() {
    let place = Workplace::new(&[("golden.dot", GOLDEN)]);
    let other = GOLDEN.replace("on -> on [label=\"hold / on\"]", "on -> off [label=\"hold / on\"]");
    std::fs::write(place.path("other.dot"), other).expect("a file");
    for tests in ["components:0", "components:1"] {
        let arguments = ["test", "golden.dot", "--tests", tests, "--model"];
        let called = place.call(&[&arguments[..], &["golden.dot"]].concat()).ended(0);
        assert!(called.stdout.contains("The device does what the model says"), "{}", called.stdout);
        assert!(called.stdout.contains("4 of the 4 transitions"), "{}", called.stdout);
        let called = place.call(&[&arguments[..], &["other.dot"]].concat()).ended(1);
        assert!(called.stdout.contains("DIFFERENT after a reset and `press"), "{}", called.stdout);
    }
    let called = place.call(&["test", "golden.dot", "--tests", "model", "--model", "golden.dot"]);
    called
        .ended(2)
        .complains(&["one of mixture, random-wp, random-words, w:K, wp:K, components:K"]);
}

#[test]
fn programs_hear_of_all_that_happens() {
    let place = Workplace::new(&[("golden.dot", GOLDEN), ("lamp.dot", LAMP)]);
    let called = place.call(&["test", "lamp.dot", "--model", "golden.dot", "--json"]).ended(1);
    let events = called.events();
    let names: Vec<_> = events.iter().map(|event| event["event"].as_str()).collect();
    assert_eq!(names, ["start", "difference", "end"].map(Some));
    assert_eq!(events[0]["format"], 1);
    assert_eq!(events[0]["inputs"], serde_json::json!(["press", "hold"]));
    assert!(events[1]["word"].as_array().is_some_and(|word| !word.is_empty()), "{}", events[1]);
    assert_eq!((&events[2]["passed"], &events[2]["differences"]), (&false.into(), &1.into()));
    let called = place.call(&["test", "lamp.dot", "--model", "lamp.dot", "--quiet"]).ended(0);
    assert_eq!((called.stdout.as_str(), called.stderr.as_str()), ("", ""));
}
