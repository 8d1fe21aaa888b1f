//! A reset or inputs that end the connection, though the device file does not say so.

use std::collections::BTreeSet;

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use crate::device::DeviceStep;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    if evidence.ends_after_reset {
        let text = "the connection ends after a reset, before any input. If the reset makes the device start again, end its \
                    `steps` with { reconnect = true }, and `expect` what comes then";
        return vec![Finding::shown(FindingKind::ConnectionEnd, text)];
    }
    if let Some(finding) = after_each_input(evidence) {
        return vec![finding];
    }
    let finding = |(&input, (word, count)): (&usize, &(Vec<_>, u32))| {
        let (name, word) = (evidence.input(input), evidence.shown(word));
        if *count < 2 {
            let text = format!(
                "the connection ended once after `{name}`, in the word `{word}`: was that the device, or the network?"
            );
            return Finding::possible(FindingKind::ConnectionEnd, text);
        }
        let text = format!(
            "the connection ends after `{name}`, as in the word `{word}`, which ends a run. Write closed = \"(closed)\" in the \
             `reply` of this input: then it is an output. Or leave the input out"
        );
        let change = Some(Change::Closed(Some(input)));
        Finding { change, ..Finding::shown(FindingKind::ConnectionEnd, text) }
    };
    let late = end_of_earlier_input(evidence);
    let ends = evidence.ends.iter().filter(|(_, (_, count))| late.is_none() || *count > 1);
    let mut found: Vec<_> = ends.map(finding).collect();
    found.extend(late);
    found
}

/// The finding for ends of the connection, once after each of several inputs, if the same input came before all of them, and is in
/// few of the other words.
fn end_of_earlier_input(evidence: &Evidence) -> Option<Finding> {
    let once: Vec<_> = evidence.ends.iter().filter(|(_, (_, count))| *count < 2).collect();
    let before = once.iter().filter_map(|(_, (word, _))| word.split_last());
    let before = before.map(|(_, before)| before.iter().copied().collect::<BTreeSet<_>>());
    let common = before.reduce(|common, inputs| &common & &inputs)?;
    let all = evidence.exchanges();
    let times = |input: &&Input| all.iter().filter(|kept| kept.word.contains(input)).count();
    let rarest = common.iter().min_by_key(times).filter(|_| once.len() > 1)?;
    let earlier = Some(rarest).filter(|input| times(input) * 2 < all.len())?;
    let names: Vec<_> =
        once.iter().map(|(input, _)| format!("`{}`", evidence.input(**input))).collect();
    let earlier = evidence.input(earlier.index() as usize);
    let text = format!(
        "the connection ended once after {}, and each time `{earlier}` had been sent before, as in the word `{}`: perhaps `{earlier}` ends \
         it some time after its answer. Then the `reply` of `{earlier}` needs closed = \"(closed)\", and a `quiet_ms` longer than this time",
        names.join(", "),
        evidence.shown(&once[0].1.0)
    );
    Some(Finding::possible(FindingKind::ConnectionEnd, text))
}

/// The finding for a connection that ends after whatever is sent.
fn after_each_input(evidence: &Evidence) -> Option<Finding> {
    let inputs = &evidence.file.as_ref()?.device().inputs;
    let is_each = evidence.ends.len() == inputs.len() && inputs.len() > 1;
    if !is_each || evidence.ends.values().any(|(_, count)| *count < 2) {
        return None;
    }
    let (&input, (word, _)) = evidence.ends.iter().min_by_key(|(_, (word, _))| word.len())?;
    let mut text = format!(
        "the connection ends after each input, as in the word `{}`, which ends a run. closed = \"(closed)\" in [reply] makes \
         an output of it",
        evidence.shown(word)
    );
    let ends_at_once = |(word, _): &(Vec<Input>, u32)| word.len() == 1;
    let connects = DeviceStep::begin_with_reconnect(&inputs[input].steps);
    if evidence.ends.values().all(ends_at_once) && !connects {
        text += &format!(
            ". So that the device gets more than the first input of a word, give each a connection of its own:\n\
             {} = {{ steps = [{{ reconnect = true }}, {{ send = … }}] }}",
            evidence.input(input)
        );
    }
    let change = Some(Change::Closed(None));
    Some(Finding { change, ..Finding::shown(FindingKind::ConnectionEnd, text) })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::super::super::device_file::EditableDeviceFile;
    use super::super::super::reply_times::tests::sent;
    use super::*;
    use crate::device::DeviceFile;

    /// What is found where the connection ended after these words, and not after any of the inputs 0, 1 and 3 alone.
    fn found(words: &[&[u32]]) -> Vec<String> {
        found_beside(&[0, 1, 3], words)
    }

    fn found_beside(alone: &[u32], words: &[&[u32]]) -> Vec<String> {
        let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\nget = \"g\"\nput = \"p\"\nquit = \"q\"\nend = \"e\"";
        let device = DeviceFile::parse(Path::new("server.toml"), text).expect("a device file");
        let names: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
        let file = EditableDeviceFile::new(device, text).expect("TOML");
        let mut evidence = Evidence::of_check(&names, Some(file));
        for input in alone {
            evidence.overhear(Some(Input::new(*input)), &[sent(0)], Duration::ZERO);
        }
        for word in words {
            evidence.end(word.iter().copied().map(Input::new).collect());
        }
        find(&evidence).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn an_input_before_all_ends_of_the_connection_is_named() {
        let [late] = &found(&[&[2, 0], &[1, 2, 1]])[..] else { panic!("one finding") };
        let start = "the connection ended once after `get`, `put`, and each time `quit` had been sent before";
        assert!(late.starts_with(start), "{late}");
        // One end shows nothing, nor do ends after different inputs.
        for words in [&[&[2, 0][..]][..], &[&[2, 0], &[0, 1]], &[&[0], &[2, 1]]] {
            for text in found(words) {
                assert!(text.contains("was that the device, or the network?"), "{text}");
            }
        }
        // What is in most words was sent before anything.
        for text in found_beside(&[2, 2, 1], &[&[2, 0], &[1, 2, 1]]) {
            assert!(text.contains("was that the device, or the network?"), "{text}");
        }
        // Of two that are before each end, the rarest.
        let [late] = &found_beside(&[0, 1, 1, 3, 3, 2], &[&[1, 2, 0], &[2, 1, 3]])[..] else {
            panic!("one finding")
        };
        assert!(late.contains("each time `quit` had been sent"), "{late}");
        // What ends it each time is told for itself.
        let all = found(&[&[2, 0], &[1, 2, 1], &[3], &[0, 3]]);
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all[0].starts_with("the connection ends after `end`"), "{all:?}");
    }
}
