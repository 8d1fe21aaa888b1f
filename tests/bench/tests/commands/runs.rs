//! What learning suites of models costs, and what older models save.

use std::fmt::Write;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::workplace::{CLOCK, LAMP, Workplace};

/// The example in Figure 2 of the paper: two rings of three states.
const RINGS: &str = r#"digraph {
  __start0 -> r0;
  r0 -> r1 [label="a / y"]; r1 -> r2 [label="a / z"]; r2 -> r0 [label="a / x"];
  r0 -> l0 [label="b / x"]; r1 -> l1 [label="b / y"]; r2 -> l2 [label="b / z"];
  l0 -> l2 [label="a / z"]; l1 -> l0 [label="a / x"]; l2 -> l1 [label="a / y"];
  l0 -> r0 [label="b / x"]; l1 -> r1 [label="b / y"]; l2 -> r2 [label="b / z"];
}
"#;

/// A folder with two suites of models, and one that is none.
fn workplace() -> Workplace {
    let workplace = Workplace::new(&[]);
    for (name, text) in [
        ("models/paper/rings.dot", RINGS),
        ("models/home/lamp.dot", LAMP),
        ("models/home/clock.dot", CLOCK),
        ("models/home/torn.dot", "digraph { 0 -> "),
    ] {
        let path = workplace.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    workplace
}

fn rows(workplace: &Workplace) -> Vec<Vec<String>> {
    let text = fs::read_to_string(workplace.path("out/mealybug.csv")).expect("rows");
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn a_row_says_what_a_run_cost() {
    let workplace = workplace();
    workplace.call(&["run", "models", "--out", "out", "--tests", "perfect"]).ended(7);
    let mut rows = rows(&workplace);
    rows.sort();
    let of = |row: &Vec<String>, columns: &[usize]| -> Vec<String> {
        columns.iter().map(|&column| row[column].clone()).collect()
    };
    assert_eq!(rows.len(), 6);
    // Model, algorithm, tests, seed, stages, states, symbols of learning and testing, outcome.
    let columns = [1, 2, 3, 4, 5, 6, 12, 14, 19];
    assert_eq!(
        of(&rows[4], &columns),
        ["rings.dot", "l-star", "perfect", "0", "1", "6", "80", "0", "exact"]
    );
    assert_eq!(
        of(&rows[5], &columns),
        ["rings.dot", "ol-star", "perfect", "0", "1", "6", "36", "0", "exact"]
    );
}

#[test]
fn learners_with_a_tree_have_rows_without_rows_of_a_table() {
    let workplace = workplace();
    let learners = "ol-sharp,l-sharp,ol-star,l-star";
    let run = ["run", "models/paper", "--out", "out", "--algorithms", learners];
    let called = workplace.call(&[&run[..], &["--tests", "perfect"]].concat()).ended(0);
    assert!(called.stdout.contains("ol-sharp"), "{}", called.stdout);
    let mut rows = rows(&workplace);
    rows.sort();
    // Algorithm, states, short rows, inconsistent count, zero outputs count, outcome.
    let of = |row: &Vec<String>| [2, 6, 7, 8, 9, 19].map(|column: usize| row[column].clone());
    let rows: Vec<_> = rows.iter().map(of).collect();
    let expected = [
        ["l-sharp", "6", "", "", "", "exact"],
        ["l-star", "6", "6", "", "", "exact"],
        ["ol-sharp", "6", "", "", "0", "exact"],
        ["ol-star", "6", "3", "0", "0", "exact"],
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_run_that_is_there_is_not_made_again() {
    let workplace = workplace();
    let run = |more: &[&str]| {
        let run = [&["run", "models", "--out", "out", "--threads", "1"], more].concat();
        workplace.call(&run).ended(7)
    };
    let called = run(&["--seeds", "2"]);
    let last: Vec<_> = called.stderr.lines().rev().take(2).collect();
    assert_eq!(last, ["  home/torn.dot: expected a node", "failed: 1"], "{}", called.stderr);
    let first = rows(&workplace);
    assert_eq!(first.len(), 3 * 2 * 2, "models, algorithms, seeds");
    run(&["--seeds", "3"]).complains(&["12 of 18 runs have rows already"]);
    let more = rows(&workplace);
    assert_eq!(more[..12], first, "with their seconds");
    assert_eq!(more.len(), 18);
    assert!(more[12..].iter().all(|row| row[4] == "2"), "{more:?}");
}

#[test]
fn a_bench_that_was_killed_goes_on() {
    let workplace = workplace();
    let arguments = ["run", "models/paper", "--out", "out", "--tests", "perfect"];
    workplace.call(&arguments).ended(0);
    let path = workplace.path("out/mealybug.csv");
    let whole = fs::read_to_string(&path).expect("rows");
    for torn in [whole.len() - 20, 30] {
        fs::write(&path, &whole[..torn]).expect("a file");
        workplace.call(&arguments).ended(0).complains(&["the last line", "was not whole"]);
        assert_eq!(rows(&workplace).len(), 2);
    }
}

/// A lock that no random word opens: `a` and `b` in an order that is hard to guess.
fn safe() -> String {
    let mut text = String::from("digraph {\n");
    let digits = 60;
    for at in 0..digits {
        let next = (at + 1) % digits;
        let (right, wrong) = if at * at % 7 % 2 == 0 { ("a", "b") } else { ("b", "a") };
        let output = if next == 0 { "open" } else { "shut" };
        writeln!(text, "{at} -> {next} [label=\"{right} / {output}\"];").expect("a string");
        writeln!(text, "{at} -> 0 [label=\"{wrong} / shut\"];").expect("a string");
    }
    text + "}"
}

#[test]
fn ctrl_c_ends_it_and_the_caps_end_a_run() {
    let workplace = workplace();
    fs::write(workplace.path("models/paper/safe.dot"), safe()).expect("a file");
    let run = |more: &[&str]| {
        let run = ["run", "models/paper", "--out", "out", "--algorithms", "l-star"];
        // Rows come in the order of the models.
        workplace.command(&[&run[..], &["--seeds", "1", "--threads", "1"], more].concat())
    };
    let endless = ["--max-symbols", "100000000000", "--max-time", "1h"];
    let child = run(&endless).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("it starts");
    let started = Instant::now();
    while !fs::read_to_string(workplace.path("out/mealybug.csv"))
        .is_ok_and(|text| text.contains("rings"))
    {
        assert!(started.elapsed() < Duration::from_secs(60), "the small model is learned first");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).expect("it is there");
    let called: crate::workplace::Called = child.wait_with_output().expect("it ends").into();
    called
        .ended(130)
        .complains(&["stopped; runs that are left: 1; the same command continues with them"]);
    assert_eq!(rows(&workplace).len(), 1);

    run(&["--max-symbols", "1000"]).output().expect("it starts");
    let of = |rows: &[Vec<String>], at: usize| -> Vec<String> {
        [1, 5, 6, 19, 20].iter().map(|&column| rows[at][column].clone()).collect()
    };
    let known = rows(&workplace);
    assert_eq!(of(&known, 1), ["safe.dot", "1", "60", "max-symbols", "1"]);
    assert!((1000..1100).contains(&known[1][14].parse::<u64>().expect("a number")), "{known:?}");

    run(&["--max-time", "10ms", "--tests", "random-words"]).output().expect("it starts");
    let known = rows(&workplace);
    assert_eq!(of(&known, 3), ["safe.dot", "1", "60", "time-out", "1"]);
    run(&["--tests", "wp:0"]).output().expect("it starts");
    let known = rows(&workplace);
    assert_eq!(of(&known, 5), ["safe.dot", "1", "60", "wrong", "1"]);
}

#[test]
fn rows_of_other_versions_and_limits_are_not_mixed() {
    let workplace = workplace();
    let run = |more: &[&str]| {
        let run = ["run", "models/paper", "--out", "out", "--algorithms", "l-star", "--seeds", "1"];
        workplace.call(&[&run[..], more].concat())
    };
    run(&[]).ended(0);
    let [version, limits] = &rows(&workplace)[0][21..] else { panic!("two more columns") };
    assert!(!version.is_empty());
    assert_eq!(limits, "--max-symbols 2000000 --max-time 10m");
    run(&["--max-time", "1h"]).ended(0);
    let path = workplace.path("out/mealybug.csv");
    let learned = fs::read_to_string(&path).expect("rows");
    fs::write(&path, learned.replace(",exact,", ",time-out,")).expect("a file");
    run(&[]).ended(0);
    run(&["--max-time", "1h"]).ended(1).complains(&[
        "a run in out/mealybug.csv was ended by other limits",
        "--max-symbols 2000000 --max-time 10m",
        "paper/rings.dot: l-star, random-wp, seed 0",
    ]);

    // A file of an older version has no such columns: it can be read.
    let old: Vec<_> =
        learned.lines().map(|line| line.rsplitn(3, ',').last().expect("one")).collect();
    fs::write(&path, old.join("\n") + "\n").expect("a file");
    let summary = || workplace.call(&["summary", "out"]);
    summary().ended(0);
    let other = format!("unknown instead of {version}");
    run(&[]).ended(1).complains(&["has rows of another version of mealybug-bench", &other]);
    fs::write(workplace.path("out/newer.csv"), &learned).expect("a file");
    let both = format!("{version}, unknown");
    summary().ended(1).complains(&["rows of l-star with random-wp in out are of different", &both]);
}

#[test]
fn rows_of_another_model_of_the_same_name_are_not_reused() {
    let workplace = workplace();
    let lamp = "models/home/lamp.dot";
    fs::write(workplace.path("pairs.csv"), "old,new\nhome/clock.dot,home/lamp.dot\n")
        .expect("a file");
    let commands: [&[&str]; 3] = [
        &["run", lamp, "--tests", "perfect"],
        &["verdicts", lamp, "--seeds", "1"],
        &["pairs", "pairs.csv", "--models", "models", "--tests", "perfect"],
    ];
    let call = |arguments: &[&str]| workplace.call(&[arguments, &["--out", arguments[0]]].concat());
    let make = |text: &str| fs::write(workplace.path(lamp), text).expect("a file");
    for arguments in commands {
        make(LAMP);
        call(arguments).ended(0);
        make(CLOCK);
        let rows = format!("{}/mealybug.csv has rows of another model home/lamp.dot", arguments[0]);
        call(arguments).ended(1).complains(&[
            &rows,
            "it had 3 states, and has 6 now",
            "choose another folder with --out",
        ]);
        make(LAMP);
        call(arguments).ended(0);
    }
}

#[test]
fn summary_and_plots_are_made_of_all_that_is_there() {
    let workplace = workplace();
    let learners = "ol-star,l-star,decompose";
    let arguments = ["run", "models", "--out", "out", "--seeds", "1", "--algorithms", learners];
    let said = workplace.call(&arguments).ended(7).stdout;
    assert!(said.contains("home, tests: random-wp"), "{said}");
    // What another program measured, and a file that is none of ours.
    let csv = fs::read_to_string(workplace.path("out/mealybug.csv")).expect("rows");
    let other: Vec<_> = csv.lines().map(|line| line.replace("l-star", "learnlib-ttt")).collect();
    fs::write(workplace.path("out/learnlib.csv"), other.join("\n") + "\n").expect("a file");
    fs::remove_file(workplace.path("out/summary.txt")).expect("it was made");
    let again = workplace.call(&["summary", "out"]).ended(0).stdout;
    assert!(again.contains("learnlib-ttt") && again.contains("decompose"), "{again}");
    let files = workplace.files("out");
    assert_eq!(files["summary.txt"], again);
    assert!(files["learners-random-wp.svg"].contains("learnlib-ttt"));
    assert!(files.contains_key("symbols-home-random-wp.svg"));
    assert!(files.contains_key("queries-paper-random-wp.svg"));
    workplace.call(&["summary", "models"]).ended(1).complains(&["no results in models"]);
    workplace
        .call(&["summary", "nowhere"])
        .ended(1)
        .complains(&["there is no folder nowhere", "--out"]);
}

#[test]
fn what_cannot_be_done_is_said() {
    let workplace = workplace();
    let refused = |arguments: &[&str], code, parts: &[&str]| {
        let called = workplace.call(&[&["run"], arguments].concat());
        called.ended(code).complains(parts);
    };
    refused(&["nowhere", "--out", "out"], 1, &["cannot read nowhere", "a suite is"]);
    fs::create_dir(workplace.path("empty")).expect("a folder");
    refused(&["empty", "--out", "out"], 1, &["no models in empty"]);
    refused(&["--out", "out"], 2, &["SUITE"]);
    refused(&["models", "--out", "out", "--tests", "w"], 2, &["perfect"]);
    for time in ["0s", "10M", "soon"] {
        let said = [time, "write a time above 0, such as 500ms"];
        refused(&["models", "--out", "out", "--max-time", time], 2, &said);
    }
    assert!(!workplace.path("out").exists(), "nothing is made");
    fs::write(workplace.path("file"), "").expect("a file");
    refused(&["models", "--out", "file"], 6, &["cannot use file"]);
    fs::create_dir(workplace.path("other")).expect("a folder");
    fs::write(workplace.path("other/mealybug.csv"), "a,b\n1,2\n").expect("a file");
    refused(&["models", "--out", "other"], 1, &["other columns"]);
    let torn = "models/home/torn.dot";
    refused(&[torn, "--out", "none"], 7, &["failed: 1", "home/torn.dot: expected"]);
    let latin1 = b"digraph { 0 -> 0 [label=\"dr\xFCcken / an\"]; }";
    fs::write(workplace.path("latin1.dot"), latin1).expect("a file");
    let encoding = ["the file is not UTF-8: byte 28 of line 1 is 0xFC", "iconv -f latin1"];
    refused(&["latin1.dot", "--out", "none"], 7, &encoding);
    let text = fs::read_to_string(workplace.path("other/mealybug.csv")).expect("a file");
    assert_eq!(text, "a,b\n1,2\n", "it is left as it is");
}

#[test]
fn pairs_say_what_an_older_model_saves() {
    let workplace = workplace();
    let clock = CLOCK.replace("3 -> 4 [label=\"go / tick\"]", "3 -> 4 [label=\"go / tack\"]");
    let (list, other) = ("old,new,inputs\n", "home/lamp.dot,home/clock.dot,renamed\n");
    let pair = "home/old.dot,home/clock.dot,same\n";
    for (name, text) in [
        ("models/home/old.dot", clock.as_str()),
        ("versions.csv", &format!("{list}{pair}")),
        ("unrelated.csv", &format!("{list}{other}")),
    ] {
        fs::write(workplace.path(name), text).expect("a file");
    }
    let pairs = |list: &str| {
        let what = ["--algorithms", "l-sharp,ol-star", "--tests", "perfect", "--out", "out"];
        workplace.call(&[&["pairs", list, "--models", "models"], &what[..]].concat()).ended(0);
        rows(&workplace)
    };
    // Without, with the older one and with itself, for each learner.
    let first = pairs("versions.csv");
    assert_eq!(first.len(), 6);
    let of = |row: &Vec<String>| [0, 1, 2, 15].map(|column: usize| row[column].clone());
    let like = |like: &str| ["home/clock.dot", like, "l-sharp", "exact"].map(str::to_owned);
    let expected = ["", "home/old.dot", "home/clock.dot"].map(like);
    let mut found: Vec<_> = first.iter().map(of).filter(|row| row[2] == "l-sharp").collect();
    found.sort_by_key(|row| expected.iter().position(|expected| expected == row));
    assert_eq!(found, expected);
    // Its own advice is never wrong.
    let own = first.iter().filter(|row| row[1] == "home/clock.dot");
    assert!(own.clone().all(|row| row[11] == row[13]) && own.clone().any(|row| row[11] != "0"));
    let text = fs::read_to_string(workplace.path("out/versions.txt")).expect("a summary");
    assert!(text.contains("perfect      l-sharp    older model      1 "), "{text}");
    // What is there is not run again, whichever list it is of.
    let second = pairs("unrelated.csv");
    assert_eq!((second.len(), &second[..6]), (8, &first[..]));
    assert_eq!(pairs("versions.csv"), second);
    // The summary alone, without the models.
    fs::remove_file(workplace.path("out/versions.txt")).expect("it was made");
    let summary = |options: &[&str]| workplace.call(&[&["summary", "out"], options].concat());
    assert_eq!(summary(&["--pairs", "versions.csv"]).ended(0).stdout, text);
    assert_eq!(workplace.files("out")["versions.txt"], text);
    summary(&[]).ended(1).complains(&["the rows in out are of pairs", "--pairs LIST"]);
    let none = ["pairs", "none.csv", "--models", "models", "--out", "out"];
    workplace.call(&none).ended(1).complains(&["cannot use none.csv", "the columns old and new"]);
}

#[test]
fn verdicts_have_the_defaults_of_the_tool_and_say_what_is_left_out() {
    let workplace = workplace();
    let verdicts = |more: &[&str]| {
        let verdicts = ["verdicts", "models/paper", "models/home/lamp.dot", "--out", "out"];
        workplace.call(&[&verdicts[..], &["--seeds", "1"], more].concat())
    };
    let said = verdicts(&["--max-transitions", "10"]).ended(0);
    said.complains(&["1 model with more than 10 transitions is left out"]);
    assert!(said.stdout.contains("ol-sharp  home "), "{}", said.stdout);
    let of = |row: &Vec<String>| [1, 2, 3].map(|column: usize| row[column].clone());
    let known: Vec<_> = rows(&workplace).iter().map(of).collect();
    assert_eq!(known, [["lamp.dot", "ol-sharp", "mixture"]]);
    verdicts(&["--max-transitions", "1"]).ended(1).complains(&["each model has more than 1"]);
    let said = verdicts(&["--tests", "mixture,coverage"]).ended(0).stdout;
    assert!(said.contains("ol-sharp  paper "), "{said}");
    assert!(said.contains("Not counted, since their tests are not mixture: runs with coverage 2."));
    let again = workplace.call(&["summary", "out"]).ended(0).stdout;
    assert_eq!(again, said);
    // They have limits of their own.
    verdicts(&["--max-time", "1s"]).ended(2);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let workplace = workplace();
    workplace.call(&["run", "models/paper", "--out", "out", "--tests", "perfect"]).ended(0);
    let full = || fs::File::create("/dev/full").expect("a device of Linux");
    let artificial = ["generate", "artificial", "--machines", "2", "--states", "3"];
    for arguments in [&["summary", "out"][..], &artificial] {
        let output = workplace.command(arguments).stdout(full()).output().expect("it starts");
        let called: crate::workplace::Called = output.into();
        called.ended(6).complains(&["cannot write standard output"]);
    }
}
