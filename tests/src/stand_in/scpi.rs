//! An instrument with SCPI commands: commands give no answer, queries one line; errors queue up.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Line, StandIn};

/// How long a measurement takes.
const MEASURING: Duration = Duration::from_millis(10);
/// How many errors are kept.
const QUEUE: usize = 1;

/// A power supply.
#[derive(Debug, Default)]
pub struct Scpi {
    typed: Vec<u8>,
    is_on: bool,
    errors: VecDeque<&'static str>,
    /// The last digits of a measurement.
    noise: u32,
}

impl StandIn for Scpi {
    fn power_on(&mut self, _: &mut Line) {
        *self = Self { noise: self.noise, ..Self::default() };
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        if byte != b'\n' {
            self.typed.push(byte);
            return;
        }
        let typed = std::mem::take(&mut self.typed);
        for command in String::from_utf8_lossy(&typed).split(';') {
            self.command(command.trim(), line);
        }
    }
}

impl Scpi {
    fn command(&mut self, command: &str, line: &mut Line) {
        let (header, value) = command.split_once(' ').unwrap_or((command, ""));
        match header {
            "*RST" => self.is_on = false,
            "*CLS" => self.errors.clear(),
            "*OPC?" => line.say("1\n"),
            "*IDN?" => line.say("ACME,PS1,0,1.0\n"),
            "OUTP" if value == "ON" => self.is_on = true,
            "OUTP" if value == "OFF" => self.is_on = false,
            "OUTP?" => line.say(if self.is_on { "1\n" } else { "0\n" }),
            "VOLT" => match value.parse::<f32>() {
                Ok(0.0..=30.0) => {}
                Ok(_) => self.error("-222,\"Data out of range\""),
                Err(_) => self.error("-104,\"Data type error\""),
            },
            "MEAS:VOLT?" if self.is_on => {
                self.noise = (self.noise * 13 + 5) % 1000;
                line.say_in(MEASURING, format!("+4.99{:03}E+00\n", self.noise));
            }
            "MEAS:VOLT?" => line.say_in(MEASURING, "+9.91000E+37\n"),
            "SYST:ERR?" => {
                let error = self.errors.pop_front().unwrap_or("0,\"No error\"");
                line.say(format!("{error}\n"));
            }
            _ => self.error("-113,\"Undefined header\""),
        }
    }

    /// When the queue is full, the newest error is replaced by the queue overflow error (SCPI-99,
    /// 21.8.1).
    fn error(&mut self, error: &'static str) {
        if self.errors.len() < QUEUE {
            self.errors.push_back(error);
        } else if let Some(last) = self.errors.back_mut() {
            *last = "-350,\"Queue overflow\"";
        }
    }
}
