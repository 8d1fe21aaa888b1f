//! Replies with a checksum that the device file does not name: with it, a reply that the line has garbled is known, and asked again.

use std::collections::BTreeMap;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use crate::device::CommonChecksum;

/// A reply that came less often may be garbled.
const OFTEN: u32 = 2;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let device = evidence.file.as_ref().map(|file| file.device());
    let is_open = |device: &crate::device::DeviceFile| {
        device.inputs.iter().all(|input| input.reply.checksum.is_none())
    };
    let Some(device) = device.filter(|device| is_open(device)) else { return Vec::new() };
    let mut replies: BTreeMap<&[u8], u32> = BTreeMap::new();
    for run in evidence.answers().flat_map(|(_, runs)| runs).filter(|run| !run.is_silence) {
        *replies.entry(&run.reply).or_default() += run.count;
    }
    let often = replies.into_iter().filter(|(_, count)| *count >= OFTEN).map(|(reply, _)| reply);
    let Some(CommonChecksum { toml, frames }) = CommonChecksum::of(often) else {
        return Vec::new();
    };
    let mut text = format!(
        "each reply holds a checksum: it is right in {frames} different replies. If [reply] names it, a reply that the line has garbled \
         is asked again, and is no answer. The outputs are without it then:\nchecksum = {toml}"
    );
    // They were written for replies with their checksum.
    let has_rules = !device.outputs.is_empty() || !device.replacements.is_empty();
    if has_rules {
        text += "\nThe patterns of [[output]] and [[replace]] must do without it, too";
    }
    let change = (!has_rules).then(|| Change::Checksum(toml));
    vec![Finding { change, ..Finding::possible(FindingKind::MissingChecksum, text) }]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mealybug_core::Input;

    use super::super::super::evidence::Answer;
    use super::super::super::evidence::testing::evidence_of;
    use super::*;
    use crate::escape::escape;

    /// Frames with their sums.
    const FRAMES: [&[u8]; 4] =
        [b"\x02\x81\x00\x83", b"\x02\x81\x01\x84", b"\x02\x90\x05\x97", b"\x02\x81\x07\x8a"];

    /// What is found in these replies, each of which comes twice, and in one that was garbled.
    fn found(reply: &str, frames: &[&[u8]]) -> Vec<Finding> {
        let text = format!("[[reset]]\nsteps = [{{ send = \"r\" }}]\n{reply}\n[inputs]\na = \"a\"");
        let mut evidence = evidence_of(&text);
        let all = frames.iter().chain(frames).copied().chain([&b"\x02\x81\x00\xc3"[..], b""]);
        for frame in all {
            let took = Duration::from_millis(10);
            evidence.reset(took);
            let (input, output, is_silence) = (Input::new(0), &*escape(frame), frame.is_empty());
            evidence.answer(&Answer { input, output, is_silence, took }, None);
        }
        find(&evidence)
    }

    #[test]
    fn the_checksum_of_the_replies_is_named() {
        let [finding] = &found("[reply]\nlength = 4", &FRAMES)[..] else { panic!("one finding") };
        assert_eq!(finding.change, Some(Change::Checksum("\"sum8\"".to_owned())));
        assert!(finding.text.contains("right in 4 different replies"), "{}", finding.text);
        assert!(!finding.is_wrong());
        let outputs = "[reply]\nlength = 4\n[[output]]\nmatch = '\\x02\\x81'\nname = \"ok\"";
        let [finding] = &found(outputs, &FRAMES)[..] else { panic!("one finding") };
        assert_eq!(finding.change, None);
    }

    #[test]
    fn nothing_is_found_where_the_file_names_it_or_a_reply_has_none() {
        assert_eq!(found("[reply]\nlength = 4\nchecksum = \"sum8\"", &FRAMES), []);
        assert_eq!(
            found("[reply]\nlength = 4", &[FRAMES[0], FRAMES[1], FRAMES[2], b"\x15\0\0\0"]),
            []
        );
    }
}
