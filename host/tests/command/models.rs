//! Shows and compares models in files.

use serde_json::Value;

use super::workplace::{CLOCK, Called, LAMP, Workplace};

/// The lamp, except that a long press leaves it on when it is bright.
const STICKY: &str = r#"digraph sticky {
  off -> dim [label="press / dim"];
  dim -> bright [label="press / bright"];
  bright -> off [label="press / off"];
  off -> off [label="hold / nothing"];
  dim -> off [label="hold / off"];
  bright -> bright [label="hold / bright"];
}
"#;

fn place() -> Workplace {
    let files = [("lamp.dot", LAMP), ("sticky.dot", STICKY), ("clock.dot", CLOCK)];
    let place = Workplace::new(&files);
    let learn = ["learn", "--model", "lamp.dot", "--projections", "per-output", "--out", "run"];
    place.call(&learn).ended(0);
    place
}

#[test]
fn a_model_is_shown_in_each_format_and_from_each_kind_of_file() {
    let place = place();
    let table = place.call(&["show", "lamp.dot"]).ended(0).stdout;
    assert!(table.contains("  0      dim > 1     nothing\n"), "{table}");
    // A run numbers its outputs differently, but its states the same.
    for file in ["run", "run/result.postcard", "run/model.dot", "run/hypotheses/1.dot"] {
        let shown = place.call(&["show", file]).ended(0).stdout;
        let states = if file.contains("hypotheses") { 1.. } else { 3.. };
        assert!(states.contains(&(shown.lines().count() - 1)), "{file}:\n{shown}");
    }
    assert_eq!(place.call(&["show", "run"]).ended(0).stdout, table);
    let json = place.call(&["show", "run", "--format", "json"]).ended(0).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["states"], &json["converged"]), (&3.into(), &true.into()));
    let mermaid = place.call(&["show", "run", "--format", "mermaid"]).ended(0).stdout;
    assert!(mermaid.contains("s0 --> s1 : press / dim\n"), "{mermaid}");
    let plantuml = place.call(&["show", "run", "--format", "plantuml"]).ended(0).stdout;
    assert!(plantuml.contains("s0 --> s1 : press / dim\n"), "{plantuml}");
    let scxml = place.call(&["show", "run", "--format", "scxml"]).ended(0).stdout;
    assert!(scxml.contains("<transition event=\"press\" target=\"s1\">"), "{scxml}");

    let arguments = ["show", "run", "--format", "dot", "--out", "again.dot"];
    assert_eq!(place.call(&arguments).ended(0).stdout, "");
    place.call(&["diff", "again.dot", "lamp.dot"]).ended(0);
    let component = place.call(&["show", "run", "--component", "bright"]).ended(0).stdout;
    assert!(component.contains("bright > "), "{component}");
    assert!(component.contains('·'), "{component}");
}

/// Two lights with a button each.
const LIGHTS: &str = r#"digraph lights {
  s0 -> s1 [label="hall/on"];
  s0 -> s2 [label="attic/on"];
  s1 -> s0 [label="hall/off"];
  s1 -> s3 [label="attic/on"];
  s2 -> s3 [label="hall/on"];
  s2 -> s0 [label="attic/off"];
  s3 -> s2 [label="hall/off"];
  s3 -> s1 [label="attic/off"];
}
"#;

#[test]
fn a_model_is_explained_by_its_modules() {
    let place = Workplace::new(&[("lights.dot", LIGHTS), ("lamp.dot", LAMP)]);
    let shown = place.call(&["show", "lights.dot", "--modules"]).ended(0).stdout;
    let expected = "This device is 2 machines side by side:\n  hall (2 states; inputs: hall)\n  \
                    attic (2 states; inputs: attic)\nAs one machine it has 4 states.\n\n\
                    hall\n  state  hall\n";
    assert!(shown.starts_with(expected), "{shown}");
    let shown = place.call(&["show", "lamp.dot", "--modules"]).ended(0).stdout;
    assert!(shown.starts_with("This device is one machine of 3 states"), "{shown}");

    let json = ["show", "lights.dot", "--modules", "--format", "json"];
    let json: Value = serde_json::from_str(&place.call(&json).ended(0).stdout).expect("JSON");
    assert_eq!(json["modules"][1]["name"], "attic");
    assert_eq!(json["modules"][1]["knows"]["inputs"][0], "attic");
    assert_eq!(json["modules"][1]["machine"]["states"], 2);

    let dot = ["show", "lights.dot", "--modules", "--format", "dot"];
    place.call(&dot).ended(2).complains(&["a file of its own", "add --out FOLDER"]);
    place.call(&[&dot[..], &["--out", "parts"]].concat()).ended(0);
    let files = place.files("parts");
    assert_eq!(files.keys().collect::<Vec<_>>(), ["attic.dot", "hall.dot"]);
    let hall = place.call(&["show", "parts/hall.dot"]).ended(0).stdout;
    assert!(hall.contains("0      on > 1"), "{hall}");
    let both = ["show", "lights.dot", "--modules", "--component", "x"];
    place.call(&both).ended(2).complains(&["cannot be used with"]);
}

