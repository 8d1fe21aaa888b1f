//! Runs that are resumed: after limits, kills, and a full disk.

#[path = "resume/device_file.rs"]
mod device_file;

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use mealybug::run_folder::RunFolder;
use mealybug::store::{NodeId, Store};
use mealybug_core::Input;
use rfc2217::{PortSettings, Server};
use serde_json::Value;

use super::workplace::{
    CLOCK, Called, DATA, LAMP, LOCK, SimulatedPort, Workplace, kill_while_writing,
};

/// Plays a model; the device file is `device.toml`, the log `asked.txt`.
fn start(place: &Workplace, model: &str) -> SimulatedPort {
    SimulatedPort::start(place, &[model, "--write-device", "device.toml", "--log", "asked.txt"])
}

/// Learns `clock.dot` behind a port, into the folder `run`. The device is still there.
fn begun(place: &Workplace) -> SimulatedPort {
    let device = start(place, "clock.dot");
    let begin = ["learn", "--port", &device.port, "device.toml", "--out", "run"];
    place.call(&[&begin[..], &["--tests-in-a-row", "60"]].concat()).ended(0);
    device
}

/// The words that the model was asked so far, each from a reset on.
fn words(place: &Workplace) -> Vec<Vec<String>> {
    let log = std::fs::read_to_string(place.path("asked.txt")).expect("a log");
    let mut words = Vec::new();
    for line in log.lines() {
        let (asked, _) = line.split_once('\t').expect("an answer");
        if asked == "reset" {
            words.push(Vec::new());
        } else if let Some(word) = words.last_mut() {
            Vec::push(word, asked.to_owned());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// How many of the words were asked before, alone or as a prefix of another.
fn repeated(words: &[Vec<String>]) -> usize {
    let mut known = HashSet::new();
    let mut repeated = 0;
    for word in words {
        repeated += usize::from(known.contains(&word[..]));
        known.extend((1..=word.len()).map(|len| &word[..len]));
    }
    repeated
}

/// Statistics and report exist, whatever ends a run while it draws pictures.
#[test]
fn pictures_are_written_last() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = start(&place, "clock.dot");
    let start = ["learn", "--port", &device.port, "device.toml", "--out", "run"];
    let quick = ["--tests-in-a-row", "60", "--max-symbols", "20"];
    place.call(&[&start[..], &quick].concat()).ended(3);
    // A folder that is not empty takes the place of the picture.
    let picture = place.path("run").join("model.svg");
    std::fs::remove_file(&picture).expect("there was a picture");
    std::fs::create_dir_all(picture.join("in the way")).expect("a folder");
    let called = place.call(&["learn", "--resume", "run", "--max-symbols", "1000000"]).ended(6);
    called.complains(&["cannot write to", "model.svg"]);
    assert_eq!(place.statistics("run")["converged"], true);
    let report = std::fs::read_to_string(place.path("run/report.html")).expect("a report");
    assert!(report.contains("<strong>Not sure:</strong>"), "{report}");
}

#[test]
fn a_run_that_a_limit_ended_goes_on_where_it_stopped() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = start(&place, "clock.dot");
    let start = ["learn", "--port", &device.port, "device.toml", "--out", "run"];
    let quick = ["--tests-in-a-row", "60"];
    let ended = place.call(&[&start[..], &quick, &["--memory", "250"]].concat()).ended(3);
    assert!(ended.stdout.contains("To go on: mealybug learn --resume run"), "{}", ended.stdout);
    assert_eq!(place.statistics("run")["why"], "memory");
    // Only the folder and the changed options are given.
    std::fs::remove_file(place.path("device.toml")).expect("the run has its own");
    let go_on = ["learn", "--resume", "run"];
    place.call(&[&go_on[..], &["--memory", "1M", "--max-symbols", "200"]].concat()).ended(3);
    assert_eq!(place.statistics("run")["why"], "symbols");
    place.call(&[&go_on[..], &["--max-symbols", "1000000"]].concat()).ended(0);
    let statistics = place.statistics("run");
    assert_eq!((&statistics["states"], &statistics["contradictions"]), (&6.into(), &0.into()));
    assert_ne!(statistics["recalled"], 0);
    // At most the words that the limits broke off.
    assert!(repeated(&words(&place)) <= 2);

    let asked = words(&place).len();
    let last = statistics;
    place.call(&go_on).ended(0);
    assert_eq!(words(&place).len(), asked, "it knows all that it wants to know");
    let statistics = place.statistics("run");
    assert_eq!((&statistics["device"]["symbols"], &statistics["states"]), (&0.into(), &6.into()));
    // What the run cost is that of all its sessions, and what is not says so.
    let earlier = &statistics["earlier"];
    assert_eq!(earlier["device"]["resets"], asked);
    let seconds = |value: &Value| value["seconds"].as_f64().unwrap_or_default();
    let before = seconds(&last) + seconds(&last["earlier"]);
    assert!((seconds(earlier) - before).abs() < 1e-6, "{earlier}");
    let report = std::fs::read_to_string(place.path("run/report.html")).expect("a report");
    assert!(report.contains(&format!(", {asked} resets")), "{report}");
    assert!(report.contains("what reached the device in earlier sessions"), "{report}");
    assert!(report.contains("Where the time went in the last session"), "{report}");

    // The transcript is a file of words for a run without the device.
    place.call(&["learn", "--model", "clock.dot", "--words", "run/transcript.txt"]).ended(0);
}

/// This holds even if another version has another default: each run's options name the learner.
#[test]
fn a_run_goes_on_with_its_learner() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = start(&place, "clock.dot");
    let begin = |out: &str, algorithm: &[&str]| {
        let start = ["learn", "--port", &device.port, "device.toml", "--out", out];
        let few = ["--tests-in-a-row", "60", "--max-symbols", "30"];
        place.call(&[&start[..], &few, algorithm].concat()).ended(3);
    };
    let go_on = |out: &str, more: &[&str]| {
        let go_on = ["learn", "--resume", out, "--max-symbols", "1000000"];
        place.call(&[&go_on[..], more].concat()).ended(0);
        let statistics = place.statistics(out);
        assert_eq!(statistics["states"], 6, "{out} {more:?}");
        statistics
    };
    for algorithm in ["ol-sharp", "l-sharp"] {
        begin(algorithm, &["--algorithm", algorithm]);
        assert_eq!(go_on(algorithm, &[])["algorithm"], algorithm);
        assert_eq!(go_on(algorithm, &[])["device"]["symbols"], 0, "it knows all that it asks");
    }
    // The device's answers serve any learner, so a resumed run may switch.
    let other = go_on("ol-sharp", &["--algorithm", "l-star"]);
    assert_eq!(other["algorithm"], "l-star");
    assert_ne!(other["recalled"], 0);

    begin("divided", &["--projections", "per-input"]);
    let divided = go_on("divided", &[]);
    assert_eq!(
        (&divided["projections"], &divided["division"]),
        (&"per-input".into(), &"inputs".into())
    );

    begin("default", &[]);
    let algorithm = place.statistics("default")["algorithm"].clone();
    let options = &place.files("default")["options.json"];
    let options: Value = options.parse().expect("JSON");
    assert_eq!((&options["format"], &options["algorithm"]), (&1.into(), &algorithm));
}

