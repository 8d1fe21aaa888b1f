//! Runs that go on with another device file have the model of a run that begins with it.
//!
//! The devices here take their time by a clock of their own, and say what they say in pieces. What comes after the end of a
//! reply is not heard.

use std::convert::Infallible;
use std::time::Duration;

use mealybug_core::{Input, Options, Projections, Sul};

use super::*;
use crate::device::{DeviceChanges, DeviceFile, DeviceVersion, FileDigests};
use crate::learn::{Limits, learn, new_session};
use crate::learned_components::LearnedComponents;
use crate::machine::separate;
use crate::machine::testing::Random;
use crate::serial::ReplyParser;
use crate::store::{JudgeAnswer, KeptAnswers, Stored};

/// What a device can be sent.
const SENT: [u8; 4] = *b"abcx";

/// Pieces of a reply, with their times in ms.
type Pieces = Vec<(u64, String)>;

/// A device: for each state and each byte that it can be sent, the next state and the reply. A `%` is a counter.
#[derive(Clone, Debug)]
struct TalkingDevice(Vec<[(usize, Pieces); SENT.len()]>);

impl TalkingDevice {
    fn random(random: &mut Random) -> Self {
        let states = 1 + random.below(4);
        let mut reaction = || {
            let number = random.below(3);
            let text = ["up", "ok", "ERR"][random.below(3) as usize];
            let line = format!("{text} {number}\n");
            let pieces = match random.below(8) {
                0 => Vec::new(),
                1 => vec![(3, format!("{text} {number}"))],
                // Longer than the time-out for a silence, which it never meets.
                2 => (1..=12).map(|at| (at * 30, ".".to_owned())).chain([(390, line)]).collect(),
                3 => vec![(30 + 60 * u64::from(random.below(6)), line)],
                4 => vec![(5, text.to_owned()), (160, format!(" {number}\n"))],
                5 => vec![(5, line.clone()), (17, line)],
                _ => vec![(3, line)],
            };
            (random.below(states) as usize, pieces)
        };
        Self((0..states).map(|_| std::array::from_fn(|_| reaction())).collect())
    }
}

/// A device as its file has it asked.
struct AskedTalker<'d> {
    device: &'d TalkingDevice,
    file: DeviceFile,
    state: usize,
    counter: u32,
    answer: String,
    reply: Option<Vec<u8>>,
    took: Duration,
    /// Whether a time ended the last reply.
    has_expired: bool,
}

impl<'d> AskedTalker<'d> {
    fn new(device: &'d TalkingDevice, text: &str) -> Self {
        let file = DeviceFile::parse(Path::new("lock.toml"), text).expect("a device file");
        let (answer, took) = (String::new(), Duration::ZERO);
        Self { device, file, state: 0, counter: 0, answer, reply: None, took, has_expired: false }
    }

    fn inputs(&self) -> Vec<String> {
        self.file.inputs.iter().map(|input| input.name.clone()).collect()
    }
}

impl Sul for AskedTalker<'_> {
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        self.state = 0;
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        let rule = &self.file.inputs[input.index() as usize];
        let sent = rule.sends(&self.file.variables());
        let at = SENT.iter().position(|byte| sent == [*byte]).expect("it is one of them");
        let (next, pieces) = &self.device.0[self.state][at];
        self.counter += 1;
        let mut reply = ReplyParser::new(&rule.reply, &sent);
        let mut now = Duration::ZERO;
        let mut pieces = pieces.iter();
        while let Some(deadline) = reply.deadline() {
            match pieces.next().map(|(at, text)| (Duration::from_millis(*at), text)) {
                Some((at, text)) if at <= deadline => {
                    let text = text.replace('%', &self.counter.to_string());
                    now = at;
                    reply.take(text.as_bytes(), at).expect("it is short");
                }
                _ => {
                    now = deadline;
                    reply.expire();
                }
            }
        }
        self.reply = reply.output().map(<[u8]>::to_vec);
        self.answer = match reply.output() {
            Some(output) => self.file.name_output(output),
            None => rule.reply.silent.clone(),
        };
        (self.took, self.state, self.has_expired) = (now, *next, reply.has_expired());
        Ok(self.answer.as_bytes())
    }

    fn elapsed(&self) -> Option<Duration> {
        Some(self.took)
    }

    fn reply(&self) -> Option<&[u8]> {
        self.reply.as_deref()
    }
}

