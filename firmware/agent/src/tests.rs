//! The whole agent on the host: a host on a link in memory, and devices that are called directly.

use std::collections::VecDeque;
use std::string::String;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::vec::Vec;

use mealybug_adapters::{Attached, testkit};
use mealybug_core::wire::message::{DeviceError, Message, Phase, Refusal, Request};
use mealybug_core::wire::words::{BEGINS, MAX_SYMBOLS};
use mealybug_core::{Input, Options, Sul};
use mealybug_devices::BuiltIn;
use mealybug_devices::door_lock::DoorLock;

use crate::Agent;

/// How many frames fit into the agents of these tests.
const FRAMES: usize = 3;

/// A device that answers with the number of symbols since the reset, and fails where it is told to.
struct SymbolCounter {
    count: u32,
    resets: u32,
    text: String,
    inputs: u32,
    /// The number of the reset that fails.
    fails_at: u32,
    /// Each step waits for a signal here.
    gate: Option<Receiver<()>>,
    /// How often its lines were brought to rest.
    rested: Arc<AtomicU32>,
}

impl Default for SymbolCounter {
    fn default() -> Self {
        let text = String::new();
        Self {
            count: 0,
            resets: 0,
            text,
            inputs: 3,
            fails_at: 0,
            gate: None,
            rested: Arc::default(),
        }
    }
}

impl Sul for SymbolCounter {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        self.count = 0;
        self.resets += 1;
        if self.resets == self.fails_at { Err(DeviceError::NotReset) } else { Ok(()) }
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        if let Some(gate) = &self.gate {
            gate.recv().expect("the test goes on");
        }
        self.count += 1;
        self.text = match input.index() {
            0 => std::format!("{}", self.count),
            1 => "x".repeat(self.count as usize),
            _ => return Err(DeviceError::Late),
        };
        Ok(self.text.as_bytes())
    }
}

impl Attached for SymbolCounter {
    fn inputs(&self) -> u32 {
        self.inputs
    }

