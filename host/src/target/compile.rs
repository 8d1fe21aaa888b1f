//! Compiles a device file to rules for a target: a bounded form of what `mealybug learn` does.

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;

use mealybug_core::wire::line::LineSettings;
use mealybug_core::wire::message::MAX_PART;
use mealybug_core::wire::probe::{MAX_PROBE_BYTES, OfferKind, ProbeRule};
use mealybug_core::wire::rule::{
    self, MAX_INPUTS, MAX_REPLIES, MAX_RESETS, MAX_STEPS, MAX_STRIPS, MAX_TEXT, ResetRule, Rule,
    RuleFile, Span,
};
use regex::bytes::Regex;

use super::error::{NotForTarget, not};
use super::{automaton, probes};
use crate::device::{
    DeviceFile, DeviceStep, FlowControl, InputRule, Late, LineErrors, MessageTemplate, ReplyLength,
    ReplySection, ResetMethod, Variables,
};
use crate::serial::echo;

/// The rules for a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    line: LineSettings,
    text: Vec<u8>,
    rules: Vec<Rule<'static>>,
    /// The rules of a device that is probed, which has no others.
    probes: Vec<Vec<u8>>,
}

impl Program {
    /// Compiles a device file for an agent, whose learner is on the host: `noise` is the learner's affair.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub fn for_agent(device: &DeviceFile) -> Result<Self, NotForTarget> {
        Self::new(&DeviceFile { noise: None, ..device.clone() })
    }

    /// Compiles a device file.
    ///
    /// # Errors
    /// The file needs something that a target cannot do, or more room than a target has.
    pub fn new(device: &DeviceFile) -> Result<Self, NotForTarget> {
        refuse(device)?;
        if let Some(probe) = &device.probe {
            let probes = probes::compile(device, probe)?;
            let line = device.port.line();
            return Self { line, text: Vec::new(), rules: Vec::new(), probes }.that_fits();
        }
        let mut compiler = Compiler::default();
        compiler.strip(&device.strip)?;
        if device.inputs.iter().any(|input| input.reply.line_errors == LineErrors::Output) {
            compiler.first.push(Rule::ShowLineErrors);
        }
        for (number, method) in (1..).zip(&device.resets) {
            let of = format!("[[reset]] {number}");
            compiler.reset(method, &of)?;
        }
        for input in &device.inputs {
            compiler.input(input)?;
        }
        let program = Self {
            line: device.port.line(),
            text: compiler.text,
            rules: [compiler.first, compiler.rest].concat(),
            probes: Vec::new(),
        };
        program.that_fits()
    }

    fn that_fits(self) -> Result<Self, NotForTarget> {
        let beyond = self.sizes().into_iter().find(|(_, count, room)| count > room);
        beyond.map_or(Ok(self), |(what, count, room)| {
            Err(not(format!("{count} {what}, and a target has room for {room}")))
        })
    }

    /// The rules in their order.
    pub fn rules(&self) -> impl Iterator<Item = Rule<'_>> {
        let line = self.probes.is_empty().then_some(Rule::Line(self.line));
        let text = self.text.chunks(MAX_PART).map(Rule::Text);
        let probes = self.probes.iter().map(|rule| Rule::Probe(rule));
        line.into_iter().chain(text).chain(self.rules.iter().copied()).chain(probes)
    }

    /// The [digest](Rule::digest) of all rules.
    pub fn digest(&self) -> u32 {
        self.rules().fold(0, |before, rule| rule.digest(before))
    }

    /// The rules as a file, for firmware that has its device built in.
    pub fn to_file(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let written = RuleFile::write(self.rules(), |bytes| {
            file.extend_from_slice(bytes);
            Ok::<(), Infallible>(())
        });
        match written {
            Ok(()) => file,
        }
    }

    /// What the board must offer for a rule.
    pub(super) fn needs<'p>(&'p self, rule: Rule<'p>) -> Option<(OfferKind, &'p [u8])> {
        match rule {
            Rule::Step(rule::Step::Pin { name, .. }) => Some((OfferKind::Drive, self.text(name))),
            Rule::Probe(rule) => ProbeRule::first(rule)?.0.needs(),
            _ => None,
        }
    }

    /// The bytes of a part of the text.
    pub fn text(&self, span: Span) -> &[u8] {
        let from = self.text.get(span.start.into()..).unwrap_or_default();
        from.get(..span.len.into()).unwrap_or_default()
    }

    /// For each kind of rule: its name, how many there are, and how many a target has room for.
    pub fn sizes(&self) -> Vec<(&'static str, usize, usize)> {
        if !self.probes.is_empty() {
            let inputs = self.probes.iter().filter(|rule| probes::is_input(rule)).count();
            let bytes = self.probes.iter().map(Vec::len).sum();
            return vec![
                ("inputs", inputs, MAX_INPUTS),
                ("bytes of rules", bytes, MAX_PROBE_BYTES),
            ];
        }
        let count = |is: fn(&Rule<'_>) -> bool| self.rules.iter().filter(|rule| is(rule)).count();
        vec![
            ("inputs", count(|rule| matches!(rule, Rule::Input { .. })), MAX_INPUTS),
            ("[[reset]]", count(|rule| matches!(rule, Rule::Reset(_))), MAX_RESETS),
            ("steps", count(|rule| matches!(rule, Rule::Step(_))), MAX_STEPS),
            ("kinds of replies", count(|rule| matches!(rule, Rule::Reply(_))), MAX_REPLIES),
            ("`strip` patterns", count(|rule| matches!(rule, Rule::Strip(_))), MAX_STRIPS),
            ("bytes of text and automata", self.text.len(), MAX_TEXT),
        ]
    }
}

