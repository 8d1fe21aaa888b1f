//! New names for stored outputs, where `[[replace]]` or `[[output]]` has changed.
//!
//! The store keeps names, not replies. A reply becomes a name in this order: each `[[replace]]` in turn, then the first
//! `[[output]]` that matches, or else [`escape`]. The names of `time` and what came unasked are added at the end. What is
//! known of the reply depends on where its name came from:
//!
//! - *From `escape`*: [`unescape`] gives the text after the last `[[replace]]`. A rule that is new after it can be applied
//!   to this text, since that is what it would have been given. A rule that is gone can be taken back only if it has left
//!   no trace: the text contains nothing that the rule could have written, so it had replaced nothing.
//! - *From an `[[output]]`*: the reply is lost. The name stays if each `[[replace]]` is as it was, and so is this rule
//!   with all before it.
//! - *From no reply*: `silent`, `closed` and errors of the line are not named by rules.
//!
//! One name may have come from several of them. Then it gets a new name only if all of them lead to the same one.

use regex::bytes::Regex;

use crate::device::{DeviceFile, Late, OutputRule, Replacement, ReplySection};
use crate::escape::{escape, unescape};

/// What a board calls errors of the line, with `line_errors = "output"`.
const LINE_ERRORS: [&str; 3] = ["(framing error)", "(parity error)", "(break)"];

/// The names that a device file gives.
#[derive(Debug)]
pub(super) struct KnownNames {
    /// `[[output]]`, each with a pattern for the names that it can give.
    outputs: Vec<(OutputRule, Regex)>,
    replaces: bool,
    /// The names of what is no reply.
    fixed: Vec<String>,
}

impl KnownNames {
    /// The names of this file; `None` if a pattern is too long.
    pub(super) fn new(file: &DeviceFile) -> Option<Self> {
        let with_names = |rule: &OutputRule| Some((rule.clone(), rule.names()?));
        let outputs = file.outputs.iter().map(with_names).collect::<Option<_>>()?;
        let mut fixed: Vec<_> = LINE_ERRORS.iter().map(|&name| name.to_owned()).collect();
        for input in &file.inputs {
            fixed.push(input.reply.silent.clone());
            fixed.extend(input.reply.closed.clone());
        }
        fixed.sort();
        fixed.dedup();
        Some(Self { outputs, replaces: !file.replacements.is_empty(), fixed })
    }

    /// The reply with this name; `None` if the name may have come from elsewhere than `escape`.
    pub(super) fn reply(&self, name: &str) -> Option<Vec<u8>> {
        let is_ambiguous = self.replaces
            || self.fixed.iter().any(|fixed| fixed == name)
            || self.outputs.iter().any(|(_, names)| names.is_match(name.as_bytes()));
        if is_ambiguous { None } else { self.escaped(name) }
    }

    /// The text after the last `[[replace]]`, if this name can have come from `escape`.
    fn escaped(&self, name: &str) -> Option<Vec<u8>> {
        let text = unescape(name)?;
        self.outputs.iter().all(|(rule, _)| rule.name(&text).is_none()).then_some(text)
    }
}

/// Other rules for names than those that gave them.
#[derive(Debug)]
pub(super) struct Renaming {
    old: KnownNames,
    /// How many `[[output]]` both files begin with.
    shared: usize,
    /// The `[[replace]]` that are gone: patterns for their traces. Those before them are in both files.
    gone: Vec<Regex>,
    /// The `[[replace]]` that are new after those in both files.
    added: Vec<Replacement>,
    outputs: Vec<OutputRule>,
}

impl Renaming {
    /// From the names of the old file to those of the new one; `None` if a pattern is too long.
    pub(super) fn new(old: &DeviceFile, new: &DeviceFile) -> Option<Self> {
        let kept = shared(&old.replacements, &new.replacements);
        Some(Self {
            old: KnownNames::new(old)?,
            shared: shared(&old.outputs, &new.outputs),
            gone: old.replacements[kept..]
                .iter()
                .map(Replacement::traces)
                .collect::<Option<_>>()?,
            added: new.replacements[kept..].to_vec(),
            outputs: new.outputs.clone(),
        })
    }

    /// The new name of an output of an input with this `reply`; `None` if it is not known for certain.
    pub(super) fn rename(&self, reply: &ReplySection, name: &str) -> Option<String> {
        if reply.late == Late::Output && name.contains(" + ") {
            return None;
        }
        let mut possible = Vec::new();
        if self.old.fixed.iter().any(|fixed| fixed == name) {
            possible.push(Some(name.to_owned()));
        }
        // With `late = "reply"`, what came late and was followed by silence has no time.
        if reply.times.is_empty() || reply.late == Late::Reply {
            possible.extend(self.of_reply(name));
        }
        for (_, time) in &reply.times {
            let end = format!(" ({time})");
            let names = name.strip_suffix(&end).map(|name| self.of_reply(name));
            possible.extend(names.into_iter().flatten().map(|name| Some(name? + &end)));
        }
        let (first, others) = possible.split_first()?;
        first.clone().filter(|_| others.iter().all(|other| other == first))
    }

    /// The new names that a reply with this name may have; `None` among them is one that is not known.
    fn of_reply(&self, name: &str) -> Vec<Option<String>> {
        let is_replaced_alike = self.gone.is_empty() && self.added.is_empty();
        let rules = self.old.outputs.iter().enumerate();
        let mut possible: Vec<_> = rules
            .filter(|(_, (_, names))| names.is_match(name.as_bytes()))
            .map(|(at, _)| (is_replaced_alike && at < self.shared).then(|| name.to_owned()))
            .collect();
        if let Some(text) = self.old.escaped(name) {
            let is_intact = !self.gone.iter().any(|traces| traces.is_match(&text));
            possible.push(is_intact.then(|| self.name(text)));
        }
        possible
    }

    /// The new name of a text that those `[[replace]]` left which are in both files.
    fn name(&self, mut text: Vec<u8>) -> String {
        for rule in &self.added {
            text = rule.apply(&text);
        }
        self.outputs.iter().find_map(|rule| rule.name(&text)).unwrap_or_else(|| escape(&text))
    }
}

/// How many rules both lists begin with.
fn shared<T: PartialEq>(old: &[T], new: &[T]) -> usize {
    old.iter().zip(new).take_while(|(old, new)| old == new).count()
}

#[cfg(test)]
mod tests;
