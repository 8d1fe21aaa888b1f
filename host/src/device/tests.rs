//! Complete device files: how they are read, and the messages about wrong ones.

use std::path::Path;
use std::time::Duration;

use miette::Diagnostic;

use super::{
    DeviceFile, DeviceFileError, DeviceStep, FlowControl, Late, Parity, ReplyLength, ShellCommand,
    Variables,
};
use crate::error_style::ErrorStyle;

/// Pairs of a wrong file and the message about it.
const ERRORS: &str = include_str!("errors.txt");
/// Separates a file from its message.
const SAYS: &str = "\n---- says\n";
/// Separates two pairs.
const NEXT: &str = "\n==== ";

const RESET: &str = "[[reset]]\nsteps = [{ send = \"\\u0003\" }]\n";

fn parse(text: &str) -> Result<DeviceFile, DeviceFileError> {
    DeviceFile::parse(Path::new("lock.toml"), text)
}

/// A device with these lines and a reset.
fn device(text: &str) -> DeviceFile {
    parse(&format!("{RESET}{text}")).unwrap_or_else(|error| panic!("{}", render(&error)))
}

/// The only message of an input, as it is sent right after a reset.
fn sent(device: &DeviceFile, input: usize) -> Vec<u8> {
    let DeviceStep::Send(message) = &device.inputs[input].steps[0] else {
        panic!("it sends nothing")
    };
    message.send(&mut device.variables())
}

fn render(error: &dyn Diagnostic) -> String {
    ErrorStyle::plain(90).render(error).trim_end().to_owned()
}

#[test]
fn wrong_files_are_explained() {
    let mut all = String::new();
    for case in ERRORS.split(NEXT).filter(|case| !case.is_empty()) {
        let (title, case) = case.trim_start_matches("==== ").split_once('\n').expect("a title");
        let (file, _) = case.split_once(SAYS).unwrap_or((case.trim_end(), ""));
        let error = parse(file).map(|_| ()).expect_err(title);
        let lead = if all.is_empty() { &NEXT[1..] } else { NEXT };
        all.push_str(&format!("{lead}{title}\n{file}{SAYS}{}\n", render(&error)));
    }
    assert!(all == ERRORS, "errors.txt should be\n{all}");
}

#[test]
fn an_unreadable_file_is_an_error_with_its_path() {
    let error = DeviceFile::load(Path::new("no/such/file.toml")).expect_err("it does not exist");
    let text = render(&error);
    assert!(text.contains("cannot read the device file no/such/file.toml"), "{text}");
    assert!(text.contains("No such file"), "{text}");
}

#[test]
fn the_port_says_what_it_says() {
    let port = device(
        "[port]\npath = \"/dev/ttyS7\"\nbaud = 9_600\nformat = \"7E2\"\nflow = \"hardware\"\n\
         dtr = true\nrts = false\nchar_delay_ms = 3\n[inputs]\na = \"a\"",
    )
    .port;
    assert_eq!(port.path.as_deref(), Some("/dev/ttyS7"));
    assert_eq!((port.baud, port.flow), (9600, FlowControl::Hardware));
    let format = port.format;
    assert_eq!((format.data_bits, format.parity, format.stop_bits), (7, Parity::Even, 2));
    assert_eq!((port.dtr, port.rts), (Some(true), Some(false)));
    assert_eq!(port.char_delay, Duration::from_millis(3));
    assert_eq!(device("[inputs]\na = \"a\"").port, super::PortSection::default());
}

#[test]
fn inputs_keep_the_order_of_the_file() {
    let device = device(
        "[inputs.zebra]\ntext = \"z\"\n[inputs]\nmule = \"m\"\n'a cow' = \"a\"\n10 = \"1\"\n\
         [inputs.bee]\nhex = \"00 FF 7f80\"",
    );
    let names: Vec<_> = device.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["zebra", "mule", "a cow", "10", "bee"]);
    assert_eq!(sent(&device, 4), [0x00, 0xff, 0x7f, 0x80]);
}

