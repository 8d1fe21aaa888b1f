//! The device behind a link.

mod late;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mealybug_core::{Input, Sul};

use super::connection_end::ConnectionEnd;
use super::control_lines::ControlLines;
use super::echo::OddEchoes;
use super::error::LinkError;
use super::exchange::{Exchange, HeardReply};
use super::link::TimedLink;
use super::reconnect::{reconnect, reconnect_when_back, set_levels};
use super::reset::{DoneReset, ResetAttempt, ResetFailure};
use super::statistics::{PortStatistics, ReplyCounts, TimeSpent};
use super::unfinished::HeldBytes;
use crate::device::{DeviceFile, DeviceStep, InputRule, Late, Pauses, Variables};
use crate::escape::excerpt;
use crate::store::{ConnectionEnded, Garbled};

/// How many inputs of a word to show: the last ones.
const SHOWN: usize = 20;

/// How many times longer than the device file says to wait for replies at most.
const PATIENCE_MAX: u32 = 8;
/// After so many words without a late reply the patience is halved.
const CALM_WORDS: u32 = 100;
/// A reply goes on after its end if more came this many times in words in which nothing was waited for.
const GOES_ON: u32 = 2;

/// A device behind a [`TimedLink`], used as its device file says.
///
/// Outputs are the names of the replies: what the file calls them, or the escaped reply itself.
///
/// If bytes came after the last reply of a word, that reply may have been taken for finished too
/// early. The reset that follows notices this and asks the word again at once; if the answers
/// differ, the reset fails with [`LinkError::Suspect`].
///
/// ```no_run
/// use std::path::Path;
/// use mealybug::device::DeviceFile;
/// use mealybug::serial::{SerialLink, SerialSul};
/// use mealybug_core::{Input, Sul};
///
/// let device = DeviceFile::load(Path::new("lock.toml"))?;
/// let link = SerialLink::open("/dev/ttyUSB0", &device.port)?;
/// let mut sul = SerialSul::new(link, device)?;
/// sul.reset()?;
/// let output = sul.step(Input::new(0))?;
/// println!("{}", String::from_utf8_lossy(output));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SerialSul<L> {
    link: L,
    device: Arc<DeviceFile>,
    /// The device file without the pauses that are tried.
    unpaused: Option<Arc<DeviceFile>>,
    lines: ControlLines,
    variables: Variables,
    /// The bytes after the end of the last reply that were already read. Those from before the end of a reset are the
    /// beginning of an unasked line, or nothing.
    excess: HeldBytes,
    echoes: OddEchoes,
    /// The inputs since the reset, with their outputs; `None` where only the answer was lost on its way.
    word: Vec<(Input, Option<String>)>,
    /// Whether the last reply was silence.
    was_silent: bool,
    /// Whether silence ended the last reply, though the rule describes another end.
    was_unmet: bool,
    /// Whether a reply of the word ended by a time: then more patience may show another end.
    has_waited: bool,
    /// Whether bytes came late in the word.
    was_late: bool,
    /// Whether more came with the end of the last reply.
    had_excess: bool,
    /// How often more came after the reply to an input: with its end, or in words in which no reply ended by a time.
    rests: BTreeMap<Input, u32>,
    /// Whether the word failed: then its answers are not used, and need no second try.
    has_failed: bool,
    connection_end: ConnectionEnd,
    /// Whether the device was gone at the last try.
    is_gone: bool,
    /// How many times longer than the device file says to wait for replies: 1 as long as none is
    /// late. Twice as long after a word with a late reply.
    patience: u32,
    /// The number of words since the patience changed.
    calm_words: u32,
    /// When the reset was over.
    began: Duration,
    answer: String,
    /// What was named so, where that is one reply.
    reply: Option<Vec<u8>>,
    statistics: PortStatistics,
    warnings: Vec<String>,
}