/// Names an output of a target: either the `silent` text of the device file, which the target sends
/// itself, or the name that the device file gives to the reply.
pub fn output_name(device: &DeviceFile, output: &[u8]) -> String {
    let mut silent = device.inputs.iter().map(|input| &input.reply.silent);
    let silent = silent.find(|silent| silent.as_bytes() == output);
    silent.cloned().unwrap_or_else(|| device.name_output(output))
}

/// Refuses what no target can do, wherever it stands in the file.
fn refuse(device: &DeviceFile) -> Result<(), NotForTarget> {
    let port = &device.port;
    for (is_said, what) in [
        (port.flow != FlowControl::None, "[port] has `flow`"),
        (port.dtr.is_some() || port.rts.is_some(), "[port] has `dtr` or `rts`"),
        (!port.char_delay.is_zero(), "[port] has `char_delay_ms`"),
        (!port.line_delay.is_zero(), "[port] has `line_delay_ms`"),
        (!device.captures.is_empty(), "[captures]"),
        (!device.replacements.is_empty(), "[[replace]]"),
        (device.word_max.is_some(), "[word] has `max_ms`"),
        (device.noise.is_some(), "`noise`"),
    ] {
        if is_said {
            return Err(not(what));
        }
    }
    let of = device.inputs.first().map(|input| &input.reply);
    for InputRule { name, reply, .. } in &device.inputs {
        for (is_own, what) in [
            (patterns(&device.strip) != patterns(&reply.strip), "`strip`"),
            (of.is_some_and(|first| first.late != reply.late), "`late`"),
            (of.is_some_and(|first| first.line_errors != reply.line_errors), "`line_errors`"),
        ] {
            if is_own {
                return Err(not(format!("the input `{name}` has a {what} of its own")));
            }
        }
    }
    Ok(())
}

/// Collects the rules.
#[derive(Default)]
struct Compiler {
    text: Vec<u8>,
    /// The texts that are already stored, to store each only once.
    known: HashMap<Vec<u8>, Span>,
    replies: Vec<rule::ReplyRule>,
    /// Rules that other rules refer to come first; the rules that refer to them come after.
    first: Vec<Rule<'static>>,
    rest: Vec<Rule<'static>>,
}

