//! The time since the start, and a way to sleep until something happens.
//!
//! SysTick runs through a long range, and an interrupt counts its wraps. So the time does not
//! depend on how soon the interrupt is served. Another timer wakes the processor at least every 2
//! ms, so that the program checks its deadlines.

use core::ptr::{read_volatile, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{NVIC, SCB, SYST};
use cortex_m_rt::exception;
use lm3s6965::{Interrupt, interrupt};

/// The clock after a reset, as in QEMU. On a real board the internal oscillator has 12 MHz ± 30 %,
/// so a program must select a crystal.
pub(crate) const HZ: u32 = 12_500_000;

/// The range of SysTick, which has 24 bits. It is a whole number of milliseconds, so the time needs
/// no 64-bit division, which takes 1 KiB of code.
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

    /// Switches on the clock of more peripherals: the bits of RCGC1 and RCGC2.
    pub(crate) fn supply(&self, rcgc1: u32, rcgc2: u32) {
        for (register, bits) in [(RCGC1, rcgc1), (RCGC2, rcgc2)] {
            // SAFETY: registers of the system control; giving a peripheral its clock does no harm.
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

    /// Sleeps until an interrupt comes. Calls `is_ready` with interrupts held back, so an interrupt
    /// that makes it true still ends the sleep.
    pub fn sleep_unless(&self, is_ready: impl FnOnce() -> bool) {
        cortex_m::interrupt::free(|_| {
            if !is_ready() {
                // `wfi` also returns for an interrupt that is held back.
                cortex_m::asm::wfi();
            }
        });
    }
}

/// Milliseconds since the start of the clock; 0 before. Correct with interrupts held back for less
/// than one wrap, which takes a second.
pub(crate) fn now_ms() -> u64 {
    let (wraps, ticks) = read();
    wraps * u64::from(RANGE_MS) + u64::from(ticks / TICKS_PER_MS)
}

/// The number of wraps of SysTick, and the ticks since the last one.
fn read() -> (u64, u32) {
    loop {
        let before = WRAPS.load(Ordering::Acquire);
        let mut left = SYST::get_current();
        // A wrap that the handler has not counted yet; the value read now is from after it.
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

// The time in front of each log message.
#[cfg(feature = "defmt")]
defmt::timestamp!("{=u64:ms}", now_ms());

#[exception]
fn SysTick() {
    // Not `fetch_add`, which the smallest cores lack. Only this handler writes.
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
