//! Words after which a device says more, a while after the last answer.
//!
//! If it ignores its input until then, the next input seems to be answered by that text, whatever it is: the model has a state in
//! which all inputs have the same answer, and no answer contradicts it. So a run that has converged leads the device to such
//! states once more, sends nothing, and listens. Where the answer comes at once, an input has brought it, and there is nothing to
//! listen for.

use std::collections::BTreeSet;
use std::time::Duration;

use mealybug_core::{Costs, Input, Sul};

use super::late_after;
use crate::device::{DeviceFile, Late};
use crate::escape::excerpt;
use crate::machine::Machine;
use crate::serial::{LinkError, SerialSul, TimedLink};
use crate::word;

/// How long it listens for the beginning of a text, and then for the rest.
const BEGINS: Duration = Duration::from_secs(1);
const ENDS: Duration = Duration::from_millis(200);
/// How long it listens at once: so exact are the times that it tells.
const SLICE: Duration = Duration::from_millis(20);
/// An answer that comes sooner on average was caused by the input.
const SOON: Duration = Duration::from_millis(20);
/// Listen in at most this many states, those with the shortest words: where the device is switched off, all its states are alike.
const STATES: usize = 8;
/// A time that is proposed is a multiple of this, in ms.
const STEP_MS: u128 = 50;

/// What was heard while nothing was sent.
#[derive(Clone, Debug, Default)]
pub struct LateWords {
    /// What the user should know of each word after which the device said more.
    pub notes: Vec<String>,
    /// What was asked for that.
    pub asked: Costs,
    /// Whether it has listened wherever such a word may be.
    pub is_complete: bool,
}

impl LateWords {
    /// The number of such words. An earlier session found `before`: if this look was cut short, the larger number counts.
    pub fn count(&self, before: u64) -> u64 {
        let heard = self.notes.len() as u64;
        if self.is_complete { heard } else { heard.max(before) }
    }
}

/// Listens in the states of `model` that say the same to each input, as long as `goes_on` says so. `time` is the mean time
/// that an answer has taken, if it is known. A device that fails here ends nothing: the run is over.
pub fn listen<L: TimedLink>(
    sul: &mut SerialSul<L>,
    model: &Machine,
    time: impl Fn(&str) -> Option<Duration>,
    mut goes_on: impl FnMut() -> bool,
) -> LateWords {
    let mut look = LateWords { is_complete: true, ..LateWords::default() };
    let mut known = BTreeSet::new();
    let is_late = |answer: &str| time(answer).is_some_and(|time| time >= SOON);
    for Uniform { mut word, answer } in uniform_states(model, sul.device(), is_late) {
        let mut heard_after = |word: &[Input]| {
            // Elsewhere it is no mistake that more comes.
            if !late_after(sul.device(), word, |late| late == Late::Error) {
                return None;
            }
            let heard = goes_on().then(|| listen_after(sul, word, &answer, &mut look.asked).ok());
            look.is_complete &= matches!(heard, Some(Some(_)));
            heard.flatten().flatten()
        };
        if heard_after(&word).is_none() {
            continue;
        }
        // Inputs before it may have been waiting for the same text.
        while let Some((_, shorter)) = word.split_last()
            && heard_after(shorter).is_some()
        {
            word.pop();
        }
        let again = heard_after(&word).filter(|_| known.insert(word.clone()));
        look.notes.extend(again.map(|text| text.note(&word, sul.device())));
    }
    look
}

/// Asks a word and listens, and returns what came if that is this answer.
fn listen_after<L: TimedLink>(
    sul: &mut SerialSul<L>,
    word: &[Input],
    answer: &str,
    asked: &mut Costs,
) -> Result<Option<LateText>, LinkError> {
    asked.resets += 1;
    sul.reset()?;
    let mut began = sul.link().now();
    for input in word {
        asked.symbols += 1;
        began = sul.link().now();
        sul.step(*input)?;
    }
    let text = LateText::wait_for(sul, began)?;
    Ok(text.filter(|text| sul.device().name_output(&text.bytes) == answer))
}

/// What came after the last answer of a word, how long after it, and how long after the last input.
#[derive(Debug)]
struct LateText {
    bytes: Vec<u8>,
    after: Duration,
    after_input: Duration,
    /// Whether the last answer was silence.
    follows_silence: bool,
}

