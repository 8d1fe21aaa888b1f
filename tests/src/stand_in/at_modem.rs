//! A modem with AT commands (V.250, 3GPP TS 27.007): a SIM that needs its PIN, calls, data mode.

use std::time::Duration;

use super::{Line, StandIn};

/// The silence around `+++`.
const GUARD: Duration = Duration::from_millis(20);
/// How often RING comes while somebody calls.
const RING: Duration = Duration::from_millis(150);
/// How many wrong PINs until the SIM asks for its PUK.
const TRIES: u32 = 2;

/// The modem. It echoes its input, and somebody calls it all the time.
#[derive(Debug)]
pub struct AtModem {
    sim: Sim,
    call: Call,
    typed: Vec<u8>,
    /// In data mode: the number of plus signs in a row, the first after a silence.
    escape: Option<u32>,
    last_byte: Option<std::time::Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sim {
    Pin { tries: u32 },
    Puk,
    Ready,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    None,
    Data,
    /// There is a call, but the modem takes commands.
    Held,
}

impl Default for AtModem {
    fn default() -> Self {
        let sim = Sim::Pin { tries: TRIES };
        Self { sim, call: Call::None, typed: Vec::new(), escape: None, last_byte: None }
    }
}

impl StandIn for AtModem {
    fn power_on(&mut self, line: &mut Line) {
        *self = Self::default();
        line.say_in(Duration::from_millis(2), "\r\nRDY\r\n");
        line.alarm_in(RING);
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        let silent = self.last_byte.is_none_or(|last| line.now() - last >= GUARD);
        self.last_byte = Some(line.now());
        if self.call == Call::Data {
            self.escape = match (byte, self.escape) {
                (b'+', None) if silent => Some(1),
                (b'+', Some(count)) => Some(count + 1),
                _ => None,
            };
            if self.escape == Some(3) {
                line.alarm_in(GUARD);
            }
            return;
        }
        line.say([byte]);
        if byte != b'\r' {
            self.typed.push(byte);
            return;
        }
        let typed = std::mem::take(&mut self.typed);
        let typed = String::from_utf8_lossy(&typed).into_owned();
        if let Some(start) = typed.find("AT") {
            let answer = self.command(&typed[start + 2..]);
            line.say(format!("\r\n{answer}\r\n"));
            if answer == "OK" && &typed[start..] == "AT+CFUN=1,1" {
                self.power_on(line);
            }
        }
    }

    fn alarm(&mut self, line: &mut Line) {
        if self.escape.take() == Some(3) {
            self.call = Call::Held;
            line.say("\r\nOK\r\n");
        } else if self.call == Call::None {
            line.say("\r\nRING\r\n");
        }
        line.alarm_in(RING);
    }
}

impl AtModem {
    fn command(&mut self, command: &str) -> String {
        let answer = match (command, self.sim, self.call) {
            ("" | "+CFUN=1,1", _, _) => "OK",
            ("+CPIN?", Sim::Pin { .. }, _) => "+CPIN: SIM PIN\r\n\r\nOK",
            ("+CPIN?", Sim::Puk, _) => "+CPIN: SIM PUK\r\n\r\nOK",
            ("+CPIN?", Sim::Ready, _) => "+CPIN: READY\r\n\r\nOK",
            ("+CPIN=1234", Sim::Pin { .. }, _) => {
                self.sim = Sim::Ready;
                "OK"
            }
            ("+CPIN=0000", Sim::Pin { tries }, _) => {
                self.sim = if tries > 1 { Sim::Pin { tries: tries - 1 } } else { Sim::Puk };
                "+CME ERROR: 16"
            }
            ("+CPIN=1234" | "+CPIN=0000", Sim::Puk, _) => "+CME ERROR: 12",
            ("D*99#", Sim::Ready, Call::None) | ("O", _, Call::Held) => {
                self.call = Call::Data;
                "CONNECT 115200"
            }
            ("D*99#", Sim::Pin { .. } | Sim::Puk, _) => "+CME ERROR: 11",
            ("O", _, Call::None) => "NO CARRIER",
            ("H", _, _) => {
                self.call = Call::None;
                "OK"
            }
            _ => "ERROR",
        };
        answer.to_owned()
    }
}
