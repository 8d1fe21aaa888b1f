//! Drafts are device files that say what was answered.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::device::DeviceFile;

fn draft() -> Draft {
    Draft {
        ends: Ends::Prompts(vec!["ready> ".into()]),
        names_prompt: false,
        port: Some("/dev/ttyUSB0".to_owned()),
        baud: Some(9600),
        pause_ms: 0,
        echo: Echo::Plain,
        has_escapes: false,
        is_hex: false,
        unasked: Vec::new(),
        reset: vec![(ResetDraft::Send(b"reset\r".to_vec()), b"ready> ".to_vec().into())],
        inputs: vec![("help".to_owned(), b"help\r".to_vec())],
        closing: Vec::new(),
        own_ends: Vec::new(),
        shorter_within: None,
        checksum: None,
    }
}

fn read(draft: &Draft) -> DeviceFile {
    let text = draft.text("lock.toml");
    let device = DeviceFile::parse(Path::new("lock.toml"), &text);
    device.unwrap_or_else(|error| panic!("{:?}\n{text}", miette::Report::from(error)))
}

#[test]
fn the_checksum_of_what_is_sent_may_be_that_of_replies() {
    let with_sum = Draft { checksum: Some("sum8".to_owned()), ..draft() };
    assert!(read(&with_sum).inputs[0].reply.checksum.is_none());
    let text = with_sum.text("lock.toml").replace("# checksum = ", "checksum = ");
    let device = DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
    assert!(device.inputs[0].reply.checksum.is_some());
    assert!(!draft().text("lock.toml").contains("checksum"));
}

#[test]
fn every_draft_is_a_device_file_that_says_what_was_answered() {
    let device = read(&draft());
    assert_eq!((device.port.path.as_deref(), device.port.baud), (Some("/dev/ttyUSB0"), 9600));
    let path = "path = \"/dev/ttyUSB0\"  # --port and MEALYBUG_PORT come first\n";
    assert!(draft().text("lock.toml").contains(path));
    assert_eq!(device.name_output(b"\r\nopen\r\nready> "), "open");
    assert!(device.inputs[0].reply.echo);
    let prompt = Ends::Prompts(vec!["\x1b[m'$ ".into()]);
    let field =
        |little_endian| Ends::Length(ReplyLength::Field { at: 2, size: 1, plus: 5, little_endian });
    let fixed = Ends::Length(ReplyLength::Fixed(8));
    let all_ends =
        [prompt, Ends::Line, Ends::Result, fixed, field(false), field(true), Ends::Silence];
    for ends in all_ends {
        for reset in [
            ResetDraft::Send(vec![0x7f, 0xff]),
            ResetDraft::Dtr,
            ResetDraft::Reconnect,
            ResetDraft::Run("echo 'a' \"b\"".to_owned()),
        ] {
            for ready in [vec![], b"ready".to_vec(), vec![0x06, 0xff]] {
                let reset = vec![(reset.clone(), ready.into())];
                let device = read(&Draft { ends: ends.clone(), reset, ..draft() });
                let length = match ends {
                    Ends::Length(length) => Some(length),
                    _ => None,
                };
                assert_eq!(device.inputs[0].reply.length, length);
                let ends_by_prompt = matches!(ends, Ends::Prompts(_));
                assert_eq!(device.inputs[0].reply.patterns.is_empty(), !ends_by_prompt);
            }
        }
    }
}

#[test]
fn replies_to_bytes_are_named_in_hex_digits() {
    let binary = ("read", &[1, 3, 0][..]);
    let text = ("help", &b"help\r"[..]);
    for (inputs, ends, name) in [
        (vec![binary], Ends::Length(ReplyLength::Fixed(3)), "06 21 ff"),
        (vec![text, binary], Ends::Silence, "06 21 ff"),
        (vec![text], Ends::Silence, r"\x06!\xff"),
    ] {
        let inputs = inputs.into_iter().map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
        let device = read(&Draft { inputs: inputs.collect(), ends, ..draft() });
        assert_eq!(device.name_output(b"\x06!\xff"), name);
    }
}

#[test]
fn each_of_several_prompts_ends_a_reply() {
    let prompts = ["> ", "config# "].map(DevicePrompt::from).to_vec();
    let device = read(&Draft { ends: Ends::Prompts(prompts), ..draft() });
    for reply in [&b"\r\nopen\r\n> "[..], b"\r\nopen\r\nconfig# "] {
        assert_eq!(device.name_output(reply), "open");
        assert!(device.inputs[0].reply.patterns[0].is_match(reply));
    }
}