#[test]
fn a_partial_model_is_not_divided() {
    let partial = LIGHTS.replace("  s3 -> s1 [label=\"attic/off\"];\n", "");
    let place = Workplace::new(&[("partial.dot", &partial)]);
    let show = ["show", "partial.dot", "--modules"];
    place.call(&show).ended(1).complains(&["1 transition never asked", "--complete-with"]);
    let completed = place.call(&[&show[..], &["--complete-with", "?"]].concat()).ended(0).stdout;
    assert!(completed.starts_with("completed: "), "{completed}");
}

#[test]
fn a_run_writes_its_modules_if_they_are_several() {
    let place = Workplace::new(&[("lights.dot", LIGHTS), ("lamp.dot", LAMP)]);
    place.call(&["learn", "--model", "lights.dot", "--out", "lights"]).ended(0);
    let statistics = place.statistics("lights");
    assert_eq!(statistics["modules"][0]["name"], "hall");
    assert_eq!(statistics["modules"][0]["file"], "hall.dot");
    let files = place.files("lights");
    for file in ["modules/hall.dot", "modules/hall.svg", "modules/attic.dot", "modules/attic.svg"] {
        assert!(files.contains_key(file), "{file}");
    }
    assert!(files["report.html"].contains("This device is 2 machines side by side."));
    place.call(&["learn", "--model", "lamp.dot", "--out", "lamp"]).ended(0);
    assert_eq!(place.statistics("lamp")["modules"].as_array().map(Vec::len), Some(0));
    let files = place.files("lamp");
    assert!(files.keys().all(|file| !file.starts_with("modules")), "{:?}", files.keys());
    assert!(files["report.html"].contains("This device is one machine of 3 states"));
}

#[test]
fn what_cannot_be_shown_is_told_of() {
    let place = place();
    let latin1 = b"digraph {\n 0 -> 0 [label=\"dr\xFCcken / an\"]; }";
    for name in ["latin1.dot", "latin1"] {
        std::fs::write(place.path(name), latin1).expect("a file");
    }
    std::fs::write(place.path("noise"), [0xFC; 20]).expect("a file");
    let encoding = ["the file is not UTF-8: byte 19 of line 2 is 0xFC", "iconv -f latin1 -t utf8"];
    let cases: [(&[&str], &[&str]); 7] = [
        (&["latin1.dot"], &encoding),
        (&["latin1"], &encoding),
        (&["noise"], &["noise is neither a DOT file nor the result of a run"]),
        (
            &["run", "--component", "dimm"],
            &["no component `dimm`", "there are `dim`, `", "`bright`"],
        ),
        (&["lamp.dot", "--component", "dim"], &["a DOT file is one machine"]),
        (&["nothing.dot"], &["cannot read the model nothing.dot"]),
        (&["."], &["holds neither result.postcard nor model.dot"]),
    ];
    let called = place.call(&["show", "lamp.dot", "--out", "no/such/file"]).ended(6);
    called.complains(&["cannot write no/such/file"]);
    for (arguments, complaints) in cases {
        let called = place.call(&[&["show"], arguments].concat()).ended(1);
        called.complains(complaints);
    }
}

#[test]
fn graphviz_draws_pictures_only_and_must_be_installed() {
    let place = place();
    let called = place.call(&["show", "lamp.dot", "--engine", "dot"]).ended(2);
    called.complains(&["--engine dot draws pictures only", "add --format svg"]);
    let draw = ["show", "lamp.dot", "--format", "svg", "--engine", "dot"];
    let called: Called = place.command(&draw).env("PATH", "").output().expect("it starts").into();
    called.ended(1).complains(&["cannot start `dot`", "install Graphviz"]);
}

#[test]
fn a_png_needs_a_program_that_makes_it() {
    let place = place();
    let draw = ["show", "lamp.dot", "--format", "png", "--out", "lamp.png"];
    let called: Called = place.command(&draw).env("PATH", "").output().expect("it starts").into();
    called.ended(1).complains(&["cannot start `rsvg-convert`", "librsvg2-bin", "--format svg"]);
    assert!(!place.path("lamp.png").exists());
}

