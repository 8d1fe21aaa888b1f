//! The complete host side, with an agent in memory and a line that loses frames.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{DeviceError, Message, PROTOCOL, Phase, Refusal, Request};
use mealybug_core::wire::words::{MAX_INPUTS, input};
use mealybug_core::{Input, Sul};
use miette::Diagnostic;
use tempfile::TempDir;

use super::{AgentClient, AgentError};
use crate::device::ControlLine;
use crate::serial::fake::Coming;
use crate::serial::{OpenError, TimedLink};
use crate::store::Store;
use crate::target::DeviceFault;

/// How long a frame takes from one end to the other.
const LATENCY: Duration = Duration::from_millis(10);

/// What goes wrong. Frames are numbered from the start, words by their resets.
#[derive(Clone, Debug, Default)]
struct LineFaults {
    lost_to_agent: Vec<u32>,
    lost_to_host: Vec<u32>,
    /// The agent is reset before each of these frames.
    restarts: Vec<u32>,
    failing_resets: Vec<u32>,
    /// Nothing arrives from this frame on.
    dies: Option<u32>,
    /// The agent speaks this other version of the protocol.
    protocol: Option<u8>,
    /// The number of inputs that the agent claims to have; three if it is not set.
    inputs: Option<u32>,
    /// All inputs have this name.
    name: Option<&'static str>,
    /// The line has no baud rate.
    is_tcp: bool,
}

/// What happened; shared with the test.
#[derive(Debug, Default)]
struct SeenByAgent {
    frames: u32,
    said: u32,
    words_frames: u32,
    resets: u32,
    symbols: u32,
    sessions: u32,
}

/// An agent at the end of a line, with its own clock.
struct FakeAgent {
    faults: LineFaults,
    seen: Rc<RefCell<SeenByAgent>>,
    coming: Coming,
    encoder: Encoder,
    decoder: Decoder,
    host: Option<u32>,
    session: Option<u32>,
    names: HashMap<String, u8>,
    word: Vec<u32>,
}

/// An output that contains the whole word, so no two words have the same output.
fn expected(word: &[u32]) -> String {
    let hash = word.iter().fold(7_u32, |hash, input| hash.wrapping_mul(31).wrapping_add(*input));
    format!("{}", hash % 101)
}

impl FakeAgent {
    fn say(&mut self, message: &Message<'_>) {
        let frame = self.encoder.encode(message).expect("it fits");
        let mut seen = self.seen.borrow_mut();
        seen.said += 1;
        let is_dead = self.faults.dies.is_some_and(|at| seen.frames >= at);
        if !self.faults.lost_to_host.contains(&seen.said) && !is_dead {
            self.coming.say(2 * LATENCY, frame);
        }
    }

    fn take(&mut self, frame: &[u8]) {
        self.seen.borrow_mut().frames += 1;
        let number = self.seen.borrow().frames;
        if self.faults.restarts.contains(&number) {
            (self.encoder, self.decoder) = (Encoder::new(), Decoder::new());
            (self.host, self.session) = (None, None);
        }
        if self.faults.lost_to_agent.contains(&number) {
            return;
        }
        let mut decoder = std::mem::take(&mut self.decoder);
        for &byte in frame {
            if let Some(Ok(frame)) = decoder.push(byte) {
                let request = frame.message().expect("a request");
                self.obey(frame.sequence, frame.missed, request);
            }
        }
        self.decoder = decoder;
    }

    fn obey(&mut self, to: u8, missed: u8, request: Request<'_>) {
        if self.session.is_some() && missed > 0 && !matches!(request, Request::Open { .. }) {
            self.session = None;
            let refusal = Some(Refusal::FrameMissing);
            return self.say(&Message::Answer { to, refusal });
        }
        match request {
            Request::Hello => self.say(&Message::Hello {
                protocol: self.faults.protocol.unwrap_or(PROTOCOL),
                board: b"fake",
                phase: Phase::Agent,
                memory_bytes: 0,
                is_ready: true,
            }),
            Request::Open { host, session, known } => {
                self.seen.borrow_mut().sessions += 1;
                self.session = Some(session);
                let known = if self.host == Some(host) { known } else { 0 };
                self.host = Some(host);
                self.names.retain(|_, number| u32::from(*number) < known);
                let inputs = self.faults.inputs.unwrap_or(3);
                self.say(&Message::Opened { session, known, inputs, frames: 8 });
            }
            Request::Name { input } => {
                let name = self.faults.name.map_or(format!("input {input}"), str::to_owned);
                self.say(&Message::Name { input, name: name.as_bytes() });
            }
            Request::Words(_) if self.session.is_none() => {
                self.say(&Message::Answer { to, refusal: Some(Refusal::NotRunning) });
            }
            Request::Words(symbols) => self.ask(symbols),
            _ => self.say(&Message::Answer { to, refusal: None }),
        }
    }

