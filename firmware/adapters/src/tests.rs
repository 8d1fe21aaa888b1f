//! Each probe with mocks of its hardware, blocking and awaited: the same calls, the same outputs.

mod probing;

use std::boxed::Box;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::rc::Rc;
use std::string::{String, ToString};
use std::task::{Context, Poll, Waker};
use std::vec;
use std::vec::Vec;

use embedded_hal::digital::{self, InputPin, OutputPin, PinState};
use embedded_hal::i2c::{ErrorKind, NoAcknowledgeSource};
use embedded_hal_mock::eh1::MockError;
use embedded_hal_mock::eh1::delay::{CheckedDelay, NoopDelay, Transaction as Delayed};
use embedded_hal_mock::eh1::digital::{Mock as Pin, State, Transaction as Level};
use embedded_hal_mock::eh1::i2c::{Mock as I2c, Transaction as Transacted};
use embedded_hal_mock::eh1::spi::{Mock as Spi, Transaction as Transfer};
use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{DeviceError, Message, Refusal, Request};
use mealybug_core::{AsyncSul, Input, Options, Session, Sul};

use crate::{
    Access, Act, Attached, BusLines, Deed, Drive, Entry, Frames, FreeBus, LineFault, Link,
    MAX_READ, MAX_TRANSFER, Pins, Probed, Registers, Reset, ResetDeeds, ResetMessage, ResetPin,
    Seen, Transfers, asynchronous,
};

/// A reset that does nothing.
struct NoReset;

impl<P, D> Reset<P, D> for NoReset {
    fn reset(&mut self, _: &mut P, _: &mut D) -> Result<(), DeviceError> {
        Ok(())
    }
}

