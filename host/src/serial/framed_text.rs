//! The text of a reply, and where its frames end, which stuffing or a length field tells apart.

use super::strip::clean;
use crate::device::{ReplyLength, ReplySection, Stuffing};

/// What came, without stuffing and without what `strip` removes.
#[derive(Clone, Debug, Default)]
pub(super) struct FramedText {
    /// The contents of the frames one after the other, or all that came where nothing tells frames apart.
    pub(super) bytes: Vec<u8>,
    /// Where in `bytes` complete frames end. Frames of which nothing is left do not count.
    pub(super) ends: Vec<usize>,
    /// Whether the last stuffed frame has no end yet.
    pub(super) is_open: bool,
    /// What is wrong with a stuffed frame.
    pub(super) fault: Option<&'static str>,
}

impl FramedText {
    /// The text of a part of a stream that begins where a frame may begin.
    pub(super) fn of(rule: &ReplySection, stream: &[u8]) -> Self {
        let Some(stuffing) = rule.stuffing else {
            return Self::without_stuffing(rule, clean(&rule.strip, stream).into_owned());
        };
        Self::unstuff(rule, stuffing, stream)
    }

    /// A text in which nothing is stuffed.
    pub(super) fn without_stuffing(rule: &ReplySection, bytes: Vec<u8>) -> Self {
        let ends = rule.frame_length().map(|length| ends_by_length(length, &bytes));
        Self { ends: ends.unwrap_or_default(), bytes, ..Self::default() }
    }

    fn unstuff(rule: &ReplySection, stuffing: Stuffing, stream: &[u8]) -> Self {
        let unstuffed = stuffing.unstuff(stream);
        let mut text =
            Self { is_open: unstuffed.is_open, fault: unstuffed.fault, ..Self::default() };
        let complete = unstuffed.frames.len() - usize::from(unstuffed.is_open);
        for (at, frame) in unstuffed.frames.iter().enumerate() {
            let contents = clean(&rule.strip, frame);
            text.bytes.extend_from_slice(&contents);
            if at < complete && !contents.is_empty() {
                text.ends.push(text.bytes.len());
            }
        }
        text
    }

    /// The text behind its first `count` bytes, which are the echo of what was sent.
    pub(super) fn behind_echo(self, rule: &ReplySection, count: usize) -> Self {
        let bytes = self.bytes[count..].to_vec();
        if rule.stuffing.is_none() {
            return Self::without_stuffing(rule, bytes);
        }
        let ends = self.ends.iter().filter(|end| **end > count).map(|end| end - count).collect();
        Self { bytes, ends, ..self }
    }

    /// The contents without their checksums, of which each frame has one; `None` if one is wrong. A text without frames has one
    /// checksum.
    pub(super) fn verified(&self, rule: &ReplySection) -> Option<Vec<u8>> {
        let Some(checksum) = &rule.checksum else { return Some(self.bytes.clone()) };
        let mut contents = Vec::new();
        let mut from = 0;
        let last = (self.ends.last() != Some(&self.bytes.len())).then_some(self.bytes.len());
        for end in self.ends.iter().copied().chain(last) {
            contents.extend_from_slice(&checksum.verify(&self.bytes[from..end])?);
            from = end;
        }
        Some(contents)
    }
}

/// Where the complete frames end that begin with a header with their length.
fn ends_by_length(length: ReplyLength, bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut from = 0;
    while let Some(end) = length.of(&bytes[from..]).and_then(|length| from.checked_add(length)) {
        // A frame without contents behind which nothing can follow.
        if end > bytes.len() || end == from {
            break;
        }
        ends.push(end);
        from = end;
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD: ReplyLength = ReplyLength::Field { at: 0, size: 1, plus: 1, little_endian: false };

    #[test]
    fn a_length_field_tells_frames_apart() {
        assert_eq!(ends_by_length(FIELD, b"\x02ab\x00\x01c\x03de"), [3, 4, 6]);
        assert!(ends_by_length(FIELD, b"").is_empty());
    }

    #[test]
    fn a_length_of_nothing_ends_no_frame() {
        let none = ReplyLength::Field { at: 0, size: 1, plus: 0, little_endian: false };
        assert!(ends_by_length(none, b"\0\0").is_empty());
    }
}
