//! A target and the host hear the same: from random device files and random devices, both get the
//! same outputs and faults at the same times.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use fastrand::Rng;
use mealybug::device::{ControlLine, DeviceFile};
use mealybug::serial::{self, LinkError, OpenError, SerialSul};
use mealybug::target::{Program, output_name};
use mealybug_adapters::{Attached, Conversation, LineFault};
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::rule::MAX_RULE;
use mealybug_core::{Input, Sul};

/// A line to a device whose answers are random, but the same for the same seed.
#[derive(Clone)]
struct World(Rc<RefCell<State>>);

struct State {
    rng: Rng,
    now_ms: u64,
    /// The bytes on their way and when they come, in order.
    coming: VecDeque<(u64, u8)>,
    /// Whether the device has begun an escape sequence and may not have finished it.
    has_cut: bool,
}

/// The beginning of an escape sequence.
const CUT: &[u8] = b"\x1b[1";

/// Pieces of what devices say.
const PIECES: [&[u8]; 16] = [
    b"> ",
    b">",
    b" ",
    b"OK\r\n",
    b"ERROR 7\r\n",
    b"\n",
    b"\r",
    CUT,
    b"m",
    b"\x1b[0m",
    b"a",
    b"login: ",
    b"# ",
    b"\x02\x01",
    b"READY",
    b"x> ",
];

/// Delays between pieces, in ms.
const DELAYS_MS: [u64; 12] = [0, 0, 0, 1, 1, 2, 4, 7, 11, 19, 29, 47];

impl World {
    fn new(seed: u64) -> Self {
        let (rng, coming) = (Rng::with_seed(seed), VecDeque::new());
        Self(Rc::new(RefCell::new(State { rng, now_ms: 0, coming, has_cut: false })))
    }

    fn send(&self, bytes: &[u8]) {
        let State { rng, now_ms, coming, has_cut } = &mut *self.0.borrow_mut();
        let mut at_ms = *now_ms;
        let mut say = |at_ms: u64, bytes: &[u8]| coming.extend(bytes.iter().map(|b| (at_ms, *b)));
        if rng.u8(..3) == 0 {
            let echo = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            say(at_ms, &echo[..if rng.bool() { echo.len() } else { rng.usize(..=echo.len()) }]);
            if rng.bool() {
                say(at_ms, b"\r\n");
            }
        }
        for _ in 0..rng.usize(..7) {
            at_ms += rng.choice(DELAYS_MS).expect("some");
            let piece = rng.choice(PIECES).expect("some");
            *has_cut |= piece == CUT;
            say(at_ms, piece);
        }
        coming.make_contiguous().sort_by_key(|(at_ms, _)| *at_ms);
    }

    /// Waits until something comes or the time is `until_ms`; returns whether something came.
    fn wait(&self, until_ms: u64) -> bool {
        let state = &mut *self.0.borrow_mut();
        let until_ms = until_ms.max(state.now_ms);
        let next = state.coming.front().map(|(at_ms, _)| *at_ms).filter(|at_ms| *at_ms <= until_ms);
        state.now_ms = next.unwrap_or(until_ms).max(state.now_ms);
        next.is_some()
    }

    fn now_ms(&self) -> u64 {
        self.0.borrow().now_ms
    }
}

impl serial::TimedLink for World {
    fn now(&self) -> Duration {
        Duration::from_millis(self.now_ms())
    }

    /// The bytes of one millisecond form one piece.
    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        let until_ms = u64::try_from(until.as_millis()).expect("a short test");
        if !self.wait(until_ms) {
            return Ok(0);
        }
        let State { now_ms, coming, .. } = &mut *self.0.borrow_mut();
        let count = coming.iter().take_while(|(at_ms, _)| at_ms <= now_ms).count();
        let count = count.min(buffer.len());
        for (place, (_, byte)) in buffer.iter_mut().zip(coming.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.send(bytes);
        Ok(())
    }

    fn set(&mut self, _: ControlLine, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_received()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        let State { now_ms, coming, .. } = &mut *self.0.borrow_mut();
        coming.retain(|(at_ms, _)| at_ms > now_ms);
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        panic!("it is never gone")
    }
}

impl mealybug_adapters::Link for World {
    fn now_ms(&self) -> u64 {
        Self::now_ms(self)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.send(bytes);
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let is_there = self.wait(deadline_ms);
        let byte = || self.0.borrow_mut().coming.pop_front();
        Ok(is_there.then(byte).flatten().map(|(_, byte)| byte))
    }
}

const PATTERNS: [&str; 8] =
    ["> $", "[>#] $", "> ", "login: $", r"(?m)^OK\r?$", "^a", r"READY\b", "(?s)o.*>|#"];
const ESCAPES: &str = r"\x1b\[[0-9;]*[A-Za-z]";
const STRIPS: [&str; 6] = [ESCAPES, r"\r", r"[\r\n]", "a|ab", "x>?", " "];

