//! The watchdog: its first time-out is an interrupt, and a second one resets the board.

use core::ptr::{read_volatile, write_volatile};

use cortex_m::peripheral::NVIC;
use lm3s6965::Interrupt;

use crate::clock::HZ;

/// The watchdog. Once it runs, nothing stops it.
#[derive(Debug)]
pub struct Watchdog;

impl Watchdog {
    /// Starts it: the program may leave it without food for this time, at most 343 s. It needs the handler of
    /// [`handle_faults!`](crate::handle_faults).
    pub fn start(time_ms: u32) {
        // SAFETY: registers of the system control; giving the watchdog its clock does no harm.
        unsafe { write_volatile(RCGC0, read_volatile(RCGC0) | RCGC0_WATCHDOG) };
        write(LOCK, UNLOCKED);
        write(LOAD, (HZ / 1000).saturating_mul(time_ms));
        write(CONTROL, INTERRUPT_ENABLE | RESET_ENABLE);
        write(LOCK, LOCKED);
        // SAFETY: the handler shares nothing with the program.
        unsafe { NVIC::unmask(Interrupt::WATCHDOG_TIMER_0) };
    }

    /// Begins its time anew.
    pub fn feed() {
        write(LOCK, UNLOCKED);
        write(INTERRUPT_CLEAR, 0);
        write(LOCK, LOCKED);
    }
}

/// Defines the handlers of a program that keeps its crashes: of HardFaults, and of the watchdog.
#[macro_export]
macro_rules! handle_faults {
    () => {
        ::mealybug_faults::handle_hard_faults!();
        ::mealybug_faults::handle_watchdog!(WATCHDOG_TIMER_0);
    };
}

const RCGC0: *mut u32 = 0x400f_e100 as *mut u32;
const RCGC0_WATCHDOG: u32 = 1 << 3;
const WATCHDOG: usize = 0x4000_0000;
const LOAD: usize = 0x000;
const CONTROL: usize = 0x008;
const INTERRUPT_ENABLE: u32 = 1;
const RESET_ENABLE: u32 = 2;
const INTERRUPT_CLEAR: usize = 0x00c;
const LOCK: usize = 0xc00;
const UNLOCKED: u32 = 0x1acc_e551;
const LOCKED: u32 = 0;

fn write(register: usize, value: u32) {
    // SAFETY: a register of the watchdog, whose clock is on.
    unsafe { write_volatile((WATCHDOG + register) as *mut u32, value) };
}
