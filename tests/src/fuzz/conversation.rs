//! A device at a target: its rules, which come from a host, and its bytes.

use mealybug_adapters::{Attached, Conversation, LineFault, Link};
use mealybug_core::wire::rule::{MAX_RULE, MAX_TEXT, ResetRule, Rule};
use mealybug_core::{Input, Sul};

/// How many words are tried.
const WORDS: usize = 16;

/// A limit on how often a reset is tried: a rule may demand years.
const TRIES: u32 = 100;

/// Reads as many rules as there are; the rest is what the device says. Whatever it says, each step
/// ends.
///
/// # Panics
/// A step returns too much, or the device mishandles a rule.
pub fn conversation(data: &[u8]) {
    let mut rules = Vec::new();
    let mut said = data;
    while let Ok((rule, rest)) = postcard::take_from_bytes::<Rule<'_>>(said) {
        rules.push(match rule {
            Rule::Reset(reset) => Rule::Reset(ResetRule { tries: reset.tries.min(TRIES), ..reset }),
            rule => rule,
        });
        said = rest;
    }
    let mut device = Conversation::new(LossyLine { said, now_ms: 0 });
    let mut inputs = 0;
    for (number, rule) in (0..).zip(&rules) {
        let mut room = [0; MAX_RULE];
        let bytes = rule.encode(&mut room);
        if device.take(number, bytes).is_err() {
            break;
        }
        assert_eq!(device.take(number, bytes), Ok(()), "the last one may come twice");
        inputs += u32::from(matches!(rule, Rule::Input { .. }));
    }
    assert_eq!(device.inputs(), inputs);
    for _ in 0..WORDS {
        if device.reset().is_ok() {
            // Try incomplete rules, and one input too many: neither may do harm.
            for input in (0..=inputs).map(Input::new) {
                let Ok(reply) = device.step(input) else { break };
                assert!(reply.len() <= MAX_TEXT, "{} bytes", reply.len());
            }
        }
    }
}

/// A line on which some bytes mean that others are lost, or that time passes.
struct LossyLine<'d> {
    said: &'d [u8],
    now_ms: u64,
}

const LOST: u8 = 0xfe;
const SILENCE: u8 = 0xff;

impl Link for LossyLine<'_> {
    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn write(&mut self, _: &[u8]) {}

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let byte = self.said.split_off_first().copied();
        match byte {
            Some(LOST) => Err(LineFault::Overrun),
            Some(SILENCE) | None => {
                self.now_ms = self.now_ms.max(deadline_ms);
                Ok(None)
            }
            Some(byte) => Ok(Some(byte)),
        }
    }
}
