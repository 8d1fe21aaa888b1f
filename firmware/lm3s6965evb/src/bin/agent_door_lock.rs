//! The agent with the door lock built in: the host on UART0.
//!
//! Like the learner, it links only if nothing in it can panic.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965evb::start;
use mealybug_agent::Agent;
use mealybug_devices::BuiltIn;
use mealybug_devices::door_lock::DoorLock;

#[entry]
fn main() -> ! {
    let [host, _] = start();
    Agent::<_, _, 8>::new(host, BuiltIn::<DoorLock>::default(), "lm3s6965evb").run()
}

unsafe extern "C" {
    fn the_agent_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so a program that gets here does not link.
    unsafe { the_agent_can_panic() }
}
