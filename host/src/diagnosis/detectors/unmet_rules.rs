//! Rules of `[[output]]` that name no reply: they fit none, or another rule stands before them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use regex::bytes::Regex;

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use crate::device::{DeviceFile, OutputRule};
use crate::draft::literal;
use crate::escape::escape;
use crate::short_output::short;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(file) = &evidence.file else { return Vec::new() };
    let device = file.device();
    let replies = replies(evidence, device);
    let behind = (0..device.outputs.len()).filter_map(|rule| stands_behind(device, rule, &replies));
    behind.chain(fits_nothing(device, &replies)).collect()
}

/// The finding for a rule that fits replies which the rules before it name, and no others. Where all that a rule before it names
/// fits, it is there for the rest.
fn stands_behind(device: &DeviceFile, number: usize, replies: &Replies<'_>) -> Option<Finding> {
    let rule = &device.outputs[number];
    let (fitted, other): (Vec<_>, Vec<_>) =
        replies.iter().partition(|reply| rule.name(reply).is_some());
    let first = |reply: &[u8]| device.outputs.iter().position(|rule| rule.name(reply).is_some());
    if fitted.iter().any(|reply| first(reply) == Some(number)) {
        return None;
    }
    let names_others = |before| other.iter().any(|reply| first(reply) == Some(before));
    let (example, before) = fitted
        .iter()
        .find_map(|reply| Some((reply, first(reply).filter(|&before| names_others(before))?)))?;
    let text = format!(
        "`{}` in [[output]] names no reply: `{}` stands before it and fits `{}`, too, and the first rule that fits names the \
         output. Should it name that? Then move it up",
        rule.pattern(),
        device.outputs[before].pattern(),
        short(&escape(example))
    );
    Some(Finding::possible(FindingKind::UnmetRule, text))
}

/// The finding for rules that fit no reply, where replies have no name.
fn fits_nothing(device: &DeviceFile, replies: &Replies<'_>) -> Option<Finding> {
    let fits = |rule: &&OutputRule| replies.iter().any(|reply| rule.name(reply).is_some());
    let is_named = |reply: &[u8]| device.outputs.iter().any(|rule| rule.name(reply).is_some());
    let unmet: Vec<_> =
        device.outputs.iter().filter(|rule| !fits(rule)).map(OutputRule::pattern).collect();
    // Where each reply has a name, what the other rules are for did not come.
    let unnamed: Vec<_> = replies.iter().filter(|reply| !is_named(reply)).collect();
    let example = unnamed.first().filter(|_| !unmet.is_empty())?;
    let better = unmet.iter().find_map(|pattern| {
        let better = before_line_end(pattern)?;
        let fits = Regex::new(&better).ok()?;
        let reply = unnamed.iter().find(|reply| fits.is_match(reply))?;
        Some((reply, better))
    });
    let (example, advice) = match better {
        Some((reply, better)) => {
            let rule = format!("match = {}", literal(&better));
            (reply, format!("a line end is part of the reply. This lets the rule fit it:\n{rule}"))
        }
        None => (example, "do they fit what comes? `mealybug try` shows it".to_owned()),
    };
    let patterns: Vec<_> = unmet.iter().map(|pattern| format!("`{pattern}`")).collect();
    let text = format!(
        "no reply fits {} in [[output]], and no rule there names `{}`: {advice}",
        patterns.join(" or "),
        short(&escape(example))
    );
    Some(Finding::possible(FindingKind::UnmetRule, text))
}

/// What the rules are tried on: the different replies, without silences and ends of connections.
type Replies<'e> = BTreeSet<Cow<'e, [u8]>>;

fn replies<'e>(evidence: &'e Evidence, device: &DeviceFile) -> Replies<'e> {
    let runs = evidence.answers().flat_map(|(_, runs)| runs);
    let replies = runs.filter(|run| !run.is_silence && !device.is_end(&run.output));
    replies.map(|run| device.replaced(&run.reply)).collect()
}

