//! A device whose power the board switches, on a port that is polled and has a short queue. The port is
//! a mock: QEMU has no errors on its lines, and its queues never overrun.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::Path;
use std::rc::Rc;

use embedded_hal::digital::{self, OutputPin, PinState};
use embedded_hal_nb::nb;
use embedded_hal_nb::serial::{self, ErrorKind, Read, Write};
use mealybug::device::DeviceFile;
use mealybug::target::{Program, output_name};
use mealybug_adapters::{Attached, Conversation, NamedPin, Offers, Polled};
use mealybug_core::wire::message::{DeviceError, Refusal};
use mealybug_core::wire::rule::MAX_RULE;
use mealybug_core::{Input, Sul};

const FILE: &str = r#"
[[reset]]
steps = [{ pin = "power", ms = 50 }]
expect = { match = 'ready> $', within_ms = 500 }

[reply]
match = '> $'
grace_ms = 0
within_ms = 50

[inputs]
plain = "a\r"
framing = "f\r"
parity = "p\r"
overrun = "o\r"
power = { pin = "power", ms = 30, reply = { within_ms = 100 } }
"#;

const BOOT: &[u8] = b"\xffboot loader: as much text as fits into no queue\r\nready> ";

/// How many bytes the port holds.
const QUEUE: usize = 4;

/// How many bytes pass in a millisecond.
const BYTES_PER_MS: u64 = 8;

/// The port, and the device at its other end.
#[derive(Default)]
struct World {
    /// Counted in bytes.
    now: u64,
    is_off: bool,
    line: Vec<u8>,
    /// What the device sends.
    coming: VecDeque<Result<u8, ErrorKind>>,
    /// What the port has received.
    queue: VecDeque<Result<u8, ErrorKind>>,
    has_overrun: bool,
    offs: u32,
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<World>>);

impl Shared {
    /// The time, which passes whenever somebody looks.
    fn now_ms(&self) -> u64 {
        let world = &mut *self.0.borrow_mut();
        world.now += 1;
        // Without power the line is low, which no stop bit ever is.
        let dark = world.is_off.then_some(Err(ErrorKind::FrameFormat));
        if let Some(next) = dark.or_else(|| world.coming.pop_front()) {
            if world.queue.len() < QUEUE {
                world.queue.push_back(next);
            } else {
                world.has_overrun = true;
            }
        }
        world.now / BYTES_PER_MS
    }
}

impl serial::ErrorType for Shared {
    type Error = ErrorKind;
}

impl Read for Shared {
    fn read(&mut self) -> nb::Result<u8, ErrorKind> {
        let world = &mut *self.0.borrow_mut();
        if std::mem::take(&mut world.has_overrun) {
            return Err(nb::Error::Other(ErrorKind::Overrun));
        }
        world.queue.pop_front().ok_or(nb::Error::WouldBlock)?.map_err(nb::Error::Other)
    }
}

impl Write for Shared {
    fn write(&mut self, byte: u8) -> nb::Result<(), ErrorKind> {
        let World { line, coming, .. } = &mut *self.0.borrow_mut();
        line.push(byte);
        let answer: &[Result<u8, ErrorKind>] = match line.as_slice() {
            b"a\r" => &[Ok(b'o'), Ok(b'k'), Ok(b'>'), Ok(b' ')],
            b"f\r" => {
                &[Ok(b'o'), Err(ErrorKind::FrameFormat), Ok(b'x'), Err(ErrorKind::FrameFormat)]
            }
            b"p\r" => &[Err(ErrorKind::Parity), Ok(b'>'), Ok(b' ')],
            b"o\r" => &[Ok(b'o'), Err(ErrorKind::Overrun), Ok(b'>'), Ok(b' ')],
            _ => return Ok(()),
        };
        coming.extend(answer);
        line.clear();
        Ok(())
    }

    fn flush(&mut self) -> nb::Result<(), ErrorKind> {
        Ok(())
    }
}

impl digital::ErrorType for Shared {
    type Error = Infallible;
}

