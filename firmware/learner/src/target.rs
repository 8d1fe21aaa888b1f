//! The target's program: waits for a host, learns, and sends the result.

use mealybug_adapters::{Crashes, NoCrashes};
use mealybug_core::serve::never_grow;
use mealybug_core::wire::crash::MAX_CRASH;
use mealybug_core::wire::message::{
    ATTEMPTS, DeviceError, Fault, MAX_PART, Message, PROTOCOL, Phase, Refusal, Request,
};
use mealybug_core::wire::types;
use mealybug_core::{
    EndReason, Input, Observations, Options, Output, Reply, ServeError, Session, SessionError,
    TableLearner, Tests,
};
use mealybug_log::{info, warn};

use super::parts::send_parts;
use super::{Answerer, Attached, Frames, Link, serve, waiting};
use crate::answers::{Answers, NoAnswers, digest};
use crate::log;

/// How often the target reports progress.
const PROGRESS_MS: u64 = 250;

/// A learner with a host on a link, and a device.
#[derive(Debug)]
pub struct Target<H, D, C = NoCrashes, A = NoAnswers> {
    host: Frames<H>,
    device: D,
    board: &'static str,
    crashes: C,
    answers: A,
}

/// A run that has ended, with the fault if a fault ended it.
type Ended<'s, 'm> = (&'s TargetRun<'m>, Option<Fault>);

/// The session of a run.
type TargetRun<'m> = Session<&'m mut [u32]>;

impl<H: Link, D: Attached> Target<H, D> {
    /// A learner that waits for a host.
    pub const fn new(host: H, device: D, board: &'static str) -> Self {
        Self::keeping(host, device, board, NoCrashes)
    }
}

impl<H: Link, D: Attached, C: Crashes> Target<H, D, C> {
    /// The same, which tells the host why its program ended before it last started.
    pub const fn keeping(host: H, device: D, board: &'static str, crashes: C) -> Self {
        Self::keeping_answers(host, device, board, crashes, NoAnswers)
    }
}

#[waiting(AFIT)]
impl<H: Link, D: Attached, C: Crashes, A: Answers> Target<H, D, C, A> {
    /// The same, whose run goes on after a reset in the middle of it.
    pub const fn keeping_answers(
        host: H,
        device: D,
        board: &'static str,
        crashes: C,
        answers: A,
    ) -> Self {
        Self { host: Frames::new(host), device, board, crashes, answers }
    }

    /// Serves hosts for ever. The learner uses `memory`.
    ///
    /// If it is awaited and dropped, its run is lost, but for the answers that are kept. It may be called again: then it
    /// brings the lines to the device to rest, and goes on from the answers, as after a reset of the board.
    pub async fn run(&mut self, memory: &mut [u32]) -> ! {
        let memory_bytes = size_of_val(memory);
        self.rest();
        log::crash(self.crashes.last(&mut [0; MAX_CRASH]));
        let mut options = match self.resume() {
            Some(options) => options,
            None => self.wait(memory_bytes, None).await,
        };
        loop {
            // `wait` has checked the number of inputs and of lanes.
            options = match Session::new(&mut *memory, self.device.inputs(), options) {
                Ok(mut session) => {
                    log::start(self.device.inputs(), session.options());
                    let fault = self.learn(memory_bytes, &mut session).await;
                    if A::ARE_KEPT && session.summary().end == Some(EndReason::Stopped) {
                        self.answers.forget();
                    }
                    self.rest();
                    log::end(&session, fault);
                    self.send_end(&session, fault, 0).await;
                    self.wait(memory_bytes, Some((&session, fault))).await
                }
                Err(_) => self.wait(memory_bytes, None).await,
            };
        }
    }

    /// Brings the lines to the device to rest.
    fn rest(&mut self) {
        if self.device.rest().is_err() {
            warn!("a pin to the device could not be set to rest");
        }
    }

    /// The options of the run that a reset interrupted, if it can go on.
    fn resume(&mut self) -> Option<Options> {
        let Self { answers, device, .. } = self;
        let (fingerprint, options) = answers.resume(|number, rule| {
            // Without a rule, the device has another fingerprint.
            let _ = device.take(number, rule);
        })?;
        let options = self.device.check().and_then(|()| check(&options));
        if fingerprint != self.fingerprint() || options.is_err() {
            warn!(
                "the answers in the flash are those of another program or rules: they are dropped"
            );
            self.answers.forget();
            return None;
        }
        info!("the run goes on from the answers in the flash");
        options.ok()
    }

    /// Tells runs apart whose answers are not the same.
    fn fingerprint(&self) -> u32 {
        digest(|take| {
            take(env!("CARGO_PKG_VERSION").as_bytes());
            take(&self.answers.program().to_le_bytes());
            take(&self.device.rules_digest().to_le_bytes());
            for input in 0..self.device.inputs() {
                take(self.device.input_name(Input::new(input)));
                take(&[0]);
            }
        })
    }

