//! The device at the end of a link, as the learner sees it.

use mealybug_core::Input;
use mealybug_core::wire::message::{DeviceError, Refusal};
use mealybug_core::wire::probe::OfferKind;
use mealybug_core::wire::rule::{ReplyRule, ResetRule, Rule, RuleFile, Span, Step};

use super::line::BufferedLine;
use super::{Attached, Link, Sul, waiting};
use crate::Offers;
use crate::heard::{EchoedText, Heard, Watch};
use crate::reply::IncomingReply;
use crate::rules::{InputSteps, Rules, Steps};

/// How long a reset that expects nothing waits for silence.
const SETTLE_WITHIN_MS: u32 = 1000;

/// The silence after an error on the line that is an output.
const QUIET_MS: u64 = 20;

/// A device that is talked to by rules. A host sends the rules, or the program
/// [brings](Self::with_rules) them.
///
/// With the same device file and the same bytes at the same times, it behaves as `mealybug learn`
/// does. `docs/device-file.md` says what a target cannot do.
///
/// If a `reset` or a `step` is awaited and dropped, the device is in an unknown state: the next call must be `reset`.
#[derive(Debug)]
pub struct Conversation<L, P = ()> {
    rules: Rules,
    /// Why the rules of the program were not taken.
    refusal: Option<Refusal>,
    line: BufferedLine<L>,
    pins: P,
    heard: Heard,
    /// The output that stands for an error on the line, if there was one.
    line_error: Option<&'static [u8]>,
}

impl<L: Link> Conversation<L> {
    /// A device in an unknown state, without rules.
    pub const fn new(link: L) -> Self {
        Self::with_pins(link, ())
    }

    /// A device whose rules are in a file, as [`take_file`](Self::take_file) takes them.
    pub fn with_rules(link: L, file: &[u8]) -> Self {
        let mut device = Self::new(link);
        device.take_file(file);
        device
    }
}

#[waiting(AFIT)]
impl<L: Link, P: Offers> Conversation<L, P> {
    /// A device in an unknown state, without rules, that has more than its line: the rules name the
    /// pins.
    ///
    /// ```
    /// use embedded_hal::digital::{OutputPin, PinState};
    /// use mealybug_adapters::{Conversation, Link, NamedPin, Offers};
    ///
    /// // In the device file: [[reset]]
    /// //                     steps = [{ pin = "reset", ms = 5 }]
    /// fn device<L: Link>(uart: L, pin: impl OutputPin) -> Conversation<L, impl Offers> {
    ///     Conversation::with_pins(uart, NamedPin { name: "reset", pin, active: PinState::Low })
    /// }
    /// ```
    pub const fn with_pins(link: L, pins: P) -> Self {
        Self {
            rules: Rules::new(),
            refusal: None,
            line: BufferedLine::new(link),
            pins,
            heard: Heard::new(),
            line_error: None,
        }
    }

    /// Takes the rules in a file that `mealybug compile` wrote. A host may replace them. If the file
    /// is no rule file, or one of its rules is refused, the device has no rules.
    pub fn take_file(&mut self, file: &[u8]) {
        for (number, rule) in (0..).zip(RuleFile::new(file).into_iter().flatten()) {
            let rule = rule.ok_or(Refusal::NoRules);
            if let Err(refusal) = rule.and_then(|rule| self.take_rule(number, rule)) {
                self.rules.clear();
                self.refusal = Some(refusal);
                break;
            }
        }
    }

    fn take_rule(&mut self, number: u32, rule: Rule<'_>) -> Result<(), Refusal> {
        // First, so that a rule that is refused does not change the line.
        self.rules.expect(number)?;
        match rule {
            Rule::Line(settings) => self.line.set(settings).map_err(Refusal::Line)?,
            Rule::Step(Step::Pin { name, .. })
                if !self.pins.has(OfferKind::Drive, self.rules.text(name)) =>
            {
                return Err(Refusal::NoPin);
            }
            Rule::Probe(_) => return Err(Refusal::NoProbes),
            _ => {}
        }
        self.rules.take(number, rule)?;
        self.refusal = None;
        Ok(())
    }

