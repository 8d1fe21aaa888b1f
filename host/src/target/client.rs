//! Talks to a target over a line that may lose bytes.

use std::collections::VecDeque;
use std::time::Duration;

use mealybug_core::Options;
use mealybug_core::wire::frame::{DELIMITER, Decoder, Encoder, FrameError};
use mealybug_core::wire::message::{Message, PROTOCOL, Phase, Refusal, Request};

use mealybug_core::wire::probe::OfferKind;
use mealybug_core::wire::rule::{MAX_RULE, Rule};

use super::collector::{Collector, TargetEnd, TargetEvent};
use super::compile::Program;
use super::crash::TargetCrash;
use super::error::TargetError;
use super::probes::offer_name;
use crate::escape::visible;
use crate::serial::{OpenError, TimedLink};

/// How long to wait before a request is repeated. A target that waits for its device answers later;
/// repeating a request does no harm.
const AGAIN: Duration = Duration::from_secs(1);

/// How long a target may be silent. It answers between two symbols, and a reply or a reset of the
/// device may take a long time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How long the first answer may take. A target that runs already may be resetting its device.
const FIRST_PATIENCE: Duration = Duration::from_secs(30);

/// The target that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The name of the board.
    pub board: String,
    /// What it is doing.
    pub phase: Phase,
    /// The memory of its learner, in bytes.
    pub memory_bytes: usize,
    /// Whether a run can start without a device file.
    pub is_ready: bool,
}

/// The host's end of a line to a target.
#[derive(Debug)]
pub struct Client<L> {
    link: L,
    encoder: Encoder,
    decoder: Decoder,
    /// Bytes received but not yet decoded.
    came: VecDeque<u8>,
    /// Pieces of the target's log that were not yet reported.
    log: Vec<Vec<u8>>,
    lost_frames: u64,
}

/// What becomes of a run that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// It goes on.
    GoOn,
    /// The target ends it, and sends what it has learned.
    StopRun,
    /// It goes on, and is watched no longer.
    Leave,
}

impl<L: TimedLink> Client<L> {
    /// Starts talking.
    ///
    /// # Errors
    /// The line failed.
    pub fn new(mut link: L) -> Result<Self, TargetError> {
        // Ends a frame that an earlier program may have left incomplete.
        link.write(&[DELIMITER])?;
        Ok(Self {
            link,
            encoder: Encoder::new(),
            decoder: Decoder::new(),
            came: VecDeque::new(),
            log: Vec::new(),
            lost_frames: 0,
        })
    }

    /// The number of frames of the target that were damaged or lost.
    pub fn lost_frames(&self) -> u64 {
        self.lost_frames
    }

    /// Asks which target is there.
    ///
    /// # Errors
    /// No target answers, or it speaks another version of the protocol.
    pub fn hello(&mut self) -> Result<Hello, TargetError> {
        let hello = self.ask(&Request::Hello, FIRST_PATIENCE, |_, message| match message {
            Message::Hello { protocol, board, phase, memory_bytes, is_ready } => {
                let board = visible(&String::from_utf8_lossy(board)).into_owned();
                let memory_bytes = memory_bytes as usize;
                Some((protocol, Hello { board, phase, memory_bytes, is_ready }))
            }
            _ => None,
        })?;
        match hello {
            (PROTOCOL, hello) => Ok(hello),
            (found, _) => Err(TargetError::Version { found }),
        }
    }

    /// Asks by which rules the target talks to the device: their [digest](Program::digest), or 0 if it has none.
    ///
    /// # Errors
    /// The target does not answer.
    pub fn rules(&mut self) -> Result<u32, TargetError> {
        self.ask(&Request::Rules, PATIENCE, |_, message| match message {
            Message::Rules(digest) => Some(digest),
            _ => None,
        })
    }

    /// Asks why the program of the target ended before it last started; `None` if it did not crash, as far as it
    /// knows, or if a host has heard of it before.
    ///
    /// # Errors
    /// The target does not answer.
    pub fn crash(&mut self) -> Result<Option<TargetCrash>, TargetError> {
        let crash = self.ask(&Request::Crash, PATIENCE, |sequence, message| match message {
            Message::Crash(bytes) => Some(TargetCrash::read(bytes)),
            // Its program keeps no crashes.
            Message::Answer { to, .. } if to == sequence => Some(None),
            _ => None,
        })?;
        self.confirm(crash.as_ref())?;
        Ok(crash)
    }