    fn ask(&mut self, symbols: &[u8]) {
        self.seen.borrow_mut().words_frames += 1;
        let mut outputs = Vec::new();
        for &symbol in symbols {
            let (input, begins) = input(symbol);
            if begins {
                self.word.clear();
                self.seen.borrow_mut().resets += 1;
                if self.faults.failing_resets.contains(&self.seen.borrow().resets) {
                    self.say(&Message::Outputs(&outputs));
                    self.say(&Message::Failed(DeviceError::NotReset));
                    self.session = None;
                    return;
                }
            }
            self.seen.borrow_mut().symbols += 1;
            self.word.push(input.index());
            let name = expected(&self.word);
            let new = u8::try_from(self.names.len()).expect("few");
            if !self.names.contains_key(&name) {
                self.say(&Message::Output(name.as_bytes()));
            }
            outputs.push(*self.names.entry(name).or_insert(new));
        }
        self.say(&Message::Outputs(&outputs));
    }
}

impl TimedLink for FakeAgent {
    fn now(&self) -> Duration {
        self.coming.now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        Ok(self.coming.read(buffer, until))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(bytes);
        Ok(())
    }

    fn set(&mut self, _: ControlLine, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_received()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        Ok(())
    }

    fn has_baud(&self) -> bool {
        !self.faults.is_tcp
    }
}

fn agent(faults: LineFaults) -> (AgentClient<FakeAgent>, Rc<RefCell<SeenByAgent>>) {
    let (agent, seen) = connect(faults);
    (agent.expect("an agent"), seen)
}

fn connect(
    faults: LineFaults,
) -> (Result<AgentClient<FakeAgent>, AgentError>, Rc<RefCell<SeenByAgent>>) {
    let seen = Rc::new(RefCell::new(SeenByAgent::default()));
    let fake = FakeAgent {
        faults,
        seen: Rc::clone(&seen),
        coming: Coming::default(),
        encoder: Encoder::new(),
        decoder: Decoder::new(),
        host: None,
        session: None,
        names: HashMap::new(),
        word: Vec::new(),
    };
    (AgentClient::connect(fake, None), seen)
}

/// Words of many lengths; some are longer than a frame.
fn words() -> Vec<Vec<u32>> {
    let word = |n: u32| {
        let len = if n % 40 == 39 { 600 } else { n % 13 + 1 };
        let mut rng = n * 2_654_435 + 1;
        let input = |_| {
            rng = rng.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (rng >> 16) % 3
        };
        (0..len).map(input).collect()
    };
    (0..120).map(word).collect()
}

fn inputs(word: &[u32]) -> Vec<Input> {
    word.iter().copied().map(Input::new).collect()
}

/// Asks a word, which may have been announced. Returns the answers.
fn ask(agent: &mut AgentClient<FakeAgent>, word: &[u32]) -> Result<Vec<String>, AgentError> {
    let word = inputs(word);
    agent.reset_for(&word)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    word.iter().map(|&input| agent.step(input).map(text)).collect()
}

fn answers(word: &[u32]) -> Vec<String> {
    (1..=word.len()).map(|len| expected(&word[..len])).collect()
}

/// Asks all words with `ahead` of them announced, and checks the answers. Returns how often a reset
/// failed.
fn run(faults: LineFaults, ahead: usize) -> (u32, Rc<RefCell<SeenByAgent>>) {
    let mut what = format!("{faults:?}");
    what.truncate(200);
    let (mut agent, seen) = agent(faults);
    assert_eq!(agent.inputs(), ["input 0", "input 1", "input 2"]);
    let words = words();
    let mut failures = 0;
    let mut announced = words.iter();
    announced.by_ref().take(ahead).for_each(|word| agent.announce(&inputs(word)));
    for word in &words {
        let came = loop {
            match ask(&mut agent, word) {
                Ok(came) => break came,
                Err(AgentError::Device(DeviceFault(DeviceError::NotReset))) => failures += 1,
                Err(error) => panic!("{what}: {error}"),
            }
        };
        assert_eq!(came, answers(word), "{what}");
        announced.by_ref().take(1).for_each(|word| agent.announce(&inputs(word)));
    }
    (failures, seen)
}

#[test]
fn words_known_ahead_share_frames_and_are_asked_once() {
    let symbols: usize = words().iter().map(Vec::len).sum();
    let (_, seen) = run(LineFaults::default(), 100);
    let seen = seen.borrow();
    assert!(seen.symbols as usize <= symbols, "{} of {symbols}: once, or not at all", seen.symbols);
    assert!(seen.words_frames <= 60, "{}", seen.words_frames);
    assert_eq!(seen.sessions, 1);
    let (_, alone) = run(LineFaults::default(), 0);
    assert!(alone.borrow().words_frames >= 120, "each waits for the one before");
}

