//! Names of states: from device files and files beside models into all that shows a model.

use serde_json::Value;

use super::workplace::{LAMP, SimulatedPort, Workplace};

/// The lamp of [`LAMP`] with names.
const NAMES: &str = "# by hand\noff = ''\ndimmed = 'press'\n\"very bright\" = 'press press'\n";

/// The lamp in a version that answers a long press otherwise when it is bright.
fn new_lamp() -> String {
    LAMP.replace(r#"bright -> off [label="hold / off"]"#, r#"bright -> dim [label="hold / dim"]"#)
}

/// What a command writes for a model, from a folder with these files.
fn show(place: &Workplace, model: &str, format: &str) -> String {
    place.call(&["show", model, "--format", format]).ended(0).stdout
}

/// Whether all parts are in a text.
#[track_caller]
fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

/// The simulated lamp with these tables in its device file. The first line of the tables has the number that is returned.
fn lamp_with(place: &Workplace, tables: &str) -> (SimulatedPort, usize) {
    let device = SimulatedPort::start(place, &["lamp.dot", "--write-device", "device.toml"]);
    let path = place.path("device.toml");
    let text = std::fs::read_to_string(&path).expect("a device file");
    std::fs::write(&path, format!("{text}{tables}")).expect("it can be written");
    (device, text.lines().count() + 1)
}

#[test]
fn names_of_a_device_file_are_wherever_the_model_is() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let tables = "[[state]]\nname = \"all off\"\nword = \"\"\n[[state]]\nname = \"dark\"\nword = \"hold\"\n\
                  [[state]]\nname = \"lit\"\noutput = \"bright\"\n[[state]]\nname = \"half\"\noutput = \"dimm\"\n";
    let (device, line) = lamp_with(&place, tables);
    let learn = ["learn", "--port", &device.port, "device.toml", "--out", "run"];
    let called = place.call(&learn).ended(0);
    let notes = [
        format!(
            "{}: `dark` names no state: its state is called `all off`; one of the names is too many, or the model has too few states",
            line + 3
        ),
        format!(
            "{}: `half` names no state: no transition is known to have the output `dimm`: did you mean `dim`?",
            line + 9
        ),
    ];
    let warnings = place.statistics("run")["warnings"].clone();
    assert_eq!(warnings.as_array().map(Vec::len), Some(2), "{warnings}");
    let files = place.files("run");
    for note in &notes {
        holds(&called.stdout, &["Note: ", note]);
        holds(&warnings.to_string(), &[note]);
        holds(&files["report.html"], &[note]);
    }
    holds(
        &files["model.dot"],
        &["s0 [label=\"all off\"];", "s1 [label=\"s1\"];", "s2 [label=\"lit\"];"],
    );
    let hypotheses = files.iter().filter(|(file, _)| file.starts_with("hypotheses/"));
    let called = hypotheses.map(|(_, text)| holds(text, &["s0 [label=\"all off\"];"])).count();
    assert!(called > 0, "{:?}", files.keys());
    holds(&files["model.svg"], &[">0 all off</text>", ">1</text>", ">2 lit</text>"]);
    holds(
        &files["report.html"],
        &[
            ">0 all off</text>",
            "<b>lit</b>",
            "→ lit",
            "\"called\":{\"0\":\"all off\",\"2\":\"lit\"}",
        ],
    );
    let own = "\"all off\" = \"\"\nlit = \"press press\"\n";
    assert!(files["states.toml"].ends_with(own), "{}", files["states.toml"]);
    let table = show(&place, "run", "table");
    holds(&table, &["0 all off", "dim > 1", "bright > lit", "off > all off"]);
    assert_eq!(table, show(&place, "run/model.dot", "table"));
    let json: Value = serde_json::from_str(&show(&place, "run", "json")).expect("JSON");
    let names = serde_json::json!([{"state": 0, "name": "all off"}, {"state": 2, "name": "lit"}]);
    assert_eq!(json["names"], names);
    holds(&show(&place, "run", "mermaid"), &["\n    s0 : all off\n"]);
    holds(&show(&place, "run", "plantuml"), &["\nstate \"all off\" as s0\n"]);
    holds(&show(&place, "run", "scxml"), &["<state id=\"s0\"><!-- all off -->"]);
    holds(&show(&place, "run", "svg"), &[">2 lit</text>"]);

    // Other names ask nothing of the device, and what the user wrote stays.
    let path = place.path("device.toml");
    let text =
        std::fs::read_to_string(&path).expect("a device file").replace("\"lit\"", "\"shining\"");
    std::fs::write(&path, text).expect("it can be written");
    let resume = ["learn", "--resume", "run", "--device", "device.toml"];
    place.call(&resume).ended(0);
    assert_eq!(place.statistics("run")["device"]["symbols"], 0);
    holds(&place.files("run")["states.toml"], &["shining = \"press press\"\n"]);
    std::fs::write(place.path("run/states.toml"), "bright = 'press press'\nlost = 'press blink'\n")
        .expect("a file");
    let called = place.call(&resume).ended(0);
    holds(&called.stdout, &["states.toml:2: `lost` names no state: there is no input `blink`"]);
    let files = place.files("run");
    assert_eq!(files["states.toml"], "bright = 'press press'\nlost = 'press blink'\n");
    holds(&files["model.dot"], &["s2 [label=\"bright\"];", "s0 [label=\"all off\"];"]);
    // A file that cannot be read costs nothing but its names.
    std::fs::write(place.path("run/states.toml"), "\nbright = 5\n").expect("a file");
    let called = place.call(&resume).ended(0);
    holds(&called.stdout, &["run/states.toml:2: the word of this name is not text.\n"]);
    let files = place.files("run");
    assert_eq!(files["states.toml"], "\nbright = 5\n");
    holds(&files["model.dot"], &["s2 [label=\"shining\"];"]);
}

