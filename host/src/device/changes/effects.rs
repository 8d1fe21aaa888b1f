//! What a change of each key of the device file does to stored answers.
//!
//! The old file is taken apart field by field, without `..`: a key that is new in the program must be classified here
//! before it compiles. The store keeps the reply behind an answer, its name and how long the input took. Why each key
//! has its effect stands beside it; `docs/results.md` has the table for users.

use std::time::Duration;

use regex::bytes::Regex;

use crate::device::{
    DeviceFile, DeviceStep, Expect, InputRule, Late, LineErrors, PortSection, ReplySection,
    ResetMethod, ShellCommand,
};

/// Which answers of an input must be asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AnswerEffect {
    /// All.
    All,
    /// None, but those that follow one in the word.
    Following,
    /// Those that took at least this long. A time limit has changed: an answer that took less than the old limit and the
    /// new one can have been ended by neither.
    Slow {
        /// The shorter one of the two limits.
        from: Duration,
        /// Which of them are kept all the same.
        but: KeptSlow,
    },
}

/// Which answers that took longer than a limit are kept all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptSlow {
    /// None: the new limit is shorter, and may have cut them off.
    None,
    /// The limit for the first byte is longer now: all that are no silence.
    Replies,
    /// The limit for a silence is longer now: those whose output shows that the reply had come to its end.
    Ended,
}

/// A key of `[reply]`, or of the `reply` of an input, or what an input does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputKey {
    /// This key of the reply.
    Reply(&'static str),
    /// The steps.
    Steps,
}

/// The keys that both files say differently, and because of which no answer means the same.
pub(super) fn common_keys(old: &DeviceFile, new: &DeviceFile) -> Vec<&'static str> {
    let DeviceFile {
        port,
        probe,
        resets,
        // Each input by itself: see `input_effects`.
        inputs: _,
        // `[[output]]` and `[[replace]]`: see `naming`.
        outputs: _,
        replacements: _,
        // `[frame]` is a part of the messages, and `stuffing` of each reply.
        stuffing: _,
        strip,
        captures,
        // A word that takes longer is an error: there is no answer.
        word_max: _,
        // Names for states change nothing that is asked or answered.
        states: _,
        // How often answers are wrong says how often to ask, not what an answer means.
        noise: _,
    } = old;
    let PortSection {
        // Where the device is. That it is the same device is for the user to say.
        path: _,
        baud,
        format,
        flow,
        dtr,
        rts,
        char_delay,
        line_delay,
    } = port;
    let mut keys = Vec::new();
    let mut note = |key, is_other| keys.extend(Some(key).filter(|_| is_other));
    // With wrong settings the answers may be garbled, and always in the same way. A device that is sent bytes too fast
    // may always lose the same ones.
    note("port.baud", *baud != new.port.baud);
    note("port.format", *format != new.port.format);
    note("port.flow", *flow != new.port.flow);
    note("port.char_delay_ms", *char_delay != new.port.char_delay);
    note("port.line_delay_ms", *line_delay != new.port.line_delay);
    // Levels are a part of what is done to the device.
    note("port.dtr", *dtr != new.port.dtr);
    note("port.rts", *rts != new.port.rts);
    // Where a board looks for the output, and when.
    note("probe", *probe != new.probe);
    // The initial state is where a reset leads. Stored answers came after one of the old ways; while the new file trusts
    // all of these, too, another one beside them changes nothing.
    let is_there = |old: &ResetMethod| new.resets.iter().any(|new| is_same_reset(old, new));
    note("reset", !resets.iter().all(is_there));
    // What is sent may hold what was captured.
    note("captures", *captures != new.captures);
    // It also removes what a reset says, of which captures and `expect` see the rest.
    note("reply.strip", !are_same_patterns(strip, &new.strip));
    keys
}

