//! The time since the start, and a way to sleep until something happens.
//!
//! SysTick runs through a long range and its wraps are counted: what the time is does not depend
//! on how soon an interrupt is served. A timer of its own wakes the processor now and then, so that
//! deadlines are looked at.

use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{NVIC, SCB, SYST};
use cortex_m_rt::exception;
use lm3s6965::{Interrupt, interrupt};

/// The clock after a reset, as QEMU has it; on a board the internal oscillator has 12 MHz ± 30 %,
/// and a crystal must be chosen.
pub(crate) const HZ: u32 = 12_500_000;

/// The range of SysTick, which has 24 bits: a whole number of milliseconds, so that the time needs no
/// division of 64 bits, which takes a kilobyte of code.
const RANGE_MS: u32 = (1 << 24) / TICKS_PER_MS;
const RANGE: u32 = RANGE_MS * TICKS_PER_MS;
const TICKS_PER_MS: u32 = HZ / 1000;

/// How often a sleeper is woken, at least.
const WAKE_HZ: u32 = 500;

static WRAPS: AtomicU32 = AtomicU32::new(0);

/// The time since the start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    _made_by_start: (),
}

impl Clock {
    /// Starts the clock; call it once.
    pub fn start(mut syst: SYST) -> Self {
        syst.set_clock_source(SystClkSource::Core);
        syst.set_reload(RANGE - 1);
        syst.clear_current();
        syst.enable_interrupt();
        syst.enable_counter();
        let clock = Self { _made_by_start: () };
        clock.supply(RCGC1_TIMER0, 0);
        for (register, value) in [
            (TIMER_CONFIGURATION, 0),
            (TIMER_MODE, TIMER_PERIODIC),
            (TIMER_RELOAD, HZ / WAKE_HZ),
            (TIMER_INTERRUPT_MASK, TIMER_TIMEOUT),
            (TIMER_CONTROL, TIMER_ENABLE),
        ] {
            // SAFETY: registers of timer 0, whose clock is on; nothing else uses it.
            unsafe { write_volatile((TIMER0 + register) as *mut u32, value) };
        }
        // SAFETY: the handler shares nothing with the program.
        unsafe { NVIC::unmask(Interrupt::TIMER_0A) };
        clock
    }

    /// Gives more peripherals their clock: the bits of RCGC1 and RCGC2.
    pub(crate) fn supply(&self, rcgc1: u32, rcgc2: u32) {
        for (register, bits) in [(RCGC1, rcgc1), (RCGC2, rcgc2)] {
            // SAFETY: registers of the system control; a peripheral that has its clock harms nobody.
            unsafe { write_volatile(register, read_volatile(register) | bits) };
        }
    }

    /// Milliseconds since the start.
    pub fn now_ms(&self) -> u64 {
        now_ms()
    }

    /// The ticks of the processor's clock since the start.
    pub fn now_ticks(&self) -> u64 {
        let (wraps, ticks) = read();
        wraps * u64::from(RANGE) + u64::from(ticks)
    }

    /// Sleeps until an interrupt came; `is_ready` is asked with interrupts held back, so that none
    /// that makes it true is slept through.
    pub fn sleep_unless(&self, is_ready: impl FnOnce() -> bool) {
        cortex_m::interrupt::free(|_| {
            if !is_ready() {
                // Also returns for an interrupt that is held back.
                cortex_m::asm::wfi();
            }
        });
    }
}

/// Milliseconds since the start of the clock; 0 before. Also right where interrupts are held back,
/// for less than a wrap of the clock, which takes a second.
pub(crate) fn now_ms() -> u64 {
    let (wraps, ticks) = read();
    wraps * u64::from(RANGE_MS) + u64::from(ticks / TICKS_PER_MS)
}

/// How often SysTick has gone through its range, and the ticks since.
fn read() -> (u64, u32) {
    loop {
        let before = WRAPS.load(Ordering::Acquire);
        let mut left = SYST::get_current();
        // A wrap that the handler has not counted yet: what is left now is of the time after it.
        let pending = SCB::is_pendst_pending();
        if pending {
            left = SYST::get_current();
        }
        if WRAPS.load(Ordering::Acquire) == before {
            let wraps = u64::from(before) + u64::from(pending);
            return (wraps, (RANGE - 1).saturating_sub(left));
        }
    }
}

// What stands before each message of the log.
#[cfg(feature = "defmt")]
defmt::timestamp!("{=u64:ms}", now_ms());

#[exception]
fn SysTick() {
    // Not `fetch_add`, which the smallest cores lack; only this handler writes.
    WRAPS.store(WRAPS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
}

#[interrupt]
fn TIMER_0A() {
    // SAFETY: clears the interrupt of timer 0.
    unsafe { write_volatile((TIMER0 + TIMER_INTERRUPT_CLEAR) as *mut u32, TIMER_TIMEOUT) };
}

const RCGC1: *mut u32 = 0x400f_e104 as *mut u32;
const RCGC2: *mut u32 = 0x400f_e108 as *mut u32;
const RCGC1_TIMER0: u32 = 1 << 16;
const TIMER0: usize = 0x4003_0000;
const TIMER_CONFIGURATION: usize = 0x00;
const TIMER_MODE: usize = 0x04;
const TIMER_PERIODIC: u32 = 2;
const TIMER_CONTROL: usize = 0x0c;
const TIMER_ENABLE: u32 = 1;
const TIMER_INTERRUPT_MASK: usize = 0x18;
const TIMER_INTERRUPT_CLEAR: usize = 0x24;
const TIMER_TIMEOUT: u32 = 1;
const TIMER_RELOAD: usize = 0x28;