impl<P, D> asynchronous::Reset<P, D> for NoReset {
    async fn reset(&mut self, _: &mut P, _: &mut D) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Polls a future until it is done.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = Box::pin(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}

/// What a device answers to each of its inputs in turn after a reset: first blocking, then awaited.
fn word<S>(device: &mut S) -> Result<Vec<String>, DeviceError>
where
    S: Attached + AsyncSul<Error = DeviceError>,
{
    let text = |output: &[u8]| String::from_utf8(output.to_vec()).expect("text");
    let inputs: Vec<_> = (0..device.inputs()).map(Input::new).collect();
    let blocking = Sul::reset(device)
        .and_then(|()| inputs.iter().map(|&input| Sul::step(device, input).map(text)).collect());
    let awaited = block_on(async {
        AsyncSul::reset(device).await?;
        let mut said = Vec::new();
        for &input in &inputs {
            said.push(AsyncSul::step(device, input).await.map(text)?);
        }
        Ok(said)
    });
    assert_eq!(awaited, blocking);
    blocking
}

/// What a mock expects in [`word`].
fn twice<T: Clone>(expected: &[T]) -> Vec<T> {
    [expected, expected].concat()
}

/// The transactions of a mock pin that has these levels.
fn levels(transaction: fn(State) -> Level, levels: &[bool]) -> Pin {
    let level = |&is_high: &bool| transaction(if is_high { State::High } else { State::Low });
    Pin::new(&twice(&levels.iter().map(level).collect::<Vec<_>>()))
}

#[test]
fn pins_are_driven_and_read_after_a_settle_time() {
    static INPUTS: [Entry<Drive>; 4] = [
        Entry::new("both", Drive::Levels(0b11)),
        Entry::new("press", Drive::Pulse { pin: 1, width_us: 300 }),
        Entry::wait("wait", 7),
        Entry::new("release", Drive::Pulse { pin: 0, width_us: 40 }),
    ];
    static NAMES: [(&str, &str); 1] = [("0b01", "locked")];
    // At rest; both levels; the pulse of pin 1 and its end; the pulse of pin 0 and its end.
    let to = [
        levels(Level::set, &[false, true, true, true, false, true]),
        levels(Level::set, &[true, true, false, true, true, true]),
    ];
    let from = [
        levels(Level::get, &[true, false, true, false]),
        levels(Level::get, &[false, true, true, false]),
    ];
    let mut delay = CheckedDelay::new(&twice(&[
        Delayed::delay_us(5),
        Delayed::delay_us(300),
        Delayed::delay_us(5),
        Delayed::delay_ms(7),
        Delayed::delay_us(40),
        Delayed::delay_us(5),
    ]));
    let mocks = [&to[..], &from].concat();
    let pins = Pins::new(to, from, 0b10, 5);
    let mut device = Probed::new(&INPUTS, pins, NoReset, delay.clone()).with_names(&NAMES);
    let said = ["locked", "0b10", "0b11", "0b00"].map(str::to_string);
    assert_eq!(word(&mut device), Ok(said.to_vec()));
    mocks.into_iter().for_each(|mut mock| mock.done());
    delay.done();

    assert_eq!(device.input_name(Input::new(1)), b"press");
    assert_eq!(device.input_name(Input::new(4)), b"");
    assert_eq!(device.take(0, b""), Err(Refusal::BuiltIn));
    assert_eq!(device.check(), Ok(()));
}

#[test]
fn a_pin_that_fails_or_is_not_there_is_an_error() {
    static MISSING: [Entry<Drive>; 1] = [Entry::new("press", Drive::Pulse { pin: 1, width_us: 1 })];
    let mut pin = levels(Level::set, &[false]);
    let pins = Pins::new([pin.clone()], [] as [Wire; 0], 0, 0);
    let mut device = Probed::new(&MISSING, pins, NoReset, NoopDelay);
    assert_eq!(word(&mut device), Err(DeviceError::Pin));
    pin.done();

    let broken = Level::set(State::Low).with_error(MockError::Io(std::io::ErrorKind::Other));
    let mut pin = Pin::new(&twice(&[broken]));
    let pins = Pins::new([pin.clone()], [] as [Wire; 0], 0, 0);
    let mut device = Probed::new(&MISSING, pins, NoReset, NoopDelay);
    assert_eq!(word(&mut device), Err(DeviceError::Pin));
    pin.done();
}

#[test]
fn registers_are_written_and_read() {
    static INPUTS: [Entry<Access>; 5] = [
        Entry::new("on", Access::Write { address: 0x48, bytes: &[1, 0x80] }),
        Entry::new("status", Access::Read { address: 0x48, register: &[2], len: 2 }),
        Entry::new("locked", Access::Write { address: 0x48, bytes: &[3, 0] }),
        Entry::new("absent", Access::Read { address: 0x50, register: &[0, 0], len: 1 }),
        Entry::wait("wait", 3),
    ];
    static NAMES: [(&str, &str); 1] = [("1f a0", "ready")];
    let nack = ErrorKind::NoAcknowledge;
    let mut bus = I2c::new(&twice(&[
        // The general call, which resets all devices on the bus.
        Transacted::write(0, vec![6]),
        Transacted::write(0x48, vec![1, 0x80]),
        Transacted::write_read(0x48, vec![2], vec![0x1f, 0xa0]),
        Transacted::write(0x48, vec![3, 0]).with_error(nack(NoAcknowledgeSource::Data)),
        Transacted::write_read(0x50, vec![0, 0], vec![0])
            .with_error(nack(NoAcknowledgeSource::Unknown)),
    ]));
    static RESET: [Deed<Access>; 2] =
        [Deed::Act(Access::Write { address: 0, bytes: &[6] }), Deed::Wait { ms: 20 }];
    let mut delay = CheckedDelay::new(&twice(&[Delayed::delay_ms(20), Delayed::delay_ms(3)]));
    let registers = Registers::new(bus.clone());
    let reset = ResetDeeds(&RESET);
    let mut device = Probed::new(&INPUTS, registers, reset, delay.clone()).with_names(&NAMES);
    let said = ["ok", "ready", "nack", "nack", "ok"].map(str::to_string);
    assert_eq!(word(&mut device), Ok(said.to_vec()));
    bus.done();
    delay.done();
}

#[test]
fn a_bus_that_fails_is_no_output() {
    static READ: [Entry<Access>; 1] =
        [Entry::new("r", Access::Read { address: 1, register: &[0], len: 1 })];
    for (kind, error) in [
        (ErrorKind::Bus, DeviceError::Bus),
        (ErrorKind::ArbitrationLoss, DeviceError::Bus),
        (ErrorKind::Other, DeviceError::Bus),
        (ErrorKind::Overrun, DeviceError::Overrun),
    ] {
        let read = Transacted::write_read(1, vec![0], vec![0]).with_error(kind);
        let mut bus = I2c::new(&twice(&[read]));
        let mut device = Probed::new(&READ, Registers::new(bus.clone()), NoReset, NoopDelay);
        assert_eq!(word(&mut device), Err(error), "{kind:?}");
        bus.done();
    }

    static LONG: [Entry<Access>; 1] =
        [Entry::new("r", Access::Read { address: 1, register: &[0], len: MAX_READ + 1 })];
    let mut bus = I2c::new(&[]);
    let mut device = Probed::new(&LONG, Registers::new(bus.clone()), NoReset, NoopDelay);
    assert_eq!(word(&mut device), Err(DeviceError::TooLong), "nothing was read");
    bus.done();
}

/// The lines of an I2C bus. They are high after a number of readings or of clocks, whichever comes first.
struct HeldLines {
    readings: u32,
    clocks: u32,
}

impl BusLines for HeldLines {
    fn are_high(&mut self) -> bool {
        self.readings = self.readings.saturating_sub(1);
        self.readings == 0 || self.clocks == 0
    }