/// A random table of ends, time-outs and other keys.
fn reply(rng: &mut Rng, own: bool) -> Vec<String> {
    let mut keys = Vec::new();
    let mut sometimes = |often: u8, rng: &mut Rng, key: String| {
        if rng.u8(..100) < often {
            keys.push(key);
        }
    };
    let pattern = |rng: &mut Rng| rng.choice(PATTERNS).expect("some");
    let number = |rng: &mut Rng, numbers: &[u32]| *rng.choice(numbers).expect("some");
    let (one, other) = (pattern(rng), pattern(rng));
    let patterns = if one != other && rng.u8(..4) == 0 {
        format!("match = ['{one}', '{other}']")
    } else {
        format!("match = '{one}'")
    };
    let grace = number(rng, &[0, 3, 20]);
    let within = number(rng, &[15, 30, 60]);
    let max = number(rng, &[12, 40, 30000]);
    let max_bytes = number(rng, &[4, 20, 4096]);
    let (lines, length, quiet) = (rng.u8(1..3), rng.u8(1..9), number(rng, &[5, 25]));
    let settle = number(rng, &[2, 9]);
    let late = if rng.bool() { "drop" } else { "error" };
    sometimes(60, rng, patterns);
    sometimes(60, rng, format!("grace_ms = {grace}"));
    sometimes(15, rng, r"last_line = 'OK|ERROR.*'".to_owned());
    sometimes(15, rng, format!("lines = {lines}"));
    sometimes(8, rng, format!("length = {length}"));
    sometimes(8, rng, "length = { at = 1, size = 1, plus = 2 }".to_owned());
    if keys.iter().filter(|key| key.starts_with("length")).count() == 2 {
        keys.pop();
    }
    let mut sometimes = |often: u8, rng: &mut Rng, key: String| {
        if rng.u8(..100) < often {
            keys.push(key);
        }
    };
    sometimes(15, rng, format!("quiet_ms = {quiet}"));
    sometimes(80, rng, format!("within_ms = {within}"));
    sometimes(20, rng, format!("max_ms = {max}"));
    sometimes(20, rng, format!("max_bytes = {max_bytes}"));
    sometimes(20, rng, format!("settle_ms = {settle}"));
    sometimes(if own { 0 } else { 40 }, rng, format!("late = \"{late}\""));
    sometimes(40, rng, "echo = true".to_owned());
    if !own && rng.bool() {
        let (one, other) = (rng.choice(STRIPS).expect("some"), rng.choice(STRIPS).expect("some"));
        keys.push(format!("strip = ['{one}', '{other}']"));
    }
    keys
}

/// A random step, without braces.
fn step(rng: &mut Rng, kinds: u8) -> String {
    let ms = rng.u8(1..30);
    match rng.u8(..kinds) {
        0 | 1 => format!("send = \"s{}\\r\"", rng.u8(..10)),
        2 => format!("wait_ms = {ms}"),
        _ => {
            let pattern = rng.choice(PATTERNS).expect("some");
            format!("expect = {{ match = '{pattern}', within_ms = {} }}", rng.u8(5..60))
        }
    }
}

fn device_file(rng: &mut Rng) -> String {
    let mut file = String::new();
    let mut write = |text: std::fmt::Arguments<'_>| file.write_fmt(text).expect("text");
    for _ in 0..rng.usize(1..3) {
        let mut steps: Vec<_> = (0..rng.usize(..3)).map(|_| step(rng, 4)).collect();
        steps.push("send = \"reset\\r\"".to_owned());
        if rng.bool() {
            steps.push(step(rng, 4));
        }
        write(format_args!("[[reset]]\nsteps = [{{ {} }}]\n", steps.join(" }, { ")));
        if rng.bool() {
            let pattern = rng.choice(PATTERNS).expect("some");
            let within = rng.u8(10..80);
            write(format_args!("expect = {{ match = '{pattern}', within_ms = {within} }}\n"));
        }
        let (quiet, tries) = (rng.choice([0, 1, 20]).expect("some"), rng.u8(1..4));
        write(format_args!("quiet_ms = {quiet}\ntries = {tries}\n"));
    }
    write(format_args!("[reply]\n{}\n[inputs]\n", reply(rng, false).join("\n")));
    write(format_args!("plain = \"plain\\r\"\nwait = {{ wait_ms = {} }}\n", rng.u8(1..40)));
    let own = reply(rng, true).join(", ");
    write(format_args!("own = {{ send = \"own\", reply = {{ {own} }} }}\n"));
    let mut steps: Vec<_> = (0..rng.usize(..3)).map(|_| step(rng, 4)).collect();
    steps.push(step(rng, 3));
    write(format_args!("long = {{ steps = [{{ {} }}] }}\n", steps.join(" }, { ")));
    file
}

/// The result of a word: its outputs and the fault that ended it.
#[derive(Debug)]
struct Came<E> {
    /// Each output, and when it was known.
    outputs: Vec<(String, u64)>,
    fault: Option<E>,
}