impl Compiler {
    fn keep(&mut self, bytes: &[u8]) -> Result<Span, NotForTarget> {
        if bytes.is_empty() {
            return Ok(Span::default());
        }
        if let Some(span) = self.known.get(bytes) {
            return Ok(*span);
        }
        let beyond = |_| not(format!("more than {MAX_TEXT} bytes of text and automata"));
        let start = u16::try_from(self.text.len()).map_err(beyond)?;
        let span = Span { start, len: u16::try_from(bytes.len()).map_err(beyond)? };
        self.text.extend(bytes);
        self.known.insert(bytes.to_vec(), span);
        Ok(span)
    }

    /// The automaton of patterns that end something.
    fn pattern(&mut self, patterns: &[Regex], of: &str) -> Result<Span, NotForTarget> {
        if patterns.is_empty() {
            return Ok(Span::default());
        }
        let bytes = automaton::matching(patterns).map_err(|why| {
            let patterns: Vec<_> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
            not(format!("{of} matches {}, and {why}", patterns.join(" or ")))
        })?;
        self.keep(&bytes)
    }

    fn strip(&mut self, patterns: &[Regex]) -> Result<(), NotForTarget> {
        // Leading patterns for single bytes become a set of bytes, which the target drops on
        // arrival.
        let mut skipped: Vec<u8> = Vec::new();
        let mut left = patterns;
        while let [pattern, rest @ ..] = left
            && let Some(bytes) = automaton::single_bytes(pattern)
        {
            skipped.extend(bytes);
            left = rest;
        }
        skipped.sort_unstable();
        skipped.dedup();
        let skipped = self.keep(&skipped)?;
        self.first.push(Rule::Skip(skipped));
        for pattern in left {
            let bytes = automaton::beginning(pattern)
                .map_err(|why| not(format!("`strip` has `{pattern}`, and {why}")))?;
            let by = self.keep(&bytes)?;
            self.first.push(Rule::Strip(by));
        }
        Ok(())
    }

    fn reset(&mut self, method: &ResetMethod, of: &str) -> Result<(), NotForTarget> {
        let within = method.expect.as_ref().map_or(Duration::ZERO, |expect| expect.within);
        let expected: Vec<_> = method.expect.iter().map(|expect| expect.pattern.clone()).collect();
        let rule = ResetRule {
            expect: self.pattern(&expected, &format!("`expect` of {of}"))?,
            within_ms: milliseconds(within),
            quiet_ms: milliseconds(method.quiet),
            tries: u32::try_from(method.tries).unwrap_or(u32::MAX),
        };
        self.rest.push(Rule::Reset(rule));
        for step in &method.steps {
            let step = match step {
                DeviceStep::Send(message) => rule::Step::Send(self.keep(&constant(message, of)?)?),
                DeviceStep::Wait(time) => rule::Step::Wait { ms: milliseconds(*time) },
                DeviceStep::Expect(expect) => {
                    let pattern = std::slice::from_ref(&expect.pattern);
                    let by = self.pattern(pattern, &format!("an `expect` of {of}"))?;
                    rule::Step::Expect { by, within_ms: milliseconds(expect.within) }
                }
                DeviceStep::Pin(name, time) => self.pin(name, *time)?,
                DeviceStep::Set(..) => return Err(not(format!("{of} sets a line of the port"))),
                DeviceStep::Reconnect => return Err(not(format!("{of} connects anew"))),
                DeviceStep::Run(_) => return Err(not(format!("{of} runs a command"))),
                DeviceStep::Probe(_) => return Err(not(format!("{of} probes a device on a line"))),
            };
            self.rest.push(Rule::Step(step));
        }
        Ok(())
    }

    fn pin(&mut self, name: &str, time: Duration) -> Result<rule::Step, NotForTarget> {
        Ok(rule::Step::Pin { name: self.keep(name.as_bytes())?, ms: milliseconds(time) })
    }

