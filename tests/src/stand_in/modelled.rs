//! Devices that do what a model says: behind a console that echoes and prompts, behind frames with
//! a checksum, and behind lines with neither.

use std::fmt::Write;

use mealybug::device::Stuffing;
use mealybug::machine::Machine;
use mealybug_core::{Input, Mealy};

use super::{Line, StandIn};

/// Resets a device with [`Dialect::Console`], whatever it is doing.
const CTRL_X: u8 = 0x18;
/// The request that resets a device with [`Dialect::Frames`]; the others are the numbers of the inputs.
const RESET: u8 = 0xff;
const CRC: crc::Crc<u16> = crc::Crc::<u16>::new(&crc::CRC_16_IBM_SDLC);

/// How a device talks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// It repeats each key, and answers a line with a line and a prompt.
    Console,
    /// It takes and sends frames with a checksum (SLIP). What is no frame has no answer.
    Frames,
    /// It answers a line with a line, as `mealybug simulate` does.
    Lines,
}

/// A device that does what a model says.
#[derive(Clone, Debug)]
pub struct Modelled {
    talk: Dialect,
    machine: Machine,
    state: u32,
    received: Vec<u8>,
}

impl Modelled {
    /// A device that does what `machine` says.
    pub fn new(machine: &Machine, talk: Dialect) -> Self {
        let state = Mealy::initial(machine);
        Self { talk, machine: machine.clone(), state, received: Vec::new() }
    }

    /// The output to an input.
    fn step(&mut self, input: Input) -> String {
        let (next, output) = self.machine.expect_transition(self.state, input);
        self.state = next;
        self.machine.output_name(output).to_owned()
    }

    /// The answer to a line.
    fn line(&mut self, line: &str) -> String {
        match self.machine.find_input(line) {
            _ if line == "reset" => {
                self.state = Mealy::initial(&self.machine);
                "ready".to_owned()
            }
            Some(input) => self.step(input),
            None => format!("error: no such command: {}", line.escape_debug()),
        }
    }

    /// The answer to what a frame contains.
    fn frame(&mut self, contents: &[u8]) -> Option<Vec<u8>> {
        let (request, crc) = contents.split_last_chunk::<2>()?;
        let &[request] = request else { return None };
        if CRC.checksum(&[request]).to_le_bytes() != *crc {
            return None;
        }
        let answer = if request == RESET {
            self.state = Mealy::initial(&self.machine);
            "ready".to_owned()
        } else if usize::from(request) < self.machine.inputs().len() {
            self.step(Input::new(request.into()))
        } else {
            "error".to_owned()
        };
        let crc = CRC.checksum(answer.as_bytes()).to_le_bytes();
        Some(Stuffing::Slip.stuff(&[answer.as_bytes(), &crc].concat()))
    }
}

impl StandIn for Modelled {
    fn power_on(&mut self, line: &mut Line) {
        self.state = Mealy::initial(&self.machine);
        self.received.clear();
        if self.talk == Dialect::Console {
            line.say("\r\nready\r\n> ");
        }
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        match (self.talk, byte) {
            (Dialect::Console, CTRL_X) => self.power_on(line),
            (Dialect::Frames, 0xc0) => {
                let frame = std::mem::take(&mut self.received);
                let frame = Stuffing::Slip.unstuff(&frame);
                if let Some(answer) = self.frame(&frame.frames.concat()) {
                    line.say(answer);
                }
            }
            (Dialect::Frames, _) => self.received.push(byte),
            (_, b'\r' | b'\n') => {
                let typed = std::mem::take(&mut self.received);
                let typed = String::from_utf8_lossy(&typed).into_owned();
                match self.talk {
                    Dialect::Console if typed.is_empty() => line.say("\r\n> "),
                    Dialect::Console => {
                        let answer = self.line(&typed);
                        line.say(format!("\r\n{answer}\r\n> "));
                    }
                    _ if typed.is_empty() => {}
                    _ => line.say(self.line(&typed) + "\n"),
                }
            }
            (talk, key) => {
                self.received.push(key);
                if talk == Dialect::Console {
                    line.say([key]);
                }
            }
        }
    }
}

/// The device file of a [`Modelled`] device.
pub fn device_file(machine: &Machine, talk: Dialect) -> String {
    let mut file = match talk {
        Dialect::Console => {
            r#"
[[reset]]
steps = [{ send = "\u0018" }]
expect = { match = 'ready\r\n> $', within_ms = 500 }
quiet_ms = 0
tries = 3
[reply]
match = '> $'
grace_ms = 0
within_ms = 500
echo = true
[[output]]
match = '^(.*)\r\n> $'
name = "$1"
[inputs]
"#
        }
        Dialect::Frames => {
            r#"
[frame]
hex = "${data} ${crc16-ibm-sdlc}"
stuffing = "slip"
[[reset]]
steps = [{ hex = "ff", frame = true }]
expect = { match = '(?s)\xc0ready.+\xc0$', within_ms = 500 }
quiet_ms = 0
tries = 3
[reply]
checksum = "crc16-ibm-sdlc"
within_ms = 500
[inputs]
"#
        }
        Dialect::Lines => {
            r#"
[[reset]]
steps = [{ send = "\nreset\n" }]
expect = { match = 'ready\n$', within_ms = 500 }
quiet_ms = 0
tries = 3
[reply]
lines = 1
within_ms = 500
[[output]]
match = '^(.*)\n$'
name = "$1"
[inputs]
"#
        }
    }
    .to_owned();
    for (number, name) in machine.inputs().iter().enumerate() {
        let sent = match talk {
            Dialect::Console => format!("\"{name}\\r\""),
            Dialect::Frames => format!("{{ hex = \"{number:02x}\" }}"),
            Dialect::Lines => format!("\"{name}\\n\""),
        };
        writeln!(file, "\"{name}\" = {sent}").expect("a string takes everything");
    }
    file
}
