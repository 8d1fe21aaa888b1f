//! The agent as a device.

use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mealybug_core::wire::message::{DeviceError, Message, Phase, Refusal, Request};
use mealybug_core::{Input, Sul};

use super::error::AgentError;
use super::pipeline::{Over, Pipeline, Word};
use crate::device::DeviceFile;
use crate::escape::escape;
use crate::serial::Link;
use crate::target::{Client, DeviceFault, PATIENCE, Program, TargetError, output_name};

/// When nothing has come for so long the agent is asked whether it is there: what it answers shows
/// whether a frame is missing. It is asked again after twice the time.
const SILENCE: Duration = Duration::from_millis(250);

/// So many sessions may be over without a single answer.
const ATTEMPTS: u32 = 10;

/// A device behind an agent.
///
/// Words that are [announced](Sul::announce) are sent ahead; others are asked as they come, and each of
/// their inputs costs a round trip.
#[derive(Debug)]
pub struct Agent<L: Link> {
    client: Client<L>,
    /// How the agent talks to the device; nothing if it knows.
    device: Option<DeviceFile>,
    inputs: Vec<String>,
    /// What this host calls itself, and the session.
    host: u32,
    session: u32,
    /// How many frames the agent has room for.
    max_frames: usize,
    /// Whether the session must be opened anew, and the line before it.
    is_over: bool,
    is_gone: bool,
    pipeline: Pipeline,
    /// The word that is being asked, and how many of its inputs.
    word: Option<Word>,
    asked: usize,
    /// How often frames were lost, and what is said about it.
    losses: u64,
    warnings: Vec<String>,
}

impl<L: Link> Agent<L> {
    /// Begins to talk with an agent; it is told how to talk to `device`, or knows.
    ///
    /// # Errors
    /// The line failed, there is no agent, or it cannot do what the device file says.
    pub fn connect(link: L, device: Option<DeviceFile>) -> Result<Self, AgentError> {
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
            client.tell(&Program::new(device).map_err(TargetError::from)?)?;
        }
        // Other numbers than those of the host before: what its session says may still be on its way.
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
            losses: 0,
            warnings: Vec::new(),
        };
        let count = agent.open()?;
        if agent.device.is_none() {
            agent.inputs =
                (0..count).map(|input| agent.input_name(input)).collect::<Result<_, _>>()?;
        }
        Ok(agent)
    }

    /// The names of its inputs.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// The device file, if it was told one.
    pub fn device(&self) -> Option<&DeviceFile> {
        self.device.as_ref()
    }

    /// What the user should know.
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

    /// Opens another session, in which all is asked that has no answer. How many inputs there are.
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
                // It was reset, and has forgotten them.
                (Err(Refusal::NoRules), Some(device)) if !is_told => {
                    self.client.tell(&Program::new(device).map_err(TargetError::from)?)?;
                    is_told = true;
                }
                (Err(refusal), _) => {
                    return Err(TargetError::Refused { what: "a session", refusal }.into());
                }
            }
        }
    }

    /// Waits until a word is answered, and sends words meanwhile.
    fn wait_for(&mut self, id: u64) -> Result<Word, AgentError> {
        let result = self.try_wait_for(id);
        if let Err(error) = &result {
            self.is_over = true;
            self.is_gone |= error.is_away();
        }
        result
    }

    fn try_wait_for(&mut self, id: u64) -> Result<Word, AgentError> {
        let mut attempts = 0;
        let mut heard = self.client.now();
        let mut silence = SILENCE;
        loop {
            if let Some(word) = self.pipeline.answer(id) {
                return Ok(word);
            }
            if self.is_over {
                if attempts >= ATTEMPTS {
                    return Err(AgentError::Lossy { attempts });
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
                None => bytes.to_vec(),
            };
            let mut taken = Ok(0);
            let came = client.receive_frame(heard + silence, |frame| {
                taken = match frame {
                    Ok((0, message)) => pipeline.take(&message, name),
                    _ => Err(Over::Lost),
                };
            })?;
            let now = self.client.now();
            match taken {
                Ok(0) => {}
                Ok(outputs) => {
                    self.pipeline.came(now, outputs);
                    (attempts, heard, silence) = (0, now, SILENCE);
                }
                // That is none of the line's fault.
                Err(Over::Failed) => (self.is_over, attempts) = (true, 0),
                Err(Over::Lost) => {
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
                return Err(AgentError::Silent { patience: PATIENCE });
            } else {
                self.client.send(&Request::Hello)?;
                silence *= 2;
            }
        }
    }

    /// Asks an input that was not known when the word began: after what the device has answered, if
    /// it still stands there.
    fn extend(&mut self, mut word: Word, input: Input) -> Result<(), AgentError> {
        let asked = self.asked;
        word.inputs.truncate(asked);
        let before: Vec<Rc<[u8]>> = word.outputs.iter().take(asked).cloned().collect();
        let id = self.pipeline.go_on(word, input);
        let word = self.wait_for(id)?;
        // With the outputs of this time the word would be one that the device never had.
        let is_same = word.outputs.len() >= asked && word.outputs[..asked] == before[..];
        if !is_same && word.failure.is_none() {
            return Err(AgentError::Otherwise);
        }
        self.word = Some(word);
        Ok(())
    }
}

impl<L: Link> Sul for Agent<L> {
    type Error = AgentError;

    /// Nothing is asked before the first input: a symbol brings its reset along.
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

impl<L: Link> Drop for Agent<L> {
    fn drop(&mut self) {
        // It fails when the line has; then nobody asks for anything either.
        let _ = self.client.send(&Request::Stop);
    }
}