impl LateText {
    /// Waits for it. The last input was sent when it `began`.
    fn wait_for<L: TimedLink>(
        sul: &mut SerialSul<L>,
        began: Duration,
    ) -> Result<Option<Self>, LinkError> {
        let follows_silence = sul.silence().is_some();
        let answered = sul.link().now();
        while sul.link().now() < answered + BEGINS {
            if !sul.listen(SLICE)?.is_empty() {
                let now = sul.link().now();
                let bytes = sul.listen(ENDS)?;
                let (after, after_input) =
                    (now.saturating_sub(answered), now.saturating_sub(began));
                return Ok(Some(Self { bytes, after, after_input, follows_silence }));
            }
        }
        Ok(None)
    }

    /// What the user should know of it.
    fn note(&self, word: &[Input], device: &DeviceFile) -> String {
        let Self { bytes, after, after_input, follows_silence } = self;
        let ms = after.as_millis();
        let last = word.last().map(|last| &device.inputs[last.index() as usize]);
        let (place, mend) = match last {
            None => ("the reset", "Let [[reset]] `expect` it".to_owned()),
            Some(last) if *follows_silence && !last.waits() => (
                "the wait for its answer",
                format!("Give `{}` a longer `within_ms` in its `reply`", last.name),
            ),
            Some(last) => {
                // The time since the input, and as a margin that since the last answer.
                let wait_ms = (*after + *after_input).as_millis().div_ceil(STEP_MS) * STEP_MS;
                let mend = format!(
                    "`wait_ms = {wait_ms}` beside what `{}` sends makes it a part of its own output",
                    last.name
                );
                ("its last answer", mend)
            }
        };
        let after_word = match word {
            [] => String::new(),
            word => {
                let names: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
                format!("after `{}`, ", word::format(word, &names))
            }
        };
        format!(
            "{after_word}the device says `{}` about {ms} ms after {place}, though nothing else is sent. The model shows this as the \
             answer to whatever is sent next, so it is wrong there. {mend}",
            excerpt(bytes)
        )
    }
}

/// A state in which each input has the same answer: a word to it, and the answer.
struct Uniform {
    word: Vec<Input>,
    answer: String,
}

