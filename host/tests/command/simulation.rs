//! Learns models in simulation: results, seeds, limits.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use mealybug::algorithm::Algorithm;
use mealybug::demo_lock::DemoLock;
use mealybug::dot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::workplace::{CLOCK, LAMP, Workplace};

/// The fields on which other programs may rely.
const FIELDS: &[&str] = &[
    "converged",
    "why",
    "reason",
    "refuted",
    "refuted_by",
    "equals_model",
    "algorithm",
    "projections",
    "tests",
    "tests_in_a_row",
    "confidence_wanted",
    "seed",
    "profile",
    "max_rounds",
    "max_symbols",
    "max_seconds",
    "max_states",
    "memory_bytes",
    "product_states",
    "states",
    "gaps",
    "modules",
    "components",
    "division",
    "forecast",
    "inputs",
    "outputs",
    "rounds",
    "hypotheses",
    "short_rows",
    "rows",
    "suffixes",
    "tests_passed",
    "defects",
    "learning",
    "testing",
    "advice",
    "mixture",
    "confidence",
    "earlier",
    "device",
    "published",
    "learner_bytes",
    "recalled",
    "retries",
    "contradictions",
    "gone_answers",
    "late_words",
    "refuting_words",
    "warnings",
    "serial",
    "seconds",
    "boards",
];

fn place() -> Workplace {
    Workplace::new(&[("lamp.dot", LAMP), ("clock.dot", CLOCK)])
}

