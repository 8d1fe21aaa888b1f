//! Answers that a fault of the line has garbled.

use super::super::evidence::Evidence;
use super::super::finding::{Example, Finding, FindingKind};
use super::answers_to_word::asked;
use crate::short_output::short_both;

/// A run needs this many of them: it says itself that the device has contradicted itself.
const SEVERAL: u32 = 2;
/// The largest `noise` that a device file can state.
const MOST: f64 = 0.2;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let garbled: u32 = evidence.garbled.values().sum();
    // Who states how noisy the device is knows it.
    let is_known = evidence.noise().is_some_and(|noise| noise > 0.0);
    let Some((first, count)) = evidence.garbled.iter().next().filter(|_| !is_known) else {
        return Vec::new();
    };
    if garbled < SEVERAL.min(evidence.enough) {
        return Vec::new();
    }
    // Only a word that was asked again can show it.
    let repeated = evidence.answers().map(|(_, runs)| runs.iter().map(|run| run.count).sum());
    let asked_again: u32 = repeated.filter(|&count: &u32| count > 1).sum();
    let answers = asked_again.saturating_add(garbled);
    let [usual, odd] = short_both([&first.usual, &first.output]);
    let times = match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    let were = if garbled == 1 { "was" } else { "were" };
    let mut text = format!(
        "{garbled} of {answers} answers {were} garbled. {} `{usual}`, and {times} `{odd}`. Nothing else that is said here counts \
         such answers",
        asked(evidence, &first.word)
    );
    if evidence.has_file {
        let noise = up_to_one_digit(f64::from(garbled) / f64::from(answers)).min(MOST);
        text += &format!(
            ". If the line is as good as it can be, write `noise = {noise}` before the first table of the device file: \
             a run knows from the start then how often to ask again"
        );
    }
    let answers = vec![first.usual.clone(), first.output.clone()];
    let example = Some(Example { word: first.word.clone(), answers });
    vec![Finding { example, ..Finding::possible(FindingKind::Garbled, text) }]
}

/// The next greater number with one digit that is not 0.
fn up_to_one_digit(share: f64) -> f64 {
    let step = 10_f64.powf(share.log10().floor());
    // The division makes a number that is written with few digits.
    (share / step).ceil() / (1.0 / step).round()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mealybug_core::Input;

    use super::super::super::evidence::Answer;
    use super::super::super::evidence::testing::evidence_of;
    use super::*;

    #[test]
    fn a_reply_with_a_right_checksum_was_not_garbled() {
        for (checksum, count) in [("none", 1), ("sum8", 0)] {
            let text = format!(
                "[[reset]]\nsteps = [{{ send = \"r\" }}]\n[reply]\nlength = 3\nchecksum = \"{checksum}\"\n[inputs]\na = \"a\""
            );
            let mut evidence = evidence_of(&text);
            for number in 0..60 {
                let took = Duration::from_millis(10);
                evidence.reset(took);
                let output = if number == 30 { "GK" } else { "OK" };
                let input = Input::new(0);
                evidence.answer(&Answer { input, output, is_silence: false, took }, None);
            }
            evidence.take_out_garbled();
            assert_eq!(evidence.garbled.len(), count, "{checksum}");
        }
    }

    #[test]
    fn a_share_is_rounded_up() {
        for (share, rounded) in [(0.0014, "0.002"), (0.031, "0.04"), (0.0096, "0.01")] {
            assert_eq!(up_to_one_digit(share).to_string(), rounded);
        }
    }
}