/// What a device file says.
#[derive(Clone, Debug, PartialEq)]
struct WrittenFile {
    within: u32,
    end: &'static str,
    grace: u32,
    replace: Vec<(&'static str, &'static str)>,
    output: Vec<(&'static str, &'static str)>,
    inputs: Vec<(&'static str, &'static str)>,
}

const REPLACE: [(&str, &str); 4] = [("[0-9]+", "#"), ("o(.)", "$1"), ("\\n", ""), ("#", "N")];
const OUTPUT: [(&str, &str); 3] = [("ERR (.)", "error $1"), ("^up", "up"), ("^(.*)\\n$", "$1")];

impl WrittenFile {
    fn random(random: &mut Random) -> Self {
        let mut written = Self {
            within: 100,
            end: "lines = 1",
            grace: 20,
            replace: Vec::new(),
            output: Vec::new(),
            inputs: vec![("one", "'a'"), ("two", "'b'")],
        };
        (0..3).for_each(|_| written.change(random));
        written
    }

    /// Changes one thing, or nothing.
    fn change(&mut self, random: &mut Random) {
        let mut pick = |count| random.below(count) as usize;
        match pick(8) {
            0 | 1 => self.within = [50, 100, 200, 400][pick(4)],
            2 => {
                self.end =
                    ["lines = 1", "match = '\\n$'", "quiet_ms = 60", "quiet_ms = 30"][pick(4)];
            }
            3 => self.grace = [0, 10, 20][pick(3)],
            4 if pick(3) == 0 => drop(self.replace.pop()),
            4 => self.replace.push(REPLACE[pick(4)]),
            5 if pick(3) == 0 => drop(self.output.pop()),
            5 => self.output.push(OUTPUT[pick(3)]),
            6 => {
                let two = self.inputs.iter_mut().find(|input| input.0 == "two");
                two.expect("it stays").1 = ["'b'", "'c'", "{ steps = [{ send = 'b' }] }"][pick(3)];
            }
            _ if self.inputs.len() == 2 => {
                self.inputs.insert(2 * pick(2), ("three", "{ hex = '78' }"));
            }
            _ => self.inputs.retain(|input| input.0 != "three"),
        }
    }

    fn text(&self) -> String {
        let Self { within, end, grace, replace, output, inputs } = self;
        let mut text = format!(
            "[[reset]]\nsteps = [{{ send = 'r' }}]\n[reply]\nwithin_ms = {within}\n{end}\ngrace_ms = {grace}\n"
        );
        for (pattern, with) in replace {
            text += &format!("[[replace]]\nmatch = '{pattern}'\nwith = '{with}'\n");
        }
        for (pattern, name) in output {
            text += &format!("[[output]]\nmatch = '{pattern}'\nname = '{name}'\n");
        }
        text += "[inputs]\n";
        inputs.iter().for_each(|(name, input)| text += &format!("{name} = {input}\n"));
        text
    }
}

/// Learns a device from what the folder has. Returns the model if the run converged.
fn learned(
    device: &TalkingDevice,
    text: &str,
    folder: &RunFolder,
    noise: Option<f64>,
) -> Option<Machine> {
    let heard = AskedTalker::new(device, text);
    let inputs = heard.inputs();
    let store = folder.open_store(&inputs).expect("a store");
    let mut stored = Stored::new(heard, store).with_noise(noise).with_retries(3);
    let count = u32::try_from(inputs.len()).expect("few");
    let mut session =
        new_session(vec![0; 1 << 12], count, Options::default()).expect("good options");
    let outcome = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
    let model = LearnedComponents::new(session.hypothesis()?, &inputs, Projections::PerOutput);
    outcome.is_converged().then(|| model.product(1000).expect("it is small"))
}

/// Goes on with another device file.
fn change(folder: &RunFolder, old: &str, new: &str) -> KeptAnswers {
    let (path, files) = (Path::new("lock.toml"), &FileDigests::new());
    let versions = [old, new].map(|text| DeviceVersion { path, text, files });
    let changes = DeviceChanges::between(&versions[0], &versions[1], true);
    let inputs = DeviceFile::parse(path, new).expect("a device file").inputs;
    let inputs: Vec<_> = inputs.into_iter().map(|input| input.name).collect();
    folder.write_device_file(old).expect("there is room");
    let mut lock = folder.lock().expect("nobody has it open");
    let fate: JudgeAnswer<'_> = &|answer| match &changes {
        Some(changes) => changes.fate(answer),
        None => Ok(std::borrow::Cow::Borrowed(answer.output)),
    };
    folder.change_device(&mut lock, &inputs, fate).expect("there is room").0
}