#[test]
fn what_did_not_converge_says_so_wherever_it_is_shown() {
    let place = place();
    let arguments = ["learn", "--model", "clock.dot", "--rounds", "1", "--out", "early"];
    place.call(&arguments).ended(3);
    for format in ["table", "dot", "mermaid", "json", "svg"] {
        for file in ["early", "early/model.dot"] {
            let shown = place.call(&["show", file, "--format", format]).ended(0).stdout;
            assert!(shown.contains("NOT CONVERGED"), "{file}: {shown}");
        }
    }
    let called = place.call(&["diff", "early", "clock.dot"]).ended(0);
    assert!(called.stdout.contains("NOT CONVERGED"), "{}", called.stdout);
}

#[test]
fn equal_models_are_equal_and_others_are_told_apart_by_the_shortest_words() {
    let place = place();
    let called = place.call(&["diff", "lamp.dot", "run"]).ended(0);
    assert!(called.stdout.starts_with("Equal.\n  A: lamp.dot, 3 states"), "{}", called.stdout);
    let called = place.call(&["diff", "lamp.dot", "sticky.dot"]).ended(1);
    let difference = "\n  1. press press hold\n       A: off\n       B: bright\n";
    assert!(called.stdout.contains(difference), "{}", called.stdout);
    assert!(called.stdout.starts_with("DIFFERENT.\n"), "{}", called.stdout);
    assert!(called.stdout.contains("Behind these"), "{}", called.stdout);
    let called = place.call(&["diff", "lamp.dot", "sticky.dot", "--limit", "1"]).ended(1);
    assert!(called.stdout.contains("--limit shows more"), "{}", called.stdout);
    assert!(!called.stdout.contains("Behind these"), "{}", called.stdout);
    place.call(&["diff", "lamp.dot", "sticky.dot", "--limit", "0"]).ended(2);
    let called = place.call(&["diff", "lamp.dot", "clock.dot"]).ended(1);
    assert!(called.stdout.contains("Only A has the inputs `press`, `hold`."), "{}", called.stdout);
    assert!(called.stdout.contains("Only B has the inputs `go`, `back`."), "{}", called.stdout);
}

#[test]
fn both_models_are_on_one_page() {
    let place = place();
    let plain = place.call(&["diff", "lamp.dot", "sticky.dot"]).ended(1).stdout;
    let called = place.call(&["diff", "lamp.dot", "sticky.dot", "--html", "page.html"]).ended(1);
    assert_eq!(called.stdout, plain, "the terminal says it as well");
    let page = std::fs::read_to_string(place.path("page.html")).expect("written");
    for part in
        ["<h1>lamp.dot and sticky.dot</h1>", "− hold / off</text>", "+ hold / bright</text>"]
    {
        assert!(page.contains(part), "`{part}` is not in:\n{page}");
    }
    place.call(&["diff", "lamp.dot", "run", "--html", "page.html"]).ended(0);
    let page = std::fs::read_to_string(place.path("page.html")).expect("written again");
    assert!(page.contains("<strong>Equal.</strong>"), "{page}");
    let called = place.call(&["diff", "lamp.dot", "run", "--html", "none/page.html"]).ended(6);
    called.complains(&["cannot write none/page.html", "is there such a folder"]);
}

#[test]
fn a_model_that_cannot_be_read_is_no_difference() {
    let place = place();
    let called = place.call(&["diff", "lamp.dot", "nothing.dot"]).ended(2);
    called.complains(&["cannot read the model nothing.dot"]);
}

#[test]
fn models_without_a_common_input_are_not_called_equal() {
    let other = r#"digraph other { a -> a [label="ring / bell"]; }"#;
    let place = Workplace::new(&[("lamp.dot", LAMP), ("other.dot", other)]);
    let said = place.call(&["diff", "lamp.dot", "other.dot"]).ended(1).stdout;
    assert!(said.contains("No input is in both: there is nothing to compare."), "{said}");
    assert!(!said.contains("equal"), "{said}");
}

/// The lamp as a run that ended early may leave it: one target is a guess, and two inputs were
/// never asked.
const PARTIAL: &str = r#"digraph partial {
  off -> dim [label="press / dim"];
  dim -> bright [label="press / bright" style="dashed" open="true"];
  off -> off [label="hold / nothing"];
  bright -> bright [label="hold / bright"];
}
"#;

