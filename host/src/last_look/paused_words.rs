//! Words whose answers are others when the device is left alone for a while.
//!
//! An input that acts only after its answer, and a time-out of the device, change no answer as long as inputs follow each other at
//! one pace: a run converges, and its model is right at that pace alone. So it asks a few words with one pause each, and compares
//! the answers after the pause with the model. `mealybug check` looks for the same before a run, with an exploration instead of a model, and
//! finds out how long the pause must be.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mealybug_core::{Costs, Input, Mealy, Sul};

use super::LastLook;
use super::late_words::can_be_late;
use crate::device::{DeviceFile, DeviceStep, InputRule};
use crate::learned_components::output_name;
use crate::machine::{Machine, Transition};
use crate::serial::{LinkError, SerialSul, TimedLink};
use crate::short_output::short_both;
use crate::word;

/// The length of a pause.
const PAUSE: Duration = Duration::from_secs(1);
/// It looks for a tenth of the time of the run, but at least this long, or as long as the run took; and at most a minute.
pub const AT_LEAST: Duration = Duration::from_secs(10);
const SHARE: u32 = 10;
const AT_MOST: Duration = Duration::from_secs(60);
/// How many inputs follow a pause.
const FOLLOWERS: usize = 4;
/// Whether the words that confirm a difference have a pause.
const TURNS: [bool; 4] = [false, true, false, true];

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

/// Looks for such words for this `time`, as long as `goes_on` says so. A device that fails here ends nothing: the run is over.
///
/// Where an input only waits, time is a part of the model: there is nothing to look for.
pub fn look<S: Pausing>(
    sul: &mut S,
    device: &DeviceFile,
    model: &Machine,
    time: Duration,
    goes_on: impl FnMut() -> bool,
) -> LastLook {
    if device.inputs.iter().any(only_waits) {
        return LastLook { is_complete: true, ..LastLook::default() };
    }
    let until = sul.now() + time;
    PausedLook { sul, model, asked: Costs::default(), until, goes_on }.look(device)
}

/// Whether an input does nothing but wait.
fn only_waits(rule: &InputRule) -> bool {
    rule.steps.iter().all(|step| matches!(step, DeviceStep::Wait(_)))
}

/// A word with a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PausedWord {
    word: Vec<Input>,
    /// How many of its inputs come before the pause.
    before: usize,
}

impl PausedWord {
    /// What the user should know of it, if its last output is `slow` with the pause and `usual` without.
    fn note(&self, device: &DeviceFile, usual: &str, slow: &str) -> String {
        let names: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
        let word = word::format(&self.word, &names);
        let actor = self.word[..self.before].last().map(|input| &names[input.index() as usize]);
        let ms = (2 * PAUSE).as_millis();
        let (after, acts, setting) = match actor {
            Some(name) => (
                format!("the answer to `{name}`"),
                format!("`{name}` acts only after its answer"),
                format!("settle_ms = {ms} in its `reply`"),
            ),
            None => (
                "the reset".to_owned(),
                "the reset is over only after a while".to_owned(),
                format!("quiet_ms = {ms} in [[reset]]"),
            ),
        };
        let [usual, slow] = short_both([usual, slow]);
        format!(
            "the last input of `{word}` is answered `{usual}`, but `{slow}` when nothing is sent for {} s after {after} (3 of 3 times). \
             The model shows the device without pauses. Either {acts}, and {setting} gives it the time; or a time-out of the \
             device ran out, and an input that waits, such as `wait = {{ wait_ms = {ms} }}`, makes it part of the model. \
             `mealybug check` finds out how long it takes",
            PAUSE.as_secs()
        )
    }
}

/// How the last answer of a word differs with its pause.
struct PausedAnswer {
    usual: String,
    slow: String,
}

/// A look that is going on.
struct PausedLook<'a, S, G> {
    sul: &'a mut S,
    model: &'a Machine,
    asked: Costs,
    until: Duration,
    goes_on: G,
}

