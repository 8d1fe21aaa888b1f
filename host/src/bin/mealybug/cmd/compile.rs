//! `mealybug compile`: what a target is told about a device.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use mealybug::escape::escape;
use mealybug::target::Program;
use mealybug_core::wire::probe::{ProbeRule, ProbeStep};
use mealybug_core::wire::rule::{Length, ReplyRule, ResetRule, Rule, Span, Step};
use miette::Result;

use crate::exit::Exit;
use crate::files::device_file::{self, User};
use crate::files::out_file::OutFile;
use crate::files::trust::Trust;
use crate::terminal::say;

/// Show the rules that a learner on a microcontroller gets for a device, or why it cannot learn it.
///
/// --out writes the rules to a file that a board's program can include: then the program knows its device,
/// and a run needs no device file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug compile lock.toml                    can a target learn it, and how much room is left?
  mealybug compile lock.toml -o lock.rules      for Conversation::with_rules in a board's program")]
pub(crate) struct CompileArgs {
    /// The device file
    #[arg(value_name = "DEVICE.toml")]
    device: PathBuf,

    /// The file to write the rules to; an existing file is overwritten
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    trust: Trust,
}

impl CompileArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let program = Program::new(&device_file::read(&self.device, User::Target, self.trust)?.0)?;
        if let Some(path) = &self.out {
            OutFile::try_at(path)?.write(program.to_file())?;
        }
        say(&shown(&program));
        Ok(Exit::Done)
    }
}

/// The rules, for people.
fn shown(program: &Program) -> String {
    let mut shown = String::new();
    let (mut strips, mut replies, mut resets) = (0, 0, 0);
    let mut line = |text: String| shown.extend([text.as_str(), "\n"]);
    for rule in program.rules() {
        match rule {
            Rule::ShowLineErrors => line("an error on the line is an output".to_owned()),
            Rule::Line(settings) => line(format!("line: {settings}")),
            Rule::Text(_) => {}
            Rule::Skip(bytes) if bytes.len == 0 => {}
            Rule::Skip(bytes) => line(format!("skip the bytes {}", quoted(program, bytes))),
            Rule::Strip(by) => {
                strips += 1;
                line(format!("strip {strips}: by {}", automaton(by)));
            }
            Rule::Reply(rule) => {
                line(format!("reply {replies}: {}", reply(program, &rule)));
                replies += 1;
            }
            Rule::Reset(rule) => {
                resets += 1;
                line(format!("reset {resets}: in the end {}", reset(&rule)));
            }
            Rule::Input { name, reply } => {
                line(format!("input {}: in the end reply {reply}", quoted(program, name)));
            }
            Rule::Step(step) => line(format!("  {}", step_text(program, step))),
            Rule::Probe(bytes) => {
                // They are our own.
                if let Some((rule, _)) = ProbeRule::first(bytes) {
                    line(probe_text(rule));
                }
            }
        }
    }
    shown.push('\n');
    for (what, count, room) in program.sizes() {
        // Text never fails to take text.
        let _ = writeln!(shown, "{count:>5} of {room:>4} {what}");
    }
    shown
}

fn probe_text(rule: ProbeRule<'_>) -> String {
    let name = |name: &[u8]| format!("`{}`", escape(name));
    match rule {
        ProbeRule::Settle { settle_us, debounce_us: 0 } => format!("settle for {settle_us} µs"),
        ProbeRule::Settle { settle_us, debounce_us } => {
            format!("settle for {settle_us} µs, and then keep the levels for {debounce_us} µs")
        }
        ProbeRule::Sense(pin) => format!("sense the pin {}", name(pin)),
        ProbeRule::Reset => "reset".to_owned(),
        ProbeRule::Input(input) => format!("input {}", name(input)),
        ProbeRule::Step(step) => match step {
            ProbeStep::Wait { ms } => format!("  wait {ms} ms"),
            ProbeStep::Pulse { pin, ms } => format!("  pulse the pin {} for {ms} ms", name(pin)),
            ProbeStep::Set { pin, is_active: true } => format!("  set the pin {}", name(pin)),
            ProbeStep::Set { pin, .. } => format!("  set the pin {} back to rest", name(pin)),
            ProbeStep::I2c { bus, address, write, read } => format!(
                "  on the I2C bus {}, address {address:#04x}: write {} bytes, read {read}",
                name(bus),
                write.len()
            ),
            ProbeStep::Spi { device, send, skip } => format!(
                "  to the SPI device {}: transfer {} bytes, and skip {skip} of those that come",
                name(device),
                send.len()
            ),
            ProbeStep::Voltage { input } => format!("  measure the analog input {}", name(input)),
            ProbeStep::Count { counter } => format!("  begin to count edges of {}", name(counter)),
            ProbeStep::Edges { counter } => format!("  see the edges of {}", name(counter)),
            ProbeStep::Level { from, name: level } => format!("    {} from {from} on", name(level)),
        },
    }
}

fn quoted(program: &Program, span: Span) -> String {
    format!("`{}`", escape(program.text(span)))
}

fn automaton(span: Span) -> String {
    format!("an automaton of {} bytes", span.len)
}

fn reply(program: &Program, rule: &ReplyRule) -> String {
    let mut ends = Vec::new();
    if rule.ends.len > 0 {
        ends.push(format!("{} and {} ms of grace", automaton(rule.ends), rule.grace_ms));
    }
    if rule.line.len > 0 {
        ends.push(format!("{} for its last line", automaton(rule.line)));
    }
    if rule.lines > 0 {
        ends.push(format!("{} lines", rule.lines));
    }
    match rule.length {
        Some(Length { size: 0, plus, .. }) => ends.push(format!("{plus} bytes")),
        Some(Length { at, size, plus, .. }) => {
            ends.push(format!("as many bytes as its {size} from {at} on say, and {plus}"));
        }
        None => {}
    }
    ends.push(format!("{} ms of silence", rule.quiet_ms));
    let mut text = format!("ends by {}", ends.join(", or "));
    let mut also = |text_of: String| text.extend(["; ", &text_of]);
    also(format!("{} if nothing comes in {} ms", quoted(program, rule.silent), rule.within_ms));
    also(format!("at most {} ms and {} bytes", rule.max_ms, rule.max_bytes));
    if rule.settle_ms > 0 {
        also(format!("{} ms of silence must follow", rule.settle_ms));
    }
    if rule.drops_late {
        also("what comes late means nothing".to_owned());
    }
    text
}

fn reset(rule: &ResetRule) -> String {
    let expect = match rule.expect.len {
        0 => String::new(),
        _ => format!("{} within {} ms and ", automaton(rule.expect), rule.within_ms),
    };
    let tries = if rule.tries == 1 { "try" } else { "tries" };
    format!("{expect}{} ms of silence; {} {tries}", rule.quiet_ms, rule.tries)
}

fn step_text(program: &Program, step: Step) -> String {
    match step {
        Step::Send(bytes) => format!("send {}", quoted(program, bytes)),
        Step::Echo { text, has_line_end: false } => format!("echo {}", quoted(program, text)),
        Step::Echo { text, .. } => format!("echo {} and a line end", quoted(program, text)),
        Step::Wait { ms } => format!("wait {ms} ms"),
        Step::Pin { name, ms } => format!("pulse the pin {} for {ms} ms", quoted(program, name)),
        Step::Listen { ms } => format!("listen for {ms} ms"),
        Step::Expect { by, within_ms } => {
            format!("expect {} within {within_ms} ms", automaton(by))
        }
        Step::Hear { by, reply } => {
            format!("hear reply {reply}, and go on if it is accepted by {}", automaton(by))
        }
    }
}
