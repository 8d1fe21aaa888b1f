//! Why the program of a target ended, in words.

use std::fmt;

use mealybug_core::wire::crash::Crash;

use crate::escape::escape;

/// Why the program of a target ended before it started anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetCrash {
    what: String,
    /// Addresses in the program.
    places: Vec<u32>,
    advice: &'static str,
}

impl TargetCrash {
    /// Reads what a target sends; `None` if it did not crash.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return None;
        }
        let (what, places, advice) = match Crash::decode(bytes) {
            Some(Crash::Panic { file, line }) => (
                format!("its program panicked in {}:{line}", escape(file)),
                Vec::new(),
                "The program of the board has a mistake there",
            ),
            Some(Crash::HardFault { pc, lr, status, address }) => {
                let reason = fault_reason(status);
                let address =
                    address.map_or_else(String::new, |at| format!(", at address {at:#x}"));
                let place = match (pc, lr) {
                    (0, 0) => ", with a stack pointer that was not in the stack".to_owned(),
                    _ => format!(" at {pc:#x}, called from {lr:#x}"),
                };
                let places = [pc, lr].into_iter().filter(|&place| place != 0).collect();
                (
                    format!("a HardFault{place}: {reason}{address}"),
                    places,
                    "The program of the board has a mistake there",
                )
            }
            Some(Crash::Exception { pc, ra, cause, value }) => (
                format!("exception {cause} at {pc:#x}, called from {ra:#x}, value {value:#x}"),
                vec![pc, ra],
                "The program of the board has a mistake there",
            ),
            Some(Crash::StackOverflow { calls }) => {
                let calls: Vec<_> = calls.into_iter().filter(|&call| call != 0).collect();
                let list: Vec<_> = calls.iter().map(|call| format!("{call:#x}")).collect();
                let list = if list.is_empty() { "unknown".to_owned() } else { list.join(", ") };
                (
                    format!("its stack overflowed; the last calls were from {list}"),
                    calls,
                    "Give the stack more room in memory.x, and the learner less memory",
                )
            }
            Some(Crash::Watchdog { pc }) => {
                let place = pc.map_or_else(String::new, |pc| format!(" while it was at {pc:#x}"));
                (
                    format!("its program did not feed the watchdog{place}"),
                    pc.into_iter().collect(),
                    "The program of the board hangs there, or an input takes longer than the watchdog waits",
                )
            }
            _ => (
                "its program ended in a way that this host does not know".to_owned(),
                Vec::new(),
                "Build both from the same sources",
            ),
        };
        Some(Self { what, places, advice })
    }

    /// What to do about it.
    pub fn advice(&self) -> String {
        let Self { places, advice, .. } = self;
        if places.is_empty() {
            return (*advice).to_owned();
        }
        let places: Vec<_> = places.iter().map(|place| format!("{place:#x}")).collect();
        format!("{advice}; `addr2line -fipe ELF {}` names the lines", places.join(" "))
    }
}

impl fmt::Display for TargetCrash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// What the register CFSR of a Cortex-M says, in words.
fn fault_reason(status: u32) -> &'static str {
    let reasons = [
        (0, "it ran where no code may run"),
        (1, "it accessed memory that is forbidden"),
        (8, "it ran where no memory answers"),
        (9, "it accessed an address where no memory answers"),
        (10, "it wrote to an address where no memory answers"),
        (16, "it ran an instruction that the core does not have"),
        (17, "it jumped to an address without the Thumb bit"),
        (19, "it used a floating-point unit that is off"),
        (24, "it accessed an address that is not aligned"),
        (25, "it divided by zero"),
    ];
    let reason = reasons.iter().find(|(bit, _)| status & 1 << bit != 0);
    reason.map_or("the core does not say why", |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use mealybug_core::wire::crash::MAX_CRASH;

    use super::*;

    fn said(crash: Crash<'_>) -> String {
        let crash = TargetCrash::read(crash.encode(&mut [0; MAX_CRASH])).expect("a crash");
        format!("{crash}. {}", crash.advice())
    }

    #[test]
    fn a_crash_says_what_and_where_and_what_to_do() {
        let mistake = "The program of the board has a mistake there";
        assert_eq!(
            said(Crash::Panic { file: b"src/main.rs", line: 17 }),
            format!("its program panicked in src/main.rs:17. {mistake}")
        );
        let fault = Crash::HardFault { pc: 0x1234, lr: 0x99, status: 1 << 9, address: Some(16) };
        assert_eq!(
            said(fault),
            format!(
                "a HardFault at 0x1234, called from 0x99: it accessed an address where no memory answers, \
                 at address 0x10. {mistake}; `addr2line -fipe ELF 0x1234 0x99` names the lines"
            )
        );
        let silent = Crash::HardFault { pc: 1, lr: 2, status: 0, address: None };
        assert!(said(silent).contains("called from 0x2: the core does not say why. "));
        let overflow = said(Crash::StackOverflow { calls: [0x10, 0x20, 0, 0] });
        assert!(overflow.contains("the last calls were from 0x10, 0x20. Give the stack more room"));
        assert!(overflow.contains("`addr2line -fipe ELF 0x10 0x20`"));
        assert!(said(Crash::StackOverflow { calls: [0; 4] }).contains("were from unknown. "));
        assert!(
            said(Crash::Watchdog { pc: Some(7) })
                .contains("feed the watchdog while it was at 0x7. ")
        );
        assert!(said(Crash::Watchdog { pc: None }).contains("feed the watchdog. "));
    }

    #[test]
    fn no_bytes_are_no_crash_and_others_are_of_a_newer_target() {
        assert_eq!(TargetCrash::read(b""), None);
        let newer = TargetCrash::read(&[99]).expect("something");
        assert!(newer.to_string().contains("does not know"), "{newer}");
    }
}
