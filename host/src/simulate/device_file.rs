//! The device file of a simulated device.

use std::fmt::Write as _;

use super::Protocol;
use super::protocol::{input_line, reset_line};
use crate::device::message_text;
use crate::escape::hex_pairs;
use crate::machine::Machine;

/// The device file, as TOML, with which `mealybug learn --port PORT FILE` talks to `machine` behind
/// a [`Simulator`](super::Simulator).
pub fn device_file(machine: &Machine) -> String {
    let reset = quoted(&message_text(&format!("\n{}\n", reset_line(machine))));
    let ready = Protocol::READY;
    let mut file = format!(
        "# A simulated device: one line in, one line out.\n\
         \n\
         [port]\n\
         baud = 115200\n\
         \n\
         [[reset]]\n\
         # The first line end is for half a line that may have been left behind.\n\
         steps = [{{ send = {reset} }}]\n\
         expect = {{ match = '{ready}\\n$', within_ms = 2000 }}\n\
         quiet_ms = 0\n\
         tries = 3\n\
         \n\
         [reply]\n\
         lines = 1\n\
         within_ms = 2000\n\
         \n\
         [[output]]\n\
         # The line without its end.\n\
         match = '^(.*)\\n$'\n\
         name = \"$1\"\n\
         \n\
         [inputs]\n"
    );
    for name in machine.inputs() {
        let line = sent(&format!("{}\n", input_line(name)));
        writeln!(file, "{} = {line}", key(name)).expect("a string takes everything");
    }
    file
}

/// What to send: as text where a device file allows it, otherwise as hex.
fn sent(line: &str) -> String {
    if line.is_ascii() {
        return quoted(&message_text(line));
    }
    format!("{{ hex = \"{}\" }}", hex_pairs(line.as_bytes()))
}

/// A name as a TOML key: without quotes where TOML allows it.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) {
        return name.to_owned();
    }
    quoted(name)
}

/// A string on one line that TOML reads as a key and as a value.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\0'..='\x1f' | '\x7f' => {
                write!(quoted, "\\u{:04X}", u32::from(c)).expect("a string takes everything");
            }
            _ => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::*;
    use crate::machine::Builder;
    use crate::machine::testing::lamp;

    #[test]
    fn it_reads_well() {
        assert_eq!(
            device_file(&lamp()),
            r#"# A simulated device: one line in, one line out.

[port]
baud = 115200

[[reset]]
# The first line end is for half a line that may have been left behind.
steps = [{ send = "\nreset\n" }]
expect = { match = 'ready\n$', within_ms = 2000 }
quiet_ms = 0
tries = 3

[reply]
lines = 1
within_ms = 2000

[[output]]
# The line without its end.
match = '^(.*)\n$'
name = "$1"

[inputs]
press = "press\n"
hold = "hold\n"
"#
        );
    }

    #[derive(Deserialize)]
    struct File {
        reset: Vec<ResetFields>,
        inputs: HashMap<String, Sent>,
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Sent {
        Text(String),
        Hex { hex: String },
    }

    impl Sent {
        fn line(&self) -> String {
            match self {
                // In a message, a dollar sign before a brace is written like this.
                Self::Text(text) => text.replace("${$}", "$"),
                Self::Hex { hex } => {
                    let bytes = hex.split(' ').map(|byte| u8::from_str_radix(byte, 16));
                    let bytes = bytes.collect::<Result<_, _>>().expect("bytes");
                    String::from_utf8(bytes).expect("text")
                }
            }
        }
    }

    #[derive(Deserialize)]
    struct ResetFields {
        steps: Vec<HashMap<String, String>>,
        expect: ExpectedText,
    }

    #[derive(Deserialize)]
    struct ExpectedText {
        r#match: String,
    }

    /// The written file is valid TOML, and the simulated device understands what it sends.
    #[test]
    fn whatever_the_inputs_are_called_the_device_understands_the_file() {
        let names = [
            "", "\\", "\"x\"", "a\r\nb", "a.b", "${seq}", "reset", "[inputs]", "é #", " ",
            "\u{7f}", "'",
        ];
        let mut builder = Builder::default();
        for (at, name) in names.iter().enumerate() {
            builder.add(0, name, 1, &format!("first {at}")).expect("new");
            builder.add(1, name, 1, &format!("then {at}")).expect("new");
        }
        let machine = builder.build(0).expect("complete");
        let file: File = toml_edit::de::from_str(&device_file(&machine)).expect("TOML");
        let mut device = Protocol::new(&machine);
        let mut send = |bytes: &str| {
            let lines = bytes.strip_suffix('\n').expect("a whole line").split('\n');
            let answer = |line| Some(format!("{}\n", device.answer(line)?));
            lines.filter_map(answer).collect::<String>()
        };
        assert_eq!(file.inputs.len(), names.len());
        for (at, name) in names.iter().enumerate() {
            let ready = send(&file.reset[0].steps[0]["send"]);
            let expect = regex::Regex::new(&file.reset[0].expect.r#match).expect("a regex");
            assert!(expect.is_match(&ready), "{ready:?}");
            assert_eq!(send(&file.inputs[*name].line()), format!("first {at}\n"), "{name:?}");
            assert_eq!(send(&file.inputs[*name].line()), format!("then {at}\n"), "{name:?}");
        }
    }
}