fn word<S: Sul>(
    sul: &mut S,
    world: &World,
    word: &[Input],
    name: impl Fn(&[u8]) -> String,
) -> Came<S::Error> {
    let mut outputs = Vec::new();
    if let Err(error) = sul.reset() {
        return Came { outputs, fault: Some(error) };
    }
    outputs.push((String::new(), world.now_ms()));
    for input in word {
        match sul.step(*input) {
            Ok(output) => outputs.push((name(output), world.now_ms())),
            Err(error) => return Came { outputs, fault: Some(error) },
        }
    }
    Came { outputs, fault: None }
}

/// Whether the target's error means the same as the host's.
fn is_alike(host: &LinkError, target: DeviceError) -> bool {
    match host {
        LinkError::Reset { .. } => target == DeviceError::NotReset,
        LinkError::Late { .. } => target == DeviceError::Late,
        LinkError::Unending { key: "`max_bytes`", .. } => target == DeviceError::TooLong,
        LinkError::Unending { .. } => target == DeviceError::Unending,
        _ => false,
    }
}

/// What came of a word that host and target were asked.
struct Compared {
    outputs: usize,
    has_failed: bool,
    /// Whether the host joined the halves of an escape sequence that a reset or an input cut in two, which no target does.
    is_joined: bool,
}

/// Asks host and target one word.
fn compare(seed: u64) -> Compared {
    let mut rng = Rng::with_seed(seed);
    let (file, device) = loop {
        let file = device_file(&mut rng);
        // Some random files are invalid: two of their inputs do the same.
        if let Ok(device) = DeviceFile::parse(Path::new("x.toml"), &file) {
            break (file, device);
        }
    };
    let program = Program::new(&device).unwrap_or_else(|error| panic!("{error}: {file}"));
    let inputs = u32::try_from(device.inputs.len()).expect("few");
    let asked: Vec<_> = (0..5).map(|_| Input::new(rng.u32(..inputs))).collect();

    let world = World::new(seed);
    let heard = world.clone();
    let mut sul = SerialSul::new(world.clone(), device.clone()).expect("it has no lines");
    let host = word(&mut sul, &world, &asked, |name| String::from_utf8_lossy(name).into_owned());

    let world = World::new(seed);
    let mut conversation = Conversation::new(world.clone());
    for (number, rule) in (0..).zip(program.rules()) {
        let rule = rule.encode(&mut [0; MAX_RULE]).to_vec();
        assert_eq!(conversation.take(number, &rule), Ok(()));
    }
    let target = word(&mut conversation, &world, &asked, |output| output_name(&device, output));

    let shown = || format!("seed {seed}: {asked:?}\n{file}\nhost {host:?}\ntarget {target:?}");
    let is_same = match (&host.fault, target.fault) {
        // The host reads all bytes that are there, and notices at once what follows a reply. A
        // target notices it before the next input.
        (Some(LinkError::Late { .. }), late) if target.outputs.len() == host.outputs.len() + 1 => {
            let is_last = target.outputs.len() == asked.len() + 1;
            target.outputs.starts_with(&host.outputs)
                && (late == Some(DeviceError::Late) || is_last)
        }
        // The host takes an echo that is nearly what was sent for a fault of the line, a target for the reply.
        (Some(LinkError::Echo { .. }), _) => target.outputs.starts_with(&host.outputs),
        (fault, also) => {
            let alike = match (fault, also) {
                (Some(fault), Some(also)) => is_alike(fault, also),
                (fault, also) => fault.is_none() && also.is_none(),
            };
            host.outputs == target.outputs && alike
        }
    };
    let may_join = file.contains(ESCAPES) && heard.0.borrow().has_cut;
    assert!(is_same || may_join, "{}", shown());
    Compared { outputs: host.outputs.len(), has_failed: host.fault.is_some(), is_joined: !is_same }
}

fn compare_all(seeds: std::ops::Range<u64>) {
    let (mut outputs, mut faults, mut joined) = (0, 0, 0);
    for seed in seeds.clone() {
        let compared = compare(seed);
        outputs += compared.outputs;
        faults += usize::from(compared.has_failed);
        joined += usize::from(compared.is_joined);
    }
    let words = seeds.count();
    println!("{words} words, {outputs} outputs, {faults} faults, {joined} joined");
    assert!(joined < words / 100, "{joined} of {words}");
    assert!(outputs > words && faults > words / 10, "the devices are good for something");
}

#[test]
fn a_target_hears_what_the_host_hears() {
    compare_all(0..2000);
}

#[test]
#[ignore = "takes a minute"]
fn a_target_hears_what_the_host_hears_in_many_words() {
    compare_all(2000..50_000);
}

/// Programs that know their device include this file.
#[test]
fn the_rules_of_the_motor_are_those_of_its_device_file() {
    let folder = mealybug_tests::device_file("motor");
    let device = DeviceFile::load(&folder.join("device.toml")).expect("a device file");
    let rules = std::fs::read(folder.join("device.rules")).expect("mealybug compile wrote it");
    let program = Program::new(&device).expect("a target can");
    assert!(program.to_file() == rules, "write it anew with mealybug compile --out");
}
