//! Crashes of Arm Cortex-M.

use core::panic::PanicInfo;
use core::ptr::{read_volatile, write_volatile};

use mealybug_core::wire::crash::Crash;

use crate::Kept;
use crate::calls::{calls, thumb_return};

#[unsafe(link_section = ".uninit.mealybug_faults")]
static KEPT: Kept = Kept::new();

unsafe extern "C" {
    // Of the linker: the ends of the code and of the stack. Only their addresses mean something.
    static __stext: u8;
    static __etext: u8;
    static _stack_start: u8;
    static _stack_end: u8;
}

/// Where the stack ends, at its lowest address.
fn stack_end() -> u32 {
    address(&raw const _stack_end)
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

/// Ends the program at a panic.
pub fn panicked(info: &PanicInfo<'_>) -> ! {
    let place = info.location().map_or(("", 0), |place| (place.file(), place.line()));
    end(&Crash::panic_at(place.0, place.1))
}

/// Ends the program when its watchdog was not fed. `frame` is what the processor has pushed before the interrupt of
/// the watchdog: the interrupt's handler passes on its stack pointer.
///
/// # Safety
/// `frame` is such a frame.
pub unsafe extern "C" fn expired(frame: *const ExceptionFrame) -> ! {
    // SAFETY: as the caller promises.
    end(&Crash::Watchdog { pc: Some(unsafe { (*frame).pc }) })
}

/// What the processor pushes before it calls a handler.
#[repr(C)]
#[derive(Debug)]
pub struct ExceptionFrame {
    registers: [u32; 5],
    lr: u32,
    pc: u32,
    status: u32,
}

/// The size of an [`ExceptionFrame`].
const FRAME_BYTES: u32 = 8 * 4;

/// Number of bytes below the stack that nobody may access.
const GUARD_BYTES: u32 = 1 << GUARD_BITS;
const GUARD_BITS: u32 = 14;

/// Has the MPU forbid the memory below the stack, where it has one. A stack that begins elsewhere than at a multiple
/// of 16 KiB gets no guard. No program that uses the MPU for something else may call it.
pub fn guard_stack() {
    if read(MPU_TYPE) & MPU_REGIONS == 0 || !stack_end().is_multiple_of(GUARD_BYTES) {
        return;
    }
    write(MPU_NUMBER, 0);
    write(MPU_ADDRESS, stack_end().wrapping_sub(GUARD_BYTES));
    write(MPU_ATTRIBUTES, MPU_NO_EXECUTE | (GUARD_BITS - 1) << 1 | MPU_REGION_ENABLE);
    // The rest stays as without an MPU, and so does all of it in the handler below.
    write(MPU_CONTROL, MPU_DEFAULT_MAP | MPU_ENABLE);
    barrier();
}

/// Defines the program's handler of HardFaults, for the vectors of cortex-m-rt. It keeps a [`Crash`] and resets the
/// board.
#[macro_export]
macro_rules! handle_hard_faults {
    () => {
        // The stack may have no room left, so the handler begins it anew.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn HardFault() -> ! {
            ::core::arch::naked_asm!(
                "mrs r0, MSP",
                "ldr r1, =_stack_start",
                "mov sp, r1",
                "bl {handler}",
                ".pool",
                handler = sym $crate::hard_fault,
            )
        }
    };
}

/// Defines the program's handler of the interrupt with this name, which its watchdog raises before it resets the board. It
/// keeps a [`Crash`] and resets the board itself.
#[macro_export]
macro_rules! handle_watchdog {
    ($interrupt:ident) => {
        // At the stack pointer is what the processor has pushed of the program.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $interrupt() -> ! {
            ::core::arch::naked_asm!(
                "mrs r0, MSP",
                "ldr r1, ={expired}",
                "bx r1",
                ".pool",
                expired = sym $crate::expired,
            )
        }
    };
}