#[test]
fn options_of_this_call_replace_those_of_the_run() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = start(&place, "clock.dot");
    let mut begin = place.command(&["learn", "device.toml", "--out", "run", "--max-symbols", "30"]);
    begin.args(["--tests-in-a-row", "60", "--quiet"]).env("MEALYBUG_PORT", &device.port);
    Called::from(begin.output().expect("it starts")).ended(3);

    // Invalid options are not kept. The port is kept, though this call does not name it.
    let resume = ["learn", "--resume", "run"];
    place.call(&[&resume[..], &["--tests", "model"]].concat()).ended(2);
    let called = place.call(&[&resume[..], &["--max-symbols", "1000000"]].concat()).ended(0);
    assert_eq!(called.stdout, "", "it is still quiet");
    assert_eq!(place.statistics("run")["tests_in_a_row"], 60);
    let called = place.call(&[&resume[..], &["--confidence", "80%", "--json"]].concat()).ended(0);
    assert!(called.stdout.starts_with("{\"event\":\"start\""), "{}", called.stdout);
    let statistics = place.statistics("run");
    let wanted = (&statistics["tests_in_a_row"], &statistics["confidence_wanted"]);
    assert_eq!(wanted, (&Value::Null, &0.8.into()));
    place.call(&[&resume[..], &["--tests-in-a-row", "70"]].concat()).ended(0);
    let statistics = place.statistics("run");
    let wanted = (&statistics["tests_in_a_row"], &statistics["confidence_wanted"]);
    assert_eq!(wanted, (&70.into(), &Value::Null));
}

