//! Takes steps of the reset at the device, and says what comes.

use std::io::{self, ErrorKind};
use std::thread;
use std::time::Duration;

use mealybug::device::{ControlLine, RUN_WITHIN, ShellCommand};
use mealybug::draft::{RECONNECT_WAIT_MS, ReadyText, ResetDraft};
use mealybug::escape::escape;
use mealybug::serial::{
    CommonStart, HeardBurst, TimedLink, UnaskedKind, ask_beside, hear, hear_beside,
    reopen_when_back, run_command, without_escapes,
};
use miette::Result;

use super::start::HeardStart;
use super::{RESET_WITHIN, up_to_prompt};
use crate::cmd::init::bytes::{TELLING_BYTES, end_of_greeting, prompt_of};
use crate::cmd::init::known::TakenStep;
use crate::cmd::init::questions::{GREETING, Questions};

/// How long a device may be silent while it starts: text may come in several pieces.
const START_PAUSE: Duration = Duration::from_secs(1);
/// How long to listen to a start at most.
const START_WITHIN: Duration = Duration::from_secs(10);
/// How often what a reset waits for may change, each time after it was tried again.
const TRIES: usize = 3;
/// How long to listen at most for lines that come unasked, if two starts differ.
const LISTEN: Duration = Duration::from_secs(10);
/// How long DTR is low in a reset.
const DTR_PULSE: Duration = Duration::from_millis(100);