impl<L: TimedLink> SerialSul<L> {
    /// Takes a link to `device`, and sets its control lines.
    ///
    /// # Errors
    /// The link failed.
    pub fn new(link: L, device: DeviceFile) -> Result<Self, LinkError> {
        let statistics = PortStatistics {
            resets: vec![TimeSpent::default(); device.resets.len()],
            inputs: vec![TimeSpent::default(); device.inputs.len()],
            replies: vec![ReplyCounts::default(); device.inputs.len()],
            has_baud: link.has_baud(),
            ..PortStatistics::default()
        };
        let mut sul = Self {
            link,
            lines: ControlLines::default(),
            variables: device.variables(),
            device: Arc::new(device),
            unpaused: None,
            excess: HeldBytes::default(),
            echoes: OddEchoes::default(),
            word: Vec::new(),
            was_silent: false,
            was_unmet: false,
            has_waited: false,
            was_late: false,
            had_excess: false,
            rests: BTreeMap::new(),
            has_failed: false,
            connection_end: ConnectionEnd::default(),
            is_gone: false,
            patience: 1,
            calm_words: 0,
            began: Duration::ZERO,
            answer: String::new(),
            reply: None,
            statistics,
            warnings: Vec::new(),
        };
        set_levels(&mut sul.link, &mut sul.lines, &sul.device.port)?;
        sul.began = sul.link.now();
        Ok(sul)
    }

    /// Opens the link again if the device was gone or the connection has ended, unless the reset does so itself.
    fn find_again(&mut self) -> Result<(), LinkError> {
        if !self.is_gone && !self.connection_end.has_ended() {
            return Ok(());
        }
        self.excess = HeldBytes::default();
        self.word.clear();
        if !self.resets_reconnect() {
            let again = match self.connection_end.is_allowed() {
                true => reconnect_when_back,
                false => reconnect,
            };
            again(&mut self.link, &mut self.lines, &self.device.port)?;
        }
        self.is_gone = false;
        Ok(())
    }

    /// Whether a reset opens a new connection before it needs one. Commands and waits need none.
    fn resets_reconnect(&self) -> bool {
        let needs_one =
            |step: &&DeviceStep| !matches!(step, DeviceStep::Run(_) | DeviceStep::Wait(_));
        let first = self.device.resets.first().and_then(|it| it.steps.iter().find(needs_one));
        first == Some(&DeviceStep::Reconnect)
    }

    /// The device file.
    pub fn device(&self) -> &DeviceFile {
        &self.device
    }

    /// The link to the device.
    pub fn link(&self) -> &L {
        &self.link
    }

    /// What was counted at the port so far.
    pub fn statistics(&self) -> &PortStatistics {
        &self.statistics
    }

    /// From now on, this is the output when the connection ends after `input`.
    pub(crate) fn allow_end(&mut self, input: Input, output: &str) {
        let device = Arc::make_mut(&mut self.device);
        if let Some(rule) = device.inputs.get_mut(input.index() as usize) {
            rule.reply.closed = Some(output.to_owned());
        }
    }

    /// From now on, the reply to `input` may take this long to begin. Returns how long it could take before.
    pub(crate) fn set_within(&mut self, input: Input, within: Duration) -> Duration {
        let device = Arc::make_mut(&mut self.device);
        let rule = device.inputs.get_mut(input.index() as usize);
        rule.map_or(within, |rule| std::mem::replace(&mut rule.reply.within, within))
    }

    /// From now on, the file has these pauses, in place of those of the call before.
    pub(crate) fn pause(&mut self, pauses: &Pauses) {
        let unpaused = self.unpaused.take().unwrap_or_else(|| Arc::clone(&self.device));
        self.device = Arc::clone(&unpaused);
        if !pauses.is_none() {
            pauses.set(Arc::make_mut(&mut self.device));
            self.unpaused = Some(unpaused);
        }
    }

    /// Warnings about the port for the user, each once.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// If the last reply was silence: how long it was waited for, as the device file says.
    pub fn silence(&self) -> Option<Duration> {
        let (input, _) = self.word.last().filter(|_| self.was_silent)?;
        Some(self.device.inputs.get(input.index() as usize)?.reply.within)
    }

    /// Listens for this long, and returns what has come since the last reply ended, after `strip`. These bytes are
    /// still late: the next input fails because of them, but a reset does not.
    ///
    /// # Errors
    /// The link failed.
    pub fn listen(&mut self, time: Duration) -> Result<Vec<u8>, LinkError> {
        let until = self.link.now() + time;
        let heard = match self.connection_end.has_ended() {
            true => Ok(()),
            false => self.hear_late(until),
        };
        // The caller sees that the word is suspect and does not want it to be asked again.
        self.has_failed |= self.says_something();
        let during = match self.word.last() {
            Some((input, _)) => format!("nothing was sent after `{}`", self.name(*input)),
            None => "nothing was sent after the reset".to_owned(),
        };
        heard
            .or_else(|error| self.connection_end.take(error))
            .map_err(|error| LinkError::during(error, during))?;
        Ok(self.late_contents())
    }