#[test]
fn every_kind_of_input_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("page1.bin"), [0, 255]).expect("a file");
    let text = format!(
        "{RESET}[inputs]\nctrl_c = \"\\u0003\\r\"\npage = {{ file = \"page1.bin\" }}\n\
         wait = {{ wait_ms = 500 }}\nboot = {{ dtr = false, ms = 20 }}\n\
         both = {{ rts = true, dtr = true }}\n\
         stop = {{ break_ms = 250 }}"
    );
    let device = DeviceFile::parse(&folder.path().join("lock.toml"), &text).expect("a device");
    assert_eq!((sent(&device, 0), sent(&device, 1)), (vec![3, 13], vec![0, 255]));
    let steps: Vec<_> =
        device.inputs[2..].iter().map(|input| format!("{:?}", input.steps)).collect();
    assert_eq!(
        steps,
        [
            "[Wait(500ms)]",
            "[Set(Dtr, false), Wait(20ms), Set(Dtr, true)]",
            "[Set(Dtr, true), Set(Rts, true)]",
            "[Set(Break, true), Wait(250ms), Set(Break, false)]",
        ]
    );
}

#[test]
fn an_end_of_its_own_replaces_the_ends_of_the_file() {
    let device = device(
        "[reply]\nmatch = '> $'\nlines = 3\nwithin_ms = 70\nmax_bytes = 9\nlate = \"drop\"\n\
         [inputs]\na = \"a\"\nb = { text = \"b\", reply = { length = 4 } }\n\
         c = { text = \"c\", reply = { within_ms = 3000, silent = \"-\" } }\n\
         d = { text = \"d\", reply = { length = { at = 2, size = 1, plus = 5 } } }",
    );
    let replies: Vec<_> = device.inputs.iter().map(|input| &input.reply).collect();
    let ends = |at: usize| {
        let reply = replies[at];
        (!reply.patterns.is_empty(), reply.lines, reply.length, reply.quiet)
    };
    assert_eq!(ends(0), (true, Some(3), None, None));
    assert_eq!(ends(1), (false, None, Some(ReplyLength::Fixed(4)), None));
    assert_eq!(ends(2), ends(0));
    assert_eq!(
        ends(3).2,
        Some(ReplyLength::Field { at: 2, size: 1, plus: 5, little_endian: false })
    );
    assert_eq!(replies[1].within, Duration::from_millis(70));
    assert_eq!((replies[2].within, replies[2].silent.as_str()), (Duration::from_secs(3), "-"));
    assert!(replies.iter().all(|reply| reply.max_bytes == 9 && reply.late == Late::Drop));
}

#[test]
fn a_reply_without_an_end_ends_by_quiet() {
    let device = device("[reply]\nwithin_ms = 10\n[inputs]\na = \"a\"");
    assert_eq!(device.inputs[0].reply.quiet, Some(Duration::from_millis(50)));
}

#[test]
fn the_steps_of_a_reset_keep_their_order() {
    let device = parse(
        "[[reset]]\nsteps = [{ dtr = false, rts = true, wait_ms = 50 }, { send = \"x\" }, \
         { break_ms = 7 }, { run = \"true\" }, { reconnect = true }, { expect = { match = 'k', within_ms = 1 } }]\n\
         [[reset]]\nsteps = [{ hex = \"7f\" }]\nexpect = { match = 'y', within_ms = 9 }\n\
         quiet_ms = 1\n[inputs]\na = \"a\"",
    )
    .expect("a device");
    let steps: Vec<_> = device.resets[0].steps.iter().map(|step| format!("{step:?}")).collect();
    let DeviceStep::Send(message) = &device.resets[0].steps[3] else { panic!("{steps:?}") };
    assert_eq!(message.send(&mut device.variables()), b"x");
    assert_eq!(
        [&steps[..3], &steps[4..7]].concat(),
        [
            "Set(Dtr, false)",
            "Set(Rts, true)",
            "Wait(50ms)",
            "Set(Break, true)",
            "Wait(7ms)",
            "Set(Break, false)"
        ]
    );
    let DeviceStep::Run(ShellCommand { command, within, .. }) = &device.resets[0].steps[7] else {
        panic!("{steps:?}")
    };
    assert_eq!((command.as_str(), *within), ("true", Duration::from_secs(60)));
    assert_eq!(device.resets[0].steps[8], DeviceStep::Reconnect);
    assert!(device.resets[0].expect.is_none());
    let second = &device.resets[1];
    let expect = second.expect.as_ref().expect("it expects something");
    assert_eq!((expect.within, second.quiet), (Duration::from_millis(9), Duration::from_millis(1)));
}

