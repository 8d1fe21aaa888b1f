//! A device in the same program as the learner or the agent, with no line between them.

use mealybug_adapters::Attached;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::{Input, Sul};

use crate::{BuiltInInput, ConsoleDevice};

/// The output of a device that says nothing.
const SILENCE: &str = "(silence)";

/// A device that is called directly.
#[derive(Debug, Default)]
pub struct BuiltIn<D> {
    device: D,
    now_ms: u64,
}

impl<D: ConsoleDevice + Default> BuiltIn<D> {
    fn input(input: Input) -> Option<&'static (&'static str, BuiltInInput)> {
        D::INPUTS.get(usize::try_from(input.index()).ok()?)
    }
}

impl<D: ConsoleDevice + Default> Sul for BuiltIn<D> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        *self = Self::default();
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        let answer = match Self::input(input) {
            Some((_, BuiltInInput::Say(line))) => self.device.command(line.as_bytes(), self.now_ms),
            Some((_, BuiltInInput::Wait { ms })) => {
                self.now_ms = self.now_ms.saturating_add((*ms).into());
                SILENCE
            }
            None => SILENCE,
        };
        Ok(answer.as_bytes())
    }
}

impl<D: ConsoleDevice + Default> Attached for BuiltIn<D> {
    fn inputs(&self) -> u32 {
        u32::try_from(D::INPUTS.len()).unwrap_or(u32::MAX)
    }

    fn input_name(&self, input: Input) -> &[u8] {
        Self::input(input).map_or(&[], |(name, _)| name.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use mealybug_core::wire::message::Refusal;

    use super::*;
    use crate::door_lock::DoorLock;

    /// What the lock answers to the inputs with these names.
    fn word(lock: &mut BuiltIn<DoorLock>, names: &str) -> Vec<String> {
        let inputs: Vec<_> = (0..lock.inputs()).map(Input::new).collect();
        lock.reset().expect("it cannot fail");
        let mut said = Vec::new();
        for name in names.split(' ') {
            let named = |input: &&Input| lock.input_name(**input) == name.as_bytes();
            let input = *inputs.iter().find(named).expect(name);
            let output = lock.step(input).expect("it cannot fail");
            said.push(String::from_utf8_lossy(output).into_owned());
        }
        said
    }

    #[test]
    fn it_answers_as_over_a_line_and_time_passes_only_as_it_is_told() {
        let mut lock = BuiltIn::<DoorLock>::default();
        assert_eq!(
            word(&mut lock, "bad bad bad good wait good close")[2..],
            ["locked out", "locked out", "(silence)", "open", "closed"]
        );
        assert_eq!(word(&mut lock, "good good"), ["open", "already open"]);
        assert_eq!(lock.input_name(Input::new(99)), b"");
        assert_eq!(lock.take(0, b""), Err(Refusal::BuiltIn));
        assert_eq!(lock.check(), Ok(()));
    }
}