#[test]
fn a_run_whose_options_are_lost_is_told_of_and_loses_no_answer() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = start(&place, "clock.dot");
    let begin = |out: &str| {
        let begin = ["learn", "--port", &device.port, "device.toml", "--out", out];
        place.call(&[&begin[..], &["--max-symbols", "30"]].concat()).ended(3);
    };
    begin("run");
    let resume = ["learn", "--resume", "run", "--max-symbols", "1000000"];
    let options = place.path("run/options.json");
    let text = std::fs::read_to_string(&options).expect("a file");
    let answers = std::fs::read(place.path("run/answers.log")).expect("a file");
    let fails = |said: &[&str]| {
        let before = std::fs::read(&options).ok();
        place.call(&resume).ended(6).complains(said);
        assert_eq!(std::fs::read(&options).ok(), before);
        let now = std::fs::read(place.path("run/answers.log")).expect("a file");
        assert!(now == answers, "the answers have changed");
    };
    let way_out = "copy its options.json into this folder, and resume";
    let damaged = "run/options.json is damaged";
    let replaced = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        text.replacen(from, to, 1)
    };
    for (text, why) in [
        (String::new(), "EOF while parsing"),
        (text[..text.len() / 2].to_owned(), "EOF while parsing"),
        ("[]".to_owned(), "invalid type"),
        (replaced("\"format\": 1,", ""), "missing field `format`"),
        (replaced("\"seed\": 0", "\"seed\": \"x\""), "invalid type: string \"x\""),
        (replaced("\"seed\"", "\"sead\""), "missing field `seed`"),
        (replaced("\"ol-sharp\"", "\"ol-flat\""), "unknown variant `ol-flat`"),
        (replaced("\"projections\": null", "\"projections\": \"A|\""), "without a name"),
    ] {
        std::fs::write(&options, text).expect("a file");
        fails(&[damaged, why, "answers.log still has every answer", way_out]);
    }
    std::fs::write(&options, b"\xff\xfe").expect("a file");
    fails(&[damaged, way_out]);
    std::fs::write(&options, replaced("\"format\": 1", "\"format\": 2")).expect("a file");
    fails(&["run/options.json has format 2, and this version of Mealybug reads format 1"]);
    std::fs::remove_file(&options).expect("it was there");
    fails(&["the run in run cannot be resumed: there is no options.json", way_out]);

    // Follow the advice of the message.
    begin("new");
    std::fs::copy(place.path("new/options.json"), &options).expect("a copy");
    place.call(&resume).ended(0);
    let statistics = place.statistics("run");
    assert_eq!((&statistics["states"], &statistics["contradictions"]), (&6.into(), &0.into()));
    assert_ne!(statistics["recalled"], 0);

    // A run from before there were boards.
    let now = std::fs::read_to_string(&options).expect("a file");
    let list = format!("\"port\": [\n    \"{}\"\n  ]", device.port);
    assert!(now.contains(&list) && now.contains("\"workers\": 1,"), "{now}");
    let older = now.replacen(&list, &format!("\"port\": \"{}\"", device.port), 1);
    std::fs::write(&options, older.replacen("\"workers\": 1,", "", 1)).expect("a file");
    place.call(&["learn", "--resume", "run", "--trust"]).ended(0);
    assert_eq!(std::fs::read_to_string(&options).expect("a file"), now);
}