#[test]
fn the_first_rule_that_matches_names_the_output() {
    let device = device(
        "[[output]]\nmatch = 'ERR (\\d+)(?<why>.*)'\nname = \"error:$1 $$ ${why}\"\n\
         [[output]]\nmatch = '^E'\nname = \"other\"\n[[output]]\nmatch = '\\xff\\x00'\nname = \"bytes\"\n\
         [inputs]\na = \"a\"",
    );
    assert_eq!(device.name_output(b"ERR 12\x07!\n"), r"error:12 $ \x07!");
    assert_eq!(device.name_output(b"E"), "other");
    assert_eq!(device.name_output(b"a\xff\0b"), "bytes");
    assert_eq!(device.name_output(b"\xffOK\r\n"), r"\xffOK\r\n");
}

#[test]
fn a_name_that_is_one_group_is_text_of_the_reply() {
    for (name, is_text) in
        [("$1", true), ("${why}", true), ("${1:hex}", false), ("error:$1", false), ("$1$2", false)]
    {
        let rule = format!("[[output]]\nmatch = '(E)(?<why>.*)'\nname = \"{name}\"\n");
        let device = device(&format!("{rule}[inputs]\na = \"a\""));
        assert_eq!(device.outputs_keep_text(), is_text, "{name}");
    }
}

#[test]
fn groups_can_be_written_in_hex_digits() {
    let device = device(
        "[[replace]]\nmatch = '(\\x02)(.)'\nwith = \"$2${1:hex}\"\n\
         [[output]]\nmatch = '^(?<status>..)(!)?$'\nname = \"${status:hex}, $1$2${2:hex}\"\n\
         [[output]]\nmatch = '(?s)^.+$'\nname = \"${0:hex}\"\n[inputs]\na = \"a\"",
    );
    assert_eq!(device.name_output(b"A\xff"), r"41 ff, A\xff");
    assert_eq!(device.name_output(b"\0A!"), r"00 41, \x00A!21");
    assert_eq!(device.name_output(b"\x02A\xffB"), "41 30 32 ff 42");
    assert_eq!(device.name_output(b""), "");
}

#[test]
fn replacements_come_before_names_and_are_made_everywhere() {
    let device = device(
        "[[replace]]\nmatch = '<(\\w+)\\|[^>]*>'\nwith = \"<$1>\"\n\
         [[replace]]\nmatch = '(?:(\\xff)|C)+'\nwith = \"${1}\"\n\
         [[output]]\nmatch = '^<(.*)>\\n$'\nname = \"is $1\"\n[inputs]\na = \"a\"",
    );
    assert_eq!(device.name_output(b"<Idle|MPos:0,0>\n"), "is Idle");
    assert_eq!(device.name_output(b"<Run|x><Hold|y>"), "<Run><Hold>");
    assert_eq!(device.name_output(b"\xff\xff"), r"\xff");
}

#[test]
fn a_pattern_for_a_line_is_for_a_whole_line() {
    let device = device("[reply]\nlast_line = 'OK|CONNECT.*'\n[inputs]\na = \"a\"");
    let line = device.inputs[0].reply.last_line.as_ref().expect("a pattern");
    for (text, ends) in [
        ("OK\r\n", true),
        ("\r\nOK\n", true),
        ("CONNECT 9600\r\r\n", true),
        ("OK", false),
        ("NOT OK\n", false),
        ("OK\nmore\n", false),
    ] {
        assert_eq!(line.is_match(text.as_bytes()), ends, "{text:?}");
    }
}

