//! The bytes at which a reply can come to its end.
//!
//! Whether a reply has ended is looked at where its end may be met for the first time. After each byte would be right,
//! too, but what `strip` takes out is searched for in all of the reply each time, which takes quadratic time.
//!
//! A new byte makes a pattern fit for the first time only if it is the last byte of a match. `strip` changes nothing about
//! that as long as its patterns do not look around: then a new byte either comes on top of what was left before, or
//! completes a match, and what is left is what was left before the match began, and was looked at then.

use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::device::ReplySection;

/// The bytes at which a reply can come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EndBytes([bool; 256]);

impl EndBytes {
    /// Those of the replies to this rule.
    pub(super) fn of(rule: &ReplySection) -> Self {
        Self::found(rule).unwrap_or(Self([true; 256]))
    }

    /// The length of the piece that `bytes` begin with: up to the first byte at which a reply can end, or all of them.
    pub(super) fn piece(&self, bytes: &[u8]) -> usize {
        let end = bytes.iter().position(|&byte| self.0[usize::from(byte)]);
        end.map_or(bytes.len(), |at| at + 1)
    }

    /// `None` if it may be any byte.
    fn found(rule: &ReplySection) -> Option<Self> {
        if rule.length.is_some() || rule.frames.is_some() || rule.stuffing.is_some() {
            return None;
        }
        for pattern in &rule.strip {
            let is_plain = parsed(pattern)?.properties().look_set().is_empty();
            is_plain.then_some(())?;
        }
        let mut found = Self([false; 256]);
        if rule.lines.is_some() || rule.last_line.is_some() {
            found.add(b'\n', b'\n');
        }
        for pattern in rule.patterns.iter().filter(|_| rule.grace.is_zero()) {
            let pattern = parsed(pattern)?;
            let is_edge =
                |look| matches!(look, Look::Start | Look::End | Look::StartLF | Look::EndLF);
            let has_edges_only = pattern.properties().look_set().iter().all(is_edge);
            let is_empty = !has_edges_only || found.add_last(&pattern);
            (!is_empty).then_some(())?;
        }
        Some(found)
    }

    fn add(&mut self, from: u8, to: u8) {
        self.0[usize::from(from)..=usize::from(to)].fill(true);
    }

    /// Adds the last bytes of what a pattern fits. Returns whether it fits nothing at all, too.
    fn add_last(&mut self, pattern: &Hir) -> bool {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => true,
            HirKind::Literal(literal) => {
                literal.0.last().into_iter().for_each(|&byte| self.add(byte, byte));
                literal.0.is_empty()
            }
            HirKind::Class(Class::Bytes(class)) => {
                class.iter().for_each(|range| self.add(range.start(), range.end()));
                false
            }
            HirKind::Class(Class::Unicode(class)) => {
                for range in class.iter() {
                    let [from, to] = [range.start(), range.end()].map(|end| u8::try_from(end).ok());
                    match (from.filter(u8::is_ascii), to.filter(u8::is_ascii)) {
                        (Some(from), Some(to)) => self.add(from, to),
                        (from, _) => {
                            from.into_iter().for_each(|from| self.add(from, 0x7f));
                            // The last byte of a longer character.
                            self.add(0x80, 0xbf);
                        }
                    }
                }
                false
            }
            HirKind::Repetition(repeated) => self.add_last(&repeated.sub) || repeated.min == 0,
            HirKind::Capture(capture) => self.add_last(&capture.sub),
            HirKind::Concat(parts) => parts.iter().rev().all(|part| self.add_last(part)),
            HirKind::Alternation(parts) => {
                parts.iter().filter(|part| self.add_last(part)).count() > 0
            }
        }
    }
}

/// A pattern over bytes, as device files have them. `None` if the parser refuses it.
fn parsed(pattern: &Regex) -> Option<Hir> {
    ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern.as_str()).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use regex::bytes::RegexBuilder;

    use super::*;

    fn regex(pattern: &str) -> Vec<Regex> {
        vec![RegexBuilder::new(pattern).unicode(false).build().expect("a pattern")]
    }

    /// The end bytes with this `match`, `None` for all.
    fn of_match(pattern: &str) -> Option<Vec<u8>> {
        let rule = ReplySection {
            patterns: regex(pattern),
            grace: Duration::ZERO,
            ..ReplySection::default()
        };
        let all = EndBytes::found(&rule)?.0;
        Some((0..=255).filter(|&byte| all[usize::from(byte)]).collect())
    }

    #[test]
    fn a_pattern_ends_with_the_last_bytes_of_its_matches() {
        for (pattern, bytes) in [
            ("> $", " "),
            ("^ok$", "k"),
            ("a|bc|d", "acd"),
            ("[xyz]{2}", "xyz"),
            ("ab*", "ab"),
            ("a(b|c?)$", "abc"),
            ("a+(?m:$)", "a"),
            (r"\x00", "\0"),
        ] {
            assert_eq!(of_match(pattern).as_deref(), Some(bytes.as_bytes()), "{pattern}");
        }
        assert_eq!(of_match(r"(?s)\x03.$"), Some((0..=255).collect()));
        assert_eq!(of_match(r"\x03[^\x00]$"), Some((1..=255).collect()));
        assert_eq!(of_match(r"\xff$"), Some(vec![0xff]));
        let long = of_match("(?u)[yzä]").expect("not all");
        assert_eq!(long, [b"yz".to_vec(), (0x80..=0xbf).collect()].concat());
        for pattern in ["", "a*", "a?$", r"a\b", r"a\B", "(?mR:a$)"] {
            assert_eq!(of_match(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_rule_whose_end_any_byte_can_bring_has_all_bytes() {
        use crate::device::ReplyLength;
        let lines = ReplySection { lines: Some(2), ..ReplySection::default() };
        assert_eq!(EndBytes::of(&lines).piece(b"a b\nc"), 4);
        assert_eq!(EndBytes::of(&lines).piece(b"a b"), 3);
        let plain = ReplySection { strip: regex(r"\x1b\[[0-9;]*m"), ..lines.clone() };
        assert_eq!(EndBytes::of(&plain).piece(b"a b\nc"), 4);
        for rule in [
            ReplySection { strip: regex("x$"), ..lines.clone() },
            ReplySection { length: Some(ReplyLength::Fixed(9)), ..lines },
        ] {
            assert_eq!(EndBytes::of(&rule).piece(b"a b\nc"), 1, "{rule:?}");
        }
    }
}