#[test]
fn a_wrong_device_file_is_told_of_before_anything_is_asked() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let (device, _) = lamp_with(&place, "[[state]]\nname = \"lit\"\nword = \"press pres\"\n");
    let called = place.call(&["learn", "--port", &device.port, "device.toml", "--out", "run"]);
    called.ended(1).complains(&["there is no input `pres`: did you mean `press`?", "device.toml:"]);
    assert!(!place.path("run").exists());
}

#[test]
fn differences_are_told_with_the_names_of_states() {
    let files = [("golden.dot", LAMP), ("golden.states.toml", NAMES), ("new.dot", &new_lamp())];
    let place = Workplace::new(&files);
    let text =
        place.call(&["diff", "golden.dot", "new.dot", "--html", "diff.html"]).ended(1).stdout;
    holds(
        &text,
        &["1. press press hold\n       A in the state `very bright`: off\n       B: dim\n"],
    );
    let html = std::fs::read_to_string(place.path("diff.html")).expect("a page");
    holds(&html, &[">2 very bright</text>"]);
    let test = ["test", "golden.dot", "--model", "new.dot"];
    let text = place.call(&[&test[..], &["--junit", "report.xml"]].concat()).ended(1).stdout;
    let said = "DIFFERENT after a reset and `press press hold`, where `hold` comes in the state `very bright`:\n";
    holds(&text, &[said]);
    let junit = std::fs::read_to_string(place.path("report.xml")).expect("a file");
    holds(&junit, &["after press press (very bright)", "from a reset (off)"]);
    let events = place.call(&[&test[..], &["--json"]].concat()).ended(1).events();
    let difference = events.iter().find(|event| event["event"] == "difference").expect("one");
    assert_eq!(difference["state"], "very bright");
}

#[test]
fn a_device_file_names_the_states_of_a_golden_model() {
    let place = Workplace::new(&[
        ("lamp.dot", LAMP),
        ("golden.dot", &new_lamp()),
        ("golden.states.toml", "off = ''"),
    ]);
    let (device, _) = lamp_with(&place, "[[state]]\nname = \"lit\"\nword = \"press press\"\n");
    let test = ["test", "golden.dot", "--port", &device.port, "device.toml"];
    let called = place.call(&test).ended(1);
    holds(&called.stdout, &["where `hold` comes in the state `lit`:\n"]);
}

#[test]
fn a_model_that_is_learned_anew_keeps_the_names_that_fit() {
    let place =
        Workplace::new(&[("old.dot", LAMP), ("old.states.toml", NAMES), ("new.dot", &new_lamp())]);
    let learn = |model: &str, out: &str, more: &[&str]| {
        let called =
            place.call(&[&["learn", "--model", model, "--out", out], more].concat()).ended(0);
        (called.stdout, place.files(out))
    };
    let (said, files) = learn("old.dot", "same", &[]);
    assert!(!said.contains("carried over"), "{said}");
    holds(
        &files["states.toml"],
        &["off = \"\"\n", "dimmed = \"press\"\n", "\"very bright\" = \"press press\"\n"],
    );
    for like in ["old.dot", "same"] {
        let out = format!("like-{like}");
        let (said, files) = learn("new.dot", &out, &["--like", like]);
        let note = format!(
            "Note: `very bright` of {like} is not carried over: `hold` after `press press` is answered `dim`, no longer \
             `off`.\n"
        );
        holds(&said, &[&note]);
        let own = &files["states.toml"];
        assert!(own.ends_with("off = \"\"\ndimmed = \"press\"\n"), "{own}");
        holds(&files["older/1.states.toml"], &["\"very bright\" = \"press press\"\n"]);
    }
}

#[test]
fn names_that_are_wrong_or_hostile_do_no_harm() {
    let hostile = "\"</script><script>alert(1)</script>\" = ''\n'\"] -> s1 [label=\"a/b\"]; //' = 'press'\n\
                   gone = 'press blink'\n";
    let place = Workplace::new(&[("lamp.dot", LAMP), ("lamp.states.toml", hostile)]);
    let called = place.call(&["learn", "--model", "lamp.dot", "--out", "run"]).ended(0);
    let note = "Note: lamp.states.toml:3: `gone` names no state: there is no input `blink`; the inputs are `press`, `hold`.\n";
    assert_eq!(called.stderr.matches(note).count(), 1, "{}", called.stderr);
    let files = place.files("run");
    assert!(!files["report.html"].contains("<script>alert"), "{}", files["report.html"]);
    assert!(!files["model.svg"].contains("<script"), "{}", files["model.svg"]);
    place.call(&["diff", "lamp.dot", "run/model.dot"]).ended(0);
    holds(&show(&place, "run/model.dot", "table"), &["0 </script><script>alert(1)</script>"]);

    for (text, said) in [
        ("off = 5", "the word of this name is not text"),
        ("\"a\\u202eb\" = ''", "a state cannot be called so: it has a hidden character, U+202E"),
        ("\"a\\nb\" = ''", "a state cannot be called so: it has a hidden character, U+000A"),
        (
            &format!("{} = ''", "x".repeat(61)),
            "a state cannot be called so: it has more than 60 characters",
        ),
        ("off", "this is not TOML"),
    ] {
        std::fs::write(place.path("lamp.states.toml"), text).expect("a file");
        let called = place.call(&["show", "lamp.dot"]).ended(1);
        called.complains(&[said, "lamp.states.toml:1:", "each line is a name and a word"]);
    }
}
