//! What a device says when it starts, heard twice.
//!
//! Two lines that begin alike, one in each start, may be what the starts say of themselves: `boot: POWERON`, then `boot: SW_CPU`;
//! or `door closed`, then `door jammed`. So lines count as unasked only if they come at other places or in another number, or
//! while nothing is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::time::Duration;

use super::link::TimedLink;
use super::noise::is_text;
use super::unasked::{UnaskedKind, lines_of};
use crate::escape::pattern;
use crate::line_kind::{LineEnd, kind_of};

/// What two starts of a device have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonStart {
    /// The last line that came both times, without its end.
    pub line: Vec<u8>,
    /// The kinds of other lines that came unasked: at other places, or in another number.
    pub unasked: Vec<UnaskedKind>,
    /// All other lines: what is different in the starts.
    pub others: BTreeSet<Vec<u8>>,
    end: LineEnd,
}

/// The lines of a kind in two starts. A place is the number of common lines that came before.
#[derive(Debug, Default)]
struct KindInStarts<'a> {
    lines: BTreeSet<&'a [u8]>,
    places: [Vec<usize>; 2],
    has_common: bool,
}

impl KindInStarts<'_> {
    /// Whether its lines come unasked: both times, but not in the same way.
    fn is_unasked(&self) -> bool {
        let [one, other] = &self.places;
        !self.has_common && !one.is_empty() && !other.is_empty() && one != other
    }
}

impl CommonStart {
    /// What two starts have in common; `None` if no line came both times.
    pub fn of(starts: [&[u8]; 2]) -> Option<Self> {
        let end = LineEnd::of(starts);
        let [one, other] = starts.map(|start| Vec::from_iter(parts_of(start, end)));
        let [ended, again] = starts.map(|start| Vec::from_iter(lines_of(start, end)));
        let line = ended.into_iter().rev().find(|line| again.contains(line))?;
        let mut kinds = BTreeMap::<Vec<u8>, KindInStarts<'_>>::new();
        for (start, (lines, known)) in [(&one, &other), (&other, &one)].into_iter().enumerate() {
            let mut common = BTreeSet::new();
            for line in lines {
                let kind = kinds.entry(kind_of(line)).or_default();
                if known.contains(line) {
                    kind.has_common = true;
                    common.insert(*line);
                } else {
                    kind.lines.insert(*line);
                    kind.places[start].push(common.len());
                }
            }
        }
        let (unasked, others): (Vec<_>, Vec<_>) =
            kinds.into_values().partition(KindInStarts::is_unasked);
        Some(Self {
            line: line.to_vec(),
            unasked: unasked
                .iter()
                .filter_map(|kind| UnaskedKind::of(&kind.lines, end, false))
                .collect(),
            others: others.iter().flat_map(|kind| &kind.lines).map(|line| line.to_vec()).collect(),
            end,
        })
    }

    /// A pattern for the common line and its end.
    pub fn line_pattern(&self) -> String {
        pattern(&self.line) + self.end.pattern()
    }

    /// Leaves out the lines of kinds that are known to come unasked.
    pub fn leave_out(&mut self, unasked: &[UnaskedKind]) {
        let end = self.end;
        let is_in = |line: &[u8]| unasked.iter().any(|kind| kind.is_in(&end.whole(line)));
        self.others.retain(|line| !is_in(line));
    }

    /// Listens while nothing is asked, for this long at most, until a line of each kind has come that is different in the starts.
    /// What comes then comes unasked.
    ///
    /// # Errors
    /// The link failed.
    pub fn listen(&mut self, link: &mut impl TimedLink, within: Duration) -> io::Result<()> {
        let (end, mut heard) = (link.now() + within, Vec::new());
        let mut buffer = [0; 512];
        while !self.others.is_empty() && link.now() < end {
            let count = match link.read(&mut buffer, end) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                count => count?,
            };
            heard.extend_from_slice(&buffer[..count]);
            self.take_unasked(&heard);
        }
        Ok(())
    }

    /// Takes the lines for unasked that begin as one of those that came alone.
    fn take_unasked(&mut self, heard: &[u8]) {
        for line in lines_of(heard, self.end) {
            let (alike, others): (BTreeSet<_>, BTreeSet<_>) =
                self.others.iter().cloned().partition(|other| kind_of(other) == kind_of(line));
            if alike.is_empty() {
                continue;
            }
            self.others = others;
            let lines = alike.iter().map(Vec::as_slice).chain([line]).collect();
            self.unasked.extend(UnaskedKind::of(&lines, self.end, true));
        }
    }
}

