//! A device that is probed by rules, with mocks of the hardware: blocking and awaited, the same calls and outputs.

use std::pin::pin;
use std::rc::Rc;
use std::string::ToString;
use std::task::{Context, Waker};
use std::vec;
use std::vec::Vec;

use embedded_hal::digital::PinState;
use embedded_hal::i2c::{ErrorKind, NoAcknowledgeSource};
use embedded_hal_mock::eh1::MockError;
use embedded_hal_mock::eh1::delay::{CheckedDelay, NoopDelay, Transaction as Delayed};
use embedded_hal_mock::eh1::digital::{Mock as Pin, State, Transaction as Level};
use embedded_hal_mock::eh1::i2c::{Mock as I2c, Transaction as Transacted};
use embedded_hal_mock::eh1::spi::{Mock as Spi, Transaction as Transfer};
use mealybug_core::wire::message::{DeviceError, Refusal};
use mealybug_core::wire::probe::{
    MAX_BUS_BYTES, MAX_PROBE_BYTES, MAX_SENSED, OfferKind, ProbeRule, ProbeStep as Step,
};
use mealybug_core::wire::rule::{MAX_RULE, Rule, RuleFile, Span};
use mealybug_core::{AsyncSul, Input};

use super::{Latch, RefCell, VecDeque, Wire, levels, twice, word};
use crate::{
    Analog, Attached, EdgeCount, Edges, NamedAnalog, NamedEdges, NamedI2c, NamedPin, NamedSpi,
    Offers, OpenDrainPin, Probing, SensedPin,
};

const ACTIVE: PinState = PinState::High;

/// Numbers that come from the hardware; [`u32::MAX`] is a failure.
#[derive(Clone)]
struct Numbers(Rc<RefCell<VecDeque<u32>>>);

impl Numbers {
    fn new(numbers: &[u32]) -> Self {
        Self(Rc::new(RefCell::new(twice(numbers).into())))
    }

    fn next(&mut self) -> Result<u32, DeviceError> {
        let number = self.0.borrow_mut().pop_front().expect("a number that the test expects");
        if number == u32::MAX { Err(DeviceError::Pin) } else { Ok(number) }
    }

    fn done(&self) {
        assert!(self.0.borrow().is_empty(), "{:?} were not read", self.0);
    }
}

impl Analog for Numbers {
    fn millivolts(&mut self) -> Result<u32, DeviceError> {
        self.next()
    }
}

impl Edges for Numbers {
    fn count(&mut self) -> Result<u32, DeviceError> {
        self.next()
    }
}