impl<S: Pausing, G: FnMut() -> bool> PausedLook<'_, S, G> {
    fn look(mut self, device: &DeviceFile) -> LastLook {
        let mut notes = Vec::new();
        let mut is_complete = true;
        for mut word in paused_words(self.model, device) {
            if self.sul.now() + PAUSE > self.until || !(self.goes_on)() {
                is_complete = false;
                break;
            }
            let found = self.difference(&mut word);
            is_complete &= found.is_some();
            if let Some(PausedAnswer { usual, slow }) = found.flatten() {
                notes.push(word.note(device, &usual, &slow));
                break;
            }
        }
        LastLook { notes, asked: self.asked, is_complete }
    }

    /// Asks a word, and cuts it off after the first answer that differs from the model; `None` if the device fails or
    /// speaks in the pause. The answers must differ again with a pause, and agree without.
    fn difference(&mut self, word: &mut PausedWord) -> Option<Option<PausedAnswer>> {
        let usual = self.expected(&word.word)?;
        let slow = self.outputs(word, true)?;
        let Some(at) = slow.iter().zip(&usual).position(|(slow, usual)| slow != usual) else {
            return Some(None);
        };
        if at < word.before {
            return None;
        }
        word.word.truncate(at + 1);
        let [usual, slow] = [usual, slow].map(|mut outputs| outputs.swap_remove(at));
        self.shorten(word, &usual, &slow);
        for is_paused in TURNS {
            let expected = if is_paused { &slow } else { &usual };
            if self.outputs(word, is_paused)?.last() != Some(expected) {
                return Some(None);
            }
        }
        Some(Some(PausedAnswer { usual, slow }))
    }

    /// Leaves out what stands between the pause and the last input, if the last answers are the same ones without.
    fn shorten(&mut self, word: &mut PausedWord, usual: &str, slow: &str) {
        let Some((last, _)) = word.word[word.before..].split_last() else { return };
        let shorter = PausedWord { word: [&word.word[..word.before], &[*last]].concat(), ..*word };
        let is_last = |outputs: Option<Vec<String>>, it: &str| {
            outputs.is_some_and(|outputs| outputs.last().is_some_and(|last| last == it))
        };
        if shorter.word.len() < word.word.len()
            && is_last(self.expected(&shorter.word), usual)
            && is_last(self.outputs(&shorter, true), slow)
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

    /// What the device answers; `None` if it fails, or says something in the pause.
    fn outputs(&mut self, word: &PausedWord, is_paused: bool) -> Option<Vec<String>> {
        self.asked.resets += 1;
        if self.sul.reset().is_err() {
            // A device that is not there will not be there at the next word.
            self.until = Duration::ZERO;
            return None;
        }
        let mut outputs = Vec::new();
        for (at, input) in word.word.iter().enumerate() {
            if is_paused && at == word.before && !self.sul.leave_alone(PAUSE).ok()? {
                return None;
            }
            self.asked.symbols += 1;
            outputs.push(output_name(self.sul.step(*input).ok()?));
        }
        Some(outputs)
    }
}

/// The words to ask, in this order: a pause after the reset; then after each input, with each of its answers and where it changes the
/// state or not, in the nearest state; then in a second state, and so on.
fn paused_words(model: &Machine, device: &DeviceFile) -> impl Iterator<Item = PausedWord> {
    let access = model.access_words();
    let mut seen: BTreeMap<_, u32> = BTreeMap::new();
    let mut places = Vec::new();
    for &state in access.states() {
        for input in (0..Mealy::inputs(model)).map(Input::new) {
            let Some(step) = model.transition(state, input) else { continue };
            let before = seen.entry((input, step.output, step.target == state)).or_default();
            places.push((*before, state, input, step.target));
            *before += 1;
        }
    }
    places.sort_by_key(|(before, ..)| *before);
    let followers = Followers::new(model);
    let after_reset = PausedWord { word: followers.at(model.initial()), before: 0 };
    let after_inputs = places.into_iter().map(move |(_, state, input, target)| {
        let mut word = access.word(state);
        word.push(input);
        let before = word.len();
        word.extend(followers.at(target));
        PausedWord { word, before }
    });
    let words = std::iter::once(after_reset).chain(after_inputs);
    words.filter(|it| can_be_late(device, &it.word[..it.before]))
}

