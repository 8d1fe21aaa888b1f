//! The whole target on the host: a host on one link, and a device with its own clock on the other.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::vec::Vec;

use mealybug_adapters::{Attached, Conversation, Crashes, LineFault, Link, asynchronous, testkit};
use mealybug_core::wire::crash::MAX_CRASH;
use mealybug_core::wire::message::{
    ATTEMPTS, DeviceError, Fault, Message, Phase, Refusal, Request,
};
use mealybug_core::wire::rule::{MAX_RULE, RuleFile};
use mealybug_core::wire::{Reader, Record, types};
use mealybug_core::{EndReason, Input, Observations, Options, Sul};
use mealybug_devices::motor::Motor;
use mealybug_devices::{BuiltIn, Console};

use crate::Target;

/// A motor controller that answers at once. Its time passes only while somebody waits.
pub(crate) struct DeviceLink {
    console: Console<Motor>,
    came: VecDeque<u8>,
    now_ms: u64,
    fault: DeviceFault,
    resets: u32,
}

impl Default for DeviceLink {
    fn default() -> Self {
        let (console, came) = (Console::default(), VecDeque::new());
        Self { console, came, now_ms: 0, fault: DeviceFault::None, resets: 0 }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum DeviceFault {
    None,
    /// Nothing comes from this reset on.
    Dead(u32),
    /// Nothing comes from the first `stop` after this reset on.
    Dies(u32),
    /// From this reset on the answer to `stop` is another one.
    Contradicts(u32),
}

impl Link for DeviceLink {
    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn write(&mut self, bytes: &[u8]) {
        self.resets += u32::from(bytes == b"\x18");
        let bytes = match self.fault {
            DeviceFault::Dead(from) if self.resets >= from => return,
            DeviceFault::Dies(from) if self.resets >= from && bytes == b"stop\r" => {
                self.fault = DeviceFault::Dead(0);
                return;
            }
            DeviceFault::Contradicts(from) if self.resets >= from && bytes == b"stop\r" => {
                b"oops\r"
            }
            _ => bytes,
        };
        for &byte in bytes {
            self.console.take(byte, self.now_ms, &mut |said| self.came.extend(said));
        }
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let byte = self.came.pop_front();
        if byte.is_none() {
            self.now_ms = self.now_ms.max(deadline_ms);
        }
        Ok(byte)
    }
}

/// A message, with everything that it says.
#[derive(Debug, PartialEq)]
enum TargetMessage {
    Hello(Phase, bool),
    Answer(u8, Option<Refusal>),
    Progress,
    Retry,
    Part { round: Option<u64>, from: u32, bytes: Vec<u8>, is_last: bool },
    Ended(Option<Fault>),
    Symbol(u32, u32),
    Output(Vec<u8>),
}

/// The request to learn the device.
fn learn(options: Options) -> Request<'static> {
    Request::Start((&options).into())
}

/// The host, and the target at the other end of its link.
struct TargetHost {
    link: testkit::Host,
    retries: u32,
    /// The outputs that contradict each other.
    contradicting: Vec<Vec<u8>>,
}

impl TargetHost {
    fn start(memory_bytes: usize, fault: DeviceFault) -> Self {
        let link = testkit::Host::start(move |link| {
            let device = DeviceLink { fault, ..DeviceLink::default() };
            let mut memory = std::vec![0; memory_bytes / 4];
            Target::new(link, Conversation::new(device), "test").run(&mut memory)
        });
        Self::new(link)
    }

    fn new(link: testkit::Host) -> Self {
        Self { link, retries: 0, contradicting: Vec::new() }
    }

    /// Sends a request and returns the number of its frame.
    fn send(&mut self, request: &Request<'_>) -> u8 {
        self.link.send(request)
    }