    /// Tries one way to the initial state.
    async fn try_reset(&mut self, rule: ResetRule, steps: Steps) -> Result<(), DeviceError> {
        let mut at = 0;
        self.await_next(rule, steps, at);
        while let Some(step) = self.rules.step(steps, at) {
            at += 1;
            match step {
                Step::Send(bytes) => {
                    self.line.drop_until(0).await;
                    self.await_next(rule, steps, at);
                    self.line.write(self.rules.text(bytes)).await;
                }
                Step::Wait { ms } => {
                    let until_ms = self.line.now_ms().saturating_add(ms.into());
                    while let Some(byte) = self.line.read_any_until(until_ms).await {
                        self.take_of_reset(byte);
                    }
                }
                Step::Pin { name, ms } => {
                    self.pins.set(self.rules.text(name), true)?;
                    self.line.drop_until(self.line.now_ms().saturating_add(ms.into())).await;
                    self.await_next(rule, steps, at);
                    self.pins.set(self.rules.text(name), false)?;
                }
                Step::Expect { within_ms, .. } => {
                    self.expect(true, within_ms, 0).await?;
                    self.await_next(rule, steps, at);
                }
                Step::Echo { .. } | Step::Listen { .. } | Step::Hear { .. } => {}
            }
        }
        let is_expected = rule.expect.len > 0;
        let within_ms = if is_expected { rule.within_ms } else { SETTLE_WITHIN_MS };
        self.expect(is_expected, within_ms, rule.quiet_ms).await?;
        self.line.drop_until(0).await;
        Ok(())
    }

    /// Forgets what came, and watches for the text that the reset expects next.
    fn await_next(&mut self, rule: ResetRule, steps: Steps, from: u16) {
        let mut left = (from..).map_while(|at| self.rules.step(steps, at));
        let expected = left.find_map(|step| match step {
            Step::Expect { by, .. } => Some(by),
            Step::Send(_) | Step::Pin { .. } => Some(Span::default()),
            _ => None,
        });
        self.heard.begin(Watch { ends: expected.unwrap_or(rule.expect), ..Watch::default() }, None);
    }

    /// Waits until the expected text has come (if there is one) and then `quiet_ms` pass in
    /// silence.
    async fn expect(
        &mut self,
        is_expected: bool,
        within_ms: u32,
        quiet_ms: u32,
    ) -> Result<(), DeviceError> {
        let limit_ms = self.line.now_ms().saturating_add(within_ms.into());
        let patience_ms = limit_ms.saturating_add(quiet_ms.into());
        loop {
            // All bytes that have arrived count together, so read them first.
            let mut byte = self.line.read_any_until(0).await;
            if byte.is_none() {
                let is_met = !is_expected || self.heard.has_end(&self.rules);
                let now_ms = self.line.now_ms();
                if is_met && quiet_ms == 0 {
                    return Ok(());
                }
                if now_ms > patience_ms {
                    return Err(DeviceError::NotReset);
                }
                let quiet_until_ms = now_ms.saturating_add(quiet_ms.into());
                byte =
                    self.line.read_any_until(if is_met { quiet_until_ms } else { limit_ms }).await;
                if byte.is_none() {
                    return if is_met { Ok(()) } else { Err(DeviceError::NotReset) };
                }
            }
            self.take_of_reset(byte.unwrap_or_default());
        }
    }

    /// Takes a byte during a reset, when there may be more bytes than fit into the buffers.
    fn take_of_reset(&mut self, byte: u8) {
        if self.heard.push(&self.rules, byte).is_err() {
            self.heard.make_room();
            // Now there is room.
            let _ = self.heard.push(&self.rules, byte);
        }
    }

    /// Carries out the steps of an input and reads the reply.
    async fn ask(
        &mut self,
        InputSteps { reply, steps, .. }: InputSteps,
    ) -> Result<(), DeviceError> {
        let rule = self.rules.reply(reply);
        self.expect_silence(self.line.now_ms(), rule).await?;
        self.line_error = None;
        let last_ms = match self.talk(rule, steps).await {
            Err(error) if self.rules.shows_line_errors() && name(error).is_some() => {
                self.line_error = name(error);
                return self.await_quiet(rule).await;
            }
            talked => talked?,
        };
        if rule.settle_ms > 0 {
            self.expect_silence(last_ms.saturating_add(rule.settle_ms.into()), rule).await?;
        }
        Ok(())
    }