#[test]
fn whichever_frame_is_lost_the_answers_are_right() {
    let (_, seen) = run(LineFaults::default(), 100);
    let (frames, said) = (seen.borrow().frames, seen.borrow().said);
    assert!(frames > 20 && said > 100, "{frames} {said}");
    for lost in 1..=frames + 3 {
        run(LineFaults { lost_to_agent: vec![lost], ..LineFaults::default() }, 100);
        run(LineFaults { restarts: vec![lost], ..LineFaults::default() }, 100);
    }
    for lost in 1..=said + 3 {
        run(LineFaults { lost_to_host: vec![lost], ..LineFaults::default() }, 100);
    }
    let every = |n: usize| (0..10_000).step_by(n).collect::<Vec<_>>();
    let (lost_to_agent, lost_to_host) = (every(11), every(13));
    run(LineFaults { lost_to_agent, lost_to_host, ..LineFaults::default() }, 100);
}

#[test]
fn a_device_that_fails_does_so_for_the_word_that_is_asked() {
    for reset in [1, 2, 50, 119] {
        let (failures, _) =
            run(LineFaults { failing_resets: vec![reset], ..LineFaults::default() }, 100);
        assert_eq!(failures, 1, "reset {reset}");
    }
    let (failures, _) =
        run(LineFaults { failing_resets: vec![3, 4, 5, 90], ..LineFaults::default() }, 100);
    assert_eq!(failures, 4);
}

#[test]
fn a_word_whose_inputs_come_one_by_one_goes_on_without_a_reset() {
    let (mut agent, seen) = agent(LineFaults::default());
    for word in [&[0, 1, 2, 0, 1][..], &[2, 2]] {
        agent.reset().expect("nothing is asked yet");
        for (at, &input) in word.iter().enumerate() {
            let output = agent.step(Input::new(input)).expect("an answer");
            assert_eq!(output, expected(&word[..=at]).as_bytes());
        }
    }
    assert_eq!((seen.borrow().resets, seen.borrow().symbols), (2, 7));
    // Another word was sent meanwhile, so the device is in another state: everything is asked
    // again.
    agent.announce(&inputs(&[1, 1]));
    assert_eq!(ask(&mut agent, &[0]).expect("an answer"), answers(&[0]));
    assert_eq!(agent.step(Input::new(2)).expect("an answer"), expected(&[0, 2]).as_bytes());
    assert_eq!(ask(&mut agent, &[1, 1]).expect("an answer"), answers(&[1, 1]));
    // An input other than the one that was announced.
    agent.reset_for(&inputs(&[0, 0, 0])).expect("an answer");
    agent.step(Input::new(0)).expect("an answer");
    assert_eq!(agent.step(Input::new(1)).expect("an answer"), expected(&[0, 1]).as_bytes());
}

#[test]
fn words_that_are_wanted_no_more_are_not_sent() {
    let (mut agent, seen) = agent(LineFaults::default());
    let words = words();
    words[..30].iter().for_each(|word| agent.announce(&inputs(word)));
    assert_eq!(ask(&mut agent, &words[30]).expect("an answer"), answers(&words[30]));
    agent.announce(&inputs(&[0; 20]));
    assert_eq!(ask(&mut agent, &[0; 20]).expect("an answer"), answers(&[0; 20]));
    assert!(seen.borrow().resets < 8, "{}", seen.borrow().resets);
}

/// Opens the answers of a run in a folder, and what was said ahead.
fn open(folder: &TempDir) -> Store {
    let inputs = [0, 1, 2].map(|input| format!("input {input}"));
    let file = |name: &str| folder.path().join(name);
    Store::open_with_ahead(&file("answers.log"), &file("ahead"), &inputs).expect("a store")
}

/// What a run that goes on finds of it.
fn check_kept(folder: &TempDir, asked: &[&[u32]], faults: LineFaults) -> usize {
    let store = open(folder);
    // The answers to the word before a reset that fails are in doubt.
    let doubts = faults.failing_resets.len();
    let (mut agent, _) = agent(faults);
    let log = store.open_board_logs(&folder.path().join("ahead"), 1, agent.inputs());
    agent.keep(log.expect("a log").remove(0), store.ahead().clone());
    let words = words();
    words[..60].iter().for_each(|word| agent.announce(&inputs(word)));
    for word in asked {
        while ask(&mut agent, word).is_err() {}
    }
    // What is not wanted any more can be taken in the same run.
    let dropped = store.ahead().len();
    for word in words.iter().filter(|word| store.ahead().knows(&inputs(word))) {
        let said = store.ahead().take(&inputs(word)).expect("it was just there");
        let said: Vec<_> = said.iter().map(|answer| answer.output.to_vec()).collect();
        assert_eq!(said, answers(word).iter().map(|name| name.as_bytes()).collect::<Vec<_>>());
    }
    // Killed: what is on its way is lost, and nothing else.
    drop((agent, store));
    let ahead = open(folder).ahead().clone();
    let mut kept = 0;
    for word in &words {
        while let Some(said) = ahead.take(&inputs(word)) {
            let said: Vec<_> = said.iter().map(|answer| answer.output.to_vec()).collect();
            assert_eq!(said, answers(word).iter().map(|name| name.as_bytes()).collect::<Vec<_>>());
            kept += 1;
        }
    }
    assert!(kept + doubts >= asked.len() + dropped, "{kept} kept, {dropped} dropped");
    kept
}

