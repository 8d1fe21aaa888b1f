//! A motor controller with an emergency stop.
//!
//! The drive runs only when it is enabled, and must stop before it turns the other way. The
//! emergency stop works in every state and latches: before the drive can be enabled again, the
//! button must be released and the stop acknowledged. A fault latches too, until it is
//! acknowledged.

use crate::{BuiltInInput, ConsoleDevice};

/// The controller.
#[derive(Debug, Default)]
pub struct Motor {
    drive: Motion,
    emergency: Emergency,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Motion {
    #[default]
    Disabled,
    Standing,
    Turning(Direction),
    /// The motor was told to reverse while it turned.
    Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Reverse,
}

/// The emergency stop, a button that stays pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Emergency {
    #[default]
    Clear,
    Pressed,
    /// Released, but not acknowledged.
    Latched,
}

impl ConsoleDevice for Motor {
    const BANNER: &'static str = "motor controller";
    const INPUTS: &'static [(&'static str, BuiltInInput)] = &[
        ("enable", BuiltInInput::Say("enable")),
        ("disable", BuiltInInput::Say("disable")),
        ("fwd", BuiltInInput::Say("run fwd")),
        ("rev", BuiltInInput::Say("run rev")),
        ("stop", BuiltInInput::Say("stop")),
        ("estop", BuiltInInput::Say("estop")),
        ("release", BuiltInInput::Say("release")),
        ("ack", BuiltInInput::Say("ack")),
    ];

    /// `enable`, `disable`, `run fwd`, `run rev`, `stop`, `ack`, and the button's `estop` and
    /// `release`.
    fn command(&mut self, line: &[u8], _now_ms: u64) -> &'static str {
        match line {
            b"estop" => self.press(),
            b"release" => self.release(),
            b"ack" => self.acknowledge(),
            _ if self.emergency != Emergency::Clear => "E1 emergency stop",
            b"enable" => self.enable(),
            b"disable" => self.disable(),
            b"run fwd" => self.run(Direction::Forward),
            b"run rev" => self.run(Direction::Reverse),
            b"stop" => self.stop(),
            _ => "E0 unknown command",
        }
    }
}

impl Motor {
    fn press(&mut self) -> &'static str {
        self.emergency = Emergency::Pressed;
        if self.drive != Motion::Fault {
            self.drive = Motion::Disabled;
        }
        "stopped"
    }

    fn release(&mut self) -> &'static str {
        if self.emergency != Emergency::Pressed {
            return "ok";
        }
        self.emergency = Emergency::Latched;
        "E1 emergency stop"
    }

    fn acknowledge(&mut self) -> &'static str {
        match self.emergency {
            Emergency::Pressed => return "E1 emergency stop",
            Emergency::Latched => self.emergency = Emergency::Clear,
            Emergency::Clear if self.drive == Motion::Fault => self.drive = Motion::Disabled,
            Emergency::Clear => {}
        }
        "ok"
    }

    fn enable(&mut self) -> &'static str {
        match self.drive {
            Motion::Fault => "E3 fault",
            Motion::Disabled => {
                self.drive = Motion::Standing;
                "ok"
            }
            Motion::Standing | Motion::Turning(_) => "ok",
        }
    }

    fn disable(&mut self) -> &'static str {
        match self.drive {
            Motion::Turning(_) => "E2 turning",
            Motion::Fault => "E3 fault",
            Motion::Standing | Motion::Disabled => {
                self.drive = Motion::Disabled;
                "ok"
            }
        }
    }

    fn run(&mut self, direction: Direction) -> &'static str {
        match self.drive {
            Motion::Disabled => "E4 disabled",
            Motion::Fault => "E3 fault",
            Motion::Turning(now) if now != direction => {
                self.drive = Motion::Fault;
                "E3 fault"
            }
            Motion::Standing | Motion::Turning(_) => {
                self.drive = Motion::Turning(direction);
                match direction {
                    Direction::Forward => "forward",
                    Direction::Reverse => "reverse",
                }
            }
        }
    }

    fn stop(&mut self) -> &'static str {
        if let Motion::Turning(_) = self.drive {
            self.drive = Motion::Standing;
        }
        if self.drive == Motion::Fault { "E3 fault" } else { "ok" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::talk_now;

    #[test]
    fn it_runs_only_when_enabled_and_stands_before_it_turns_the_other_way() {
        assert_eq!(
            talk_now::<Motor>("run fwd, enable, run fwd, run fwd, disable, stop, run rev"),
            ["E4 disabled", "ok", "forward", "forward", "E2 turning", "ok", "reverse"]
        );
        assert_eq!(
            talk_now::<Motor>("enable, run fwd, run rev, stop, run fwd, ack, run fwd, jump"),
            [
                "ok",
                "forward",
                "E3 fault",
                "E3 fault",
                "E3 fault",
                "ok",
                "E4 disabled",
                "E0 unknown command"
            ]
        );
    }

    #[test]
    fn the_emergency_stop_latches() {
        assert_eq!(
            talk_now::<Motor>("enable, run fwd, estop, run fwd, ack, release, enable, ack, enable"),
            [
                "ok",
                "forward",
                "stopped",
                "E1 emergency stop",
                "E1 emergency stop",
                "E1 emergency stop",
                "E1 emergency stop",
                "ok",
                "ok"
            ]
        );
        // The fault outlives the emergency stop and needs an acknowledgement of its own.
        assert_eq!(
            talk_now::<Motor>("enable, run rev, run fwd, estop, release, ack, enable, ack, enable"),
            [
                "ok",
                "reverse",
                "E3 fault",
                "stopped",
                "E1 emergency stop",
                "ok",
                "E3 fault",
                "ok",
                "ok"
            ]
        );
    }
}
