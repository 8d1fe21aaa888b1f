//! The JSON Schema of device files, which is written by hand for editors. It must take what
//! Mealybug takes, and refuse what is wrong as far as a schema can know it.

use std::collections::BTreeSet;
use std::path::Path;

use miette::Diagnostic;
use serde_json::Value;

use super::validate::is_valid;
use crate::device::{Checksum, DeviceFile, ReplyLength};
use crate::draft::{Draft, Echo, Ends, ResetDraft};
use crate::machine::testing::lamp;
use crate::simulate::device_file;

const RESET: &str = "[[reset]]\nsteps = [{ send = \"x\" }]\n";
const INPUTS: &str = "[inputs]\na = \"a\"\n";
const PROBE_RESET: &str = "[[reset]]\nsteps = [{ pin = \"x\" }]\n";
const PROBE_INPUTS: &str = "[inputs]\na = { pin = \"a\" }\n";

/// Wrong files that a schema takes: it knows nothing about patterns, templates, other files, or
/// what is the last of a list.
const BEYOND: [&str; 32] = [
    "a pattern that is none",
    "a pattern with a backslash that is none",
    "a pattern for a class of letters",
    "a pattern for a line that is none",
    "two inputs that are the same",
    "a file that is not there",
    "a variable that nobody knows",
    "a word that is like nothing known",
    "a checksum in a message that nobody knows",
    "a checksum in a pattern without its digits or bytes",
    "a checksum in a pattern that nobody knows",
    "a length without a frame",
    "a number of frames that nothing tells apart",
    "a variable without its end",
    "a number in a way that nobody knows",
    "an output with a group that is not there",
    "an output with a misspelt group",
    "an output with a group where the pattern has none",
    "a format that groups do not have",
    "an input that ends with an expectation",
    "an input named twice",
    "two captures of one name",
    "a state behind an input that nobody knows",
    "a state marked by an input that nobody knows",
    "two states called alike",
    "a state called in two ways",
    "a pin that is sensed twice",
    "an input that counts edges twice",
    "an input that connects anew in the middle",
    "a transfer of too many bytes",
    "voltages without a lowest level",
    "two levels for one voltage",
];

fn schema() -> Value {
    serde_json::from_str(include_str!("../../docs/schema/device-file.json")).expect("JSON")
}

/// Whether the schema takes a file. What is not TOML is not taken.
fn is_taken(text: &str) -> bool {
    let schema = schema();
    toml_edit::de::from_str::<Value>(text).is_ok_and(|file| is_valid(&schema, &schema, &file))
}

/// An example with the tables that every file needs.
fn whole(example: &str) -> String {
    let mut file = example.to_owned() + "\n";
    let [reset, inputs] = match example.contains("[probe]") {
        true => [PROBE_RESET, PROBE_INPUTS],
        false => [RESET, INPUTS],
    };
    for (table, needed) in [("reset]", reset), ("[inputs", inputs)] {
        if !example.contains(table) {
            file.push_str(needed);
        }
    }
    file
}

fn draft(ends: Ends, reset: ResetDraft) -> Draft {
    Draft {
        ends,
        names_prompt: false,
        port: Some("/dev/ttyUSB0".to_owned()),
        baud: Some(9600),
        pause_ms: 0,
        echo: Echo::Plain,
        has_escapes: true,
        is_hex: false,
        unasked: Vec::new(),
        reset: vec![(ResetDraft::Dtr, Vec::new().into()), (reset, b"ready> ".to_vec().into())],
        inputs: vec![("help".to_owned(), b"help\r".to_vec()), ("x".to_owned(), vec![0xff])],
        closing: Vec::new(),
        own_ends: Vec::new(),
        shorter_within: None,
        checksum: Some("sum8".to_owned()),
    }
}

#[test]
fn every_device_file_is_taken() {
    let docs = include_str!("../../docs/device-file.md");
    let mut files: Vec<String> = docs
        .split("```toml\n")
        .skip(1)
        .map(|example| whole(example.split("```").next().expect("its end")))
        .collect();
    files.push(device_file(&lamp()));
    let prompts = Ends::Prompts(vec!["> ".into()]);
    let length = Ends::Length(ReplyLength::Fixed(4));
    let ends = [prompts, Ends::Line, Ends::Result, length, Ends::Silence];
    let resets = [
        ResetDraft::Send(b"\x03\xff".to_vec()),
        ResetDraft::Dtr,
        ResetDraft::Reconnect,
        ResetDraft::Run("true".to_owned()),
    ];
    for (ends, reset) in ends.into_iter().zip(resets.into_iter().cycle()) {
        files.push(draft(ends, reset).text("lock.toml"));
    }
    // The repository's, which are not in the package.
    let devices = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/devices");
    for folder in std::fs::read_dir(devices).into_iter().flatten() {
        let file = folder.expect("a folder").path().join("device.toml");
        files.extend(std::fs::read_to_string(file).ok());
    }
    assert!(files.len() > 10, "{}", files.len());
    for file in files {
        assert!(is_taken(&file), "{file}");
    }
}