#[test]
fn a_run_goes_on_from_wherever_it_is_called() {
    let place = Workplace::new(&[("clock.dot", CLOCK), ("words.txt", "go go go\n")]);
    let program = env!("CARGO_BIN_EXE_mealybug");
    let adapter = format!("'{program}' simulate clock.dot --adapter");
    let begin = ["learn", "--adapter", &adapter, "--words", "words.txt", "--out", "run"];
    place.call(&[&begin[..], &["--tests-in-a-row", "60", "--max-symbols", "20"]].concat()).ended(3);

    // The run has its own copy of the words.
    std::fs::remove_file(place.path("words.txt")).expect("it was there");
    // This folder lacks the run's model and words, and only this folder has the words of the call.
    let elsewhere = Workplace::new(&[("more.txt", "go go go go go go\n")]);
    let run = place.path("run").display().to_string();
    let resume = ["learn", "--resume", &run, "--max-symbols", "1000000"];
    let from_elsewhere = |arguments: &[&str]| {
        let mut command = elsewhere.command(arguments);
        command.env("XDG_DATA_HOME", place.path(DATA)).output().expect("it starts")
    };
    Called::from(from_elsewhere(&resume)).ended(0);
    assert_eq!(place.statistics("run")["states"], 6);
    Called::from(from_elsewhere(&[&resume[..], &["--words", "more.txt"]].concat())).ended(0);
    std::fs::remove_file(elsewhere.path("more.txt")).expect("it was there");
    std::fs::rename(place.path("run"), place.path("moved")).expect("nobody uses it");
    place.call(&["learn", "--resume", "moved", "--trust"]).ended(0);
    assert_eq!(place.files("moved")["words.txt"], "go go go go go go\n");
    let called = place.call(&["learn", "--resume", "moved", "--port", "/dev/none"]).ended(2);
    called.complains(&["the device of this run is a program"]);
}

#[test]
fn a_port_is_named_from_where_the_command_is_called() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = start(&place, "clock.dot");
    let begin = ["learn", "--port", &device.port, "device.toml", "--out", "run"];
    let few = ["--tests-in-a-row", "60", "--max-symbols", "20"];
    place.call(&[&begin[..], &few].concat()).ended(3);
    let elsewhere = Workplace::new(&[]);
    std::os::unix::fs::symlink(&device.port, elsewhere.path("tty")).expect("a link");
    let run = place.path("run").display().to_string();
    let mut resume = elsewhere.command(&["learn", "--resume", &run, "--port", "./tty"]);
    resume.args(["--max-symbols", "1000000"]).env("XDG_DATA_HOME", place.path(DATA));
    Called::from(resume.output().expect("it starts")).ended(0);
    assert_eq!(place.statistics("run")["states"], 6);
}

#[test]
fn hypotheses_are_those_of_the_last_session() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let _device = begun(&place);
    let before = std::fs::read_dir(place.path("run/hypotheses")).expect("a folder").count();
    assert!(before > 1, "it takes more than one hypothesis");
    // As a session leaves them that was killed.
    std::fs::remove_file(place.path("run/statistics.json")).expect("it is there");
    place.call(&["learn", "--resume", "run", "--rounds", "1"]).ended(3);
    let names = std::fs::read_dir(place.path("run/hypotheses")).expect("a folder");
    let names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names, ["1.dot"]);
}

/// A session that ends before it needs the device knows less than the one before. What an earlier model left is gone.
#[test]
fn the_files_of_a_run_are_those_of_one_model() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let adapter = format!("{} simulate clock.dot --adapter", crate::PROGRAM);
    let start = ["learn", "--adapter", &adapter, "--out", "run", "--tests-in-a-row", "60"];
    place.call(&start).ended(0);
    let results =
        || ["model.dot", "statistics.json", "report.html"].map(|it| place.files("run")[it].clone());
    let converged = results();
    let called = place.call(&["learn", "--resume", "run", "--max-time", "1ns"]).ended(3);
    assert!(called.stdout.contains("files of the session before stay"), "{}", called.stdout);
    assert_eq!(results(), converged);
    let hypotheses = || {
        let is_one = |file: &String| file.starts_with("hypotheses/");
        place.files("run").into_iter().filter(|(file, _)| is_one(file)).collect::<Vec<_>>()
    };
    let all = hypotheses();
    assert!(all.len() > 1, "it takes more than one hypothesis");
    let few = ["--max-time", "1h", "--max-symbols", "30"];
    let called = place.call(&[&["learn", "--resume", "run"][..], &few].concat()).ended(3);
    assert!(called.stdout.contains("files of the session before stay"), "{}", called.stdout);
    assert_eq!((results(), hypotheses()), (converged, all));
    for old in ["components/old.dot", "components/old.svg", "modules/old.dot"] {
        let path = place.path("run").join(old);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        std::fs::write(path, "digraph {}").expect("a file");
    }
    place.call(&["learn", "--resume", "run", "--max-symbols", "1000000"]).ended(0);
    let now = place.files("run");
    assert!(now.keys().all(|file| !file.contains("old")), "{:?}", now.keys());
}