    fn next(&mut self) -> TargetMessage {
        self.link.next(|message| match message {
            Message::Hello { phase, is_ready, .. } => TargetMessage::Hello(phase, is_ready),
            Message::Answer { to, refusal } => TargetMessage::Answer(to, refusal),
            Message::Progress(_) => TargetMessage::Progress,
            Message::Retry { .. } => TargetMessage::Retry,
            Message::Part { round, from, bytes, is_last } => {
                TargetMessage::Part { round, from, bytes: bytes.to_vec(), is_last }
            }
            Message::Ended(fault) => TargetMessage::Ended(fault),
            Message::Symbol { position, input } => TargetMessage::Symbol(position, input),
            Message::Output(output) => TargetMessage::Output(output.to_vec()),
            Message::Log(_) => panic!("there is no log"),
            other => panic!("{other:?} is what an agent says"),
        })
    }

    /// Sends a request and returns the refusal, if there is one.
    fn ask(&mut self, request: &Request<'_>) -> Option<Refusal> {
        let sequence = self.send(request);
        loop {
            match self.next() {
                TargetMessage::Answer(to, refusal) if to == sequence => return refusal,
                TargetMessage::Answer(..) => panic!("an answer to something else"),
                _ => {}
            }
        }
    }

    /// Sends the rules of the motor.
    fn rules(&mut self) {
        let file = include_bytes!("../../../tests/devices/motor/device.rules");
        for (number, rule) in (0..).zip(RuleFile::new(file).expect("rules")) {
            let mut room = [0; MAX_RULE];
            let rule = rule.expect("undamaged").encode(&mut room);
            assert_eq!(self.ask(&Request::Rule { number, rule }), None);
        }
    }

    /// The messages from the end of a run to the last part of its result.
    fn end_of_result(&mut self) -> Vec<TargetMessage> {
        let mut said = Vec::new();
        while !matches!(said.last(), Some(TargetMessage::Part { is_last: true, .. })) {
            said.push(self.next());
        }
        said
    }