/// The first such states in which the answer is late and no silence.
fn uniform_states(
    model: &Machine,
    device: &DeviceFile,
    is_late: impl Fn(&str) -> bool,
) -> Vec<Uniform> {
    let uniform = |(state, word): (u32, Vec<Input>)| {
        let answers = device.inputs.iter().zip(0..).map(|(rule, input)| {
            let known = model.transition(state, Input::new(input))?;
            Some(model.output_name(known.output)).filter(|answer| *answer != rule.reply.silent)
        });
        let answers: BTreeSet<_> = answers.collect();
        let answer = answers
            .first()
            .copied()
            .flatten()
            .filter(|answer| answers.len() == 1 && is_late(answer))?;
        Some(Uniform { word, answer: answer.to_owned() })
    };
    let words = model.access_words();
    if device.inputs.len() < 2 {
        return Vec::new();
    }
    words.iter().filter_map(uniform).take(STATES).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::machine::Builder;
    use crate::machine::testing::machine;
    use crate::serial::fake::{FakeLink, LinkAct, Reaction};

    const FILE: &str = "[[reset]]\nsteps = [{ send = \"reset\" }]\nquiet_ms = 0\n[reply]\nlines = 1\nquiet_ms = 50\nwithin_ms = 400\n\
                        [inputs]\nlook = \"look\"\ngo = \"go\"";

    /// What a run learns of a boot loader that starts a program by `go`.
    fn model() -> Machine {
        machine(&[
            (0, "look", 0, r"loader\n"),
            (0, "go", 1, r"going\n"),
            (1, "look", 2, r"up\n"),
            (1, "go", 2, r"up\n"),
            (2, "look", 2, r"program\n"),
            (2, "go", 2, "(silence)"),
        ])
    }

    /// What is heard of the loader. It answers `go` after `answer_ms`, and says this text by itself, this number of ms after `go`. In
    /// the run, answers took `mean_ms`.
    fn heard(
        file: &str,
        answer_ms: u64,
        (late, ms): (&'static [u8], u64),
        mean_ms: u64,
    ) -> LateWords {
        let mut is_started = false;
        let link = FakeLink::new(move |deed| -> Reaction {
            let LinkAct::Sent(bytes) = deed else { return Vec::new() };
            let was_started = std::mem::replace(&mut is_started, bytes == b"go");
            match &bytes[..] {
                b"go" if !was_started => vec![(answer_ms, b"going\n"), (ms, late)],
                b"look" if !was_started => vec![(1, b"loader\n")],
                _ => Vec::new(),
            }
        });
        let device = DeviceFile::parse(Path::new("loader.toml"), file).expect("a device file");
        let mut sul = SerialSul::new(link, device).expect("a device");
        listen(&mut sul, &model(), |_| Some(Duration::from_millis(mean_ms)), || true)
    }

    #[test]
    fn a_text_that_comes_by_itself_is_told_of_once() {
        let LateWords { notes, asked, is_complete } = heard(FILE, 1, (b"up\n", 300), 290);
        let [note] = &notes[..] else { panic!("{notes:?}") };
        let start =
            r"after `go`, the device says `up\n` about 300 ms after its last answer, though";
        assert!(note.starts_with(start), "{note}");
        assert!(
            note.ends_with(
                "`wait_ms = 650` beside what `go` sends makes it a part of its own output"
            ),
            "{note}"
        );
        assert_eq!((asked.resets, asked.symbols), (3, 2), "twice, and once without `go`");
        assert!(is_complete);
        // A wait counts from what is sent.
        let slow = heard(FILE, 350, (b"up\n", 450), 90);
        assert!(slow.notes[0].contains("about 100 ms after its last answer"), "{slow:?}");
        assert!(slow.notes[0].contains("`wait_ms = 550` beside what `go`"), "{slow:?}");
        // After silence, it is the answer that was awaited.
        let silent = heard(FILE, 9000, (b"up\n", 460), 90);
        assert!(
            silent.notes[0].contains("about 60 ms after the wait for its answer"),
            "{silent:?}"
        );
        assert!(
            silent.notes[0].ends_with("Give `go` a longer `within_ms` in its `reply`"),
            "{silent:?}"
        );
    }

    #[test]
    fn what_the_model_does_not_show_as_an_answer_is_no_doubt() {
        for (late, ms) in [(&b"time out\n"[..], 300), (b"up\n", 1300), (b"", 300)] {
            assert_eq!(heard(FILE, 1, (late, ms), 290).notes, Vec::<String>::new());
        }
        assert_eq!(heard(FILE, 1, (b"up\n", 300), 2).asked.resets, 0, "an input has brought it");
        let joined = FILE.replace("lines = 1", "lines = 1\nlate = \"output\"");
        assert_eq!(
            heard(&joined, 1, (b"up\n", 300), 290).asked.resets,
            0,
            "late bytes are no mistake there"
        );
    }

    #[test]
    fn it_listens_only_where_and_while_it_may() {
        let asked = |file: &str, goes_on: bool| {
            let link = FakeLink::new(|_| Vec::new());
            let device = DeviceFile::parse(Path::new("loader.toml"), file).expect("a device file");
            let mut sul = SerialSul::new(link, device).expect("a device");
            let heard = listen(&mut sul, &model(), |_| Some(SOON), || goes_on);
            (heard.asked.resets, heard.is_complete)
        };
        assert_eq!(asked(FILE, true), (1, true));
        assert_eq!(asked(FILE, false), (0, false));
        // A reset that fails.
        let expects = FILE.replace(
            "quiet_ms = 0\n[reply]",
            "expect = { match = 'ready', within_ms = 50 }\n[reply]",
        );
        assert_eq!(asked(&expects, true), (1, false));
        // A wait may be too short.
        let waits = FILE.replace("go = \"go\"", "go = { send = \"go\", wait_ms = 100 }");
        // Then it may be silent, too.
        for answer_ms in [1, 9000] {
            let LateWords { notes, .. } = heard(&waits, answer_ms, (b"up\n", 300), 290);
            assert!(notes[0].contains("`wait_ms = 500` beside what `go` sends"), "{notes:?}");
        }
    }

    #[test]
    fn it_listens_for_an_answer_that_takes_its_time() {
        let asked = |time: Option<Duration>| {
            let link = FakeLink::new(|_| Vec::new());
            let device = DeviceFile::parse(Path::new("loader.toml"), FILE).expect("a device file");
            let mut sul = SerialSul::new(link, device).expect("a device");
            listen(&mut sul, &model(), |_| time, || true).asked.resets
        };
        assert_eq!([None, Some(SOON), Some(SOON / 2)].map(asked), [0, 1, 0]);
    }

    /// Listens to a device that says `up` by itself, 250 ms after a reset. In its model, the first `waiting` inputs are silent, and
    /// the others are answered `up`.
    fn heard_after_reset(file: &str, waiting: usize) -> LateWords {
        let outputs: Vec<_> =
            (0..4).map(|at| if at < waiting { "(silence)" } else { r"up\n" }).collect();
        let mut builder = Builder::default();
        for (state, output) in (0..4).zip(&outputs) {
            for input in ["look", "go"] {
                builder.add(state, input, (state + 1).min(3), output).expect("new");
            }
        }
        let model = builder.build(0).expect("a machine");
        let link = FakeLink::new(|deed| match deed {
            LinkAct::Sent(bytes) if bytes == b"reset" => vec![(250, b"up\n")],
            _ => Vec::new(),
        });
        let device = DeviceFile::parse(Path::new("loader.toml"), file).expect("a device file");
        let mut sul = SerialSul::new(link, device).expect("a device");
        listen(&mut sul, &model, |_| Some(SOON), || true)
    }

    #[test]
    fn each_word_is_told_of_once() {
        let file = FILE.replace("within_ms = 400", "within_ms = 90");
        // In each of three states, all inputs seem to be answered by what the reset brings.
        let LateWords { notes, .. } = heard_after_reset(&file, 1);
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(note.starts_with(r"the device says `up\n` about 260 ms after the reset"), "{note}");
        // Where more may come after the reset, that is no mistake there.
        let goes_on =
            file.replace("go = \"go\"", "go = { send = \"go\", reply = { late = \"output\" } }");
        let LateWords { notes, .. } = heard_after_reset(&goes_on, 1);
        assert!(
            !notes.is_empty() && notes.iter().all(|note| note.starts_with("after `look`")),
            "{notes:?}"
        );
        // With one input, each state has one answer.
        let single = file.replace("\ngo = \"go\"", "");
        assert_eq!(heard_after_reset(&single, 1).asked.resets, 0);
    }

    #[test]
    fn several_states_are_told_of() {
        let model = machine(&[
            (0, "look", 1, r"looking\n"),
            (0, "go", 2, r"going\n"),
            (1, "look", 3, r"up\n"),
            (1, "go", 3, r"up\n"),
            (2, "look", 3, r"up\n"),
            (2, "go", 3, r"up\n"),
            (3, "look", 3, r"program\n"),
            (3, "go", 3, r"ok\n"),
        ]);
        let link = FakeLink::new(|deed| match deed {
            LinkAct::Sent(bytes) if bytes == b"look" => vec![(1, b"looking\n"), (300, b"up\n")],
            LinkAct::Sent(bytes) if bytes == b"go" => vec![(1, b"going\n"), (300, b"up\n")],
            _ => Vec::new(),
        });
        let device = DeviceFile::parse(Path::new("loader.toml"), FILE).expect("a device file");
        let mut sul = SerialSul::new(link, device).expect("a device");
        let LateWords { notes, .. } = listen(&mut sul, &model, |_| Some(SOON), || true);
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    #[test]
    fn what_an_earlier_session_found_counts_until_all_is_heard() {
        let counts = [true, false].map(|is_complete| {
            let notes = vec![String::new(); 2];
            let late = LateWords { notes, is_complete, ..LateWords::default() };
            [1, 5].map(|before| late.count(before))
        });
        assert_eq!(counts, [[2, 2], [2, 5]]);
    }

    #[test]
    fn inputs_that_were_only_waiting_are_not_blamed() {
        let file = FILE.replace("within_ms = 400", "within_ms = 90");
        let LateWords { notes, .. } = heard_after_reset(&file, 2);
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(
            note.starts_with(r"the device says `up\n` about 260 ms after the reset, though"),
            "{note}"
        );
        assert!(note.ends_with("Let [[reset]] `expect` it"), "{note}");
    }
}
