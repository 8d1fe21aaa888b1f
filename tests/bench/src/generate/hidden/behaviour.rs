//! What can be planted, and how its parameters are drawn.

use std::fmt;

use clap::ValueEnum;
use mealybug::machine::Machine;
use mealybug_core::{Input, Mealy};

use super::super::random::SplitMix64;

/// A kind of hidden behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum BehaviourFamily {
    /// Errors are counted, and too many lock the device.
    Counter,
    /// A sequence of inputs unlocks something.
    Unlock,
    /// A command swallows the inputs after it, and checks them.
    Payload,
    /// A mode that looks like the other one for three inputs.
    Mode,
    /// Waiting matters in one state.
    TimeOut,
    /// A counter that wraps around.
    Wrap,
    /// A transition far from the initial state leads elsewhere.
    Wrong,
}

impl BehaviourFamily {
    /// All families.
    pub const ALL: [Self; 7] = [
        Self::Counter,
        Self::Unlock,
        Self::Payload,
        Self::Mode,
        Self::TimeOut,
        Self::Wrap,
        Self::Wrong,
    ];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Unlock => "unlock",
            Self::Payload => "payload",
            Self::Mode => "mode",
            Self::TimeOut => "time-out",
            Self::Wrap => "wrap",
            Self::Wrong => "wrong",
        }
    }
}

impl fmt::Display for BehaviourFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A hidden behaviour with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// `count` times `input` lock the device: it answers `locked` from then on.
    Counter {
        /// The input that is counted.
        input: Input,
        /// 2 to 20.
        count: u32,
        /// Whether another input sets the counter back to 0.
        in_a_row: bool,
    },
    /// The last input of `word` answers `open`.
    Unlock {
        /// 2 to 6 inputs.
        word: Vec<Input>,
        /// Whether a wrong input begins the sequence anew; otherwise it is ignored.
        strict: bool,
    },
    /// `command` swallows the next `length` inputs, which answer `…`. The last one answers `ok` if the sum of their
    /// numbers is even, and `bad` otherwise.
    Payload {
        /// The command.
        command: Input,
        /// 1 to 8.
        length: u32,
    },
    /// In `state`, `by` changes the mode and does what it did before. In the second mode the last input of `tell`
    /// answers `other`.
    Mode {
        /// The state of the base.
        state: u32,
        /// The input that changes the mode.
        by: Input,
        /// Three inputs in a row, of which the last one tells the modes apart.
        tell: [Input; 3],
    },
    /// A further input `wait` answers `-` and does nothing, but in `state` it leads to the initial state.
    TimeOut {
        /// The state of the base; not its initial state.
        state: u32,
    },
    /// Each `period`-th `input` answers `wrapped`.
    Wrap {
        /// The input that is counted.
        input: Input,
        /// 2 to 20.
        period: u32,
    },
    /// In `state`, `input` leads to `target`.
    Wrong {
        /// One of the states that are furthest from the initial state.
        state: u32,
        /// The input.
        input: Input,
        /// Where it leads.
        target: u32,
    },
}

impl Behaviour {
    /// Draws a behaviour of `family` for `base`.
    pub(super) fn draw(base: &Machine, family: BehaviourFamily, random: &mut SplitMix64) -> Self {
        let input = |random: &mut SplitMix64| Input::new(random.below(Mealy::inputs(base)));
        match family {
            BehaviourFamily::Counter => Self::Counter {
                input: input(random),
                count: 2 + random.below(19),
                in_a_row: random.below(2) == 0,
            },
            BehaviourFamily::Unlock => {
                let length = 2 + random.below(5);
                let word = (0..length).map(|_| input(random)).collect();
                Self::Unlock { word, strict: random.below(2) == 0 }
            }
            BehaviourFamily::Payload => {
                Self::Payload { command: input(random), length: 1 + random.below(8) }
            }
            BehaviourFamily::Mode => Self::Mode {
                state: random.below(base.states()),
                by: input(random),
                tell: [(); 3].map(|()| input(random)),
            },
            BehaviourFamily::TimeOut => Self::TimeOut { state: random.below(base.states()) },
            BehaviourFamily::Wrap => {
                Self::Wrap { input: input(random), period: 2 + random.below(19) }
            }
            BehaviourFamily::Wrong => {
                let words: Vec<_> = base.access_words().iter().collect();
                let depth = words.iter().map(|(_, word)| word.len()).max().unwrap_or(0);
                let deep: Vec<u32> = words
                    .iter()
                    .filter(|(_, word)| word.len() == depth)
                    .map(|&(state, _)| state)
                    .collect();
                let at =
                    random.below(u32::try_from(deep.len()).expect("states are numbered by u32"));
                let state = deep[at as usize];
                Self::Wrong { state, input: input(random), target: random.below(base.states()) }
            }
        }
    }

    /// Which kind it is.
    pub const fn family(&self) -> BehaviourFamily {
        match self {
            Self::Counter { .. } => BehaviourFamily::Counter,
            Self::Unlock { .. } => BehaviourFamily::Unlock,
            Self::Payload { .. } => BehaviourFamily::Payload,
            Self::Mode { .. } => BehaviourFamily::Mode,
            Self::TimeOut { .. } => BehaviourFamily::TimeOut,
            Self::Wrap { .. } => BehaviourFamily::Wrap,
            Self::Wrong { .. } => BehaviourFamily::Wrong,
        }
    }

    /// Its parameters, with the names that inputs have in `base`: `input=a count=7 in-a-row`.
    pub fn parameters(&self, base: &Machine) -> String {
        let name = |input: &Input| base.input_name(*input);
        let names = |word: &[Input]| word.iter().map(name).collect::<Vec<_>>().join(" ");
        match self {
            Self::Counter { input, count, in_a_row } => {
                let how = if *in_a_row { "in-a-row" } else { "in-total" };
                format!("input={} count={count} {how}", name(input))
            }
            Self::Unlock { word, strict } => {
                let how = if *strict { "strict" } else { "forgiving" };
                format!("word={} {how}", names(word))
            }
            Self::Payload { command, length } => {
                format!("command={} length={length}", name(command))
            }
            Self::Mode { state, by, tell } => {
                format!("state={state} by={} tell={}", name(by), names(tell))
            }
            Self::TimeOut { state } => format!("state={state}"),
            Self::Wrap { input, period } => format!("input={} period={period}", name(input)),
            Self::Wrong { state, input, target } => {
                format!("state={state} input={} target={target}", name(input))
            }
        }
    }
}