impl OutputPin for Shared {
    fn set_low(&mut self) -> Result<(), Infallible> {
        let world = &mut *self.0.borrow_mut();
        world.is_off = true;
        world.offs += 1;
        world.coming.clear();
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        let world = &mut *self.0.borrow_mut();
        world.is_off = false;
        world.coming.extend(BOOT.iter().map(|&byte| Ok(byte)));
        Ok(())
    }
}

fn take<P: Offers>(
    file: &DeviceFile,
    device: &mut Conversation<impl mealybug_adapters::Link, P>,
) -> Result<(), Refusal> {
    let program = Program::new(file).expect("a target can do it");
    (0..)
        .zip(program.rules())
        .try_for_each(|(number, rule)| device.take(number, rule.encode(&mut [0; MAX_RULE])))
}

/// The outputs after a reset, each with its input asked first.
fn outputs(text: &str) -> Vec<Result<String, DeviceError>> {
    let file = DeviceFile::parse(Path::new("power.toml"), text).expect("a device file");
    let world = Shared::default();
    let clock = world.clone();
    let port = Polled::new(world.clone(), world.clone(), move || clock.now_ms());
    let pin = NamedPin { name: "power", pin: world.clone(), active: PinState::Low };
    let mut device = Conversation::with_pins(port, pin);
    assert_eq!(take(&file, &mut device), Ok(()));
    let inputs = (0..device.inputs()).map(Input::new);
    let outputs = inputs.map(|input| {
        let before = world.0.borrow().offs;
        assert_eq!(device.reset(), Ok(()), "{input:?}");
        assert_eq!(world.0.borrow().offs, before + 1, "at the first try");
        let output = device.step(input).map(|output| output_name(&file, output))?;
        // Nothing is left for the next input.
        assert_eq!(device.step(Input::new(0)), Ok(&b"ok> "[..]), "{input:?}");
        Ok(output)
    });
    outputs.collect()
}

#[test]
fn what_the_line_does_until_a_reset_is_over_does_not_count() {
    let [plain, framing, parity, overrun, power] =
        outputs(FILE).try_into().expect("an output for each input");
    assert_eq!(plain, Ok("ok> ".to_owned()));
    assert_eq!(framing, Err(DeviceError::Framing));
    assert_eq!(parity, Err(DeviceError::Parity));
    assert_eq!(overrun, Err(DeviceError::Overrun));
    assert_eq!(power, Err(DeviceError::Framing), "its line was low");
}

#[test]
fn an_error_on_the_line_is_an_output_if_the_file_says_so() {
    let file = FILE.replace("grace_ms = 0", "grace_ms = 0\nline_errors = \"output\"");
    let [plain, framing, parity, overrun, power] =
        outputs(&file).try_into().expect("an output for each input");
    assert_eq!(plain, Ok("ok> ".to_owned()));
    assert_eq!(framing, Ok("(framing error)".to_owned()));
    assert_eq!(parity, Ok("(parity error)".to_owned()));
    assert_eq!(overrun, Err(DeviceError::Overrun), "the device did nothing wrong");
    assert_eq!(power, Ok("(framing error)".to_owned()));
}

#[test]
fn a_pin_that_the_board_has_not_is_refused() {
    let file = DeviceFile::parse(Path::new("power.toml"), FILE).expect("a device file");
    let port = || {
        let world = Shared::default();
        Polled::new(world.clone(), world, || 0)
    };
    assert_eq!(take(&file, &mut Conversation::new(port())), Err(Refusal::NoPin));
    let pin = |name| NamedPin { name, pin: Shared::default(), active: PinState::High };
    let mut two = Conversation::with_pins(port(), (pin("boot"), [pin("reset")]));
    assert_eq!(take(&file, &mut two), Err(Refusal::NoPin));
    let mut three = Conversation::with_pins(port(), (pin("boot"), [pin("reset"), pin("power")]));
    assert_eq!(take(&file, &mut three), Ok(()));
}