    /// Answers the host until it starts a run.
    async fn wait(&mut self, memory_bytes: usize, mut ended: Option<Ended<'_, '_>>) -> Options {
        loop {
            let Some((to, request)) = self.host.receive(u64::MAX).await else { continue };
            let answer = match request {
                Request::Hello => {
                    let phase = if ended.is_some() { Phase::Ended } else { Phase::Idle };
                    self.hello(memory_bytes, phase).await;
                    continue;
                }
                Request::Rule { number, rule } => {
                    // The names in the result belong to the previous rules.
                    ended = None;
                    let taken = self.device.take(number, rule);
                    if taken.is_ok() {
                        self.answers.rule(number, rule);
                    }
                    taken
                }
                Request::Start(wanted) => match self.device.check().and_then(|()| check(&wanted)) {
                    Ok(options) => {
                        if A::ARE_KEPT {
                            self.answers.begin(self.fingerprint(), wanted);
                        }
                        self.answer(to, Ok(())).await;
                        return options;
                    }
                    Err(refusal) => Err(refusal),
                },
                Request::Rules => {
                    self.rules().await;
                    continue;
                }
                Request::Crash if C::ARE_KEPT => {
                    self.crash().await;
                    continue;
                }
                Request::CrashHeard if C::ARE_KEPT => {
                    self.crashes.forget();
                    Ok(())
                }
                Request::Stop => Err(Refusal::NotRunning),
                Request::Name { .. }
                | Request::Open { .. }
                | Request::Words(_)
                | Request::Crash
                | Request::CrashHeard => Err(Refusal::OtherProgram),
                Request::Result { from } => match ended {
                    Some((session, fault)) => {
                        self.answer(to, Ok(())).await;
                        self.send_end(session, fault, from).await;
                        continue;
                    }
                    None => Err(Refusal::NotRunning),
                },
            };
            self.answer(to, answer).await;
        }
    }

    /// Learns the device, and answers the host meanwhile.
    async fn learn(&mut self, memory_bytes: usize, session: &mut TargetRun<'_>) -> Option<Fault> {
        let progress_ms = self.host.now_ms();
        let mut run = Learning { target: self, memory_bytes, progress_ms, failed_at: (0, 0) };
        let result = serve(session, &mut run, &mut never_grow).await;
        let (word_len, sent) = run.failed_at;
        if matches!(result, Ok(_) | Err(ServeError::Session(SessionError::Capacity(_)))) {
            // The run may have ended in the middle of a word.
            self.answers.finish();
        }
        match result {
            Ok(_) => None,
            Err(ServeError::Sul(error)) => Some(Fault::Device { error, word_len, sent }),
            Err(ServeError::Session(SessionError::Capacity(error))) => {
                Some(Fault::Capacity(error.into()))
            }
            Err(ServeError::Session(SessionError::Contradiction(contradiction))) => {
                // A device that died during the word only seems to have answered nothing.
                let word_len = contradiction.word_len;
                Some(match self.device.reset().await {
                    Ok(()) => Fault::Contradiction(contradiction.into()),
                    Err(error) => Fault::Device { error, word_len, sent: 0 },
                })
            }
            // The loop gives each action the reply that it asks for.
            Err(ServeError::Session(SessionError::Misuse(_))) => None,
        }
    }

    /// Sends why the run ended, the word at which it failed, the outputs that contradict each other, and the result from byte
    /// `from` on.
    async fn send_end(&mut self, session: &TargetRun<'_>, fault: Option<Fault>, from: u32) {
        self.host.send(&Message::Ended(fault)).await;
        let word_len = fault.map_or(0, |fault| fault.word_len());
        for (position, input) in (0..word_len).zip(session.word(0)) {
            self.host.send(&Message::Symbol { position, input: input.index() }).await;
        }
        if let Some(Fault::Contradiction(error)) = fault {
            self.send_output(session, error.before).await;
            self.send_output(session, error.now).await;
        }
        send_parts(&mut self.host, session, &self.device, None, from).await;
    }

    /// Sends the first [`MAX_PART`] bytes of an output.
    // One copy: two take 200 bytes more of flash.
    #[inline(never)]
    async fn send_output(&mut self, session: &TargetRun<'_>, output: u32) {
        let output = session.output_name(Output::new(output));
        let output = output.get(..MAX_PART).unwrap_or(output);
        self.host.send(&Message::Output(output)).await;
    }

    async fn hello(&mut self, memory_bytes: usize, phase: Phase) {
        self.host.send(&hello(self.board, phase, memory_bytes, self.device.check().is_ok())).await;
    }

    /// Says by which rules it talks to the device.
    async fn rules(&mut self) {
        self.host.send(&Message::Rules(self.device.rules_digest())).await;
    }

    /// Says why the program ended.
    async fn crash(&mut self) {
        self.host.send(&Message::Crash(self.crashes.last(&mut [0; MAX_CRASH]))).await;
    }

