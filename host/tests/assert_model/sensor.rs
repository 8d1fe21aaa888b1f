//! A driver for a sensor on an I²C bus, over a bus that the test plays.
//!
//! Mocks with a list of expected transactions do not fit: which transaction comes next depends on the state
//! of the driver, and that is what is to be learned. The bus here answers what the input says, and what the
//! driver did to it is a part of the output.

use embedded_hal::i2c::{ErrorKind, ErrorType, I2c, NoAcknowledgeSource, Operation};
use mealybug::{Device, assert_model};

const ADDRESS: u8 = 0x48;
/// After this many failures in a row the driver leaves the bus alone until it is told to start.
const FAILURES: u8 = 2;

/// A sensor that measures when it is told to and says when it is done.
struct Sensor<B> {
    bus: B,
    state: State,
    failures: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Measuring,
    Lost,
}

#[derive(Debug)]
enum SensorError {
    Bus,
    Lost,
}

impl<B: I2c> Sensor<B> {
    fn new(bus: B) -> Self {
        Self { bus, state: State::Idle, failures: 0 }
    }

    /// Called by the main loop. A measurement, when there is one.
    fn poll(&mut self) -> Result<Option<u8>, SensorError> {
        let result = match self.state {
            State::Lost => return Err(SensorError::Lost),
            State::Idle => self.bus.write(ADDRESS, &[0x01, 0x80]).map(|()| None),
            State::Measuring => {
                let mut reply = [0; 2];
                let read = self.bus.write_read(ADDRESS, &[0x00], &mut reply);
                read.map(|()| (reply[0] & 0x80 != 0).then_some(reply[1]))
            }
        };
        match result {
            Ok(value) => {
                self.failures = 0;
                self.state = if value.is_some() { State::Idle } else { State::Measuring };
                Ok(value)
            }
            Err(_) => {
                self.failures += 1;
                self.state = if self.failures < FAILURES { State::Idle } else { State::Lost };
                Err(SensorError::Bus)
            }
        }
    }

    /// Tries a sensor again that was lost.
    fn restart(&mut self) {
        (self.state, self.failures) = (State::Idle, 0);
    }
}

/// What the sensor at the other end of the bus does.
#[derive(Clone, Copy, Debug)]
enum Reply {
    Busy,
    Ready,
    Nack,
}

/// The bus: answers as it is told, and keeps the first bytes that were written.
struct FakeBus {
    reply: Reply,
    written: Vec<u8>,
}

impl ErrorType for FakeBus {
    type Error = ErrorKind;
}

impl I2c for FakeBus {
    fn transaction(&mut self, _: u8, operations: &mut [Operation<'_>]) -> Result<(), ErrorKind> {
        for operation in operations {
            match (operation, self.reply) {
                (_, Reply::Nack) => {
                    return Err(ErrorKind::NoAcknowledge(NoAcknowledgeSource::Address));
                }
                (Operation::Write(bytes), _) => self.written.extend_from_slice(bytes),
                (Operation::Read(bytes), Reply::Busy) => bytes.fill(0),
                (Operation::Read(bytes), Reply::Ready) => bytes.copy_from_slice(&[0x80, 21]),
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
enum Input {
    Poll(Reply),
    Restart,
}

#[test]
fn the_driver_does_what_its_model_says() {
    use Reply::{Busy, Nack, Ready};
    let inputs = [Input::Poll(Busy), Input::Poll(Ready), Input::Poll(Nack), Input::Restart];
    let new = || Sensor::new(FakeBus { reply: Busy, written: Vec::new() });
    let step = |sensor: &mut Sensor<FakeBus>, input| {
        let result = match input {
            Input::Poll(reply) => {
                sensor.bus.reply = reply;
                sensor.poll()
            }
            Input::Restart => {
                sensor.restart();
                Ok(None)
            }
        };
        (result, std::mem::take(&mut sensor.bus.written))
    };
    assert_model!("tests/models/sensor.dot", Device::from_fn(inputs, new, step));
}
