//! The example in Figure 2 of the paper: `2N` states, with components of `N` states each.
//!
//! It shows how large a machine fits into the memory of a board. Its outputs are numbers. It has no
//! console; programs build it in.

use mealybug_adapters::Attached;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::{Input, Sul};

/// Two rings of `N` states. Input `a` moves one state along the ring, to the right in one and to
/// the left in the other, and answers the new position. Input `b` changes the ring and answers the
/// position.
#[derive(Debug, Default)]
pub struct Toy<const N: u8> {
    at: u8,
    is_upper: bool,
    /// The last answer, in three digits.
    answer: [u8; 3],
}

impl<const N: u8> Sul for Toy<N> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        *self = Self::default();
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        match (input.index(), self.is_upper) {
            (0, false) => self.at = if self.at + 1 < N { self.at + 1 } else { 0 },
            (0, true) => self.at = if self.at > 0 { self.at - 1 } else { N - 1 },
            _ => self.is_upper = !self.is_upper,
        }
        self.answer = [self.at / 100, self.at / 10 % 10, self.at % 10].map(|digit| b'0' + digit);
        Ok(&self.answer)
    }
}

impl<const N: u8> Attached for Toy<N> {
    fn inputs(&self) -> u32 {
        2
    }

    fn input_name(&self, input: Input) -> &[u8] {
        if input.index() == 0 { b"a" } else { b"b" }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use mealybug_core::{EndReason, Options, Session, SessionError, Tests};

    use super::*;

    /// The memory of a learner on a micro:bit.
    const MICRO_BIT_BYTES: usize = 9880;

    /// Learns the example of this `N` in the memory of a micro:bit, as a learner on a board does.
    fn learn<const N: u8>() -> Option<EndReason> {
        let memory = std::vec![0; MICRO_BIT_BYTES / 4];
        let mut session = Session::new(memory, 2, Options::default()).expect("two inputs");
        match mealybug_core::learn(&mut session, &mut Toy::<N>::default()) {
            Ok(why) => Some(why),
            Err(mealybug_core::ServeError::Session(SessionError::Capacity(_))) => None,
            Err(error) => panic!("{error:?}"),
        }
    }

    /// So the program for the micro:bit has the example with 45 outputs built in. With the core's
    /// features for hosts, the core takes more memory and that example does not fit.
    #[test]
    fn the_largest_for_a_micro_bit_has_45_outputs() {
        for learned in [learn::<2>(), learn::<16>()] {
            assert_eq!(learned, Some(EndReason::TestsPassed));
        }
        let has_features_of_host = Tests::Mixture.is_supported();
        let fits = (!has_features_of_host).then_some(EndReason::TestsPassed);
        assert_eq!(learn::<45>(), fits);
        assert_eq!(learn::<46>(), None);
    }

    #[test]
    fn one_ring_goes_right_the_other_left() {
        let mut toy = Toy::<12>::default();
        for _ in 0..2 {
            toy.reset().expect("it cannot fail");
            let mut said = String::new();
            for input in "baaabaab".bytes() {
                let output = toy.step(Input::new((input - b'a').into())).expect("it cannot fail");
                said += std::str::from_utf8(output).expect("digits");
                said.push(' ');
            }
            assert_eq!(said, "000 011 010 009 009 010 011 011 ");
        }
    }
}
