//! `mealybug try`: talks to a device by hand, and shows what passes.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use clap::builder::Resettable;
use clap::{Arg, Args};
use mealybug::escape::excerpt;
use mealybug::export::shown;
use mealybug::learned_components::output_name;
use mealybug::place;
use mealybug::serial::{LinkError, SerialSul, TimedLink, Traced, when_back};
use mealybug::word::UnknownInput;
use mealybug_core::{Input, Sul};
use miette::{Report, Result};

use crate::endpoint::Endpoint;
use crate::endpoint::connect::Connect;
use crate::exit::Exit;
use crate::terminal::exchange;
use crate::terminal::hand_word::{self, HandStep};
use crate::terminal::prompt::{Prompt, PromptLine};
use crate::terminal::{give, say};

/// How long a device is listened to after a reply, for bytes that come late.
const LISTEN: Duration = Duration::from_millis(100);
/// The same at most after silence, for an answer that comes later than it is waited for.
const LISTEN_AT_MOST: Duration = Duration::from_secs(2);
/// How long a device may be away at a reset.
const BACK_WITHIN: Duration = Duration::from_secs(10);

/// Talk to a device by hand: see the bytes of each input and reply, their times, and the output.
///
/// With INPUTs the command resets the device and sends them; `reset` among them is another reset. Without, it shows a prompt.
#[derive(Debug, Args)]
#[command(
    mut_arg("adapter", |adapter| without_device(adapter).conflicts_with_all(["port", "place", "model"])),
    mut_arg("model", |model| without_device(model).conflicts_with_all(["port", "place"])),
    override_usage = "mealybug try [--port <PORT>] <DEVICE.toml> [INPUT]...\n       \
                      mealybug try --agent [--port <PORT>] [DEVICE.toml [INPUT]...]\n       \
                      mealybug try --adapter <COMMAND> [INPUT]...\n       \
                      mealybug try --model <MODEL> [INPUT]...",
    after_help = "\
Examples:
  mealybug try --port /dev/ttyUSB0 lock.toml help open     # one word
  mealybug try --port /dev/ttyUSB0 lock.toml open reset help
  mealybug try --port /dev/ttyUSB0 lock.toml               # a prompt; `help` says what it knows
  mealybug try --model lock.dot help open"
)]
pub(crate) struct TryArgs {
    #[command(flatten)]
    connect: Connect,

    /// Inputs to send; `reset` resets the device in between (`reset!` if an input is called `reset`)
    #[arg(value_name = "INPUT")]
    word: Vec<String>,
}

/// Without the conflict with a device file: the first argument is an input then.
fn without_device(arg: Arg) -> Arg {
    arg.conflicts_with(Resettable::Reset)
}

impl TryArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        if self.connect.adapter.is_some() || self.connect.model.is_some() {
            let first = self.connect.device.iter().map(|path| path.to_string_lossy().into_owned());
            let word = first.chain(self.word.iter().cloned()).collect();
            let connect = Connect { device: None, ..self.connect.clone() };
            return Self { connect, word }.try_out();
        }
        self.try_out()
    }

    fn try_out(&self) -> Result<Exit> {
        if self.connect.device.is_none() || self.connect.agent {
            return self.connect.open(|subject, end| {
                place::end_with_signals();
                let partner = Partner::Other(end);
                match &self.word(subject.inputs)?[..] {
                    [] => self.talk(subject.inputs, partner),
                    word => ask(subject.inputs, partner, word),
                }
            });
        }
        let (_, device) = self.connect.device_file()?;
        let inputs: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
        let word = self.word(&inputs)?;
        let link = Traced::new(self.connect.link(&device)?);
        place::end_with_signals();
        let partner = Partner::Port(Box::new(SerialSul::new(link, device)?));
        if word.is_empty() { self.talk(&inputs, partner) } else { ask(&inputs, partner, &word) }
    }

    /// What the command line says. An argument is one input, or several, or `reset`.
    fn word(&self, names: &[String]) -> Result<Vec<HandStep>, UnknownInput> {
        let mut steps = Vec::new();
        for argument in &self.word {
            match (0..).zip(names).find(|(_, name)| *name == argument) {
                Some((index, _)) => steps.push(HandStep::Input(Input::new(index))),
                None => steps.extend(hand_word::parse(argument, names)?),
            }
        }
        Ok(steps)
    }

    /// Takes inputs from the prompt until there are no more.
    fn talk(&self, names: &[String], mut partner: Partner<'_>) -> Result<Exit> {
        let is_person = io::stdin().is_terminal();
        let mut prompt = Prompt::new(names)?;
        if is_person {
            say(&prompt.help());
        }
        let mut result = partner.reset();
        loop {
            match result {
                Err(report) if is_person => give(format!("{report:?}\n")),
                result => result?,
            }
            result = match prompt.read()? {
                PromptLine::Steps(steps) => partner.take(&steps, names),
                PromptLine::Help => {
                    say(&prompt.help());
                    Ok(())
                }
                PromptLine::Unknown(error) => Err(error.into()),
                PromptLine::End => return Ok(Exit::Done),
            };
            if result.is_ok() {
                result = partner.listen();
            }
        }
    }
}