#[test]
fn a_partial_model_is_shown_compared_and_tested_as_far_as_it_knows() {
    let place =
        Workplace::new(&[("lamp.dot", LAMP), ("sticky.dot", STICKY), ("partial.dot", PARTIAL)]);
    let table = place.call(&["show", "partial.dot"]).ended(0).stdout;
    assert!(table.contains("  1      bright > 2?  ?\n"), "{table}");
    assert!(table.contains("never asked: 2\n"), "{table}");
    place.call(&["show", "partial.dot", "--format", "dot", "--out", "again.dot"]).ended(0);
    let again = place.call(&["show", "again.dot"]).ended(0).stdout;
    assert_eq!(again, table);
    let json = place.call(&["show", "partial.dot", "--format", "json"]).ended(0).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["unknown"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        json["transitions"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|t| t["open"] == true)
            .count(),
        1
    );
    let svg = place.call(&["show", "partial.dot", "--format", "svg"]).ended(0).stdout;
    assert!(svg.contains("dash") && svg.contains("? hold"), "{svg}");

    let called = place.call(&["diff", "partial.dot", "lamp.dot"]).ended(0);
    let said = "Equal where both know what follows.\n  A: partial.dot, 3 states when minimal; 1 transition open, 2 \
                never asked\n  B: lamp.dot, 3 states when minimal\n";
    assert!(called.stdout.starts_with(said), "{}", called.stdout);
    // Behind the guess nothing is compared, whatever A or B knows there.
    assert!(
        called.stdout.ends_with("3 transitions of A, 3 transitions of B.\n"),
        "{}",
        called.stdout
    );
    place.call(&["diff", "partial.dot", "sticky.dot"]).ended(0);

    // The other model differs from the lamp only where the partial model cannot judge.
    for model in ["lamp.dot", "sticky.dot"] {
        let called = place.call(&["test", "partial.dot", "--model", model]).ended(0);
        assert!(called.stdout.contains("3 of the 4 transitions of the model"), "{}", called.stdout);
        let said = "The model is partial: 1 transition open, 2 never asked.";
        assert!(called.stdout.contains(said), "{}", called.stdout);
    }
    let arguments = ["test", "partial.dot", "--model", "lamp.dot", "--junit", "report.xml"];
    place.call(&arguments).ended(0);
    let report = std::fs::read_to_string(place.path("report.xml")).expect("a file");
    assert!(
        report.contains("<property name=\"transitions never asked\" value=\"2\"/>"),
        "{report}"
    );
    let changed = PARTIAL.replace("press / bright", "press / dark");
    std::fs::write(place.path("changed.dot"), changed).expect("a file");
    let called = place.call(&["test", "changed.dot", "--model", "lamp.dot"]).ended(1);
    assert!(called.stdout.contains("after a reset and `press press`"), "{}", called.stdout);
    place.call(&["diff", "changed.dot", "lamp.dot"]).ended(1);
}

#[test]
fn a_partial_model_is_completed_for_other_tools() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("partial.dot", PARTIAL)]);
    let whole = ["show", "partial.dot", "--complete-with", "?", "--format", "dot", "--out"];
    place.call(&[&whole[..], &["whole.dot"]].concat()).ended(0);
    let table = place.call(&["show", "whole.dot"]).ended(0).stdout;
    let note = "completed: transitions never asked, which lead to s3 and answer `?`: 2\n";
    assert!(table.starts_with(note), "{table}");
    assert!(table.contains("  3      ?            ?\n"), "{table}");
    assert!(!table.contains("never asked: 2"), "{table}");
    place.call(&["test", "whole.dot", "--model", "whole.dot"]).ended(0);
    // What was made up is a difference.
    place.call(&["diff", "whole.dot", "lamp.dot"]).ended(1);
    let json = ["show", "lamp.dot", "--complete-with", "?", "--format", "json"];
    let json = place.call(&json).ended(0).stdout;
    assert!(json.contains("\"note\": null") && json.contains("\"states\": 3"), "{json}");
}

#[test]
fn who_needs_a_complete_model_says_what_a_partial_one_lacks() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("partial.dot", PARTIAL)]);
    let complaints = [
        "partial.dot is partial",
        "does not know what follows the word `press` on the input `hold`",
        "it lacks one more transition",
        "learn --resume",
    ];
    for arguments in [
        &["simulate", "partial.dot"][..],
        &["learn", "--model", "partial.dot", "--out", "run"],
        &["test", "lamp.dot", "--model", "partial.dot"],
    ] {
        place.call(arguments).ended(1).complains(&complaints);
    }
    assert!(!place.path("run").exists(), "nothing was learned");
}

#[test]
fn modules_of_a_partial_model_are_refused_or_completed() {
    let open = r#"digraph { s0 -> s1 [label="a / x"]; s1 -> s0 [label="a / y" open="true"]; }"#;
    let unknown = r#"digraph { s0 -> s1 [label="a / x"]; s1 -> s0 [label="b / y"]; }"#;
    let place = Workplace::new(&[("open.dot", open), ("unknown.dot", unknown)]);
    let show =
        |file: &str, more: &[&str]| place.call(&[&["show", file, "--modules"], more].concat());
    let complete = ["--complete-with", "?"];
    show("open.dot", &complete).ended(1).complains(&["1 transition open", "leaves as it is"]);
    show("unknown.dot", &[]).ended(1).complains(&["or say with --complete-with"]);
    let shown = show("unknown.dot", &complete).ended(0).stdout;
    assert!(shown.contains("which lead to a new state and answer `?`: 2"), "{shown}");
}