    fn input(&mut self, input: &InputRule) -> Result<(), NotForTarget> {
        let InputRule { name, steps, reply } = input;
        let of = format!("the input `{name}`");
        let listens = input.waits();
        // A wait ends by the clock, so no silence need follow.
        let settle = if listens { Duration::ZERO } else { reply.settle };
        let last = self.reply(&ReplySection { settle, ..reply.clone() }, &of)?;
        let name = self.keep(name.as_bytes())?;
        self.rest.push(Rule::Input { name, reply: last });
        let (mut sent, mut left) = (Vec::new(), steps.len());
        for step in steps {
            left -= 1;
            let step = match step {
                DeviceStep::Send(message) => {
                    let bytes = constant(message, &of)?;
                    sent.extend(&bytes);
                    rule::Step::Send(self.keep(&bytes)?)
                }
                DeviceStep::Wait(time) if left > 0 => rule::Step::Wait { ms: milliseconds(*time) },
                DeviceStep::Wait(time) => {
                    self.echo(reply, &std::mem::take(&mut sent))?;
                    rule::Step::Listen { ms: milliseconds(*time) }
                }
                DeviceStep::Expect(expect) => {
                    self.echo(reply, &std::mem::take(&mut sent))?;
                    let pattern = std::slice::from_ref(&expect.pattern);
                    let by = self.pattern(pattern, &format!("an `expect` of {of}"))?;
                    let reply = self.reply(&reply.expecting(expect), &of)?;
                    rule::Step::Hear { by, reply }
                }
                DeviceStep::Pin(name, time) => self.pin(name, *time)?,
                DeviceStep::Set(..) => return Err(not(format!("{of} sets a line of the port"))),
                DeviceStep::Reconnect => return Err(not(format!("{of} connects anew"))),
                DeviceStep::Run(_) => return Err(not(format!("{of} runs a command"))),
                DeviceStep::Probe(_) => return Err(not(format!("{of} probes a device on a line"))),
            };
            self.rest.push(Rule::Step(step));
        }
        self.echo(reply, &sent)
    }

    /// Adds the echo that the device sends before the next reply.
    fn echo(&mut self, reply: &ReplySection, sent: &[u8]) -> Result<(), NotForTarget> {
        if reply.echo && !sent.is_empty() {
            let (text, has_line_end) = echo(sent, &reply.strip);
            let text = self.keep(&text)?;
            self.rest.push(Rule::Step(rule::Step::Echo { text, has_line_end }));
        }
        Ok(())
    }

    /// The number of the rule for the end of a reply.
    fn reply(&mut self, reply: &ReplySection, of: &str) -> Result<u8, NotForTarget> {
        for (is_said, what) in [
            (reply.checksum.is_some(), "a `checksum`"),
            (reply.stuffing.is_some(), "`stuffing`"),
            (reply.frames.is_some(), "`frames`"),
            (!reply.times.is_empty(), "`time`"),
            (reply.late == Late::Reply, "`late = \"reply\"`"),
            (reply.late == Late::Output, "`late = \"output\"`"),
        ] {
            if is_said {
                return Err(not(format!("[reply], or that of {of}, has {what}")));
            }
        }
        let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        let line: Vec<_> = reply.last_line.iter().cloned().collect();
        let rule = rule::ReplyRule {
            ends: self.pattern(&reply.patterns, "[reply]")?,
            grace_ms: milliseconds(reply.grace),
            line: self.pattern(&line, "`last_line` of [reply]")?,
            lines: reply.lines.map_or(0, size),
            length: reply.length.map(length).transpose()?,
            quiet_ms: milliseconds(reply.silence()),
            within_ms: milliseconds(reply.within),
            max_ms: milliseconds(reply.max),
            max_bytes: size(reply.max_bytes),
            settle_ms: milliseconds(reply.settle),
            drops_late: reply.late == Late::Drop,
            silent: self.keep(reply.silent.as_bytes())?,
        };
        let number = self.replies.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.replies.push(rule);
            self.first.push(Rule::Reply(rule));
            self.replies.len() - 1
        });
        u8::try_from(number).map_err(|_| not(format!("more than {MAX_REPLIES} kinds of replies")))
    }
}