/// Whether a reset leads to the same state.
fn is_same_reset(old: &ResetMethod, new: &ResetMethod) -> bool {
    let ResetMethod {
        steps,
        expect,
        // A device that was not yet silent may not have been ready.
        quiet,
        // How often it is tried decides only whether there is a word.
        tries: _,
    } = old;
    let is_same_expect = match (expect, &new.expect) {
        (Some(old), Some(new)) => is_same_expect(old, new),
        (None, None) => true,
        _ => false,
    };
    let is_same_step = |(old, new)| step_effect(old, new) != Some(AnswerEffect::All);
    steps.len() == new.steps.len()
        && steps.iter().zip(&new.steps).all(is_same_step)
        && is_same_expect
        && *quiet == new.quiet
}

/// Whether both wait for the same text. In a reset, the time for it decides only whether there is a word: a reset without
/// the text has failed.
fn is_same_expect(old: &Expect, new: &Expect) -> bool {
    let Expect { pattern, within: _ } = old;
    pattern.as_str() == new.pattern.as_str()
}

/// What a change of an input, and of how its reply ends, does to its answers. `may_close` says whether an input of the old
/// file may end the connection.
pub(super) fn input_effects(
    old: &InputRule,
    new: &InputRule,
    may_close: bool,
) -> Vec<(InputKey, AnswerEffect)> {
    let InputRule {
        // The name tells which inputs are compared.
        name: _,
        steps,
        reply,
    } = old;
    let mut effects = Vec::new();
    if steps.len() == new.steps.len() {
        let of_steps = steps.iter().zip(&new.steps).filter_map(|(old, new)| step_effect(old, new));
        effects.extend(of_steps.map(|effect| (InputKey::Steps, effect)));
    } else {
        effects.push((InputKey::Steps, AnswerEffect::All));
    }
    let of_reply = reply_effects(reply, &new.reply, ReplyListening::of(steps), may_close);
    effects.extend(of_reply.into_iter().map(|(key, effect)| (InputKey::Reply(key), effect)));
    effects
}

fn step_effect(old: &DeviceStep, new: &DeviceStep) -> Option<AnswerEffect> {
    let is_same = match (old, new) {
        (DeviceStep::Expect(old), DeviceStep::Expect(new)) => {
            let is_other_time = old.within != new.within;
            if is_same_expect(old, new) && is_other_time {
                // Without the text in this time, the reply so far is the output, and the steps end.
                let from = old.within.min(new.within);
                return Some(AnswerEffect::Slow { from, but: KeptSlow::None });
            }
            is_same_expect(old, new)
        }
        (DeviceStep::Run(old), DeviceStep::Run(new)) => {
            // A command that takes longer is an error: there is no answer. The folder is that of the device file.
            let ShellCommand { command, folder: _, within: _ } = old;
            *command == new.command
        }
        // What is sent, set or waited for is what is done to the device.
        (
            DeviceStep::Send(_)
            | DeviceStep::Set(..)
            | DeviceStep::Reconnect
            | DeviceStep::Pin(..)
            | DeviceStep::Probe(_)
            | DeviceStep::Run(_)
            | DeviceStep::Expect(_)
            | DeviceStep::Wait(_),
            _,
        ) => old == new,
    };
    (!is_same).then_some(AnswerEffect::All)
}

/// How an input listens to the device.
#[derive(Clone, Copy)]
struct ReplyListening {
    /// Its last step is a wait, which the clock ends: the ends of `reply` do not count for it.
    is_wait: bool,
    /// It has an `expect` between its steps, which ends by the ends of `reply`, too.
    has_expect: bool,
}

impl ReplyListening {
    fn of(steps: &[DeviceStep]) -> Self {
        let is_wait = matches!(steps.last(), Some(DeviceStep::Wait(_)));
        Self { is_wait, has_expect: steps.iter().any(|step| matches!(step, DeviceStep::Expect(_))) }
    }
}

