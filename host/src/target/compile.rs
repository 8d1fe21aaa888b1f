//! A device file as rules for a target: a bounded form that needs no regular expressions.

use std::collections::BTreeSet;
use std::time::Duration;

use mealybug_core::wire::message::Rule;
use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::error::NotForTarget;
use crate::device::{Device, InputRule, Late, Message, ReplyRule, Rung, Step, Variables};

/// Says the rules that a target needs, in this order, to `each`.
///
/// # Errors
/// The device file says something that a target cannot do, or the first error of `each`.
pub fn compile<E: From<NotForTarget>>(
    device: &Device,
    mut each: impl FnMut(Rule<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let [rung] = &device.resets[..] else {
        return Err(not("several [[reset]]").into());
    };
    if !device.captures.is_empty() || device.word_max.is_some() {
        return Err(not("[captures] or [word]").into());
    }
    let reply = reply_of_all(&device.inputs)?;
    let end = match &reply.patterns[..] {
        [] => Vec::new(),
        [pattern] if reply.grace.is_zero() => literal_at_end(pattern, "[reply] match")?,
        [_] => return Err(not("[reply] has a `match` without `grace_ms = 0`").into()),
        _ => return Err(not("[reply] has several patterns").into()),
    };
    each(Rule::Reply {
        ends_with: &end,
        lines: reply.lines.map_or(Ok(0), u32::try_from).map_err(|_| not("[reply] lines"))?,
        quiet_ms: reply.quiet.map_or(0, milliseconds),
        within_ms: milliseconds(reply.within),
    })?;
    each(Rule::Strip(&stripped(&device.strip)?))?;
    each(Rule::Silent(reply.silent.as_bytes()))?;
    reset(rung, &mut each)?;
    for InputRule { name, steps, .. } in &device.inputs {
        let wrong = || not(format!("the input `{name}` does more than send or wait"));
        let name = name.as_bytes();
        match &steps[..] {
            [Step::Send(message)] => each(Rule::Input { name, send: &constant(message)? })?,
            [Step::Wait(time)] => each(Rule::Wait { name, ms: milliseconds(*time) })?,
            _ => return Err(wrong().into()),
        }
    }
    Ok(())
}

/// The bytes of a message that is the same whenever it is sent.
fn constant(message: &Message) -> Result<Vec<u8>, NotForTarget> {
    let numbered = |sequence| message.send(&mut Variables { sequence, ..Variables::default() });
    let bytes = numbered(0);
    if bytes == numbered(1) {
        Ok(bytes)
    } else {
        Err(not("a message that is numbered, with `seq`"))
    }
}

fn not(what: impl Into<String>) -> NotForTarget {
    NotForTarget { what: what.into() }
}

/// The rule of all replies; inputs that send nothing have none.
fn reply_of_all(inputs: &[InputRule]) -> Result<&ReplyRule, NotForTarget> {
    let mut rules = inputs.iter().filter(|input| !matches!(input.steps[..], [Step::Wait(_)]));
    let first = rules.next().or(inputs.first()).ok_or_else(|| not("there are no inputs"))?;
    let same = |rule: &ReplyRule| format!("{rule:?}") == format!("{:?}", first.reply);
    if let Some(other) = rules.find(|input| !same(&input.reply)) {
        return Err(not(format!("the input `{}` has a `reply` of its own", other.name)));
    }
    match &first.reply {
        ReplyRule { echo: true, .. } => Err(not("[reply] has `echo`")),
        ReplyRule { length: Some(_), .. } => Err(not("[reply] has a `length`")),
        ReplyRule { last_line: Some(_), .. } => Err(not("[reply] has a `last_line`")),
        ReplyRule { checksum: Some(_), .. } => Err(not("[reply] has a `checksum`")),
        ReplyRule { late: Late::Drop, .. } => Err(not("[reply] has `late = \"drop\"`")),
        ReplyRule { settle, times, .. } if !settle.is_zero() || !times.is_empty() => {
            Err(not("[reply] has `settle_ms` or `times`"))
        }
        reply => Ok(reply),
    }
}

/// Each act of a reset, with what is expected after the last.
fn reset<E: From<NotForTarget>>(
    rung: &Rung,
    each: &mut impl FnMut(Rule<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(expect) = &rung.expect else { return Err(not("[[reset]] has no `expect`").into()) };
    let end = literal_at_end(&expect.pattern, "`expect` of [[reset]]")?;
    let mut send = Vec::new();
    for step in &rung.steps {
        match step {
            Step::Send(message) => send.extend(constant(message)?),
            _ => return Err(not("[[reset]] has a step that is not `send`").into()),
        }
    }
    each(Rule::Reset {
        send: &send,
        expect: &end,
        within_ms: milliseconds(expect.within),
        quiet_ms: milliseconds(rung.quiet),
    })
}

/// The text of a pattern that is plain text and `$`.
fn literal_at_end(pattern: &Regex, where_it_is: &str) -> Result<Vec<u8>, NotForTarget> {
    let hir = parse(pattern);
    if let Some(HirKind::Concat(parts)) = hir.as_ref().map(Hir::kind)
        && let [text, end] = &parts[..]
        && let (HirKind::Literal(text), HirKind::Look(Look::End)) = (text.kind(), end.kind())
    {
        return Ok(text.0.to_vec());
    }
    Err(not(format!("the {where_it_is} `{pattern}` is not plain text followed by `$`")))
}

/// The bytes that patterns of one byte each match.
fn stripped(patterns: &[Regex]) -> Result<Vec<u8>, NotForTarget> {
    let mut bytes = BTreeSet::new();
    for pattern in patterns {
        match parse(pattern).as_ref().map(Hir::kind) {
            Some(HirKind::Literal(text)) if text.0.len() == 1 => bytes.extend(text.0.iter()),
            Some(HirKind::Class(Class::Bytes(class))) => {
                bytes.extend(class.iter().flat_map(|range| range.start()..=range.end()));
            }
            _ => return Err(not(format!("`strip` has `{pattern}`, which is not one byte"))),
        }
    }
    Ok(bytes.into_iter().collect())
}

/// The pattern as the device file reads patterns: over bytes, without Unicode classes.
fn parse(pattern: &Regex) -> Option<Hir> {
    ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern.as_str()).ok()
}

fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const RESET: &str = "[[reset]]\nsteps = [{ send = \"\\u0018\" }]\nexpect = { match = 'ok\\r\\n> $', within_ms = 300 }\n";

    fn compiled(text: &str) -> Result<Vec<String>, NotForTarget> {
        let device = Device::parse(Path::new("x.toml"), text).expect("a device file");
        let mut rules = Vec::new();
        compile(&device, |rule| {
            rules.push(match rule {
                Rule::Reply { ends_with, lines, quiet_ms, within_ms } => {
                    let end = ends_with.escape_ascii();
                    format!("reply {end} {lines} {quiet_ms} {within_ms}")
                }
                Rule::Strip(bytes) => format!("strip {}", bytes.escape_ascii()),
                Rule::Silent(name) => format!("silent {}", name.escape_ascii()),
                Rule::Reset { send, expect, within_ms, quiet_ms } => {
                    let (send, expect) = (send.escape_ascii(), expect.escape_ascii());
                    format!("reset {send} {expect} {within_ms} {quiet_ms}")
                }
                Rule::Input { name, send } => {
                    format!("{} {}", name.escape_ascii(), send.escape_ascii())
                }
                Rule::Wait { name, ms } => format!("{} {ms}", name.escape_ascii()),
            });
            Ok::<(), NotForTarget>(())
        })?;
        Ok(rules)
    }

    #[test]
    fn a_console_becomes_rules() {
        let text = format!(
            "{RESET}[reply]\nmatch = '> $'\ngrace_ms = 0\nwithin_ms = 70\nstrip = ['[\\r\\n]', 'x']\n\
             [inputs]\na = \"a\\r\"\nwait = {{ wait_ms = 5 }}\n"
        );
        assert_eq!(
            compiled(&text).expect("plain"),
            [
                "reply >  0 0 70",
                "strip \\n\\rx",
                "silent (silence)",
                "reset \\x18 ok\\r\\n>  300 20",
                "a a\\r",
                "wait 5"
            ]
        );
        let text = format!("{RESET}[reply]\nlines = 2\n[inputs]\na = \"a\\r\"\n");
        assert_eq!(compiled(&text).expect("plain")[0], "reply  2 0 1000");
        let text = format!("{RESET}[inputs]\na = \"a\\r\"\n");
        assert_eq!(compiled(&text).expect("plain")[0], "reply  0 50 1000");
    }

    #[test]
    fn what_a_target_cannot_do_is_named() {
        let inputs = "[inputs]\na = \"a\\r\"\n";
        for (text, what) in [
            (format!("{RESET}[reply]\nmatch = '[>#] $'\ngrace_ms = 0\n{inputs}"), "not plain text"),
            (format!("{RESET}[reply]\nmatch = '> '\ngrace_ms = 0\n{inputs}"), "not plain text"),
            (format!("{RESET}[reply]\nmatch = '> $'\n{inputs}"), "without `grace_ms = 0`"),
            (format!("{RESET}[reply]\necho = true\n{inputs}"), "`echo`"),
            (format!("{RESET}[reply]\nlength = 3\n{inputs}"), "`length`"),
            (format!("{RESET}[reply]\nlate = \"drop\"\n{inputs}"), "late"),
            (format!("{RESET}[reply]\nstrip = ['ab']\n{inputs}"), "not one byte"),
            (format!("{RESET}{RESET}{inputs}"), "several [[reset]]"),
            (format!("[[reset]]\nsteps = [{{ send = \"x\" }}]\n{inputs}"), "no `expect`"),
            (
                format!("{RESET}{inputs}b = {{ text = \"b\", reply = {{ lines = 1 }} }}\n"),
                "the input `b` has a `reply` of its own",
            ),
            (format!("{RESET}{inputs}b = {{ dtr = true }}\n"), "more than send or wait"),
        ] {
            let error = compiled(&text).expect_err(what);
            assert!(error.what.contains(what), "{}: not {what}", error.what);
        }
    }
}
