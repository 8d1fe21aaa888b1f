//! What is wrong with a device file or a device: one diagnosis, fed by a run or by a check.
//!
//! The [`Evidence`] collects what the device was asked, what it answered and when. Each detector
//! looks for one common mistake in it and reports a [`Finding`]: what is wrong, the answers that
//! show it, a change of the device file that mends it, and how certain all this is. Detectors only
//! report.
//!
//! A run feeds a [`Diagnosis`] as it goes, and is told each kind of finding once. [`check`]
//! explores the device, asks some words many times, and looks into words whose answers differ.
//! Neither reports a rule that was not tried on all answers there are.

mod answers;
mod answers_after;
mod changed_for_good;
mod checked_device;
mod common_field;
mod detectors;
mod device_file;
mod evidence;
mod exchange;
mod explore;
mod failed_words;
mod field;
mod finding;
mod found_states;
mod garbled;
mod going_on;
mod lasting_change;
mod late_action;
mod late_resets;
mod listening;
#[cfg(test)]
mod live_tests;
mod new_match;
mod pace;
mod plan;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod port_tests;
mod reply_times;
mod silence;
mod slow_answers;
mod spells;
mod stray_byte;
mod trial;
mod unasked;

use std::collections::BTreeMap;
use std::time::Duration;

use mealybug_core::Input;

pub use checked_device::{CheckedAdapter, CheckedDevice, FaultKind};
pub use detectors::shorter_within;
pub use device_file::EditableDeviceFile;
pub use evidence::{Answer, Evidence};
pub use field::FieldRule;
pub use finding::{Certainty, Change, CountKey, Example, Finding, FindingKind, Key};
pub use lasting_change::LastingChange;
pub use plan::{CheckProgress, CheckSetup, CheckStage, Checked, check};
pub use reply_times::{Spread, Timing};

use crate::device::DeviceFile;
use crate::mean_time::MeanTime;
use crate::serial::PortStatistics;
use crate::store::AnswerTree;
use detectors::{DETECTORS, no_answer_advice, try_rules};

/// What was counted at one of several ports shows to be wrong with the device file or the port.
pub fn of_port(device: &DeviceFile, counted: &PortStatistics) -> Vec<Finding> {
    let names: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
    let mut evidence = Evidence::new(&names, true);
    evidence.port = Some(counted.clone());
    DETECTORS.iter().flat_map(|find| find(&evidence)).collect()
}

/// For how many outputs to keep how long they took.
const TIMED: usize = 10_000;

/// A device that has answered nothing is given up after this many inputs.
const MUTE_INPUTS: usize = 200;
/// A device with many inputs is given up later: after this many for each of them.
const MUTE_TIMES: usize = 20;
/// No device is given up before this many words.
const MUTE_WORDS: usize = 20;

/// The diagnosis of a device that is being learned.
#[derive(Debug)]
pub struct Diagnosis {
    evidence: Evidence,
    findings: Vec<Finding>,
    taken: usize,
    /// How many inputs were not answered.
    silences: u32,
    /// How many words the user wants to be asked, and how many inputs they have.
    wanted: (usize, usize),
    /// How long each output took.
    times: BTreeMap<String, MeanTime>,
}

impl Diagnosis {
    /// A diagnosis for a device with these inputs; `has_file` says whether it has a device file
    /// that the user can change.
    pub fn new(inputs: &[String], has_file: bool) -> Self {
        let evidence = Evidence::new(inputs, has_file);
        Self {
            evidence,
            findings: Vec::new(),
            taken: 0,
            silences: 0,
            wanted: (0, 0),
            times: BTreeMap::new(),
        }
    }

    /// The same for a device that is to be asked these words of the user, too, before it is called mute.
    #[must_use]
    pub fn with_words(mut self, words: &[Vec<Input>]) -> Self {
        self.wanted = (words.len(), words.iter().map(Vec::len).sum());
        self
    }

    /// The same for a device whose outputs are text of its replies, or are not: no `[[replace]]` is made from outputs then.
    #[must_use]
    pub fn with_outputs_of_text(mut self, are_text: bool) -> Self {
        self.evidence.outputs_keep_text = are_text;
        self
    }

    /// The same for a device whose file states this `noise`.
    #[must_use]
    pub fn with_noise(mut self, noise: Option<f64>) -> Self {
        self.evidence.stated_noise = noise;
        self
    }

    /// Records a reset, which took this long.
    pub fn reset(&mut self, took: Duration) {
        self.evidence.reset(took);
    }

    /// Records an answer of the device.
    pub fn answer(&mut self, answer: &Answer<'_>) {
        self.silences = self.silences.saturating_add(answer.is_silence.into());
        if self.times.len() < TIMED || self.times.contains_key(answer.output) {
            self.times.entry(answer.output.to_owned()).or_default().add(answer.took);
        }
        if self.evidence.answer(answer, None) {
            self.look();
        }
    }

    /// How long this output took on average, whatever was sent; `None` if it did not come.
    pub fn mean_time(&self, output: &str) -> Option<Duration> {
        self.times.get(output)?.value()
    }

    /// If the device has answered none of many inputs: how many, and what to look at.
    pub fn mute(&self) -> Option<(u32, String)> {
        let none = PortStatistics::default();
        let port = self.evidence.port.as_ref().unwrap_or(&none);
        let is_heard = self.evidence.is_answered() || port.late_bytes > 0;
        let (words, inputs) = self.wanted;
        let inputs = inputs + MUTE_INPUTS.max(MUTE_TIMES * self.evidence.outputs.len());
        let has_asked = self.evidence.words() as usize >= words + MUTE_WORDS;
        let is_enough = has_asked && self.silences as usize >= inputs;
        (is_enough && !is_heard).then(|| (self.silences, no_answer_advice(port)))
    }

    /// Records what was counted at the port up to now.
    pub fn port(&mut self, counted: &PortStatistics) {
        self.evidence.port = Some(counted.clone());
        self.look();
    }

    /// Records that the learner found a state with this access word; there are now `states` of
    /// them.
    pub fn state(&mut self, access: Vec<Input>, states: u32) {
        self.evidence.find_state(access, states);
        self.look();
    }

    /// Takes the findings since the last call. What they propose is tried on all `answers` of the run.
    pub fn take(&mut self, answers: &AnswerTree) -> &[Finding] {
        let from = std::mem::replace(&mut self.taken, self.findings.len());
        if self.findings[from..].iter().any(|finding| finding.untried.is_some()) {
            let answers = answers::of_tree(answers);
            try_rules(&mut self.findings, from, &self.evidence, &answers);
        }
        &self.findings[from..]
    }

    /// The findings that were taken, one of each kind, as they stand after all answers.
    pub fn findings(&self) -> Vec<Finding> {
        let found: Vec<_> = DETECTORS.iter().flat_map(|find| find(&self.evidence)).collect();
        let now = |known: &Finding| match known.kind.can_pass() {
            true => found.iter().find(|finding| finding.kind == known.kind).cloned(),
            false => Some(known.clone()),
        };
        self.findings[..self.taken].iter().filter_map(now).collect()
    }

    fn look(&mut self) {
        self.evidence.take_out_garbled();
        for find in DETECTORS {
            for finding in find(&self.evidence) {
                if self.findings.iter().all(|known| known.kind != finding.kind) {
                    self.findings.push(finding);
                }
            }
        }
    }
}
