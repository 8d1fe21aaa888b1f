//! `--like`: words from older models, and errors about them.

use std::process::Stdio;

use super::workplace::{CLOCK, LAMP, LOCK, SimulatedPort, Workplace, wait_for_length};

/// Another version of the lock, in which a wrong key beeps.
fn new_lock() -> String {
    LOCK.replace(r#"2 -> 0 [label="b / shut"]"#, r#"2 -> 2 [label="b / beep"]"#)
}

/// Few random words, which find nothing.
const HASTY: [&str; 4] = ["--tests", "random-words", "--tests-in-a-row", "1"];

#[test]
fn an_older_model_or_run_shows_what_tests_do_not_find() {
    let place = Workplace::new(&[("old.dot", LOCK), ("new.dot", &new_lock())]);
    let learn = |model: &str, out: &str, more: &[&str]| {
        let learn = ["learn", "--model", model, "--out", out];
        place.call(&[&learn[..], &HASTY, more].concat()).ended(0);
        place.statistics(out)
    };
    let alone = learn("new.dot", "alone", &[]);
    assert_eq!((&alone["equals_model"], &alone["advice"]), (&false.into(), &serde_json::json!([])));
    // The run of the old version, learned completely.
    let old = ["learn", "--model", "old.dot", "--out", "run", "--tests", "model"];
    place.call(&old).ended(0);
    for (number, like) in ["old.dot", "run", "run/result.postcard"].into_iter().enumerate() {
        for algorithm in ["ol-sharp", "l-sharp", "ol-star", "l-star"] {
            let out = format!("{algorithm}-{number}");
            let more = ["--like", like, "--algorithm", algorithm];
            let statistics = learn("new.dot", &out, &more);
            let advice = &statistics["advice"][0];
            assert_eq!(advice["model"], like);
            assert_eq!(advice["followed"], true, "{out}: {advice}");
            assert_ne!(advice["helped"], 0, "{out}: {advice}");
            assert_ne!(statistics["states"], 1, "{out}");
            let report = &place.files(&out)["report.html"];
            assert!(report.contains("of learning: on the advice of "), "{report}");
        }
    }
    let json = ["learn", "--model", "new.dot", "--like", "old.dot", "--json"];
    let called = place.call(&[&json[..], &HASTY].concat()).ended(0);
    let mut events = called.events().into_iter();
    let last = events.rfind(|event| event["event"] == "hypothesis").expect("there are some");
    assert_eq!(last["advice"]["followed"], true, "{last}");
    assert_ne!(last["advice"]["helped"], 0, "{last}");
    let text =
        place.call(&[&["learn", "--model", "new.dot", "--like", "old.dot"], &HASTY[..]].concat());
    assert!(text.ended(0).stdout.contains("  learning like old.dot: "));
}

#[test]
fn what_gives_no_advice_is_told_of() {
    let empty = "digraph { __start0 -> s0; }";
    let files = [("lock.dot", LOCK), ("nothing.dot", ""), ("empty.dot", empty), ("lamp.dot", LAMP)];
    let place = Workplace::new(&files);
    std::fs::create_dir(place.path("folder")).expect("a new one");
    let learn = ["learn", "--model", "lock.dot", "--out", "run", "--like"];
    for (older, said) in [
        ("none.dot", &["cannot read the model none.dot", "give a DOT file"][..]),
        ("nothing.dot", &["a machine, which begins with `digraph`", "nothing.dot:1:1"]),
        ("empty.dot", &["there is no transition in this file", "empty.dot"]),
        ("folder", &["folder holds neither", "give the folder of a run that has ended"]),
    ] {
        let called = place.call(&[&learn[..], &[older]].concat()).ended(1);
        called.complains(&[&[&format!("--like {older} gives no advice")[..]], said].concat());
        assert!(!place.path("run").exists(), "nothing was begun");
    }
    let called = place.call(&[&learn[..], &["lamp.dot", "--tests", "model"]].concat()).ended(0);
    let note = "lamp.dot gives no advice: it has none of the device's inputs";
    called.complains(&[note]);
    let statistics = place.statistics("run");
    assert_eq!(statistics["warnings"][0], note);
    assert_eq!(
        (&statistics["advice"][0]["followed"], &statistics["states"]),
        (&false.into(), &6.into())
    );
    let target = place.call(&["target", "--port", "none", "--like", "lock.dot"]).ended(2);
    target.complains(&["a target knows no older models"]);
}

/// The run keeps a copy of the older model, and uses this copy even if the file has changed.
#[test]
fn a_run_that_was_killed_goes_on_with_the_same_advice() {
    let other = CLOCK.replace("5 -> 0 [label=\"go / tock\"]", "5 -> 4 [label=\"go / tock\"]");
    let files = [("clock.dot", CLOCK), ("old.dot", &other), ("second.dot", LAMP)];
    let place = Workplace::new(&files);
    let device = SimulatedPort::start(&place, &["clock.dot", "--write-device", "device.toml"]);
    let begin = |out: &str| {
        let learn = ["learn", "--port", &device.port, "device.toml", "--tests-in-a-row", "100"];
        place.command(
            &[&learn[..], &["--like", "old.dot", "--like", "second.dot", "--out", out]].concat(),
        )
    };
    let whole =
        super::workplace::Called::from(begin("whole").output().expect("it starts")).ended(0);
    whole.complains(&["second.dot gives no advice"]);
    let transcript = |out: &str| {
        let mut lines: Vec<_> =
            place.files(out)["transcript.txt"].lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let mut killed = begin("killed");
    let mut child = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    // Any moment will do, as long as something was asked.
    wait_for_length(&place.path("killed/answers.log"), 300, &mut child);
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    std::fs::write(place.path("old.dot"), "no model").expect("a file");
    std::fs::remove_file(place.path("second.dot")).expect("a file");
    place.call(&["learn", "--resume", "killed"]).ended(0);
    assert_eq!(transcript("killed"), transcript("whole"));
    let [whole, killed] = ["whole", "killed"].map(|out| place.statistics(out)["advice"].clone());
    assert_eq!(whole, killed);
    assert_ne!(whole[0]["asked"]["resets"], 0, "{whole}");
    // Again, with a model that the run already has, and a new one.
    std::fs::write(place.path("second.dot"), LAMP).expect("a file");
    let again = ["learn", "--resume", "killed", "--like", "second.dot", "--like", "clock.dot"];
    place.call(&again).ended(0);
    let advice = place.statistics("killed")["advice"].clone();
    let models: Vec<_> = (0..4).map(|at| advice[at]["model"].clone()).collect();
    assert_eq!(
        models,
        ["old.dot".into(), "second.dot".into(), "clock.dot".into(), serde_json::Value::Null]
    );
}