    fn hold_clock(&mut self, is_low: bool) {
        self.clocks = self.clocks.saturating_sub(is_low.into());
    }
}

#[test]
fn a_bus_that_is_stuck_is_freed_or_is_an_error() {
    let cases = [(0, 0, true), (200, u32::MAX, true), (u32::MAX, 9, true), (u32::MAX, 10, false)];
    for (readings, clocks, is_free) in cases {
        let done = [Transacted::transaction_start(8), Transacted::write(8, vec![7])];
        let done = [&done[..], &[Transacted::transaction_end(8)]].concat();
        let mut port = I2c::new(if is_free { &done[..] } else { &[] });
        let lines = HeldLines { readings, clocks };
        let mut registers = Registers::new(FreeBus::new(port.clone(), lines, NoopDelay::new()));
        let mut seen = Seen::new();
        let access = Access::Write { address: 8, bytes: &[7] };
        let acted = Act::act(&mut registers, &access, &mut NoopDelay::new(), &mut seen);
        assert_eq!(acted, if is_free { Ok(()) } else { Err(DeviceError::Bus) });
        port.done();
    }
}

#[test]
fn transfers_bring_as_many_bytes_back() {
    static INPUTS: [Entry<&[u8]>; 2] =
        [Entry::new("id", &[0x9f, 0, 0, 0]), Entry::new("all", &[7; MAX_TRANSFER])];
    let transfer = |sent: &[u8], came: &[u8]| {
        let transfer = Transfer::transfer_in_place(sent.to_vec(), came.to_vec());
        [Transfer::transaction_start(), transfer, Transfer::transaction_end()]
    };
    let id = transfer(&[0x9f, 0, 0, 0], &[0xff, 0xef, 0x40, 0x18]);
    let all = transfer(&[7; MAX_TRANSFER], &[0; MAX_TRANSFER]);
    let mut spi = Spi::new(&twice(&[id, all].concat()));
    let mut device = Probed::new(&INPUTS, Transfers::new(spi.clone()), NoReset, NoopDelay);
    let zeros = ["00"; MAX_TRANSFER].join(" ");
    assert_eq!(word(&mut device), Ok(vec!["ff ef 40 18".to_string(), zeros]));
    spi.done();

    static LONG: [Entry<&[u8]>; 1] = [Entry::new("long", &[7; MAX_TRANSFER + 1])];
    let mut spi = Spi::new(&[]);
    let mut device = Probed::new(&LONG, Transfers::new(spi.clone()), NoReset, NoopDelay);
    assert_eq!(word(&mut device), Err(DeviceError::TooLong));
    spi.done();
}

#[test]
fn a_pin_resets_the_device_and_another_switches_it_off() {
    static NOTHING: [Entry<Drive>; 0] = [];
    let mut pins = [levels(Level::set, &[true, false]), levels(Level::set, &[false, true])];
    let mut delay = CheckedDelay::new(&twice(&[
        Delayed::delay_ms(500),
        Delayed::delay_ms(90),
        Delayed::delay_ms(2),
        Delayed::delay_ms(10),
    ]));
    let [power, reset] = pins.clone();
    let power = ResetPin { pin: power, active: PinState::High, hold_ms: 500, wait_ms: 90 };
    let reset = ResetPin { pin: reset, active: PinState::Low, hold_ms: 2, wait_ms: 10 };
    let probe = Pins::new([] as [Wire; 0], [] as [Wire; 0], 0, 0);
    let mut device = Probed::new(&NOTHING, probe, (power, reset), delay.clone());
    assert_eq!(word(&mut device), Ok(vec![]));
    assert_eq!(device.check(), Err(Refusal::NoRules), "without inputs there is nothing to learn");
    pins.iter_mut().for_each(Pin::done);
    delay.done();
}

/// A line on which these bytes come, and whose clock advances while the program waits.
struct ScriptedLine {
    coming: VecDeque<u8>,
    sent: Rc<RefCell<Vec<u8>>>,
    answer: &'static [u8],
    now_ms: u64,
}

impl Link for ScriptedLine {
    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn write(&mut self, bytes: &[u8]) {
        self.sent.borrow_mut().extend(bytes);
        self.coming.extend(self.answer);
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let byte = self.coming.pop_front();
        if byte.is_none() {
            self.now_ms = self.now_ms.max(deadline_ms);
        }
        Ok(byte)
    }
}

#[test]
fn a_message_resets_the_device_when_it_answers() {
    for (answer, result) in
        [(b"boot\r\nready> ", Ok(())), (b"boot\r\nreadx> ", Err(DeviceError::NotReset))]
    {
        let sent = Rc::default();
        let line =
            ScriptedLine { coming: b"ready> ".iter().copied().collect(), sent, answer, now_ms: 0 };
        let sent = Rc::clone(&line.sent);
        let mut reset =
            ResetMessage { link: line, send: b"\x18", expect: b"ready> ", within_ms: 50 };
        assert_eq!(reset.reset(&mut (), &mut ()), result);
        assert_eq!(*sent.borrow(), b"\x18");
        assert_eq!(reset.link.now_ms, if result.is_ok() { 0 } else { 50 });
    }
}

/// An awaited line that takes some bytes, and then no more until it is asked anew.
#[derive(Default)]
struct SlowLine {
    sent: Vec<u8>,
    came: VecDeque<u8>,
}

impl asynchronous::Link for &mut SlowLine {
    fn now_ms(&self) -> u64 {
        0
    }

