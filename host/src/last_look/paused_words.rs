//! Words whose answers change if nothing is sent for a while.
//!
//! What an input does only after its answer, and time-outs of the device, stay hidden while inputs follow each other at one pace. The
//! model holds only at that pace. So this module asks a few words with one pause each, and compares the answers after the pause
//! with the model. `mealybug check` looks for the same before a run, with an exploration instead of a model, and finds out how long the
//! pause must be.

use std::time::Duration;

use mealybug_core::{Costs, Input, Mealy, Sul};

use super::pauses::{PausedWord, paused_words};
use crate::device::DeviceFile;
use crate::learned_components::output_name;
use crate::machine::{Machine, Transition};
use crate::serial::{LinkError, SerialSul, TimedLink};
use crate::short_output::short_both;
use crate::statistics::RefutingWord;
use crate::word;

/// The length of a pause.
const PAUSE: Duration = Duration::from_secs(1);
/// The look takes a tenth of the run's time: at least this long, or as long as the run if that is shorter, and at most a minute.
const AT_LEAST: Duration = Duration::from_secs(10);
const SHARE: u32 = 10;
const AT_MOST: Duration = Duration::from_secs(60);
/// How often the device must give the same answer.
const TIMES: usize = 3;
/// After this many failed resets in a row the device is not there.
const FAILED_RESETS: u32 = 2;

/// How long to look, after a run that has spent this long at the device.
pub fn time_after(spent: Duration) -> Duration {
    spent.min(AT_LEAST).max(spent / SHARE).min(AT_MOST)
}

/// A device that can be left alone.
pub trait Pausing: Sul {
    /// The current time on the device's clock.
    fn now(&self) -> Duration;

    /// Sends nothing for this long. Returns whether the device was silent.
    ///
    /// # Errors
    /// The link failed.
    fn leave_alone(&mut self, time: Duration) -> Result<bool, Self::Error>;
}

impl<L: TimedLink> Pausing for SerialSul<L> {
    fn now(&self) -> Duration {
        self.link().now()
    }

    fn leave_alone(&mut self, time: Duration) -> Result<bool, LinkError> {
        Ok(self.listen(time)?.is_empty())
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct PausedWords {
    /// The words whose answers are not those of the model: one at most, for the search ends there.
    pub refuting: Vec<RefutingWord>,
    /// What the user should know of them.
    pub notes: Vec<String>,
    /// What was asked for that.
    pub asked: Costs,
}

/// Looks for such words for this `time`, as long as `goes_on` says so: first asks those that an `earlier` session has found. A
/// device that fails here ends nothing: the run is over.
///
/// Where an input only waits as long, time is a part of the model: there is nothing to look for.
pub fn look<S: Pausing>(
    sul: &mut S,
    device: &DeviceFile,
    model: &Machine,
    time: Duration,
    earlier: &[RefutingWord],
    goes_on: impl FnMut() -> bool,
) -> PausedWords {
    if device.inputs.iter().any(|rule| rule.only_waits() >= Some(PAUSE)) {
        return PausedWords::default();
    }
    let (found, failed_resets) = (PausedWords::default(), 0);
    let mut search = PauseSearch { sul, device, model, goes_on, until: None, found, failed_resets };
    for known in earlier {
        search.ask_again(known);
    }
    if search.found.refuting.is_empty() {
        search.until = Some(search.sul.now() + time);
        search.search();
    }
    search.found
}

/// A search that is going on.
struct PauseSearch<'a, S, G> {
    sul: &'a mut S,
    device: &'a DeviceFile,
    model: &'a Machine,
    goes_on: G,
    /// When to stop asking new words.
    until: Option<Duration>,
    found: PausedWords,
    /// How many of the last resets failed in a row.
    failed_resets: u32,
}

/// What came of a word.
enum PauseResult {
    /// Its answers are those of the model.
    Same,
    /// The last answer is not that of the model, with the pause or even without it.
    Other { usual: String, other: String, is_paused: bool },
    /// The device answers in one way and in another.
    Varies,
    /// It was not asked to the end: the device failed, or spoke in the pause, or time was up.
    Unasked,
}

impl<S: Pausing, G: FnMut() -> bool> PauseSearch<'_, S, G> {
    fn search(&mut self) {
        for mut word in paused_words(self.model, self.device) {
            let is_late = self.until.is_some_and(|until| self.sul.now() + PAUSE > until);
            if is_late || self.failed_resets == FAILED_RESETS || !(self.goes_on)() {
                return;
            }
            let result = self.ask(&mut word);
            if self.keep(&word, result) {
                return;
            }
        }
    }

