//! A login on a console: it echoes names but not passwords, answers a wrong password late, and
//! locks for good after too many of them.

use std::time::Duration;

use super::{Line, StandIn};

/// How long it takes to refuse a wrong password.
const PONDERING: Duration = Duration::from_millis(250);
/// How many wrong passwords until nobody can log in.
const TRIES: u32 = 2;

/// The console.
#[derive(Clone, Debug, Default)]
pub struct Login {
    at: At,
    typed: String,
    failures: u32,
    /// Seconds since power-on, by its own clock; the prompt shows them.
    clock: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Name,
    Password {
        name: String,
    },
    Shell,
    Locked,
}

impl StandIn for Login {
    fn power_on(&mut self, line: &mut Line) {
        *self = Self { clock: self.clock, ..Self::default() };
        line.say("\r\nboard login: ");
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        self.clock += 1;
        match byte {
            // The board's magic key: restart everything.
            0x1c => self.power_on(line),
            b'\r' => {
                let typed = std::mem::take(&mut self.typed);
                self.line(&typed, line);
            }
            4 if self.at == At::Shell => self.log_out(line),
            4 => {}
            _ => {
                self.typed.push(char::from(byte));
                if matches!(self.at, At::Name | At::Shell) {
                    line.say([byte]);
                }
            }
        }
    }
}

impl Login {
    fn line(&mut self, typed: &str, line: &mut Line) {
        match self.at.clone() {
            At::Locked => line.say("\r\nLocked\r\n"),
            At::Name if typed.is_empty() => line.say("\r\nboard login: "),
            At::Name => {
                self.at = At::Password { name: typed.to_owned() };
                line.say("\r\nPassword: ");
            }
            At::Password { name } if name == "root" && typed == "secret" => {
                self.at = At::Shell;
                self.failures = 0;
                line.say("\r\n");
                self.prompt(line);
            }
            At::Password { .. } => {
                self.failures += 1;
                if self.failures == TRIES {
                    self.at = At::Locked;
                    line.say_in(PONDERING, "\r\nToo many failures\r\n");
                } else {
                    self.at = At::Name;
                    line.say_in(PONDERING, "\r\nLogin incorrect\r\nboard login: ");
                }
            }
            At::Shell => match typed {
                "exit" => self.log_out(line),
                "" => {
                    line.say("\r\n");
                    self.prompt(line);
                }
                other => {
                    line.say(format!("\r\nsh: {other}: not found\r\n"));
                    self.prompt(line);
                }
            },
        }
    }

    fn prompt(&self, line: &mut Line) {
        let (minutes, seconds) = (self.clock / 60 % 60, self.clock % 60);
        line.say(format!("root@board 12:{minutes:02}:{seconds:02} # "));
    }

    fn log_out(&mut self, line: &mut Line) {
        self.at = At::Name;
        line.say("\r\nboard login: ");
    }
}
