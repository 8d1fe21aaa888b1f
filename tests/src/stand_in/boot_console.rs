//! The console of a boot loader like U-Boot: a countdown, an echo, a prompt, commands that ENTER
//! repeats, and a command that asks for values.

use std::time::Duration;

use super::{Line, StandIn};

/// How long the countdown lasts. Then the system boots, and no key brings the console back.
const COUNTDOWN: Duration = Duration::from_millis(400);

/// The console.
#[derive(Clone, Debug, Default)]
pub struct BootConsole {
    mode: Mode,
    typed: String,
    /// The command that ENTER repeats.
    last: String,
    /// The variable `a`.
    variable: Option<String>,
    /// Reset only by power, so it differs in each boot.
    ticks: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Countdown,
    Prompt,
    /// A command waits for a value.
    Asking,
    Booted,
}

const PROMPT: &str = "=> ";

impl StandIn for BootConsole {
    fn power_on(&mut self, line: &mut Line) {
        *self = Self { ticks: self.ticks + 7, ..Self::default() };
        line.say("\r\nBoot 2024.01\r\nHit any key to stop autoboot:  1 ");
        line.alarm_in(COUNTDOWN);
    }

    fn alarm(&mut self, line: &mut Line) {
        if self.mode == Mode::Countdown {
            self.mode = Mode::Booted;
            line.say("\x08\x08 0 \r\nStarting kernel ...\r\n");
        }
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        self.ticks += 1;
        match (self.mode, byte) {
            (Mode::Booted, _) => {}
            (Mode::Countdown, _) => {
                self.mode = Mode::Prompt;
                line.say(format!("\x08\x08 0 \r\n{PROMPT}"));
            }
            (_, 3) => {
                self.mode = Mode::Prompt;
                self.typed.clear();
                self.last.clear();
                line.say(format!("<INTERRUPT>\r\n{PROMPT}"));
            }
            (Mode::Asking, b'\r') => {
                let end = self.typed == "q";
                self.typed.clear();
                self.mode = if end { Mode::Prompt } else { Mode::Asking };
                line.say(if end { "\r\n=> " } else { "\r\n40200000: 00 ? " });
            }
            (Mode::Prompt, b'\r') => {
                let typed = std::mem::take(&mut self.typed);
                let command = if typed.is_empty() { self.last.clone() } else { typed };
                line.say("\r\n");
                // Before the command runs, because a reset forgets it.
                self.last.clone_from(&command);
                self.command(&command, line);
            }
            (_, key) => {
                self.typed.push(char::from(key));
                line.say([key]);
            }
        }
    }
}

impl BootConsole {
    fn command(&mut self, command: &str, line: &mut Line) {
        let words: Vec<_> = command.split(' ').collect();
        let answer = match words.as_slice() {
            [] | [""] => String::new(),
            ["reset"] => {
                line.say("resetting ...\r\n");
                return self.power_on(line);
            }
            ["mm"] => {
                self.mode = Mode::Asking;
                return line.say("40200000: 00 ? ");
            }
            ["setenv", "a", value @ ..] => {
                self.variable = (!value.is_empty()).then(|| value.join(" "));
                String::new()
            }
            ["printenv", "a"] => match &self.variable {
                Some(value) => format!("a={value}\r\n"),
                None => "## Error: \"a\" not defined\r\n".to_owned(),
            },
            ["time"] => {
                // In grey, with a time that counts up, as on real consoles.
                format!("\x1b[90mtime: {}.{:03} s\x1b[0m\r\n", self.ticks / 1000, self.ticks % 1000)
            }
            [other, ..] => format!("Unknown command '{other}' - try 'help'\r\n"),
        };
        line.say(format!("{answer}{PROMPT}"));
    }
}
