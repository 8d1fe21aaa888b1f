//! The door lock of `mealybug demo`: a keypad, a bolt, an alarm and a light.
//!
//! The code is `1 2`, then `enter`. Too many wrong codes set off the alarm, and no code stops it.
//! Only `close` does: the button inside, which also bolts the door and cancels what was typed. The
//! light of the keypad is independent of the lock, so the machine is the product of a lock and a
//! light. A learner with projections finds these two parts again, each smaller than the whole.

use mealybug_core::{Input, Mealy, Output};

use crate::machine::Machine;

/// How many wrong codes set off the alarm.
const WRONG_CODES: u8 = 3;

/// The inputs, as a person would press them.
const INPUTS: [&str; 5] = ["1", "2", "enter", "close", "light"];

/// The door lock, as its firmware would describe it.
#[derive(Clone, Copy, Debug)]
pub struct DemoLock;

impl DemoLock {
    /// The lock as a table.
    pub fn machine() -> Machine {
        let inputs = INPUTS.map(str::to_owned);
        let outputs = ALL_REPLIES.map(|reply| reply.name().to_owned());
        Machine::explore(&Self, &inputs, &outputs, u32::MAX)
            .expect("each step has an output, and there are few states")
    }
}

/// The state of the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LockState {
    bolt: Bolt,
    light: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Bolt {
    Locked { typed: Typed, wrong_codes: u8 },
    Unlocked,
    Alarm,
}

/// The keys typed since the last code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Typed {
    Nothing,
    One,
    OneTwo,
    Other,
}

/// What the lock answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockReply {
    None,
    Beep,
    Opened,
    Wrong,
    Alarm,
    Locked,
    LightOn,
    LightOff,
}

/// Ordered by their numbers.
const ALL_REPLIES: [LockReply; 8] = {
    use LockReply::{Alarm, Beep, LightOff, LightOn, Locked, None, Opened, Wrong};
    [None, Beep, Opened, Wrong, Alarm, Locked, LightOn, LightOff]
};

impl LockReply {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Beep => "beep",
            Self::Opened => "opened",
            Self::Wrong => "wrong code",
            Self::Alarm => "alarm",
            Self::Locked => "locked",
            Self::LightOn => "light on",
            Self::LightOff => "light off",
        }
    }
}

impl LockState {
    /// Presses the key with this name.
    fn press(&mut self, key: &str) -> LockReply {
        if key == "light" {
            self.light = !self.light;
            return if self.light { LockReply::LightOn } else { LockReply::LightOff };
        }
        let (bolt, reply) = self.bolt.press(key);
        self.bolt = bolt;
        reply
    }
}

impl Bolt {
    const LOCKED: Self = Self::Locked { typed: Typed::Nothing, wrong_codes: 0 };

    fn press(self, key: &str) -> (Self, LockReply) {
        match (self, key) {
            (Self::Locked { wrong_codes, .. }, "close") => {
                (Self::Locked { typed: Typed::Nothing, wrong_codes }, LockReply::None)
            }
            (Self::Locked { typed, wrong_codes }, "enter") => typed.enter(wrong_codes),
            (Self::Locked { typed, wrong_codes }, digit) => {
                (Self::Locked { typed: typed.digit(digit), wrong_codes }, LockReply::Beep)
            }
            (Self::Unlocked | Self::Alarm, "close") => (Self::LOCKED, LockReply::Locked),
            (Self::Unlocked, _) => (self, LockReply::None),
            (Self::Alarm, _) => (self, LockReply::Alarm),
        }
    }
}

impl Typed {
    fn digit(self, digit: &str) -> Self {
        match (self, digit) {
            (Self::Nothing, "1") => Self::One,
            (Self::One, "2") => Self::OneTwo,
            _ => Self::Other,
        }
    }

    /// Enters a code after `wrong_codes` wrong ones.
    fn enter(self, wrong_codes: u8) -> (Bolt, LockReply) {
        match self {
            Self::Nothing => (Bolt::Locked { typed: self, wrong_codes }, LockReply::None),
            Self::OneTwo => (Bolt::Unlocked, LockReply::Opened),
            Self::One | Self::Other if wrong_codes + 1 == WRONG_CODES => {
                (Bolt::Alarm, LockReply::Alarm)
            }
            Self::One | Self::Other => {
                let wrong_codes = wrong_codes + 1;
                (Bolt::Locked { typed: Self::Nothing, wrong_codes }, LockReply::Wrong)
            }
        }
    }
}

impl Mealy for DemoLock {
    type State = LockState;

    fn inputs(&self) -> u32 {
        5
    }

    fn initial(&self) -> LockState {
        LockState { bolt: Bolt::LOCKED, light: false }
    }

    fn step(&self, state: &mut LockState, input: Input) -> Option<Output> {
        let reply = state.press(INPUTS[input.index() as usize]);
        let number = (0..).zip(ALL_REPLIES).find(|&(_, known)| known == reply);
        number.map(|(number, _)| Output::new(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Builder;

    fn press(keys: &str) -> Vec<String> {
        let lock = DemoLock::machine();
        let mut state = lock.initial();
        let step = |key| {
            let input = lock.find_input(key).expect("a key");
            lock.output_name(lock.step(&mut state, input).expect("complete")).to_owned()
        };
        keys.split(' ').map(step).collect()
    }

    #[test]
    fn it_does_what_its_maker_says() {
        assert_eq!(
            press("1 2 enter 1 enter close close enter"),
            ["beep", "beep", "opened", "none", "none", "locked", "none", "none"]
        );
        assert_eq!(
            press("1 enter 2 1 enter 1 2 1 enter 1 light close 1 2 enter light"),
            [
                "beep",
                "wrong code",
                "beep",
                "beep",
                "wrong code",
                "beep",
                "beep",
                "beep",
                "alarm",
                "alarm",
                "light on",
                "locked",
                "beep",
                "beep",
                "opened",
                "light off"
            ]
        );
        // Closing cancels the code but not the count of wrong ones; opening resets the count.
        assert_eq!(press("2 enter 2 enter 2 close 1 enter").last().expect("pressed"), "alarm");
        assert_eq!(
            press("2 enter 2 enter 1 2 enter close 2 enter").last().expect("pressed"),
            "wrong code"
        );
    }

    /// What a learner with projections can hope for.
    #[test]
    fn its_components_are_smaller_than_the_whole() {
        let lock = DemoLock::machine();
        assert_eq!(lock.minimise().states(), lock.states());
        assert_eq!(lock.states(), 28);
        let component = |own: &String| {
            let mut component = Builder::default();
            for (from, input, to, output) in lock.named_transitions() {
                let output = if output == own { output } else { "another" };
                component.add(from, input, to, output).expect("new");
            }
            component.build(lock.initial()).expect("complete").minimise().states()
        };
        let sizes: Vec<_> = lock.outputs().iter().map(component).collect();
        assert_eq!(sizes, [14, 11, 13, 11, 14, 11, 2, 2]);
    }
}