#[test]
fn a_run_that_ends_before_a_model_leaves_none_of_another_device() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let device = start(&place, "lamp.dot");
    let begin = ["learn", "--port", &device.port, "device.toml", "--out", "run"];
    place.call(&[&begin[..], &["--tests-in-a-row", "10"]].concat()).ended(0);
    let is_of_a_model = |file: &String| {
        ["model.", "components/", "hypotheses/"].iter().any(|start| file.starts_with(start))
    };
    assert!(place.files("run").keys().any(is_of_a_model));
    let text = std::fs::read_to_string(place.path("device.toml")).expect("a device file");
    let other = text.replace("[reply]", "[reply]\nsilent = 'nothing'");
    std::fs::write(place.path("other.toml"), other).expect("a file");
    let resume = ["learn", "--resume", "run", "--device", "other.toml"];
    let table = ["--algorithm", "l-star", "--max-symbols", "1"];
    place.call(&[&resume[..], &table].concat()).ended(3);
    let now = place.files("run");
    assert!(!now.keys().any(is_of_a_model), "{:?}", now.keys());
}

#[test]
fn what_cannot_be_resumed_is_told_of() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let complains = |arguments: &[&str], code, said: &[&str]| {
        let called = place.call(&[&["learn", "--resume"], arguments].concat()).ended(code);
        called.complains(said);
    };
    complains(&["none"], 6, &["no run can be resumed in none", "there is no such folder"]);
    complains(&["lamp.dot"], 6, &["lamp.dot is a file"]);
    complains(&["run", "--model", "lamp.dot"], 2, &["cannot be used with"]);
    place.call(&["learn", "--model", "lamp.dot", "--out", "model"]).ended(0);
    complains(&["model"], 6, &["no run can be resumed in model"]);

    let device = start(&place, "lamp.dot");
    let start = ["learn", "--port", &device.port, "device.toml", "--out", "run", "--rounds", "1"];
    place.call(&[&start[..], &["--tests-in-a-row", "10"]].concat());
    let text = std::fs::read_to_string(place.path("run/device.toml")).expect("a device file");
    let other = text.replacen("hold", "pull", 1);
    assert_ne!(text, other);
    std::fs::write(place.path("run/device.toml"), other).expect("a file");
    let other = ["run", "--trust"];
    complains(&other, 6, &["are those of a device with other inputs", "`hold`", "`pull`"]);
    std::fs::write(place.path("run/device.toml"), &text).expect("a file");
    let log = Store::open(&place.path("run/answers.log"), &["press", "hold"].map(str::to_owned));
    let before = place.files("run");
    let limits = text.replace("[reply]", "[reply]\nmax_ms = 20000");
    std::fs::write(place.path("other.toml"), limits).expect("a file");
    for changed in [["--seed", "7"], ["--device", "other.toml"]] {
        complains(&[&["run"], &changed[..]].concat(), 6, &["belongs to a run that is going on"]);
    }
    assert_eq!(place.files("run"), before, "a call that is refused changes nothing");
    drop(log.expect("it opens"));
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let device = start(&place, "clock.dot");
    // No file may exceed 4 KiB. With the signal ignored, exceeding this is a write error.
    let call = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' learn --port {} device.toml --out run",
        env!("CARGO_BIN_EXE_mealybug"),
        device.port
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &call]).env("COLUMNS", "200").env("NO_COLOR", "1");
    shell.env("XDG_DATA_HOME", place.path(DATA));
    let output = shell.current_dir(place.path("")).output().expect("there is a shell");
    let called = Called::from(output).ended(6);
    called.complains(&["the answers of the device cannot be kept in", "is there room on the disk"]);
    let before = words(&place);
    assert!(before.len() > 10, "{}", before.len());
    // A counterexample is asked twice before it is believed.
    let confirmed = repeated(&before);
    place.call(&["learn", "--resume", "run", "--tests-in-a-row", "60"]).ended(0);
    assert_eq!(place.statistics("run")["states"], 6);
    // The word that found no room.
    assert!(repeated(&words(&place)) <= confirmed + 1);
}