    /// Whether the connection has ended in this word.
    pub fn ended(&self) -> Option<ConnectionEnded<'_>> {
        self.connection_end.seen()
    }

    /// Updates the state after each action, whether it worked or not.
    fn take_stock<T>(&mut self, result: &Result<T, LinkError>) {
        self.is_gone |= result.as_ref().is_err_and(LinkError::is_gone);
        self.warnings.clear();
        self.warnings.extend(self.lines.warnings());
    }

    /// Waits longer for replies after a late one, and less long when there was none for a while. The rest of a reply that goes on
    /// after its end comes however long is waited for others.
    fn adapt_patience<T>(&mut self, result: &Result<T, LinkError>) {
        let is_late = matches!(result, Err(LinkError::Late { .. } | LinkError::Suspect { .. }));
        self.was_late |= is_late;
        let last = self.word.last().map(|(input, _)| *input).filter(|_| is_late);
        if let Some(last) = last.filter(|_| !self.has_waited || self.had_excess) {
            *self.rests.entry(last).or_default() += 1;
        }
        let goes_on = last.is_some_and(|last| self.rests.get(&last) >= Some(&GOES_ON));
        // What comes in a pause that is only tried needs no patience without it.
        let is_paused = self.unpaused.is_some();
        match result {
            Err(_) if is_late && self.has_waited && !goes_on && !is_paused => {
                self.patience = (self.patience * 2).min(PATIENCE_MAX);
                self.calm_words = 0;
            }
            Ok(_) if self.calm_words >= CALM_WORDS => {
                self.patience = (self.patience / 2).max(1);
                self.calm_words = 0;
            }
            _ => {}
        }
    }

    /// Opens the link again if it must be, and resets the device.
    fn try_resets(&mut self) -> Result<(), LinkError> {
        self.find_again()?;
        let result = match self.try_methods() {
            // What the last input did is noticed only now.
            Err(LinkError::Gone { .. }) if self.connection_end.is_allowed() => {
                self.is_gone = true;
                self.find_again().and_then(|()| self.try_methods())
            }
            result => result,
        };
        self.connection_end = ConnectionEnd::default();
        result
    }

    /// Tries the reset methods in their order until one works.
    fn try_methods(&mut self) -> Result<(), LinkError> {
        let mut tried = String::new();
        let mut received = Vec::new();
        for (at, method) in self.device.resets.iter().enumerate() {
            for _ in 0..method.tries {
                let started = self.link.now();
                let has_ended = self.connection_end.is_allowed();
                let attempt =
                    ResetAttempt::new(&mut self.link, &self.device, &mut self.lines, has_ended);
                let result = attempt.try_method(method);
                let took = self.link.now().saturating_sub(started);
                self.statistics.resets[at].add(took, result.is_ok());
                match result {
                    Ok(DoneReset { variables, is_heard, unfinished, last }) => {
                        self.variables = variables;
                        self.statistics.is_heard_at_reset |= is_heard;
                        self.began = self.link.now();
                        let before = unfinished.len();
                        self.excess = HeldBytes { bytes: unfinished, before, last };
                        return Ok(());
                    }
                    Err(ResetFailure::Link(error)) => return Err(error),
                    Err(ResetFailure::Device { why, received: instead }) => {
                        received.push(instead);
                        tried.push_str(&format!("\n[[reset]] {}: {why}", at + 1));
                    }
                }
            }
        }
        let history = self.history();
        let help = LinkError::reset_help(history.is_empty(), &received, self.link.has_baud());
        Err(LinkError::Reset { history, tried, help })
    }

    /// How many resets had worked, and what was sent since.
    fn history(&self) -> String {
        let worked: u64 =
            self.statistics.resets.iter().map(|spent| spent.count - spent.failed).sum();
        let times = match worked {
            0 => return String::new(),
            1 => "once".to_owned(),
            _ => format!("{worked} times"),
        };
        let before = match self.word.is_empty() {
            true => String::new(),
            false => format!("; the word before it was {}", self.word_sent()),
        };
        format!(", though it did {times}{before}")
    }

    fn word_sent(&self) -> String {
        self.shown(&self.word)
    }

    /// The inputs of a word, for messages.
    fn shown(&self, word: &[(Input, Option<String>)]) -> String {
        let names = word.iter().map(|(input, _)| self.name(*input));
        match word.len() {
            0 => "nothing".to_owned(),
            len if len > SHOWN => {
                let last: Vec<_> = names.skip(len - SHOWN).collect();
                format!("{len} inputs, the last of them `{}`", last.join(" "))
            }
            _ => format!("`{}`", names.collect::<Vec<_>>().join(" ")),
        }
    }

    fn name(&self, input: Input) -> &str {
        let rule = self.device.inputs.get(input.index() as usize);
        rule.map_or("?", |rule| rule.name.as_str())
    }

    /// Gives the device an input, and returns the name of its output. Where only the answer was lost on its way, the word
    /// goes on after it.
    fn ask(&mut self, input: Input) -> Result<String, LinkError> {
        let asked = self.word.len();
        let result = self.try_to_ask(input);
        if result.as_ref().is_err_and(|error| error.garbled() != Garbled::No) {
            self.word.truncate(asked);
            self.word.push((input, None));
            self.was_silent = false;
        }
        result
    }

    fn try_to_ask(&mut self, input: Input) -> Result<String, LinkError> {
        let index = input.index();
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        let device = Arc::clone(&self.device);
        let Some(rule) = device.inputs.get(position) else {
            return Err(LinkError::NoSuchInput { index });
        };
        let patient = self.patient(rule);
        let rule = &*patient;
        (self.reply, self.had_excess) = (None, false);
        self.check_time()?;
        let reconnects = DeviceStep::begin_with_reconnect(&rule.steps);
        if let Some(closed) = self.connection_end.output().filter(|_| !reconnects).cloned() {
            self.word.push((input, Some(closed.clone())));
            return Ok(closed);
        }
        let allowed = self.connection_end.allowed().cloned();
        self.connection_end.allow(rule.reply.closed.as_ref());
        let now = self.link.now();
        self.hear_late(now)
            .map_err(|error| LinkError::during(error, format!("`{}` was to be sent", rule.name)))?;
        let (mut unasked, held) = self.judge_late(rule)?;
        // What came with the reset is no fault, whatever it was.
        let of_reset = held.before;
        let held_bytes = held.bytes.len();
        if reconnects {
            self.connection_end.begin_anew();
        }
        let is_same =
            |other: &InputRule| other.reply.closed.is_none() || other.reply.closed == allowed;
        self.connection_end.begin_input(allowed.is_some() && device.inputs.iter().all(is_same));
        let started = self.link.now();
        let held = HeldBytes { before: held_bytes, ..held };
        let result = self.exchange(&device, rule, held);
        let took = self.link.now().saturating_sub(started);
        self.statistics.inputs[position].add(took, result.is_ok());
        let mut heard = result?;
        let broken = heard.broken.get(of_reset..).unwrap_or_default().to_vec();
        unasked.extend(self.judge_broken(broken, rule)?);
        heard.held.before = (heard.held.before + of_reset).saturating_sub(held_bytes);
        if heard.is_closed {
            self.connection_end.end();
        }
        self.statistics.replies[position].hear(&rule.reply, &heard);
        let answer = self.output(rule, &heard, &unasked)?;
        self.was_silent = heard.output.is_none() && !heard.is_closed;
        self.was_unmet = heard.is_unmet;
        self.has_waited |= heard.has_expired;
        self.word.push((input, Some(answer.clone())));
        self.settle(rule, heard)?;
        self.check_time()?;
        Ok(answer)
    }

    /// The rule, with as much patience as this device needs.
    fn patient<'r>(&self, rule: &'r InputRule) -> Cow<'r, InputRule> {
        if self.patience == 1 {
            return Cow::Borrowed(rule);
        }
        let reply = rule.reply.with_patience(self.patience);
        Cow::Owned(InputRule { reply, ..rule.clone() })
    }

    /// Does the steps of an input and hears the reply, unless the connection has ended.
    fn exchange(
        &mut self,
        device: &DeviceFile,
        rule: &InputRule,
        held: HeldBytes,
    ) -> Result<HeardReply, LinkError> {
        if self.connection_end.has_ended() {
            return Ok(HeardReply::of_end());
        }
        let exchange = Exchange {
            link: &mut self.link,
            lines: &mut self.lines,
            device,
            rule,
            variables: &mut self.variables,
            echoes: &mut self.echoes,
            may_close: self.connection_end.is_allowed(),
            sent: Vec::new(),
            early: Vec::new(),
            held,
            broken: Vec::new(),
        };
        exchange.run()
    }

    /// Names the reply.
    fn output(
        &mut self,
        rule: &InputRule,
        heard: &HeardReply,
        unasked: &[u8],
    ) -> Result<String, LinkError> {
        let joined = rule.reply.late == Late::Reply;
        let is_first = self.word.is_empty();
        if let (Some(why), Some(reply)) = (heard.fault, &heard.output) {
            let (input, received) = (rule.name.clone(), excerpt(reply));
            return Err(LinkError::Frame { input, why, received, is_first });
        }
        let reply = match (&heard.output, &rule.reply.checksum, heard.verified.as_deref()) {
            (None, ..) => None,
            (Some(_), _, Some(verified)) => Some(verified),
            // The end of the connection came before that of the reply.
            (Some(_), _, None) if heard.is_closed && rule.reply.has_end() => None,
            (Some(reply), Some(checksum), None) => {
                return Err(LinkError::Checksum {
                    input: rule.name.clone(),
                    checksum: checksum.name(),
                    received: excerpt(reply),
                    is_first,
                });
            }
            (Some(reply), None, None) => Some(reply.as_slice()),
        };
        if let Some(reply) = reply {
            self.device.capture(reply, &mut self.variables);
        }
        let has_reply = reply.is_some();
        let is_said = has_reply || joined && !unasked.is_empty();
        let before = if joined { unasked } else { b"" };
        let named = is_said.then(|| [before, reply.unwrap_or_default()].concat());
        let name = match &named {
            Some(named) => self.device.name_output(named),
            None => self.connection_end.output().unwrap_or(&rule.reply.silent).clone(),
        };
        let times = rule.reply.times.iter().rev().filter(|_| has_reply);
        let time = times.into_iter().find(|(from, _)| *from <= heard.took);
        let name = match time {
            Some((_, time)) => format!("{name} ({time})"),
            None => name,
        };
        if joined || unasked.is_empty() {
            self.reply = named;
            return Ok(name);
        }
        Ok(format!("{} + {name}", self.device.name_output(unasked)))
    }

    fn check_time(&self) -> Result<(), LinkError> {
        match self.device.word_max {
            Some(limit) if self.link.now().saturating_sub(self.began) > limit * self.patience => {
                Err(LinkError::WordTooLong { word: self.word_sent(), limit_ms: limit.as_millis() })
            }
            _ => Ok(()),
        }
    }
}

impl<L: TimedLink> Sul for SerialSul<L> {
    type Error = LinkError;

    /// Opens the link if the device was gone, then tries the reset methods until one works.
    fn reset(&mut self) -> Result<(), LinkError> {
        let result = self.end_word().and_then(|()| self.try_resets());
        // Nothing came after it now, long after something did: that was an accident.
        if result.is_ok()
            && !self.was_late
            && self.calm_words >= CALM_WORDS / 2
            && let Some((last, _)) = self.word.last()
        {
            self.rests.remove(last);
        }
        self.has_failed = false;
        self.calm_words += 1;
        self.adapt_patience(&result);
        self.was_late = false;
        self.word.clear();
        self.has_waited = false;
        self.take_stock(&result);
        result
    }

    fn step(&mut self, input: Input) -> Result<&[u8], LinkError> {
        let result = self.ask(input);
        self.has_failed |= result.as_ref().is_err_and(|error| error.garbled() == Garbled::No);
        self.adapt_patience(&result);
        self.take_stock(&result);
        self.answer = result?;
        Ok(self.answer.as_bytes())
    }

    fn reply(&self) -> Option<&[u8]> {
        self.reply.as_deref()
    }
}