    /// Carries out steps. Returns when the last byte of the reply came that counts.
    async fn talk(&mut self, rule: ReplyRule, steps: Steps) -> Result<u64, DeviceError> {
        let (mut at, mut echo, mut last_ms) = (0, None, None);
        while let Some(step) = self.rules.step(steps, at) {
            at += 1;
            match step {
                Step::Send(bytes) => self.line.write(self.rules.text(bytes)).await,
                Step::Echo { text, has_line_end } => echo = Some(EchoedText { text, has_line_end }),
                Step::Wait { ms } => self.keep(ms).await?,
                Step::Pin { name, ms } => {
                    self.pins.set(self.rules.text(name), true)?;
                    let kept = self.keep(ms).await;
                    self.pins.set(self.rules.text(name), false)?;
                    kept?;
                }
                Step::Listen { ms } => last_ms = Some(self.receive(rule, echo, Some(ms)).await?),
                Step::Hear { by, reply } => {
                    let heard_ms = self.receive(self.rules.reply(reply), echo.take(), None).await?;
                    if !self.rules.automaton(by).accepts_text(self.heard.body()) {
                        last_ms = Some(heard_ms);
                        break;
                    }
                }
                Step::Expect { .. } => {}
            }
        }
        match last_ms {
            Some(last_ms) => Ok(last_ms),
            None => self.receive(rule, echo, None).await,
        }
    }

    /// Waits, and keeps the bytes that come.
    async fn keep(&mut self, ms: u32) -> Result<(), DeviceError> {
        self.line.keep_until(self.line.now_ms().saturating_add(ms.into())).await
    }

    /// Drops what follows an error on the line, until it is quiet.
    async fn await_quiet(&mut self, rule: ReplyRule) -> Result<(), DeviceError> {
        let limit_ms = self.line.now_ms().saturating_add(rule.max_ms.into());
        while self.line.read_until(self.line.now_ms().saturating_add(QUIET_MS)).await != Ok(None) {
            if self.line.now_ms() > limit_ms {
                return Err(DeviceError::Unending);
            }
        }
        Ok(())
    }

    /// Reads until the reply has ended. Returns the time of its last byte that counts.
    async fn receive(
        &mut self,
        rule: ReplyRule,
        echo: Option<EchoedText>,
        listens_ms: Option<u32>,
    ) -> Result<u64, DeviceError> {
        let started_ms = self.line.now_ms();
        let mut reply = IncomingReply::new(rule, listens_ms);
        self.heard.begin(Watch { ends: rule.ends, line: rule.line }, echo);
        while let Some(deadline_ms) = reply.deadline_ms(&self.heard) {
            match self.line.read_until(started_ms.saturating_add(deadline_ms.into())).await? {
                Some(byte) => {
                    let at_ms = self.line.now_ms().saturating_sub(started_ms);
                    let at_ms = u32::try_from(at_ms).unwrap_or(u32::MAX);
                    reply.take(&mut self.heard, &self.rules, byte, at_ms)?;
                }
                None => reply.expire(&mut self.heard, &self.rules)?,
            }
        }
        Ok(started_ms.saturating_add(reply.last_ms().into()))
    }

    /// Fails if bytes that count have come since the last reply or come before `until_ms`. A rule
    /// that drops late bytes discards them instead.
    async fn expect_silence(&mut self, until_ms: u64, rule: ReplyRule) -> Result<(), DeviceError> {
        if rule.drops_late {
            self.line.drop_until(until_ms).await;
            return Ok(());
        }
        self.line.keep_until(until_ms).await?;
        let late = self.rules.clean(self.line.kept());
        self.line.forget();
        if late > 0 { Err(DeviceError::Late) } else { Ok(()) }
    }
}

#[waiting(AFIT)]
impl<L: Link, P: Offers> Sul for Conversation<L, P> {
    type Error = DeviceError;

    async fn reset(&mut self) -> Result<(), DeviceError> {
        // Whoever awaited a step that held a pin may have dropped it.
        self.pins.rest()?;
        let (mut number, mut result) = (0, Err(DeviceError::NotReset));
        while let Some((rule, steps)) = self.rules.reset(number) {
            for _ in 0..rule.tries {
                result = self.try_reset(rule, steps).await;
                if result.is_ok() {
                    return result;
                }
            }
            number += 1;
        }
        result
    }

    async fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        let rule = self.rules.input(input).unwrap_or_default();
        self.ask(rule).await?;
        let body = self.heard.body();
        Ok(match self.line_error {
            Some(name) => name,
            None if body.is_empty() => self.rules.text(self.rules.reply(rule.reply).silent),
            None => body,
        })
    }
}

impl<L: Link, P: Offers> Attached for Conversation<L, P> {
    fn inputs(&self) -> u32 {
        self.rules.inputs()
    }

