//! The agent as a device.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mealybug_core::wire::message::{DeviceError, Message, Phase, Refusal, Request};
use mealybug_core::wire::words::MAX_INPUTS;
use mealybug_core::{Input, Sul};

use super::error::AgentError;
use super::pipeline::{AgentEvent, Pipeline, PipelineOver, PipelinedWord};
use crate::device::DeviceFile;
use crate::escape::escape;
use crate::names::{find_twice, name_of};
use crate::serial::TimedLink;
use crate::store::{AheadAnswers, BoardLog, DeviceAnswer};
use crate::target::{Client, DeviceFault, PATIENCE, Program, TargetError, output_name};

/// After this much silence the host sends a request; the number of the answer shows whether a frame
/// is missing. The interval doubles each time.
const SILENCE: Duration = Duration::from_millis(250);

/// How many sessions in a row may end without a single answer.
const SESSIONS_MAX: u32 = 10;

/// A device behind an agent.
///
/// [Announced](Sul::announce) words are sent ahead. A word that was not announced is asked one
/// input at a time, and each input costs a round trip.
#[derive(Debug)]
pub struct AgentClient<L: TimedLink> {
    client: Client<L>,
    /// How to talk to the device; `None` if the agent knows.
    device: Option<DeviceFile>,
    inputs: Vec<String>,
    /// The number of this host, and that of the session.
    host: u32,
    session: u32,
    /// How many frames the agent has room for.
    max_frames: usize,
    /// Whether a new session must be opened, and whether the line must be opened before that.
    is_over: bool,
    is_gone: bool,
    pipeline: Pipeline,
    /// The word that is being asked, and how many of its inputs the caller has asked.
    word: Option<PipelinedWord>,
    asked: usize,
    /// What the device did, on disk as soon as it is here; and what nobody has asked for of it.
    log: BoardLog,
    ahead: AheadAnswers,
    /// How often frames were lost, and the warning about it.
    losses: u64,
    warnings: Vec<String>,
}

impl<L: TimedLink> AgentClient<L> {
    /// Connects to an agent, and sends it the rules of `device` if there is one.
    ///
    /// # Errors
    /// The line failed, no agent answers, or it cannot do what the device file says.
    pub fn connect(link: L, device: Option<DeviceFile>) -> Result<Self, AgentError> {
        let has_baud = link.has_baud();
        Self::try_connect(link, device).map_err(|error| error.on_line(has_baud))
    }

    fn try_connect(link: L, device: Option<DeviceFile>) -> Result<Self, AgentError> {
        let mut client = Client::new(link)?;
        let hello = client.hello()?;
        let board = hello.board;
        if hello.phase != Phase::Agent {
            return Err(AgentError::NoAgent { board });
        }
        if device.is_none() && !hello.is_ready {
            return Err(AgentError::NoDevice { board });
        }
        if let Some(device) = &device {
            client.tell(&Program::for_agent(device).map_err(TargetError::from)?)?;
        }
        // Not the numbers of the previous host: answers to its session may still be on their way.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let host = since.subsec_nanos() ^ std::process::id();
        let named =
            |device: &DeviceFile| device.inputs.iter().map(|input| input.name.clone()).collect();
        let inputs: Vec<String> = device.as_ref().map(named).unwrap_or_default();
        let mut agent = Self {
            client,
            device,
            inputs,
            host,
            session: host,
            max_frames: 0,
            is_over: true,
            is_gone: false,
            pipeline: Pipeline::default(),
            word: None,
            asked: 0,
            log: BoardLog::default(),
            ahead: AheadAnswers::default(),
            losses: 0,
            warnings: Vec::new(),
        };
        let count = agent.open()?;
        if agent.device.is_none() {
            agent.inputs =
                (0..count).map(|input| agent.input_name(input)).collect::<Result<_, _>>()?;
        }
        if let Some(name) = find_twice(&agent.inputs) {
            return Err(AgentError::EqualInputs { name: name.clone() });
        }
        Ok(agent)
    }

