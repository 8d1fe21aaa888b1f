//! Device files with the changes that a check proposes: the next check must like them better.

use super::*;

/// The reaction of a device to each line.
type Reacting = Box<dyn FnMut(&str, u32) -> Reaction>;

/// Checks a device again and again, each time with the changes that the check before has proposed, until there is none.
/// Returns the last check, and the file.
fn mended(text: &str, device: fn() -> Reacting) -> (Checked, String) {
    let mut text = text.to_owned();
    for _ in 0..4 {
        let report = checked_while(&text, device(), |_| true);
        let parsed = DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
        let mut file = EditableDeviceFile::new(parsed, &text).expect("TOML");
        let changes: Vec<_> = report.findings.iter().filter_map(|it| it.change.as_ref()).collect();
        if changes.is_empty() {
            return (report, text);
        }
        changes.into_iter().for_each(|change| file.apply(change));
        text = file.text();
    }
    panic!("there is always another change:\n{text}");
}

/// The answer to `look` after a reset, and whether nothing is wrong or slow.
fn judged((report, text): &(Checked, String)) -> &str {
    assert_eq!(report.findings, [], "{text}");
    report.evidence.first_answer(Input::new(0)).expect("an answer")
}

/// The file with a `match`, and with the shortest time to wait after it, too.
fn with_match(pattern: &str) -> [String; 2] {
    ["", "\ngrace_ms = 0"].map(|grace| {
        FILE.replace("lines = 1", &format!("match = '{pattern}'\nwithin_ms = 100{grace}"))
    })
}

#[test]
fn colours_after_a_prompt_are_no_part_of_it() {
    let device = || -> Reacting {
        let mut lamp = lamp(true);
        Box::new(move |line, number| match lamp(line, number).as_slice() {
            [] => Vec::new(),
            [(_, b"on\n")] => vec![(1, b"on\n\x1b[32mlamp> \x1b[m")],
            _ => vec![(1, b"off\n\x1b[32mlamp> \x1b[m")],
        })
    };
    for text in with_match("> $") {
        let text = text.replace("[reply]\n", "[reply]\nstrip = ['\\x1b\\[[0-9;]*m']\n");
        let mended = mended(&text, device);
        assert_eq!(judged(&mended), r"off\nlamp> ");
        assert!(mended.1.contains("match = '> $'"), "{}", mended.1);
    }
}

#[test]
fn the_end_of_a_line_is_no_prompt() {
    let device = || -> Reacting {
        let mut on = false;
        Box::new(move |line, _| {
            on = line != "reset" && on != (line == "press");
            match (line, on) {
                ("look", true) => vec![(1, b"state:\n"), (3, b" on\ndb> ")],
                ("look", false) => vec![(1, b"state:\n"), (3, b" off\ndb> ")],
                ("press", true) => vec![(1, b"lamp on\n")],
                ("press", false) => vec![(1, b"lamp off\n")],
                _ => Vec::new(),
            }
        })
    };
    let (report, text) = mended(&with_match("db> $")[0], device);
    assert_eq!(report.evidence.first_answer(Input::new(0)), Some(r"state:\n off\ndb> "), "{text}");
    assert!(text.contains("match = 'db> $'"), "{text}");
    assert!(!report.findings.iter().any(Finding::is_wrong), "{:#?}", report.findings);
}

#[test]
fn a_prompt_that_lacks_its_blank_and_another_one_are_both_found() {
    let device = || -> Reacting {
        Box::new(|line, _| match line {
            "look" => vec![(1, b"ok\ndb> ")],
            "press" => vec![(1, b"more\n   ...> ")],
            _ => Vec::new(),
        })
    };
    for text in with_match("db>$") {
        let (report, text) = mended(&text, device);
        assert!(text.contains(r"match = '(?:db> $)|   \.\.\.> $'"), "{text}");
        assert!(!report.findings.iter().any(Finding::is_wrong), "{:#?}", report.findings);
        assert_eq!(report.evidence.first_answer(Input::new(0)), Some(r"ok\ndb> "), "{text}");
    }
}

/// An adapter whose replies end with a prompt, and a file for modems.
#[test]
fn a_prompt_after_replies_that_never_meet_their_end_is_written() {
    let text = "[[reset]]\nsteps = [{ send = \"reset\\r\" }]\n[reply]\nlast_line = 'OK|ERROR'\nwithin_ms = 200\n\
                [inputs]\nlook = \"look\\r\"\npress = \"press\\r\"\n";
    let device = || -> Reacting {
        let mut on = false;
        Box::new(move |line, _| {
            on = line != "reset" && on != (line == "press");
            match (line, on) {
                ("reset", _) => vec![(1, b"\r\rELM\r\r>")],
                ("look", true) => vec![(1, b"on\r\r>")],
                ("look", false) => vec![(1, b"off\r\r>")],
                _ => vec![(1, b"?\r\r>")],
            }
        })
    };
    let (report, text) = mended(text, device);
    assert!(text.contains("match = '\\r\\r>$'") && !text.contains("last_line"), "{text}");
    assert!(!report.findings.iter().any(Finding::is_wrong), "{:#?}", report.findings);
}