#[test]
fn what_an_agent_said_is_on_disk_also_where_nobody_asked_for_it() {
    let words = words();
    let folder = || TempDir::new().expect("a folder");
    let in_order: Vec<&[u32]> = words[..30].iter().map(|word| &word[..]).collect();
    let kept = check_kept(&folder(), &in_order, LineFaults::default());
    assert!(kept > 30, "{kept}");
    // The words before the last one are not wanted any more.
    let skips: Vec<&[u32]> = [5, 10, 15, 20, 59].map(|at| &words[at][..]).to_vec();
    let kept = check_kept(&folder(), &skips, LineFaults::default());
    assert!(kept > 10, "{kept}");
    for faults in [
        LineFaults { lost_to_host: vec![9, 14], ..LineFaults::default() },
        LineFaults { restarts: vec![7], ..LineFaults::default() },
        LineFaults { failing_resets: vec![2, 9], ..LineFaults::default() },
    ] {
        check_kept(&folder(), &skips, faults);
    }
}

#[test]
fn an_agent_that_falls_silent_is_away() {
    let (mut agent, _) = agent(LineFaults { dies: Some(8), ..LineFaults::default() });
    let error = words().iter().find_map(|word| ask(&mut agent, word).err()).expect("it is dead");
    assert!(matches!(error, AgentError::Silent { .. }), "{error}");
    assert!(error.is_away());
}

#[test]
fn a_line_on_which_nothing_comes_through_is_told() {
    let (mut agent, _) =
        agent(LineFaults { restarts: (7..1000).collect(), ..LineFaults::default() });
    let error = words().iter().find_map(|word| ask(&mut agent, word).err()).expect("it is in vain");
    assert!(matches!(error, AgentError::Lossy { attempts: 10, .. }), "{error}");
}

#[test]
fn advice_speaks_of_a_baud_rate_only_where_there_is_one() {
    for is_tcp in [false, true] {
        for faults in [
            LineFaults { dies: Some(8), is_tcp, ..LineFaults::default() },
            LineFaults { restarts: (7..1000).collect(), is_tcp, ..LineFaults::default() },
        ] {
            let (mut agent, _) = agent(faults);
            let error = words().iter().find_map(|word| ask(&mut agent, word).err());
            let help = error.as_ref().and_then(Diagnostic::help).expect("advice").to_string();
            assert_eq!(help.contains("baud"), !is_tcp, "{help}");
        }
        let (dead, _) = connect(LineFaults { dies: Some(0), is_tcp, ..LineFaults::default() });
        let error = dead.map(drop).expect_err("it is dead");
        let help = error.help().expect("advice").to_string();
        assert_eq!(help.contains("baud"), !is_tcp, "{help}");
    }
}

#[test]
fn an_agent_of_another_version_is_refused() {
    for found in [PROTOCOL - 1, PROTOCOL + 1] {
        let (agent, _) = connect(LineFaults { protocol: Some(found), ..LineFaults::default() });
        let error = agent.map(drop).expect_err("it is of another version");
        let expected = format!(
            "the target speaks version {found} of the protocol, this program version {PROTOCOL}"
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn an_agent_with_more_inputs_than_have_numbers_is_refused() {
    for found in [MAX_INPUTS + 1, u32::MAX] {
        let (agent, _) = connect(LineFaults { inputs: Some(found), ..LineFaults::default() });
        let error = agent.map(drop).expect_err("it has too many inputs");
        assert!(matches!(error, AgentError::TooManyInputs { .. }), "{error}");
    }
    let (agent, _) = connect(LineFaults { inputs: Some(MAX_INPUTS), ..LineFaults::default() });
    assert_eq!(agent.expect("it has just enough").inputs().len(), 128);
}

#[test]
fn an_agent_with_two_inputs_of_one_name_is_refused() {
    let (agent, _) = connect(LineFaults { name: Some("go"), ..LineFaults::default() });
    let error = agent.map(drop).expect_err("its inputs cannot be told apart");
    assert_eq!(error.to_string(), "the agent has two inputs called `go`");
}