#[test]
fn a_prompt_that_tells_modes_apart_is_in_the_name() {
    let prompts = ["> ", "config> "].map(DevicePrompt::from).to_vec();
    let draft = Draft { ends: Ends::Prompts(prompts), names_prompt: true, ..draft() };
    let device = read(&draft);
    for (reply, name) in [
        (&b"\r\nopen\r\n> "[..], "open >"),
        (b"\r\nopen\r\nconfig> ", "open config>"),
        (b"\r\nconfig> ", "config>"),
    ] {
        assert_eq!(device.name_output(reply), name);
    }
    assert!(draft.text("lock.toml").contains(r"(?<prompt>>|config>)\s*$"));
    let device = read(&Draft { echo: Echo::Drawn, ..draft });
    assert_eq!(device.name_output(b"o\x1b[K\r\nopened\r\nconfig> "), "opened config>");
}

#[test]
fn a_prompt_may_be_a_pattern() {
    let pattern = DevicePrompt::Pattern(r"(White|Black) \(\d+\) : ".to_owned());
    assert_eq!(pattern.typed(), r"/(White|Black) \(\d+\) : /");
    assert_eq!(pattern.len_in(b"ok\r\nBlack (12) : "), Some(13));
    assert_eq!(pattern.len_in(b"Black (12) : ok"), None);
    assert!(!DevicePrompt::Pattern("(".to_owned()).is_valid());
    let one = Draft { ends: Ends::Prompts(vec![pattern.clone()]), ..draft() };
    let both = Draft { ends: Ends::Prompts(vec![pattern, "> ".into()]), ..draft() };
    for draft in [&one, &both] {
        let device = read(draft);
        let reply = b"\r\nNf3\r\nWhite (2) : ";
        assert_eq!(device.name_output(reply), "Nf3");
        let pattern = &device.inputs[0].reply.patterns[0];
        assert!(pattern.is_match(reply) && !pattern.is_match(b"White (2) : x"));
    }
    let device = read(&Draft { names_prompt: true, ..both });
    assert_eq!(device.name_output(b"\r\nNf3\r\nWhite (2) : "), "Nf3 White (2) :");
    assert_eq!(
        DevicePrompt::Pattern(r"a\ ".to_owned()).trimmed(),
        DevicePrompt::Pattern(r"a\ ".to_owned())
    );
}

#[test]
fn a_reset_waits_for_any_version_and_reads_like_what_came() {
    for (said, expected) in [
        (
            &b"Boot v1.2.3 at 12:30, ready 7\r\n"[..],
            r"'Boot v\d+\.\d+\.\d+ at \d+:\d+, ready 7\r\n$'",
        ),
        (b"3.5\xff", r"'3\.5\xff$'"),
    ] {
        let reset = vec![(ResetDraft::Dtr, said.to_vec().into())];
        let draft = Draft { reset, ..draft() };
        let text = draft.text("lock.toml");
        assert!(text.contains(&format!("expect = {{ match = {expected}, within_ms")), "{text}");
        read(&draft);
    }
}

#[test]
fn numbers_that_differ_are_any_numbers() {
    let ready = ReadyText::Ends(b"v1.2 OK 7, process 22695\n".to_vec());
    let any = ready.with_any_numbers(b"Hello\nv1.2 OK 7, process 9\n").expect("numbers");
    assert_eq!(any.pattern(), r"v\d+\.\d+ OK 7, process \d+\n$");
    assert!(any.is_met(b"v1.3 OK 7, process 123\n") && !any.is_met(b"v1.2 OK 8, process 9\n"));
    assert_eq!(ready.with_any_numbers(b"v1.2 NO 7, process 9\n"), None);
    let label = ReadyText::Ends(b"label 0xb860474c of 2\n".to_vec());
    let any = label.with_any_numbers(b"label 0x6c831050 of 2\n").expect("numbers");
    assert_eq!(any.pattern(), r"label 0x[0-9A-Fa-f]+ of 2\n$");
    // A version that changes is met as it is.
    assert!(ready.is_met(b"v10.2 OK 7, process 22695\n"));
}

#[test]
fn a_reset_of_several_steps_waits_for_each_answer() {
    let stop = (ResetDraft::Send(b"\x03".to_vec()), Vec::new().into());
    let erase = (ResetDraft::Send(b"erase\r".to_vec()), b"> ".to_vec().into());
    let power = (ResetDraft::Dtr, b"> ".to_vec().into());
    let text = Draft { reset: vec![stop, erase, power], ..draft() }.text("lock.toml");
    let reset = r#"
[[reset]]
steps = [
    { hex = "03", wait_ms = 100 },
    { send = "erase\r" },
    { expect = { match = '> $', within_ms = 5000 } },
    { dtr = false, wait_ms = 100 }, { dtr = true },
]
expect = { match = '> $', within_ms = 5000 }  # what it says when it is back
"#;
    assert!(text.contains(reset), "{text}");
    DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
}

