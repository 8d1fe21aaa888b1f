//! Resets the board.

use core::ptr::write_volatile;

/// Resets the board by its watchdog, which nobody feeds. QEMU's board has none: there the program begins anew, and finds the
/// peripherals as they are.
pub(crate) fn restart() -> ! {
    riscv::interrupt::disable();
    for (register, value) in [
        (WATCHDOG_COMPARE, 0),
        (WATCHDOG_COUNT, 0),
        (WATCHDOG_CONFIG, RESET_ENABLE | ALWAYS_ENABLE),
    ] {
        // SAFETY: registers of the watchdog; nothing else of the program matters any more.
        unsafe {
            write_volatile(WATCHDOG_KEY, WATCHDOG_UNLOCKED);
            write_volatile(register, value);
        }
    }
    for _ in 0..WATCHDOG_STEPS {
        core::hint::spin_loop();
    }
    // SAFETY: where all programs begin. It takes the stack and all of RAM anew.
    unsafe { core::arch::asm!("csrw mie, zero", "la t0, _start", "jr t0", options(noreturn)) }
}

/// More than the watchdog takes for a few periods of 30 µs.
const WATCHDOG_STEPS: u32 = 100_000;

// FE310-G002 manual, chapter 14.
const WATCHDOG_CONFIG: *mut u32 = 0x1000_0000 as *mut u32;
const RESET_ENABLE: u32 = 1 << 8;
const ALWAYS_ENABLE: u32 = 1 << 12;
const WATCHDOG_COUNT: *mut u32 = 0x1000_0008 as *mut u32;
const WATCHDOG_KEY: *mut u32 = 0x1000_001c as *mut u32;
const WATCHDOG_UNLOCKED: u32 = 0x51_f15e;
const WATCHDOG_COMPARE: *mut u32 = 0x1000_0020 as *mut u32;
