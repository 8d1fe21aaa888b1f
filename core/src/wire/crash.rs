//! Why the program of a target ended before it started anew, as the target keeps it over the reset.

use serde::{Deserialize, Serialize};

use super::sink::{self, Sink};

/// The most bytes of the path of a source file.
pub const MAX_FILE: usize = 56;

/// The most bytes of an encoded [`Crash`].
pub const MAX_CRASH: usize = MAX_FILE + 8;

/// Number of return addresses that a target keeps of a stack that overflowed.
pub const CALLS: usize = 4;

/// Why a program ended, and where.
///
/// ```
/// use mealybug_core::wire::crash::{Crash, MAX_CRASH};
///
/// let crash = Crash::Panic { file: b"src/main.rs", line: 17 };
/// let mut room = [0; MAX_CRASH];
/// assert_eq!(Crash::decode(crash.encode(&mut room)), Some(crash));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Crash<'a> {
    // Variants are encoded by their place: a new one is the last.
    /// It panicked.
    Panic {
        /// The path of the source file; of a long one the last [`MAX_FILE`] bytes.
        file: &'a [u8],
        /// The line.
        line: u32,
    },
    /// An Arm Cortex-M took a HardFault.
    HardFault {
        /// The address of the instruction; 0, as is `lr`, if the stack pointer was not in the stack.
        pc: u32,
        /// The link register: usually where the function was called from.
        lr: u32,
        /// The register CFSR; 0 on cores without one.
        status: u32,
        /// The address that the instruction wanted to reach, if the core knows it.
        address: Option<u32>,
    },
    /// A RISC-V hart took an exception.
    Exception {
        /// The address of the instruction.
        pc: u32,
        /// The register ra: usually where the function was called from.
        ra: u32,
        /// The register mcause.
        cause: u32,
        /// The register mtval.
        value: u32,
    },
    /// The stack overflowed.
    StackOverflow {
        /// Return addresses from the end of the stack, the innermost call first; 0 where there are fewer.
        calls: [u32; CALLS],
    },
    /// The program did not feed its watchdog in time.
    Watchdog {
        /// The address of the instruction at which the program was; `None` if it is not known.
        pc: Option<u32>,
    },
}

impl<'a> Crash<'a> {
    /// A panic in this file and line.
    pub fn panic_at(file: &'a str, line: u32) -> Self {
        let file = file.as_bytes();
        let start = file.len().saturating_sub(MAX_FILE);
        Self::Panic { file: file.get(start..).unwrap_or_default(), line }
    }

    /// The bytes of a crash; no bytes if its file is longer than [`MAX_FILE`].
    pub fn encode<'b>(&self, room: &'b mut [u8; MAX_CRASH]) -> &'b [u8] {
        let mut into = Room { room, len: 0 };
        // There is nothing in it that cannot be encoded.
        let _ = sink::encode(self, &mut into);
        let len = into.len;
        room.get(..len).unwrap_or_default()
    }

    /// The crash with these bytes; `None` if they are not one.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((crash, [])) => Some(crash),
            _ => None,
        }
    }
}

/// The bytes that are encoded, and how many there are.
struct Room<'b> {
    room: &'b mut [u8; MAX_CRASH],
    len: usize,
}

impl Sink for Room<'_> {
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if let Some(place) = self.room.get_mut(self.len) {
                *place = byte;
            }
            self.len = self.len.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;

    #[test]
    fn a_long_path_keeps_its_end_and_no_crash_is_cut() {
        let path: String = ('a'..='z').cycle().take(MAX_FILE + 1).collect();
        let crash = Crash::panic_at(&path, u32::MAX);
        assert_eq!(crash, Crash::Panic { file: &path.as_bytes()[1..], line: u32::MAX });
        let max = u32::MAX;
        for crash in [
            crash,
            Crash::HardFault { pc: max, lr: max, status: max, address: Some(max) },
            Crash::Exception { pc: max, ra: max, cause: max, value: max },
            Crash::StackOverflow { calls: [max; CALLS] },
            Crash::Watchdog { pc: Some(max) },
        ] {
            let mut room = [0; MAX_CRASH];
            assert_eq!(Crash::decode(crash.encode(&mut room)), Some(crash));
        }
        let mut room = [0; MAX_CRASH];
        let too_long = Crash::Panic { file: &[b'a'; MAX_FILE + 9], line: 1 };
        assert_eq!(too_long.encode(&mut room), b"");
        assert_eq!(Crash::decode(b""), None);
        assert_eq!(Crash::decode(&[99]), None);
    }
}
