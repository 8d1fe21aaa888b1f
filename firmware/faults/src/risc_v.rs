//! Crashes of RISC-V, in machine mode.

use core::arch::asm;
use core::ops::Range;
use core::panic::PanicInfo;
use core::ptr::read_volatile;

use mealybug_core::wire::crash::{CALLS, Crash};

use crate::Kept;
use crate::calls::{calls, is_risc_v_return};

// A board's memory.x puts it where no start of the program clears it.
#[unsafe(link_section = ".uninit.mealybug_faults")]
static KEPT: Kept = Kept::new();

unsafe extern "C" {
    // Of the linker: the ends of the stack. Only their addresses mean something.
    static _stack_start: u8;
    static _stack_end: u8;
}

/// An address as a number.
fn address(symbol: *const u8) -> u32 {
    // Addresses have 32 bits here.
    symbol.addr() as u32
}

/// Why the program ended before it last started.
pub fn crashes() -> &'static Kept {
    &KEPT
}

/// Ends the program at a panic. `restart` resets the board.
pub fn panicked(info: &PanicInfo<'_>, restart: fn() -> !) -> ! {
    let place = info.location().map_or(("", 0), |place| (place.file(), place.line()));
    KEPT.keep(&Crash::panic_at(place.0, place.1));
    restart()
}

/// Ends the program when its watchdog was not fed: call it in the handler of the watchdog's interrupt.
pub fn expired(restart: fn() -> !) -> ! {
    let pc: u32;
    // SAFETY: it only reads. The register says where the interrupt came.
    unsafe { asm!("csrr {}, mepc", out(reg) pc) };
    KEPT.keep(&Crash::Watchdog { pc: Some(pc) });
    restart()
}

/// Number of bytes below the stack that nobody may access.
const GUARD_BYTES: u32 = 4096;

/// Has the PMP forbid the memory below the stack, until the hart is reset. A stack that ends elsewhere than at a multiple of
/// 4 KiB gets no guard. No program that uses the last entry of the PMP's first eight for something else may call it.
pub fn guard_stack() {
    let end = address(&raw const _stack_end);
    if !end.is_multiple_of(GUARD_BYTES) {
        return;
    }
    // The region by its size and place, as *The RISC-V Instruction Set Manual, Volume II* says (section 3.7.1, NAPOT).
    let region = (end.wrapping_sub(GUARD_BYTES) | (GUARD_BYTES / 2 - 1)) >> 2;
    let locked_without_access = 0x98_u32 << 24;
    // SAFETY: the program uses nothing below its stack.
    unsafe {
        asm!("csrw pmpaddr7, {}", in(reg) region);
        asm!("csrs pmpcfg1, {}", in(reg) locked_without_access);
    }
}

/// Defines `catch_exceptions()`, for a program with `riscv-rt`: from then on an exception keeps a [`Crash`] and restarts the
/// board with a `fn() -> !`. Interrupts go on as without it.
#[macro_export]
macro_rules! handle_exceptions {
    ($restart:path) => {
        // The stack may have no room left, so that an exception begins it anew.
        ::core::arch::global_asm!(
            ".section .text._mealybug_trap, \"ax\"",
            ".balign 4",
            ".global _mealybug_trap",
            "_mealybug_trap:",
            "csrw mscratch, t0",
            "csrr t0, mcause",
            "bltz t0, 1f",
            "mv a0, sp",
            "mv a1, ra",
            "la sp, _stack_start",
            "j {exception}",
            "1:",
            "csrr t0, mscratch",
            "j _start_trap",
            exception = sym exception,
        );

        fn catch_exceptions() {
            // SAFETY: the entry serves exceptions, and hands interrupts to the runtime.
            unsafe {
                ::core::arch::asm!("la {0}, _mealybug_trap", "csrw mtvec, {0}", out(reg) _);
            }
        }

        unsafe extern "C" {
            // Of the linker: where code begins, and where what follows it ends.
            static _stext: u8;
            static _sidata: u8;
        }

        extern "C" fn exception(sp: u32, ra: u32) -> ! {
            let code = (&raw const _stext).addr() as u32..(&raw const _sidata).addr() as u32;
            // SAFETY: nothing of the stack is used any more, and code can be read.
            unsafe { $crate::exception(sp, ra, code, $restart) }
        }
    };
}

/// Ends the program at an exception; `sp` and `ra` are the registers, `code` is where it lies.
///
/// # Safety
/// Nothing runs after it, and halfwords of `code` can be read. It may be empty.
pub unsafe fn exception(sp: u32, ra: u32, code: Range<u32>, restart: fn() -> !) -> ! {
    let (pc, cause, value): (u32, u32, u32);
    // SAFETY: it only reads.
    unsafe {
        asm!("csrr {}, mepc", out(reg) pc);
        asm!("csrr {}, mcause", out(reg) cause);
        asm!("csrr {}, mtval", out(reg) value);
    }
    let end = address(&raw const _stack_end);
    if !is_overflow(end, sp, cause, value) {
        KEPT.keep(&Crash::Exception { pc, ra, cause, value });
        restart()
    }
    // SAFETY: the stack is RAM.
    let word = |at| unsafe { read_volatile(at as *const u32) };
    let stack = (sp.max(end) & !3..address(&raw const _stack_start)).step_by(4).map(word);
    // SAFETY: as the caller promises.
    let code = |at: u32| code.contains(&at).then(|| unsafe { read_volatile(at as *const u16) });
    let mut found = [ra; CALLS];
    let others = calls(stack, |word| is_risc_v_return(word, code).then_some(word));
    for (place, call) in found.iter_mut().skip(1).zip(others) {
        *place = call;
    }
    KEPT.keep(&Crash::StackOverflow { calls: found });
    restart()
}

/// Whether an exception is a stack's that overflowed, which ends at this address.
fn is_overflow(end: u32, sp: u32, cause: u32, value: u32) -> bool {
    /// A debugger's watchpoint was hit, a load or a store not allowed, and what the runtime of ESP chips says of a stack
    /// pointer that left RAM.
    const BREAKPOINT: u32 = 3;
    const LOAD_FAULT: u32 = 5;
    const STORE_FAULT: u32 = 7;
    const ESP_OVERFLOW: u32 = 14;
    /// The watchpoint lies this near to the end of the stack, above it.
    const NEAR: u32 = 256;
    let below = end.saturating_sub(GUARD_BYTES)..end;
    match cause {
        ESP_OVERFLOW => true,
        BREAKPOINT => (end..end.saturating_add(NEAR)).contains(&value),
        LOAD_FAULT | STORE_FAULT => sp < end || below.contains(&value),
        _ => sp < end,
    }
}
