//! The agent's program: takes words from a host, asks the device, sends the outputs.

use heapless::Vec;
use mealybug_adapters::{Attached, Frames, Link};
use mealybug_core::wire::message::{
    DeviceError, MAX_PART, Message, PROTOCOL, Phase, Refusal, Request,
};
use mealybug_core::wire::words::{self, MAX_INPUTS, MAX_SYMBOLS};

use crate::outputs::{KnownOutputs, Numbered};
use crate::queue::Queue;

/// How long outputs wait for those that complete their frame.
const PATIENCE_MS: u64 = 100;

/// An agent with a host on a link, and a device.
///
/// `FRAMES` is how many frames of words the agent can hold until it has asked them. With a device
/// that is called directly, take 8: such a device takes no time, and 2 or 3 frames keep only a line
/// with a short delay busy. With a device that the agent waits for, the frames that come meanwhile
/// must fit into the buffer of the link: take 2 if it has 512 bytes.
#[derive(Debug)]
pub struct Agent<H, D, const FRAMES: usize> {
    host: Frames<H>,
    device: D,
    board: &'static str,
    /// The open session.
    session: Option<u32>,
    /// The host that opened the last session. It knows the numbers of the outputs.
    opened_by: Option<u32>,
    asked: Queue<FRAMES>,
    outputs: KnownOutputs,
    /// The numbers of the outputs that are not sent yet.
    answers: Vec<u8, MAX_SYMBOLS>,
    /// When to send them at the latest.
    due_ms: u64,
    /// Whether the device has been reset in this session.
    is_in_word: bool,
}

impl<H: Link, D: Attached, const FRAMES: usize> Agent<H, D, FRAMES> {
    /// An agent that waits for a host.
    pub const fn new(host: H, device: D, board: &'static str) -> Self {
        Self {
            host: Frames::new(host),
            device,
            board,
            session: None,
            opened_by: None,
            asked: Queue::new(),
            outputs: KnownOutputs::new(),
            answers: Vec::new(),
            due_ms: 0,
            is_in_word: false,
        }
    }

    /// Serves hosts for ever.
    pub fn run(&mut self) -> ! {
        loop {
            // Read everything that has come: a host with another request should not wait for the
            // words of the previous one.
            let mut deadline_ms = if self.asked.is_empty() { u64::MAX } else { 0 };
            while self.listen(deadline_ms) {
                deadline_ms = 0;
            }
            let Some((symbol, is_last)) = self.asked.pop() else { continue };
            match self.ask(symbol) {
                Ok(number) => self.answer(number, is_last),
                Err(error) => self.fail(error),
            }
        }
    }

    /// Handles the next frame; returns false if none came by the deadline.
    fn listen(&mut self, deadline_ms: u64) -> bool {
        let Some(frame) = self.host.receive_frame(deadline_ms) else { return false };
        let (to, missed) = (frame.sequence, frame.missed);
        let Ok(request) = frame.message() else {
            self.close();
            return true;
        };
        let is_gap = self.session.is_some() && missed > 0;
        let mut answer = None;
        match request {
            Request::Open { host, session, known } => {
                self.open(to, host, session, known);
                return true;
            }
            Request::Words(_) if is_gap => {}
            Request::Words(_) if self.session.is_none() => answer = Some(Err(Refusal::NotRunning)),
            // The host may send as many frames as `Opened` says, so a frame without room is a
            // mistake of the host.
            Request::Words(symbols) if self.asked.push(symbols).is_ok() => {}
            Request::Words(_) => {
                self.close();
                answer = Some(Err(Refusal::FrameMissing));
            }
            Request::Rule { number, rule } => {
                answer = Some(self.device.take(number, rule));
                self.close();
            }
            Request::Name { input } => {
                let name = self.device.input_name(mealybug_core::Input::new(input));
                self.host.send(&Message::Name { input, name });
            }
            Request::Stop => {
                self.close();
                answer = Some(Ok(()));
            }
            Request::Hello => self.hello(),
            Request::Start(_)
            | Request::Result { .. }
            | Request::Rules
            | Request::Crash
            | Request::CrashHeard => {
                answer = Some(Err(Refusal::OtherProgram));
            }
        }
        if is_gap {
            self.close();
            answer = answer.or(Some(Err(Refusal::FrameMissing)));
        }
        if let Some(answer) = answer {
            self.host.answer(to, answer, &self.device);
        }
        true
    }

    /// Opens a session. A host that repeats the request has not sent words yet.
    fn open(&mut self, to: u8, host: u32, session: u32, known: u32) {
        let inputs = self.device.inputs();
        let refusal = match self.device.check() {
            Ok(()) if inputs > MAX_INPUTS => Some(Refusal::TooManyInputs),
            checked => checked.err(),
        };
        if refusal.is_some() {
            self.host.answer(to, refusal.map_or(Ok(()), Err), &self.device);
            return;
        }
        self.close();
        let is_new = self.opened_by.replace(host) != Some(host);
        self.outputs.keep(if is_new { 0 } else { known });
        let known = self.outputs.count();
        self.session = Some(session);
        let frames = u8::try_from(FRAMES).unwrap_or(u8::MAX);
        self.host.send(&Message::Opened { session, known, inputs, frames });
    }

    /// Forgets the words that wait, and lets go of the device.
    fn close(&mut self) {
        // The next session says it if a pin fails.
        let _ = self.device.rest();
        self.session = None;
        self.asked.clear();
        self.answers.clear();
        self.is_in_word = false;
    }

    /// Asks the device a symbol and returns the number of the output. From now on the host knows
    /// its bytes.
    fn ask(&mut self, symbol: u8) -> Result<u8, DeviceError> {
        let (input, begins) = words::input(symbol);
        if begins {
            self.device.reset()?;
            self.is_in_word = true;
        }
        if !self.is_in_word {
            return Err(DeviceError::NotReset);
        }
        let output = self.device.step(input)?;
        if output.len() > MAX_PART {
            return Err(DeviceError::TooLong);
        }
        match self.outputs.number(output).ok_or(DeviceError::TooManyOutputs)? {
            Numbered::Known(number) => Ok(number),
            Numbered::New(number) => {
                self.host.send(&Message::Output(output));
                Ok(number)
            }
        }
    }

    /// Takes an output. Sends the outputs when a frame is complete or some time has passed.
    fn answer(&mut self, number: u8, is_last: bool) {
        let now_ms = self.host.now_ms();
        if self.answers.is_empty() {
            self.due_ms = now_ms.saturating_add(PATIENCE_MS);
        }
        // There is room for the outputs of one frame, and the last output of a frame sends them
        // all.
        let _ = self.answers.push(number);
        if is_last || now_ms >= self.due_ms {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.answers.is_empty() {
            self.host.send(&Message::Outputs(&self.answers));
        }
        self.answers.clear();
    }

    fn fail(&mut self, error: DeviceError) {
        self.flush();
        self.host.send(&Message::Failed(error));
        self.close();
    }

    fn hello(&mut self) {
        let (board, is_ready) = (self.board.as_bytes(), self.device.check().is_ok());
        let (protocol, phase, memory_bytes) = (PROTOCOL, Phase::Agent, 0);
        self.host.send(&Message::Hello { protocol, board, phase, memory_bytes, is_ready });
    }
}