#[test]
fn wrong_files_are_refused_where_a_schema_can_know() {
    let cases = include_str!("../device/errors.txt").split("\n==== ");
    let mut beyond = BTreeSet::from(BEYOND);
    for case in cases {
        let (title, case) = case.trim_start_matches("==== ").split_once('\n').expect("a title");
        let (file, _) = case.split_once("\n---- says\n").expect("a message");
        let file = match title {
            "no inputs" | "no reset" => file.to_owned(),
            _ => whole(file),
        };
        // TOML itself has no two keys of one name.
        let is_known = beyond.remove(title) && !title.contains("name");
        assert_eq!(is_taken(&file), is_known, "{title}:\n{file}");
    }
    assert!(beyond.is_empty(), "errors.txt no longer has {beyond:?}");
}

/// The keys that Mealybug names when it meets one that it does not know.
fn known_keys(file: &str) -> BTreeSet<String> {
    let error = DeviceFile::parse(Path::new("lock.toml"), file).expect_err("an unknown key");
    let help = error.help().expect("the keys").to_string();
    let keys = help.strip_prefix("its keys are ").unwrap_or_else(|| panic!("{help}"));
    keys.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_key_is_in_the_schema() {
    let schema = schema();
    let state = format!("{RESET}{INPUTS}[[state]]\nname = \"a\"\nzzz = 1");
    let tables = [
        ("", "zzz = 1"),
        ("/properties/port", "[port]\nzzz = 1"),
        ("/properties/word", "[word]\nmax_ms = 1\nzzz = 1"),
        ("/properties/frame", "[frame]\nzzz = 1"),
        (
            "/properties/captures/additionalProperties/anyOf/1",
            "[captures]\na = { match = 'a', zzz = 1 }",
        ),
        ("/definitions/line_reset", "[[reset]]\nzzz = 1"),
        ("/properties/probe", "[probe]\nzzz = 1"),
        ("/properties/replace/items", "[[replace]]\nmatch = 'a'\nwith = \"a\"\nzzz = 1"),
        ("/properties/output/items", "[[output]]\nmatch = 'a'\nname = \"a\"\nzzz = 1"),
        ("/properties/state/items", state.as_str()),
        ("/definitions/reply", "[reply]\nzzz = 1"),
        (
            "/definitions/reply/properties/length/anyOf/1",
            "[reply]\nlength = { at = 1, size = 1, zzz = 1 }",
        ),
        ("/definitions/expect", "[[reset]]\nexpect = { match = 'a', within_ms = 1, zzz = 1 }"),
    ];
    for (place, file) in tables {
        let properties = schema.pointer(place).and_then(|table| table["properties"].as_object());
        let keys = properties.unwrap_or_else(|| panic!("{place}")).keys().cloned();
        assert_eq!(keys.collect::<BTreeSet<_>>(), known_keys(file), "{place}");
    }
    // Some keys of a step are known only beside others.
    let mut keys = BTreeSet::new();
    for step in ["send = \"a\"", "dtr = true", "run = \"a\""] {
        let frame = "[frame]\nhex = \"${data}\"\n";
        keys.extend(known_keys(&format!(
            "{frame}{INPUTS}[[reset]]\nsteps = [{{ {step}, zzz = 1 }}]"
        )));
    }
    let of = |place: &str| -> BTreeSet<String> {
        schema.pointer(place).and_then(Value::as_object).expect("keys").keys().cloned().collect()
    };
    assert_eq!(of("/definitions/step/properties"), keys);
    // So do those of a probe.
    let mut probes = BTreeSet::new();
    for step in [
        "pin = \"a\"",
        "i2c = \"a\"\naddress = 1\nwrite = \"00\"",
        "spi = \"a\"\nread = 1",
        "adc = \"a\"\nlevels_mv = { a = 0 }",
        "edges = \"a\"\nms = 1",
    ] {
        let step = step.replace('\n', ", ");
        let file = format!("[probe]\n{PROBE_INPUTS}[[reset]]\nsteps = [{{ {step}, zzz = 1 }}]");
        probes.extend(known_keys(&file));
    }
    assert_eq!(of("/definitions/probe_step/properties"), probes);
    probes.insert("steps".to_owned());
    assert_eq!(of("/definitions/probe_input/properties"), probes);
    keys.extend(["steps".to_owned(), "reply".to_owned()]);
    assert_eq!(of("/definitions/input/anyOf/1/properties"), keys);
}

#[test]
fn every_checksum_is_in_the_schema() {
    let schema = schema();
    let listed = schema.pointer("/definitions/checksum/anyOf/0/enum").and_then(Value::as_array);
    let listed: Vec<&str> = listed.expect("a list").iter().filter_map(Value::as_str).collect();
    let unknown: Vec<_> = listed.iter().filter(|name| Checksum::find(name).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert_eq!(listed.len(), Checksum::names().count());
    for (name, is_one) in
        [("xor8@1..-1", true), ("crc16-modbus@3", true), ("xor9", false), ("xor8@a", false)]
    {
        let file = format!("{RESET}[inputs]\na = {{ hex = \"01\", append = \"{name}\" }}");
        assert_eq!(is_taken(&file), is_one, "{name}");
        assert_eq!(Checksum::find(name).is_some(), is_one, "{name}");
    }
}