impl Questions<'_> {
    /// Takes the steps of the reset again if the device has `taken` others, since some were taken back.
    pub(super) fn take_remaining(
        &mut self,
        link: &mut impl TimedLink,
        taken: &[ResetDraft],
    ) -> Result<()> {
        let steps = self.known.reset_steps();
        if steps.is_empty() || steps == taken {
            return Ok(());
        }
        let typed: Vec<_> =
            steps.iter().map(|step| format!("`{}`", self.known.typed(step))).collect();
        self.say(&format!("  The steps before it are taken again first: {}\n", typed.join(", ")))?;
        for step in &steps {
            self.try_step(link, step)?;
        }
        Ok(())
    }

    /// Takes a new step. If it ends the connection of a serial port, it is kept, and the new step is a new connection. Returns the
    /// new step, and what the device says then.
    pub(super) fn try_first(
        &mut self,
        link: &mut impl TimedLink,
        step: ResetDraft,
    ) -> Result<(ResetDraft, Option<HeardStart>)> {
        match self.try_step(link, &step)? {
            Some(heard)
                if heard.is_closed && self.known.has_baud && step != ResetDraft::Reconnect =>
            {
                self.say(&format!(
                    "  So `reconnect` is the next step, {RECONNECT_WAIT_MS} ms later, since the port may be away.\n"
                ))?;
                let ready = Vec::new().into();
                self.known.steps.push(TakenStep { step, ready, heard: Some(heard.bytes()) });
                let heard = self.try_step(link, &ResetDraft::Reconnect)?;
                Ok((ResetDraft::Reconnect, heard))
            }
            heard => Ok((step, heard)),
        }
    }

    /// Takes all steps again if bytes were `heard` after the last one. Returns the end of them that came twice; of lines of text, the
    /// last one.
    pub(super) fn try_twice(
        &mut self,
        link: &mut impl TimedLink,
        steps: &[ResetDraft],
        heard: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        if heard.is_empty() {
            return Ok(None);
        }
        self.say("  It is tried twice, to see which bytes come each time.\n")?;
        let mut again = None;
        for step in steps {
            again = self.try_step(link, step)?;
        }
        let again = again.map(|again| again.bytes());
        let common = again.as_deref().and_then(|again| common_end(heard, again));
        Ok(common.map(|common| end_of_greeting(common).to_vec()))
    }

    /// Takes all steps once more, since a reset must work again and again, and says where the device then says something
    /// else. Numbers that changed may be any numbers, which is tried, too; so are lines that came unasked.
    pub(super) fn try_again(&mut self, link: &mut impl TimedLink) -> Result<()> {
        for _ in 0..TRIES {
            if !self.has_new_answers(link)? {
                return Ok(());
            }
        }
        // What the last change made it wait for must come, too.
        match self.has_new_answers(link)? {
            false => Ok(()),
            true => self.say(&format!(
                "  The reset was tried {} times, and something else came each time: it may fail in a run.\n",
                TRIES + 1
            )),
        }
    }

    /// Takes all steps once more. Returns whether the reset waits for something else now.
    fn has_new_answers(&mut self, link: &mut impl TimedLink) -> Result<bool> {
        let mut has_changed = false;
        for (at, taken) in self.known.steps.clone().into_iter().enumerate() {
            let Some(heard) = self.try_step(link, &taken.step)? else { return Ok(false) };
            let heard = heard.bytes();
            if taken.ready.is_met(&heard) {
                continue;
            }
            let again = format!(
                "  The reset was tried again, and after `{}` came ",
                self.known.typed(&taken.step)
            );
            let shown = self.known.shown(&heard);
            let any = taken.ready.with_any_numbers(&heard).filter(|_| self.known.is_text());
            if let Some(any) = any {
                self.say(&format!("{again}other numbers: `{shown}`. {}", now_waits(&any)))?;
                self.known.steps[at].ready = any;
                has_changed = true;
                continue;
            }
            let mut common = self.common_start(&taken, &heard);
            if let Some(common) = &mut common {
                let names = self.name_unasked(link, common)?;
                if common.others.is_empty() {
                    let prompts = self.known.end_prompts();
                    let prompt = prompt_of(&heard, &prompts);
                    let whole = ReadyText::Matches(up_to_prompt(&common.line_pattern(), prompt));
                    self.say(&format!(
                        "{again}other lines: `{shown}`.{names} {}",
                        now_waits(&whole)
                    ))?;
                    self.known.steps[at].ready = whole;
                    // The steps after it are taken without the time that it took to listen.
                    return Ok(true);
                }
            }
            let both =
                common.map(|common| format!(" Only `{}` came both times.", escape(&common.line)));
            self.say(&format!(
                "{again}`{shown}`: it works only once, or what comes changes.{} `<` goes back to it.\n",
                both.unwrap_or_default()
            ))?;
            return Ok(false);
        }
        Ok(has_changed)
    }

    /// What a step's first start and this one have in common, where they are text.
    fn common_start(&self, taken: &TakenStep, heard: &[u8]) -> Option<CommonStart> {
        // What a person insists on may come another time.
        let first = taken.heard.as_deref().filter(|first| taken.ready.is_met(first));
        let first = first.filter(|_| self.known.is_text())?;
        CommonStart::of([first, heard].map(|heard| self.known.after_echo(&taken.step, heard)))
    }

    /// Finds out which lines that are different in two starts come unasked, and names those. Answers look like none of them.
    fn name_unasked(
        &mut self,
        link: &mut impl TimedLink,
        common: &mut CommonStart,
    ) -> Result<String> {
        common.leave_out(&self.known.unasked);
        if !common.others.is_empty() {
            self.say(&format!(
                "  Other lines came when the reset was tried again. Listening for {} s, since such lines may come unasked ...\n",
                LISTEN.as_secs()
            ))?;
            // A port that fails fails again with the next step.
            let _ = common.listen(link, LISTEN);
        }
        let (unasked, answers): (Vec<_>, Vec<_>) =
            common.unasked.drain(..).partition(|kind| !self.known.is_answered(kind));
        common.others.extend(answers.into_iter().map(|kind| kind.example));
        let name = |kind: &UnaskedKind| {
            format!(
                " Lines such as `{}` come unasked: `strip` takes them out.",
                escape(&kind.example)
            )
        };
        let names = unasked.iter().map(name).collect();
        self.known.unasked.extend(unasked);
        Ok(names)
    }

    /// Takes the steps of a reset that begins with a new connection, before an input. What comes is waited for only where something
    /// came when the step was tried.
    pub(in crate::cmd::init::questions) fn connect_as_reset(
        &mut self,
        link: &mut impl TimedLink,
    ) -> Result<()> {
        let unasked = self.known.unasked.clone();
        for TakenStep { step, ready, heard } in self.known.steps.clone() {
            let answers = heard.is_some_and(|heard| !heard.is_empty());
            let within = if answers { RESET_WITHIN } else { GREETING };
            let pause = link.now() + Duration::from_millis(self.known.pause_ms);
            let taken = match &step {
                ResetDraft::Reconnect => {
                    reopen_when_back(link).and_then(|()| hear_beside(link, within, &unasked))
                }
                ResetDraft::Send(bytes) => ask_beside(link, pause, bytes, within, &unasked),
                ResetDraft::Run(command) => {
                    self.run(link, command, &mut Vec::new())?;
                    hear_beside(link, within, &unasked)
                }
                // A network has no such line.
                ResetDraft::Dtr => continue,
            };
            let waited =
                taken.and_then(|heard| match ready.is_met(&without_escapes(&heard.bytes)) {
                    true => Ok(()),
                    false => hear_all(link, heard, RESET_WITHIN, &unasked).map(|_| ()),
                });
            if let Err(error) = waited {
                let typed = self.known.typed(&step);
                return self.say(&format!("  The reset failed at `{typed}`: {error}.\n"));
            }
        }
        Ok(())
    }

    /// Does a step of a reset and returns what the device says then; `None` if that was not tried. If it ends the connection, there
    /// is a new one afterwards, but at a serial port, where the next step opens it.
    pub(super) fn try_step(
        &mut self,
        link: &mut impl TimedLink,
        step: &ResetDraft,
    ) -> Result<Option<HeardStart>> {
        self.try_step_within(link, step, RESET_WITHIN)
    }

    /// The same, with another time in which the first byte must come.
    pub(super) fn try_step_within(
        &mut self,
        link: &mut impl TimedLink,
        step: &ResetDraft,
        within: Duration,
    ) -> Result<Option<HeardStart>> {
        // What came while the step was taken.
        let mut seen = Vec::new();
        let unasked = self.known.unasked.clone();
        if !matches!(step, ResetDraft::Send(_)) {
            // As in a run, what came before belongs to no step. A port that fails fails again below.
            let _ = link.clear_received();
        }
        if let ResetDraft::Run(command) = step
            && !self.run(link, command, &mut seen)?
        {
            return Ok(None);
        }
        let heard = self.take(link, step).and_then(|taken| {
            let first = match step {
                ResetDraft::Send(bytes) => ask_beside(link, taken, bytes, within, &unasked),
                _ => hear_beside(link, within, &unasked),
            };
            // A new connection is there with its greeting. Else the first text may only say that the step was heard.
            let pause = if *step == ResetDraft::Reconnect { START_PAUSE } else { RESET_WITHIN };
            Ok(HeardStart::new(taken, seen, hear_all(link, first?, pause, &unasked)?))
        });
        match heard {
            Ok(heard) => self.received(link, step, heard).map(Some),
            Err(error) => {
                let why = match (error.kind(), step) {
                    (ErrorKind::Unsupported, ResetDraft::Dtr) => "this port has no DTR".to_owned(),
                    _ => error.to_string(),
                };
                self.say(&format!("  The reset could not be tried: {why}.\n"))?;
                Ok(None)
            }
        }
    }

    /// Takes a step that sends nothing and runs nothing. Returns when it was taken: now, or after the pause before what is sent.
    fn take(&self, link: &mut impl TimedLink, step: &ResetDraft) -> io::Result<Duration> {
        match step {
            ResetDraft::Run(_) => {}
            ResetDraft::Send(_) => {
                return Ok(link.now() + Duration::from_millis(self.known.pause_ms));
            }
            ResetDraft::Dtr => {
                link.set(ControlLine::Dtr, false)?;
                hear(link, DTR_PULSE)?;
                link.set(ControlLine::Dtr, true)?;
            }
            ResetDraft::Reconnect => {
                if self.known.has_baud {
                    thread::sleep(Duration::from_millis(RECONNECT_WAIT_MS));
                }
                reopen_when_back(link)?;
            }
        }
        Ok(link.now())
    }

    /// Says what else is to be said of what came after a step, and opens a connection that it ended.
    fn received(
        &mut self,
        link: &mut impl TimedLink,
        step: &ResetDraft,
        mut heard: HeardStart,
    ) -> Result<HeardStart> {
        if heard.is_closed {
            let next = match self.known.has_baud {
                true => "",
                false => ": `reconnect` must be the next step",
            };
            self.say(&format!("  It ended the connection{next}.\n"))?;
            if !self.known.has_baud
                && let Err(error) = reopen_when_back(link)
            {
                self.say(&format!("  No new connection could be opened: {error}.\n"))?;
            }
        }
        let has_escapes = heard.strip_escapes();
        self.known.has_escapes |= self.known.is_text() && has_escapes;
        if let ResetDraft::Send(sent) = step {
            self.tell_of_echoes(sent, &heard.bytes())?;
        }
        Ok(heard)
    }

    /// Runs a command as a run does, and returns whether it succeeded. What the device says meanwhile goes to `seen`.
    fn run(
        &mut self,
        link: &mut impl TimedLink,
        command: &str,
        seen: &mut Vec<u8>,
    ) -> Result<bool> {
        self.say(&format!("  Running `{command}`, for {} s at most ...\n", RUN_WITHIN.as_secs()))?;
        let (command, folder) = (command.to_owned(), self.folder.clone());
        let shell = ShellCommand { command, folder, within: RUN_WITHIN };
        let why = match run_command(link, &shell, seen) {
            Ok(Ok(())) => return Ok(true),
            // The command may have taken the power away; what is heard next says that the connection has ended.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(true),
            Ok(Err(why)) => why,
            Err(error) => error.to_string(),
        };
        self.say(&format!("  {why}. A reset with it would fail.\n"))?;
        Ok(false)
    }
}

/// The end that two texts have in common, if that is all of both or long enough.
fn common_end<'a>(one: &'a [u8], other: &[u8]) -> Option<&'a [u8]> {
    let pairs = one.iter().rev().zip(other.iter().rev());
    let len = pairs.take_while(|(one, other)| one == other).count();
    (one == other || len >= TELLING_BYTES).then(|| &one[one.len() - len..])
}

fn now_waits(ready: &ReadyText) -> String {
    format!("The reset waits for `{}` now. `<` goes back to it.\n", ready.pattern())
}

/// What comes after this, and before it, until the device is silent for long, or the connection ends. The first time, it may be silent
/// for `pause`.
fn hear_all(
    link: &mut impl TimedLink,
    first: HeardBurst,
    mut pause: Duration,
    unasked: &[UnaskedKind],
) -> io::Result<Vec<HeardBurst>> {
    let end = link.now() + START_WITHIN;
    let mut all = vec![first];
    while let Some(last) = all.last() {
        if last.is_closed || last.bytes.is_empty() || link.now() >= end {
            break;
        }
        all.push(hear_beside(link, pause, unasked)?);
        pause = START_PAUSE;
    }
    Ok(all)
}