fn length(length: ReplyLength) -> Result<rule::Length, NotForTarget> {
    let beyond = |_| not("`length` is too large");
    Ok(match length {
        ReplyLength::Fixed(length) => rule::Length {
            at: 0,
            size: 0,
            is_little_endian: false,
            plus: u32::try_from(length).map_err(beyond)?,
        },
        ReplyLength::Field { at, size, plus, little_endian } => rule::Length {
            at: u16::try_from(at).map_err(beyond)?,
            size: u8::try_from(size).map_err(beyond)?,
            is_little_endian: little_endian,
            plus: u32::try_from(plus).map_err(beyond)?,
        },
    })
}

/// The bytes of a message without variables.
fn constant(message: &MessageTemplate, of: &str) -> Result<Vec<u8>, NotForTarget> {
    let numbered = |sequence| message.send(&mut Variables { sequence, ..Variables::default() });
    let bytes = numbered(0);
    if bytes == numbered(1) {
        Ok(bytes)
    } else {
        Err(not(format!("{of} sends a message with a number, `${{seq}}`")))
    }
}

fn patterns(patterns: &[Regex]) -> Vec<&str> {
    patterns.iter().map(Regex::as_str).collect()
}

fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const RESET: &str = "[[reset]]\nsteps = [{ send = \"\\u0018\" }]\nexpect = { match = 'ok\\r\\n> $', within_ms = 300 }\n";
    const INPUTS: &str = "[inputs]\na = \"a\\r\"\n";

    fn program(text: &str) -> Result<Program, NotForTarget> {
        Program::new(&DeviceFile::parse(Path::new("x.toml"), text).expect("a device file"))
    }

    #[test]
    fn noise_is_no_affair_of_an_agent() {
        let text = format!("noise = 0.01\n{RESET}[reply]\nlines = 1\n{INPUTS}");
        let device = DeviceFile::parse(Path::new("x.toml"), &text).expect("a device file");
        assert!(Program::new(&device).is_err());
        assert!(Program::for_agent(&device).is_ok());
    }

    #[test]
    fn a_console_becomes_rules() {
        let text = format!(
            "{RESET}quiet_ms = 7\ntries = 2\n\
             [reply]\nmatch = '> $'\nwithin_ms = 70\nstrip = ['[\\r\\n]', 'x', 'yz']\necho = true\n\
             [inputs]\na = \"a\\r\"\nwait = {{ wait_ms = 5 }}\nb = \"b\"\n"
        );
        let program = program(&text).expect("it can");
        let shown = |span: Span| program.text(span).escape_ascii().to_string();
        let shown: Vec<_> = program
            .rules()
            .map(|rule| match rule {
                Rule::Line(settings) => format!("line {settings}"),
                Rule::Text(bytes) => format!("{} bytes", bytes.len()),
                Rule::Skip(bytes) => format!("skip {}", shown(bytes)),
                Rule::Strip(by) => format!("strip by {} bytes", by.len),
                Rule::Reply(reply) => format!(
                    "reply: {} bytes, {} ms, {} ms, {}",
                    reply.ends.len,
                    reply.grace_ms,
                    reply.within_ms,
                    shown(reply.silent)
                ),
                Rule::Reset(rule) => {
                    format!("reset {} {} {}", rule.within_ms, rule.quiet_ms, rule.tries)
                }
                Rule::Input { name, reply } => format!("{} {reply}", shown(name)),
                Rule::Step(rule::Step::Send(bytes)) => format!("send {}", shown(bytes)),
                Rule::Step(rule::Step::Echo { text, has_line_end }) => {
                    format!("echo {} {has_line_end}", shown(text))
                }
                Rule::Step(rule::Step::Pin { name, ms }) => format!("pin {} {ms}", shown(name)),
                Rule::ShowLineErrors => "show line errors".to_owned(),
                Rule::Probe(_) => "a probe".to_owned(),
                Rule::Step(step) => format!("{step:?}"),
            })
            .collect();
        assert_eq!(
            shown,
            [
                "line 115200 8N1",
                "132 bytes",
                "skip \\n\\rx",
                "strip by 17 bytes",
                "reply: 25 bytes, 20 ms, 70 ms, (silence)",
                "reset 300 7 2",
                "send \\x18",
                "a 0",
                "send a\\r",
                "echo a true",
                "wait 0",
                "Listen { ms: 5 }",
                "b 0",
                "send b",
                "echo b false"
            ]
        );
    }

    #[test]
    fn what_a_target_cannot_do_is_named() {
        let many: String = (0..=MAX_INPUTS).map(|at| format!("i{at} = \"{at}\"\n")).collect();
        for (text, what) in [
            (format!("{RESET}[reply]\nmatch = 'a[ab]{{16}}b'\n{INPUTS}"), "too many states"),
            (format!("{RESET}[reply]\nstrip = ['^a']\n{INPUTS}"), "`strip` has `^a`, and it looks"),
            (format!("{RESET}[reply]\nlate = \"reply\"\n{INPUTS}"), "`late = \"reply\"`"),
            (format!("{RESET}[reply]\nlate = \"output\"\n{INPUTS}"), "`late = \"output\"`"),
            (format!("{RESET}[reply]\nchecksum = \"xor8\"\n{INPUTS}"), "`checksum`"),
            (format!("{RESET}[frame]\nstuffing = \"slip\"\n{INPUTS}"), "`stuffing`"),
            (
                format!("{RESET}[reply]\nlength = {{ at = 0, size = 1 }}\nframes = 2\n{INPUTS}"),
                "`frames`",
            ),
            (format!("{RESET}[reply]\ntime = {{ fast = 0 }}\n{INPUTS}"), "`time`"),
            (format!("{RESET}[port]\nflow = \"hardware\"\n{INPUTS}"), "`flow`"),
            (format!("{RESET}[port]\nrts = false\n{INPUTS}"), "`rts`"),
            (format!("{RESET}[port]\nchar_delay_ms = 1\n{INPUTS}"), "`char_delay_ms`"),
            (format!("{RESET}[word]\nmax_ms = 1\n{INPUTS}"), "[word]"),
            (format!("{RESET}[captures]\nn = 'x'\n{INPUTS}"), "[captures]"),
            (format!("{RESET}[[replace]]\nmatch = 'x'\nwith = ''\n{INPUTS}"), "[[replace]]"),
            (format!("[[reset]]\nsteps = [{{ run = \"x\" }}]\n{INPUTS}"), "[[reset]] 1 runs a"),
            (format!("{RESET}{INPUTS}b = {{ dtr = true }}\n"), "`b` sets a line of the port"),
            (format!("{RESET}{INPUTS}b = {{ reconnect = true }}\n"), "`b` connects anew"),
            (
                format!("[[reset]]\nsteps = [{{ reconnect = true }}]\n{INPUTS}"),
                "[[reset]] 1 connects anew",
            ),
            (format!("{RESET}[frame]\nhex = \"${{seq}} ${{data}}\"\n{INPUTS}"), "`${seq}`"),
            (
                format!("{RESET}{INPUTS}b = {{ text = \"b\", reply = {{ strip = ['x'] }} }}\n"),
                "the input `b` has a `strip` of its own",
            ),
            (
                format!("{RESET}{INPUTS}b = {{ text = \"b\", reply = {{ late = \"drop\" }} }}\n"),
                "the input `b` has a `late` of its own",
            ),
            (RESET.repeat(MAX_RESETS + 1) + INPUTS, "5 [[reset]], and a target has room for 4"),
            (format!("{RESET}[inputs]\n{many}"), "65 inputs, and a target has room for 64"),
            (
                format!("{RESET}{INPUTS}long = \"{}\"\n", "x".repeat(MAX_TEXT)),
                "bytes of text and automata, and a target has room for",
            ),
        ] {
            let error = program(&text).expect_err(what);
            assert!(error.what.contains(what), "{}: not {what}", error.what);
        }
    }
}
