//! The serial ports: PL011, at first at 115 200 8N1, clocked by the oscillator that the board starts with.

use core::ptr::{read_volatile, write_volatile};

use cortex_m::peripheral::NVIC;
use lm3s6965::{Interrupt, interrupt};
use mealybug_adapters::{LineFault, Ring, RingBoard, RingLink, Rings, Uart};
use mealybug_core::wire::line::{LineSettings, Parity};

use crate::Clock;

/// A serial port with a clock.
pub type Port = RingLink<PortBoard, RECEIVED, TO_SEND>;

/// What the rings of a port hold: two frames of the host, and what should not keep the program
/// waiting while it is sent.
const RECEIVED: usize = 512;
const TO_SEND: usize = 32;

static RINGS: [Rings<RECEIVED, TO_SEND>; 2] = [const { Rings::new() }; 2];

/// Sets both ports up; call it once.
pub(crate) fn start(clock: Clock) -> [Port; 2] {
    // The pins of UART0 are on port A, those of UART1 on port D.
    clock.supply(0b11, 0b1001);
    for (base, pins) in [(GPIO_A, 0b0011), (GPIO_D, 0b1100)] {
        // SAFETY: AFSEL and DEN of a port whose clock is on: its serial pins are no longer I/O.
        unsafe { write_volatile((base + GPIO_AFSEL) as *mut u32, pins) };
        // SAFETY: as above.
        unsafe { write_volatile((base + GPIO_DEN) as *mut u32, pins) };
    }
    let [first, second] = &RINGS;
    [(UART0, first), (UART1, second)].map(|(mut registers, rings)| {
        registers.set(DEFAULT);
        registers.tell_of_room(false);
        // SAFETY: the handlers share only `Rings` with the program, which are made for that.
        unsafe { NVIC::unmask(registers.interrupt()) };
        RingLink::new(PortBoard { registers, settings: LineSettings::DEFAULT, clock }, rings)
    })
}

/// What a port needs of the board.
#[derive(Debug)]
pub struct PortBoard {
    registers: UartRegisters,
    settings: LineSettings,
    clock: Clock,
}

impl PortBoard {
    /// The clock of the board.
    pub const fn clock(&self) -> Clock {
        self.clock
    }
}

impl RingBoard for PortBoard {
    fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    fn interrupt_soon(&mut self) {
        NVIC::pend(self.registers.interrupt());
    }

    fn sleep_unless(&self, is_ready: impl FnOnce() -> bool, _: u64) {
        self.clock.sleep_unless(is_ready);
    }

    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        let values = LineRegisters::new(settings).ok_or(self.settings)?;
        while self.registers.read(FLAGS) & BUSY != 0 {}
        self.registers.set(values);
        self.settings = settings;
        Ok(())
    }
}

impl Uart for UartRegisters {
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>) {
        self.write(INTERRUPT_CLEAR, RECEIVE | RECEIVE_TIMEOUT | TRANSMIT);
        while self.read(FLAGS) & RECEIVE_EMPTY == 0 {
            let data = self.read(DATA);
            if data & OVERRUN != 0 {
                received.fail(LineFault::Overrun);
            }
            // A break has a framing error, too.
            if data & BREAK != 0 {
                received.fail(LineFault::Break);
            } else if data & FRAMING != 0 {
                received.fail(LineFault::Framing);
            } else if data & WRONG_PARITY != 0 {
                received.fail(LineFault::Parity);
            } else {
                let [byte, ..] = data.to_le_bytes();
                received.push(byte);
            }
        }
    }

    fn has_room(&mut self) -> bool {
        self.read(FLAGS) & TRANSMIT_FULL == 0
    }

    fn send(&mut self, byte: u8) {
        self.write(DATA, u32::from(byte));
    }

    fn tell_of_room(&mut self, tell: bool) {
        let room = if tell { TRANSMIT } else { 0 };
        self.write(INTERRUPT_MASK, RECEIVE | RECEIVE_TIMEOUT | room);
    }
}

#[interrupt]
fn UART0() {
    let [rings, _] = &RINGS;
    rings.serve(&mut { self::UART0 });
}

#[interrupt]
fn UART1() {
    let [_, rings] = &RINGS;
    rings.serve(&mut { self::UART1 });
}

