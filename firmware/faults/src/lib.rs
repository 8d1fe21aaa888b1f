//! Why the program of a target ended, kept over the reset, so that its host learns of it.
//!
//! The handlers in here keep a [`Crash`] in RAM that no start clears, and reset the board. The learner tells the host
//! of it. In a program for a Cortex-M:
//!
//! ```ignore
//! mealybug_faults::handle_hard_faults!();
//!
//! #[panic_handler]
//! fn panic(info: &PanicInfo<'_>) -> ! {
//!     mealybug_faults::panicked(info)
//! }
//!
//! mealybug_faults::guard_stack();
//! Target::keeping(host, device, "my board", mealybug_faults::crashes()).run(MEMORY)
//! ```
//!
//! One for a RISC-V, with `riscv-rt`, says how the board is reset:
//!
//! ```ignore
//! mealybug_faults::handle_exceptions!(restart);
//!
//! #[panic_handler]
//! fn panic(info: &PanicInfo<'_>) -> ! {
//!     mealybug_faults::panicked(info, restart)
//! }
//!
//! catch_exceptions();
//! mealybug_faults::guard_stack();
//! ```
//!
//! # The stack
//!
//! A stack that overflows should fault, not overwrite statics. So let it end where RAM begins. In `memory.x`:
//!
//! ```text
//! STACK : ORIGIN = 0x20000000, LENGTH = 14K
//! RAM   : ORIGIN = 0x20003800, LENGTH = 50K
//! _stack_start = ORIGIN(STACK) + LENGTH(STACK);
//! _stack_end = ORIGIN(STACK);
//! ```
//!
//! `guard_stack` has the MPU of an Arm, or the PMP of a RISC-V, forbid the memory below, for chips and emulators that
//! ignore an access where nothing is. It takes no RAM.
//!
//! # The watchdog
//!
//! [`Watched`] is a serial line that feeds the board's watchdog. `handle_watchdog!` on an Arm, and `expired` on a RISC-V, keep
//! where the program was when nobody had fed it. [`Countdown`] is for a board whose watchdog waits too short a time for a
//! learner.
#![no_std]

#[cfg(test)]
extern crate std;

#[cfg(any(test, target_os = "none"))]
mod calls;
#[cfg(all(target_arch = "arm", target_os = "none"))]
#[expect(unsafe_code, reason = "a handler of faults reads registers and the stack")]
mod cortex_m;
mod countdown;
#[cfg(all(target_arch = "arm", target_os = "none"))]
#[expect(unsafe_code, reason = "it reads the program")]
mod image;
mod kept;
#[cfg(all(target_arch = "riscv32", target_os = "none"))]
#[expect(unsafe_code, reason = "a handler of exceptions reads registers and the stack")]
mod risc_v;
mod watched;

#[cfg(all(target_arch = "arm", target_os = "none"))]
pub use cortex_m::{ExceptionFrame, crashes, expired, guard_stack, hard_fault, panicked};
pub use countdown::Countdown;
#[cfg(all(target_arch = "arm", target_os = "none"))]
pub use image::image_digest;
pub use kept::Kept;
pub use mealybug_core::wire::crash::Crash;
#[cfg(all(target_arch = "riscv32", target_os = "none"))]
pub use risc_v::{crashes, exception, expired, guard_stack, panicked};
pub use watched::Watched;