    /// Asks a word that an earlier session found. It stays found unless its answers are those of the model now.
    fn ask_again(&mut self, known: &RefutingWord) {
        let Ok(word) = word::parse(&known.word, &self.names()) else { return };
        // A pause behind the whole word is none.
        let before = known.pause_after.unwrap_or(word.len()).min(word.len());
        let mut word = PausedWord { word, before };
        let result = match (self.goes_on)() {
            true => self.ask(&mut word),
            false => PauseResult::Unasked,
        };
        let now = match result {
            PauseResult::Varies => "its answers vary in this one",
            PauseResult::Unasked => "this one could not ask it",
            PauseResult::Same | PauseResult::Other { .. } => {
                self.keep(&word, result);
                return;
            }
        };
        let note = format!("an earlier session found, and {now}: {}", self.note(known));
        self.found.notes.push(note);
        self.found.refuting.push(known.clone());
    }

    /// Keeps a word if its answers are not those of the model. Returns whether that is so.
    fn keep(&mut self, word: &PausedWord, result: PauseResult) -> bool {
        let PauseResult::Other { usual, other, is_paused } = result else { return false };
        let pause_after = is_paused.then_some(word.before);
        let word = word::format(&word.word, &self.names());
        let refuting = RefutingWord { word, pause_after, model: usual, device: other };
        self.found.notes.push(self.note(&refuting));
        self.found.refuting.push(refuting);
        true
    }

    fn names(&self) -> Vec<String> {
        self.device.inputs.iter().map(|input| input.name.clone()).collect()
    }

    /// Asks a word with its pause, and cuts it off after the first answer that is not that of the model.
    fn ask(&mut self, word: &mut PausedWord) -> PauseResult {
        let until = self.until;
        let result = self.try_ask(word).unwrap_or(PauseResult::Unasked);
        self.until = until;
        result
    }

    fn try_ask(&mut self, word: &mut PausedWord) -> Option<PauseResult> {
        let usual = self.expected(&word.word)?;
        let came = self.outputs(word, true)?;
        let Some(at) = came.iter().zip(&usual).position(|(came, usual)| came != usual) else {
            return Some(PauseResult::Same);
        };
        // What confirms it is asked in any case.
        self.until = None;
        word.word.truncate(at + 1);
        let [usual, mut other] = [usual, came].map(|mut outputs| outputs.swap_remove(at));
        let mut is_paused = false;
        if at >= word.before {
            self.shorten(word, &usual, &other);
            let unpaused = self.last(word, false)?;
            is_paused = unpaused == usual;
            other = if is_paused { other } else { unpaused };
        }
        for _ in 1..TIMES {
            if is_paused && self.last(word, false)? != usual || self.last(word, is_paused)? != other
            {
                return Some(PauseResult::Varies);
            }
        }
        Some(PauseResult::Other { usual, other, is_paused })
    }

    /// Drops the inputs between the pause and the last input if the last answer stays the same, with and without the pause.
    fn shorten(&mut self, word: &mut PausedWord, usual: &str, slow: &str) {
        let Some((last, _)) = word.word[word.before..].split_last() else { return };
        let shorter = PausedWord { word: [&word.word[..word.before], &[*last]].concat(), ..*word };
        let expected = self.expected(&shorter.word).and_then(|mut outputs| outputs.pop());
        if shorter.word.len() < word.word.len()
            && expected.is_some_and(|it| it == usual)
            && self.last(&shorter, true).is_some_and(|it| it == slow)
        {
            *word = shorter;
        }
    }

    /// What the model answers, if it is known.
    fn expected(&self, word: &[Input]) -> Option<Vec<String>> {
        let mut state = self.model.initial();
        let step = |input: &Input| {
            let Transition { target, output, .. } = self.model.transition(state, *input)?;
            state = target;
            Some(self.model.output_name(output).to_owned())
        };
        word.iter().map(step).collect()
    }

    /// The last answer of the device; `None` as for [`outputs`](Self::outputs).
    fn last(&mut self, word: &PausedWord, is_paused: bool) -> Option<String> {
        self.outputs(word, is_paused)?.pop()
    }

    /// What the device answers; `None` if it fails, if it says something in the pause, or if time is up.
    fn outputs(&mut self, word: &PausedWord, is_paused: bool) -> Option<Vec<String>> {
        self.found.asked.resets += 1;
        let result = self.sul.reset();
        self.failed_resets = if result.is_ok() { 0 } else { self.failed_resets + 1 };
        result.ok()?;
        let mut outputs = Vec::new();
        for (at, input) in word.word.iter().enumerate() {
            let is_late = self.until.is_some_and(|until| self.sul.now() > until);
            if is_late || !(self.goes_on)() {
                return None;
            }
            if is_paused && at == word.before && !self.sul.leave_alone(PAUSE).ok()? {
                return None;
            }
            self.found.asked.symbols += 1;
            outputs.push(output_name(self.sul.step(*input).ok()?));
        }
        Some(outputs)
    }

