//! Checks of devices that end the connection.

use super::*;

/// A server with `user`, `stat`, `quit` and `crash`. `quit` is answered, and ends the connection of a user; `crash` is not
/// answered, and ends each. It is away for a moment after it has crashed.
fn server(reset: &str) -> (SerialSul<Traced<FakeLink<'static>>>, EditableDeviceFile) {
    let is_closed = Rc::new(Cell::new(false));
    let ending = Rc::clone(&is_closed);
    let mut is_user = false;
    let mut link = FakeLink::new(move |deed| match deed {
        LinkAct::Reopened => {
            is_user = false;
            vec![(1, b"hello\n")]
        }
        LinkAct::Sent(bytes) => match &bytes[..] {
            b"reset\n" => {
                is_user = false;
                vec![(1, b"hello\n")]
            }
            b"user\n" => {
                is_user = true;
                vec![(1, b"welcome\n")]
            }
            b"stat\n" if is_user => vec![(1, b"fine\n")],
            b"quit\n" if is_user => {
                ending.set(true);
                vec![(1, b"bye\n")]
            }
            b"crash\n" => {
                ending.set(true);
                Vec::new()
            }
            _ => vec![(1, b"no\n")],
        },
        _ => Vec::new(),
    });
    link.is_closed = is_closed;
    link.away.push_back(OpenError::Refused { address: "there".to_owned() });
    let text = format!(
        "[[reset]]\nsteps = [{{ {reset} }}]\nexpect = {{ match = 'hello\\n$', within_ms = 50 }}\nquiet_ms = 0\n\
         [reply]\nlines = 1\nwithin_ms = 50\n[inputs]\nuser = \"user\\n\"\nstat = \"stat\\n\"\n\
         quit = \"quit\\n\"\ncrash = \"crash\\n\"\n"
    );
    let device = DeviceFile::parse(Path::new("server.toml"), &text).expect("a device file");
    let file = EditableDeviceFile::new(device.clone(), &text).expect("TOML");
    (SerialSul::new(Traced::new(link), device).expect("a device"), file)
}

#[test]
fn inputs_that_end_the_connection_are_found_and_taken_as_outputs() {
    for reset in ["reconnect = true", "send = \"reset\\n\""] {
        let (mut sul, mut file) = server(reset);
        let inputs = sul.device().inputs.iter().map(|input| input.name.clone()).collect();
        let setup = CheckSetup {
            inputs,
            file: Some(file.clone()),
            words: Vec::new(),
            earlier_change: None,
            rounds: 5,
        };
        let Checked { findings, evidence, .. } =
            check(&mut sul, setup, &mut |_| true).expect("it comes back");
        let wrong: Vec<_> = findings.iter().filter(|finding| finding.is_wrong()).collect();
        let [quit, crash] = &wrong[..] else { panic!("{reset}: {findings:#?}") };
        assert!(
            quit.text.starts_with("the connection ends after `quit`, as in the word `user "),
            "{}",
            quit.text
        );
        assert!(
            crash.text.starts_with("the connection ends after `crash`, as in the word `crash`"),
            "{}",
            crash.text
        );
        // In the state after the end of the connection, each input has the output of the one that ended it: it does not count.
        assert_eq!(evidence.explored.as_ref().map(|explored| explored.states), Some(2), "{reset}");
        for (finding, input) in [(quit, 2), (crash, 3)] {
            assert_eq!(finding.change, Some(Change::Closed(Some(input))));
            file.apply(finding.change.as_ref().expect("a change"));
        }
        let better =
            DeviceFile::parse(Path::new("server.toml"), &file.text()).expect("a device file");
        let closed: Vec<_> =
            better.inputs.iter().map(|input| input.reply.closed.as_deref()).collect();
        assert_eq!(closed, [None, None, Some("(closed)"), Some("(closed)")]);
    }
}

const RECONNECT: &str = "steps = [{ reconnect = true }]\nquiet_ms = 5";