fn reply_effects(
    old: &ReplySection,
    new: &ReplySection,
    listening: ReplyListening,
    may_close: bool,
) -> Vec<(&'static str, AnswerEffect)> {
    let ReplySection {
        patterns,
        grace,
        last_line,
        lines,
        length,
        frames,
        quiet,
        within,
        // A reply that takes longer or is longer is an error: there is no answer.
        max: _,
        max_bytes: _,
        settle,
        silent,
        closed,
        stuffing,
        echo,
        strip,
        checksum,
        late,
        line_errors,
        times,
    } = old;
    let mut effects = Vec::new();
    let mut note = |key, is_other: bool| {
        effects.extend(Some((key, AnswerEffect::All)).filter(|_| is_other));
    };
    let has_ends = !listening.is_wait || listening.has_expect;
    let line = |line: &Option<Regex>| line.as_ref().map(|line| line.as_str().to_owned());
    // Other ends may cut a reply off in another place.
    note("match", has_ends && !are_same_patterns(patterns, &new.patterns));
    note("last_line", has_ends && line(last_line) != line(&new.last_line));
    note("lines", has_ends && *lines != new.lines);
    // A length field also tells frames apart that have a checksum each.
    let has_sums = checksum.is_some() || new.checksum.is_some();
    note("length", (has_ends || has_sums) && *length != new.length);
    note("frames", has_ends && *frames != new.frames);
    // Without any `closed`, an end of the connection was an error: no answer depends on it. Else any answer may have been
    // cut off by it, or have the name of an input before.
    note("closed", may_close && *closed != new.closed);
    note("silent", *silent != new.silent);
    note("stuffing", *stuffing != new.stuffing);
    note("echo", *echo != new.echo);
    note("strip", !are_same_patterns(strip, &new.strip));
    note("checksum", *checksum != new.checksum);
    // Where late bytes or faults of the line were errors, no answer has any.
    note("late", *late != Late::Error && *late != new.late);
    note("line_errors", *line_errors != LineErrors::Error && *line_errors != new.line_errors);
    // The store knows how long a whole input took, not when the last byte of the reply came.
    note("time", *times != new.times);
    // What comes in the time to settle is an error, but the device may act in it, and answer the next input otherwise.
    // After a wait there is no such time.
    if !listening.is_wait && *settle != new.settle {
        effects.push(("settle_ms", AnswerEffect::Following));
    }
    if has_ends {
        let is_matched = !patterns.is_empty() || listening.has_expect;
        effects.extend(time_effects([old, new], [*within, new.within], [*quiet, new.quiet]));
        // A reply that ended by `match` waited for more: with another grace it may have another end.
        if is_matched && *grace != new.grace {
            let from = (*grace).min(new.grace);
            effects.push(("grace_ms", AnswerEffect::Slow { from, but: KeptSlow::None }));
        }
    }
    if listening.has_expect {
        // Which of several replies the output shows is not known.
        for (_, effect) in &mut effects {
            if let AnswerEffect::Slow { but, .. } = effect {
                *but = KeptSlow::None;
            }
        }
    }
    effects
}

/// What other limits for a silence do: before the first byte that is `within_ms`, after it `quiet_ms`, if there is one.
fn time_effects(
    [old, new]: [&ReplySection; 2],
    within: [Duration; 2],
    quiet: [Option<Duration>; 2],
) -> Vec<(&'static str, AnswerEffect)> {
    let mut effects = Vec::new();
    let after = [old, new].map(ReplySection::silence);
    let slow = |[old, new]: [Duration; 2], kept| AnswerEffect::Slow {
        from: old.min(new),
        but: if new > old { kept } else { KeptSlow::None },
    };
    if after[0] != after[1] {
        let key = if quiet == [None, None] { "within_ms" } else { "quiet_ms" };
        effects.push((key, slow(after, KeptSlow::Ended)));
    }
    if within[0] != within[1] && quiet != [None, None] {
        effects.push(("within_ms", slow(within, KeptSlow::Replies)));
    }
    effects
}

fn are_same_patterns(old: &[Regex], new: &[Regex]) -> bool {
    old.iter().map(Regex::as_str).eq(new.iter().map(Regex::as_str))
}
