//! The program: takes words from a host, asks the device, sends the outputs.

use mealybug_adapters::{Attached, Frames, Link};
use mealybug_core::wire::message::{
    DeviceError, MAX_PART, Message, PROTOCOL, Phase, Refusal, Request,
};
use mealybug_core::wire::words::{self, MAX_INPUTS, MAX_SYMBOLS};

use crate::outputs::{Numbered, Outputs};
use crate::queue::Queue;

/// So long outputs are kept back until those of a frame are complete.
const PATIENCE_MS: u64 = 100;

/// An agent with a host on a link, and a device.
///
/// So many `FRAMES` of words may wait for their outputs. A device that is called directly takes no
/// time, and two or three keep a line busy only if that is short: take 8. Where the device is waited
/// for, what comes meanwhile must fit into what the link itself keeps: 2 if that is 512 bytes.
#[derive(Debug)]
pub struct Agent<H, D, const FRAMES: usize> {
    host: Frames<H>,
    device: D,
    board: &'static str,
    /// The session that is open.
    session: Option<u32>,
    /// The host that opened the last one, which knows the numbers of the outputs.
    opened_by: Option<u32>,
    asked: Queue<FRAMES>,
    outputs: Outputs,
    /// The outputs that are not sent yet, by their numbers.
    answers: [u8; MAX_SYMBOLS],
    answers_len: usize,
    /// When they are sent at the latest.
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
            outputs: Outputs::new(),
            answers: [0; MAX_SYMBOLS],
            answers_len: 0,
            due_ms: 0,
            is_in_word: false,
        }
    }

    /// Does what hosts say, for ever.
    pub fn run(&mut self) -> ! {
        loop {
            // All that came, as a host that wants something else should not wait for the words of another.
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

    /// Does what the next frame says; false if none came until then.
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
            // The host keeps to what `Opened` says, so one without room is one too many by mistake.
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
            Request::Start(_) | Request::Result { .. } => {
                answer = Some(Err(Refusal::OtherProgram));
            }
        }
        if is_gap {
            self.close();
            answer = answer.or(Some(Err(Refusal::FrameMissing)));
        }
        if let Some(answer) = answer {
            self.host.send(&Message::Answer { to, refusal: answer.err() });
        }
        true
    }

    /// Opens a session. A host that repeats itself has sent no words yet.
    fn open(&mut self, to: u8, host: u32, session: u32, known: u32) {
        let inputs = self.device.inputs();
        let refusal = match self.device.check() {
            Ok(()) if inputs > MAX_INPUTS => Some(Refusal::TooManyInputs),
            checked => checked.err(),
        };
        if refusal.is_some() {
            self.host.send(&Message::Answer { to, refusal });
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

    /// Forgets what was to be asked.
    fn close(&mut self) {
        self.session = None;
        self.asked.clear();
        self.answers_len = 0;
        self.is_in_word = false;
    }

    /// Asks the device a symbol: the number of its output, whose bytes the host knows from now on.
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

    /// Takes an output, and sends what there is when a frame is complete, or some time has passed.
    fn answer(&mut self, number: u8, is_last: bool) {
        let now_ms = self.host.now_ms();
        if self.answers_len == 0 {
            self.due_ms = now_ms.saturating_add(PATIENCE_MS);
        }
        // There is room for the outputs of a frame, and with that all are sent.
        if let Some(place) = self.answers.get_mut(self.answers_len) {
            *place = number;
            self.answers_len += 1;
        }
        if is_last || now_ms >= self.due_ms {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(answers @ [_, ..]) = self.answers.get(..self.answers_len) {
            self.host.send(&Message::Outputs(answers));
        }
        self.answers_len = 0;
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