#[test]
fn words_worth_trying_are_tests_of_every_hypothesis() {
    let files = [("lock.dot", LOCK), ("words.txt", "# the code\na b c c b a\n")];
    let place = Workplace::new(&files);
    let hasty = ["--tests", "random-words", "--tests-in-a-row", "1"];
    let learn = ["learn", "--model", "lock.dot"];
    place.call(&[&learn[..], &hasty, &["--out", "without"]].concat()).ended(0);
    assert_eq!(
        place.statistics("without")["equals_model"],
        false,
        "a random word does not open it"
    );
    place.call(&[&learn[..], &hasty, &["--words", "words.txt", "--out", "with"]].concat()).ended(0);
    assert_eq!(place.statistics("with")["equals_model"], true);

    std::fs::write(place.path("words.txt"), "a b\na x b\n").expect("a file");
    let called = place.call(&[&learn[..], &["--words", "words.txt"]].concat()).ended(2);
    called.complains(&["there is no input `x`", "words.txt:2:3", "the inputs are `a`, `b`, `c`"]);
    place.call(&[&learn[..], &["--words", "none.txt"]].concat()).ended(1);
}

/// Kills runs at random moments until there were `kills` kills. Resumes each run until it is killed
/// again or has learned the model.
fn kill(kills: u32) {
    let mut random = fastrand::Rng::with_seed(kills.into());
    let mut killed = 0;
    let mut runs = 0;
    while killed < kills {
        runs += 1;
        let place = Workplace::new(&[("clock.dot", CLOCK)]);
        let device = start(&place, "clock.dot");
        let start = ["learn", "--port", &device.port, "device.toml", "--out", "run"];
        let options = ["--tests-in-a-row", "150"];
        let mut of_this_run = 0;
        // The words that were in progress when a run was killed, whose last answer may have been on its way.
        let mut broken_off = HashSet::new();
        loop {
            let is_begun = place.path("run/answers.log").exists();
            if !is_begun && place.path("run").exists() {
                std::fs::remove_dir_all(place.path("run")).expect("nothing is in it");
            }
            let resume = &["learn", "--resume", "run"][..];
            let mut command = place.command(if is_begun { resume } else { &start });
            if !is_begun {
                command.args(options);
            }
            let piped = command.stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = piped.spawn().expect("it starts");
            if killed < kills {
                // Kill every fourth command while it starts, the others after some more answers.
                let log = place.path("run/answers.log");
                let more = random.u64(0..800).saturating_sub(200);
                kill_while_writing(&log, more, random.u64(0..30), &mut child);
            }
            let output = child.wait_with_output().expect("it ends");
            match output.status.code() {
                None => {
                    (killed, of_this_run) = (killed + 1, of_this_run + 1);
                    broken_off.extend(words_at_rest(&place).len().checked_sub(1));
                }
                Some(0) => break,
                Some(code) => panic!("{code}: {}", String::from_utf8_lossy(&output.stderr)),
            }
        }
        let words = words(&place);
        let whole = words.iter().enumerate().filter(|(at, _)| !broken_off.contains(at));
        let whole: Vec<_> = whole.map(|(_, word)| word.clone()).collect();
        let (repeated, lost) = (repeated(&whole), lost(&place.path("run/answers.log"), &whole));
        assert_eq!(lost, 0, "{of_this_run} kills");
        // The word that refutes the only wrong hypothesis is confirmed.
        assert!(repeated <= 1, "{repeated} repeated, {of_this_run} kills");
        place.call(&["diff", "run/model.dot", "clock.dot"]).ended(0);
        assert_eq!(place.statistics("run")["contradictions"], 0);
        println!(
            "{of_this_run} kills: {} words, {} of them broken off; of the others {repeated} repeated, {lost} lost",
            words.len(),
            broken_off.len()
        );
    }
    println!("{killed} kills in {runs} runs");
}