fn take<O, D>(device: &mut Probing<O, D>, number: u32, rule: ProbeRule<'_>) -> Result<(), Refusal>
where
    Probing<O, D>: Attached,
{
    let mut room = [0; mealybug_core::wire::probe::MAX_PROBE_RULE];
    let rule = Rule::Probe(rule.encode(&mut room).expect("it is short"));
    device.take(number, rule.encode(&mut [0; MAX_RULE]))
}

/// A device that is probed by these rules.
fn probing<O: Offers, D>(offers: O, delay: D, rules: &[ProbeRule<'_>]) -> Probing<O, D>
where
    Probing<O, D>: Attached,
{
    let mut device = Probing::new(offers, delay);
    for (number, rule) in (0..).zip(rules) {
        assert_eq!(take(&mut device, number, *rule), Ok(()), "{rule:?}");
    }
    device
}

fn drive(name: &'static str, pin: Pin, active: PinState) -> NamedPin<Pin> {
    NamedPin { name, pin, active }
}

fn sense(name: &'static str, pin: Pin, active: PinState) -> SensedPin<Pin> {
    SensedPin { name, pin, active }
}

#[test]
fn pins_are_set_pulsed_and_sensed() {
    let rules = [
        ProbeRule::Settle { settle_us: 5, debounce_us: 0 },
        ProbeRule::Sense(b"motor"),
        ProbeRule::Sense(b"heater"),
        ProbeRule::Reset,
        ProbeRule::Step(Step::Set { pin: b"door", is_active: false }),
        ProbeRule::Step(Step::Pulse { pin: b"reset", ms: 2 }),
        ProbeRule::Step(Step::Wait { ms: 30 }),
        ProbeRule::Input(b"press"),
        ProbeRule::Step(Step::Pulse { pin: b"start", ms: 20 }),
        ProbeRule::Input(b"open"),
        ProbeRule::Step(Step::Set { pin: b"door", is_active: true }),
        ProbeRule::Input(b"wait"),
        ProbeRule::Step(Step::Wait { ms: 400 }),
    ];
    let start = levels(Level::set, &[true, false]);
    let door = levels(Level::set, &[false, true]);
    // Active low.
    let reset = levels(Level::set, &[false, true]);
    let motor = levels(Level::get, &[true, false, false]);
    let heater = levels(Level::get, &[true, true, false]);
    let mut delay = CheckedDelay::new(&twice(&[
        Delayed::delay_ms(2),
        Delayed::delay_ms(30),
        Delayed::delay_ms(20),
        Delayed::delay_us(5),
        Delayed::delay_us(5),
        Delayed::delay_ms(400),
        Delayed::delay_us(5),
    ]));
    let mocks = [&start, &door, &reset, &motor, &heater].map(Clone::clone);
    let to = [
        drive("start", start, ACTIVE),
        drive("door", door, ACTIVE),
        drive("reset", reset, PinState::Low),
    ];
    let from = [sense("heater", heater, PinState::Low), sense("motor", motor, ACTIVE)];
    let mut device = probing((to, from), delay.clone(), &rules);
    assert_eq!((device.check(), device.inputs()), (Ok(()), 3));
    assert_eq!(device.input_name(Input::new(1)), b"open");
    assert_eq!(device.input_name(Input::new(3)), b"");
    // The first digit is that of the rule that came first, whatever the board's order.
    let said = ["0b10", "0b00", "0b01"].map(str::to_string);
    assert_eq!(word(&mut device), Ok(said.to_vec()));
    mocks.into_iter().for_each(|mut mock| mock.done());
    delay.done();
}

/// Rules say which way each goes.
#[test]
fn open_drains_are_pulled_or_sensed() {
    let rules = [
        ProbeRule::Settle { settle_us: 0, debounce_us: 0 },
        ProbeRule::Sense(b"lamp"),
        ProbeRule::Reset,
        ProbeRule::Step(Step::Set { pin: b"button", is_active: false }),
        ProbeRule::Input(b"press"),
        ProbeRule::Step(Step::Set { pin: b"button", is_active: true }),
        ProbeRule::Input(b"wait"),
        ProbeRule::Step(Step::Wait { ms: 1 }),
    ];
    let button = levels(Level::set, &[true, false]);
    let lamp = levels(Level::get, &[false, true]);
    let mocks = [&button, &lamp].map(Clone::clone);
    let pins = [("button", button), ("lamp", lamp)].map(|(name, pin)| OpenDrainPin { name, pin });
    let mut device = probing(pins, NoopDelay, &rules);
    assert_eq!(word(&mut device), Ok(["0b1", "0b0"].map(str::to_string).to_vec()));
    mocks.into_iter().for_each(|mut mock| mock.done());
}

/// A delay that is never over.
struct Endless;

impl embedded_hal_async::delay::DelayNs for Endless {
    async fn delay_ns(&mut self, _: u32) {
        std::future::pending::<()>().await;
    }
}

#[test]
fn a_pulse_that_is_dropped_is_over() {
    let rules = [
        ProbeRule::Reset,
        ProbeRule::Input(b"press"),
        ProbeRule::Step(Step::Pulse { pin: b"start", ms: 20 }),
    ];
    let mut start = Pin::new(&[Level::set(State::High), Level::set(State::Low)]);
    let mut device = Probing::new(drive("start", start.clone(), ACTIVE), Endless);
    for (number, rule) in (0..).zip(rules) {
        let mut room = [0; mealybug_core::wire::probe::MAX_PROBE_RULE];
        let rule = Rule::Probe(rule.encode(&mut room).expect("it is short"));
        assert_eq!(device.take_rule(number, rule), Ok(()));
    }
    {
        let mut step = pin!(AsyncSul::step(&mut device, Input::new(0)));
        assert!(step.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    start.done();
}

/// All of them, even if one fails.
#[test]
fn pins_are_at_rest_after_a_run() {
    let failure = MockError::Io(std::io::ErrorKind::Other);
    let lid = Pin::new(&[Level::set(State::Low).with_error(failure)]);
    let reset = Pin::new(&[Level::set(State::High)]);
    let sensed = Pin::new(&[]);
    let drain = Pin::new(&[Level::set(State::High)]);
    let drives = [drive("lid", lid.clone(), ACTIVE), drive("reset", reset.clone(), PinState::Low)];
    let named = OpenDrainPin { name: "D7", pin: drain.clone() };
    let offers = (drives, (sense("lamp", sensed.clone(), ACTIVE), named));
    let mut device = Probing::new(offers, NoopDelay::new());
    assert_eq!(Attached::rest(&mut device), Err(DeviceError::Pin));
    for mut pin in [lid, reset, sensed, drain] {
        pin.done();
    }
}

#[test]
fn levels_count_when_they_have_come_to_rest() {
    let rules = [
        ProbeRule::Settle { settle_us: 10, debounce_us: 80 },
        ProbeRule::Sense(b"contact"),
        ProbeRule::Reset,
        ProbeRule::Input(b"look"),
    ];
    let bounces: Vec<bool> = [vec![true, true, false, true], vec![false; 9]].concat();
    let waits = [vec![Delayed::delay_us(10)], vec![Delayed::delay_us(10); 12]].concat();
    let mut contact = levels(Level::get, &bounces);
    let mut delay = CheckedDelay::new(&twice(&waits));
    let mut device = probing(sense("contact", contact.clone(), ACTIVE), delay.clone(), &rules);
    assert_eq!(word(&mut device), Ok(vec!["0b0".to_string()]));
    contact.done();
    delay.done();

    let readings: Vec<bool> = (0..801).map(|at| at % 8 < 4).collect();
    let mut contact = levels(Level::get, &readings);
    let mut device = probing(sense("contact", contact.clone(), ACTIVE), NoopDelay, &rules);
    assert_eq!(word(&mut device), Err(DeviceError::Restless));
    contact.done();
}

#[test]
fn buses_are_asked_by_name() {
    let i2c = |bus: &'static [u8], address, write: &'static [u8], read| {
        ProbeRule::Step(Step::I2c { bus, address, write, read })
    };
    let spi = |send, skip| ProbeRule::Step(Step::Spi { device: b"flash", send, skip });
    let rules = [
        ProbeRule::Reset,
        i2c(b"main", 0, &[6], 0),
        ProbeRule::Input(b"temperature"),
        i2c(b"main", 0x48, &[0], 2),
        ProbeRule::Input(b"next"),
        i2c(b"main", 0x48, &[], 1),
        ProbeRule::Input(b"write and look"),
        i2c(b"other", 0x20, &[1, 0xff], 0),
        i2c(b"other", 0x20, &[2], 1),
        ProbeRule::Input(b"id"),
        spi(&[0x9f, 0, 0], 1),
        ProbeRule::Input(b"enable"),
        spi(&[6], 1),
        ProbeRule::Input(b"status"),
        spi(&[5, 0], 0),
    ];
    let transfer = |sent: &[u8], came: &[u8]| {
        let transfer = Transfer::transfer_in_place(sent.to_vec(), came.to_vec());
        vec![Transfer::transaction_start(), transfer, Transfer::transaction_end()]
    };
    let mut main = I2c::new(&twice(&[
        Transacted::write(0, vec![6]),
        Transacted::write_read(0x48, vec![0], vec![0x19, 0x80]),
        Transacted::read(0x48, vec![7]),
    ]));
    let mut other = I2c::new(&twice(&[
        Transacted::write(0x20, vec![1, 0xff]),
        Transacted::write_read(0x20, vec![2], vec![0])
            .with_error(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Data)),
    ]));
    let transfers = [
        transfer(&[0x9f, 0, 0], &[0xff, 0xef, 0x40]),
        transfer(&[6], &[0xff]),
        transfer(&[5, 0], &[0xff, 2]),
    ];
    let mut flash = Spi::new(&twice(&transfers.concat()));
    let buses = [
        NamedI2c { name: "main", bus: main.clone() },
        NamedI2c { name: "other", bus: other.clone() },
    ];
    let offers = (buses, NamedSpi { name: "flash", device: flash.clone() });
    let mut device = probing(offers, NoopDelay, &rules);
    let said = ["19 80", "07", "ok nack", "ef 40", "ok", "ff 02"].map(str::to_string);
    assert_eq!(word(&mut device), Ok(said.to_vec()));
    main.done();
    other.done();
    flash.done();
}

#[test]
fn a_bus_that_fails_is_no_output() {
    let i2c = |read| Step::I2c { bus: b"main", address: 1, write: &[0], read };
    let spi = |send| Step::Spi { device: b"flash", send, skip: 0 };
    let ask = |offers, step| {
        let rules = [ProbeRule::Reset, ProbeRule::Input(b"x"), ProbeRule::Step(step)];
        word(&mut probing(offers, NoopDelay, &rules))
    };
    let offer = |main: &[Transacted], flash: &[Transfer<u8>]| {
        let (bus, device) = (I2c::new(&twice(main)), Spi::new(&twice(flash)));
        let mocks = (bus.clone(), device.clone());
        ((NamedI2c { name: "main", bus }, NamedSpi { name: "flash", device }), mocks)
    };
    for (kind, error) in
        [(ErrorKind::ArbitrationLoss, DeviceError::Bus), (ErrorKind::Overrun, DeviceError::Overrun)]
    {
        let read = Transacted::write_read(1, vec![0], vec![0]).with_error(kind);
        let (offers, (mut bus, mut device)) = offer(&[read], &[]);
        assert_eq!(ask(offers, i2c(1)), Err(error), "{kind:?}");
        bus.done();
        device.done();
    }
    let too_many = [0; MAX_BUS_BYTES + 1];
    for step in [i2c(17), spi(&too_many)] {
        let (offers, (mut bus, mut device)) = offer(&[], &[]);
        assert_eq!(ask(offers, step), Err(DeviceError::TooLong));
        bus.done();
        device.done();
    }
}

#[test]
fn numbers_have_names_from_a_least_one_on() {
    let (analog, edges) = (Step::Voltage { input: b"supply" }, Step::Edges { counter: b"fan" });
    let level = |from, name| ProbeRule::Step(Step::Level { from, name });
    let rules = [
        ProbeRule::Reset,
        ProbeRule::Input(b"level"),
        ProbeRule::Step(analog),
        level(0, b"low"),
        level(1100, b"mid"),
        level(1500, b"high"),
        ProbeRule::Input(b"millivolts"),
        ProbeRule::Step(analog),
        ProbeRule::Input(b"spin"),
        ProbeRule::Step(Step::Count { counter: b"fan" }),
        ProbeRule::Step(Step::Wait { ms: 100 }),
        ProbeRule::Step(edges),
        level(0, b"stopped"),
        level(5, b"turning"),
        ProbeRule::Step(analog),
        ProbeRule::Input(b"beeps"),
        ProbeRule::Step(Step::Count { counter: b"fan" }),
        ProbeRule::Step(edges),
    ];
    for (millivolts, name) in
        [(0, "low"), (1099, "low"), (1100, "mid"), (1499, "mid"), (1500, "high")]
    {
        let supply = Numbers::new(&[millivolts, 5000, 12]);
        // It wraps.
        let fan = Numbers::new(&[4_294_967_294, 3, 10, 14]);
        let offers =
            [("supply", &supply)].map(|(name, input)| NamedAnalog { name, input: input.clone() });
        let offers = (offers, NamedEdges { name: "fan", counter: fan.clone() });
        let mut delay = CheckedDelay::new(&twice(&[
            Delayed::delay_us(0),
            Delayed::delay_us(0),
            Delayed::delay_ms(100),
            Delayed::delay_us(0),
            Delayed::delay_us(0),
        ]));
        let mut device = probing(offers, delay.clone(), &rules);
        let said = [name, "5000", "turning 12", "4"].map(str::to_string);
        assert_eq!(word(&mut device), Ok(said.to_vec()));
        supply.done();
        fan.done();
        delay.done();
    }
    let broken = NamedAnalog { name: "supply", input: Numbers::new(&[u32::MAX]) };
    let rules = [ProbeRule::Reset, ProbeRule::Input(b"level"), ProbeRule::Step(analog)];
    assert_eq!(word(&mut probing(broken, NoopDelay, &rules)), Err(DeviceError::Pin));
}

#[test]
fn an_interrupt_counts_edges() {
    let edges = EdgeCount::new();
    let mut counter = &edges;
    assert_eq!(counter.count(), Ok(0));
    (0..3).for_each(|_| edges.edge());
    assert_eq!(counter.count(), Ok(3));
}

#[test]
fn rules_name_what_the_board_offers() {
    let pin = |name| NamedPin { name, pin: Wire(Latch::default(), 0), active: ACTIVE };
    let offers = ([pin("a"), pin("b")], NamedAnalog { name: "c", input: Numbers::new(&[]) });
    let mut device = Probing::new(offers, NoopDelay);
    assert_eq!(device.check(), Err(Refusal::NoRules));
    let step = |step| ProbeRule::Step(step);
    for missing in [
        ProbeRule::Sense(b"a"),
        step(Step::Set { pin: b"c", is_active: true }),
        step(Step::Pulse { pin: b"", ms: 1 }),
        step(Step::I2c { bus: b"a", address: 1, write: &[], read: 1 }),
        step(Step::Spi { device: b"a", send: &[1], skip: 0 }),
        step(Step::Voltage { input: b"a" }),
        step(Step::Count { counter: b"c" }),
        step(Step::Edges { counter: b"c" }),
    ] {
        assert_eq!(take(&mut device, 0, missing), Err(Refusal::NoOffer), "{missing:?}");
    }
    assert_eq!(take(&mut device, 0, step(Step::Voltage { input: b"c" })), Ok(()));
    let mut all = vec![];
    device.offers(&mut |kind, name| all.push((kind, name)));
    let expected = [(OfferKind::Drive, "a"), (OfferKind::Drive, "b"), (OfferKind::Analog, "c")];
    assert_eq!(all, expected);
    // A rule of a conversation.
    let skip = Rule::Skip(Span::default());
    assert_eq!(device.take(1, skip.encode(&mut [0; MAX_RULE])), Err(Refusal::NoLine));
    assert_eq!(device.take(1, &[99]), Err(Refusal::NoRules));
}

#[test]
fn so_many_rules_fit_and_no_more() {
    let contact = SensedPin { name: "p", pin: Wire(Latch::default(), 0), active: ACTIVE };
    let mut device = Probing::new(contact, NoopDelay);
    let most = u32::try_from(MAX_SENSED).expect("few");
    for number in 0..most {
        assert_eq!(take(&mut device, number, ProbeRule::Sense(b"p")), Ok(()));
    }
    assert_eq!(take(&mut device, most, ProbeRule::Sense(b"p")), Err(Refusal::RulesFull));
    assert_eq!(take(&mut device, most, ProbeRule::Reset), Ok(()), "there is room for others");
    assert_eq!(take(&mut device, most + 2, ProbeRule::Reset), Err(Refusal::RuleMissing));
    assert_eq!(device.check(), Err(Refusal::NoRules), "there are no inputs");

    // A name of 126 bytes takes 128: its variant and its length are one byte each.
    let name = [b'x'; 126];
    for number in 0..8 {
        assert_eq!(take(&mut device, number, ProbeRule::Input(&name)), Ok(()));
        assert_eq!(take(&mut device, number, ProbeRule::Input(&name)), Ok(()), "it came twice");
    }
    assert_eq!(device.inputs() * 128, u32::try_from(MAX_PROBE_BYTES).expect("few"));
    let digest = device.rules_digest();
    assert_eq!(take(&mut device, 8, ProbeRule::Reset), Err(Refusal::RulesFull));
    assert_eq!((device.inputs(), device.rules_digest()), (8, digest));
    assert_eq!(device.check(), Err(Refusal::NoRules), "there is no reset");
}

/// A file of rules by which the pin of this name is sensed.
fn file_that_senses(name: &[u8]) -> Vec<u8> {
    let mut room = [0; mealybug_core::wire::probe::MAX_PROBE_RULE];
    let rule = Rule::Probe(ProbeRule::Sense(name).encode(&mut room).expect("it is short"));
    let mut file = vec![];
    let written = RuleFile::write([rule].into_iter(), |bytes| {
        file.extend_from_slice(bytes);
        Ok::<(), ()>(())
    });
    assert_eq!(written, Ok(()));
    file
}

#[test]
fn a_file_is_taken_whole_or_not_at_all() {
    let mut file = vec![];
    let rules = [&[2][..], &[3, 1, b'x'], &[4, 0, 5]];
    let written = RuleFile::write(rules.into_iter().map(Rule::Probe), |bytes| {
        file.extend_from_slice(bytes);
        Ok::<(), ()>(())
    });
    assert_eq!(written, Ok(()));
    let device = Probing::with_rules((), NoopDelay, &file);
    assert_eq!((device.check(), device.inputs()), (Ok(()), 1));
    for damaged in [&file[..file.len() - 1], &file[1..], b""] {
        let device = Probing::with_rules((), NoopDelay, damaged);
        assert_eq!((device.check(), device.inputs()), (Err(Refusal::NoRules), 0));
    }
    let motor = include_bytes!("../../testdata/motor.rules");
    let device = Probing::with_rules((), NoopDelay, motor);
    assert_eq!(device.check(), Err(Refusal::NoLine), "it is a device on a line");
    let mut device = Probing::with_rules((), NoopDelay, &file_that_senses(b"a"));
    assert_eq!((device.check(), device.inputs()), (Err(Refusal::NoOffer), 0));
    assert_eq!(take(&mut device, 0, ProbeRule::Reset), Ok(()));
    assert_eq!(device.check(), Err(Refusal::NoRules), "other rules came");
}