#[test]
fn a_model_is_learned_and_its_files_say_all() {
    let place = place();
    let learn = ["learn", "--model", "lamp.dot", "--algorithm", "ol-star"];
    let called = place.call(&learn).ended(0);
    assert!(called.stdout.contains("Converged: it equals the model"), "{}", called.stdout);
    assert!(called.stdout.contains("The model has 3 states, made of 4 components"));

    let run = "mealybug-runs/lamp-1";
    let statistics = place.statistics(run);
    let fields: Vec<_> = statistics.as_object().expect("an object").keys().collect();
    for field in FIELDS {
        assert!(fields.iter().any(|known| known == field), "{field} is missing");
    }
    assert_eq!(fields.len(), FIELDS.len(), "{fields:?}");
    assert_eq!(statistics["converged"], true);
    assert_eq!(statistics["equals_model"], true);
    assert_eq!(statistics["algorithm"], "ol-star");
    assert_eq!(statistics["states"], 3);
    assert_eq!(statistics["components"][0]["name"], "dim");
    assert_eq!(statistics["components"][0]["states"], 3);
    for cost in ["learning", "testing", "device"] {
        assert!(statistics[cost]["resets"].is_u64() && statistics[cost]["symbols"].is_u64());
    }

    let files = place.files(run);
    let component = statistics["components"][0]["file"].as_str().expect("a name");
    let component = place.path(run).join("components").join(component);
    assert!(std::fs::read_to_string(component).expect("it is there").contains("press/dim"));
    for file in ["model.dot", "model.svg", "components/dim.svg", "hypotheses/1.dot", "report.html"]
    {
        assert!(files.contains_key(file), "{file}");
    }
    assert!(files["report.html"].contains("<strong>Converged:</strong>"));
    // Mealybug draws the pictures itself, whether or not Graphviz is installed.
    for picture in ["model.svg", "components/dim.svg"] {
        assert!(files[picture].contains("prefers-color-scheme:dark"), "{}", files[picture]);
    }

    // The file written is a model again, and the same one.
    let model = format!("{run}/model.dot");
    place.call(&["learn", "--model", &model, "--out", "again"]).ended(0);
    assert_eq!(place.files("again")["model.dot"], files["model.dot"]);
    let result = format!("{run}/result.postcard");
    place.call(&["learn", "--model", &result, "--out", "result"]).ended(0);
    assert_eq!(place.files("result")["model.dot"], files["model.dot"]);
    // The next run gets the next folder.
    place.call(&["learn", "--model", "lamp.dot"]).ended(0);
    assert!(place.path("mealybug-runs/lamp-2/model.dot").exists());
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let place = place();
    let mut runs = Vec::new();
    for (out, memory) in [("a", "1G"), ("b", "1G"), ("c", "64K")] {
        let arguments =
            ["--tests", "random-words", "--seed", "7", "--memory", memory, "--out", out];
        place.call(&[&["learn", "--model", "clock.dot"], &arguments[..]].concat()).ended(0);
        let mut files = place.files(out);
        let statistics = files.get_mut("statistics.json").expect("it is there");
        let mut value: Value = serde_json::from_str(statistics).expect("JSON");
        let fields = value.as_object_mut().expect("an object");
        assert!(fields.remove("seconds").is_some());
        assert!(fields.remove("memory_bytes").is_some());
        *statistics = value.to_string();
        // The report also contains both.
        assert!(files.remove("report.html").is_some());
        runs.push(files);
    }
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

#[test]
fn each_limit_ends_a_run_and_says_so() {
    let place = place();
    let cases = [
        (["--rounds", "1"], "rounds", "the rounds are used up"),
        (["--max-symbols", "20"], "symbols", "the symbols are used up"),
        (["--memory", "200"], "memory", "200 bytes (--memory) are too little"),
        (["--max-time", "200ms"], "time", "the time is used up"),
    ];
    for (limit, why, said) in cases {
        // With so many extra states that the run would not end by itself.
        let tests = if why == "time" { "w:30" } else { "random-wp" };
        let arguments = ["learn", "--model", "clock.dot", "--tests", tests, "--out", why];
        let called = place.call(&[&arguments[..], &limit[..]].concat()).ended(3);
        assert!(called.stdout.contains(&format!("NOT converged: {said}")), "{}", called.stdout);
        let statistics = place.statistics(why);
        assert_eq!(statistics["converged"], false, "{why}");
        assert_eq!(statistics["why"], why);
        for (name, text) in place.files(why) {
            let says = match name.rsplit('.').next() {
                _ if name.starts_with("hypotheses/") => continue,
                Some("postcard") => continue,
                Some("json") => "\"converged\": false",
                Some("dot") => "label=\"NOT CONVERGED: ",
                _ => "NOT CONVERGED",
            };
            assert!(text.contains(says), "{why}: {name}");
        }
    }
    assert_eq!(place.statistics("rounds")["rounds"], 1);
}

#[test]
fn ctrl_c_ends_a_run_at_once_and_keeps_what_was_learned() {
    let place = place();
    let arguments = ["learn", "--model", "clock.dot", "--tests", "w:30", "--out", "run"];
    let mut command = place.command(&arguments);
    let mut child =
        command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let line = lines.next().expect("the first hypothesis").expect("a line");
    assert!(line.contains("hypothesis 1"), "{line}");
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let statistics = place.statistics("run");
    assert_eq!(statistics["why"], "interrupted");
    assert!(place.path("run/components").exists());
}

#[test]
fn complete_suites_are_run_to_their_end() {
    let place = place();
    for (tests, run) in [("wp:1", "run"), ("components:1", "components")] {
        let arguments = ["learn", "--model", "lamp.dot", "--tests", tests, "--out", run];
        place.call(&arguments).ended(0);
        let statistics = place.statistics(run);
        assert_eq!(statistics["why"], "suite-passed");
        assert_ne!(statistics["testing"]["symbols"], 0);
        assert_eq!(statistics["equals_model"], true);
        assert_eq!(statistics["tests"], tests);
    }
    // The first hypothesis of this learner is right.
    let paper = ["learn", "--model", "lamp.dot", "--algorithm", "ol-star", "--profile", "paper"];
    place.call(&[&paper[..], &["--tests", "wp:1", "--out", "paper"]].concat()).ended(0);
    let statistics = place.statistics("paper");
    assert_eq!(statistics["why"], "equals-model");
    assert_eq!(statistics["published"]["testing"]["symbols"], 0);
    assert_eq!(statistics["published"]["learning"], statistics["learning"]);
}

#[test]
fn the_model_itself_can_be_the_test_and_components_can_be_grouped() {
    let place = place();
    let arguments = ["learn", "--model", "clock.dot", "--tests", "model", "--out", "run"];
    place.call(&arguments).ended(0);
    assert_eq!(place.statistics("run")["states"], 6);

    let groups = ["--projections", "dim,bright|nothing,never", "--out", "groups"];
    let called = place.call(&[&["learn", "--model", "lamp.dot"], &groups[..]].concat()).ended(0);
    assert!(called.stdout.contains("the output `never` of --projections never came"));
    let components = place.statistics("groups")["components"].clone();
    let components = components.as_array().expect("a list");
    let mut names: Vec<_> = components.iter().filter_map(|c| c["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["dim,bright", "nothing", "off"]);

    let l_star = ["learn", "--model", "lamp.dot", "--algorithm", "l-star", "--out", "l-star"];
    place.call(&l_star).ended(0);
    let components = place.statistics("l-star")["components"].clone();
    assert_eq!(components.as_array().expect("a list").len(), 1);
    assert_eq!(components[0]["name"], "all");
}

#[test]
fn all_four_learners_learn_a_model_and_say_what_they_keep() {
    let place = place();
    let cases = [
        ("ol-sharp", "OL#", 1, "chosen"),
        ("l-sharp", "L#", 1, "identity"),
        ("ol-star", "OL*", 4, "per-output"),
        ("l-star", "L*", 1, "identity"),
    ];
    for (algorithm, title, components, projections) in cases {
        let arguments =
            ["learn", "--model", "lamp.dot", "--algorithm", algorithm, "--out", algorithm];
        let called = place.call(&arguments).ended(0);
        let (known, other) = match algorithm.ends_with("sharp") {
            true => (["access_words", "nodes"], ["short_rows", "rows"]),
            false => (["short_rows", "rows"], ["access_words", "nodes"]),
        };
        let (shown, not_shown) = match algorithm.ends_with("sharp") {
            true => (" transitions, ", " rows, "),
            false => (" rows, ", " transitions, "),
        };
        assert!(called.stderr.contains(shown), "{algorithm}: {}", called.stderr);
        assert!(!called.stderr.contains(not_shown), "{algorithm}: {}", called.stderr);
        let statistics = place.statistics(algorithm);
        assert_eq!(statistics["algorithm"], algorithm);
        assert_eq!(statistics["projections"], projections);
        assert_eq!((&statistics["states"], &statistics["equals_model"]), (&3.into(), &true.into()));
        assert_eq!(statistics["components"].as_array().map(Vec::len), Some(components));
        let count = |name: &str| statistics[name].as_u64();
        assert!(known.iter().all(|name| count(name) >= Some(3)), "{algorithm}: {statistics}");
        assert!(other.iter().all(|name| statistics.get(name).is_none()), "{algorithm}");
        let report = &place.files(algorithm)["report.html"];
        assert!(report.contains(&format!("<th>algorithm</th><td>{title}</td>")), "{algorithm}");

        // Events use the same names.
        let json = ["--json", "--out", &format!("{algorithm}-json")].map(str::to_owned);
        let json: Vec<_> = json.iter().map(String::as_str).collect();
        let called = place.call(&[&arguments[..5], &json].concat()).ended(0);
        let (hypotheses, others): (Vec<_>, Vec<_>) =
            called.events().into_iter().partition(|event| event["event"] == "hypothesis");
        let progress: Vec<_> = others.iter().filter(|event| event["event"] == "progress").collect();
        assert!(!progress.is_empty());
        for event in progress {
            let has = ["known", "seconds_left"].map(|field| event.get(field).is_some());
            let (has_tree, tests) = (algorithm.ends_with("sharp"), event["purpose"] == "testing");
            assert_eq!(has, [has_tree, has_tree || tests], "{event}");
        }
        assert!(!hypotheses.is_empty());
        for event in hypotheses {
            assert!(event[known[1]].is_u64() && event.get(other[1]).is_none(), "{event}");
            // A hypothesis has no gaps; only learners with a tree report gaps.
            let counts =
                event.get("known").map(|known| (known["open"].clone(), known["unknown"].clone()));
            let complete = algorithm.ends_with("sharp").then(|| (0.into(), 0.into()));
            assert_eq!(counts, complete, "{event}");
        }
    }
    place.call(&["learn", "--model", "lamp.dot", "--out", "default"]).ended(0);
    assert_eq!(place.statistics("default")["algorithm"], Algorithm::DEFAULT.name());
    // Other words lead to the same model.
    let model = |algorithm| place.files(algorithm)["model.dot"].clone();
    assert_eq!(model("ol-sharp"), model("ol-star"));
    assert_eq!(model("ol-sharp"), model("l-sharp"));
    let symbols = |algorithm| place.statistics(algorithm)["learning"]["symbols"].clone();
    assert_ne!(symbols("ol-sharp"), symbols("ol-star"));
    assert_ne!(symbols("l-sharp"), symbols("l-star"));

    let groups = ["--projections", "dim,bright", "--out", "groups"];
    let learn = ["learn", "--model", "lamp.dot", "--algorithm", "ol-sharp"];
    place.call(&[&learn[..], &groups].concat()).ended(0);
    assert_eq!(place.statistics("groups")["components"][0]["name"], "dim,bright");
}

#[test]
fn a_model_that_is_too_large_is_written_as_its_components_only() {
    let place = place();
    let arguments = ["learn", "--model", "lamp.dot", "--max-states", "2", "--out", "run"];
    let per_output = ["--projections", "per-output"];
    let called = place.call(&[&arguments[..], &per_output].concat()).ended(0);
    assert!(called.stdout.contains("the model has more than 2 states"), "{}", called.stdout);
    assert!(!place.path("run/model.dot").exists());
    assert!(place.path("run/components/dim.dot").exists());
    assert!(place.statistics("run")["states"].is_null());
}

/// The keys of a lock beep whatever its light does: as one machine it has 28 states.
#[test]
fn components_divide_outputs_or_inputs_or_pairs() {
    let place = place();
    let lock = dot::write(&DemoLock::machine());
    std::fs::write(place.path("lock.dot"), lock).expect("it is written");
    let cases = [
        ("chosen", "inputs", 2, "inputs 1,2,enter,close", "inputs_1,2,enter,close"),
        ("per-input", "inputs", 5, "input light", "input_light"),
        ("per-output", "outputs", 8, "light on", "light_on"),
        ("per-pair", "pairs", 14, "close/locked", "close_locked"),
        ("identity", "whole", 1, "all", "all"),
    ];
    for (projections, division, components, name, file) in cases {
        let learn = ["learn", "--model", "lock.dot", "--projections", projections];
        let called = place.call(&[&learn[..], &["--out", projections]].concat()).ended(0);
        let by = [" by input with ", " by output with ", " by pair with "];
        let said: Vec<_> = by.iter().filter(|by| called.stderr.contains(**by)).collect();
        let by = by.iter().filter(|by| division != "whole" && by[4..].starts_with(&division[..4]));
        assert_eq!(said, by.collect::<Vec<_>>(), "{projections}: {}", called.stderr);
        let chose = called.stdout.contains(": in a sample of the words asked that leaves");
        assert_eq!(chose, projections == "chosen", "{}", called.stdout);
        let divides = called.stdout.contains("They divide its ");
        assert_eq!(divides, division != "whole", "{}", called.stdout);

        let statistics = place.statistics(projections);
        assert_eq!(statistics["projections"], projections);
        assert_eq!(
            (&statistics["states"], &statistics["equals_model"]),
            (&28.into(), &true.into())
        );
        assert_eq!(statistics["division"], division);
        assert_eq!(statistics["forecast"].is_object(), chose, "{statistics}");
        let listed = statistics["components"].as_array().expect("a list");
        assert_eq!(listed.len(), components, "{projections}");
        let component = listed.iter().find(|component| component["name"] == name);
        let component = component.unwrap_or_else(|| panic!("{name}: {listed:?}"));
        assert_eq!(component["file"], format!("{file}.dot"));
        for ending in ["dot", "svg"] {
            let path = format!("{projections}/components/{file}.{ending}");
            assert!(place.path(&path).exists(), "{path}");
        }
        let show = ["show", projections, "--component", name];
        let shown = place.call(&show).ended(0).stdout;
        assert_eq!(shown.lines().count() as u64 - 1, component["states"].as_u64().unwrap_or(0));

        let json = ["--json", "--out", &format!("{projections}-json")].map(str::to_owned);
        let json: Vec<_> = json.iter().map(String::as_str).collect();
        let called = place.call(&[&learn[..], &json].concat()).ended(0);
        let last = called.stdout.lines().rfind(|line| line.contains(r#""event":"hypothesis""#));
        let last: Value = last.expect("a hypothesis").parse().expect("JSON");
        assert_eq!(last["known"]["division"], division, "{last}");
        assert_eq!(last["known"]["forecast"].is_object(), chose, "{last}");
    }
}

/// A learner with a tree leaves a model wherever a limit ends the run.
#[test]
fn a_limit_leaves_a_partial_model() {
    let place = place();
    for algorithm in ["ol-sharp", "l-sharp"] {
        let mut partial = 0;
        for symbols in ["1", "4", "8", "16"] {
            let out = format!("{algorithm}-{symbols}");
            let limit = ["--algorithm", algorithm, "--max-symbols", symbols, "--out", &out];
            let called = place.call(&[&["learn", "--model", "lamp.dot"][..], &limit].concat());
            let called = called.ended(3);
            let statistics = place.statistics(&out);
            let gaps = &statistics["gaps"];
            let count = |what: &str| gaps[what].as_u64().unwrap_or(0);
            if count("open") + count("unknown") > 0 {
                partial += 1;
                assert!(called.stdout.contains("The model is partial: "), "{}", called.stdout);
                // The message adds up the open transitions of the components.
                let components = statistics["components"].as_array().expect("a list");
                let open: u64 =
                    components.iter().filter_map(|one| one["gaps"]["open"].as_u64()).sum();
                let said = if components.len() > 1 { "its components have " } else { "" };
                let said = format!("The model is partial: {said}{open} transition");
                assert!(open == 0 || called.stdout.contains(&said), "{}", called.stdout);
                assert!(!called.stdout.contains("DIFFERS"), "{}", called.stdout);
            }
            let model = format!("{out}/model.dot");
            place.call(&["show", &model]).ended(0);
        }
        assert!(partial >= 2, "{algorithm}: {partial}");
    }
    // A table gives no model before it is full.
    let limit = ["--algorithm", "l-star", "--max-symbols", "1", "--out", "table"];
    let called = place.call(&[&["learn", "--model", "lamp.dot"][..], &limit].concat()).ended(3);
    assert!(called.stdout.contains("there is no model"), "{}", called.stdout);
}
