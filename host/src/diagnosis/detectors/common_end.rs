//! What all replies end with, where their number of bytes or lines ends them, or nothing that the device file describes.

use std::collections::BTreeSet;

use super::super::evidence::{END_BYTES, Evidence};
use super::super::field::is_text;
use super::super::finding::{Change, CountKey};
use super::super::going_on::TIMES;
use super::last_line::last_line;
use super::longer_end::count_key;
use crate::draft::literal;
use crate::escape;

/// Fewer bytes that are no text may be the same by chance.
const BYTES: usize = 3;

/// The last bytes of all replies, or the last line, which they have nowhere else.
#[derive(Debug)]
pub(super) struct CommonEnd {
    end: DescribedEnd,
    /// What describes the end of replies now, in words.
    now: String,
    /// How many replies were heard to their end, and to how many inputs.
    replies: usize,
    inputs: usize,
}

/// An end of replies as a device file describes it.
#[derive(Debug)]
struct DescribedEnd {
    /// The keys, with their values.
    keys: String,
    change: Change,
}

impl DescribedEnd {
    fn bytes(bytes: &[u8]) -> Self {
        let pattern = escape::pattern(bytes) + "$";
        let keys = format!("`match = {}` and `grace_ms = 0`", literal(&pattern));
        Self { keys, change: Change::EndBytes(pattern) }
    }

    fn last_line(pattern: String) -> Self {
        Self {
            keys: format!("`last_line = {}`", literal(&pattern)),
            change: Change::LastLine(pattern),
        }
    }
}

impl CommonEnd {
    /// These bytes or this line, if a number of bytes or lines is the end of all replies, and these have different lengths. After
    /// lines, only a prompt is such an end, or a line.
    pub(super) fn of(evidence: &Evidence) -> Option<Self> {
        let rules = &evidence.file.as_ref()?.device().inputs;
        let mut keys = rules.iter().filter(|rule| !rule.waits()).map(count_key);
        let key = keys.next()??;
        if keys.any(|other| other != Some(key)) {
            return None;
        }
        let now = format!("each `{}` and whatever else ends replies", key.name());
        let is_kept = |end: &[u8]| key == CountKey::Length || !is_line_end(end);
        Self::instead_of(now, evidence, |bodies| {
            let bytes = end_of(bodies).filter(|end| is_kept(end));
            let line = || last_line(bodies).filter(|_| key == CountKey::Lines);
            let bytes = bytes.map(|end| DescribedEnd::bytes(&end));
            bytes.or_else(|| line().map(DescribedEnd::last_line))
        })
    }

    /// These bytes where no reply meets its end, which is described by these keys. Lines may be followed by others.
    pub(super) fn where_unmet(evidence: &Evidence, keys: String) -> Option<Self> {
        Self::instead_of(keys, evidence, |bodies| {
            let end = end_of(bodies).filter(|end| !is_line_end(end))?;
            Some(DescribedEnd::bytes(&end))
        })
    }

    /// What `end` makes of all replies that were heard to their end.
    fn instead_of(
        now: String,
        evidence: &Evidence,
        end: impl FnOnce(&BTreeSet<Vec<u8>>) -> Option<DescribedEnd>,
    ) -> Option<Self> {
        let rules = &evidence.file.as_ref()?.device().inputs;
        let (mut replies, mut inputs, mut bodies) = (0, BTreeSet::new(), BTreeSet::new());
        for kept in evidence.exchanges() {
            let Some(input) = kept.input().filter(|&input| !rules[input].waits()) else { continue };
            let body = kept.exchange.counted(&rules[input].reply);
            let is_whole =
                kept.exchange.is_heard_out || kept.exchange.ends_by_silence(&rules[input].reply);
            if is_whole && !body.is_empty() {
                replies += 1;
                inputs.insert(input);
                bodies.insert(body);
            }
        }
        let end = end(&bodies).filter(|_| inputs.len() > 1)?;
        Some(Self { end, now, replies, inputs: inputs.len() })
    }

    /// What to write in place of the number of bytes or lines, and why.
    pub(super) fn remedy(&self) -> String {
        let Self { end, now, replies, inputs } = self;
        let keys = &end.keys;
        format!(
            "write {keys} into [reply], in place of {now}: all {replies} replies to {inputs} inputs end so"
        )
    }

