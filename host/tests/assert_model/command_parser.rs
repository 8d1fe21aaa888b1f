//! A parser of commands that come byte by byte from a UART.

use mealybug::{Device, assert_model};

/// Takes `ON` and `OFF`, each with a carriage return.
#[derive(Default)]
struct CommandParser {
    line: [u8; 4],
    len: usize,
    is_overrun: bool,
}

#[derive(Debug)]
enum Reply {
    On,
    Off,
    Unknown,
    Overrun,
}

impl CommandParser {
    /// A byte from the UART. The interrupt handler calls this.
    fn receive(&mut self, byte: u8) -> Option<Reply> {
        match byte {
            b'\r' => {
                let line = &self.line[..std::mem::take(&mut self.len)];
                let is_overrun = std::mem::take(&mut self.is_overrun);
                match line {
                    _ if is_overrun => Some(Reply::Overrun),
                    b"" => None,
                    b"ON" => Some(Reply::On),
                    b"OFF" => Some(Reply::Off),
                    _ => Some(Reply::Unknown),
                }
            }
            byte if self.len < self.line.len() => {
                self.line[self.len] = byte;
                self.len += 1;
                None
            }
            _ => {
                self.is_overrun = true;
                None
            }
        }
    }
}

#[test]
fn the_parser_does_what_its_model_says() {
    // The bytes that matter, and one that stands for all others.
    let bytes = ['O', 'N', 'F', '\r', '?'];
    let receive = |parser: &mut CommandParser, byte| parser.receive(byte as u8);
    let device = Device::from_fn(bytes, CommandParser::default, receive);
    assert_model!("tests/models/command-parser.dot", device);
}