    /// From now on everything that the device says is written to `log` as it comes. Words that are answered and no longer
    /// wanted are added to `ahead`.
    pub fn keep(&mut self, log: BoardLog, ahead: AheadAnswers) {
        (self.log, self.ahead) = (log, ahead);
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// The device file that the agent was given, if any.
    pub fn device(&self) -> Option<&DeviceFile> {
        self.device.as_ref()
    }

    /// Warnings for the user.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn input_name(&mut self, input: u32) -> Result<String, AgentError> {
        let request = Request::Name { input };
        Ok(self.client.ask(&request, PATIENCE, |_, message| match message {
            Message::Name { input: of, name } if of == input => Some(escape(name)),
            _ => None,
        })?)
    }

    /// Opens another session, which asks every unanswered word. Returns the number of inputs.
    fn open(&mut self) -> Result<u32, AgentError> {
        if self.is_gone {
            self.client.reopen().map_err(AgentError::Away)?;
            self.is_gone = false;
        }
        self.session = self.session.wrapping_add(1);
        let session = self.session;
        self.pipeline.begin_anew();
        let known = u32::try_from(self.pipeline.names()).unwrap_or(0);
        let open = Request::Open { host: self.host, session, known };
        let mut is_told = false;
        loop {
            let opened = self.client.ask(&open, PATIENCE, |sequence, message| match message {
                Message::Opened { session: opened, known, inputs, frames } if opened == session => {
                    Some(Ok((known, inputs, frames)))
                }
                Message::Answer { to, refusal: Some(refusal) } if to == sequence => {
                    Some(Err(refusal))
                }
                _ => None,
            })?;
            match (opened, &self.device) {
                (Ok((_, found, _)), _) if found > MAX_INPUTS => {
                    return Err(AgentError::TooManyInputs { found });
                }
                (Ok((known, inputs, frames)), device) => {
                    self.pipeline.keep_names(known as usize);
                    let expected = device.as_ref().map(|device| device.inputs.len());
                    let found = inputs as usize;
                    if let Some(expected) = expected.filter(|&expected| expected != found) {
                        return Err(AgentError::Inputs { found, expected });
                    }
                    self.max_frames = frames.into();
                    self.is_over = false;
                    return Ok(inputs);
                }
                // The agent was reset and has lost its rules.
                (Err(Refusal::NoRules), Some(device)) if !is_told => {
                    self.client.tell(&Program::for_agent(device).map_err(TargetError::from)?)?;
                    is_told = true;
                }
                (Err(refusal), _) => {
                    return Err(
                        TargetError::Refused { what: "a session".to_owned(), refusal }.into()
                    );
                }
            }
        }
    }

    /// Sends words until this one is answered.
    fn wait_for(&mut self, id: u64) -> Result<PipelinedWord, AgentError> {
        let has_baud = self.client.has_baud();
        let result = self.try_wait_for(id).map_err(|error| error.on_line(has_baud));
        if let Err(error) = &result {
            self.is_over = true;
            self.is_gone |= error.is_away();
        }
        result
    }

    fn try_wait_for(&mut self, id: u64) -> Result<PipelinedWord, AgentError> {
        let mut attempts = 0;
        let mut heard = self.client.now();
        let mut silence = SILENCE;
        loop {
            if let Some(word) = self.pipeline.answer(id) {
                return Ok(word);
            }
            if self.is_over {
                if attempts >= SESSIONS_MAX {
                    return Err(AgentError::Lossy { attempts, has_baud: true });
                }
                attempts += 1;
                self.open()?;
                heard = self.client.now();
                silence = SILENCE;
            }
            while let Some(symbols) = self.pipeline.next_frame(self.client.now(), self.max_frames) {
                self.client.send(&Request::Words(&symbols))?;
            }
            let Self { client, pipeline, device, .. } = self;
            let device = device.as_ref();
            let name = |bytes: &[u8]| match device {
                Some(device) => output_name(device, bytes).into_bytes(),
                None => name_of(bytes).into_bytes(),
            };
            let mut taken = Ok(0);
            let came = client.receive_frame(heard + silence, |frame| {
                taken = match frame {
                    Ok((0, message)) => pipeline.take(&message, name),
                    _ => Err(PipelineOver::Lost),
                };
            })?;
            self.write_heard()?;
            let now = self.client.now();
            match taken {
                Ok(0) => {}
                Ok(outputs) => {
                    self.pipeline.came(now, outputs);
                    (attempts, heard, silence) = (0, now, SILENCE);
                }
                // The line is not at fault.
                Err(PipelineOver::Failed) => (self.is_over, attempts) = (true, 0),
                Err(PipelineOver::Lost) => {
                    self.is_over = true;
                    self.losses += 1;
                    let (count, times) = (self.losses, if self.losses == 1 { "" } else { "s" });
                    self.warnings = vec![format!(
                        "frames between host and agent were lost {count} time{times}, and the words in them \
                         asked again"
                    )];
                }
            }
            if came {
                heard = now;
            } else if now - heard >= PATIENCE {
                return Err(AgentError::Silent { patience: PATIENCE, has_baud: true });
            } else {
                self.client.send(&Request::Hello)?;
                silence *= 2;
            }
        }
    }

