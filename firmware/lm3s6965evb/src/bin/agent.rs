//! The agent: the host on UART0, the device on UART1.
//!
//! Like the learner, it links only if nothing in it can panic.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965evb::start;
use mealybug_adapters::Conversation;
use mealybug_agent::Agent;

#[entry]
fn main() -> ! {
    let [host, device] = start();
    // While the agent waits for the device, UART0 holds the two frames that may come.
    Agent::<_, _, 2>::new(host, Conversation::new(device), "lm3s6965evb").run()
}

unsafe extern "C" {
    fn the_agent_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so a program that gets here does not link.
    unsafe { the_agent_can_panic() }
}