/// Checks a server with the inputs `stat` and `quit`, whose connection ends when `ends` says so of what was sent, with its
/// number.
fn checked_server(
    reset: &str,
    mut ends: impl FnMut(&LinkAct, u32) -> bool + 'static,
) -> Result<Checked, crate::serial::LinkError> {
    let is_closed = Rc::new(Cell::new(false));
    let ending = Rc::clone(&is_closed);
    let mut lines = 0;
    let mut link = FakeLink::new(move |deed| {
        let is_line = matches!(deed, LinkAct::Sent(_)) && !ending.get();
        lines += u32::from(is_line);
        ending.set(ends(deed, lines));
        if is_line { vec![(1, b"fine\n")] } else { Vec::new() }
    });
    link.is_closed = is_closed;
    let text = format!(
        "[[reset]]\n{reset}\n[reply]\nlines = 1\nwithin_ms = 50\n\
         [inputs]\nstat = \"stat\\n\"\nquit = \"quit\\n\"\n"
    );
    let device = DeviceFile::parse(Path::new("server.toml"), &text).expect("a device file");
    let file = EditableDeviceFile::new(device.clone(), &text).expect("TOML");
    let inputs = device.inputs.iter().map(|input| input.name.clone()).collect();
    let mut sul = SerialSul::new(Traced::new(link), device).expect("a device");
    let setup =
        CheckSetup { inputs, file: Some(file), words: Vec::new(), earlier_change: None, rounds: 5 };
    check(&mut sul, setup, &mut |_| true)
}

/// As web servers do: each input needs a connection of its own.
#[test]
fn a_connection_that_ends_after_each_input_is_one_finding() {
    let checked = checked_server(RECONNECT, |act, _| matches!(act, LinkAct::Sent(_)));
    let findings = checked.expect("it comes back").findings;
    let ends: Vec<_> =
        findings.iter().filter(|finding| finding.kind == FindingKind::ConnectionEnd).collect();
    let [finding] = &ends[..] else { panic!("{findings:#?}") };
    assert_eq!(finding.change, Some(Change::Closed(None)));
    let steps = "stat = { steps = [{ reconnect = true }, { send = … }] }";
    assert!(finding.text.contains("after each input, as in the word `stat`"), "{}", finding.text);
    assert!(finding.text.contains(steps), "{}", finding.text);
}

/// As mail servers do: it ends after four errors, whichever they are.
#[test]
fn all_inputs_that_end_it_after_the_same_words_are_found() {
    let mut errors = 0;
    let ends = move |act: &LinkAct, _| {
        match act {
            LinkAct::Reopened => errors = 0,
            LinkAct::Sent(_) => errors += 1,
            _ => {}
        }
        errors >= 4
    };
    let findings = checked_server(RECONNECT, ends).expect("it comes back").findings;
    let changes: Vec<_> = findings.iter().filter_map(|finding| finding.change.as_ref()).collect();
    assert_eq!(changes, [&Change::Closed(None)], "{findings:#?}");
}

#[test]
fn one_end_of_the_connection_is_blamed_on_no_input() {
    for at in [1, 2, 9, 30] {
        let checked = checked_server(RECONNECT, move |act, number| {
            matches!(act, LinkAct::Sent(_)) && number == at
        });
        let findings = checked.expect("it comes back").findings;
        assert!(
            findings
                .iter()
                .any(|finding| finding.text.contains("the connection ended once after `")
                    || finding.text.contains("1 of ")),
            "{at}: {findings:#?}"
        );
        assert!(
            findings.iter().all(|finding| !matches!(finding.change, Some(Change::Closed(_)))),
            "{at}: {findings:#?}"
        );
    }
}

#[test]
fn a_reset_that_ends_the_connection_is_an_error() {
    let checked = checked_server("steps = [{ send = \"reboot\" }]\nquiet_ms = 5", |act, _| {
        *act == LinkAct::Sent(b"reboot".to_vec())
    });
    let error = checked.expect_err("each reset ends it").to_string();
    assert_eq!(error, "the device disappeared while it was being reset");
}

#[test]
fn a_reset_after_which_the_connection_ends_is_not_blamed_on_inputs() {
    let reset =
        "steps = [{ send = \"bye\" }]\nexpect = { match = 'fine', within_ms = 50 }\nquiet_ms = 0";
    // It ends soon after the reset.
    let mut is_leaving = false;
    let ends = move |act: &LinkAct, _| match act {
        LinkAct::Sent(bytes) => {
            is_leaving = bytes == b"bye";
            false
        }
        act => is_leaving && *act == LinkAct::ClearedReceived,
    };
    let checked = checked_server(reset, ends).expect("it comes back");
    let [Finding { kind: FindingKind::ConnectionEnd, change: None, text, .. }] =
        &checked.findings[..]
    else {
        panic!("{:#?}", checked.findings);
    };
    assert!(text.starts_with("the connection ends after a reset, before any input"), "{text}");
}