/// Takes these steps from a reset on.
fn ask(names: &[String], mut partner: Partner<'_>, steps: &[HandStep]) -> Result<Exit> {
    partner.reset()?;
    partner.take(steps, names)?;
    partner.listen()?;
    Ok(Exit::Done)
}

/// Whom we talk to.
enum Partner<'m> {
    /// A device whose bytes can be watched.
    Port(Box<SerialSul<Traced<Box<dyn TimedLink + Send>>>>),
    /// Anything else.
    Other(Endpoint<'m>),
}

impl Partner<'_> {
    fn take(&mut self, steps: &[HandStep], names: &[String]) -> Result<()> {
        for (at, step) in steps.iter().enumerate() {
            match *step {
                HandStep::Input(input) => self.step(input, names)?,
                HandStep::Reset => {
                    // A connection that has ended is no reason not to reset: that may open a new one.
                    if at > 0
                        && let Err(report) = self.listen()
                    {
                        say(&format!("  ! {report}\n"));
                    }
                    self.reset()?;
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<()> {
        say("reset\n");
        let started = self.start();
        let result = match self {
            Self::Port(sul) => reset_when_back(sul).map_err(Into::into),
            Self::Other(end) => end.reset().map_err(Report::from),
        };
        self.show(started);
        result?;
        say(&format!("  = back after {}\n", started.elapsed()));
        Ok(())
    }

    fn step(&mut self, input: Input, names: &[String]) -> Result<()> {
        say(&format!("{}\n", names[input.index() as usize]));
        let (started, unmet) = (self.start(), self.unmet(input));
        let result = match self {
            Self::Port(sul) => sul.step(input).map(name).map_err(Into::into),
            Self::Other(end) => end.step(input).map(name).map_err(Report::from),
        };
        self.show(started);
        say(&format!("  = {}   ({})\n", result?, started.elapsed()));
        if self.unmet(input) > unmet {
            say(&format!("  ! Silence ended this reply, not its {}.\n", self.end_keys(input)));
        }
        Ok(())
    }

    /// How many replies to an input only silence has ended, though the device file describes another end.
    fn unmet(&self, input: Input) -> u32 {
        match self {
            Self::Port(sul) => sul.statistics().replies[input.index() as usize].unmet,
            Self::Other(_) => 0,
        }
    }

    /// The keys that say how the reply to an input ends.
    fn end_keys(&self, input: Input) -> String {
        let Self::Port(sul) = self else { return String::new() };
        let keys = sul.device().inputs[input.index() as usize].reply.end_keys();
        keys.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ")
    }

    /// Hears what comes when a reply has already ended.
    fn listen(&mut self) -> Result<()> {
        let started = self.start();
        let Self::Port(sul) = self else { return Ok(()) };
        let silence = sul.silence();
        let time = silence.map_or(LISTEN, |within| within.clamp(LISTEN, LISTEN_AT_MOST));
        let late = sul.listen(time)?;
        let advice = sul.late_advice();
        self.show(started);
        if late.is_empty() {
            return Ok(());
        }
        let bytes = match late.len() {
            1 => "1 byte".to_owned(),
            count => format!("{count} bytes"),
        };
        let late = excerpt(&late);
        say(&match silence {
            Some(_) => format!(
                "  ! {bytes} came later than `within_ms`: `{late}`\n    A longer `within_ms` waits for them.\n"
            ),
            None => {
                format!("  ! {bytes} came after the reply had ended: `{late}`\n    {advice}.\n")
            }
        });
        Ok(())
    }

    fn start(&self) -> Started {
        let link = match self {
            Self::Port(sul) => sul.link().now(),
            Self::Other(_) => Duration::ZERO,
        };
        Started { link, clock: Instant::now() }
    }

    /// Shows what has passed since then.
    fn show(&self, started: Started) {
        if let Self::Port(sul) = self {
            say(&exchange::text(&sul.link().take(), started.link));
        }
    }
}

/// Resets a device, and waits for one that is away.
fn reset_when_back<L: TimedLink>(sul: &mut SerialSul<L>) -> Result<(), LinkError> {
    when_back(BACK_WITHIN, |error| matches!(error, LinkError::Away { .. }), || sul.reset())
}

/// When something began, by the clock of the link and by ours.
#[derive(Clone, Copy)]
struct Started {
    link: Duration,
    clock: Instant,
}

impl Started {
    fn elapsed(self) -> String {
        format!("{:.1} ms", self.clock.elapsed().as_secs_f64() * 1000.0)
    }
}

fn name(output: &[u8]) -> String {
    shown(&output_name(output)).to_owned()
}