    async fn answer(&mut self, to: u8, answer: Result<(), Refusal>) {
        self.host.answer(to, answer, &self.device).await;
    }
}

/// A run in progress: it asks the device, and answers the host meanwhile.
struct Learning<'t, H, D, C, A> {
    target: &'t mut Target<H, D, C, A>,
    memory_bytes: usize,
    /// When to report progress next.
    progress_ms: u64,
    /// The device's last failure: the length of the word, and the number of inputs sent.
    failed_at: (u32, u32),
}

#[waiting(AFIT)]
impl<H: Link, D: Attached, C: Crashes, A: Answers> Learning<'_, H, D, C, A> {
    /// Answers the host, and reports progress when it is time.
    async fn attend(&mut self, session: &mut TargetRun<'_>) {
        let Self { target, memory_bytes, progress_ms, .. } = self;
        while let Some((to, request)) = target.host.receive(0).await {
            let answer = match request {
                Request::Hello => {
                    target.hello(*memory_bytes, Phase::Running).await;
                    continue;
                }
                Request::Rules => {
                    target.rules().await;
                    continue;
                }
                Request::Crash if C::ARE_KEPT => {
                    target.crash().await;
                    continue;
                }
                Request::CrashHeard if C::ARE_KEPT => {
                    target.crashes.forget();
                    Ok(())
                }
                Request::Stop => {
                    info!("the host ends the run");
                    session.stop();
                    Ok(())
                }
                // Our answer to this request was lost.
                Request::Start(options) if options == types::Options::from(session.options()) => {
                    Ok(())
                }
                _ => Err(Refusal::Running),
            };
            target.answer(to, answer).await;
        }
        if target.host.now_ms() >= *progress_ms {
            target.host.send(&Message::Progress((&session.progress()).into())).await;
            *progress_ms = target.host.now_ms() + PROGRESS_MS;
        }
    }
}

#[waiting(AFIT)]
impl<'m, H: Link, D: Attached, C: Crashes, A: Answers> Answerer<&'m mut [u32], TableLearner>
    for Learning<'_, H, D, C, A>
{
    type Error = DeviceError;

    async fn reset(&mut self, session: &mut TargetRun<'m>, _: u32) -> Result<(), DeviceError> {
        self.attend(session).await;
        if A::ARE_KEPT && self.target.answers.find(session.word(0)) {
            return Ok(());
        }
        self.target.device.reset().await
    }

    async fn step(
        &mut self,
        session: &mut TargetRun<'m>,
        _: u32,
        input: Input,
    ) -> Result<&[u8], DeviceError> {
        self.attend(session).await;
        let Target { device, answers, .. } = &mut *self.target;
        if answers.is_found() {
            // The same learner needs no other outputs than those that it has had.
            return answers.recall(session).ok_or(DeviceError::Late);
        }
        let output = device.step(input).await?;
        if A::ARE_KEPT {
            answers.keep(session, output, session.ahead(0).next().is_none());
        }
        Ok(output)
    }

    async fn retry(
        &mut self,
        session: &mut TargetRun<'m>,
        lane: u32,
        error: DeviceError,
        attempts: u32,
    ) -> Result<(), DeviceError> {
        self.target.answers.drop_word();
        let word_len = count(session.word(lane));
        let sent = word_len.saturating_sub(count(session.ahead(lane)));
        self.failed_at = (word_len, sent);
        if attempts >= ATTEMPTS {
            return Err(error);
        }
        warn!(
            "the device failed: {} after {=u32} symbols; asking again ({=u32} of {=u32})",
            error,
            sent,
            attempts,
            ATTEMPTS - 1
        );
        self.target.host.send(&Message::Retry { error, sent, attempts }).await;
        Ok(())
    }

    async fn hypothesis(&mut self, session: &mut TargetRun<'m>, _: u32) -> Reply<'_> {
        self.target.answers.finish();
        let standing = session.progress();
        log::hypothesis(&standing);
        let rounds = Some(standing.rounds);
        send_parts(&mut self.target.host, session, &self.target.device, rounds, 0).await;
        Reply::Ready
    }
}

fn hello(
    board: &'static str,
    phase: Phase,
    memory_bytes: usize,
    is_ready: bool,
) -> Message<'static> {
    let memory_bytes = u32::try_from(memory_bytes).unwrap_or(u32::MAX);
    let board = board.as_bytes();
    Message::Hello { protocol: PROTOCOL, board, phase, memory_bytes, is_ready }
}

/// Converts the options; refuses those that a target does not support.
fn check(options: &types::Options) -> Result<Options, Refusal> {
    let options = Options::try_from(options).map_err(|_| Refusal::Options)?;
    let can = options.observations == Observations::Table
        && options.lanes == 1
        && options.tests != Tests::External
        && options.tests.is_supported();
    if can { Ok(options) } else { Err(Refusal::Options) }
}

fn count(items: impl Iterator) -> u32 {
    items.fold(0, |count, _| count + 1)
}