    pub(super) fn change(&self) -> Change {
        self.end.change.clone()
    }
}

fn is_line_end(end: &[u8]) -> bool {
    end.ends_with(b"\n")
}

/// What different replies of different lengths end with, and have nowhere else: of texts, their last line end and what follows it,
/// or what follows the last letter or digit, since these may be a value; else as few bytes as tell.
fn end_of(bodies: &BTreeSet<Vec<u8>>) -> Option<Vec<u8>> {
    let lengths: BTreeSet<_> = bodies.iter().map(Vec::len).collect();
    if bodies.len() < TIMES || lengths.len() < 2 {
        return None;
    }
    let first = bodies.first()?;
    let last = |count: usize| &first[first.len() - count..];
    let is_common = |count: &usize| bodies.iter().all(|body| body.ends_with(last(*count)));
    let common = (1..=first.len().min(END_BYTES)).take_while(is_common).last()?;
    let is_only_at_end = |end: &[u8]| {
        let first_at = |body: &Vec<u8>| body.windows(end.len()).position(|bytes| bytes == end);
        bodies.iter().all(|body| first_at(body) == Some(body.len() - end.len()))
    };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric();
    let behind = last(common).iter().rev().take_while(|byte| !is_part(byte)).count();
    if !bodies.iter().all(|body| is_text(body)) {
        return (BYTES..=common).map(last).find(|end| is_only_at_end(end)).map(<[u8]>::to_vec);
    }
    let lengths = [from_line_end(last(behind)), behind];
    let is_end = |end: &&[u8]| end.iter().any(|byte| *byte != b' ') && is_only_at_end(end);
    lengths.map(last).into_iter().find(is_end).map(<[u8]>::to_vec)
}

/// How many bytes of an end there are from its last line end on, this one included.
fn from_line_end(end: &[u8]) -> usize {
    let is_of_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    let after = end.iter().rev().take_while(|byte| !is_of_line_end(byte)).count();
    let before = end[..end.len() - after].iter().rev().take_while(is_of_line_end);
    after + before.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(bodies: &[&[u8]]) -> Option<Vec<u8>> {
        end_of(&bodies.iter().map(|body| body.to_vec()).collect())
    }

    #[test]
    fn an_end_is_no_part_of_a_word_and_long_enough() {
        type EndCase<'a> = (&'a [&'a [u8]], Option<&'a [u8]>);
        let cases: [EndCase<'_>; 14] = [
            (
                &[b"\x1a\xff\xff\xff", b"\x66\x01\xff\xff\xff", b"\x70ab\xff\xff\xff"],
                Some(b"\xff\xff\xff"),
            ),
            (&[b"on\r\n> ", b"open\r\n> ", b"down\r\n> "], Some(b"\r\n> ")),
            (&[b"a;", b"bc;", b"def;"], Some(b";")),
            // In other bytes than text, the last one may be the same by chance.
            (&[b"\x80\x01\xffA.", b"\x81\x02\x03\xffA.", b"\x82\xffA."], Some(b"\xffA.")),
            // The line end before is everywhere.
            (&[b"+ok\r\n.\r\n", b"+\r\n.\r\n", b"+one\r\n.\r\n"], Some(b"\r\n.\r\n")),
            // What comes before it may be another value later.
            (&[b"temp -\r\n", b"level -\r\n", b"up -\r\n"], Some(b"\r\n")),
            (&[b"temp 0\r\n", b"level 0\r\n", b"up 0\r\n"], Some(b"\r\n")),
            (
                &[b"\x1a\0\xff\xff\xff", b"\x66\x01\0\xff\xff\xff", b"\x70ab\0\xff\xff\xff"],
                Some(b"\xff\xff\xff"),
            ),
            (&[b"ON", b"OPEN", b"DOWN"], None),
            (&[b"a ", b"bc ", b"def "], None),
            // It is elsewhere, too.
            (&[b"a;b;", b"bc;", b"def;"], None),
            (&[b"\x01\x00\x00", b"\x02\x03\x00\x00", b"\x04\x05\x06\x00\x00"], None),
            // One length, and two replies.
            (&[b"a;", b"b;", b"c;"], None),
            (&[b"a;", b"bc;"], None),
        ];
        for (bodies, expected) in cases {
            assert_eq!(end(bodies).as_deref(), expected, "{bodies:?}");
        }
    }
}
