//! A device that is listened to, for the diagnosis of what commonly goes wrong.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mealybug::diagnosis::{Answer, Diagnosis};
use mealybug::learned_components::output_name;
use mealybug::store::LineRules;
use mealybug_core::{Input, Sul};

use crate::endpoint::{Endpoint, EndpointError};

/// A device, and the diagnosis that hears what it is asked and answers.
#[derive(Debug)]
pub(crate) struct Diagnosed<'m> {
    device: Endpoint<'m>,
    diagnosis: Rc<RefCell<Diagnosis>>,
    answer: Vec<u8>,
}

impl<'m> Diagnosed<'m> {
    /// Lets `diagnosis` hear what `device` is asked and answers.
    pub(crate) fn new(device: Endpoint<'m>, diagnosis: Rc<RefCell<Diagnosis>>) -> Self {
        Self { device, diagnosis, answer: Vec::new() }
    }

    /// The device.
    pub(crate) fn device(&self) -> &Endpoint<'m> {
        &self.device
    }

    /// The device; the diagnosis does not hear what it is asked this way.
    pub(crate) fn device_mut(&mut self) -> &mut Endpoint<'m> {
        &mut self.device
    }

    /// How long the device took for what it was asked at `started`.
    fn took(&self, started: Instant) -> Duration {
        self.device.elapsed().unwrap_or_else(|| started.elapsed())
    }

    /// Tells the diagnosis of a reset that began at `started`, and of the word before it.
    fn heard_reset(&self, started: Instant) {
        let mut diagnosis = self.diagnosis.borrow_mut();
        diagnosis.reset(self.took(started));
        if let Some(counted) = self.device.port() {
            diagnosis.port(counted);
        }
    }
}

impl Sul for Diagnosed<'_> {
    type Error = EndpointError;

    fn reset(&mut self) -> Result<(), EndpointError> {
        let started = Instant::now();
        let result = self.device.reset();
        self.heard_reset(started);
        result
    }

    fn announce(&mut self, word: &[Input]) {
        self.device.announce(word);
    }

    fn announce_open(&mut self, word: &[Input]) {
        self.device.announce_open(word);
    }

    fn elapsed(&self) -> Option<Duration> {
        self.device.elapsed()
    }

    fn reply(&self) -> Option<&[u8]> {
        self.device.reply()
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), EndpointError> {
        let started = Instant::now();
        let result = self.device.reset_for(word);
        self.heard_reset(started);
        result
    }

    fn step(&mut self, input: Input) -> Result<&[u8], EndpointError> {
        let started = Instant::now();
        self.answer.clear();
        self.answer.extend_from_slice(self.device.step(input)?);
        let took = self.took(started);
        let output = output_name(&self.answer);
        let is_silence = self.device.is_silence(input, &output);
        let answer = Answer { input, output: &output, is_silence, took };
        let mut diagnosis = self.diagnosis.borrow_mut();
        diagnosis.answer(&answer);
        match diagnosis.mute() {
            Some((inputs, help)) => Err(EndpointError::Mute { inputs, help }),
            None => Ok(&self.answer),
        }
    }
}

/// How faults of the line to a device are told from its answers.
pub(crate) fn line_rules<'m>() -> LineRules<Diagnosed<'m>> {
    let is_silence = |diagnosed: &Diagnosed<'m>, input, output: &[u8]| {
        diagnosed.device.is_silence(input, &output_name(output))
    };
    LineRules {
        garbled: EndpointError::garbled,
        is_silence,
        is_away: EndpointError::is_away,
        ended: |diagnosed| diagnosed.device.ended(),
        reconnects: |diagnosed, input| diagnosed.device.reconnects(input),
        is_followed: |diagnosed| diagnosed.device.is_followed(),
    }
}