/// The lines of text, and what follows the last one.
fn parts_of(bytes: &[u8], end: LineEnd) -> impl Iterator<Item = &[u8]> {
    let parts = bytes.split(move |&byte| byte == end.byte()).map(<[u8]>::trim_ascii_end);
    parts.filter(|part| is_text(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serial::fake::FakeLink;

    /// The last common line, the patterns of what came unasked, and the other lines.
    fn common(starts: [&[u8]; 2]) -> Option<(String, Vec<String>, Vec<String>)> {
        let CommonStart { line, unasked, others, .. } = CommonStart::of(starts)?;
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let patterns = unasked.into_iter().map(|kind| kind.pattern).collect();
        Some((text(line), patterns, others.into_iter().map(text).collect()))
    }

    fn expected(
        line: &str,
        patterns: &[&str],
        others: &[&str],
    ) -> Option<(String, Vec<String>, Vec<String>)> {
        let texts = |texts: &[&str]| texts.iter().copied().map(str::to_owned).collect();
        Some((line.to_owned(), texts(patterns), texts(others)))
    }

    #[test]
    fn lines_that_come_otherwise_in_each_start_are_unasked() {
        let beacons = expected("RN 1.0", &[r"mac_rx[^\r\n]*\r?\n"], &[]);
        // In another number.
        let one = b"RN 1.0\r\nmac_rx 5 6F8C1D\r\n";
        let two = b"RN 1.0\r\nmac_rx 1 ABB0BD\r\nmac_rx 2 CC00\r\n";
        assert_eq!(common([one, two]), beacons);
        // At another place.
        assert_eq!(common([one, b"mac_rx 1 ABB0BD\r\nRN 1.0\r\n"]), beacons);
        // Lines end with returns.
        let returns: [&[u8]; 2] = [b"RN 1.0\rmac_rx 5\r", b"mac_rx A\rRN 1.0\r"];
        assert_eq!(common(returns), expected("RN 1.0", &[r"mac_rx[^\r\n]*\r"], &[]));
        let start = CommonStart::of(returns).expect("RN came both times");
        assert_eq!(start.line_pattern(), r"RN 1\.0\r");
    }

    #[test]
    fn lines_that_come_alike_in_each_start_are_not() {
        let reasons: [&[u8]; 2] = [b"ROM v1\r\nboot: POWERON\r\n", b"ROM v1\r\nboot: SW_CPU\r\n"];
        assert_eq!(common(reasons), expected("ROM v1", &[], &["boot: POWERON", "boot: SW_CPU"]));
        // One of the kind came both times.
        let more: [&[u8]; 2] =
            [b"boot: 1st\r\nboot: x\r\n", b"boot: 1st\r\nboot: y\r\nboot: z\r\n"];
        assert_eq!(common(more), expected("boot: 1st", &[], &["boot: x", "boot: y", "boot: z"]));
        // One came once.
        let once: [&[u8]; 2] = [b"RN 1.0\r\nmac_rx 5 6F8C1D\r\n", b"RN 1.0\r\n"];
        assert_eq!(common(once), expected("RN 1.0", &[], &["mac_rx 5 6F8C1D"]));
        // The last line has no end.
        let prompts: [&[u8]; 2] = [b"LOCK\r\nready> ", b"LOCK\r\nrecovery> "];
        assert_eq!(common(prompts), expected("LOCK", &[], &["ready>", "recovery>"]));
        assert_eq!(common([b"seed 5\r\n", b"seed 7\r\n"]), None);
    }

    #[test]
    fn the_last_common_line_is_that_of_the_start() {
        assert_eq!(
            common([b"ROM 1\r\nLOCK 2\r\n", b"ROM 1\r\nLOCK 2\r\n"]),
            expected("LOCK 2", &[], &[])
        );
    }

    #[test]
    fn lines_that_come_while_nothing_is_asked_are_unasked() {
        let listened = |said: &'static [u8]| {
            let mut link = FakeLink::new(|_| Vec::new());
            link.say(4000, said);
            let mut start = CommonStart::of([b"RN\r\nmac_rx 1 AB\r\n", b"RN\r\nmac_rx 2 CD\r\n"]);
            let start = start.as_mut().expect("RN came both times");
            start.listen(&mut link, Duration::from_secs(10)).expect("it works");
            (start.unasked.clone(), start.others.len(), link.now())
        };
        let (unasked, others, at) = listened(b"mac_rx 3 EF\r\n");
        assert_eq!(
            (unasked[0].pattern.as_str(), unasked[0].came_alone),
            (r"mac_rx[^\r\n]*\r?\n", true)
        );
        assert_eq!((others, at), (0, Duration::from_secs(4)));
        assert_eq!(listened(b"hello\r\n"), (Vec::new(), 2, Duration::from_secs(10)));
    }
}