    /// Says that a crash was heard. If that is lost, the next host hears of the crash, too.
    fn confirm(&mut self, crash: Option<&TargetCrash>) -> Result<(), TargetError> {
        crash.map_or(Ok(()), |_| self.send(&Request::CrashHeard).map(drop))
    }

    /// Sends the target the rules for the device.
    ///
    /// # Errors
    /// The target has no room for it, or does not answer.
    pub fn tell(&mut self, program: &Program) -> Result<(), TargetError> {
        for (number, rule) in (0..).zip(program.rules()) {
            let what = |refusal| match (refusal, rule) {
                (Refusal::Line(_), Rule::Line(settings)) => {
                    format!("{settings} for the line to the device ([port])")
                }
                _ => "a rule".to_owned(),
            };
            let encoded = rule.encode(&mut [0; MAX_RULE]).to_vec();
            let mut offered = Vec::new();
            let request = Request::Rule { number, rule: &encoded };
            let told = self.order(what, &request, PATIENCE, |kind, name| {
                let offer = offer_name(kind, name);
                if !offered.contains(&offer) {
                    offered.push(offer);
                }
            });
            let lacks = matches!(
                &told,
                Err(TargetError::Refused { refusal: Refusal::NoOffer | Refusal::NoPin, .. })
            );
            if lacks && let Some((kind, name)) = program.needs(rule) {
                return Err(TargetError::NotOffered { what: offer_name(kind, name), offered });
            }
            told?;
        }
        Ok(())
    }

    /// Starts a run.
    ///
    /// # Errors
    /// The target refuses, or does not answer.
    pub fn start(&mut self, options: Options) -> Result<(), TargetError> {
        let request = Request::Start((&options).into());
        self.order(|_| "to start".to_owned(), &request, PATIENCE, |_, _| {})
    }

    /// Waits for the end of the run and reports events until then. `order` says what becomes of the run.
    ///
    /// # Errors
    /// The target does not answer any more, or has lost its run; [`TargetError::Left`] on [`Watch::Leave`].
    pub fn watch(
        &mut self,
        mut order: impl FnMut() -> Watch,
        mut event: impl FnMut(TargetEvent),
    ) -> Result<TargetEnd, TargetError> {
        let mut collector = Collector::default();
        let mut heard = self.link.now();
        let mut stop_due = heard;
        // The last request for the end of the run, and when to repeat it.
        let (mut asked, mut ask_due) = (None, heard);
        // The last request for why the target was reset, and when to repeat it.
        let (mut crash_asked, mut crash_due) = (None, None);
        // As of the last progress: a gap at a reset says nothing.
        let mut lost_frames = self.lost_frames;
        loop {
            let now = self.link.now();
            match order() {
                Watch::GoOn => {}
                Watch::StopRun if now >= stop_due => {
                    self.send(&Request::Stop)?;
                    stop_due = now + AGAIN;
                }
                Watch::StopRun => {}
                Watch::Leave => return Err(TargetError::Left),
            }
            if crash_due.is_some_and(|due| now >= due) {
                crash_asked = Some(self.send(&Request::Crash)?);
                crash_due = Some(now + AGAIN);
            }
            let (mut is_forgotten, mut is_progress, mut crash) = (false, false, None);
            let came = self.receive(now + AGAIN / 10, |message| {
                match message {
                    Message::Answer { to, refusal } if Some(to) == asked => {
                        is_forgotten = refusal == Some(Refusal::NotRunning);
                    }
                    // Its program keeps no crashes.
                    Message::Answer { to, .. } if Some(to) == crash_asked => crash = Some(None),
                    Message::Crash(bytes) => crash = Some(TargetCrash::read(bytes)),
                    Message::Progress(_) => is_progress = true,
                    _ => {}
                }
                collector.take(message).into_iter().for_each(&mut event);
            })?;
            self.log.drain(..).map(TargetEvent::Log).for_each(&mut event);
            if is_progress {
                if collector.has_started_anew() {
                    self.lost_frames = lost_frames;
                    crash_due = Some(now);
                }
                lost_frames = self.lost_frames;
            }
            if let Some(crash) = crash
                && crash_due.take().is_some()
            {
                self.confirm(crash.as_ref())?;
                event(TargetEvent::Restarted { crash });
            }
            if let Some(end) = collector.end() {
                if crash_due.is_some() {
                    event(TargetEvent::Restarted { crash: self.crash()? });
                }
                return Ok(end);
            }
            if is_forgotten {
                return Err(TargetError::Restarted { crash: self.crash()? });
            }
            let now = self.link.now();
            if came {
                heard = now;
                ask_due = now + AGAIN;
            } else if now - heard >= PATIENCE {
                return Err(TargetError::Silent { patience: PATIENCE });
            } else if now >= ask_due {
                asked = Some(self.send(&Request::Result { from: collector.from() })?);
                ask_due = now + AGAIN;
            }
        }
    }