    /// Writes down what the device did. How long it took is not known here. A power failure may cost what nobody has asked for
    /// yet: an agent is too fast to wait for the disk after each frame.
    fn write_heard(&mut self) -> Result<(), AgentError> {
        for heard in self.pipeline.heard() {
            let written = match heard {
                AgentEvent::Reset => self.log.reset(),
                AgentEvent::Answer(input, output) => self.log.answer(input, &untimed(output)),
                AgentEvent::Doubt => self.log.doubt(),
            };
            written.map_err(AgentError::Store)?;
        }
        for PipelinedWord { inputs, outputs, .. } in self.pipeline.dropped() {
            self.ahead.add(inputs, outputs.into_iter().map(untimed).collect());
        }
        Ok(())
    }

    /// Asks an input that was not announced with its word. The device gets only this input if it is
    /// still in the right state; otherwise the whole word is asked again.
    fn extend(&mut self, mut word: PipelinedWord, input: Input) -> Result<(), AgentError> {
        let asked = self.asked;
        word.inputs.truncate(asked);
        let before: Vec<Arc<[u8]>> = word.outputs.iter().take(asked).cloned().collect();
        let id = self.pipeline.go_on(word, input);
        let word = self.wait_for(id)?;
        // If the earlier outputs differ, mixing old and new ones would make up an answer.
        let is_same = word.outputs.len() >= asked && word.outputs[..asked] == before[..];
        if !is_same && word.failure.is_none() {
            return Err(AgentError::Otherwise);
        }
        self.word = Some(word);
        Ok(())
    }
}

impl<L: TimedLink> Sul for AgentClient<L> {
    type Error = AgentError;

    /// Sends nothing: the first input of a word carries the reset.
    fn reset(&mut self) -> Result<(), AgentError> {
        self.word = None;
        self.asked = 0;
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], AgentError> {
        let asked = self.asked;
        match self.word.take() {
            Some(word) if word.inputs.get(asked) == Some(&input) => self.word = Some(word),
            Some(word) => self.extend(word, input)?,
            None => self.reset_for(&[input])?,
        }
        let Some(word) = &self.word else { unreachable!("it was just asked") };
        match (word.outputs.get(asked), word.failure) {
            (Some(output), _) => {
                self.asked += 1;
                Ok(output)
            }
            (None, Some(error)) => Err(AgentError::Device(DeviceFault(error))),
            (None, None) => unreachable!("a word without failure has all of its outputs"),
        }
    }

    fn announce(&mut self, word: &[Input]) {
        if !word.is_empty() {
            self.pipeline.announce(word);
        }
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), AgentError> {
        self.reset()?;
        if !word.is_empty() {
            let id = self.pipeline.want(word);
            let word = self.wait_for(id)?;
            let failure = word.failure.filter(|&error| error == DeviceError::NotReset);
            if let (true, Some(error)) = (word.outputs.is_empty(), failure) {
                return Err(AgentError::Device(DeviceFault(error)));
            }
            self.word = Some(word);
        }
        Ok(())
    }
}

impl<L: TimedLink> Drop for AgentClient<L> {
    fn drop(&mut self) {
        // If this fails the line is down, and the agent stops anyway.
        let _ = self.client.send(&Request::Stop);
    }
}

/// An answer of an agent, which says no times, and names the replies itself.
fn untimed(output: Arc<[u8]>) -> DeviceAnswer {
    DeviceAnswer { output, reply: None, took: Duration::ZERO }
}