#[test]
fn a_device_that_needs_a_pause_gets_it_after_each_step_and_each_reply() {
    let said = |text: &str| (ResetDraft::Send(text.as_bytes().to_vec()), b"> ".to_vec().into());
    let stop = (ResetDraft::Send(b"\x03".to_vec()), Vec::new().into());
    let reset = vec![stop, said("erase\r"), said("boot\r")];
    let draft = Draft { pause_ms: 1500, reset, ..draft() };
    let device = read(&draft);
    let pause = Duration::from_millis(1500);
    assert_eq!((device.inputs[0].reply.settle, device.resets[0].quiet), (pause, pause));
    let text = draft.text("lock.toml");
    assert!(text.contains(r#"{ hex = "03", wait_ms = 1500 }"#), "{text}");
    assert!(text.contains("{ expect = { match = '> $', within_ms = 5000 }, wait_ms = 1500 }"));
}

#[test]
fn the_first_input_comes_a_pause_after_a_silent_reset() {
    let steps = |last: ResetDraft, said: &str| {
        let stop = (ResetDraft::Send(b"OUT0\n".to_vec()), Vec::new().into());
        vec![stop, (last, said.as_bytes().to_vec().into())]
    };
    let set = || ResetDraft::Send(b"V0\n".to_vec());
    for (baud, reset, last) in [
        (Some(9600), steps(set(), ""), r#"{ send = "V0\n", wait_ms = 100 },"#),
        (Some(9600), steps(set(), "ok\n"), r#"{ send = "V0\n" },"#),
        (Some(9600), steps(ResetDraft::Reconnect, ""), "{ reconnect = true, wait_ms = 100 },"),
        (None, steps(set(), ""), r#"{ send = "V0\n", wait_ms = 100 },"#),
        (None, steps(ResetDraft::Reconnect, ""), "{ reconnect = true },"),
    ] {
        let draft = Draft { baud, reset, ..draft() };
        let text = draft.text("supply.toml");
        assert!(text.contains(&format!("\n    {last}\n]")), "{text}");
        read(&draft);
    }
    // With a pause for all inputs, the reset ends with that.
    let text = Draft { pause_ms: 500, reset: steps(set(), ""), ..draft() }.text("supply.toml");
    assert!(text.contains("{ send = \"V0\\n\" },\n]"), "{text}");
    assert!(text.contains("\nquiet_ms = 500"), "{text}");
}

#[test]
fn an_input_that_ends_the_connection_has_an_output_for_it() {
    let inputs = [("stat", &b"STAT\r\n"[..]), ("quit", b"QUIT\r\n")];
    let inputs = inputs.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).to_vec();
    let device = read(&Draft { inputs, closing: vec!["quit".to_owned()], ..draft() });
    let closed = |input: usize| device.inputs[input].reply.closed.as_deref();
    assert_eq!((closed(0), closed(1)), (None, Some("(closed)")));
    assert_eq!(device.inputs[1].sends(&device.variables()), b"QUIT\r\n");
}

#[test]
fn an_input_may_end_otherwise_than_the_others() {
    let inputs = ["get", "list", "many"].map(|name| (name.to_owned(), name.as_bytes().to_vec()));
    let own_ends = vec![
        ("list".to_owned(), OwnEnd::LastLine("END (a'b) 12".to_owned())),
        ("many".to_owned(), OwnEnd::Lines(3)),
    ];
    let inputs = inputs.to_vec();
    let device = read(&Draft { inputs, own_ends, ends: Ends::Line, echo: Echo::None, ..draft() });
    let lines = device.inputs.iter().map(|input| input.reply.lines);
    assert_eq!(Vec::from_iter(lines), [Some(1), None, Some(3)]);
    let last_line = device.inputs[1].reply.last_line.as_ref().expect("an own one");
    assert_eq!(
        [&b"a\nEND (a'b) 0\n"[..], b"a\nEND (a'b) x\n"].map(|line| last_line.is_match(line)),
        [true, false]
    );
    assert_eq!(device.name_output(b"a\r\nb\r\n"), device.name_output(b"a\r\nb\n"));
}

#[test]
fn a_port_without_a_baud_rate_gets_none() {
    let text = Draft { baud: None, ..draft() }.text("lock.toml");
    assert!(!text.contains("baud =") && !text.contains("format ="), "{text}");
    DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
}

#[test]
fn a_line_that_is_drawn_and_colours_are_no_part_of_the_name() {
    let device = read(&Draft { echo: Echo::Drawn, has_escapes: true, ..draft() });
    let reply = b"o\x1b[K\x1b[Dopen\x1b[K\r\n\x1b[32mopened\x1b[m\r\nready> ";
    let reply = device.strip[0].replace_all(reply, &b""[..]);
    assert_eq!(device.name_output(&reply), "opened");
}

#[test]
fn the_results_of_a_modem_end_a_reply_and_not_its_first_empty_line() {
    let device = read(&Draft { ends: Ends::Result, echo: Echo::None, ..draft() });
    let rule = &device.inputs[0].reply;
    assert!(rule.lines.is_none() && rule.last_line.is_some());
    assert_eq!(device.name_output(b"\r\nOK\r\n"), "OK");
    assert_eq!(device.name_output(b"\r\n+CPIN: READY\r\n\r\nOK\r\n"), r"+CPIN: READY\r\n\r\nOK");
}

#[test]
fn whatever_the_bytes_and_names_are_they_are_sent() {
    let names = ["a", "a.b", " ", "\"x\"", "setenv a 1", "é"];
    let all = [&b"\x03"[..], b"a'b\"\\\r\n", b"\xff\x00", b" ", "é".as_bytes(), b"\x01\x03"];
    let inputs = names.map(str::to_owned).into_iter().zip(all.map(<[u8]>::to_vec)).collect();
    let device = read(&Draft { inputs, ..draft() });
    for (input, (name, bytes)) in device.inputs.iter().zip(names.iter().zip(all)) {
        assert_eq!(input.name, *name);
        assert_eq!(input.sends(&device.variables()), *bytes);
    }
    let inputs = vec![("read".to_owned(), vec![1, 3, 0, 0, 0, 1])];
    let checksum = Some("crc16-modbus".to_owned());
    let device = read(&Draft { inputs, checksum, ends: Ends::Silence, ..draft() });
    let frame = [1, 3, 0, 0, 0, 1, 0x84, 0x0a];
    assert_eq!(device.inputs[0].sends(&device.variables()), frame);
}

#[test]
fn what_a_device_says_unasked_is_taken_out() {
    let unasked = vec![r"\$GPGGA[^\r\n]*\r?\n".to_owned(), "it's\n".to_owned()];
    let device = read(&Draft { unasked, has_escapes: true, ..draft() });
    let patterns: Vec<_> = device.strip.iter().map(regex::bytes::Regex::as_str).collect();
    assert_eq!(patterns, [crate::draft::ESCAPES, r"\$GPGGA[^\r\n]*\r?\n", "it's\n"]);
}

#[test]
fn each_pattern_of_a_prompt_that_is_taken_makes_a_device_file() {
    for (pattern, is_valid) in [
        (r"\xff> ", true),
        ("a|b# ", true),
        ("(?i)ok> ", true),
        (r">\\ ", true),
        ("[> ] ", true),
        (r"(?<text>\w+)> ", false),
        ("(?x)a b # c", false),
        ("(> ", false),
    ] {
        let prompts = vec![DevicePrompt::Pattern(pattern.to_owned()), "$ ".into()];
        assert_eq!(prompts[0].is_valid(), is_valid, "{pattern}");
        if !is_valid {
            continue;
        }
        for names_prompt in [true, false] {
            let draft = Draft { ends: Ends::Prompts(prompts.clone()), names_prompt, ..draft() };
            let text = draft.text("lock.toml");
            let parsed = DeviceFile::parse(Path::new("lock.toml"), &text);
            assert!(parsed.is_ok(), "{pattern} {names_prompt}: {:?}", parsed.err());
        }
    }
}

#[test]
fn alternatives_in_the_pattern_of_a_prompt_end_replies_only_at_their_end() {
    let prompts = vec![DevicePrompt::Pattern("> |# ".to_owned())];
    let text = Draft { ends: Ends::Prompts(prompts), ..draft() }.text("lock.toml");
    let device = DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
    let fits = |reply: &[u8]| device.inputs[0].reply.patterns[0].is_match(reply);
    assert!(fits(b"ok\n> ") && fits(b"ok\n# ") && !fits(b"a > b\n"), "{text}");
}

#[test]
fn bytes_are_written_in_hex_digits_for_a_device_that_takes_bytes() {
    let bytes = |is_hex| {
        let inputs = vec![("sync".to_owned(), b"0 ".to_vec())];
        let reset = vec![(ResetDraft::Send(b"R!".to_vec()), b"\x14\xff".to_vec().into())];
        Draft { is_hex, inputs, reset, ends: Ends::Silence, ..draft() }.text("boot.toml")
    };
    let text = bytes(true);
    for line in ["sync = { hex = \"30 20\" }", "{ hex = \"52 21\" }", r"match = '\x14\xff$'"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    DeviceFile::parse(Path::new("boot.toml"), &text).expect("a device file");
    assert!(bytes(false).contains("sync = \"0 \""));
}
