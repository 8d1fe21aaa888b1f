//! Replies with a checksum that the device file does not name: with it, a reply that the line has garbled is known, and asked again.

use std::collections::BTreeMap;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use crate::device::{CommonChecksum, DeviceFile, ReplyChecksum};

/// A reply that came less often may be garbled.
const OFTEN: u32 = 2;

/// The finding, and the checksum if naming it is all that has to be changed: fields of replies are judged without it then.
pub(in super::super) fn missing_checksum(
    evidence: &Evidence,
) -> Option<(Finding, Option<ReplyChecksum>)> {
    let device = evidence.file.as_ref().map(|file| file.device());
    let is_open =
        |device: &DeviceFile| device.inputs.iter().all(|input| input.reply.checksum.is_none());
    let device = device.filter(|device| is_open(device))?;
    let mut replies: BTreeMap<&[u8], u32> = BTreeMap::new();
    for run in evidence.answers().flat_map(|(_, runs)| runs).filter(|run| !run.is_silence) {
        *replies.entry(&run.reply).or_default() += run.count;
    }
    replies.retain(|_, count| *count >= OFTEN);
    let CommonChecksum { checksum, toml, frames } = CommonChecksum::of(replies.keys().copied())?;
    let mut text = format!(
        "each reply holds a checksum: it is right in {frames} different replies. If [reply] names it, a reply that the line has garbled \
         is asked again, and is no answer. The outputs are without it then:\nchecksum = {toml}"
    );
    let fits_both = |fits: &dyn Fn(&[u8]) -> bool| {
        replies.keys().all(|reply| fits(reply) == fits(&checksum.verify(reply).unwrap_or_default()))
    };
    let still_names =
        device.outputs.iter().all(|rule| fits_both(&|reply| rule.name(reply).is_some()));
    let still_replaces =
        device.replacements.iter().all(|rule| fits_both(&|reply| rule.apply(reply) != reply));
    let rules_still_fit = still_names && still_replaces;
    if !rules_still_fit {
        text += "\nA pattern of [[output]] or [[replace]] is for replies with their checksum: change it, too";
    }
    let change = rules_still_fit.then_some(Change::Checksum(toml));
    let finding = Finding { change, ..Finding::possible(FindingKind::MissingChecksum, text) };
    Some((finding, rules_still_fit.then_some(checksum)))
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
    fn found(reply: &str, frames: &[&[u8]]) -> Option<Finding> {
        let text = format!("[[reset]]\nsteps = [{{ send = \"r\" }}]\n{reply}\n[inputs]\na = \"a\"");
        let mut evidence = evidence_of(&text);
        let all = frames.iter().chain(frames).copied().chain([&b"\x02\x81\x00\xc3"[..], b""]);
        for frame in all {
            let took = Duration::from_millis(10);
            evidence.reset(took);
            let (input, output, is_silence) = (Input::new(0), &*escape(frame), frame.is_empty());
            evidence.answer(&Answer { input, output, is_silence, took }, None);
        }
        missing_checksum(&evidence).map(|(finding, _)| finding)
    }

    #[test]
    fn the_checksum_of_the_replies_is_named() {
        let finding = found("[reply]\nlength = 4", &FRAMES).expect("a finding");
        assert_eq!(finding.change, Some(Change::Checksum("\"sum8\"".to_owned())));
        assert!(finding.text.contains("right in 4 different replies"), "{}", finding.text);
        assert!(!finding.is_wrong());
        for (pattern, is_proposed) in
            [("(?s)^.+$", true), (r"^\x02\x81", true), (r"(?s)^..(.)\x84$", false)]
        {
            let reply = format!(
                "[reply]\nlength = 4\n[[output]]\nmatch = '{pattern}'\nname = \"${{0:hex}}\""
            );
            let finding = found(&reply, &FRAMES).expect("a finding");
            assert_eq!(finding.change.is_some(), is_proposed, "{pattern}");
            assert_ne!(finding.text.contains("change it, too"), is_proposed, "{}", finding.text);
        }
    }

    #[test]
    fn nothing_is_found_where_the_file_names_it_or_a_reply_has_none() {
        assert_eq!(found("[reply]\nlength = 4\nchecksum = \"sum8\"", &FRAMES), None);
        assert_eq!(
            found("[reply]\nlength = 4", &[FRAMES[0], FRAMES[1], FRAMES[2], b"\x15\0\0\0"]),
            None
        );
    }
}