fn new_folder() -> (tempfile::TempDir, RunFolder) {
    let place = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::create(place.path()).expect("an empty folder");
    (place, folder)
}

/// Every answer that is in the folder is what the device says with this file.
fn check_answers(device: &TalkingDevice, text: &str, folder: &RunFolder) {
    let mut heard = AskedTalker::new(device, text);
    let store = folder.open_store(&heard.inputs()).expect("the copy");
    let tree = store.tree();
    for node in tree.nodes() {
        heard.reset().expect("it always works");
        for node in tree.path(node) {
            let output = heard.step(tree.origin(node).1).expect("it always works").to_vec();
            let kept = tree.output(node);
            assert_eq!(
                output.escape_ascii().to_string(),
                kept.escape_ascii().to_string(),
                "{device:?}\n{text}"
            );
        }
    }
}

#[test]
fn a_run_that_goes_on_has_the_model_of_a_new_one() {
    let (mut kept, mut all) = (0, 0);
    for seed in 0..24 {
        let random = &mut Random::new(seed);
        let device = TalkingDevice::random(random);
        let old = WrittenFile::random(random);
        let mut new = old.clone();
        (0..=random.below(2)).for_each(|_| new.change(random));
        let [old, new] = [old, new].map(|written| written.text());
        let (_place, folder) = new_folder();
        learned(&device, &old, &folder, Some(0.0)).expect("it is always right");
        let count = change(&folder, &old, &new);
        (kept, all) = (kept + count.kept, all + count.answers);
        check_answers(&device, &new, &folder);
        let model = learned(&device, &new, &folder, Some(0.0)).expect("it is always right");
        let (_place, folder) = new_folder();
        let fresh = learned(&device, &new, &folder, Some(0.0)).expect("it is always right");
        assert_eq!(separate(&model, &fresh), Ok(None), "seed {seed}\n{old}->\n{new}");
    }
    assert!(3 * kept > all, "{kept} of {all} answers are kept");
}

#[test]
fn more_patience_keeps_all_but_what_a_time_has_ended() {
    for seed in 0..12 {
        let device = TalkingDevice::random(&mut Random::new(seed));
        let mut written = WrittenFile::random(&mut Random::new(0));
        (written.within, written.end) = (100, "lines = 1");
        (written.replace, written.output) = (Vec::new(), Vec::new());
        let old = written.text();
        written.within = 200;
        let (_place, folder) = new_folder();
        learned(&device, &old, &folder, Some(0.0)).expect("it is always right");
        let mut heard = AskedTalker::new(&device, &old);
        let expected = {
            let store = folder.open_store(&heard.inputs()).expect("the old answers");
            let tree = store.tree();
            let is_kept = |node: &_| {
                heard.reset().expect("it always works");
                tree.path(*node).iter().all(|&node| {
                    heard.step(tree.origin(node).1).expect("it always works");
                    !heard.has_expired
                })
            };
            tree.nodes().filter(is_kept).count()
        };
        change(&folder, &old, &written.text());
        let store = folder.open_store(&AskedTalker::new(&device, &old).inputs()).expect("the copy");
        assert_eq!(store.tree().nodes().count(), expected, "seed {seed}");
    }
}

/// A counter in the replies makes the device contradict itself, until a rule replaces it.
#[test]
fn answers_that_contradict_each_other_agree_by_a_new_rule() {
    for seed in 0..4 {
        let mut device = TalkingDevice::random(&mut Random::new(seed));
        for (_, pieces) in device.0.iter_mut().flatten() {
            *pieces = vec![(3, format!("n {}: %\n", pieces.len()))];
        }
        let mut written = WrittenFile::random(&mut Random::new(1));
        // As `init` writes it for a console: any name is possible.
        (written.end, written.output) = ("lines = 1", vec![("(?s)^(.*)\\n$", "$1")]);
        written.replace = Vec::new();
        let old = written.text();
        let (_place, folder) = new_folder();
        assert!(learned(&device, &old, &folder, None).is_none(), "it contradicts itself");
        written.replace = vec![(": [0-9]+", ": #")];
        let new = written.text();
        let count = change(&folder, &old, &new);
        assert_eq!(count.kept, count.renamed);
        assert_eq!(count.dropped.len(), 0, "{count:?}");
        check_answers(&device, &new, &folder);
        let model = learned(&device, &new, &folder, Some(0.0)).expect("it is always right");
        let (_place, folder) = new_folder();
        let fresh = learned(&device, &new, &folder, Some(0.0)).expect("it is always right");
        assert_eq!(separate(&model, &fresh), Ok(None), "seed {seed}");
    }
}