    fn input_name(&self, input: Input) -> &[u8] {
        if input.index() == 0 { b"count" } else { b"long" }
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        self.rested.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// A message, with everything that it says.
#[derive(Debug, PartialEq)]
enum AgentMessage {
    Hello(Phase, bool),
    Answer(u8, Option<Refusal>),
    Name(u32, String),
    Opened(u32, u32, u32, u8),
    Output(String),
    Outputs(Vec<u8>),
    Failed(DeviceError),
}

struct AgentHost(testkit::Host);

impl AgentHost {
    fn start(device: impl Attached + Send + 'static) -> Self {
        Self(testkit::Host::start(move |link| {
            Agent::<_, _, FRAMES>::new(link, device, "test").run()
        }))
    }

    /// Sends a request and returns the number of its frame.
    fn send(&mut self, request: &Request<'_>) -> u8 {
        self.0.send(request)
    }

    /// Loses a request on its way.
    fn lose(&mut self, request: &Request<'_>) {
        self.0.encode(request);
    }

    /// Opens a session of a host that knows no outputs.
    fn open(&mut self, session: u32) {
        self.send(&Request::Open { host: 1, session, known: 0 });
    }

    fn next(&mut self) -> AgentMessage {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.0.next(|message| match message {
            Message::Hello { phase, is_ready, .. } => AgentMessage::Hello(phase, is_ready),
            Message::Answer { to, refusal } => AgentMessage::Answer(to, refusal),
            Message::Name { input, name } => AgentMessage::Name(input, text(name)),
            Message::Opened { session, known, inputs, frames } => {
                AgentMessage::Opened(session, known, inputs, frames)
            }
            Message::Output(bytes) => AgentMessage::Output(text(bytes)),
            Message::Outputs(numbers) => AgentMessage::Outputs(numbers.to_vec()),
            Message::Failed(error) => AgentMessage::Failed(error),
            other => panic!("{other:?} is what a learner says"),
        })
    }

    /// The next outputs as texts; `names` holds the outputs whose bytes came before.
    fn outputs(&mut self, names: &mut Vec<String>, count: usize) -> Vec<String> {
        let mut outputs = Vec::new();
        while outputs.len() < count {
            match self.next() {
                AgentMessage::Output(name) => names.push(name),
                AgentMessage::Outputs(numbers) => {
                    outputs.extend(numbers.iter().map(|&n| names[usize::from(n)].clone()));
                }
                other => panic!("{other:?}"),
            }
        }
        outputs
    }
}

fn text(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.into()).collect()
}

#[test]
fn it_says_who_it_is_and_answers_words() {
    let mut host = AgentHost::start(BuiltIn::<DoorLock>::default());
    host.send(&Request::Hello);
    assert_eq!(host.next(), AgentMessage::Hello(Phase::Agent, true));
    host.send(&Request::Name { input: 3 });
    assert_eq!(host.next(), AgentMessage::Name(3, "wait".into()));
    let words = host.send(&Request::Words(&[BEGINS]));
    assert_eq!(host.next(), AgentMessage::Answer(words, Some(Refusal::NotRunning)));
    let rule = host.send(&Request::Rule { number: 0, rule: b"" });
    assert_eq!(host.next(), AgentMessage::Answer(rule, Some(Refusal::BuiltIn)));
    let start = host.send(&Request::Start((&Options::default()).into()));
    assert_eq!(host.next(), AgentMessage::Answer(start, Some(Refusal::OtherProgram)));

    host.open(7);
    assert_eq!(host.next(), AgentMessage::Opened(7, 0, 4, 3));
    // good, close; then bad three times and, in the next frame, wait and good.
    host.send(&Request::Words(&[BEGINS, 2, BEGINS | 1, 1, 1]));
    host.send(&Request::Words(&[3, 0]));
    let mut names = Vec::new();
    assert_eq!(
        host.outputs(&mut names, 7),
        text(&["open", "closed", "wrong code", "wrong code", "locked out", "(silence)", "open"])
    );
    assert_eq!(
        names,
        text(&["open", "closed", "wrong code", "locked out", "(silence)"]),
        "each was told once"
    );
    // The agent does not repeat outputs that a host knows, but tells them to another host.
    host.send(&Request::Open { host: 1, session: 5, known: 3 });
    assert_eq!(host.next(), AgentMessage::Opened(5, 3, 4, 3));
    host.send(&Request::Words(&[BEGINS | 1, 3]));
    assert_eq!(host.next(), AgentMessage::Output("(silence)".into()));
    assert_eq!(host.next(), AgentMessage::Outputs([2, 3].into()));
    host.send(&Request::Open { host: 2, session: 6, known: 3 });
    assert_eq!(host.next(), AgentMessage::Opened(6, 0, 4, 3));
    host.open(8);
    assert_eq!(host.next(), AgentMessage::Opened(8, 0, 4, 3));
    host.send(&Request::Words(&[BEGINS | 1]));
    assert_eq!(host.next(), AgentMessage::Output("wrong code".into()));
    assert_eq!(host.next(), AgentMessage::Outputs([0].into()));
    let stop = host.send(&Request::Stop);
    assert_eq!(host.next(), AgentMessage::Answer(stop, None));
    let words = host.send(&Request::Words(&[BEGINS]));
    assert_eq!(host.next(), AgentMessage::Answer(words, Some(Refusal::NotRunning)));
}

#[test]
fn after_a_frame_that_is_missing_nothing_is_asked_until_a_session_is_opened() {
    let mut host = AgentHost::start(SymbolCounter::default());
    host.open(1);
    assert_eq!(host.next(), AgentMessage::Opened(1, 0, 3, 3));
    host.lose(&Request::Words(&[BEGINS]));
    let words = host.send(&Request::Words(&[BEGINS, 0]));
    assert_eq!(host.next(), AgentMessage::Answer(words, Some(Refusal::FrameMissing)));
    let words = host.send(&Request::Words(&[BEGINS]));
    assert_eq!(host.next(), AgentMessage::Answer(words, Some(Refusal::NotRunning)));
    // The last frame before a silence is lost; the next frame shows the gap.
    host.open(2);
    assert_eq!(host.next(), AgentMessage::Opened(2, 0, 3, 3));
    host.lose(&Request::Words(&[BEGINS]));
    let hello = host.send(&Request::Hello);
    assert_eq!(host.next(), AgentMessage::Hello(Phase::Agent, true));
    assert_eq!(host.next(), AgentMessage::Answer(hello, Some(Refusal::FrameMissing)));
    // Frames lost between sessions do no harm.
    host.lose(&Request::Hello);
    host.open(3);
    assert_eq!(host.next(), AgentMessage::Opened(3, 0, 3, 3));
    host.send(&Request::Words(&[BEGINS]));
    assert_eq!(host.outputs(&mut Vec::new(), 1), ["1"]);
}

#[test]
fn what_a_device_does_wrong_ends_the_session_at_its_symbol() {
    let mut host = AgentHost::start(SymbolCounter { fails_at: 3, ..SymbolCounter::default() });
    let words: [&[u8]; 2] = [&[BEGINS, 0, BEGINS, 2, BEGINS], &[BEGINS]];
    host.open(1);
    host.send(&Request::Words(words[0]));
    host.next();
    assert_eq!(host.outputs(&mut Vec::new(), 3), ["1", "2", "1"]);
    assert_eq!(host.next(), AgentMessage::Failed(DeviceError::Late));
    let refused = host.send(&Request::Words(words[1]));
    assert_eq!(host.next(), AgentMessage::Answer(refused, Some(Refusal::NotRunning)));
    host.open(2);
    host.next();
    host.send(&Request::Words(words[1]));
    assert_eq!(host.next(), AgentMessage::Failed(DeviceError::NotReset));
    // The agent asks nothing of a device that was not reset.
    host.open(3);
    host.next();
    host.send(&Request::Words(&[0]));
    assert_eq!(host.next(), AgentMessage::Failed(DeviceError::NotReset));
}

#[test]
fn outputs_without_room_are_failures() {
    let mut host = AgentHost::start(SymbolCounter::default());
    host.open(1);
    host.next();
    let mut symbols = [0; MAX_SYMBOLS];
    symbols[0] = BEGINS;
    let mut names = Vec::new();
    host.send(&Request::Words(&symbols));
    assert_eq!(host.outputs(&mut names, MAX_SYMBOLS).len(), MAX_SYMBOLS);
    host.send(&Request::Words(&[0; 20]));
    assert_eq!(host.outputs(&mut names, 256 - MAX_SYMBOLS).last(), Some(&"256".into()));
    assert_eq!(host.next(), AgentMessage::Failed(DeviceError::TooManyOutputs));
    // The limits on the bytes of all outputs and of one: 1 + 2 + … + 90 are 4095.
    host.open(2);
    host.next();
    symbols = [1; MAX_SYMBOLS];
    symbols[0] |= BEGINS;
    host.send(&Request::Words(&symbols));
    assert_eq!(host.outputs(&mut Vec::new(), 90).len(), 90);
    assert_eq!(host.next(), AgentMessage::Failed(DeviceError::TooManyOutputs));
    host.open(3);
    host.next();
    symbols[1..193].fill(0);
    host.send(&Request::Words(&symbols[..194]));
    assert_eq!(host.outputs(&mut Vec::new(), 193).len(), 193);
    assert_eq!(host.next(), AgentMessage::Failed(DeviceError::TooLong));

    let mut host = AgentHost::start(SymbolCounter { inputs: 129, ..SymbolCounter::default() });
    host.open(1);
    assert_eq!(host.next(), AgentMessage::Answer(0, Some(Refusal::TooManyInputs)));
}

#[test]
fn the_lines_to_the_device_are_at_rest_after_a_session() {
    let rested = Arc::<AtomicU32>::default();
    let mut host =
        AgentHost::start(SymbolCounter { rested: rested.clone(), ..SymbolCounter::default() });
    host.open(1);
    assert!(matches!(host.next(), AgentMessage::Opened(..)));
    let before = rested.load(Ordering::Relaxed);
    let to = host.send(&Request::Stop);
    assert_eq!(host.next(), AgentMessage::Answer(to, None));
    assert_eq!(rested.load(Ordering::Relaxed), before + 1);
}

/// Between two symbols the agent listens to hosts. Another host takes over at once, whatever waits
/// to be asked.
#[test]
fn a_host_that_vanished_leaves_nothing_behind() {
    let (open_gate, gate) = channel();
    let mut host = AgentHost::start(SymbolCounter { gate: Some(gate), ..SymbolCounter::default() });
    host.open(1);
    assert_eq!(host.next(), AgentMessage::Opened(1, 0, 3, 3));
    for _ in 0..FRAMES {
        host.send(&Request::Words(&[BEGINS; MAX_SYMBOLS]));
    }
    host.open(2);
    host.send(&Request::Words(&[BEGINS, 0]));
    (0..3).for_each(|_| open_gate.send(()).expect("the device waits"));
    // The agent may send the output of the symbol in progress, or drop it.
    let mut came = VecDeque::new();
    while !matches!(came.back(), Some(AgentMessage::Outputs(_)))
        || !came.contains(&AgentMessage::Opened(2, 0, 3, 3))
    {
        came.push_back(host.next());
        if came.len() < 3 {
            open_gate.send(()).expect("the device waits");
        }
    }
    let opened =
        came.iter().position(|said| *said == AgentMessage::Opened(2, 0, 3, 3)).expect("it came");
    assert!(opened <= 2, "{came:?}");
    let new = [
        AgentMessage::Output("1".into()),
        AgentMessage::Output("2".into()),
        AgentMessage::Outputs([0, 1].into()),
    ];
    assert!(came.iter().skip(opened + 1).eq(&new), "{came:?}");
}

#[test]
fn a_frame_too_many_ends_the_session() {
    let (open_gate, gate) = channel();
    let mut host = AgentHost::start(SymbolCounter { gate: Some(gate), ..SymbolCounter::default() });
    host.open(1);
    host.next();
    // The agent is asking the first frame, which keeps its place until it is answered.
    for _ in 0..FRAMES {
        host.send(&Request::Words(&[BEGINS; MAX_SYMBOLS]));
    }
    let last = host.send(&Request::Words(&[BEGINS]));
    open_gate.send(()).expect("the device waits");
    while let said = host.next()
        && said != AgentMessage::Answer(last, Some(Refusal::FrameMissing))
    {
        assert!(matches!(said, AgentMessage::Output(_)), "{said:?}");
    }
}
