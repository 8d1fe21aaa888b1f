//! Devices to learn, as firmware for any board.
//!
//! Each device is a [`ConsoleDevice`] behind a [`Console`] on a serial port, with its own parser,
//! state and, in some, a timer. `mealybug` knows only their device files in `tests/devices/`; the
//! golden models there say what it must learn. A program that learns or answers for one of them can
//! also contain the device: [`BuiltIn`].
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod boot_loader;
mod built_in;
mod console;
mod device;
pub mod doomed;
pub mod door_lock;
pub mod motor;
pub mod toy;

pub use built_in::BuiltIn;
pub use console::Console;
pub use device::{BuiltInInput, ConsoleDevice};

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::{Console, ConsoleDevice};

    /// What a device answers, without the prompts, to lines typed at these times.
    pub(crate) fn talk<D: ConsoleDevice + Default>(lines: &[(u64, &str)]) -> Vec<String> {
        let mut console = Console::<D>::default();
        let mut said = Vec::new();
        console.start(&mut |_| {});
        for (now_ms, line) in lines {
            let mut reply = Vec::new();
            for &byte in line.as_bytes().iter().chain(b"\r") {
                console.take(byte, *now_ms, &mut |bytes| reply.extend_from_slice(bytes));
            }
            let reply = String::from_utf8(reply).expect("text");
            let text = reply.strip_suffix("\r\n> ").expect("a line and a prompt");
            said.push(String::from(text));
        }
        said
    }

    /// The same with all lines at once.
    pub(crate) fn talk_now<D: ConsoleDevice + Default>(lines: &str) -> Vec<String> {
        let lines: Vec<_> = lines.split(", ").map(|line| (0, line)).collect();
        talk::<D>(&lines)
    }
}