    /// Sends a request that the target either carries out or refuses. `what` names what it refuses; `offer` is called
    /// for what the board offers instead.
    fn order(
        &mut self,
        what: impl FnOnce(Refusal) -> String,
        request: &Request<'_>,
        patience: Duration,
        mut offer: impl FnMut(OfferKind, &[u8]),
    ) -> Result<(), TargetError> {
        let refusal = self.ask(request, patience, |sequence, message| match message {
            Message::Answer { to, refusal } if to == sequence => Some(refusal),
            Message::Offer { kind, name } => {
                offer(kind, name);
                None
            }
            _ => None,
        })?;
        refusal.map_or(Ok(()), |refusal| Err(TargetError::Refused { what: what(refusal), refusal }))
    }

    /// The time on the line's clock.
    pub(crate) fn now(&self) -> Duration {
        self.link.now()
    }

    /// Whether the line has a baud rate.
    pub(crate) fn has_baud(&self) -> bool {
        self.link.has_baud()
    }

    /// Opens the line again after the target was gone.
    pub(crate) fn reopen(&mut self) -> Result<(), OpenError> {
        self.came.clear();
        self.link.reopen()?;
        // As in `new`. If it fails, the next request fails, too.
        let _ = self.link.write(&[DELIMITER]);
        Ok(())
    }

    /// Repeats a request until `answer` accepts a message; `answer` gets the number of the request.
    pub(crate) fn ask<T>(
        &mut self,
        request: &Request<'_>,
        patience: Duration,
        mut answer: impl FnMut(u8, Message<'_>) -> Option<T>,
    ) -> Result<T, TargetError> {
        let until = self.link.now() + patience;
        while self.link.now() < until {
            let sequence = self.send(request)?;
            let again = self.link.now() + AGAIN;
            let mut found = None;
            while found.is_none()
                && self.receive(again, |message| {
                    found = answer(sequence, message);
                })?
            {}
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Err(TargetError::Silent { patience })
    }

    /// Sends a request and returns its number.
    pub(crate) fn send(&mut self, request: &Request<'_>) -> Result<u8, TargetError> {
        let sequence = self.encoder.sequence();
        let frame = self.encoder.encode(request)?;
        self.link.write(frame)?;
        Ok(sequence)
    }

    /// Passes on the next message; false if none came in time.
    fn receive(
        &mut self,
        until: Duration,
        mut message: impl FnMut(Message<'_>),
    ) -> Result<bool, TargetError> {
        loop {
            // A damaged frame is counted when the next one shows that it is missing.
            let (mut is_message, mut log) = (false, None);
            let came = self.receive_frame(until, |frame| {
                if let Ok((_, came)) = frame {
                    is_message = true;
                    if let Message::Log(piece) = came {
                        log = Some(piece.to_vec());
                    }
                    message(came);
                }
            })?;
            self.log.extend(log);
            if is_message || !came {
                return Ok(came);
            }
        }
    }

    /// Passes on the next frame: its message and the number of frames missing before it, or why it
    /// was dropped. False if none came in time.
    pub(crate) fn receive_frame(
        &mut self,
        until: Duration,
        take: impl FnOnce(Result<(u8, Message<'_>), FrameError>),
    ) -> Result<bool, TargetError> {
        loop {
            while let Some(byte) = self.came.pop_front() {
                let Some(frame) = self.decoder.push(byte) else { continue };
                let frame = frame.and_then(|frame| Ok((frame.missed, frame.message()?)));
                self.lost_frames += frame.map_or(0, |(missed, _)| missed.into());
                take(frame);
                return Ok(true);
            }
            let mut buffer = [0; 512];
            match self.link.read(&mut buffer, until)? {
                0 => return Ok(false),
                count => self.came.extend(&buffer[..count]),
            }
        }
    }
}