/// Ends the program at a fault; `sp` is where the stack pointer was.
///
/// # Safety
/// Nothing runs after it, and nothing of the stack is used any more.
#[doc(hidden)]
pub unsafe extern "C" fn hard_fault(sp: u32) -> ! {
    let status = if has_status() { read(FAULT_STATUS) } else { 0 };
    let frames = stack_end()..=address(&raw const _stack_start).saturating_sub(FRAME_BYTES);
    let address = if status & MEMORY_ADDRESS_VALID != 0 {
        Some(read(MEMORY_ADDRESS))
    } else if status & BUS_ADDRESS_VALID != 0 {
        Some(read(BUS_ADDRESS))
    } else {
        None
    };
    // The frame of the exception begins below the end of the stack; or an instruction that pushes up to 9 registers
    // would have.
    let is_below =
        |address: u32| address < stack_end() && address >= stack_end().saturating_sub(GUARD_BYTES);
    if is_below(sp) || is_below(sp.saturating_sub(9 * 4)) || address.is_some_and(is_below) {
        let stack = stack(sp.max(stack_end()));
        end(&Crash::StackOverflow { calls: calls(stack, |word| thumb_return(word, code)) });
    }
    // A program that went astray may have left any stack pointer.
    let (pc, lr) = if frames.contains(&sp) && sp.is_multiple_of(4) {
        // SAFETY: the frame lies in the stack.
        let ExceptionFrame { pc, lr, .. } = unsafe { sp_frame(sp) };
        (pc, lr)
    } else {
        (0, 0)
    };
    end(&Crash::HardFault { pc, lr, status, address })
}

/// The words of the stack from an address on.
fn stack(from: u32) -> impl Iterator<Item = u32> {
    let start = address(&raw const _stack_start);
    // SAFETY: the stack is RAM.
    (from & !3..start).step_by(4).map(|at| unsafe { read_volatile(at as *const u32) })
}

/// The halfword of code at an address.
fn code(at: u32) -> Option<u16> {
    let all = address(&raw const __stext)..address(&raw const __etext);
    // SAFETY: an aligned halfword of the program.
    all.contains(&at).then(|| unsafe { read_volatile(at as *const u16) })
}

/// The frame at an address.
///
/// # Safety
/// There is one.
unsafe fn sp_frame(sp: u32) -> ExceptionFrame {
    // SAFETY: as the caller promises.
    unsafe { read_volatile(sp as *const ExceptionFrame) }
}

/// Keeps why the program ends, and resets the board.
fn end(crash: &Crash<'_>) -> ! {
    KEPT.keep(crash);
    barrier();
    write(RESET_CONTROL, RESET_KEY | RESET_REQUEST);
    barrier();
    loop {
        core::hint::spin_loop();
    }
}

/// Waits until all that was written is in effect.
fn barrier() {
    // SAFETY: the instructions only wait.
    unsafe { core::arch::asm!("dsb", "isb") }
}

/// Whether the core has registers that say what a fault was: ARMv6-M has none.
fn has_status() -> bool {
    read(CPU_ID) >> 16 & 0xf == 0xf
}

/// The address of a register of the core.
#[derive(Clone, Copy)]
struct CoreRegister(u32);

const CPU_ID: CoreRegister = CoreRegister(0xe000_ed00);
const RESET_CONTROL: CoreRegister = CoreRegister(0xe000_ed0c);
const RESET_KEY: u32 = 0x05fa << 16;
const RESET_REQUEST: u32 = 1 << 2;
const FAULT_STATUS: CoreRegister = CoreRegister(0xe000_ed28);
const MEMORY_ADDRESS_VALID: u32 = 1 << 7;
const BUS_ADDRESS_VALID: u32 = 1 << 15;
const MEMORY_ADDRESS: CoreRegister = CoreRegister(0xe000_ed34);
const BUS_ADDRESS: CoreRegister = CoreRegister(0xe000_ed38);
const MPU_TYPE: CoreRegister = CoreRegister(0xe000_ed90);
const MPU_REGIONS: u32 = 0xff << 8;
const MPU_CONTROL: CoreRegister = CoreRegister(0xe000_ed94);
const MPU_ENABLE: u32 = 1;
const MPU_DEFAULT_MAP: u32 = 1 << 2;
const MPU_NUMBER: CoreRegister = CoreRegister(0xe000_ed98);
const MPU_ADDRESS: CoreRegister = CoreRegister(0xe000_ed9c);
const MPU_ATTRIBUTES: CoreRegister = CoreRegister(0xe000_eda0);
const MPU_NO_EXECUTE: u32 = 1 << 28;
const MPU_REGION_ENABLE: u32 = 1;

fn read(CoreRegister(register): CoreRegister) -> u32 {
    // SAFETY: a register of the core, which reading does not change.
    unsafe { read_volatile(register as *const u32) }
}

fn write(CoreRegister(register): CoreRegister, value: u32) {
    // SAFETY: a register of the core, written as its manual says.
    unsafe { write_volatile(register as *mut u32, value) }
}