#[test]
fn numbers_are_written_in_all_ways() {
    let sent = |text: &str, sequence| {
        let device = device(&format!("[frame]\nhex = \"${{data}}\"\n[inputs]\na = {text}"));
        let DeviceStep::Send(message) = &device.inputs[0].steps[0] else { panic!("{text}") };
        message.send(&mut Variables { sequence, ..device.variables() })
    };
    assert_eq!(sent("{ hex = \"01 ${seq+1} ${~seq+1}\" }", 254), [1, 255, 0]);
    assert_eq!(sent("{ hex = \"01 ${seq+1} ${~seq+1}\" }", 255), [1, 0, 255]);
    assert_eq!(
        sent("{ hex = \"${seq:u16}${seq:u16le} ${seq:u24}\" }", 0x0102),
        [1, 2, 2, 1, 0, 1, 2]
    );
    assert_eq!(sent("{ hex = \"${seq:u32le} ${seq:u24le}\" }", 1), [1, 0, 0, 0, 1, 0, 0]);
    assert_eq!(sent("{ hex = \"02 31 32 ${xor8@1}\" }", 0), [2, 0x31, 0x32, 3]);
    assert_eq!(sent("{ hex = \"01 ff ${-sum8} ${~sum8}\" }", 0), [1, 255, 0, 255]);
    // Back, and a checksum whose name ends with a number.
    assert_eq!(sent("{ hex = \"${seq-1} ${seq-10}\" }", 5), [4, 251]);
    assert_eq!(sent("{ hex = \"${crc16-ibm-3740}${crc16-ibm-3740-1}\" }", 0).len(), 4);
    assert_eq!(sent("\"$GP,1*${xor8@1..-1-3}\\r\\n\"", 0), b"$GP,1*07\r\n");
    assert_eq!(sent("{ hex = \"${crc16-modbus:u16}\" }", 0), [0xff, 0xff]);
    assert_eq!(sent("\"N${seq+1} G28 ${seq:hex4}*${xor8@..-1:dec}\\n\"", 9), b"N10 G28 0009*11\n");
    assert_eq!(sent("\"$GP,1*${xor8@1..-1}\\r\\n\"", 0), b"$GP,1*0A\r\n");
    assert_eq!(sent("\"$$ $H ${$}{x}\"", 0), b"$$ $H ${x}");
    assert_eq!(sent("{ send = \"ab\", append = \"sum8\" }", 0), [b'a', b'b', 0xc3]);
}

#[test]
fn the_tables_in_the_docs_make_a_device() {
    let sources = [
        include_str!("port.rs"),
        include_str!("message.rs"),
        include_str!("capture.rs"),
        include_str!("reset.rs"),
        include_str!("reply.rs"),
        include_str!("output.rs"),
        include_str!("input.rs"),
    ];
    let mut file = String::new();
    for source in sources {
        let (_, block) = source.split_once("/// ```toml\n").expect("an example");
        let (block, _) = block.split_once("/// ```\n").expect("its end");
        for line in block.lines() {
            file.push_str(line.trim_start_matches("///"));
            file.push('\n');
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("page1.bin"), [1]).expect("a file");
    let device = DeviceFile::parse(&folder.path().join("lock.toml"), &file)
        .unwrap_or_else(|error| panic!("{}", render(&error)));
    assert_eq!((device.resets.len(), device.inputs.len(), device.outputs.len()), (2, 8, 1));
    assert_eq!(device.name_output(b"ERR 12"), "error:12");
}

#[test]
fn each_example_in_the_docs_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("page1.bin"), [1]).expect("a file");
    let docs = include_str!("../../docs/device-file.md");
    let examples: Vec<_> = docs.split("```toml\n").skip(1).collect();
    assert!(examples.len() > 8, "{}", examples.len());
    for example in examples {
        let (example, _) = example.split_once("```").expect("its end");
        let mut file = example.to_owned();
        for (table, needed) in [("[[reset]]", RESET), ("[inputs]", "[inputs]\na = \"a\"\n")] {
            if !example.contains(table) {
                file.push_str(needed);
            }
        }
        DeviceFile::parse(&folder.path().join("device.toml"), &file)
            .unwrap_or_else(|error| panic!("{file}\n{}", render(&error)));
    }
}
