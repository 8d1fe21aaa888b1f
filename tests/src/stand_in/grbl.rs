//! A motion controller like GRBL 1.1: it answers lines with `ok` or `error:N`, and acts on some
//! bytes at once.

use super::{Line, StandIn};

/// The controller. It is locked until it knows its position.
#[derive(Debug, Default)]
pub struct Grbl {
    state: GrblState,
    typed: Vec<u8>,
    /// The position; no reset clears it.
    position: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum GrblState {
    #[default]
    Alarm,
    Idle,
    /// A move that never ends.
    Run,
    Hold,
    Check,
}

impl StandIn for Grbl {
    fn power_on(&mut self, line: &mut Line) {
        *self = Self { position: self.position, ..Self::default() };
        line.say("\r\nGrbl 1.1h ['$' for help]\r\n[MSG:'$H'|'$X' to unlock]\r\n");
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        self.position += 0.125;
        match (byte, self.state) {
            (0x18, _) => self.power_on(line),
            (b'?', state) => {
                let mode = if state == GrblState::Hold { ":0" } else { "" };
                let position = self.position;
                line.say(format!("<{state:?}{mode}|MPos:{position:.3},0.000,0.000|FS:0,0>\r\n"));
            }
            (b'!', GrblState::Run) => self.state = GrblState::Hold,
            (b'~', GrblState::Hold) => self.state = GrblState::Run,
            (b'!' | b'~' | b'\r', _) => {}
            (b'\n', _) => {
                let typed = std::mem::take(&mut self.typed);
                let answer = self.command(&String::from_utf8_lossy(&typed));
                line.say(match answer {
                    Ok(message) => format!("{message}ok\r\n"),
                    Err(number) => format!("error:{number}\r\n"),
                });
            }
            _ => self.typed.push(byte),
        }
    }
}

impl Grbl {
    fn command(&mut self, command: &str) -> Result<&'static str, u32> {
        match (command, self.state) {
            ("", _) => Ok(""),
            // Allowed only when idle.
            ("$X", GrblState::Run | GrblState::Hold)
            | ("$C", GrblState::Run | GrblState::Hold | GrblState::Alarm) => Err(8),
            ("$X", GrblState::Alarm) => {
                self.state = GrblState::Idle;
                Ok("[MSG:Caution: Unlocked]\r\n")
            }
            ("$X", _) => Ok(""),
            ("$C", GrblState::Idle) => {
                self.state = GrblState::Check;
                Ok("[MSG:Enabled]\r\n")
            }
            // Leaving the check mode is a reset.
            ("$C", GrblState::Check) => {
                self.state = GrblState::Alarm;
                Ok("[MSG:Disabled]\r\n")
            }
            (line, GrblState::Alarm) if line.starts_with('G') => Err(9),
            ("G1 X100 F1", GrblState::Idle) => {
                self.state = GrblState::Run;
                Ok("")
            }
            (line, _) if line.starts_with("G1") && line.contains('F') => Ok(""),
            // No feed rate was set.
            (line, _) if line.starts_with("G1") => Err(22),
            (line, _) if line.starts_with('$') => Err(3),
            _ => Err(1),
        }
    }
}
