//! What is done to a device for an input, or on the way through a reset.

use embedded_hal::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;

use crate::{Act, Seen, asynchronous};

/// What is done to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed<T> {
    /// Something that the probe can do.
    Act(T),
    /// Nothing, for so long.
    Wait {
        /// How long.
        ms: u32,
    },
}

impl<T> Deed<T> {
    /// Does it, and writes down what is seen then.
    pub(crate) fn run(
        &self,
        probe: &mut impl Act<T>,
        delay: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        match self {
            Self::Act(action) => probe.act(action, delay, seen),
            Self::Wait { ms } => {
                delay.delay_ms(*ms);
                probe.look(seen)
            }
        }
    }

    /// The same where the hardware is awaited.
    pub(crate) async fn run_async(
        &self,
        probe: &mut impl asynchronous::Act<T>,
        delay: &mut impl embedded_hal_async::delay::DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        match self {
            Self::Act(action) => probe.act(action, delay, seen).await,
            Self::Wait { ms } => {
                delay.delay_ms(*ms).await;
                probe.look(seen)
            }
        }
    }
}
