//! A device that is listened to, for the diagnosis of what commonly goes wrong.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mealybug::diagnosis::{Answer, Diagnosis};
use mealybug::learned_components::output_name;
use mealybug::statistics::{BoardRecord, Serial};
use mealybug::store::Garbled;
use mealybug_core::{Input, Sul};
use miette::Report;

use crate::endpoint::device::DeviceUnderTest;
use crate::run::board_news::BoardNews;

/// A device, and the diagnosis that hears what it is asked and answers.
#[derive(Debug)]
pub(crate) struct Diagnosed<D> {
    device: D,
    diagnosis: Rc<RefCell<Diagnosis>>,
    answer: Vec<u8>,
}

impl<D> Diagnosed<D> {
    /// Lets `diagnosis` hear what `device` is asked and answers.
    pub(crate) fn new(device: D, diagnosis: Rc<RefCell<Diagnosis>>) -> Self {
        Self { device, diagnosis, answer: Vec::new() }
    }
}

impl<D: DeviceUnderTest> Diagnosed<D> {
    /// How long the device took for what it was asked at `started`.
    fn took(&self, started: Instant) -> Duration {
        self.device.elapsed().unwrap_or_else(|| started.elapsed())
    }
}

impl<D: DeviceUnderTest> Sul for Diagnosed<D> {
    type Error = D::Error;

    fn reset(&mut self) -> Result<(), D::Error> {
        let started = Instant::now();
        let result = self.device.reset();
        self.diagnosis.borrow_mut().reset(self.took(started));
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

    fn reset_for(&mut self, word: &[Input]) -> Result<(), D::Error> {
        let started = Instant::now();
        let result = self.device.reset_for(word);
        self.diagnosis.borrow_mut().reset(self.took(started));
        result
    }

    fn step(&mut self, input: Input) -> Result<&[u8], D::Error> {
        let started = Instant::now();
        self.answer.clear();
        self.answer.extend_from_slice(self.device.step(input)?);
        let took = self.took(started);
        let output = output_name(&self.answer);
        let is_silence = self.device.is_silence(input, &output);
        let answer = Answer { input, output: &output, is_silence, took };
        self.diagnosis.borrow_mut().answer(&answer);
        Ok(&self.answer)
    }
}

impl<D: DeviceUnderTest> DeviceUnderTest for Diagnosed<D> {
    fn is_worth_a_retry(error: &D::Error) -> bool {
        D::is_worth_a_retry(error)
    }

    fn garbled(error: &D::Error) -> Garbled<'_> {
        D::garbled(error)
    }

    fn is_suspect(error: &D::Error) -> bool {
        D::is_suspect(error)
    }

    fn is_away(error: &D::Error) -> bool {
        D::is_away(error)
    }

    fn help(error: &D::Error) -> Option<String> {
        D::help(error)
    }

    fn report(error: D::Error) -> Report {
        D::report(error)
    }

    fn warnings(&self) -> Vec<String> {
        self.device.warnings()
    }

    fn serial(&self) -> Option<Serial> {
        self.device.serial()
    }

    fn noise(&self) -> Option<f64> {
        self.device.noise()
    }

    fn is_silence(&self, input: Input, output: &str) -> bool {
        self.device.is_silence(input, output)
    }

    fn board_news(&self) -> Option<&Arc<BoardNews>> {
        self.device.board_news()
    }

    fn boards(&self) -> Vec<BoardRecord> {
        self.device.boards()
    }

    fn said(&self, word: &[Input]) -> Vec<(&str, Vec<u8>, u32)> {
        self.device.said(word)
    }

    fn lanes(&self) -> u32 {
        self.device.lanes()
    }
}