/// A pattern for the end of a reply, with room for a line end.
fn before_line_end(pattern: &str) -> Option<String> {
    let pattern = pattern.strip_suffix('$').filter(|rest| !rest.ends_with('\\'))?;
    Some(format!(r"{pattern}\s*$"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mealybug_core::Input;

    use super::super::super::evidence::Answer;
    use super::super::super::evidence::testing::evidence_of;
    use super::*;

    const FILE: &str = "[[reset]]\nsteps = [{ send = \"r\" }]\n[reply]\nlines = 1\nclosed = \"(closed)\"\n[inputs]\na = \"a\"\n";

    fn answered(rules: &[(&str, &str)], outputs: &[&str]) -> Vec<String> {
        let rule = |(pattern, name): &(&str, &str)| {
            format!("[[output]]\nmatch = '{pattern}'\nname = '{name}'\n")
        };
        let rules: Vec<_> = rules.iter().map(rule).collect();
        let mut evidence = evidence_of(&format!("{FILE}{}", rules.concat()));
        let device = evidence.file.as_ref().expect("a file").device().clone();
        for output in outputs {
            evidence.reset(Duration::ZERO);
            let (input, took) = (Input::new(0), Duration::from_millis(1));
            let name = match *output {
                "" => "(silence)".to_owned(),
                _ => device.name_output(output.as_bytes()),
            };
            let answer = Answer { input, output: &name, is_silence: output.is_empty(), took };
            evidence.answer(&answer, Some(output.as_bytes().to_vec()));
        }
        find(&evidence).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn a_rule_that_fits_only_without_the_line_end_gets_room_for_it() {
        let texts = answered(&[("^OK", "ok"), (r"^ERR (\d+)$", "error:$1")], &["OK\n", "ERR 7\n"]);
        let wanted = "no reply fits `^ERR (\\d+)$` in [[output]], and no rule there names `ERR 7\\n`: a line end is part of the \
                      reply. This lets the rule fit it:\nmatch = '^ERR (\\d+)\\s*$'";
        assert_eq!(texts, [wanted]);
    }

    #[test]
    fn a_rule_that_fits_nothing_is_named_beside_a_reply_without_a_name() {
        let texts =
            answered(&[("^OK", "ok"), (r"^Err\$", "e"), ("^x$", "x")], &["OK\n", "ERR 7\n"]);
        let wanted = "no reply fits `^Err\\$` or `^x$` in [[output]], and no rule there names `ERR 7\\n`: do they fit what comes? \
                      `mealybug try` shows it";
        assert_eq!(texts, [wanted]);
    }

    #[test]
    fn a_rule_behind_one_that_fits_all_its_replies_is_to_be_moved_up() {
        let (all, error) = ((r"^(.*)\n$", "$1"), (r"^ERR (\d+)", "error:$1"));
        let replies = ["OK\n", "ERR 7\n"];
        let wanted = "`^ERR (\\d+)` in [[output]] names no reply: `^(.*)\\n$` stands before it and fits `ERR 7\\n`, too, and the \
                      first rule that fits names the output. Should it name that? Then move it up";
        assert_eq!(answered(&[all, error], &replies), [wanted]);
        assert!(answered(&[error, all], &replies).is_empty());
        // It is for all that has no name.
        assert!(answered(&[("^OK", "ok"), all], &["OK\n"]).is_empty());
    }

    #[test]
    fn no_rule_is_doubted_where_each_reply_has_a_name_or_each_rule_a_reply() {
        let ok = ("^OK", "ok");
        assert!(answered(&[ok, ("^ERR", "error")], &["OK\n", "", "(closed)"]).is_empty());
        assert!(answered(&[ok], &["OK\n", "ERR 7\n"]).is_empty());
        assert!(answered(&[], &["OK\n"]).is_empty());
    }
}