    async fn write(&mut self, bytes: &[u8]) {
        let some = bytes.len().min(3);
        self.sent.extend(&bytes[..some]);
        let mut is_first = true;
        std::future::poll_fn(|_| match std::mem::take(&mut is_first) && bytes.len() > some {
            true => Poll::Pending,
            false => Poll::Ready(()),
        })
        .await;
        self.sent.extend(&bytes[some..]);
    }

    async fn read_until(&mut self, _: u64) -> Result<Option<u8>, LineFault> {
        let byte = self.came.pop_front();
        if byte.is_none() {
            std::future::pending::<()>().await;
        }
        Ok(byte)
    }
}

/// Polls a future once, and drops it.
fn poll_and_drop<T>(future: impl Future<Output = T>) -> Option<T> {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[test]
fn a_message_that_is_dropped_does_not_damage_the_next_one() {
    let mut line = SlowLine::default();
    let mut frames = asynchronous::Frames::new(&mut line);
    let [rules, name] = [Message::Rules(7), Message::Name { input: 1, name: b"go" }];
    assert_eq!(poll_and_drop(frames.send(&rules)), None);
    block_on(frames.send(&name));
    block_on(frames.send(&rules));
    let mut decoder = Decoder::new();
    let mut heard = Vec::new();
    for byte in line.sent {
        match decoder.push(byte) {
            Some(Ok(frame)) if frame.message() == Ok(name) => heard.push(frame.sequence),
            Some(Ok(frame)) if frame.message() == Ok(rules) => heard.push(frame.sequence),
            _ => {}
        }
    }
    assert_eq!(heard, [1, 2], "the first one is lost");
}

#[test]
fn half_a_request_is_not_lost_with_the_one_who_waited() {
    let frame = Encoder::new().encode(&Request::Rules).expect("it fits").to_vec();
    let mut line = SlowLine::default();
    let (half, rest) = frame.split_at(2);
    line.came.extend(half);
    let mut frames = asynchronous::Frames::new(&mut line);
    assert_eq!(poll_and_drop(frames.receive(u64::MAX)), None);
    frames.link.came.extend(rest);
    assert_eq!(block_on(frames.receive(u64::MAX)), Some((0, Request::Rules)));
}

/// A line that has nothing but faults. Its time passes with each of them.
struct FaultyLine {
    now_ms: Cell<u64>,
    ms: u64,
}

impl Link for FaultyLine {
    fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }

    fn write(&mut self, _: &[u8]) {}

    fn read_until(&mut self, _: u64) -> Result<Option<u8>, LineFault> {
        self.now_ms.set(self.now_ms.get() + self.ms);
        Err(LineFault::Break)
    }
}

#[test]
fn a_line_with_nothing_but_faults_ends_each_wait() {
    let line = |ms| FaultyLine { now_ms: Cell::new(0), ms };
    for deadline_ms in [0, 50] {
        let mut host = Frames::new(line(1));
        assert!(host.receive_frame(deadline_ms).is_none());
        assert!((deadline_ms..deadline_ms + 300).contains(&host.now_ms()));
    }
    assert!(Frames::new(line(0)).receive_frame(0).is_none(), "no time passes");
    let mut reset =
        ResetMessage { link: line(1), send: b"\x18", expect: b"ready> ", within_ms: 50 };
    assert_eq!(reset.reset(&mut (), &mut ()), Err(DeviceError::NotReset));
}

/// A latch with a set, a reset and an enable line; it shows its state and whether it is enabled.
#[derive(Clone, Default)]
struct Latch(Rc<Cell<(u8, bool)>>);

/// A line to the latch or from it.
struct Wire(Latch, u8);

impl digital::ErrorType for Wire {
    type Error = Infallible;
}

impl OutputPin for Wire {
    fn set_low(&mut self) -> Result<(), Infallible> {
        let (levels, is_set) = self.0.0.get();
        self.0.0.set((levels & !(1 << self.1), is_set));
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        let (levels, is_set) = self.0.0.get();
        let levels = levels | 1 << self.1;
        let is_set = match levels {
            0b101 => true,
            0b110 => false,
            _ => is_set,
        };
        self.0.0.set((levels, is_set));
        Ok(())
    }
}

impl InputPin for Wire {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        let (levels, is_set) = self.0.0.get();
        Ok(if self.1 == 0 { is_set } else { levels & 0b100 != 0 })
    }