    /// What the user should know of a word.
    fn note(&self, RefutingWord { word, pause_after, model, device }: &RefutingWord) -> String {
        let [usual, other] = short_both([model, device]);
        let Some(before) = pause_after else {
            return format!(
                "the last input of `{word}` is answered `{other}` ({TIMES} of {TIMES} times), and the model says `{usual}`. Either the model is \
                 wrong there, or the device answers otherwise than before. A file with this word for `--words`, with `--resume`, makes \
                 it a test"
            );
        };
        let inputs = word::parse(word, &self.names()).unwrap_or_default();
        let actor = before.checked_sub(1).and_then(|at| inputs.get(at));
        let ms = (2 * PAUSE).as_millis();
        let (after, acts, setting) = match actor {
            Some(actor) => {
                let name = &self.device.inputs[actor.index() as usize].name;
                (
                    format!("`{name}`"),
                    format!("`{name}` acts only after a while"),
                    format!("settle_ms = {ms} in its `reply`"),
                )
            }
            None => (
                "the reset".to_owned(),
                "the reset is over only after a while".to_owned(),
                format!("quiet_ms = {ms} in [[reset]]"),
            ),
        };
        format!(
            "the last input of `{word}` is answered `{usual}`, but `{other}` when nothing is sent for {} s after {after} ({TIMES} of {TIMES} \
             times). The model shows the device without pauses. Either {acts}, and {setting} gives it the time; or a time-out of the \
             device ran out, and an input that waits, such as `wait = {{ wait_ms = {ms} }}`, makes it part of the model. \
             `mealybug check` finds out how long it takes",
            PAUSE.as_secs()
        )
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Error;

    use super::super::pauses::tests::{FILE, device, model};
    use super::*;
    use crate::machine::testing::machine;

    /// A motor that turns a while after its start, on a clock that runs only in pauses.
    #[derive(Default)]
    struct SlowMotor {
        now: Duration,
        started: Option<Duration>,
        /// How long a start takes.
        takes: Duration,
        words: usize,
        pauses: usize,
        /// Those before the last reset.
        pauses_before: usize,
        /// After a pause it is asleep, until it is started.
        sleeps: bool,
        /// While it turns, it cannot be started, and says so otherwise than while it starts.
        is_busy: bool,
        /// It speaks in each pause.
        speaks: bool,
        /// Its status is garbled in these words, and these resets fail, counted from 1.
        garbled: &'static [usize],
        failing: &'static [usize],
    }

    impl SlowMotor {
        fn new(takes_ms: u64) -> Self {
            Self { takes: Duration::from_millis(takes_ms), ..Self::default() }
        }
    }

    impl Sul for SlowMotor {
        type Error = Error;

        fn reset(&mut self) -> Result<(), Error> {
            self.started = None;
            (self.words, self.pauses_before) = (self.words + 1, self.pauses);
            if self.failing.contains(&self.words) { Err(Error) } else { Ok(()) }
        }

        fn step(&mut self, input: Input) -> Result<&[u8], Error> {
            let is_off = self.started.is_none();
            let turns = self.started.is_some_and(|it| self.now - it >= self.takes);
            Ok(match input.index() {
                0 if is_off => {
                    self.started = Some(self.now);
                    b"ok"
                }
                0 if turns && self.is_busy => b"busy",
                1 if !is_off => {
                    self.started = None;
                    b"ok"
                }
                2 if self.garbled.contains(&self.words) => b"o",
                2 if is_off && self.sleeps && self.pauses > self.pauses_before => b"asleep",
                2 if is_off => b"off",
                2 if turns => b"turning",
                2 => b"starting",
                _ => b"error",
            })
        }
    }

    impl Pausing for SlowMotor {
        fn now(&self) -> Duration {
            self.now
        }

        fn leave_alone(&mut self, time: Duration) -> Result<bool, Error> {
            self.now += time;
            self.pauses += 1;
            Ok(!self.speaks)
        }
    }

    fn looked(motor: &mut SlowMotor, file: &str, seconds: u64) -> PausedWords {
        look(motor, &device(file), &model(), Duration::from_secs(seconds), &[], || true)
    }

    fn refuting_word(
        word: &str,
        pause_after: Option<usize>,
        model: &str,
        device: &str,
    ) -> RefutingWord {
        let [word, model, device] = [word, model, device].map(str::to_owned);
        RefutingWord { word, pause_after, model, device }
    }

    /// What a look at the motor with a slow start finds.
    fn slow_start() -> RefutingWord {
        refuting_word("start status", Some(1), "starting", "turning")
    }

    #[test]
    fn an_answer_that_a_pause_changes_is_told_of() {
        let look = looked(&mut SlowMotor::new(400), FILE, 10);
        let [note] = &look.notes[..] else { panic!("{look:?}") };
        let start = "the last input of `start status` is answered `starting`, but `turning` when nothing is sent for 1 s after \
                     `start` (3 of 3 times).";
        assert!(note.starts_with(start), "{note}");
        assert!(note.contains("settle_ms = 2000 in its `reply`"), "{note}");
        assert_eq!(look.refuting, [slow_start()]);
        // A pause after the reset, one for this, the shorter word, and what confirms it.
        assert_eq!(look.asked.resets, 8);
    }

    #[test]
    fn the_same_answers_are_no_doubt() {
        for takes_ms in [1001, 60_000] {
            let mut motor = SlowMotor::new(takes_ms);
            let look = looked(&mut motor, FILE, 10);
            assert_eq!((look.notes.len(), look.refuting.len(), motor.pauses), (0, 0, 7));
        }
    }

    #[test]
    fn a_pause_after_the_reset_counts_too() {
        let mut motor = SlowMotor { sleeps: true, ..SlowMotor::new(60_000) };
        let look = looked(&mut motor, FILE, 10);
        let [note] = &look.notes[..] else { panic!("{look:?}") };
        assert!(note.contains("1 s after the reset"), "{note}");
        assert!(note.contains("quiet_ms = 2000 in [[reset]]"), "{note}");
        assert_eq!(look.refuting, [refuting_word("status", Some(0), "off", "asleep")]);
    }

    #[test]
    fn a_model_that_is_wrong_without_a_pause_is_told_of_too() {
        // It turns at once: the first word that shows it has its pause before or after that place.
        let mut motor = SlowMotor::new(0);
        let look = looked(&mut motor, FILE, 10);
        assert_eq!(look.refuting, [refuting_word("start status", None, "starting", "turning")]);
        let [note] = &look.notes[..] else { panic!("{look:?}") };
        assert!(note.contains("(3 of 3 times), and the model says `starting`"), "{note}");
        let model =
            machine(&[(0, "start", 0, "ok"), (0, "stop", 0, "error"), (0, "status", 0, "off")]);
        let look = look_at(
            &mut SlowMotor::new(60_000),
            &model,
            &[refuting_word("start start status", Some(2), "", "")],
        );
        assert_eq!(look.refuting, [refuting_word("start start", None, "ok", "error")]);
    }

    fn look_at(motor: &mut SlowMotor, model: &Machine, earlier: &[RefutingWord]) -> PausedWords {
        look(motor, &device(FILE), model, Duration::ZERO, earlier, || true)
    }

    #[test]
    fn inputs_that_show_the_pause_themselves_stay() {
        // `start` comes first after the pause, and is the first that differs.
        let mut motor = SlowMotor { is_busy: true, ..SlowMotor::new(400) };
        let look = looked(&mut motor, FILE, 10);
        assert_eq!(look.refuting, [refuting_word("start start", Some(1), "error", "busy")]);
        // Nothing stands between, so no shorter word is asked.
        assert_eq!(look.asked.resets, 7);
        // Without what stands between, the model says something else: nothing is left out.
        let mut motor = SlowMotor::new(400);
        let (device, model) = (device(FILE), model());
        let (found, until) = (PausedWords::default(), None);
        let goes_on = || true;
        let mut search = PauseSearch {
            sul: &mut motor,
            device: &device,
            model: &model,
            goes_on,
            until,
            found,
            failed_resets: 0,
        };
        let [start, stop, status] = [0, 1, 2].map(Input::new);
        let long = PausedWord { word: vec![start, stop, start, status], before: 1 };
        let mut word = long.clone();
        search.shorten(&mut word, "off", "turning");
        assert_eq!(word, long);
        search.shorten(&mut word, "starting", "off");
        assert_eq!(word, long);
        search.shorten(&mut word, "starting", "turning");
        assert_eq!(word, PausedWord { word: vec![start, status], before: 1 });
    }

    #[test]
    fn what_differs_by_chance_is_no_doubt() {
        // The first word, the first with a pause after an input, and those that would confirm it.
        for garbled in
            [&[1][..], &[1, 2], &[1, 3], &[1, 2, 3], &[1, 3, 4], &[1, 2, 3, 5], &[2], &[2, 4]]
        {
            let mut motor = SlowMotor { garbled, ..SlowMotor::new(60_000) };
            let look = looked(&mut motor, FILE, 20);
            assert_eq!(look.notes, Vec::<String>::new(), "{garbled:?}");
        }
    }

    #[test]
    fn what_the_device_says_in_a_pause_is_no_answer() {
        let mut motor = SlowMotor { speaks: true, ..SlowMotor::new(400) };
        let look = looked(&mut motor, FILE, 10);
        assert_eq!((look.notes.len(), motor.pauses), (0, 7));
    }

    #[test]
    fn one_reset_that_fails_does_not_end_the_look_but_two_in_a_row_do() {
        let mut motor = SlowMotor { failing: &[1, 3], ..SlowMotor::new(60_000) };
        looked(&mut motor, FILE, 10);
        assert_eq!((motor.words, motor.pauses), (7, 5));
        let mut motor = SlowMotor { failing: &[2, 3], ..SlowMotor::new(60_000) };
        looked(&mut motor, FILE, 10);
        assert_eq!((motor.words, motor.pauses), (3, 1));
    }

    #[test]
    fn it_looks_only_where_and_while_it_may() {
        let mut motor = SlowMotor::new(60_000);
        looked(&mut motor, FILE, 3);
        assert_eq!(motor.pauses, 3);
        let mut left = 5;
        let goes_on = || {
            left -= 1;
            left > 0
        };
        let mut motor = SlowMotor::new(60_000);
        let look = look(&mut motor, &device(FILE), &model(), 9 * PAUSE, &[], goes_on);
        assert_eq!((motor.pauses, look.asked.symbols), (1, 3), "three inputs, and no second word");
        // The user has made time part of the model.
        for (wait_ms, words) in [(1000, 0), (999, 8)] {
            let mut motor = SlowMotor::new(400);
            let waits = format!("{FILE}\nwait = {{ wait_ms = {wait_ms} }}");
            assert_eq!(looked(&mut motor, &waits, 10).asked.resets, words);
        }
        // What comes after an answer is part of the next output, or of none.
        for (late, words) in [("output", 0), ("reply", 0), ("drop", 8)] {
            let file = FILE.replace("lines = 1", &format!("lines = 1\nlate = \"{late}\""));
            assert_eq!(looked(&mut SlowMotor::new(400), &file, 10).asked.resets, words, "{late}");
        }
    }

    #[test]
    fn what_was_found_is_confirmed_though_time_is_up_but_no_other_word_is_asked() {
        for (seconds, found) in [(1, 0), (2, 1)] {
            let look = looked(&mut SlowMotor::new(400), FILE, seconds);
            assert_eq!(look.refuting.len(), found, "{seconds}");
        }
        // A garbled answer takes three pauses: itself, a shorter word, and the same word again.
        let mut motor = SlowMotor { garbled: &[1], ..SlowMotor::new(60_000) };
        looked(&mut motor, FILE, 3);
        assert_eq!(motor.pauses, 3);
    }

    #[test]
    fn what_an_earlier_session_found_is_asked_first() {
        let again = |motor: &mut SlowMotor| look_at(motor, &model(), &[slow_start()]);
        let look = again(&mut SlowMotor::new(400));
        assert_eq!((look.refuting, look.notes.len()), (vec![slow_start()], 1));
        // The file gives it the time now.
        let look = again(&mut SlowMotor::new(60_000));
        assert_eq!((look.refuting.len(), look.notes.len(), look.asked.resets), (0, 0, 1));
        // A word that refutes the model without a pause is asked without one.
        let at_once = refuting_word("start status", None, "starting", "turning");
        let look = look_at(&mut SlowMotor::new(0), &model(), std::slice::from_ref(&at_once));
        assert_eq!((look.refuting, look.asked.resets), (vec![at_once], 3));
        // It cannot be asked.
        let mut silent = SlowMotor { failing: &[1], ..SlowMotor::new(60_000) };
        let look = again(&mut silent);
        assert_eq!(look.refuting, [slow_start()]);
        let start = "an earlier session found, and this one could not ask it: the last input of `start status`";
        assert!(look.notes[0].starts_with(start), "{:?}", look.notes);
    }

    #[test]
    fn it_takes_a_tenth_of_a_long_run() {
        let time = |seconds| time_after(Duration::from_secs(seconds)).as_secs();
        assert_eq!([0, 3, 50, 300, 7200].map(time), [0, 3, 10, 30, 60]);
    }
}