/// The words of the device, once it has written down what it was asked last.
fn words_at_rest(place: &Workplace) -> Vec<Vec<String>> {
    let mut known = words(place);
    loop {
        thread::sleep(Duration::from_millis(30));
        let now = words(place);
        if now == known {
            return now;
        }
        known = now;
    }
}

/// The number of words that the device was asked and whose answers are not all kept.
fn lost(log: &Path, words: &[Vec<String>]) -> usize {
    let inputs = ["go", "back"].map(str::to_owned);
    let store = Store::open(log, &inputs).expect("it opens");
    let is_lost = |word: &&Vec<String>| {
        let mut node = Some(NodeId::ROOT);
        for name in *word {
            let input = inputs.iter().position(|input| input == name).expect("an input");
            let input = Input::new(u32::try_from(input).expect("one of two"));
            node = node.and_then(|node| store.tree().answer(node, input));
        }
        node.is_none()
    };
    words.iter().filter(is_lost).count()
}

#[test]
fn runs_that_are_killed_lose_nothing_and_ask_nothing_twice() {
    kill(15);
}

#[test]
#[ignore = "takes long"]
fn a_thousand_kills_lose_nothing_and_ask_nothing_twice() {
    kill(1000);
}

#[test]
fn a_run_is_named_by_its_folder() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let adapter = format!("'{}' simulate lamp.dot --adapter", env!("CARGO_BIN_EXE_mealybug"));
    let learn = ["learn", "--adapter", &adapter, "--out", "run", "--tests-in-a-row", "5"];
    place.call(&learn).ended(0);
    let called = place.call(&["learn", "--resume", "run/model.dot"]).ended(6);
    called.complains(&["run/model.dot is a file", "help: mealybug learn --resume run"]);
    let called = place.call(&["learn", "--resume", "lamp.dot"]).ended(6);
    called.complains(&["lamp.dot is a file", "help: mealybug learn --resume FOLDER"]);
    // As a killed run leaves it.
    for file in ["model.dot", "result.postcard"] {
        std::fs::remove_file(place.path("run").join(file)).expect("it is there");
    }
    for (code, arguments) in [(1, &["show", "run"][..]), (2, &["diff", "lamp.dot", "run"])] {
        let called = place.call(arguments).ended(code);
        let so_far = "hypotheses/ has the models";
        called.complains(&["its run has not ended", "mealybug learn --resume run", so_far]);
    }
    // While it runs, it cannot be resumed.
    let folder = RunFolder::resume(&place.path("run")).expect("a run");
    let lock = folder.lock().expect("no run goes on");
    let called = place.call(&["show", "run"]).ended(1);
    called.complains(&["its run is going on", "hypotheses/ has the models"]);
    assert!(!called.stderr.contains("--resume"), "{}", called.stderr);
    // Before its first hypothesis there is none, and who looks changes nothing.
    std::fs::remove_dir_all(place.path("run/hypotheses")).expect("it is there");
    let called = place.call(&["show", "run"]).ended(1);
    called.complains(&["its run is going on"]);
    assert!(!called.stderr.contains("hypotheses"), "{}", called.stderr);
    drop(lock);
    assert!(!folder.is_going_on());
    // A complete suite after random tests: the number is forgotten, and so is how sure the result must be.
    let resume = ["learn", "--resume", "run"];
    place.call(&[&resume[..], &["--tests", "wp:1"]].concat()).ended(0);
    place.call(&[&resume[..], &["--tests", "mixture", "--confidence", "80%"]].concat()).ended(0);
    place.call(&[&resume[..], &["--tests", "wp:1"]].concat()).ended(0);
    let called = place.call(&[&resume[..], &["--confidence", "80%"]].concat()).ended(2);
    called.complains(&[
        "--confidence is for --tests mixture, not for wp:1",
        "leave --confidence out",
    ]);
}