    fn is_low(&mut self) -> Result<bool, Infallible> {
        self.is_high().map(|is_high| !is_high)
    }
}

#[test]
fn a_latch_is_learned_blocking_and_awaited() {
    static INPUTS: [Entry<Drive>; 4] = [
        Entry::new("set", Drive::Pulse { pin: 0, width_us: 1 }),
        Entry::new("clear", Drive::Pulse { pin: 1, width_us: 1 }),
        Entry::new("enable", Drive::Levels(0b100)),
        Entry::new("disable", Drive::Levels(0)),
    ];
    static CLEAR: [Deed<Drive>; 3] = [
        Deed::Act(Drive::Levels(0b100)),
        Deed::Act(Drive::Pulse { pin: 1, width_us: 1 }),
        Deed::Act(Drive::Levels(0)),
    ];
    let device = || {
        let latch = Latch::default();
        let to = [0, 1, 2].map(|line| Wire(latch.clone(), line));
        let from = [0, 1].map(|line| Wire(latch.clone(), line));
        Probed::new(&INPUTS, Pins::new(to, from, 0, 1), ResetDeeds(&CLEAR), NoopDelay)
    };
    let session = || Session::new([0; 1024], 4, Options::default()).expect("inputs");
    let (mut blocking, mut awaited) = (session(), session());
    let why = mealybug_core::learn(&mut blocking, &mut device()).expect("it cannot fail");
    assert!(why.is_converged());
    let states = blocking.hypothesis().expect("it converged").components().map(|c| c.states());
    assert_eq!(states.max(), Some(4), "set or not, enabled or not");
    assert_eq!(block_on(mealybug_core::serve::learn_async(&mut awaited, &mut device())), Ok(why));
    assert_eq!(awaited.summary(), blocking.summary(), "the same words");
}