    fn input_name(&self, input: Input) -> &[u8] {
        self.rules.input_name(input)
    }

    fn take(&mut self, number: u32, rule: &[u8]) -> Result<(), Refusal> {
        self.take_rule(number, Rule::decode(rule).ok_or(Refusal::NoRules)?)
    }

    fn offers(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        self.pins.each(see);
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        self.pins.rest()
    }

    fn rules_digest(&self) -> u32 {
        self.rules.digest()
    }

    fn check(&self) -> Result<(), Refusal> {
        self.refusal.map_or_else(|| self.rules.check(), Err)
    }
}

/// The output that stands for an error on the line; `None` if the line is not to blame, or this end
/// of it is.
fn name(error: DeviceError) -> Option<&'static [u8]> {
    match error {
        DeviceError::Framing => Some(b"(framing error)"),
        DeviceError::Parity => Some(b"(parity error)"),
        DeviceError::Break => Some(b"(break)"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use mealybug_core::wire::line::{LineSettings, Parity};
    use mealybug_core::wire::rule::MAX_RULE;

    use super::*;
    use crate::LineFault;

    /// A line on which nothing comes. It can have any baud rate, but only one format.
    struct Silent(LineSettings);

    #[waiting(AFIT)]
    impl Link for Silent {
        fn now_ms(&self) -> u64 {
            0
        }

        async fn write(&mut self, _: &[u8]) {}

        async fn read_until(&mut self, _: u64) -> Result<Option<u8>, LineFault> {
            Ok(None)
        }

        fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
            if settings == (LineSettings { baud: settings.baud, ..self.0 }) {
                self.0 = settings;
                return Ok(());
            }
            Err(self.0)
        }
    }

    #[test]
    fn a_file_is_taken_whole_or_not_at_all() {
        let file = include_bytes!("../testdata/motor.rules");
        let device = Conversation::with_rules(Silent(LineSettings::DEFAULT), file);
        assert_eq!((device.check(), device.inputs()), (Ok(()), 8));
        assert_eq!(device.input_name(Input::new(0)), b"enable");
        for damaged in [&file[..file.len() - 1], &file[1..], b""] {
            let device = Conversation::with_rules(Silent(LineSettings::DEFAULT), damaged);
            assert_eq!((device.check(), device.inputs()), (Err(Refusal::NoRules), 0));
        }
    }

    #[test]
    fn the_line_has_the_settings_of_the_rules_or_refuses_them() {
        let mut device = Conversation::new(Silent(LineSettings::DEFAULT));
        let mut take = |settings| {
            let taken = device.take(0, Rule::Line(settings).encode(&mut [0; MAX_RULE]));
            (taken, device.line.link.0)
        };
        let slow = LineSettings { baud: 9600, ..LineSettings::DEFAULT };
        let even = LineSettings { parity: Parity::Even, ..LineSettings::DEFAULT };
        assert_eq!(take(slow), (Ok(()), slow));
        assert_eq!(take(even), (Err(Refusal::Line(slow)), slow));
        assert_eq!(take(LineSettings::DEFAULT), (Ok(()), LineSettings::DEFAULT));
    }

    #[test]
    fn a_rule_out_of_turn_does_not_change_the_line() {
        let mut device = Conversation::new(Silent(LineSettings::DEFAULT));
        let slow = Rule::Line(LineSettings { baud: 9600, ..LineSettings::DEFAULT });
        for number in [1, 7, u32::MAX] {
            let taken = device.take(number, slow.encode(&mut [0; MAX_RULE]));
            assert_eq!(taken, Err(Refusal::RuleMissing));
            assert_eq!(device.line.link.0, LineSettings::DEFAULT);
        }
    }

    #[test]
    fn a_program_whose_rules_are_not_for_its_line_says_so_until_others_come() {
        let even = LineSettings { parity: Parity::Even, ..LineSettings::DEFAULT };
        let file = include_bytes!("../testdata/motor.rules");
        let mut device = Conversation::with_rules(Silent(even), file);
        assert_eq!((device.check(), device.inputs()), (Err(Refusal::Line(even)), 0));
        let rule = Rule::Line(LineSettings { baud: 9600, ..even });
        assert_eq!(device.take(0, rule.encode(&mut [0; MAX_RULE])), Ok(()));
        assert_eq!(device.check(), Err(Refusal::NoRules), "the others are missing");
    }
}