    /// The end of a run: the fault, the word at which it failed, and the result.
    fn end(&mut self) -> (Option<Fault>, Vec<u32>, Vec<u8>) {
        let fault = loop {
            match self.next() {
                TargetMessage::Ended(fault) => break fault,
                TargetMessage::Retry => self.retries += 1,
                _ => {}
            }
        };
        let (mut word, mut result) = (Vec::new(), Vec::new());
        loop {
            match self.next() {
                TargetMessage::Symbol(position, input) => {
                    assert_eq!(position as usize, word.len());
                    word.push(input);
                }
                TargetMessage::Output(output) => self.contradicting.push(output),
                TargetMessage::Part { round: None, from, bytes, is_last } => {
                    assert_eq!(from as usize, result.len());
                    result.extend(bytes);
                    if is_last {
                        return (fault, word, result);
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

fn records(result: &[u8]) -> Vec<Record<'_>> {
    Reader::new(result).expect("a result").map(|record| record.expect("whole")).collect()
}

fn why(result: &[u8]) -> Option<EndReason> {
    let records = records(result);
    let Some(Record::Summary(run)) = records.first() else { panic!("a run comes first") };
    run.end.map(EndReason::from)
}

#[test]
fn it_learns_and_tells_the_result_as_often_as_it_is_asked() {
    let mut host = TargetHost::start(64 << 10, DeviceFault::None);
    host.send(&Request::Hello);
    assert_eq!(host.next(), TargetMessage::Hello(Phase::Idle, false));
    assert_eq!(host.ask(&learn(Options::default())), Some(Refusal::NoRules));
    assert_eq!(host.ask(&Request::Result { from: 0 }), Some(Refusal::NotRunning));
    assert_eq!(host.ask(&Request::Stop), Some(Refusal::NotRunning));
    host.rules();
    let options = Options::new().lanes(2);
    assert_eq!(host.ask(&learn(options)), Some(Refusal::Options));
    let tree = Options::new().observations(Observations::Tree);
    assert_eq!(host.ask(&learn(tree)), Some(Refusal::Options), "it has no tree");
    let mut newer = types::Options::from(&Options::default());
    newer.tests.kind = 999;
    assert_eq!(host.ask(&Request::Start(newer)), Some(Refusal::Options), "tests of a newer host");
    assert_eq!(host.ask(&learn(Options::default())), None);
    let (fault, word, result) = host.end();
    assert_eq!((fault, word.len(), why(&result)), (None, 0, Some(EndReason::TestsPassed)));
    let names = records(&result);
    assert!(names.contains(&Record::Input(b"fwd")));
    assert!(names.iter().any(|r| matches!(r, Record::Output { name: b"E3 fault\r\n> ", .. })));

    host.send(&Request::Hello);
    assert_eq!(host.next(), TargetMessage::Hello(Phase::Ended, true));
    for from in [0, 1, 191, 192, 193, 400] {
        assert_eq!(host.ask(&Request::Result { from }), None);
        assert_eq!(host.next(), TargetMessage::Ended(None));
        let mut rest = Vec::new();
        while let TargetMessage::Part { round: None, from: start, bytes, is_last } = host.next() {
            assert_eq!(start as usize, from as usize + rest.len());
            rest.extend(bytes);
            if is_last {
                break;
            }
        }
        assert_eq!(rest, result[from as usize..], "from byte {from} on");
    }
    // The same seed gives the same run. A new set of rules forgets the result.
    assert_eq!(host.ask(&learn(Options::default())), None);
    assert_eq!(host.end().2, result);
    host.rules();
    assert_eq!(host.ask(&Request::Result { from: 0 }), Some(Refusal::NotRunning));
}

#[test]
fn hypotheses_come_while_it_learns_and_stop_ends_it() {
    let mut host = TargetHost::start(64 << 10, DeviceFault::None);
    host.rules();
    let options = Options::new().passing_tests(u64::MAX);
    let start = host.send(&learn(options));
    let mut hypotheses = Vec::new();
    let (mut has_progress, mut is_accepted) = (false, false);
    while hypotheses.is_empty() || !has_progress {
        match host.next() {
            TargetMessage::Part { round: Some(round), from, bytes, is_last } => {
                assert_eq!(round, 1);
                let mut bytes = bytes;
                let mut last = is_last;
                assert_eq!(from, 0);
                while !last {
                    if let TargetMessage::Part { from, bytes: more, is_last, .. } = host.next() {
                        assert_eq!(from as usize, bytes.len());
                        bytes.extend(more);
                        last = is_last;
                    }
                }
                assert_eq!(why(&bytes), None, "it goes on");
                hypotheses.push(bytes);
            }
            TargetMessage::Progress => has_progress = true,
            TargetMessage::Answer(to, None) if to == start => is_accepted = true,
            other => panic!("{other:?}"),
        }
    }
    assert!(is_accepted);
    assert_eq!(host.ask(&learn(Options::default())), Some(Refusal::Running));
    assert_eq!(host.ask(&learn(options)), None, "it is the run that goes on");
    assert_eq!(host.ask(&Request::Result { from: 0 }), Some(Refusal::Running));
    assert_eq!(host.ask(&Request::Stop), None);
    assert_eq!(why(&host.end().2), Some(EndReason::Stopped));
}

#[test]
fn a_full_memory_ends_it() {
    let mut host = TargetHost::start(900, DeviceFault::None);
    host.rules();
    assert_eq!(host.ask(&learn(Options::default())), None);
    let (fault, word, result) = host.end();
    let Some(Fault::Capacity(error)) = fault else { panic!("{fault:?}") };
    assert!(error.needed > error.capacity, "{error:?}");
    assert_eq!(word, []);
    assert_eq!(why(&result), None);
}

#[test]
fn a_dead_device_ends_it_with_the_word_it_died_at() {
    let mut host = TargetHost::start(64 << 10, DeviceFault::Dead(20));
    host.rules();
    assert_eq!(host.ask(&learn(Options::default())), None);
    let (fault, word, _) = host.end();
    let Some(Fault::Device { error, word_len, sent }) = fault else { panic!("{fault:?}") };
    assert_eq!((error, sent, word_len as usize), (DeviceError::NotReset, 0, word.len()));
    assert!(word_len > 0);
    assert_eq!(host.retries, ATTEMPTS - 1);
}

#[test]
fn a_device_that_dies_in_a_word_does_not_contradict_itself() {
    for from in 0..60 {
        let mut host = TargetHost::start(64 << 10, DeviceFault::Dies(from));
        host.rules();
        assert_eq!(host.ask(&learn(Options::default())), None);
        let (fault, word, _) = host.end();
        let Some(Fault::Device { error, word_len, .. }) = fault else {
            panic!("from reset {from} on: {fault:?} at {word:?}")
        };
        assert_eq!((error, word_len as usize), (DeviceError::NotReset, word.len()));
    }
}

#[test]
fn a_device_that_contradicts_itself_ends_it_with_the_word() {
    let mut host = TargetHost::start(64 << 10, DeviceFault::Contradicts(20));
    host.rules();
    assert_eq!(host.ask(&learn(Options::default())), None);
    let (fault, word, _) = host.end();
    let Some(Fault::Contradiction(error)) = fault else { panic!("{fault:?}") };
    assert_eq!(error.word_len as usize, word.len());
    assert_eq!(word.get(error.position as usize), Some(&4), "`stop` is input 4");
    let [before, now] = &host.contradicting[..] else { panic!("{:?}", host.contradicting) };
    assert_eq!(now, b"E0 unknown command\r\n> ");
    assert!([&b"ok\r\n> "[..], b"E1 emergency stop\r\n> "].contains(&&before[..]), "{before:?}");
}

#[test]
fn damaged_frames_are_dropped_and_the_next_one_is_answered() {
    let mut host = TargetHost::start(64 << 10, DeviceFault::None);
    let mut damaged = host.link.encode(&Request::Stop);
    damaged[1] ^= 1;
    host.link.send_bytes(damaged.into_iter().chain([7; 1000]).chain([0]));
    host.send(&Request::Hello);
    assert_eq!(host.next(), TargetMessage::Hello(Phase::Idle, false));
}

/// The link to the host, and the motor, of a program that waits with `await`. The program's other tasks run while a byte is
/// missing.
struct Awaited<L>(L);

impl<L: Link> asynchronous::Link for Awaited<L> {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    async fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
        // Others run while the line is busy.
        let mut is_sent = false;
        poll_fn(|_| {
            if std::mem::replace(&mut is_sent, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    async fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let mut is_first = true;
        poll_fn(|context| {
            let came = self.0.read_until(0);
            if came != Ok(None) || deadline_ms == 0 {
                return Poll::Ready(came);
            }
            // Others first; then time passes, if that is a matter of asking.
            context.waker().wake_by_ref();
            if !std::mem::take(&mut is_first) && deadline_ms < u64::MAX {
                return Poll::Ready(self.0.read_until(deadline_ms));
            }
            Poll::Pending
        })
        .await
    }
}

/// What an executor does: runs two tasks in turn until one has ended.
fn run_beside(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let mut context = Context::from_waker(Waker::noop());
    while first.as_mut().poll(&mut context).is_pending()
        && second.as_mut().poll(&mut context).is_pending()
    {
        std::thread::yield_now();
    }
}

/// The program of an executor: a target that is awaited is a task beside another one.
fn start_awaited(turns: Arc<AtomicU32>) -> TargetHost {
    let link = testkit::Host::start(move |link| {
        let mut memory = std::vec![0; (64 << 10) / 4];
        let device = asynchronous::Conversation::new(Awaited(DeviceLink::default()));
        let mut target = crate::asynchronous::Target::new(Awaited(link), device, "test");
        let learn = async { target.run(&mut memory).await };
        let blink = poll_fn(|context| {
            turns.fetch_add(1, Relaxed);
            context.waker().wake_by_ref();
            Poll::Pending
        });
        run_beside(learn, blink);
    });
    TargetHost::new(link)
}

#[test]
fn a_target_that_is_awaited_learns_the_same_beside_another_task() {
    let mut blocking = TargetHost::start(64 << 10, DeviceFault::None);
    let turns = Arc::new(AtomicU32::new(0));
    let mut awaited = start_awaited(turns.clone());
    let mut results = Vec::new();
    for host in [&mut blocking, &mut awaited] {
        host.rules();
        assert_eq!(host.ask(&learn(Options::default())), None);
        let before = turns.load(Relaxed);
        let (fault, word, result) = host.end();
        assert_eq!((fault, word.len(), why(&result)), (None, 0, Some(EndReason::TestsPassed)));
        results.push((result, turns.load(Relaxed) - before));
    }
    assert_eq!(results[0].0, results[1].0, "the same words, with the same answers");
    let turns = results[1].1;
    assert!(turns > 1000, "the other task had {turns} turns while it was learned");
    // Parts from anywhere on are those of a target that does not wait.
    for from in [0, 1, 191, 192, 193, 400] {
        let [blocking, awaited] = [&mut blocking, &mut awaited].map(|host| {
            assert_eq!(host.ask(&Request::Result { from }), None);
            host.end_of_result()
        });
        assert_eq!(blocking, awaited, "from byte {from} on");
    }
}

/// A device that tells how often its lines were brought to rest.
struct Rested(BuiltIn<Motor>, Arc<AtomicU32>);

impl Sul for Rested {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        self.0.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        self.0.step(input)
    }
}

impl Attached for Rested {
    fn inputs(&self) -> u32 {
        self.0.inputs()
    }

    fn input_name(&self, input: Input) -> &[u8] {
        self.0.input_name(input)
    }

    fn rest(&mut self) -> Result<(), DeviceError> {
        self.1.fetch_add(1, Relaxed);
        Ok(())
    }
}

#[test]
fn the_lines_to_the_device_are_at_rest_after_a_run() {
    let rested = Arc::new(AtomicU32::new(0));
    let device = Rested(BuiltIn::default(), rested.clone());
    let link = testkit::Host::start(move |link| {
        Target::new(link, device, "test").run(&mut std::vec![0; 16 << 10])
    });
    let mut host = TargetHost::new(link);
    // It begins with lines at rest, too.
    for (tests, count) in [(20, 2), (u64::MAX, 3)] {
        assert_eq!(host.ask(&learn(Options::new().passing_tests(tests))), None);
        if tests == u64::MAX {
            assert_eq!(rested.load(Relaxed), count - 1, "they are in use");
            assert_eq!(host.ask(&Request::Stop), None);
        }
        host.end();
        assert_eq!(rested.load(Relaxed), count);
    }
}

/// Keeps these bytes until they are forgotten.
struct KeptBytes(Cell<&'static [u8]>);

impl Crashes for KeptBytes {
    fn last<'b>(&self, room: &'b mut [u8; MAX_CRASH]) -> &'b [u8] {
        room[..self.0.get().len()].copy_from_slice(self.0.get());
        &room[..self.0.get().len()]
    }

    fn forget(&self) {
        self.0.set(b"");
    }
}

#[test]
fn a_crash_is_told_until_a_host_has_heard_it() {
    let mut host = testkit::Host::start(|link| {
        let crashes = KeptBytes(Cell::new(b"crash"));
        let device = BuiltIn::<Motor>::default();
        Target::keeping(link, device, "test", crashes).run(&mut std::vec![0; 16 << 10])
    });
    let mut ask = |request: &Request<'_>| {
        host.send(request);
        loop {
            let crash = host.next(|message| match message {
                Message::Crash(bytes) => Some(Some(bytes.to_vec())),
                Message::Answer { refusal, .. } => Some(refusal.is_some().then(Vec::new)),
                _ => None,
            });
            if let Some(crash) = crash {
                return crash;
            }
        }
    };
    for _ in 0..2 {
        assert_eq!(ask(&Request::Crash), Some(b"crash".to_vec()));
    }
    assert_eq!(ask(&learn(Options::new().passing_tests(u64::MAX))), None, "it starts");
    assert_eq!(ask(&Request::Crash), Some(b"crash".to_vec()), "while it learns");
    assert_eq!(ask(&Request::CrashHeard), None);
    assert_eq!(ask(&Request::Crash), Some(Vec::new()));
    assert_eq!(ask(&Request::CrashHeard), None, "it may come twice");

    let mut host = TargetHost::start(64 << 10, DeviceFault::None);
    assert_eq!(host.ask(&Request::Crash), Some(Refusal::OtherProgram), "it keeps none");
}