/// The inputs that show most of what a state is.
struct Followers<'a> {
    model: &'a Machine,
    /// All inputs, those with the most different outputs first.
    inputs: Vec<Input>,
}

impl<'a> Followers<'a> {
    fn new(model: &'a Machine) -> Self {
        let known = model.transitions();
        let outputs: BTreeSet<_> = known.map(|(_, input, it)| (input, it.output)).collect();
        let count = |it: &Input| outputs.iter().filter(|(input, _)| input == it).count();
        let mut inputs: Vec<_> = (0..Mealy::inputs(model)).map(Input::new).collect();
        inputs.sort_by_cached_key(|input| Reverse(count(input)));
        Self { model, inputs }
    }

    /// The first of them in this state: those come before the others that do not change it.
    fn at(&self, state: u32) -> Vec<Input> {
        let changes = |input: &Input| {
            let step = self.model.transition(state, *input);
            step.is_none_or(|step| step.target != state)
        };
        let (changing, keeping): (Vec<_>, Vec<_>) = self.inputs.iter().partition(|it| changes(it));
        keeping.into_iter().chain(changing).take(FOLLOWERS).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::path::Path;

    use super::*;
    use crate::machine::Builder;

    const FILE: &str = "[[reset]]\nsteps = [{ send = \"reset\" }]\nquiet_ms = 0\n[reply]\nlines = 1\n\
                        [inputs]\nstart = \"start\"\nstop = \"stop\"\nstatus = \"status\"";

    fn device(file: &str) -> DeviceFile {
        DeviceFile::parse(Path::new("motor.toml"), file).expect("a device file")
    }

    /// What a run learns of a motor: while it starts, its status is not asked for long enough.
    fn model() -> Machine {
        let mut builder = Builder::default();
        for (from, input, to, output) in [
            (0, "start", 1, "ok"),
            (0, "stop", 0, "error"),
            (0, "status", 0, "off"),
            (1, "start", 1, "error"),
            (1, "stop", 0, "ok"),
            (1, "status", 1, "starting"),
        ] {
            builder.add(from, input, to, output).expect("new");
        }
        builder.build(0).expect("complete")
    }

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
        /// It speaks in each pause.
        speaks: bool,
        /// Its status is garbled in these words, counted from 1.
        garbled: &'static [usize],
    }

    impl SlowMotor {
        fn new(takes_ms: u64) -> Self {
            Self { takes: Duration::from_millis(takes_ms), ..Self::default() }
        }
    }

    impl Sul for SlowMotor {
        type Error = Infallible;

        fn reset(&mut self) -> Result<(), Infallible> {
            self.started = None;
            (self.words, self.pauses_before) = (self.words + 1, self.pauses);
            Ok(())
        }

        fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
            let is_off = self.started.is_none();
            Ok(match input.index() {
                0 if is_off => {
                    self.started = Some(self.now);
                    b"ok"
                }
                1 if !is_off => {
                    self.started = None;
                    b"ok"
                }
                2 if self.garbled.contains(&self.words) => b"o",
                2 if is_off && self.sleeps && self.pauses > self.pauses_before => b"asleep",
                2 if is_off => b"off",
                2 if self.started.is_some_and(|it| self.now - it >= self.takes) => b"turning",
                2 => b"starting",
                _ => b"error",
            })
        }
    }

    impl Pausing for SlowMotor {
        fn now(&self) -> Duration {
            self.now
        }

        fn leave_alone(&mut self, time: Duration) -> Result<bool, Infallible> {
            self.now += time;
            self.pauses += 1;
            Ok(!self.speaks)
        }
    }

    fn looked(motor: &mut SlowMotor, file: &str, seconds: u64) -> LastLook {
        look(motor, &device(file), &model(), Duration::from_secs(seconds), || true)
    }

    #[test]
    fn an_answer_that_a_pause_changes_is_told_of() {
        let look = looked(&mut SlowMotor::new(400), FILE, 10);
        let [note] = &look.notes[..] else { panic!("{look:?}") };
        let start = "the last input of `start status` is answered `starting`, but `turning` when nothing is sent for 1 s after \
                     the answer to `start` (3 of 3 times).";
        assert!(note.starts_with(start), "{note}");
        assert!(note.contains("settle_ms = 2000 in its `reply`"), "{note}");
        assert_eq!(look.count(0), 1);
        // A pause after the reset, one for this, the shorter word, and what confirms it.
        assert_eq!(look.asked.resets, 7);
    }

    #[test]
    fn the_same_answers_are_no_doubt() {
        for takes_ms in [1001, 60_000] {
            let mut motor = SlowMotor::new(takes_ms);
            let look = looked(&mut motor, FILE, 10);
            assert_eq!((look.notes.len(), look.is_complete, motor.pauses), (0, true, 7));
            assert_eq!(look.count(1), 0, "all places were looked at");
        }
    }

    #[test]
    fn a_pause_after_the_reset_counts_too() {
        let mut motor = SlowMotor { sleeps: true, ..SlowMotor::new(60_000) };
        let look = looked(&mut motor, FILE, 10);
        let [note] = &look.notes[..] else { panic!("{look:?}") };
        assert!(note.contains("1 s after the reset"), "{note}");
        assert!(note.contains("quiet_ms = 2000 in [[reset]]"), "{note}");
    }

    #[test]
    fn what_differs_by_chance_is_no_doubt() {
        // The first word, the first with a pause after an input, and those that would confirm it.
        for garbled in [&[1][..], &[1, 2], &[1, 3], &[1, 2, 3], &[1, 3, 4], &[2], &[2, 4]] {
            let mut motor = SlowMotor { garbled, ..SlowMotor::new(60_000) };
            let look = looked(&mut motor, FILE, 20);
            assert_eq!(look.notes, Vec::<String>::new(), "{garbled:?}");
        }
    }

    #[test]
    fn what_the_device_says_in_a_pause_is_no_answer() {
        let mut motor = SlowMotor { speaks: true, ..SlowMotor::new(400) };
        let look = looked(&mut motor, FILE, 10);
        assert_eq!((look.notes.len(), look.is_complete, look.count(1)), (0, false, 1));
    }

    #[test]
    fn it_looks_only_where_and_while_it_may() {
        let mut motor = SlowMotor::new(60_000);
        let look = looked(&mut motor, FILE, 3);
        assert_eq!((motor.pauses, look.is_complete), (3, false));
        let mut left = 2;
        let goes_on = || {
            left -= 1;
            left > 0
        };
        let mut motor = SlowMotor::new(60_000);
        let look = super::look(&mut motor, &device(FILE), &model(), 9 * PAUSE, goes_on);
        assert_eq!((motor.pauses, look.is_complete), (1, false));
        // The user has made time part of the model.
        let mut motor = SlowMotor::new(400);
        let waits = format!("{FILE}\nwait = {{ wait_ms = 2000 }}");
        let look = looked(&mut motor, &waits, 10);
        assert_eq!((look.asked.resets, look.is_complete), (0, true));
        // More may come after each answer.
        let joined = FILE.replace("lines = 1", "lines = 1\nlate = \"output\"");
        assert_eq!(looked(&mut motor, &joined, 10).asked.resets, 0);
    }

    #[test]
    fn it_takes_a_tenth_of_a_long_run() {
        let time = |seconds| time_after(Duration::from_secs(seconds)).as_secs();
        assert_eq!([0, 3, 50, 300, 7200].map(time), [0, 3, 10, 30, 60]);
    }

    #[test]
    fn each_answer_of_an_input_is_followed_by_a_pause_soon() {
        let names = ["start", "stop", "status"].map(str::to_owned);
        let device = device(FILE);
        let words: Vec<_> = paused_words(&model(), &device)
            .map(|it| (word::format(&it.word[..it.before], &names), it.word.len() - it.before))
            .collect();
        let befores: Vec<_> = words.iter().map(|(before, _)| before.as_str()).collect();
        let all = ["", "start", "stop", "status", "start start", "start stop", "start status"];
        assert_eq!(befores, all);
        assert!(words.iter().all(|(_, after)| *after == 3), "{words:?}");
        // What keeps the state comes first.
        let first = paused_words(&model(), &device).next().expect("a word");
        assert_eq!(word::format(&first.word, &names), "stop status start");
    }
}