const GPIO_A: usize = 0x4000_4000;
const GPIO_D: usize = 0x4000_7000;
const GPIO_AFSEL: usize = 0x420;
const GPIO_DEN: usize = 0x51c;

const UART0: UartRegisters = UartRegisters(0x4000_c000);
const UART1: UartRegisters = UartRegisters(0x4000_d000);

/// The registers of a PL011 port, at this address.
#[derive(Clone, Copy, Debug)]
struct UartRegisters(usize);

/// The offset of a register in bytes.
#[derive(Clone, Copy)]
struct Register(usize);

const DATA: Register = Register(0x00);
const OVERRUN: u32 = 1 << 11;
const BREAK: u32 = 1 << 10;
const WRONG_PARITY: u32 = 1 << 9;
const FRAMING: u32 = 1 << 8;
const FLAGS: Register = Register(0x18);
const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;
const BUSY: u32 = 1 << 3;
const BAUD_INTEGER: Register = Register(0x24);
const BAUD_FRACTION: Register = Register(0x28);
const LINE_CONTROL: Register = Register(0x2c);
const FIFO: u32 = 1 << 4;
const PARITY: u32 = 1 << 1;
const PARITY_EVEN: u32 = 1 << 2;
const TWO_STOP_BITS: u32 = 1 << 3;
const DATA_BITS_SHIFT: u32 = 5;
const CONTROL: Register = Register(0x30);
const ENABLE_BOTH_WAYS: u32 = 0x301;
const INTERRUPT_MASK: Register = Register(0x38);
const INTERRUPT_CLEAR: Register = Register(0x44);
const RECEIVE: u32 = 1 << 4;
const TRANSMIT: u32 = 1 << 5;
const RECEIVE_TIMEOUT: u32 = 1 << 6;

/// The values of the registers for the settings of a line.
#[derive(Clone, Copy)]
struct LineRegisters {
    /// The divisor from the clock to 16 times the baud rate, in 64ths, rounded.
    baud_64ths: u32,
    line_control: u32,
}

/// Those after the start.
const DEFAULT: LineRegisters = match LineRegisters::new(LineSettings::DEFAULT) {
    Some(settings) => settings,
    None => panic!("the clock is too slow"),
};

impl LineRegisters {
    /// `None` if the port cannot have these settings.
    const fn new(settings: LineSettings) -> Option<Self> {
        let LineSettings { baud, data_bits, parity, stop_bits } = settings;
        if baud == 0 || baud > crate::clock::HZ / 16 || !matches!(data_bits, 5..=8) {
            return None;
        }
        let baud_64ths = (crate::clock::HZ * 4 + baud / 2) / baud;
        if baud_64ths > 64 * 0xffff {
            return None;
        }
        let stop = match stop_bits {
            1 => 0,
            2 => TWO_STOP_BITS,
            _ => return None,
        };
        let parity = match parity {
            Parity::None => 0,
            Parity::Even => PARITY | PARITY_EVEN,
            Parity::Odd => PARITY,
        };
        let line_control = FIFO | (data_bits as u32 - 5) << DATA_BITS_SHIFT | parity | stop;
        Some(Self { baud_64ths, line_control })
    }
}

impl UartRegisters {
    fn interrupt(self) -> Interrupt {
        if self.0 == UART0.0 { Interrupt::UART0 } else { Interrupt::UART1 }
    }

    /// Sets the line; what is on its way is lost.
    fn set(self, LineRegisters { baud_64ths, line_control }: LineRegisters) {
        self.write(CONTROL, 0);
        self.write(BAUD_INTEGER, baud_64ths / 64);
        self.write(BAUD_FRACTION, baud_64ths % 64);
        // This write also takes over the divisor.
        self.write(LINE_CONTROL, line_control);
        self.write(CONTROL, ENABLE_BOTH_WAYS);
    }

    fn read(self, register: Register) -> u32 {
        // SAFETY: an aligned register of the port, which is always there.
        unsafe { read_volatile((self.0 + register.0) as *const u32) }
    }

    fn write(self, register: Register, value: u32) {
        // SAFETY: as in `read`; the values affect only this port.
        unsafe { write_volatile((self.0 + register.0) as *mut u32, value) }
    }
}
